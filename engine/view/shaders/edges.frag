// Smooths the stairs of an edge: the mean of the picture along it, over one step of the stairs.
in vec3 v_course;              // pixels from its start, to its end, and of half a step of its stairs
in vec3 v_direction;                 // a pixel along the edge as a part of the picture; how deep the edge is
in float v_slope;              // how much deeper a pixel further on
uniform sampler2D u_picture;
uniform sampler2D u_deep;
flat in vec2 v_pixel;
out vec4 colour;

// How far the mean may reach: not to what stands before the edge.
float reach(vec2 uv, float limit) {
    return limit * step(v_direction.z + limit * v_slope, texture(u_deep, uv + limit * v_direction.xy).r);
}

void main() {
    vec2 uv = gl_FragCoord.xy * v_pixel;
    float back = reach(uv, -min(v_course.x, v_course.z));
    float onward = reach(uv, min(v_course.y, v_course.z)) - back;
    vec4 sum = vec4(0.0);
    for (int i = 0; i < TAPS; ++i) {
        float off = back + onward * ((float(i) + 0.5) * (1.0 / float(TAPS)));
        sum += texture(u_picture, uv + off * v_direction.xy);
    }
    colour = sum * (1.0 / float(TAPS));
}
