"""A game that others join from a browser: the server beside the physics, seats, spectators, links."""
