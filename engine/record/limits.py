"""The format version and how large a recording may be: checked before anything is read."""

from __future__ import annotations

FORMAT = 1
"""The newest format version this code reads, and the one it writes."""

MOST_ENTRIES = 20
"""Of a zip; a recording has six."""
MOST_BYTES = 300_000_000
"""Of a recording, unpacked."""
MOST_TEXT = 80_000_000
"""Of one text, unpacked. Parsed JSON takes up to 25 times its size. This is an hour of the hand at 240 steps a
second without a pause."""
MOST_TRACK = 100_000_000
"""Of the track, unpacked: 18 minutes of motion of 57 bodies at 60 frames a second. A longer one is thinned evenly when
it is packed, because a viewer goes smoothly from frame to frame anyway."""
MOST_BODIES = 5000
MOST_STEPS = 2**53
"""Steps that a float64 holds exactly."""
