#version 150
// The walls of the room, as far away as can be.
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;        // where in its picture a corner is
out vec2 v_at;
void main() {
    v_at = p3d_Normal.xy;
    gl_Position = (p3d_ModelViewProjectionMatrix * p3d_Vertex).xyww;
}
