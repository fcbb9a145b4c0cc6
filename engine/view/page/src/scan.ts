// One-button play: the buttons that can be pressed light up one after the other, and any key or tap presses the lit one;
// a slider goes one step on, and from its end to its beginning.

const EACH_MS = 1200;

export class Scan {
  private timer = 0;
  private lit: HTMLButtonElement | HTMLInputElement | null = null;

  // end: what the key that ends it does.
  constructor(private readonly end: () => void) {
    for (const name of ["keydown", "pointerdown"] as const)
      addEventListener(name, (event) => this.press(event), { capture: true });
  }

  // Returns whether it goes on now.
  turn(): boolean {
    const goes = !this.timer;
    this.wait(goes);
    this.light(null);
    return goes;
  }

  private wait(goes: boolean): void {
    clearInterval(this.timer);
    this.timer = goes ? window.setInterval(() => this.next(), EACH_MS) : 0;
  }

  private next(): void {
    const all = [
      ...document.querySelectorAll<HTMLButtonElement | HTMLInputElement>(
        ".desk button:not(:disabled), .desk input[type=range]",
      ),
    ];
    const seen = all.filter(
      (each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest("[inert]"),
    );
    seen.sort((one, other) => rank(one) - rank(other));
    // where what was lit has gone, from the first one again
    this.light(seen[(seen.indexOf(this.lit!) + 1) % seen.length] ?? null);
  }

  private light(button: Scan["lit"]): void {
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
    if (event instanceof KeyboardEvent && event.key === "Escape") this.end();
    else if (lit instanceof HTMLInputElement) this.slide(lit);
    else {
      this.light(null);
      lit?.click();
    }
  }

  // Who takes a slider may do so once more.
  private slide(range: HTMLInputElement): void {
    const [low, high, value] = [range.min, range.max, range.value].map(Number),
      step = (high - low) / Number(range.dataset.steps);
    range.value = String(value > high - step / 2 ? low : Math.min(value + step, high));
    range.dispatchEvent(new Event("input"));
    this.wait(true);
  }
}

// What lays a held piece comes first, then all else that is done to it, and what no game is played by last.
function rank(button: Element): number {
  if (button.closest(".hand")) return button.matches("[data-act=places], [data-act=lay]") ? -1 : 0;
  return button.closest(".tools, .story, .scores, .scans") && !button.matches("[data-sit]") ? 2 : 1;
}
