"""Recordings as viewers and videos want them: the bodies with their pieces, and the words that go with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.pose import Pose
from engine.record.format import RecordError
from engine.record.meta import BodyMeta, Meta
from engine.record.reader import Replay
from engine.view.video.captions import Caption, Telling
from engine.world import FLOOR, TABLE, Body
from games.core.errors import RulesError
from games.play.recording import first_state, known_game
from models.build import build
from models.catalogue import find
from models.errors import ModelError
from models.spec import PieceSpec, parse
from scenes.assemble import table_body
from scenes.schema import TableTop

NOWHERE = Pose((0.0, 0.0, -10.0))
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
    found = []
    for body in bodies:
        seen = np.flatnonzero(there[:, columns[body.name]])
        if len(seen):
            x, y, z, a, b, c, d = replay.poses[seen[0], columns[body.name]].tolist()
            body = body.at(Pose((x, y, z), (a, b, c, d)))
        found.append(body)
    shown = next((body.pose for body in found if body.pose != NOWHERE and body.name != TABLE), NOWHERE)
    return tuple(body.at(shown) if body.pose == NOWHERE else body for body in found)


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
    """Returns the words that go with a recording. anonymous: players are numbered instead of named."""
    meta = replay.meta
    game = known_game(meta)
    # bots without their `bot:`, as stories call them
    seats = list(dict.fromkeys(name.removeprefix("bot:") for name in meta.players))
    lines: list[Caption] = []
    who = ""
    for step, entry in replay.events:
        given = entry.get("input")
        player = given.get("player") if isinstance(given, dict) else None
        who = player if isinstance(player, str) else who
        story = entry.get("story")
        told = [text for text in story if isinstance(text, str)] if isinstance(story, list) else []
        told = [text for text in told if text and not text.startswith(TURN)]
        lines += [Caption(step / meta.rate, text, who) for text in told]
    title = (game.title if game is not None else meta.game) + (f" · {meta.mode}" if meta.mode else "")
    telling = Telling(title, tuple(seats), _result(meta), tuple(lines))
    return _anonymous(telling, seats) if anonymous else telling


def _result(meta: Meta) -> str:
    outcome: dict[str, Any] = dict(meta.outcome or {})
    winners, reason = outcome.get("winners"), outcome.get("reason")
    won = [str(name) for name in winners] if isinstance(winners, list) else []
    words = " and ".join(won) + (" win" if len(won) > 1 else " wins") if won else ""
    because = reason if isinstance(reason, str) else ""
    return ": ".join(each for each in (words, because) if each)


def _anonymous(telling: Telling, seats: Sequence[str]) -> Telling:
    """Every name of a player, wherever it stands as a word of its own, becomes a number."""
    numbered = {name: f"Player {number}" for number, name in enumerate(seats, 1) if name}
    if not numbered:
        return telling
    longest_first = sorted(numbered, key=len, reverse=True)
    pattern = re.compile(r"(?<!\w)(" + "|".join(re.escape(name) for name in longest_first) + r")(?!\w)")

    def hidden(text: str) -> str:
        return pattern.sub(lambda found: numbered[found.group(1)], text)

    lines = tuple(replace(line, text=hidden(line.text), who=hidden(line.who)) for line in telling.lines)
    return replace(telling, players=tuple(numbered.values()), result=hidden(telling.result), lines=lines)
