"""Recordings as viewers and videos want them: the bodies with their pieces, and the words that go with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.pose import Pose
from engine.record.format import RecordError
from engine.record.meta import BodyMeta, Meta
from engine.record.reader import Replay
from engine.world import FLOOR, TABLE, Body
from games.rules.registry import GAMES
from models.build import build
from models.catalogue import find
from models.errors import ModelError
from models.spec import PieceSpec, parse

if TYPE_CHECKING:
    from engine.view.video.captions import Caption, Telling

NOWHERE = Pose((0.0, 0.0, -10.0))
TURN = "- "
"""How a line of a story begins that says whose turn it is."""


def bodies_of(replay: Replay) -> tuple[Body, ...]:
    """The bodies of a recording as they look, the floor of the room left out. Raises RecordError.

    Where the game is known its own pieces are taken: each uneven brick, with what is printed on it.
    """
    own = _own(replay.meta)
    names = [body for body in replay.meta.bodies if body.id != FLOOR]
    return tuple(own[body.id] if body.id in own else _body(replay, body) for body in names)


def placed(replay: Replay, bodies: Sequence[Body]) -> tuple[Body, ...]:
    """Bodies where a recording first shows them; what it never shows lies with the first."""
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
    """The bodies that a game lays out for these players, seed and options; none when it does not know them."""
    from games.catalogue import stock_of
    from games.judge.registry import JUDGES
    from games.rules.errors import RulesError

    game = next((each for each in GAMES if each.name == meta.game), None)
    if game is None or game.name not in JUDGES:
        return {}
    options = dict(meta.options) | ({"mode": meta.mode} if meta.mode else {})
    try:
        state = game.rules.start(meta.players, meta.seed, options, stock_of(game))
        return {body.name: body for body in JUDGES[game.name].layout(state)}
    except (RulesError, ModelError):
        return {}


def _body(replay: Replay, body: BodyMeta) -> Body:
    from scenes.assemble import table_body
    from scenes.schema import TableTop

    try:
        if body.id == TABLE and body.spec is None:
            return table_body(TableTop())
        spec: PieceSpec = find(body.model or "") if body.spec is None else parse(body.spec, body.id)
        return Body(body.id, build(spec), NOWHERE, body.fixed)
    except ModelError as error:
        raise RecordError(
            replay.path, f'the piece "{body.id}" cannot be made: {error}', "meta.json"
        ) from None


def seats_of(meta: Meta) -> tuple[str, ...]:
    """The names of the players as stories call them: bots without their `bot:`."""
    return tuple(name.removeprefix("bot:") for name in meta.players)


def telling_of(replay: Replay, *, anonymous: bool = False) -> Telling:
    """The words that go with a recording. anonymous: players are numbered instead of named."""
    from engine.view.video.captions import Caption, Telling

    meta = replay.meta
    game = next((each for each in GAMES if each.name == meta.game), None)
    seats = _unique(seats_of(meta))
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


def _unique(seats: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(seats))


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


def default_name(path: Path, suffix: str) -> Path:
    """A file beside a recording, named like it."""
    return path.with_name(path.name.removesuffix(".part").removesuffix(".teeter") + suffix)
