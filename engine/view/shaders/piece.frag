in vec3 v_eye;             // from here to the eye
in vec3 v_normal;
in vec3 v_grain;           // in the tree it was cut from
in vec3 v_grain_normal;
in vec3 v_shadow;
flat in vec3 v_albedo;
flat in vec4 v_finish;     // roughness, coat, grain, fibre
uniform sampler2D u_fibres;
uniform sampler2D u_rings;
#ifdef FACE
uniform sampler2D u_face;
in vec3 v_face;            // in the picture, and whether this side shows it
flat in vec3 v_press;      // a step across and up in the picture, and the depth over two such steps
flat in vec3 v_across;     // the picture's axes in the world
flat in vec3 v_up;
// Seen at a slant a print would blur along the slant: a finer level of it than is asked for keeps words readable.
const float SHARPER = -1.0;
#endif
out vec4 colour;

// How much darker the surface is here. Wood is a solid: annual rings around a heart beside the piece, fibres
// and flecks along it, pores on the end grain.
float pattern() {
    vec3 n = abs(v_grain_normal);
    vec3 at = v_grain;
    float end = smoothstep(0.5, 0.9, n.x);
    float across = n.y > n.z ? at.z : at.y;
    vec4 fibre = texture(u_fibres, mix(vec2(at.x, across), 1.3 * at.yz, end) * mix(FIBRE_SCALE, FIBRE_SCALE.yy, end));
    float radius = length(at.yz) + (fibre.b - 0.5) * (0.006 - 0.006 * end);
    float ring = texture(u_rings, vec2(radius * 20.0, 0.5)).r;
    float wood = (fibre.r - 0.5) * mix(0.36, 0.22, end) - fibre.g * mix(0.16, 0.10, end)
               - (ring - 0.25) * mix(0.20, 0.42, end) + (fibre.b - 0.5) * 0.10 - 0.20 * end;
    return wood * v_finish.z + (fibre.a - 0.5) * 0.16 * v_finish.w;
}

#ifdef FACE
// What is printed here: colour and cover. Where it is pressed into the wood, its edges catch the light.
vec4 printed(inout vec3 n) {
    vec2 uv = v_face.xy;
    vec2 off = abs(uv - 0.5);
    float on = step(0.99, v_face.z) * step(max(off.x, off.y), 0.5);
    vec4 face = texture(u_face, uv, SHARPER);
#if FACE > 1
    vec2 across = vec2(v_press.x, 0.0);
    vec2 up = vec2(0.0, v_press.y);
    vec2 slope = vec2(texture(u_face, uv + across, SHARPER).a - texture(u_face, uv - across, SHARPER).a,
                      texture(u_face, uv + up, SHARPER).a - texture(u_face, uv - up, SHARPER).a) * (on * v_press.z);
    n = normalize(n + v_across * slope.x + v_up * slope.y);
#endif
    face.a *= on;
    return face;
}
#endif

void main() {
    vec3 n = normalize(v_normal);
    vec3 v = normalize(v_eye);
    float tone = pattern();
    vec3 albedo = v_albedo;
#ifdef FACE
    vec4 face = printed(n);
    albedo = mix(albedo, face.rgb, face.a);
#endif
    // late wood and pores are not only darker but redder
    albedo *= 1.0 + tone * vec3(0.75, 1.0, 1.25);
#ifdef WORN
    // hands wear the edges of a box: where its normal leaves its sides
    vec3 along = abs(v_grain_normal);
    albedo *= 1.0 + 0.10 * smoothstep(0.01, 0.12, 1.0 - max(along.x, max(along.y, along.z)));
#endif
#ifdef CARD
    // the core of the board shows between its two papers
    albedo *= 1.0 + 0.35 * (1.0 - abs(v_grain_normal.z)) * clamp(2.0 - 3500.0 * abs(v_grain.z), 0.0, 1.0);
#endif
    float facing = dot(n, SUN);
    float nl = max(facing, 0.0);
    float nv = max(dot(n, v), 0.02);
    // the direction halfway between sun and eye is (SUN + v) * halfway
    float vs = 1.0 + dot(v, SUN);
    float halfway = inversesqrt(2.0 * vs);
    float nh = (facing + nv) * halfway;
    float vh = vs * halfway;
    float rough = v_finish.x - tone * 0.25;
    float open = occlusion();
    vec3 sun = SUN_LIGHT * (nl * sunlight(v_shadow, open) * (0.67 + 0.33 * open));
    vec3 sky = mix(GROUND_LIGHT, SKY_LIGHT, n.z * 0.5 + 0.5) * open;
    vec3 light = albedo * (sun * (1.0 / PI) + sky) + sun * ggx(nl, nv, nh, vh, rough * rough);
    float graze = 1.0 - nv;
    graze *= graze;
    graze *= graze;
#ifdef COAT
    vec3 mirror = room(reflect(-v, n)) * open;
    light += v_finish.y * (sun * ggx(nl, nv, nh, vh, 0.04) + mirror * (0.04 + 0.5 * graze));
#else
    light += sky * graze * 0.12;
#endif
#if defined(FACE) && defined(CARD)
    // ink is glossier than the board below it
    light += 0.35 * face.a * (sun * ggx(nl, nv, nh, vh, 0.09) + room(reflect(-v, n)) * (open * (0.04 + 0.5 * graze)));
#endif
    colour = vec4(film(light), 1.0);
}
