// The wish of one's own hand for the piece it holds, as far as the server has not answered yet, and where that piece is
// drawn: at once where it is wanted, as fast as a hand goes, and where it truly is when that is another place after all.

import type { Triple } from "./data";
import { about, after, angle, mixed, type Quaternion } from "./maths";
import { LAG, MAGNET, RISE_FIRST, SPEED, TURNING, type Landing, type Pose } from "./protocol";

const SETTLE_S = 0.35; // beyond a round trip, after which the truth is shown
const BLEND_S = 0.08;

type Wish = [x: number, y: number, turned: number]; // metres and degrees since it was taken

export class Grip {
  isLaid = false;
  private wish: Wish = [0, 0, 0];
  private readonly wishes = new Map<number, Wish>(); // by number, those that are not answered
  private heard: Wish = [0, 0, 0]; // that the server has answered last
  private answer: Pose; // where the piece goes, by that
  private turns = 0;
  private slots: number[][] = []; // places that draw it in
  private own: number[]; // where the piece is drawn, as far as it is the hand's to say
  private weight = 0; // of the own place over the true one
  private quiet = 10; // seconds since it was last wanted elsewhere

  constructor(
    readonly body: number,
    readonly isPulling: boolean,
    readonly start: number[],
    public number: number, // of the last message about it
  ) {
    this.answer = [...start];
    this.own = [...start];
  }

  // Where it goes, as far as is known here.
  get goal(): number[] {
    const [x, y, turned] = this.wish.map((value, k) => value - this.heard[k]),
      turn = after(about([0, 0, 1], (turned * Math.PI) / 180), this.answer.slice(3) as Quaternion);
    const [a, b] = [this.answer[0] + x, this.answer[1] + y],
      slot = this.slots.find((each) => Math.hypot(each[0] - a, each[1] - b) < MAGNET);
    return [...(slot ? slot.slice(0, 2) : [a, b]), this.answer[2], ...turn];
  }

  get turned(): number {
    return this.turns + this.wish[2] - this.heard[2];
  }

  // One more message: the piece shall go on by so much. Returns its number.
  want(x = 0, y = 0, turned = 0): number {
    this.wish = [this.wish[0] + x, this.wish[1] + y, this.wish[2] + turned];
    this.wishes.set(++this.number, this.wish);
    this.quiet = 0;
    return this.number;
  }

  hear({ number, goal, turned, slots }: Landing): void {
    this.slots = slots;
    this.heard = this.wishes.get(number) ?? (number >= this.number ? this.wish : this.heard);
    for (const old of this.wishes.keys()) if (old <= number) this.wishes.delete(old);
    [this.answer, this.turns] = [goal, turned];
    this.quiet = 0;
  }

  // What was sent is lost, or was refused: it goes where the server has it.
  forget(): void {
    this.wishes.clear();
    this.heard = this.wish;
  }

  // Whether something that was sent has no answer yet.
  get isWaiting(): boolean {
    return this.wishes.size > 0;
  }

  // Where the piece is drawn now. truth: where the server has it.
  shown(truth: number[], roundTrip: number, seconds: number): { pose: number[]; isMoving: boolean } {
    const goal = this.goal,
      arrived = distance(this.own, goal) < 5e-4 && angle(this.own, goal, 3) < 0.01;
    if (arrived) this.quiet += seconds;
    const isOwn = !this.isPulling && !this.isLaid && (this.isWaiting || this.quiet < roundTrip + SETTLE_S);
    if (isOwn) this.follow(goal, seconds);
    else if (this.weight < 0.01) this.own = [...truth];
    const before = this.weight;
    this.weight += ((isOwn ? 1 : 0) - this.weight) * (1 - Math.exp(-seconds / BLEND_S));
    if (this.weight < 0.01 && !isOwn) this.weight = 0;
    const pose = this.weight ? mixed(truth, this.own, this.weight) : truth;
    return { pose, isMoving: !arrived || before !== this.weight };
  }

  private follow(goal: number[], seconds: number): void {
    const off = [0, 1, 2].map((k) => goal[k] - this.own[k]);
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
    const left = angle(this.own, goal, 3);
    const turn = left < 1e-4 ? 1 : Math.min(part * eager, (TURNING * seconds) / left);
    const turned = mixed(this.own, goal, 0, turn);
    this.own = [...[0, 1, 2].map((k) => this.own[k] + share * off[k]), ...turned.slice(3)];
    // going on so slowly that nobody sees it
    if (distance(this.own, goal) < 2e-5 && left < 1e-3) this.own = [...goal];
  }
}

export const poseOf = (poses: Float32Array, n: number): Pose => [...poses.subarray(7 * n, 7 * n + 7)];

// Where a ray meets a level plane.
export function onPlane(eye: Triple, ray: Triple, height: number): [number, number] | null {
  const far = (height - eye[2]) / ray[2];
  return far > 0 && far < 10 ? [eye[0] + far * ray[0], eye[1] + far * ray[1]] : null;
}

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
