in vec2 v_at;
uniform sampler2D p3d_Texture0;
uniform vec4 u_ink;
out vec4 colour;

void main() { colour = vec4(u_ink.rgb, u_ink.a * texture(p3d_Texture0, v_at).a); }
