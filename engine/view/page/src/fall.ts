// A fall at a seat: the director's camera, to which the eye glides and from which it comes back, and what stands below.

import { button, make, write } from "./dom";
import type { Triple } from "./data";
import { add, length, minus, type Camera } from "./maths";
import type { FallNews } from "./protocol";

const STIFF = 5; // a second: half of the way takes 0.4 s
const NEAR = [3e-4, 3e-4, 3e-4, 3e-3, 1e-3, 1e-3, 0.05];
const PLANNED = 16 / 9; // width by height, for which the director plans

export class Fall {
  state: FallNews["state"] = "";
  private goal: Camera | null = null;
  private at: number[] | null = null;
  private speed: number[] = [];
  private readonly panel: HTMLElement;
  private readonly told: HTMLElement;
  private readonly row: HTMLElement;

  constructor(
    private readonly canvas: HTMLElement,
    private readonly desk: HTMLElement,
    send: (type: "go_on" | "watch_again") => void,
  ) {
    this.panel = make("section", "fall panel", desk);
    this.panel.setAttribute("aria-live", "assertive");
    this.panel.hidden = true;
    this.told = make("h1", "", this.panel);
    this.row = make("div", "row", this.panel);
    const on = button(this.row, "Continue", "The game goes on", () => send("go_on"));
    on.className = "main";
    on.dataset.act = "go_on";
    const again = button(this.row, "Watch again", "See it fall once more", () => send("watch_again"));
    again.dataset.act = "watch_again";
  }

  // Whether who looks may go on.
  hear(news: FallNews, may: boolean): void {
    this.state = news.state;
    this.goal = news.eye.length
      ? { eye: news.eye as Triple, target: news.target as Triple, fov: news.fov }
      : null;
    this.desk.classList.toggle("falls", this.state !== "");
    this.panel.hidden = this.state === "";
    this.row.hidden = this.state !== "wreck" || !may;
    write(this.told, this.state === "wreck" ? news.told : "It falls!");
  }

  // Goes on. Returns whether the eye moves.
  step(elapsed: number, own: Camera): boolean {
    if (!this.at && (!this.state || !this.goal)) return false;
    const goal = row(this.state && this.goal ? this.widened(this.goal) : own);
    if (!this.at) [this.at, this.speed] = [row(own), goal.map(() => 0)];
    const { at, speed } = this;
    goal[4] = at[4] + Math.atan2(Math.sin(goal[4] - at[4]), Math.cos(goal[4] - at[4]));
    const count = Math.max(1, Math.ceil(elapsed / 0.02));
    for (let n = 0; n < count; ++n)
      for (let k = 0; k < 7; ++k) {
        speed[k] += ((STIFF * STIFF * (goal[k] - at[k]) - 2 * STIFF * speed[k]) * elapsed) / count;
        at[k] += (speed[k] * elapsed) / count;
      }
    if (!this.state && goal.every((value, k) => Math.abs(value - at[k]) < NEAR[k])) this.at = null;
    return true;
  }

  camera(own: Camera): Camera {
    if (!this.at) return own;
    const [x, y, z, size, around, up, fov] = this.at,
      away = Math.exp(size) / Math.tan((fov * Math.PI) / 360),
      level = away * Math.cos(up);
    const eye = add([x, y, z], [level * Math.cos(around), level * Math.sin(around), away * Math.sin(up)]);
    return { eye, target: [x, y, z], fov };
  }

  // As much across on a tall screen as on the one that the director plans for.
  private widened({ eye, target, fov }: Camera): Camera {
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1),
      // while it stands it is narrow, as the wreck is not
      wide = this.state === "wreck" ? PLANNED / aspect : PLANNED / Math.max(aspect, 0.56) / 1.25,
      wider = Math.max(1, wide),
      off = minus(eye, target);
    return { eye: add(target, off, wider), target, fov };
  }
}

// Target, logarithm of the half height that is seen there, azimuth, elevation, field of view.
function row({ eye, target, fov }: Camera): number[] {
  const off = minus(eye, target),
    away = length(off);
  return [
    ...target,
    Math.log(away * Math.tan((fov * Math.PI) / 360)),
    Math.atan2(off[1], off[0]),
    Math.asin(off[2] / away),
    fov,
  ];
}
