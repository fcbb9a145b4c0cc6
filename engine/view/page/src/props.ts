// What stands on the stage: bodies with their meshes, surfaces and prints, the room. More may come at any time.

import type { BodyRow, Mesh, Numbers, Place, SceneData, Triple } from "./data";
import type { Device, Model } from "./gl";
import { length, type Matrix } from "./maths";

export interface Shape {
  points: Float32Array; // metres, rows
  corners: Uint16Array | Uint32Array;
}

export class Props {
  readonly shapes: Shape[] = []; // of models
  readonly bodies: BodyRow[] = [];
  readonly models: Model[] = [];
  readonly grains: number[][] = []; // of models
  readonly casters: Model[] = []; // of bodies: what throws their shadow
  readonly matrices: Matrix[] = [];
  readonly halves: number[] = [];
  readonly prints: WebGLTexture[] = [];
  table = -1;
  sphere: SceneData["sphere"] = [0, 0, 0, 1];
  room: { model: Model; position: Triple } | null = null;
  patch: { model: Model; points: WebGLBuffer; grain: WebGLBuffer } | null = null;

  constructor(private readonly device: Device) {}

  // Adds bodies; those that follow a first scene have neither table nor room. Numbers of bodies go on.
  async add(scene: SceneParts, numbers: Numbers): Promise<void> {
    const [meshes, prints, first] = [this.models.length, this.prints.length, this.bodies.length];
    for (const each of scene.meshes) {
      this.models.push(this.mesh(each, numbers));
      this.grains.push(each.grain);
      const corners = numbers.at(each.triangles) as Shape["corners"];
      this.shapes.push({ points: numbers.rows(each.points, each.scale), corners });
    }
    // side by side: browsers decode in threads of their own
    const [walls, ...pictures] = await Promise.all([
      scene.room ? decoded(numbers, scene.room.picture, "from-image") : null,
      ...scene.prints.map((place) => decoded(numbers, place, "flipY")),
    ]);
    for (const picture of pictures) this.prints.push(this.printed(picture!));
    for (const row of scene.bodies) {
      const body = { ...row, mesh: row.mesh + meshes };
      if (row.print) body.print = { ...row.print, picture: row.print.picture + prints };
      this.bodies.push(body);
      this.casters.push(row.isBox ? this.device.box(row.extents) : this.models[body.mesh]);
      this.matrices.push(new Float32Array(16));
      this.halves.push(length(row.extents) / 2);
    }
    if (!scene.room || !walls) return;
    this.sphere = scene.sphere!;
    this.table = scene.table! < 0 ? -1 : scene.table! + first;
    this.patch = this.table >= 0 && this.bodies[this.table].isBox ? this.makePatch() : null;
    this.hang(walls);
    const { points, places, triangles, position } = scene.room;
    const model = this.mesh(
      { points, normals: places, triangles, scale: 1, grain: [], along: null },
      numbers,
    );
    this.room = { model, position };
  }

  // A mesh that Python wrote: points and normals by components.
  mesh({ points, normals, triangles, scale, grain, along }: Mesh, numbers: Numbers): Model {
    const corners = numbers.at(triangles) as Uint16Array | Uint32Array;
    const own = [
      numbers.rows(points, scale),
      numbers.rows(normals, normals[0] === "Int8Array" ? 1 / 127 : 1),
    ] as const;
    const turned = along
      ? along.map((place) => numbers.at(place) as Float32Array)
      : own.map((each) => (grain.length ? this.device.along(each, grain) : each));
    return this.device.model(...own, corners, turned[0], turned[1]);
  }

  private hang(walls: ImageBitmap): void {
    const gl = this.device.gl;
    gl.activeTexture(gl.TEXTURE4);
    this.device.texture(gl.CLAMP_TO_EDGE, gl.LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, walls);
    gl.activeTexture(gl.TEXTURE3);
  }

  private printed(picture: ImageBitmap): WebGLTexture {
    const gl = this.device.gl;
    gl.activeTexture(gl.TEXTURE3);
    const texture = this.device.texture(gl.CLAMP_TO_EDGE, gl.LINEAR_MIPMAP_LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    gl.generateMipmap(gl.TEXTURE_2D);
    return texture;
  }

  private makePatch(): { model: Model; points: WebGLBuffer; grain: WebGLBuffer } {
    const up = new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
      buffers: WebGLBuffer[] = [];
    const corners = new Uint16Array([0, 1, 2, 0, 2, 3]),
      lit = new Float32Array(12).fill(1);
    const model = this.device.model(new Float32Array(12), up, corners, new Float32Array(12), lit, buffers);
    return { model, points: buffers[0], grain: buffers[2] };
  }
}

// Table, room and sphere come with the first bodies alone.
export type SceneParts = Pick<SceneData, "meshes" | "prints" | "bodies"> &
  Partial<Pick<SceneData, "table" | "sphere" | "room">>;

function decoded(numbers: Numbers, place: Place, imageOrientation: ImageOrientation): Promise<ImageBitmap> {
  const bytes = numbers.at(place) as Uint8Array<ArrayBuffer>;
  return createImageBitmap(new Blob([bytes], { type: "image/png" }), {
    premultiplyAlpha: "none",
    colorSpaceConversion: "none",
    imageOrientation,
  });
}
