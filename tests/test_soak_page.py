"""What a page weighs and how fast it is: the demo's game, and five minutes of Tower Topple. Kept in tests/soak."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from chromium import opened
from playwright.sync_api import Browser
from typer.testing import CliRunner

from teeter.engine.record.reader import load
from teeter.games.cli import app

GAMES = {
    "demo": (
        ("tower-topple", "--players", "bot:bold,bot:clumsy", "--seed", "38", "--house", "rounds=1"),
        2_000_000,
    ),
    "five minutes": (
        ("tower-topple", "--players", "bot:steady,bot:steady", "--seed", "1", "--house", "rounds=4"),
        5_000_000,
    ),
}
"""Words of `teeter play`, and bytes that its page may have."""
SIZE = (1280, 720)
FIRST_S, PER_SECOND = 2.0, 20.0
SCRUB = """async seconds => {
    const view = teeter.view;
    view.isPlaying = false;
    const began = performance.now(), drawn = view.loop.pictures;
    let last = began;
    while (last - began < 1000 * seconds) {
        view.seek(teeter.data.seconds * (0.5 + 0.5 * Math.sin((last - began) / 700)));
        last = await new Promise(requestAnimationFrame);
        last = performance.now();
    }
    return [1000 * (view.loop.pictures - drawn) / (last - began), view.loop.scale];
}"""
"""Goes to and fro over the whole game; pictures a second, and the share of the full size at which they are drawn."""


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_a_page_is_small_and_quick(
    browser: Browser, tmp_path: Path, name: str, row: Callable[..., None]
) -> None:
    words, most = GAMES[name]
    game, out = tmp_path / "game.teeter", tmp_path / "game.html"
    done = CliRunner().invoke(app, ["play", *words, "--headless", "--record", str(game)])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["export", str(game), "-o", str(out)])
    assert done.exit_code == 0, done.output
    with opened(browser, out, size=SIZE) as tab:
        # by the page's own clock, which begins when it is asked for
        first = tab.run("() => teeter.view.loop.first") / 1e3
        rate, scale = tab.run(SCRUB, 8.0)
        assert tab.faults == []
    row(
        "pages",
        name=name,
        game_s=round(load(game).seconds),
        bytes=out.stat().st_size,
        first_picture_s=first,
        scrubbed_per_s=rate,
        at_scale=scale,
    )
    assert out.stat().st_size <= most
    assert first <= FIRST_S
    assert rate >= PER_SECOND
