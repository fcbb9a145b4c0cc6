"""The strengths of bots: an expert's look ahead against closed forms and quick leagues, and a saboteur."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from teeter.engine.world.body import TABLE
from teeter.games.bausack import rules as bausack_rules
from teeter.games.bausack.bot import FALLS_DEG, BausackSkill, calculating
from teeter.games.bausack.state import Accept, Build, PassOn, Phase, Push
from teeter.games.core.events import CountElapsed, Fell, Placed, Released, Rested
from teeter.games.core.rules import Choice, Take, Wait
from teeter.games.crazy_tower.bot import SAFE_DEG, SAFE_M, bears, weakest
from teeter.games.crazy_tower.bot_places import _spectrum, _under, places, tower_of
from teeter.games.game import stock_of
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import bots_of, play
from teeter.games.registry import game_named
from teeter.games.tower_topple.bot import EFFECT
from teeter.games.tower_topple.state import Print
from teeter.games.wonky import rules
from teeter.games.wonky.bot import WonkySkill, is_firm
from teeter.games.wonky.state import State, Stock
from teeter.models.build import build
from teeter.models.catalogue import find

WONKY, TOPPLE = game_named("wonky"), game_named("tower-topple")
NEW_TOWER = TOPPLE.rules.start(["bot:expert", "Ben"], 5, {"rounds": 1}, stock_of(TOPPLE))
STOCK: Stock = stock_of(WONKY)
BODIES = {
    block.id: SimpleNamespace(piece=build(find(f"wonky/{block.id}")), pose=None) for block in STOCK.blocks
}


def by_cards(seed: int, styles: list[str]) -> str:
    """The winner of a game of Wonky whose towers stand by the closed form: what cards alone decide."""
    state: State = rules.start([f"bot:{style}" for style in styles], seed, {}, STOCK)
    skill, dice, step = WonkySkill(), random.Random(seed), 0
    style_of = {seat.name: seat.members[0].bot for seat in state.seats}
    while rules.outcome(state) is None:
        need, step = rules.needs(state), step + 1
        if need.wait is Wait.ACTION:
            table = SimpleNamespace(bodies=BODIES)
            session = SimpleNamespace(state=state, choices=rules.legal(state), table=table)
            bot = SimpleNamespace(style=style_of[need.player], random=dice)
            state = rules.apply(state, skill.choose(cast(Any, bot), cast(Any, session), need))
        elif need.wait is Wait.HAND:
            state = rules.apply(state, Released(step, need.pieces[0]))
        elif need.wait is Wait.COUNT:
            tower = (*state.tower, need.pieces[0])
            stands = len(tower) == 1 or is_firm(tower)
            state = rules.apply(state, CountElapsed(step, tower[-1]) if stands else Fell(step, (tower[-1],)))
        else:
            state = rules.apply(state, Rested(step, ()))
    outcome = rules.outcome(state)
    assert outcome is not None
    return outcome.winners[0]


@pytest.mark.parametrize(("better", "worse"), [("expert", "steady"), ("steady", "clumsy")])
def test_in_wonky_the_stronger_wins_by_cards_alone(better: str, worse: str) -> None:
    """Both begin in turn; 60 per cent at least, in 300 games."""
    players = [better, worse]
    won = Counter(by_cards(seed, players[:: 1 if seed % 2 else -1]) for seed in range(300))
    assert won[better] >= 180, won


def by_pieces(seed: int, styles: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The winner of a game of Bausack of thirty pieces whose towers stand by lot, the oftener the firmer a piece fits:
    what pushing, paying and bidding alone decide."""

    def fit(session: Any, seat: int, name: str) -> float:
        """Degrees: some pieces are easy everywhere, and the taller a tower the fewer."""
        tower = session.state.towers[seat]
        if not tower:
            return 20.0 if name.startswith("base") else 4.0
        easy, here = (random.Random(f"{key}").random() for key in (name, (tower, name)))
        return max(0.0, 25.0 * easy * (0.4 + 0.6 * here) - 0.7 * len(tower))

    for judged in ("worth", "bearing"):
        monkeypatch.setattr(f"teeter.games.bausack.bot.{judged}", fit)
    state = bausack_rules.start(
        [f"bot:{style}" for style in styles], seed, {"pieces": 30}, stock_of(game_named("bausack"))
    )
    skill, dice, step = BausackSkill(), random.Random(seed), 0
    while (outcome := bausack_rules.outcome(state)) is None:
        need, step = bausack_rules.needs(state), step + 1
        session: Any = SimpleNamespace(state=state, choices=bausack_rules.legal(state))
        given: Any = Rested(step, ())
        if need.wait is Wait.ACTION:
            bot: Any = SimpleNamespace(style=need.player.partition("-")[0], random=dice)
            given = skill.choose(bot, session, need)
        elif need.wait is Wait.HAND:
            given = Released(step, need.pieces[0])
        elif need.pieces:
            name, tower = need.pieces[0], state.towers[state.actor]
            # as in games on the table: where a trial says so, and hardly ever else
            falls = tower and (fit(session, state.actor, name) < FALLS_DEG or dice.random() < 0.02)
            given = Fell(step, (name, tower[-1])) if falls else Placed(step, name)
        state = bausack_rules.apply(state, given)
    return outcome.winners[0] if outcome.winners else ""


@pytest.mark.parametrize(("better", "worse"), [("expert", "steady"), ("steady", "clumsy")])
def test_in_bausack_the_stronger_wins_by_choices_alone(
    better: str, worse: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both begin in turn; 60 per cent at least."""
    players = [better, worse]
    won = Counter(by_pieces(seed, players[:: 1 if seed % 2 else -1], monkeypatch) for seed in range(40))
    assert won[better] >= 24, won


@pytest.fixture
def choice(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes what an expert pulls of a new tower, which moves by so much where it brings three points, or by brick;
    changes: of its state."""
    session = Session(TOPPLE, TOPPLE.judge, NEW_TOWER)

    def made(moved: float | dict[str, float] = 0.0, **changes: Any) -> Any:
        three = [brick.id for brick in NEW_TOWER.bricks if brick.print is Print.ADD_THREE]
        moves = moved if isinstance(moved, dict) else dict.fromkeys(three, moved)
        monkeypatch.setattr(
            "teeter.games.tower_topple.bot.drawn", lambda _, name, *told: moves.get(name, 0.0)
        )
        monkeypatch.setattr("teeter.games.tower_topple.bot.bears", lambda *told: True)
        session.state = replace(NEW_TOWER, **changes)
        piece = cast(Take, bots_of(session, 1)["expert"].choose(session, session.need)).piece
        return next(brick for brick in session.state.bricks if brick.id == piece)

    return made


def test_TT_22_an_expert_pulls_the_print_it_has_seen_that_brings_most(choice: Callable[..., Any]) -> None:
    """TT-22, TT-03: three points rather than two, of bricks as safe; of unseen prints it knows nothing."""
    everything = [brick.id for brick in NEW_TOWER.bricks]

    def printed(**prints: Print) -> tuple[Any, ...]:
        plain = (replace(brick, print=Print.PLAIN) for brick in NEW_TOWER.bricks)
        return tuple(replace(brick, print=prints.get(brick.id[6:], brick.print)) for brick in plain)

    one = choice(bricks=printed(), seen=everything).id[6:]
    other = choice(bricks=printed(**{one: Print.LOSE_TWO}), seen=everything).id[6:]
    for three, two in ((one, other), (other, one)):
        bricks = printed(**{three: Print.ADD_THREE, two: Print.ADD_TWO})
        assert choice(bricks=bricks, seen=everything).id[6:] == three
    hidden = printed(**{one: Print.ADD_THREE, other: Print.LOSE_TWO})
    assert choice(bricks=hidden).id == choice(bricks=printed()).id


def test_TT_07_an_expert_ahead_in_the_last_round_draws_at_the_foot(choice: Callable[..., Any]) -> None:
    """TT-07: whoever topples it then, it has won: it pulls at the foot, and no print that may cost it something."""
    seen = [brick.id for brick in NEW_TOWER.bricks]
    assert choice(0.01, seen=seen, scores=(0, 3)).print is not Print.ADD_THREE
    behind, ahead = (choice(seen=seen, scores=scores) for scores in ((0, 1), (1, 0)))
    assert behind.print is Print.ADD_THREE
    assert EFFECT.get(ahead.print, 0.0) >= 0.0
    assert ahead.id in NEW_TOWER.tower[0]
    dear = replace(NEW_TOWER.house, topple_loses=1)
    assert choice(seen=seen, scores=(1, 0), house=dear).id == behind.id


def test_TT_07_an_expert_ahead_leaves_the_tower_as_weak_as_it_stands(choice: Callable[..., Any]) -> None:
    """TT-07: of the bricks at the foot the one that moves the tower most; none that brings it down, nor when level."""
    foot = [name for row in NEW_TOWER.tower[:2] for name in row]
    moves = dict(zip(foot, (1e-3, 9e-3, math.inf, 4e-3, 2e-3, math.inf), strict=True))
    assert choice(moves, scores=(1, 0)).id == foot[1]
    assert choice(moves, scores=(1, 1)).id not in [name for name in foot if moves[name] > 2e-3]
    fallen = dict.fromkeys(moves, math.inf)
    assert choice(fallen, scores=(1, 0)).id not in foot


def test_places_of_blocks_are_counted_point_by_point() -> None:
    """The quick way, by transforms, against counting."""
    dice = np.random.default_rng(3)
    raster, kernel = (dice.random((side, side)) < 0.4 for side in (129, 65))
    found = _under(_spectrum(raster.astype(float)), _spectrum(kernel[::-1, ::-1].astype(float)))
    padded = np.pad(raster, 32)
    for row, column in ((0, 0), (64, 64), (13, 40), (30, 2)):
        here = padded[2 * row : 2 * row + 65, 2 * column : 2 * column + 65]
        assert found[row, column] == (here & kernel).sum()


@pytest.mark.slow
def test_CT_08_a_saboteur_leaves_the_tower_as_weak_as_it_can_stand() -> None:
    """CT-08: weaker than at any place that others choose, and yet it bears a little tilt to every side."""
    session = begin(game_named("crazy-tower"), ["bot:steady"] * 3, 100, {"mode": "saboteur"})[0]
    bots = bots_of(session, 100)
    while len(session.state.floors) < 3 or session.need.wait is not Wait.ACTION:
        play(session, bots, session.turns + 1)
    state, scene = session.state, session.table.scene()
    name = state.hands[state.turn][0]
    firm, weak = places(state, scene, name), places(state, scene, name, weak=SAFE_M)
    assert weak[0].tilt < 0.5 * max(place.tilt for place in firm)
    pose = weakest(session, name)
    assert pose is not None
    tower = [scene.bodies[TABLE], *tower_of(state, scene)]
    assert bears([*tower, scene.bodies[name].at(pose)], SAFE_DEG)
    assert not bears([*tower, scene.bodies[name].at(firm[0].pose)], 40.0), "friction holds to 22 degrees"
    session.close()


@pytest.fixture
def table_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes a session of two in Bausack, Ana on turn, with what a piece is worth by `seat piece`."""

    def made(
        phase: Phase, piece: str, fits: dict[str, float], tokens: tuple[int, ...], price: int = 0
    ) -> Any:
        for judged in ("worth", "bearing"):
            monkeypatch.setattr(
                f"teeter.games.bausack.bot.{judged}", lambda _, seat, name: fits[f"{seat} {name}"]
            )
        return session_of(phase, piece, tokens, price)

    return made


def session_of(phase: Phase, piece: str, tokens: tuple[int, ...], price: int) -> Any:
    """Ana on turn, with everything that she may do in a phase."""
    game = game_named("bausack")
    fresh = game.rules.start(["Ana", "Ben"], 1, {}, stock_of(game))
    state = SimpleNamespace(
        phase=phase,
        piece=piece,
        turn=0,
        actor=0,
        tokens=tokens,
        price=price,
        towers=(("base_1",), ("base_2",)),
        out=fresh.out,
        seats=fresh.seats,
        house=fresh.house,
    )
    actions: dict[Phase, list[Any]] = {
        Phase.CHOOSE: [Take("Ana", name) for name in ("cube", "ball", "egg")],
        Phase.LOOK: [Build("Ana", 0), Push("Ana")],
        Phase.RECEIVE: [Accept("Ana"), PassOn("Ana")],
    }
    choices = [Choice(action, "") for action in actions[phase]]
    return SimpleNamespace(state=state, choices=choices)


def test_BS_18_an_expert_pushes_what_the_next_player_cannot_place(table_of: Callable[..., Any]) -> None:
    """BS-18: of pieces that it can place itself, should they come round."""
    fits = {"0 cube": 12.0, "1 cube": 12.0, "0 ball": 0.0, "1 ball": 3.0, "0 egg": 6.0, "1 egg": 0.0}
    session = table_of(Phase.CHOOSE, "", fits, (10, 10))
    assert calculating(session, random.Random(1)) == Take("Ana", "egg")
    session = table_of(Phase.LOOK, "egg", fits, (10, 10))
    assert calculating(session, random.Random(1)) == Push("Ana")


@pytest.mark.parametrize(
    ("tokens", "is_pushed"),
    [((10, 10), False), ((10, 7), True), ((3, 0), True), ((1, 1), False), ((1, 0), True)],
)
def test_BS_18_an_expert_pushes_what_nobody_can_place_if_it_can_pay_longer(
    table_of: Callable[..., Any], tokens: tuple[int, int], is_pushed: bool
) -> None:
    """BS-18: passing on costs one more every time: ten against ten end with the pusher, who pays 2 and 4, not 6."""
    fits = {"0 cube": 9.0, "1 cube": 9.0, "0 ball": 0.0, "1 ball": 0.0, "0 egg": 9.0, "1 egg": 9.0}
    session = table_of(Phase.CHOOSE, "", fits, tokens)
    found = calculating(session, random.Random(1))
    assert (found == Take("Ana", "ball")) is is_pushed


@pytest.mark.parametrize(
    ("fit", "price", "tokens", "pays"),
    [
        (8.0, 1, (10, 10), False),
        (2.0, 1, (10, 10), True),
        (2.0, 2, (10, 10), False),
        (0.0, 7, (10, 10), True),
    ],
)
def test_BS_18_an_expert_pays_what_it_is_worth_to_be_rid_of_a_piece(
    table_of: Callable[..., Any], fit: float, price: int, tokens: tuple[int, ...], pays: bool
) -> None:
    """BS-18: whatever it has, where the piece would fell its tower."""
    session = table_of(Phase.RECEIVE, "egg", {"0 egg": fit}, tokens, price)
    found = calculating(session, random.Random(1))
    assert isinstance(found, PassOn if pays else Accept)
