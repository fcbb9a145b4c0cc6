#version 150
// One triangle over the whole picture, as far away as can be.
in vec4 p3d_Vertex;
void main() { gl_Position = vec4(p3d_Vertex.xz, 1.0, 1.0); }
