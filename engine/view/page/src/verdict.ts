// A verdict: the scene with its forces, or the motion in which it fails, and the proof, checked here.

import { Fingers } from "./fingers";
import { check, RefusedError } from "./certificate";
import type { Numbers, Triple, VerdictData } from "./data";
import { button, make } from "./dom";
import { Loop } from "./loop";
import { cross, length } from "./maths";
import { framing, Orbit } from "./orbit";
import { difference } from "./proven";
import type { Overlay } from "./marks";
import type { Stage } from "./stage";

const SLICE_MS = 12; // of checking between two pictures
const SWING_S = 2.6; // in which the mechanism goes there and back
const REACH = 0.16; // of the scene's radius: how far the fastest piece goes
const GHOST = [0.78, 0.25, 0.17, 0.22];

export class VerdictView {
  readonly loop: Loop;
  claim: string | null = null;
  refusal = "";
  private readonly poses: Float32Array;
  private readonly moved: Float32Array;
  private readonly seen: Uint8Array;
  private readonly orbit: Orbit;
  private readonly layers: Record<string, Overlay[]> = { forces: [], motion: [], support: [], ghosts: [] };
  private readonly shows: Record<string, boolean> = {};
  private readonly marks = new Map<number, number[]>();
  private seconds = 0;

  constructor(
    private readonly data: VerdictData,
    numbers: Numbers,
    private readonly stage: Stage,
    root: HTMLElement,
  ) {
    const count = data.bodies.length;
    this.poses = new Float32Array(7 * count);
    data.bodies.forEach((body, n) => this.poses.set(body.pose!, 7 * n));
    this.moved = this.poses.slice();
    this.seen = new Uint8Array(count).fill(1);
    if (data.weakest)
      this.marks.set(
        data.bodies.findIndex((body) => body.name === data.weakest!.name),
        data.weakest.colour,
      );
    for (const solid of data.solids)
      this.layers[solid.layer].push({
        model: stage.props.mesh({ ...solid, scale: 1, grain: [], along: null }, numbers),
        ink: solid.ink,
      });
    for (const ghost of data.ghosts)
      this.layers.ghosts.push({ model: stage.modelOf(ghost.body), ink: GHOST, pose: ghost.pose, glass: 1 });
    this.orbit = new Orbit(framing(data.sphere, innerWidth / innerHeight));
    new Fingers(stage.canvas, this.orbit);
    this.orbit.frame(data.sphere, this.makePanel(root));
    this.orbit.onMove = () => this.loop.touch();
    this.loop = new Loop(
      stage.canvas,
      (elapsed) => this.step(elapsed),
      () => this.draw(),
    );
  }

  look(camera: Orbit["camera"]): void {
    this.orbit.camera = camera;
    this.loop.touch();
  }

  draw(): void {
    const overlays = Object.entries(this.layers).flatMap(([name, own]) => (this.shows[name] ? own : []));
    const poses = this.shows.motion ? this.moved : this.poses;
    this.stage.draw({ camera: this.orbit.camera, poses, seen: this.seen, marks: this.marks, overlays });
  }

  private step(elapsed: number): boolean {
    if (!this.shows.motion) return false;
    this.seconds += elapsed;
    const part = (1 - Math.cos((2 * Math.PI * this.seconds) / SWING_S)) / 2;
    this.displace(part);
    return true;
  }

  // Goes a part of the way along the mechanism: every piece at its own velocity, as screws do.
  displace(part: number): void {
    const { bodies, mechanism, sphere } = this.data;
    const speeds = bodies.map((body) => {
      const own = mechanism[body.name];
      return own ? length(own[0]) + (length(own[1]) * length(body.extents)) / 2 : 0;
    });
    const factor = (part * REACH * sphere[3]) / Math.max(...speeds, 1e-12);
    bodies.forEach((body, n) => {
      const own = mechanism[body.name];
      if (!own) return;
      const [linear, angular, centre] = own;
      const angle = factor * length(angular),
        size = Math.max(length(angular), 1e-12);
      const axis = angular.map((value) => value / size) as Triple,
        [s, w] = [Math.sin(angle / 2), Math.cos(angle / 2)];
      const [x, y, z] = [s * axis[0], s * axis[1], s * axis[2]];
      const pose = this.poses.subarray(7 * n, 7 * n + 7);
      const off: Triple = [pose[0] - centre[0], pose[1] - centre[1], pose[2] - centre[2]];
      // the piece turns about its centre of mass while that moves on
      const twice = cross([x, y, z], off).map((value) => 2 * value) as Triple,
        more = cross([x, y, z], twice);
      for (let k = 0; k < 3; ++k)
        this.moved[7 * n + k] = centre[k] + off[k] + w * twice[k] + more[k] + factor * linear[k];
      const [a, b, c, d] = pose.subarray(3);
      this.moved.set(
        [
          w * a + x * d + y * c - z * b,
          w * b - x * c + y * d + z * a,
          w * c + x * b - y * a + z * d,
          w * d - x * a - y * b - z * c,
        ],
        7 * n + 3,
      );
    });
  }

  private makePanel(root: HTMLElement): HTMLElement {
    const data = this.data,
      panel = make("header", "panel", root);
    make("h1", "", panel, data.title);
    make("p", `word ${data.word}`, panel, data.word);
    make("p", "", panel, data.headline);
    const facts = make("dl", "", panel);
    for (const [label, text] of data.rows) {
      make("dt", "", facts, label);
      make("dd", "", facts, text);
    }
    for (const sentence of data.why) make("p", "", panel, sentence);
    if (data.noise) make("p", "", panel, data.noise);
    this.prove(make("p", "proof", panel, "Checking the proof ..."));
    const row = make("div", "row", panel);
    const names = {
      forces: "Forces",
      support: "Support",
      motion: "How it would move",
      ghosts: data.noise ? "Copies that fell" : "What was changed",
    };
    for (const [name, words] of Object.entries(names)) {
      const has =
        this.layers[name].length > 0 || (name === "motion" && Object.keys(data.mechanism).length > 0);
      this.shows[name] = has && (name !== "motion" || data.word === "topples");
      if (!has) continue;
      const key = button(row, words, "", () => {
        this.shows[name] = !this.shows[name];
        key.ariaPressed = String(this.shows[name]);
        this.loop.touch();
      });
      key.ariaPressed = String(this.shows[name]);
    }
    const legend = make("div", "legend", panel);
    for (const [colour, text] of data.legend) {
      const line = make("p", "", legend);
      make("span", "dot", line).style.background = colour;
      line.append(text);
    }
    return panel;
  }

  // Checks the certificate a slice at a time, and marks what it proves.
  private prove(line: HTMLElement): void {
    const certificate = this.data.certificate;
    if (!certificate || certificate.claim === null) {
      line.textContent = certificate
        ? `No proof: ${String(certificate.why)}.`
        : "No proof comes with this page.";
      this.refusal = line.textContent;
      return;
    }
    const steps = check(certificate);
    const slice = (): void => {
      const until = performance.now() + SLICE_MS;
      try {
        for (;;) {
          const { done, value } = steps.next();
          if (done) {
            const { props } = this.stage;
            const other = difference(
              certificate,
              value,
              this.data,
              (n) => props.shapes[props.bodies[n].mesh].points,
            );
            if (other) throw new RefusedError(`it is of something else than is shown: ${other}`);
            this.claim = value;
            line.className = "proof proven";
            line.textContent = `✓ Proven here, in exact fractions: it ${this.claim}. Margins are not part of the proof.`;
            return;
          }
          if (performance.now() > until) break;
        }
        setTimeout(slice);
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        this.refusal = error.message;
        line.className = "proof refused";
        line.textContent = `✗ The proof is refused: ${error.message}.`;
      }
    };
    setTimeout(slice);
  }
}
