// Fractions of whole numbers without limit, and vectors of them.

export class Fraction {
  readonly n: bigint;
  readonly d: bigint;

  constructor(n: bigint, d = 1n) {
    if (d === 0n) throw new RangeError("a number is divided by zero");
    let [a, b] = [n < 0n ? -n : n, d < 0n ? -d : d];
    while (b) [a, b] = [b, a % b];
    if (d < 0n) a = -a;
    this.n = n / (a || 1n);
    this.d = d / (a || 1n);
  }

  plus(other: Fraction): Fraction {
    return this.d === other.d
      ? new Fraction(this.n + other.n, this.d)
      : new Fraction(this.n * other.d + other.n * this.d, this.d * other.d);
  }

  minus(other: Fraction): Fraction {
    return this.plus(new Fraction(-other.n, other.d));
  }

  times(other: Fraction): Fraction {
    return this.n && other.n ? new Fraction(this.n * other.n, this.d * other.d) : ZERO;
  }

  over(other: Fraction): Fraction {
    return new Fraction(this.n * other.d, this.d * other.n);
  }

  abs(): Fraction {
    return this.n < 0n ? new Fraction(-this.n, this.d) : this;
  }

  isBelow(other: Fraction): boolean {
    return this.n * other.d < other.n * this.d;
  }

  toString(): string {
    return `${this.n}/${this.d}`;
  }
}

export type Vector = Fraction[];

export const ZERO = new Fraction(0n),
  TWO = new Fraction(2n);

export const sum = (values: Vector): Fraction => values.reduce((all, value) => all.plus(value), ZERO);
export const add = (a: Vector, b: Vector): Vector => a.map((value, k) => value.plus(b[k]));
export const sub = (a: Vector, b: Vector): Vector => a.map((value, k) => value.minus(b[k]));
export const scale = (factor: Fraction, a: Vector): Vector => a.map((value) => factor.times(value));
export const dot = (a: Vector, b: Vector): Fraction => sum(a.map((value, k) => value.times(b[k])));
export const cross = (a: Vector, b: Vector): Vector =>
  [
    [1, 2],
    [2, 0],
    [0, 1],
  ].map(([i, j]) => a[i].times(b[j]).minus(a[j].times(b[i])));
export const least = (values: Vector): Fraction =>
  values.reduce((low, value) => (value.isBelow(low) ? value : low));
export const most = (values: Vector): Fraction =>
  values.reduce((high, value) => (high.isBelow(value) ? value : high));
