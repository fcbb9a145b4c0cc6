in vec2 v_at;
uniform vec2 u_size;       // pixels
uniform vec2 u_round;      // radius of the corners, width of the edge; pixels
uniform vec4 u_fill;
uniform vec4 u_edge;
out vec4 colour;

void main() {
    vec2 off = abs(v_at - 0.5) * u_size - (u_size * 0.5 - u_round.x);
    float away = length(max(off, 0.0)) + min(max(off.x, off.y), 0.0) - u_round.x;
    vec4 inner = mix(u_fill, u_edge, clamp(away + u_round.y + 0.5, 0.0, 1.0) * u_edge.a);
    colour = vec4(inner.rgb, inner.a * clamp(0.5 - away, 0.0, 1.0));
}
