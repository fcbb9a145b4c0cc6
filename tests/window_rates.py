"""How many pictures a second the window makes of 54 bricks while a piece is carried and while the camera turns; for
`test_window_rates.py`."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable

from window_driver import Person

from teeter.engine.view.window.events import PointerMoved
from teeter.games.core.rules import Take, Wait
from teeter.games.present.settings import load_settings
from teeter.games.server.messages import Do, Plan
from teeter.games.ui.app import App

PICTURES, WARM = 60, 15
"""Pictures that are timed, and those before them."""
SIZE = (1280, 720)


def timed(person: Person, act: Callable[[int], None]) -> dict[str, float]:
    """Returns the pictures a second, and the milliseconds of processor time of one, while something is done before
    each."""
    window, took = person.app.window, []
    for number in range(WARM + PICTURES):
        act(number)
        begin, spent = time.perf_counter(), time.process_time()
        assert person.app.round(), "the window was closed"
        if number >= WARM:
            took.append((time.perf_counter() - begin, time.process_time() - spent))
        assert window.stage is not None
    walls, works = zip(*took, strict=True)
    return {
        "pictures_s": round(PICTURES / sum(walls), 1),
        "best_s": round(1.0 / sorted(walls)[PICTURES // 10], 1),
        "cpu_ms": round(1e3 * sorted(works)[PICTURES // 2], 1),
    }


def rates(quality: str = "medium") -> None:
    """Prints both rates as JSON."""
    settings = load_settings()
    picture = settings.picture.model_copy(update={"quality": quality, "width": SIZE[0], "height": SIZE[1]})
    plan = Plan("sandbox", ("Ana",), 0, scene="tower")
    person = Person(App(settings.model_copy(update={"picture": picture}), plan))
    person.wait(lambda: person.client.waits, "the tower stands")
    screen, client = person.app.screen, person.client
    person.still()
    x, y = SIZE[0] * 0.5, SIZE[1] * 0.5

    def carry(number: int) -> None:
        turn = number / 20.0
        to = PointerMoved(x + 150.0 * math.cos(turn), y + 60.0 * math.sin(turn), over_panel=False)
        screen.handle(to)

    def turn(number: int) -> None:
        screen.camera_control.drag(4.0 if number // 40 % 2 else -4.0, 0.0, float(SIZE[1]), is_pan=False)

    bricks, turning = len(client.in_play), timed(person, turn)
    person.still()
    top = max(client.in_play, key=lambda name: client.pose(name).position[2])
    screen.physics.send(Do(Take("Ana", top)))
    person.asked(wait=Wait.HAND)
    person.wait(lambda: screen.hand.grip, "it is in the hand")
    person.still()
    print(json.dumps({"bricks": bricks, "turning": turning, "carrying": timed(person, carry)}))
    person.app.close()


if __name__ == "__main__":
    rates(*sys.argv[1:])
