"""The bench of motion: every experiment, and who is asked.

What is right is a closed form, or an integration that shares nothing with the worlds but gravity.
"""

from teeter.engine.bench import falls, tipping, turning
from teeter.engine.bench.reading import Experiment, Reading
from teeter.engine.settings import PLAY, TUNING, Tuning
from teeter.engine.worlds import Engine, installed_engines, using

EXPERIMENTS: dict[str, Experiment] = {**turning.EXPERIMENTS, **tipping.EXPERIMENTS, **falls.EXPERIMENTS}
"""By what is measured."""

SETTINGS: dict[str, tuple[Engine, Tuning]] = {
    "bullet in play": ("bullet", PLAY),
    "bullet in check": ("bullet", TUNING),
    "rapier": ("rapier", TUNING),
}
"""Rapier has one and the same for both."""


def ask(experiment: Experiment) -> dict[str, Reading]:
    """Returns what every engine that is installed answers, by its name and settings."""
    readings = {}
    for who, (engine, tuning) in SETTINGS.items():
        if engine in installed_engines():
            with using(engine):
                readings[who] = experiment(tuning)
    return readings
