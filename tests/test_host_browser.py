"""Seats in a browser: whole games by clicks and taps against the real command, and what one's own page does alone."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from host_driver import Player, at_table, hosted, play, pose, result_of
from playwright.sync_api import Browser

from teeter.engine.record.reader import load
from teeter.games.play.playback import fork

SMALL = (480, 320)
"""A page of so many pixels costs a machine without a graphics card little."""
PAUSE_MS = 150
"""Between pictures: buttons are pressed, nobody looks."""
HURRY = 20.0
"""How fast time runs at a table where nobody looks."""


def whole_game(
    browser: Browser, tmp_path: Path, words: Sequence[str], seed: int, limit_s: float
) -> list[str]:
    """Two browser seats and a bot play until it is over. Returns the last lines of the story and the result."""
    record = tmp_path / "game.teeter"
    given = ("--players", "Ada,Ben,bot:steady", "--seed", str(seed), "--record", str(record))
    with (
        hosted(*words, *given) as host,
        at_table(browser, host.links["You, the host"], SMALL, pause_ms=PAUSE_MS) as one,
        at_table(browser, host.links["Seats"], (390, 500), has_touch=True, pause_ms=PAUSE_MS) as other,
    ):
        one.run("factor => teeter.view.send({ type: 'speed', factor })", HURRY)
        players = [Player(one, "Ada", seed), Player(other, "Ben", seed + 1)]
        play(players, limit_s)
        ends = [player.tab.text(".over h1") for player in players]
        assert ends[0] == ends[1] != ""
        assert one.text(".over p") != ""
        # the table is looked at, and then the result again
        one.page.click(".over [data-act=look]")
        one.page.click(".result [data-act=look]")
        assert one.text(".over h1") == ends[0]
        assert all(player.tab.faults == [] for player in players)
        # a round may be over before both were asked
        assert any(player.done for player in players)
        told = [player.tab.text(".lines") for player in players]
    assert "agrees" in result_of(record)
    return [ends[0], one_line(told[0])]


def one_line(text: str) -> str:
    return " ".join(text.split())[-200:]


@pytest.mark.slow
def test_two_browsers_and_a_bot_play_a_game_to_its_end(browser: Browser, tmp_path: Path) -> None:
    """The shortest game there is: a tower of three, and no piece left."""
    assert whole_game(browser, tmp_path, ("bausack", "--house", "pieces=3"), 5, 300.0)[0]


GAMES = {
    "tower-topple": ("tower-topple", "--house", "rounds=2"),
    "wonky": ("wonky",),
    "bausack": ("bausack", "--house", "pieces=8"),
    "crazy-tower": ("crazy-tower",),
}


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
def test_each_game_by_two_browsers_and_a_bot(
    browser: Browser, tmp_path: Path, game: str, row: Callable[..., None]
) -> None:
    begun = time.monotonic()
    end, _ = whole_game(browser, tmp_path, GAMES[game], 5, 1500.0)
    row("games by two browsers and a bot", game=game, seconds=round(time.monotonic() - begun), ends=end)


@pytest.mark.slow
def test_a_game_that_is_gone_on_with_is_seen_before_it_is_checked(browser: Browser, tmp_path: Path) -> None:
    file, count = tmp_path / "game.teeter", 6
    whole = load(Path(__file__).parent / "recordings" / "wonky-1.teeter")
    session, recorder = fork(whole, count - 1, path=file)
    tower = session.state.tower
    session.close()
    assert recorder is not None
    recorder.leave()
    left = whole.named(whole.checkpoints[count - 1].poses)
    with hosted("--resume", str(file)) as host:
        # the physics get no further
        processes = Path(f"/proc/{host.pid}/task/{host.pid}/children").read_text(encoding="ascii").split()
        for process in processes:
            os.kill(int(process), signal.SIGSTOP)
        try:
            with at_table(browser, host.links["Looking on"], SMALL, pause_ms=PAUSE_MS) as tab:
                tab.page.wait_for_selector(".turn:has-text('Checking what was played ...')")
                seen = tab.run("() => teeter.view.names.filter((_, n) => teeter.view.live.seen[n])")
                assert {"table", *tower} <= set(seen)
                for name in tower:
                    assert pose(tab, name, "drawn") == pytest.approx(left[name].tolist(), abs=1e-5)
                assert tab.faults == []
        finally:
            for process in processes:
                os.kill(int(process), signal.SIGCONT)
