"""Turned shapes: profiles revolved about the z axis. Lengths in millimetres."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from models.outline import Step, bored, section_fault, trace
from models.shapes import Coordinate, Length, Radius, Shape

MAX_STEPS = 200
# how finely a profile is drawn to judge it; degrees of turn
JUDGED = 15.0

Sagitta = Annotated[float, Field(strict=True, ge=-1e6, le=1e6)]
Step2 = tuple[Radius, Coordinate]
Step3 = tuple[Radius, Coordinate, Sagitta | Literal["round", "hollow"]]


class Profile(BaseModel):
    """A half section in the (r, z) plane, and the radius of a hole drilled along the axis (0: none).

    profile: the corners, beginning at the lower end, up the outside and, where there is a hollow, down inside.
    `[r, z]` is reached by a straight line, `[r, z, s]` by an arc whose middle lies s out of the chord (into the
    wood when negative), `[r, z, "round"]` and `[r, z, "hollow"]` by a quarter of an ellipse. Closes by itself.
    """

    model_config = Shape.model_config

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
        """The radius of the hole along the axis, 0 for none."""
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
