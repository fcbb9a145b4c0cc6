"""What a preview says of a piece that is let go somewhere: the first fall where falls count at once, and no place for
what does not come to rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from teeter.engine.pose import Pose
from teeter.engine.world.body import Body, Scale
from teeter.games.bausack.game import GAME as BAUSACK
from teeter.games.bausack.judge import areas
from teeter.games.bausack.rules import apply, start
from teeter.games.bausack.state import BausackReason, Phase
from teeter.games.core.rules import Take
from teeter.games.game import stock_of
from teeter.games.play import preview
from teeter.games.play.preview import Previewer
from teeter.games.play.table import Table
from teeter.games.wonky.game import GAME as WONKY
from teeter.games.wonky.state import Phase as WonkyPhase
from teeter.games.wonky.state import WonkyReason


def carried(towers: tuple[tuple[str, ...], ...], piece: str) -> tuple[Any, dict[str, Body]]:
    """A state in which Ana carries an accepted piece, and everything where it lies: every tower upright in the middle
    of its area."""
    fresh = start(["Ana", "Ben"], 1, {}, stock_of(BAUSACK))
    used = {piece, *(name for tower in towers for name in tower)}
    supply = tuple(name for name in fresh.supply if name not in used)
    state = apply(
        replace(fresh, towers=towers, supply=supply, phase=Phase.PLACE, piece=piece), Take("Ana", piece)
    )
    bodies = {body.name: body for body in BAUSACK.judge.layout(state)}
    for area, tower in zip(areas(state), towers, strict=True):
        up = 0.0
        for name in tower:
            bodies[name] = at(bodies[name], area.x, area.y, up)
            up += 1e3 * float(bodies[name].piece.extents[2])
    return state, bodies


def at(body: Body, x: float, y: float, up: float) -> Body:
    """A piece as it lies in the supply, so far above the table; millimetres."""
    return body.at(Pose((x / 1e3, y / 1e3, body.pose.position[2] + up / 1e3), body.pose.orientation))


def previewed(state: Any, bodies: dict[str, Body], held: Body) -> preview.LayPreview:
    previewer = Previewer(BAUSACK)
    try:
        return previewer.preview(state, [body for body in bodies.values() if body.name != held.name], held)
    finally:
        previewer.close()


def watched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The steps at which tables get the piece that is let go, and go back to what they were."""
    steps: list[int] = []

    def noting(act: Callable[..., None]) -> Callable[..., None]:
        def noted(table: Table, *given: Any) -> None:
            steps.append(table.step)
            act(table, *given)

        return noted

    monkeypatch.setattr(Table, "put", noting(Table.put))
    monkeypatch.setattr(Table, "restore", noting(Table.restore))
    return steps


@pytest.mark.slow
def test_BS_08_a_preview_ends_with_the_first_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    """BS-08: on the table is out, and nobody waits for where the cube comes to lie; the other has won."""
    steps = watched(monkeypatch)
    state, bodies = carried((("base_1",), ("base_2",)), "cube")
    own = areas(state)[0]
    found = previewed(state, bodies, at(bodies["cube"], own.x + 150.0, own.y, 30.0))
    assert (found.fell, found.rest) == (("cube",), None)
    *_, put, restored = steps
    assert restored - put < 60, "30 mm take 0.08 s to fall: no more than a quarter of a second"
    assert found.outcome is not None
    assert (found.outcome.winners, found.outcome.reason) == (("Ben",), BausackReason.LAST_STANDING)


@pytest.mark.slow
@pytest.mark.parametrize("is_last", [True, False])
def test_BS_20_a_preview_of_the_last_piece_says_that_it_is_a_draw(is_last: bool) -> None:
    state, bodies = carried((("base_1",), ("base_2",)), "cube")
    own = areas(state)[0]
    top = 1e3 * float(bodies["base_1"].piece.extents[2])
    if is_last:
        state = replace(state, supply=())
    found = previewed(state, bodies, at(bodies["cube"], own.x, own.y, top + 1.0))
    assert (found.fell, found.hit, found.broken) == ((), None, ())
    assert (found.outcome is not None) == is_last
    if found.outcome is not None:
        assert found.outcome.reason is BausackReason.ALL_PLACED


@pytest.mark.slow
def test_BS_11_a_preview_says_who_would_be_out_though_the_piece_lies_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """BS-11: a piece of Ben's tower would fall, so Ana would have won."""
    state, bodies = carried((("base_1",), ("base_2", "slab_short")), "cube")
    monkeypatch.setattr(type(BAUSACK.judge), "fallen", lambda *asked, is_lifted=True: ("slab_short",))
    own = areas(state)[0]
    top = 1e3 * float(bodies["base_1"].piece.extents[2])
    found = previewed(state, bodies, at(bodies["cube"], own.x, own.y, top + 1.0))
    assert (found.fell, found.broken) == (("slab_short",), ())
    assert found.outcome is not None
    assert found.outcome.winners == ("Ana",)


@pytest.mark.slow
def test_BS_03_a_preview_says_whose_tower_the_piece_would_lie_against(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """BS-03: that costs whoever lays it the game."""
    state, bodies = carried((("base_1",), ("base_2",)), "cube")
    monkeypatch.setattr(type(BAUSACK.judge), "hit", lambda *asked: ("cube", "Ben"))
    own = areas(state)[0]
    top = 1e3 * float(bodies["base_1"].piece.extents[2])
    found = previewed(state, bodies, at(bodies["cube"], own.x, own.y, top + 1.0))
    assert (found.hit, found.fell, found.broken) == ("Ben", (), ())
    assert found.outcome is not None
    assert found.outcome.winners == ("Ben",)


def on_a_block() -> tuple[Any, list[Body], Body]:
    """Ana carries the small block over the large one, which is the tower; everything else; the block in the hand."""
    state = WONKY.rules.start(("Ana", "Ben"), 1, {}, stock_of(WONKY))
    below, held = "large_blue", "small_green"
    bodies = {body.name: body for body in WONKY.judge.layout(state)}
    heights = {name: float(bodies[name].piece.extents[2]) for name in (below, held)}
    bodies[below] = bodies[below].at(Pose((0.0, 0.0, heights[below] / 2)))
    over = bodies[held].at(Pose((0.0, 0.0, heights[below] + heights[held] / 2 + 0.002)))
    card = state.stock.cards[0].id
    carried = replace(state, tower=(below,), held=held, card=card, phase=WonkyPhase.CARRY)
    return carried, [body for body in bodies.values() if body.name != held], over


def test_WK_16_a_preview_of_the_last_block_says_who_wins() -> None:
    """WK-13, WK-16: it stands when the count is over, and Ana's hand is empty."""
    state, lying, over = on_a_block()
    previewer = Previewer(WONKY)
    last = previewer.preview(replace(state, hands=((), *state.hands[1:])), lying, over)
    earlier = previewer.preview(state, lying, over)
    previewer.close()
    assert last.outcome is not None
    assert (last.outcome.winners, last.outcome.reason) == (("Ana",), WonkyReason.EMPTY_HAND)
    assert last.rest is not None
    assert (earlier.outcome, earlier.fell, earlier.broken) == (None, (), ())


def test_a_table_is_kept_for_the_next_place_as_it_was_before_the_last() -> None:
    """And laid anew where something of the game has moved."""
    state, lying, over = on_a_block()
    previewer = Previewer(WONKY)
    assert previewer.preview(state, lying, over).fell == ()
    kept = previewer._table
    assert kept is not None
    assert over.name not in kept.bodies
    for body in lying:
        assert kept.bodies[body.name].pose.position == pytest.approx(body.pose.position, abs=1e-3)
    assert previewer.preview(state, lying, over).fell == ()
    assert previewer._table is kept
    # of no tower it would be as immovable as the supply
    previewer.preview(replace(state, tower=()), lying, over)
    assert previewer._table is not kept
    assert previewer.preview(state, lying, over).fell == ()
    kept = previewer._table
    assert kept is not None
    moved = [
        replace(body, pose=Pose((0.1, *body.pose.position[1:]))) if body.name in state.tower else body
        for body in lying
    ]
    assert previewer.preview(state, moved, over).fell == (over.name,)
    assert previewer._table is not kept
    with pytest.raises(RuntimeError):
        kept.world.read()
    previewer.close()
    assert previewer._table is None
    assert previewer.preview(state, moved, over).fell == (over.name,), "who closes it may ask again"
    previewer.close()


@pytest.mark.parametrize("is_fine", [True, False])
def test_a_preview_takes_steps_as_fine_as_its_game_does(is_fine: bool) -> None:
    """Arches stand in fine steps only."""
    _, lying, _ = on_a_block()
    previewer = Previewer(cast(Any, SimpleNamespace(judge=SimpleNamespace(is_fine=is_fine))))
    scale = Scale.of(lying)
    assert scale.rate < scale.finer.rate
    assert previewer._laid(tuple(lying)).rate == (scale.finer if is_fine else scale).rate
    previewer.close()


@pytest.mark.parametrize("watched_s", [preview.WATCHED_S, 0.1])
def test_what_still_moves_when_it_was_watched_for_long_enough_has_no_place(
    watched_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rest is believed after half a second: within a tenth nothing comes to rest."""
    monkeypatch.setattr(preview, "WATCHED_S", watched_s)
    steps = watched(monkeypatch)
    state, lying, over = on_a_block()
    previewer = Previewer(WONKY)
    found = previewer.preview(state, lying, over)
    rate = previewer._table.rate if previewer._table is not None else 0
    previewer.close()
    assert (found.fell, found.hit, found.broken) == ((), None, ())
    assert (found.rest is None) == (watched_s < 0.5)
    *_, put, restored = steps
    if watched_s < 0.5:
        assert restored == put + round(watched_s * rate), "no step longer than it is watched"
