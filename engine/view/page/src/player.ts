// A recording with its controls: play, scrub with marks, speed, camera, sound, and what is told.

import type { Numbers, RecordingData, Triple } from "./data";
import { Fingers } from "./fingers";
import { button, make, STILL, write } from "./dom";
import { Loop } from "./loop";
import { framing, Orbit } from "./orbit";
import { Sound } from "./sound";
import { Stage } from "./stage";
import { Tracks } from "./track";
import type { Camera } from "./maths";

const SPEEDS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];
const LEAD_S = 0.6; // before a fall, when going to it
const STAY_S = 3.2;
const STEP_S = 1 / 60;
const SVG = "http://www.w3.org/2000/svg";
const DROP = 0.6; // of the margin before: less is a drop

export class Player {
  seconds = 0;
  isPlaying = false;
  camera: "director" | "free" = "director";
  readonly poses: Float32Array;
  readonly seen: Uint8Array;
  hidden = new Set<number>();
  private readonly tracks: Tracks;
  private readonly path: Float32Array;
  private readonly sound: Sound;
  private readonly orbit: Orbit;
  readonly loop: Loop;
  private speed = SPEEDS.indexOf(1);
  private readonly bar: Record<string, HTMLElement> = {};
  private readonly scrub: HTMLInputElement;

  constructor(
    private readonly data: RecordingData,
    numbers: Numbers,
    private readonly stage: Stage,
    root: HTMLElement,
  ) {
    this.tracks = new Tracks(data, numbers);
    this.path = numbers.at(data.director.path) as Float32Array;
    this.poses = new Float32Array(7 * data.bodies.length);
    this.seen = new Uint8Array(data.bodies.length);
    this.sound = new Sound(data.sound);
    this.orbit = new Orbit(framing(data.sphere, 16 / 9));
    new Fingers(stage.canvas, this.orbit);
    this.orbit.onMove = () => {
      this.look("free");
    };
    this.scrub = this.makeBar(root);
    this.addKeys();
    // a drag begins from where the director looks now
    stage.canvas.addEventListener(
      "pointerdown",
      () => {
        this.orbit.camera = this.view();
      },
      { capture: true },
    );
    stage.canvas.addEventListener(
      "wheel",
      () => {
        this.orbit.camera = this.view();
      },
      { capture: true },
    );
    const asked = new URLSearchParams(location.search);
    const at = Number(asked.get("t"));
    this.seek(Number.isFinite(at) ? at : 0);
    // who wants no movement begins it, and moves the camera
    const { matches: isStill } = matchMedia(STILL);
    this.isPlaying = !asked.has("t") && !isStill;
    if (isStill) this.look("free");
    this.loop = new Loop(
      stage.canvas,
      (elapsed) => this.step(elapsed),
      () => this.draw(),
      !asked.has("full"),
    );
  }

  seek(seconds: number): void {
    this.seconds = Math.min(Math.max(seconds, 0), this.data.seconds);
    this.loop?.touch();
    this.tell();
  }

  look(camera: "director" | "free", from?: Camera): void {
    if (from) this.orbit.camera = from;
    this.camera = camera;
    this.bar.camera.textContent = camera;
    this.loop?.touch();
  }

  // Where the eye is now.
  view(): Camera {
    if (this.camera === "free") return this.orbit.camera;
    const { rate, fov } = this.data.director,
      count = this.path.length / 6;
    const place = Math.min(this.seconds * rate, count - 1),
      at = Math.min(Math.floor(place), Math.max(count - 2, 0)),
      part = place - at;
    const row = [0, 1, 2, 3, 4, 5].map((k) => {
      const here = this.path[k * count + at],
        there = this.path[k * count + Math.min(at + 1, count - 1)];
      return here + part * (there - here);
    });
    const aspect = this.stage.canvas.width / this.stage.canvas.height;
    // a tall screen shows as much across as the director planned with
    const wider = Math.max(1, 16 / 9 / Math.max(aspect, 0.56) / 1.25);
    const taller = (360 / Math.PI) * Math.atan(Math.tan((fov * Math.PI) / 360) * wider);
    return { eye: row.slice(0, 3) as Triple, target: row.slice(3) as Triple, fov: taller };
  }

  private step(elapsed: number): boolean {
    if (!this.isPlaying) return false;
    const before = this.seconds;
    this.seconds = Math.min(before + elapsed * SPEEDS[this.speed], this.data.seconds);
    this.sound.play(before, this.seconds, (place) => this.stage.across(place, this.view()));
    this.isPlaying = this.seconds < this.data.seconds;
    this.tell();
    return true;
  }

  draw(): void {
    this.tracks.sample(this.seconds, this.poses, this.seen);
    for (const n of this.hidden) this.seen[n] = 0;
    this.stage.draw({ camera: this.view(), poses: this.poses, seen: this.seen });
  }

  play(): void {
    if (!this.isPlaying && this.seconds >= this.data.seconds) this.seconds = 0;
    this.isPlaying = !this.isPlaying;
    this.tell();
  }

  private jump(direction: 1 | -1): void {
    const places = this.data.marks
      .filter(([, kind]) => kind === "fell")
      .map(([seconds]) => Math.max(seconds - LEAD_S, 0))
      .sort((a, b) => a - b);
    const ahead = places.filter((place) => place > this.seconds + 0.05),
      behind = places.filter((place) => place < this.seconds - 0.05);
    const chosen = direction > 0 ? ahead[0] : behind.at(-1);
    if (chosen !== undefined) this.seek(chosen);
  }

  private hurry(by: number): void {
    this.speed = Math.min(Math.max(this.speed + by, 0), SPEEDS.length - 1);
    const speed = SPEEDS[this.speed];
    this.bar.speed.textContent = speed < 1 ? `1/${1 / speed} x` : `${speed} x`;
  }

  // Clock, scrub bar, and the last line of the story.
  private tell(): void {
    const { lines, seconds } = this.data;
    this.scrub.value = String(this.seconds);
    write(this.bar.clock, `${clock(this.seconds)} / ${clock(seconds)}`);
    write(this.bar.play, this.isPlaying ? "Pause" : "Play");
    const told = lines.filter((line) => line[0] <= this.seconds + 1e-9);
    const line = told.filter((each) => each[1] && !each[1].startsWith("- ")).at(-1);
    const isOver = this.seconds >= seconds && this.data.result !== "";
    write(this.bar.who, told.at(-1)?.[2] ?? "");
    write(this.bar.line, isOver ? this.data.result : line && this.seconds - line[0] < STAY_S ? line[1] : "");
  }

  private makeBar(root: HTMLElement): HTMLInputElement {
    const head = make("header", "panel", root),
      bar = this.bar;
    make("h1", "", head, this.data.title);
    make("p", "quiet", head, this.data.players.join(" · "));
    const [short, means] = this.data.proof,
      proof = make("details", "quiet", head);
    make("summary", "", proof, short);
    make("p", "", proof, means);
    bar.who = make("p", "who", head);
    const foot = make("footer", "panel", root);
    bar.line = make("output", "line", foot);
    const rail = make("div", "rail", foot);
    this.drawMargins(rail);
    const scrub = make("input", "", rail);
    Object.assign(scrub, {
      type: "range",
      min: "0",
      max: String(this.data.seconds),
      step: "any",
      ariaLabel: "moment",
    });
    scrub.addEventListener("input", () => {
      this.isPlaying = false;
      this.seek(Number(scrub.value));
    });
    for (const [seconds, kind, text] of this.data.marks) {
      const mark = make("i", `mark ${kind}`, rail);
      mark.style.left = `${(100 * seconds) / Math.max(this.data.seconds, 1e-9)}%`;
      mark.title = text;
    }
    const row = make("div", "row", foot);
    button(row, "Prev fall", "The fall before (P)", () => this.jump(-1));
    bar.play = button(row, "Play", "Play or pause (space)", () => this.play());
    button(row, "Next fall", "The next fall (N)", () => this.jump(1));
    button(row, "-", "Slower", () => this.hurry(-1));
    bar.speed = make("span", "", row, "1 x");
    button(row, "+", "Faster", () => this.hurry(1));
    bar.camera = button(row, "director", "Who moves the camera: the director, or you (C)", () =>
      this.look(this.camera === "free" ? "director" : "free", this.view()),
    );
    bar.sound = button(row, "sound off", "Sound (S)", () => this.hear());
    bar.clock = make("span", "clock", row);
    return scrub;
  }

  // How firm the tower was over the whole game, and where that dropped.
  private drawMargins(rail: HTMLElement): void {
    const { margins, seconds: end } = this.data,
      known = margins.filter((each) => each[1] !== null).map((each) => each[1]!);
    if (known.length < 2 || !end) return;
    const top = Math.max(...known, 1e-9),
      picture = document.createElementNS(SVG, "svg"),
      line = document.createElementNS(SVG, "path"),
      title = document.createElementNS(SVG, "title");
    const of = (at: number): string => `${at.toFixed(1)} degrees`;
    const spans = margins.map(([from, degrees], at) => ({ from, to: margins[at + 1]?.[0] ?? end, degrees }));
    const boxes = spans.map(({ from, to, degrees }) =>
      degrees === null ? "" : `M${from} 1V${1 - degrees / top}H${to}V1Z`,
    );
    title.textContent = `How far the tower was from falling: ${of(Math.min(...known))} at least, ${of(top)} at most`;
    line.setAttribute("d", boxes.join(""));
    for (const [name, value] of Object.entries({
      class: "margins",
      viewBox: `0 0 ${end} 1`,
      preserveAspectRatio: "none",
      role: "img",
    }))
      picture.setAttribute(name, value);
    picture.append(title, line);
    rail.append(picture);
    picture.addEventListener("click", (event) => {
      const { left, width } = picture.getBoundingClientRect();
      this.seek((end * (event.clientX - left)) / width);
    });
    spans.forEach(({ from, degrees }, at) => {
      const before = spans[at - 1]?.degrees ?? null;
      if (degrees === null || before === null || degrees > DROP * before) return;
      const mark = make("i", "mark drop", rail);
      mark.style.left = `${(100 * from) / end}%`;
      mark.title = `The tower lost firmness: ${of(degrees)} from falling, ${of(before)} before`;
    });
  }

  private hear(): void {
    this.sound.turn(!this.sound.isOn);
    this.bar.sound.textContent = this.sound.isOn ? "sound on" : "sound off";
  }

  private addKeys(): void {
    const step = (by: number): void => {
      this.isPlaying = false;
      this.seek(this.seconds + by * STEP_S);
    };
    const keys: Record<string, () => void> = {
      " ": () => this.play(),
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      ".": () => step(1),
      ",": () => step(-1),
      n: () => this.jump(1),
      p: () => this.jump(-1),
      "+": () => this.hurry(1),
      "-": () => this.hurry(-1),
      Home: () => this.seek(0),
      End: () => this.seek(this.data.seconds),
      s: () => this.hear(),
      c: () => this.look(this.camera === "free" ? "director" : "free", this.view()),
    };
    addEventListener("keydown", (event) => {
      const press = keys[event.key];
      if (!press || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      press();
    });
  }
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}.${Math.floor(10 * (seconds - whole))}`;
}
