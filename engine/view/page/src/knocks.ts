// What is heard of a live table: a piece whose speed changes at once, by more than gravity does, was struck.

import type { Triple } from "./data";
import type { Live } from "./live";
import type { Props } from "./props";
import { Sound } from "./sound";

const JUMP = 0.12; // m/s
const GRAVITY = 9.81;
const AGAIN_S = 0.05; // in which changes of speed are one impact
const MOST_S = 0.25; // between two pictures that tell a speed
const OLD = 6; // impacts of a picture, the strongest
const DENSITY = 650; // kg/m3, of beech
const FULL = 0.05; // Ns
// of a wooden block of so many millimetres: free bars, measured by ear against films
const [HERTZ, TABLE_HERTZ] = [62_000, 210];

const HARD = 0.1; // an impact that is felt

// Milliseconds for which a phone shakes, where it may.
export const buzz = (ms: number): void => void navigator.vibrate?.(Math.round(ms));

interface Before {
  step: number;
  place: Triple;
  speed: Triple | null;
  struck: number;
}

export class Knocks {
  private sound: Sound | null = null;
  private readonly before = new Map<number, Before>();
  private readonly known = new Map<number, number>(); // the sound of a body's size
  private readonly sounds: ConstructorParameters<typeof Sound>[0]["sounds"] = [];

  constructor(private readonly across: (place: Triple) => number) {}

  // Returns whether there is sound now.
  turn(): boolean {
    this.sound ??= new Sound({ sounds: this.sounds, impacts: [], seconds: 0.35 });
    this.sound.turn(!this.sound.isOn);
    return this.sound.isOn;
  }

  hear(live: Live, moved: number[], props: Props, held: number, rate: number): void {
    const found: { body: number; loudness: number; place: Triple }[] = [];
    for (const body of moved) {
      const place = [0, 1, 2].map((k) => live.truth[7 * body + k]) as Triple,
        last = this.before.get(body),
        seconds = last ? (live.step - last.step) / rate : 0;
      const isSpeed = last && seconds > 0 && seconds < MOST_S;
      const speed = isSpeed ? (place.map((value, k) => (value - last.place[k]) / seconds) as Triple) : null;
      const now = { step: live.step, place, speed, struck: last?.struck ?? -rate };
      this.before.set(body, now);
      if (!speed || !last?.speed || body === held || live.step - now.struck < AGAIN_S * rate) continue;
      const change = speed.map((value, k) => value - last.speed![k]) as Triple,
        size = Math.hypot(...change);
      // what falls freely gains speed and was not struck
      if (size < JUMP || change[2] < -0.5 * GRAVITY * seconds) continue;
      now.struck = live.step;
      const [a, b, c] = props.bodies[body].extents;
      found.push({ body, loudness: (0.6 * DENSITY * a * b * c * size) / FULL, place });
    }
    found.sort((a, b) => b.loudness - a.loudness);
    if (found.length && found[0].loudness > HARD) buzz(60 * Math.min(found[0].loudness, 1));
    if (!this.sound?.isOn) return;
    for (const { body, loudness, place } of found.slice(0, OLD))
      this.sound.strike(this.of(props, body), Math.min(loudness, 1), this.across(place));
  }

  private of(props: Props, body: number): number {
    const known = this.known.get(body);
    if (known !== undefined) return known;
    const longest = 1000 * Math.max(...props.bodies[body].extents);
    const base = Math.min(HERTZ / longest, 4200);
    this.sounds.push({
      modes: [
        [TABLE_HERTZ, 0.02, 0.25],
        [base, 0.03, 0.6],
        [1.9 * base, 0.018, 0.35],
        [2.76 * base, 0.012, 0.25],
      ],
      click: [0.0015, 0.9, 0.00006],
    });
    this.known.set(body, this.sounds.length - 1);
    return this.sounds.length - 1;
  }
}
