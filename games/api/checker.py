"""`teeter.Checker`: questions about scenes, all asked under the same conditions."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from teeter.games.api.arguments import (
    ArgumentError,
    actions_on,
    checked,
    friction_range_fault,
    list_of,
    names_in,
    piece_named,
    require_in_range,
)
from teeter.games.api.one_thread import one_thread
from teeter.games.api.results import (
    CheckResult,
    ExplainResult,
    NoiseResult,
    ProbeResult,
    StepResult,
    StepsResult,
    check_result,
    noise_result,
)
from teeter.games.api.scene import AnyScene, PublicScene, loaded_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from teeter.engine.topple.laboratory.probe import Probed
    from teeter.engine.topple.laboratory.sweep import SweepRow, Terms
    from teeter.engine.topple.verdict import CheckOptions
    from teeter.engine.world.body import Assembly, Vector
    from teeter.games.api.design import DesignResult
    from teeter.games.api.many import ManyResult, ManyScenes, Method
    from teeter.games.api.mend import MendResult
    from teeter.scenes.scene import Scene

Axis = float | tuple[float, float, int]
"""One value; or from, to (both included), and how many values."""
Progress = Callable[[int, int], None]


def unheard(done: int, of: int) -> None:
    """Takes what is told of progress, and does nothing."""


class Conditions(TypedDict, total=False):
    """What a `Checker` holds, as functions take it."""

    tilt_deg: float
    tilt_direction_deg: float
    friction: float | None
    engine: str | None
    seed: int
    workers: int | None
    accelerate_g: float | None
    wind_pa: float | None
    direction_deg: float | None


@checked
@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """Asks about scenes under the same conditions; `teeter.check` and the other functions are calls of one.

    tilt_deg: of the table, downhill towards tilt_direction_deg from +x. friction: of every pair, None for what the
    materials have. engine: bullet or rapier, the first that is installed when None. seed: of disturbances and of noise.
    workers: processes, all cores when None. accelerate_g: of the table, in g, and wind_pa: pressure of the wind, both
    pushing the pieces towards direction_deg from +x; None: as the scene says. Raises TeeterError for what is out of
    range, and for an engine that is not here.

    >>> import teeter
    >>> steep = teeter.Checker(tilt_deg=15, workers=1)
    >>> [steep.check(name).word for name in ("two_bricks", "slope_above")]
    ['stands', 'topples']
    """

    tilt_deg: float = 0.0
    tilt_direction_deg: float = 0.0
    friction: float | None = None
    engine: str | None = None
    seed: int = 0
    workers: int | None = None
    accelerate_g: float | None = None
    wind_pa: float | None = None
    direction_deg: float | None = None

    def __post_init__(self) -> None:
        if self.direction_deg is not None and self.accelerate_g is None and self.wind_pa is None:
            raise ArgumentError(
                "direction_deg says where accelerate_g and wind_pa push: give one of them too"
            )
        if self.engine is not None:
            from teeter.engine.worlds import require_engine

            require_engine(self.engine)

    @checked
    @one_thread()
    def check(
        self,
        scene: AnyScene,
        *,
        settle_mm: float = 0.0,
        drop: bool = False,
        time: float | None = None,
        witness: bool = False,
    ) -> CheckResult:
        """Would it topple?

        settle_mm: gaps and overlaps to close first, at least those that the scene was loaded with. drop: let fall
        first what nothing carries, which otherwise topples. time: seconds to simulate, None until it is decided.
        witness: ask another engine too. Raises TeeterError.
        """
        from teeter.engine.topple.verdict import check

        loaded = loaded_of(scene, settle_mm, drop=drop)
        settle = max(settle_mm, loaded.settle_mm) / 1e3
        options = replace(self.options_of(loaded), settle=settle, drop=drop, time=time, witness=witness)
        return check_result(check(loaded.assembly, options), loaded)

    @checked
    @one_thread()
    def steps(
        self,
        scene: AnyScene,
        order: Iterable[str] | None = None,
        *,
        settle_mm: float = 0.0,
        drop: bool = False,
        progress: Progress = unheard,
    ) -> StepsResult:
        """Does it stand after every step of putting it together? Up to the first after which it does not.

        order: all free pieces by name; None: as the scene has them. Supports are there from the beginning. settle_mm,
        drop: as for `check`. progress: told how many steps are done, of how many. Raises TeeterError.
        """
        from teeter.engine.topple.laboratory.steps import steps
        from teeter.engine.topple.words import headline
        from teeter.scenes.scene import without

        loaded = loaded_of(scene, settle_mm, drop=drop)
        free = [body.name for body in loaded.assembly.free]
        listed = free if order is None else list(names_in(order))
        for name in listed:
            piece_named(loaded, name)
        left, twice = [name for name in free if name not in listed], len(listed) - len({*listed})
        if left or twice:
            what = f"leaves out {', '.join(left[:6])}" if left else "names a piece twice"
            raise ArgumentError(
                f"{loaded.name}: the order {what}: it has to name each of the {len(free)} pieces once"
            )
        options = replace(self.options_of(loaded), settle=max(settle_mm, loaded.settle_mm) / 1e3, drop=drop)
        rows: list[StepResult] = []
        verdict = None
        for step in steps(loaded.assembly, listed, options):
            verdict = step.verdict
            rows.append(StepResult(step.number, step.piece, verdict.word, verdict.statics.tilt_deg))
            progress(len(rows), len(free))
        sentences: tuple[str, ...] = ()
        if verdict is not None and verdict.word != "stands":
            later = listed[len(rows) :]
            so_far = check_result(verdict, without(loaded, later) if later else loaded)
            sentences = (f"After step {len(rows)}: {headline(verdict)}", *so_far.explain().sentences)
        elif rows and (known := [row for row in rows if row.tilt_deg is not None]):
            least = min(known, key=lambda row: (row.tilt_deg or 0.0, row.number))
            sentences = (
                f"It stands after every step, least firmly after step {least.number} ({least.piece}): "
                f"{least.tilt_deg:.2f} degrees.",
            )
        return StepsResult(tuple(rows), sentences, len(free))

    @checked
    @one_thread()
    def explain(self, scene: AnyScene | CheckResult) -> ExplainResult:
        """Why it stands or topples: which piece goes over which edge, and how much is missing or to spare.

        scene: also the answer of `check`, which is not asked again, under no other conditions. Raises TeeterError.
        """
        if not isinstance(scene, CheckResult):
            return self.check(scene).explain()
        mine, its = self.options_of(scene.loaded), scene.options
        same = replace(its, tilt=mine.tilt, tilt_direction=mine.tilt_direction, friction=mine.friction)
        if self != Checker() and replace(same, acceleration=mine.acceleration, wind=mine.wind) != its:
            raise ArgumentError("the verdict was asked under other conditions: give the scene")
        return scene.explain()

    @checked
    @one_thread()
    def noise(
        self,
        scene: AnyScene,
        *,
        position_mm: float = 0.0,
        tilt_noise_deg: float = 0.0,
        friction_range: tuple[float, float] | None = None,
        samples: int = 200,
        until: float | None = None,
        executor: Executor | None = None,
        progress: Progress = unheard,
    ) -> NoiseResult:
        """How surely does it stand, built by hand?

        position_mm, tilt_noise_deg: standard deviations of every piece's place along x and y, and of the table's slope.
        friction_range: of every pair, anywhere between these two. samples: noisy copies, at most. until: stop when
        the 95 % interval is this narrow. executor: as for `check_many`. progress: told how many samples are done, of
        how many. An interrupt after the first sample is an `Interrupted` whose `done` is the result so far. Raises
        TeeterError.
        """
        from teeter.engine.topple.laboratory.noise import Noise, chance
        from teeter.engine.topple.verdict import as_asked
        from teeter.engine.workers import Interrupted
        from teeter.engine.worlds import using

        if wrong := friction_range_fault("friction_range", friction_range):
            raise ArgumentError(wrong)
        between = None if friction_range is None else (float(friction_range[0]), float(friction_range[1]))
        noise = Noise(position_mm / 1e3, math.radians(tilt_noise_deg), between, self.seed)
        loaded = loaded_of(scene)
        options = self.options_of(loaded)
        try:
            with using(self.engine):
                found = chance(
                    as_asked(loaded.assembly, options),
                    noise,
                    samples,
                    until=until,
                    gravity=options.gravity,
                    workers=self._processes(),
                    executor=executor,
                    progress=progress,
                )
        except Interrupted as stop:
            raise Interrupted(noise_result(stop.done)) from stop
        return noise_result(found)

    @checked
    @one_thread()
    def mend(
        self,
        scene: AnyScene,
        *,
        margin_deg: float | None = None,
        kinds: Iterable[str] = (),
        pieces: Iterable[str] = (),
        keep: Iterable[str] = (),
        best: int | None = None,
        push_n: float | None = None,
        push_direction_deg: float = 0.0,
    ) -> MendResult:
        """What must be changed so that it stands? The smallest changes, each checked by both methods.

        margin_deg: of further tilt that it shall stand; None: as much as no small difference undoes. kinds: of move,
        turn, remove, place, add_mass, friction and prop; all when left out. pieces: that may be changed, all free ones
        when left out; keep: that may not. best: changes to tell, at most; None: 3, of more than 16 pieces 1 and the
        next two by forces alone. push_n: that the top centre of the highest piece shall bear, towards
        push_direction_deg from +x. Raises TeeterError.
        """
        from teeter.engine.topple.verdict import check
        from teeter.games.api.mender import Mender, kinds_of

        require_in_range(direction_deg=push_direction_deg)
        loaded = loaded_of(scene)
        named, kept = names_in(pieces), names_in(keep)
        for name in (*named, *kept):
            piece_named(loaded, name)
        free = {body.name for body in loaded.assembly.free}
        if free and not (free & {*(named or free)}) - {*kept}:
            raise ArgumentError(f"{loaded.name}: no piece is left that may be changed")
        push = None if push_n is None else (push_n, push_direction_deg)

        def ask(changed: Scene, **how: Any) -> CheckResult:
            options = replace(self.options_of(changed), settle=changed.settle_mm / 1e3, **how)
            return check_result(check(changed.assembly, options), changed)

        mender = Mender(loaded, self.options_of(loaded), ask, margin_deg, push)
        return mender.mended(kinds=kinds_of(kinds), pieces=named, keep=kept, best=best)

    @checked
    @one_thread()
    def design(
        self,
        goal: str,
        pieces: str | PublicScene | Iterable[str | PublicScene],
        *,
        margin_deg: float = 0.1,
        gap_mm: float | None = None,
        single: bool = False,
    ) -> DesignResult:
        """What can be built of boxes: the longest overhang, a tall tower, a bridge of few pieces over a gap.

        goal: overhang, tower or bridge. pieces: scenes, or models with their number, as "tower_topple/brick:30".
        margin_deg: of tilt that it shall stand. gap_mm: of a bridge. single: one piece on each, without
        counterweights. Raises TeeterError; of its kinds NoDesignError where the pieces do not do, or no bridge was
        found.
        """
        from teeter.games.api.design import GOALS, designed, supply

        self._require_level("design")
        wanted = next((name for name in GOALS if name == goal), None)
        if wanted is None:
            raise ArgumentError(f"goal = {goal!r}: must be one of {', '.join(GOALS)}")
        if (gap_mm is None) == (wanted == "bridge"):
            raise ArgumentError(
                "a gap and a bridge go together: say how wide it is with the goal bridge, and with no other"
            )
        supplies = [pieces] if isinstance(pieces, str | PublicScene) else list_of("pieces", pieces)
        return designed(
            wanted,
            supply(supplies),
            lambda scene: self.check(PublicScene(scene)),
            margin=margin_deg,
            gap=gap_mm,
            single=single,
        )

    @checked
    @one_thread()
    def probe(
        self, scene: AnyScene, pieces: Iterable[str] | None = None, *, progress: Progress = unheard
    ) -> dict[str, ProbeResult]:
        """Which piece can come out? By name: its load, the force to pull it out, whether the rest stands without it.

        pieces: the free ones to probe, None for all. progress: told how many are done, of how many. An interrupt is an
        `Interrupted` whose `done` are those found so far. Raises TeeterError.
        """
        from teeter.engine.topple.laboratory.probe import probe
        from teeter.engine.workers import Interrupted
        from teeter.engine.worlds import using

        loaded = self._without_loads(scene, "probe")
        names = None if pieces is None else names_in(pieces)
        for name in names or ():
            piece_named(loaded, name)
        try:
            with using(self.engine):
                probes = probe(self._rubbed(loaded.assembly), names, workers=self.workers, progress=progress)
        except Interrupted as stop:
            raise Interrupted(_probes(stop.done)) from stop
        return _probes(probes)

    @checked
    @one_thread()
    def sweep(
        self,
        scene: AnyScene,
        piece: str,
        *,
        x: Axis,
        y: Axis,
        yaw: Axis = 0.0,
        samples: int | None = None,
        keep_height: bool = False,
        margins: bool = True,
        noise_mm: float | None = None,
        copies: int = 200,
        executor: Executor | None = None,
        progress: Progress = unheard,
    ) -> list[SweepRow]:
        """Where could this piece go? A verdict and a tilt margin for every place, x fastest and yaw slowest.

        x, y: mm; yaw: degrees from how the piece lies; the piece is let down onto the others, unless it keeps its
        height. samples: this many places at random between the ends instead. margins: with the tilt margin of what
        stands. noise_mm: with the share of so many copies that stand in each place, misplaced at random. executor: as
        for `check_many`. progress: told how many places are done, of how many. An interrupt is an `Interrupted` whose
        `done` are the rows so far. Raises TeeterError.
        """
        from teeter.engine.topple.laboratory.spots import spots_of, values_of
        from teeter.engine.topple.laboratory.sweep import judge_place, places_of, study
        from teeter.engine.workers import Interrupted, in_order

        loaded = self._without_loads(scene, "sweep", may_tilt=True)
        assembly = self._rubbed(loaded.assembly)
        name = piece_named(loaded, piece).name
        body = next(body for body in assembly.bodies if body.name == name)
        others = tuple(other for other in assembly.bodies if other.name != name)
        axes = [values_of(axis, called) for called, axis in (("x", x), ("y", y), ("yaw", yaw))]
        common = study(replace(assembly, bodies=others), self.terms(noise_mm, copies), margins=margins)
        places = list(
            places_of(body, others, spots_of(axes[0], axes[1], axes[2], samples, self.seed), keep_height)
        )
        rows: list[SweepRow] = []
        try:
            with in_order(partial(judge_place, common), places, self._processes(), executor) as answers:
                for row in answers:
                    rows.append(row)
                    progress(len(rows), len(places))
        except KeyboardInterrupt as stop:
            raise Interrupted(rows) from stop
        return rows

    def terms(self, noise_mm: float | None, copies: int) -> Terms:
        """Returns what the rows of a sweep are asked under; friction is that of their bodies. Raises TeeterError."""
        from teeter.engine.topple.laboratory.noise import Noise
        from teeter.engine.topple.laboratory.sweep import Terms
        from teeter.engine.topple.verdict import CheckOptions

        require_in_range(position_mm=noise_mm, samples=copies)
        options = CheckOptions(
            tilt=math.radians(self.tilt_deg),
            tilt_direction=math.radians(self.tilt_direction_deg),
            seed=self.seed,
            workers=1,
            engine=self.engine,
        )
        noise = None if noise_mm is None else Noise(noise_mm / 1e3, seed=self.seed)
        return Terms(options, noise, copies)

    @checked
    @one_thread()
    def check_many(
        self,
        scenes: ManyScenes,
        *,
        method: Method = "full",
        executor: Executor | None = None,
        progress: Progress = unheard,
    ) -> ManyResult:
        """Would they topple? A table in the order of the scenes, of scenes or of one scene and many poses.

        scenes: files, names, loaded scenes; or (scene, poses) with the poses (n, pieces, 7) of its free pieces in their
        order: x, y, z in mm and a quaternion x, y, z, w. method: `full` is `check`, with one trial where the forces
        have a safety margin and it agrees; `statics` is by forces alone, `unsure` where only a simulation can tell.
        executor: any of `concurrent.futures`, or dask's `Client.get_executor()`, whose workers then do it. progress:
        told how many are done, of how many. An interrupt is an `Interrupted` whose `done` is the table so far. Raises
        TeeterError.
        """
        from teeter.games.api.many import check_many

        return check_many(
            scenes,
            method,
            options_of=self.options_of,
            workers=self._processes(),
            executor=executor,
            progress=progress,
        )

    def asked(self, scene: Scene) -> tuple[Assembly, Vector]:
        """Returns what a check judges of a scene that lies as declared, and under which gravity, m/s^2."""
        from teeter.engine.topple.verdict import as_asked

        options = self.options_of(scene)
        return as_asked(scene.assembly, options), options.gravity

    def options_of(self, scene: Scene) -> CheckOptions:
        """How a scene is checked, in SI units."""
        from teeter.engine.topple.verdict import CheckOptions

        acceleration, wind = actions_on(scene, self.accelerate_g, self.wind_pa, self.direction_deg)
        return CheckOptions(
            tilt=math.radians(self.tilt_deg),
            tilt_direction=math.radians(self.tilt_direction_deg),
            friction=self.friction,
            seed=self.seed,
            workers=self.workers,
            engine=self.engine,
            acceleration=acceleration,
            wind=wind,
        )

    def _rubbed(self, assembly: Assembly) -> Assembly:
        from teeter.engine.topple.verdict import with_friction

        return with_friction(assembly, self.friction)

    def _processes(self) -> int:
        return self.workers or os.cpu_count() or 1

    def _require_level(self, method: str, *, may_tilt: bool = False) -> None:
        for name in ("tilt_deg", "accelerate_g", "wind_pa"):
            if (value := getattr(self, name)) and not (may_tilt and name == "tilt_deg"):
                raise ArgumentError(f"{name} = {value:g}: {method} works on a level table at rest only")

    def _without_loads(self, scene: AnyScene, method: str, *, may_tilt: bool = False) -> Scene:
        """The scene. Raises TeeterError where it is tilted, unless it may be, or more than weights acts."""
        from teeter.scenes.loads import refuse_loads

        self._require_level(method, may_tilt=may_tilt)
        loaded = loaded_of(scene)
        refuse_loads(loaded, method)
        return loaded


def _probes(probes: Mapping[str, Probed]) -> dict[str, ProbeResult]:
    return {
        name: ProbeResult(one.load, one.pull, one.stands_without, one.loose) for name, one in probes.items()
    }
