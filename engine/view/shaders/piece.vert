#version 150
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat4 u_shadow;
uniform float u_shadow_step;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec3 grain;
in vec3 grain_normal;
out vec3 v_place;
out vec3 v_normal;
out vec3 v_grain;
out vec3 v_grain_normal;
out vec3 v_shadow;

void main() {
    vec4 place = p3d_ModelMatrix * p3d_Vertex;
    vec3 normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    v_place = place.xyz;
    v_normal = normal;
    v_grain = grain;
    v_grain_normal = grain_normal;
    // a step out of the surface, longer where the light grazes it, keeps a face from shading itself
    float slope = 1.0 - clamp(dot(normal, SUN), 0.0, 1.0);
    v_shadow = (u_shadow * vec4(place.xyz + normal * u_shadow_step * (0.4 + 1.6 * slope), 1.0)).xyz;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
