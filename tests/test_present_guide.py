"""The rules of a game in pictures: what they show can stand, keeps the rules, fits its page, and is drawn."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from teeter.engine.topple.laboratory.crowd import labels
from teeter.engine.view.panels import Button, Picture, Text
from teeter.engine.view.window.events import Clicked
from teeter.engine.world.body import DOWN, Assembly
from teeter.games.crazy_tower import judge
from teeter.games.crazy_tower.state import Sort
from teeter.games.faults import FAULTS
from teeter.games.game import Game
from teeter.games.present import guide as guides
from teeter.games.present.guide import GuideError, guide_of, picture_of
from teeter.games.present.guide_scene import scene_of
from teeter.games.present.menu import of_game, panels
from teeter.games.present.pages import Pages
from teeter.games.present.pictures import drawn, of_recording
from teeter.games.present.settings import load_settings
from teeter.games.registry import GAMES, game_named
from teeter.games.server import setup

ROOT = Path(__file__).parent
PICTURES = ("still", "0", "1", "2", "3")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_the_pictures_show_stands(game: Game) -> None:
    guide = guide_of(game)
    assert guide is not None
    scenes = []
    for which in PICTURES:
        shown = scene_of(game, guide.picture(which))
        lying = tuple(body for body in shown.bodies if body.name != shown.held)
        scenes.append(Assembly(f"{game.name} {which}", lying))
        assert bool(shown.held) == (guide.picture(which).held is not None)
    for scene, label in zip(scenes, labels(scenes, [DOWN] * len(scenes)), strict=True):
        # of curved faces, which may rock, a force balance alone says nothing
        assert label.stands or "curved" in label.why, (scene.name, label)


def test_no_picture_of_crazy_tower_lays_a_block_on_a_red_box() -> None:
    game = game_named("crazy-tower")
    guide = guide_of(game)
    assert guide is not None
    looked_at = 0
    for which in PICTURES:
        spec = guide.picture(which)
        order = [*spec.laid, *([] if spec.held is None else [spec.held[:4]])]
        scene = scene_of(game, spec.model_copy(update={"laid": tuple(order), "held": None}))
        card = None
        for body in scene.bodies[1:]:
            if "card" in body.name:
                card = body
            elif card is not None and body.pose.position[2] > card.pose.position[2]:
                assert card.piece.face is not None
                under = judge.footprint(body, card)
                for (row, column), box in judge.boxes(card).items():
                    if card.piece.face.boxes[row - 1][column - 1] == Sort.RED.mark:
                        assert judge.share(box, under) <= judge.RED_SHARE, f"{which}: {body.name}"
                        looked_at += 1
    assert looked_at > 50


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_page_tells_the_aim_a_turn_in_four_pictures_and_what_loses(game: Game) -> None:
    pages = Pages(load_settings(), game)
    assert pages.handle(Clicked("page:rules"))
    rows = [item for item in pages.dialog().items if not isinstance(item, Text | Button)]
    shown = [each.image for row in rows for each in getattr(row, "items", ()) if isinstance(each, Picture)]
    assert shown == [picture_of(game, str(number)) for number in range(4)]
    guide = guide_of(game)
    assert guide is not None
    texts = [item.text for item in pages.dialog().items if isinstance(item, Text)]
    assert texts == [guide.aim, guide.loses]
    # numbers of clauses are one page further, and Esc goes back the same way
    assert not any(clause.id in str(pages.dialog()) for clause in game.clauses)
    assert pages.handle(Clicked("page:clauses"))
    assert all(clause.id in str(pages.dialog()) for clause in game.clauses)
    left = []
    for _ in range(3):
        pages.back()
        left.append(pages.page)
    assert left == ["rules", "pause", ""]


def test_the_menu_shows_the_rules_of_the_chosen_game() -> None:
    pages = Pages(load_settings())
    pages.game = game_named("bausack")
    pages.handle(Clicked("page:rules"))
    (dialog,) = panels(of_game("bausack"), pages, ())
    assert dialog.title == "Rules: Bausack"
    pages.back()
    assert len(panels(of_game("bausack"), pages, ())) == 2


def test_a_guide_that_cannot_be_read_is_told_and_the_clauses_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = game_named("wonky")

    def broken(game: Game) -> None:
        raise GuideError("guide.toml: step: Field required")

    monkeypatch.setattr(guides, "guide_of", broken)
    pages = Pages(load_settings(), game)
    pages.handle(Clicked("page:rules"))
    assert game.clauses[0].id in str(pages.dialog())
    assert "the rules in pictures" in {fault.what for fault in FAULTS.noted}
    FAULTS.clear()


def test_a_guide_with_a_misspelt_key_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = (Path(guides.__file__).parents[1] / "wonky" / "guide.toml").read_text()
    (tmp_path / "guide.toml").write_text(text.replace("aim =", "goal =", 1))
    monkeypatch.setattr(resources, "files", lambda package: tmp_path)
    guide_of.cache_clear()
    with pytest.raises(GuideError, match=r"guide\.toml: .*\n?aim"):
        guide_of(game_named("wonky"))
    (tmp_path / "guide.toml").unlink()
    assert guide_of(game_named("wonky")) is None
    assert picture_of(game_named("wonky"), "still") == ""
    guide_of.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wonky-1", "bausack-1"])
def test_a_kept_game_is_listed_with_its_end_and_its_tower(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = setup.folder()
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "recordings" / f"{name}.teeter", folder / f"{name}.teeter")
    (folder / "torn-1.teeter").write_bytes(b"torn")
    ends = {game.file.stem: game.ended for game in setup.kept()}
    turns = {"wonky-1": 12, "bausack-1": 14}[name]
    assert ends == {name: f"broken off after {turns} turns", "torn-1": "cannot be read"}
    picture = drawn(of_recording(folder / f"{name}.teeter", "2026-01-01 12:00"))
    assert picture.shape == (360, 640, 4)
    assert len(np.unique(picture[:, :, :3].reshape(-1, 3), axis=0)) > 1000
