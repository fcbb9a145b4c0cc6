// One's own hand at the table: what pointer, keys and buttons want of the held piece, and how it is drawn.

import type { Reach } from "./fingers";
import { faces } from "./faces";
import { Ground } from "./ground";
import { Grip, poseOf } from "./grip";
import { guides, INKS, MINE } from "./guides";
import type { Overlay } from "./marks";
import type { Coached, Landing, Pose, TableNews, Turn } from "./messages";
import type { Table } from "./table";

const AIMS_MS = 33; // between two aims
const NUDGE = 0.005; // metres
const TURN = 15; // degrees
const FINE = 0.2; // of a step, in fine mode
const LANDS = { free: "It can be lowered there", nothing: "Nothing is below it" };
const RESTING_S = 0.4; // the hand is still for so long before the coach is asked
const OVER_EDGE = 0.05; // metres beyond the table to which a hand goes

export class Hand implements Reach {
  grip: Grip | null = null;
  private isFine = false;
  private landing: Landing | null = null;
  private coached: Coached | null = null;
  private isCoached = false; // the coach was asked
  private still = 0; // seconds for which the hand has not moved
  private places: Pose[] | null = null;
  private placeAt = -1;
  private force = 0;
  private heard = 0; // the last aim the server has taken in
  private sent = 0;
  private sentAt = 0;
  drawn: number[] | null = null; // where the held piece is seen
  private ground: { at: number; map: Ground } | null = null;
  private pulled: [number, number] = [0, 0];
  private owesLay = false;

  constructor(private readonly table: Table) {}

  // Takes note of what the hand holds now.
  follow(news: TableNews, turn: Turn | null): void {
    const isMine = turn?.mine && news.mine && (turn.wait === "hand" || turn.wait === "pull");
    this.force = news.force;
    this.heard = news.number;
    if (!isMine || news.held < 0 || !this.table.live.isKnown(news.held)) {
      this.grip = this.drawn = null;
      this.tell();
      return;
    }
    const isPulling = turn.wait === "pull",
      { props } = this.table.stage,
      wasHeld = this.grip?.body === news.held;
    if (wasHeld && this.grip?.isPulling === isPulling) {
      this.tell();
      return;
    }
    const shape = props.shapes[props.bodies[news.held].mesh];
    this.grip = new Grip(news.held, isPulling, poseOf(this.table.live.truth, news.held), faces(shape));
    this.grip.number = this.sent = Math.max(news.number, this.sent);
    this.landing = this.coached = this.places = this.ground = null;
    this.isCoached = false;
    this.placeAt = -1;
    this.pulled = [0, 0];
    // a piece just pulled out stays where it is until the hand moves: what it came from may still be above it
    if (!isPulling && !wasHeld) this.go(this.grip.goal[0], this.grip.goal[1]);
    if (this.owesLay) this.lay();
    this.owesLay = false;
    this.tell();
  }

  // The line is new, or an order was refused: what was wanted is wanted again.
  again(): void {
    if (this.grip) this.grip.isLaid = false;
    this.isCoached = false;
    if (this.table.isOpen) this.sent = Math.min(this.sent, this.heard);
  }

  hear(news: Landing | Coached | { type: "places"; poses: Pose[] }): void {
    if (news.type === "landing") this.landing = news;
    else if (news.type === "coached") {
      // what is said of a place that the hand has left is of no use
      if (news.number >= 0 && news.number < (this.grip?.number ?? 0)) return;
      [this.coached, this.isCoached] = [news, false];
    } else {
      this.places = news.poses;
      this.placeAt = -1;
      if (news.poses.length) this.showPlace();
    }
    this.tell();
  }

  // Returns whether the picture changes.
  step(seconds: number, now: number): boolean {
    const grip = this.grip;
    if (!grip) return false;
    const truth = poseOf(this.table.live.poses, grip.body);
    const { pose, isMoving } = grip.shown(truth, this.heard, this.table.roundTrip, seconds);
    this.drawn = pose;
    if (grip.number > this.sent && now - this.sentAt > AIMS_MS && !grip.isLaid) this.aim(now);
    this.still += seconds;
    const isFree = this.landing?.verdict === "free" && !this.isOld && !grip.isLaid;
    if (isFree && this.still > RESTING_S && !this.coached && !this.isCoached) this.askCoach();
    return isMoving;
  }

  private askCoach(): void {
    this.table.send({ type: "coach" });
    this.isCoached = true;
    this.tell();
  }

  private aim(now: number): void {
    const grip = this.grip!;
    [this.sent, this.sentAt] = [grip.number, now];
    this.table.send({ type: "aim", pose: grip.goal, number: grip.number });
  }

  // Poses with the held piece where one's own hand has it.
  posed(poses: Float32Array): Float32Array {
    if (!this.grip || !this.drawn) return poses;
    const own = poses.slice();
    own.set(this.drawn, 7 * this.grip.body);
    return own;
  }

  private get isOld(): boolean {
    return !this.coached && (!this.landing || !this.grip || this.landing.number < this.grip.number);
  }

  private get verdict(): string {
    return this.coached?.verdict ?? this.landing?.verdict ?? "nothing";
  }

  get ink(): number[] {
    return this.isOld ? MINE : [...INKS[this.verdict].slice(0, 3), 1];
  }

  guides(): Overlay[] {
    if (!this.grip || this.grip.isPulling || this.grip.isLaid || !this.drawn) return [];
    const ghost =
      !this.isOld && this.landing?.pose ? { pose: this.landing.pose, ink: INKS[this.verdict] } : null;
    const { low } = this.map().underside(this.grip.body, this.grip.turn);
    return guides(this.table.stage, this.grip.body, this.drawn, this.grip.landing - low, low, ghost);
  }

  private tell(): void {
    const { grip, places } = this,
      { desk } = this.table;
    if (!grip) {
      desk.hand.show(null);
      return;
    }
    const where = grip.isPulling
      ? `The hand pulls with ${this.force.toFixed(1)} N`
      : `${Math.round(1000 * grip.gap)} mm above its place, turned ${Math.round(grip.turned)}°`;
    const named = places?.length ? `Place ${this.placeAt + 1} of ${places.length}` : "No place known";
    desk.hand.show({
      isPulling: grip.isPulling,
      isLaid: grip.isLaid,
      where,
      places: places === null ? "Show places" : named,
      isFine: this.isFine,
    });
    if (this.isCoached) desk.hand.judge("The coach looks ...", "");
    else if (this.coached) desk.hand.judge(this.coached.sentence, this.coached.verdict);
    else if (this.landing && !this.isOld)
      desk.hand.judge(
        [this.landing.clause, this.landing.sentence || LANDS[this.landing.verdict]]
          .filter(Boolean)
          .join("  "),
        this.landing.verdict,
      );
    else desk.hand.judge("", "");
  }

  // -- moving it ----------------------------------------------------------------------------------------------------

  private map(): Ground {
    const { live, stage } = this.table;
    if (!this.ground || (this.ground.at !== live.settled && !live.isMoving))
      this.ground = {
        at: live.settled,
        map: new Ground(stage.props, live.truth, live.seen, this.grip?.body ?? -1),
      };
    return this.ground.map;
  }

  private go(x: number, y: number): void {
    const grip = this.grip!,
      { props } = this.table.stage,
      { truth } = this.table.live;
    if (props.table >= 0) {
      const [a, b] = props.bodies[props.table].extents,
        at = 7 * props.table;
      const near = (value: number, middle: number, half: number): number =>
        Math.min(Math.max(value, middle - half), middle + half);
      x = near(x, truth[at], a / 2 + OVER_EDGE);
      y = near(y, truth[at + 1], b / 2 + OVER_EDGE);
    }
    grip.to(x, y, this.map(), this.drawn ?? poseOf(truth, grip.body));
    this.moved();
  }

  private moved(): void {
    this.coached = null;
    this.isCoached = false;
    this.still = 0;
    this.tell();
    this.table.touch();
  }

  // -- pointer ------------------------------------------------------------------------------------------------------

  get holds(): "" | "carry" | "pull" {
    if (!this.grip || this.grip.isLaid || !this.table.isOpen) return "";
    return this.grip.isPulling ? "pull" : "carry";
  }

  canTake(x: number, y: number, isTouch: boolean): boolean {
    return this.table.takes(x, y, isTouch, false);
  }

  take(x: number, y: number, isTouch: boolean): void {
    this.table.takes(x, y, isTouch, true);
  }

  tap(x: number, y: number, isTouch: boolean): void {
    this.table.tap(x, y, isTouch);
  }

  hover(x: number, y: number): void {
    this.table.hover(x, y);
  }

  point(x: number, y: number): void {
    const grip = this.grip;
    if (!grip || grip.isPulling) return;
    const under = this.map().underside(grip.body, grip.turn);
    const place = this.map().pointed(under, this.table.eye, this.table.ray(x, y));
    if (place) this.go(...place);
  }

  drag(from: [number, number], to: [number, number]): void {
    const grip = this.grip;
    if (!grip) return;
    // over the plane in which the piece is
    const place = ([x, y]: [number, number]): [number, number] | null => {
      const ray = this.table.ray(x, y),
        eye = this.table.eye,
        far = (grip.goal[2] - eye[2]) / ray[2];
      return far > 0 && far < 10 ? [eye[0] + far * ray[0], eye[1] + far * ray[1]] : null;
    };
    const [a, b] = [place(from), place(to)];
    if (!a || !b) return;
    this.shift(b[0] - a[0], b[1] - a[1]);
  }

  private shift(x: number, y: number): void {
    const grip = this.grip!;
    if (!grip.isPulling) {
      this.go(grip.goal[0] + x, grip.goal[1] + y);
      return;
    }
    this.pulled = [this.pulled[0] + x, this.pulled[1] + y];
    grip.draw(...this.pulled);
    this.moved();
  }

  rest(): void {
    const grip = this.grip;
    if (!grip?.isPulling) return;
    const { truth } = this.table.live,
      at = 7 * grip.body;
    this.pulled = [truth[at] - grip.start[0], truth[at + 1] - grip.start[1]];
    grip.draw(...this.pulled);
    this.moved();
  }

  lay(): void {
    const grip = this.grip;
    if (!grip) this.owesLay = true;
    else if (!grip.isPulling && !grip.isLaid) {
      if (grip.number > this.sent) this.aim(performance.now());
      this.table.send({ type: "lay", gap: null });
      grip.isLaid = true;
      this.tell();
    }
  }

  spin(degrees: number): void {
    const grip = this.grip;
    if (!grip || grip.isPulling) return;
    grip.spin(degrees);
    this.go(grip.goal[0], grip.goal[1]);
  }

  raise(notches: number): void {
    const grip = this.grip;
    if (!grip || grip.isPulling) return;
    grip.raise(NUDGE * notches * (this.isFine ? FINE : 1));
    this.go(grip.goal[0], grip.goal[1]);
  }

  // -- buttons and keys ---------------------------------------------------------------------------------------------

  // Returns whether that is something the hand does.
  act(name: string): boolean {
    const grip = this.grip;
    if (name === "fine") {
      this.isFine = !this.isFine;
      this.tell();
      return true;
    }
    if (!grip || grip.isLaid) return false;
    const share = this.isFine ? FINE : 1,
      [right, forward] = this.table.axes();
    const level = Math.hypot(right[0], right[1]),
      across: [number, number] = [right[0] / level, right[1] / level];
    const nudge = (a: number, b: number): void =>
      this.shift(
        NUDGE * share * (a * across[0] - b * across[1]),
        NUDGE * share * (a * across[1] + b * across[0]),
      );
    const acts: Record<string, () => void> = {
      left: () => nudge(-1, 0),
      right: () => nudge(1, 0),
      far: () => nudge(0, 1),
      near: () => nudge(0, -1),
      turn_left: () => this.spin(TURN * share),
      turn_right: () => this.spin(-TURN * share),
      lift: () => this.raise(1),
      lower: () => this.raise(-1),
      flip: () => {
        grip.flip();
        this.go(grip.goal[0], grip.goal[1]);
      },
      tilt: () => {
        grip.tilt([forward[0], forward[1], 0], TURN * share);
        this.go(grip.goal[0], grip.goal[1]);
      },
      lay: () => this.lay(),
      let_go: () => this.table.send({ type: "let_go" }),
      pull_out: () => this.table.send({ type: "pull_out" }),
      coach: () => {
        if (grip.number > this.sent) this.aim(performance.now());
        this.askCoach();
      },
      places: () => (this.places === null ? this.table.send({ type: "offer_places" }) : this.showPlace()),
    };
    if (grip.isPulling && ["turn_left", "turn_right", "lift", "lower", "flip", "tilt", "lay"].includes(name))
      return true;
    acts[name]?.();
    return name in acts;
  }

  // The next of the places it may be laid.
  private showPlace(): void {
    if (!this.grip || !this.places?.length) return;
    this.placeAt = (this.placeAt + 1) % this.places.length;
    const [x, y, , ...turn] = this.places[this.placeAt];
    this.grip.orient(turn);
    this.go(x, y);
  }
}
