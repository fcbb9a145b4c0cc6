"""Verdicts that prove themselves: exact certificates of equilibrium and of collapse, and their independent checker."""
