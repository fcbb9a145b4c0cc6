"""Sawn and drilled shapes. Lengths in millimetres."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, field_validator, model_validator
from scipy.spatial import ConvexHull, QhullError

from models.shape import Coordinate, Length, Shape

MOST_HULL_CORNERS = 100


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
        if not 4 <= len(corners) <= MOST_HULL_CORNERS:
            raise ValueError(f"a convex solid has 4 to {MOST_HULL_CORNERS} corners (got {len(corners)})")
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
