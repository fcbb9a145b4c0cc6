"""A second player's script is given all that it was sent over a real socket, and tries to find what is hidden."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast
from urllib.error import HTTPError
from urllib.request import urlopen

import guessing
import pytest
from guessing import ATTACKS, Heard, Truth, heard_by, otherwise
from host_client import Seat
from host_thread import answer, hosted, played
from websockets.asyncio.server import ServerConnection

from teeter.engine.world.body import FLOOR
from teeter.games.core.random_state import draw_seed
from teeter.games.core.rules import Need, Wait
from teeter.games.game import stock_of
from teeter.games.host.connection import Connection, ConnectionLimits
from teeter.games.host.links import Address, Links
from teeter.games.host.scene import SharedScene, dumps
from teeter.games.host.table import HostedTable, Hosting
from teeter.games.host.views import SeatView
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, offers
from teeter.games.present import hint_process
from teeter.games.present.asking import PlaceQuestion
from teeter.games.registry import GAMES, game_named
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import GameUpdate, NewBody, News, Plan, TableView, Waits
from teeter.games.server.setup import FirstView, first_view
from teeter.games.wonky.rules_turn import said

PLAYED: dict[str, tuple[tuple[str, ...], dict[str, object]]] = {
    "wonky": (("Ada", "Ben"), {}),
    "tower-topple": (("Ada", "Ben"), {"rounds": 1}),
    "crazy-tower": (("Ada", "Ben", "Cem"), {"mode": "saboteur", "secret": "yes"}),
}
"""Players and options of the games in which something is hidden."""
MOST_TURNS = 500
"""Questions of a whole game; whichever does not end by then is not looked at to its end."""
WHOLE = (
    *(("wonky", number) for number in range(2)),
    *(("tower-topple", number) for number in range(2)),
    # after 42 and 24 turns: most towers of three end later than a script has patience
    *(("crazy-tower", number) for number in (4, 6)),
)
"""Games to their end: which, and the number that its seed is drawn from."""
PATHS = (
    *("/record", "/game.teeter", "/game.teeter.part", "/game.teeter.part/meta.json", "/meta.json", "/hosted"),
    *("/table/record", "/..%2fgame.teeter", "/%2e%2e/game.teeter", "//game.teeter"),
)
"""At which somebody may look for the record."""


@dataclass
class HostedGame:
    """A game that was hosted. news: what the physics said."""

    plan: Plan
    opening: FirstView
    news: list[News]
    seats: list[Seat]
    truth: Truth


def play_hosted(
    name: str, seed: int, turns: int, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> HostedGame:
    """Everybody plays by script until so many questions were asked, or to the end."""
    players, options = PLAYED[name]
    news: list[News] = []
    take = HostedTable._take

    def noted(self: HostedTable, each: News) -> None:
        if news and isinstance(news[-1], TableView) and isinstance(each, TableView):
            # where it went through tells no more than where it is
            news.pop()
        news.append(each)
        take(self, each)

    monkeypatch.setattr(HostedTable, "_take", noted)
    with hosted(name, players, seed, folder / "game.teeter", options=options, is_drawn=True) as host:
        seats = [Seat(host.url, host.links.seats, each, stacks=name == "wonky") for each in players]
        seats.append(Seat(host.url, host.links.spectators))

        async def play() -> None:
            for seat in seats:
                await seat.join()
            async with asyncio.timeout(1800.0):
                await asyncio.gather(*(seat.play(turns) for seat in seats))
            for seat in seats:
                await answer(seat, type="undo")

        played(play())
        for path in PATHS:
            with pytest.raises(HTTPError, match="404"):
                urlopen(host.http + path)
        plan, opening = host.server._hosting.plan, host.server._hosting.opening
    # what is told again below is not noted
    monkeypatch.undo()
    states = [opening.state, *(each.state for each in news if isinstance(each, GameUpdate))]
    return HostedGame(plan, opening, news, seats, Truth(seed, states))


def check_attacks(game: HostedGame, row: Callable[..., None] | None = None) -> None:
    players, options = PLAYED[game.plan.game]
    for seat in game.seats[1:2] + game.seats[-1:]:
        heard = heard_by(seat, game.plan.game, players, options)
        for name, attack in ATTACKS.items():
            if not seat.name and attack is guessing.short_seeds and game.plan.game == "wonky":
                # who looks on sees no card
                continue
            tried, found = attack(heard, game.truth)
            if row is not None:
                row(
                    "what scripts of others try on all that they were sent",
                    game=game.plan.game,
                    who=seat.name or "looks on",
                    attack=name,
                    messages=len(heard.texts) + len(heard.frames),
                    tried=tried,
                    found=len(found),
                )
            assert not found, (seat.name, name, found[:3])


def test_the_other_games_hide_nothing() -> None:
    """Bausack and the sandbox deal nothing, and show everybody the whole state: the supply lies on the table."""
    for game in GAMES:
        players = ("Ada", "Ben")[: game.modes[0].least]
        state = game.rules.start(players, draw_seed(), {}, stock_of(game))
        is_open = all(game.rules.seen_by(state, name) == state for name in (*players, ""))
        is_dealt = "luck" in {each.name for each in fields(state)}
        assert is_open != is_dealt
        assert is_dealt == (game.name in PLAYED)


# -- the same deal, but for what is hidden ----------------------------------------------------------------------------


class Recorded:
    """Stands where the physics do: says again what they said."""

    def __init__(self) -> None:
        self.next: list[News] = []

    def send(self, order: object) -> None: ...

    def news(self) -> list[News]:
        return self.next


class NoSocket:
    """Of a connection whose messages are read before they are sent."""

    transport = cast("Any", type("Transport", (), {"get_extra_info": lambda self, name: None})())


def told(game: HostedGame, seat: str, number: int | None) -> list[str | bytes]:
    """All that a seat is sent when the physics say what they said; of another deal by its number."""
    read = frozenset(name for state in game.truth.states for name in getattr(state, "seen", ()))

    def change(state: Any) -> Any:
        return state if number is None else otherwise(state, seat, number, read)

    opening = replace(game.opening, state=change(game.opening.state))
    pieces = {body.name: body for body in opening.game.judge.layout(opening.state)}
    opening = replace(opening, bodies=tuple(pieces.get(each.name, each) for each in opening.bodies))
    links = Links(Address(), host="h" * 24, seats="s" * 24, spectators="o" * 24, is_drawn=True)
    hosting = Hosting(game.plan, opening, links, lambda line: None, lambda ready: None, has_pictures=False)
    physics = Recorded()
    table = HostedTable(hosting, cast(PhysicsClient, physics))
    limits = ConnectionLimits(waiting=10**9)
    line = Connection(cast(ServerConnection, NoSocket()), limits, table.audience.scene.everything)
    hello = {"type": "hello", "secret": links.seats if seat else links.spectators}
    table.receive(line, json.dumps(hello | ({"seat": seat} if seat else {})))
    for each in game.news:
        if isinstance(each, GameUpdate):
            each = GameUpdate(change(each.state), each.event, each.given)
        elif isinstance(each, NewBody) and each.body.name in pieces:
            each = NewBody(replace(each.body, piece=pieces[each.body.name].piece))
        physics.next = [each]
        table.hear()
    table.close()
    # the token of the seat is drawn anew
    return [text for text in line._waiting if not str(text).startswith('{"type":"welcome"')]


def check_interference(game: HostedGame, seats: tuple[str, ...], others: int = 1) -> int:
    """Nothing that is sent depends on what is hidden. Returns how many messages were compared."""
    compared = 0
    for seat in seats:
        right = told(game, seat, None)
        for number in range(others):
            found = told(game, seat, number)
            assert found == right, next((a, b) for a, b in zip(found, right, strict=False) if a != b)
            compared += len(found)
    return compared


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYED)
def test_what_is_hidden_is_not_found(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the first turns."""
    game = play_hosted(name, draw_seed(), 4, monkeypatch, tmp_path)
    check_attacks(game)
    assert check_interference(game, ("Ben",)) > 20


@pytest.mark.soak
@pytest.mark.parametrize(("name", "number"), WHOLE)
def test_what_is_hidden_is_not_found_in_a_whole_game(
    name: str, number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, row: Callable[..., None]
) -> None:
    """As long as drawn ones, the seeds are the same in every run: so are the games."""
    seed = 2**128 + random.Random(f"{name} {number}").getrandbits(128)
    game = play_hosted(name, seed, MOST_TURNS, monkeypatch, tmp_path)
    assert game.seats[0].end["reason"]
    check_attacks(game, row)
    assert check_interference(game, ("Ben", ""), 5) > 200


# -- the attacks work where they can ----------------------------------------------------------------------------------


def looked_at(name: str, seed: int) -> tuple[Heard, Truth]:
    """What is sent at the beginning of a game; the first cards of a stack are revealed."""
    game, (players, options) = game_named(name), PLAYED[name]
    state = game.rules.start(players, seed, options, stock_of(game))
    scene = SharedScene(game.judge.layout(state), frozenset())
    texts = [*scene.texts]
    if name == "crazy-tower":
        texts += [scene.add(game.judge.home(state, card)) for card in state.deck[:5]]
    elif name == "wonky":
        hand = [{"image": guessing._picture(card)} for card in state.hands[1]]
        texts.append(dumps({"type": "panel", "panel": {"name": "cards", "items": [{"cards": hand}]}}))
    blobs = [base64.b64decode(json.loads(text)["blob"]) for text in texts if '"blob":"' in text]
    frames = [scene.everything()]
    heard = Heard(name, players, options, "Ben", texts, frames, [*frames, *blobs], (), 1e9)
    return heard, Truth(seed, [state])


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        *((name, 234) for name in PLAYED),
        # whichever game it is, the seeds that are tried are the same
        *(pytest.param(name, 10**9 - 7, marks=[pytest.mark.soak] * (name != "wonky")) for name in PLAYED),
    ],
)
def test_a_seed_that_is_short_or_of_a_clock_is_found(name: str, seed: int) -> None:
    _, found = guessing.short_seeds(*looked_at(name, seed))
    assert found == [f"seed {seed}"]


def test_what_is_planted_is_found() -> None:
    """In a message, in any of the ways that are looked for; and nothing is found where nothing is."""
    seed = draw_seed()
    heard, truth = looked_at("wonky", seed)
    for attack in ATTACKS.values():
        assert attack(heard, truth)[1] == []
    state = truth.states[0]
    key, deck = (seed - 2**128).to_bytes(16, "big"), state.deck
    unknown = next(card for card in deck if "_" in card and card not in state.hands[1])
    luck = state.luck.to_bytes(26, "big").lstrip(b"\0")
    cases: dict[str, Any] = {
        "seed and random states in any spelling": [
            *(str(number) for number in (seed, state.luck, seed - 2**128)),
            f'{{"luck":"{state.luck:X}"}}',
            base64.b64encode(luck).decode(),
            base64.b64encode(b"??" + luck).decode(),
            key[3:12],
            b"\0" * 40 + key[::-1],
        ],
        "hashes of what is hidden": [
            hashlib.sha256(json.dumps(list(deck)).encode()).hexdigest(),
            hashlib.md5(",".join(state.hands[0]).encode()).hexdigest()[:20],
            hashlib.sha1(str(seed).encode()).hexdigest(),
        ],
        "strings that nobody can read": ["5f4dcc3b5aa765d61d8327deb882cf99", "q83vEjRWeJCrze8SNFZ4kA"],
        "names of what is hidden": [f"Ada holds {said(unknown)}.", f"card|{said(unknown)}|"],
    }
    for name, planted in cases.items():
        for each in planted:
            more: dict[str, Any] = {"texts": [*heard.texts, f'{{"lines":["{each}"]}}']}
            if isinstance(each, bytes):
                more = {"blobs": [*heard.blobs, each]}
            assert ATTACKS[name](replace(heard, **more), truth)[1], (name, each)


def test_a_seat_that_is_told_more_than_it_may_know_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deals are told apart as soon as a message has one secret; none is in the views to be told."""
    game, turn = opened("wonky"), SeatView.turn

    def tell(self: SeatView, number: int, need: Need) -> dict[str, object]:
        return {**turn(self, number, need), "next": self.state.deck[0]}

    monkeypatch.setattr(SeatView, "turn", tell)
    check_interference(game, ("Ben",), 2)
    monkeypatch.setattr(SeatView, "_visible", lambda self, state: state)
    with pytest.raises(AssertionError):
        check_interference(game, ("Ben",), 5)


def opened(name: str) -> HostedGame:
    """A game of which nothing but its opening was told."""
    players, options = PLAYED[name]
    plan = Plan(name, players, draw_seed(), options)
    opening = first_view(plan)
    waits = Waits(opening.game.rules.needs(opening.state), (), False)
    news: list[News] = [GameUpdate(opening.state, "Opening"), waits]
    return HostedGame(plan, opening, news, [], Truth(plan.seed, [opening.state]))


# -- what is measured for a seat --------------------------------------------------------------------------------------


def measures(session: Session, need: Need) -> list[Any]:
    """What a host tells a seat that has a piece in its hand, and asks for places, for a pull, for the coach's word."""
    if need.wait is Wait.PULL:
        way = Bot("steady", session.game.name, 7).pull(session, need)
        return [None if way is None else way.tolist()]
    places, held = offers(session, need), need.pieces[0]
    bodies = dict(session.table.bodies)
    rows = tuple((name, body.pose) for name, body in bodies.items() if name not in (held, FLOOR))
    asked = PlaceQuestion(held, places[0], rows, session.game.name, session.state)
    return [places, hint_process.answerer()(list(bodies.values()), asked)]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYED)
def test_what_is_measured_for_a_seat_does_not_depend_on_what_it_cannot_see(name: str) -> None:
    """Places that are offered, how a brick is drawn, what the coach says of laying a piece."""
    players, options = PLAYED[name]
    session, _ = begin(game_named(name), players, draw_seed(), options)
    try:
        while session.need.wait is Wait.ACTION:
            session.act(session.choices[0].action)
        need, state = session.need, session.state
        right = measures(session, need)
        for number in range(2):
            session.state = otherwise(state, need.player, number)
            assert session.state != state
            assert measures(session, need) == right
    finally:
        session.close()
