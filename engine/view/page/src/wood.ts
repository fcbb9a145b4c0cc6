// The textures that wood and card are shaded with, made here: noise is what no file format packs. They have the
// statistics of `fibres` and `rings` in engine/view/render/shading.py.

const SIDE = 512;

// Numbers from 0 to 1, below 1 (mulberry32).
export function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// Blurs rows or columns that repeat, three times by a box: nearly a Gaussian of that deviation.
function blur(field: Float32Array, deviation: number, step: number, stride: number): Float32Array {
  const half = Math.round((Math.sqrt(4 * deviation * deviation + 1) - 1) / 2);
  if (half < 1) return field;
  for (let pass = 0; pass < 3; ++pass) {
    const next = new Float32Array(field.length);
    for (let line = 0; line < SIDE; ++line) {
      const first = line * stride;
      let sum = 0;
      for (let k = -half; k <= half; ++k) sum += field[first + ((k + SIDE) % SIDE) * step];
      for (let k = 0; k < SIDE; ++k) {
        next[first + k * step] = sum / (2 * half + 1);
        sum +=
          field[first + ((k + half + 1) % SIDE) * step] - field[first + ((k - half + SIDE) % SIDE) * step];
      }
    }
    field = next;
  }
  return field;
}

// Noise that repeats, of mean 0 and deviation 1. down, along: pixels of the blur.
function noise(next: () => number, down: number, along: number): Float32Array {
  let field: Float32Array = new Float32Array(SIDE * SIDE);
  for (let n = 0; n < field.length; ++n) field[n] = next() + next() + next() + next() - 2;
  field = blur(blur(field, along, 1, SIDE), down, SIDE, 1);
  let mean = 0,
    square = 0;
  for (const value of field) {
    mean += value;
    square += value * value;
  }
  mean /= field.length;
  const scale = 1 / Math.sqrt(square / field.length - mean * mean);
  return field.map((value) => (value - mean) * scale);
}

const byte = (value: number): number => Math.min(255, Math.max(0, Math.round(255 * value)));

export function fibres(): { side: number; pixels: Uint8Array } {
  const next = random(7);
  const fine = noise(next, 0.7, 22),
    broad = noise(next, 2.5, 60);
  const dashes = noise(next, 1, 6),
    figure = noise(next, 9, 70);
  const speckle = noise(next, 0.6, 0.6),
    blotch = noise(next, 4, 4);
  const pixels = new Uint8Array(4 * SIDE * SIDE);
  for (let n = 0; n < SIDE * SIDE; ++n) {
    pixels[4 * n] = byte(0.5 + 0.17 * (0.6 * fine[n] + 0.4 * broad[n]));
    pixels[4 * n + 1] = byte((dashes[n] - 1.55) * 1.1);
    pixels[4 * n + 2] = byte(0.5 + 0.17 * figure[n]);
    pixels[4 * n + 3] = byte(0.5 + 0.17 * (0.7 * speckle[n] + 0.3 * blotch[n]));
  }
  return { side: SIDE, pixels };
}

export function rings(): { width: number; pixels: Uint8Array } {
  const next = random(11);
  const years = Array.from({ length: 16 }, () => 0.6 + 0.8 * next());
  const depths = years.map(() => 0.45 + 0.55 * next());
  const whole = years.reduce((sum, year) => sum + year);
  const pixels = new Uint8Array(4 * SIDE);
  let year = 0,
    begin = 0;
  for (let n = 0; n < SIDE; ++n) {
    const at = ((n + 0.5) / SIDE) * whole;
    while (at > begin + years[year]) begin += years[year++];
    pixels.fill(byte(depths[year] * ((at - begin) / years[year]) ** 3), 4 * n, 4 * n + 4);
  }
  return { width: SIDE, pixels };
}
