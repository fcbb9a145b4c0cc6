"""Assemblies of meshes that others could have made, loaded as files: judged as what is known of them."""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from manifold3d import Manifold
from mesh_cases import CASES, MeshCase, case, scanned_wall, triangles_of, wall_boxes

from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.models.fit import fit_meshes
from teeter.scenes.load import load
from teeter.scenes.scene import Scene, SceneError

QUICK = (
    "pocket and tenon",
    "dovetail",
    "lap over an edge, outside",
    "bracket, light load",
    "three waves",
    "ball in socket",
    "faceted arch, thin",
    "hook, centre beside the bar",
    "chain",
    "scanned wall, corners 0.2",
    "scanned wall, points 0.2",
    "a triangle missing",
    "triangles inside out",
    "cracks of 2 um",
)
"""Of each class some; the others take a few seconds more."""
LONG = ("ball in socket", "scanned wall, corners 0.2")
"""Of these, those that take seconds for the forces alone: by both methods they are looked at all the same."""
MILDER = ("scanned wall, corners 0.05", "scanned wall, points 0.1", "scanned wall, points 0.2")
"""Cases of which a harder one of the same kind is looked at."""


def loaded(one: MeshCase, folder: Path) -> Scene:
    path = one.write(folder / "case.obj")
    return load(path, fixed=one.fixed, settle_mm=one.settle_mm, fit_mm=one.fit_mm)


def statics_of(one: MeshCase, folder: Path) -> Statics:
    scene = loaded(one, folder)
    contacts = find_contacts(scene.assembly)
    assert contacts.meet, (contacts.floating, contacts.overlaps)
    return analyse(scene.assembly, contacts=contacts, loads=False)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name in LONG)) for name in QUICK]
)
def test_statics_agrees_with_what_is_known(name: str, tmp_path: Path) -> None:
    one = CASES[name]()
    assert statics_of(one, tmp_path).stands is (one.verdict == "stands"), one.why


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name in MILDER)) for name in CASES]
)
def test_both_methods_agree_with_what_is_known(name: str, tmp_path: Path) -> None:
    one = CASES[name]()
    verdict = check(loaded(one, tmp_path).assembly, CheckOptions(workers=1))
    assert (verdict.word, verdict.pose) == (one.verdict, "declared"), one.why
    assert verdict.statics.stands is (one.verdict == "stands")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "spacing", "walls"),
    [
        (0.3, 10.0, 1),
        (0.05, 0.0, 1),
        *(
            pytest.param(noise, spacing, 10, marks=pytest.mark.soak)
            for noise in (0.05, 0.1, 0.2, 0.3)
            for spacing in (0.0, 10.0)
        ),
    ],
)
def test_a_scanned_wall_gets_the_verdict_of_the_clean_one(
    noise: float, spacing: float, walls: int, tmp_path: Path
) -> None:
    clean = statics_of(case(wall_boxes(), "stands", "it is a wall"), tmp_path)
    for seed in range(walls):
        scanned = statics_of(scanned_wall(noise, 100 + seed, spacing), tmp_path)
        assert scanned.stands is clean.stands is True
        assert scanned.tilt_deg == pytest.approx(clean.tilt_deg, abs=0.5)


SIZE_MM = {"sphere": 20.0, "cylinder": 15.0}
SCANNED = {
    "sphere": Manifold.sphere(20, 48),
    "cylinder": Manifold.cylinder(40, 15, 15, 48),
    "cone": Manifold.cylinder(40, 20, 8, 48),
}


@pytest.mark.parametrize("kind", SCANNED)
def test_round_faces_are_found_under_noise(kind: str) -> None:
    corners, faces = triangles_of(SCANNED[kind].refine_to_length(6.0))
    noisy = corners + np.random.default_rng(4).normal(0, 0.05, corners.shape)
    moved, _, words = fit_meshes([(noisy * 1e-3, faces)], 0.1e-3, None)[0]
    assert words.startswith({"sphere": "1 sphere;"}.get(kind, f"1 {kind}, 2 planes;")) or f"1 {kind}" in words
    if kind in SIZE_MM:
        from_axis = np.linalg.norm(moved[:, : 3 if kind == "sphere" else 2] * 1e3, axis=1)
        assert from_axis.max() == pytest.approx(SIZE_MM[kind], abs=0.06)


def test_what_was_fitted_is_told_piece_by_piece(tmp_path: Path) -> None:
    scene = loaded(scanned_wall(0.1, 9), tmp_path)
    assert len(scene.fitted) == 14
    for line in scene.fitted:
        assert re.fullmatch(
            r'node "brick\d_\d": 6 planes; moved by up to 0\.\d{3} mm, 0\.\d{3} on average', line
        )


def test_only_meshes_are_fitted() -> None:
    with pytest.raises(SceneError, match="--fit = 1: only mesh files are fitted"):
        load("arch", fit_mm=1.0)
    with pytest.raises(SceneError, match="--fit = nan: must be from 0 to 100 mm"):
        load("arch", fit_mm=float("nan"))


def test_overlaps_that_the_shapes_have_are_refused(tmp_path: Path) -> None:
    one = CASES["ball in socket"]()
    corners, faces = one.pieces["ball"]
    pressed = MeshCase({**one.pieces, "ball": (corners - [0, 0, 0.5], faces)}, "stands", "")
    with pytest.raises(SceneError, match=r"overlaps node .* by 0\.(4[5-9]|50) mm"):
        loaded(pressed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.soak)])
def test_many_curved_blocks_are_loaded_and_balanced(
    count: int, tmp_path: Path, row: Callable[..., None]
) -> None:
    """A wall of blocks of 200 and more triangles, all with curved faces on both sides."""
    (lowest, *_), column = zip(*CASES["three waves"]().pieces.items(), strict=True)
    assert lowest == "wave0"
    pieces = {}
    for number in range(count):
        x, level = divmod(number, 20)
        corners, faces = column[min(level, 1)]
        lift = 20.0 * (level - 1) if level else 0.0
        pieces[f"block{number:03}"] = corners + np.array([60.0 * (x - 10), 0.0, lift]), faces
    begun = time.process_time()
    scene = loaded(MeshCase(pieces, "stands", ""), tmp_path)
    contacts = find_contacts(scene.assembly)
    took = time.process_time() - begun
    assert contacts.meet
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    row("loading and contacts of curved blocks", blocks=count, processor_s=took, most_gb=most)
    assert analyse(scene.assembly, contacts=contacts, margins=False, loads=False).stands
