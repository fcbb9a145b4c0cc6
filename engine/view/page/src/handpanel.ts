// The buttons of one's own hand, and what is told of the piece in it.

import { button, make, write } from "./dom";

export interface HandTold {
  isPulling: boolean;
  isLaid: boolean;
  where: string;
  places: string;
  isFine: boolean;
}

const NUDGES: [name: string, text: string, title: string][] = [
  ["turn_left", "⟲", "Turn to the left (A)"],
  ["turn_right", "⟳", "Turn to the right (D)"],
  ["flip", "Flip", "On the next face on which it stands (F)"],
  ["tilt", "Tilt", "Tilt it by 15 degrees (G)"],
  ["lift", "Higher", "Higher (E)"],
  ["lower", "Lower", "Lower (Q)"],
  ["left", "←", "To the left (arrow)"],
  ["far", "↑", "Away (arrow)"],
  ["near", "↓", "Nearer (arrow)"],
  ["right", "→", "To the right (arrow)"],
];
const ACTS: typeof NUDGES = [
  ["places", "Show places", "Go through the places it may be laid (P)"],
  ["coach", "Coach", "Would it stand there? (H)"],
  ["fine", "Fine", "Small steps (Shift)"],
  ["pull_out", "Pull it out", "Draw it out, as a steady hand does (O)"],
  ["let_go", "Let go", "Let go of it where it is (R)"],
  ["lay", "Lay", "Lower it and let go (space)"],
];
const CARRYING = ["places", "coach", "lay", "turn_left", "turn_right", "flip", "tilt", "lift", "lower"];
const PULLING = ["pull_out", "let_go"];

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
      ["row", ACTS],
    ] as const) {
      const row = make("div", kind, this.panel);
      for (const [name, text, title] of rows) {
        this.buttons[name] = button(row, text, title, () => act(name));
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
    write(this.buttons.places, hand.places);
    this.panel.classList.toggle("laid", hand.isLaid);
    this.buttons.fine.setAttribute("aria-pressed", String(hand.isFine));
  }

  // What is thought of the place below the hand. tone: as verdicts are called, or none.
  judge(text: string, tone: string): void {
    write(this.word, text);
    this.word.className = `word ${tone}`;
  }
}
