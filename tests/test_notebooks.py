"""The lessons are run as a reader runs them: every cell, in a kernel of its own."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

LESSONS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))
HEAVIEST_CELL = 600_000
"""Bytes of what a cell shows: a page that turns, or a picture."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=[pytest.mark.soak] * (file.stem == "tournament_of_bots"), id=file.stem)
        for file in LESSONS
    ],
)
def test_a_lesson_runs(file: Path) -> None:
    lesson = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in lesson.cells), "keep lessons without what they print"
    NotebookClient(lesson, timeout=300, kernel_name="python3").execute()
    shown = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    assert shown
    assert not [output for output in shown if output.output_type == "error" or output.get("name") == "stderr"]
    for output in shown:
        for kind, text in output.get("data", {}).items():
            assert len(text) < HEAVIEST_CELL, (kind, len(text))
    pages = [output.data["text/html"] for output in shown if "text/html" in output.get("data", {})]
    if file.stem != "tournament_of_bots":
        assert pages[0].startswith("<iframe sandbox='allow-scripts'")
