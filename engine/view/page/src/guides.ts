// What helps a hand to see where its piece would come to lie.

import type { Triple } from "./data";
import type { Overlay } from "./marks";
import { placed } from "./maths";
import type { Stroke } from "./protocol";
import type { Stage } from "./stage";

export const MINE = [0.17, 0.48, 0.73, 1]; // the outline of what one holds, as long as nothing is known of its place
// By what is thought of a place.
export const INKS: Record<string, number[]> = {
  stands: [0.18, 0.55, 0.27, 0.5],
  free: [0.18, 0.55, 0.27, 0.5],
  unsure: [0.88, 0.6, 0.15, 0.55],
  forbidden: [0.72, 0.18, 0.1, 0.55],
  topples: [0.72, 0.18, 0.1, 0.55],
  nothing: [0.45, 0.42, 0.38, 0.35],
};
const SHADOW = [0.14, 0.1, 0.06, 0.3];
const THREAD = [0.76, 0.34, 0.1, 1];
const BETTER = [0.17, 0.48, 0.73, 0.6];
const ARROW = 0.03; // metres, at least
const FREE = [0.96, 0.94, 0.9, 0.55];
const RIM = [0.99, 0.98, 0.95]; // of a spot
const PROUD = 8e-4; // of the face, metres
const BEGUN = 1e-3; // metres that a brick has to come to be on its way
const ABOVE = 0.006; // of the piece, at which the arrow is
const RADIUS = 7e-4; // of the thread, metres
const HIGH = 0.002; // above its place, from which a thread is seen

// A ghost of where it would land, its shadow straight below, and a thread down to it. pose: where the piece is drawn.
// foot: the height on which it would stand; low: how far its lowest point is below its middle.
export function guides(
  stage: Stage,
  body: number,
  pose: number[],
  foot: number,
  low: number,
  ghost: { pose: ArrayLike<number>; ink: number[] } | null,
): Overlay[] {
  const model = stage.modelOf(body),
    found: Overlay[] = ghost ? [{ model, ...ghost, glass: 1 }] : [];
  if (!Number.isFinite(foot)) return found;
  // the piece itself, pressed flat
  const flat = placed(new Float32Array(16), pose);
  for (const k of [2, 6, 10]) flat[k] = 0;
  flat[14] = foot + 5e-4;
  found.push({ model, ink: SHADOW, matrix: flat, isDeep: true });
  const [x, y, z] = pose,
    high = z - low - foot;
  if (high > HIGH) {
    const line = [RADIUS, 0, 0, 0, 0, RADIUS, 0, 0, 0, 0, high, 0, x, y, foot + high / 2, 1];
    found.push({ model: stage.unitBox, ink: THREAD, matrix: new Float32Array(line) });
  }
  return found;
}

// A ghost in a better place, and an arrow there above it, drawn longer where the way is short.
export function towards(stage: Stage, body: number, here: number[], there: number[], low: number): Overlay[] {
  const way = [there[0] - here[0], there[1] - here[1]],
    long = Math.hypot(way[0], way[1]),
    found: Overlay[] = [{ model: stage.modelOf(body), pose: there, ink: BETTER, glass: 1 }];
  if (!long) return found;
  const [x, y] = [way[0] / long, way[1] / long],
    shaft = Math.max(long, ARROW),
    tip = [here[0] + shaft * x, here[1] + shaft * y, Math.max(here[2], there[2]) + low + ABOVE];
  return [...found, ...arrow(stage, tip, x, y, shaft, [...BETTER.slice(0, 3), 1])];
}

// Which way a brick is drawn: either, until it has begun to come. rail: its level direction, and how far its end is.
export function ways(stage: Stage, pose: number[], start: number[], [x, y, half]: number[]): Overlay[] {
  const come = (pose[0] - start[0]) * x + (pose[1] - start[1]) * y,
    far = half + 0.006 + ARROW;
  return [-1, 1]
    .filter((sign) => Math.abs(come) < BEGUN || sign * come > 0)
    .flatMap((sign) => {
      const tip = [pose[0] + sign * far * x, pose[1] + sign * far * y, pose[2]];
      return arrow(stage, tip, sign * x, sign * y, ARROW, THREAD);
    });
}

// Places that draw a piece in, as light ghosts.
export const free = (stage: Stage, body: number, slots: number[][]): Overlay[] =>
  slots.map((pose) => ({ model: stage.modelOf(body), ink: FREE, pose, glass: 1 }));

// A level arrow to a tip (x, y, z), along a unit vector.
function arrow(
  stage: Stage,
  [a, b, high]: number[],
  x: number,
  y: number,
  shaft: number,
  ink: number[],
): Overlay[] {
  // a bar from the tip backwards, along a level direction
  const bar = (u: number, v: number, size: number): Overlay => {
    const width = 0.003,
      rows = [size * u, size * v, 0, 0, -width * v, width * u, 0, 0, 0, 0, width, 0],
      middle = [a - (size * u) / 2, b - (size * v) / 2, high, 1];
    return { model: stage.unitBox, ink, matrix: new Float32Array([...rows, ...middle]) };
  };
  const half = Math.SQRT1_2;
  return [
    bar(x, y, shaft),
    bar(half * (x - y), half * (y + x), 0.3 * shaft),
    bar(half * (x + y), half * (y - x), 0.3 * shaft),
  ];
}

// Spots in the middle of a piece's faces, for what was felt: a coat of colour would hide the piece's own.
export function spots(stage: Stage, body: number, pose: number[], ink: number[]): Overlay[] {
  const { extents } = stage.props.bodies[body],
    least = Math.min(...extents);
  return [RIM, ink].flatMap((colour, within) =>
    [0, 1, 2].map((axis) => {
      const matrix = placed(new Float32Array(16), pose),
        side = (0.6 - 0.2 * within) * least;
      extents.forEach((long, k) => {
        const size = k === axis ? long + (1 + within) * PROUD : side;
        for (let j = 0; j < 3; ++j) matrix[4 * k + j] *= size;
      });
      return { model: stage.unitBox, ink: [...colour.slice(0, 3), 1], matrix, isDeep: true };
    }),
  );
}

// What is drawn on the table for good, as the areas of players; made anew only where it is another.
export class Strokes {
  overlays: Overlay[] = [];
  private key = "[]";

  keep(stage: Stage, lines: Stroke[]): void {
    const key = JSON.stringify(lines);
    if (key === this.key) return;
    this.key = key;
    this.overlays = lines.map(({ points, colour, radius, cover }) => ({
      model: stage.stroke(points, radius),
      ink: [...inkOf(colour), cover],
      isDeep: true,
    }));
  }
}

// The ink of a colour `#rrggbb`.
function inkOf(colour: string): Triple {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  return parts.map((part) => (Number.isFinite(part) ? part : 0.5)) as Triple;
}
