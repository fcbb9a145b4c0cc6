"""Crazy Tower: add blocks and floor cards to one shared tower, and hope it falls on someone else's turn."""
