// When pictures are drawn: once a screen refresh while something changes, at the size that keeps up, and once more in
// full when all rests.

const [SLOW_MS, QUICK_MS] = [45, 25]; // a picture of the next size takes at most 1.7 times as long
const SCALES = [1, 0.8, 0.65, 0.5, 0.4, 0.32];
const REST_MS = 250;
const LOOK_BACK = 6;

export class Loop {
  pictures = 0;
  private isSteady = false; // the picture keeps its size
  first = 0; // when the first picture was drawn, by the page's own clock
  private level = 0;
  private due = true;
  private isFull = false;
  private before = 0;
  private changed = 0;
  private readonly lasted: number[] = [];

  // step: time passes, in seconds; returns whether the picture changes by itself. draw: at a share of the full size.
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly step: (seconds: number) => boolean,
    private readonly draw: () => void,
    private readonly isAdaptive = true,
  ) {
    new ResizeObserver(() => this.touch()).observe(canvas);
    requestAnimationFrame((now) => this.round(now));
  }

  touch(): void {
    this.due = true;
  }

  // Whether the picture keeps its full size for a while, however long one takes.
  steady(isSteady: boolean): void {
    [this.isSteady, this.isFull] = [false, isSteady];
    this.picture();
    this.isSteady = isSteady;
  }

  get scale(): number {
    return this.isFull ? 1 : SCALES[this.level];
  }

  private round(now: number): void {
    const elapsed = this.before ? now - this.before : 0;
    this.before = now;
    const isMoving = this.step(Math.min(elapsed / 1000, 0.25));
    if (isMoving || this.due) {
      this.adapt(elapsed);
      this.changed = now;
      this.isFull = this.isSteady;
      this.due = false;
      this.picture();
    } else if (!this.isFull && !this.isSteady && now - this.changed > REST_MS) {
      this.lasted.length = 0;
      this.isFull = true;
      this.picture();
    }
    requestAnimationFrame((later) => this.round(later));
  }

  private adapt(elapsed: number): void {
    if (!this.isAdaptive || this.isSteady || !elapsed) return;
    this.lasted.push(elapsed);
    if (this.lasted.length < LOOK_BACK) return;
    const middle = this.lasted.sort((a, b) => a - b)[LOOK_BACK >> 1];
    this.lasted.length = 0;
    // two at once where one would not do
    if (middle > SLOW_MS)
      this.level = Math.min(this.level + (middle > 2 * SLOW_MS ? 2 : 1), SCALES.length - 1);
    else if (middle < QUICK_MS) this.level = Math.max(this.level - 1, 0);
  }

  picture(): void {
    const share = this.scale * Math.min(devicePixelRatio, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * share)),
      height = Math.max(1, Math.round(this.canvas.clientHeight * share));
    if (!this.isSteady && (this.canvas.width !== width || this.canvas.height !== height))
      Object.assign(this.canvas, { width, height });
    this.draw();
    this.first ||= performance.now();
    ++this.pictures;
  }
}
