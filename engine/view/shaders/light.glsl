// Light that pieces and table share: a warm sun with a soft shadow, a cool sky, a warm bounce from below. SUN (towards
// it), SUN_LIGHT, SKY_LIGHT, GROUND_LIGHT and WINDOW (where it is) are set beforehand: known numbers cost nothing.
// What is the same for all pixels of a thing comes flat from its vertices, not as a uniform: software renderers read every
// number of a uniform for every pixel again, one after another, which was a third of what the table cost.
uniform sampler2DShadow u_shadow_map;
uniform sampler2D u_occlusion;
flat in vec3 v_screen;     // one over the picture's width and height; between taps of the shadow map

const float PI = 3.14159265;

// Part of the sun that reaches a place: a square of taps, or a middle and four corners, turned so that its rows do not
// run along the map's.
// Its edge is sharper the less of the sky is open there: near contacts, where what casts it is close.
// Straight through: software renderers lose more by a loop that can end early than by the taps it would save.
float sunlight(vec3 at, float open) {
    float spread = v_screen.z * max(open * open, 0.25);
#if TAPS == 5
    vec2 far = spread * vec2(1.04, 0.34);
    float sum = texture(u_shadow_map, at);
    sum += texture(u_shadow_map, vec3(at.xy + far, at.z));
    sum += texture(u_shadow_map, vec3(at.xy - far, at.z));
    sum += texture(u_shadow_map, vec3(at.x - far.y, at.y + far.x, at.z));
    sum += texture(u_shadow_map, vec3(at.x + far.y, at.y - far.x, at.z));
#else
    float sum = 0.0;
    for (int i = 0; i < TAPS; ++i) {
        vec2 tap = (vec2(float(i % SIDE), float(i / SIDE)) - 0.5 * float(SIDE - 1)) * spread;
        sum += texture(u_shadow_map, vec3(at.xy + vec2(0.8 * tap.x - 0.6 * tap.y, 0.6 * tap.x + 0.8 * tap.y), at.z));
    }
#endif
    return sum * (1.0 / float(TAPS));
}

// Part of the sky that reaches a place. The sun is given a third of it: a real lamp is wide, and its light fails
// in corners too.
float occlusion() {
#if OCCLUSION > 0
    return texture(u_occlusion, gl_FragCoord.xy * v_screen.xy).r;
#else
    return 1.0;
#endif
}

// GGX with Smith's masking in Hammon's short form (2017), Schlick's Fresnel for a refractive index of 1.5.
float ggx(float nl, float nv, float nh, float vh, float alpha) {
    float a2 = alpha * alpha;
    float base = nh * nh * (a2 - 1.0) + 1.0;
    float k = 1.0 - vh;
    float k2 = k * k;
    float fresnel = 0.04 + 0.96 * k2 * k2 * k;
    return a2 * fresnel / (PI * base * base * 2.0 * mix(2.0 * nl * nv, nl + nv, alpha));
}

// The room as a polished surface mirrors it: warm ground, bright sky, one wide window high on the left.
vec3 room(vec3 direction) {
    vec3 sky = mix(GROUND_LIGHT, SKY_LIGHT, smoothstep(-0.35, 0.6, direction.z));
    float window = smoothstep(0.80, 0.92, dot(direction, WINDOW));
    return sky + SUN_LIGHT * 0.35 * window;
}

// Light to screen: Khronos' neutral curve for products (2024) keeps the colours of paint and wood; then sRGB. What rounding
// takes beyond 0 and 1 is cut off where the picture is written.
vec3 film(vec3 light) {
    float low = min(min(light.r, min(light.g, light.b)), 0.08);
    light -= low - 6.25 * low * low;
    // what is brighter than 0.76 is held back, more and more: 1 is never reached
    float peak = max(light.r, max(light.g, light.b));
    float over = max(peak - 0.76, 0.0);
    float back = over * over / (over + 0.24);
    float pale = 0.15 * back;
    light = mix(light * (1.0 - back / (peak + 1e-6)), vec3(peak - back), pale / (pale + 1.0));
    // sRGB by one root, within 0.002 of the power but for what is all but black (processors have no quick power)
    vec3 root = sqrt(light);
    return ((0.22164 * root - 0.548658) * root + 1.361452) * root - 0.03246;
}
