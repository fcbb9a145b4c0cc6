"""The notebook runs from top to bottom, and what it says is true."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_notebook_runs_and_its_answers_agree_with_the_closed_forms() -> None:
    cells = runpy.run_path(str(Path(__file__).with_name("notebook.py")))
    assert cells["reach"] == pytest.approx(62.5)
    assert (cells["inside"].word, cells["past"].word) == ("stands", "topples")
    for count, degrees in cells["tilts"].items():
        assert degrees == pytest.approx(math.degrees(math.atan(1 / count)), abs=1e-3)
    verdicts = {(row.x_mm, row.y_mm): row.verdict for row in cells["rows"]}
    # over the brick, and past its side: 12.5 mm from the middle
    assert verdicts[0.0, 7.5] == "stands"
    assert verdicts[0.0, 15.0] == "topples"
    assert verdicts[45.0, 0.0] == "topples"
    assert cells["best"].y_mm == 0.0
    # in the middle both slide on the table first; 7.5 mm aside both tip about the edge of the lower brick
    assert cells["margin"][2, 3] == pytest.approx(math.degrees(math.atan(math.sqrt(1.2 * 0.45))), abs=0.01)
    slab, lower = 60 * 30, 75 * 25
    aside, height = 7.5 * slab / (slab + lower), (22.5 * slab + 7.5 * lower) / (slab + lower)
    assert cells["margin"][1, 3] == pytest.approx(math.degrees(math.atan((12.5 - aside) / height)), abs=0.01)
