"""What is printed on a piece, as plain data: the boxes of a floor card, or a few words with a sign.

A face says nothing about how it is drawn. It lies on the top of the piece (+z as authored): its upper edge is at
+y, its right at +x. In a catalogue:

    face = { text = "+2" }                                        # a print
    face = { text = "DRAW BLUE", icon = "brick", ink = "blue" }   # a sign, in a colour, before the text
    face = { boxes = ["..#", ".x."], box_mm = 16 }                # the boxes of a floor card
    face = "value"                                                # the piece's own value
    face = "print.skip"                                           # a row of the file: `[[print]]`, id "skip"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from teeter.models.errors import ModelError, nearest
from teeter.models.material import hex_of
from teeter.models.tables import FileTable

BOXES = {".": "white", "#": "red", "-": "remove", "+": "play again", "x": "exchange"}
"""The sorts of boxes on a floor card, by the mark they are written with."""
Icon = Literal["", "brick", "pair", "more", "skip", "reverse", "edge", "centre", "others"]
LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+- ")
MAX_BOXES = 12
# keys of a row that a face may refer to
SHARED = ("boxes", "text", "icon", "ink")


def _colour(value: str) -> str:
    return value and hex_of(value)


class Face(FileTable):
    """What is printed on the top of a piece: `boxes`, or `text` and `icon`.

    boxes: rows of marks from the far edge (+y) to the near one, each from -x to +x; see BOXES. box_mm: edge of a
    box; the grid lies in the middle. text: capitals, digits, plus and minus. icon: a sign before the text. ink:
    colour of the icon, a name or `#rrggbb`; burnt in when left out.
    """

    boxes: Annotated[tuple[str, ...], Field(max_length=MAX_BOXES)] = ()
    box_mm: Annotated[float, Field(strict=True, gt=0, le=1e3)] = 16.0
    text: Annotated[str, Field(max_length=40)] = ""
    icon: Icon = ""
    ink: Annotated[str, AfterValidator(_colour)] = ""

    @model_validator(mode="after")
    def _sensible(self) -> Face:
        strange = sorted({mark for row in self.boxes for mark in row} - BOXES.keys())
        if strange:
            raise ValueError(f"boxes: unknown marks {' '.join(strange)}: use {' '.join(BOXES)}")
        if len({len(row) for row in self.boxes}) > 1 or not all(
            0 < len(row) <= MAX_BOXES for row in self.boxes
        ):
            raise ValueError(f"boxes: rows must be of one length, 1 to {MAX_BOXES}")
        letters = sorted(set(self.text) - LETTERS)
        if letters:
            raise ValueError(f'text: "{"".join(letters)}" cannot be printed: use capitals, digits, + and -')
        if bool(self.boxes) == bool(self.text.strip() or self.icon):
            raise ValueError("a face shows either boxes, or a text or icon")
        return self

    @property
    def summary(self) -> str:
        """What is printed, in a few words."""
        if not self.boxes:
            return self.text or self.icon
        counts = Counter(BOXES[mark] for row in self.boxes for mark in row)
        return ", ".join(f"{counts[name]} {name}" for name in BOXES.values() if counts[name])


def resolved(face: object, row: Mapping[str, Any], tables: Mapping[str, Any]) -> object:
    """The `face` of a catalogue row as a table.

    face: a table already; `"value"`, the value of the piece; or `"print.skip"`, the row `skip` of the file's
    tables `[[print]]`, with `box_mm` from `[face]`. Raises ModelError when there is no such row.
    """
    if not isinstance(face, str):
        return face
    if face == "value":
        if "value" not in row:
            raise ModelError(
                'face: the piece has no value that could be printed: add one, such as "value = 3"'
            )
        return {"text": str(row["value"])}
    table, _, name = face.partition(".")
    rows = tables.get(table)
    known = {str(face.get("id")): face for face in rows} if isinstance(rows, list) else {}
    if name not in known:
        ways = nearest(face, [f"{table}.{key}" for key in known])
        raise ModelError(f'face: this file has no [[{table}]] called "{name}": {ways}')
    shared = {key: known[name][key] for key in SHARED if key in known[name]}
    return {**{key: tables["face"][key] for key in ("box_mm",) if key in tables.get("face", {})}, **shared}
