// From where a seat looks: the whole table in what the panels leave free, and what is held always in it.

import type { SceneData, Triple } from "./data";
import { axesOf, rayOf, seenAt, type Camera } from "./maths";
import { framing, Orbit } from "./orbit";

const VIEWS: [right: number, up: number, closer: number][] = [
  [0, 0, 1],
  [90, 0, 1],
  [-90, 0, 1],
  [0, 60, 1],
  [0, 0, 0.55],
];
const IN_VIEW = 0.06; // of the picture's height: so far inside stays what is held
const BACK = 0.7; // e-foldings a second, going back for it

export interface Clear {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class Outlook {
  readonly orbit: Orbit;
  sphere: SceneData["sphere"] | null = null; // of the table, once it is known
  private view = 0;
  private isMine = false; // somebody has moved it

  // clear: the rectangle of the picture that is free, in pixels.
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly clear: () => Clear,
    private readonly touch: () => void,
  ) {
    this.orbit = new Orbit(canvas, framing([0, 0, 0.1, 0.4], innerWidth / innerHeight), true);
    this.orbit.onMove = () => {
      this.isMine = true;
      touch();
    };
    new ResizeObserver(() => this.frame()).observe(canvas);
  }

  get camera(): Camera {
    return this.orbit.camera;
  }

  get axes(): [Triple, Triple, Triple] {
    return axesOf(this.camera);
  }

  // Through a place of the picture, from -1 to 1, right and up.
  ray(x: number, y: number): Triple {
    return rayOf(this.camera, x, y, this.canvas.clientWidth / this.canvas.clientHeight);
  }

  next(): void {
    this.view = (this.view + 1) % VIEWS.length;
    this.isMine = false;
    this.frame();
  }

  // As long as nobody has moved the camera.
  frame(): void {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (this.isMine || !this.sphere || !wide || !high) return;
    const { left, top, right, bottom } = this.clear();
    const across = Math.max(right - left, 0.3 * wide),
      up = Math.max(bottom - top, 0.3 * high),
      [turned, above, closer] = VIEWS[this.view];
    this.orbit.camera = framing(this.sphere, across / up);
    this.orbit.turn(turned, above);
    this.orbit.zoom((high / up) * closer);
    this.orbit.pan(((left + right) / 2 - wide / 2) / high, ((top + bottom) / 2 - high / 2) / high);
    this.isMine = false;
    this.touch();
  }

  // Goes back until a place is where no panel is. Returns whether it had to.
  keep(place: Triple, seconds: number): boolean {
    const { clientWidth: wide, clientHeight: high } = this.canvas,
      at = seenAt(this.camera, place, wide / high);
    if (!at) return false;
    const [x, y] = [((1 + at[0]) / 2) * wide, ((1 - at[1]) / 2) * high],
      near = IN_VIEW * high,
      { left, top, right, bottom } = this.clear();
    if (x > left + near && x < right - near && y > top + near && y < bottom - near) return false;
    return this.orbit.zoom(Math.exp(BACK * seconds));
  }
}
