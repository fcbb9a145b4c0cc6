"""Records anew what the tests compare with, after physics or rules have changed: `python tests/rerecord.py`.

The games of `tests/recordings` are played by the program itself, and verified; the golden transcripts are told again.
Read what changed before you commit. Names of games record only those.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parent / "recordings"


@dataclass(frozen=True, slots=True)
class Row:
    """A game to be recorded, broken off after so many turns."""

    game: str
    seed: int
    players: str
    turns: int
    mode: str = ""

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"{self.game}-{self.seed}.teeter"


ROWS = (
    Row("bausack", 1, "bot:steady,bot:clumsy", 14),
    Row("bausack", 2, "bot:bold,bot:clumsy", 10),
    Row("crazy-tower", 1, "bot:steady,bot:clumsy", 8),
    Row("crazy-tower", 2, "bot:steady", 6, "solo"),
    Row("tower-topple", 1, "bot:steady,bot:clumsy", 3),
    Row("tower-topple", 2, "bot:bold,bot:clumsy", 5, "2"),
    Row("wonky", 1, "bot:steady,bot:clumsy", 12),
    Row("wonky", 2, "bot:bold,bot:clumsy,bot:steady", 8),
)
"""Two of each game, short enough to be verified in every run of the tests."""


def record(row: Row) -> None:
    """Play a game, verify it, and put it where the last one was. Raises CalledProcessError."""
    teeter = [sys.executable, "-m", "teeter"]
    words = ["--headless", "--seed", str(row.seed), "--players", row.players, "--turns", str(row.turns)]
    if row.mode:
        words += ["--mode", row.mode]
    with TemporaryDirectory() as folder:
        made = Path(folder) / row.path.name
        subprocess.run([*teeter, "play", row.game, *words, "--record", str(made)], check=True)
        subprocess.run([*teeter, "verify", str(made)], check=True)
        shutil.move(made, row.path)


def main(names: list[str]) -> None:
    """Record the games that are named, or all games and the transcripts."""
    for row in ROWS:
        if not names or row.game in names:
            record(row)
    if not names:
        test = Path(__file__).with_name("test_rules_golden.py")
        subprocess.run([sys.executable, "-m", "pytest", "-q", str(test), "--remake-golden"], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
