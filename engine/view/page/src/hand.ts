// One's own hand at the table: what pointer, keys and buttons want of the held piece is told to the server, which knows
// where it goes then; until it answers the piece goes on here.

import type { Reach } from "./fingers";
import type { Triple } from "./data";
import { Grip, onPlane, poseOf } from "./grip";
import { free, guides, INKS, MINE, towards, ways } from "./guides";
import { buzz } from "./knocks";
import type { Overlay } from "./marks";
import {
  FINE,
  MAGNET,
  NUDGE,
  STEP,
  type Coached,
  type HandAct,
  type Landing,
  type TableNews,
  type Turn,
} from "./protocol";
import type { Table } from "./table";

const POINTS_MS = 33; // between two looks of the server where the pointer is
const QUIET_MS = 1000; // without an answer, from which on pointing waits: it may be in vain
const FELT_N = 0.5; // more force, of which a phone tells the finger
const LEFT = 1e-3; // metres from a place that the coach was asked about, from which on it is another one
const SPINS: Record<string, number> = { turn_left: 1, turn_right: -1 };
export const MOVES: Record<string, [right: number, away: number]> = {
  left: [-1, 0],
  right: [1, 0],
  far: [0, 1],
  near: [0, -1],
};
const HANDS =
  "nearest turn_left turn_right lift lower left right far near flip tilt places tap pull_out let_go lay";

export class Hand implements Reach {
  grip: Grip | null = null;
  private sent = -1; // the number of the last message
  private isFine = false;
  private landing: Landing | null = null;
  private coached: Coached | null = null;
  private force = 0;
  private pointed: { ray: Triple; at: [number, number] } | null = null; // the pointer was there last
  private isPointing = false; // the server does not know that yet
  private pointedAt = 0;
  drawn: number[] | null = null; // where the held piece is seen
  private isDragged = false; // a press that took it goes on
  private showsGhost = true;
  private isFree = false; // a brick need not keep to its rail
  private heeded: unknown = null; // the warning after which it is laid all the same

  constructor(private readonly table: Table) {}

  // Takes note of what the hand holds now.
  follow(news: TableNews, turn: Turn | null): void {
    const isMine = turn?.mine && news.mine && (turn.wait === "hand" || turn.wait === "pull");
    if (news.force > this.force + FELT_N && news.mine) buzz(4 * news.force);
    this.force = news.force;
    // what was sent of the piece before may still be under way
    this.sent = Math.max(this.sent, this.grip?.number ?? -1, news.number);
    if (!isMine || news.held < 0 || !this.table.live.isKnown(news.held)) {
      this.grip = this.drawn = this.landing = null;
      this.tell();
      return;
    }
    const isPulling = turn.wait === "pull";
    if (this.grip?.body === news.held && this.grip.isPulling === isPulling) {
      this.tell();
      return;
    }
    const isTaken = this.grip?.body !== news.held && !this.isDragged;
    this.grip = new Grip(news.held, isPulling, poseOf(this.table.live.truth, news.held), this.sent);
    if (this.landing) this.grip.hear(this.landing);
    this.coached = this.pointed = null;
    this.isPointing = false;
    const waiting = isTaken && !isPulling && !this.table.isSandbox && this.table.outlook.waiting;
    if (waiting) this.carry(waiting);
    this.tell();
  }

  // The line is lost or new, or an order was refused: what was wanted has to be wanted again.
  again(): void {
    if (this.grip) this.grip.isLaid = false;
    this.grip?.forget();
    this.isPointing = false;
    this.tell();
  }

  hear(news: Landing | Coached): void {
    if (news.type === "landing") {
      const before = this.landing;
      this.landing = news;
      // gone on by itself, as to a place that was looked for
      if (before?.number === news.number && apart(before.goal, news.goal) > LEFT) this.moved();
      this.grip?.hear(news);
      this.table.loop.touch();
    } else {
      // what is said of a place that the hand has left is of no use
      if (this.grip?.isWaiting || news.number < (this.landing?.number ?? -1)) return;
      this.coached = news;
      this.table.loop.touch();
    }
    this.tell();
  }

  // Returns whether the picture changes.
  step(seconds: number, now: number): boolean {
    const grip = this.grip;
    if (!grip) return false;
    const truth = poseOf(this.table.live.poses, grip.body);
    const { pose, isMoving } = grip.shown(truth, Math.min(this.table.line.roundTrip, 1), seconds);
    this.drawn = pose;
    const isDue = now - this.pointedAt > POINTS_MS && this.table.line.silence < QUIET_MS;
    if (this.isPointing && isDue && !grip.isLaid) this.tellPoint(now);
    return isMoving;
  }

  // Poses with the held piece where one's own hand has it.
  posed(poses: Float32Array): Float32Array {
    if (!this.grip || !this.drawn) return poses;
    const own = poses.slice();
    own.set(this.drawn, 7 * this.grip.body);
    return own;
  }

  get pull(): string {
    return `Pulled with ${this.force.toFixed(1)} N`;
  }

  private get isOld(): boolean {
    return !this.coached && (!this.landing || !this.grip || this.grip.isWaiting);
  }

  private get verdict(): "free" | "nothing" | Coached["verdict"] {
    return this.coached?.verdict ?? (this.landing?.pose ? "free" : "nothing");
  }

  get ink(): number[] {
    return this.isOld ? MINE : [...INKS[this.verdict].slice(0, 3), 1];
  }

  guides(): Overlay[] {
    if (!this.grip || this.grip.isLaid || !this.drawn || !this.landing) return [];
    const { pose, low, rail, slots } = this.landing,
      { stage } = this.table;
    if (this.grip.isPulling) return rail ? ways(stage, this.drawn, this.grip.start, rail) : [];
    const others = slots.filter((slot) => !pose || apart(slot, pose) > MAGNET),
      places = free(stage, this.grip.body, others);
    if (!pose) return places;
    const ghost = this.isOld ? null : { pose, ink: INKS[this.verdict] };
    if (!this.showsGhost) return places;
    const found = guides(stage, this.grip.body, this.drawn, pose[2] - low, low, ghost),
      better = this.isOld ? null : this.coached?.place;
    if (better) found.push(...towards(stage, this.grip.body, pose, better, low));
    return [...places, ...found];
  }

  private tell(): void {
    this.table.desk.lay(Boolean(this.grip?.isLaid));
  }

  // -- what it wants ------------------------------------------------------------------------------------------------

  private get share(): number {
    return this.isFine ? FINE : 1;
  }

  private moved(): void {
    this.coached = this.heeded = null;
    this.tell();
    this.table.loop.touch();
  }

  private tellPoint(now: number): void {
    const { ray, at } = this.pointed!;
    [this.isPointing, this.pointedAt] = [false, now];
    const number = this.grip!.number;
    this.table.send({
      type: "point",
      origin: this.table.outlook.camera.eye,
      direction: ray,
      right: this.table.outlook.right,
      at,
      number,
      is_fine: this.isFine,
    });
  }

  // The last place of the pointer comes before what is done there.
  private press(name: HandAct["name"], x = 0, y = 0, turned = 0): void {
    if (this.isPointing) this.tellPoint(performance.now());
    const number = this.grip!.want(x, y, turned);
    this.table.send({
      type: "hand",
      name,
      right: this.table.outlook.right,
      number,
      is_fine: this.isFine,
    });
    this.moved();
  }

  // -- pointer ------------------------------------------------------------------------------------------------------

  get holds(): "" | "carry" | "pull" {
    if (!this.grip || this.grip.isLaid || this.table.isPaused || this.table.line.state !== "open") return "";
    return this.grip.isPulling ? "pull" : "carry";
  }

  canTake(x: number, y: number, isTouch: boolean): boolean {
    return this.table.takes(x, y, isTouch, false);
  }

  take(x: number, y: number, isTouch: boolean): void {
    this.isDragged = this.table.takes(x, y, isTouch, true);
  }

  // On a brick that is drawn: a nudge.
  tap(x: number, y: number, isTouch: boolean): void {
    if (this.holds === "pull") this.press("tap");
    else this.table.tap(x, y, isTouch);
  }

  hover(x: number, y: number): void {
    this.table.hover(x, y);
  }

  point(x: number, y: number): void {
    const grip = this.grip;
    if (!grip || grip.isPulling) return;
    const { outlook } = this.table,
      { eye } = outlook.camera,
      ray = outlook.ray(x, y),
      before = this.pointed,
      { goal } = grip,
      height = this.landing?.pose ? this.landing.pose[2] - this.landing.low : goal[2];
    // heights of the picture, as the window has them
    this.pointed = { ray, at: [(x * innerWidth) / innerHeight / 2, y / 2] };
    const place = onPlane(eye, ray, height),
      from = before ? onPlane(eye, before.ray, height) : this.isFine ? place : goal;
    this.isPointing = true;
    if (place && from) grip.want(this.share * (place[0] - from[0]), this.share * (place[1] - from[1]));
    else grip.want();
    this.moved();
  }

  drag(from: [number, number], to: [number, number]): void {
    const grip = this.grip;
    if (!grip) return;
    // over the plane in which the piece is
    const { outlook } = this.table,
      [a, b] = [from, to].map((at) => onPlane(outlook.camera.eye, outlook.ray(...at), grip.goal[2]));
    if (!a || !b) return;
    this.carry(b, a);
  }

  // So far as from one place to another.
  private carry(to: [number, number], from = this.grip!.goal): void {
    const by: [number, number] = [to[0] - from[0], to[1] - from[1]];
    const { right } = this.table.outlook;
    this.table.send({ type: "shift", by, right, number: this.grip!.want(...by), is_free: this.isFree });
    this.moved();
  }

  rest(): void {
    if (this.grip?.isPulling) this.press("rest");
  }

  // What is let go of in passing is laid only where the coach has said that it may be; where it has said that it may
  // not, that has to be wanted twice.
  lay(isPassing = false): void {
    const grip = this.grip;
    this.isDragged = false;
    if (!grip || grip.isPulling || grip.isLaid) return;
    const word = this.coached?.verdict,
      isBad = word === "topples" || word === "forbidden";
    if (isPassing ? !word || isBad : isBad && this.heeded !== this.coached) {
      if (!isPassing) this.heeded = this.coached;
      this.table.desk.toast(
        isBad && !isPassing ? "Lay it once more to do so all the same." : "Not laid yet: lay it with Lay.",
      );
      return;
    }
    this.press("lay");
    grip.isLaid = true;
    this.tell();
  }

  spin(degrees: number): void {
    if (!this.grip || this.grip.isPulling) return;
    this.table.send({ type: "spin", degrees, number: this.grip.want(0, 0, degrees) });
    this.moved();
  }

  raise(notches: number): void {
    if (this.grip && !this.grip.isPulling) this.press(notches > 0 ? "lift" : "lower");
  }

  // -- buttons and keys ---------------------------------------------------------------------------------------------

  // Returns whether that is something the hand does.
  act(name: string): boolean {
    const grip = this.grip;
    if (name === "fine" || name === "free") {
      if (!this.table.send({ type: "press", name })) return true;
      if (name === "fine") this.isFine = !this.isFine;
      else this.isFree = !this.isFree;
      return true;
    }
    if (name === "ghost") {
      this.showsGhost = !this.showsGhost;
      return true;
    }
    if (!grip || grip.isLaid) return false;
    if (name === "lay") this.lay();
    else if (HANDS.split(" ").includes(name)) {
      const [x, y] = this.table.outlook.right,
        step = NUDGE * this.share,
        [a, b] = MOVES[name] ?? [0, 0];
      this.press(
        name as HandAct["name"],
        step * (a * x - b * y),
        step * (a * y + b * x),
        STEP * this.share * (SPINS[name] ?? 0),
      );
    } else return false;
    return true;
  }
}

// Metres on the level.
const apart = (one: number[], other: number[]): number => Math.hypot(one[0] - other[0], one[1] - other[1]);
