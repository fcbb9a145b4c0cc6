#version 150
// One triangle over the whole picture, with what is the same everywhere on it (see `light.glsl`).
uniform vec2 u_texel;          // of this picture
uniform vec2 u_tangent;        // tangents of the half angles of view
uniform vec2 u_planes;         // near and far, metres
uniform float u_reach;         // metres
uniform float u_reach_texels;  // reach at one metre from the eye, in texels
in vec4 p3d_Vertex;
flat out vec4 v_view;
flat out vec3 v_planes;
flat out vec2 v_reach;
void main() {
    v_view = vec4(u_texel, u_tangent);
    v_planes = vec3(u_planes.x * u_planes.y, u_planes.y, u_planes.y - u_planes.x);
    v_reach = vec2(1.0 / (u_reach * u_reach), u_reach_texels);
    gl_Position = vec4(p3d_Vertex.xz, 1.0, 1.0);
}
