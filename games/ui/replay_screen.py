"""A recording with a scrub bar, to be checked and gone on with at any moment."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from teeter.engine.pose import vector_of
from teeter.engine.record.reader import Replay
from teeter.engine.topple.verdict import CheckOptions, Verdict, check
from teeter.engine.topple.words import headline, rows
from teeter.engine.view.camera import BoundingSphere, Camera, Orbit, orbit_of
from teeter.engine.view.frame import Frame
from teeter.engine.view.overlays import Overlay
from teeter.engine.view.panels import Button, Panel
from teeter.engine.view.render import mannequin
from teeter.engine.view.render.verdict_picture import overlays_on
from teeter.engine.view.video import director
from teeter.engine.view.video.director import CameraName
from teeter.engine.view.video.scenery import Holder, scenery_of
from teeter.engine.view.window.events import Clicked, Event, Press, Slid
from teeter.engine.view.window.window import Window
from teeter.engine.workers import Failed, Questioner
from teeter.engine.world.body import FLOOR, Assembly
from teeter.games.api.scene import OrbitPointer
from teeter.games.play.causes import with_causes
from teeter.games.play.margins import moment_of
from teeter.games.play.replays import (
    ORDERS,
    ViewerState,
    bodies_of,
    line_at,
    marks_of,
    ordered,
    panels,
    placed,
    telling_of,
)
from teeter.games.present.settings import Settings
from teeter.models.files import first_free

LEAVING = ("escape", "pad_b")
PLANNED = 5
"""Pictures a second for which a camera is planned; between them it goes straight."""
LEAST_FREE = 0.6
"""Of the picture's height: so much shows the recording, whatever lies over it."""
SETTLE = 3e-4
"""Metres of gap and overlap that are closed before a moment of a game is judged."""
CHECK_TIMEOUT_S = 600.0

Checked = tuple[Verdict, list[Overlay]]


def checker() -> Callable[[object, tuple[Assembly, BoundingSphere]], Checked]:
    """Returns what answers in the process that checks what the window shows."""
    return lambda news, question: checked(*question)


def checked(assembly: Assembly, sphere: BoundingSphere) -> Checked:
    """A verdict and what it draws."""
    verdict = check(assembly, CheckOptions(settle=SETTLE, workers=1))
    return verdict, overlays_on(verdict, sphere)[0]


class MomentChecker:
    """Checks moments of a recording beside the window, one at a time. said: the answer in words."""

    def __init__(self) -> None:
        self._questions: Questioner[tuple[Assembly, BoundingSphere], Checked] = Questioner(
            "check", "teeter.games.ui.replay_screen:checker", CHECK_TIMEOUT_S
        )
        self.said, self._without, self._asked = "", "", 0
        self.guides: list[Overlay] = []

    def ask(self, assembly: Assembly, sphere: BoundingSphere, held: str) -> None:
        """Ask about a scene. held: what was left out of it, because a hand holds it."""
        self.said, self.guides = "Checking ...", []
        self._without = f"Without {held}, which is in the hand:\n" if held else ""
        self._asked = self._questions.ask((assembly, sphere))

    def step(self) -> None:
        """Take in the answer."""
        for answer in [given for number, given in self._questions.poll() if number == self._asked]:
            if isinstance(answer, Failed):
                self.said = f"It cannot be judged: {answer}"
                continue
            verdict, self.guides = answer
            facts = [f"{label}: {text}" if label else text for label, text in rows(verdict)]
            self.said = self._without + "\n".join([headline(verdict), *facts])

    def forget(self) -> None:
        """Drop what was said, once the scene is another one."""
        self.said, self.guides, self._asked = "", [], 0

    def close(self) -> None:
        """Stop checking."""
        self._questions.close()


class Viewer:
    """A recording in a window: left drag turns, right drag moves, the wheel zooms. is_alone: there is nothing to which
    Esc goes back.

    forked: the new game to be gone on with, when the person asked for it.
    """

    is_typing = is_carrying = is_scanned = False
    hand = camera_control = plan = None

    def __init__(self, replay: Replay, window: Window, settings: Settings, *, is_alone: bool = False) -> None:
        bodies = placed(replay, bodies_of(replay))
        self.replay, self.bodies = replay, bodies
        self.scenery = scenery_of(replay, bodies)
        telling = telling_of(replay)
        # why pieces fell takes a while, and stood at the end of the game already
        self.telling = with_causes(telling, replay) if is_alone else telling
        self.marks = marks_of(replay, self.scenery)
        self.watching = ViewerState(replay.seconds)
        self.forked: Path | None = None
        self._paths: dict[tuple[str, float], director.CameraPath] = {}
        self._shown: tuple[object, ...] = ()
        hand = tuple(part.at(bodies[0].pose) for part in mannequin.hand_bodies())
        self.window, self.settings, self._is_alone = window, settings, is_alone
        self.wish = self.lit = self._word = ""
        self.sphere = self.window.put((*bodies, *hand)).sphere
        self.orbit: Orbit = orbit_of(self.sphere)
        self.checker = MomentChecker()
        self.pointer = OrbitPointer()

    def handle(self, event: Event) -> None:
        """A button, a key, the scrub bar, the pointer."""
        self._turn(event)
        if isinstance(event, Slid) and event.name == "seek":
            self.watching = self.watching.sought(event.value)
        order = event.name if isinstance(event, Clicked) else ""
        if isinstance(event, Press):
            order = "leave" if event.key in LEAVING and not self._is_alone else ORDERS.get(event.key, "")
        if order == "leave":
            self.wish = "menu"
        elif order == "check":
            self.watching = replace(self.watching, is_playing=False, forces=True)
            lying, held = moment_of(self.scenery, self.bodies, self.watching.seconds)
            self.checker.ask(lying, self.sphere, held)
        elif order == "fork":
            self._fork()
        elif order:
            self.watching = ordered(self.watching, order, self.marks)

    def _turn(self, event: Event) -> None:
        """Turn, move or zoom the camera: from where it is, and freely from then on."""
        orbit = self.pointer.turned(self.orbit, event, self.window)
        if orbit is not self.orbit:
            self.orbit = orbit
            self.watching = replace(self.watching, camera="free")

    def step(self, seconds: float) -> None:
        """Time passes; show what there is."""
        before = self.watching.seconds
        self.watching = self.watching.after(seconds)
        if self.watching.seconds != before:
            self.checker.forget()
            self._word = ""
        self.checker.step()
        self.window.aim(self.camera())
        now = (self.watching.seconds,)
        if now != self._shown:
            self._shown = now
            self.window.show(self.frame())
        guides = self.checker.guides if self.watching.forces else ()
        # seen through the pieces they lie in
        if self.window.stage is not None and self.window.stage.show_overlays(guides, through=True):
            self.window.is_new = True

    def panels(self) -> tuple[Panel, ...]:
        """What lies over the picture."""
        line = line_at(self.telling.lines, self.watching.seconds)
        shown = panels(self.watching, self.marks, line, self.telling.title, self.checker.said, self._word)
        back = Panel(
            "back", "top-right", (Button("leave", "Back", "accent", key="Esc"),), width=110, is_bare=True
        )
        return tuple(shown) if self._is_alone else (*shown, back)

    def say(self, line: str) -> None:
        """Say something, until time goes on."""
        self._word = line

    def close(self) -> None:
        """Another screen comes."""
        self.checker.close()
        self.window.clear()

    def frame(self) -> Frame:
        """The picture of this moment: every piece, and the hand that holds one."""
        moment = self.watching.seconds
        known = [n for n, name in enumerate(self.replay.meta.names) if name != FLOOR]
        names = tuple(self.replay.meta.names[n] for n in known)
        poses = self.scenery.poses(moment)[known]
        carry = next(
            (carry for carry in self.scenery.motion.carries if carry.begin <= moment <= carry.end), None
        )
        unread = self.telling.unread_at(moment).intersection(names)
        if carry is None:
            return Frame(names, poses, unread=unread)
        body = next(body for body in self.bodies if body.name == self.replay.meta.names[carry.body])
        hand = mannequin.poses(Holder(self.scenery, body, carry).at(moment))
        return Frame((*names, *mannequin.names()), np.concatenate([poses, hand]), unread=unread)

    def camera(self) -> Camera:
        """Where the eye is: the person's own, or as planned for a film."""
        name = self.watching.camera
        if name == "free":
            return self.orbit.camera
        (width, height), part = self.window.size, self._free
        aspect = round(width / (height * part), 2)
        if (name, aspect) not in self._paths:
            moments = np.arange(0.0, self.watching.whole + 1 / PLANNED, 1 / PLANNED)
            kind: CameraName = "follow" if name == "follow" else "director"
            self._paths = {(name, aspect): director.path(kind, self.scenery, moments, PLANNED, aspect)}
        path = self._paths[name, aspect]
        at, ticks = self.watching.seconds * PLANNED, np.arange(len(path.eyes))
        eye, target = (
            np.array([np.interp(at, ticks, along) for along in rows.T]) for rows in (path.eyes, path.targets)
        )
        return Camera(vector_of(eye), vector_of(target), path.fov).above(part)

    @property
    def _free(self) -> float:
        """The part of the picture's height that is above the scrub bar."""
        region, height = self.window.hud.layout.region("seek"), self.window.size[1]
        return 1.0 if region is None else max(region.rect.y / height, LEAST_FREE)

    def _fork(self) -> None:
        """Begin a game of its own here, beside the recording, and leave; the recording stays as it is."""
        from teeter.engine.record.format import RecordError
        from teeter.games.play.playback import checkpoint_at, fork

        path = self.replay.path
        stem = path.name.removesuffix(".part").removesuffix(".teeter")
        target = first_free(lambda number: path.with_name(f"{stem}-{number}.teeter"))
        try:
            begin = checkpoint_at(self.replay, self.watching.seconds)
            session, recorder = fork(self.replay, begin, path=target)
        except RecordError as error:
            # what is said goes when time goes on
            self.watching = replace(self.watching, is_playing=False)
            self.say(str(error))
            return
        session.close()
        if recorder is not None:
            # the game that goes on is of another process
            recorder.leave()
        self.forked, self.wish = target, "fork"
