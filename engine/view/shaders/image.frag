in vec2 v_at;
uniform sampler2D p3d_Texture0;
uniform float u_opacity;
out vec4 colour;

void main() {
    vec4 seen = texture(p3d_Texture0, v_at);
    colour = vec4(seen.rgb, seen.a * u_opacity);
}
