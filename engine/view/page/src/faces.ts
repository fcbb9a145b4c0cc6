// On which faces a piece can stand, found from its mesh.

import type { Triple } from "./data";
import { add, cross, dot, length, minus } from "./maths";
import type { Shape } from "./props";

const STANDS = 0.14; // radians by which a piece can be tilted on a face on which it stands
const FLAT = 2e-4; // metres within which points lie in one face
const SAME = 0.985; // cosine of the angle within which a face is another one, and its rounded edge

// The directions of a piece that may be down when it stands, as seen from it, the one on which it lies lowest first.
export function faces({ points, corners }: Shape): Triple[] {
  const corner = (n: number): Triple => [points[3 * n], points[3 * n + 1], points[3 * n + 2]];
  let middle: Triple = [0, 0, 0],
    volume = 0;
  const sides: { down: Triple; level: number; area: number }[] = [];
  for (let t = 0; t < corners.length; t += 3) {
    const [a, b, c] = [corner(corners[t]), corner(corners[t + 1]), corner(corners[t + 2])];
    const part = dot(a, cross(b, c)),
      across = cross(minus(b, a), minus(c, a)),
      area = length(across);
    volume += part;
    middle = add(middle, add(add(a, b), c), part / 4);
    if (area < 1e-10) continue;
    const down: Triple = [across[0] / area, across[1] / area, across[2] / area],
      known = sides.find((each) => dot(each.down, down) > 0.99999);
    if (known) known.area += area;
    else sides.push({ down, level: dot(a, down), area });
  }
  middle = [middle[0] / volume, middle[1] / volume, middle[2] / volume];
  const found: { down: Triple; height: number }[] = [];
  // a flat face before the slivers of its rounded edges
  for (const { down, level } of sides.sort((a, b) => b.area - a.area)) {
    if (found.some((each) => dot(each.down, down) > SAME)) continue;
    const lying: Triple[] = [];
    let isOutside = true;
    for (let n = 0; isOutside && n < points.length / 3; ++n) {
      const point = corner(n),
        above = level - dot(point, down);
      isOutside = above > -FLAT;
      if (above < FLAT) lying.push(point);
    }
    const height = level - dot(middle, down);
    if (isOutside && leeway(lying, middle, down) > height * Math.tan(STANDS)) found.push({ down, height });
  }
  return found.sort((a, b) => a.height - b.height).map((each) => each.down);
}

// How far inside of the hull of points a place is, seen along a direction; negative outside.
function leeway(points: Triple[], place: Triple, down: Triple): number {
  const u = cross(down, Math.abs(down[2]) > 0.7 ? [1, 0, 0] : [0, 0, 1]),
    v = cross(down, u),
    size = length(u);
  const flat = points.map((point): [number, number] => {
    const off = minus(point, place);
    return [dot(off, u) / size, dot(off, v) / size];
  });
  // the nearest of its supporting lines, of so many directions
  let least = Infinity;
  for (let n = 0; n < 72; ++n) {
    const [c, s] = [Math.cos((n * Math.PI) / 36), Math.sin((n * Math.PI) / 36)];
    const reach = flat.reduce((most, [a, b]) => Math.max(most, c * a + s * b), -Infinity);
    least = Math.min(least, reach);
  }
  return least;
}
