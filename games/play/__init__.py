"""A game being played: session, table, checkpoints and the held piece; recorded, played back and watched."""
