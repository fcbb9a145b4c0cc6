"""What the pictures of guides show, as bodies: pieces laid on each other, one drawn out, one held above its place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose, vector_of
from teeter.engine.view.camera import BoundingSphere, Camera, bounding_sphere, framing
from teeter.engine.view.overlays import Arrow, Ghost, Overlay
from teeter.engine.world.body import TABLE, Body
from teeter.games.game import Game
from teeter.games.judge import places
from teeter.games.present.guide import Drawn, GuideError
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Piece
from teeter.scenes.load import load

HIGH = 0.5
"""Metres from which pieces are let down on what lies below."""
BLUE = "#2b7bba"
ARROW_M, ARROW_LONG, ARROW_GAP = 0.002, 0.04, 0.15
"""Metres: how thick an arrow is, and how long that of a pull; the share of the way down that one leaves free."""


@dataclass(frozen=True, slots=True)
class GuideScene:
    """Bodies, what is drawn over them, the camera, and the name of the body that a hand holds; empty for none."""

    bodies: tuple[Body, ...]
    overlays: tuple[Overlay, ...]
    camera: Camera
    held: str = ""


def scene_of(game: Game, drawn: Drawn) -> GuideScene:
    """Returns what a picture of a guide shows."""
    shipped = load(drawn.scene).assembly.bodies if drawn.scene else ()
    bodies = [body for body in shipped if body.name not in (TABLE, *drawn.out)]
    bodies.insert(0, places.table(*places.TABLE_MM))
    overlays: list[Overlay] = []
    if drawn.pulled is not None:
        name, mm = drawn.pulled
        at = next(n for n, body in enumerate(bodies) if body.name == name)
        bodies[at], arrow = _pulled(bodies[at], mm / 1e3)
        overlays.append(arrow)
    for number, (model, *spot) in enumerate(drawn.laid):
        bodies.append(_laid(f"{model}.{number}", _built(game, model), spot, bodies))
    if drawn.held is None:
        return GuideScene(tuple(bodies), tuple(overlays), _camera(drawn, bodies))
    model, x, y, yaw, above = drawn.held
    goal = _laid("held", _built(game, model), (x, y, yaw), bodies)
    held = goal.at(_higher(goal.pose, above / 1e3))
    below, top = places.bounds(held.piece, held.pose)[0], places.bounds(goal.piece, goal.pose)[1]
    (px, py, _), gap = goal.pose.position, ARROW_GAP * (below[2] - top[2])
    arrow = Arrow((px, py, float(below[2] - gap)), (px, py, float(top[2] + gap)), BLUE, ARROW_M)
    overlays += [Ghost(goal.piece, goal.pose, BLUE), arrow]
    shown = (*bodies, held)
    return GuideScene(shown, tuple(overlays), _camera(drawn, shown), held.name)


def _camera(drawn: Drawn, bodies: Sequence[Body]) -> Camera:
    sphere = bounding_sphere(bodies)
    x, y, z = sphere.centre if drawn.centre is None else (mm / 1e3 for mm in drawn.centre)
    return framing(BoundingSphere((x, y, z), sphere.radius / drawn.zoom), drawn.view)


def _built(game: Game, model: str) -> Piece:
    return build(find(model if "/" in model else f"{game.catalogue}/{model}"))


def _laid(name: str, piece: Piece, spot: tuple[float, ...] | list[float], below: list[Body]) -> Body:
    """A piece let down at x, y (millimetres) and yaw (degrees), on its steadiest side."""
    x, y, yaw = spot
    above = Pose((x / 1e3, y / 1e3, HIGH), quaternion_of_rpy(0.0, 0.0, math.radians(yaw)))
    high = places.steady(piece).then(above)
    laid = DropTarget.of(below).dropped(Body(name, piece, high))
    if laid is None:
        raise GuideError(f"{name}: nothing lies below {x:g}, {y:g} mm: lay it on the table")
    return laid


def _higher(pose: Pose, by: float) -> Pose:
    x, y, z = pose.position
    return Pose((x, y, z + by), pose.orientation)


def _pulled(body: Body, way: float) -> tuple[Body, Arrow]:
    """A piece moved along its long side, and the arrow that says so."""
    end = float(body.piece.extents[0]) / 2 + way
    out, begin, tip = (
        vector_of(body.pose.apply(np.array([x, 0.0, 0.0]))) for x in (way, end, end + ARROW_LONG)
    )
    return body.at(Pose(out, body.pose.orientation)), Arrow(begin, tip, BLUE, ARROW_M)
