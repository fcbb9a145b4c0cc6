"""The same act in the window and in a browser: every row of `two_skins`, without OpenGL and without Chromium."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from skins import AtPage, AtWindow, Unasked, opening
from two_skins import NO_KEY_OF_A_PAGE, ROWS, Missing, Page, Row

from teeter.games.present import table_screen
from teeter.games.present.settings import shipped
from teeter.games.server.messages import Act, Order, Plan
from teeter.games.server.setup import FirstView

PAGE = Path(__file__).resolve().parent.parent / "engine" / "view" / "page" / "src"
LEAST = 60
KNOWN_MISSING = {
    "window": list[str](),
    "browser": [
        "letters for the colour-blind",
        "another table",
        "another key",
        "a piece from a file",
    ],
}
"""Acts that one skin still lacks: a line here goes with each that is added."""


def _opening(plan: Plan) -> FirstView:
    return opening(plan.game, tuple(plan.players), tuple(plan.options.items()), plan.scene)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No process beside this one, and no settings or games of who runs the tests."""
    monkeypatch.setenv("TEETER_SETTINGS", str(tmp_path / "settings.toml"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(table_screen, "first_view", _opening)
    monkeypatch.setattr("teeter.games.present.asking.Questioner", Unasked)


def is_of(order: Order, kind: Any) -> bool:
    return order is kind if isinstance(kind, Act) else isinstance(order, kind)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.act)
def test_an_act_means_the_same_in_both_skins(row: Row) -> None:
    window = AtWindow(row.at)
    screen = window.screen
    page = AtPage(row.at, screen) if isinstance(row.browser, tuple) else None
    if row.before is not None:
        row.before(screen, page)
    last: list[Order] = []
    if isinstance(row.window, tuple):
        seen = row.shows(screen) if row.shows is not None else None
        orders = screen.physics.orders if row.order is not None else []
        del orders[:]
        window.do(row.window)
        if row.shows is not None:
            assert row.shows(screen) != seen
        if row.order is not None:
            assert orders
            assert is_of(orders[-1], row.order)
            last.append(orders[-1])
    if page is not None:
        assert isinstance(row.browser, tuple)
        heard = row.hears(page) if row.hears is not None and row.browser else None
        del page.physics.orders[:]
        page.do(row.browser)
        if row.hears is not None:
            assert row.hears(page) != heard
        if row.order is not None:
            found = [each for each in page.physics.orders if is_of(each, row.order)]
            assert found, page.physics.orders
            last.append(found[-1])
    assert len(last) < 2 or not row.is_same or last[0] == last[1]


def words_of_the_page() -> set[str]:
    """The acts that the page's keys and buttons do, as its sources name them."""
    told = "".join((PAGE / name).read_text("utf-8") for name in ("deeds.ts", "hand.ts"))
    found = set(re.findall(r'name === "(\w+)"|dataset\.act = "(\w+)"', told))
    hands = re.search(r'HANDS =\s*"([^"]+)"', told)
    assert hands is not None
    return {word for pair in found for word in pair if word} | set(hands[1].split())


def test_a_page_does_every_act_that_has_a_key_or_the_table_says_why_not() -> None:
    known = words_of_the_page()
    acts = set(shipped("settings.toml")["keys"])
    assert acts - known - set(NO_KEY_OF_A_PAGE) == set()
    assert known & set(NO_KEY_OF_A_PAGE) <= {"choose"}, "the wreck's"
    for row in ROWS:
        if isinstance(row.browser, Page):
            assert row.browser.act in known, row.act


def test_the_table_is_whole_and_what_is_missing_in_one_skin_is_known() -> None:
    assert len({row.act for row in ROWS}) == len(ROWS) >= LEAST
    assert sum(row.chromium is not None for row in ROWS) >= 10
    missing = {
        skin: [row.act for row in ROWS if isinstance(getattr(row, skin), Missing)] for skin in KNOWN_MISSING
    }
    assert missing == KNOWN_MISSING
