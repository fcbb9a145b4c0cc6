"""What the world means to a game: where its pieces begin, and whether a piece at rest lies as the rules ask."""
