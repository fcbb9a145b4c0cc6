"""The process behind hints: answers questions about what lies on a table, by force balance and by simulation."""

import math
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.tolerances import FALL_DROP_SEEN, TOUCH_FOR_HINTS
from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.margins import horizontal
from teeter.engine.topple.balance.rocking import rocking_of
from teeter.engine.topple.balance.statics import tilt_margin
from teeter.engine.topple.contact.detection import Contacts, find_contacts
from teeter.engine.topple.laboratory.probe import Settled, probe_piece, settle
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.view.camera import Vector
from teeter.engine.world.body import Assembly, Body, Scale, tilted_gravity
from teeter.engine.worlds import new_world
from teeter.games.core.words import capital
from teeter.games.game import Game
from teeter.games.play.coach import Looker
from teeter.games.play.preview import HAIR, LayPreview, Previewer, UnsteadyError
from teeter.games.present.asking import (
    Answer,
    CheckAnswer,
    CheckQuestion,
    FeelAnswer,
    FeelQuestion,
    LoadsAnswer,
    NearestAnswer,
    PlaceAnswer,
    PlaceQuestion,
    Question,
    Risk,
    Rows,
    WhyAnswer,
    WhyQuestion,
)
from teeter.games.registry import game_named

SAFE_DEG = 3.0
"""A tower that the table may be tilted by so much is safe from a hand that lets go."""
NEAREST_S = 1.5
"""Seconds of work for the nearest place that stands: a hand that moves on waits no longer for what it asks next."""
ELSEWHERE = "It would slip off, and nobody can say where it ends up"
"""Of a piece that slides off, or tips over, to where no rule is against it: it may do so otherwise."""
PUSHED = 1e-3
"""Metres that what lies may creep while a piece is carried, without having been pushed."""
SHIFTS = 6e-3
"""Metres that a piece goes before it lies still on what no balance can judge, from which on it may as well fall."""
MAY_FALL = "It shifts {:.0f} mm before it lies still, and may fall"
TRIED = "It falls where it is tried, and may fall here"
"""Of a piece on curves, on a table that lies otherwise by more than a hair: a millimetre decides there."""
UNSETTLED = "It goes on moving for seconds, and may fall"
UNSTEADY = "What lies there hardly stands as it is: all of it may fall"
PRESSING_S, LEAST_N = 0.2, 1e-3
"""Seconds after which contact forces are read, and newtons that are shown."""

Known = dict[str, Body]


class Trier:
    """Tries places in one game: on a table of its own, and at a look."""

    def __init__(self, game: Game) -> None:
        self.previewer = Previewer(game)
        self._game = game
        self._looker: Looker | None = None

    def looker(self, asked: PlaceQuestion, known: Known) -> Looker:
        """Returns what looks at places where all else lies as it is asked; kept as long as it does."""
        lying = _lying(asked.rows, known)
        if self._looker is None or not self._looker.lies(asked.state, lying):
            self._looker = Looker(self._game, asked.state, lying, self.previewer)
        return self._looker


class Feeler:
    """Feels pieces of a tower, which is let come to rest once, as long as it stands as it did."""

    def __init__(self) -> None:
        self._rows: Rows = ()
        self._settled: Settled | None = None

    def answer(self, asked: FeelQuestion, known: Known) -> Answer:
        """Returns what a finger feels."""
        if self._settled is None or asked.rows != self._rows:
            self._settled = settle(Assembly("tower", _lying(asked.rows, known)))
            self._rows = asked.rows
        if not asked.piece:
            return LoadsAnswer(self._settled.loads)
        result = probe_piece(self._settled, asked.piece)
        return FeelAnswer(result.load, result.pull, result.stands_without, result.loose)


def answerer() -> Callable[[list[Body], Question], Answer]:
    """Returns what answers in the process; the news are bodies, wherever they are."""
    known: Known = {}
    triers: dict[str, Trier] = {}
    feeler = Feeler()

    def answer(news: list[Body], asked: Question) -> Answer:
        known.update({body.name: body for body in news})
        if isinstance(asked, PlaceQuestion):
            if asked.game not in triers:
                triers[asked.game] = Trier(game_named(asked.game))
            return _answer_laying(asked, known, triers[asked.game])
        if isinstance(asked, FeelQuestion):
            return feeler.answer(asked, known)
        return answer_why(asked) if isinstance(asked, WhyQuestion) else answer_check(asked, known)

    return answer


def _lying(rows: Rows, known: Known) -> tuple[Body, ...]:
    return tuple(known[name].at(pose) for name, pose in rows)


def _gravity(asked: PlaceQuestion | CheckQuestion) -> Vector:
    return tilted_gravity(*map(math.radians, asked.lean))


def _pushed(asked: PlaceQuestion, known: Known) -> dict[str, Body]:
    """Returns where that lay, as the piece was taken up, which was pushed since."""
    lies = dict(asked.rows)
    return {
        name: known[name].at(pose)
        for name, pose in asked.taken
        if name in lies and math.dist(pose.position, lies[name].position) > PUSHED
    }


def _answer_laying(asked: PlaceQuestion, known: Known, trier: Trier) -> Answer:
    answers: dict[str, Callable[[PlaceQuestion, Known, Trier], Answer]]
    answers = {"look": _answer_look, "all": _answer_place, "nearest": _answer_nearest, "nothing": _lay}
    trier.previewer.earlier, trier.previewer.gravity = _pushed(asked, known), _gravity(asked)
    try:
        return answers[asked.wanted](asked, known, trier)
    except UnsteadyError:
        return NearestAnswer(None) if asked.wanted == "nearest" else PlaceAnswer("risky", 0.0, None, UNSTEADY)
    except (ValueError, RuntimeError):
        unknown = PlaceAnswer("", 0.0, None, is_first=asked.wanted == "look")
        return NearestAnswer(None) if asked.wanted == "nearest" else unknown


def _answer_place(asked: PlaceQuestion, known: Known, trier: Trier) -> PlaceAnswer:
    game, lying = game_named(asked.game), _lying(asked.rows, known)
    held = known[asked.held].at(asked.pose)
    preview = trier.previewer.preview(asked.state, lying, held, is_over_with_fall=True)
    falls = _far(preview, asked.pose) > FALL_DROP_SEEN and bool(preview.fell)
    if falls:
        # what is lowered by a hand turns until it lies, and may stay where it would slip off by itself
        preview = trier.previewer.preview(asked.state, lying, held, by_hand=True)
    mover = game.rules.needs(asked.state).player
    is_end = preview.outcome is not None and mover not in preview.outcome.winners
    # a piece that comes down far from where it is held, but lies, does not fall: it may break a rule
    way = _far(preview, asked.pose)
    if way > FALL_DROP_SEEN and preview.fell:
        if preview.fell == (asked.held,) and trier.previewer.off > HAIR and _rocks(lying, held):
            return PlaceAnswer("risky", 0.0, preview.rest, TRIED)
        return PlaceAnswer("falls", 0.0, preview.rest, "", is_end)
    if why := _against(preview, asked.held):
        if preview.is_hairline and not preview.fell and preview.hit is None:
            why = " and ".join(condition.missed for condition in preview.broken)
            return PlaceAnswer("risky", 0.0, preview.rest, f"Risky: {why}, by a hair")
        return PlaceAnswer("against", 0.0, preview.rest, why, is_end)
    if preview.rest is None:
        return PlaceAnswer("risky", 0.0, None, UNSETTLED)
    if way > FALL_DROP_SEEN:
        return PlaceAnswer("falls", 0.0, preview.rest, ELSEWHERE, is_end)
    if falls:
        return PlaceAnswer("risky", 0.0, preview.rest, MAY_FALL.format(1e3 * way))
    if preview.narrow and not asked.is_drawn_in:
        return PlaceAnswer("risky", 0.0, preview.rest, _narrow(preview))
    play = game.judge.in_play(asked.state)
    scene = (*(body for body in lying if body.fixed or body.name in play), held.at(preview.rest))
    try:
        risk, tilt = _leeway(Assembly("what if", scene), _gravity(asked))
    except (ValueError, RuntimeError):
        risk, tilt = "", 0.0
    if way > SHIFTS and (not risk or _rocks(lying, held.at(preview.rest))):
        return PlaceAnswer("risky", 0.0, preview.rest, MAY_FALL.format(1e3 * way))
    if not risk:
        why = "It stands when it is tried; how firmly, nobody can say"
        return PlaceAnswer("risky", 0.0, preview.rest, why)
    return PlaceAnswer(risk, tilt, preview.rest)


def _lay(asked: PlaceQuestion, known: Known, trier: Trier) -> PlaceAnswer:
    trier.previewer.lay(asked.state, _lying(asked.rows, known))
    return PlaceAnswer("", 0.0, None, is_first=True)


def _rocks(lying: tuple[Body, ...], held: Body) -> bool:
    """Whether a piece would touch what lies there on a curve."""
    scene = Assembly("what if", (*lying, replace(held, fixed=False)))
    return bool(find_contacts(scene, *TOUCH_FOR_HINTS, only={held.name}).curved)


def _far(preview: LayPreview, place: Pose) -> float:
    """Returns how far from its place a piece comes to rest, metres."""
    return math.inf if preview.rest is None else math.dist(preview.rest.position, place.position)


def _answer_look(asked: PlaceQuestion, known: Known, trier: Trier) -> PlaceAnswer:
    """By force balance and the rules alone."""
    look = trier.looker(asked, known).look(known[asked.held].at(asked.pose))
    if look.stands is False:
        return PlaceAnswer("falls", 0.0, asked.pose, is_first=True, towards=look.towards)
    if look.stands is None:
        return PlaceAnswer("", 0.0, asked.pose, is_first=True)
    is_close, narrow = look.found.is_close, look.found.narrow
    if (asked.is_drawn_in or not is_close) and (why := _against(look.found, asked.held)):
        return PlaceAnswer("against", 0.0, asked.pose, why, is_first=True)
    if narrow and not asked.is_drawn_in:
        return PlaceAnswer("risky", 0.0, asked.pose, _narrow(look.found), is_first=True)
    return PlaceAnswer("safe", 0.0, asked.pose, is_first=True)


def _answer_nearest(asked: PlaceQuestion, known: Known, trier: Trier) -> NearestAnswer:
    def confirms(there: Body) -> bool:
        return not _answer_place(replace(asked, pose=there.pose), known, trier).is_bad

    held = known[asked.held].at(asked.pose)
    looker = trier.looker(asked, known)
    until = time.process_time() + NEAREST_S
    return NearestAnswer(looker.nearest(held, confirms, lambda: time.process_time() > until))


def _narrow(preview: LayPreview) -> str:
    """Which rule it would break where it is laid a little off, in a sentence."""
    return f"Risky: {preview.narrow[0].missed}, if it lands a little off"


def _against(preview: LayPreview, held: str) -> str:
    """Which rule laying a piece would break, in a sentence; empty for none."""
    if preview.fell and not (preview.fell == (held,) and preview.broken):
        # of a piece that ends where it may not the condition says more
        return "It would count as fallen" if held in preview.fell else "Another piece would fall"
    if preview.hit is not None:
        return f"It would lie against the tower of {preview.hit}"
    return capital(preview.broken[0].missed) if preview.broken else ""


def _leeway(scene: Assembly, gravity: Vector) -> tuple[Risk, float]:
    """Returns how firmly pieces stand that were seen to come to rest; empty where a force balance cannot say."""
    contacts = find_contacts(scene, *TOUCH_FOR_HINTS)
    if contacts.curved:
        return _leeway_on_curves(scene, contacts, gravity)
    tilt = tilt_margin(balance_of(scene, contacts, gravity=gravity), is_quick=True).degrees
    return ("safe" if tilt >= SAFE_DEG else "risky"), float(tilt)


def _leeway_on_curves(scene: Assembly, contacts: Contacts, gravity: Vector) -> tuple[Risk, float]:
    rocking = rocking_of(scene, contacts, gravity, None)
    if rocking is None or not rocking.judged(rocking.balance.acting).stands:
        return "", 0.0
    balance, most = rocking.balance, math.tan(math.radians(SAFE_DEG))
    level = np.stack([balance.load(way) for way in horizontal(balance.down)], axis=1)
    pull, _ = rocking.margin(balance.acting, level, most)
    return ("safe", 0.0) if pull >= most else ("risky", math.degrees(math.atan(pull)))


def answer_why(asked: WhyQuestion) -> WhyAnswer:
    """Returns why pieces fell the last time in a game on file."""
    from teeter.engine.record.format import RecordError
    from teeter.engine.record.reader import load
    from teeter.games.play.causes import causes_of

    try:
        causes = causes_of(load(asked.file), only_last=True)
    except RecordError:
        return WhyAnswer("")
    return WhyAnswer(causes[-1].sentence if causes else "")


def answer_check(asked: CheckQuestion, known: Known) -> CheckAnswer:
    """Returns the checker's verdict on everything that lies there. known: the bodies by name, wherever they were."""
    scene = Assembly("table", _lying(asked.rows, known))
    if not scene.free:
        return CheckAnswer("", "There is nothing on the table to check.", "", ())
    tilt, towards = map(math.radians, asked.lean)
    verdict = check(scene, CheckOptions(settle=1e-3, workers=1, tilt=tilt, tilt_direction=towards))
    statics = verdict.statics
    text = "The simulation alone decides: " + statics.why if statics.stands is None and statics.why else ""
    if statics.tilt_deg is not None and verdict.word == "stands":
        text = f"The table could tilt by {statics.tilt_deg:.1f} degrees{' more' if tilt else ''}"
        if statics.push_n is not None:
            text += f"; a push of {statics.push_n:.2f} N at the top moves it"
    first = statics.weakest or verdict.dynamics.first_to_move or ""
    if tilt:
        text = ". ".join(
            filter(None, (f"On the table as it is tilted, by {asked.lean[0]:.1f} degrees", text))
        )
    return CheckAnswer(verdict.word, text, first, _arrows(scene, _gravity(asked)))


def _arrows(scene: Assembly, gravity: Vector) -> tuple[tuple[Vector, Vector], ...]:
    """Where and how hard pieces press on each other, as the simulation has it after a moment: pieces at rest in it
    hardly ever meet as exactly as a force balance wants."""
    with new_world(scene.bodies, scale=Scale.of(scene.bodies).finer) as world:
        world.set_gravity(gravity)
        world.settle()
        contacts = world.advance(round(PRESSING_S * world.rate), contacts=True).contacts or ()
    return tuple(
        (
            contact.point,
            (
                contact.force * contact.normal[0],
                contact.force * contact.normal[1],
                contact.force * contact.normal[2],
            ),
        )
        for contact in contacts
        if contact.force > LEAST_N
    )
