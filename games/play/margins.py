"""How firmly a recorded game stood: force balances of the states that the record holds.

At every checkpoint all is at rest, so the tower of the game, what is not supply, has a tilt margin there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.record.format import RecordError
from teeter.engine.record.reader import Checkpoint, Replay
from teeter.engine.view.video.captions import clean
from teeter.engine.view.video.scenery import Scenery
from teeter.engine.workers import in_order
from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.games.game import Game
from teeter.games.play.firmness import firmness
from teeter.games.play.playback import Progress, Taken, past_of
from teeter.games.play.recording import first_state, known_game
from teeter.games.play.replays import KINDS, TURN, assembly_at, bodies_of


@dataclass(frozen=True, slots=True)
class Margin:
    """The tower after a move, at rest. number: of the move, counted from 0. player: whose it was. told: the last line
    of the story about it. tilt_deg: how far the table could tilt; None where statics cannot tell. way: of
    `firmness.WAYS`."""

    number: int
    step: int
    seconds: float
    player: str
    told: str
    tilt_deg: float | None
    way: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A recording of a known game. states: of the rules after each of `taken`, whose steps stand in `steps`."""

    replay: Replay
    game: Game
    start: Any
    taken: Sequence[Taken]
    steps: Sequence[int]
    bodies: dict[str, Body]

    def state_at(self, step: int) -> Any:
        """Returns the state of the rules when all that came up to a step was taken."""
        count = int(np.searchsorted(self.steps, step, side="right"))
        return self.taken[count - 1][2] if count else self.start

    def tower(self, checkpoint: Checkpoint) -> Assembly:
        """Returns what is in play, where it lies, and the table."""
        play = self.game.judge.in_play(self.state_at(checkpoint.step))
        found = []
        for name, (x, y, z, *turn) in sorted(self.replay.named(checkpoint.poses).items()):
            if name in self.bodies and (name in play or name == TABLE):
                a, b, c, d = map(float, turn)
                body = self.bodies[name].at(Pose((float(x), float(y), float(z)), (a, b, c, d)))
                found.append(replace(body, fixed=name == TABLE))
        return Assembly("tower", tuple(found))


def recorded_of(replay: Replay) -> Recorded | None:
    """Returns a recording with the states of its rules; None of a game that is not known here."""
    game = known_game(replay.meta)
    if game is None:
        return None
    _, taken = past_of(replay)
    steps = [step for step, _ in replay.events]
    bodies = {body.name: body for body in bodies_of(replay)}
    return Recorded(replay, game, first_state(game, replay.meta), taken, steps, bodies)


def moment_of(scenery: Scenery, bodies: Sequence[Body], seconds: float) -> tuple[Assembly, str]:
    """Returns what lies there at a time of a recording, called as its story calls it then where that is clear; and what
    a hand holds then, empty for nothing."""
    scene, names = assembly_at(scenery, bodies, seconds), scenery.replay.meta.names
    now = (names[carry.body] for carry in scenery.motion.carries if carry.begin <= seconds < carry.end)
    held, named = next(now, ""), dict[str, str]()
    with suppress(RecordError):
        if (recorded := recorded_of(scenery.replay)) is not None:
            state = recorded.state_at(round(seconds * scenery.replay.meta.rate))
            called = {body.name: recorded.game.rules.called(state, body.name) for body in scene.free}
            alike = {word for word, times in Counter(called.values()).items() if times > 1}
            named = {name: word for name, word in called.items() if word not in alike}
    told = (replace(b, name=named.get(b.name, b.name)) for b in scene.bodies if b.name != held)
    return replace(scene, bodies=tuple(told)), named.get(held, held)


def margins_of(replay: Replay, progress: Progress | None = None) -> tuple[Margin, ...]:
    """Returns the margin of the tower after every move of a recording; none for a game that is not known here.

    progress: told how many checkpoints were asked, of how many. Raises RecordError where the rules refuse what the
    record has them take.
    """
    recorded = recorded_of(replay)
    if recorded is None:
        return ()
    asked = [
        checkpoint
        for before, checkpoint in zip((None, *replay.checkpoints), replay.checkpoints, strict=False)
        if before is None or before.step != checkpoint.step
    ]
    towers = [recorded.tower(checkpoint) for checkpoint in asked]
    places = [tuple((body.name, body.pose) for body in tower.bodies) for tower in towers]
    each_once = dict(zip(places, towers, strict=True))
    margins: list[Margin] = []
    firm: dict[object, tuple[int, float | None]] = {}
    before = -1
    with in_order(firmness, each_once.values(), min(len(each_once), os.cpu_count() or 1)) as answers:
        for done, (checkpoint, place) in enumerate(zip(asked, places, strict=True), 1):
            if progress is not None:
                progress(done, len(asked))
            if place not in firm:
                firm[place] = next(answers)
            who, line = _led_to(replay, before, checkpoint.step)
            seconds, (way, tilt) = checkpoint.step / replay.meta.rate, firm[place]
            margins.append(Margin(len(margins), checkpoint.step, seconds, who, line, tilt, way))
            before = checkpoint.step
    return tuple(margins)


def _led_to(replay: Replay, before: int, until: int) -> tuple[str, str]:
    """Returns who moved a piece between two steps, and the last line about where it came to."""
    who = mover = line = ""
    for step, entry in replay.events:
        content = entry["input"]
        player = content.get("player")
        who = player if isinstance(player, str) and player else who
        if before < step <= until and content["type"] in KINDS:
            # a stranger may have written anything there
            story = entry.get("story")
            texts = [text for text in story if isinstance(text, str)] if isinstance(story, list) else []
            lines = [text for text in texts if not text.startswith(TURN)]
            mover, line = who, clean(lines[-1]) if lines else line
    return mover, line
