"""A named stability case: a scene with a known answer, as data that `generate` writes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from teeter.scenes.schema import Expect, TableTop

Row = dict[str, Any]
Point = tuple[float, float]
Verdict = Literal["stands", "topples"]
PLAIN = TableTop()


@dataclass(frozen=True, slots=True)
class Case:
    """A scene to be shipped. rows: the keys of each `[[piece]]`. why: one line, with the closed form."""

    name: str
    title: str
    verdict: Verdict
    why: str
    rows: tuple[Mapping[str, Any], ...]
    table: TableTop = PLAIN
    settle_mm: float = 0.0

    @property
    def expect(self) -> Expect:
        """The `[expect]` table of the scene."""
        return Expect(verdict=self.verdict, why=self.why, settle_mm=self.settle_mm)


def box(name: str, size: Sequence[float], centre: Sequence[float], **more: Any) -> Row:
    """A `[[piece]]` row of a box: size and centre in mm."""
    return {"id": name, "shape": {"box": tuple(map(float, size))}, "position": _floats(centre), **more}


def upright_prism(name: str, outline: Iterable[Point], width: float, **more: Any) -> Row:
    """A prism over an outline in the xz plane of the world, mm, `width` wide along y and centred there."""
    points = [(float(x), float(z)) for x, z in outline]
    across, up = ([point[axis] for point in points] for axis in (0, 1))
    centre = ((min(across) + max(across)) / 2, 0.0, (min(up) + max(up)) / 2)
    return {
        "id": name,
        "shape": {"prism": {"points": points, "height": float(width)}},
        "position": _floats(centre),
        # the prism stands along z as authored: rolled by 90 degrees its y points up
        "rotation": (90.0, 0.0, 0.0),
        **more,
    }


def _floats(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
