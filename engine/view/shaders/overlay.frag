in vec3 v_place;
in vec3 v_normal;
uniform vec3 u_eye;
uniform vec4 u_ink;
uniform float u_glass;     // 1: clearer in the middle than where its surface turns away, as a ghost
out vec4 colour;

void main() {
    float graze = 1.0 - abs(dot(normalize(v_normal), normalize(u_eye - v_place)));
    colour = vec4(u_ink.rgb, u_ink.a * mix(1.0, 0.55 + 0.9 * graze * graze, u_glass));
}
