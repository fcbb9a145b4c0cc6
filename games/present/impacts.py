"""Impacts, detected in what is seen: a piece whose speed changes at once, by more than gravity does, was struck."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from teeter.engine.settings import GRAVITY
from teeter.engine.tolerances import IMPACT_JUMP_LIVE, is_impact
from teeter.engine.view.camera import Camera
from teeter.engine.view.sound import (
    CREAK_S,
    RATE,
    VARIANTS,
    Speaker,
    creak_samples,
    echoed,
    impact_samples,
    sides_of,
    tick_samples,
    variant_of,
)
from teeter.engine.world.body import TABLE
from teeter.games.server.messages import TableView
from teeter.models.piece import Array, Piece

ONE_IMPACT_S = 0.05
"""Seconds in which changes of speed are one impact."""
MOST_IMPACTS = 6
"""Impacts a view, the strongest."""
LAID_SPEED = 0.035
"""m/s with which a piece is heard that a hand lays down: slower than any blow."""
CREAK_N, SLIPS = 0.6, (5e-4, 0.06)
"""Newtons on a brick, and metres a second with which it moves, when it creaks."""
LOW = 0.004
"""Metres above the table top within which a piece knocks on the table."""


@dataclass(frozen=True, slots=True)
class PieceImpact:
    """An impact. impulse: newton seconds. on: what was struck, a piece or the table. place: metres."""

    piece: str
    impulse: float
    on: str
    place: tuple[float, float, float]


class ImpactDetector:
    """Listens to one table."""

    def __init__(self) -> None:
        self._last: TableView | None = None
        self._speeds: dict[str, Array] = {}
        self._heard: dict[str, int] = {}
        self._creaked = 0

    def play(
        self,
        view: TableView,
        pieces: Mapping[str, Piece],
        speaker: Speaker | None,
        camera: Camera,
        aspect: float,
    ) -> None:
        """Let the impacts since the last view be heard, from where they are in the picture. aspect: width by height."""
        if speaker is None or speaker.is_silent:
            return
        self._creak(view, speaker, camera, aspect)
        for impact in self.of(view, pieces):
            on, variant = pieces.get(impact.on, impact.on), variant_of(impact.piece, impact.on)
            samples = impact_samples(pieces[impact.piece], impact.impulse, on, variant=variant)
            speaker.play(echoed(samples[:, None] * sides_of(impact.place, camera, aspect)), RATE)
        speaker.step()

    @staticmethod
    def tick(number: int, speaker: Speaker | None) -> None:
        """Let a count be heard."""
        if speaker is not None:
            speaker.play(echoed(np.repeat(tick_samples(number)[:, None], 2, axis=1)), RATE)

    def _creak(self, view: TableView, speaker: Speaker, camera: Camera, aspect: float) -> None:
        """A brick that is drawn slips under what lies on it."""
        speed = float(np.linalg.norm(self._speeds.get(view.held, np.zeros(3))))
        is_slipping = view.force > CREAK_N and SLIPS[0] < speed < SLIPS[1]
        if not is_slipping or view.step - self._creaked < CREAK_S * view.rate:
            return
        self._creaked = view.step
        x, y, z = view.poses[view.names.index(view.held), :3].tolist()
        samples = creak_samples(round(2 * view.force), view.step % VARIANTS)
        speaker.play(echoed(samples[:, None] * sides_of((x, y, z), camera, aspect)), RATE)

    def of(self, view: TableView, pieces: Mapping[str, Piece]) -> list[PieceImpact]:
        """Returns the impacts since the last view, and what was laid in it: softly, but not without a sound."""
        last, self._last = self._last, view
        before, self._speeds = self._speeds, {}
        if last is not None and view.step < last.step:
            # what fell is watched again
            self._heard.clear()
            self._creaked = view.step
        if last is None or view.step <= last.step or view.step - last.step > view.rate // 4:
            return []
        seconds = (view.step - last.step) / view.rate
        places = dict(zip(last.names, last.poses[:, :3], strict=True))
        impacts: list[PieceImpact] = []
        for name, place in zip(view.names, view.poses[:, :3], strict=True):
            if name not in places or name not in pieces:
                continue
            speed = (place - places[name]) / seconds
            self._speeds[name] = speed
            if name not in before or name == view.held:
                continue
            change = speed - before[name]
            size = float(np.linalg.norm(change))
            # what falls freely gains speed and was not struck
            if not is_impact(size, IMPACT_JUMP_LIVE) or change[2] < -0.5 * GRAVITY * seconds:
                continue
            if view.step - self._heard.get(name, -view.rate) < ONE_IMPACT_S * view.rate:
                continue
            self._heard[name] = view.step
            piece = pieces[name]
            x, y, z = place.tolist()
            on_table = z - 0.5 * float(piece.extents.min()) < LOW + 0.5 * float(np.ptp(piece.extents))
            on = TABLE if on_table else _nearest(name, view, pieces)
            impacts.append(PieceImpact(name, piece.mass * size, on, (x, y, z)))
        laid = last.held
        if (
            laid
            and not view.held
            and laid in places
            and laid in pieces
            and view.step - self._heard.get(laid, 0) > 0
        ):
            self._heard[laid] = view.step
            x, y, z = places[laid].tolist()
            impacts.append(
                PieceImpact(laid, pieces[laid].mass * LAID_SPEED, _nearest(laid, view, pieces), (x, y, z))
            )
        return sorted(impacts, key=lambda impact: -impact.impulse)[:MOST_IMPACTS]


def _nearest(name: str, view: TableView, pieces: Mapping[str, Piece]) -> str:
    """Returns the piece whose middle is nearest to that of a piece; the table when there is no other."""
    own = view.poses[view.names.index(name), :3]
    away = {
        other: float(np.linalg.norm(place - own))
        for other, place in zip(view.names, view.poses[:, :3], strict=True)
        if other in pieces and other != name
    }
    return min(away, key=lambda other: away[other], default=TABLE)
