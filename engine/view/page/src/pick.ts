// What a ray from the eye meets.

import type { Triple } from "./data";
import { back, cross, dot, length, minus, rotated } from "./maths";
import type { Props, Shape } from "./props";

// The body that a ray from the eye meets first; -1 for none.
export function picked(
  props: Props,
  poses: Float32Array,
  seen: Uint8Array,
  eye: Triple,
  ray: Triple,
  reach = 0, // metres beside a body that count as on it, where the ray meets no other
): number {
  const size = length(ray);
  let best = -1,
    nearest = Infinity,
    beside = -1,
    least = reach;
  props.bodies.forEach((body, n) => {
    if (!seen[n] || n === props.table) return;
    const at = 7 * n,
      middle: Triple = [poses[at], poses[at + 1], poses[at + 2]];
    const off = minus(middle, eye),
      along = dot(off, ray) / size;
    const away = Math.sqrt(Math.max(dot(off, off) - along * along, 0));
    if (away > props.halves[n] + reach) return;
    const turn = back([poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]]);
    const met = hit(props.shapes[body.mesh], rotated(turn, minus(eye, middle)), rotated(turn, ray));
    if (met < nearest) [best, nearest] = [n, met];
    else if (away - Math.min(...body.extents) / 2 < least)
      [beside, least] = [n, away - Math.min(...body.extents) / 2];
  });
  return best >= 0 ? best : beside;
}

function hit({ points, corners }: Shape, eye: Triple, ray: Triple): number {
  let nearest = Infinity;
  const corner = (n: number): Triple => [points[3 * n], points[3 * n + 1], points[3 * n + 2]];
  for (let t = 0; t < corners.length; t += 3) {
    const a = corner(corners[t]),
      u = minus(corner(corners[t + 1]), a),
      v = minus(corner(corners[t + 2]), a);
    const p = cross(ray, v),
      turn = dot(u, p);
    if (Math.abs(turn) < 1e-14) continue;
    const off = minus(eye, a),
      s = dot(off, p) / turn;
    if (s < 0 || s > 1) continue;
    const q = cross(off, u),
      r = dot(ray, q) / turn;
    if (r < 0 || s + r > 1) continue;
    const far = dot(v, q) / turn;
    if (far > 0 && far < nearest) nearest = far;
  }
  return nearest;
}
