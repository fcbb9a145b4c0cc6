"""What every shape has in common, and the numbers that shapes are made of. Lengths in millimetres."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

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
