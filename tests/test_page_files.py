"""Pages as files: how numbers are written, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from page_bundle import PAGE, bundle
from typer.testing import CliRunner

from teeter.engine.view.page import html
from teeter.engine.view.page.blob import Blob, varints
from teeter.games.cli import app
from teeter.models.files import OutputError

GAME = Path(__file__).parent / "recordings" / "wonky-2.teeter"


@pytest.mark.parametrize("values", [[0], [1, -1, 63, -64, 64, -65], [2**33, -(2**33)], []])
def test_numbers_of_variable_length(values: list[int]) -> None:
    found, rest, value, place = [], varints(np.array(values, dtype=np.int64)).tolist(), 0, 0
    for byte in rest:
        value |= (byte & 127) << 7 * place
        place += 1
        if byte < 128:
            found.append(-(value + 1) // 2 if value % 2 else value // 2)
            value = place = 0
    assert found == values
    with pytest.raises(ValueError, match="too large"):
        varints(np.array([2**40]))


@pytest.mark.slow
def test_the_bundle_is_what_its_sources_give() -> None:
    for name, text in bundle().items():
        assert (PAGE / name).read_bytes() == text, f"{name} is stale: run `make page` and commit it"


def test_a_page_without_its_script_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "SCRIPT", "gone.js")
    with pytest.raises(OutputError, match="run `make page`"):
        html.page({"title": "a page"}, Blob())


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("export", str(GAME), "-o", "no/such/x.html"), "there is no folder"),
        (("check", "arch", "--page", "no/such/x.html"), "there is no folder"),
        (("check", "arch", "--page", "x.pdf"), "pages are written as .html"),
        (("sweep", "bridge", "--piece", "deck", "--x=0", "--y=0", "--page", "x.png"), "must end in .html"),
        (("sweep", "--scenes", "*.toml", "--page", "x.html"), "--page is about one piece of one scene"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(words: tuple[str, ...], fault: str) -> None:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 2
    assert fault in done.output
