"""Wonky: play cards, add lopsided blocks, be the first without cards or lay the ninth block."""
