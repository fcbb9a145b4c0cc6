"""How fast the rules are: `python tests/time_rules.py` prints a line for every game and mode.

Should be: apply() 50 microseconds (median), 500 turns of random play without physics 0.2 s. Not a test, because a
busy machine would fail it.
"""

from __future__ import annotations

import sys
from random import Random
from time import perf_counter

from rules_lab import Lab, begin, moves
from rules_labs import LABS

from teeter.games.core.rules import Wait


def main() -> None:
    """Measure every mode; the fastest of three runs, the median of all calls."""
    for lab in LABS:
        for mode in (mode.name for mode in lab.game.modes):
            spent: list[float] = []
            fastest = min(_time_of_turns(lab, mode, 500, spent) for _ in range(3))
            median = sorted(spent)[len(spent) // 2]
            sys.stdout.write(
                f"{lab.game.name:14} {mode:12} apply {median * 1e6:5.1f} us   500 turns {fastest:.3f} s\n"
            )


def _time_of_turns(lab: Lab, mode: str, most: int, spent: list[float]) -> float:
    """Seconds for so many turns, of as many games as it takes; the time of each apply() goes to `spent`.

    A turn begins when the player changes; alone at the table, with every action.
    """
    rules, turns, seed, total = lab.game.rules, 0, 0, 0.0
    while turns < most:
        dice, seed = Random(seed), seed + 1
        player, state = "", begin(lab, lab.table(mode, dice), seed, mode)
        for given in [step.given for step in moves(lab, state, dice, only_calm=True)]:
            begun = perf_counter()
            rules.legal(state)
            need = rules.needs(state)
            between = perf_counter()
            state = rules.apply(state, given)
            ended = perf_counter()
            spent.append(ended - between)
            total += ended - begun
            alone = len(state.seats) == 1 and need.wait is Wait.ACTION
            turns += need.player != player or lab.game.endless or alone
            player = need.player
            if turns >= most:
                break
    return total


if __name__ == "__main__":
    main()
