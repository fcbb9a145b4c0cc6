"""What a window needs before its first picture: what costs long to load is not among it."""

from __future__ import annotations

import subprocess
import sys

FIRST_PICTURE = """
import sys
from engine.view.render.stage import Stage
from games.ui import app, game_screen
from games.ui.messages import Plan
from games.ui.setup import first_view
stage = Stage(first_view(Plan("tower-topple", ("Ana", "bot:steady"), 0)).bodies, size=(320, 180))
assert stage.render().std() > 10
print(*sorted(name for name in ("scipy.spatial", "scipy.sparse", "trimesh") if name in sys.modules))
"""


def test_a_tower_of_bricks_is_drawn_without_scipy() -> None:
    """A third of a second is what its hulls alone take."""
    done = subprocess.run([sys.executable, "-c", FIRST_PICTURE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
