"""A verdict in words a layman understands. The numbers are those of `check --json`, rounded for reading."""

from __future__ import annotations

import math

from engine.topple.verdict import Verdict

COMPASS = ("+x", "+x+y", "+y", "-x+y", "-x", "-x-y", "-y", "+x-y")


def headline(verdict: Verdict) -> str:
    """One sentence: the answer and its reason."""
    statics, dynamics = verdict.statics, verdict.dynamics
    if verdict.word == "stands":
        if statics.stands is None:
            return "It stands: disturbed a little, it comes to rest where it was."
        hold = "friction and balance hold it" if statics.needs_friction else "balance alone holds it"
        return f"It stands: {hold}, and disturbed a little it comes back to rest."
    if verdict.word == "topples":
        first = dynamics.first_to_move
        how = f"{first} goes first" if first else "it does not come to rest"
        return f"It topples: {how}{_down(len(dynamics.fell))}."
    return f"Unsure: {_difference(verdict)}."


def _down(count: int) -> str:
    if count == 0:
        return ""
    return f", and {count} piece{'s' if count > 1 else ''} come{'s' if count == 1 else ''} down"


def _difference(verdict: Verdict) -> str:
    """What the two methods, or the trials, disagree about."""
    trials = verdict.dynamics.trials
    stood = sum(trial.stands for trial in trials)
    if verdict.dynamics.stands is None:
        return f"it stood {stood} of {len(trials)} small disturbances; it is at the edge of falling"
    if verdict.statics.stands:
        return "forces could balance it, but set down in the simulation it falls"
    return "no forces balance it as it is described, but in the simulation it comes to rest"


def rows(verdict: Verdict) -> list[tuple[str, str]]:
    """The facts behind the headline, as (label, text) in the order of reading."""
    found = [*_statics_rows(verdict), *_dynamics_rows(verdict)]
    if verdict.settled > 0:
        found.append(("let down", f"the pieces moved up to {verdict.settled * 1e3:.2f} mm to come to rest"))
    found.append(("time", f"{verdict.wall:.2f} s"))
    return found


def _statics_rows(verdict: Verdict) -> list[tuple[str, str]]:
    statics = verdict.statics
    if statics.stands is None:
        return [("force balance", f"not asked: {statics.why}")]
    if not statics.stands:
        return [
            ("force balance", "no set of contact forces holds every piece"),
            ("weakest piece", str(statics.weakest)),
        ]
    where = "as described" if verdict.pose == "declared" else "where the pieces come to rest"
    friction = "needs friction" if statics.needs_friction else "needs no friction"
    found = [("force balance", f"holds ({where}; {friction})"), ("weakest piece", str(statics.weakest))]
    if statics.tilt_deg is not None and statics.tilt_direction_deg is not None:
        found.append(
            (
                "far from toppling",
                f"{statics.tilt_deg:.2f} degrees of table tilt, {_side(statics.tilt_direction_deg)}",
            )
        )
    if statics.push_n is not None:
        found.append(
            (
                "",
                f"{newtons(statics.push_n)} sideways at the top of {statics.push_piece} ({statics.push_mode})",
            )
        )
    return found


def _dynamics_rows(verdict: Verdict) -> list[tuple[str, str]]:
    dynamics = verdict.dynamics
    stood = sum(trial.stands for trial in dynamics.trials)
    text = (
        f"stood {stood} of {len(dynamics.trials)} small disturbances ({dynamics.simulated:.1f} s simulated)"
    )
    found = [("simulation", text)]
    if dynamics.stands:
        moved = f"{dynamics.shift * 1e3:.2f} mm and {math.degrees(dynamics.turn):.2f} degrees"
        found.append(("", f"sank {dynamics.sink * 1e3:.2f} mm while settling, moved {moved} after"))
        return found
    if dynamics.first_to_move:
        found.append(("first to move", dynamics.first_to_move))
    if dynamics.fell:
        found.append(("fell", listing(dynamics.fell)))
    return found


def listing(names: tuple[str, ...], most: int = 6) -> str:
    """Some names in a row, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def newtons(force: float) -> str:
    """A force with a unit that keeps the number readable."""
    return f"{force:.2f} N" if force >= 0.1 else f"{force * 1e3:.1f} mN"


def _side(direction: float) -> str:
    """A direction in degrees as a side of the table."""
    return f"down towards {COMPASS[round(direction / 45) % 8]}"
