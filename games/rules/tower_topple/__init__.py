"""Pappy's Tower Topple: pull a brick, lay it on top, do as it says, and leave the fall to others."""
