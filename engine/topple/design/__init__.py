"""What can be built of boxes: the longest overhang, the tallest tower, a bridge; places in metres, no bodies."""
