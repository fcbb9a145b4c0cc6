"""What `teeter bench` measures: how fast and how exact, and what it should reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from teeter.engine.bench import accuracy, motion, speed
from teeter.engine.bench.accuracy import YAWS
from teeter.engine.bench.reading import Experiment
from teeter.engine.bench.rigs import tower
from teeter.engine.topple.verdict import check
from teeter.engine.world.body import Assembly

if TYPE_CHECKING:
    from teeter.engine.view.render.shading import Quality


Found = tuple[str, str, bool | None]
"""What was measured; what it should reach, in words; and whether it does, None where nothing is asked."""
Makers = Iterator[tuple[str, Callable[[], Found]]]


VIDEO = "video of 54 bricks, 1280 x 720 at 30/s"


def measurement(text: str, must: str = "", holds: bool | None = None) -> Found:
    """A measurement, without a limit where none is given."""
    return text, must, holds


def of(*, accuracy: bool, motion: bool) -> Makers:
    """The rows that are asked for; those of speed without a word."""
    return motion_rows() if motion else accuracy_rows() if accuracy else speed_rows()


def speed_rows() -> Makers:
    """Towers that stand still, their speed, the time of a check, and growth with size."""
    yield "54 exact bricks, 30 s", _stand_still
    yield "54 scattered bricks, 20 seeds", _scattered
    yield "54 exact bricks, awake", lambda: measurement(f"{speed.pace(tower()):.1f} x real time")
    yield "54 scattered bricks, awake", lambda: measurement(f"{speed.pace(tower(1)):.1f} x real time")
    yield "check of 54 bricks, both methods", _check
    yield "statics of 54 bricks", _statics
    yield "one more piece on 49 bricks", _placing
    yield "labels of stacks of 4 cubes, one core", _labelling
    yield "statics per piece, pyramids", _growth
    yield "physics of a first act", _first_acts
    yield "pictures of 54 bricks, 1280 x 720", _drawing
    yield f"{VIDEO}, medium, all in all", lambda: _video("medium", 0.8)
    yield f"{VIDEO}, low, all in all", lambda: _video("low", 1.5)


def _drawing() -> Found:
    from teeter.engine.bench.drawing import drawing

    return measurement(f"medium {drawing('medium'):.1f}, low {drawing('low'):.1f} a second")


def _video(quality: Quality, required: float) -> Found:
    from teeter.engine.bench.drawing import video

    found = video(quality)
    return measurement(f"{found:.2f} x real time", f"{required:g} x", found >= required)


def _stand_still() -> Found:
    drift = accuracy.stand_still(tower())
    text = f"sinks {drift.sink_mm:.3f} mm, then {drift.shift_mm:.3f} mm; last third {drift.late_mm:.4f} mm"
    holds = drift.sink_mm <= 0.6 and drift.shift_mm <= 0.06 and drift.late_mm <= 0.005
    return measurement(text, "0.6 mm, 0.06 mm, 0.005 mm", holds)


def _scattered() -> Found:
    runs = accuracy.scattered(range(20))
    rests = sum(1 for trial in runs if trial.rest_s is not None and trial.rest_s <= 5.0)
    fell = sum(trial.fell for trial in runs)
    growth = max(trial.growth_mj for trial in runs)
    text = f"{rests} at rest within 5 s, {fell} fell, energy grew by at most {growth:.2f} mJ of 1400"
    return measurement(text, "19 at rest, none falls", rests >= 19 and fell == 0)


def _check() -> Found:
    seconds = min(check(Assembly("tower", tower())).wall for _ in range(3))
    return measurement(f"{seconds:.2f} s", "1.0 s", seconds <= 1.0)


def _statics() -> Found:
    verdict, tilt = speed.statics_time()
    text = f"{verdict * 1e3:.0f} ms, with tilt margin {tilt * 1e3:.0f} ms"
    return measurement(text, "25 ms, 120 ms", verdict <= 0.025 and tilt <= 0.12)


def _placing() -> Found:
    score = speed.placing()
    text = f"{score.rate:.0f} verdicts/s, {score.ratio:.1f} x the whole balance; {score.agree} of {score.asked} agree"
    holds = score.rate >= 1000 and score.agree == score.asked
    return measurement(text, "1000 verdicts/s, all agree", holds)


def _labelling() -> Found:
    score = speed.labelling()
    text = (
        f"statics {score.batch:.0f}/s in a batch, {score.single:.0f}/s one by one; both methods {score.full:.1f}/s; "
        f"{score.agree} of {score.sure} agree"
    )
    return measurement(text, "150/s, all agree", score.batch >= 150 and score.agree == score.sure)


def _growth() -> Found:
    rows = speed.growth()
    ratio = rows[-1][1] / rows[0][1]
    text = ", ".join(f"{count}: {per * 1e3:.2f} ms" for count, per, _ in rows)
    return measurement(f"{text}; peak memory {rows[-1][2]:.0f} MB", "400 <= 1.5 x 50", ratio <= 1.5)


def _first_acts() -> Found:
    """Processor time until a person is asked; before that, of getting ready, while a menu is looked at."""
    from teeter.games.registry import games
    from teeter.games.server.messages import Plan
    from teeter.games.server.physics import get_ready
    from teeter.games.server.setup import open_game

    def times(name: str) -> str:
        plan = Plan(name, ("Ana", "bot:steady"), 1)
        ready = speed.timed(lambda: get_ready(plan))[1]
        active, act = speed.timed(lambda: open_game(plan, lambda *_: None, lambda *_: None, lambda *_: None))
        active.close()
        return f"{act:.2f} s, got ready in {ready:.2f} s"

    return measurement("; ".join(f"{game.title} {times(game.name)}" for game in games() if game.has_bots))


def accuracy_rows() -> Makers:
    """Closed forms: edges, slopes, falls, stops, tilts."""
    for name, shape in accuracy.shapes().items():
        yield f"edge test, {name}", lambda shape=shape: _edge(shape)  # type: ignore[misc]
    for friction in (0.2, 0.35, 0.5):
        yield f"slide angle, mu {friction}", lambda friction=friction: _slide(friction)  # type: ignore[misc]
    for rate in (240, 480, 960):
        yield f"motion at {rate} steps/s", lambda rate=rate: _motion(rate)  # type: ignore[misc]
    for count in (1, 3, 9):
        yield f"tilt margin of {count} block(s), four yaws", lambda count=count: _tilt(count)  # type: ignore[misc]


def _edge(shape: object) -> Found:
    still = max(abs(accuracy.edge_statics(shape, yaw)) for yaw in YAWS)  # type: ignore[arg-type]
    moving = max(abs(accuracy.edge_dynamics(shape, yaw)) for yaw in YAWS)  # type: ignore[arg-type]
    text = f"statics {still:.4f} mm, dynamics {moving:.3f} mm"
    return measurement(text, "0.01 mm, 0.10 mm", still <= 0.01 and moving <= 0.10)


def _slide(friction: float) -> Found:
    yaws = (0.0, 22.5, 45.0)
    still = max(abs(accuracy.slide_statics(friction, yaw)) for yaw in yaws)
    moving = max(abs(accuracy.slide_dynamics(friction, yaw)) for yaw in yaws)
    text = f"statics {still:.4f} %, dynamics {moving:.3f} %"
    return measurement(text, "0.2 %, 1.5 %", still <= 0.2 and moving <= 1.5)


def _motion(rate: int) -> Found:
    errors = (accuracy.free_fall(rate), accuracy.coulomb_stop(rate), accuracy.slope_acceleration(rate))
    text = f"free fall {errors[0]:+.3f} %, Coulomb stop {errors[1]:+.2f} %, slope {errors[2]:+.2f} %"
    return measurement(text, "1 %", max(map(abs, errors)) <= 1.0)


def _tilt(count: int) -> Found:
    worst = max(abs(accuracy.tilt_stack(count, yaw)) for yaw in YAWS)
    return measurement(f"{worst:.5f} %", "0.1 %", worst <= 0.1)


def motion_rows() -> Makers:
    """Falls and impacts, each in every engine that is installed."""
    for name, experiment in motion.EXPERIMENTS.items():
        yield name, lambda experiment=experiment: _motion_of(experiment)  # type: ignore[misc]


def _motion_of(experiment: Experiment) -> Found:
    answers = motion.ask(experiment)
    text = ", ".join(f"{who} {answer.value:.3g}" for who, answer in answers.items())
    first = next(iter(answers.values()))
    return measurement(
        text, f"{first.low:.3g} to {first.high:.3g}", all(answer.holds for answer in answers.values())
    )
