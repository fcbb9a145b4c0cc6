"""Simulated trials: a scene disturbed a little, let go, and watched."""
