"""The one place that says which engine simulates. A second engine fits in here: it satisfies `engine.world.World`."""

from __future__ import annotations

from engine.bullet import BulletWorld
from engine.world import WorldMaker

new_world: WorldMaker = BulletWorld
"""Makes a world on the engine that is used everywhere; close it (or use it as a context manager)."""
