// The buttons of one's own hand, and what is told of the piece in it.

import { button, make, write } from "./dom";
import { ACTS } from "./protocol";

export interface HandTold {
  isPulling: boolean;
  isLaid: boolean;
  where: string;
  places: string;
  isFine: boolean;
  isFree: boolean;
  isPointed: boolean; // the coach points to a better place
}

const NUDGES = {
  turn_left: "⟲",
  turn_right: "⟳",
  flip: "Flip",
  tilt: "Tilt",
  lift: "Higher",
  lower: "Lower",
  left: "←",
  far: "↑",
  near: "↓",
  right: "→",
};
const OWN = {
  places: "Show places",
  hint: "Coach",
  nearest: "Carry it there",
  fine: "Fine",
  free: "Free",
  tap: "Tap",
  pull_out: "Pull it out",
  let_go: "Let go",
  lay: "Lay",
};
const CARRYING = ["places", "hint", "lay", "turn_left", "turn_right", "flip", "tilt", "lift", "lower"];
const PULLING = ["free", "tap", "pull_out", "let_go"];

export class HandPanel {
  private readonly panel: HTMLElement;
  private readonly where: HTMLElement;
  private readonly word: HTMLElement;
  private readonly buttons: Record<string, HTMLButtonElement> = {};

  constructor(parent: HTMLElement, act: (name: string) => void) {
    this.panel = make("section", "hand panel", parent);
    this.panel.hidden = true;
    this.where = make("p", "where", this.panel);
    this.word = make("p", "word", this.panel);
    this.word.setAttribute("aria-live", "polite");
    for (const [kind, rows] of [
      ["row nudges", NUDGES],
      ["row", OWN],
    ] as const) {
      const row = make("div", kind, this.panel);
      for (const [name, text] of Object.entries(rows)) {
        this.buttons[name] = button(row, text, ACTS[name], () => act(name));
        this.buttons[name].dataset.act = name;
      }
    }
    this.buttons.lay.classList.add("main");
    this.buttons.pull_out.classList.add("main");
  }

  // null: the hand is empty, or another's.
  show(hand: HandTold | null): void {
    this.panel.hidden = !hand;
    if (!hand) return;
    write(this.where, hand.where);
    for (const name of CARRYING) this.buttons[name].hidden = hand.isPulling;
    for (const name of PULLING) this.buttons[name].hidden = !hand.isPulling;
    this.buttons.nearest.hidden = hand.isPulling || !hand.isPointed;
    write(this.buttons.places, hand.places);
    this.panel.classList.toggle("laid", hand.isLaid);
    this.buttons.fine.setAttribute("aria-pressed", String(hand.isFine));
    this.buttons.free.setAttribute("aria-pressed", String(hand.isFree));
  }

  // What is thought of the place below the hand. tone: as verdicts are called, or none.
  judge(text: string, tone: string): void {
    write(this.word, text);
    this.word.className = `word ${tone}`;
  }
}
