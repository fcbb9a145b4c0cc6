// Whether a proof is of what a page shows: its verdict, its bodies, where they are and how large.

import type { SceneData, Triple } from "./data";

type Json = Record<string, unknown>;

const PLACE = 2e-6; // metres by which a place may be off: what is proven is rounded
const TURN = 1e-11; // and of the cosine of half the angle by which a turn may be
const SIZE = 1e-4; // metres, and of a side of a body as it is drawn

// Where a certificate that holds is of something else, the first place; "" where it is of what is shown. pointsOf: the
// corners of a body as it is drawn, in its own axes.
export function difference(
  certificate: Json,
  claim: string,
  shown: Pick<SceneData, "bodies" | "table"> & { word: string },
  pointsOf: (body: number) => Float32Array,
): string {
  if ([claim, shown.word].sort().join() === "stands,topples")
    return `it proves that this ${claim}, and the page says that it ${shown.word}`;
  const rows = certificate.bodies as Json[];
  const proven = new Map(rows.map((row) => [row.name, row]));
  const other = rows.find((row) => !shown.bodies.some((body) => body.name === row.name));
  if (other) return `${String(other.name)} is in the proof, and is not shown`;
  for (const [n, { name, pose }] of shown.bodies.entries()) {
    const row = proven.get(name);
    if (!row) return `${name} is shown, and is not in the proof`;
    const place = numbers(row.position),
      turn = numbers(row.rotation);
    if (!place.every((value, k) => Math.abs(value - pose![k]) <= PLACE)) return `${name} lies elsewhere`;
    const across = turn.reduce((all, value, k) => all + value * pose![3 + k], 0);
    if (!(Math.abs(across) / Math.hypot(...turn) / Math.hypot(...pose!.slice(3)) >= 1 - TURN))
      return `${name} is turned otherwise`;
    const [least, most] = box((row.parts as unknown[][]).flat().flatMap(numbers));
    const [low, high] = box(pointsOf(n));
    // a table is drawn with its legs
    if (n === shown.table) low[2] = least[2];
    if (!least.every((value, k) => Math.abs(value - low[k]) <= SIZE && Math.abs(most[k] - high[k]) <= SIZE))
      return `${name} has another shape`;
  }
  return "";
}

const numbers = (fractions: unknown): number[] =>
  (fractions as string[]).map((each) => {
    const [above, below = "1"] = String(each).split("/");
    return Number(above) / Number(below);
  });

function box(points: ArrayLike<number>): [least: Triple, most: Triple] {
  const least: Triple = [Infinity, Infinity, Infinity],
    most: Triple = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < points.length; ++at) {
    least[at % 3] = Math.min(least[at % 3], points[at]);
    most[at % 3] = Math.max(most[at % 3], points[at]);
  }
  return [least, most];
}
