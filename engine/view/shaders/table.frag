in vec3 v_eye;             // from here to the eye
in vec2 v_off;             // from the middle of what is shown
in vec2 v_rim;             // from the middle of the table: 1 is its edge
in vec3 v_grain;
in vec3 v_shadow;
flat in vec3 v_albedo;
flat in vec4 v_finish;     // roughness, coat, grain, fibre
flat in vec3 v_behind;     // level, away from the eye; how much of the horizon is seen
flat in vec2 v_fade;       // metres from the middle where the table begins and ends to melt into the backdrop
uniform sampler2D u_fibres;
out vec4 colour;

void main() {
    // planks side by side, each from another place of the tree
    float row = v_grain.y * 8.0;
    float plank = floor(row);
    float seam = abs(row - plank - 0.5);
    vec2 at = v_grain.xy * FIBRE_SCALE + vec2(0.37, 0.61) * plank;
    vec4 fibre = texture(u_fibres, at * vec2(0.30, 0.55));
    float tone = (fibre.r - 0.5) * 0.42 + (fibre.b - 0.5) * 0.30 - fibre.g * 0.10
               + 0.10 * (fract(plank * 0.618034) - 0.5) - 0.30 * clamp((seam - 0.488) * 111.0, 0.0, 1.0);
    tone = tone * v_finish.z + (fibre.a - 0.5) * 0.08 * v_finish.w;
    vec3 albedo = v_albedo * (1.0 + tone * vec3(0.8, 1.0, 1.2));
    // a table that glows as pieces do would draw the eye: greyer, and a little darker
    albedo = 0.85 * mix(vec3(dot(albedo, vec3(0.2126, 0.7152, 0.0722))), albedo, 0.72);
#if CLOSE
    float open = occlusion();
    float sun = sunlight(v_shadow) * SUN.z * (0.67 + 0.33 * open);
#else
    // far from all pieces
    const float open = 1.0;
    float sun = SUN.z;
#endif
    vec3 light = albedo * (SUN_LIGHT * (sun / PI) + SKY_LIGHT * open);
    float steep = clamp(v_eye.z * inversesqrt(dot(v_eye, v_eye)), 0.0, 1.0);
    float graze = 1.0 - steep;
    light += SKY_LIGHT * open * (graze * graze * graze * graze * 0.22);
    // it melts behind, not in front, and not at all seen from above, where there is no horizon
    float fade = smoothstep(v_fade.x, v_fade.y, length(v_off) + dot(v_off, v_behind.xy));
    vec2 rim = v_rim * v_rim;
    fade = max(fade, smoothstep(0.25, 1.0, dot(rim, rim))) * v_behind.z;
    colour = vec4(mix(film(light), backdrop(), fade), 1.0);
}
