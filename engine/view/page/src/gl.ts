// The graphics card: programs from shader files, meshes, textures.

import type { SceneData, Triple } from "./data";

const TAPS = 5;
const ATTRIBUTES = ["p3d_Vertex", "p3d_Normal", "grain", "grain_normal"];

export interface Program {
  program: WebGLProgram;
  at: Record<string, WebGLUniformLocation>;
  picture: number;
}
export interface Model {
  array: WebGLVertexArrayObject;
  count: number;
  type: number;
}
export class Device {
  readonly isSoftware = looksSoftware();
  readonly gl: WebGL2RenderingContext;
  private readonly programs = new Map<string, Program>();

  constructor(
    canvas: HTMLCanvasElement,
    private readonly shaders: SceneData["shaders"],
    private readonly constants: SceneData["light"]["constants"],
  ) {
    const gl = canvas.getContext("webgl2", {
      antialias: !this.isSoftware,
      alpha: false,
      stencil: true,
      powerPreference: "high-performance",
    });
    if (!gl) throw new Error("This browser has no WebGL 2, which the picture needs.");
    this.gl = gl;
  }

  // Rows along the grain and across it.
  along(rows: Float32Array, grain: number[]): Float32Array {
    const found = new Float32Array(rows.length);
    for (let n = 0; n < rows.length; n += 3)
      for (let k = 0; k < 3; ++k)
        found[n + k] =
          grain[3 * k] * rows[n] + grain[3 * k + 1] * rows[n + 1] + grain[3 * k + 2] * rows[n + 2];
    return found;
  }

  // A piece that is a box, without its rounded edges: its shadow does not show them.
  box([x, y, z]: Triple): Model {
    const points = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((n) =>
      [n & 4 ? x : -x, n & 2 ? y : -y, n & 1 ? z : -z].map((side) => side / 2),
    );
    const faces = [
      [0, 1, 3, 2],
      [4, 6, 7, 5],
      [0, 4, 5, 1],
      [2, 3, 7, 6],
      [0, 2, 6, 4],
      [1, 5, 7, 3],
    ];
    return this.model(
      new Float32Array(points),
      new Float32Array(points), // a normal of no length would make what is drawn no number
      new Uint16Array(faces.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])),
    );
  }

  model(
    points: Float32Array,
    normals: Float32Array,
    corners: Uint16Array | Uint32Array,
    grain = points,
    grainNormals = normals,
    buffers: WebGLBuffer[] = [],
  ): Model {
    const gl = this.gl,
      array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [points, normals, grain, grainNormals].forEach((rows, place) => {
      buffers.push(gl.createBuffer());
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[place]);
      gl.bufferData(gl.ARRAY_BUFFER, rows, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return {
      array,
      count: corners.length,
      type: corners instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT,
    };
  }

  triangles(model: Model): void {
    this.gl.bindVertexArray(model.array);
    this.gl.drawElements(this.gl.TRIANGLES, model.count, model.type, 0);
  }

  texture(wrap: number, filter: number): WebGLTexture {
    const gl = this.gl,
      texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, wrap);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, wrap);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    return texture;
  }

  // A program of shader files written for desktop GL, whose dialect differs in the first lines alone.
  program(vertex: string, fragments: string[], defines: Record<string, number>): Program {
    const key = JSON.stringify([vertex, fragments, defines]);
    const known = this.programs.get(key);
    if (known) return known;
    const gl = this.gl,
      program = gl.createProgram();
    const number = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value));
    const constants = Object.entries(this.constants).map(
      ([name, values]) => `#define ${name} vec${values.length}(${values.map(number)})\n`,
    );
    const numbers = Object.entries({ TAPS, SIDE: 3, OCCLUSION: 0, ...defines }).map(
      ([name, value]) => `#define ${name} ${value}\n`,
    );
    const head =
      "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2DShadow;\n" +
      constants.join("") +
      numbers.join("");
    for (const [kind, names] of [
      [gl.VERTEX_SHADER, [vertex]],
      [gl.FRAGMENT_SHADER, fragments],
    ] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(
        shader,
        head + names.map((name) => this.shaders[name].replace("#version 150\n", "")).join(""),
      );
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
        throw new Error(`${names}: ${gl.getShaderInfoLog(shader)}`);
    }
    ATTRIBUTES.forEach((name, place) => gl.bindAttribLocation(program, place, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS))
      throw new Error(`${key}: ${gl.getProgramInfoLog(program)}`);
    const at: Program["at"] = {};
    for (let n = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) - 1; n >= 0; --n) {
      const name = gl.getActiveUniform(program, n)!.name;
      at[name] = gl.getUniformLocation(program, name)!;
    }
    gl.useProgram(program);
    ["u_fibres", "u_rings", "u_shadow_map", "u_face", "u_room"].forEach((name, unit) => {
      if (at[name]) gl.uniform1i(at[name], unit);
    });
    const found = { program, at, picture: -1 };
    this.programs.set(key, found);
    return found;
  }
}

// Whether pictures are drawn without a graphics card, where samples and pixels cost the most.
let software: boolean | undefined;
function looksSoftware(): boolean {
  if (software === undefined) {
    const gl = document.createElement("canvas").getContext("webgl2");
    const extension = gl?.getExtension("WEBGL_debug_renderer_info");
    const name = gl && extension ? String(gl.getParameter(extension.UNMASKED_RENDERER_WEBGL)) : "";
    software = /swiftshader|llvmpipe|software/i.test(name);
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return software;
}
