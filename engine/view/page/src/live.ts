// Where everything is, from pictures that come some thirty times a second and not evenly: drawn is what lies between.

import { mixed } from "./maths";

const SPAN_MS = 45; // in which a body goes where the last picture has it
const JUMP = 0.15; // metres from which a body was put there, and did not go
const ROW = 2 + 7 * 4; // bytes

export class Live {
  step = 0;
  poses = new Float32Array(0); // drawn, seven numbers a body
  truth = new Float32Array(0); // the last that came
  seen = new Uint8Array(0);
  private from = new Float32Array(0);
  private begun = new Float64Array(0);
  private readonly going = new Set<number>();
  private known = new Uint8Array(0);
  private wanted = new Set<number>();

  grow(count: number): void {
    const longer = <T extends Float32Array | Float64Array | Uint8Array>(made: T, old: T): T => {
      made.set(old as never);
      return made;
    };
    this.poses = longer(new Float32Array(7 * count), this.poses);
    this.truth = longer(new Float32Array(7 * count), this.truth);
    this.from = longer(new Float32Array(7 * count), this.from);
    this.begun = longer(new Float64Array(count), this.begun);
    this.seen = longer(new Uint8Array(count), this.seen);
    this.known = longer(new Uint8Array(count), this.known);
  }

  // Everything is told anew.
  forget(): void {
    this.seen.fill(0);
    this.known.fill(0);
    this.going.clear();
    this.wanted.clear();
  }

  isKnown(n: number): boolean {
    return this.known[n] === 1;
  }

  show(shown: number[]): void {
    if (shown.length === this.wanted.size && shown.every((n) => this.wanted.has(n))) return;
    this.seen.fill(0);
    for (const n of shown) if (n < this.seen.length) this.seen[n] = this.known[n];
    this.wanted = new Set(shown);
  }

  // u32 step; then u16 number and seven f32 for each body that has moved, all little endian.
  // first: the number here of the server's first body.
  take(rows: DataView, now: number, first: number): number[] {
    this.step = rows.getUint32(0, true);
    const moved: number[] = [];
    for (let at = 4; at + ROW <= rows.byteLength; at += ROW) {
      const n = first + rows.getUint16(at, true);
      if (7 * n + 7 > this.truth.length) continue;
      for (let k = 0; k < 7; ++k) this.truth[7 * n + k] = rows.getFloat32(at + 2 + 4 * k, true);
      const away = Math.hypot(...[0, 1, 2].map((k) => this.truth[7 * n + k] - this.poses[7 * n + k]));
      if (!this.known[n] || !this.seen[n] || away > JUMP) {
        this.poses.set(this.truth.subarray(7 * n, 7 * n + 7), 7 * n);
        this.going.delete(n);
      } else {
        this.from.set(this.poses.subarray(7 * n, 7 * n + 7), 7 * n);
        this.begun[n] = now;
        this.going.add(n);
      }
      if (!this.known[n]) {
        this.known[n] = 1;
        if (this.wanted.has(n)) this.seen[n] = 1;
      }
      moved.push(n);
    }
    return moved;
  }

  // Goes on. Returns whether anything is drawn elsewhere now.
  follow(now: number): boolean {
    const moves = this.going.size > 0;
    for (const n of this.going) {
      const part = Math.min((now - this.begun[n]) / SPAN_MS, 1);
      const own = this.truth.subarray(7 * n, 7 * n + 7);
      this.poses.set(part < 1 ? mixed(this.from.subarray(7 * n, 7 * n + 7), own, part) : own, 7 * n);
      if (part >= 1) this.going.delete(n);
    }
    return moves;
  }
}
