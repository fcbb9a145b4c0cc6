"""`teeter replay FILE`: a recording in a window, with a scrub bar, to be checked and gone on with at any moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.record.motion import motion_of
from engine.record.reader import Replay, load
from engine.view.camera import Camera
from engine.view.frame import Frame
from engine.view.render import mannequin
from engine.view.video import director
from engine.view.video.director import CameraName
from engine.view.video.scenery import Holder, Scenery
from engine.view.window.events import Clicked, Event, Press, Slid
from engine.world import FLOOR, Body
from games.commands.console import OK, refuse
from games.commands.looking import Looker
from games.play.replays import bodies_of, placed, telling_of
from games.play.viewer import ORDERS, ViewerState, assembly_at, line_at, marks_of, ordered, panels

PLANNED = 5
"""Pictures a second for which a camera is planned; between them it goes straight."""


def run(file: Path) -> int:
    """Open the window and stay until it is closed; the exit code. Raises ViewError and RecordError."""
    replay = load(file)
    if not len(replay.steps):
        refuse(f"{file}: the recording has no pictures: nothing happened in it")
    viewer = Viewer(replay)
    viewer.run()
    if viewer.forked is not None:
        from games.commands.window import run as open_window
        from games.ui.opening import plan_of

        return open_window(plan_of(viewer.forked))
    return OK


class Viewer(Looker):
    """The window of one recording. forked: the new game to be gone on with, when the person asked for it."""

    def __init__(self, replay: Replay) -> None:
        bodies = placed(replay, bodies_of(replay))
        self.replay, self.bodies = replay, bodies
        extents = extents_of(replay, bodies)
        motion = motion_of(replay, np.linalg.norm(extents, axis=1) / 2)
        self.scenery = Scenery(replay, motion, extents)
        self.telling = telling_of(replay)
        self.marks = marks_of(replay, self.scenery)
        self.watching = ViewerState(replay.seconds)
        self.forked: Path | None = None
        self._paths: dict[str, director.CameraPath] = {}
        self._shown: tuple[object, ...] = ()
        hand = tuple(part.at(bodies[0].pose) for part in mannequin.hand_bodies())
        super().__init__(f"{self.telling.title} - teeter", (*bodies, *hand))

    def handle(self, event: Event) -> None:
        """A button, a key, the scrub bar."""
        if isinstance(event, Slid) and event.name == "seek":
            self.watching = self.watching.sought(event.value)
        order = event.name if isinstance(event, Clicked) else ""
        if isinstance(event, Press):
            order = ORDERS.get(event.key, "")
        if order == "check":
            self.watching = replace(self.watching, is_playing=False, forces=True)
            self.judge.ask(assembly_at(self.scenery, self.bodies, self.watching.seconds), self.sphere)
        elif order == "fork":
            self._fork()
        elif order:
            self.watching = ordered(self.watching, order, self.marks)

    def took_over(self) -> None:
        """From the camera where it is, freely."""
        self.watching = replace(self.watching, camera="free")

    def step(self, seconds: float) -> None:
        """Time passes; show what there is."""
        before = self.watching.seconds
        self.watching = self.watching.after(seconds)
        if self.watching.seconds != before:
            self.judge.forget()
        self.judge.hear()
        self.window.aim(self.camera())
        now = (self.watching.seconds,)
        if now != self._shown:
            self._shown = now
            self.window.show(self.frame())
        self.draw_over(self.judge.guides if self.watching.forces else ())
        line = line_at(self.telling.lines, self.watching.seconds)
        self.window.hud.show(panels(self.watching, self.marks, line, self.telling.title, self.judge.said))

    def frame(self) -> Frame:
        """The picture of this moment: every piece, and the hand that holds one."""
        moment = self.watching.seconds
        known = [n for n, name in enumerate(self.replay.meta.names) if name != FLOOR]
        names = tuple(self.replay.meta.names[n] for n in known)
        poses = self.scenery.poses(moment)[known]
        carry = next((each for each in self.scenery.motion.carries if each.begin <= moment <= each.end), None)
        if carry is None:
            return Frame(names, poses)
        body = next(each for each in self.bodies if each.name == self.replay.meta.names[carry.body])
        hand = mannequin.poses(Holder(self.scenery, body, carry).at(moment))
        return Frame((*names, *mannequin.names()), np.concatenate([poses, hand]))

    def camera(self) -> Camera:
        """Where the eye is: the person's own, or as planned for a film."""
        name = self.watching.camera
        if name == "free":
            return self.orbit.camera
        if name not in self._paths:
            moments = np.arange(0.0, self.watching.whole + 1 / PLANNED, 1 / PLANNED)
            kind: CameraName = "follow" if name == "follow" else "director"
            size = self.window.size
            self._paths[name] = director.path(kind, self.scenery, moments, PLANNED, size[0] / size[1])
        path = self._paths[name]
        place = min(self.watching.seconds * PLANNED, len(path.eyes) - 1.001)
        at, part = int(place), place - int(place)
        eye = path.eyes[at] + part * (path.eyes[at + 1] - path.eyes[at])
        target = path.targets[at] + part * (path.targets[at + 1] - path.targets[at])
        return Camera(_triple(eye), _triple(target), path.fov)

    def _fork(self) -> None:
        """Begin a game of its own here, beside the recording, and leave; the recording stays as it is."""
        from engine.record.format import RecordError
        from games.play.playback import checkpoint_at, fork

        target = _free_name(self.replay.path)
        try:
            session, _ = fork(self.replay, checkpoint_at(self.replay, self.watching.seconds), path=target)
        except RecordError as error:
            # what is said goes when time goes on
            self.watching = replace(self.watching, is_playing=False)
            self.judge.said = str(error)
            return
        session.close()
        self.forked = target
        self.window.is_closed = True


def extents_of(replay: Replay, bodies: tuple[Body, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """(bodies, 3) metres in the order of a recording; nothing for what is not drawn."""
    known = {body.name: body.piece.extents for body in bodies}
    return np.array([known.get(name, np.zeros(3)) for name in replay.meta.names], dtype=np.float64)


def _free_name(path: Path) -> Path:
    stem = path.name.removesuffix(".part").removesuffix(".teeter")
    number = 1
    while True:
        target = path.with_name(f"{stem}-{number}.teeter")
        if not target.exists() and not target.with_name(target.name + ".part").exists():
            return target
        number += 1


def _triple(point: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float, float]:
    return (float(point[0]), float(point[1]), float(point[2]))
