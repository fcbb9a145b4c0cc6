"""Shapes as people write them: `{ box = [60, 30, 15] }`. Lengths in millimetres, one shape key each.

To add a shape, write its class, put it into `SHAPES`, and give `models.build.BUILDERS` its builder.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from scipy.spatial import ConvexHull, QhullError

from models.outline import outline_fault

# below a hundredth of a millimetre and above a kilometre a number is a slip of units
Length = Annotated[float, Field(strict=True, ge=0.01, le=1e6)]
# of a hole, or of the end of a cone, which may be a point
Radius = Annotated[float, Field(strict=True, ge=0, le=1e6)]
Coordinate = Annotated[float, Field(strict=True, ge=-1e6, le=1e6)]


class Shape(BaseModel):
    """A shape of any kind; its first field is the key that names it in a file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def key(cls) -> str:
        """The word that names this shape in a file."""
        return next(iter(cls.model_fields))


MAX_HULL_CORNERS = 100


class Opening(BaseModel):
    """A block and the half cylinder sawn out of its underside along y. Lengths in mm."""

    model_config = Shape.model_config

    box: tuple[Length, Length, Length]
    radius: Length

    @model_validator(mode="after")
    def _fits(self) -> Opening:
        width, _, height = self.box
        if self.radius >= width / 2 or self.radius >= height:
            raise ValueError(
                f"radius: the opening of radius {self.radius:g} is wider than its piece "
                f"({width:g} wide, {height:g} high)"
            )
        return self


class Arch(Shape):
    """A block less a half cylinder in the middle of its underside; the opening runs along y."""

    arch: Opening


class Hole(BaseModel):
    """A block and the hole drilled through it along z. Lengths in mm."""

    model_config = Shape.model_config

    box: tuple[Length, Length, Length]
    radius: Length

    @model_validator(mode="after")
    def _fits(self) -> Hole:
        if 2 * self.radius >= min(self.box[:2]):
            raise ValueError(
                f"radius: the hole of radius {self.radius:g} is wider than its piece "
                f"({self.box[0]:g} x {self.box[1]:g})"
            )
        return self


class Drilled(Shape):
    """A block with a round hole through its middle, along z."""

    drilled: Hole


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
        try:
            found = ConvexHull(corners)
        except QhullError:
            raise ValueError("the corners lie in one plane: give the solid a thickness") from None
        lost = sorted(set(range(len(corners))) - set(found.vertices.tolist()))
        if lost:
            raise ValueError(f"corner {lost[0]}, {list(corners[lost[0]])}, is no corner of the convex solid")
        return corners


class Caps(BaseModel):
    """A cube's edge, and how far its three caps bulge in their middle. Lengths in mm."""

    model_config = Shape.model_config

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


Cell = tuple[
    Annotated[int, Field(strict=True, ge=-1000, le=1000)],
    Annotated[int, Field(strict=True, ge=-1000, le=1000)],
    Annotated[int, Field(strict=True, ge=-1000, le=1000)],
]
MAX_CORNERS = 500
MAX_CELLS = 1000


class Box(Shape):
    """A cuboid: size along x, y and z in mm."""

    box: tuple[Length, Length, Length]


class Cylinder(Shape):
    """A disc, pole or dowel along z: radius and height in mm."""

    cylinder: tuple[Length, Length]


class Sphere(Shape):
    """A ball: radius in mm."""

    sphere: Length


class Extrusion(BaseModel):
    """A polygon in the xy plane, in mm, either way round, and how high it stands along z."""

    model_config = Shape.model_config

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


class Cells(BaseModel):
    """Unit cubes by their integer places, and the length of a cube's edge in mm."""

    model_config = Shape.model_config

    cells: tuple[Cell, ...]
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
            beside = {
                (x + 1, y, z),
                (x - 1, y, z),
                (x, y + 1, z),
                (x, y - 1, z),
                (x, y, z + 1),
                (x, y, z - 1),
            }
            fresh = (beside & cells) - reached
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
