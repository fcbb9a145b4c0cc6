// The backdrop behind everything, in screen colours: light above, a little darker towards the corners.
vec3 backdrop() {
    vec2 at = gl_FragCoord.xy * v_screen.xy;
    vec3 colour = mix(vec3(0.60, 0.565, 0.53), vec3(0.87, 0.86, 0.845), at.y * at.y * (3.0 - 2.0 * at.y));
    vec2 off = at - vec2(0.5, 0.55);
    return colour * (1.0 - 0.30 * dot(off, off)) + dither();
}
