"""The laboratories of all games: a new game is one import and one entry here."""

from __future__ import annotations

import rules_bausack
import rules_crazy_tower
import rules_sandbox
import rules_tower_topple
import rules_wonky
from rules_lab import Lab

LABS: tuple[Lab, ...] = (
    rules_crazy_tower.LAB,
    rules_wonky.LAB,
    rules_bausack.LAB,
    rules_tower_topple.LAB,
    rules_sandbox.LAB,
)

MODES = [(lab, mode.name) for lab in LABS for mode in lab.game.modes]
"""Every game in every mode."""
MODE_NAMES = [f"{lab.game.name}-{mode}" for lab, mode in MODES]
