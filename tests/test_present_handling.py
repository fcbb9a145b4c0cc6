"""What the hand is shown and offered: bids on one slider, buttons that stay where they are, pieces felt ahead, a table
that is seen to tilt, a stack that is seen."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from teeter.engine.view.camera import Camera, lean_of, seen_at
from teeter.engine.view.panels import Button, Panel, Row, Slider, Text
from teeter.engine.world.body import tilted_gravity
from teeter.games.bausack.state import Build, Pass
from teeter.games.core.events import Fell
from teeter.games.core.rules import Choice, Take
from teeter.games.core.words import capital
from teeter.games.crazy_tower.judge import CrazyJudge
from teeter.games.crazy_tower.state import RevealCard
from teeter.games.host.views import SeatView
from teeter.games.host.wishes import Coach
from teeter.games.present import hud
from teeter.games.present.asking import Answer, FeelAnswer, FeelQuestion, LoadsAnswer
from teeter.games.present.bids import bid_slider, with_one_bid
from teeter.games.present.client_state import ClientState
from teeter.games.present.feeling import ENOUGH
from teeter.games.present.hints import Hints
from teeter.games.present.hud_state import HudState
from teeter.games.present.menu import of_last
from teeter.games.present.settings import load_settings
from teeter.games.server.messages import GameUpdate, NewBody, Plan, TableView, Waits
from teeter.games.server.setup import first_view
from teeter.games.ui.app import App


def opened(plan: Plan) -> ClientState[Any]:
    """Somebody is asked for the first time."""
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, time.perf_counter)
    asked(client)
    return client


def asked(client: ClientState[Any]) -> None:
    rules = client.game.rules
    client.hear(Waits(rules.needs(client.state), rules.legal(client.state), False))


def taken(client: ClientState[Any]) -> None:
    """The first piece that may be taken comes into the hand."""
    action: Any = client.choices[0].action
    client.state = client.game.rules.apply(client.state, action)
    client.hear(TableView(0, 240, client.frame.names, client.frame.poses, action.piece, 0.0))
    asked(client)


def panel_of(client: ClientState[Any], look: HudState, name: str) -> Panel:
    return next(each for each in hud.panels(client, load_settings(), look) if each.name == name)


def test_bids_are_one_slider_and_one_button() -> None:
    client = opened(Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 12, "first": "Ana"}))
    taken(client)
    assert sum(isinstance(each.action, Build) for each in client.choices) == 11
    for wanted, bid in ((None, 1), (0, 0), (7, 7), (40, 10)):
        items = panel_of(client, HudState(bid=wanted), "turn").items
        (slider,) = (each for each in items if isinstance(each, Slider))
        assert (slider.value, slider.low, slider.high) == (bid, 0.0, 10.0)
        said = [each.text for each in items if isinstance(each, Button)]
        assert [text for text in said if "opening" in text] == [f"Build, opening with {bid}"]
        assert len(said) <= 4, "there is no second page"
    # with one button all of them light up in turn
    scanned = hud.offered(client, HudState(is_scanning=True))
    assert scanned[1] > 1
    # a piece that is only looked at cannot be laid
    assert not any(each.name == "hand" for each in hud.panels(client, load_settings(), HudState()))


def words_of(client: ClientState[Any], look: HudState) -> str:
    items = panel_of(client, look, "turn").items
    flat = [each for item in items for each in (item.items if isinstance(item, Row) else (item,))]
    return " ".join(each.text for each in flat if isinstance(each, Text))


def test_what_is_to_be_done_is_said_for_who_does_it() -> None:
    """With one button nothing is clicked, and no key goes through pieces; an empty seat chooses nothing."""
    client = opened(Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}))
    assert "Tab" in words_of(client, HudState())
    scanned = words_of(client, HudState(is_scanning=True))
    assert "Choose what to do." in scanned
    assert not {"Tab", "click"} & {*scanned.split()}
    client.seat = "Ben"
    assert "Ana chooses." in words_of(client, HudState())
    assert "Nobody sits at Ana's seat: the game waits." in words_of(client, HudState(absent="free"))
    assert "Ana has lost the line: the game waits." in words_of(client, HudState(absent="away"))
    client.seat = None
    taken(client)
    assert "Choose a place" in words_of(client, HudState(is_scanning=True))


def test_how_a_piece_has_to_lie_is_said_once_there_is_a_piece() -> None:
    """Before, nobody knew what lies flat."""
    for game in ("tower-topple", "crazy-tower"):
        client = opened(Plan(game, ("Ana", "Ben"), 3, {"first": "Ana"}))
        assert any(choice.conditions for choice in client.choices)
        assert "Lies" not in words_of(client, HudState())
    taken(client)
    assert client.need.conditions
    assert all(capital(wanted.text) in words_of(client, HudState()) for wanted in client.need.conditions)


def test_the_panel_of_the_hand_begins_its_sentence_and_says_no_force_that_a_page_says() -> None:
    client = opened(Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}))
    taken(client)
    look = HudState(gap_mm=None)
    assert panel_of(client, look, "hand").items[0] == Text("Nothing is below it", "plain", "small")
    client = opened(Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana"}))
    taken(client)
    assert Text("The hand pulls with 0.0 N", "plain", "small") in panel_of(client, HudState(), "hand").items
    client.seat = "Ana"
    assert not any(isinstance(item, Text) for item in panel_of(client, HudState(), "hand").items)


def test_the_panel_of_bausack_says_what_becomes_of_a_piece() -> None:
    client = opened(Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 12, "first": "Ana"}))
    taken(client)
    said = []
    for action in (Build("Ana", 1), Pass("Ben")):
        client.state = client.game.rules.apply(client.state, action)
        asked(client)
        client.hear(TableView(0, 240, client.frame.names, client.frame.poses, "", 0.0))
        row = panel_of(client, HudState(), "details").items[0]
        assert isinstance(row, Row)
        said += [item.text.partition(" the ")[0] for item in row.items if isinstance(item, Text)]
    assert said == ["Bidding for", "Ana has"]


def test_there_is_no_slider_for_one_bid() -> None:
    choices = (Choice(Build("Ana", 0), "build, opening with 0"), Choice(Take("Ana", "cube"), "take it"))
    assert bid_slider(choices, None) is None
    assert with_one_bid(choices, 5) == choices


@pytest.mark.parametrize("seat", [None, "Ana", "Ben", ""])
def test_only_who_holds_a_piece_has_the_buttons_of_the_hand(seat: str | None) -> None:
    """At a window all do; somebody who looks on has none."""
    client = opened(Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}))
    taken(client)
    client.seat = seat
    is_there = any(each.name == "hand" for each in hud.panels(client, load_settings(), HudState()))
    assert is_there == (seat in (None, "Ana"))


def test_the_buttons_of_the_hand_stay_where_they_are_whatever_the_coach_says() -> None:
    """The panel stands on the lower edge: what comes and goes is above its buttons."""
    client = opened(Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}))
    taken(client)
    rows = []
    for hint, warning, is_pointed in (
        ("", "", False),
        ("It falls " * 9, "", True),
        ("Safe", "This ends it", False),
    ):
        panel = panel_of(client, HudState(hint=hint, warning=warning, is_pointed=is_pointed), "hand")
        assert panel.place == "bottom"
        rows.append([each for each in panel.items if isinstance(each, Row)])
        assert panel.items[-len(rows[-1]) :] == tuple(rows[-1])
    assert rows[0] == rows[1] == rows[2]
    first = rows[0][0].items
    assert [each.text for each in first if isinstance(each, Button)][:2] == ["Lay", "Places"]


def test_what_a_finger_feels_comes_below_the_choices() -> None:
    client = opened(Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}))
    before = panel_of(client, HudState(), "turn").items
    after = panel_of(client, HudState(feel="1.2 N lie on it"), "turn").items
    assert after[: len(before)] == before
    assert isinstance(after[-1], Text)


class Answers:
    """Instead of the process that feels pieces."""

    is_busy = False

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.come: list[tuple[int, Answer]] = []

    def tell(self, body: object) -> None:
        """What is known of a body."""

    def ask(self, question: Any) -> int:
        self.asked.append(question)
        return len(self.asked)

    def answer(self, answer: Answer) -> None:
        self.come.append((len(self.asked), answer))

    def poll(self) -> list[tuple[int, Answer]]:
        found, self.come = self.come, []
        return found


def test_what_carries_least_is_felt_while_somebody_thinks_and_only_that_is_called_loose() -> None:
    client = opened(Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana"}))
    hints, answers = Hints(client, ghost=True, hint=True), Answers()
    hints._questions = answers  # type: ignore[assignment]
    hints._looks = Answers()  # type: ignore[assignment]
    hints.step(None, 0.02)
    assert answers.asked == [FeelQuestion("", answers.asked[0].rows)]
    bricks = [choice.action.piece for choice in client.choices]  # type: ignore[attr-defined]
    loads = {name: float(number) for number, name in enumerate(bricks)}
    answers.answer(LoadsAnswer(loads))
    hints.step(None, 0.02)
    # the load is known at once, the rest comes first among what is felt
    hints.feel(bricks[20])
    assert hints.feel_word == "20.00 N lie on it; feeling how it moves ..."
    assert not hints.loose
    felt = []
    for _ in range(12):
        felt.append(answers.asked[-1].piece)
        is_tight = felt[-1] in (bricks[20], bricks[1])
        answers.answer(FeelAnswer(loads[felt[-1]], 0.1, not is_tight, is_loose=not is_tight))
        hints.step(None, 0.02)
    assert felt[:6] == [bricks[0], bricks[20], bricks[1], bricks[2], bricks[3], bricks[4]]
    assert hints.loose == (bricks[0], bricks[2], bricks[3], bricks[4])
    assert len(hints.loose) == ENOUGH
    assert hints.feel_word.startswith("20.00 N lie on it; a pull of 0.10 N moves it; the tower needs it")
    # the tower is another one now: what was felt is nothing to it, and what comes of the old one is not heard
    assert hints.felt_colour
    client.told += 1
    hints.feel(bricks[20])
    hints.step(None, 0.02)
    answers.answer(LoadsAnswer(loads))
    hints.step(None, 0.02)
    assert answers.asked[-1].piece == bricks[20]
    answers.answer(FeelAnswer(1.0, 0.1, True, is_loose=True))
    client.told += 1
    hints.step(None, 0.02)
    assert (hints.known, hints.felt, hints.feeling, hints.felt_colour) == ({}, None, "", "")
    assert not hints.loose
    hints.step(None, 0.02)
    assert answers.asked[-1].piece == ""
    answers.answer(LoadsAnswer(loads))
    client.told += 1
    hints.step(None, 0.02)
    assert not hints.loads


def test_a_purist_feels_nothing_ahead() -> None:
    client = opened(Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana"}))
    hints, answers = Hints(client, ghost=False, hint=False), Answers()
    hints._questions = hints._looks = answers  # type: ignore[assignment]
    hints.step(None, 0.02)
    assert not answers.asked


@pytest.mark.parametrize(("degrees", "towards"), [(20.0, 0.0), (7.0, 133.0)])
def test_the_room_stays_level_around_a_table_that_tilts(degrees: float, towards: float) -> None:
    camera, pivot, size = Camera((0.3, -0.8, 0.5), (0.0, 0.0, 0.1)), (0.0, 0.0, 0.02), (1280, 720)
    turn = lean_of(degrees, towards)
    down = np.array(tilted_gravity(np.radians(degrees), np.radians(towards)))
    assert turn @ (0.0, 0.0, -1.0) == pytest.approx(down / np.linalg.norm(down))
    leaned = camera.leaned(turn, pivot)
    wall = np.array([0.7, 2.0, 0.6])
    x, y, z = (pivot + turn @ (wall - pivot)).tolist()
    assert seen_at(leaned, size, (x, y, z)) == pytest.approx(seen_at(camera, size, tuple(wall.tolist())))
    # what lies on the table downhill is seen lower than before
    way = np.array([np.cos(np.radians(towards)), np.sin(np.radians(towards))])
    (_, before), (_, after) = (
        seen_at(each, size, (*(0.2 * way).tolist(), 0.0)) or (0, 0) for each in (camera, leaned)
    )
    assert after > before


def test_the_stack_of_crazy_tower_is_seen_and_gets_lower_and_its_top_card_turns_up() -> None:
    client = opened(Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}))
    judge, state = CrazyJudge(), client.state
    (pile,) = judge.scenery(state)
    assert pile.name == RevealCard.shown_by
    assert RevealCard.shown_by not in judge.in_play(state)
    assert pile.piece.extents[2] == pytest.approx(0.002 * len(state.deck))
    assert pile.piece.face is not None
    assert (pile.piece.face.text, pile.piece.face.boxes) == ("CRAZY TOWER", ()), "backs are alike"
    # it is seen to be of cards, none of which is as the one below
    seen = pile.piece.visual.vertices.reshape(len(state.deck), -1, 3)
    assert len({tuple(card.round(5).ravel()) for card in seen - seen.mean(axis=1, keepdims=True)}) == len(
        seen
    )
    assert np.ptp(seen[..., 2]) == pytest.approx(pile.piece.extents[2])
    turned = replace(state, card=state.deck[0], deck=state.deck[1:])
    card, lower = judge.scenery(turned)
    # the card that may be clicked now, face up
    assert (card.name, card.pose.matrix[2, 2]) == (turned.card, pytest.approx(1.0))
    assert lower.piece.extents[2] == pytest.approx(pile.piece.extents[2] - 0.002)
    start = judge.comes_from(turned, turned.card)
    assert start is not None
    assert start.position[2] == pytest.approx(lower.piece.extents[2] + 0.001)
    assert start.matrix[2, 2] == pytest.approx(-1.0), "its print is below"
    assert judge.comes_from(turned, "red_i1") is None
    assert not judge.scenery(replace(state, deck=()))


def test_a_browser_is_told_what_was_felt_and_what_is_to_be_seen() -> None:
    plan = Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana"})
    client = opened(plan)
    coach, answers = Coach(client), Answers()
    coach._questions = answers  # type: ignore[assignment]
    coach._looks = Answers()  # type: ignore[assignment]
    bricks = [choice.action.piece for choice in client.choices]  # type: ignore[attr-defined]
    coach.step(None, 0.1)
    answers.answer(LoadsAnswer({name: float(number) for number, name in enumerate(bricks)}))
    coach.feel(bricks[3])
    coach.step(None, 0.1)
    assert answers.asked[-1].piece == bricks[3]
    answers.answer(FeelAnswer(3.0, 0.5, False))
    coach.step(None, 0.1)
    answers.answer(FeelAnswer(0.0, 0.1, True, is_loose=True))
    coach.step(None, 0.1)
    told = coach.told()
    assert told["pieces"] == {bricks[0]: "stands", bricks[3]: "topples"}
    assert (told["piece"], told["may"]) == (bricks[3], True)
    assert told["sentence"].startswith("3.00 N lie on it; a pull of 0.50 N moves it; the tower needs it")
    first = first_view(plan)
    seen = SeatView(plan, first.game, first.state, first.bodies, "Ana", first.past).framed()
    assert seen["tower"][2:] == pytest.approx([0.0, *seen["tower"][3:]], abs=2e-3)
    assert seen["tower"][5] == pytest.approx(0.27, abs=0.02)


@pytest.mark.parametrize(("game", "is_apart"), [("crazy-tower", True), ("bausack", True), ("wonky", False)])
def test_a_page_is_told_where_a_seat_has_its_own_things(game: str, is_apart: bool) -> None:
    plan = Plan(game, ("Ana", "Ben"), 3)
    first = first_view(plan)
    ana, ben = (
        np.array(SeatView(plan, first.game, first.state, first.bodies, seat, first.past).framed()["home"])
        for seat in ("Ana", "Ben")
    )
    assert (len(ana), len(ben)) == ((2, 2) if is_apart else (0, 0))
    assert not is_apart or np.linalg.norm(ana - ben) > 0.2
    nobody = SeatView(plan, first.game, first.state, first.bodies, "", first.past).framed()
    assert nobody["home"] == []


def test_the_stack_on_the_table_turns_up_its_card() -> None:
    plan = Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"})
    first = first_view(plan)
    view = SeatView(plan, first.game, first.state, first.bodies, "Ana", first.past)
    (pile,) = first.game.judge.scenery(first.state)
    view.hear(NewBody(pile))
    row = view._choice(0, Choice(RevealCard("Ana"), "reveal the next floor card"))
    assert (row["piece"], row["group"]) == (RevealCard.shown_by, "act")


@pytest.mark.parametrize("bots", [("bot:steady", "bot:steady"), ("bot:steady", "bot:bold")])
def test_the_menu_seats_who_sat_there_last_beside_any_bots(bots: tuple[str, ...]) -> None:
    last = load_settings().last.model_copy(update={"game": "wonky", "players": ("Zoe", *bots)})
    assert of_last(last).players == ("Zoe", *bots)
    twice = last.model_copy(update={"players": ("Zoe", "Zoe", *bots)})
    assert "Zoe" not in of_last(twice).players


def test_one_button_play_that_a_key_has_switched_on_stays_on_whatever_else_is_set() -> None:
    settings = load_settings()
    fake: Any = SimpleNamespace(
        settings=settings, scanner="on", window=SimpleNamespace(speaker=None), _adapted=None
    )
    taught = settings.help.model_copy(update={"level": "purist"})
    App._obey(fake, settings.model_copy(update={"help": taught}))
    assert fake.scanner == "on"
    slower = taught.model_copy(update={"scan_s": 3.0})
    App._obey(fake, settings.model_copy(update={"help": slower}))
    assert fake.scanner is None


def test_what_stands_below_a_fall_is_how_it_began() -> None:
    """Not the bricks that came down after the first."""
    client = opened(Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana"}))
    pull: Any = client.choices[0].action
    rules = client.game.rules
    pieces = [brick.id for brick in client.state.bricks if brick.id != pull.piece]
    for given in (pull, Fell(5, tuple(pieces[:1])), Fell(6, tuple(pieces[1:40]))):
        client.hear(GameUpdate(rules.apply(client.state, given), type(given).__name__, given))
    assert client.told_last == ("39 more bricks come down.",)
    assert client.told_moment == ("CRASH! Ana topples the tower.",)
