"""Twenty bricks of Tower Topple by a pointer; what is done stands in `brick_hands`."""

from collections.abc import Callable

import pytest
from brick_hands import play


@pytest.mark.soak
def test_bricks_are_drawn_and_laid_at_the_first_try(row: Callable[..., None]) -> None:
    found = play(1, 20)
    notes = found.pop("notes")
    row("bricks of Tower Topple by a pointer", **found)
    assert found["kept"] >= 19, notes
    assert found["first"] >= 0.95 * found["laid"], notes
    assert found["wrong"] <= 1, notes
