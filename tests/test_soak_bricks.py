"""Twenty bricks of Tower Topple by a pointer; what is done stands in `brick_hands`."""

from collections.abc import Callable

import pytest
from brick_hands import play


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 7, 11])
def test_bricks_are_drawn_and_laid_at_the_first_try(seed: int, row: Callable[..., None]) -> None:
    found = play(seed, 7)
    notes = found.pop("notes")
    row("bricks of Tower Topple by a pointer", seed=seed, **found)
    assert found["kept"] == found["pulled"], notes
    assert found["first"] == found["laid"], notes
    assert found["wrong"] == 0, notes
