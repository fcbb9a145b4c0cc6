// Mouse, fingers and keys over the table: they look around, take pieces, carry, turn, pull and lay them.

import type { Orbit } from "./orbit";

export interface Reach {
  // Whether a press here may take a piece, and take it. A place is from -1 to 1, right and up.
  canTake(x: number, y: number, isTouch: boolean): boolean;
  take(x: number, y: number, isTouch: boolean): void;
  tap(x: number, y: number, isTouch: boolean): void;
  hover(x: number, y: number): void;
  readonly holds: "" | "carry" | "pull";
  // The held piece goes below a place; or by as much as between two places.
  point(x: number, y: number): void;
  drag(from: [number, number], to: [number, number]): void;
  rest(): void; // a pull ends
  lay(isPassing?: boolean): void; // in passing: a finger or a button was lifted
  spin(degrees: number): void;
  raise(notches: number): void;
}

const idle = (): void => {};
// Where there is nothing to be taken.
const LOOKING: Reach = {
  ...{ holds: "", canTake: () => false, take: idle, tap: idle, hover: idle, point: idle },
  ...{ drag: idle, rest: idle, lay: idle, spin: idle, raise: idle },
};

const SLOP = 6; // pixels within which a press is a tap
const SPIN = 15 / 36; // degrees by a pixel, of a picture 720 high

interface Press {
  x: number;
  y: number;
  at: [number, number]; // last
  kind: "tap" | "take" | "carry" | "turn" | "look";
  button: number;
  isTouch: boolean;
}

export class Fingers {
  private readonly presses = new Map<number, Press>();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly orbit: Orbit,
    private readonly reach: Reach = LOOKING,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.lift(event, true));
    canvas.addEventListener("pointercancel", (event) => this.lift(event, false));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (this.reach.holds !== "carry" || event.ctrlKey) this.orbit.zoom(Math.exp(0.0011 * event.deltaY));
        // with shift browsers scroll sideways
        else if (event.shiftKey) this.reach.spin(-15 * Math.sign(event.deltaY || event.deltaX));
        else this.reach.raise(-Math.sign(event.deltaY));
      },
      { passive: false },
    );
  }

  private place(x: number, y: number): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [(2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height];
  }

  private press(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    const { clientX: x, clientY: y, button } = event,
      isTouch = event.pointerType === "touch";
    const holds = this.reach.holds;
    let kind: Press["kind"] = "tap";
    if (button === 1 || event.altKey) kind = "look";
    else if (button === 2) kind = holds === "carry" ? "turn" : "look";
    else if (this.presses.size) kind = "look";
    this.presses.set(event.pointerId, { x, y, at: [x, y], kind, button, isTouch });
    // a second finger ends what the first one began
    if (this.presses.size > 1) for (const each of this.presses.values()) each.kind = "look";
  }

  private move(event: PointerEvent): void {
    const press = this.presses.get(event.pointerId),
      [x, y] = [event.clientX, event.clientY];
    if (!press) {
      if (event.pointerType === "touch") return;
      if (this.reach.holds === "carry") this.reach.point(...this.place(x, y));
      else this.reach.hover(...this.place(x, y));
      return;
    }
    const before = press.at;
    if (press.kind === "tap") {
      if (Math.hypot(x - press.x, y - press.y) < SLOP) return;
      const from = this.place(press.x, press.y);
      if (this.reach.holds) press.kind = "carry";
      else if (this.reach.canTake(...from, press.isTouch)) {
        press.kind = "take";
        this.reach.take(...from, press.isTouch);
      } else press.kind = "look";
    }
    press.at = [x, y];
    if (press.kind === "look") this.look(event, before, press);
    else if (press.kind === "turn")
      this.reach.spin((SPIN * (x - before[0]) * 720) / this.canvas.clientHeight);
    else if (this.reach.holds === "pull" || (press.isTouch && press.kind === "carry"))
      this.reach.drag(this.place(...before), this.place(x, y));
    else if (this.reach.holds) this.reach.point(...this.place(x, y));
  }

  private look(event: PointerEvent, before: [number, number], press: Press): void {
    const high = this.canvas.clientHeight,
      [x, y] = press.at;
    const [right, down] = [(x - before[0]) / high, (y - before[1]) / high];
    const other = [...this.presses.values()].find((each) => each !== press);
    if (!other) {
      if (press.button === 2 || event.shiftKey) this.orbit.pan(right, down);
      else this.orbit.drag(right, down);
      return;
    }
    const [u, v] = other.at;
    this.orbit.zoom(Math.hypot(before[0] - u, before[1] - v) / Math.max(Math.hypot(x - u, y - v), 1));
    const turned = Math.atan2(y - v, x - u) - Math.atan2(before[1] - v, before[0] - u);
    if (this.reach.holds === "carry") {
      this.reach.spin((-180 / Math.PI) * Math.atan2(Math.sin(turned), Math.cos(turned)));
      this.orbit.drag(right / 2, down / 2);
    } else this.orbit.pan(right / 2, down / 2);
  }

  private lift(event: PointerEvent, isMeant: boolean): void {
    const press = this.presses.get(event.pointerId);
    this.presses.delete(event.pointerId);
    if (!press || !isMeant) return;
    const at = this.place(event.clientX, event.clientY);
    if (press.kind === "tap" && press.button === 0) {
      if (this.reach.holds === "carry" && !press.isTouch) this.reach.lay();
      else if (this.reach.holds === "carry") this.reach.point(...at);
      else this.reach.tap(...at, press.isTouch);
    } else if (this.reach.holds === "pull" && (press.kind === "carry" || press.kind === "take"))
      this.reach.rest();
    else if (press.kind === "take" || (press.kind === "carry" && !press.isTouch)) this.reach.lay(true);
  }
}
