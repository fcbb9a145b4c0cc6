// What lies around the table of a seat, as HTML: the server's panels, the story, what a page does by itself. It shows
// what it is told and says what was pressed; it knows no rules. Every text is set as text.

import { button, make, NARROW, write } from "./dom";
import { Focus } from "./focus";
import { KeyList, SAID } from "./keys";
import { Panels, type Presses } from "./panels";
import { Pictures } from "./pictures";
import type { Order, Welcome } from "./protocol";

export interface Acts extends Presses {
  act(name: string): boolean;
  send(order: Order): boolean;
}

const STORY_LINES = 80;
const TOAST_MS = 4200;
const REFUSED_MS = 8000;
// Buttons that need no line, and what is no use without one.
const ALONE = "[data-act=view], [data-act=sound], [data-act=story], [data-act=help]";
const LINED = `.at :is(button, input), .say, .tools :not(${ALONE})`;
const PAUSED = "The host has stopped the clock.";
const SCANS = "One button: press any key when it is lit; Esc ends it ";

export class Desk {
  readonly root: HTMLElement;
  private readonly part: Record<string, HTMLElement> = {};
  private readonly buttons: Record<string, HTMLButtonElement> = {};
  private toastEnds = 0;
  private refusalEnds = 0;
  readonly panels: Panels;
  readonly focus: Focus;
  readonly pictures = new Pictures();
  readonly keys: KeyList;

  constructor(
    parent: HTMLElement,
    private readonly acts: Acts,
  ) {
    this.root = make("div", "desk", parent);
    this.focus = new Focus(this.root);
    const panel = (name: string, tag: "section" | "div" = "section"): HTMLElement =>
      (this.part[name] = make(tag, `${name} panel`, this.root));
    this.panels = new Panels((name) => this.place(name), this.pictures, acts);
    for (const name of ["top-left", "bottom"]) this.place(name).ariaLive = "polite";
    this.part.clock = make("output", "clock panel", this.place("top-left"));
    this.part.clock.ariaLive = "off";
    this.makeStory(panel("story"));
    this.makeTools(panel("tools", "div"));
    this.part.messages = make("div", "messages", this.root);
    for (const name of ["toast", "refusal", "lost", "paused"]) {
      this.part[name] = make("output", `${name} panel`, this.part.messages);
      this.part[name].hidden = true;
    }
    write(this.part.paused, PAUSED);
    this.part.scans = make("p", "scans panel", this.part.messages, SCANS);
    this.part.scans.hidden = true;
    this.press(this.part.scans, "scan", "End");
    this.part.tag = make("output", "tag", parent);
    this.keys = new KeyList(parent, () => acts.act("scan"));
  }

  // Where panels of a place stand below each other.
  private place(name: string): HTMLElement {
    const column = name === "left" ? "top-left" : name;
    return (this.part[column] ??= make("div", `at ${column}`, this.root));
  }

  // The rectangle of the picture that panels leave free most of the time, in pixels.
  get clear(): { left: number; top: number; right: number; bottom: number } {
    const [wide, high] = [this.root.clientWidth, this.root.clientHeight];
    const [turn, hand, seats] = ["top-left", "bottom", "top-right"].map((name) => {
      const box = this.place(name).getBoundingClientRect();
      return box.height ? box : undefined;
    });
    if (!matchMedia(NARROW).matches)
      return { left: turn?.right ?? 0, top: 0, right: seats?.left ?? wide, bottom: hand?.top ?? high };
    const bottom = Math.min(...[turn, hand].map((each) => each?.top ?? high));
    return { left: 0, top: seats?.bottom ?? 0, right: wide, bottom };
  }

  private makeStory(panel: HTMLElement): void {
    this.part.lines = make("div", "lines", panel);
    this.part.lines.setAttribute("role", "log");
    const form = make("form", "say", panel),
      said = make("input", "", form);
    Object.assign(said, { maxLength: 300, placeholder: "Say something", ariaLabel: "Say something" });
    const send = make("button", "", form, "Say");
    send.type = "submit";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = said.value.trim();
      if (!text || this.acts.send({ type: "chat", text })) said.value = "";
    });
    this.part.say = form;
  }

  private makeTools(panel: HTMLElement): void {
    this.press(panel, "feel", "Feel").hidden = true;
    this.press(panel, "undo", "Undo");
    this.press(panel, "view", "View");
    this.press(panel, "sound", "Sound").setAttribute("aria-pressed", "false");
    this.press(panel, "story", "Story", "What was said and done");
    button(panel, "Rules", "The rules in pictures", () => open("rules", "_blank", "noopener"));
    this.press(panel, "learn", "Learn", "What to do, step by step");
    this.press(panel, "help", "Keys");
    this.press(panel, "pause", "Pause", "Time stands still for all").setAttribute("aria-pressed", "false");
    this.press(panel, "speed", "1 x", "How fast time runs");
    this.press(panel, "stand_up", "Stand up", "Leave the seat to somebody else");
  }

  private press(parent: HTMLElement, name: string, text: string, title = SAID[name]): HTMLButtonElement {
    const made = button(parent, text, title, () => this.acts.act(name));
    made.dataset.act = name;
    made.type = "button";
    return (this.buttons[name] = made);
  }

  // -- what is told -------------------------------------------------------------------------------------------------

  greet(welcome: Welcome): void {
    document.title = welcome.title;
    this.part.say.hidden = welcome.role === "spectator";
    for (const name of ["stand_up", "learn", "undo"]) this.buttons[name].hidden = !welcome.seat;
    for (const name of ["pause", "speed"]) this.buttons[name].hidden = welcome.role !== "host";
  }

  // Whether nothing may be pressed, since something was.
  wait(isWaiting: boolean, isMine: boolean, canUndo: boolean): void {
    this.root.classList.toggle("is-mine", isMine && !isWaiting);
    this.root.classList.toggle("is-waiting", isWaiting);
    this.buttons.undo.disabled = !canUndo;
  }

  tell(lines: string[], isAll = false): void {
    const place = this.part.lines;
    if (isAll) place.replaceChildren();
    for (const line of lines) make("p", "", place, line);
    while (place.childElementCount > STORY_LINES) place.firstElementChild!.remove();
    place.scrollTop = place.scrollHeight;
  }

  say(who: string, text: string): void {
    const line = make("p", "chat", this.part.lines);
    if (who) make("b", "", line, `${who}: `);
    make("span", "", line, text);
    this.part.lines.scrollTop = this.part.lines.scrollHeight;
  }

  toast(text: string): void {
    write(this.part.toast, text);
    this.part.toast.hidden = !text;
    clearTimeout(this.toastEnds);
    this.toastEnds = window.setTimeout(() => (this.part.toast.hidden = true), TOAST_MS);
  }

  refuse(clause: string, sentence: string): void {
    const place = this.part.refusal;
    place.replaceChildren();
    if (clause) make("b", "", place, `${clause} `);
    make("span", "", place, sentence);
    place.hidden = !sentence;
    clearTimeout(this.refusalEnds);
    this.refusalEnds = window.setTimeout(() => (place.hidden = true), REFUSED_MS);
  }

  // What is said at a place of a picture so large, pixels; empty for nothing.
  tag(text: string, [x, y]: number[], [wide, high]: number[]): void {
    const { tag } = this.part;
    tag.hidden = !text;
    if (!text) return;
    write(tag, text);
    tag.style.left = `${Math.max(8, Math.min(x + 24, wide - tag.offsetWidth - 8))}px`;
    tag.style.top = `${Math.max(8, Math.min(y - 12 - tag.offsetHeight, high - tag.offsetHeight))}px`;
  }

  // Whether pieces can be felt, and a tap does.
  showFeel(may: boolean, isOn: boolean): void {
    this.buttons.feel.hidden = !may;
    this.buttons.feel.setAttribute("aria-pressed", String(isOn));
  }

  // Whether the hand lays what it holds, and can do nothing else.
  lay(isLaid: boolean): void {
    this.place("bottom").classList.toggle("laid", isLaid);
  }

  // Why nothing can be done now; empty: it can again.
  lose(why: string): void {
    write(this.part.lost, why);
    this.part.lost.hidden = !why;
    for (const each of this.root.querySelectorAll<HTMLElement>(LINED)) each.inert = Boolean(why);
  }

  showClock(seconds: number | null): void {
    const text = seconds === null ? "" : `${Math.max(0, Math.ceil(seconds))} s left`;
    write(this.part.clock, text);
    this.part.clock.classList.toggle("late", seconds !== null && seconds < 10);
  }

  // Whether one button plays.
  showScan(isOn: boolean): void {
    this.part.scans.hidden = !isOn;
  }

  hear(isOn: boolean): void {
    this.buttons.sound.setAttribute("aria-pressed", String(isOn));
  }

  // The clock of the table, which the host holds.
  run(isPaused: boolean, speed: number): void {
    this.buttons.pause.setAttribute("aria-pressed", String(isPaused));
    this.part.paused.hidden = !isPaused;
    write(this.buttons.speed, `${speed} x`);
  }

  openStory(): void {
    this.root.classList.toggle("reads");
    this.part.lines.scrollTop = this.part.lines.scrollHeight;
  }
}
