"""What lies on a table: wood, felt or linen, on its top alone."""

from __future__ import annotations

import numpy as np
import pytest

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Orbit
from teeter.engine.view.opengl import ViewError
from teeter.engine.view.render.shading import TABLE_TOPS
from teeter.engine.view.render.stage import Stage
from teeter.engine.view.video.film import Recipe
from teeter.engine.world.body import Body
from teeter.games.judge.places import table
from teeter.models.build import build
from teeter.models.catalogue import find


def test_cloth_covers_the_top_and_nothing_else() -> None:
    piece = build(find("wonky/medium_blue"))
    block = Body("block", piece, Pose((0.0, 0.0, float(piece.extents[2]) / 2), (0.0, 0.0, 0.0, 1.0)))
    stage = Stage([table(1200, 800), block], size=(192, 108), quality="low")
    stage.aim(Orbit((0.0, 0.0, 0.02), 0.5, -70.0, 30.0).camera)
    first = stage.render().astype(int)
    seen = {}
    for top in (*TABLE_TOPS[1:], TABLE_TOPS[0]):
        stage.dress_table(top)
        seen[top] = stage.render()[..., :3].astype(int)
    stage.close()
    assert np.array_equal(seen["wood"], first)
    lower, middle = np.s_[80:, :], np.s_[50:56, 92:100]
    means = {top: picture[lower].mean(axis=(0, 1)) for top, picture in seen.items()}
    # brown, a dark grey, a pale one
    assert means["wood"][0] > means["wood"][2] + 30
    assert np.ptp(means["felt"]) < 25
    assert means["linen"].mean() > means["wood"].mean() + 60
    for top in TABLE_TOPS:
        assert np.abs(seen[top][middle] - first[middle]).max() < 12, f"{top} changes the block"


def test_what_no_table_is_covered_with_is_refused() -> None:
    with pytest.raises(ViewError, match='--table "silk": use one of wood, felt, linen'):
        Recipe(table="silk")  # type: ignore[arg-type]
