"""Fifty games in one process: what is left behind of each must be next to nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PLAY = """
import gc, json, sys
from pathlib import Path
from teeter.games.players.bots import bots_of, play
from teeter.games.play.recording import begin
from teeter.games.registry import GAMES

SHORT = {
    "wonky": (("bot:steady", "bot:clumsy"), {}, 4),
    "tower-topple": (("bot:steady", "bot:bold"), {"mode": "3"}, 2),
    "bausack": (("bot:steady", "bot:bold"), {"pieces": 8}, 8),
    "crazy-tower": (("bot:steady",), {"mode": "solo", "colour_count": 1}, 3),
}
pages = Path("/proc/self/statm")
for number in [*range(int(sys.argv[2])), *range(int(sys.argv[2]) - 12, int(sys.argv[2]))]:
    name = [*SHORT][number % len(SHORT)]
    players, options, turns = SHORT[name]
    game = next(each for each in GAMES if each.name == name)
    path = Path(sys.argv[1]) / f"{number}.teeter"
    path.unlink(missing_ok=True)
    session, recorder = begin(game, players, number, options, path=path)
    play(session, bots_of(session, number), turns)
    recorder.close()
    session.close()
    del session, recorder
    gc.collect()
    print(json.dumps([name, int(pages.read_text().split()[1]) * 4096 / 1e6]), flush=True)
"""
TITLE = "Memory of one process that plays fifty games"
WARM = 8
"""Games, two of each kind, after which every library is loaded (the meshes of one piece of Bausack bring 32 MB of
them) and every shape that all games share has been made once. Bricks of Tower Topple differ with the seed: the caches
keep those of the last twenty games, 1.2 MB each."""


@pytest.mark.soak
def test_fifty_games_in_one_process(tmp_path: Path, row: Callable[..., None]) -> None:
    command = [sys.executable, "-c", PLAY, str(tmp_path), "50"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    used = [json.loads(line)[1] for line in done.stdout.splitlines()]
    for count in (1, WARM, 10, 20, 30, 40, 50):
        row(TITLE, games=count, resident_mb=round(used[count - 1], 1))
    growth, again = used[49] - used[WARM - 1], used[-1] - used[49]
    row(TITLE, games=f"growth from {WARM} to 50", resident_mb=round(growth, 1))
    row(TITLE, games="growth when the last 12 are played again", resident_mb=round(again, 1))
    assert growth <= 50.0
    # what grew were caches: games that are known add next to nothing
    assert again <= 5.0
