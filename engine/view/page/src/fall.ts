// A fall at a seat: the director's camera, to which the eye glides and from which it comes back, and what stands below.

import type { Triple } from "./data";
import { download, STILL } from "./dom";
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

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly desk: HTMLElement,
    private readonly steady: (isSteady: boolean) => void,
  ) {}

  // The fall that is seen next is kept as a film.
  keep(): void {
    this.keeps = typeof MediaRecorder !== "undefined";
  }

  // null: nothing falls.
  hear(news: FallNews | null): void {
    const before = this.state;
    this.state = news?.state ?? "";
    this.keeps &&= this.state !== "";
    if (this.keeps && this.state === "falls") this.record();
    if (before === "falls" && this.state !== "falls" && this.film) {
      const film = this.film;
      this.film = null;
      setTimeout(() => film.stop(), AFTER_MS);
    }
    // where movement is not wanted a fall is seen from where it begins, and the wreck from where it lies
    if (news?.state !== before || !matchMedia(STILL).matches)
      this.goal = news?.eye.length
        ? { eye: news.eye as Triple, target: news.target as Triple, fov: news.fov }
        : null;
    this.desk.classList.toggle("falls", this.state !== "");
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
      download(`fall.${type === "video/mp4" ? "mp4" : "webm"}`, new Blob(parts, { type }));
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
