"""People at the table: the window of a game, its menu and panels, the hand, and the process that runs the physics."""
