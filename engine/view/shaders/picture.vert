#version 150
in vec4 p3d_Vertex;
out vec2 v_at;

void main() {
    v_at = p3d_Vertex.xz * 0.5 + 0.5;
    gl_Position = vec4(p3d_Vertex.xz, 0.0, 1.0);
}
