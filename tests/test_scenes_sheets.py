"""Level sheets that are not under everything, warped polygons of .off files, and JSON of other kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from teeter.engine.world.body import TABLE
from teeter.models.mesh_files import cut_off_alike
from teeter.scenes.load import load
from teeter.scenes.scene import SceneError

CUBE = ((1, 4, 3, 2), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8))
CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def obj(*objects: tuple[str, float, float, float, float]) -> str:
    """Cubes by name, middle x, foot z, half side and height; a sheet where that is 0."""
    lines, count = [], 0
    for name, x, z, half, height in objects:
        levels = (z, z + height) if height else (z,)
        lines.append(f"o {name}")
        lines += [f"v {x + half * a} {half * b} {level}" for level in levels for a, b in CORNERS]
        faces = CUBE if height else ((1, 2, 3, 4),)
        lines += ["f " + " ".join(str(count + corner) for corner in face) for face in faces]
        count += 4 * len(levels)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("way", [1, -1])
def test_a_level_sheet_under_some_pieces_is_a_support_when_it_is_said(way: int, tmp_path: Path) -> None:
    path = tmp_path / "shelf.obj"
    text = obj(("Shelf", 0, 100, 50, 0), ("above", 0, 100, 20, 40), ("low", 200, 0, 20, 40))
    path.write_text(text if way == 1 else text.replace("f 1 2 3 4", "f 4 3 2 1"))
    with pytest.raises(SceneError, match='leave it out .*--without "Shelf".*or, where it is level.*--fixed'):
        load(path)
    bodies = {body.name: body for body in load(path, fixed=["Shelf"]).assembly.bodies}
    assert bodies["Shelf"].fixed
    assert bodies["Shelf"].pose.position[2] == pytest.approx(0.1 - 1e-3 / 2)
    assert bodies["Shelf"].piece.volume == pytest.approx(0.1 * 0.1 * 1e-3)
    with pytest.raises(SceneError, match="floats 100.00 mm over the table"):
        load(path, excused=["Shelf"])


def test_a_sheet_that_all_but_one_lie_on(tmp_path: Path) -> None:
    path = tmp_path / "half.obj"
    path.write_text(obj(("Plane", 0, 0, 50, 0), ("a", 0, 0, 20, 40), ("beside", 200, 0, 20, 40)))
    fixed = load(path, fixed=["Plane"])
    assert fixed.ids == ("Plane", "a", "beside")
    assert load(path, excused=["Plane"]).ids == ("a", "beside")
    assert next(body for body in fixed.assembly.bodies if body.name == TABLE).fixed


def test_bodies_of_an_off_file_share_their_warped_faces(tmp_path: Path) -> None:
    shared = [(-20, -20, 20), (20, -20, 22), (20, 20, 20), (-20, 20, 22)]
    lower = [(-20, -20, 0), (20, -20, 0), (20, 20, 0), (-20, 20, 0), *shared]
    upper = [*shared, (-20, -20, 40), (20, -20, 40), (20, 20, 40), (-20, 20, 40)]
    faces = [[corner - 1 for corner in face] for face in CUBE]
    # the same face, listed from another start
    rows = [*faces[:1], faces[1][1:] + faces[1][:1], *faces[2:]]
    rows += [[corner + 8 for corner in face] for face in faces]
    text = "OFF # by hand\n16 12 0\n"
    text += "".join(f"{x} {y} {z}\n" for x, y, z in [*lower, *upper])
    text += "".join(f"4 {' '.join(map(str, row))}\n" for row in rows)
    path = tmp_path / "warped.off"
    path.write_text(text)
    scene = load(path)
    assert len(scene.ids) == 2
    assert scene.settle_mm == 0.0


@pytest.mark.parametrize(
    "text", [b"", b"OFF", b"COFF\n1 1 0\n", b"OFF\n4 1 0\n0 0 0\n4 0 1 2 9\n", b"\xff\x00"]
)
def test_what_is_no_off_file_is_left_to_its_reader(text: bytes) -> None:
    assert cut_off_alike(text) == text


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "[1]", "3", '{"dtype": "compas.datastructures/Graph", "data": {}}']
)
def test_json_of_another_kind_is_told_what_is_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(text)
    with pytest.raises(SceneError, match=r"no COMPAS assembly, .*compas.json_dump") as refused:
        load(path)
    assert "Error" not in str(refused.value)
