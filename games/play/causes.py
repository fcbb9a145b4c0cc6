"""Why the tower of a recorded game fell.

A fall is asked about where it began: a piece that was let go is put down flat, straight below; a piece that was drawn
is left out. If forces balance that, it was no question of balance, and it is said so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from teeter.engine.geometry.drop import DropTarget, resting_faces
from teeter.engine.geometry.rotation import quaternion_of, shortest_rotation
from teeter.engine.pose import Pose
from teeter.engine.record.format import RecordError
from teeter.engine.record.reader import Checkpoint, Replay
from teeter.engine.view.video.captions import Caption, Telling
from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.games.core.events import CountElapsed, Fell, Nudged, Placed, Released
from teeter.games.core.rules import Input
from teeter.games.core.words import capital
from teeter.games.faults import or_else
from teeter.games.play.firmness import firmness
from teeter.games.play.margins import Margin, Recorded, margins_of, recorded_of
from teeter.games.play.reasons import HARD, UNKNOWN, why_drawn, why_laid

FLAT = np.radians(10.0)
"""A piece that was let go within this of lying flat is asked about lying flat."""
GONE = 3e-3
"""Metres from its place by which a piece goes along with what is moved."""
LOOKS = 60
"""Times a second at which a recording is looked at for how a fall began."""
ALWAYS = (-math.inf, math.inf)
"""Seconds of a recording: all of them."""
READ_S = 15.0
"""Seconds for which a line is read at the most."""
SLOW = 5e-3
"""m/s: a piece that was let go moving by less was put down."""
LIKE = 0.5
"""Degrees by which margins may differ and be told as one."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why pieces fell. piece: that was being moved, empty for none; is_laid: it had been let go. fell: the pieces.
    missing_mm: by which the centre of mass lay beyond the edge; where the laid piece went over it, by which that piece
    stood too far out. tilt_deg: the margin of the tower before. sentence: all of it in words."""

    step: int
    seconds: float
    piece: str
    is_laid: bool
    fell: tuple[str, ...]
    missing_mm: float | None
    tilt_deg: float | None
    sentence: str


def causes_of(
    replay: Replay,
    margins: Sequence[Margin] = (),
    *,
    only_last: bool = False,
    span: tuple[float, float] = ALWAYS,
) -> tuple[Cause, ...]:
    """Returns why pieces fell, once for each time they did between two checkpoints. margins: of the whole recording, if
    they are known; then it is told since when the tower stood no firmer. only_last: why they did the last time. span:
    seconds between which they did. Raises RecordError as `margins_of`."""
    recorded = recorded_of(replay)
    if recorded is None:
        return ()
    falls: dict[int, tuple[int, Checkpoint]] = {}
    for at, (_, given, _) in enumerate(recorded.taken):
        before = [each for each in replay.checkpoints if each.step < recorded.steps[at]]
        if isinstance(given, Fell) and before:
            falls.setdefault(before[-1].step, (at, before[-1]))
    first, end = (second * replay.meta.rate for second in span)
    within = [(at, last) for at, last in falls.values() if first <= recorded.steps[at] <= end]
    chosen = within[-1:] if only_last else within
    return tuple(
        _cause(recorded, at, last, [each for each in margins if each.step <= last.step])
        for at, last in chosen
    )


def with_causes(
    telling: Telling, replay: Replay, *, has_margins: bool = False, span: tuple[float, float] = ALWAYS
) -> Telling:
    """Returns the words that go with a recording, and why pieces fell, told as they do; as they are where nobody can
    say why, as where the rules refuse what the record has them take. has_margins: with those after every move. span:
    the seconds that are shown: other falls are not asked about."""
    since, until = span

    def found() -> tuple[tuple[Margin, ...], tuple[Cause, ...]]:
        try:
            margins = margins_of(replay) if has_margins else ()
            return margins, causes_of(replay, margins, span=(since - READ_S, until))
        except RecordError:
            return (), ()

    # a film is worth more than the words about it
    margins, causes = or_else("why pieces fell", found, ((), ()))
    why = [Caption(each.seconds, each.sentence) for each in causes]
    lines = sorted([*telling.lines, *why], key=lambda line: line.seconds)
    line = tuple((each.seconds, each.tilt_deg) for each in margins)
    return replace(telling, lines=tuple(lines), margins=line)


def _cause(recorded: Recorded, at: int, checkpoint: Checkpoint, margins: Sequence[Margin]) -> Cause:
    """Returns why the fall at one of the inputs happened. checkpoint: the last one before it."""
    step, given = recorded.steps[at], recorded.taken[at][1]
    assert isinstance(given, Fell)
    piece, let_go = _moved(recorded.steps[:at], [each for _, each, _ in recorded.taken[:at]], checkpoint.step)
    if let_go is None and piece in given.pieces:
        # as it is lowered: where it touched
        let_go = step
    tower = recorded.tower(checkpoint)
    known = [(each.way, each.tilt_deg) for each in margins if each.step == checkpoint.step]
    way, tilt = known[0] if known else firmness(tower)
    was_there = any(body.name == piece for body in tower.free)
    state = recorded.state_at(checkpoint.step)
    names = {piece, *(body.name for body in tower.free)}
    called = {each: recorded.game.rules.called(state, each) for each in names}
    others = [body for body in tower.bodies if body.name != piece]
    rest = replace(tower, bodies=tuple(replace(body, name=called.get(body.name, TABLE)) for body in others))
    name = called[piece]
    missing = None
    if let_go is not None:
        stood, alone = (way, tilt is not None), given.pieces == (piece,)
        said, missing = _why_let_go(recorded, rest, (piece, name), (let_go, step), stood, alone)
    elif was_there and tilt is not None:
        said, missing = why_drawn(rest, name, way)
    elif was_there:
        said = f"{capital(name)} was being moved; {UNKNOWN}"
    elif piece:
        said = f"The tower was knocked over while {name} was still in the hand"
    else:
        said = "Nobody was moving a piece"
    if missing is None and (let_go is None or UNKNOWN in said):
        span = range(let_go or checkpoint.step, step)
        said += _first_to_go(recorded, tower, piece, span, called, is_laid=let_go is not None)
    sentence = capital(f"{said}{_since(margins, tilt)}.")
    seconds = step / recorded.replay.meta.rate
    return Cause(step, seconds, piece, let_go is not None, given.pieces, missing, tilt, sentence)


def _moved(steps: Sequence[int], inputs: Sequence[Input], since: int) -> tuple[str, int | None]:
    """Returns the piece that was being moved when a fall came, and when it was let go; empty and None for none. since:
    the step of the checkpoint before."""
    piece, let_go = "", None
    for then, each in zip(steps, inputs, strict=True):
        if isinstance(each, Placed | CountElapsed):
            piece, let_go = "", None
        elif then >= since and not isinstance(each, Nudged) and (named := getattr(each, "piece", "")):
            # what is nudged is another
            piece, let_go = named, then if isinstance(each, Released) else None
    return piece, let_go


def _why_let_go(
    recorded: Recorded,
    rest: Assembly,
    named: tuple[str, str],
    span: tuple[int, int],
    stood: tuple[int, bool],
    alone: bool,
) -> tuple[str, float | None]:
    """Returns why a tower falls on which a piece was let go, and the missing millimetres. Where it would have stood, it
    is asked about where it had slid to before it leaned over. named: the piece, and what the story calls it, as `rest`
    does. span: steps from then until the fall. stood: the way in which the tower did, and whether that is known. alone:
    nothing else fell, so a fall of more is not believed."""
    (piece, name), (let_go, fall), (way, is_known) = named, span, stood
    laid, own = _let_go(recorded, rest, named, let_go), capital(name)
    said, missing = why_laid(rest, laid, name, way, is_known=is_known)
    if laid is None or (missing is not None and (said.startswith(own) or not alone)):
        return said, missing
    every = recorded.replay.meta.rate // LOOKS
    begun, then = (_at(recorded, piece, each) for each in (let_go, let_go + every))
    speed = LOOKS * math.dist(begun.position[:2], then.position[:2])
    place = let_go
    while place + every < fall:
        turned = begun.matrix.T @ _at(recorded, piece, place + every).matrix
        if np.trace(turned) < 1.0 + 2.0 * np.cos(FLAT):
            break
        place += every
    slid = _let_go(recorded, rest, named, place)
    up = 1e3 * max(begun.position[2] - laid.pose.position[2], 0.0)
    aside = 0.0 if slid is None else 1e3 * math.dist(begun.position[:2], slid.pose.position[:2])
    hard = f"{up:.0f} mm up, moving at {speed:.2f} m/s, " if up >= 0.5 or speed >= SLOW else ""
    how = f"{hard}and slid {aside:.0f} mm"
    there, beyond = why_laid(rest, slid, name, way, is_known=is_known)
    if beyond is not None and (there.startswith(own) or not alone):
        return f"{own} was let go {how}: there {there.replace(own, 'it', 1)}", beyond
    if missing is not None:
        return f"{own} was let go {how}", None
    came = f"it came from {how}" if hard else f"it slid {aside:.0f} mm"
    return said.replace(HARD, came).replace(f"; {UNKNOWN}", f" {how}; {UNKNOWN}"), None


def _first_to_go(
    recorded: Recorded,
    tower: Assembly,
    piece: str,
    span: range,
    called: Mapping[str, str],
    *,
    is_laid: bool = False,
) -> str:
    """Returns which piece left its place first, and of others than the moved one how far that had come by then: the end
    of a sentence. is_laid: it had been let go, so that it may be the first."""
    begun = {body.name: body.pose.position for body in tower.free}
    if is_laid:
        begun[piece] = _at(recorded, piece, span.start).position
    for step in span[:: recorded.replay.meta.rate // LOOKS]:
        now = recorded.replay.named(recorded.replay.pose_at(step))
        come = {name: math.dist(now[name][:3], place) for name, place in begun.items() if name in now}
        farthest = sorted(come.items(), key=lambda each: -each[1])
        for name, metres in farthest:
            if metres > GONE and (is_laid or name != piece):
                is_told = piece in come and not is_laid
                when = f", when {called[piece]} had come {1e3 * come[piece]:.0f} mm" if is_told else ""
                return f"; {called[name]} was the first to move{when}"
    return ""


def _at(recorded: Recorded, piece: str, step: int) -> Pose:
    return Pose.of_row(recorded.replay.named(recorded.replay.pose_at(step))[piece].tolist())


def _let_go(recorded: Recorded, rest: Assembly, named: tuple[str, str], step: int) -> Body | None:
    """Returns a piece where it was let go, lying flat if it nearly did, straight down on what is there; None where
    nothing is known to lie below."""
    piece, name = named
    row = recorded.replay.named(recorded.replay.pose_at(step)).get(piece, np.full(7, np.nan)).tolist()
    if not np.isfinite(row[0]) or piece not in recorded.bodies:
        return None
    body = replace(recorded.bodies[piece].at(Pose.of_row(row)), name=name, fixed=False)
    matrix, down = body.pose.matrix, np.array([0.0, 0.0, -1.0])
    normals = [matrix @ face.normal for face in resting_faces(body.piece)]
    if normals:
        lowest = max(normals, key=lambda normal: float(normal @ down))
        if lowest @ down > np.cos(FLAT):
            level = quaternion_of(shortest_rotation(lowest, down) @ matrix)
            body = body.at(Pose(body.pose.position, level))
    return DropTarget.of(rest.bodies).dropped(body)


def _since(margins: Sequence[Margin], tilt: float | None) -> str:
    """Returns how firm the tower was before, and since when, as the end of a sentence."""
    if tilt is None:
        return ""
    number = len(margins)
    while number and (known := margins[number - 1].tilt_deg) is not None and known <= tilt + LIKE:
        number -= 1
    if 0 < number < len(margins):
        return f"; the tower had been {tilt:.1f} degrees from falling since move {margins[number].number}"
    return f"; before that, the tower was {tilt:.1f} degrees from falling"
