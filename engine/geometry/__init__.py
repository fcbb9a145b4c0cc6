"""Plain geometry of solids in the world: rotations, convex solids, overlap, drop placement, what a piece rests on."""
