// Behind everything, in screen colours: light above, a little darker towards the corners.
out vec4 colour;

void main() {
    vec2 at = gl_FragCoord.xy * v_screen.xy;
    vec3 grey = mix(vec3(0.60, 0.565, 0.53), vec3(0.87, 0.86, 0.845), at.y * at.y * (3.0 - 2.0 * at.y));
    vec2 off = at - vec2(0.5, 0.55);
    colour = vec4(grey * (1.0 - 0.30 * dot(off, off)) + dither(), 1.0);
}
