// An eye that goes over to another place without a jump: a spring without swing, around what it looks at.

import type { Triple } from "./data";
import { STILL } from "./dom";
import { add, length, minus, type Camera } from "./maths";

const STIFF = 5; // a second: half of the way takes 0.4 s
const NEAR = [3e-4, 3e-4, 3e-4, 3e-3, 1e-3, 1e-3, 0.05];

export class Glide {
  rests = false; // it has arrived
  private at: number[] | null = null;
  private speed: number[] = [];

  stop(): void {
    this.at = null;
  }

  // Goes on from a camera, where it begins, to another one. Returns where it is then.
  step(elapsed: number, from: Camera, to: Camera): Camera {
    const goal = row(to);
    if (matchMedia(STILL).matches) {
      this.rests = true;
      return to;
    }
    if (!this.at) [this.at, this.speed] = [row(from), goal.map(() => 0)];
    const { at, speed } = this;
    goal[4] = at[4] + Math.atan2(Math.sin(goal[4] - at[4]), Math.cos(goal[4] - at[4]));
    const count = Math.max(1, Math.ceil(elapsed / 0.02));
    for (let n = 0; n < count; ++n)
      for (let k = 0; k < 7; ++k) {
        speed[k] += ((STIFF * STIFF * (goal[k] - at[k]) - 2 * STIFF * speed[k]) * elapsed) / count;
        at[k] += (speed[k] * elapsed) / count;
      }
    this.rests = goal.every((value, k) => Math.abs(value - at[k]) < NEAR[k]);
    return camera(at);
  }
}

// By how much two cameras see another picture, in parts of it.
export function apart(a: Camera, b: Camera): number {
  const [one, other] = [row(a), row(b)],
    high = 2 * Math.exp(one[3]);
  return Math.hypot(...minus(a.target, b.target)) / high + Math.abs(one[3] - other[3]);
}

// Target, logarithm of the half height that is seen there, azimuth, elevation, field of view.
function row({ eye, target, fov }: Camera): number[] {
  const off = minus(eye, target),
    away = length(off);
  return [
    ...target,
    Math.log(away * Math.tan((fov * Math.PI) / 360)),
    Math.atan2(off[1], off[0]),
    Math.asin(off[2] / away),
    fov,
  ];
}

function camera([x, y, z, size, around, up, fov]: number[]): Camera {
  const away = Math.exp(size) / Math.tan((fov * Math.PI) / 360),
    level = away * Math.cos(up),
    target: Triple = [x, y, z];
  const off: Triple = [level * Math.cos(around), level * Math.sin(around), away * Math.sin(up)];
  return { eye: add(target, off), target, fov };
}
