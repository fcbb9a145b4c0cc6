"""A hosted game from outside: real clients on the loopback, the real server, the real physics."""

from __future__ import annotations

import http.client
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from html import escape
from typing import Any

import pytest
from host_client import Seat
from host_thread import ACTS, HostThread, answer, at_table, begun, closed, hosted, played
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from teeter.engine.view.page.html import digest
from teeter.games.host.connection import TAKEN_OVER
from teeter.games.host.rules_page import pictures, rules_page
from teeter.games.present.guide import guide_of
from teeter.games.registry import game_named


@pytest.fixture(scope="module")
def host() -> Iterator[HostThread]:
    with hosted() as found:
        played(begun(found))
        yield found


# -- the page ----------------------------------------------------------------------------------------------------------


def get(host: HostThread, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection("127.0.0.1", host.links.address.port, timeout=20)
    connection.request("GET", path, headers=headers)
    found = connection.getresponse()
    body = found.read().decode()
    connection.close()
    return found.status, {name.lower(): value for name, value in found.getheaders()}, body


def test_the_page_holds_nothing_of_the_game_and_forbids_what_it_does_not_need(host: HostThread) -> None:
    status, headers, body = get(host, "/")
    assert status == 200
    assert '"kind":"seat"' in body
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "no-referrer")
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers
    secrets = (host.links.host, host.links.seats, host.links.spectators, '"Ada"', "small_")
    assert not [word for word in secrets if word in body]


def test_the_rules_are_a_page_of_their_own_without_script_or_secret(host: HostThread) -> None:
    status, headers, body = get(host, "/rules")
    assert status == 200
    guide = guide_of(game_named("wonky"))
    assert guide is not None
    assert all(escape(said) in body for said in (guide.aim, guide.loses, *(step.text for step in guide.step)))
    assert "WK-17" in body
    assert "<script" not in body
    style = body.partition("<style>")[2].partition("</style>")[0]
    policy = headers["content-security-policy"]
    assert f"style-src '{digest(style)}'" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert not [word for word in (host.links.host, host.links.seats, '"Ada"') if word in body]
    # where none are drawn nobody waits for any
    assert "http-equiv" not in body


def test_the_rules_and_the_story_say_what_is_not_played_as_printed() -> None:
    told = "House rules: the third nudge in a turn counts as a fall."
    with hosted(options={"third_foul_falls": True}) as host:
        _, _, body = get(host, "/rules")
        assert told in body
        end = time.monotonic() + 60.0
        while told not in host.told and time.monotonic() < end:
            time.sleep(0.05)
        for view in (
            host.ask(lambda server: server.table and list(server.table.audience.views.values())) or ()
        ):
            assert told in view.log


def test_pictures_of_the_rules_are_asked_for_again_until_all_are_drawn() -> None:
    game = game_named("wonky")
    for drawn, waits in ((3, True), (4, False)):
        links = {name: f"data:image/png;base64,{n}" for n, name in enumerate(pictures(game)[:drawn])}
        text, _ = rules_page(game, defaultdict(str, links).__getitem__, is_drawing=True)
        assert text.count("<img") == drawn
        assert ('http-equiv="refresh"' in text) is waits


@pytest.mark.parametrize("path", ["/index.html", "/../etc/passwd", "/table/x", "//", "/%2e%2e/"])
def test_there_is_nothing_else(host: HostThread, path: str) -> None:
    status, headers, body = get(host, path)
    assert (status, body) == (404, "Not Found\n")
    assert "default-src 'none'" in headers["content-security-policy"]


def test_a_page_from_elsewhere_gets_no_socket(host: HostThread) -> None:
    async def knock(origin: str) -> int:
        try:
            async with connect(f"{host.url}/table", additional_headers={"Origin": origin}):
                return 101
        except InvalidStatus as error:
            return error.response.status_code

    port = host.links.address.port
    assert played(knock("http://evil.example")) == 403
    assert played(knock(f"http://127.0.0.1:{port + 1}")) == 403
    assert played(knock("null")) == 403
    assert played(knock(host.http)) == 101


# -- who may do what ---------------------------------------------------------------------------------------------------


def test_a_wrong_secret_is_told_nothing(host: HostThread) -> None:
    async def knock(first: str | bytes) -> tuple[int, list[str | bytes]]:
        seat = Seat(host.url, "")
        await seat.open()
        await seat.say_raw(first)
        return await closed(seat), seat.received

    right = host.links.seats
    wrong = ("", right[:-1], right + "A", right.swapcase(), "ä" * 24, "x" * 200)
    for secret in wrong:
        assert played(knock(json.dumps({"type": "hello", "secret": secret}))) == (1008, [])
    for other in ('{"type": "ping", "number": 1}', "[]", "", b"\0\1", '{"type": "hello"}'):
        assert played(knock(other)) == (1008, [])


@pytest.mark.parametrize("message", ACTS, ids=lambda message: str(message["type"]))
def test_a_spectator_cannot_act(host: HostThread, message: dict[str, Any]) -> None:
    async def try_it() -> None:
        seat = await at_table(host, secret=host.links.spectators)
        before, seats = host.state(), seat.panels["scores"]
        found = await answer(seat, **message)
        assert found["type"] == "refused", found
        assert host.state() is before
        assert seat.panels["scores"] == seats
        await seat.leave()

    played(try_it())


def test_only_who_is_asked_may_act_and_only_once(host: HostThread) -> None:
    async def try_it() -> None:
        ada, ben = await at_table(host, "Ada"), await at_table(host, "Ben")
        on_turn, other = (ada, ben) if ada.last["turn"]["mine"] else (ben, ada)
        turn, before = on_turn.last["turn"]["turn"], host.state()
        assert other.last["turn"]["choices"] == []
        for seat, number, choice in (
            (other, turn, 0),
            (on_turn, turn - 1, 0),
            (on_turn, turn + 1, 0),
            (on_turn, turn, 99),
        ):
            assert (await answer(seat, type="choose", turn=number, choice=choice))["type"] == "refused"
        for message in ACTS[2:]:
            if message["type"] not in ("chat", "stand_up"):
                assert (await answer(other, **message))["type"] == "refused", message
        assert (await answer(on_turn, type="feel", piece="small_red"))["type"] == "refused"
        assert host.state() is before
        for seat in (ada, ben):
            await seat.say(type="stand_up")
            await seat.settled()
            await seat.leave()

    played(try_it())


def test_a_seat_is_taken_once_and_kept_for_who_lost_the_line(host: HostThread) -> None:
    async def try_it() -> None:
        ada = await at_table(host, "Ada")
        cards = ada.cards
        assert cards
        other = await at_table(host, "Ada")
        assert other.last["welcome"]["seat"] == ""
        assert "is taken" in other.refused[-1]["sentence"]
        assert other.cards == []
        elsewhere, watcher = (
            "Ada's seat is open elsewhere",
            await at_table(host, secret=host.links.spectators),
        )
        assert [elsewhere in each.told("scores") for each in (ada, other, watcher)] == [False, True, False]
        assert [len(each.orders("come_back")) for each in (ada, other, watcher)] == [0, 1, 0]
        await watcher.leave()
        ada.kill()
        assert (await other.wait_for("away"))["seconds_left"] in range(290, 301)
        await other.settled()
        assert any("the seat is kept for Ada for 5 minutes" in str(text) for text in other.received)
        asked = "Ada has lost the line" if "Ada" in other.told("turn") else "Nobody sits at Ben's seat"
        assert f"{asked}: the game waits." in other.told("turn")
        assert (await answer(other, type="sit", seat="Ada"))["type"] == "refused"
        # the token opens the seat again, and shows the same hand
        back = await at_table(host, token=ada.token)
        assert back.last["welcome"]["seat"] == "Ada"
        assert back.cards == cards
        # once more in another window: the first one is told so
        third = await at_table(host, token=ada.token)
        assert await closed(back) == TAKEN_OVER
        assert third.last["welcome"]["seat"] == "Ada"
        wrong = await at_table(host, token="x" * 24)
        assert wrong.last["welcome"]["seat"] == ""
        await third.say(type="stand_up")
        await third.settled()
        # who stood up has nothing to come back to
        late = await at_table(host, token=ada.token)
        assert late.last["welcome"]["seat"] == ""
        for seat in (other, third, wrong, late):
            await seat.leave()

    played(try_it())


def test_the_hosts_link_gives_a_seat_to_a_bot_and_back(host: HostThread) -> None:
    async def try_it() -> None:
        owner, ada = await at_table(host, secret=host.links.host), await at_table(host, "Ada")
        assert owner.last["welcome"]["role"] == "host"
        assert (await answer(ada, type="to_bot", seat="Ben", style="steady"))["type"] == "refused"
        for seat, style in (("Nobody", "steady"), ("Ada", "cheating")):
            assert (await answer(owner, type="to_bot", seat=seat, style=style))["type"] == "refused"
        await owner.say(type="pause", is_paused=True)
        # another page of the host shows the clock as it is, too
        again = await at_table(host, secret=host.links.host)
        for each in (again, ada):
            while not each.last["table"]["is_paused"]:
                await each.hear()
        await again.leave()
        refused = await answer(ada, type="choose", turn=ada.last["turn"]["turn"], choice=0)
        assert refused["type"] == "refused"
        await owner.say(type="to_bot", seat="Ada", style="clumsy")
        while "To a person" not in owner.told("scores"):
            await owner.settled()
        assert (await answer(ada, type="choose", turn=ada.last["turn"]["turn"], choice=0))[
            "type"
        ] == "refused"
        await owner.say(type="to_person", seat="Ada")
        while "To a person" in owner.told("scores"):
            await owner.settled()
        await owner.say(type="pause", is_paused=False)
        await ada.say(type="stand_up")
        await ada.settled()
        for each in (owner, ada):
            await each.leave()

    played(try_it())
