// The shadow map: the pieces as the sun sees them, drawn anew when one has moved.

import type { SceneData, Triple } from "./data";
import type { Device } from "./gl";
import { length, lookAt, orthographic, times, type Matrix } from "./maths";
import type { Props } from "./props";

const SIDE = { software: 768, card: 1024 };
const MAX_SPREAD = 3;

export class ShadowMap {
  toShadow: Matrix = new Float32Array(16);
  step = 0;
  blur = 0;
  isDue = true;
  private readonly side: number;
  private readonly target: WebGLFramebuffer;

  constructor(
    private readonly device: Device,
    private readonly light: SceneData["light"],
  ) {
    const gl = device.gl;
    this.side = device.isSoftware ? SIDE.software : SIDE.card;
    gl.activeTexture(gl.TEXTURE2);
    const map = device.texture(gl.CLAMP_TO_EDGE, gl.LINEAR);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, this.side, this.side);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    this.target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  draw(props: Props, poses: Float32Array, seen: Uint8Array): void {
    const gl = this.device.gl,
      [x, y, z, radius] = props.sphere;
    let needed = radius;
    const shading = props.bodies.map((_, n) => n).filter((n) => seen[n] && n !== props.table);
    for (const n of shading) {
      const off: Triple = [poses[7 * n] - x, poses[7 * n + 1] - y, poses[7 * n + 2] - z];
      needed = Math.max(needed, length(off) + props.halves[n]);
    }
    // in steps, so that shadows do not crawl while something flies
    const steps = Math.ceil(Math.log(Math.min(needed / radius, MAX_SPREAD)) / Math.log(1.2) - 1e-6);
    const half = radius * 1.2 ** steps * 1.04;
    const axes = [0, 3, 6].map((k) => this.light.sunAxes.slice(k, k + 3)) as [Triple, Triple, Triple];
    const eye: Triple = [x - 2 * half * axes[1][0], y - 2 * half * axes[1][1], z - 2 * half * axes[1][2]];
    // deep enough for the whole table: what lies beyond the last depth would be in shadow
    const fromSun = times(orthographic(half, -8 * half, 16 * half), lookAt(eye, axes));
    this.toShadow = times(
      new Float32Array([0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1]),
      fromSun,
    );
    const texel = (2 * half) / this.side;
    const spacing = Math.min(Math.max((2 * radius * this.light.penumbra) / 3, 1.2 * texel), 2.6 * texel);
    this.step = texel + 0.5 * spacing * 2;
    this.blur = spacing / (2 * half);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, this.side, this.side);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const { program, at } = this.device.program("depth.vert", ["depth.frag"], {});
    gl.useProgram(program);
    for (const n of shading) {
      gl.uniformMatrix4fv(at.p3d_ModelViewProjectionMatrix, false, times(fromSun, props.matrices[n]));
      this.device.triangles(props.casters[n]);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.isDue = false;
  }
}
