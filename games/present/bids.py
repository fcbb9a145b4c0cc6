"""Bids as one slider and one button: of the many that may be made, the one that the slider is on is offered."""

from collections.abc import Sequence

from teeter.engine.view.panels import Slider
from teeter.games.core.rules import Choice

FIRST = 1
"""The bid that is offered before the slider was moved, if it may be made: with 0 one only pays when others bid."""


def bid_of(choice: Choice) -> int | None:
    """Returns the bid of a choice; None for another choice."""
    bid = getattr(choice.action, "bid", None)
    return bid if isinstance(bid, int) else None


def with_one_bid(choices: Sequence[Choice], wanted: int | None) -> tuple[Choice, ...]:
    """Returns the choices with one bid alone, the nearest to what is wanted."""
    bids = [choice for choice in choices if bid_of(choice) is not None]
    wanted = FIRST if wanted is None else wanted
    one = min(bids, key=lambda choice: abs((bid_of(choice) or 0) - wanted), default=None)
    return tuple(choice for choice in choices if choice is one or bid_of(choice) is None)


def bid_slider(choices: Sequence[Choice], wanted: int | None) -> Slider | None:
    """Returns the slider over all bids; None where there is nothing to choose."""
    bids = sorted(bid for choice in choices if (bid := bid_of(choice)) is not None)
    if len(bids) < 2:
        return None
    at = min(bids, key=lambda bid: abs(bid - (FIRST if wanted is None else wanted)))
    # the most that may be bid is what one has
    return Slider(
        "bid",
        "bid",
        float(at),
        float(bids[0]),
        float(bids[-1]),
        f"{at} of {bids[-1]} token{'s' * (bids[-1] != 1)}",
        tuple(map(float, bids)),
        is_coins=True,
        steps=bids[-1] - bids[0],
    )
