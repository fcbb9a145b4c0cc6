"""Bausack: bid for odd pieces or push them on to others; the last tower standing wins."""
