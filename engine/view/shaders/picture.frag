in vec2 v_at;
uniform sampler2D u_picture;
out vec4 colour;

void main() { colour = vec4(texture(u_picture, v_at).rgb, 1.0); }
