"""Cases with pieces of the games that hold each other by their shape: holes are holes, cups are cups."""

from __future__ import annotations

import math

from case import Case, Row


def cases() -> tuple[Case, ...]:
    """All of them."""
    return (_egg_in_eggcup(), _cone_in_ring(), _ball_on_ring(), _arch_on_cuboids(), _ball_between_cylinders())


def _piece(name: str, model: str, *position: float, **more: object) -> Row:
    return {"id": name, "model": f"bausack/{model}", "position": position, **more}


def _egg_in_eggcup() -> Case:
    rows = (_piece("cup", "eggcup", 0.0, 0.0, 17.0), _piece("egg", "egg", 0.0, 0.0))
    why = (
        "the egg hangs in the mouth of the cup, 10 mm over its lower tip, and its centre of mass lies over the "
        "middle of what holds it; on its tip it would fall"
    )
    return Case("egg_in_eggcup", "Egg in an eggcup", "stands", why, rows)


def _cone_in_ring() -> Case:
    rows = (
        _piece("lower", "ring_large", 0.0, 0.0, 7.5),
        _piece("upper", "ring_large", 0.0, 0.0, 22.5),
        _piece("cone", "cone_flat", 0.0, 0.0, rotation=(180.0, 0.0, 0.0)),
    )
    why = (
        "the cone hangs point down in a hole of radius 18 mm, 24 mm over its point, and its centre of mass 22.5 mm "
        "over the point is lower than what holds it; the point is still 6 mm over the table"
    )
    return Case("cone_in_ring", "Cone point down in two rings", "stands", why, rows)


def _ball_on_ring() -> Case:
    rows = (_piece("ring", "ring_small", 0.0, 0.0, 7.5), _piece("ball", "ball", 0.0, 0.0))
    over = math.sqrt(15**2 - 7.5**2)
    why = f"a ball of radius 15 mm on a hole of radius 7.5 mm: its centre lies {over:.1f} mm over the hole's rim"
    return Case("ball_on_ring", "Ball on a ring", "stands", why, rows)


def _arch_on_cuboids() -> Case:
    rows = (
        _piece("left", "base_1", -37.5, 0.0, 7.5, rotation=(0.0, 0.0, 90.0)),
        _piece("right", "base_2", 37.5, 0.0, 7.5, rotation=(0.0, 0.0, 90.0)),
        _piece("arch", "arch_large", 0.0, 0.0, 37.5),
    )
    why = "each pier of the arch, 15 mm wide, stands on the middle of a cuboid 30 mm wide; one piece has no thrust"
    return Case("standing_arch", "Arch on two cuboids", "stands", why, rows)


def _ball_between_cylinders() -> Case:
    """Two lying cylinders that touch, immovable, and a ball of the same radius in the groove."""
    lying = (90.0, 0.0, 0.0)
    rows = (
        _piece("left", "column", -15.0, 0.0, 15.0, rotation=lying, fixed=True),
        _piece("right", "column", 15.0, 0.0, 15.0, rotation=lying, fixed=True),
        _piece("ball", "ball", 0.0, 0.0),
    )
    why = (
        "the ball hangs between the cylinders, 26 mm over the line they touch in, and the groove is level; pushed "
        "along it the ball would roll away"
    )
    return Case("ball_between_cylinders", "Ball between two lying cylinders", "stands", why, rows)
