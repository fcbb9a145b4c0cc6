"""First games at a page, by mouse and by finger, of somebody who knows only what it offers. Kept in tests/soak."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from host_driver import at_table, hosted
from newcomer import Newcomer
from playwright.sync_api import Browser

GAMES = {
    "tower-topple": ("--house", "rounds=1"),
    "wonky": (),
    "bausack": ("--house", "pieces=8"),
    "crazy-tower": (),
}
PAGES = {"mouse": (1280, 720), "touch": (390, 844)}
MOST_ACTS = 12
"""To the first piece that is laid."""
HURRY = 20.0
"""How fast time runs after that."""
LIMIT_S = 1500.0


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_first_game(
    browser: Browser, tmp_path: Path, game: str, page: str, seed: int, row: Callable[..., None]
) -> None:
    words = (game, "--players", "Ada,bot:steady", "--seed", str(seed), *GAMES[game])
    with (
        hosted(*words, "--record", str(tmp_path / "game.teeter")) as host,
        at_table(browser, host.links["You, the host"], PAGES[page], has_touch=page == "touch") as tab,
    ):
        person = Newcomer(tab, "Ada", seed, has_touch=page == "touch")
        begun, is_quick, forced = time.monotonic(), False, [""]
        while not person.is_over:
            assert time.monotonic() < begun + LIMIT_S, (person.acts, person.mistakes, tab.text(".turn"))
            if not person.step():
                time.sleep(0.1)
            if person.first and not is_quick:
                # later, in a hurry, what is reached for may be gone
                is_quick, forced = True, list(person.mistakes)
                tab.run("factor => teeter.view.send({ type: 'speed', factor })", HURRY)
        reason = tab.text(".over p")
        row(
            "first games at a page",
            game=game,
            by=page,
            seed=seed,
            first=person.first,
            acts=len(person.acts),
            mistakes=len(person.mistakes),
            ends=reason,
        )
        assert tab.faults == []
    assert reason
    assert person.first <= MOST_ACTS, person.acts
    assert not forced
