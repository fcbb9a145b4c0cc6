"""What can be built of boxes: the longest overhang, a tall tower, a bridge; places in metres, no bodies."""
