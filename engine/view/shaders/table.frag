in vec3 v_place;
in vec3 v_grain;
in vec3 v_shadow;
uniform vec3 u_albedo;
uniform vec4 u_finish;     // roughness, coat, grain, fibre
uniform vec3 u_focus;
uniform vec3 u_behind;      // level, away from the eye; how much of the horizon is seen
uniform vec2 u_fade;        // metres from the focus where the table begins and ends to melt into the backdrop
uniform sampler2D u_fibres;
uniform vec2 u_fibre_scale;
out vec4 colour;

void main() {
    // planks side by side, each from another place of the tree
    float row = v_grain.y * 8.0;
    float plank = floor(row);
    float seam = abs(row - plank - 0.5);
    vec2 at = v_grain.xy * u_fibre_scale + vec2(0.37, 0.61) * plank;
    vec4 fibre = texture(u_fibres, at * vec2(0.30, 0.55));
    float tone = (fibre.r - 0.5) * 0.42 + (fibre.b - 0.5) * 0.30 - fibre.g * 0.10
               + 0.10 * (fract(plank * 0.618034) - 0.5) - 0.30 * clamp((seam - 0.488) * 111.0, 0.0, 1.0);
    tone = tone * u_finish.z + (fibre.a - 0.5) * 0.08 * u_finish.w;
    vec3 albedo = u_albedo * (1.0 + tone * vec3(0.8, 1.0, 1.2));
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
    vec3 eye = u_eye - v_place;
    float steep = clamp(eye.z * inversesqrt(dot(eye, eye)), 0.0, 1.0);
    float graze = 1.0 - steep;
    light += SKY_LIGHT * open * (graze * graze * graze * graze * 0.22);
    // it melts behind, not in front, and not at all seen from above, where there is no horizon
    vec2 off = v_place.xy - u_focus.xy;
    float fade = smoothstep(u_fade.x, u_fade.y, length(off) + dot(off, u_behind.xy)) * u_behind.z;
    colour = vec4(mix(film(light), backdrop(), fade), 1.0);
}
