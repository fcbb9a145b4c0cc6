// What a person presses at a seat, by button or key, and what that asks of the server.

import type { Acts } from "./desk";
import { MOVES } from "./hand";
import { tokens } from "./line";
import { KEYS, type Order } from "./protocol";
import { Scan } from "./scan";
import type { Seat } from "./seat";

// Keys of the page alone.
const OWN: Record<string, string> = { m: "sound" };

const REPEATED = new Set(["turn_left", "turn_right", "lift", "lower", "left", "right", "far", "near"]);

const SPEEDS = [0.25, 1, 2, 4];
const AROUND = 12 / 720; // heights of the picture, by a key that moves the eye
const CLOSER = 0.88; // times the distance, by a key

export class Deeds implements Acts {
  private readonly scan = new Scan(() => this.act("scan"));

  constructor(private readonly seat: Seat) {}

  // The piece that the button at which somebody is is about.
  point(name: string): void {
    const choice = this.seat.turn?.choices.find((each) => name === `choice:${each.choice}`);
    this.seat.mark(this.seat.numberOf(choice?.piece ?? ""));
  }

  // A button of a panel: a choice, an act, a message, or what the server makes of it.
  press(name: string): void {
    const [, kind, rest] = /^(\w+):(.*)$/.exec(name) ?? [];
    if (name.startsWith("{")) {
      const order = JSON.parse(name) as Order | { type: "come_back"; seat: string };
      if (order.type === "come_back") this.comeBack(order.seat);
      else this.seat.send(order);
    } else if (kind === "choice") this.choose(Number(rest));
    else if (!this.act(kind === "act" ? rest : name)) this.tell(name);
  }

  // A button that the server makes something of.
  tell(name: string): void {
    this.seat.send({ type: "press", name, right: this.seat.outlook.right });
  }

  slide(name: string, value: number): void {
    this.seat.send({ type: "slide", name, value, right: this.seat.outlook.right });
  }

  choose(choice: number): void {
    if (!this.seat.turn || this.seat.busy) return;
    if (this.seat.send({ type: "choose", turn: this.seat.turn.turn, choice })) this.seat.wait();
  }

  // Returns whether that is something that can be done now.
  act(name: string): boolean {
    if (this.seat.fall.state === "wreck" && (name === "choose" || name === "lay"))
      this.seat.send({ type: "go_on" });
    else if (name === "go_on" || name === "watch_again") this.seat.send({ type: name });
    else if (name === "clip") {
      this.seat.fall.keep();
      this.seat.send({ type: "watch_again" });
    } else if (name === "undo") {
      if (!this.seat.turn?.mine || this.seat.busy || !this.seat.turn.can_undo) return false;
      if (this.seat.send({ type: "undo" })) this.seat.wait();
    } else if (name === "view") this.seat.outlook.next();
    else if (name === "home") this.seat.outlook.next(0);
    else if (name === "closer") this.seat.outlook.orbit.zoom(CLOSER);
    else if (name === "further") this.seat.outlook.orbit.zoom(1 / CLOSER);
    else if (name === "sound") this.seat.desk.hear(this.seat.knocks.turn());
    else if (name === "story") this.seat.desk.openStory();
    else if (name === "feel") this.seat.feel();
    else if (name === "stand_up") this.seat.send({ type: "stand_up" });
    else if (name === "pause" || name === "speed") this.time(name);
    else if (name === "hurry" && this.seat.welcome?.role === "host") this.time("speed");
    else if (name === "follow") this.seat.outlook.isFollowing = !this.seat.outlook.isFollowing;
    else if (name === "scan") this.seat.desk.showScan(this.scan.turn());
    else if (name === "help") this.seat.desk.keys.turn();
    else if (name === "learn" || name === "hint") this.tell(name);
    else if (name === "check" && this.seat.isSandbox) this.tell(name);
    else if (this.seat.hand.act(name)) this.seat.loop.touch();
    else if (MOVES[name]) this.seat.outlook.orbit.drag(AROUND * MOVES[name][0], -AROUND * MOVES[name][1]);
    else return false;
    return true;
  }

  private time(name: "pause" | "speed"): void {
    const { table } = this.seat;
    if (!table) return;
    const factor = SPEEDS.find((each) => each > table.speed) ?? SPEEDS[0];
    this.seat.send(
      name === "pause" ? { type: "pause", is_paused: !table.is_paused } : { type: "speed", factor },
    );
  }

  send(order: Order): boolean {
    return this.seat.send(order);
  }

  // To a seat that was one's own in another window.
  private comeBack(seat: string): void {
    tokens.take(seat);
    location.reload();
  }

  // fine is on as long as its key is down.
  key(event: KeyboardEvent): void {
    // as the window calls them: arrow_left, page_up, space
    const key = event.key === " " ? "space" : event.key.replace(/([a-z])([A-Z])/, "$1_$2").toLowerCase(),
      name = KEYS[key] ?? OWN[key],
      on = event.target instanceof HTMLElement ? event.target : document.body,
      isButton = on.tagName === "BUTTON";
    const isTheirs =
        on.tagName === "INPUT" ||
        (this.seat.desk.keys.isOpen && name !== "help") ||
        (isButton && (key === "space" || (key === "enter" && on.closest(".fall") !== null))),
      isHeld = name === "fine" || name === "free";
    const numbered = event.type === "keydown" && !isTheirs ? this.seat.desk.panels.key(key) : undefined;
    if (numbered) numbered.click();
    // a key that is held down presses one button, and not what comes after it
    if (isButton && event.repeat && key === "enter") event.preventDefault();
    if (!name || isTheirs || (event.ctrlKey && name !== "free") || event.metaKey || event.altKey) return;
    if (event.type === "keyup" ? !isHeld : event.repeat && !REPEATED.has(name)) return;
    if (this.act(name)) event.preventDefault();
  }
}
