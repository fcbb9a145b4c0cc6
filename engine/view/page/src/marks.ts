// What is drawn over the pieces: outlines of some, ghosts, lines and arrows.

import type { Triple } from "./data";
import type { Device, Model } from "./gl";
import { length, minus, moved, placed, times, type Matrix } from "./maths";

const CLOSER = 0.008; // metres behind other things that an outline may lie and still be seen
const TURNS = 16; // directions in which a piece is moved to draw its outline

export interface Overlay {
  model: Model;
  ink: number[];
  pose?: ArrayLike<number>;
  matrix?: Matrix; // instead of a pose
  glass?: number;
  isDeep?: boolean; // hidden by what stands before it
}

// Level strokes through points, of so many metres from their middle to their edge.
export function stroke(device: Device, points: Triple[], radius: number): Model {
  const rows: number[] = [],
    corners: number[] = [];
  for (let n = 0; n + 1 < points.length; ++n) {
    const [a, b] = [points[n], points[n + 1]],
      along = minus(b, a),
      share = radius / Math.max(length(along), 1e-9);
    const [x, y] = [share * along[0], share * along[1]],
      first = rows.length / 3;
    for (const [end, sign] of [
      [a, 1],
      [b, 1],
      [b, -1],
      [a, -1],
    ] as const)
      rows.push(end[0] + sign * y, end[1] - sign * x, end[2]);
    corners.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  const up = rows.map((_, n) => Number(n % 3 === 2));
  return device.model(new Float32Array(rows), new Float32Array(up), new Uint16Array(corners));
}

// An outline is the piece moved a little in every direction, but for where the piece itself is.
export function drawOutline(
  device: Device,
  model: Model,
  own: Matrix,
  ink: number[],
  view: Matrix,
  depths: number,
  [share, least]: [share: number, least: number],
): void {
  const gl = device.gl,
    { program, at } = device.program("overlay.vert", ["overlay.frag"], {});
  const matrix = times(view, own),
    { width, height } = gl.canvas;
  const show = (off: Triple): void => {
    gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(moved(off), matrix));
    device.triangles(model);
  };
  gl.useProgram(program);
  gl.uniformMatrix4fv(at.p3d_ModelMatrix, false, own);
  gl.uniform4fv(at.u_ink, ink);
  gl.uniform1f(at.u_glass, 0);
  gl.depthMask(false);
  gl.enable(gl.STENCIL_TEST);
  gl.clear(gl.STENCIL_BUFFER_BIT);
  gl.colorMask(false, false, false, false);
  gl.disable(gl.DEPTH_TEST);
  gl.stencilFunc(gl.ALWAYS, 1, 1);
  gl.stencilOp(gl.KEEP, gl.KEEP, gl.REPLACE);
  show([0, 0, 0]);
  gl.colorMask(true, true, true, true);
  gl.enable(gl.DEPTH_TEST);
  gl.stencilFunc(gl.NOTEQUAL, 1, 1);
  gl.stencilOp(gl.KEEP, gl.KEEP, gl.KEEP);
  const reach = 2 * Math.max(share * height, least);
  // so much nearer at the middle of the piece, as stored depths go
  const nearer = (CLOSER * depths) / Math.max(matrix[15], CLOSER) ** 2;
  for (let turn = 0; turn < TURNS; ++turn) {
    const angle = (2 * Math.PI * turn) / TURNS;
    show([(reach * Math.cos(angle)) / width, (reach * Math.sin(angle)) / height, nearer]);
  }
  gl.disable(gl.STENCIL_TEST);
  gl.depthMask(true);
}

export function drawOverlays(device: Device, overlays: Overlay[], view: Matrix, eye: Triple): void {
  if (!overlays.length) return;
  const gl = device.gl,
    { program, at } = device.program("overlay.vert", ["overlay.frag"], {});
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.disable(gl.CULL_FACE);
  gl.depthMask(false);
  for (const overlay of overlays) {
    const matrix = overlay.matrix ?? placed(new Float32Array(16), overlay.pose ?? [0, 0, 0, 0, 0, 0, 1]);
    // ghosts stand among the pieces, forces are seen through them
    if (overlay.glass || overlay.isDeep) gl.enable(gl.DEPTH_TEST);
    else gl.disable(gl.DEPTH_TEST);
    gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(view, matrix));
    gl.uniformMatrix4fv(at.p3d_ModelMatrix, false, matrix);
    gl.uniform3fv(at.u_eye, eye);
    gl.uniform4fv(at.u_ink, overlay.ink);
    gl.uniform1f(at.u_glass, overlay.glass ?? 0);
    device.triangles(overlay.model);
  }
  gl.disable(gl.BLEND);
  gl.enable(gl.CULL_FACE);
  gl.enable(gl.DEPTH_TEST);
  gl.depthMask(true);
}
