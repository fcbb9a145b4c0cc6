"""Assemblies of meshes with known truth: interlocking, faceted curves, hooked, scanned, and carelessly exported ones.

Coordinates in mm, z up, all pieces of beech. They are made here, written as `.obj` and loaded like any file. The truth
follows from where centres of mass lie, said in `why`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from manifold3d import CrossSection, FillRule, Manifold
from numpy.typing import NDArray

Triangles = tuple[NDArray[np.float64], NDArray[np.int64]]
Pieces = dict[str, Manifold]


@dataclass(frozen=True, slots=True)
class MeshCase:
    """Pieces by name, those that are supports, the truth and its reason; options as of `scenes.load.load`."""

    pieces: dict[str, Triangles]
    verdict: str
    why: str
    fixed: tuple[str, ...] = ()
    settle_mm: float = 0.0
    fit_mm: float = 0.0

    def write(self, path: Path) -> Path:
        """Write the pieces as an `.obj` file."""
        lines, count = [], 1
        for name, (corners, faces) in self.pieces.items():
            lines.append(f"o {name}")
            lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in corners.tolist()]
            lines += [f"f {a} {b} {c}" for a, b, c in (faces + count).tolist()]
            count += len(corners)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def triangles_of(solid: Manifold) -> Triangles:
    """The mesh of a solid, double precision."""
    mesh = solid.to_mesh64()
    return np.array(mesh.vert_properties)[:, :3], np.array(mesh.tri_verts).astype(np.int64)


def case(
    pieces: Pieces, verdict: str, why: str, fixed: tuple[str, ...] = (), settle_mm: float = 0.0
) -> MeshCase:
    """A case of solids."""
    return MeshCase({name: triangles_of(one) for name, one in pieces.items()}, verdict, why, fixed, settle_mm)


def box(size: Sequence[float], low: Sequence[float]) -> Manifold:
    """A box by its size and its lowest corner."""
    return Manifold.cube(tuple(size)).translate(tuple(low))


def standing(outline: Sequence[tuple[float, float]], depth: float) -> Manifold:
    """A prism over an outline in the xz plane, `depth` along y and centred there."""
    lying = CrossSection([list(outline)], FillRule.EvenOdd).extrude(depth)
    return lying.rotate((90.0, 0.0, 0.0)).translate((0.0, depth / 2, 0.0))


def chamfered(solid: Manifold, size: float = 3.0) -> Manifold:
    """A solid without its corner of lowest x + y + z at the top, so that it is no straight prism."""
    low_x, low_y, _, _, _, high_z = solid.bounding_box()
    normal = np.array([1.0, 1.0, -1.0]) / math.sqrt(3)
    corner = np.array([low_x, low_y, high_z])
    return solid.trim_by_plane(tuple(normal), float(normal @ corner) + size / math.sqrt(3))


# -- interlocking ------------------------------------------------------------------------------------------------


def pocket_and_tenon() -> MeshCase:
    """A tenon in a pocket of its size."""
    lower = box((60, 30, 30), (-30, -15, 0)) - box((30, 14, 10), (-15, -7, 20))
    upper = box((60, 30, 30), (-30, -15, 30)) + box((30, 14, 10), (-15, -7, 20))
    return case({"lower": lower, "upper": chamfered(upper)}, "stands", "one block squarely on the other")


def cross_lap() -> MeshCase:
    """Two beams let into each other."""
    along = box((120, 20, 20), (-60, -10, 0)) - box((20, 20, 10), (-10, -10, 10))
    across = box((20, 120, 20), (-10, -60, 0)) - box((20, 20, 10), (-10, -10, 0))
    return case({"along": chamfered(along), "across": chamfered(across)}, "stands", "both lie on the table")


def lap_over_an_edge(overhang: float) -> MeshCase:
    """A beam let into a block by a notch across; its centre of mass `overhang` mm past the block's edge."""
    block = box((40, 30, 40), (-40, -15, 0)) - box((10, 30, 6), (-25, -15, 34))
    beam = box((120, 20, 14), (-60 + overhang, -10, 40)) + box((8, 20, 6), (-24, -10, 34))
    masses = [(120 * 14, overhang), (8 * 6, -20.0)]
    where = sum(mass * x for mass, x in masses) / sum(mass for mass, _ in masses)
    verdict = "stands" if where < 0 else "topples"
    return case(
        {"block": block, "beam": chamfered(beam)}, verdict, f"the centre lies {where:.1f} mm past the edge"
    )


def dovetail() -> MeshCase:
    """A shelf whose tail hangs in a groove of a wall that narrows outwards."""
    tail = CrossSection([[(0, -6), (0, 6), (-10, 10), (-10, -10)]], FillRule.EvenOdd)
    wall = box((30, 60, 80), (-30, -30, 0)) - tail.extrude(50).translate((0, 0, 40))
    shelf = box((50, 30, 15), (0, -15, 40)) + tail.extrude(15).translate((0, 0, 40))
    return case(
        {"wall": wall, "shelf": chamfered(shelf)}, "stands", "the tail cannot leave the groove", ("wall",)
    )


def ridged(step: float, count: int = 5) -> MeshCase:
    """Blocks with a ridge on top and its groove below, each set off along the ridge."""
    half, depth, height = 25.0, 30.0, 20.0
    ridge, groove = (
        [(8, height), (4, height + 6), (-4, height + 6), (-8, height)],
        [(-8, 0), (-4, 6), (4, 6), (8, 0)],
    )
    lowest = [(-half, 0), (half, 0), (half, height), *ridge, (-half, height)]
    middle = [(-half, 0), *groove, (half, 0), (half, height), *ridge, (-half, height)]
    pieces = {
        f"block{row}": standing(middle if row else lowest, depth).translate((0, step * row, height * row))
        for row in range(count)
    }
    reach = step * count / 2
    verdict = "stands" if reach < depth / 2 else "topples"
    return case(
        pieces,
        verdict,
        f"all above the lowest have their centre {reach:.1f} mm from its middle, half {depth / 2:g}",
    )


def tee_in_channel() -> MeshCase:
    """The stem of a T in a channel."""
    channel = box((50, 40, 30), (-25, -20, 0)) - box((16, 40, 24), (-8, -20, 6))
    tee = box((16, 40, 24), (-8, -20, 6)) + box((44, 40, 12), (-22, -20, 30))
    return case({"channel": chamfered(channel), "tee": chamfered(tee)}, "stands", "squarely on each other")


def lidded() -> MeshCase:
    """An open box, its lid with a rim inside, and a cube on it."""
    inside = box((40, 40, 36), (-20, -20, 4))
    bottom = box((48, 48, 40), (-24, -24, 0)) - inside
    lid = box((48, 48, 5), (-24, -24, 40)) + (
        box((40, 40, 8), (-20, -20, 32)) - box((34, 34, 8), (-17, -17, 32))
    )
    return case(
        {"bottom": bottom, "lid": lid, "cube": box((20, 20, 20), (-10, -10, 45))},
        "stands",
        "one on the other",
    )


def bracket(weight: float) -> MeshCase:
    """An angle hooked over the edge of a block, with a weight on its arm so many mm long."""
    block = box((60, 30, 50), (-60, -15, 0))
    arm = standing([(-40, 50), (0, 50), (0, 30), (8, 30), (8, 50), (40, 50), (40, 58), (-40, 58)], 24)
    load = box((weight, 24, weight), (40 - weight, -12, 58))
    masses = [(80 * 8 * 24, 0.0), (8 * 20 * 24, 4.0), (weight**2 * 24, 40 - weight / 2)]
    where = sum(mass * x for mass, x in masses) / sum(mass for mass, _ in masses)
    # tipping over the edge would press the hook, 20 mm below, against the block: friction on top holds it back
    verdict = "stands" if where < 0.4 * 20 else "topples"
    pieces = {"block": block, "arm": chamfered(arm), "load": load}
    return case(pieces, verdict, f"{where:.1f} mm past the edge, the hook holds up to 8 mm")


# -- faceted curves ----------------------------------------------------------------------------------------------


def wave(count: int, step: float = 0.0, facets: int = 40) -> MeshCase:
    """Blocks that meet in one wave of so many facets, drawn alike on both sides, each set off along it."""
    x = np.linspace(-25, 25, facets + 1)
    low = 4 * np.cos(2 * np.pi * x / 50)
    pieces = {}
    for row in range(count):
        under = list(zip(x, low, strict=True)) if row else [(-25.0, -10.0), (25.0, -10.0)]
        over = list(zip(x[::-1], low[::-1] + 20, strict=True))
        pieces[f"wave{row}"] = standing([*under, *over], 30).translate((0, step * row, 20 * row + 10))
    reach = step * count / 2
    return case(
        pieces,
        "stands" if reach < 15 else "topples",
        f"the upper ones' centre is {reach:.1f} mm off, half 15",
    )


def ball_in_socket() -> MeshCase:
    """A faceted ball in a block that was cast round it."""
    ball = Manifold.sphere(20, 32).translate((0, 0, 32))
    block = box((50, 50, 30), (-25, -25, 0)) - ball
    return case({"block": block, "ball": ball}, "stands", "the socket reaches almost to the ball's middle")


def roll_in_cradle() -> MeshCase:
    """A faceted roll in a cradle of its facets, and a bar in a notch of the roll."""
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    roll = standing([(15 * math.cos(t), 15 * math.sin(t) + 20) for t in turns], 40)
    cradle = box((50, 40, 16), (-25, -20, 0)) - roll
    return case({"cradle": cradle, "roll": roll}, "stands", "the roll lies in the cradle's lowest place")


def faceted_arch(thickness: float, stones: int = 9, facets: int = 6) -> MeshCase:
    """A semicircular arch whose stones have faceted inner and outer faces, between two fixed springers."""
    inner, outer, pieces = 100 - thickness * 50, 100 + thickness * 50, {}
    for stone in range(stones):
        turns = np.pi * (stone + np.linspace(0, 1, facets + 1)) / stones
        ring = [(outer * math.cos(t), outer * math.sin(t)) for t in turns]
        ring += [(inner * math.cos(t), inner * math.sin(t)) for t in turns[::-1]]
        pieces[f"stone{stone}"] = standing(ring, 30)
    verdict = "stands" if thickness > 0.1075 else "topples"
    return case(
        pieces, verdict, f"thickness/radius {thickness:g}; a semicircle needs 0.1075 (Milankovitch 1907)"
    )


def cap_on_dome() -> MeshCase:
    """A faceted dome, and a block cast over it."""
    half = Manifold.sphere(24, 32).trim_by_plane((0, 0, 1), 0.0)
    dome = half + box((60, 60, 10), (-30, -30, -10))
    cap = box((60, 60, 20), (-30, -30, 10)) - half
    lifted = {"dome": dome.translate((0, 0, 10)), "cap": cap.translate((0, 0, 10))}
    return case(lifted, "stands", "the cap hugs the dome from 10 mm up, its centre over the middle")


def egg_in_cup() -> MeshCase:
    """A faceted egg in a cup of its shape."""
    egg = Manifold.sphere(1, 32).scale((15, 15, 21)).translate((0, 0, 26))
    cup = box((40, 40, 24), (-20, -20, 0)) - egg
    return case({"cup": cup, "egg": egg}, "stands", "the cup holds the egg almost up to its middle")


# -- hanging and hooked ------------------------------------------------------------------------------------------


def hook(aside: float) -> MeshCase:
    """A hook over a fixed square bar, with a weight so many mm beside the bar's middle."""
    bar = box((8, 60, 12), (-4, -30, 100))
    outline = [(-6, 112), (-6, 80), (-14, 80), (-14, 120), (14, 120), (14, 60), (6, 60), (6, 112)]
    pieces = [(8 * 40.0, -10.0), (12 * 8.0, 0.0), (8 * 60.0, 10.0)]
    weight = (40.0 * 20.0, aside)
    where = sum(a * x for a, x in [*pieces, weight]) / sum(a for a, _ in [*pieces, weight])
    body = standing(outline, 20) + standing(
        [(aside - 20, 40), (aside + 20, 40), (aside + 20, 60), (aside - 20, 60)], 20
    )
    verdict = "stands" if abs(where) < 4 else "topples"
    return case(
        {"bar": bar, "hook": body},
        verdict,
        f"the centre is {where:.1f} mm from the bar's middle, half 4",
        ("bar",),
    )


def chain() -> MeshCase:
    """Two frames linked on a fixed bar."""
    frame = box((8, 50, 60), (-4, -25, 0)) - box((8, 34, 44), (-4, -17, 8))
    upper = frame.translate((0, 0, 100))
    lower = frame.rotate((0, 0, 90)).translate((0, 0, 56))
    bar = box((60, 10, 10), (-30, -5, 142))
    return case({"bar": bar, "upper": upper, "lower": lower}, "stands", "both hang straight down", ("bar",))


def rail_hanger() -> MeshCase:
    """A carriage that hangs in a rail."""
    slot = standing([(-6, 90), (6, 90), (6, 96), (14, 96), (14, 106), (-14, 106), (-14, 96), (-6, 96)], 100)
    rail = box((40, 100, 20), (-20, -50, 90)) - slot
    carriage = box((26, 40, 8), (-13, -20, 96)) + box((10, 40, 40), (-5, -20, 56))
    return case(
        {"rail": rail, "carriage": carriage}, "stands", "it hangs on both lips of the rail", ("rail",)
    )


def shelf_without_a_hold() -> MeshCase:
    """A shelf that only touches a wall."""
    wall = box((30, 60, 80), (-30, -30, 0)) - box((30, 30, 15), (-30, -15, 60))
    shelf = chamfered(box((50, 30, 15), (0, -15, 40)))
    return case({"wall": wall, "shelf": shelf}, "topples", "nothing presses it to the wall", ("wall",))


# -- scanned -----------------------------------------------------------------------------------------------------


def wall_boxes(rows: int = 4, size: tuple[float, float, float] = (60.0, 30.0, 25.0)) -> dict[str, Manifold]:
    """A wall in running bond: rows of three, half bricks at the ends of every second row."""
    length, depth, height = size
    found: dict[str, Manifold] = {}
    for row in range(rows):
        cuts = [0.0, 1.0, 2.0, 3.0] if row % 2 == 0 else [0.0, 0.5, 1.5, 2.5, 3.0]
        for number, (a, b) in enumerate(pairwise(cuts)):
            found[f"brick{row}_{number}"] = box(
                (length * (b - a), depth, height), (length * (a - 1.5), -depth / 2, height * row)
            )
    return found


def scanned_wall(noise: float, seed: int, spacing: float = 0.0) -> MeshCase:
    """A wall with a scanner's error of `noise` mm on points `spacing` mm apart; 0: on its corners alone."""
    rng = np.random.default_rng(seed)
    pieces = {}
    for name, solid in wall_boxes().items():
        corners, faces = triangles_of(solid.refine_to_length(spacing) if spacing else solid)
        pieces[name] = corners + rng.normal(0.0, noise, corners.shape), faces
    return MeshCase(pieces, "stands", "the wall without the noise does", fit_mm=max(4 * noise, 0.05))


# -- careless exports --------------------------------------------------------------------------------------------


def careless(change: Callable[[NDArray[np.float64], NDArray[np.int64]], Triangles], why: str) -> MeshCase:
    """Three blocks on each other, each mesh spoilt by a change that leaves the solid as it is."""
    stack = {
        f"block{row}": chamfered(box((50 - 8 * row, 30, 20), (-25 + 4 * row, -15, 20 * row)))
        for row in range(3)
    }
    return MeshCase({name: change(*triangles_of(one)) for name, one in stack.items()}, "stands", why)


def loose(corners: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """Every triangle with corners of its own, rounded like a file."""
    return corners[faces].reshape(-1, 3).astype(np.float32).astype(float), np.arange(3 * len(faces)).reshape(
        -1, 3
    )


def doubled(corners: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """A triangle twice."""
    return corners, np.concatenate([faces, faces[:1]])


def pierced(corners: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """A triangle left out."""
    return corners, faces[1:]


def half_turned(corners: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """Every third triangle inside out."""
    turned = faces.copy()
    turned[::3] = turned[::3, ::-1]
    return corners, turned


def inside_out(corners: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """All triangles inside out."""
    return corners, faces[:, ::-1]


def needled(corners: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """A triangle without area beside the others."""
    return corners, np.concatenate([faces, [[faces[0, 0], faces[0, 1], faces[0, 1]]]])


def cracked(corners: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """Corners that should be one, up to 2 um apart."""
    apart = corners[faces].reshape(-1, 3)
    apart = apart + np.random.default_rng(5).uniform(-1e-3, 1e-3, apart.shape)
    return apart, np.arange(len(apart)).reshape(-1, 3)


CASES: dict[str, Callable[[], MeshCase]] = {
    "pocket and tenon": pocket_and_tenon,
    "cross lap": cross_lap,
    "lap over an edge, inside": lambda: lap_over_an_edge(-6.0),
    "lap over an edge, outside": lambda: lap_over_an_edge(9.0),
    "dovetail": dovetail,
    "ridged, leaning inside": lambda: ridged(5.0),
    "ridged, leaning outside": lambda: ridged(10.0),
    "tee in channel": tee_in_channel,
    "lidded box": lidded,
    "bracket, light load": lambda: bracket(12.0),
    "bracket, heavy load": lambda: bracket(24.0),
    "three waves": lambda: wave(3),
    "waves leaning inside": lambda: wave(5, 4.0),
    "waves leaning outside": lambda: wave(5, 7.5),
    "ball in socket": ball_in_socket,
    "roll in cradle": roll_in_cradle,
    "faceted arch": lambda: faceted_arch(0.2),
    "faceted arch, thin": lambda: faceted_arch(0.07),
    "cap on dome": cap_on_dome,
    "egg in cup": egg_in_cup,
    "hook, centre under the bar": lambda: hook(-4.0),
    "hook, centre beside the bar": lambda: hook(22.0),
    "chain": chain,
    "rail hanger": rail_hanger,
    "shelf without a hold": shelf_without_a_hold,
    "scanned wall, corners 0.05": lambda: scanned_wall(0.05, 1),
    "scanned wall, corners 0.2": lambda: scanned_wall(0.2, 2),
    "scanned wall, points 0.1": lambda: scanned_wall(0.1, 3, 10.0),
    "scanned wall, points 0.2": lambda: scanned_wall(0.2, 4, 10.0),
    "scanned wall, points 0.3": lambda: scanned_wall(0.3, 5, 10.0),
    "loose triangles": lambda: careless(loose, "files split corners"),
    "a triangle twice": lambda: careless(doubled, "the second one adds nothing"),
    "a triangle missing": lambda: careless(pierced, "the hole is flat"),
    "triangles inside out": lambda: careless(half_turned, "which side is out follows from the others"),
    "all inside out": lambda: careless(inside_out, "turned as a whole"),
    "a triangle without area": lambda: careless(needled, "it encloses nothing"),
    "cracks of 2 um": lambda: careless(cracked, "the cracks are closed"),
}
"""By name, 37 in all."""
