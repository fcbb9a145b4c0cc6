"""Cases where friction, thrust or curvature decide, and towers of the game's bricks."""

from __future__ import annotations

import math

from case import Case, Row, Verdict, box, upright_prism

from teeter.scenes.schema import TableTop

FRICTION = 0.4
EVEN = TableTop(friction=FRICTION)
"""A table as rough as the pieces, so that one coefficient rules every contact of a case."""
RADIUS = 100.0
"""Millimetres, mean radius of the arches."""
EGG = (22.0, 30.0)
"""Millimetres, half width and half height of the egg."""
BRICK = "tower_topple/brick"
WHOLE_TOWER = frozenset((row, place) for row in range(1, 19) for place in (1, 2, 3))


def cases() -> tuple[Case, ...]:
    """All of them."""
    thinned = (
        WHOLE_TOWER - {(row, 2) for row in (2, 5, 8, 11, 14)} - {(3, 1), (6, 3), (9, 1), (12, 3), (15, 1)}
    )
    return (
        arch("arch", "stands", 11, 20.0),
        arch("arch_thin", "topples", 15, 7.0),
        cards("card_frame_steep", "stands", 56.0),
        cards("card_frame_flat", "topples", 46.0),
        slope("slope_below", "stands", 20.0),
        slope("slope_above", "topples", 24.0),
        _tower("tower", "stands", WHOLE_TOWER, "18 full rows: the centre of mass lies over the middle"),
        _tower(
            "tower_gaps",
            "stands",
            thinned,
            "every row keeps two bricks, and the centre of mass of all above stays between them",
        ),
        _tower(
            "tower_gone",
            "topples",
            WHOLE_TOWER - {(5, 1), (5, 2)},
            "the brick left in row 5 lies 12.5 mm or more from the middle, where the rest has its weight",
        ),
        _ball_in_saddle(),
        _ball_on_ball(),
        _egg_on_tip(),
    )


def arch(name: str, verdict: Verdict, count: int, thickness: float) -> Case:
    """A semicircle of voussoirs with radial joints on two immovable springers, whose tops are level."""
    width, spring = 40.0, 30.0
    inner, outer = RADIUS - thickness / 2, RADIUS + thickness / 2
    rows: list[Row] = [
        box(f"springer.{side}", (40, 50, spring), (sign * RADIUS, 0, spring / 2), fixed=True)
        for side, sign in (("right", 1), ("left", -1))
    ]
    for number in range(1, count + 1):
        first, second = (math.pi * (number - step) / count for step in (1, 0))
        outline = [
            (radius * _cos(angle), spring + radius * _sin(angle))
            for radius, angle in ((inner, first), (outer, first), (outer, second), (inner, second))
        ]
        rows.append(upright_prism(f"voussoir.{number:02}", outline, width))
    ratio = thickness / RADIUS
    why = (
        f"thickness/radius is {ratio:g}; a semicircular arch needs 0.1075 (Milankovitch 1907), a little less "
        f"with {count} stones, to hold its line of thrust"
    )
    return Case(name, f"Semicircular arch of {count} stones", verdict, why, tuple(rows), EVEN)


def _cos(angle: float) -> float:
    """Cosine that is exactly 0 at a right angle and odd about it, so that both halves mirror each other."""
    return math.sin(math.pi / 2 - angle)


def _sin(angle: float) -> float:
    """Sine that is exactly 0 at both springings: their joints lie flat."""
    return math.sin(min(angle, math.pi - angle))


def cards(name: str, verdict: Verdict, degrees: float) -> Case:
    """Two leaning cards, their feet cut level and their heads cut upright, so that faces meet."""
    length, thickness, width = 120.0, 4.0, 80.0
    angle = math.radians(degrees)
    top = length * math.sin(angle)
    rise, run = thickness / 2 / math.cos(angle), thickness / 2 / math.sin(angle)
    foot = -top / math.tan(angle)
    left = [(foot + run, 0.0), (0.0, top - rise), (0.0, top + rise), (foot - run, 0.0)]
    right = [(-x, z) for x, z in left]
    limit = math.degrees(math.atan(1 / (2 * FRICTION)))
    why = (
        f"two cards lean at {degrees:g} degrees; their feet hold while tan(angle) >= 1/(2 mu), "
        f"from {limit:.1f} degrees at mu = {FRICTION} (a little less for feet this thick)"
    )
    rows = (
        upright_prism("card.left", left, width, material={"density": 645.0, "friction": FRICTION}),
        upright_prism("card.right", right, width, material={"density": 645.0, "friction": FRICTION}),
    )
    return Case(name, "A-frame of two cards", verdict, why, rows, EVEN)


def slope(name: str, verdict: Verdict, degrees: float) -> Case:
    """A block on an immovable slab that falls towards +x."""
    slab, block, height = (300.0, 100.0, 20.0), (40.0, 40.0, 15.0), 80.0
    angle = math.radians(degrees)
    above = (slab[2] + block[2]) / 2
    centre = (above * math.sin(angle), 0.0, height + above * math.cos(angle))
    rows = (
        box("slab", slab, (0, 0, height), rotation=(0.0, degrees, 0.0), friction=FRICTION, fixed=True),
        box("block", block, centre, rotation=(0.0, degrees, 0.0), friction=FRICTION),
    )
    limit = math.degrees(math.atan(FRICTION))
    why = (
        f"a block slides down a slope steeper than atan(mu) = {limit:.2f} degrees at mu = {FRICTION}; "
        f"this one has {degrees:g} (it would tip only at atan(40/15) = 69)"
    )
    return Case(name, "Block on a slope", verdict, why, rows)


def _tower(name: str, verdict: Verdict, bricks: frozenset[tuple[int, int]], why: str) -> Case:
    """Rows of bricks side by side, each turned by 90 degrees: bricks by (row, place), both from 1."""
    rows = []
    for row, place in sorted(bricks):
        across = 25.0 * (place - 2)
        turned = row % 2 == 0
        piece: Row = {"id": f"brick.{row:02}.{place}", "model": BRICK}
        piece["position"] = (across if turned else 0.0, 0.0 if turned else across, 15.0 * row - 7.5)
        rows.append(piece | ({"rotation": (0.0, 0.0, 90.0)} if turned else {}))
    return Case(name, f"Tower of {len(bricks)} bricks", verdict, why, tuple(rows))


def _ball_in_saddle() -> Case:
    """A ball of radius 25 mm let down into a square opening of 30 mm between four blocks."""
    rows: list[Row] = [
        box("east", (20, 70, 30), (25, 0, 15)),
        box("west", (20, 70, 30), (-25, 0, 15)),
        box("north", (30, 20, 30), (0, 25, 15)),
        box("south", (30, 20, 30), (0, -25, 15)),
        {"id": "ball", "shape": {"sphere": 25.0}, "position": (0.0, 0.0), "colour": "red"},
    ]
    why = "a ball of radius 25 mm in a 30 mm opening: its centre lies sqrt(25^2 - 15^2) = 20 mm over the rim"
    return Case("ball_in_saddle", "Ball in a saddle of four blocks", "stands", why, tuple(rows))


def _ball_on_ball() -> Case:
    rows = (
        {"id": "lower", "shape": {"sphere": 30.0}, "position": (0.0, 0.0, 30.0), "fixed": True},
        {"id": "upper", "shape": {"sphere": 20.0}, "position": (0.0, 0.0, 80.0), "colour": "red"},
    )
    why = (
        "in balance, but the least push makes the upper ball roll off: a balance of forces alone cannot tell"
    )
    return Case("ball_on_ball", "Ball on a ball", "topples", why, rows)


def _egg_on_tip() -> Case:
    wide, high = EGG
    rows = ({"id": "egg", "shape": {"mesh": "egg.obj"}, "position": (0.0, 0.0, high), "colour": "white"},)
    why = (
        f"the centre of mass lies {high:g} mm up, above the centre of curvature of the tip at a^2/b = "
        f"{wide**2 / high:.1f} mm, so the egg tips over"
    )
    return Case("egg_on_tip", "Egg on its tip", "topples", why, rows)
