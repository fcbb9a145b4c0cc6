"""The wooden hand that people see at the table: it reaches for what is taken, follows it, and withdraws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from teeter.engine.view.frame import Frame
from teeter.engine.view.overlays import Ghost, Overlay
from teeter.engine.view.render import mannequin
from teeter.games.present.client_state import ClientState
from teeter.models.piece import Array, Piece

if TYPE_CHECKING:
    from teeter.engine.view.render.stage import Stage

REACH_IN_S, REACH_OUT_S = 0.25, 0.40
"""Seconds in which the hand comes and goes."""
REACH_DISTANCE = 0.25
"""Metres from which it comes."""
TIP_COLOUR, TIP_COVER = "#f3e2c0", 0.4
"""Of one's own hand only two fingertips are shown, as of glass: it must not hide where a piece is going."""
DRAWN_M = 0.002
"""Metres by which a piece has to move before it is known which way it is drawn."""
ABOVE_M = 0.008
"""Metres by which the middle of a piece that lies on another one is higher, at the least."""


class ShownHand:
    """The hand at one table."""

    def __init__(self) -> None:
        self._held = ""
        self._stage: Stage | None = None
        self._grasp: mannequin.Grasp | None = None
        self._begin: Array = np.zeros(7)
        self._is_under = False
        self._away = 1.0
        self._is_own = False
        self._hand: Array = np.zeros((0, 7))

    def step(self, client: ClientState, stage: Stage, seconds: float, *, is_own: bool) -> bool:
        """Follows what is held. is_own: by the person who looks. Returns whether the hand moved."""
        held = client.held if client.held in client.pieces and client.held in client.frame.names else ""
        if held:
            if self._stage is not stage:
                self._stage = stage
                for body in mannequin.hand_bodies():
                    stage.add(body)
            pose = client.frame.poses[client.frame.names.index(held)]
            if held != self._held:
                self._grasp, self._begin = None, pose.copy()
                self._is_under = _is_under(client, held, pose)
                self._away, self._is_own = 1.0, is_own
            self._grasp = self._grasped(client.pieces[held], pose)
            if self._grasp is not None:
                self._away = max(self._away - seconds / REACH_IN_S, 0.0)
        elif self._grasp is not None:
            self._away += seconds / REACH_OUT_S
            if self._away >= 1.0:
                self._grasp = None
        self._held = held
        last, self._hand = self._hand, np.zeros((0, 7))
        if self._grasp is not None:
            self._hand = mannequin.poses(self._grasp.away(REACH_DISTANCE * self._away**2))
        return not np.array_equal(last, self._hand)

    def _grasped(self, piece: Piece, pose: Array) -> mannequin.Grasp | None:
        """Returns the hand on a piece; None on one that lies under others until it is seen where it is drawn to."""
        last = self._grasp
        if not self._is_under:
            return mannequin.from_above(piece, pose, None if last is None else last.axes[:, 0])
        if last is not None:
            return mannequin.from_outside(piece, pose, last.axes[:, 2])
        along = mannequin.long_axis(piece, pose)
        way = float(along @ (pose[:3] - self._begin[:3]))
        return mannequin.from_outside(piece, pose, along * way) if abs(way) > DRAWN_M else None

    def at_table(self, frame: Frame) -> Frame:
        """Returns a frame with the hand in it, where there is one."""
        if self._is_own or not len(self._hand):
            return frame
        poses = np.concatenate([frame.poses, self._hand])
        airy = frozenset(mannequin.names())
        return replace(frame, names=(*frame.names, *mannequin.names()), poses=poses, airy=airy)

    def guides(self) -> list[Overlay]:
        """Returns the fingertips of one's own hand, where it is seen."""
        if not self._is_own or not len(self._hand):
            return []
        tip = mannequin.fingertip()
        return [Ghost(tip, pose, TIP_COLOUR, TIP_COVER) for pose in mannequin.fingertips(self._hand)]


def _is_under(client: ClientState, held: str, pose: Array) -> bool:
    """Returns whether something lies on a piece."""
    reach = float(np.linalg.norm(client.pieces[held].extents)) / 2
    others = [n for n, name in enumerate(client.frame.names) if name != held and not client.is_fixed(name)]
    off = client.frame.poses[others, :3] - pose[:3]
    aside = np.linalg.norm(off[:, :2], axis=1)
    return bool(((off[:, 2] > ABOVE_M) & (off[:, 2] < 2 * reach) & (aside < 0.6 * reach)).any())
