"""The surface for scripts: `import teeter` is quick, speaks mm and degrees, and refuses with one kind of error."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import teeter
from teeter.games.api import results, verdict_pages
from teeter.games.api.arguments import ArgumentError
from teeter.games.cli import app
from teeter.games.core.errors import SetupError
from teeter.models.errors import Untrue

ROOT = Path(__file__).resolve().parent.parent
PNG = b"\x89PNG\r\n\x1a\n"
SLAB = {"shape": {"box": [60, 30, 15]}, "material": "beech"}


def test_importing_teeter_loads_nothing_heavy() -> None:
    code = "import teeter, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "numpy",
        "scipy",
        "pydantic",
        "rich",
        "typer",
        "pybullet",
        "rapier3d",
        "panda3d",
        "trimesh",
        "asyncio",
    }
    assert not heavy & set(done.stdout.split())
    assert not [
        name for name in done.stdout.split() if name.startswith(("teeter.games.commands", "teeter.games.cli"))
    ]


def test_everything_exported_is_there_and_says_what_it_is() -> None:
    for name in teeter.__all__:
        assert getattr(teeter, name) is not None
        if not name.startswith("__"):
            assert getattr(teeter, name).__doc__, name
    assert teeter.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        _ = teeter.chekc


def test_everything_exported_is_there_and_known_to_type_checkers() -> None:
    """What is imported late stands in the module twice: where it is, and for type checkers."""
    source = (ROOT / "teeter" / "__init__.py").read_text(encoding="utf-8")
    typed = source[source.index("if TYPE_CHECKING:") : source.index("_HOMES = ")]
    for name in teeter.__all__:
        assert getattr(teeter, name)
        assert re.search(rf"\b{name}\b", typed), name
    assert set(dir(teeter)) >= set(teeter.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'chekc'"):
        _ = teeter.chekc


def test_a_verdict_prints_as_the_command_does_and_gives_its_json() -> None:
    verdict = teeter.check("two_bricks", workers=1)
    printed = CliRunner().invoke(app, ["check", "two_bricks", "--workers", "1"]).stdout
    assert [line for line in str(verdict).splitlines() if " time " not in line] == [
        line for line in printed.splitlines() if " time " not in line
    ]
    found = json.loads(CliRunner().invoke(app, ["check", "two_bricks", "--workers", "1", "--json"]).stdout)
    mine = verdict.to_json()
    assert found | {"wall_s": 0} == mine | {"wall_s": 0}
    assert verdict.dynamics.sink_mm == pytest.approx(found["dynamics"]["sink_mm"], abs=1e-3)
    assert repr(verdict) == "<'two_bricks' stands>"


def test_what_a_shell_shows_of_a_result_fits_its_window() -> None:
    """A change of `mend` holds the scene before and after it: all corners of all pieces were shown, 36,000 letters."""
    scene = teeter.load("harmonic_outside")
    mended = teeter.mend(scene, kinds=["move"], best=1, workers=1)
    shown = [
        scene.assembly,
        scene.assembly.bodies[0],
        mended,
        *mended.changes,
        teeter.check(scene, workers=1),
    ]
    assert mended.changes
    assert max(len(repr(each)) for each in shown) < 2000


def test_a_scene_is_built_without_a_file_and_faults_name_its_pieces(tmp_path: Path) -> None:
    scene = teeter.build(
        [SLAB | {"id": "one", "position": (0, 0)}, SLAB | {"id": "two", "position": (20, 0)}]
    )
    assert scene.path is None
    assert scene.pieces["two"].position_mm == (20, 0, 22.5)
    assert scene.pieces["two"].mass_g == pytest.approx(60 * 30 * 15 * 690e-6)
    assert scene.without("two").ids == ("one",)
    file = tmp_path / "again.toml"
    file.write_text(scene.to_toml())
    assert teeter.load(file).pieces == scene.pieces
    with pytest.raises(teeter.TeeterError) as caught:
        teeter.build([SLAB | {"id": "one", "position": (0, 0), "colr": "red"}, SLAB | {"id": "one"}])
    assert 'built: piece[1] "one"' in str(caught.value)
    assert "is taken by" in str(caught.value)


def test_what_is_wrong_with_arguments_is_said_in_one_error() -> None:
    with pytest.raises(teeter.TeeterError, match=r"tilt_deg = 95: must be .*; seed = -1: must be "):
        teeter.check("arch", tilt_deg=95, seed=-1)
    with pytest.raises(teeter.TeeterError, match="there is no piece 'deckk'; did you mean 'deck'"):
        teeter.sweep("bridge", "deckk", x=0, y=0)
    (support, *_) = [piece.id for piece in teeter.load("arch").pieces.values() if piece.fixed]
    with pytest.raises(teeter.TeeterError, match=f"{support}' is fixed: it is a support"):
        teeter.probe("arch", [support])
    with pytest.raises(teeter.TeeterError, match="is a person"):
        teeter.play("wonky", ["Ana"])
    with pytest.raises(teeter.TeeterError, match="no such file"):
        teeter.verify("nowhere.teeter")
    with pytest.raises(teeter.TeeterError, match="exported as .html or .glb"):
        teeter.export("nowhere.teeter", "out.obj")


BOTS = ("bot:bold", "bot:bold")
ANY: Any = teeter
"""Not looked at by mypy."""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ANY.play("wonky", BOTS, seed=None), "seed = None: must be a whole number"),
        (lambda: ANY.play("wonky", BOTS, seed=True), "seed = True: must be a whole number"),
        (lambda: ANY.play("wonky", BOTS, seed=-1), r"seed = -1: must be from 0 to 2\*\*256 - 1"),
        (lambda: ANY.play("wonky", BOTS, seed=2**256), r"must be from 0 to 2\*\*256 - 1"),
        (lambda: ANY.play("wonky", BOTS, turns=None), "turns = None: must be a whole number"),
        (lambda: ANY.play("wonky", BOTS, tremor_mm=None), "tremor_mm = None: must be a number"),
        (lambda: ANY.play("wonky", None), "players = None: must be a list of names"),
        (lambda: ANY.play("wonky", 2), "players = 2: must be a list of names"),
        (lambda: ANY.play("wonky", "bot:bold,bot:bold"), "players = 'bot:bold,bot:bold': must be a list"),
        (
            lambda: ANY.play("wonky", [b"bot:bold", "bot:bold"]),
            r"players\[0\] = b'bot:bold': must be a text",
        ),
        (lambda: ANY.play("wonky", BOTS, record=5), "record = 5: must be the path of a file"),
        (lambda: ANY.verify(None), "record = None: must be the path of a file"),
        (lambda: ANY.verify(b"a.teeter"), "record = b'a.teeter': must be the path of a file"),
        (lambda: ANY.video("a.teeter", None), "out = None: must be the path of a file"),
        (
            lambda: ANY.video("a.teeter", "a.png", size="64x64"),
            "size = '64x64': must be two whole numbers",
        ),
        (
            lambda: ANY.video("a.teeter", "a.png", size=(64.0, 64.0)),
            "size = .*: must be two whole numbers",
        ),
        (
            lambda: ANY.video("a.teeter", "a.png", size=[64, 64, 64]),
            "size = .*: must be two whole numbers",
        ),
        (lambda: ANY.video("a.teeter", "a.png", fps=2.5), "fps = 2.5: must be a whole number"),
        (lambda: ANY.video("a.teeter", "a.png", speed="2"), "speed = '2': must be a number"),
        (lambda: ANY.video("a.teeter", "a.png", preset=[]), r"preset = \[\]: must be a text"),
        (lambda: ANY.export("a.teeter", None), "out = None: must be the path of a file"),
        (lambda: ANY.build(None), "pieces = None: must be a list of tables"),
        (lambda: ANY.build([SLAB], settle_mm="1"), "settle_mm = '1': must be a number from 0 to 1000"),
        (lambda: ANY.build([SLAB], name=None), "name = None: must be a text"),
        (
            lambda: ANY.build([SLAB], has_table=1, drop="x"),
            "has_table = 1: must be .*; drop = 'x': must be True",
        ),
        (lambda: ANY.build([SLAB], loads=None), "loads = None: must be a list of tables"),
        (
            lambda: ANY.load("arch", fit_mm="x", drop="x"),
            "fit_mm = 'x': must be a number; drop = 'x': must be",
        ),
        (lambda: ANY.load("arch", fixed=5), "fixed = 5: must be a list of names"),
        (lambda: ANY.load("arch", without=[5]), r"without\[0\] = 5: must be a text"),
        (lambda: ANY.load("arch", settle=1), "settle = 1: no such argument; did you mean 'settle_mm'"),
        (lambda: ANY.load(), "load: missing a required argument: 'path_or_name'"),
        (lambda: ANY.Checker(foo=1), "foo = 1: no such argument"),
        (lambda: ANY.Checker(1), "Checker: too many positional arguments"),
        (lambda: ANY.Checker(seed=None), "seed = None: must be a whole number"),
        (lambda: ANY.design("overhang", None), "pieces = None: must be a list"),
        (lambda: ANY.verify_certificate(None), "file = None: must be the path of a file"),
        (lambda: ANY.verify_certificate("a.json", conditions=5), "conditions = 5: must be a Checker"),
        (lambda: ANY.sweep("arch", None, x=0, y=0), "piece = None: must be a text"),
        (lambda: ANY.sweep("arch", "a", x=0, y=0, margins="x"), "margins = 'x': must be True or False"),
        (lambda: ANY.poses("arch", 5), "piece = 5: must be a text"),
        (lambda: ANY.probe("arch", [5]), r"pieces\[0\] = 5: must be a text"),
        (lambda: ANY.probe("arch", progress=5), "progress = 5: must be a function"),
        (lambda: ANY.steps("arch", 5), "order = 5: must be a list of names"),
        (lambda: ANY.noise("arch", position_mm=None), "position_mm = None: must be a number"),
        (lambda: ANY.noise("arch", executor=5), "executor = 5: must be an executor"),
        (lambda: ANY.check_many(None), "scenes = None: must be a list"),
        (
            lambda: ANY.write_dataset("new", ["arch"], splits={"a": "x"}),
            r"splits\['a'\] = 'x': must be a number",
        ),
        (lambda: ANY.load("arch").without(5), "ids = 5: must be a list of names"),
        (lambda: ANY.load("arch").add("arch", drop="x"), "drop = 'x': must be True or False"),
    ],
)
def test_an_argument_of_another_kind_is_named_with_its_value(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises((ArgumentError, SetupError), match=message):
        call()


def test_seeds_and_players_of_any_kind_play_one_game(tmp_path: Path) -> None:
    """A seed as large as a recording holds, which the command line takes too; numpy's; players from a generator."""
    made = teeter.play(
        "wonky", (name for name in BOTS), seed=np.int64(3), turns=1, record=tmp_path / "a.teeter"
    )
    assert made.turns == 1
    again = teeter.play("wonky", BOTS, seed=3, turns=1, record=tmp_path / "b.teeter")
    assert again.record is not None
    assert (tmp_path / "a.teeter").read_bytes() == again.record.read_bytes()
    teeter.play("wonky", BOTS, seed=2**256 - 1, turns=1, record=tmp_path / "c.teeter")
    assert teeter.verify(tmp_path / "c.teeter").agrees


def test_why_is_told_in_sentences_and_in_millimetres() -> None:
    why = teeter.explain(teeter.load("bridge").without("counterweight"), workers=1)
    assert why.moves == ("deck",)
    assert why.room_mm == pytest.approx(-35.0)
    assert why.force_n is not None
    assert why.force_n < 0
    assert str(why).splitlines()[0].startswith("deck tips over the edge")


@pytest.mark.slow
def test_a_notebook_shows_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = teeter.load("two_bricks")
    assert scene._repr_png_()[:8] == PNG
    verdict = teeter.check(scene, workers=1)
    assert verdict._repr_html_().startswith("<iframe sandbox='allow-scripts'")
    monkeypatch.setattr(verdict_pages, "MOST_OF_CELL", 1000)
    picture = re.search(r'src="data:image/png;base64,([^"]*)"', verdict._repr_html_())
    assert picture is not None
    assert len(picture[1]) < 300 * 1024
    assert base64.b64decode(picture[1])[:8] == PNG
    shown: list[object] = []
    monkeypatch.setattr(results, "in_notebook", lambda: True)
    monkeypatch.setattr(results, "show_in_notebook", shown.append)
    verdict.show()
    assert shown == [verdict]


@pytest.mark.slow
def test_a_verdict_is_drawn_and_recorded_and_the_recording_filmed(tmp_path: Path) -> None:
    verdict = teeter.check("slope_above", workers=1)
    assert verdict.picture(tmp_path / "verdict.png").read_bytes()[:8] == PNG
    replay = verdict.record(tmp_path / "fall.teeter")
    made = teeter.video(replay, tmp_path / "fall.png", size=(320, 180), begin_s=0.0, workers=1)
    assert made.size == (320, 180)
    assert made.file.read_bytes()[:8] == PNG
    with pytest.raises(teeter.TeeterError, match="quality"):
        teeter.video(replay, tmp_path / "fall.mp4", quality="splendid")


def test_no_public_result_can_be_read_as_yes_or_no() -> None:
    public = [getattr(teeter, name) for name in teeter.__all__]
    kinds = {each for each in public if isinstance(each, type) and is_dataclass(each)}
    # who asks, and what is asked about
    kinds -= {teeter.Checker, teeter.Scene, teeter.ScenePiece}
    assert {teeter.CheckResult, teeter.ManyRow, teeter.ManyResult, teeter.SweepRow, teeter.Verified} < kinds
    assert all(issubclass(each, Untrue) and each.asked for each in kinds)
    found = teeter.check("two_bricks", workers=1)
    for result in (found, found.statics, found.dynamics):
        with pytest.raises(teeter.TeeterError, match=r"neither true nor false: ask \.stands"):
            bool(result)


def test_a_word_for_force_overwrites_nothing(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("mine")
    with pytest.raises(teeter.TeeterError, match="force = 'no': must be True or False"):
        teeter.check("two_bricks").page(file, force="no")  # type: ignore[arg-type]
    assert file.read_text() == "mine"


def test_a_verdict_takes_paths_only_and_no_other_conditions(tmp_path: Path) -> None:
    verdict: Any = teeter.check("two_bricks", workers=1)
    for name in ("page", "record", "picture", "compas"):
        with pytest.raises(ArgumentError, match="path = 5: must be the path of a file"):
            getattr(verdict, name)(5)
    with pytest.raises(teeter.TeeterError, match=r'pages are written as .html \(got ".foo"\)'):
        verdict.page(tmp_path / "page.foo")
    assert not [*tmp_path.iterdir()]
    with pytest.raises(
        ArgumentError, match="tilt_deg, friction: the verdict was asked already: give the scene"
    ):
        teeter.explain(verdict, tilt_deg=60, friction=0.01)
    steep = teeter.Checker(tilt_deg=10, workers=1)
    with pytest.raises(ArgumentError, match="asked under other conditions"):
        steep.explain(verdict)
    tilted = steep.check("two_bricks")
    why = [checker.explain(tilted).sentences for checker in (steep, teeter.Checker())]
    assert why == [teeter.explain(tilted).sentences] * 2
    assert why[0] != teeter.explain(verdict).sentences
