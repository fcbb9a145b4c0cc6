"""A verdict as a picture: the scene with contact forces, centre of mass, support polygon and weakest piece.

Forces are those of least squares (`topple/balance/forces.py`), one arrow for each two bodies that touch, on the upper
one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from engine.tolerances import TOUCH_AT_REST
from engine.topple.balance.equilibrium import balance_of
from engine.topple.balance.forces import least_squares
from engine.topple.contact.detection import Contacts, find_contacts
from engine.topple.dynamics.perturbation import at_poses
from engine.topple.errors import StaticsError
from engine.topple.verdict import CheckOptions, Verdict
from engine.topple.words import headline, rows
from engine.view.camera import BoundingSphere, framing
from engine.view.frame import Frame, frame_of
from engine.view.panels import Gap, Item, Panel, Text, Tone
from engine.view.render.lighting import Quality
from engine.view.render.overlays import Arrow, Line, Overlay, Spot
from engine.view.render.stage import Stage
from engine.world import TABLE, Assembly, magnification

Array = NDArray[np.float64]

SIZE = (1600, 1000)
MAX_ARROW, ARROW_RADIUS = 0.42, 0.0085
"""In radii of the scene: the longest arrow, and how thick arrows are."""
MIN_FORCE = 0.02
"""As a fraction of the strongest force: weaker ones are not drawn."""
FORCE_COLOUR, MASS_COLOUR, SUPPORT_COLOUR, FALL_COLOUR = "#1f6d8c", "#c2571a", "#3f6f68", "#b0301c"
WEAKEST_COLOUR, FALLEN_COLOUR = "#e0a030", "#c8402c"
TONES: dict[str, Tone] = {"stands": "good", "topples": "bad", "unsure": "warn"}


@dataclass(frozen=True, slots=True, eq=False)
class ContactForce:
    """The force between two bodies. point: (3,) metres, force: (3,) newtons on the upper body."""

    upper: str
    lower: str
    point: Array
    force: Array


def picture(
    assembly: Assembly, verdict: Verdict, options: CheckOptions, path: Path, *, quality: Quality = "high"
) -> None:
    """Draws a verdict into a PNG. assembly: as it was checked. Raises ViewError."""
    seen = as_checked(assembly, verdict)
    stage = Stage(seen.bodies, size=SIZE, quality=quality)
    try:
        overlays, scale = _overlays(seen, verdict, options, stage.sphere)
        stage.show_overlays(overlays, through=True)
        frame = marked(seen, verdict)
        stage.show(frame)
        # a little to the right: the text is on the left
        x, y, z = stage.sphere.centre
        wide = BoundingSphere(
            (x - 0.42 * stage.sphere.radius, y - 0.26 * stage.sphere.radius, z), 1.24 * stage.sphere.radius
        )
        stage.aim(framing(wide, aspect=SIZE[0] / SIZE[1]))
        stage.write(_panels(verdict, frame, scale))
        stage.save(path)
    finally:
        stage.close()


def overlays_on(
    assembly: Assembly, verdict: Verdict, options: CheckOptions, sphere: BoundingSphere
) -> list[Overlay]:
    """Returns what a verdict draws over a scene: forces, centre of mass, support, and how it would start to fall."""
    return _overlays(as_checked(assembly, verdict), verdict, options, sphere)[0]


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
    found = []
    pairs = np.stack([contacts.first, contacts.second], axis=1)
    for first, second in np.unique(pairs, axis=0).tolist():
        mine = (pairs == (first, second)).all(axis=1)
        total = forces[mine].sum(axis=0)
        weight = np.abs((forces[mine] * contacts.normals[mine]).sum(axis=1))
        if weight.sum() <= 0.0:
            continue
        point = weight @ contacts.points[mine] / weight.sum()
        one, other = contacts.names[first], contacts.names[second]
        if _is_upper(one, other, heights):
            found.append(ContactForce(one, other, point, total))
        else:
            found.append(ContactForce(other, one, point, -total))
    return tuple(found)


def _is_upper(one: str, other: str, heights: dict[str, float]) -> bool:
    if TABLE in (one, other):
        return other == TABLE
    return heights[one] >= heights[other]


def as_checked(assembly: Assembly, verdict: Verdict) -> Assembly:
    """Returns the scene as statics saw it: as declared, or at rest."""
    stood = [trial for trial in verdict.dynamics.trials if trial.stands]
    if verdict.pose == "rest" and stood:
        return at_poses(assembly, stood[0].names, stood[0].poses)
    return assembly


def _contacts(assembly: Assembly, verdict: Verdict) -> Contacts:
    if verdict.pose == "declared":
        return find_contacts(assembly)
    return find_contacts(assembly, TOUCH_AT_REST.gap * magnification(assembly.bodies), TOUCH_AT_REST.angle)


def marked(assembly: Assembly, verdict: Verdict) -> Frame:
    """Returns the scene with the weakest piece, or the first to fall, in colour."""
    names = {body.name for body in assembly.bodies}
    frame = frame_of(assembly.bodies)
    weakest = verdict.statics.weakest or verdict.dynamics.first_to_move
    if verdict.word == "topples" and verdict.dynamics.first_to_move:
        weakest = verdict.dynamics.first_to_move
    colour = FALLEN_COLOUR if verdict.word == "topples" else WEAKEST_COLOUR
    marks = {weakest: colour} if weakest in names else {}
    return Frame(frame.names, frame.poses, marks)


def _overlays(
    assembly: Assembly, verdict: Verdict, options: CheckOptions, sphere: BoundingSphere
) -> tuple[list[Overlay], float]:
    """Returns the overlays, and the metres of arrow per newton; 0 without forces."""
    contacts = _contacts(assembly, verdict)
    forces = contact_forces(assembly, contacts, options)
    radius = ARROW_RADIUS * sphere.radius
    found: list[Overlay] = [*_support(assembly, contacts, radius, options)]
    strongest = max((float(np.linalg.norm(each.force)) for each in forces), default=0.0)
    scale = MAX_ARROW * sphere.radius / strongest if strongest > 0 else 0.0
    strong = [each for each in forces if np.linalg.norm(each.force) > MIN_FORCE * strongest]
    found += [_arrow(each.point, each.force * scale, FORCE_COLOUR, radius) for each in strong]
    if verdict.statics.stands is False:
        found += _fall(assembly, verdict, sphere, radius)
    return found, scale


def _arrow(start: Array, direction: Array, colour: str, radius: float) -> Arrow:
    a, b, c = (float(value) for value in start)
    x, y, z = (float(value) for value in start + direction)
    # short arrows are thinner, so that they are not all head
    thick = min(radius, float(np.linalg.norm(direction)) / 12)
    return Arrow((a, b, c), (x, y, z), colour, thick, 0.85)


def _support(assembly: Assembly, contacts: Contacts, radius: float, options: CheckOptions) -> list[Overlay]:
    """Returns the support polygon, the centre of mass of all free pieces, and its line of action."""
    on_support = contacts.fixed[contacts.first] != contacts.fixed[contacts.second]
    points = contacts.points[on_support]
    free = assembly.free
    if not len(points) or not free:
        return []
    masses = np.array([body.piece.mass for body in free])
    centres = np.array([body.pose.apply(body.piece.centre_of_mass) for body in free])
    centre = masses @ centres / masses.sum()
    level = float(points[:, 2].min())
    found: list[Overlay] = []
    hull = convex_hull(points[:, :2])
    if len(hull) >= 3:
        corners = tuple((float(x), float(y), level + 0.3 * radius) for x, y in hull)
        found.append(Spot(corners, SUPPORT_COLOUR, 0.35, 0.6 * radius))
    down = np.asarray(options.gravity) / np.linalg.norm(options.gravity)
    foot = centre + down * (level - centre[2]) / min(down[2], -1e-3)
    found.append(Line((_triple(centre), _triple(foot)), MASS_COLOUR, 0.5 * radius))
    for place, size in ((centre, 3.0), (foot, 2.0)):
        found.append(Spot(_ring(place, size * radius), MASS_COLOUR, 0.9, 0.3 * radius))
    return found


def convex_hull(points: Array) -> Array:
    """Returns the convex hull (k, 2) of points (n, 2), counter-clockwise; (0, 2) when they lie on a line."""
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except (QhullError, ValueError):
        return np.zeros((0, 2))


def _ring(centre: Array, radius: float) -> tuple[tuple[float, float, float], ...]:
    angles = np.linspace(0, 2 * math.pi, 25)[:-1]
    return tuple(
        (float(centre[0] + radius * math.cos(a)), float(centre[1] + radius * math.sin(a)), float(centre[2]))
        for a in angles
    )


def _fall(assembly: Assembly, verdict: Verdict, sphere: BoundingSphere, radius: float) -> list[Overlay]:
    """Returns where every piece starts to move, from the mechanism of the failed balance."""
    found: list[Overlay] = []
    bodies = {body.name: body for body in assembly.bodies}
    speeds = {name: np.asarray(linear) for name, (linear, _) in verdict.statics.mechanism.items()}
    fastest = max((float(np.linalg.norm(speed)) for speed in speeds.values()), default=0.0)
    for name, speed in speeds.items():
        if np.linalg.norm(speed) > 0.08 * fastest and name in bodies:
            direction = speed / fastest * MAX_ARROW * sphere.radius
            centre = bodies[name].pose.apply(bodies[name].piece.centre_of_mass)
            found.append(_arrow(centre, direction, FALL_COLOUR, radius))
    return found


def _panels(verdict: Verdict, frame: Frame, scale: float) -> tuple[Panel, ...]:
    facts: list[Item] = [Text(headline(verdict), TONES[verdict.word], "normal", bold=True), Gap(2.0)]
    told = [(label, text) for label, text in rows(verdict) if label != "time"]
    facts += [Text(f"{label}: {text}" if label else text, "plain", "small") for label, text in told]
    panels = [
        Panel("verdict", "top-left", tuple(facts), title=f"{verdict.scene}: {verdict.word}", width=300.0)
    ]
    word = "goes first" if verdict.word == "topples" else "weakest piece"
    legend = [
        Text(f"{word}: {name}", "plain", "small", mark=colour) for name, colour in frame.highlights.items()
    ]
    if scale > 0:
        newton = _round_newton(0.02 / scale)
        length = f"{1e3 * newton * scale:.0f} mm of arrow = {newton:g} N"
        legend.append(
            Text(f"contact forces on the upper piece, {length}", "plain", "small", mark=FORCE_COLOUR)
        )
    if verdict.statics.stands is False:
        legend.append(Text("how the pieces set off", "plain", "small", mark=FALL_COLOUR))
    legend.append(
        Text("centre of mass of all pieces, and its line of weight", "plain", "small", mark=MASS_COLOUR)
    )
    legend.append(Text("support polygon", "plain", "small", mark=SUPPORT_COLOUR))
    panels.append(Panel("legend", "bottom-left", tuple(legend), width=300.0))
    return tuple(panels)


def _round_newton(force: float) -> float:
    """Returns 1, 2 or 5 times a power of ten near a force."""
    power = 10.0 ** math.floor(math.log10(force))
    return float(min((step * power for step in (1, 2, 5, 10)), key=lambda value: abs(value - force)))


def _triple(point: Array) -> tuple[float, float, float]:
    return (float(point[0]), float(point[1]), float(point[2]))
