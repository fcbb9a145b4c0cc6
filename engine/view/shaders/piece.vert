#version 150
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat4 u_shadow;
uniform float u_shadow_step;
uniform float u_shadow_blur;
uniform vec2 u_pixel;
uniform vec3 u_eye;
uniform vec3 u_albedo;
uniform vec4 u_finish;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec3 grain;
in vec3 grain_normal;
out vec3 v_eye;
out vec3 v_grain;
out vec3 v_shadow;
flat out vec3 v_screen;
flat out vec3 v_albedo;
flat out vec4 v_finish;
#ifdef TABLE
out vec2 v_lit;            // by the sun, and by the sky
#if CLOSE && OCCLUSION > 0
uniform float u_shadow_deep;
flat out float v_deep;
#endif
flat out vec3 v_stain;

// A table that glows as pieces do would draw the eye: greyer, and a little darker.
vec3 quiet(vec3 colour) { return 0.85 * mix(vec3(dot(colour, vec3(0.2126, 0.7152, 0.0722))), colour, 0.72); }
#else
uniform vec3 u_offset;
out vec3 v_normal;
out vec3 v_grain_normal;
#endif
#ifdef FACE
uniform float u_face_shown;
uniform mat4 u_face_axes;      // from along the grain back to the piece frame
uniform vec4 u_face_area;      // on top: centre, and one over the size
uniform vec3 u_face_press;
out vec3 v_face;
flat out vec3 v_press;
flat out vec3 v_across;
flat out vec3 v_up;
#endif

void main() {
    vec4 place = p3d_ModelMatrix * p3d_Vertex;
    vec3 normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    v_eye = u_eye - place.xyz;
    v_screen = vec3(u_pixel, u_shadow_blur);
    v_finish = u_finish;
#ifdef TABLE
    v_albedo = quiet(u_albedo);
#if CLOSE && OCCLUSION > 0
    v_deep = u_shadow_deep;
#endif
    v_stain = quiet(u_albedo * vec3(0.8, 1.0, 1.2));
    v_grain = grain;
    // in place of a normal along the grain the table has the part of the light that reaches it
    v_lit = vec2(max(dot(normal, SUN), 0.0), 0.5 + 0.5 * normal.z) * grain_normal.x;
#else
    v_albedo = u_albedo;
    v_normal = normal;
    v_grain = grain + u_offset;
    v_grain_normal = grain_normal;
#endif
#ifdef FACE
    v_face = vec3(((mat3(u_face_axes) * grain).xy - u_face_area.xy) * u_face_area.zw + 0.5,
                  (mat3(u_face_axes) * grain_normal).z * u_face_shown);
    v_press = u_face_press;
    v_across = p3d_ModelMatrix[0].xyz;
    v_up = p3d_ModelMatrix[1].xyz;
#endif
    // a step out of the surface, longer where the light grazes it, keeps a face from shading itself
    float slope = 1.0 - clamp(dot(normal, SUN), 0.0, 1.0);
    v_shadow = (u_shadow * vec4(place.xyz + normal * u_shadow_step * (0.4 + 1.6 * slope), 1.0)).xyz;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
