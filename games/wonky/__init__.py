"""Wonky: cards that ask for blocks, one tower, a count to three."""
