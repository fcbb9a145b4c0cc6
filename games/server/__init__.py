"""The process that runs a game, its client, and what they say to each other."""
