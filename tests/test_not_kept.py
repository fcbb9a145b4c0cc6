"""A data folder that cannot be written: menu and window say that games are not kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from teeter.engine.view.panels import Panel, Text
from teeter.games.present import hud, hud_state, menu
from teeter.games.present.client_state import ClientState
from teeter.games.present.pages import Pages
from teeter.games.present.settings import load_settings
from teeter.games.registry import GAMES
from teeter.games.server import setup
from teeter.games.server.messages import Plan


def texts(panels: tuple[Panel, ...]) -> list[str]:
    return [item.text for panel in panels for item in panel.items if isinstance(item, Text)]


def test_the_menu_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    form, pages = menu.of_game("wonky"), Pages(load_settings())
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert setup.why_not_kept() == ""
    assert setup.new_file("wonky", 3) == tmp_path / "teeter" / "games" / "wonky-3-1.teeter"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    why = setup.why_not_kept()
    assert why == f"Games are not kept: {tmp_path}/file/teeter/games cannot be made."
    assert setup.new_file("wonky", 3) is None
    assert why in texts(menu.panels(form, pages, (), (), why))
    assert why not in texts(menu.panels(form, pages, ()))


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_the_window_says_so_in_every_round(game: str, tmp_path: Path) -> None:
    players = ("Ada",) if game == "sandbox" else ("Ada", "Ben")
    plan = Plan(game, players, 3, scene="two_bricks" if game == "sandbox" else None)
    opening = setup.first_view(plan)
    for record in (None, tmp_path / "game.teeter"):
        client: ClientState[Any] = ClientState(
            replace(plan, record=record), opening.game, opening.state, opening.bodies, lambda: 0.0
        )
        shown = texts(hud.panels(client, load_settings(), hud_state.HudState()))
        assert (hud.NOT_KEPT in shown) == (record is None and game != "sandbox")
