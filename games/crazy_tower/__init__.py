"""Crazy Tower: one tower of floor cards and blocks; four can play, one can be the saboteur."""
