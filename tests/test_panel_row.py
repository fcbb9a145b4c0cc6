"""A new panel is made in one place, its row in `hud.PARTS`: the window and the page both draw what it gives."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from skins import ASKED, AtPage, AtWindow, Unasked

from teeter.engine.view.panels import Item, Panel, Row, Text
from teeter.games.bausack.state import BausackReason
from teeter.games.core.rules import Outcome
from teeter.games.crazy_tower.state import CrazyReason, Fallen
from teeter.games.host.views import SHIPPED
from teeter.games.present import hand_panel, hud
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of
from teeter.games.present.end_screen import result_of, score_rows
from teeter.games.present.hud_state import HudState
from teeter.games.server.messages import GameUpdate, Plan, TableView, Waits
from teeter.games.server.setup import first_view
from teeter.games.tower_topple.state import ToppleReason

PAGE = Path(__file__).resolve().parent.parent / "engine" / "view" / "page" / "src"


def toy(client: ClientState[Any], *given: object) -> tuple[Panel, ...]:
    """A number of the state that nobody else tells."""
    return (Panel("toy", "top-right", (Text(f"{len(client.in_play)} bricks there"),)),)


def test_a_panel_is_in_both_skins_by_its_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TEETER_SETTINGS", str(tmp_path / "settings.toml"))
    monkeypatch.setattr("teeter.games.present.asking.Questioner", Unasked)
    monkeypatch.setitem(hud.PARTS, "the toy", toy)
    screen = AtWindow(ASKED).screen
    (shown,) = [panel for panel in screen.panels() if panel.name == "toy"]
    assert shown.items == (Text("54 bricks there"),)
    page = AtPage(ASKED, screen)
    sent = [json.loads(each) for each in page.line._waiting if isinstance(each, str)]
    *_, told = [each["panel"] for each in sent if each["type"] == "panel" and each["panel"]["name"] == "toy"]
    assert told["place"] == "top-right"
    assert told["items"] == [{"kind": "text", "text": "54 bricks there"}]


def test_the_page_draws_every_kind_of_item_and_no_panel_by_its_name() -> None:
    script = (PAGE / "panels.ts").read_text("utf-8")
    kinds = {kind.__name__.lower() for kind in get_args(Item)}
    assert {kind for kind in kinds if f'case "{kind}":' in script} == kinds
    assert not [what for what in ("turn", "scores", "details", "over") if f'"{what}"' in script]


@pytest.mark.parametrize(
    ("winners", "reason", "said"),
    [
        (("Ana", "Ben"), BausackReason.ALL_PLACED, "Ana and Ben draw."),  # of three
        (("Ana", "Ben", "Cy"), ToppleReason.LAST_ROUND, "Ana, Ben and Cy share the win."),
        (("Ana", "Cy"), CrazyReason.COLLAPSE, "Ana and Cy share the win."),
        (("Ana+Ben",), ToppleReason.LAST_ROUND, "Ana and Ben win!"),
        ((), CrazyReason.STANDSTILL, "Nobody wins."),
    ],
)
def test_the_end_says_a_draw_of_what_is_one(winners: tuple[str, ...], reason: Any, said: str) -> None:
    assert result_of(Outcome(winners, reason)) == said


def desk_of(plan: Plan, **changes: Any) -> ClientState[Any]:
    """A game as everybody at one screen sees it, with a state that is otherwise in some things."""
    opening = first_view(plan)
    state = replace(opening.state, **changes)
    return ClientState(plan, opening.game, state, opening.bodies, time.perf_counter)


def details_said(desk: ClientState[Any]) -> str:
    """What stands in the panel of the details."""
    return "\n".join(item.text for item in details_of(desk.game).items(desk) if isinstance(item, Text))


def test_a_target_is_played_for_in_place_of_rounds_and_no_row_counts_once_it_toppled() -> None:
    names = ("Ana", "Ben")
    rounds = desk_of(Plan("tower-topple", names, 1))
    assert details_said(rounds).startswith("Round 1 of 3, 18 rows high")
    target = desk_of(Plan("tower-topple", names, 1, {"target": 1}), round=2)
    assert details_said(target).startswith("Round 2, first to one point, 18 rows high")
    over = desk_of(Plan("tower-topple", names, 1), round=3, tower=(), reason=ToppleReason.LAST_ROUND)
    assert details_said(over).startswith("Round 3 of 3\n")


def test_once_the_game_is_over_nobody_is_on_turn_and_nothing_is_to_be_put_back() -> None:
    plan = Plan("crazy-tower", ("Ana", "Ben"), 1)
    after: dict[str, Any] = {
        "fallen": (Fallen("red_i1"), Fallen("card_1")),
        "reason": CrazyReason.COLLAPSE,
        "winners": ("Ben",),
    }
    going, over = desk_of(plan, fallen=after["fallen"]), desk_of(plan, **after)
    assert "2 fallen pieces to put back" in details_said(going)
    assert "put back" not in details_said(over)
    for desk, bold in ((going, "Ana"), (over, "Ben")):
        lit = [row.items[0] for row in score_rows(desk) if isinstance(row, Row)]
        assert [item.text for item in lit if isinstance(item, Text) and item.bold] == [bold]


def test_BS_21_heights_from_before_the_last_piece_are_not_told_at_the_end() -> None:
    plan, heights = Plan("bausack", ("Ana", "Ben"), 1), {"heights_mm": (30.0, 0.0), "best_mm": (30.0, 0.0)}
    for reason, is_told in ((None, True), (BausackReason.TALLEST, True), (BausackReason.ALL_PLACED, False)):
        desk = desk_of(plan, reason=reason, winners=("Ana",) if reason else (), **heights)
        assert ("Ana: 30 mm, best 30 mm" in details_said(desk)) == is_told


def test_a_brick_that_is_pulled_is_left_by_choices_alone_which_say_what_comes_of_it() -> None:
    desk = desk_of(Plan("tower-topple", ("Ana", "Ben"), 1))
    rules = desk.game.rules
    action: Any = rules.legal(desk.state)[0].action
    after = rules.apply(desk.state, action)
    desk.hear(GameUpdate(after, "Take", action))
    desk.hear(TableView(1, 240, desk.frame.names, desk.frame.poses, held=action.piece))
    desk.hear(Waits(rules.needs(after), rules.legal(after), False))
    (panel,) = hand_panel.hand(desk, SHIPPED, HudState())
    assert [button.name for button in panel.items[-1].items] == ["act:tap", "act:pull_out"]  # type: ignore[union-attr]
    assert [choice.sentence for choice in desk.choices] == [
        "leave the brick where it is now, and choose again",
        "put the brick back as it was, and choose again",
    ]
