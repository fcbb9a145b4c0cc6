// What a piece may be laid on, as a map of heights seen from above, and what a ray from the eye meets.

import type { Triple } from "./data";
import { back, cross, dot, length, minus, placed, rotated, type Matrix, type Quaternion } from "./maths";
import type { Props, Shape } from "./props";

const CELL = 0.0015; // metres
const MARGIN = 0.05; // beyond the table's edge
const RAY_STEP = 0.003; // metres of height between two looks along a ray
const ABYSS = -Infinity;

// What a piece covers, in cells around its middle, and how far below the middle each of them begins.
interface Underside {
  across: Int16Array;
  along: Int16Array;
  below: Float32Array;
  low: number; // the lowest point of all, metres below the middle
}

export class Ground {
  top = 0;
  private readonly wide: number;
  private readonly deep: number;
  private readonly x: number;
  private readonly y: number;
  private readonly cells: Float32Array;
  private readonly undersides = new Map<string, Underside>();

  // skip: what is no ground, as the piece in the hand.
  constructor(
    private readonly props: Props,
    poses: Float32Array,
    seen: Uint8Array,
    skip: number,
  ) {
    const { table, bodies } = props;
    const half = table < 0 ? [1, 1] : bodies[table].extents.map((side) => side / 2 + MARGIN);
    const [x, y] = table < 0 ? [0, 0] : [poses[7 * table], poses[7 * table + 1]];
    this.x = x - half[0];
    this.y = y - half[1];
    this.wide = Math.ceil((2 * half[0]) / CELL);
    this.deep = Math.ceil((2 * half[1]) / CELL);
    this.cells = new Float32Array(this.wide * this.deep).fill(ABYSS);
    const matrix: Matrix = new Float32Array(16);
    bodies.forEach((body, n) => {
      if (!seen[n] || n === skip) return;
      placed(matrix, poses, 7 * n);
      if (n !== table) this.raise(props.shapes[body.mesh], matrix);
      else this.level(matrix[12], matrix[13], matrix[14] + body.extents[2] / 2, body.extents);
    });
  }

  private level(x: number, y: number, z: number, [width, depth]: Triple): void {
    const near = (at: number, from: number, most: number): number =>
      Math.min(Math.max(Math.round((at - from) / CELL), 0), most);
    const [i0, i1] = [near(x - width / 2, this.x, this.wide), near(x + width / 2, this.x, this.wide)];
    const [j0, j1] = [near(y - depth / 2, this.y, this.deep), near(y + depth / 2, this.y, this.deep)];
    for (let j = j0; j < j1; ++j) this.cells.fill(z, j * this.wide + i0, j * this.wide + i1);
    this.top = Math.max(this.top, z);
  }

  private raise(shape: Shape, matrix: Matrix): void {
    cover(shape, matrix, this.x, this.y, (i, j, z) => {
      if (i < 0 || j < 0 || i >= this.wide || j >= this.deep) return;
      const at = j * this.wide + i;
      if (z > this.cells[at]) this.cells[at] = z;
      if (z > this.top) this.top = z;
    });
  }

  underside(body: number, turn: Quaternion): Underside {
    const key = `${body} ${turn.map((value) => value.toFixed(4)).join(" ")}`;
    const known = this.undersides.get(key);
    if (known) return known;
    const found = new Map<number, number>();
    cover(
      this.props.shapes[this.props.bodies[body].mesh],
      placed(new Float32Array(16), [0, 0, 0, ...turn]),
      0,
      0,
      (i, j, z) => {
        const at = (j + 4096) * 8192 + i + 4096;
        found.set(at, Math.min(found.get(at) ?? Infinity, z));
      },
    );
    const cells = [...found];
    const made = {
      across: Int16Array.from(cells, ([at]) => (at % 8192) - 4096),
      along: Int16Array.from(cells, ([at]) => Math.floor(at / 8192) - 4096),
      below: Float32Array.from(cells, ([, z]) => z),
      low: -cells.reduce((least, [, z]) => Math.min(least, z), 0),
    };
    if (this.undersides.size > 24) this.undersides.clear();
    this.undersides.set(key, made);
    return made;
  }

  // The height at which the middle of a piece hangs when it meets what is below; -Infinity over nothing.
  landing(under: Underside, x: number, y: number): number {
    const [i, j] = [Math.floor((x - this.x) / CELL), Math.floor((y - this.y) / CELL)];
    let highest = ABYSS;
    for (let n = 0; n < under.below.length; ++n) {
      const [a, b] = [i + under.across[n], j + under.along[n]];
      if (a < 0 || b < 0 || a >= this.wide || b >= this.deep) continue;
      const own = this.cells[b * this.wide + a] - under.below[n];
      if (own > highest) highest = own;
    }
    return highest;
  }

  // The greatest landing on the straight way from one place to another.
  over(under: Underside, from: ArrayLike<number>, x: number, y: number): number {
    const away = Math.hypot(x - from[0], y - from[1]),
      looks = Math.min(Math.ceil(away / (3 * CELL)), 80);
    let highest = this.landing(under, x, y);
    for (let n = 0; n < looks; ++n) {
      const part = n / looks;
      highest = Math.max(
        highest,
        this.landing(under, from[0] + part * (x - from[0]), from[1] + part * (y - from[1])),
      );
    }
    return highest;
  }

  // Where a piece stands, x and y, whose underside a ray meets: the first place on its way down.
  pointed(under: Underside, eye: Triple, ray: Triple): [number, number] | null {
    if (ray[2] > -1e-3) return null;
    const place = (height: number): [number, number] => {
      const far = (height - eye[2]) / ray[2];
      return [eye[0] + far * ray[0], eye[1] + far * ray[1]];
    };
    const meets = (height: number): boolean =>
      this.landing(under, ...place(height)) - under.low >= height - 1e-4;
    let above = this.top + 1e-3;
    for (let below = above - RAY_STEP; below > 0; below -= RAY_STEP) {
      if (meets(below)) {
        for (let n = 0; n < 4; ++n) {
          const middle = (above + below) / 2;
          if (meets(middle)) below = middle;
          else above = middle;
        }
        return place(below);
      }
      above = below;
    }
    return place(0);
  }
}

// Calls for every cell that a shape covers, seen from above or below, with the height there.
function cover(
  { points, corners }: Shape,
  matrix: Matrix,
  x0: number,
  y0: number,
  call: (i: number, j: number, z: number) => void,
): void {
  const count = points.length / 3,
    moved = new Float32Array(points.length);
  for (let n = 0; n < count; ++n) {
    const [x, y, z] = [points[3 * n], points[3 * n + 1], points[3 * n + 2]];
    moved[3 * n] = (matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12] - x0) / CELL - 0.5;
    moved[3 * n + 1] = (matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13] - y0) / CELL - 0.5;
    moved[3 * n + 2] = matrix[2] * x + matrix[6] * y + matrix[10] * z + matrix[14];
  }
  for (let t = 0; t < corners.length; t += 3) {
    const [a, b, c] = [3 * corners[t], 3 * corners[t + 1], 3 * corners[t + 2]];
    const [ax, ay, az] = [moved[a], moved[a + 1], moved[a + 2]];
    const [ux, uy, uz] = [moved[b] - ax, moved[b + 1] - ay, moved[b + 2] - az];
    const [vx, vy, vz] = [moved[c] - ax, moved[c + 1] - ay, moved[c + 2] - az];
    const area = ux * vy - uy * vx;
    if (Math.abs(area) < 1e-9) continue;
    const i1 = Math.floor(Math.max(ax, ax + ux, ax + vx)),
      j1 = Math.floor(Math.max(ay, ay + uy, ay + vy));
    for (let j = Math.ceil(Math.min(ay, ay + uy, ay + vy)); j <= j1; ++j)
      for (let i = Math.ceil(Math.min(ax, ax + ux, ax + vx)); i <= i1; ++i) {
        const s = ((i - ax) * vy - (j - ay) * vx) / area,
          r = ((j - ay) * ux - (i - ax) * uy) / area;
        if (s >= -1e-6 && r >= -1e-6 && s + r <= 1 + 1e-6) call(i, j, az + s * uz + r * vz);
      }
  }
}

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
