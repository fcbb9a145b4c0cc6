// A fall at a seat: the director's camera, to which the eye glides and from which it comes back, and what stands below.

import { button, make, write } from "./dom";
import type { Triple } from "./data";
import { Glide } from "./glide";
import { add, minus, type Camera } from "./maths";
import type { FallNews } from "./protocol";

const AFTER_MS = 1500; // of the wreck, at the end of a clip
const PLANNED = 16 / 9; // width by height, for which the director plans

export class Fall {
  state: FallNews["state"] = "";
  private goal: Camera | null = null;
  private keeps = false; // what comes is to be kept as a film
  private film: MediaRecorder | null = null;
  private shown: Camera | null = null;
  private readonly glide = new Glide();
  private readonly panel: HTMLElement;
  private readonly told: HTMLElement;
  private readonly row: HTMLElement;
  private readonly more: HTMLElement; // what shows it once more

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly desk: HTMLElement,
    send: (type: "go_on" | "watch_again") => void,
    private readonly steady: (isSteady: boolean) => void,
  ) {
    this.panel = make("section", "fall panel", desk);
    this.panel.setAttribute("aria-live", "assertive");
    this.panel.hidden = true;
    this.told = make("h1", "", this.panel);
    this.row = make("div", "row", this.panel);
    const on = button(this.row, "Continue", "The game goes on", () => send("go_on"));
    on.className = "main";
    on.dataset.act = "go_on";
    this.more = make("span", "row", this.row);
    const again = button(this.more, "Watch again", "See it fall once more", () => send("watch_again"));
    again.dataset.act = "watch_again";
    const keep = button(this.more, "Save this clip", "See it once more, and keep that as a film", () => {
      this.keeps = true;
      send("watch_again");
    });
    keep.dataset.act = "clip";
    keep.hidden = typeof MediaRecorder === "undefined";
  }

  // null: nothing falls. may: who looks may go on.
  hear(news: FallNews | null, may: boolean): void {
    const before = this.state;
    this.state = news?.state ?? "";
    this.keeps &&= this.state !== "";
    if (this.keeps && this.state === "falls") this.record();
    if (before === "falls" && this.state !== "falls" && this.film) {
      const film = this.film;
      this.film = null;
      setTimeout(() => film.stop(), AFTER_MS);
    }
    this.goal = news?.eye.length
      ? { eye: news.eye as Triple, target: news.target as Triple, fov: news.fov }
      : null;
    this.desk.classList.toggle("falls", this.state !== "");
    this.panel.hidden = this.state === "";
    this.row.hidden = this.state !== "wreck" || !may;
    this.more.hidden = !this.goal;
    write(this.told, this.state === "wreck" ? news!.told : "It falls!");
  }

  // Keeps what is drawn from now on, until the wreck has been seen for a moment.
  private record(): void {
    this.keeps = false;
    this.steady(true);
    const parts: Blob[] = [],
      type = ["video/mp4", "video/webm"].find((each) => MediaRecorder.isTypeSupported(each));
    const film = new MediaRecorder(this.canvas.captureStream(30), {
      mimeType: type,
      videoBitsPerSecond: 6e6,
    });
    film.ondataavailable = (event) => parts.push(event.data);
    film.onstop = () => {
      this.steady(false);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(parts, { type }));
      link.download = `fall.${type === "video/mp4" ? "mp4" : "webm"}`;
      link.click();
    };
    film.start();
    this.film = film;
  }

  // Goes on. Returns whether the eye moves.
  step(elapsed: number, own: Camera): boolean {
    const led = this.state && this.goal ? this.widened(this.goal) : null;
    if (!led && !this.shown) return false;
    this.shown = this.glide.step(elapsed, own, led ?? own);
    if (!led && this.glide.rests) {
      this.glide.stop();
      this.shown = null;
    }
    return true;
  }

  camera(own: Camera): Camera {
    return this.shown ?? own;
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
