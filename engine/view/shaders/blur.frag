// The mean of four by four texels by four taps between them: averages the sixteen turns of the occlusion pattern.
uniform sampler2D u_source;
uniform vec2 u_texel;
out vec4 colour;
void main() {
    vec2 uv = gl_FragCoord.xy * u_texel;
    float sum = texture(u_source, uv + u_texel * vec2(-1.0, -1.0)).r
              + texture(u_source, uv + u_texel * vec2(1.0, -1.0)).r
              + texture(u_source, uv + u_texel * vec2(-1.0, 1.0)).r
              + texture(u_source, uv + u_texel * vec2(1.0, 1.0)).r;
    colour = vec4(vec3(sum * 0.25), 1.0);
}
