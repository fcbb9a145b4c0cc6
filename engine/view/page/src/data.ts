// What Python wrote: JSON, and a blob of numbers that the JSON points into.

export type Place = [type: keyof typeof TYPES, offset: number, count: number];
export type Triple = [number, number, number];

export interface Mesh {
  points: Place;
  normals: Place;
  triangles: Place;
  scale: number;
  grain: number[];
  along: [grain: Place, lit: Place] | null;
}
export interface Print {
  picture: number;
  area: number[];
  press: number[];
  isPressed: boolean;
}
export interface Track {
  there: number[];
  keys: number;
  gaps: Place;
  steps: Place[];
}
export interface BodyRow {
  name: string;
  mesh: number;
  albedo: Triple;
  finish: number[];
  offset: Triple;
  kind: string[];
  extents: Triple;
  isBox: boolean;
  print?: Print;
  track?: Track;
  pose?: number[];
}
export interface SceneData {
  kind: "recording" | "verdict" | "sweep" | "seat";
  title: string;
  shaders: Record<string, string>;
  light: {
    constants: Record<string, number[]>;
    sunAxes: number[];
    penumbra: number;
    tableEdge: number;
    outline: [share: number, least: number];
  };
  meshes: Mesh[];
  prints: Place[];
  bodies: BodyRow[];
  table: number;
  room: { points: Place; places: Place; triangles: Place; picture: Place; position: Triple };
  sphere: [number, number, number, number];
}
export interface RecordingData extends SceneData {
  players: string[];
  result: string;
  proof: [short: string, means: string];
  seconds: number;
  frames: number;
  times: Place;
  quanta: [position: number, rotation: number, time: number];
  director: { rate: number; fov: number; path: Place };
  lines: [seconds: number, text: string, who: string][];
  marks: [seconds: number, kind: string, text: string][];
  margins: [seconds: number, degrees: number | null][]; // that the tower of a game bears from then on
  sound: {
    sounds: {
      modes: [hertz: number, decay: number, strength: number][];
      click: [decay: number, strength: number, softness: number];
    }[];
    impacts: [seconds: number, sound: number, loudness: number, x: number, y: number, z: number][];
    seconds: number;
  };
}
export interface Solid {
  points: Place;
  normals: Place;
  triangles: Place;
  ink: number[];
  layer: "forces" | "motion" | "support";
}
export interface VerdictData extends SceneData {
  word: "stands" | "topples" | "unsure";
  headline: string;
  rows: [label: string, text: string][];
  why: string[];
  solids: Solid[];
  weakest: { name: string; colour: number[] } | null;
  legend: [colour: string, text: string][];
  mechanism: Record<string, [linear: Triple, angular: Triple, centre: Triple]>;
  ghosts: { body: number; pose: number[]; copy: number }[];
  noise: string;
  certificate: Record<string, unknown> | null;
}
export interface SweepData extends SceneData {
  scene: string;
  places: Place;
  poses: Place;
  verdicts: Place;
  tilts: Place;
  weakest: Place;
  // the share of noisy copies that stand, and its interval
  chances?: Place;
  noise_mm?: number;
  copies?: number;
  names: string[];
  safest: number[];
}

const TYPES = { Int8Array, Uint8Array, Int16Array, Uint16Array, Uint32Array, Float32Array };

export function textOf(id: "data" | "blob"): string {
  return document.getElementById(id)!.textContent!;
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

export class Numbers {
  private constructor(private readonly bytes: ArrayBuffer) {}

  // What deflated bytes hold, in base 64.
  static async of(text: string): Promise<Numbers> {
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Numbers(await new Response(stream).arrayBuffer());
  }

  at<T extends keyof typeof TYPES>([type, offset, count]: [T, number, number] | Place): InstanceType<
    (typeof TYPES)[T]
  > {
    return new TYPES[type](this.bytes, offset, count) as InstanceType<(typeof TYPES)[T]>;
  }

  // Triples that stand by components, as rows.
  rows(place: Place, factor: number): Float32Array {
    const columns = this.at(place),
      count = columns.length / 3;
    const found = new Float32Array(columns.length);
    for (let n = 0; n < count; ++n)
      for (let k = 0; k < 3; ++k) found[3 * n + k] = columns[k * count + n] * factor;
    return found;
  }

  // Numbers of variable length (LEB128 of the zigzag), each a difference from the one before; returned are the sums.
  sums(place: Place, count: number): Float64Array {
    const bytes = this.at(place) as Uint8Array;
    const found = new Float64Array(count);
    let at = 0,
      sum = 0;
    for (let n = 0; n < count; ++n) {
      let value = 0,
        scale = 1,
        byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte > 127);
      sum += value % 2 ? -(value + 1) / 2 : value / 2;
      found[n] = sum;
    }
    return found;
  }
}
