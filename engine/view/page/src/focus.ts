// The keyboard stays in the panels: where the button that it was on goes, it comes to what is there instead.

// Buttons are looked for in this order: what lays or draws what is held before all else that is done to it.
const NEXT = [
  ".hand .accent",
  ".fall button",
  ".turn button",
  ".sandbox button",
  ".fan button",
  ".over button",
];
const PASSES = ".turn, .cards, .hand, .fall, .scores"; // what is pressed there leads elsewhere

export class Focus {
  private id = ""; // of the button
  private about = ""; // the seat that it is about
  private panel = "";
  private placed: HTMLElement | null = null; // where it came by itself, until somebody goes on from there
  private isKept = false; // somebody goes through the panels by keys, and has not gone elsewhere

  constructor(private readonly root: HTMLElement) {
    document.addEventListener("focusin", ({ target }) => this.hear(target as HTMLElement));
    addEventListener("pointerdown", () => (this.isKept = false), { capture: true });
  }

  private hear(on: HTMLElement): void {
    if (on === this.placed) return;
    this.placed = null;
    const panel = on.closest(".panel");
    this.isKept = on.tagName === "BUTTON" && panel !== null && on.matches(":focus-visible");
    if (!this.isKept) return;
    [this.id, this.about] = [on.dataset.id ?? "", on.dataset.about ?? ""];
    this.panel = panel!.matches(PASSES) ? "" : panel!.className.split(" ")[0];
  }

  // Panels may have changed.
  keep(): void {
    const at = document.activeElement;
    if (!this.isKept || (at !== document.body && at !== this.placed)) return;
    const same = this.id.includes("choice:") ? "" : `[data-id="${CSS.escape(this.id)}"]`,
      about = this.about && `[data-about="${CSS.escape(this.about)}"]`,
      own = this.panel && `.${this.panel} button`;
    for (const selector of [same, about, own, ...NEXT].filter(Boolean)) {
      const all = this.root.querySelectorAll<HTMLButtonElement>(`${selector}:enabled`);
      const found = [...all].find((each) => each.checkVisibility({ visibilityProperty: true }));
      if (!found) continue;
      this.placed = found;
      found.focus({ preventScroll: true });
      return;
    }
  }
}
