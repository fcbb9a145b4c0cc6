// One-button play: the buttons that can be pressed light up one after the other, and any key or tap presses the lit one.

const EACH_MS = 1200;

export class Scan {
  private timer = 0;
  private lit: HTMLButtonElement | null = null;

  // end: what the key that ends it does.
  constructor(private readonly end: () => void) {
    for (const name of ["keydown", "pointerdown"] as const)
      addEventListener(name, (event) => this.press(event), { capture: true });
  }

  // Returns whether it goes on now.
  turn(): boolean {
    if (this.timer) clearInterval(this.timer);
    this.timer = this.timer ? 0 : window.setInterval(() => this.next(), EACH_MS);
    this.light(null);
    return this.timer > 0;
  }

  private next(): void {
    const all = [...document.querySelectorAll<HTMLButtonElement>(".desk button:not(:disabled)")];
    const seen = all.filter((each) => each.checkVisibility({ visibilityProperty: true }));
    seen.sort((one, other) => rank(one) - rank(other));
    // where what was lit has gone, from the first one again
    this.light(seen[(seen.indexOf(this.lit!) + 1) % seen.length] ?? null);
  }

  private light(button: HTMLButtonElement | null): void {
    this.lit?.classList.remove("scanned");
    this.lit = button;
    button?.classList.add("scanned");
    button?.scrollIntoView({ block: "nearest" });
  }

  private press(event: KeyboardEvent | PointerEvent): void {
    if (!this.timer || !event.isTrusted) return;
    event.preventDefault();
    event.stopPropagation();
    const lit = this.lit;
    this.light(null);
    if (event instanceof KeyboardEvent && event.key === "Escape") this.end();
    else lit?.click();
  }
}

// What lays a held piece comes first, then all else that is done to it, and what no game is played by last.
function rank(button: Element): number {
  if (button.closest(".hand")) return button.matches("[data-act=places], [data-act=lay]") ? -1 : 0;
  return button.closest(".tools, .story, .scores, .scans") && !button.matches("[data-sit]") ? 2 : 1;
}
