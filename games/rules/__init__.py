"""Pure state machines of the games; no physics, no clock, no files."""
