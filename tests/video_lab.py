"""A small recording whose every fact is known: a block is carried and laid on another, stands, and is knocked off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.record.format import state_digest
from teeter.engine.record.meta import BodyMeta, Meta, Versions, fingerprint
from teeter.engine.record.reader import Replay, load
from teeter.engine.record.writer import Recorder
from teeter.engine.settings import GRAVITY
from teeter.engine.view.video.captions import Caption, Telling
from teeter.engine.world.body import Body
from teeter.models.build import build
from teeter.models.spec import parse

RATE = 240
SPEC: dict[str, Any] = {"shape": {"box": [60, 40, 30]}, "material": "beech"}
NAMES = ("base", "block", "spare")
GRAB, LAID = 1.0, 3.0
"""Seconds: the hand takes the block, and lets go of it."""
SET_OFF = 8.0
"""Seconds: the block begins to fall."""
DROP = 0.10
"""Metres that it falls."""
LANDS = SET_OFF + (2 * DROP / GRAVITY) ** 0.5
TIDY = 12.0
"""Seconds: the spare piece is put elsewhere."""
END = 14.0
TOP = 0.045 + DROP
TELLING = Telling(
    "A fall",
    ("Ana", "Ben"),
    "Ana wins: the block fell",
    (
        Caption(1.0, "Ana takes the block.", "Ana"),
        Caption(3.0, "Ana lets go.", "Ana"),
        Caption(8.4, "It falls!", "Ben"),
    ),
)


def place(seconds: float) -> tuple[float, float, float]:
    """The middle of the block."""
    if seconds < GRAB:
        return (0.3, 0.0, 0.015)
    if seconds < LAID:
        part = (seconds - GRAB) / (LAID - GRAB)
        eased = part * part * (3 - 2 * part)
        return (0.3 * (1 - eased), 0.0, 0.015 + (TOP - 0.015) * eased)
    if seconds < SET_OFF:
        return (0.0, 0.0, TOP)
    fallen = min(0.5 * GRAVITY * (seconds - SET_OFF) ** 2, DROP)
    return (0.0, 0.0, TOP - fallen)


def rows(seconds: float) -> dict[str, np.ndarray[Any, Any]]:
    """All poses at a time."""
    still = [0.0, 0.0, 0.0, 1.0]
    spare = 0.2 if seconds < TIDY else -0.2
    return {
        "base": np.array([0.0, 0.0, 0.015, *still]),
        "block": np.array([*place(seconds), *still]),
        "spare": np.array([spare, 0.2, 0.015, *still]),
    }


def bodies() -> tuple[Body, ...]:
    """The three pieces."""
    piece = build(parse({"model": "test/block", **SPEC}, "test"))
    return tuple(Body(name, piece, Pose((0.0, 0.0, 0.015))) for name in NAMES)


def recorded(path: Path) -> Replay:
    """The recording, written and read."""
    meta = Meta(
        game="lab",
        players=("Ana", "bot:Ben"),
        seed=0,
        rate=RATE,
        bodies=tuple(BodyMeta(id=name, spec=SPEC) for name in NAMES),
        versions=Versions.installed(),
        platform=fingerprint(),
    )
    with Recorder(path, meta) as recorder:
        start = rows(0.0)
        recorder.checkpoint(0, start, state_digest(tuple(start), np.array(list(start.values()))))
        for step in range(round(END * RATE) + 1):
            seconds = step / RATE
            if GRAB <= seconds < LAID:
                target = [round(1e6 * value) for value in place(seconds)]
                recorder.journal(step, {"type": "hand", "target": [*target, 0, 0, 0, 1_000_000]})
            if step == round(LAID * RATE):
                recorder.journal(step, {"type": "release"})
            if step % 4 == 0:
                recorder.frame(step, rows(seconds))
        recorder.event(
            round(8.4 * RATE), {"type": "input", "input": {"type": "Fell"}, "story": ["It falls!"]}
        )
        recorder.close({"winners": ["Ana"], "reason": "the block fell"})
    return load(path)
