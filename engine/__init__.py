"""How things move and look: worlds, events, stability, records and pictures. Knows no game."""
