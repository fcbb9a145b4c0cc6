// A camera that a person moves: drag to turn, with two fingers or the right button to pan, wheel or pinch to zoom.

import type { Triple } from "./data";
import { add, axesOf, length, minus, scaled, type Camera } from "./maths";

const DEGREES = 0.35 * 720; // by a drag over the height of the picture
const [LOW, HIGH] = [-4, 88];
const [NEAR, FAR] = [0.06, 6];

export class Orbit {
  onMove: (isTurn: boolean) => void = () => {};

  constructor(public camera: Camera) {}

  // Turns by a way over the picture, in parts of its height.
  drag(right: number, down: number): void {
    this.turn(-right * DEGREES, down * DEGREES);
  }

  turn(right: number, up: number): void {
    const { eye, target, fov } = this.camera,
      off = minus(eye, target),
      away = length(off);
    const azimuth = Math.atan2(off[1], off[0]) + (right * Math.PI) / 180;
    const degrees = (Math.asin(off[2] / away) * 180) / Math.PI + up;
    const elevation = (Math.min(Math.max(degrees, LOW), HIGH) * Math.PI) / 180;
    const level = away * Math.cos(elevation);
    const moved: Triple = [level * Math.cos(azimuth), level * Math.sin(azimuth), away * Math.sin(elevation)];
    this.set({ eye: add(target, moved), target, fov }, true);
  }

  pan(right: number, down: number): void {
    const { eye, target, fov } = this.camera,
      [across, , up] = axesOf(this.camera);
    const high = 2 * length(minus(eye, target)) * Math.tan((fov * Math.PI) / 360);
    const by = add(scaled(across, -right * high), up, down * high);
    this.set({ eye: add(eye, by), target: add(target, by), fov });
  }

  // Returns whether that was possible.
  zoom(times: number): boolean {
    const { eye, target, fov } = this.camera,
      off = minus(eye, target),
      away = length(off);
    const distance = Math.min(Math.max(away * times, NEAR), FAR);
    this.set({ eye: add(target, off, distance / away), target, fov });
    return distance !== away;
  }

  // Has a sphere in the part of the page that a panel in its corner leaves free: to its right, or below it.
  frame(sphere: [number, number, number, number], panel: HTMLElement): void {
    const { right, bottom } = panel.getBoundingClientRect(),
      [across, down] = [Math.min(right / innerWidth, 0.9), Math.min(bottom / innerHeight, 0.9)],
      aspect = innerWidth / innerHeight;
    const isBeside = Math.min((1 - across) * aspect, 1) > Math.min(1 - down, aspect);
    this.camera = framing(sphere, isBeside ? (1 - across) * aspect : Math.min(1 - down, aspect));
    if (isBeside) this.pan((across * aspect) / 2, 0);
    else this.pan(0, down / 2);
  }

  private set(camera: Camera, isTurn = false): void {
    this.camera = camera;
    this.onMove(isTurn);
  }
}

// A camera that has a sphere in the picture, from where people like to look. aspect: width over height of the picture,
// or, below 1, how much of its height is free.
export function framing(
  [x, y, z, radius]: [number, number, number, number],
  aspect: number,
  around = -58, // degrees
  above = 20,
): Camera {
  const fov = 28,
    half = (fov * Math.PI) / 360;
  const narrow = Math.min(half, Math.atan(Math.tan(half) * aspect));
  const away = radius / Math.sin(narrow) / 0.92,
    azimuth = (around * Math.PI) / 180,
    elevation = (above * Math.PI) / 180;
  const level = away * Math.cos(elevation);
  return {
    eye: [x + level * Math.cos(azimuth), y + level * Math.sin(azimuth), z + away * Math.sin(elevation)],
    target: [x, y, z],
    fov,
  };
}
