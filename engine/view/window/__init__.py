"""A window on the screen: a stage in it, panels over it, events out of it; knows no game."""
