// Vectors, rotations and 4 x 4 matrices by columns, as WebGL takes them. Z is up.

import type { Triple } from "./data";

export type Matrix = Float32Array;
const LEAST_M = 0.06; // from an eye to what it sees

export interface Camera {
  eye: Triple;
  target: Triple;
  fov: number;
  up?: Triple; // of the picture, where that is not the table's
}

// How a room is turned around a table, which is seen to tilt as the camera is turned too.
export interface Lean {
  turn: Quaternion;
  pivot: Triple;
}

export const add = (a: Triple, b: Triple, times = 1): Triple => [
  a[0] + times * b[0],
  a[1] + times * b[1],
  a[2] + times * b[2],
];
export const minus = (a: Triple, b: Triple): Triple => add(a, b, -1);
export const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Triple): number => Math.hypot(a[0], a[1], a[2]);
export const scaled = (a: Triple, times: number): Triple => [times * a[0], times * a[1], times * a[2]];

export function times(a: Matrix, b: Matrix): Matrix {
  const found = new Float32Array(16);
  for (let column = 0; column < 4; ++column)
    for (let row = 0; row < 4; ++row) {
      let sum = 0;
      for (let k = 0; k < 4; ++k) sum += a[4 * k + row] * b[4 * column + k];
      found[4 * column + row] = sum;
    }
  return found;
}

// The matrix of a pose: place, and rotation as a quaternion x, y, z, w of any length.
export function placed(into: Matrix, pose: ArrayLike<number>, at = 0): Matrix {
  const [x, y, z, w] = [pose[at + 3], pose[at + 4], pose[at + 5], pose[at + 6]];
  const s = 2 / (x * x + y * y + z * z + w * w);
  const rows = [
    [1 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w), 0],
    [s * (x * y - z * w), 1 - s * (x * x + z * z), s * (y * z + x * w), 0],
    [s * (x * z + y * w), s * (y * z - x * w), 1 - s * (x * x + y * y), 0],
    [pose[at], pose[at + 1], pose[at + 2], 1],
  ];
  into.set(rows.flat());
  return into;
}

// Right, forward and up of a camera; straight down, the far side of the table is up.
export function axesOf(camera: Camera): [Triple, Triple, Triple] {
  const away = minus(camera.target, camera.eye);
  const forward = scaled(away, 1 / length(away));
  const flat: Triple = camera.up
    ? cross(forward, camera.up)
    : Math.abs(forward[2]) < 0.999
      ? [forward[1], -forward[0], 0]
      : [-forward[2], 0, forward[0]];
  const right = scaled(flat, 1 / length(flat));
  return [right, forward, cross(right, forward)];
}

// From the world to a camera at an eye with these axes.
export function lookAt(eye: Triple, [right, forward, up]: [Triple, Triple, Triple]): Matrix {
  return new Float32Array(
    [
      ...[0, 1, 2].map((k) => [right[k], up[k], -forward[k], 0]),
      [-dot(right, eye), -dot(up, eye), dot(forward, eye), 1],
    ].flat(),
  );
}

export function perspective(fov: number, aspect: number, near: number, far: number): Matrix {
  const zoom = 1 / Math.tan((fov * Math.PI) / 360),
    found = scaling([zoom / aspect, zoom, (far + near) / (near - far)]);
  [found[11], found[14], found[15]] = [-1, (2 * far * near) / (near - far), 0];
  return found;
}

const scaling = ([x, y, z]: Triple): Matrix =>
  new Float32Array([x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1]);

export function moved([x, y, z]: Triple): Matrix {
  return new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]);
}

export function orthographic(half: number, near: number, far: number): Matrix {
  const found = scaling([1 / half, 1 / half, 2 / (near - far)]);
  found[14] = (far + near) / (near - far);
  return found;
}

// -- rotations: quaternions x, y, z, w ------------------------------------------------------------------------------

export type Quaternion = [number, number, number, number];

export const about = (axis: Triple, radians: number): Quaternion => {
  const s = Math.sin(radians / 2) / length(axis);
  return [s * axis[0], s * axis[1], s * axis[2], Math.cos(radians / 2)];
};
// First b, then a.
export const after = (a: Quaternion, b: Quaternion): Quaternion => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];
export const back = (q: Quaternion): Quaternion => [-q[0], -q[1], -q[2], q[3]];
export function rotated([x, y, z, w]: Quaternion, v: Triple): Triple {
  const t = scaled(cross([x, y, z], v), 2);
  return add(add(v, t, w), cross([x, y, z], t));
}
// The least rotation that takes one direction to another.
export function between(a: Triple, b: Triple): Quaternion {
  const part = dot(a, b) / (length(a) * length(b));
  if (part > 1 - 1e-9) return [0, 0, 0, 1];
  if (part < -1 + 1e-9) return about(Math.abs(a[2]) > 0.5 * length(a) ? [1, 0, 0] : [0, 0, 1], Math.PI);
  return about(cross(a, b), Math.acos(part));
}
export const angle = (a: ArrayLike<number>, b: ArrayLike<number>, from = 0): number => {
  let sum = 0;
  for (let k = 0; k < 4; ++k) sum += a[from + k] * b[from + k];
  return 2 * Math.acos(Math.min(Math.abs(sum), 1));
};
// Part of the way from one pose to another, seven numbers each.
export function mixed(a: ArrayLike<number>, b: ArrayLike<number>, part: number, turning = part): number[] {
  let sum = 0;
  for (let k = 3; k < 7; ++k) sum += a[k] * b[k];
  const sign = sum < 0 ? -1 : 1,
    found: number[] = [];
  for (let k = 0; k < 3; ++k) found.push(a[k] + part * (b[k] - a[k]));
  for (let k = 3; k < 7; ++k) found.push(a[k] + turning * (sign * b[k] - a[k]));
  const size = Math.hypot(found[3], found[4], found[5], found[6]);
  for (let k = 3; k < 7; ++k) found[k] /= size;
  return found;
}
export function leaned({ eye, target, fov }: Camera, { turn, pivot }: Lean): Camera {
  const around = (place: Triple): Triple => add(pivot, rotated(turn, minus(place, pivot)));
  return { eye: around(eye), target: around(target), fov, up: rotated(turn, [0, 0, 1]) };
}
// From an eye through a place of the picture, both from -1 to 1, right and up.
export function rayOf(camera: Camera, x: number, y: number, aspect: number): Triple {
  const [right, forward, up] = axesOf(camera),
    half = Math.tan((camera.fov * Math.PI) / 360);
  return add(add(forward, right, x * half * aspect), up, y * half);
}
// Where a place is in the picture, from -1 to 1, right and up; null behind the eye.
export function seenAt(camera: Camera, place: Triple, aspect: number): [number, number] | null {
  const [right, forward, up] = axesOf(camera),
    off = minus(place, camera.eye),
    deep = dot(off, forward),
    half = Math.tan((camera.fov * Math.PI) / 360);
  return deep > 1e-3 ? [dot(off, right) / deep / half / aspect, dot(off, up) / deep / half] : null;
}

// The nearest camera that looks the same way and has all points where the picture is free, in parts of it from the upper
// left; beyond: an eye, no nearer than which it shall be.
export function fitted(
  points: Triple[],
  camera: Camera,
  aspect: number,
  [left, top, right, bottom]: number[],
  beyond?: Triple,
): Camera {
  const tangent = Math.tan((camera.fov * Math.PI) / 360),
    axes = axesOf(camera),
    seen = points.map((point) => axes.map((axis) => dot(axis, point)));
  // where the eye has to be: behind planes through the points, along each edge of what is free
  const bounds = [
    [0, (2 * left - 1) * aspect * tangent, (2 * right - 1) * aspect * tangent],
    [2, (1 - 2 * bottom) * tangent, (1 - 2 * top) * tangent],
  ].map(([k, low, most]) => [
    Math.min(...seen.map((at) => at[k] - low * at[1])),
    Math.max(...seen.map((at) => at[k] - most * at[1])),
    low,
    most,
  ]);
  const deep = seen.map((at) => at[1]),
    first = Math.min(...deep) - LEAST_M;
  const behind = Math.min(
    first,
    beyond ? dot(axes[1], beyond) : first,
    ...bounds.map(([least, greatest, low, most]) => (least - greatest) / (most - low)),
  );
  const [x, z] = bounds.map(
    ([least, greatest, low, most]) => (least + low * behind + greatest + most * behind) / 2,
  );
  const eye = add(add(scaled(axes[0], x), axes[1], behind), axes[2], z);
  return {
    eye,
    target: add(eye, axes[1], (Math.min(...deep) + Math.max(...deep)) / 2 - behind),
    fov: camera.fov,
  };
}
