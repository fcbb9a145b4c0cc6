// Where everything is at any second of a recording. Between two frames pieces go straight.

import type { BodyRow, Numbers, RecordingData } from "./data";

interface Way {
  frames: Float64Array;
  poses: Float32Array;
  there: number[];
}

export class Tracks {
  readonly times: Float64Array;
  private readonly ways: Way[];

  constructor(data: RecordingData, numbers: Numbers) {
    const [position, rotation, time] = data.quanta;
    this.times = numbers.sums(data.times, data.frames).map((steps) => steps * time);
    this.ways = data.bodies.map((body: BodyRow) => {
      const track = body.track!;
      const poses = new Float32Array(7 * track.keys);
      track.steps.forEach((place, k) => {
        const quantum = k < 3 ? position : rotation;
        numbers.sums(place, track.keys).forEach((steps, key) => {
          poses[7 * key + k] = steps * quantum;
        });
      });
      return { frames: numbers.sums(track.gaps, track.keys), poses, there: track.there };
    });
  }

  sample(seconds: number, poses: Float32Array, seen: Uint8Array): void {
    const frame = last(this.times, seconds);
    const next = Math.min(frame + 1, this.times.length - 1);
    const span = this.times[next] - this.times[frame];
    const part = span > 0 ? Math.min(Math.max((seconds - this.times[frame]) / span, 0), 1) : 0;
    this.ways.forEach((way, n) => {
      seen[n] = Number(isThere(way, frame) && (part === 0 || isThere(way, next)));
      if (!seen[n]) return;
      const a = 7 * last(way.frames, frame),
        b = 7 * last(way.frames, next);
      for (let k = 0; k < 7; ++k)
        poses[7 * n + k] = way.poses[a + k] + part * (way.poses[b + k] - way.poses[a + k]);
    });
  }
}

// The place of the last of rising numbers that is not above a value; the first when all are.
export function last(rising: ArrayLike<number>, value: number): number {
  let low = 0,
    high = rising.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (rising[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}

function isThere(way: Way, frame: number): boolean {
  return way.there.filter((edge) => edge <= frame).length % 2 === 1;
}
