// Draws bodies with the shaders of our own pictures: shadow map, pieces, table, the
// room behind, outlines, and overlays above them.

import type { BodyRow, Numbers, Place, SceneData, Triple } from "./data";
import { Device, type Model } from "./gl";
import {
  axesOf,
  length,
  lookAt,
  minus,
  moved,
  orthographic,
  perspective,
  placed,
  times,
  type Camera,
  type Matrix,
} from "./maths";
import { fibres, rings } from "./wood";

const SHADOW = { software: 768, card: 1024 };
const MAX_SPREAD = 3;
const CLOSER = 0.008; // metres behind other things that an outline may lie and still be seen
const TURNS = 16; // directions in which a piece is moved to draw its outline
const REACH = 1.25; // of half a piece: how far from it the table may lie in its shadow

export interface Overlay {
  model: Model;
  ink: number[];
  pose?: ArrayLike<number>;
  glass?: number;
}
export interface Shown {
  camera: Camera;
  poses: Float32Array; // seven numbers a body
  seen: Uint8Array;
  marks?: Map<number, number[]>; // the inks of outlines
  overlays?: Overlay[];
}

export class Stage {
  private readonly device: Device;
  private readonly gl: WebGL2RenderingContext;
  private readonly models: Model[] = [];
  private readonly prints: WebGLTexture[] = [];
  private readonly matrices: Matrix[];
  private readonly halves: number[];
  private readonly room: Model;
  private readonly casters: Model[];
  private readonly shadow: number;
  private readonly patch: { model: Model; points: WebGLBuffer; grain: WebGLBuffer } | null = null;
  private shadowMap!: WebGLTexture;
  private shadowTarget!: WebGLFramebuffer;
  private toShadow: Matrix = new Float32Array(16);
  private fromSun: Matrix = new Float32Array(16);
  private shadowStep = 0;
  private shadowBlur = 0;
  private readonly drawn: Float32Array;
  private isShadowDue = true;
  private picture = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly data: SceneData,
    private readonly numbers: Numbers,
  ) {
    this.device = new Device(canvas, data.shaders, data.light.constants);
    this.gl = this.device.gl;
    this.shadow = this.device.isSoftware ? SHADOW.software : SHADOW.card;
    for (const { points, normals, triangles, scale, grain, along } of data.meshes)
      this.models.push(this.mesh(points, normals, triangles, scale, grain, along));
    this.room = this.mesh(data.room.points, data.room.places, data.room.triangles);
    this.casters = data.bodies.map((body) =>
      body.isBox ? this.device.box(body.extents) : this.models[body.mesh],
    );
    if (data.table >= 0 && data.bodies[data.table].isBox) this.patch = this.makePatch();
    this.matrices = data.bodies.map(() => new Float32Array(16));
    this.halves = data.bodies.map((body) => length(body.extents) / 2);
    this.drawn = new Float32Array(8 * data.bodies.length);
    this.makeTextures();
  }

  async load(): Promise<void> {
    const gl = this.gl;
    const read = (place: Place, imageOrientation: ImageOrientation): Promise<ImageBitmap> => {
      const bytes = this.numbers.at(place) as Uint8Array<ArrayBuffer>;
      return createImageBitmap(new Blob([bytes], { type: "image/png" }), {
        premultiplyAlpha: "none",
        colorSpaceConversion: "none",
        imageOrientation,
      });
    };
    // side by side: browsers decode in threads of their own
    const [walls, ...prints] = await Promise.all([
      read(this.data.room.picture, "from-image"),
      ...this.data.prints.map((place) => read(place, "flipY")),
    ]);
    gl.activeTexture(gl.TEXTURE4);
    this.device.texture(gl.CLAMP_TO_EDGE, gl.LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, walls);
    gl.activeTexture(gl.TEXTURE3);
    for (const picture of prints) {
      const texture = this.device.texture(gl.CLAMP_TO_EDGE, gl.LINEAR_MIPMAP_LINEAR);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, picture);
      gl.generateMipmap(gl.TEXTURE_2D);
      this.prints.push(texture);
    }
  }

  // A mesh that Python wrote: points and normals by components.
  mesh(
    points: Place,
    normals: Place,
    triangles: Place,
    scale = 1,
    grain: number[] | null = null,
    along: [Place, Place] | null = null,
  ): Model {
    const rows = (place: Place, factor: number): Float32Array => {
      const columns = this.numbers.at(place),
        count = columns.length / 3;
      const found = new Float32Array(columns.length);
      for (let n = 0; n < count; ++n)
        for (let k = 0; k < 3; ++k) found[3 * n + k] = columns[k * count + n] * factor;
      return found;
    };
    const corners = this.numbers.at(triangles) as Uint16Array | Uint32Array;
    const own = [rows(points, scale), rows(normals, normals[0] === "Int8Array" ? 1 / 127 : 1)] as const;
    const turned = along
      ? along.map((place) => this.numbers.at(place) as Float32Array)
      : own.map((each) => (grain ? this.device.along(each, grain) : each));
    return this.device.model(...own, corners, turned[0], turned[1]);
  }

  draw(shown: Shown): void {
    const gl = this.gl,
      data = this.data;
    ++this.picture;
    this.move(shown);
    if (this.isShadowDue) this.drawShadows(shown);
    const [width, height] = [this.canvas.width, this.canvas.height];
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const camera = shown.camera;
    const centre = data.sphere.slice(0, 3) as Triple,
      radius = data.sphere[3];
    const away = length(minus(camera.eye, centre));
    const near = Math.max(away - 8 * radius, 0.02 * length(minus(camera.target, camera.eye)));
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
    this.drawRoom(view);
    for (const [n, ink] of shown.marks ?? []) if (shown.seen[n]) this.drawOutline(n, ink, view, lens[14]);
    this.drawOverlays(shown.overlays ?? [], view, camera.eye);
  }

  // Which way across a place is in the picture, from -1 to 1.
  across(place: Triple, camera: Camera): number {
    const [right, forward] = axesOf(camera),
      off = minus(place, camera.eye);
    const deep = Math.max(off[0] * forward[0] + off[1] * forward[1] + off[2] * forward[2], 1e-3);
    const side = off[0] * right[0] + off[1] * right[1] + off[2] * right[2];
    return Math.max(
      -1,
      Math.min(
        1,
        side / deep / Math.tan((camera.fov * Math.PI) / 360) / (this.canvas.width / this.canvas.height),
      ),
    );
  }

  private move(shown: Shown): void {
    this.data.bodies.forEach((_, n) => {
      const was = this.drawn;
      let isSame = was[8 * n] === shown.seen[n];
      for (let k = 0; k < 7; ++k) isSame &&= was[8 * n + 1 + k] === shown.poses[7 * n + k];
      if (isSame) return;
      was[8 * n] = shown.seen[n];
      was.set(shown.poses.subarray(7 * n, 7 * n + 7), 8 * n + 1);
      placed(this.matrices[n], shown.poses, 7 * n);
      this.isShadowDue = true;
    });
  }

  private drawShadows(shown: Shown): void {
    const gl = this.gl,
      [x, y, z, radius] = this.data.sphere;
    let needed = radius;
    const shading = this.data.bodies.map((_, n) => n).filter((n) => shown.seen[n] && n !== this.data.table);
    for (const n of shading) {
      const off: Triple = [shown.poses[7 * n] - x, shown.poses[7 * n + 1] - y, shown.poses[7 * n + 2] - z];
      needed = Math.max(needed, length(off) + this.halves[n]);
    }
    // in steps, so that shadows do not crawl while something flies
    const steps = Math.ceil(Math.log(Math.min(needed / radius, MAX_SPREAD)) / Math.log(1.2) - 1e-6);
    const half = radius * 1.2 ** steps * 1.04;
    const axes = [0, 3, 6].map((k) => this.data.light.sunAxes.slice(k, k + 3)) as [Triple, Triple, Triple];
    const eye: Triple = [x - 2 * half * axes[1][0], y - 2 * half * axes[1][1], z - 2 * half * axes[1][2]];
    // deep enough for the whole table: what lies beyond the last depth would be in shadow
    this.fromSun = times(orthographic(half, -8 * half, 16 * half), lookAt(eye, axes));
    this.toShadow = times(
      new Float32Array([0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1]),
      this.fromSun,
    );
    const texel = (2 * half) / this.shadow;
    const spacing = Math.min(Math.max((2 * radius * this.data.light.penumbra) / 3, 1.2 * texel), 2.6 * texel);
    this.shadowStep = texel + 0.5 * spacing * 2;
    this.shadowBlur = spacing / (2 * half);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.viewport(0, 0, this.shadow, this.shadow);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const { program, at } = this.device.program("depth.vert", ["depth.frag"], {});
    gl.useProgram(program);
    for (const n of shading) {
      gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(this.fromSun, this.matrices[n]));
      this.triangles(this.casters[n]);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.isShadowDue = false;
  }

  // Most of a table lies in full sun, far from all pieces, and costs little: only a patch of it looks for shadows.
  private drawTable(order: number[], view: Matrix, shown: Shown): void {
    const gl = this.gl,
      table = this.data.table,
      patch = this.patch;
    if (!patch || shown.poses[7 * table + 3] || shown.poses[7 * table + 4] || shown.poses[7 * table + 5]) {
      this.drawBody(table, view, shown, 1);
      return;
    }
    // the rounded edges stay in the sun
    const top = this.data.bodies[table].extents[2] / 2,
      half = this.data.bodies[table].extents.map((side) => side / 2 - this.data.light.tableEdge),
      place = shown.poses.subarray(7 * table, 7 * table + 3);
    const sun = this.data.light.constants.SUN,
      low = [Infinity, Infinity],
      high = [-Infinity, -Infinity];
    const clipped = (value: number, k: number): number => Math.min(Math.max(value, -half[k]), half[k]);
    for (const n of order) {
      const up = Math.max(shown.poses[7 * n + 2] - place[2] - top, 0),
        reach = REACH * this.halves[n];
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
        [patch.grain, this.device.along(corners, this.data.meshes[this.data.bodies[table].mesh].grain)],
      ] as const) {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, rows);
      }
      // before the whole, which it hides
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(-1, -1);
      this.drawBody(table, view, shown, 1, patch.model);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }
    this.drawBody(table, view, shown, 0);
  }

  private drawBody(n: number, view: Matrix, shown: Shown, close = 0, model?: Model): void {
    const gl = this.gl,
      body = this.data.bodies[n],
      isTable = n === this.data.table;
    const own = isTable
      ? this.device.program("piece.vert", ["light.glsl", "table.frag"], { TABLE: 1, CLOSE: close })
      : this.device.program("piece.vert", ["light.glsl", "piece.frag"], {
          ...(body.finish[1] > 0 ? { COAT: 1 } : {}),
          ...(body.print ? { FACE: body.print.isPressed ? 2 : 1 } : {}),
        });
    const { program, at } = own;
    gl.useProgram(program);
    if (own.picture !== this.picture) {
      // the same for all bodies of a picture
      own.picture = this.picture;
      gl.uniformMatrix4fv(at.u_shadow, false, this.toShadow);
      gl.uniform1f(at.u_shadow_step, this.shadowStep);
      gl.uniform1f(at.u_shadow_blur, this.shadowBlur);
      gl.uniform2f(at.u_pixel, 1 / this.canvas.width, 1 / this.canvas.height);
      gl.uniform3fv(at.u_eye, shown.camera.eye);
    }
    gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(view, this.matrices[n]));
    gl.uniformMatrix4fv(at.p3d_ModelMatrix, false, this.matrices[n]);
    gl.uniform3fv(at.u_albedo, body.albedo);
    gl.uniform4fv(at.u_finish, body.finish);
    gl.uniform3fv(at.u_offset, body.offset);
    if (body.print) this.dress(body, at);
    this.triangles(model ?? this.models[body.mesh]);
  }

  private dress(body: BodyRow, at: Record<string, WebGLUniformLocation>): void {
    const gl = this.gl,
      print = body.print!,
      grain = this.data.meshes[body.mesh].grain;
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.prints[print.picture]);
    gl.uniform1f(at.u_face_shown, 1);
    // from along the grain back to the piece: the transpose of the rows that lead there, which are the columns here
    gl.uniformMatrix4fv(at.u_face_axes, false, [
      ...grain.slice(0, 3),
      0,
      ...grain.slice(3, 6),
      0,
      ...grain.slice(6, 9),
      0,
      0,
      0,
      0,
      1,
    ]);
    gl.uniform4fv(at.u_face_area, print.area);
    gl.uniform3fv(at.u_face_press, print.press);
  }

  private drawRoom(view: Matrix): void {
    const gl = this.gl,
      { program, at } = this.device.program("backdrop.vert", ["backdrop.frag"], {});
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(view, moved(this.data.room.position)));
    gl.depthMask(false);
    this.triangles(this.room);
    gl.depthMask(true);
  }

  // An outline is the piece moved a little in every direction, but for where the piece itself is.
  private drawOutline(n: number, ink: number[], view: Matrix, depths: number): void {
    const gl = this.gl,
      { program, at } = this.device.program("overlay.vert", ["overlay.frag"], {});
    const matrix = times(view, this.matrices[n]),
      model = this.models[this.data.bodies[n].mesh],
      [width, height] = [this.canvas.width, this.canvas.height];
    const show = (off: Triple): void => {
      gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(moved(off), matrix));
      this.triangles(model);
    };
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.p3d_ModelMatrix, false, this.matrices[n]);
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
    const [share, least] = this.data.light.outline,
      reach = 2 * Math.max(share * height, least);
    // so much nearer at the middle of the piece, as stored depths go
    const nearer = (CLOSER * depths) / Math.max(matrix[15], CLOSER) ** 2;
    for (let turn = 0; turn < TURNS; ++turn) {
      const angle = (2 * Math.PI * turn) / TURNS;
      show([(reach * Math.cos(angle)) / width, (reach * Math.sin(angle)) / height, nearer]);
    }
    gl.disable(gl.STENCIL_TEST);
    gl.depthMask(true);
  }

  private drawOverlays(overlays: Overlay[], view: Matrix, eye: Triple): void {
    if (!overlays.length) return;
    const gl = this.gl,
      { program, at } = this.device.program("overlay.vert", ["overlay.frag"], {});
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.disable(gl.CULL_FACE);
    gl.depthMask(false);
    for (const overlay of overlays) {
      const matrix = placed(new Float32Array(16), overlay.pose ?? [0, 0, 0, 0, 0, 0, 1]);
      // ghosts stand among the pieces, forces are seen through them
      if (overlay.glass) gl.enable(gl.DEPTH_TEST);
      else gl.disable(gl.DEPTH_TEST);
      gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(view, matrix));
      gl.uniformMatrix4fv(at.p3d_ModelMatrix, false, matrix);
      gl.uniform3fv(at.u_eye, eye);
      gl.uniform4fv(at.u_ink, overlay.ink);
      gl.uniform1f(at.u_glass, overlay.glass ?? 0);
      this.triangles(overlay.model);
    }
    gl.disable(gl.BLEND);
    gl.enable(gl.CULL_FACE);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
  }

  modelOf(body: number): Model {
    return this.models[this.data.bodies[body].mesh];
  }

  private triangles(model: Model): void {
    this.gl.bindVertexArray(model.array);
    this.gl.drawElements(this.gl.TRIANGLES, model.count, model.type, 0);
  }

  private makePatch(): { model: Model; points: WebGLBuffer; grain: WebGLBuffer } {
    const up = new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
      buffers: WebGLBuffer[] = [];
    const corners = new Uint16Array([0, 1, 2, 0, 2, 3]),
      lit = new Float32Array(12).fill(1);
    const model = this.device.model(new Float32Array(12), up, corners, new Float32Array(12), lit, buffers);
    return { model, points: buffers[0], grain: buffers[2] };
  }

  private makeTextures(): void {
    const gl = this.gl;
    const grain = fibres(),
      years = rings();
    gl.activeTexture(gl.TEXTURE0);
    this.device.texture(gl.REPEAT, gl.LINEAR_MIPMAP_NEAREST);
    gl.texImage2D(
      gl.TEXTURE_2D,
      0,
      gl.RGBA8,
      grain.side,
      grain.side,
      0,
      gl.RGBA,
      gl.UNSIGNED_BYTE,
      grain.pixels,
    );
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.activeTexture(gl.TEXTURE1);
    this.device.texture(gl.REPEAT, gl.LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, years.width, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, years.pixels);
    gl.activeTexture(gl.TEXTURE2);
    this.shadowMap = this.device.texture(gl.CLAMP_TO_EDGE, gl.LINEAR);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, this.shadow, this.shadow);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.activeTexture(gl.TEXTURE3);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.CULL_FACE);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }
}
