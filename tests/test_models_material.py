"""Materials and colours: the values of the file, mixed pairs, and what wrong names say."""

from __future__ import annotations

import math
import re

import pytest
from pydantic import ValidationError

from teeter.models.errors import ModelError, UnknownMaterialError
from teeter.models.material import (
    Material,
    colours,
    hex_of,
    material_named,
    materials,
    pair_coefficient,
)


@pytest.mark.parametrize(
    ("name", "density", "friction", "finish"),
    [
        ("beech", 690, 0.40, "natural"),
        ("alder", 450, 0.40, "natural"),
        ("lacquered_beech", 690, 0.32, "painted"),
        ("grey_board", 645, 0.40, "matte"),
        ("table", 700, 0.45, "natural"),
    ],
)
def test_named_materials(name: str, density: float, friction: float, finish: str) -> None:
    material = material_named(name)
    assert (material.name, material.density_kg_m3, material.friction) == (name, density, friction)
    assert (material.restitution, material.finish) == (0.15, finish)


def test_two_millimetres_of_grey_board_weigh_1290_grams_a_square_metre() -> None:
    assert math.isclose(material_named("grey_board").density_kg_m3 * 0.002, 1.29)


@pytest.mark.parametrize(
    ("a", "b", "friction"),
    [
        ("beech", "beech", 0.40),
        ("beech", "grey_board", 0.40),
        ("beech", "table", math.sqrt(0.40 * 0.45)),
        ("lacquered_beech", "beech", math.sqrt(0.32 * 0.40)),
    ],
)
def test_a_mixed_pair_takes_the_geometric_mean(a: str, b: str, friction: float) -> None:
    first, second = material_named(a), material_named(b)
    assert math.isclose(pair_coefficient(first.friction, second.friction), friction)
    assert pair_coefficient(first.friction, second.friction) == pair_coefficient(
        second.friction, first.friction
    )
    assert math.isclose(pair_coefficient(first.restitution, second.restitution), 0.15)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("beach", 'unknown material "beach": did you mean "beech"?'),
        (
            "granite",
            'unknown material "granite": there are: alder, beech, grey_board, lacquered_beech, table',
        ),
        (3, 'unknown material "3": there are'),
    ],
)
def test_an_unknown_material_names_the_nearest(name: str, message: str) -> None:
    with pytest.raises(UnknownMaterialError, match=re.escape(message)):
        material_named(name)


def test_inline_values_and_like() -> None:
    whole = Material.model_validate({"density": 1200, "friction": 0.5})
    assert (whole.density_kg_m3, whole.friction, whole.restitution) == (1200, 0.5, 0.15)
    like = Material.model_validate({"like": "lacquered_beech", "density": 695})
    assert like == material_named("lacquered_beech").model_copy(update={"density_kg_m3": 695.0})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"density": 0, "friction": 0.4}, "greater than 0"),
        ({"density": 690, "friction": -0.1}, "greater than or equal to 0"),
        ({"density": 690, "friction": float("nan")}, "greater than or equal to 0|finite number"),
        ({"density": float("inf"), "friction": 0.4}, "less than or equal to 25000|finite number"),
        ({"density": 690, "friction": 0.4, "restitution": 1.5}, "less than or equal to 1"),
        ({"density": "690", "friction": 0.4}, "valid number"),
        ({"friction": 0.4}, "density.*Field required|density_kg_m3"),
        ({"like": "beach"}, 'did you mean "beech"'),
        ({"like": "beech", "weight": 3}, "Extra inputs"),
    ],
)
def test_wrong_inline_values(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=f"(?s){message}"):
        Material.model_validate(values)


def test_every_named_colour_is_a_hex_colour() -> None:
    assert all(hex_of(value) == value for value in colours().values())
    assert {"red", "yellow", "green", "purple", "blue"} <= set(colours())
    assert all(hex_of(material.colour) == material.colour for material in materials().values())


@pytest.mark.parametrize(
    ("colour", "message"),
    [("rad", 'unknown colour "rad": did you mean "red"?'), ("#12345", 'unknown colour "#12345"')],
)
def test_an_unknown_colour(colour: str, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        hex_of(colour)


def test_a_colour_may_be_written_in_capitals() -> None:
    assert hex_of("#A0B1C2") == "#a0b1c2"
