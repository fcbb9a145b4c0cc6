// One picture over another of the same size.
uniform sampler2D u_picture;
out vec4 colour;

void main() { colour = texelFetch(u_picture, ivec2(gl_FragCoord.xy), 0); }
