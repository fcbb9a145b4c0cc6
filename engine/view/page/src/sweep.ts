// A sweep: the map of all places from above, and the piece at the place that is pointed at.

import type { Numbers, SweepData } from "./data";
import { Fingers } from "./fingers";
import { button, make, write } from "./dom";
import { Loop } from "./loop";
import { framing, Orbit } from "./orbit";
import type { Stage } from "./stage";

const WORDS = [
  "stands",
  "topples",
  "is at the edge",
  "has no room: the place is taken",
  "has nothing below it",
];
const COLOURS = [
  [47, 127, 121],
  [201, 80, 60],
  [230, 180, 34],
  [185, 182, 176],
  [255, 255, 255],
];
const PALE = [238, 243, 200]; // of a stand with no margin
const SIDE = 300; // pixels of the map

export class SweepView {
  readonly loop: Loop;
  place = 0;
  private readonly poses: Float32Array;
  private readonly seen: Uint8Array;
  private readonly rows: {
    places: Float32Array;
    poses: Float32Array;
    verdicts: Uint8Array;
    tilts: Float32Array;
    weakest: Uint16Array;
    chances?: Float32Array;
  };
  private readonly yaws: number[];
  private readonly greatest: number;
  private readonly orbit: Orbit;
  private readonly map: HTMLCanvasElement;
  private readonly told: HTMLElement;
  private low: [number, number] = [0, 0];
  private scale = 1;
  private step: [number, number] = [1, 1];

  constructor(
    private readonly data: SweepData,
    numbers: Numbers,
    private readonly stage: Stage,
    root: HTMLElement,
  ) {
    const at = <T>(place: Parameters<Numbers["at"]>[0]): T => numbers.at(place) as T;
    this.rows = {
      places: at(data.places),
      poses: at(data.poses),
      verdicts: at(data.verdicts),
      tilts: at(data.tilts),
      weakest: at(data.weakest),
      chances: data.chances && at(data.chances),
    };
    this.poses = new Float32Array(7 * data.bodies.length);
    data.bodies.forEach((body, n) => this.poses.set(body.pose!, 7 * n));
    this.seen = new Uint8Array(data.bodies.length).fill(1);
    this.yaws = [...new Set(this.column(2))].sort((a, b) => a - b);
    this.greatest = this.rows.tilts.reduce((most, tilt) => Math.max(most, tilt || 0), 1e-9);
    this.orbit = new Orbit(framing(data.sphere, innerWidth / innerHeight));
    new Fingers(stage.canvas, this.orbit);
    const panel = make("header", "panel", root);
    make("h1", "", panel, data.title);
    make("p", "quiet", panel, `in ${data.scene}, ${this.rows.verdicts.length} places; point at one`);
    this.map = make("canvas", "map", panel);
    this.told = make("p", "told", panel);
    if (this.yaws.length > 1) this.makeTurn(panel);
    const row = make("div", "row", panel);
    data.safest.forEach((number, rank) =>
      button(row, `safest ${rank + 1}`, "Show this place", () => this.show(number)),
    );
    this.loop = new Loop(
      stage.canvas,
      () => false,
      () => this.draw(),
    );
    this.measure();
    this.orbit.frame(data.sphere, panel);
    this.orbit.onMove = () => this.loop.touch();
    for (const name of ["pointerdown", "pointermove"] as const)
      this.map.addEventListener(name, (event) => {
        if (event.buttons || event.pointerType === "mouse") this.point(event.offsetX, event.offsetY);
      });
    this.show(data.safest[0] ?? 0);
  }

  look(camera: Orbit["camera"]): void {
    this.orbit.camera = camera;
    this.loop.touch();
  }

  show(place: number): void {
    this.place = place;
    const { places, poses, verdicts, tilts, weakest } = this.rows,
      last = this.data.bodies.length - 1;
    const pose = poses.subarray(7 * place, 7 * place + 7);
    this.seen[last] = Number(!Number.isNaN(pose[0]));
    if (this.seen[last]) this.poses.set(pose, 7 * last);
    const [x, y, yaw] = places.subarray(3 * place, 3 * place + 3);
    const margin = Number.isNaN(tilts[place])
      ? ""
      : `, and can be tilted by ${tilts[place].toFixed(2)} degrees`;
    const first = weakest[place] ? `; ${this.data.names[weakest[place] - 1]} goes first` : "";
    const number = (value: number): string => String(Number(value.toFixed(2)));
    const turned = this.yaws.length > 1 ? `, turned by ${number(yaw)}` : "";
    write(
      this.told,
      `At x = ${number(x)} mm, y = ${number(y)} mm${turned} it ${WORDS[verdicts[place]]}${margin}${first}.${this.chance(place)}`,
    );
    this.drawMap();
    this.loop.touch();
  }

  private chance(place: number): string {
    if (!this.rows.chances || Number.isNaN(this.rows.chances[3 * place])) return "";
    const [share, low, high] = Array.from(this.rows.chances.subarray(3 * place, 3 * place + 3), (part) =>
      (100 * part).toFixed(0),
    );
    const { copies, noise_mm } = this.data;
    return ` Of ${copies} copies, misplaced by ${noise_mm} mm, ${share} % stand (${low} to ${high} %).`;
  }

  private draw(): void {
    const tint = this.colour(this.place).map((value) => value / 255);
    this.stage.draw({
      camera: this.orbit.camera,
      poses: this.poses,
      seen: this.seen,
      marks: new Map([[this.data.bodies.length - 1, [...tint, 1]]]),
    });
  }

  private column(k: number): number[] {
    return Array.from(this.rows.verdicts, (_, n) => this.rows.places[3 * n + k]);
  }

  private colour(place: number): number[] {
    const own = COLOURS[this.rows.verdicts[place]],
      tilt = this.rows.tilts[place];
    const chance = this.rows.chances?.[3 * place] ?? NaN;
    // under noise the map is of how likely it stands
    if (!Number.isNaN(chance))
      return COLOURS[1].map((value, k) =>
        chance < 0.5
          ? value + 2 * chance * (PALE[k] - value)
          : PALE[k] + (2 * chance - 1) * (COLOURS[0][k] - PALE[k]),
      );
    if (this.rows.verdicts[place] !== 0) return own;
    const part = Number.isNaN(tilt) ? 1 : tilt / this.greatest;
    return own.map((value, k) => PALE[k] + part * (value - PALE[k]));
  }

  // How large places are on the map: as far apart as the nearest two along each side.
  private measure(): void {
    const [x, y] = [0, 1].map((k) => [...new Set(this.column(k))].sort((a, b) => a - b));
    const gap = (values: number[]): number =>
      values.slice(1).reduce((least, value, n) => Math.min(least, value - values[n]), Infinity);
    const [wide, high] = [x.at(-1)! - x[0], y.at(-1)! - y[0]],
      most = Math.max(wide, high, 1e-6);
    this.step = [gap(x), gap(y)].map((each) =>
      Number.isFinite(each) ? Math.max(each, most / 150) : most / 20,
    ) as [number, number];
    this.scale = SIDE / (most + Math.max(...this.step));
    this.low = [x[0] - this.step[0] / 2, y[0] - this.step[1] / 2];
    Object.assign(this.map, {
      width: Math.ceil((wide + this.step[0]) * this.scale),
      height: Math.ceil((high + this.step[1]) * this.scale),
    });
  }

  private at(place: number): [number, number] {
    const [x, y] = this.rows.places.subarray(3 * place, 3 * place + 2);
    return [(x - this.low[0]) * this.scale, this.map.height - (y - this.low[1]) * this.scale];
  }

  private drawMap(): void {
    const pen = this.map.getContext("2d")!,
      [wide, high] = this.step.map((each) => each * this.scale);
    const yaw = this.rows.places[3 * this.place + 2];
    pen.clearRect(0, 0, this.map.width, this.map.height);
    this.rows.verdicts.forEach((_, place) => {
      if (this.rows.places[3 * place + 2] !== yaw) return;
      const [x, y] = this.at(place);
      pen.fillStyle = `rgb(${this.colour(place).map(Math.round)})`;
      pen.fillRect(x - wide / 2, y - high / 2, wide + 0.5, high + 0.5);
    });
    const [x, y] = this.at(this.place);
    pen.lineWidth = 2;
    pen.strokeRect(x - wide / 2, y - high / 2, Math.max(wide, 4), Math.max(high, 4));
  }

  // A slider for how the piece is turned.
  private makeTurn(panel: HTMLElement): void {
    const turn = make("input", "", make("label", "", panel, "turned by "));
    Object.assign(turn, { type: "range", min: "0", max: String(this.yaws.length - 1), value: "0" });
    turn.addEventListener("input", () => {
      const [x, y] = this.at(this.place);
      this.point(x, y, this.yaws[Number(turn.value)]);
    });
  }

  private point(x: number, y: number, yaw = this.rows.places[3 * this.place + 2]): void {
    let best = this.place,
      least = Infinity;
    this.rows.verdicts.forEach((_, place) => {
      const [u, v] = this.at(place),
        off = (u - x) ** 2 + (v - y) ** 2;
      if (this.rows.places[3 * place + 2] === yaw && off < least) [best, least] = [place, off];
    });
    if (best !== this.place) this.show(best);
  }
}
