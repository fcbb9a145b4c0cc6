"""The tutorial: each lesson waits for its act; and the first piece of every game, laid by who only reads the screen."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from window_driver import play_out
from window_tutorial import MOST_ACTS, PLANS, READS

from teeter.engine.pose import Pose
from teeter.games.bausack.state import Push
from teeter.games.core.rules import Input, TakeBack
from teeter.games.crazy_tower.state import RevealCard
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import CARRY, LAY, TAKE, TURN, carrying, details_of
from teeter.games.present.settings import load_settings
from teeter.games.present.tutorial import Tutorial, stage_of, words_of
from teeter.games.registry import GAMES, game_named
from teeter.games.server.messages import Plan, TableView, Waits
from teeter.games.server.setup import first_view

IN_GATE = ("bausack",)
"""The others are played in the soak."""
TITLE = "Acts until the first piece is laid"


def acts_of(game: str) -> list[str]:
    """What somebody did who reads nothing but the screen, until the first piece was laid."""
    said = play_out("window_tutorial:first_piece", game)
    told = next(line for line in said.splitlines() if line.startswith(f"{game}: "))
    acts = told.partition("acts: ")[2].partition(";")[0].split(", ")
    assert len(acts) == int(told.split()[1]) <= MOST_ACTS
    return acts


@pytest.mark.slow
@pytest.mark.parametrize("game", IN_GATE)
def test_the_first_piece_is_laid_in_six_acts_by_who_reads_nothing_but_the_screen(game: str) -> None:
    assert acts_of(game)[-1] == "lay it"


@pytest.mark.parametrize("game", PLANS)
def test_every_lesson_on_the_way_to_it_is_one_that_who_reads_it_knows_to_follow(game: str) -> None:
    words = words_of(load_settings(), is_pad=False, is_scanning=False)
    lessons = details_of(game_named(game)).lessons
    said = [
        each.text.format_map(words) for each in lessons if each.is_needed and not each.text.startswith("Or ")
    ]
    assert [text for text in said if not any(re.search(pattern, text) for pattern in READS)] == []


@pytest.mark.soak
@pytest.mark.parametrize("game", PLANS)
def test_how_many_acts_each_game_takes(game: str, row: Callable[..., None]) -> None:
    acts = acts_of(game)
    row(TITLE, game=game, asked=f"{MOST_ACTS} at most", acts=len(acts), which=", ".join(acts))
    assert acts[-1] == "lay it"


def opened(game: str, players: tuple[str, ...] = ("Ana", "Ben")) -> ClientState:
    plan = Plan(game, players[:1] if game == "sandbox" else players, 3)
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, time.perf_counter)
    client.told = 1
    return client


def asked(client: ClientState, given: Input | None = None) -> None:
    """The rules take something, and ask again."""
    rules = client.game.rules
    if given is not None:
        client.state = rules.apply(client.state, given)
    client.hear(Waits(rules.needs(client.state), rules.legal(client.state), False))


def test_each_lesson_waits_for_its_act() -> None:
    client = opened("crazy-tower")
    tutorial = Tutorial(details_of(client.game).lessons)
    words = words_of(load_settings(), is_pad=False, is_scanning=False)
    assert tutorial.told(client, words) == ""
    asked(client)
    tutorial.step(client, None)
    assert "Click one of your blocks" in tutorial.told(client, words)
    assert tutorial.suggested(client)
    take = client.choices[0].action
    name = take.piece  # type: ignore[attr-defined]
    asked(client, take)
    grip = CarryTarget(
        name, client.pieces[name], client.pose(name), is_pulling=False, hover=0.004, reach=(-1, 1, -1, 1)
    )
    acts = []
    for far, degrees in ((0.0, 0.0), (0.01, 0.0), (0.1, 0.0), (0.1, 30.0)):
        move(grip, far)
        grip.turned(degrees)
        tutorial.step(client, grip)
        lesson = tutorial.lesson(client)
        assert lesson is not None
        acts.append(lesson.act)
    assert acts == [CARRY, CARRY, TURN, LAY]
    assert not tutorial.is_over
    assert tutorial.progress[0] == 3


def test_what_is_not_offered_is_not_taught() -> None:
    """CT-12: after the first block was put down again no floor card may be revealed yet."""
    client = opened("crazy-tower")
    tutorial = Tutorial(details_of(client.game).lessons)
    words = words_of(load_settings(), is_pad=False, is_scanning=False)
    asked(client)
    tutorial.step(client, None)
    asked(client, client.choices[0].action)
    tutorial.step(client, None)
    asked(client, next(each.action for each in client.choices if isinstance(each.action, TakeBack)))
    tutorial.step(client, None)
    assert not any(isinstance(each.action, RevealCard) for each in client.choices)
    assert "Reveal" not in tutorial.told(client, words)


def move(grip: CarryTarget, far: float) -> None:
    x, y, z = grip.start.position
    grip.goal = Pose((x + far, y, z), grip.goal.orientation)


def test_a_piece_that_is_put_back_was_not_laid() -> None:
    client = opened("crazy-tower")
    lessons = details_of(client.game).lessons
    for far, is_laid in ((0.0, False), (0.2, True)):
        tutorial, before = Tutorial(lessons), client.state
        asked(client)
        tutorial.step(client, None)
        take = client.choices[0].action
        name = take.piece  # type: ignore[attr-defined]
        start = client.pose(name)
        asked(client, take)
        tutorial.step(
            client,
            CarryTarget(
                name, client.pieces[name], start, is_pulling=False, hover=0.004, reach=(-1, 1, -1, 1)
            ),
        )
        client.state = before
        poses = client.frame.poses.copy()
        poses[client.frame.names.index(name), 0] += far
        client.hear(TableView(0, 240, client.frame.names, poses, "", 0.0))
        asked(client)
        tutorial.step(client, None)
        assert (LAY in tutorial._done) == is_laid


def test_what_is_taken_back_is_taught_again() -> None:
    client = opened("bausack")
    tutorial = Tutorial(details_of(client.game).lessons)
    words = words_of(load_settings(), is_pad=False, is_scanning=False)
    asked(client)
    tutorial.step(client, None)
    first = tutorial.told(client, words)
    for is_last in (False, True):
        assert tutorial.told(client, words) == first
        asked(client, client.choices[0].action)
        tutorial.step(client, None)
        assert "Set your bid" in tutorial.told(client, words)
        gives = Push if is_last else TakeBack
        asked(client, next(each.action for each in client.choices if isinstance(each.action, gives)))
        tutorial.step(client, None)
    assert {"LOOK", "BUILD"} <= tutorial._done


def test_a_brick_that_was_drawn_out_far_was_not_carried_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    client = opened("tower-topple")
    tutorial = Tutorial(details_of(client.game).lessons)
    asked(client)
    tutorial.step(client, None)
    name = next(name for name in client.frame.names if name in client.pieces)
    monkeypatch.setattr("teeter.games.present.tutorial.stage_of", lambda desk: CARRY)
    for is_pulling in (True, False):
        grip = CarryTarget(
            name,
            client.pieces[name],
            client.pose(name),
            is_pulling=is_pulling,
            hover=0.004,
            reach=(-1, 1, -1, 1),
        )
        move(grip, 0.2)
        tutorial.step(client, grip)
        assert (CARRY in tutorial._done) != is_pulling


def test_only_people_are_taught() -> None:
    for players, is_taught in ((("Ana", "Ben"), True), (("bot:steady", "bot:bold"), False)):
        client = opened("wonky", players)
        asked(client)
        assert bool(stage_of(client)) is is_taught
        assert (Tutorial(details_of(client.game).lessons).lesson(client) is not None) is is_taught


@pytest.mark.parametrize("game", [game.name for game in GAMES])
@pytest.mark.parametrize(("is_pad", "is_scanning"), [(False, False), (True, False), (False, True)])
def test_lessons_are_whole_sentences_with_every_device(game: str, is_pad: bool, is_scanning: bool) -> None:
    words = words_of(load_settings(), is_pad=is_pad, is_scanning=is_scanning)
    lessons = details_of(opened(game).game).lessons
    assert {TAKE, CARRY, LAY} <= {lesson.act for lesson in lessons}
    assert len({lesson.act for lesson in lessons}) == len(lessons)
    for lesson in lessons:
        said = lesson.text.format(**words)
        assert said[0].isupper()
        assert said.endswith((".", "'"))
        assert "{" not in said
        assert not (is_pad and ("Click" in said or "pointer" in said))
    assert carrying("there.")[0].act == CARRY
