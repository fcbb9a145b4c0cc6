"""Pappy's Tower Topple: bricks are pulled, laid on top, and do what is stamped on them."""
