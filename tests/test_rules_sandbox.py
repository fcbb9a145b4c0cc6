"""The sandbox: free building."""

from __future__ import annotations

from dataclasses import replace

import pytest
from faults_sandbox import faults

from teeter.games.core.errors import IllegalAction, MalformedAction, SetupError
from teeter.games.core.events import Fell, Met, Placed, Released
from teeter.games.core.rules import Bring, Choice, PutAway, Take, TakeBack, Wait
from teeter.games.sandbox.rules import (
    NamedPiece,
    Phase,
    State,
    Stock,
    apply,
    legal,
    needs,
    opening,
    outcome,
    read_stock,
    scores,
    seen_by,
    start,
    tell,
)

STOCK = Stock((NamedPiece("arch", "bausack/arch"), NamedPiece("slab")))
START: State = start(["Ana"], 1, {}, STOCK)
HELD = apply(START, Take("Ana", "slab"))
NEW = apply(START, Bring("Ana", "ball", "bausack/ball"))


def refusal(state: State, given: object) -> str:
    with pytest.raises(IllegalAction) as caught:
        apply(state, given)  # type: ignore[arg-type]
    return str(caught.value)


def test_start_from_a_scene() -> None:
    """The pieces of a scene file lie on the table; shapes without a model are welcome."""
    tables = {
        "piece": [{"id": "arch", "model": "bausack/arch", "position": [0, 0]}, {"id": "slab", "fixed": True}]
    }
    assert read_stock(tables) == STOCK
    assert scores(START) == (2,)
    assert opening(START) == ("Ana sits down to the arch, slab.",)
    assert opening(start(["Ana"], 1, {}, Stock())) == ("Ana sits down to an empty table.",)
    assert START.step == 0
    with pytest.raises(SetupError, match="The sandbox is for one player; 2 given"):
        start(["Ana", "Ben"], 1, {}, STOCK)


def test_legal() -> None:
    """Any lying piece may be taken or put away."""
    assert legal(START) == (
        Choice(Take("Ana", "arch"), "take the arch"),
        Choice(Take("Ana", "slab"), "take slab"),
        Choice(PutAway("Ana", "arch"), "put the arch away"),
        Choice(PutAway("Ana", "slab"), "put slab away"),
    )
    assert legal(HELD) == (Choice(TakeBack("Ana"), "put slab back"),)
    assert legal(apply(HELD, Met(1, "slab", "arch"))) == ()
    assert legal(apply(HELD, Released(1, "slab"))) == ()


def test_pieces_are_called_by_their_models() -> None:
    """Names such as `base_4-1` are for files."""
    one = apply(START, Bring("Ana", "base_4-1", "bausack/base_4"))
    assert tell(START, Bring("Ana", "base_4-1", "bausack/base_4"), one) == ("Ana brings out the base 4.",)
    lying = apply(apply(one, Released(1, "base_4-1")), Placed(2, "base_4-1"))
    two = apply(lying, Bring("Ana", "base_4-2", "bausack/base_4"))
    assert tell(two, Met(3, "base_4-2", "base_4-1"), two) == ("The base 4 (2) touches the base 4 (1).",)
    assert tell(lying, PutAway("Ana", "base_4-1"), START) == ("Ana puts the base 4 away.",)


def test_building() -> None:
    """Bring out, carry, lay, and go on for ever."""
    assert (NEW.held, NEW.phase, needs(NEW).wait, needs(NEW).pieces) == (
        "ball",
        Phase.CARRY,
        Wait.HAND,
        ("ball",),
    )
    let_go = apply(apply(NEW, Met(1, "ball", "arch")), Released(2, "ball"))
    assert needs(let_go).wait is Wait.REST
    laid = apply(let_go, Placed(3, "ball"))
    assert laid == replace(
        START, pieces=(*STOCK.pieces, NamedPiece("ball", "bausack/ball")), new=True, step=3
    )
    assert (needs(laid).wait, needs(laid).pieces) == (Wait.ACTION, ())
    assert outcome(laid) is None
    assert seen_by(laid, "Ana") == laid
    assert apply(laid, Fell(4, ("arch", "ball"))) == replace(laid, step=4)
    assert apply(laid, PutAway("Ana", "arch")).pieces == laid.pieces[1:]
    back = apply(apply(laid, Take("Ana", "ball")), TakeBack("Ana"))
    assert back == replace(laid, new=False), "once laid a new piece is like any other"


def test_ALL_6__take_back() -> None:
    """ALL-6: a new piece goes back to the supply, a lying one back to its place."""
    assert apply(NEW, TakeBack("Ana")).pieces == STOCK.pieces
    assert apply(HELD, TakeBack("Ana")) == START
    assert refusal(START, TakeBack("Ana")) == "ALL-6: only a piece still in the hand can be taken back"
    met = apply(HELD, Met(1, "slab", "arch"))
    assert refusal(met, TakeBack("Ana")).startswith("ALL-6: slab has touched another piece")
    again = apply(apply(apply(met, Released(2, "slab")), Placed(3, "slab")), Bring("Ana", "egg", "egg"))
    assert not again.met


def test_ALL_1__one_piece_in_the_hand() -> None:
    """ALL-1: nothing is brought out, taken or put away by a full hand."""
    for action in (Bring("Ana", "egg", "egg"), Take("Ana", "arch"), PutAway("Ana", "arch")):
        assert refusal(HELD, action) == "ALL-1: one hand holds one piece at a time; it holds slab"


def test_names() -> None:
    """SB-2: names are unique; unknown ones are malformed."""
    assert (
        refusal(START, Bring("Ana", "arch", "egg")) == "SB-2: a new piece needs a name of its own, not 'arch'"
    )
    assert refusal(START, Bring("Ana", "", "egg")) == "SB-2: a new piece needs a name of its own, not ''"
    for given in (Take("Ana", "egg"), PutAway("Ana", "egg"), Fell(1, ("egg",))):
        with pytest.raises(MalformedAction, match="unknown piece 'egg'; allowed: arch, slab"):
            apply(START, given)


def test_events_out_of_place() -> None:
    """SB-1: what is not held is neither let go nor laid."""
    assert refusal(START, Released(1, "slab")) == "SB-1: nothing is in the hand"
    assert refusal(START, Met(1, "slab", "arch")) == "SB-1: nothing is in the hand"
    assert refusal(HELD, Placed(1, "slab")) == "SB-1: nothing is settling"
    for given in (Released(1, "arch"), Met(1, "arch", "slab")):
        with pytest.raises(MalformedAction, match="'arch' is not the piece in play, 'slab' is"):
            apply(HELD, given)


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        (replace(START, pieces=STOCK.pieces * 2), "piece 'arch' is there 2 times"),
        (replace(START, seats=()), "0 seats"),
        (replace(START, held="arch"), "held 'arch' in phase FREE"),
        (replace(HELD, held=""), "held '' in phase CARRY"),
        (replace(HELD, held="egg"), "held 'egg' in phase CARRY"),
        (replace(START, met=True), "an empty hand has met a piece"),
    ],
)
def test_faults(state: State, fault: str) -> None:
    assert fault in faults(state)
    assert faults(START) == faults(HELD) == faults(apply(HELD, Met(0, "slab", "arch"))) == ()
