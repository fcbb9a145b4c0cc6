"""Careless changes drawn by lot, in the rules and in what tells them what happened: a test notices each of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.soak
@pytest.mark.parametrize(("what", "many"), [("seams", 150), ("core", 20), ("wonky", 20), ("crazy_tower", 20)])
def test_a_careless_change_is_noticed_or_explained(what: str, many: int) -> None:
    command = [sys.executable, str(ROOT / "tests" / "mutate_rules.py"), what, "--sample", str(many)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
