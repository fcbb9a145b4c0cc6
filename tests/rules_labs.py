"""The laboratories of all games: that of a new one is `rules_<game>.py`."""

from __future__ import annotations

from importlib import import_module

from rules_lab import Lab

from teeter.games.registry import GAMES

LABS: tuple[Lab, ...] = tuple(import_module(f"rules_{game.name.replace('-', '_')}").LAB for game in GAMES)

MODES = [(lab, mode.name) for lab in LABS for mode in lab.game.modes]
"""Every game in every mode."""
MODE_NAMES = [f"{lab.game.name}-{mode}" for lab, mode in MODES]
