"""A verdict as a picture: the scene with contact forces, centre of mass, support polygon and the piece that goes first.

Forces are those of least squares (`topple/balance/forces.py`), one arrow for each two bodies that touch, on the upper
one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from teeter.engine.pose import vector_of
from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.forces import least_squares
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.verdict import CheckOptions, Verdict, contacts_of
from teeter.engine.topple.words import coloured, headline, rows
from teeter.engine.view.camera import BoundingSphere, Vector, framing
from teeter.engine.view.frame import Frame, frame_of
from teeter.engine.view.overlays import Arrow, Line, Overlay, Spot
from teeter.engine.view.panels import Gap, Item, Panel, Text, Tone
from teeter.engine.view.render.png import save_png
from teeter.engine.view.render.stage import Stage
from teeter.engine.world.body import TABLE, Assembly
from teeter.models.piece import Array

SIZE = (1600, 1000)
MAX_ARROW, ARROW_RADIUS = 0.42, 0.0085
"""In radii of the scene: the longest arrow, and how thick arrows are."""
MIN_FORCE = 0.02
"""As a fraction of the strongest force: weaker ones are not drawn."""
FORCE_COLOUR, MASS_COLOUR, SUPPORT_COLOUR, FALL_COLOUR = "#1f6d8c", "#c2571a", "#3f6f68", "#b0301c"
LOAD_COLOUR, LOAD_ARROW = "#7a4fa3", 0.25
"""In radii of the scene: a load that matters may be a hundredth of what the contacts bear."""
WEAKEST_COLOUR, FALLEN_COLOUR = "#e0a030", "#c8402c"
LEGEND = {
    FORCE_COLOUR: "contact forces on the upper piece",
    FALL_COLOUR: "how the pieces set off",
    MASS_COLOUR: "centre of mass of all pieces, and its line of weight",
    SUPPORT_COLOUR: "support polygon",
}
TONES: dict[str, Tone] = {"stands": "good", "topples": "bad", "unsure": "warn"}


@dataclass(frozen=True, slots=True, eq=False)
class ContactForce:
    """The force between two bodies. point: (3,) metres, force: (3,) newtons on the upper body."""

    upper: str
    lower: str
    point: Array
    force: Array


def picture(
    verdict: Verdict, path: Path, *, force: bool = False, more: Sequence[Overlay] = (), note: str = ""
) -> None:
    """Draws a verdict into a PNG. force: a file that is there may be replaced. more: drawn over it besides; note: said
    first. Raises ViewError and OutputError."""
    save_png(drawn(verdict, more, note), path, force=force)


def drawn(verdict: Verdict, more: Sequence[Overlay] = (), note: str = "") -> NDArray[np.uint8]:
    """Returns the picture of a verdict, (h, w, 3). Raises ViewError."""
    stage = Stage(verdict.judged.bodies, size=SIZE, quality="high")
    try:
        overlays, scale = overlays_on(verdict, stage.sphere)
        stage.show_overlays([*overlays, *more], through=True)
        frame = marked(verdict)
        stage.show(frame)
        # a little to the right: the text is on the left
        x, y, z = stage.sphere.centre
        wide = BoundingSphere(
            (x - 0.42 * stage.sphere.radius, y - 0.26 * stage.sphere.radius, z), 1.24 * stage.sphere.radius
        )
        stage.aim(framing(wide, aspect=SIZE[0] / SIZE[1]))
        stage.write(_panels(verdict, frame, scale, note))
        return stage.render()
    finally:
        stage.close()


def contact_forces(assembly: Assembly, contacts: Contacts, options: CheckOptions) -> tuple[ContactForce, ...]:
    """Returns the forces between bodies in contact; none where no forces balance, or statics says nothing."""
    if contacts.curved or not len(contacts.points) or not assembly.free:
        return ()
    balance = balance_of(assembly, contacts, gravity=options.gravity, friction=options.friction)
    try:
        forces = least_squares(balance)
    except StaticsError:
        return ()
    heights = {body.name: body.pose.position[2] for body in assembly.bodies}
    loads = []
    pairs = np.stack([contacts.first, contacts.second], axis=1)
    for first, second in np.unique(pairs, axis=0).tolist():
        mine = (pairs == (first, second)).all(axis=1)
        total = forces[mine].sum(axis=0)
        weight = np.abs((forces[mine] * contacts.normals[mine]).sum(axis=1))
        if weight.sum() <= 0.0:
            continue
        point = weight @ contacts.points[mine] / weight.sum()
        one, other = contacts.names[first], contacts.names[second]
        is_upper = other == TABLE if TABLE in (one, other) else heights[one] >= heights[other]
        loads.append(
            ContactForce(one, other, point, total) if is_upper else ContactForce(other, one, point, -total)
        )
    return tuple(loads)


def marked(verdict: Verdict) -> Frame:
    """Returns the scene with the piece that goes first, or would, in colour."""
    frame, mark = frame_of(verdict.judged.bodies), coloured(verdict)
    colour = FALLEN_COLOUR if verdict.word == "topples" else WEAKEST_COLOUR
    return Frame(frame.names, frame.poses, {mark[0]: colour} if mark and mark[0] in frame.names else {})


def overlays_on(verdict: Verdict, sphere: BoundingSphere) -> tuple[list[Overlay], float]:
    """Returns what a verdict draws over its scene: forces, centre of mass, support, and how it would start to fall.

    And the metres of arrow per newton; 0 without forces.
    """
    assembly, options, contacts = verdict.judged, verdict.options, contacts_of(verdict)
    forces = contact_forces(assembly, contacts, options)
    radius = ARROW_RADIUS * sphere.radius
    overlays: list[Overlay] = [*_support(assembly, contacts, radius, options)]
    loads = list(_loads(assembly))
    strongest = max((float(np.linalg.norm(force.force)) for force in forces), default=0.0)
    scale = MAX_ARROW * sphere.radius / strongest if strongest > 0 else 0.0
    strong = [force for force in forces if np.linalg.norm(force.force) > MIN_FORCE * strongest]
    overlays += [_arrow(force.point, force.force * scale, FORCE_COLOUR, radius) for force in strong]
    long = LOAD_ARROW * sphere.radius
    ways = [(end, long * pull / np.linalg.norm(pull)) for end, pull in loads]
    overlays += [_arrow(end - way, way, LOAD_COLOUR, radius) for end, way in ways]
    if verdict.statics.stands is False:
        overlays += _fall(verdict, sphere, radius)
    return overlays, scale


def _loads(assembly: Assembly) -> Iterator[tuple[Array, Array]]:
    """Yields where forces other than weights act, and the newtons."""
    for body in assembly.free:
        for load in body.loads:
            if load.is_force:
                yield body.pose.apply(np.array(load.point)), np.array(load.force)


def _arrow(start: Array, direction: Array, colour: str, radius: float) -> Arrow:
    # short arrows are thinner, so that they are not all head
    thick = min(radius, float(np.linalg.norm(direction)) / 12)
    return Arrow(vector_of(start), vector_of(start + direction), colour, thick, 0.85)


def _support(assembly: Assembly, contacts: Contacts, radius: float, options: CheckOptions) -> list[Overlay]:
    """Returns the support polygon, the centre of mass of all free pieces, and its line of action."""
    on_support = contacts.fixed[contacts.first] != contacts.fixed[contacts.second]
    points = contacts.points[on_support]
    free = assembly.free
    if not (len(points) and free):
        return []
    masses = np.array([body.piece.mass for body in free])
    centres = np.array([body.centre_of_mass for body in free])
    centre = masses @ centres / masses.sum()
    level = float(points[:, 2].min())
    overlays: list[Overlay] = []
    hull = convex_hull(points[:, :2])
    if len(hull):
        corners = tuple((x, y, level + 0.3 * radius) for x, y in hull.tolist())
        overlays.append(Spot(corners, SUPPORT_COLOUR, 0.35, 0.6 * radius))
    down = np.asarray(options.gravity) / np.linalg.norm(options.gravity)
    foot = centre + down * (level - centre[2]) / min(down[2], -1e-3)
    overlays.append(Line((vector_of(centre), vector_of(foot)), MASS_COLOUR, 0.5 * radius))
    for place, size in ((centre, 3.0), (foot, 2.0)):
        overlays.append(Spot(_ring(place, size * radius), MASS_COLOUR, 0.9, 0.3 * radius))
    return overlays


def convex_hull(points: Array) -> Array:
    """Returns the convex hull (k, 2) of points (n, 2), counter-clockwise; (0, 2) when they lie on a line."""
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except (QhullError, ValueError):
        return np.zeros((0, 2))


def _ring(centre: Array, radius: float) -> tuple[Vector, ...]:
    x, y, z = vector_of(centre)
    angles = np.linspace(0, 2 * math.pi, 25)[:-1]
    return tuple((x + radius * math.cos(a), y + radius * math.sin(a), z) for a in angles)


def _fall(verdict: Verdict, sphere: BoundingSphere, radius: float) -> list[Overlay]:
    """Returns where every piece starts to move, from the mechanism of the failed balance."""
    arrows: list[Overlay] = []
    bodies = {body.name: body for body in verdict.judged.bodies}
    speeds = {name: np.asarray(linear) for name, (linear, _) in verdict.statics.mechanism.items()}
    fastest = max((float(np.linalg.norm(speed)) for speed in speeds.values()), default=0.0)
    for name, speed in speeds.items():
        if np.linalg.norm(speed) > 0.08 * fastest and name in bodies:
            direction = speed / fastest * MAX_ARROW * sphere.radius
            centre = bodies[name].centre_of_mass
            arrows.append(_arrow(centre, direction, FALL_COLOUR, radius))
    return arrows


def _panels(verdict: Verdict, frame: Frame, scale: float, note: str) -> tuple[Panel, ...]:
    facts: list[Item] = [Text(note, "plain", "normal", bold=True), Gap(2.0)] if note else []
    facts += [Text(headline(verdict), TONES[verdict.word], "normal", bold=True), Gap(2.0)]
    lines = [(label, text) for label, text in rows(verdict) if label != "time"]
    facts += [Text(f"{label}: {text}" if label else text, "plain", "small") for label, text in lines]
    mark = coloured(verdict)
    legend = [(mark[1], colour) for colour in frame.highlights.values()] if mark else []
    if scale > 0:
        newton = _round_newton(0.02 / scale)
        length = f"{1e3 * newton * scale:.0f} mm of arrow = {newton:g} N"
        legend.append((f"{LEGEND[FORCE_COLOUR]}, {length}", FORCE_COLOUR))
    if any(True for _ in _loads(verdict.judged)):
        legend.append(("loads, all arrows of one length", LOAD_COLOUR))
    if verdict.statics.stands is False:
        legend.append((LEGEND[FALL_COLOUR], FALL_COLOUR))
    legend += [(LEGEND[colour], colour) for colour in (MASS_COLOUR, SUPPORT_COLOUR)]
    marked = tuple(Text(text, "plain", "small", mark=colour) for text, colour in legend)
    title = f"{verdict.scene}: {verdict.word}"
    return (
        Panel("verdict", "top-left", tuple(facts), title=title, width=300.0),
        Panel("legend", "bottom-left", marked, width=300.0),
    )


def _round_newton(force: float) -> float:
    """Returns 1, 2 or 5 times a power of ten near a force."""
    power = 10.0 ** math.floor(math.log10(force))
    return float(min((step * power for step in (1, 2, 5, 10)), key=lambda value: abs(value - force)))
