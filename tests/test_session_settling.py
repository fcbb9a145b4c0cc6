"""After a release, on the scripted world: what falls until all lies still, and what is told of it."""

from __future__ import annotations

from test_play_crazy_tower import position
from test_session_scripted import Played

from engine.pose import Pose
from games.core.events import Fell, Released
from games.core.rules import Take
from games.crazy_tower.game import GAME as CRAZY
from games.crazy_tower.state import Floor


def fall(played: Played, piece: str, seconds: float) -> int:
    """The piece drops by 30 mm so long from now, having slid a little all the while; the step at which it is down."""
    table = played.session.table
    now, pose = table.step, table.bodies[piece].pose
    x, y, z = pose.position
    down = now + round(seconds * table.rate)
    slid, low = ((x + 0.03, y, z - lower) for lower in (0.0, 0.03))
    played.paths[piece] = [
        (now, pose),
        (down - 20, Pose(slid, pose.orientation)),
        (down, Pose(low, pose.orientation)),
    ]
    return down


def test_ALL_2_what_falls_at_different_times_is_told_together_when_all_lies_still() -> None:
    """ALL-2, CT-20: two blocks without a card are no collapse, whichever of them was down first."""
    one, other = "green_o4", "green_i3"
    played = Played(CRAZY, position(Floor("card_01", (one, other))))
    session = played.session
    session.act(Take("Ana", "red_i1"))
    first, last = fall(played, one, 0.3), fall(played, other, 1.2)
    session.release()
    session.settle()
    assert [type(given) for given in played.heard[:3]] == [Take, Released, Fell]
    falls = [given for given in played.heard if isinstance(given, Fell)]
    assert [given.pieces for given in falls] == [tuple(sorted((one, other)))]
    assert first < last < falls[0].step
    assert {each.piece for each in session.state.fallen} == {one, other}
    session.close()
