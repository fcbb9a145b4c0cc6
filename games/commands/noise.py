"""`teeter check --noise`: how surely a scene stands, asked for in millimetres and degrees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from games.commands.console import refuse
from games.commands.progress import bar

if TYPE_CHECKING:
    from engine.topple.laboratory.noise import Chance
    from engine.world import Assembly, Vector

SAMPLES = 200
MOST_SAMPLES = 10_000_000
MOST_POSITION, MOST_TILT, MOST_FRICTION = 1000.0, 45.0, 10.0
"""Millimetres, degrees, and a coefficient."""
NAMED = 4
"""Pieces named that go first, at most."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The options, as typed. position: mm; tilt: degrees; friction: `LOW:HIGH`."""

    position: float | None = None
    tilt: float | None = None
    friction: str | None = None
    samples: int | None = None
    until: float | None = None

    @property
    def is_given(self) -> bool:
        """Whether anything shall vary."""
        return self.position is not None or self.tilt is not None or self.friction is not None


NOTHING = Asked()
"""Nothing varies: no samples are taken."""


def validate(asked: Asked) -> None:
    """Refuse what is out of range, all of it in one message."""
    limits: list[tuple[str, float | None, float, float]] = [
        ("--noise", asked.position, 0.0, MOST_POSITION),
        ("--tilt-noise", asked.tilt, 0.0, MOST_TILT),
        ("--samples", asked.samples, 1, MOST_SAMPLES),
        ("--until", asked.until, 1e-4, 0.99),
    ]
    wrong = [
        f"{name} = {value:g}: must be from {least:g} to {most:g}"
        for name, value, least, most in limits
        if value is not None and not (math.isfinite(value) and least <= value <= most)
    ]
    if asked.friction is not None and friction_of(asked.friction) is None:
        wrong.append(
            f"--friction-range = {asked.friction}: must be two numbers such as 0.3:0.5, "
            f"from 0 to {MOST_FRICTION:g}, the smaller one first"
        )
    if not asked.is_given and (asked.samples is not None or asked.until is not None):
        wrong.append(
            "--samples and --until say how often to try: give --noise, --tilt-noise or --friction-range too"
        )
    if wrong:
        refuse("; ".join(wrong))


def friction_of(words: str) -> tuple[float, float] | None:
    """The two ends of a range `LOW:HIGH`; None when it is none."""
    try:
        low, high = (float(word) for word in words.split(":"))
    except ValueError:
        return None
    return (low, high) if 0.0 <= low <= high <= MOST_FRICTION else None


def chance_of(assembly: Assembly, asked: Asked, seed: int, gravity: Vector, workers: int) -> Chance:
    """Take the samples that were asked for."""
    from engine.topple.laboratory.noise import Noise, chance

    noise = Noise(
        position=(asked.position or 0.0) / 1e3,
        tilt=math.radians(asked.tilt or 0.0),
        friction=None if asked.friction is None else friction_of(asked.friction),
        seed=seed,
    )
    with bar("noisy copies") as told:
        return chance(
            assembly,
            noise,
            SAMPLES if asked.samples is None else asked.samples,
            until=asked.until,
            gravity=gravity,
            workers=workers,
            progress=told,
        )


def rows(found: Chance) -> list[tuple[str, str]]:
    """What was found in words, as (label, text)."""
    least, most = 100 * found.low, 100 * found.high
    text = (
        f"stood {found.stood} of {found.samples} noisy copies: {100 * found.share:.1f} %, "
        f"with 95 % confidence {least:.1f} to {most:.1f} %"
    )
    lines = [("how surely", text)]
    if found.first:
        falls = found.samples - found.stood
        named = [f"{name} in {count} of {falls} falls" for name, count in list(found.first.items())[:NAMED]]
        lines.append(("goes first", ", ".join(named)))
    return lines
