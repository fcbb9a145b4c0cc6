#version 150
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
out vec3 v_place;
out vec3 v_normal;

void main() {
    v_place = (p3d_ModelMatrix * p3d_Vertex).xyz;
    v_normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    // a hair nearer, so that what lies on a surface is seen
    gl_Position.z -= 0.00015 * gl_Position.w;
}
