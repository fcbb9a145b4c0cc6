"""A new panel is made in one place, its row in `hud.PARTS`: the window and the page both draw what it gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from skins import ASKED, AtPage, AtWindow, Unasked

from teeter.engine.view.panels import Item, Panel, Text
from teeter.games.bausack.state import BausackReason
from teeter.games.core.rules import Outcome
from teeter.games.crazy_tower.state import CrazyReason
from teeter.games.present import hud
from teeter.games.present.client_state import ClientState
from teeter.games.present.end_screen import result_of
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
        (("Ana", "Ben", "Cy"), ToppleReason.LAST_ROUND, "Ana, Ben and Cy draw."),
        (("Ana", "Cy"), CrazyReason.COLLAPSE, "Ana and Cy win!"),
        (("Ana+Ben",), ToppleReason.LAST_ROUND, "Ana and Ben win!"),
        ((), CrazyReason.STANDSTILL, "Nobody wins."),
    ],
)
def test_the_end_says_a_draw_of_what_is_one(winners: tuple[str, ...], reason: Any, said: str) -> None:
    assert result_of(Outcome(winners, reason), 3) == said
