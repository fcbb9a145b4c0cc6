// The checker of stability certificates, in whole numbers without limit: engine/certificate/checker.py once more, by
// itself. It knows no solver and no floating point.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

import { add, cross, dot, Fraction, least, most, scale, sub, sum, TWO, ZERO, type Vector } from "./fraction";

export class RefusedError extends Error {}

type Json = Record<string, unknown>;
interface Contact {
  upper: string;
  lower: string;
  point: Vector;
  normal: Vector;
  friction: Fraction | null; // squared; null where nothing tells the normal
}
type Free = Map<string, { weight: Vector; centre: Vector }>;

const TOUCH = new Fraction(2n, 100_000n); // metres: what is this close touches; so deep it may overlap
const ROUNDING = new Fraction(1n, 10_000_000n); // metres by which an outline may be cut short
const FLAT = new Fraction(1n, 100_000_000n); // metres by which corners of a face may lie off its plane
const INSIDE = new Fraction(-2n, 10_000n); // metres from the edge of a face: nearer, another may lie as well
const WIDE = new Fraction(1n, 10_000n); // metres: a narrower face, or edges that cross by less, fix no plane
const MINUS = new Fraction(-1n);
const VERSION = 1;

function refuse(why: string): never {
  throw new RefusedError(why);
}

function require(holds: boolean, why: string): void {
  if (!holds) refuse(why);
}

// What a certificate proves, or why it is refused, all at once.
export function prove(certificate: Json): { claim: string | null; why: string } {
  try {
    const steps = check(certificate);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return { claim: value, why: "" };
    }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { claim: null, why: error.message };
  }
}

// What a certificate proves, `stands` or `topples`. It pauses between steps: other things go on meanwhile.
export function* check(certificate: Json): Generator<void, string> {
  try {
    require(certificate.certificate === VERSION, `the version is not ${VERSION}`);
    require(certificate.digest === digestOf(certificate), "the digest does not fit: it was changed");
    const bodies = list(certificate.bodies);
    const pull = vector(certificate.gravity);
    const isSolid = bodies.every(
      (body) =>
        typeof body.fixed === "boolean" &&
        list(body.parts).length > 0 &&
        list(body.parts).every((part) => list(part).length > 3),
    );
    const loose = bodies.filter((body) => !body.fixed);
    require(isSolid && loose.length > 0, "no body is free, or one has no shape");
    const isPulled = pull.some((part) => ZERO.isBelow(part) || part.isBelow(ZERO));
    require(isPulled && loose.every((body) => ZERO.isBelow(number(body.mass))), "a free body has no weight");
    const free: Free = new Map(
      loose.map((body) => [
        text(body.name),
        { weight: scale(number(body.mass), pull), centre: placed(body, [body.centre])[0] },
      ]),
    );
    const claim = certificate.claim;
    if (claim !== "stands" && claim !== "topples") refuse("malformed: it claims nothing that is known");
    const contacts = yield* contactsOf(certificate);
    yield* claim === "stands"
      ? checkForces(contacts, certificate, free)
      : checkMotion(contacts, certificate, free);
    return claim;
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    throw new RefusedError(`malformed: ${String(error)}`);
  }
}

function* checkForces(contacts: Contact[], certificate: Json, free: Free): Generator<void> {
  const forces = (certificate.forces as unknown[]).map(vector);
  require(forces.length === contacts.length, `${forces.length} forces for ${contacts.length} contact points`);
  const push = new Map([...free].map(([name, body]) => [name, body.weight]));
  const moment = new Map([...free].map(([name]) => [name, [ZERO, ZERO, ZERO] as Vector]));
  for (const [k, { upper, lower, point, normal, friction }] of contacts.entries()) {
    const force = forces[k],
      along = dot(force, normal),
      square = along.times(along);
    const isHeld = !(friction ?? ZERO)
      .times(square)
      .isBelow(dot(force, force).times(dot(normal, normal)).minus(square));
    require(!along.isBelow(ZERO) && isHeld, `the force of ${lower} on ${upper} is outside its friction cone`);
    for (const [name, own] of [
      [upper, force],
      [lower, scale(MINUS, force)],
    ] as const) {
      const body = free.get(name);
      if (!body) continue;
      push.set(name, add(push.get(name)!, own));
      moment.set(name, add(moment.get(name)!, cross(sub(point, body.centre), own)));
    }
    yield;
  }
  for (const name of free.keys())
    require([...push.get(name)!, ...moment.get(name)!].every(
      (value) => value.n === 0n,
    ), `${name} is not in equilibrium`);
}

function* checkMotion(contacts: Contact[], certificate: Json, free: Free): Generator<void> {
  const told = certificate.motion as Record<string, unknown[]>;
  const motion = new Map([...free.keys()].map((name) => [name, told[name].map(vector)]));
  const velocity = (name: string, point: Vector): Vector => {
    const body = free.get(name);
    if (!body) return [ZERO, ZERO, ZERO];
    const [linear, angular] = motion.get(name)!;
    return add(linear, cross(angular, sub(point, body.centre)));
  };
  for (const { upper, lower, point, normal, friction } of contacts) {
    const parting = sub(velocity(upper, point), velocity(lower, point));
    const along = dot(parting, normal),
      square = along.times(along);
    const sliding = dot(parting, parting).times(dot(normal, normal)).minus(square);
    const isInDual = friction && !along.isBelow(ZERO) && !square.isBelow(friction.times(sliding));
    require(isInDual ||
      parting.every((value) => value.n === 0n), `the contact of ${upper} and ${lower} opposes the motion`);
    yield;
  }
  const power = sum([...free].map(([name, { weight }]) => dot(weight, motion.get(name)![0])));
  require(ZERO.isBelow(power), "gravity does no work");
}

// All contact points, in the order of the bodies.
function* contactsOf(certificate: Json): Generator<void, Contact[]> {
  const bodies = list(certificate.bodies);
  const planes = new Map<string, Json>();
  for (const plane of list(certificate.planes)) {
    const key = JSON.stringify(plane.between),
      [upper, i, lower, j] = plane.between as unknown[];
    require(Number.isInteger(i) &&
      Number.isInteger(j) &&
      !planes.has(
        key,
      ), `two planes between ${text(upper)} and ${text(lower)}, or their parts are no numbers`);
    planes.set(key, plane);
  }
  require(new Set(bodies.map((body) => body.name)).size === bodies.length, "two bodies have one name");
  const parts = bodies.flatMap((body) =>
    (body.parts as unknown[][]).map((part, k) => {
      const corners = placed(body, part);
      const box = [0, 1, 2].map((axis) => {
        const along = corners.map((corner) => corner[axis]);
        return [least(along), most(along)];
      });
      return { body, k, corners, box };
    }),
  );
  const found: Contact[] = [];
  const isWhole = certificate.claim === "topples";
  for (const [at, one] of parts.entries()) {
    for (const other of parts.slice(at + 1)) {
      const isApart = one.box.some(
        ([low, high], axis) =>
          TOUCH.isBelow(low.minus(other.box[axis][1])) || TOUCH.isBelow(other.box[axis][0].minus(high)),
      );
      if (one.body === other.body || (one.body.fixed && other.body.fixed) || isApart) continue;
      const [upper, lower] = [text(one.body.name), text(other.body.name)];
      const plane =
        planes.get(JSON.stringify([upper, one.k, lower, other.k])) ??
        refuse(`there is no plane between ${upper} and ${lower}, in this order`);
      const normal = vector(plane.normal);
      const friction = number(one.body.friction).times(number(other.body.friction));
      require(normal.some((value) => value.n !== 0n) &&
        !friction.isBelow(ZERO), "a plane has no normal, or friction is negative");
      const low = least(one.corners.map((corner) => dot(corner, normal))),
        high = most(other.corners.map((corner) => dot(corner, normal))),
        gap = low.minus(high);
      // on either side of the normal's length
      const sizes = normal.map((value) => value.abs()),
        near = TOUCH.times(most(sizes)),
        far = TOUCH.times(sum(sizes)),
        reach = isWhole ? far : near;
      require(!gap.plus(near).isBelow(ZERO), `${upper} and ${lower} overlap`);
      if (reach.isBelow(gap)) continue;
      require(fixes(
        one.corners,
        other.corners,
        normal,
      ), `no face or edges of ${upper} and ${lower} lie in the plane between them`);
      const offset = low.plus(high).over(TWO);
      const [down, depth] = [scale(MINUS, normal), MINUS.times(offset)];
      const above = outline(one.corners, normal, offset, high.plus(reach), isWhole),
        below = outline(other.corners, down, depth, reach.minus(low), isWhole);
      const points = common(above, below, normal, offset, isWhole ? TOUCH : ZERO);
      const faces = [
        outline(face(one.corners, normal), normal, offset),
        outline(face(other.corners, down), down, depth),
      ];
      const isSure = points.length > 0 && isClear(points, normal, isWhole ? INSIDE : ZERO, faces);
      if (isSure || isWhole)
        for (const point of points)
          found.push({ upper, lower, point, normal, friction: isSure ? friction : null });
      yield;
    }
  }
  return found;
}

// Whether a face, or two edges that cross, of two polyhedra support them along a normal.
function fixes(mine: Vector[], theirs: Vector[], normal: Vector): boolean {
  const ways = [face(mine, normal), face(theirs, scale(MINUS, normal))].flatMap(([first, ...rest]) =>
    rest.map((corner) => sub(corner, first)),
  );
  const longest = ways.reduce((best, way) => (dot(best, best).isBelow(dot(way, way)) ? way : best), [
    ZERO,
    ZERO,
    ZERO,
  ] as Vector);
  const needed = WIDE.times(WIDE).times(dot(longest, longest));
  return (
    ZERO.isBelow(needed) &&
    ways.some((way) => {
      const across = cross(longest, way);
      return !dot(across, across).isBelow(needed);
    })
  );
}

function face(corners: Vector[], up: Vector): Vector[] {
  const heights = corners.map((corner) => dot(corner, up)),
    limit = least(heights).plus(FLAT.times(most(up.map((value) => value.abs()))));
  return corners.filter((_, k) => !limit.isBelow(heights[k]));
}

// The outline in the plane of the corners below a level, or of all; of the whole, where it reaches beyond.
function outline(
  corners: Vector[],
  up: Vector,
  offset: Fraction,
  level?: Fraction,
  isWhole = false,
): Vector[] {
  const [u, v] = [0, 1, 2].filter((k) => k !== axisOf(up));
  const square = dot(up, up);
  const seen = corners.map((corner) => {
    const height = dot(corner, up),
      rise = offset.minus(height).over(square);
    return { height, foot: [u, v].map((k) => corner[k].plus(rise.times(up[k]))) };
  });
  const inner = seen.filter(({ height }) => !level?.isBelow(height));
  const ring = hull(inner.map(({ foot }) => foot));
  if (!level || !isWhole) return ring;
  const limits = sides(ring, ROUNDING);
  const isOut = (point: Vector): boolean => limits.some((isIn) => isIn(point).isBelow(ZERO));
  const cut = seen
    .filter(({ height, foot }) => level.isBelow(height) && isOut(foot))
    .flatMap((q) =>
      inner.map((p) => {
        const part = level.minus(p.height).over(q.height.minus(p.height));
        return add(p.foot, scale(part, sub(q.foot, p.foot)));
      }),
    );
  return hull([...ring, ...hull([...ring, ...cut]).filter(isOut)]);
}

function axisOf(normal: Vector): number {
  const sizes = normal.map((value) => value.abs());
  return [0, 1, 2].reduce((best, k) => (sizes[best].isBelow(sizes[k]) ? k : best), 0);
}

// Where two outlines overlap, put back into the plane.
function common(
  above: Vector[],
  below: Vector[],
  normal: Vector,
  offset: Fraction,
  slack: Fraction,
): Vector[] {
  const axis = axisOf(normal);
  const [u, v] = [0, 1, 2].filter((k) => k !== axis);
  const [small, other] = [above, below].sort((a, b) => a.length - b.length);
  let area = small;
  for (const isIn of sides(other, slack)) {
    const ring = area;
    area = [];
    for (const [k, a] of ring.entries()) {
      const b = ring[(k + 1) % ring.length],
        atA = isIn(a),
        atB = isIn(b);
      if (!atA.isBelow(ZERO)) area.push(a);
      if (atA.isBelow(ZERO) !== atB.isBelow(ZERO))
        area.push(add(a, scale(atA.over(atA.minus(atB)), sub(b, a))));
    }
  }
  area = distinct(area);
  return area.map((point) => {
    const height = offset
      .minus(normal[u].times(point[0]))
      .minus(normal[v].times(point[1]))
      .over(normal[axis]);
    const whole: Vector = [];
    [whole[u], whole[v], whole[axis]] = [point[0], point[1], height];
    return whole;
  });
}

// Whether contact points lie about a place in a face, or edges cross: else nothing tells the normal.
function isClear(points: Vector[], normal: Vector, slack: Fraction, faces: Vector[][]): boolean {
  const [u, v] = [0, 1, 2].filter((k) => k !== axisOf(normal));
  const part = new Fraction(1n, BigInt(points.length));
  const middle = [u, v].map((k) => part.times(sum(points.map((point) => point[k]))));
  const whole = faces.filter((ring) => ring.length > 2);
  if (whole.length)
    return whole.some((ring) => sides(ring, slack).every((isIn) => ZERO.isBelow(isIn(middle))));
  const isBetween = ([a, b]: Vector[]): boolean => dot(sub(a, middle), sub(b, middle)).isBelow(ZERO);
  return points.length === 1 && faces.every((ring) => ring.length === 2 && isBetween(ring));
}

const distinct = (points: Vector[]): Vector[] => [
  ...new Map(points.map((point) => [point.join(), point])).values(),
];

function hull(points: Vector[]): Vector[] {
  const order = (a: Fraction, b: Fraction): number => (a.isBelow(b) ? -1 : b.isBelow(a) ? 1 : 0);
  const rest = distinct(points).sort((a, b) => order(a[0], b[0]) || order(a[1], b[1]));
  const ring: Vector[] = [];
  for (const ordered of [rest, [...rest].reverse()]) {
    // Andrew 1979: counter-clockwise
    const chain: Vector[] = [];
    for (const point of ordered) {
      while (chain.length > 1 && !ZERO.isBelow(turn(chain.at(-2)!, chain.at(-1)!, point))) chain.pop();
      chain.push(point);
    }
    ring.push(...chain.slice(0, -1));
  }
  return ring.length ? ring : rest;
}

// For every edge of a ring, what is not negative on its inner side, within `slack`.
function sides(ring: Vector[], slack: Fraction): ((point: Vector) => Fraction)[] {
  // both are points
  if (ring.length === 1)
    return [(point) => slack.minus(most(sub(point, ring[0]).map((value) => value.abs())))];
  return ring.flatMap((a, k) => {
    const b = ring[(k + 1) % ring.length],
      along = sub(b, a);
    const room = slack.times(sum(along.map((value) => value.abs())));
    const edge = (point: Vector): Fraction => room.plus(turn(a, b, point));
    const end = (point: Vector): Fraction => room.plus(dot(sub(point, a), along));
    return ring.length === 2 ? [edge, end] : [edge];
  });
}

function turn(a: Vector, b: Vector, c: Vector): Fraction {
  const [p, q] = [sub(b, a), sub(c, a)];
  return p[0].times(q[1]).minus(p[1].times(q[0]));
}

// Points of a body's frame in the world. A quaternion of any length is an exact rotation.
function placed(body: Json, points: unknown[]): Vector[] {
  const [x, y, z, w] = (body.rotation as unknown[]).map(number);
  const axis = [x, y, z],
    position = vector(body.position),
    factor = TWO.over(sum([x, y, z, w].map((value) => value.times(value))));
  return points.map(vector).map((point) => {
    const twice = scale(factor, cross(axis, point));
    return add(add(position, point), add(scale(w, twice), cross(axis, twice)));
  });
}

function digestOf(certificate: Json): string {
  const { digest: _, ...rest } = certificate;
  return bytesToHex(sha256(utf8ToBytes(canonical(rest))));
}

// JSON as Python writes it with sorted keys.
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(", ")}]`;
  if (value !== null && typeof value === "object")
    return `{${Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, own]) => `${canonical(key)}: ${canonical(own)}`)
      .join(", ")}}`;
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function number(value: unknown): Fraction {
  const parts = typeof value === "string" ? /^(-?[0-9]{1,4000})(?:\/([0-9]{1,4000}))?$/.exec(value) : null;
  return parts
    ? new Fraction(BigInt(parts[1]), BigInt(parts[2] ?? "1"))
    : refuse(`malformed: ${String(value)} is no number`);
}

function vector(values: unknown): Vector {
  const [x, y, z] = values as unknown[];
  return [number(x), number(y), number(z)];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : refuse("malformed: a name is no text");
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : refuse("malformed: a list is missing");
}
