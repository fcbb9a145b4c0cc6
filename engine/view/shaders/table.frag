in vec3 v_eye;             // from here to the eye
in vec2 v_lit;             // by the sun, and by the sky
in vec3 v_grain;
in vec3 v_shadow;
flat in vec3 v_albedo;
flat in vec3 v_stain;      // what a tone of one adds to it
flat in vec4 v_finish;     // roughness, coat, grain, fibre
uniform sampler2D u_fibres;
#ifndef CLOTH
#define CLOTH 0
#endif
#if CLOSE && OCCLUSION > 0
uniform sampler2D u_shadow_depths;
flat in float v_deep;      // depths of the shadow map to reaches of a contact
#endif
out vec4 colour;

void main() {
    // planks side by side, each from another place of the tree
    float row = v_grain.y * 8.0;
    float plank = floor(row);
    float seam = abs(row - plank - 0.5);
    vec2 at = v_grain.xy * FIBRE_SCALE + vec2(0.37, 0.61) * plank;
    vec4 fibre = texture(u_fibres, at * vec2(0.30, 0.55));
    float tone = dot(fibre.rgb, vec3(0.42, -0.10, 0.30)) + 0.20 * fract(plank * 0.618034) - 0.46
               - 0.30 * clamp((seam - 0.488) * 111.0, 0.0, 1.0);
    tone = tone * v_finish.z + (fibre.a - 0.5) * 0.08 * v_finish.w;
    vec3 albedo = v_albedo + tone * v_stain;
#if CLOTH
    // what lies on the top and reaches to its rounded edges: fibres of felt in all directions, or threads across
    float cloth = smoothstep(0.975, 0.995, v_lit.y);
#if CLOTH == 3
    cloth = step(0.9995, v_lit.y);
    vec3 woven = vec3(0.5);
#elif CLOTH == 1
    vec2 nap_at = v_grain.xy * FIBRE_SCALE.yy;
    float nap = texture(u_fibres, nap_at * 2.3).a + texture(u_fibres, nap_at.yx * 0.6).a - 1.0;
    vec3 woven = vec3(0.062, 0.066, 0.074) * (1.0 + 0.45 * nap);
#else
    float warp = texture(u_fibres, v_grain.xy * FIBRE_SCALE * vec2(2.0, 5.0)).r;
    float weft = texture(u_fibres, v_grain.yx * FIBRE_SCALE * vec2(2.0, 5.0)).r;
    vec3 woven = vec3(0.43, 0.38, 0.30) * (1.0 + 0.35 * (warp + weft - 1.0));
#endif
    albedo = mix(albedo, woven, cloth);
#endif
#if CLOSE
    float open = occlusion();
    float lit = sunlight(v_shadow, open);
#if OCCLUSION > 0
    // a shadow is darkest at the contact, where what casts it shuts off the sky as well, and fades away from it
    float near = clamp(1.0 - abs(v_shadow.z - texture(u_shadow_depths, v_shadow.xy).r) * v_deep, 0.0, 1.0);
    float dark = 1.0 - lit;
    open *= 1.0 - dark * (0.35 * near + 0.6 * (1.0 - open));
    lit += 0.11 * dark * (1.0 - near);
#endif
    float sun = lit * SUN.z * (0.67 + 0.33 * open);
    vec3 sky = SKY_LIGHT * open;
#else
    // far from all pieces, and its sides
    float sun = v_lit.x;
    vec3 sky = mix(GROUND_LIGHT, SKY_LIGHT, v_lit.y);
#endif
    vec3 light = albedo * (SUN_LIGHT * (sun / PI) + sky);
    vec3 v = v_eye * inversesqrt(dot(v_eye, v_eye));
    float graze = 1.0 - max(v.z, 0.0);
    graze *= graze;
    // the sky, and the window as wax on wood mirrors it: broad, and broken by the grain
    float window = clamp(dot(vec3(-v.xy, v.z), WINDOW) * 2.2 - 1.2, 0.0, 1.0);
    vec3 gloss = sky * (graze * graze * 0.22 + (0.10 + 0.35 * tone) * window * window);
#if CLOTH
    // cloth mirrors nothing, but its fibres stand in the light where it is looked at along them
    gloss = mix(gloss, woven * sky * graze * graze * 1.5, cloth);
#endif
#if CLOTH == 3
    // the shadow alone: what is below shines through as much darker as this grey is than in the sun
    float bright = film(woven * (SUN_LIGHT * (SUN.z / PI) + SKY_LIGHT)).g;
    colour = vec4(0.0, 0.0, 0.0, cloth * clamp(1.0 - film(light).g / bright, 0.0, 1.0));
#else
    light += gloss;
    colour = vec4(film(light), 1.0);
#endif
}
