"""What a window needs before its first picture: what costs long to load is not among it."""

from __future__ import annotations

import subprocess
import sys

from needs import need

from teeter.engine.view.panels import Text
from teeter.games.ui.app import wait_panel

FIRST_PICTURE = """
import sys
from teeter.engine.view.render.stage import Stage
from teeter.games.ui import app
from teeter.games.present import game_screen
from teeter.games.server.messages import Plan
from teeter.games.server.setup import first_view
stage = Stage(first_view(Plan("tower-topple", ("Ana", "bot:steady"), 0)).bodies, size=(320, 180))
assert stage.render().std() > 10
print(*sorted(name for name in ("scipy.spatial", "scipy.sparse", "trimesh") if name in sys.modules))
"""


def test_a_tower_of_bricks_is_drawn_without_scipy() -> None:
    """A third of a second is what its hulls alone take."""
    need("OpenGL")
    done = subprocess.run([sys.executable, "-c", FIRST_PICTURE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_what_is_waited_for_is_called_as_on_its_box() -> None:
    texts = [item.text for item in wait_panel("Pappy's Tower Topple").items if isinstance(item, Text)]
    assert texts == ["teeter", "Setting up Pappy's Tower Topple ..."]
