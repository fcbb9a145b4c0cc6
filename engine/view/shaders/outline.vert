#version 150
// A band along a line, already in screen coordinates.
in vec4 p3d_Vertex;
in vec3 p3d_Normal;        // its colour
in vec3 grain;             // pixels from its start and beside it, and its length
in vec3 grain_normal;      // half its width, pixels
out vec3 v_colour;
out vec3 v_place;
out float v_half;

void main() {
    v_colour = p3d_Normal;
    v_place = grain;
    v_half = grain_normal.x;
    gl_Position = vec4(p3d_Vertex.xy, 2.0 * p3d_Vertex.z - 1.0, 1.0);
}
