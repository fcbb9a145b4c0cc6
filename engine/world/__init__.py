"""The world: what is in it, the engines that move it, and what they lack of falls."""
