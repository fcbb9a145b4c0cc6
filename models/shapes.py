"""Shapes as people write them: `{ box = [60, 30, 15] }`. Lengths in millimetres, one shape key each.

To add a shape, write its class and give `models.build.BUILDERS` its builder.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from teeter.models.hulls import convex_hull
from teeter.models.outline import Step, bored, outline_fault, section_fault, trace
from teeter.models.tables import FileTable

# below a hundredth of a millimetre and above a kilometre a number is a slip of units
Length = Annotated[float, Field(strict=True, ge=0.01, le=1e6)]
# of a hole, or of the end of a cone, which may be a point
Radius = Annotated[float, Field(strict=True, ge=0, le=1e6)]
Coordinate = Annotated[float, Field(strict=True, ge=-1e6, le=1e6)]


class Shape(FileTable):
    """A shape of any kind; its first field is the key that names it in a file."""

    @classmethod
    def key(cls) -> str:
        """The word that names this shape in a file."""
        return next(iter(cls.model_fields))


Place = Annotated[int, Field(strict=True, ge=-1000, le=1000)]
MAX_CORNERS = 500
MAX_CELLS = 1000
MAX_HULL_CORNERS = 100


class Box(Shape):
    """A cuboid: size along x, y and z in mm."""

    box: tuple[Length, Length, Length]


class Cylinder(Shape):
    """A disc, pole or dowel along z: radius and height in mm."""

    cylinder: tuple[Length, Length]


class Sphere(Shape):
    """A ball: radius in mm."""

    sphere: Length


class Extrusion(FileTable):
    """A polygon in the xy plane, in mm, either way round, and how high it stands along z."""

    points: tuple[tuple[Coordinate, Coordinate], ...]
    height: Length

    @field_validator("points")
    @classmethod
    def _simple(cls, points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if not 3 <= len(points) <= MAX_CORNERS:
            raise ValueError(f"an outline has 3 to {MAX_CORNERS} corners (got {len(points)})")
        fault = outline_fault(points)
        if fault:
            raise ValueError(fault)
        return points


class Prism(Shape):
    """A straight prism over a simple polygon, which may be concave."""

    prism: Extrusion


class Cells(FileTable):
    """Unit cubes by their integer places, and the length of a cube's edge in mm."""

    cells: tuple[tuple[Place, Place, Place], ...]
    edge: Length

    @model_validator(mode="after")
    def _one_body(self) -> Cells:
        if not 1 <= len(self.cells) <= MAX_CELLS:
            raise ValueError(f"a piece has 1 to {MAX_CELLS} cells (got {len(self.cells)})")
        cells = set(self.cells)
        if len(cells) < len(self.cells):
            twice = next(list(cell) for cell in self.cells if self.cells.count(cell) > 1)
            raise ValueError(f"cell {twice} is given twice: leave one out")
        reached, front = {self.cells[0]}, [self.cells[0]]
        while front:
            x, y, z = front.pop()
            beside = {(x + d, y, z) for d in (-1, 1)} | {(x, y + d, z) for d in (-1, 1)}
            fresh = ((beside | {(x, y, z + d) for d in (-1, 1)}) & cells) - reached
            reached |= fresh
            front.extend(fresh)
        if reached != cells:
            lost = list(min(cells - reached))
            raise ValueError(f"cell {lost} shares no face with the others: glue it on with cells between")
        return self


class Polycube(Shape):
    """Cubes glued face to face."""

    polycube: Cells


class Mesh(Shape):
    """A mesh file beside the scene or catalogue; its numbers times `scale` are mm (glTF: metres and Y-up,
    turned)."""

    mesh: Annotated[str, Field(min_length=1, max_length=1000)]
    scale: Annotated[float, Field(strict=True, ge=1e-6, le=1e6)] = 1.0


MAX_STEPS = 200
# how finely a profile is drawn to judge it; degrees of turn
JUDGED = 15.0

Sagitta = Annotated[float, Field(strict=True, ge=-1e6, le=1e6)]
Step2 = tuple[Radius, Coordinate]
Step3 = tuple[Radius, Coordinate, Sagitta | Literal["round", "hollow"]]


class Profile(FileTable):
    """A half section in the (r, z) plane, and the radius of a hole drilled along the axis (0: none).

    profile: the corners, beginning at the lower end, up the outside and, where there is a hollow, down inside.
    `[r, z]` is reached by a straight line, `[r, z, s]` by an arc whose middle lies s out of the chord (into the
    wood when negative), `[r, z, "round"]` and `[r, z, "hollow"]` by a quarter of an ellipse. Closes by itself.
    """

    profile: tuple[Step2 | Step3, ...]
    bore: Radius = 0.0

    @field_validator("profile", mode="before")
    @classmethod
    def _steps(cls, steps: Any) -> Any:
        # told apart here, so that a fault is reported once and not for either length of step
        for number, step in enumerate(steps if isinstance(steps, list) else ()):
            if not isinstance(step, (list, tuple)) or not 2 <= len(step) <= 3:
                raise ValueError(
                    f'step {number}: a step is [r, z], [r, z, s] or [r, z, "round"] (got {step!r})'
                )
        return steps

    @field_validator("profile")
    @classmethod
    def _sound(cls, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        if not 2 <= len(steps) <= MAX_STEPS:
            raise ValueError(f"a profile has 2 to {MAX_STEPS} corners (got {len(steps)})")
        if trace(steps, JUDGED)[:, 0].max() == 0:
            raise ValueError("the profile never leaves the axis: give it a radius")
        for number in range(1, len(steps)):
            before, step = steps[number - 1], steps[number]
            chord = math.dist(before[:2], step[:2])
            if chord == 0 and number < len(steps) - 1:
                raise ValueError(f"corners {number - 1} and {number} are the same point {list(step[:2])}")
            if len(step) == 3 and isinstance(step[2], float) and abs(step[2]) > chord / 2 * (1 + 1e-9):
                raise ValueError(
                    f"corner {number}: an arc over a chord of {chord:.4g} rises at most half of that (got {step[2]})"
                )
        fault = section_fault(trace(steps, JUDGED))
        if fault:
            raise ValueError(fault)
        return steps

    @model_validator(mode="after")
    def _hole(self) -> Profile:
        widest = float(trace(self.profile, JUDGED)[:, 0].max())
        if self.bore >= widest:
            raise ValueError(
                f"bore: the hole of radius {self.bore:g} is wider than its piece (radius {widest:g})"
            )
        if len(bored(trace(self.profile, JUDGED), self.bore)) > 1:
            raise ValueError(
                f"bore: the hole of radius {self.bore:g} cuts the piece in two: make it narrower"
            )
        return self


class Turned(Shape):
    """A turned piece: a profile revolved about z."""

    turned: Profile

    @property
    def steps(self) -> tuple[Step, ...]:
        """The profile."""
        return self.turned.profile

    @property
    def bore(self) -> float:
        """The radius of the hole."""
        return self.turned.bore


class Cone(Shape):
    """A cone or frustum along z: lower radius, upper radius and height in mm; one radius may be 0."""

    cone: tuple[Radius, Radius, Length]

    @field_validator("cone")
    @classmethod
    def _wide(cls, numbers: tuple[float, float, float]) -> tuple[float, float, float]:
        if max(numbers[:2]) < 0.01:
            raise ValueError("both radii are 0: a cone is a point at one end at most")
        return numbers

    @property
    def steps(self) -> tuple[Step, ...]:
        """Up the axis side."""
        lower, upper, height = self.cone
        corners = [(0.0, 0.0), (lower, 0.0), (upper, height), (0.0, height)]
        return tuple(corner for i, corner in enumerate(corners) if corner != corners[i - 1])

    bore: ClassVar[float] = 0.0


class Ring(Shape):
    """A ring or tube along z: outer radius, inner radius and height in mm."""

    ring: tuple[Length, Length, Length]

    @field_validator("ring")
    @classmethod
    def _wall(cls, numbers: tuple[float, float, float]) -> tuple[float, float, float]:
        outer, inner, _ = numbers
        if inner >= outer:
            raise ValueError(f"the hole of radius {inner:g} is wider than its piece (radius {outer:g})")
        return numbers

    @property
    def steps(self) -> tuple[Step, ...]:
        """A rectangle beside the axis."""
        outer, inner, height = self.ring
        return ((inner, 0.0), (outer, 0.0), (outer, height), (inner, height))

    bore: ClassVar[float] = 0.0


AnyTurned = Turned | Cone | Ring


class Cutout(FileTable):
    """A block and the radius of what is taken out of it. Lengths in mm."""

    box: tuple[Length, Length, Length]
    radius: Length


class Arch(Shape):
    """A block less a half cylinder in the middle of its underside; the opening runs along y."""

    arch: Cutout

    @field_validator("arch")
    @classmethod
    def _fits(cls, cut: Cutout) -> Cutout:
        width, _, height = cut.box
        if cut.radius >= width / 2 or cut.radius >= height:
            raise ValueError(
                f"radius: the opening of radius {cut.radius:g} is wider than its piece "
                f"({width:g} wide, {height:g} high)"
            )
        return cut


class Drilled(Shape):
    """A block with a round hole through its middle, along z."""

    drilled: Cutout

    @field_validator("drilled")
    @classmethod
    def _fits(cls, cut: Cutout) -> Cutout:
        if 2 * cut.radius >= min(cut.box[:2]):
            raise ValueError(
                f"radius: the hole of radius {cut.radius:g} is wider than its piece "
                f"({cut.box[0]:g} x {cut.box[1]:g})"
            )
        return cut


class Hull(Shape):
    """The convex solid over corners in mm: pyramids, wedges, whatever has flat faces and no hollows."""

    hull: tuple[tuple[Coordinate, Coordinate, Coordinate], ...]

    @field_validator("hull")
    @classmethod
    def _solid(
        cls, corners: tuple[tuple[float, float, float], ...]
    ) -> tuple[tuple[float, float, float], ...]:
        if not 4 <= len(corners) <= MAX_HULL_CORNERS:
            raise ValueError(f"a convex solid has 4 to {MAX_HULL_CORNERS} corners (got {len(corners)})")
        hull = convex_hull(np.array(corners))
        lost = sorted(set(range(len(corners))) - set(hull.vertices.tolist()))
        if lost:
            raise ValueError(f"corner {lost[0]}, {list(corners[lost[0]])}, is no corner of the convex solid")
        return corners


class Caps(FileTable):
    """A cube's edge, and how far its three caps bulge in their middle. Lengths in mm."""

    edge: Length
    sagitta: Annotated[float, Field(strict=True, ge=0.01)]

    @model_validator(mode="after")
    def _shallow(self) -> Caps:
        # beyond this the spheres of two caps meet inside the cube's edge
        if self.sagitta > self.edge / 4:
            raise ValueError(
                f"sagitta: a cap rises at most a quarter of the edge, {self.edge / 4:g} (got {self.sagitta})"
            )
        return self


class Wonky(Shape):
    """A cube with three flat faces that meet in a corner, and three faces swollen to spherical caps."""

    wonky: Caps
