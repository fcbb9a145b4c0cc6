"""An error in what a game shows or says: left out, said in a line, reported once; the game goes on."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from host_client import Seat
from host_thread import HostThread, hosted, played
from window_driver import play_all

from teeter.games.faults import FAULTS, MOST_REPORTS, FaultLog, left_out, or_else
from teeter.games.host import people_panel, views
from teeter.games.host.wishes import Coach, Wishes
from teeter.games.present import client_state
from teeter.games.present.details import GameDetails, SafeDetails, details_of
from teeter.games.registry import GAMES
from teeter.games.wonky.screen import WonkyDetails


@pytest.fixture(autouse=True)
def _reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The faults of these tests are meant, and their reports are put here."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    FAULTS.clear()


def reports(folder: Path) -> list[Path]:
    return sorted(folder.glob("teeter-crash-*.txt"))


def fail(*given: Any, **more: Any) -> Any:
    raise KeyError("")


# -- the log -----------------------------------------------------------------------------------------------------------


def test_a_fault_that_comes_with_every_picture_is_reported_once(tmp_path: Path) -> None:
    log = FaultLog()
    for number in range(1000):
        try:
            raise ValueError(f"this time {number}")
        except ValueError as error:
            log.note("a hint", error)
    (fault,) = log.noted
    assert reports(tmp_path) == [fault.file]
    text = reports(tmp_path)[0].read_text()
    assert "fault in: a hint" in text
    assert "ValueError: this time 0" in text
    assert log.recent() == fault
    assert fault.line == f"Internal error in a hint; the game goes on. Please report it with {fault.file}"


def test_a_program_that_fails_everywhere_does_not_fill_a_disk(tmp_path: Path) -> None:
    for number in range(3 * MOST_REPORTS):
        with left_out(f"part {number}"):
            fail()
    assert len(FAULTS.noted) == len(reports(tmp_path)) == MOST_REPORTS
    last = FAULTS.recent()
    assert last is not None
    assert last.what == f"part {3 * MOST_REPORTS - 1}"


def test_without_a_place_for_the_report_the_error_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    assert or_else("the story", fail, ("nothing",)) == ("nothing",)
    (fault,) = FAULTS.noted
    assert fault.line == "Internal error in the story; the game goes on. Please report it (KeyError: '')"


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_what_is_no_fault_goes_through(error: type[BaseException]) -> None:
    with pytest.raises(error), left_out("the story"):
        raise error
    # an interrupt in the middle of an import comes as an error of that
    with pytest.raises(KeyboardInterrupt), left_out("the story"):
        raise ImportError("numpy") from KeyboardInterrupt()
    assert not FAULTS.noted


# -- the details of a game ---------------------------------------------------------------------------------------------


def test_every_detail_of_every_game_falls_back_to_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {name for name in vars(GameDetails) if name[0] != "_" and callable(getattr(GameDetails, name))}
    assert {"items", "unread"} < names
    assert {*names, "piece_name"} <= set(vars(SafeDetails)), "a detail is not kept from ending the game"
    for game in GAMES:
        own = type(details_of(game)._own)  # type: ignore[attr-defined]
        for name in ("items", "cards", "lit", "table_lines", "unread", "phase"):
            monkeypatch.setattr(own, name, fail)
    desk: Any = type("Desk", (), {"frame": type("Frame", (), {"names": ("a", "b")})})
    details = details_of(GAMES[0])
    assert (details.items(desk), details.cards(desk), details.lit(desk)) == ((), (), ())
    # a print that nobody may see is not shown because somebody's code fails
    assert details.unread(desk) == {"a", "b"}
    assert {fault.what for fault in FAULTS.noted} == {f"the screen of {GAMES[0].title}"}


def test_a_game_whose_screen_cannot_be_loaded_has_a_plain_one() -> None:
    from dataclasses import replace

    details = details_of(replace(GAMES[1], screen_class="teeter.games.nowhere:Details"))
    assert details.lessons == ()
    assert details.phase(object()) == ""
    assert "ModuleNotFoundError" in FAULTS.noted[0].said


# -- the window ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_part_of_the_screen_nor_an_act_or_a_menu_that_fails_takes_the_window() -> None:
    play_all(("window_faults:parts_fail", "wonky"), ("window_faults:acts_fail",))


# -- the browser -----------------------------------------------------------------------------------------------------


PARTS = [
    (client_state, "told_to"),
    (client_state, "opening_for"),
    (people_panel, "score_rows"),
    (views.SeatView, "_lines"),
    (Coach, "news"),
    (Wishes, "step"),
    (WonkyDetails, "items"),
    (WonkyDetails, "cards"),
    (WonkyDetails, "table_lines"),
]


def test_a_hosted_game_goes_on_whatever_of_its_pages_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A card is played, its block taken and laid, while every part fails; seats are told, the terminal knows where
    the reports are."""
    with hosted() as host:
        with monkeypatch.context() as failing:
            for where, name in PARTS:
                failing.setattr(where, name, fail)
            heard = played(some_turns(host))
        told = list(host.told)
        # answered between two ticks: what still failed has ended
        state = host.state()
        FAULTS.clear()
    assert state.tower, "no block was laid"
    assert any("Please report it with" in line for line in told)
    assert any("Internal error in the story; the game goes on." in line for line in heard)
    assert not any(str(tmp_path) in line for line in heard), "a folder of the host is no guest's business"
    assert 5 <= len(reports(tmp_path)) <= MOST_REPORTS


async def some_turns(host: HostThread) -> list[str]:
    """Two seats play on until a few questions are answered; what was said in the chat."""
    seats = [Seat(host.url, host.links.seats, name, stacks=True) for name in ("Ada", "Ben")]
    for seat in seats:
        await seat.join()
    async with asyncio.timeout(300.0):
        await asyncio.gather(*(seat.play(7) for seat in seats))
    texts = [json.loads(each) for each in seats[0].received if isinstance(each, str)]
    return [each["text"] for each in texts if each["type"] == "chat"]
