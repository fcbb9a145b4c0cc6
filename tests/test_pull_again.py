"""A hand that comes off a brick it draws takes hold of it again: else nobody can pull any more."""

from __future__ import annotations

import time
from collections.abc import Callable

from teeter.games.core.rules import Wait
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import Act, Do, Plan, Refused, TableView, Waits

PATIENCE_S = 120.0


def test_a_hand_that_comes_off_what_it_pulls_takes_hold_again() -> None:
    plan = Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana"})
    client = PhysicsClient(plan)
    client.begin(plan)
    held, needs, told = list[str](), list[Waits](), list[str]()

    def hear_until(what: str, is_so: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < end, what
            for message in client.news():
                if isinstance(message, Waits):
                    needs.append(message)
                elif isinstance(message, TableView):
                    held.append(message.held)
                elif isinstance(message, Refused):
                    told.append(message.sentence)
            time.sleep(0.01)

    try:
        hear_until("the first choice", lambda: needs and needs[-1].need.wait is Wait.ACTION)
        client.send(Do(needs[-1].choices[0].action))
        hear_until("a hand", lambda: needs[-1].need.wait is Wait.PULL and held[-1])
        brick = held[-1]
        held.clear()
        client.send(Act.LET_GO)
        hear_until("the hand again", lambda: held and held[-1] == brick and told)
        assert told == ["The hand takes hold again."]
        assert needs[-1].need.wait is Wait.PULL
        # and draws
        client.send(Act.PULL_OUT)
        hear_until("the brick is out", lambda: needs[-1].need.wait is not Wait.PULL)
    finally:
        client.close()
