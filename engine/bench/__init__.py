"""Measurements: how exact and how fast the physics is, beside closed forms and peers."""
