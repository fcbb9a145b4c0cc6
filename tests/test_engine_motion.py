"""How true falls are: the bench of motion, in every engine and with the settings of play and of check."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from teeter.engine.bench import motion
from teeter.engine.bench.motion import EXPERIMENTS, SETTINGS
from teeter.engine.worlds import installed_engines, using
from teeter.games.cli import app

MISSES = {
    "disc 20 x 8: 20 rad/s stop after, s": "rapier",
    "coin 12 x 2: 20 rad/s stop after, s": "rapier",
    "column 10 x 50: 20 rad/s stop after, s": "rapier",
    "disc that slides and spins, m": "rapier",
    "brick whose cloth is drawn away, mm": "rapier",
    "box, restitution 0.5": "rapier",
    "ball that bounces askew loses, m/s": "rapier",
    "upright cylinder that slides tips from mu": "bullet, rapier",
}
"""What engines are known to get wrong; one that no longer does is to be struck out."""

HERE = [who for who, (engine, _) in SETTINGS.items() if engine in installed_engines()]


def rows() -> list[object]:
    """Every experiment in every setting; the longest beside Bullet in play take minutes."""
    return [
        pytest.param(what, who, marks=pytest.mark.soak if is_long(what) and who != HERE[0] else ())
        for what in sorted(EXPERIMENTS)
        for who in HERE
    ]


def is_long(what: str) -> bool:
    """Whether an experiment is of hundreds of falls."""
    return "thrown through" in what or "energy gained" in what


@pytest.mark.slow
@pytest.mark.parametrize(("what", "who"), rows())
@pytest.mark.sampled(2)
def test_motion_is_right_but_where_it_is_known_to_miss(what: str, who: str) -> None:
    engine, tuning = SETTINGS[who]
    with using(engine):
        found = EXPERIMENTS[what](tuning)
    assert found.holds is (engine not in MISSES.get(what, "")), found


def test_every_known_miss_is_measured() -> None:
    assert set(MISSES) <= set(EXPERIMENTS)


def test_the_command_prints_every_engine_beside_what_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = ["brick: 20 rad/s stop after, s", "ball rolls 1.5 s: loss, %"]
    monkeypatch.setattr(motion, "EXPERIMENTS", {what: EXPERIMENTS[what] for what in chosen})
    done = CliRunner().invoke(app, ["bench", "--motion", "--json"])
    assert "teeter: " in done.stderr
    assert done.exit_code == 0
    rows = json.loads(done.stdout)
    assert [row["what"] for row in rows] == chosen
    assert all(row["holds"] is True for row in rows)
    assert all(who in row["measured"] for row in rows for who in HERE)
