// Draws bodies with the shaders of our own pictures: shadow map, pieces, table, the
// room behind, outlines, and overlays above them.

import type { BodyRow, Numbers, SceneData, Triple } from "./data";
import { Device, type Model } from "./gl";
import { drawOutline, drawOverlays, stroke, type Overlay } from "./marks";
import {
  add,
  axesOf,
  length,
  lookAt,
  minus,
  moved,
  perspective,
  placed,
  rotated,
  times,
  type Camera,
  type Lean,
  type Matrix,
} from "./maths";
import { Props, type SceneParts } from "./props";
import { ShadowMap } from "./shadow";
import { fibres, rings } from "./wood";

const REACH = 1.25; // of half a piece: how far from it the table may lie in its shadow

export interface Shown {
  camera: Camera;
  poses: Float32Array; // seven numbers a body
  seen: Uint8Array;
  marks?: Map<number, number[]>; // the inks of outlines
  overlays?: Overlay[];
  lean?: Lean | null;
}

export class Stage {
  readonly props: Props;
  private readonly device: Device;
  private readonly gl: WebGL2RenderingContext;
  private readonly sun: ShadowMap;
  private drawn = new Float32Array(0);
  private picture = 0;
  private box: Model | null = null;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly look: Pick<SceneData, "shaders" | "light">,
  ) {
    this.device = new Device(canvas, look.shaders, look.light.constants);
    this.gl = this.device.gl;
    this.props = new Props(this.device);
    this.makeTextures();
    this.sun = new ShadowMap(this.device, look.light);
    this.gl.activeTexture(this.gl.TEXTURE3);
  }

  // Adds bodies to those that are there.
  async add(scene: SceneParts, numbers: Numbers): Promise<void> {
    await this.props.add(scene, numbers);
    const drawn = new Float32Array(8 * this.props.bodies.length);
    drawn.set(this.drawn);
    this.drawn = drawn;
    this.sun.isDue = true;
  }

  draw(shown: Shown): void {
    const gl = this.gl,
      data = this.props;
    ++this.picture;
    this.move(shown);
    if (this.sun.isDue) this.sun.draw(this.props, shown.poses, shown.seen);
    const [width, height] = [this.canvas.width, this.canvas.height];
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const camera = shown.camera;
    const centre = data.sphere.slice(0, 3) as Triple,
      radius = data.sphere[3];
    const away = length(minus(camera.eye, centre));
    // pieces lie far outside the sphere of those that were there first: 24 bits of depth are enough for all of them
    const near = 0.02 * length(minus(camera.target, camera.eye));
    const axes = axesOf(camera);
    const lens = perspective(camera.fov, width / height, near, away + 20 * radius + 2);
    const view = times(lens, lookAt(camera.eye, axes));
    const order = data.bodies.map((_, n) => n).filter((n) => shown.seen[n] && n !== data.table);
    const depth = (n: number): number => {
      const at = 7 * n,
        p = shown.poses;
      return axes[1][0] * p[at] + axes[1][1] * p[at + 1] + axes[1][2] * p[at + 2];
    };
    order.sort((a, b) => depth(a) - depth(b));
    for (const n of order) this.drawBody(n, view, shown);
    if (data.table >= 0 && shown.seen[data.table]) this.drawTable(order, view, shown);
    this.drawRoom(view, shown.lean);
    for (const [n, ink] of shown.marks ?? [])
      if (shown.seen[n]) {
        const own = this.props.matrices[n];
        drawOutline(this.device, this.modelOf(n), own, ink, view, lens[14], this.look.light.outline);
      }
    drawOverlays(this.device, shown.overlays ?? [], view, camera.eye);
  }

  // Which way across a place is in the picture, from -1 to 1.
  across(place: Triple, camera: Camera): number {
    const [right, forward] = axesOf(camera),
      off = minus(place, camera.eye);
    const deep = Math.max(off[0] * forward[0] + off[1] * forward[1] + off[2] * forward[2], 1e-3);
    const side = off[0] * right[0] + off[1] * right[1] + off[2] * right[2];
    const half = Math.tan((camera.fov * Math.PI) / 360) * (this.canvas.width / this.canvas.height);
    return Math.max(-1, Math.min(1, side / deep / half));
  }

  private move(shown: Shown): void {
    this.props.bodies.forEach((_, n) => {
      const was = this.drawn;
      let isSame = was[8 * n] === shown.seen[n];
      for (let k = 0; k < 7; ++k) isSame &&= was[8 * n + 1 + k] === shown.poses[7 * n + k];
      if (isSame) return;
      was[8 * n] = shown.seen[n];
      was.set(shown.poses.subarray(7 * n, 7 * n + 7), 8 * n + 1);
      placed(this.props.matrices[n], shown.poses, 7 * n);
      this.sun.isDue = true;
    });
  }

  // Most of a table lies in full sun, far from all pieces, and costs little: only a patch of it looks for shadows.
  private drawTable(order: number[], view: Matrix, shown: Shown): void {
    const gl = this.gl,
      table = this.props.table,
      patch = this.props.patch;
    if (!patch || shown.poses[7 * table + 3] || shown.poses[7 * table + 4] || shown.poses[7 * table + 5]) {
      this.drawBody(table, view, shown, 1);
      return;
    }
    // the rounded edges stay in the sun
    const top = this.props.bodies[table].extents[2] / 2,
      half = this.props.bodies[table].extents.map((side) => side / 2 - this.look.light.tableEdge),
      place = shown.poses.subarray(7 * table, 7 * table + 3);
    const sun = this.look.light.constants.SUN,
      low = [Infinity, Infinity],
      high = [-Infinity, -Infinity];
    const clipped = (value: number, k: number): number => Math.min(Math.max(value, -half[k]), half[k]);
    for (const n of order) {
      const up = Math.max(shown.poses[7 * n + 2] - place[2] - top, 0),
        reach = REACH * this.props.halves[n];
      for (const k of [0, 1]) {
        const here = shown.poses[7 * n + k] - place[k],
          there = here - (up * sun[k]) / sun[2];
        low[k] = Math.min(low[k], here - reach, there - reach);
        high[k] = Math.max(high[k], here + reach, there + reach);
      }
    }
    if (low[0] < high[0]) {
      const [x0, x1] = [clipped(low[0], 0), clipped(high[0], 0)],
        [y0, y1] = [clipped(low[1], 1), clipped(high[1], 1)];
      const corners = new Float32Array([x0, y0, top, x1, y0, top, x1, y1, top, x0, y1, top]);
      for (const [buffer, rows] of [
        [patch.points, corners],
        [patch.grain, this.device.along(corners, this.props.grains[this.props.bodies[table].mesh])],
      ] as const) {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, rows);
      }
      this.drawBody(table, view, shown, 1, patch.model);
    }
    // the patch hides the whole, which gives way: nearer itself, it would hide thin cards where pixels are large
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    this.drawBody(table, view, shown, 0);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  private drawBody(n: number, view: Matrix, shown: Shown, close = 0, model?: Model): void {
    const gl = this.gl,
      body = this.props.bodies[n],
      isTable = n === this.props.table;
    const own = isTable
      ? this.device.program("piece.vert", ["light.glsl", "table.frag"], { TABLE: 1, CLOSE: close })
      : this.device.program("piece.vert", ["light.glsl", "piece.frag"], {
          ...Object.fromEntries(body.kind.map((name) => [name, 1])),
          ...(body.print ? { FACE: body.print.isPressed ? 2 : 1 } : {}),
        });
    const { program, at } = own;
    gl.useProgram(program);
    if (own.picture !== this.picture) {
      // the same for all bodies of a picture
      own.picture = this.picture;
      gl.uniformMatrix4fv(at.u_shadow, false, this.sun.toShadow);
      gl.uniform1f(at.u_shadow_step, this.sun.step);
      gl.uniform1f(at.u_shadow_blur, this.sun.blur);
      gl.uniform2f(at.u_pixel, 1 / this.canvas.width, 1 / this.canvas.height);
      gl.uniform3fv(at.u_eye, shown.camera.eye);
    }
    gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(view, this.props.matrices[n]));
    gl.uniformMatrix4fv(at.p3d_ModelMatrix, false, this.props.matrices[n]);
    gl.uniform3fv(at.u_albedo, body.albedo);
    gl.uniform4fv(at.u_finish, body.finish);
    gl.uniform3fv(at.u_offset, body.offset);
    if (body.print) this.dress(body, at);
    this.device.triangles(model ?? this.props.models[body.mesh]);
  }

  private dress(body: BodyRow, at: Record<string, WebGLUniformLocation>): void {
    const gl = this.gl,
      print = body.print!,
      grain = this.props.grains[body.mesh];
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.props.prints[print.picture]);
    gl.uniform1f(at.u_face_shown, 1);
    // from along the grain back to the piece: the transpose of the rows that lead there, which are the columns here
    const columns = [0, 3, 6].flatMap((k) => [...grain.slice(k, k + 3), 0]);
    gl.uniformMatrix4fv(at.u_face_axes, false, [...columns, 0, 0, 0, 1]);
    gl.uniform4fv(at.u_face_area, print.area);
    gl.uniform3fv(at.u_face_press, print.press);
  }

  private drawRoom(view: Matrix, lean?: Lean | null): void {
    const room = this.props.room;
    if (!room) return;
    const gl = this.gl,
      { program, at } = this.device.program("backdrop.vert", ["backdrop.frag"], {});
    gl.useProgram(program);
    const turned = lean
      ? placed(new Float32Array(16), [
          ...add(lean.pivot, rotated(lean.turn, minus(room.position, lean.pivot))),
          ...lean.turn,
        ])
      : moved(room.position);
    gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(view, turned));
    gl.depthMask(false);
    this.device.triangles(room.model);
    gl.depthMask(true);
  }

  stroke(points: Triple[], radius: number): Model {
    return stroke(this.device, points, radius);
  }

  // A box of one metre.
  get unitBox(): Model {
    return (this.box ??= this.device.box([1, 1, 1]));
  }

  modelOf(body: number): Model {
    return this.props.models[this.props.bodies[body].mesh];
  }

  private makeTextures(): void {
    const gl = this.gl;
    const grain = fibres(),
      years = rings();
    gl.activeTexture(gl.TEXTURE0);
    this.device.texture(gl.REPEAT, gl.LINEAR_MIPMAP_NEAREST);
    const { RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE } = gl;
    gl.texImage2D(TEXTURE_2D, 0, RGBA8, grain.side, grain.side, 0, RGBA, UNSIGNED_BYTE, grain.pixels);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.activeTexture(gl.TEXTURE1);
    this.device.texture(gl.REPEAT, gl.LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, years.width, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, years.pixels);
    gl.activeTexture(gl.TEXTURE3);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.CULL_FACE);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }
}
