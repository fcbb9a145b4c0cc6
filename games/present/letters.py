"""Letters of colours on pieces, for those who cannot tell colours apart: on a face that is seen, or not at all."""

import math

import numpy as np

from teeter.engine.pose import Pose, vector_of
from teeter.engine.view.camera import Camera
from teeter.engine.view.frame import PieceLetter
from teeter.engine.view.window.picker import pick
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import letter_of
from teeter.models.piece import Array, Piece

AGAIN_S = 0.3
"""Seconds after which faces are looked at again, while the view or pieces move."""
MOST_FACES, LEAST = 3, 0.25
"""Faces of a piece that are tried, and the cosine under which one is seen too much from the side."""
AROUND = 0.004
"""Metres around its middle that have to be seen too."""


class Lettering:
    """The letters on the pieces of one table."""

    def __init__(self, client: ClientState) -> None:
        self._client = client
        self._marked: dict[str, tuple[str, Array]] = {}
        """By piece the letter, and where it lies on the piece as authored."""
        self._seen: tuple[object, ...] = ()
        self._at = -math.inf

    def on(self, camera: Camera, now: float) -> dict[str, PieceLetter]:
        """Returns the letters and where they lie, as the camera sees the pieces in play. now: seconds."""
        frame = self._client.frame
        seen, poses = (camera, id(frame)), frame.placed()
        if seen != self._seen and now - self._at >= AGAIN_S:
            self._seen, self._at = seen, now
            self._marked = {}
            for name, pose in poses.items():
                letter = "" if self._client.is_fixed(name) else letter_of(self._client.pieces[name])
                middle = self._middle(name, pose, camera) if letter else None
                if middle is not None:
                    self._marked[name] = letter, middle
        return {
            name: PieceLetter(letter, vector_of(poses[name].apply(middle[None])[0]))
            for name, (letter, middle) in self._marked.items()
            if name in poses
        }

    def _middle(self, name: str, pose: Pose, camera: Camera) -> Array | None:
        """The middle of the broadest face that is seen and bears no print, as authored; None where none is."""
        eye, faces = np.asarray(camera.eye), []
        for normal, middle, area in faces_of(self._client.pieces[name]):
            point, outward = pose.apply(middle[None])[0], pose.matrix @ normal
            towards = eye - point
            cosine = float(outward @ towards) / float(np.linalg.norm(towards))
            if cosine > LEAST:
                faces.append((cosine * area, middle, point, outward))
        faces.sort(key=lambda face: -face[0])
        found = (face[1] for face in faces[:MOST_FACES] if self._is_seen(name, *face[2:], eye))
        return next(found, None)

    def _is_seen(self, name: str, point: Array, outward: Array, eye: Array) -> bool:
        across = np.cross(outward, [0.0, 0.0, 1.0] if abs(outward[2]) < 0.9 else [1.0, 0.0, 0.0])
        across *= AROUND / np.linalg.norm(across)
        for spot in (point, point + across, point - across):
            way = spot - eye
            hit = pick(self._client.frame, self._client.pieces, eye, way / np.linalg.norm(way))
            if hit is None or hit.name != name:
                return False
        return True


def faces_of(piece: Piece) -> list[tuple[Array, Array, float]]:
    """Returns the flat faces of a piece that bear no print: outward normals, middles and areas, as authored."""
    faces = []
    for facet in piece.surface.facets:
        ring = facet.rings[0]
        is_printed = piece.face is not None and facet.normal[2] > 0.9
        if not facet.curved and not is_printed:
            spread = np.ptp(ring, axis=0)
            faces.append(
                (facet.normal, (ring.max(axis=0) + ring.min(axis=0)) / 2, float(np.prod(np.sort(spread)[1:])))
            )
    return faces
