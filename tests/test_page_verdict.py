"""Pages of verdicts: forces, the motion in which it fails, ghosts, and proofs that the page checks by itself."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import Opened, opened, picture
from playwright.sync_api import Browser
from test_certificate import (
    LARGE,
    OF_NOTHING,
    STANDS,
    TAMPERED,
    TOPPLES,
    assembly_of,
    certificate_of,
    tampered,
    turned_tables,
    turned_wafer,
)
from typer.testing import CliRunner

import teeter
from teeter.engine.certificate.checker import RefusedError, check, digest_of
from teeter.engine.geometry.rotation import angle_between
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.view.camera import Camera, all_seen_at
from teeter.games.cli import app
from teeter.scenes.load import load

OUTLINE = (0xE0, 0xA0, 0x30)
"""Of the weakest piece."""


def verdict(folder: Path, *words: str) -> Path:
    out = folder / "verdict.html"
    done = CliRunner().invoke(app, ["check", *words, "--page", str(out)])
    assert done.exit_code in (0, 1), done.output
    return out


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two bricks that stand."""
    return verdict(tmp_path_factory.mktemp("pages"), "two_bricks")


@pytest.fixture(scope="module")
def prover(browser: Browser, standing: Path) -> Iterator[Opened]:
    """That page in a tab, for those who ask it to check a proof and look at no picture."""
    with opened(browser, standing) as found:
        yield found


def test_a_verdict_turns_in_a_cell_of_a_notebook(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    cell = teeter.check("two_bricks", workers=1)._repr_html_()
    file.write_text(f"<!doctype html><html data-ready><body>{cell}", "utf-8")
    with opened(browser, file, size=(1000, 600)) as found:
        frame = found.page.frames[1]
        frame.wait_for_selector(".word")
        assert frame.inner_text(".word").lower() == "stands"
        found.page.wait_for_timeout(500)
        before = picture(found)
        found.page.mouse.move(700, 250)
        found.page.mouse.down()
        found.page.mouse.move(800, 250, steps=4)
        found.page.mouse.up()
        found.page.wait_for_timeout(500)
        assert (np.abs(picture(found).astype(int) - before) > 8).any(axis=2).mean() > 0.1
        assert found.requests == [file.as_uri()]


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1280, 720)], ids=str)
def test_no_piece_is_behind_the_panel(browser: Browser, standing: Path, size: tuple[int, int]) -> None:
    with opened(browser, standing, size=size) as found:
        eye, target, fov = found.run("() => Object.values(teeter.view.orbit.camera)")
        panel = found.page.locator("header.panel").bounding_box()
    assert panel is not None
    camera = Camera(tuple(eye), tuple(target), fov)
    corners = np.concatenate(
        [body.pose.apply(body.piece.visual.vertices) for body in load("two_bricks").assembly.free]
    )
    seen = all_seen_at(camera, size, corners)
    assert len(seen) == len(corners)
    assert (seen >= 0).all()
    assert (seen <= size).all()
    right, low = panel["x"] + panel["width"], panel["y"] + panel["height"]
    assert ((seen[:, 0] > right) | (seen[:, 1] > low)).all()
    assert np.ptp(seen, axis=0).max() > 0.3 * min(size), "hardly anything is seen"


def test_a_verdict_shows_its_forces_and_checks_its_own_proof(browser: Browser, standing: Path) -> None:
    with opened(browser, standing, size=(1000, 600)) as found:
        found.page.wait_for_selector(".proven")
        told = "✓ Proven here, in exact fractions: it stands. Margins are not part of the proof."
        assert found.text(".proven") == told
        assert found.run("() => teeter.view.claim") == "stands"
        assert found.text(".word") == "stands"
        assert "moves most at the tilt margin: slab" in found.text(".legend")
        with_forces = picture(found)
        found.run("() => { teeter.view.marks.clear(); teeter.view.loop.picture(); }")
        outlined = (np.abs(picture(found)[:, 400:].astype(int) - with_forces[:, 400:]) > 8).any(axis=2)
        colours = with_forces[:, 400:][outlined]
        assert len(colours) > 200
        # forces are drawn above it
        assert (np.abs(colours.astype(int) - OUTLINE).max(axis=1) <= 2).mean() > 0.9
        found.page.get_by_role("button", name="Forces").click()
        found.page.wait_for_timeout(300)
        assert (np.abs(picture(found)[:, 400:].astype(int) - with_forces[:, 400:]) > 8).any(
            axis=2
        ).sum() > 100
        assert found.requests == [standing.as_uri()]
        assert found.faults == []


def test_what_topples_moves_as_its_mechanism_says(browser: Browser, tmp_path: Path) -> None:
    file = verdict(tmp_path, "bridge", "--without", "counterweight")
    with opened(browser, file) as found:
        found.page.wait_for_selector(".proven")
        assert found.run("() => teeter.view.claim") == "topples"
        assert "deck tips over the edge" in found.text("header")
        start, moved = found.run(
            "() => { teeter.view.displace(0.2); return [[...teeter.view.poses], [...teeter.view.moved]]; }"
        )
        names = found.run("() => teeter.data.bodies.map(body => body.name)")
        start, moved = (np.array(rows).reshape(len(names), 7) for rows in (start, moved))
        deck, pier = names.index("deck"), names.index("pier")
        assert np.allclose(moved[pier], start[pier], atol=1e-4)
        # towards +x, and down with its centre
        assert moved[deck, 2] < start[deck, 2] - 5e-4
        linear, angular, _ = found.run("() => teeter.data.mechanism.deck")
        turn = angle_between(tuple(start[deck, 3:]), tuple(moved[deck, 3:]))
        step = np.linalg.norm(moved[deck, :3] - start[deck, :3])
        assert turn / step == pytest.approx(np.linalg.norm(angular) / np.linalg.norm(linear), rel=0.05)
        assert angular[1] > 0


DATA = re.compile(r'(id="data">)(.*?)(</script>)', re.S)


def _swap(data: dict[str, Any]) -> None:
    first, second = (row for row in data["bodies"] if row["name"] != "table")
    first["name"], second["name"] = second["name"], first["name"]


def _moved(index: int, by: float) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        data["bodies"][-1]["pose"][index] += by

    return change


FORGED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another place": (_moved(0, 2e-5), "slab lies elsewhere"),
    "another turn": (_moved(5, 1e-4), "slab is turned otherwise"),
    "another table": (lambda data: data["bodies"][0]["pose"].__setitem__(2, 0.1), "table lies elsewhere"),
    "another size": (
        lambda data: data["meshes"][data["bodies"][-1]["mesh"]].update(scale=2e-6),
        "slab has another shape",
    ),
    "another mesh": (
        lambda data: data["bodies"][-1].update(mesh=data["bodies"][0]["mesh"]),
        "slab has another shape",
    ),
    "other names": (_swap, "lies elsewhere"),
    "one more": (
        lambda data: data["bodies"].append(data["bodies"][-1] | {"name": "third"}),
        "third is shown, and is not in the proof",
    ),
    "one less": (lambda data: data["bodies"].pop(), "slab is in the proof, and is not shown"),
    "another verdict": (
        lambda data: data.update(word="topples"),
        "it proves that this stands, and the page says that it topples",
    ),
}
"""What somebody changes in a page beside its proof, which still holds."""


IN_FILES = ("another size", "another verdict")
"""Tried with pages of their own, opened anew. Of the others one page is told that it shows what they say: to open one
takes two seconds."""
SHOWN_INSTEAD = """data => new Promise(done => {
    const view = teeter.view, line = document.createElement("p"), last = data.bodies.length - 1;
    Object.assign(view, { data, claim: null });
    if (teeter.stage.props.bodies[last]) teeter.stage.props.bodies[last].mesh = data.bodies[last].mesh;
    new MutationObserver(() => done([line.textContent, view.claim])).observe(line, { childList: true });
    view.prove(line);
})"""


def test_a_proof_of_something_else_than_is_shown_is_refused(
    browser: Browser, prover: Opened, standing: Path, tmp_path: Path
) -> None:
    text = standing.read_text(encoding="utf-8")
    found_data = DATA.search(text)
    assert found_data is not None
    whole, file = found_data[2], tmp_path / "forged.html"
    assert prover.run(SHOWN_INSTEAD, json.loads(whole))[1] == "stands"
    for name, (change, why) in FORGED.items():
        data = json.loads(whole)
        change(data)
        if name in IN_FILES:
            file.write_text(text[: found_data.start(2)] + json.dumps(data) + text[found_data.end(2) :])
            with opened(browser, file) as found:
                found.page.wait_for_selector(".refused")
                said, claim = found.text(".refused"), found.run("() => teeter.view.claim")
        else:
            said, claim = prover.run(SHOWN_INSTEAD, data)
        assert said.startswith("✗ The proof is refused: it is of something else than is shown"), name
        assert why in said, name
        assert claim is None


@pytest.mark.slow
def test_copies_that_fell_stand_as_ghosts(browser: Browser, tmp_path: Path) -> None:
    file = verdict(tmp_path, "two_bricks", "--noise", "15", "--samples", "12", "--workers", "1")
    with opened(browser, file) as found:
        ghosts = found.run("() => teeter.data.ghosts.map(ghost => ghost.copy)")
        assert "noisy copies" in found.text("header")
        assert (
            found.page.get_by_role("button", name="Copies that fell").get_attribute("aria-pressed") == "true"
        )
        assert len(ghosts) == 2 * len(set(ghosts)) > 0


def test_where_nothing_is_proven_the_page_says_why(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, verdict(tmp_path, "ball_on_ring")) as found:
        assert found.text(".proof").startswith("No proof: ")
        assert found.run("() => teeter.view.claim") is None


def test_a_sweep_shows_the_piece_at_the_place_that_is_pointed_at(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "sweep.html"
    words = (
        "bridge",
        "--piece",
        "counterweight",
        "--x=-60:60:7",
        "--y=0",
        "--yaw=0:90:2",
        "--workers",
        "1",
        "--json",
    )
    done = CliRunner().invoke(app, ["sweep", *words, "--page", str(file)])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["table"]
    with opened(browser, file, size=(900, 600)) as found:
        said = {
            "stands": "it stands, and can be tilted by",
            "topples": "it topples",
            "unsure": "it is at the edge",
        }
        for row in rows:
            found.run("place => teeter.view.show(place)", row["number"])
            assert f"At x = {row['x_mm']:g} mm, y = 0 mm" in found.text(".told")
            assert said[row["verdict"]] in found.text(".told")
            assert found.run("() => [...teeter.view.poses].slice(-7)")[0] == pytest.approx(
                row["x_mm"] / 1e3, abs=1e-6
            )
        box = found.page.locator(".map").bounding_box()
        assert box is not None
        found.page.mouse.move(box["x"] + 4, box["y"] + box["height"] / 2)
        assert "At x = -60 mm" in found.text(".told")
        found.page.locator("label input").fill("0")
        assert "turned by 0;" in found.text(".told") or "turned by 0 it" in found.text(".told")
        assert found.faults == []


def proofs(names: tuple[tuple[str, bool], ...]) -> list[dict[str, Any]]:
    return [certificate_of(name, stands) for name, stands in names]


def told_by_page(found: Opened, certificates: list[dict[str, Any]]) -> list[str | None]:
    script = "texts => texts.map(text => teeter.prove(JSON.parse(text)).claim)"
    claims: list[str | None] = found.run(script, [json.dumps(each) for each in certificates])
    return claims


@pytest.mark.parametrize("count", [200, pytest.param(TAMPERED, marks=pytest.mark.soak)])
def test_the_page_refuses_what_was_tampered_with(prover: Opened, count: int) -> None:
    whole = proofs((("two_bricks", True), ("bridge", True), ("bridge_bare", False), ("slope_above", False)))
    luck = random.Random(11)
    changed = [tampered(whole[number % len(whole)], luck)[1] for number in range(count)]
    changed = [each for number, each in enumerate(changed) if each != whole[number % len(whole)]]
    for each in changed[::2]:
        # whoever changes a file can write its digest too

        each["digest"] = digest_of(each)
    assert told_by_page(prover, whole) == ["stands", "stands", "topples", "topples"]
    assert told_by_page(prover, changed) == [claim_of(each) for each in changed]
    assert told_by_page(prover, changed[1::2]) == [None] * len(changed[1::2])


@pytest.mark.slow
def test_the_page_proves_every_shipped_scene_with_statics(prover: Opened) -> None:
    told = [(name, bool(statics_of(name))) for name in (*STANDS, *TOPPLES, *LARGE, "tower")]
    claims = told_by_page(prover, proofs(tuple(told)))
    assert claims == ["stands" if stands else "topples" for _, stands in told]


def statics_of(name: str) -> bool | None:
    return analyse(assembly_of(name), margins=False, loads=False).stands


def claim_of(certificate: dict[str, Any]) -> str | None:
    try:
        return check(certificate)
    except RefusedError:
        return None


CHANGES: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = (
    lambda found: found | {"certificate": 2},
    lambda found: found | {"bodies": None},
    lambda found: found | {"claim": "floats"},
    lambda found: found | {"forces": []},
    lambda found: found | {"gravity": ["0", "1/0", "0"]},
    lambda found: {"certificate": 1},
    # not malformed, only strange
    lambda found: found | {"scene": "</script>\u2028\x7f\U0001f600"},
)


def test_malformed_proofs_are_refused_in_words(prover: Opened) -> None:
    for change in CHANGES:
        found = change(certificate_of("two_bricks", True))
        found["digest"] = digest_of(found)
        answer = prover.run("text => teeter.prove(JSON.parse(text))", json.dumps(found))
        assert answer["claim"] == claim_of(found)
        assert bool(answer["why"]) == (answer["claim"] is None)


def test_the_page_proves_nothing_of_nothing(prover: Opened) -> None:
    changed = [certificate_of("two_bricks", True) for _ in OF_NOTHING]
    for change, found in zip(OF_NOTHING, changed, strict=True):
        change(found)
        found["digest"] = digest_of(found)
    assert told_by_page(prover, changed) == [None] * len(OF_NOTHING)


def test_the_page_refuses_planes_of_somebody_s_choice(prover: Opened) -> None:
    assert told_by_page(prover, [*turned_tables(), turned_wafer()]) == [None] * 3
    found = prover.run("text => teeter.prove(JSON.parse(text)).why", json.dumps(turned_wafer()))
    assert found == "no face or edges of rail and wafer lie in the plane between them"
