// From where a seat looks: the tower in its share of what the panels leave free, what may be reached for in it too, and
// what is held always.

import type { Triple } from "./data";
import { apart, Glide } from "./glide";
import { add, axesOf, fitted, leaned, minus, rayOf, seenAt, type Camera, type Lean } from "./maths";
import { framing, Orbit } from "./orbit";
import type { FrameNews } from "./protocol";

const VIEWS: [right: number, up: number, closer: number][] = [
  [0, 0, 1],
  [90, 0, 1],
  [-90, 0, 1],
  [0, 60, 1],
  [0, 0, 0.55],
];
const ASIDE = 18; // degrees beside straight ahead
const HOME = framing([0, 0, 0.1, 0.4], 1, -90 + ASIDE, 24);
const IN_VIEW = 0.06; // of the picture's height: so far inside stays what is held
const BACK = 0.7; // e-foldings a second, going back for it
const SHARE = 0.55; // of the free height, what the tower takes
const LEAST = 0.3; // of the picture, what counts as free
const EDGE = 0.02; // of what is free, along each side: empty
const BEFORE = 0.1; // metres before the tower's middle: where a hand waits that has taken something
const UNFELT = 0.04; // of the picture: what would be seen better by so little is left as it is
const [LEAN_S, LEAST_LEAN] = [0.15, 0.02]; // in which two thirds of a tilt are seen, and degrees that are none
const LAID_S = 3; // after something was laid, in which a view of one's own goes that does not see it
const FRAME_S = 0.25; // between two looks at what is to be seen

export interface Clear {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class Outlook {
  readonly orbit: Orbit;
  frame: FrameNews | null = null; // what is to be seen, once it is known
  tilts = [0, 0]; // degrees downhill, along x and y
  pivot: Triple = [0, 0, 0]; // the middle of the table
  private tilted = [0, 0]; // as far as it is seen
  private view = 0;
  private home = HOME;
  private isAtHome = false; // it is known where a seat has its own things
  private goal: Camera | null = null; // to which the eye is on its way
  private isFirst = true;
  private isMine = false; // somebody has moved it or zoomed
  private looked = 0;
  isFollowing = false; // the eye goes along with what is held
  private held: Triple | null = null; // where something was held last
  private laid = Infinity; // seconds since the tower became another one
  private readonly glide = new Glide();

  // clear: the rectangle of the picture that is free, in pixels. reaches: whether pieces beside the tower are reached for.
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly clear: () => Clear,
    private readonly reaches: () => boolean,
    private readonly touch: () => void,
  ) {
    this.orbit = new Orbit(HOME);
    this.orbit.onMove = (isTurn) => {
      this.rest();
      this.isMine ||= !isTurn;
      if (isTurn && !this.isMine) this.orbit.camera = this.fit(this.orbit.camera) ?? this.orbit.camera;
      touch();
    };
  }

  // As it is seen: around a table that tilts the room is turned, and the eye with it.
  get camera(): Camera {
    return this.lean ? leaned(this.orbit.camera, this.lean) : this.orbit.camera;
  }

  get lean(): Lean | null {
    const [u, v] = this.tilted,
      degrees = Math.hypot(u, v),
      half = (degrees * Math.PI) / 360,
      part = Math.sin(half) / degrees;
    return degrees ? { turn: [part * v, -part * u, 0, Math.cos(half)], pivot: this.pivot } : null;
  }

  // Tilts on towards so many degrees downhill, along x and y. Returns whether that is seen.
  private tilt(seconds: number): boolean {
    const off = [0, 1].map((k) => this.tilts[k] - this.tilted[k]),
      part = Math.hypot(...off) < LEAST_LEAN ? 1 : 1 - Math.exp(-seconds / LEAN_S);
    this.tilted = [0, 1].map((k) => this.tilted[k] + part * off[k]);
    return off.some((each) => each !== 0);
  }

  get axes(): [Triple, Triple, Triple] {
    return axesOf(this.camera);
  }

  // What is to the right of who looks, on the level.
  get right(): [number, number] {
    const [[x, y]] = this.axes,
      size = Math.hypot(x, y);
    return [x / size, y / size];
  }

  // Through a place of the picture, from -1 to 1, right and up.
  ray(x: number, y: number): Triple {
    return rayOf(this.camera, x, y, this.canvas.clientWidth / this.canvas.clientHeight);
  }

  // Where a place is in the picture, pixels from the upper left; null behind the eye.
  seen(place: Triple): [number, number] | null {
    const { clientWidth: wide, clientHeight: high } = this.canvas,
      at = seenAt(this.camera, place, wide / high);
    return at && [((1 + at[0]) / 2) * wide, ((1 - at[1]) / 2) * high];
  }

  // In a tall picture the tower and all that lies around it would be small: it has either of them.
  private get isTall(): boolean {
    return this.canvas.clientHeight > this.canvas.clientWidth;
  }

  // Where what was taken is brought in a tall picture, which what lies around leaves then; null where it stays.
  get waiting(): [number, number] | null {
    if (!this.isTall || !this.frame) return null;
    const [x0, y0, , x1, y1] = this.frame.tower,
      [, ahead] = this.axes,
      part = BEFORE / Math.hypot(ahead[0], ahead[1]);
    return [(x0 + x1) / 2 - part * ahead[0], (y0 + y1) / 2 - part * ahead[1]];
  }

  next(view = (this.view + 1) % VIEWS.length): void {
    this.view = view;
    const [right, up, closer] = VIEWS[this.view],
      from = this.orbit.camera;
    this.isMine = false;
    this.orbit.camera = this.home;
    this.orbit.turn(right, up);
    if (closer !== 1) this.orbit.zoom(closer);
    [this.goal, this.orbit.camera] = [this.orbit.camera, from];
  }

  private rest(): void {
    this.goal = null;
    this.glide.stop();
  }

  // The camera that looks the same way and sees what is to be seen; null where nobody knows.
  private fit(towards: Camera): Camera | null {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (!this.frame || !wide || !high) return null;
    const { left, top, right, bottom } = this.clear(),
      [x0, y0] = [left / wide, top / high],
      [x1, y1] = [Math.max(right / wide, x0 + LEAST), Math.max(bottom / high, y0 + LEAST)];
    const within = (share: number, edge: number): number[] => {
      const [across, along] = [edge * (x1 - x0), ((1 - share) / 2) * (y1 - y0)];
      return [x0 + across, y0 + along, x1 - across, y1 - along];
    };
    const tower = corners(this.frame.tower),
      others = this.isTall && !this.reaches() ? [] : corners(this.frame.others),
      near = fitted(tower, towards, wide / high, within(SHARE, EDGE));
    if (!others.length) return near;
    return fitted([...tower, ...others], towards, wide / high, within(1 - 2 * EDGE, EDGE), near.eye);
  }

  // Goes on. Returns whether the eye moves.
  step(seconds: number): boolean {
    this.laid += seconds;
    if ((this.looked += seconds) > FRAME_S) this.look();
    const tilts = this.tilt(seconds);
    if (!this.goal) return tilts;
    this.orbit.camera = this.glide.step(seconds, this.orbit.camera, this.goal);
    if (this.glide.rests) this.rest();
    return true;
  }

  // Sees what is to be seen, as long as nobody has moved the camera.
  private look(): void {
    this.looked = 0;
    if (this.held && this.laid < LAID_S) this.isMine &&= this.isClear(this.held);
    const before = this.goal ?? this.orbit.camera,
      goal = this.isMine ? null : this.fit(before);
    if (!goal || apart(goal, before) < UNFELT) return;
    if (this.isFirst) this.orbit.camera = goal;
    else this.goal = goal;
    this.isFirst = false;
    this.touch();
  }

  // What is to be seen from now on.
  show(frame: FrameNews | null): void {
    const was = this.frame?.tower ?? [];
    if (frame?.tower.some((value, k) => value !== was[k])) this.laid = 0;
    this.frame = frame;
    if (frame?.home.length && !this.isAtHome) this.sit(frame.home);
  }

  // Looks from the side of the table where a seat has its own things.
  private sit([x, y]: number[]): void {
    this.isAtHome = true;
    this.home = framing([0, 0, 0.1, 0.4], 1, (Math.atan2(y, x) * 180) / Math.PI + ASIDE, 24);
    if (this.isMine) return;
    this.goal = null;
    this.orbit.camera = this.home;
    this.isFirst = true;
  }

  // Whether a place is seen where no panel is.
  private isClear(place: Triple): boolean {
    const at = this.seen(place),
      near = IN_VIEW * this.canvas.clientHeight,
      { left, top, right, bottom } = this.clear();
    if (!at) return true;
    const [x, y] = at;
    return x > left + near && x < right - near && y > top + near && y < bottom - near;
  }

  // Goes back until a place is where no panel is. Returns whether it had to.
  keep(place: Triple, seconds: number): boolean {
    const by = this.isFollowing && this.held ? minus(place, this.held) : null;
    this.held = place;
    if (by && Math.hypot(...by) < BEFORE) {
      const { eye, target, fov } = this.orbit.camera;
      this.orbit.camera = { eye: add(eye, by, 1), target: add(target, by, 1), fov };
      this.isMine = true;
      return true;
    }
    return this.isMine && !this.isClear(place) && this.orbit.zoom(Math.exp(BACK * seconds));
  }
}

// Of a box, by its least and greatest corner.
function corners(box: number[]): Triple[] {
  return box.length
    ? [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [
        box[3 * (n & 1)],
        box[1 + 3 * ((n >> 1) & 1)],
        box[2 + 3 * (n >> 2)],
      ])
    : [];
}
