"""Piece descriptions: what may be written, and that every fault is named, all at once."""

from __future__ import annotations

from typing import Any

import pytest

from teeter.models.build import BUILDERS
from teeter.models.errors import SpecError
from teeter.models.material import material_named
from teeter.models.shapes import Box
from teeter.models.spec import SHAPES, PieceSpec, parse

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]
BOX = {"box": [1, 2, 3]}


def faults(table: dict[str, Any]) -> tuple[str, ...]:
    with pytest.raises(SpecError) as caught:
        parse(table, "file")
    return caught.value.faults


def test_every_shape_has_a_builder() -> None:
    assert set(SHAPES) == set(BUILDERS)
    assert len({shape.key() for shape in SHAPES}) == len(SHAPES)


@pytest.mark.parametrize(
    "shape",
    [
        {"box": [60, 30, 15]},
        {"cylinder": [20, 15.5]},
        {"sphere": 20},
        {"prism": {"points": SQUARE, "height": 5}},
        {"polycube": {"cells": [[0, 0, 0], [1, 0, 0]], "edge": 16}},
        {"mesh": "egg.stl", "scale": 25.4},
    ],
)
def test_shapes_read_and_write_alike(shape: dict[str, Any]) -> None:
    spec = parse({"shape": shape}, "file")
    assert spec.model_dump(mode="json")["shape"] == shape
    assert PieceSpec.model_validate(spec.model_dump()) == spec
    assert hash(spec) == hash(PieceSpec.model_validate(spec.model_dump()))


def test_defaults() -> None:
    spec = parse({"shape": BOX}, "file")
    assert spec.shape == Box(box=(1, 2, 3))
    assert spec.material == material_named("beech")
    assert spec.colour is None


def test_a_made_up_name_depends_on_the_contents_alone() -> None:
    same, other = {"shape": BOX, "colour": "red"}, {"shape": BOX, "colour": "blue"}
    names = [parse(table, "file").model for table in (same, dict(same), other)]
    assert names[0] == names[1] != names[2]
    assert names[0].startswith("inline/box-")


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ({"box": [0, 2, 3]}, "shape.box[0]: Input should be greater than or equal to 0.01 (got 0)"),
        ({"box": [1, -2, 3]}, "shape.box[1]: Input should be greater than or equal to 0.01 (got -2)"),
        ({"box": [1, 2]}, "shape.box[2]: Field required"),
        ({"box": [1, 2, 3, 4]}, "shape.box: Tuple should have at most 3 items after validation, not 4"),
        ({"box": [1, 2, "3"]}, "shape.box[2]: Input should be a valid number (got '3')"),
        ({"box": [1, 2, True]}, "shape.box[2]: Input should be a valid number (got True)"),
        ({"box": [1, 2, float("inf")]}, "shape.box[2]: Input should be a finite number (got inf)"),
        ({"box": [1, 2, 3], "scale": 2}, "shape.scale: Extra inputs are not permitted"),
        ({"box": [1, 2, 3], "sphere": 4}, "shape: give exactly one shape of: box, cylinder, sphere, prism,"),
        ({"cube": 3}, "hull, wonky (got cube)"),
        ({}, "shape: give exactly one shape of:"),
        (7, "(got 7)"),
        ({"sphere": 1e9}, "shape.sphere: Input should be less than or equal to 1000000"),
        ({"cylinder": [5, 0]}, "shape.cylinder[1]: Input should be greater than or equal to 0.01 (got 0)"),
        ({"mesh": "a.stl", "scale": 0}, "shape.scale: Input should be greater than or equal to 0.000001"),
        ({"mesh": ""}, "shape.mesh: String should have at least 1 character"),
        (
            {"prism": {"points": SQUARE[:2], "height": 1}},
            "shape.prism.points: an outline has 3 to 500 corners (got 2)",
        ),
        ({"prism": {"points": SQUARE}}, "shape.prism.height: Field required"),
        (
            {"prism": {"points": [[0, 0], [9, 9], [9, 0], [0, 9]], "height": 1}},
            "shape.prism.points: sides 0 and 2 (from [0.0, 0.0] and from [9.0, 0.0]) cross or touch: "
            "give the corners in order around the outline",
        ),
        (
            {"prism": {"points": [[0, 0], [9, 0], [5, 5], [5, 0], [5, -5]], "height": 1}},
            "sides 0 and 2",
        ),
        (
            {"prism": {"points": [*SQUARE, [0, 0]], "height": 1}},
            "corners 0 and 4 are the same point [0.0, 0.0]: leave one out (the outline closes by itself)",
        ),
        (
            {"prism": {"points": [[0, 0], [9, 0], [5, 0]], "height": 1}},
            "the outline doubles back on itself at corner 1, [9.0, 0.0]",
        ),
        ({"polycube": {"cells": [], "edge": 1}}, "shape.polycube: a piece has 1 to 1000 cells (got 0)"),
        (
            {"polycube": {"cells": [[0, 0, 0.5]], "edge": 1}},
            "shape.polycube.cells[0][2]: Input should be a val",
        ),
        (
            {"polycube": {"cells": [[0, 0, 0], [0, 0, 0]], "edge": 1}},
            "cell [0, 0, 0] is given twice: leave one",
        ),
        (
            {"polycube": {"cells": [[0, 0, 0], [1, 1, 0]], "edge": 1}},
            "shape.polycube: cell [1, 1, 0] shares no face with the others: glue it on with cells between",
        ),
    ],
)
def test_wrong_shapes(shape: dict[str, Any], expected: str) -> None:
    assert any(expected in fault for fault in faults({"shape": shape})), faults({"shape": shape})


def test_not_a_number_is_refused_in_every_number() -> None:
    nan = float("nan")
    table = {"shape": {"prism": {"points": [[nan, 0], [1, 0], [0, 1]], "height": nan}}}
    found = faults(table | {"material": {"density": nan, "friction": nan, "restitution": nan}})
    assert len(found) == 5
    assert all("nan" in fault for fault in found)


def test_all_faults_at_once() -> None:
    found = faults({"shape": {"box": [0, 1, "x"]}, "material": "beach", "colour": "rad", "weight": 3})
    assert [fault.partition(":")[0] for fault in found] == [
        "shape.box[0]",
        "shape.box[2]",
        "material",
        "colour",
        "weight",
    ]


def test_the_message_says_where() -> None:
    with pytest.raises(SpecError, match=r"^tower.toml: piece\[3\]: shape: Field required$"):
        parse({}, "tower.toml: piece[3]")


def test_a_spec_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        parse({"shape": BOX}, "file").colour = "red"
