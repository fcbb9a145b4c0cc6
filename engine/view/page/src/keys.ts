// The list of the keys, over everything else, and what a press of a button of the page is said to do.

import { button, make } from "./dom";
import { ACTS } from "./protocol";

// Of the page alone, and where it does less than the window.
export const SAID: Record<string, string> = { ...ACTS, sound: "Sound on or off (M)" };
const NOT_HERE = ["picture", "menu", "panels"]; // here Tab goes through buttons and sliders

export class KeyList {
  private readonly dialog: HTMLDialogElement;

  constructor(
    parent: HTMLElement,
    private readonly scan: () => void,
  ) {
    this.dialog = make("dialog", "keys", parent);
    this.dialog.ariaLabel = "Keys";
  }

  get isOpen(): boolean {
    return this.dialog.open;
  }

  // Shows it, or puts it away.
  turn(): void {
    if (this.isOpen) this.dialog.close();
    else {
      if (!this.dialog.hasChildNodes()) this.fill();
      this.dialog.showModal();
    }
  }

  private fill(): void {
    const row = make("div", "row", this.dialog);
    make("h1", "", row, "Keys");
    button(row, "One-button play", SAID.scan, () => {
      this.turn();
      this.scan();
    });
    button(row, "Close", SAID.help, () => this.turn());
    const list = make("dl", "", this.dialog);
    make("dt", "", list, "1 to 9, 0");
    make("dd", "", list, "Take a choice by its number; more of them");
    for (const [act, said] of Object.entries(SAID)) {
      if (NOT_HERE.includes(act)) continue;
      const [, words, key] = /^(.*) \((.*)\)$/.exec(said)!;
      make("dt", "", list, key);
      make("dd", "", list, words);
    }
  }
}
