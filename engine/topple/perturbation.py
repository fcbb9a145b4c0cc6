"""The dynamics half of a verdict: put the scene together, disturb it a little, let go, and watch.

Every trial is a fresh world (`trial.py`). A scene stands when it stands from every disturbance; mixed outcomes are no
verdict.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.tolerances import has_fallen
from teeter.engine.topple.grip import MAX_GRIP, within_cones
from teeter.engine.topple.stages import stage
from teeter.engine.topple.trial import Trial, TrialTask, limits_of, run_finely, run_quickly, run_trial
from teeter.engine.workers import in_order
from teeter.engine.world.body import DOWN, Assembly, Vector
from teeter.models.piece import Array

TRIALS = 4
"""Different disturbances a scene must survive: a ball on a ball survives none, whatever the first direction."""
SURE_DEG = 1.0
"""Where a force balance has so much in hand, fifty times what a piece is turned by, one that it survives is enough."""
LONGER = 2.0
"""Times the fall, for which what falls freely may take to bounce to rest."""
GENTLER = 0.1
"""How much of the disturbance is left in the second look at a fall where a force balance says that the scene stands: of
a tower of 20 pieces that has 0.2 degrees in hand, the disturbances of all together may take a third. What rocks or
rolls falls from a tenth as well, a little later."""


@dataclass(frozen=True, slots=True, eq=False)
class Dynamics:
    """What the trials say together. stands: None when they disagree. Units as in `Trial`; the worst of all. fell: what
    came down in the first that fell, and in others until it was certain that they do. share: of the disturbance, in the
    second looks."""

    stands: bool | None
    simulated: float
    sink: float
    shift: float
    turn: float
    first_to_move: str | None
    fell: tuple[str, ...]
    trials: tuple[Trial, ...]
    share: float = 1.0


@contextmanager
def running_trials(
    assembly: Assembly,
    *,
    seed: int = 0,
    time: float | None = None,
    gravity: Vector = DOWN,
    trials: int = TRIALS,
    workers: int = 1,
    is_safe: bool = False,
    is_brief: bool = False,
) -> Iterator[Callable[..., Dynamics]]:
    """Starts the trials of an assembly and yields a function that waits for them: other work fits in between.

    seed: of the disturbances. time: simulate exactly this many seconds; None: until at rest or fallen. gravity:
    m/s^2. workers: processes to use; results are the same for any number. is_safe: as of a `TrialTask`. is_brief: only
    the word is asked.
    The function takes what statics says, and how many degrees it has in hand: falls that it foresees, because nothing
    can hold the pieces, are believed; others are run again finely.
    """
    limits = limits_of(assembly)
    whole = TrialTask(assembly, limits, (seed, 0), time, gravity, is_safe=is_safe)
    tasks = [replace(whole, seed=(seed, number)) for number in range(trials)]
    brief = replace(limits, late_aftermath=0.0) if time is None else limits

    def first_task() -> Iterator[TrialTask]:
        # what comes down is seen in this one; the others end when it is certain that something does
        yield replace(tasks[0], limits=brief)

    others = [replace(task, limits=limits.curt) if time is None else task for task in tasks[1:]]
    with ExitStack() as running:
        quick = running.enter_context(in_order(run_quickly, first_task(), min(workers, trials)))

        def finish(statics: bool | None, degrees: float | None = None) -> Dynamics:
            nonlocal brief
            if statics and time is None:
                # what falls is run again finely, and that is told
                brief = limits.curt
            enough = 1 if statics and (degrees or 0.0) >= SURE_DEG else trials
            has_room = not statics or degrees is None or math.radians(degrees) > GENTLER * limits.turn
            seen: Dynamics | None = None
            for first, last in ((0, enough), (enough, trials)):
                outcomes: list[Trial] = []
                answers = quick
                if last == trials > 1:
                    more_quick = in_order(run_quickly, others, min(workers, len(others)))
                    answers = chain(quick, running.enter_context(more_quick))
                for number in range(first, last):
                    stage(f"simulation: disturbance {number + 1} of {last}")
                    outcomes.append(next(answers))
                some = [replace(task, has_room=has_room) for task in tasks[first:last]]
                more = _second_look(some, outcomes, statics, workers, is_brief=is_brief)
                seen = (
                    more if seen is None else replace(combined(seen.trials + more.trials), share=more.share)
                )
                if seen.stands or last == trials:
                    break
            assert seen is not None
            return seen

        yield finish


def one_trial(task: TrialTask, statics: bool | None) -> Dynamics:
    """Runs one trial as those of a check are run, where statics says whether the scene stands."""
    quick = run_quickly(replace(task, limits=task.limits.curt))
    if statics is False and not quick.stands:
        return combined((quick,))
    return _second_look([task], [quick], statics, 1, is_brief=False)


def _second_look(
    tasks: Sequence[TrialTask], quick: Sequence[Trial], statics: bool | None, workers: int, *, is_brief: bool
) -> Dynamics:
    """Combines the trials; those that fell quickly are run finely first, unless statics has foreseen it: then the first
    of them is run again whole if it was cut. Those that stand though no forces can hold them, with more friction than
    there is, are run again with less. Both with the true curves where pieces touch on some. Where statics says that it
    stands, without room for a disturbance or where only the word is asked, the first that falls again is enough:
    nothing makes the two agree then, and the others are left out."""
    trials, share = list(quick), GENTLER if statics else 1.0
    unseen: list[int] = []
    if statics is False:
        first = next((number for number, trial in enumerate(trials) if not trial.stands), None)
        if first is not None and trials[first].is_cut:
            trials[first] = run_quickly(tasks[first])
        stood = [number for number, trial in enumerate(trials) if trial.stands]
        finer = _on_true_curves([tasks[number] for number in stood])
        with in_order(run_quickly, finer, min(workers, len(finer))) as rounder:
            for number, trial in zip(stood, rounder, strict=bool(finer)):
                trials[number] = trial
        over = [number for number, trial in enumerate(trials) if trial.stands and trial.grip > MAX_GRIP]
        less = [replace(tasks[number], assembly=within_cones(tasks[number].assembly)) for number in over]
        with in_order(run_quickly, less, min(workers, len(over))) as narrowed:
            for number, trial in zip(over, narrowed, strict=True):
                trials[number] = replace(trial, is_narrowed=True)
    if statics is not False:
        fallen = [number for number, trial in enumerate(trials) if not trial.stands]
        again = [replace(tasks[number], share=share) for number in fallen]
        # what comes down is told of the first; where only the word is asked it matters if statics is silent
        told = 0 if is_brief and statics else 1
        again[told:] = [
            replace(task, limits=task.limits.curt) if task.time is None else task for task in again[told:]
        ]
        again = _on_true_curves(again) or again
        is_last = not tasks[0].has_room or (is_brief and statics)
        with in_order(run_finely, again, min(workers, len(fallen))) as fine:
            for at, number in enumerate(fallen, start=1):
                stage(f"simulation: fall {at} of {len(fallen)} again, in finer steps")
                trials[number] = trial = next(fine)
                if is_last and not trial.stands:
                    unseen = [other for other in fallen if other > number]
                    break
    seen = tuple(trial for number, trial in enumerate(trials) if number not in unseen)
    return replace(combined(seen), share=share)


def _on_true_curves(tasks: list[TrialTask]) -> list[TrialTask]:
    """Returns the trials of one assembly with finer curves where pieces touch on them; none where they do not."""
    if not tasks:
        return []
    # imported here because most trials do without it
    from teeter.engine.topple.finer import with_true_curves

    finer = with_true_curves(tasks[0].assembly)
    return [] if finer is tasks[0].assembly else [replace(task, assembly=finer) for task in tasks]


def combined(trials: tuple[Trial, ...]) -> Dynamics:
    """Combines several trials: the worst of each measure, the fall seen earliest."""
    outcomes = {trial.stands for trial in trials}
    fallen = [trial for trial in trials if not trial.stands]
    moved = [trial for trial in fallen if trial.moved_at is not None] or fallen
    first = min(moved, key=lambda trial: trial.moved_at or 0) if moved else None
    return Dynamics(
        stands=outcomes.pop() if len(outcomes) == 1 else None,
        simulated=max(trial.simulated for trial in trials),
        sink=max(trial.sink for trial in trials),
        shift=max(trial.shift for trial in trials),
        turn=max(trial.turn for trial in trials),
        first_to_move=first.first_to_move if first else None,
        fell=tuple(sorted({name for trial in trials for name in trial.fell})),
        trials=trials,
    )


def settle_undisturbed(assembly: Assembly, *, gravity: Vector = DOWN) -> Trial:
    """Runs one trial without a disturbance, in which the pieces come to rest: small gaps close, small overlaps open."""
    limits = limits_of(assembly)
    undisturbed = replace(limits, nudge=0.0, turn=0.0)
    return run_trial(TrialTask(assembly, undisturbed, (0, 0), None, gravity))


def let_fall(assembly: Assembly, loose: Sequence[str], height: float, *, gravity: Vector = DOWN) -> Trial:
    """Runs one trial without a disturbance, in which loose pieces fall from up to `height` metres and come to rest.

    They may come down as far as they do; what tumbles there has fallen, and what comes down with them."""
    usual = limits_of(assembly)
    falling = LONGER * math.sqrt(2.0 * height / GRAVITY)
    limits = replace(
        usual,
        nudge=0.0,
        turn=0.0,
        drop=math.inf,
        settling=usual.settling + falling,
        quick=usual.quick + falling,
        longest=usual.longest + falling,
    )
    trial = run_trial(TrialTask(assembly, limits, (0, 0), None, gravity))
    down = np.asarray(gravity) / np.linalg.norm(gravity)
    lowered = (trial.poses[:, :3] - [body.pose.position for body in assembly.free]) @ down
    smallest = np.array([float(body.piece.extents.min()) for body in assembly.free])
    came = has_fallen(lowered, smallest, usual.drop) & ~np.isin(trial.names, list(loose))
    fell = {*trial.fell, *np.array(trial.names)[came].tolist()}
    return replace(trial, fell=tuple(sorted(fell)), stands=trial.stands and not fell)


def at_poses(assembly: Assembly, names: tuple[str, ...], poses: Array) -> Assembly:
    """Returns the assembly with its free bodies at other poses (n, 7)."""
    places = {name: Pose.of_row(row) for name, row in zip(names, poses.tolist(), strict=True)}
    bodies = tuple(body.at(places.get(body.name, body.pose)) for body in assembly.bodies)
    return Assembly(assembly.name, bodies)
