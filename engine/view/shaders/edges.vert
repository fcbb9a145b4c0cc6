#version 150
// A strip along an edge, already in screen coordinates.
uniform vec2 u_pixel;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec3 grain;
in vec3 grain_normal;
out vec3 v_course;
out vec3 v_direction;
out float v_slope;
flat out vec2 v_pixel;

void main() {
    v_pixel = u_pixel;
    v_course = grain;
    v_direction = grain_normal;
    v_slope = p3d_Normal.x;
    gl_Position = vec4(p3d_Vertex.xy, 2.0 * grain_normal.z - 1.0, 1.0);
}
