"""A new key of a piece, and a new table about what acts on all pieces, are made in two places: where they are declared
and where they act. Reader, hint, writer and the README's table have them from there."""

from __future__ import annotations

from typing import Annotated

import pytest
from generate import keys
from pydantic import Field

from teeter.models.material import Material
from teeter.scenes import reading, schema
from teeter.scenes.dump import dump
from teeter.scenes.load import build, load
from teeter.scenes.loads import refuse_loads
from teeter.scenes.reading import GivenText
from teeter.scenes.scene import SceneError
from teeter.scenes.schema import OF_MATERIAL, SURFACE, Head, PieceTable, TableOfAll, tables_in

PIECE = {"id": "a", "shape": {"box": [20, 20, 20]}, "position": [0, 0, 10]}


class MorePiece(PieceTable):
    """With a key that nobody else knows."""

    toy_mm: Annotated[float | None, Field(strict=True, ge=0, description="how much of a toy it is")] = None


class ToyTable(TableOfAll):
    """A toy that all pieces feel."""

    toy: Annotated[float, Field(strict=True, gt=0)]
    turns: int = 1


class MoreHead(Head):
    """With a table that nobody else knows."""

    magic: ToyTable | None = None


@pytest.fixture
def more(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (reading, schema):
        monkeypatch.setattr(module, "PieceTable", MorePiece)
        monkeypatch.setattr(module, "Head", MoreHead)
        monkeypatch.setattr(module, "TABLES", tables_in(MoreHead))
    monkeypatch.setattr(schema, "TABLES_OF_ALL", (*schema.TABLES_OF_ALL, "magic"))


def refusal(text: str) -> str:
    with pytest.raises(SceneError) as refused:
        load(GivenText(text.encode(), "toy"))
    return str(refused.value)


@pytest.mark.usefixtures("more")
def test_a_key_of_a_piece_is_read_written_and_hinted_at_by_being_declared() -> None:
    text = dump(build([PIECE | {"toy_mm": 2.5}]))
    assert "toy_mm = 2.5" in text
    assert dump(load(GivenText(text.encode(), "built"))) == text
    assert "toy_mm" not in dump(build([PIECE]))
    assert "did you mean 'toy_mm'?" in refusal(text.replace("toy_mm", "toi_mm"))
    assert 'piece[1] "a": toy_mm = -2.5: must be at least 0' in refusal(text.replace("= 2.5", "= -2.5"))


@pytest.mark.usefixtures("more")
def test_a_table_about_all_pieces_is_read_written_and_hinted_at_by_being_declared() -> None:
    text = dump(build([PIECE])) + "\n[magic]\ntoy = 2\nturns = 3\n"
    scene = load(GivenText(text.encode(), "built"))
    assert dump(scene) == text
    with pytest.raises(SceneError, match=r"does not take loads \(magic\)"):
        refuse_loads(scene, "a .glb file")
    assert "magic" in refusal(text.replace("[magic]", "[magik]"))
    assert "[magic]: tuns: unknown key; did you mean 'turns'?" in refusal(text.replace("turns", "tuns"))


def test_the_readme_has_a_row_for_every_key() -> None:
    assert "| `toy_mm` | how much of a toy it is |" in keys(MorePiece)
    assert "None" not in keys()


def test_what_is_a_materials_too_is_taken_from_the_one_that_declares_it() -> None:
    assert set(OF_MATERIAL) == {*PieceTable.model_fields} & {*Material.model_fields} - {"colour"}
    assert SURFACE == ("friction", "rolling_mm")
