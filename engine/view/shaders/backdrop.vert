#version 150
// One triangle over the whole picture, as far away as can be, for the backdrop.
uniform vec2 u_pixel;
in vec4 p3d_Vertex;
flat out vec3 v_screen;
void main() {
    v_screen = vec3(u_pixel, 0.0);
    gl_Position = vec4(p3d_Vertex.xz, 1.0, 1.0);
}
