// The wish of one's own hand for the piece it holds, and where that piece is drawn: at once where it is wanted, as fast
// as a hand goes, and where it truly is when that is another place after all.

import type { Triple } from "./data";
import { about, after, angle, between, mixed, rotated, type Quaternion } from "./maths";
import type { Ground } from "./ground";
import type { Pose } from "./messages";

const AIR = 0.005; // metres below a carried piece
const CRUISE = 0.008; // more of them over what is crossed
const NEAR = 0.006; // metres from its place within which it crosses nothing more
const HIGHEST = 0.9;
const [SPEED, TURNING, LAG] = [0.6, 5, 0.05]; // of a careful hand: m/s, rad/s, s
const RISE_FIRST = 0.0015;
const SETTLE_S = 0.35; // beyond a round trip, after which the truth is shown
const BLEND_S = 0.08;

export class Grip {
  goal: number[];
  lift = 0;
  turned = 0; // degrees since it was taken
  landing = -Infinity;
  number = 0; // of the last aim
  isLaid = false;
  private base: Quaternion;
  private own: number[]; // where the piece is drawn, as far as it is the hand's to say
  private weight = 0; // of the own place over the true one
  private quiet = 0; // seconds since it was last wanted elsewhere
  private face = -1;

  constructor(
    readonly body: number,
    readonly isPulling: boolean,
    readonly start: number[],
    private readonly faces: Triple[],
  ) {
    this.goal = [...start];
    this.own = [...start];
    this.base = start.slice(3) as Quaternion;
    this.quiet = 10;
  }

  get turn(): Quaternion {
    return after(about([0, 0, 1], (this.turned * Math.PI) / 180), this.base);
  }

  get gap(): number {
    return this.landing > -1 ? Math.max(this.goal[2] - this.landing, 0) : 0;
  }

  // Over a place, at a height that clears what lies on the way. where: the piece is now.
  to(x: number, y: number, ground: Ground, where: ArrayLike<number>): void {
    const under = ground.underside(this.body, this.turn);
    this.landing = ground.landing(under, x, y);
    const highest = ground.over(under, where, x, y);
    const floor = Number.isFinite(highest) ? highest : under.low;
    const crosses =
      Math.hypot(x - where[0], y - where[1]) > NEAR &&
      (floor > this.landing + 1e-3 || floor > where[2] - 1e-3);
    const z = Math.min(floor + AIR + (crosses ? CRUISE : 0) + this.lift, HIGHEST);
    this.aim([x, y, z, ...this.turn]);
  }

  // Level, by so much from where it was taken.
  draw(x: number, y: number): void {
    this.aim([this.start[0] + x, this.start[1] + y, this.start[2], ...this.turn]);
  }

  private aim(pose: number[]): void {
    const isSame =
      Math.hypot(pose[0] - this.goal[0], pose[1] - this.goal[1], pose[2] - this.goal[2]) < 5e-5 &&
      angle(pose, this.goal, 3) < 1e-3;
    if (isSame) return;
    this.goal = pose;
    this.quiet = 0;
    ++this.number;
  }

  spin(degrees: number, step = 0): void {
    this.turned += degrees;
    if (step) this.turned = step * Math.round(this.turned / step);
  }

  // On the next face on which it stands.
  flip(): void {
    if (!this.faces.length) return;
    const turn = this.turn;
    if (this.face < 0)
      this.face = this.faces.reduce(
        (best, down, n) => (rotated(turn, down)[2] < rotated(turn, this.faces[best])[2] ? n : best),
        0,
      );
    this.face = (this.face + 1) % this.faces.length;
    const down = rotated(turn, this.faces[this.face]);
    this.orient(after(between(down, [0, 0, -1]), turn));
  }

  // About a level axis.
  tilt(axis: Triple, degrees: number): void {
    this.orient(after(about(axis, (degrees * Math.PI) / 180), this.turn));
    this.face = -1;
  }

  orient(turn: Quaternion): void {
    this.base = turn;
    this.turned = 0;
  }

  raise(metres: number): void {
    this.lift = Math.min(Math.max(this.lift + metres, 0), HIGHEST);
  }

  // Where the piece is drawn now. truth: where the server has it. heard: the last aim it has taken in.
  shown(
    truth: number[],
    heard: number,
    roundTrip: number,
    seconds: number,
  ): { pose: number[]; isMoving: boolean } {
    const arrived = distance(this.own, this.goal) < 5e-4 && angle(this.own, this.goal, 3) < 0.01;
    if (arrived) this.quiet += seconds;
    const isOwn =
      !this.isPulling && !this.isLaid && (heard < this.number || this.quiet < roundTrip + SETTLE_S);
    if (isOwn) this.follow(seconds);
    else if (this.weight < 0.01) this.own = [...truth];
    const before = this.weight;
    this.weight += ((isOwn ? 1 : 0) - this.weight) * (1 - Math.exp(-seconds / BLEND_S));
    if (this.weight < 0.01 && !isOwn) this.weight = 0;
    const pose = this.weight ? mixed(truth, this.own, this.weight) : truth;
    return { pose, isMoving: !arrived || before !== this.weight };
  }

  private follow(seconds: number): void {
    const off = [0, 1, 2].map((k) => this.goal[k] - this.own[k]);
    let eager = 1;
    if (off[2] > RISE_FIRST) {
      // over an obstacle, not through it
      eager = (RISE_FIRST / off[2]) ** 2;
      off[0] *= eager;
      off[1] *= eager;
    } else if (off[2] < 0 && Math.hypot(off[0], off[1]) > RISE_FIRST) off[2] = 0;
    const part = 1 - Math.exp(-seconds / LAG),
      far = part * Math.hypot(...off),
      most = SPEED * seconds;
    const share = far > most ? (part * most) / far : part;
    const left = angle(this.own, this.goal, 3);
    const turn = left < 1e-4 ? 1 : Math.min(part * eager, (TURNING * seconds) / left);
    const turned = mixed(this.own, this.goal, 0, turn);
    this.own = [...[0, 1, 2].map((k) => this.own[k] + share * off[k]), ...turned.slice(3)];
    // going on so slowly that nobody sees it
    if (distance(this.own, this.goal) < 2e-5 && left < 1e-3) this.own = [...this.goal];
  }
}

export const poseOf = (poses: Float32Array, n: number): Pose =>
  [...poses.subarray(7 * n, 7 * n + 7)] as unknown as Pose;

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
