"""Shapes as people write them: `{ box = [60, 30, 15] }`. Lengths in millimetres, one shape key each.

Turned shapes are in `shapes_turned`, sawn and drilled ones in `shapes_cut`. To add a shape, write its class, put it
into `SHAPES`, and give `models.build.BUILDERS` its builder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import (
    BaseModel,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)

from models.outline import outline_fault
from models.shape import Coordinate, Length, Shape
from models.shapes_cut import Arch, Drilled, Hull, Wonky
from models.shapes_turned import Cone, Ring, Turned

Cell = tuple[
    Annotated[int, Field(strict=True, ge=-1000, le=1000)],
    Annotated[int, Field(strict=True, ge=-1000, le=1000)],
    Annotated[int, Field(strict=True, ge=-1000, le=1000)],
]
MOST_CORNERS = 500
MOST_CELLS = 1000


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
        if not 3 <= len(points) <= MOST_CORNERS:
            raise ValueError(f"an outline has 3 to {MOST_CORNERS} corners (got {len(points)})")
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
        if not 1 <= len(self.cells) <= MOST_CELLS:
            raise ValueError(f"a piece has 1 to {MOST_CELLS} cells (got {len(self.cells)})")
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


SHAPES: tuple[type[Shape], ...] = (
    Box,
    Cylinder,
    Sphere,
    Prism,
    Polycube,
    Mesh,
    Turned,
    Cone,
    Ring,
    Arch,
    Drilled,
    Hull,
    Wonky,
)


def _kind(value: Any) -> str | None:
    """The one shape key of a table, or None when there is none or more than one."""
    if isinstance(value, Shape):
        return value.key()
    if not isinstance(value, dict):
        return None
    keys = [shape.key() for shape in SHAPES if shape.key() in value]
    return keys[0] if len(keys) == 1 else None


if TYPE_CHECKING:
    AnyShape = Shape
else:
    AnyShape = Annotated[
        Union[tuple(Annotated[shape, Tag(shape.key())] for shape in SHAPES)],  # noqa: UP007
        Discriminator(
            _kind,
            custom_error_type="shape",
            custom_error_message="give exactly one shape of: " + ", ".join(shape.key() for shape in SHAPES),
        ),
    ]
