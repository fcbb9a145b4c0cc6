"""What the coach says of a place before a piece is laid there, beside what the rules say afterwards."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, cast

import numpy as np
import pytest

from teeter.engine.bench.rigs import tower
from teeter.engine.geometry.convex import solids_at
from teeter.engine.geometry.drop import DropTarget
from teeter.engine.motions import HOVER, SINK, lower
from teeter.engine.pose import Pose
from teeter.engine.view.overlays import Arrow, Ghost
from teeter.engine.world.body import FLOOR
from teeter.games.core.events import Fell, HitNeighbour, Question
from teeter.games.core.rules import Input, Need, Wait
from teeter.games.game import stock_of
from teeter.games.host.wishes import Coach
from teeter.games.play.coach import Looker
from teeter.games.play.held_piece import HeldPiece
from teeter.games.play.preview import LayPreview, Previewer, beside
from teeter.games.play.recording import begin
from teeter.games.players.bots import bots_of, lay, offers, pull, referees, skill_of
from teeter.games.present.asking import (
    Answer,
    CheckAnswer,
    CheckQuestion,
    FeelAnswer,
    NearestAnswer,
    PlaceAnswer,
    PlaceQuestion,
    WhyAnswer,
    WhyQuestion,
)
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.games.present.hint_process import _rocks, answerer
from teeter.games.present.hints import Hints
from teeter.games.present.hud_state import HudState
from teeter.games.registry import GAMES, game_named
from teeter.games.server.messages import Plan, Pointed, TableView
from teeter.games.server.setup import first_view
from teeter.games.wonky.state import Phase

PLAYED = tuple(game.name for game in GAMES if game.has_bots)
HIGH = 2.0
"""Metres from which a place is looked for."""
TURNS = {"crazy-tower": 3, "wonky": 4, "bausack": 12, "tower-topple": 1}
"""After how many choices a piece that is laid has something to be laid on."""
REACH = 0.3
"""Metres around the middle of the tower in which places are tried."""


class Trial:
    """A game at a moment at which a piece is in the hand, that can be come back to."""

    def __init__(self, name: str, turns: int) -> None:
        self.heard: list[Input] = []
        self.session, _ = begin(
            game_named(name),
            ("bot:steady", "bot:steady"),
            5,
            {},
            tell=(lambda *told: self.heard.append(told[1]),),
        )
        bots = bots_of(self.session, 5)
        session = self.session
        while session.turns < turns or session.need.wait is not Wait.HAND:
            need = session.need
            bot = bots[need.player]
            if need.wait is Wait.ACTION:
                session.act(bot.choose(session, need))
            elif need.wait is Wait.HAND:
                lay(session, bot, need)
            elif need.wait is Wait.PULL:
                pull(session, bot, need)
            elif need.wait is Wait.ANSWER:
                session.answer(referees(session, need))
            else:
                session.settle()
            assert session.outcome is None
        self.need, self.state = session.need, session.state
        self.goal = bots[self.need.player].place(session, self.need)
        self.bodies = dict(session.table.bodies)
        self.moment, self.before = session.table.remember(), session.before
        self.begin()

    def begin(self) -> None:
        """With a coach who knows nothing of it."""
        self.answer = answerer()
        self.news = [body for name, body in self.bodies.items() if name != FLOOR]

    def landing(self, x: float, y: float, yaw: float) -> Pose | None:
        """Where the held piece first meets what is below a place, turned from how it should lie."""
        held = self.bodies[self.need.pieces[0]]
        turn = Pose((0.0, 0.0, 0.0), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)))
        orientation = Pose((0.0, 0.0, 0.0), self.goal.orientation).then(turn).orientation
        below = [
            solid
            for name, body in self.bodies.items()
            if name not in (FLOOR, held.name)
            for solid in solids_at(body.piece, body.pose)
        ]
        distance = DropTarget(below).distance(held.piece, Pose((x, y, HIGH), orientation))
        return None if distance is None else Pose((x, y, HIGH - distance), orientation)

    def asked(self, pose: Pose) -> PlaceAnswer:
        """What the coach says of a place."""
        found = self.answer(self.news, self.question(pose))
        self.news = []
        assert isinstance(found, PlaceAnswer)
        return found

    def question(self, pose: Pose) -> PlaceQuestion:
        held = self.need.pieces[0]
        rows = tuple((name, body.pose) for name, body in self.bodies.items() if name not in (held, FLOOR))
        return PlaceQuestion(held, pose, rows, self.session.game.name, self.state)

    def laid(self, pose: Pose) -> list[Input]:
        """What the rules hear when the piece is laid there by the hand; then everything is as it was."""
        session, held = self.session, self.need.pieces[0]
        session.table.restore(self.moment)
        session._checkpoints.before, session.state = self.before, self.state
        session._referee.begin()
        # the hand takes the piece up just above its place: what it meets on its way there is another matter
        x, y, z = pose.position
        session.table.put(self.bodies[held].at(Pose((x, y, z + HOVER), pose.orientation)))
        session.table.rest_here()
        session.table.hand.grab(session.table.bodies[held])
        session.handling.taken(session.table.step, session.table.hand.target)
        session._held = HeldPiece(held, session.table, self.moment)
        self.heard.clear()
        for target in lower(session.table.hand, z - SINK, self.bodies[held].piece.mass):
            if session.need != self.need or session.table.hand.held is None:
                break
            session.aim(target)
        if session.table.hand.held is not None:
            session.release()
        if session.need.wait in (Wait.REST, Wait.COUNT):
            session.settle()
        return list(self.heard)


PLAYED_TO: dict[tuple[str, int], Trial] = {}
"""Games at a moment, which it takes seconds to play to."""


@pytest.fixture(scope="module", autouse=True)
def _games_are_left() -> Iterator[None]:
    yield
    for trial in PLAYED_TO.values():
        trial.session.close()
    PLAYED_TO.clear()


def trial_of(name: str, turns: int = 0) -> Trial:
    """A game at a moment, as if nobody had asked or tried anything there before. What is laid moves the table alone,
    and everything is set up anew before the next piece is."""
    moment = (name, turns or TURNS[name])
    if moment not in PLAYED_TO:
        PLAYED_TO[moment] = Trial(*moment)
    found = copy(PLAYED_TO[moment])
    found.bodies = dict(found.bodies)
    found.begin()
    return found


def test_a_hand_may_miss_to_every_side() -> None:
    body = tower(rows=1)[-1]
    away = [np.subtract(each.pose.position, body.pose.position) for each in beside(body)]
    assert np.round(1e3 * np.array(away), 6).tolist() == [[3, 0, 0], [-3, 0, 0], [0, 3, 0], [0, -3, 0]]
    assert all(each.pose.orientation == body.pose.orientation for each in beside(body))


def is_against(told: list[Input]) -> bool:
    """Whether something of what the rules heard is against a rule."""
    return any(isinstance(each, (Fell, HitNeighbour)) or getattr(each, "broken", ()) for each in told)


def tried(name: str, places: int) -> tuple[int, int, list[str]]:
    """At how many of so many random places the coach thinks that the piece stands, at how many a rule is broken, and
    where one is broken though the coach called it safe."""
    luck, trial = random.Random(11), trial_of(name)
    stands = broken = 0
    wrong: list[str] = []
    for number in range(places):
        # some at the place a player would choose, some near it, some anywhere
        far = (REACH, 0.02, 0.003)[number % 3]
        x, y = (at + luck.uniform(-far, far) for at in trial.goal.position[:2])
        pose = trial.landing(x, y, luck.choice((0.0, 0.0, 0.05, 0.8, math.pi / 2)))
        if pose is None:
            continue
        said = trial.asked(pose)
        if not number and said.risk == "safe":
            # at first sight too, on bricks that differ in thickness
            first = trial.answer([], replace(trial.question(pose), wanted="look"))
            assert isinstance(first, PlaceAnswer)
            assert first.is_first
            assert not first.is_bad, first
        is_broken = is_against(trial.laid(pose))
        stands, broken = stands + (said.risk in ("safe", "risky")), broken + is_broken
        if said.risk == "safe" and is_broken:
            wrong.append(f"at {pose}: safe, yet {trial.heard}")
    return stands, broken, wrong


def test_a_place_that_the_rules_forbid_is_not_called_safe() -> None:
    _, broken, wrong = tried("crazy-tower", 4)
    assert not wrong
    assert broken, "no place was against the rules: nothing was tried"


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "places"),
    [
        # a brick stands at few places of a tower
        pytest.param("tower-topple", 9, marks=pytest.mark.slow),
        *(pytest.param(name, 200, marks=pytest.mark.soak) for name in PLAYED),
    ],
)
def test_of_many_places_none_is_called_safe_that_the_rules_forbid(name: str, places: int) -> None:
    stands, broken, wrong = tried(name, places)
    print(f"{name}: of {places} places {stands} stand, as the coach has it, and {broken} break a rule")
    assert not wrong
    assert stands, "the coach lets nothing stand"
    assert broken, "no place was against the rules"
    assert broken >= places // 10


def test_the_coach_names_the_clause_that_a_place_is_against() -> None:
    trial = trial_of("crazy-tower")
    beside = trial.landing(0.3, 0.25, 0.0)
    assert beside is not None
    said = trial.asked(beside)
    assert said.risk == "against"
    assert said.why == "It does not lie on the highest floor card"
    assert said.rest is not None
    assert abs(said.rest.position[2] - beside.position[2]) < 1e-3
    # upright on the block that lies in the middle: it stands, but not on the card
    x, y, _ = trial.goal.position
    on_end = Pose((x, y, 0.0), (0.0, math.sin(math.pi / 4), 0.0, math.cos(math.pi / 4)))
    trial.goal = on_end
    place = trial.landing(0.0, 0.0, 0.0)
    assert place is not None
    assert trial.asked(place).why == "It does not lie on the highest floor card"


@pytest.mark.parametrize(
    ("degrees", "risk", "said"), [(0, "safe", ""), (10, "risky", "mm before it lies still, and may fall")]
)
def test_a_block_that_shifts_on_a_dome_may_fall(degrees: float, risk: str, said: str) -> None:
    trial = trial_of("wonky")
    half = math.radians(degrees) / 2
    tilt = Pose((0.0, 0.0, 0.0), (math.sin(half), 0.0, 0.0, math.cos(half)))
    way = Pose((0.0, 0.0, 0.0), trial.goal.orientation).then(tilt).orientation
    held, (x, y, _) = trial.bodies[trial.need.pieces[0]], trial.goal.position
    below = [body for name, body in trial.bodies.items() if name not in (FLOOR, held.name)]
    distance = DropTarget.of(below).distance(held.piece, Pose((x, y, HIGH), way))
    assert distance is not None
    answer = trial.asked(Pose((x, y, HIGH - distance), way))
    assert answer.risk == risk
    assert said in answer.why


def test_of_a_tower_that_moves_when_it_is_set_up_again_nothing_is_tried() -> None:
    """One of its pieces hangs in the air: by simulation everything fell, and the coach was sure of it."""
    trial = trial_of("crazy-tower")
    name = next(
        name for name, body in trial.bodies.items() if not body.fixed and name != trial.need.pieces[0]
    )
    x, y, z = trial.bodies[name].pose.position
    way = trial.bodies[name].pose.orientation
    trial.bodies[name] = trial.bodies[name].at(Pose((x, y, z + 0.05), way))
    said = trial.asked(trial.goal)
    assert (said.risk, said.rest, said.is_bad) == ("risky", None, False)
    assert said.why == "What lies there hardly stands as it is: all of it may fall"
    nearest = trial.answer([], replace(trial.question(trial.goal), wanted="nearest"))
    assert nearest == NearestAnswer(None)


def test_what_is_missed_by_a_hair_is_a_risk_and_not_against_the_rules() -> None:
    """Bricks come to lie otherwise than in a trial by tenths of a millimetre."""
    trial = trial_of("tower-topple")
    held = trial.bodies[trial.need.pieces[0]]
    lying = [body for name, body in trial.bodies.items() if name not in (FLOOR, held.name)]
    looker = Looker(trial.session.game, trial.state, lying, Previewer(trial.session.game))

    def found(shift: float) -> LayPreview:
        x, y, _ = trial.goal.position
        place = trial.landing(x + shift, y + shift, 0.0)
        assert place is not None
        return looker.look(held.at(place)).found

    low, high = 0.0, 0.02
    assert not found(low).broken
    assert found(high).broken
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle).broken else (middle, high)
    assert found(high).is_hairline
    assert not found(low).is_hairline
    assert not found(high + 1e-3).is_hairline
    x, y, _ = trial.goal.position
    place = trial.landing(x + high, y + high, 0.0)
    assert place is not None
    said = trial.asked(place)
    assert said.risk == "risky"
    assert found(high).broken[0].missed in said.why


def test_a_piece_that_a_hand_lowers_comes_to_lie_as_one_that_is_let_go_in_its_place() -> None:
    trial = trial_of("crazy-tower")
    held = trial.bodies[trial.need.pieces[0]]
    place = trial.landing(*trial.goal.position[:2], 0.0)
    assert place is not None
    lying = [body for name, body in trial.bodies.items() if name not in (FLOOR, held.name)]
    previewer = Previewer(trial.session.game)
    let_go, lowered = (
        previewer.preview(trial.state, lying, held.at(place), by_hand=by_hand) for by_hand in (False, True)
    )
    assert let_go.rest is not None
    assert lowered.rest is not None
    assert 0 < math.dist(let_go.rest.position, lowered.rest.position) < 5e-4
    assert (let_go.fell, let_go.broken, let_go.hit) == (lowered.fell, lowered.broken, lowered.hit)
    previewer.close()


def test_the_place_that_the_referee_points_to_is_shown_until_somebody_acts() -> None:
    session, _ = begin(game_named("crazy-tower"), ("Ana", "Ben"), 3, {})
    state = session.state
    blocks = tuple(block.id for block in state.stock.blocks[:3])
    need = Need(Wait.ANSWER, "Ana", (*blocks, state.floors[-1].card), question=Question.DOES_FIT)
    found = skill_of(session.game).example(session, need)
    assert found is not None
    piece, pose = found
    assert piece in blocks
    card = session.table.bodies[state.floors[-1].card]
    assert np.all(np.abs(pose.position[:2]) < card.piece.extents[:2] / 2)
    assert pose.position[2] > 0.0
    bodies = tuple(body for name, body in session.table.bodies.items() if name != FLOOR)
    plan = Plan("crazy-tower", ("Ana", "Ben"), 3)
    client = ClientState(plan, session.game, state, bodies, lambda: 0.0)
    hints = Hints(client, ghost=False, hint=False)
    assert hints.guides(None) == []
    client.hear(Pointed(piece, pose))
    (ghost,) = hints.guides(None)
    assert isinstance(ghost, Ghost)
    assert (ghost.piece, ghost.pose) == (client.pieces[piece], pose)
    client.act()
    assert hints.guides(None) == []
    session.close()


@pytest.mark.parametrize(("aside", "does_stand"), [(0.0, True), (0.1, False)])
def test_WK_14_a_block_that_is_down_before_the_count_is_over_comes_to_no_rest(
    aside: float, does_stand: bool
) -> None:
    """WK-14: beside the tower it is on the table in a moment: that is a fall, wherever it would end."""
    game = game_named("wonky")
    state = game.rules.start(("Ana", "Ben"), 1, {}, stock_of(game))
    below, held = "large_blue", "small_green"
    state = replace(state, tower=(below,), held=held, card=state.stock.cards[0].id, phase=Phase.CARRY)
    bodies = {body.name: body for body in game.judge.layout(state)}
    heights = {name: float(bodies[name].piece.extents[2]) for name in (below, held)}
    lying = [body for name, body in bodies.items() if name not in (below, held)]
    lying.append(bodies[below].at(Pose((0.0, 0.0, heights[below] / 2))))
    up = heights[held] / 2 + (heights[below] if does_stand else 0.0)
    previewer = Previewer(game)
    found = previewer.preview(state, lying, bodies[held].at(Pose((aside, 0.0, up + 0.002))))
    previewer.close()
    if does_stand:
        assert found.rest is not None
        assert found.rest.position == pytest.approx((0.0, 0.0, up), abs=1e-3)
        assert (found.fell, found.hit, found.broken, found.outcome) == ((), None, (), None)
    else:
        assert (found.rest, found.fell) == (None, (held,))


class Answers:
    """Instead of the process that answers questions about places."""

    is_busy = False

    def __init__(self) -> None:
        self.asked: list[PlaceQuestion] = []
        self.come: list[tuple[int, Answer]] = []

    def tell(self, body: object) -> None:
        """What is known of a body."""

    def ask(self, question: PlaceQuestion) -> int:
        self.asked.append(question)
        return len(self.asked)

    def poll(self) -> list[tuple[int, Answer]]:
        found, self.come = self.come, []
        return found


def asking(*, hint: bool = True) -> tuple[Hints, Answers, Answers, CarryTarget]:
    """Hints for a block in the hand; instead of the processes what is asked for good, and at first sight."""
    opening = first_view(plan := Plan("wonky", ("Ana", "Ben"), 3))
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    hints, answers, looks = Hints(client, ghost=hint, hint=hint), Answers(), Answers()
    hints._questions = answers  # type: ignore[assignment]
    hints._looks = looks  # type: ignore[assignment]
    piece, start = client.pieces["large_blue"], Pose((0.0, 0.2, 0.1))
    grip = CarryTarget("large_blue", piece, start, is_pulling=False, hover=0.004, reach=(-1, 1, -1, 1))
    # it was carried on from where it lay
    grip.goal, grip.landing = Pose((0.0, 0.0, 0.1)), 0.1
    return hints, answers, looks, grip


def test_a_place_on_a_tower_that_trembles_is_asked_about_once_and_an_answer_too_late_is_for_no_other() -> (
    None
):
    hints, answers, _, grip = asking()
    said = PlaceAnswer("safe", 9.0, None)
    for picture in range(30):
        grip.landing = 0.1 + 2e-8 * (picture % 3)
        hints.step(grip, 0.02)
    # once as it is taken up, for what has to be loaded
    assert len(answers.asked) == 2
    answers.come = [(1, said)]
    hints.step(grip, 0.02)
    assert hints.word == ""
    answers.come = [(2, said)]
    hints.step(grip, 0.02)
    assert hints.word.startswith("Safe")
    # elsewhere it is asked anew, and what comes until then was about the other place
    grip.goal = Pose((0.005, 0.0, 0.1))
    hints.step(grip, 0.02)
    answers.come = [(2, said)]
    for _ in range(10):
        hints.step(grip, 0.02)
        assert hints.word == ""
    assert len(answers.asked) == 3


def test_a_tower_that_has_come_to_rest_otherwise_is_set_up_anew_while_the_hand_moves() -> None:
    hints, answers, _, grip = asking()
    frame = hints.client.frame

    def lies(name: str, x: float) -> None:
        poses = frame.poses.copy()
        poses[frame.names.index(name), 0] = x
        hints.client.frame = replace(frame, poses=poses)

    def carry(seconds: float) -> list[str]:
        asked = len(answers.asked)
        for _ in range(round(seconds / 0.02)):
            grip.goal = Pose((grip.goal.position[0] + 0.001, 0.0, 0.1))
            hints.step(grip, 0.02)
        return [each.wanted for each in answers.asked[asked:]]

    assert carry(2.0) == ["all"]
    lies("small_blue", 0.3)
    assert carry(2.0) == ["nothing"]
    # nothing is asked about a tower that moves
    for picture in range(20):
        lies("small_blue", 0.3 + 0.001 * picture)
        assert not carry(0.1)
    assert carry(2.0) == ["nothing"]
    assert not carry(2.0)


def test_the_coach_looks_first_then_says_for_good_and_points_to_a_better_place() -> None:
    hints, answers, looks, grip = asking()
    for _ in range(30):
        hints.step(grip, 0.02)
    assert [each.wanted for each in (looks.asked[-1], answers.asked[-1])] == ["look", "all"]
    looks.come = [(2, PlaceAnswer("falls", 0.0, grip.goal, is_first=True, towards=(-1.0, 0.0)))]
    hints.step(grip, 0.02)
    assert hints.word == "First look: it falls to the left"
    answers.come = [(2, PlaceAnswer("falls", 0.0, None))]
    hints.step(grip, 0.02)
    # a first look that comes too late is not told
    looks.come = [(2, PlaceAnswer("safe", 0.0, None, is_first=True))]
    hints.step(grip, 0.02)
    assert hints.word == "It falls to the left"
    assert (answers.asked[-1].wanted, answers.asked[-1].pose) == ("nearest", answers.asked[-2].pose)
    better = Pose((0.004, -0.003, 0.1))
    answers.come = [(3, NearestAnswer(better))]
    hints.step(grip, 0.02)
    assert hints.word == "It falls to the left; it may lie 4 mm to the right and 3 mm to the front"
    ghosts = [each for each in hints.guides(grip) if isinstance(each, Ghost)]
    (arrow,) = (each for each in hints.guides(grip) if isinstance(each, Arrow))
    assert [each.pose for each in ghosts] == [better]
    way = np.subtract(arrow.end, arrow.start)
    assert way[:2] / np.linalg.norm(way) == pytest.approx((0.8, -0.6))
    # seen from the other side
    hints.right = (-1.0, 0.0)
    assert hints.word == "It falls to the right; it may lie 4 mm to the left and 3 mm to the back"
    hints.shows_hint = False
    assert not [each for each in hints.guides(grip) if isinstance(each, Arrow)]


def test_what_was_said_and_felt_of_the_level_table_is_not_of_the_tilted_one() -> None:
    hints, answers, _, grip = asking()
    client = hints.client
    for _ in range(30):
        hints.step(grip, 0.02)
    answers.come = [(2, PlaceAnswer("safe", 9.0, None))]
    hints.step(grip, 0.02)
    hints.finding = CheckAnswer("stands", "", "", ())
    hints._checked = CheckQuestion(hints._rows(""))
    hints.feeling, hints.felt = "large_blue", FeelAnswer(0.1, 0.2, True)
    hints._felt_at = (client.told, client.lean)
    hints.step(grip, 0.02)
    assert hints.word
    assert hints.finding
    assert hints.felt
    client.hear(TableView(1, 240, client.frame.names, client.frame.poses, lean=(12.0, 90.0)))
    hints.step(grip, 0.02)
    assert not hints.word
    assert not hints.finding
    assert not hints.felt
    for _ in range(30):
        hints.step(grip, 0.02)
    assert [each.lean for each in answers.asked] == [(0.0, 0.0), (0.0, 0.0), (12.0, 90.0)]
    hints.feel("large_blue")
    assert hints.feel_word == "Nobody can say"


def hinted(coach: Coach) -> str:
    """What the panel of the hand says then."""
    return coach.look(HudState()).hint


def test_the_coach_of_browsers_says_the_same_and_why_pieces_fell() -> None:
    hints, answers, looks, grip = asking()
    coach = Coach(hints.client)
    coach._questions = answers  # type: ignore[assignment]
    coach._looks = looks  # type: ignore[assignment]
    coach.right = (-1.0, 0.0)

    def heard() -> Any:
        coach.step(grip, 0.02)
        return coach.news(7)

    assert [heard() for _ in range(12)] == [None] * 12
    assert hinted(coach) == "The coach looks ..."
    number = len(answers.asked)
    looks.come = [(number, PlaceAnswer("falls", 0.0, grip.goal, is_first=True, towards=(-1.0, 0.0)))]
    assert heard()["is_first"]
    assert hinted(coach) == "First look: it falls to the right."
    assert (heard(), coach.news(8)["number"]) == (None, 8)  # type: ignore[index]
    answers.come = [(number, PlaceAnswer("falls", 0.0, None, is_end=True))]
    said = heard()
    assert (said["verdict"], said["number"], said["place"]) == ("topples", 7, None)
    assert hinted(coach) == "It falls to the right. This would end the game, and not win it."
    answers.come = [(number + 1, NearestAnswer(Pose((0.0, 0.005, 0.1))))]
    said = heard()
    assert hinted(coach).startswith("It falls to the right; it may lie 5 mm to the front.")
    assert said["place"] == [0.0, 0.005, 0.1, 0.0, 0.0, 0.0, 1.0]
    coach.client.plan = replace(coach.client.plan, record=Path("game.teeter"))
    coach.client.fell_s, over = 1.0, SimpleNamespace(wait=Wait.OVER)
    coach.client.waits = cast(Any, SimpleNamespace(need=over))
    heard()
    asked: object = answers.asked[-1]
    assert asked == WhyQuestion(Path("game.teeter"))
    answers.come = [(number + 2, WhyAnswer("It stood 3 mm too far out."))]
    heard()
    assert coach.why == "It stood 3 mm too far out."


def test_a_purist_asks_nothing() -> None:
    hints, answers, looks, grip = asking(hint=False)
    for _ in range(30):
        hints.step(grip, 0.02)
    assert not answers.asked
    assert not looks.asked
    assert (hints.word, hints.guides(grip)) == ("", [])


@pytest.mark.slow
def test_the_place_that_the_coach_points_to_is_one_where_the_piece_may_lie() -> None:
    trial = trial_of("bausack", 10)
    x, y, _ = trial.goal.position
    place = trial.landing(x - 0.03, y, 0.0)
    assert place is not None
    assert trial.asked(place).risk == "falls"
    found = trial.answer([], replace(trial.question(place), wanted="nearest"))
    assert isinstance(found, NearestAnswer)
    assert found.place is not None
    assert math.dist(found.place.position[:2], place.position[:2]) < 0.03
    assert trial.asked(found.place).risk in ("safe", "risky")
    first = trial.answer([], replace(trial.question(trial.goal), wanted="look"))
    assert isinstance(first, PlaceAnswer)
    assert (first.risk, first.is_first) == ("safe", True)


def test_the_places_that_one_button_offers_are_apart_and_stand() -> None:
    trial = Trial("crazy-tower", TURNS["crazy-tower"])
    poses = offers(trial.session, trial.need)
    assert 2 <= len(poses) <= 6
    for number, pose in enumerate(poses):
        assert all(math.dist(pose.position, other.position) > 0.006 for other in poses[:number])
    said = [trial.asked(pose) for pose in poses[:3]]
    assert all(each.risk in ("safe", "risky") for each in said), said
    trial.session.close()


def test_what_was_pushed_while_the_piece_was_carried_counts_as_the_rules_have_it() -> None:
    trial = trial_of("crazy-tower")
    question = trial.question(trial.goal)
    assert not trial.asked(trial.goal).is_bad
    block = (
        trial.state.floors[-1].blocks[0]
        if trial.state.floors[-1].blocks
        else trial.state.floors[-2].blocks[0]
    )

    def said(wanted: Literal["look", "all"], sank_m: float) -> PlaceAnswer:
        taken = tuple(
            (name, Pose((*pose.position[:2], pose.position[2] + sank_m * (name == block)), pose.orientation))
            for name, pose in question.rows
        )
        found = trial.answer([], replace(question, wanted=wanted, taken=taken))
        assert isinstance(found, PlaceAnswer)
        return found

    for wanted in ("look", "all"):
        assert not said(wanted, 5e-4).is_bad
        assert (said(wanted, 0.02).risk, said(wanted, 0.02).why) == ("against", "Another piece would fall")


@pytest.mark.slow
def test_what_stands_on_a_dome_is_said_at_first_sight_and_for_good() -> None:
    trial = trial_of("wonky")
    final = trial.asked(trial.goal)
    first = trial.answer([], replace(trial.question(trial.goal), wanted="look"))
    assert isinstance(first, PlaceAnswer)
    assert (first.risk, final.risk) == ("safe", "safe")
    lying = (body for name, body in trial.bodies.items() if name != trial.need.pieces[0])
    assert _rocks(tuple(lying), trial.bodies[trial.need.pieces[0]].at(trial.goal))


def test_a_dome_rocks_on_what_a_flat_side_lies_on() -> None:
    found = first_view(Plan("wonky", ("Ana", "Ben"), 3)).bodies
    table, block = (next(body for body in found if body.name == name) for name in ("table", "medium_purple"))
    x, y, _ = block.pose.position
    for turn, rocks in (((0.0, 0.0, 0.0, 1.0), False), ((1.0, 0.0, 0.0, 0.0), True)):
        distance = DropTarget.of((table,)).distance(block.piece, Pose((x, y, 1.0), turn))
        assert distance is not None
        assert _rocks((table,), block.at(Pose((x, y, 1.0 - distance), turn))) is rocks
