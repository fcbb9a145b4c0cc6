"""How firmly a recorded game stood, and why it fell: force balances of the states that the record holds.

At every checkpoint all is at rest, so the tower of the game, what is not supply, has a tilt margin there. A fall is
asked about where it began: a piece that was let go is put down flat, straight below; a piece that was drawn is left
out. If forces balance that, it was no question of balance, and it is said so.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from teeter.engine.geometry.drop import DropTarget, resting_faces
from teeter.engine.geometry.rotation import quaternion_of, shortest_rotation
from teeter.engine.pose import Pose
from teeter.engine.record.format import RecordError
from teeter.engine.record.reader import Checkpoint, Replay
from teeter.engine.tolerances import TOUCH_FOR_HINTS
from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.mechanism import Explanation, explain
from teeter.engine.topple.balance.statics import Statics, analyse, stands, tilt_margin
from teeter.engine.topple.contact.detection import Contacts, contacts_at_rest, find_contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.resting import REACH, TILT, at_rest
from teeter.engine.topple.words import sentences
from teeter.engine.view.video.captions import Caption, Telling, clean
from teeter.engine.workers import in_order
from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.games.core.events import CountElapsed, Fell, Placed, Released
from teeter.games.core.words import capital
from teeter.games.faults import or_else
from teeter.games.game import Game
from teeter.games.play.playback import Progress, Taken, past_of
from teeter.games.play.recording import first_state, known_game
from teeter.games.play.replays import KINDS, TURN, bodies_of

FLAT = np.radians(10.0)
"""A piece that was let go within this of lying flat is asked about lying flat."""
POINT = 1e-3
"""Metres: a shorter edge is a point."""
LEAST = 0.05
"""Millimetres: less is not told."""
GONE = 3e-3
"""Metres from its place by which a piece goes along with what is moved."""
LOOKS = 60
"""Times a second at which a recording is looked at for how a fall began."""
UNKNOWN = "how firmly the tower stood before is not known"
HARD = "it was knocked, or put down too hard"
Touching = tuple[Assembly, Contacts]
ALWAYS = (-math.inf, math.inf)
"""Seconds of a recording: all of them."""
READ_S = 15.0
"""Seconds for which a line is read at the most."""
LIKE = 0.5
"""Degrees by which margins may differ and be told as one."""


@dataclass(frozen=True, slots=True)
class Margin:
    """The tower after a move, at rest. number: of the move, counted from 0. player: whose it was. told: the last line
    of the story about it. tilt_deg: how far the table could tilt; None where statics cannot tell."""

    number: int
    step: int
    seconds: float
    player: str
    told: str
    tilt_deg: float | None


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


@dataclass(frozen=True, slots=True, eq=False)
class _Recorded:
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


def _recorded(replay: Replay) -> _Recorded | None:
    game = known_game(replay.meta)
    if game is None:
        return None
    _, taken = past_of(replay)
    steps = [step for step, _ in replay.events]
    bodies = {body.name: body for body in bodies_of(replay)}
    return _Recorded(replay, game, first_state(game, replay.meta), taken, steps, bodies)


def margins_of(replay: Replay, progress: Progress | None = None) -> tuple[Margin, ...]:
    """Returns the margin of the tower after every move of a recording; none for a game that is not known here.

    progress: told how many checkpoints were asked, of how many. Raises RecordError where the rules refuse what the
    record has them take.
    """
    recorded = _recorded(replay)
    if recorded is None:
        return ()
    asked = [
        each
        for before, each in zip((None, *replay.checkpoints), replay.checkpoints, strict=False)
        if before is None or before.step != each.step
    ]
    towers = [recorded.tower(each) for each in asked]
    places = [tuple((body.name, body.pose) for body in tower.bodies) for tower in towers]
    each_once = dict(zip(places, towers, strict=True))
    found: list[Margin] = []
    firm: dict[object, float | None] = {}
    before = -1
    with in_order(_firmness, each_once.values(), min(len(each_once), os.cpu_count() or 1)) as answers:
        for done, (checkpoint, place) in enumerate(zip(asked, places, strict=True), 1):
            if progress is not None:
                progress(done, len(asked))
            if place not in firm:
                _, firm[place] = next(answers)
            who, told = _led_to(replay, before, checkpoint.step)
            seconds = checkpoint.step / replay.meta.rate
            found.append(Margin(len(found), checkpoint.step, seconds, who, told, firm[place]))
            before = checkpoint.step
    return tuple(found)


def _led_to(replay: Replay, before: int, until: int) -> tuple[str, str]:
    """Returns who moved a piece between two steps, and the last line about where it came to."""
    who = mover = told = ""
    for step, entry in replay.events:
        given = entry["input"]
        player = given.get("player")
        who = player if isinstance(player, str) and player else who
        if before < step <= until and given["type"] in KINDS:
            # a stranger may have written anything there
            story = entry.get("story")
            texts = [text for text in story if isinstance(text, str)] if isinstance(story, list) else []
            lines = [text for text in texts if not text.startswith(TURN)]
            mover, told = who, clean(lines[-1]) if lines else told
    return mover, told


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
    recorded = _recorded(replay)
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


def _cause(recorded: _Recorded, at: int, checkpoint: Checkpoint, margins: Sequence[Margin]) -> Cause:
    """Returns why the fall at one of the inputs happened. checkpoint: the last one before it."""
    step, given = recorded.steps[at], recorded.taken[at][1]
    assert isinstance(given, Fell)
    piece, let_go = "", None
    for then, (_, each, _) in zip(recorded.steps[:at], recorded.taken[:at], strict=True):
        if isinstance(each, Placed | CountElapsed):
            piece, let_go = "", None
        elif then >= checkpoint.step and (named := getattr(each, "piece", "")):
            piece, let_go = named, then if isinstance(each, Released) else None
    if let_go is None and piece in given.pieces:
        # as it is lowered: where it touched
        let_go = step
    tower = recorded.tower(checkpoint)
    known = [each.tilt_deg for each in margins if each.step == checkpoint.step]
    way, tilt = (_way(tower), known[0]) if known else _firmness(tower)
    was_there = any(body.name == piece for body in tower.free)
    rest = replace(tower, bodies=tuple(body for body in tower.bodies if body.name != piece))
    missing = None
    if let_go is not None:
        stood, alone = (way, tilt is not None), given.pieces == (piece,)
        said, missing = _why_let_go(recorded, rest, piece, (let_go, step), stood, alone)
    elif was_there and tilt is not None:
        said, missing = why_drawn(rest, piece, way)
    elif was_there:
        said = f"{capital(piece)} was being moved; {UNKNOWN}"
    elif piece:
        said = f"The tower was knocked over while {piece} was still in the hand"
    else:
        said = "Nobody was moving a piece"
    if missing is None and let_go is None:
        said += _first_to_go(recorded, tower, piece, range(checkpoint.step, step))
    sentence = f"{said}{_since(margins, tilt)}."
    for name in recorded.bodies:
        words = name.replace("_", " ")
        sentence = sentence.replace(name, words).replace(capital(name), capital(words))
    seconds = step / recorded.replay.meta.rate
    return Cause(step, seconds, piece, let_go is not None, given.pieces, missing, tilt, sentence)


def _why_let_go(
    recorded: _Recorded,
    rest: Assembly,
    piece: str,
    span: tuple[int, int],
    stood: tuple[int, bool],
    alone: bool,
) -> tuple[str, float | None]:
    """Returns why a tower falls on which a piece was let go, and the missing millimetres. Where it would have stood, it
    is asked about where it had slid to before it leaned over. span: steps from then until the fall. stood: the way in
    which the tower did, and whether that is known. alone: nothing else fell, so a fall of more is not believed."""
    (let_go, fall), (way, is_known) = span, stood
    laid, own = _let_go(recorded, rest, piece, let_go), capital(piece)
    said, missing = why_laid(rest, laid, piece, way, is_known=is_known)
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
    slid = _let_go(recorded, rest, piece, place)
    up = 1e3 * max(begun.position[2] - laid.pose.position[2], 0.0)
    aside = 0.0 if slid is None else 1e3 * math.dist(begun.position[:2], slid.pose.position[:2])
    how = f"{up:.0f} mm up, moving at {speed:.2f} m/s, and slid {aside:.0f} mm"
    there, beyond = why_laid(rest, slid, piece, way, is_known=is_known)
    if beyond is not None and (there.startswith(own) or not alone):
        return f"{own} was let go {how}: there {there.replace(own, 'it', 1)}", beyond
    if missing is not None:
        return f"{own} was let go {how}", None
    return said.replace(HARD, f"it came from {how}").replace(f"; {UNKNOWN}", f" {how}; {UNKNOWN}"), None


def _first_to_go(recorded: _Recorded, tower: Assembly, piece: str, span: range) -> str:
    """Returns which other piece left its place first, and how far what was moved had come by then: the end of a
    sentence."""
    begun = {body.name: body.pose.position for body in tower.free}
    for step in span[:: recorded.replay.meta.rate // LOOKS]:
        now = recorded.replay.named(recorded.replay.pose_at(step))
        come = {name: math.dist(now[name][:3], place) for name, place in begun.items() if name in now}
        for name, metres in come.items():
            if name != piece and metres > GONE:
                first = f"; {name} was the first to move"
                return (
                    f"{first}, when {piece} had come {1e3 * come[piece]:.0f} mm" if piece in come else first
                )
    return ""


def _at(recorded: _Recorded, piece: str, step: int) -> Pose:
    return Pose.of_row(recorded.replay.named(recorded.replay.pose_at(step))[piece].tolist())


def _let_go(recorded: _Recorded, rest: Assembly, piece: str, step: int) -> Body | None:
    """Returns a piece where it was let go, lying flat if it nearly did, straight down on what is there; None where
    nothing is known to lie below."""
    row = recorded.replay.named(recorded.replay.pose_at(step)).get(piece, np.full(7, np.nan)).tolist()
    if not np.isfinite(row[0]) or piece not in recorded.bodies:
        return None
    body = replace(recorded.bodies[piece].at(Pose.of_row(row)), fixed=False)
    matrix, down = body.pose.matrix, np.array([0.0, 0.0, -1.0])
    normals = [matrix @ face.normal for face in resting_faces(body.piece)]
    if normals:
        lowest = max(normals, key=lambda normal: float(normal @ down))
        if lowest @ down > np.cos(FLAT):
            level = quaternion_of(shortest_rotation(lowest, down) @ matrix)
            body = body.at(Pose(body.pose.position, level))
    return DropTarget.of(rest.bodies).dropped(body)


def why_laid(
    rest: Assembly, laid: Body | None, piece: str, way: int, *, is_known: bool = True
) -> tuple[str, float | None]:
    """Returns why a tower falls on which a piece was laid, and the missing millimetres. way: of `WAYS`, in which it
    stood before. is_known: forces balance it in that way; else only the piece's own fall is believed."""
    if laid is None:
        return f"{capital(piece)} was let go with nothing known to lie below it", None
    scene = replace(rest, bodies=(*rest.bodies, laid))
    if rest.free and _carrying(scene, piece) == {TABLE}:
        return f"{capital(piece)} came down beside the tower, on the table", None
    found = _fall(scene, way)
    if not is_known and (found is None or found[0].moves != (piece,)):
        # what nobody knows to stand lies as it does: does the piece lie on it?
        lying = tuple(replace(body, fixed=True) for body in rest.bodies)
        found = _fall(replace(rest, bodies=(*lying, laid)), WAYS.index(_near))
        if found is not None and found[0].edge is not None:
            found = replace(found[0], room=None), found[1]
    if not is_known and (found is None or found[0].moves != (piece,)):
        return f"{capital(piece)} had been let go; {UNKNOWN}", None
    if found is None:
        held = f"{capital(piece)} would have stood where it was let go{_by(scene, way)}"
        return f"{held}: {HARD}", None
    why, statics = found
    beyond = _beyond(scene, why)
    if beyond is None or piece not in why.moves:
        return _told(why, statics)
    if beyond < LEAST:
        return f"{capital(piece)} was so finely balanced that the least push tips it", 0.0
    if why.room is None and why.edge is not None and math.dist(*why.edge) < POINT:
        return f"{capital(piece)} came down on a single point, {beyond:.1f} mm off its centre of mass", beyond
    # the others stay where they are: the piece alone has to bring their common centre back
    missing = beyond * sum(body.piece.mass for body in scene.free if body.name in why.moves) / laid.piece.mass
    return f"{capital(piece)} stood {missing:.1f} mm too far out", missing


def _carrying(scene: Assembly, piece: str) -> set[str]:
    """Returns what a piece touches."""
    contacts = find_contacts(scene, *TOUCH_FOR_HINTS, only={piece})
    pairs = zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)
    links = [{contacts.names[one], contacts.names[other]} for one, other in pairs] + [
        *map(set, contacts.curved)
    ]
    return {name for link in links if piece in link for name in link} - {piece}


def _beyond(scene: Assembly, why: Explanation) -> float | None:
    """Returns the level millimetres from the edge over which pieces tip to their centre of mass; None where they slide
    or drop. Where what is below gives way too `Explanation.room` is not known, the edge is."""
    if why.room is not None or why.edge is None or why.kind != "tips":
        return None if why.room is None else -1e3 * why.room
    mine = [body for body in scene.free if body.name in why.moves]
    masses = np.array([body.piece.mass for body in mine])
    centres = np.array([body.pose.apply(body.piece.centre_of_mass) for body in mine])
    start, end = (np.array(each)[:2] for each in why.edge)
    arm, along = (masses @ centres / masses.sum())[:2] - start, end - start
    length = float(np.linalg.norm(along))
    across = arm if length < POINT else arm - along * (arm @ along) / length**2
    return 1e3 * float(np.linalg.norm(across))


def why_drawn(rest: Assembly, piece: str, way: int) -> tuple[str, float | None]:
    """Returns why a tower falls out of which a piece is drawn, and the missing millimetres."""
    found = _fall(rest, way)
    if found is None:
        said = f"The tower would have stood without {piece}{_by(rest, way)}: it was dragged or knocked over"
        return said, None
    said, missing = _told(*found)
    return f"Without {piece}, {said[:1].lower()}{said[1:]}", missing


def _told(why: Explanation, statics: Statics) -> tuple[str, float | None]:
    said = sentences(why, statics)[0].rstrip(".")
    if why.room is None or -1e3 * why.room < LEAST:
        return said, None if why.room is None else 0.0
    return f"{said}; {-1e3 * why.room:.1f} mm are missing", -1e3 * why.room


def _sunk(scene: Assembly) -> Touching | None:
    """Returns level pieces where they rest on each other like wood, with their contacts."""
    lower = at_rest(scene)
    return None if lower is None else (lower, contacts_at_rest(lower))


def _near(scene: Assembly) -> Touching:
    return scene, find_contacts(scene, *TOUCH_FOR_HINTS)


def _leaning(scene: Assembly) -> Touching:
    """Returns a scene with contacts between faces that lean by as much as those of a tower pressed askew."""
    return scene, find_contacts(scene, REACH, TILT)


WAYS: tuple[Callable[[Assembly], Touching | None], ...] = (_sunk, _near, _leaning)
"""How pieces at rest are taken to touch: the first way in which a tower stands that did stand."""


def _firmness(scene: Assembly) -> tuple[int, float | None]:
    """Returns the way in which a scene at rest stands, and its tilt margin (degrees); None where none balances it."""
    for number, way in enumerate(WAYS if scene.free else ()):
        touching = way(scene)
        tilt = None if touching is None else _tilt(*touching)
        if tilt is not None:
            return number, tilt
    return 0, None


def _way(scene: Assembly) -> int:
    """Returns the way in which a scene at rest stands, as `_firmness` does, without asking how firmly."""
    ways = enumerate(way(scene) for way in (WAYS if scene.free else ()))
    return next((number for number, touching in ways if touching and _stands(*touching)), 0)


def _tilt(scene: Assembly, contacts: Contacts) -> float | None:
    try:
        if contacts.curved:
            found = analyse(scene, contacts=contacts, loads=False, follow=False)
            return found.tilt_deg if found.stands else None
        if stands(scene, contacts=contacts):
            return float(tilt_margin(balance_of(scene, contacts)).degrees)
    except (StaticsError, ValueError):
        return None
    return None


def _stands(scene: Assembly, contacts: Contacts) -> bool:
    """Returns whether forces balance what `_tilt` tells the margin of."""
    try:
        if contacts.curved:
            return bool(analyse(scene, contacts=contacts, loads=False, margins=False, follow=False).stands)
        return bool(stands(scene, contacts=contacts))
    except (StaticsError, ValueError):
        return False


def _fall(scene: Assembly, way: int) -> tuple[Explanation, Statics] | None:
    """Returns how a scene falls; None where forces balance it, or statics is silent."""
    place, contacts = WAYS[way](scene) or _near(scene)
    try:
        statics = analyse(place, contacts=contacts, loads=False, margins=False)
        why = explain(place, statics, contacts)
    except (StaticsError, ValueError):
        return None
    return None if why is None or why.stands else (why, statics)


def _by(scene: Assembly, way: int) -> str:
    touching = WAYS[way](scene)
    tilt = None if touching is None else _tilt(*touching)
    return "" if tilt is None else f", with {tilt:.1f} degrees in hand"


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
