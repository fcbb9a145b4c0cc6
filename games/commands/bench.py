"""`teeter bench`: how fast and how exact, measured here and now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from games.commands.console import OK, Json, print_json, spinner

if TYPE_CHECKING:
    from engine.view.render.shading import Quality


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measurement. must: what it should reach, in words; holds: whether it does, None where nothing is asked."""

    what: str
    measured: str
    must: str = ""
    holds: bool | None = None


def run(
    accuracy: Annotated[
        bool, typer.Option("--accuracy", help="How exact, beside closed forms, instead.")
    ] = False,
    as_json: Json = False,
) -> int:
    """The benchmark table: this machine, side by side with what else is installed."""
    rows = []
    with spinner() as tell:
        for what, make in accuracy_rows() if accuracy else speed_rows():
            tell(what)
            rows.append(make())
    if as_json:
        print_json([asdict(row) for row in rows])
        return OK
    table = Table(box=None, padding=(0, 2))
    for heading in ("measurement", "here", "should be", ""):
        table.add_column(heading)
    for row in rows:
        mark = (
            "" if row.holds is None else "[green]holds[/green]" if row.holds else "[red]does not hold[/red]"
        )
        table.add_row(row.what, row.measured, row.must, mark)
    Console().print(table)
    return OK


Makers = Iterator[tuple[str, Callable[[], Measurement]]]


def speed_rows() -> Makers:
    """Towers that stand still, their speed beside MuJoCo, the time of a check, and growth with size."""
    yield "54 exact bricks, 30 s", _stand_still
    yield "54 scattered bricks, 20 seeds", _scattered
    yield "speed, exact bricks", lambda: _pace("exact", None)
    yield "speed, scattered bricks", lambda: _pace("scattered", 1)
    yield "check of a tower", _check
    yield "statics of a tower", _statics
    yield "placing", _placing
    yield "growth", _growth
    yield from peer_rows()
    yield "pictures", _drawing
    yield "video, medium", lambda: _video("medium", 0.8)
    yield "video, low", lambda: _video("low", 1.5)


def _drawing() -> Measurement:
    from engine.bench.drawing import drawing

    found = drawing()
    text = f"medium {found.medium:.1f}, low {found.low:.1f} a second"
    if found.ratio is None:
        return Measurement("pictures of 54 bricks, 1280 x 720", text + " (MuJoCo's renderer is not there)")
    text += f", MuJoCo's renderer {found.mujoco:.1f}: ratio {found.ratio:.1f}"
    return Measurement("pictures of 54 bricks, 1280 x 720", text, "ratio 3", found.ratio >= 3.0)


def _video(quality: Quality, required: float) -> Measurement:
    from engine.bench.drawing import video

    found = video(quality)
    what = f"video of 54 bricks, 1280 x 720 at 30/s, {quality}, all in all"
    return Measurement(what, f"{found:.2f} x real time", f"{required:g} x", found >= required)


def peer_rows() -> Makers:
    """Beside compas-cra, and what an environment for learning costs; the extras `cra` and `rl`."""
    yield "the tower judged by peers", _peers
    yield "building, as an environment", _learning


def _peers() -> Measurement:
    from engine.bench.speed import peer_times

    found = peer_times()
    text = f"statics {found.statics * 1e3:.0f} ms, both methods {found.both:.2f} s"
    if found.mujoco is not None:
        text += f"; MuJoCo, 3 s: {found.mujoco:.2f} s, {found.mujoco / found.both:.1f} x both"
    if found.rbe is None or found.cra is None:
        return Measurement("54 bricks beside peers", text + " (compas-cra is not installed)")
    ratios = found.rbe / found.statics, found.cra / found.statics
    text += f"; compas-cra rbe {found.rbe:.1f} s, cra {found.cra:.1f} s: {ratios[0]:.0f} x, {ratios[1]:.0f} x statics"
    return Measurement("54 bricks beside peers", text, "30 x, 60 x", ratios[0] >= 30 and ratios[1] >= 60)


def _learning() -> Measurement:
    from importlib.util import find_spec

    if find_spec("gymnasium") is None or find_spec("pettingzoo") is None:
        return Measurement("building, as an environment", "the extra rl is not installed")
    from games.learning.agents import throughput

    found = throughput()
    text = (
        f"{found.placements:.0f} placements/s, {found.steps:.0f} simulated steps/s; "
        f"Bullet alone {found.bare:.0f}: {found.steps / found.bare:.2f} of it"
    )
    return Measurement("building, as an environment", text)


def _stand_still() -> Measurement:
    from engine.bench.accuracy import stand_still
    from engine.bench.rigs import tower

    found = stand_still(tower())
    text = f"sinks {found.sink_mm:.3f} mm, then {found.shift_mm:.3f} mm; last third {found.late_mm:.4f} mm"
    holds = found.sink_mm <= 0.6 and found.shift_mm <= 0.06 and found.late_mm <= 0.005
    return Measurement("54 exact bricks, 30 s", text, "0.6 mm, 0.06 mm, 0.005 mm", holds)


def _scattered() -> Measurement:
    from engine.bench.accuracy import scattered

    found = scattered(range(20))
    rests = sum(1 for each in found if each.rest_s is not None and each.rest_s <= 5.0)
    fell = sum(each.fell for each in found)
    growth = max(each.growth_mj for each in found)
    text = f"{rests} at rest within 5 s, {fell} fell, energy grew by at most {growth:.2f} mJ of 1400"
    return Measurement(
        "54 scattered bricks, 20 seeds", text, "19 at rest, none falls", rests >= 19 and fell == 0
    )


def _pace(name: str, seed: int | None) -> Measurement:
    from engine.bench.rigs import tower
    from engine.bench.speed import pace

    found = pace(tower(seed))
    text = f"{found.teeter:.1f} x real time"
    if found.ratio is None:
        return Measurement(f"54 {name} bricks, awake", text + " (MuJoCo is not installed)")
    text += f", MuJoCo {found.mujoco:.1f} x: ratio {found.ratio:.2f}"
    if seed is None:
        # exact bricks touch their neighbours side by side: contacts without load, which MuJoCo does not make
        return Measurement(f"54 {name} bricks, awake", text)
    return Measurement(f"54 {name} bricks, awake", text, "ratio 1.0", found.ratio >= 1.0)


def _check() -> Measurement:
    from engine.bench.rigs import tower
    from engine.topple.verdict import check
    from engine.world import Assembly

    found = min(check(Assembly("tower", tower())).wall for _ in range(3))
    return Measurement("check of 54 bricks, both methods", f"{found:.2f} s", "1.0 s", found <= 1.0)


def _statics() -> Measurement:
    from engine.bench.speed import statics_time

    verdict, tilt = statics_time()
    text = f"{verdict * 1e3:.0f} ms, with tilt margin {tilt * 1e3:.0f} ms"
    return Measurement("statics of 54 bricks", text, "25 ms, 120 ms", verdict <= 0.025 and tilt <= 0.12)


def _placing() -> Measurement:
    from engine.bench.speed import placing

    found = placing()
    text = f"{found.rate:.0f} verdicts/s, {found.ratio:.1f} x the whole balance; {found.agree} of {found.asked} agree"
    holds = found.rate >= 200 and found.agree == found.asked
    return Measurement("one more piece on 49 bricks", text, "200 verdicts/s, all agree", holds)


def _growth() -> Measurement:
    from engine.bench.speed import growth

    found = growth()
    ratio = found[-1][1] / found[0][1]
    text = ", ".join(f"{count}: {per * 1e3:.2f} ms" for count, per, _ in found)
    return Measurement(
        "statics per piece, pyramids",
        f"{text}; peak memory {found[-1][2]:.0f} MB",
        "400 <= 1.5 x 50",
        ratio <= 1.5,
    )


def accuracy_rows() -> Makers:
    """Closed forms: edges, slopes, falls, stops, tilts."""
    from engine.bench import accuracy

    for name, shape in accuracy.shapes().items():
        yield f"edge test, {name}", lambda shape=shape, name=name: _edge(name, shape)  # type: ignore[misc]
    for friction in (0.2, 0.35, 0.5):
        yield f"slide angle, mu {friction}", lambda friction=friction: _slide(friction)  # type: ignore[misc]
    for rate in (240, 480, 960):
        yield f"motion at {rate}/s", lambda rate=rate: _motion(rate)  # type: ignore[misc]
    for count in (1, 3, 9):
        yield f"tilt margin of {count}", lambda count=count: _tilt(count)  # type: ignore[misc]


def _edge(name: str, shape: object) -> Measurement:
    from engine.bench.accuracy import YAWS, edge_dynamics, edge_statics

    still = max(abs(edge_statics(shape, yaw)) for yaw in YAWS)  # type: ignore[arg-type]
    moving = max(abs(edge_dynamics(shape, yaw)) for yaw in YAWS)  # type: ignore[arg-type]
    text = f"statics {still:.4f} mm, dynamics {moving:.3f} mm"
    return Measurement(f"edge test, {name}", text, "0.01 mm, 0.10 mm", still <= 0.01 and moving <= 0.10)


def _slide(friction: float) -> Measurement:
    from engine.bench.accuracy import slide_dynamics, slide_statics

    yaws = (0.0, 22.5, 45.0)
    still = max(abs(slide_statics(friction, yaw)) for yaw in yaws)
    moving = max(abs(slide_dynamics(friction, yaw)) for yaw in yaws)
    text = f"statics {still:.4f} %, dynamics {moving:.3f} %"
    return Measurement(f"slide angle, mu {friction}", text, "0.2 %, 1.5 %", still <= 0.2 and moving <= 1.5)


def _motion(rate: int) -> Measurement:
    from engine.bench.accuracy import coulomb_stop, free_fall, slope_acceleration

    found = (free_fall(rate), coulomb_stop(rate), slope_acceleration(rate))
    text = f"free fall {found[0]:+.3f} %, Coulomb stop {found[1]:+.2f} %, slope {found[2]:+.2f} %"
    return Measurement(f"motion at {rate} steps/s", text, "1 %", max(map(abs, found)) <= 1.0)


def _tilt(count: int) -> Measurement:
    from engine.bench.accuracy import YAWS, tilt_stack

    worst = max(abs(tilt_stack(count, yaw)) for yaw in YAWS)
    return Measurement(f"tilt margin of {count} block(s), four yaws", f"{worst:.5f} %", "0.1 %", worst <= 0.1)
