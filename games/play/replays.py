"""Recordings as viewers and videos want them: the bodies with their pieces, the words that go with them, and the state
of a replay viewer: what is shown, how fast, what the person can do. Plain values; the window draws them.

A viewer's time is a number of seconds that may run either way; whatever it is, the same picture belongs to it, so
stepping back, seeking and playing backward are nothing special.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.record.format import EVENTS, RecordError
from teeter.engine.record.meta import BodyMeta, Meta
from teeter.engine.record.reader import Replay
from teeter.engine.view.panels import Button, Gap, Panel, Row, Slider, Text
from teeter.engine.view.video.captions import MAX_LINE_LETTERS, Caption, Telling, clean
from teeter.engine.view.video.scenery import Scenery, scenery_of
from teeter.engine.world.body import FLOOR, TABLE, Assembly, Body
from teeter.games.core.errors import RulesError
from teeter.games.core.words import is_broken_off, won
from teeter.games.game import Game
from teeter.games.play.playback import past_of
from teeter.games.play.recording import first_state, known_game
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.errors import ModelError
from teeter.models.spec import PieceSpec, parse
from teeter.scenes.assemble import table_body
from teeter.scenes.schema import TableTop

NOWHERE = Pose((0.0, 0.0, -10.0))
MAX_STORY = 100_000
"""Lines of a story: twenty for each of the most turns a game has, and more."""
BEFORE_FALL_S = 0.3
TURN = "- "
"""How a line of a story begins that says whose turn it is."""


def bodies_of(replay: Replay) -> tuple[Body, ...]:
    """Returns the bodies of a recording as they look, without the floor of the room. Raises RecordError.

    Where the game is known its own pieces are taken: each uneven brick, with what is printed on it.
    """
    own = _own(replay.meta)
    names = [body for body in replay.meta.bodies if body.id != FLOOR]
    return tuple(own[body.id] if body.id in own else _body(replay, body) for body in names)


def placed(replay: Replay, bodies: Sequence[Body]) -> tuple[Body, ...]:
    """Returns bodies where a recording first shows them; what it never shows lies with the first."""
    columns = {name: column for column, name in enumerate(replay.meta.names)}
    there = np.asarray(np.isfinite(replay.poses).all(axis=2), dtype=np.bool_)
    scene = []
    for body in bodies:
        seen = np.flatnonzero(there[:, columns[body.name]])
        if len(seen):
            body = body.at(Pose.of_row(replay.poses[seen[0], columns[body.name]].tolist()))
        scene.append(body)
    shown = next((body.pose for body in scene if body.pose != NOWHERE and body.name != TABLE), NOWHERE)
    return tuple(body.at(shown) if body.pose == NOWHERE else body for body in scene)


def last_bodies(replay: Replay) -> tuple[Body, ...]:
    """Returns the bodies that lie there at the last checkpoint of a recording, where they lie. Raises RecordError."""
    poses = replay.named(replay.checkpoints[-1].poses)
    return tuple(
        body.at(Pose.of_row(poses[body.name].tolist())) for body in bodies_of(replay) if body.name in poses
    )


def _own(meta: Meta) -> dict[str, Body]:
    """Returns the bodies that a game lays out for these players, seed and options; none when it does not know them."""
    game = known_game(meta)
    if game is None:
        return {}
    try:
        return {body.name: body for body in game.judge.layout(first_state(game, meta))}
    except (RulesError, ModelError):
        return {}


def _body(replay: Replay, body: BodyMeta) -> Body:
    try:
        if body.id == TABLE and body.spec is None:
            return table_body(TableTop())
        spec: PieceSpec = find(body.model or "") if body.spec is None else parse(body.spec, body.id)
        return Body(body.id, build(spec), NOWHERE, body.fixed)
    except ModelError as error:
        raise RecordError(
            replay.path, f'the piece "{body.id}" cannot be made: {error}', "meta.json"
        ) from None


def telling_of(replay: Replay, *, anonymous: bool = False) -> Telling:
    """Returns the words that go with a recording. anonymous: players are numbered instead of named. Raises RecordError
    for more than `MAX_STORY` lines."""
    meta = replay.meta
    game = known_game(meta)
    teams = _teams_of(game, meta)
    lines: list[Caption] = []
    who = ""
    for step, entry in replay.events:
        content = entry.get("input")
        player = content.get("player") if isinstance(content, dict) else None
        who = player if isinstance(player, str) else who
        story = entry.get("story")
        texts = [text for text in story if isinstance(text, str)] if isinstance(story, list) else []
        texts = [text for text in texts if text and not text.startswith(TURN)]
        lines += [Caption(step / meta.rate, text, who) for text in texts]
        if len(lines) > MAX_STORY:
            raise RecordError(replay.path, f"tells more than {MAX_STORY} lines", EVENTS)
    modes = {mode.name: mode.title for mode in game.modes} if game is not None else {}
    title = modes.get(meta.mode or "") or (game.title if game is not None else meta.game)
    title += f" · {meta.mode}" if meta.mode and meta.mode not in modes else ""
    players, unread = tuple("+".join(team) for team in teams), _unread(game, replay)
    telling = Telling(title, players, result_of(meta), tuple(lines), unread=unread)
    return _anonymous(telling, list(chain.from_iterable(teams))) if anonymous else telling


def _unread(game: Game | None, replay: Replay) -> tuple[tuple[float, frozenset[str]], ...]:
    """Returns whose print nobody had seen, and since when; nothing where the rules refuse what a record holds."""
    if game is None:
        return ()
    try:
        found = [(0.0, game.judge.unread(first_state(game, replay.meta)))]
        taken = past_of(replay)[1] if found[0][1] else ()
    except (RulesError, ModelError, RecordError, ValueError):
        return ()
    for (step, _), (_, _, after) in zip(replay.events, taken, strict=False):
        if (names := game.judge.unread(after)) != found[-1][1]:
            found.append((step / replay.meta.rate, names))
    return tuple(found)


def _teams_of(game: Game | None, meta: Meta) -> list[list[str]]:
    """Returns the players of each seat, as stories call them: equal bots are numbered."""
    if game is not None:
        with suppress(RulesError, ValueError):
            seats = first_state(game, meta).seats
            return [[member.name for member in seat.members] for seat in seats]
    return [[name] for name in dict.fromkeys(name.removeprefix("bot:") for name in meta.players)]


def result_of(meta: Meta) -> str:
    """Returns who won a game and why, or why it was left; empty while it goes on."""
    outcome: dict[str, Any] = dict(meta.outcome or {})
    winners, reason = outcome.get("winners"), outcome.get("reason")
    if outcome.get("ended", True) is not True:
        # who broke a game off does not say who won it
        winners = None
        reason = reason if isinstance(reason, str) and is_broken_off(reason) else "broken off"
    names = [str(name) for name in winners] if isinstance(winners, list) else []
    words = won(names) if names else ""
    because = reason if isinstance(reason, str) else ""
    return ": ".join(text for text in (words, because) if text)


def _anonymous(telling: Telling, players: Sequence[str]) -> Telling:
    """Every name of a player, wherever it stands as a word of its own, becomes a number."""
    numbered = {name: f"Player {number}" for number, name in enumerate(players, 1) if name}
    if not numbered:
        return telling
    longest_first = sorted(numbered, key=len, reverse=True)
    pattern = re.compile(r"(?<!\w)(" + "|".join(re.escape(name) for name in longest_first) + r")(?!\w)")

    def hidden(text: str) -> str:
        return pattern.sub(lambda match: numbered[match.group(1)], text)

    lines = tuple(replace(line, text=hidden(line.text), who=hidden(line.who)) for line in telling.lines)
    seats = tuple(hidden(seat) for seat in telling.players if seat)
    return replace(telling, players=seats, result=hidden(telling.result), lines=lines)


# -- the viewer --------------------------------------------------------------------------------------------------------

SPEEDS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0, 16.0)
FRAME_S = 1 / 60
"""Seconds of a step: one frame of the track."""
LEAD_S = 0.6
"""Seconds before a fall at which one lands when jumping to it."""
CAMERAS = ("free", "director", "follow")


@dataclass(frozen=True, slots=True)
class Mark:
    """Something on the scrub bar. seconds: of the recording. kind: placed, fell, score or turn. text: what happened."""

    seconds: float
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class ViewerState:
    """Where a viewer is. seconds: of the recording, of so many in `whole`. backward: time runs the other way."""

    whole: float
    seconds: float = 0.0
    speed: float = 1.0
    is_playing: bool = True
    backward: bool = False
    camera: str = "director"
    forces: bool = False

    def after(self, elapsed: float) -> ViewerState:
        """So many seconds of the person's time later; it stops at either end."""
        if not self.is_playing:
            return self
        moved = self.seconds + elapsed * self.speed * (-1.0 if self.backward else 1.0)
        inside = min(max(moved, 0.0), self.whole)
        return replace(self, seconds=inside, is_playing=moved == inside)

    def sought(self, seconds: float) -> ViewerState:
        """At another time."""
        return replace(self, seconds=min(max(seconds, 0.0), self.whole))

    def stepped(self, frames: int) -> ViewerState:
        """So many frames on, back when negative; stepping stops the play."""
        return replace(self.sought(self.seconds + frames * FRAME_S), is_playing=False)

    def hurried(self, steps: int) -> ViewerState:
        """So many speeds faster, slower when negative."""
        place = min(range(len(SPEEDS)), key=lambda n: abs(SPEEDS[n] - self.speed))
        return replace(self, speed=SPEEDS[min(max(place + steps, 0), len(SPEEDS) - 1)])

    def jumped(self, marks: Sequence[Mark], kinds: tuple[str, ...], direction: int) -> ViewerState:
        """To just before the next mark of some kinds, or the previous one when `direction` is negative; stays without
        one."""
        places = [max(mark.seconds - LEAD_S, 0.0) for mark in marks if mark.kind in kinds]
        ahead = [place for place in places if place > self.seconds + 0.05]
        behind = [place for place in places if place < self.seconds - 0.05]
        chosen = min(ahead, default=None) if direction > 0 else max(behind, default=None)
        return self if chosen is None else self.sought(chosen)


KINDS = {
    "Fell": "fell",
    "HitNeighbour": "fell",
    "Placed": "placed",
    "CountElapsed": "placed",
    "Removed": "placed",
    "Measured": "score",
}


def marks_of(replay: Replay, scenery: Scenery) -> tuple[Mark, ...]:
    """Returns the marks of a recording, in time: what the rules took note of, and every collapse."""
    marks = []
    for step, entry in replay.events:
        content = entry.get("input")
        kind = KINDS.get(str(content.get("type"))) if isinstance(content, dict) else None
        story = entry.get("story")
        text = next((line for line in story if isinstance(line, str)), "") if isinstance(story, list) else ""
        if kind is not None:
            marks.append(Mark(step / replay.meta.rate, kind, clean(text)))
    marks += [Mark(collapse.begin, "fell", "pieces come down") for collapse in scenery.motion.collapses]
    return tuple(sorted(marks, key=lambda mark: (mark.seconds, mark.kind)))


def before_fall(replay: Replay, bodies: Sequence[Body]) -> tuple[tuple[Body, ...], str]:
    """Returns what lies on the table shortly before most of it falls for the last time, where it lies, or at the end of
    a game in which nothing falls; and the highest piece that was laid by hand, empty for none. Raises RecordError."""
    scenery = scenery_of(replay, bodies)
    falls = scenery.motion.collapses
    seconds = max(falls[-1].begin - BEFORE_FALL_S, 0.0) if falls else replay.seconds
    there = assembly_at(scenery, bodies, seconds).bodies
    names = scenery.replay.meta.names
    laid = {names[carry.body] for carry in scenery.motion.carries if carry.begin <= seconds}
    high = max((b for b in there if b.name in laid), key=lambda b: b.pose.position[2], default=None)
    return there, "" if high is None else high.name


def line_at(lines: Sequence[Caption], seconds: float) -> Caption | None:
    """Returns what was told last, up to a time."""
    past = [line for line in lines if line.seconds <= seconds + 1e-9]
    return past[-1] if past else None


def assembly_at(scenery: Scenery, bodies: Sequence[Body], seconds: float) -> Assembly:
    """Returns everything where it lies at a time, the table first, to be checked."""
    poses = dict(zip(scenery.replay.meta.names, scenery.poses(seconds).tolist(), strict=True))
    lying: list[Body] = []
    for body in bodies:
        row = poses[body.name]
        if body.name == TABLE:
            lying.insert(0, replace(body, fixed=True))
        elif np.isfinite(row[0]):
            lying.append(replace(body.at(Pose.of_row(row)), fixed=False))
    return Assembly(f"{seconds:.2f} s", tuple(lying))


def panels(
    state: ViewerState, marks: Sequence[Mark], line: Caption | None, title: str, said: str, word: str = ""
) -> list[Panel]:
    """Returns the bar below, what was told, and what a check said; word: anything else, where there was none."""
    clock = f"{_clock(state.seconds)} / {_clock(state.whole)}"
    places = tuple(sorted({mark.seconds for mark in marks if mark.kind in ("fell", "score")}))
    bar = Slider("seek", "", state.seconds, 0.0, max(state.whole, FRAME_S), shown=clock, marks=places)
    play = Button("play", "Pause" if state.is_playing else "Play", key="space", is_on=state.is_playing)
    speed = f"{state.speed:g} x" if state.speed >= 1 else f"1/{round(1 / state.speed)} x"
    keys = Row(
        (
            Button("fall-back", "Prev fall", key="p"),
            Button("back", "Back", key=","),
            Button("reverse", "Reverse", key="b", is_on=state.backward),
            play,
            Button("on", "Step", key="."),
            Button("fall-on", "Next fall", key="n"),
            Button("slower", "Slower", key="-"),
            Button("faster", speed, key="+"),
        )
    )
    more = Row(
        (
            *(Button(f"camera-{name}", name, is_on=state.camera == name) for name in CAMERAS),
            Button("check", "Check", key="c"),
            Button("forces", "Forces", key="f", is_on=state.forces),
            Button("fork", "Play on"),
        )
    )
    cards = [Panel("bar", "bottom", (bar, keys, more), width=820.0)]
    story = [Text(line.who, "accent", "normal", bold=True)] if line is not None and line.who else []
    if line is not None:
        story.append(Text(clean(line.text, MAX_LINE_LETTERS)))
    cards.append(Panel("told", "top-left", tuple(story), title=title, width=300.0))
    if said or word:
        texts = tuple(Text(sentence, "plain", "small") for sentence in (said or word).splitlines())
        heading = "Would it topple?" if said else ""
        cards.append(Panel("said", "top-right", (*texts, Gap(1.0)), title=heading, width=280.0))
    return cards


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}.{int(10 * (seconds - whole))}"


ORDERS = {
    "space": "play",
    "arrow_right": "on",
    ".": "on",
    "arrow_left": "back",
    ",": "back",
    "b": "reverse",
    "n": "fall-on",
    "p": "fall-back",
    "+": "faster",
    "=": "faster",
    "-": "slower",
    "c": "check",
    "f": "forces",
    "home": "start",
    "end": "end",
    "1": "camera-free",
    "2": "camera-director",
    "3": "camera-follow",
}
"""What keys do, by the names of the buttons."""


def ordered(state: ViewerState, order: str, marks: Sequence[Mark]) -> ViewerState:
    """Returns what an order makes of where a viewer is; orders that ask for more than that change nothing."""
    if order == "play":
        at_end = state.seconds >= state.whole and not state.backward
        return replace(state.sought(0.0) if at_end else state, is_playing=not state.is_playing)
    if order == "reverse":
        return replace(state, backward=not state.backward, is_playing=True)
    if order == "forces":
        return replace(state, forces=not state.forces)
    if order.startswith("camera-"):
        return replace(state, camera=order.removeprefix("camera-"))
    simple = {
        "on": lambda: state.stepped(1),
        "back": lambda: state.stepped(-1),
        "faster": lambda: state.hurried(1),
        "slower": lambda: state.hurried(-1),
        "fall-on": lambda: state.jumped(marks, ("fell",), 1),
        "fall-back": lambda: state.jumped(marks, ("fell",), -1),
        "start": lambda: state.sought(0.0),
        "end": lambda: state.sought(state.whole),
    }
    return simple[order]() if order in simple else state
