"""What screen, tutorial, hints, toasts, the pages of seats and the agents are shown of every state that a game passes
through. What fails is not raised but noted (`games.faults`): the log has to stay empty.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rules_lab import Lab, begin, moves
from rules_labs import MODE_NAMES, MODES

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Camera
from teeter.engine.workers import Failed
from teeter.games.core.rules import Wait
from teeter.games.host.people_panel import Company
from teeter.games.host.scene import dumps
from teeter.games.host.seats import Chairs
from teeter.games.host.views import SeatView, pictures_of
from teeter.games.host.wishes import Coach
from teeter.games.learning.observation import observation_of
from teeter.games.present import hud, hud_state
from teeter.games.present.asking import CheckAnswer, CheckQuestion, FeelAnswer, FeelQuestion, PlaceAnswer
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of
from teeter.games.present.hints import Hints
from teeter.games.present.settings import Settings, load_settings
from teeter.games.present.toasts import Toasts
from teeter.games.present.tutorial import Tutorial
from teeter.games.server.messages import GameUpdate, Plan, TableView, Waits

FEW_GAMES, GAMES_A_MODE = 4, 60
"""550 games in the soak; but of Bausack, with seventy pieces to look at, an eighth."""
HOSTED = 20
"""Of so many games one is hosted too: every seat has a view of its own."""
CAMERA, SIZE = Camera((0.0, -1.0, 0.6), (0.0, 0.0, 0.1)), (1280, 720)
ANSWERS = (
    PlaceAnswer("safe", 4.0, Pose((0.0, 0.0, 0.1))),
    PlaceAnswer("falls", 0.0, None, "", is_end=True),
    PlaceAnswer("against", 0.0, Pose((0.0, 0.0, 0.1)), "it touches the table"),
    PlaceAnswer("", 0.0, None),
    Failed("no answer within 120 s"),
)
"""What hints may hear of a place; what is true of one is tried in `test_hints`."""
REACH = (-1.0, 1.0, -1.0, 1.0)
WORDS = dict.fromkeys(("click", "lay", "move", "turn", "turn_left", "flip", "lift", "feel", "help"), "x")


class Asked:
    """Stands for the process that answers, which takes seconds: what it is sent goes through a pipe."""

    is_busy = False

    def __init__(self) -> None:
        self.count = 0
        self._question: Any = None

    def tell(self, fact: object) -> None:
        """A body, which a test of the process itself sends."""

    def ask(self, question: Any) -> int:
        self._question = pickle.loads(pickle.dumps(question))
        self.count += 1
        return self.count

    def poll(self) -> list[tuple[int, Any]]:
        question, self._question = self._question, None
        if question is None:
            return []
        if isinstance(question, CheckQuestion):
            return [(self.count, CheckAnswer("stands", "", "", ()))]
        is_felt = isinstance(question, FeelQuestion) and self.count % 5
        return [(self.count, FeelAnswer(0.1, None, True) if is_felt else ANSWERS[self.count % len(ANSWERS)])]


class Silent(Asked):
    """Instead of the process that looks at places first: it comes too late."""

    def poll(self) -> list[tuple[int, Any]]:
        return []


class Hinted:
    """Hints, the coach of browsers and toasts of one table."""

    def __init__(self, desk: ClientState[Any]) -> None:
        self.hints, self.coach = Hints(desk, ghost=True, hint=True), Coach(desk)
        self.toasts = Toasts(desk)
        asked: Any = Asked()
        self.hints._questions = asked
        self.coach._questions = asked
        looks: Any = Silent()
        self.hints._looks = self.coach._looks = looks

    def look(self, desk: ClientState[Any], grip: CarryTarget | None, number: int) -> hud_state.HudState:
        hints, toasts = self.hints, self.toasts
        if grip is not None:
            grip.landing = 0.02
            for _ in range(3):
                # it is held still: what it would come to is asked, and answered
                hints.step(grip, 1.0)
            assert hints.word
            for _ in range(3):
                self.coach.step(grip, 1.0)
            said = self.coach.news(number)
            assert said is not None
            assert dumps(said)
        elif desk.in_play:
            hints.feel(sorted(desk.in_play)[number % len(desk.in_play)])
            hints.step(None, 1.0)
            assert hints.feel_word
            hints.check()
            hints.step(None, 1.0)
            assert hints.finding is not None
            frame = desk.frame
            desk.frame = replace(frame, poses=frame.poses + 0.01)
            hints.step(None, 1.0)
            assert hints.finding is None or not hints._checked, "a verdict on another table"
            desk.frame = frame
        hints.guides(grip)
        toasts.hear(float(number))
        told = toasts.lines(float(number))
        at, off = toasts.place(CAMERA, SIZE), toasts.keep_off(CAMERA, SIZE)
        return hud_state.HudState(
            hint=hints.word,
            feel=hints.feel_word,
            toast=told,
            toast_at=at,
            toast_off=off,
        )


def host(views: list[SeatView], update: GameUpdate[Any], waits: Waits, number: int) -> None:
    """What every browser is sent after an input of the rules."""
    if not views:
        return
    chairs = Chairs(views[0].state.seats, cast(Any, SimpleNamespace(bots={}, tokens={})), True, print)
    for view in views:
        view.take(update, waits.need)
        view.take(waits, waits.need)
        turn = view.turn(number, waits.need)
        assert dumps(turn)
        panels: Any = view.panels(
            Company(chairs.all, cast(Any, SimpleNamespace(role="seat", seat=view.viewer))),
            hud_state.HudState(),
        )
        assert len(panels["scores"]["panel"]["items"]) >= len(view.state.seats)
        assert dumps(panels)
        pictures_of(panels), view.unread


def look(desk: ClientState[Any], tutorial: Tutorial, hinted: Hinted, settings: Settings, number: int) -> None:
    """Everything that is asked of a game while somebody looks at it."""
    details, need = details_of(desk.game), desk.need
    held = next((name for name in need.pieces if name in desk.pieces), "")
    grip = None
    if held and need.wait in (Wait.HAND, Wait.PULL, Wait.ACTION) and held in desk.frame.names:
        pose = Pose((0.01 * (number % 7), 0.0, 0.1))
        grip = CarryTarget(held, desk.pieces[held], pose, is_pulling=False, hover=0.01, reach=REACH)
        grip.turned(15.0 * (number % 24))
        details.highlights(desk, grip)
        details.has_slots(desk)
    details.items(desk), details.cards(desk), details.lit(desk), details.table_lines(desk)
    assert all(details.suggested(desk)), "a place without a piece is no piece to take"
    details.unread(desk), details.phase(desk.state)
    for seat in range(len(desk.state.seats)):
        details.seat_colour(desk, seat), details.seat_mark(desk, seat), details.home(desk, seat)
    for name in desk.frame.names[:: max(1, len(desk.frame.names) // 5)]:
        if name in desk.pieces:
            details.model(desk, name), details.has_print(desk, name)
    tutorial.step(desk, grip)
    tutorial.told(desk, WORDS), tutorial.suggested(desk)
    hud.panels(desk, settings, hinted.look(desk, grip, number))


@pytest.mark.parametrize("games", [FEW_GAMES, pytest.param(GAMES_A_MODE, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("lab", "mode"), MODES, ids=MODE_NAMES)
@pytest.mark.sampled(4)
def test_every_state_of_many_games_can_be_looked_at(lab: Lab, mode: str, games: int) -> None:
    game, settings = lab.game, load_settings()
    view = observation_of(game) if game.has_bots else None
    for seed in range(max(1, games // 8) if game.name == "bausack" else games):
        dice = Random(f"{game.name} {mode} {seed}")
        table = lab.table(mode, dice)
        state = begin(lab, table, seed, mode)
        bodies = game.judge.layout(state)
        desk = ClientState(Plan(game.name, tuple(table.players), seed), game, state, bodies, lambda: 0.0)
        tutorial, hinted = Tutorial(details_of(game).lessons), Hinted(desk)
        names = ("", *(seat.name for seat in state.seats)) if seed % HOSTED == 0 else ()
        views = [SeatView(desk.plan, game, state, bodies, name, ()) for name in names]
        for number, step in enumerate(moves(lab, state, dice)):
            update = GameUpdate(step.after, type(step.given).__name__, step.given)
            desk.hear(update)
            need, waits = desk.need, Waits(desk.need, game.rules.legal(step.after), True)
            desk.hear(waits)
            held = need.pieces[0] if need.wait in (Wait.HAND, Wait.PULL) else ""
            desk.hear(TableView(number, 240, desk.frame.names, desk.frame.poses, held))
            if number % 3 == seed % 3:
                look(desk, tutorial, hinted, settings, number)
            host(views, update, waits, number)
            if view is not None and number % 5 == seed % 5:
                for seat in range(len(step.after.seats)):
                    seen = game.rules.seen_by(step.after, step.after.seats[seat].name)
                    view.seat(seen, seat), view.own(seen, seat)
                    [view.tag(seen, name) for name in view.pieces(seen)]
