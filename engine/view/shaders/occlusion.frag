// Ambient occlusion in screen space after McGuire et al., "The Alchemy screen-space ambient obscurance" (2011).
uniform sampler2D u_depth;
flat in vec4 v_view;           // one texel of this picture; tangents of the half angles of view
flat in vec3 v_planes;         // far times near, far, and far minus near; metres
flat in vec2 v_reach;          // one over its square, metres; and at one metre from the eye, in texels
out vec4 colour;

vec3 place(vec2 uv) {
    float d = texture(u_depth, uv).r;
    float deep = v_planes.x / (v_planes.y - d * v_planes.z);
    return vec3((uv * 2.0 - 1.0) * v_view.zw, 1.0) * deep;
}

void main() {
    vec2 uv = gl_FragCoord.xy * v_view.xy;
    float sum = 0.0;
    // nothing is hidden on the backdrop
    int solid = texture(u_depth, uv).r < 1.0 ? 1 : 0;
    for (int once = 0; once < solid; ++once) {
        vec3 here = place(uv);
        // of the two neighbours on each axis the one nearer in depth lies on the same face; outside the picture there is none
        vec3 right = place(uv + vec2(v_view.x, 0.0)) - here;
        vec3 left = here - place(uv - vec2(v_view.x, 0.0));
        vec3 above = place(uv + vec2(0.0, v_view.y)) - here;
        vec3 below = here - place(uv - vec2(0.0, v_view.y));
        bool up = uv.y < v_view.y || (uv.y < 1.0 - v_view.y && abs(above.z) < abs(below.z));
        bool on = uv.x < v_view.x || (uv.x < 1.0 - v_view.x && abs(right.z) < abs(left.z));
        vec3 n = normalize(cross(up ? above : below, on ? right : left));
        // sixteen turns of the pattern, which the blur averages
        vec2 cell = mod(floor(gl_FragCoord.xy), 4.0);
        float angle = (cell.x * 4.0 + cell.y) * 2.7488936;
        float texels = clamp(v_reach.y / here.z, 2.0, 80.0) / float(OCCLUSION);
        vec2 arm = vec2(cos(angle), sin(angle));
        for (int i = 0; i < OCCLUSION; ++i) {
            // at the middle of a texel, whose depth is read: a steep face would hide itself otherwise
            vec2 at = (floor(gl_FragCoord.xy + arm * ((float(i) + 0.7) * texels)) + 0.5) * v_view.xy;
            vec3 v = place(at) - here;
            float vv = dot(v, v) + 1e-9;
            vec2 off = abs(at - 0.5);
            sum += step(max(off.x, off.y), 0.5) * max(1.0 - vv * v_reach.x, 0.0) * max(dot(v, n) * inversesqrt(vv) - 0.08, 0.0);
            // onward by the golden angle
            arm = vec2(-0.7373688 * arm.x - 0.6754902 * arm.y, 0.6754902 * arm.x - 0.7373688 * arm.y);
        }
    }
    float open = clamp(1.0 - 2.3 * sum / float(OCCLUSION), 0.0, 1.0);
    colour = vec4(open, open, open, 1.0);
}
