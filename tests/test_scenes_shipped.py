"""The shipped scenes: up to date, loadable, and with the verdict they claim."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from case import Case
from generate import BEGIN, END, cases, files, readme, table, text_of
from other_cases import FRICTION, arch, cards, slope
from overhang_cases import harmonic, leaning, optimal
from scipy.optimize import linprog

from teeter import scenes
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.world.body import Body
from teeter.models.material import pair_coefficient
from teeter.scenes.load import load, shipped
from teeter.scenes.scene import Scene

FOLDER = Path(scenes.__file__).parent
VERDICTS = {case.name: case.verdict for case in cases()}
ROUND = (
    "ball_in_saddle",
    "ball_on_ball",
    "egg_on_tip",
    "egg_in_eggcup",
    "cone_in_ring",
    "ball_on_ring",
    "ball_between_cylinders",
)
UNEVEN = ("ruler_stack",)
TOWERS = ("tower", "tower_gaps", "tower_gone", "standing_arch")
"""Not the same in every slice along y, or concave, so not for a balance in the plane."""


def scene_of(name: str) -> Scene:
    return load(name, settle_mm=next(case.settle_mm for case in cases() if case.name == name))


def test_the_files_are_what_the_generator_writes() -> None:
    for name, text in files().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, (
            "run: python tests/scene_cases/generate.py"
        )
    assert set(shipped()) == {case.name for case in cases()}


def test_the_readme_lists_every_scene() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert readme(text) == text, "run: python tests/scene_cases/generate.py"
    assert BEGIN in text
    assert END in text
    assert all(f"| `{name}` |" in table() for name in shipped())


def test_the_readmes_example_is_a_scene(tmp_path: Path) -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    (tmp_path / "example.toml").write_text(example, encoding="utf-8")
    scene = load(tmp_path / "example.toml")
    assert scene.ids == ("lower", "slab", "left post")
    assert scene.dropped == ("slab", "left post")
    slab = next(body for body in scene.assembly.bodies if body.name == "slab")
    assert slab.pose.position[2] == pytest.approx(0.0225)


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scene_loads_and_says_what_to_expect(name: str) -> None:
    scene = scene_of(name)
    assert scene.head.expect is not None
    assert scene.head.expect.verdict == VERDICTS[name]
    assert len(scene.head.expect.why) > 20
    head = (FOLDER / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    assert head[0].startswith("# ")
    assert scene.head.expect.verdict in " ".join(head[:2])


def test_only_the_ruler_stack_needs_settling() -> None:
    assert [case.name for case in cases() if case.settle_mm] == ["ruler_stack"]
    with pytest.raises(ValueError, match="overlaps"):
        load("ruler_stack")


@pytest.mark.parametrize("name", [name for name in shipped() if name not in (*ROUND, *UNEVEN)])
def test_statics_agrees_with_the_verdict(name: str) -> None:
    found = analyse(scene_of(name).assembly, margins=False, loads=False)
    assert found.stands is (VERDICTS[name] == "stands")


@pytest.mark.parametrize("name", [name for name in shipped() if name not in (*ROUND, *UNEVEN, *TOWERS)])
def test_a_balance_in_the_plane_agrees_with_the_verdict(name: str) -> None:
    assert in_balance(scene_of(name)) is (VERDICTS[name] == "stands")


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        (optimal("a", "stands", 1.1678), optimal("b", "topples", 1.1680)),
        (harmonic("a", "stands", -0.01), harmonic("b", "topples", 0.01)),
        (arch("a", "stands", 15, 11.0), arch("b", "topples", 15, 10.5)),
        (leaning("a", "stands", 5.99), leaning("b", "topples", 6.01)),
        (slope("a", "stands", 21.80), slope("b", "topples", 21.81)),
        (cards("a", "stands", 51.4), cards("b", "topples", 48.0)),
    ],
)
def test_the_limits_are_where_the_closed_forms_say(tmp_path: Path, inside: Case, outside: Case) -> None:
    for case in (inside, outside):
        (tmp_path / f"{case.name}.toml").write_text(text_of(case), encoding="utf-8")
        assert in_balance(load(tmp_path / f"{case.name}.toml")) is (case.verdict == "stands")


def test_statics_finds_the_closed_form_margins() -> None:
    slope = analyse(scene_of("slope_below").assembly, loads=False)
    assert slope.tilt_deg == pytest.approx(math.degrees(math.atan(FRICTION)) - 20, abs=1e-3)
    tower = scene_of("leaning_tower").assembly
    step = tower.bodies[2].pose.position[0] - tower.bodies[1].pose.position[0]
    # the upper nine, 180 mm tall, have their centre of mass five steps along the half length of the lowest
    slack = 0.030 - 5 * step
    assert analyse(tower, loads=False).tilt_deg == pytest.approx(
        math.degrees(math.atan(slack / 0.090)), abs=1e-3
    )


# A balance in the plane, written without the engine: corners of contact segments, normal forces and friction.


Plane = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Touch = tuple[Body, Body, Plane, Plane]


def outline(body: Body) -> Plane:
    """The corners (n, 2) of a body in x and z, mm, counter-clockwise."""
    points = np.unique((body.pose.apply(body.piece.parts[0].vertices)[:, [0, 2]] * 1e3).round(7), axis=0)
    x, z = (points - points.mean(axis=0)).T
    return np.asarray(points[np.argsort(np.arctan2(z, x))])


def touches(first: Body, second: Body) -> list[Touch]:
    """The ends of the segments where two outlines meet, with the direction from the second to the first."""
    found: list[Touch] = []
    one, other = outline(first), outline(second)
    for a, b in zip(one, np.roll(one, -1, axis=0), strict=True):
        along = (b - a) / np.linalg.norm(b - a)
        inward = np.array([-along[1], along[0]])
        for c, d in zip(other, np.roll(other, -1, axis=0), strict=True):
            if max(abs((c - a) @ inward), abs((d - a) @ inward)) > 1e-4 or (d - c) @ along > 0:
                continue
            start, stop = max(0.0, (d - a) @ along), min(float(np.linalg.norm(b - a)), (c - a) @ along)
            if stop - start > 1e-3:
                found += [(first, second, a + place * along, inward) for place in (start, stop)]
    return found


def wrench(body: Body, point: Plane, force: Plane) -> list[float]:
    """Force along x and z, and moment about the piece frame in units of 100 mm."""
    arm = point - np.array(body.pose.position)[[0, 2]] * 1e3
    return [force[0], force[1], (arm[0] * force[1] - arm[1] * force[0]) / 100]


def in_balance(scene: Scene) -> bool:
    """Whether normal forces and friction at the contacts can carry every free body: a linear program."""
    pairs = combinations(scene.assembly.bodies, 2)
    contacts = [contact for pair in pairs for contact in touches(*pair)]
    row = {body.name: slice(3 * index, 3 * index + 3) for index, body in enumerate(scene.assembly.free)}
    forces = np.zeros((3 * len(row), 2 * len(contacts)))
    cones = np.zeros((2 * len(contacts), 2 * len(contacts)))
    for index, (first, second, point, normal) in enumerate(contacts):
        mu = pair_coefficient(first.piece.material.friction, second.piece.material.friction)
        cones[2 * index : 2 * index + 2, 2 * index : 2 * index + 2] = [[-mu, 1], [-mu, -1]]
        for column, direction in enumerate((normal, np.array([normal[1], -normal[0]]))):
            for body, sign in ((first, 1.0), (second, -1.0)):
                if body.name in row:
                    forces[row[body.name], 2 * index + column] = wrench(body, point, sign * direction)
    weights = np.zeros(3 * len(row))
    for body in scene.assembly.free:
        centre = body.centre_of_mass[[0, 2]] * 1e3
        weights[row[body.name]] = wrench(body, centre, np.array([0.0, -body.piece.mass]))
    weights /= np.abs(weights).max()
    bounds = [(0, None), (None, None)] * len(contacts)
    zero = np.zeros(2 * len(contacts))
    return bool(linprog(zero, cones, zero, forces, -weights, bounds, method="highs").status == 0)
