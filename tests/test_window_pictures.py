"""Pictures of pieces and cards on panels: what they show, and that each is drawn once."""

from __future__ import annotations

import math
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from needs import need
from numpy.typing import NDArray

from teeter.engine.view.panels import Fan, FanCard, Panel, Picture
from teeter.engine.view.render.shading import srgb_of
from teeter.engine.view.thumbnails import CARD_PX, SIZE_PX, card_image, piece_image
from teeter.engine.view.window.fonts import width_of
from teeter.engine.view.window.layout import Layout, lay_out
from teeter.engine.view.window.shapes import Image
from teeter.games.core.rules import Choice
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of
from teeter.games.present.naming import is_shipped
from teeter.games.present.pictures import Pictures, from_above, of_card, of_piece
from teeter.games.registry import game_named
from teeter.games.server.messages import Plan, Waits
from teeter.games.server.setup import first_view
from teeter.models.build import build
from teeter.models.catalogue import find


def test_a_piece_is_seen_on_nothing_in_its_colour() -> None:
    image = piece_image(build(find("wonky/large_blue")))
    assert image.shape == (SIZE_PX[1], SIZE_PX[0], 4)
    there = image[..., 3] > 200
    assert 0.15 < there.mean() < 0.6
    assert not image[[0, 0, -1, -1], [0, -1, 0, -1], 3].any()
    red, _, blue = image[there][:, :3].mean(axis=0)
    assert blue > 2 * red


def test_words_of_a_card_keep_off_its_edge() -> None:
    for words in ("medium purple", "any block", "large purple", "the largest of all"):
        image = card_image(words, (), "#1f5fa8").astype(int)
        written = np.abs(image - card_image("", (), "#1f5fa8")).max(axis=2) > 60
        columns = np.nonzero(written.any(axis=0))[0]
        assert columns.min() > 10
        assert columns.max() < CARD_PX[0] - 10


def test_a_floor_card_is_seen_from_above_as_it_is_printed() -> None:
    plain, printed = (
        piece_image(build(find(f"crazy_tower/{card}")), from_above=True) for card in ("card_01", "card_07")
    )
    reds = [
        np.sum((image[..., 0] > 150) & (image[..., 1] < 80) & (image[..., 3] > 200))
        for image in (plain, printed)
    ]
    assert reds[0] == 0
    assert reds[1] > 500
    high, wide = (np.ptp(np.nonzero(printed[..., 3] > 200)[axis]) for axis in (0, 1))
    assert abs(high - wide) < 4


def test_a_card_has_its_colour_its_words_and_round_corners() -> None:
    blank, named = card_image("", (), "#1f5fa8"), card_image("any blue", (), "#1f5fa8")
    assert named.shape == (CARD_PX[1], CARD_PX[0], 4)
    assert not named[0, 0, 3]
    assert np.allclose(named[20, 90, :3] / 255, srgb_of("#1f5fa8"), atol=0.01)
    written = np.abs(named.astype(int) - blank).max(axis=2) > 100
    assert 100 < written.sum() < 5000
    rows = np.nonzero(written.any(axis=1))[0]
    assert np.ptp(rows) < 50


@pytest.mark.parametrize("count", [2, 9, 12, 15])
def test_every_card_of_a_hand_can_be_read(count: int) -> None:
    """No card covers words of the one before."""
    cards = tuple(FanCard(f"c{number}", "image") for number in range(count))
    layout = lay_out((Panel("fan", "bottom", (Fan(cards),), width=620),), (1280, 720), width_of)
    blank = card_image("", (), "#8a8378").astype(int)
    for words in ("medium purple", "combo reverse"):
        rows, columns = np.nonzero(np.abs(card_image(words, (), "#8a8378") - blank).max(axis=2) > 60)
        ink = np.stack([columns / CARD_PX[0], rows / CARD_PX[1]], axis=1) - 0.5
        for one, other in pairwise(each for each in layout.shapes if isinstance(each, Image)):
            size = (one.rect.width, one.rect.height)
            there = (ink * size) @ turned(one.angle).T + one.rect.middle
            inside = np.abs((there - other.rect.middle) @ turned(other.angle) / size).max(axis=1) < 0.5
            assert inside.mean() < 0.01, f"{count} cards: {words}"


def turned(degrees: float) -> NDArray[np.float64]:
    """Turns clockwise on a screen."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s], [s, c]])


class ListeningHud:
    """Takes pictures, and shows a panel that wants one."""

    def __init__(self, *names: str) -> None:
        items = tuple(Picture(name, 60.0, 45.0) for name in names)
        self.layout: Layout = lay_out((Panel("p", "left", items),), (1280, 720), width_of)
        self.images: dict[str, NDArray[np.uint8]] = {}

    def has_image(self, name: str) -> bool:
        return name in self.images

    def give_image(self, name: str, pixels: NDArray[np.uint8]) -> None:
        self.images[name] = pixels


def test_pictures_are_drawn_beside_the_window_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("OpenGL")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    names = (of_piece("wonky/small_green"), "piece|no/such")
    hud = ListeningHud(*names)
    pictures = Pictures(hud)  # type: ignore[arg-type]
    end = time.monotonic() + 60.0
    while len(hud.images) < 2 and time.monotonic() < end:
        pictures.step()
        time.sleep(0.02)
    pictures.close()
    assert hud.images[names[0]].shape == (SIZE_PX[1], SIZE_PX[0], 4)
    assert not hud.images[names[1]].any()
    again = ListeningHud(names[0])
    later = Pictures(again)  # type: ignore[arg-type]
    later.step()
    assert np.array_equal(again.images[names[0]], hud.images[names[0]])
    (file,) = (tmp_path / "teeter" / "pictures").iterdir()
    file.write_bytes(b"no picture")
    damaged = ListeningHud(names[0])
    third = Pictures(damaged)  # type: ignore[arg-type]
    third.step()
    assert not damaged.images
    third.close()


def test_a_card_shows_its_words_until_its_picture_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("OpenGL")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    card, broken = (
        of_card("any purple", models, "#8a38a8") for models in (["wonky/small_purple"], ["no/such"])
    )
    plain = card_image("any purple", (), "#8a38a8")
    hud = ListeningHud(card, broken)
    pictures = Pictures(hud)  # type: ignore[arg-type]
    pictures.step()
    assert np.array_equal(hud.images[card], plain)
    assert np.array_equal(hud.images[broken], plain)
    end = time.monotonic() + 60.0
    while pictures._plain and time.monotonic() < end:
        pictures.step()
        time.sleep(0.02)
    pictures.close()
    assert np.abs(hud.images[card].astype(int) - plain).max() > 100
    # what cannot be drawn keeps its words
    assert np.array_equal(hud.images[broken], plain)
    assert not pictures._plain


def test_every_card_of_a_hand_has_a_picture_and_only_who_holds_it_sees_it() -> None:
    plan = Plan("wonky", ("Ana", "Ben"), 1, {"first": "Ana"})
    opening = first_view(plan)
    game, state, bodies = opening.game, opening.state, opening.bodies
    client = ClientState(plan, game, state, bodies, time.perf_counter)
    assert details_of(game).cards(client) == ()
    choices: tuple[Choice, ...] = game.rules.legal(state)
    client.hear(Waits(game.rules.needs(state), choices, False))
    cards = details_of(game).cards(client)
    assert [card.card for card in cards] == list(state.hands[0])
    for card in cards:
        models = card.image.split("|")[2].split(",")
        assert all(is_shipped(model) for model in models if model)
    assert {choice.action.card for choice in choices} <= {card.card for card in cards}  # type: ignore[attr-defined]


def test_prints_that_nobody_has_read_are_not_shown_closely() -> None:
    from teeter.games.present import hud, hud_state
    from teeter.games.present.settings import load_settings

    plan = Plan("tower-topple", ("Ana", "Ben"), 3)
    opening = first_view(plan)
    game, state, bodies = opening.game, opening.state, opening.bodies
    client = ClientState(plan, game, state, bodies, time.perf_counter)
    unread = details_of(game).unread(client)
    assert unread
    printed = [name for name, piece in client.pieces.items() if piece.face is not None]
    assert unread & set(printed)
    for name in printed:
        panels = hud.panels(client, load_settings(), hud_state.HudState(close=name))
        assert any(panel.name == "close" for panel in panels) == (name not in unread)
    assert from_above("a/b") != of_piece("a/b")
    assert game_named("tower-topple") is game
