// The sound of impacts: damped sines and a click, as engine/view/sound.py makes them.

import type { RecordingData } from "./data";
import { random } from "./wood";

const QUIETEST = 0.002;
const AT_ONCE = 24;

export class Sound {
  isOn = false;
  private context: AudioContext | null = null;
  private out: AudioNode | null = null;
  private readonly buffers = new Map<number, AudioBuffer>();
  private readonly loudest: number;
  private playing = 0;

  constructor(private readonly data: RecordingData["sound"]) {
    this.loudest = data.impacts.reduce((most, impact) => Math.max(most, impact[2]), 0);
  }

  // Only after a click: browsers allow no sound before.
  turn(isOn: boolean): void {
    this.isOn = isOn;
    if (!isOn) return;
    if (!this.context) {
      this.context = new AudioContext();
      // loud impacts are pressed together, so that a collapse does not make all else inaudible
      const press = new DynamicsCompressorNode(this.context, {
        threshold: -12,
        ratio: 6,
        attack: 0.002,
        release: 0.08,
      });
      press.connect(this.context.destination);
      this.out = press;
    }
    void this.context.resume();
  }

  // What strikes between two seconds of the recording. across: where a place is in the picture, from -1 to 1.
  play(from: number, to: number, across: (place: [number, number, number]) => number): void {
    if (!this.isOn || to <= from) return;
    for (const [seconds, sound, loudness, x, y, z] of this.data.impacts) {
      const gain = loudness * Math.min(0.85 / Math.max(this.loudest, 1e-9), 12);
      if (seconds <= from || seconds > to || gain < QUIETEST) continue;
      this.strike(sound, gain, across([x, y, z]));
    }
  }

  // side: from -1 to 1, left to right.
  strike(sound: number, gain: number, side: number): void {
    if (!this.isOn || !this.context || !this.out || this.playing >= AT_ONCE) return;
    const source = new AudioBufferSourceNode(this.context, { buffer: this.buffer(sound) });
    const volume = new GainNode(this.context, { gain });
    source
      .connect(volume)
      .connect(new StereoPannerNode(this.context, { pan: 0.8 * side }))
      .connect(this.out);
    source.onended = () => {
      --this.playing;
    };
    ++this.playing;
    source.start();
  }

  samples(sound: number, rate: number): Float32Array<ArrayBuffer> {
    const {
      modes,
      click: [decays, part, softness],
    } = this.data.sounds[sound];
    const found = new Float32Array(Math.round(this.data.seconds * rate));
    const fade = Math.round(0.01 * rate);
    for (let n = 0; n < found.length; ++n) {
      const t = n / rate;
      let sum = 0;
      for (const [hertz, decay, strength] of modes)
        sum += strength * Math.exp(-t / decay) * Math.sin(2 * Math.PI * hertz * t);
      found[n] = sum;
    }
    click(decays, softness, rate).forEach((value, n) => {
      found[n] += part * value;
    });
    return found.map((value, n) => value * Math.min(1, n / 3, (found.length - 1 - n) / fade));
  }

  private buffer(sound: number): AudioBuffer {
    const known = this.buffers.get(sound);
    if (known) return known;
    const context = this.context!;
    const samples = this.samples(sound, context.sampleRate);
    const buffer = new AudioBuffer({ length: samples.length, sampleRate: context.sampleRate });
    buffer.copyToChannel(samples, 0);
    this.buffers.set(sound, buffer);
    return buffer;
  }
}

// What two surfaces make when they meet: noise that dies away, as soft as the contact is long, at most 1.
function click(decays: number, softness: number, rate: number): number[] {
  const even = random(0);
  const raw = Array.from(
    { length: Math.round(6 * decays * rate) },
    (_, n) =>
      Math.sqrt(-2 * Math.log(1 - even())) * Math.cos(2 * Math.PI * even()) * Math.exp(-n / rate / decays),
  );
  const wide = Math.max(Math.round(softness * rate), 2) + 2;
  const middle = Math.floor((wide - 1) / 2);
  const smooth = raw.map((_, n) => {
    let sum = 0;
    for (let k = 0; k < wide; ++k)
      sum += (raw[n + k - middle] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * k) / (wide - 1)));
    return sum;
  });
  const steep = smooth.map((value, n) => ((smooth[n + 1] ?? value) - (smooth[n - 1] ?? value)) / 2);
  const most = Math.max(...steep.map(Math.abs));
  return steep.map((value) => value / most);
}
