#version 150
in vec3 v_colour;
in vec3 v_place;
in float v_half;
out vec4 colour;

void main() {
    float beyond = max(max(-v_place.x, v_place.x - v_place.z), 0.0);
    colour = vec4(v_colour, clamp(v_half + 0.5 - length(vec2(beyond, v_place.y)), 0.0, 1.0));
}
