"""Environments for learning: the games for several agents, and building with one. Needs the extra `rl`."""
