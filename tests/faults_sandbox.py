"""What can be wrong with a state of the sandbox: no game may ever be in one that has a fault."""

from __future__ import annotations

from collections import Counter

from teeter.games.sandbox.rules import Phase, State


def faults(state: State) -> tuple[str, ...]:
    """Everything that is wrong with a state."""
    names = [piece.id for piece in state.pieces]
    wrong = [f"piece {name!r} is there {count} times" for name, count in Counter(names).items() if count > 1]
    if len(state.seats) != 1:
        wrong.append(f"{len(state.seats)} seats")
    if (state.held != "") != (state.phase is not Phase.FREE) or (state.held and state.held not in names):
        wrong.append(f"held {state.held!r} in phase {state.phase.name}")
    if state.met and state.phase is Phase.FREE:
        wrong.append("an empty hand has met a piece")
    return tuple(wrong)
