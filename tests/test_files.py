"""Files are written whole or not at all, and what cannot be written is said before the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from teeter.models.files import OutputError, check_output, first_free, output_fault, whole_or_nothing


def test_a_file_is_there_when_it_is_whole_and_nothing_is_left_when_it_is_not(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with whole_or_nothing(path) as part:
        part.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    with pytest.raises(TypeError), whole_or_nothing(path, force=True) as part:
        part.write_text(7)  # type: ignore[arg-type]
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_of_two_who_write_one_file_at_once_one_gets_it(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"

    def write(text: str, *before: str) -> None:
        with whole_or_nothing(path) as part:
            part.write_text(text)
            for each in before:
                write(each)

    with pytest.raises(OutputError, match="somebody else has just written it"):
        write("late", "first")
    assert path.read_text() == "first"
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="is no plain file"), whole_or_nothing(path, force=True) as part:
        part.write_text("new")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.txt"]


def test_without_hard_links_one_gets_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: object, **more: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refused)
    test_of_two_who_write_one_file_at_once_one_gets_it(tmp_path)


def test_what_goes_wrong_while_writing_is_told_with_the_name(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with (
        pytest.raises(OutputError, match=r"out\.txt: cannot be written: No such file"),
        whole_or_nothing(path),
    ):
        raise FileNotFoundError(2, "No such file or directory")
    with pytest.raises(OutputError, match="cannot be written: full"), whole_or_nothing(path, (LookupError,)):
        raise IndexError("full")


def test_places_that_cannot_be_written_to_are_refused(tmp_path: Path) -> None:
    assert output_fault(tmp_path / "out.txt") == ""
    assert output_fault(tmp_path) == "is a folder; name a file"
    with pytest.raises(OutputError, match=r"out\.txt: there is no folder .*nowhere"):
        check_output(tmp_path / "nowhere" / "out.txt")


def test_the_first_free_number_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a-1").touch()
    (tmp_path / "a-2.part").touch()
    assert first_free(lambda number: tmp_path / f"a-{number}") == tmp_path / "a-3"
    assert first_free(lambda number: tmp_path / f"a-{number}", {tmp_path / "a-3"}) == tmp_path / "a-4"


def test_a_folder_in_whose_place_a_file_is_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "scenes").write_text("")
    for file in (tmp_path / "scenes" / "built-1.toml", tmp_path / "scenes" / "deep" / "built-1.toml"):
        with (
            pytest.raises(
                OutputError, match=rf"{file.parent}: the folder cannot be made: a file is in its place"
            ),
            whole_or_nothing(file, makes_folder=True),
        ):
            pass
