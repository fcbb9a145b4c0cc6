"""The hand that is seen at the table while a game goes on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Camera
from teeter.engine.view.frame import Frame
from teeter.engine.view.overlays import Ghost
from teeter.engine.view.render import mannequin
from teeter.engine.view.render.stage import Stage
from teeter.engine.world.body import Body
from teeter.games.present.client_state import ClientState
from teeter.games.present.shown_hand import ShownHand
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Piece
from teeter.models.spec import parse

BRICK = build(parse({"shape": {"box": [75, 25, 15]}, "material": "beech"}, "test"))
TABLE = build(parse({"shape": {"box": [1200, 800, 30]}, "material": "table"}, "test"))
PIECES: dict[str, Piece] = {"table": TABLE, "low": BRICK, "high": BRICK}


def table(held: str, *rows: tuple[float, float, float]) -> ClientState[Any]:
    """A table with two bricks at places, one of them held."""
    poses = np.array([[0, 0, -0.015, 0, 0, 0, 1], *([*row, 0, 0, 0, 1] for row in rows)], dtype=np.float64)
    found = SimpleNamespace(
        held=held,
        pieces=PIECES,
        frame=Frame(tuple(PIECES), poses),
        is_fixed=lambda name: name == "table",
    )
    return cast(ClientState[Any], found)


class Bodies:
    """What a stage was given."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def add(self, body: Body) -> None:
        self.names.append(body.name)


def stepped(hand: ShownHand, client: ClientState[Any], times: int = 1, *, is_own: bool = False) -> Frame:
    stage = cast(Stage, Bodies())
    for _ in range(times):
        hand.step(client, stage, 0.05, is_own=is_own)
    return hand.at_table(client.frame)


def tips(frame: Frame) -> NDArray[np.float64]:
    return frame.poses[[n for n, name in enumerate(frame.names) if name.endswith(".tip")], :3]


def test_it_reaches_for_what_is_taken_follows_it_and_withdraws() -> None:
    hand = ShownHand()
    apart = ((0.2, 0.0, 0.0075), (-0.2, 0.0, 0.0075))
    assert set(stepped(hand, table("", *apart)).names) == set(PIECES)
    first = stepped(hand, table("low", *apart))
    assert set(mannequin.names()) < set(first.names)
    near = stepped(hand, table("low", *apart), 10)
    assert np.abs(tips(near)[:, 0] - 0.2).max() < 0.05
    assert tips(first)[:, 2].min() > tips(near)[:, 2].max()
    moved = stepped(hand, table("low", (0.1, 0.1, 0.2), apart[1]))
    assert np.allclose(tips(moved) - tips(near), (-0.1, 0.1, 0.1925), atol=1e-6)
    left = stepped(hand, table("", (0.1, 0.1, 0.2), apart[1]), 4)
    assert tips(left)[:, 2].min() > tips(moved)[:, 2].max()
    assert set(stepped(hand, table("", *apart), 8).names) == set(PIECES)


def test_what_lies_under_another_is_taken_from_the_side_it_is_drawn_to() -> None:
    for way in (-1.0, 1.0):
        hand = ShownHand()
        stacked = ((0.0, 0.0, 0.0075), (0.0, 0.0, 0.0225))
        assert set(stepped(hand, table("low", *stacked)).names) == set(PIECES), "nobody knows where to yet"
        drawn = stepped(hand, table("low", (0.004 * way, 0.0, 0.0075), stacked[1]), 8)
        assert (tips(drawn)[:, 0] * way > 0.02).all()
        assert np.abs(tips(drawn)[:, 2] - 0.0075).max() < 0.04


def test_of_ones_own_hand_the_fingertips_are_seen_as_of_glass_and_no_hand_casts_a_shadow() -> None:
    apart = ((0.0, 0.0, 0.0075), (-0.2, 0.0, 0.0075))
    hand = ShownHand()
    frame = stepped(hand, table("low", *apart), 10)
    assert frame.airy == set(mannequin.names())
    assert not hand.guides()
    own = ShownHand()
    bare_frame = stepped(own, table("low", *apart), 10, is_own=True)
    assert set(bare_frame.names) == set(PIECES)
    glass = [each for each in own.guides() if isinstance(each, Ghost)]
    # two, smaller than a brick is wide, one on each side of it
    assert [float(each.piece.extents.max()) < 0.025 for each in glass] == [True, True]
    piece, (x, y, _) = PIECES["low"], apart[0]
    one, other = (np.subtract(each.pose.position[:2], (x, y)) for each in glass)
    assert max(np.linalg.norm(one), np.linalg.norm(other)) < piece.extents.max() / 2 + 0.02
    assert one @ other < 0.0
    nowhere = Pose((0.0, 0.0, 0.0))
    stage = Stage(
        [*(Body(name, piece, nowhere) for name, piece in PIECES.items()), *mannequin.hand_bodies()],
        size=(320, 180),
    )
    try:
        stage.aim(Camera((0.0, -0.6, 0.3), (0.0, 0.0, 0.06), 30))
        pictures = []
        for airy in (frozenset[str](), frame.airy):
            stage.show(Frame(frame.names, frame.poses, airy=airy))
            pictures.append(stage.render().astype(int))
        stage.show(bare_frame)
        bare = stage.render().astype(int)
        stage.show_overlays(glass)
        seen = np.abs(stage.render().astype(int) - bare).max(axis=2)
    finally:
        stage.close()
    solid, whole = (np.abs(picture - bare).max(axis=2) > 12 for picture in pictures)
    # without its shadow less of the picture changes
    assert (solid & ~whole).sum() > 200
    # one's own fingers are where those of others are, and what is behind them is seen
    assert 0 < (seen > 12).sum() < 0.5 * whole.sum()
    assert ((seen > 12) & ~whole).sum() < 0.05 * whole.sum()
    assert seen.max() < 150


@pytest.mark.parametrize("yaw", [0.0, 0.4, 1.6, 3.0])
def test_a_card_is_held_at_its_far_end_so_that_it_can_be_read(yaw: float) -> None:
    card = build(find("crazy_tower/card_07"))
    pose = np.array([0.1, 0.0, 0.2, 0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)])
    grasp = mannequin.from_above(card, pose)
    places = dict(zip(mannequin.names(), mannequin.poses(grasp)[:, :3] - pose[:3], strict=True))
    ahead = np.array([*mannequin.AHEAD, 0.0])
    far, half = grasp.axes[:, 1], float(card.extents[0]) / 2
    assert far @ ahead > 0.7
    for name, place in places.items():
        # fingers on the far half of its sides, the palm behind it
        assert place @ far > (half if name.endswith(("palm", "wrist")) else 0.0), name
    turned = mannequin.from_above(card, np.array([*pose[:5], *_turned(yaw + 0.1)]), grasp.axes[:, 0])
    assert turned.axes[:, 1] @ far > 0.99


def _turned(yaw: float) -> tuple[float, float]:
    return float(np.sin(yaw / 2)), float(np.cos(yaw / 2))
