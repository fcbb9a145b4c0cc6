"""Names of the environments: `gymnasium.make("teeter/PlaceBlock-v0")` works once this module is imported, which
`gymnasium.make("games.learning.registry:teeter/PlaceBlock-v0")` does by itself."""

from __future__ import annotations

import gymnasium

PLACE_BLOCK = "teeter/PlaceBlock-v0"


def register() -> None:
    """Tell Gymnasium of the environments; twice does no harm."""
    if PLACE_BLOCK not in gymnasium.registry:
        gymnasium.register(PLACE_BLOCK, entry_point="games.learning.building:PlaceBlock")


register()
