#version 150
// Behind everything, in screen colours: the room, baked and out of focus.
in vec2 v_at;
uniform sampler2D u_room;
out vec4 colour;

void main() { colour = texture(u_room, v_at); }
