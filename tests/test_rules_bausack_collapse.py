"""Bausack, clause by clause: the hand, placing, collapses and who is left."""

from __future__ import annotations

from dataclasses import replace

import pytest
from faults_bausack import faults
from test_rules_bausack import BIDDING, actions, after, lay, on_offer, position, refusal

from teeter.games.bausack.rules import apply, legal, needs, outcome, scores, tell
from teeter.games.bausack.state import (
    IN,
    NOBODY,
    Accept,
    BausackReason,
    Bid,
    Build,
    Pass,
    PassOn,
    Phase,
    Push,
    State,
    Stir,
)
from teeter.games.core.errors import MalformedAction
from teeter.games.core.events import Condition, Fell, HitNeighbour, Met, Nudged, Placed, Released, Rested
from teeter.games.core.rules import Need, Outcome, Take, TakeBack, Wait


def carrying(*towers: str, piece: str = "egg", supply: str = "bell cone") -> State:
    """Ana has the accepted piece in the hand."""
    return position(*towers, supply=supply, piece=piece, phase=Phase.CARRY)


def letting_go(*towers: str, step: int = 0) -> State:
    """Ana has let the egg go."""
    return after(carrying(*towers), Released(step, "egg"))


TWO = carrying("cube tile", "ball", "")


# ---- placing ----


def test_BS_02__the_first_piece_is_the_foundation() -> None:
    """BS-02: a first piece, by Build or Push, is laid inside the own area; the next on the tower."""
    clear = Condition.CLEAR_OF_OTHER_TOWERS
    for state in (carrying("", "ball"), after(position("", "ball"), Take("Ana", "egg"), Build("Ana", 0))):
        held = state if state.phase is Phase.CARRY else after(state, Pass("Ben"), Take("Ana", "egg"))
        assert needs(held) == Need(Wait.HAND, "Ana", ("egg",), (Condition.IN_OWN_AREA, clear))
        placed = after(held, Released(1, "egg"), Placed(2, "egg"))
        assert placed.towers == (("egg",), ("ball",))
    held = carrying("cube", "ball")
    assert needs(held) == Need(Wait.HAND, "Ana", ("egg",), (Condition.ON_OWN_TOWER, clear))
    assert after(held, Released(1, "egg"), Placed(2, "egg")).towers == (("cube", "egg"), ("ball",))
    pushed = after(position("", "ball"), Take("Ana", "egg"), Push("Ana"), PassOn("Ben"), Accept("Ana"))
    assert legal(pushed)[0].conditions == (Condition.IN_OWN_AREA, clear)
    assert after(pushed, *lay("egg")).towers == (("egg",), ("ball",))


def test_BS_02__the_foundation_may_shift() -> None:
    """BS-02, BS-08: a foundation pushed about is no collapse; off the table it is. Outside the area it is laid again,
    and so is one that came to lie there while another's tower fell."""
    state = after(TWO, Nudged(1, "cube", 40.0))
    assert outcome(state) is None
    assert state.out == (IN, IN, IN)
    assert after(state, Fell(2, ("cube",))).out == (2, IN, IN)
    outside = after(letting_go("", "ball", ""), Placed(5, "egg", broken=(Condition.IN_OWN_AREA,)))
    assert (outside.out, outside.phase, outside.piece) == ((IN, IN, IN), Phase.CARRY, "egg")
    falling = after(letting_go("", "ball tile", ""), Fell(4, ("tile",)))
    beside = after(falling, Placed(5, "egg", broken=(Condition.IN_OWN_AREA,)), Rested(6, ()))
    assert (beside.out, beside.phase, beside.piece) == ((IN, 4, IN), Phase.PLACE, "egg")
    off = after(letting_go("", "ball", ""), Fell(5, ("egg",)))
    assert off.out == (5, IN, IN)


def test_BS_03__on_the_own_tower_only() -> None:
    """BS-03, BS-06: a piece that rests anywhere else is a collapse; it is not laid again."""
    for missed in (Condition.ON_OWN_TOWER, Condition.CLEAR_OF_OTHER_TOWERS):
        state = after(letting_go("cube", "ball", "", step=3), Placed(8, "egg", broken=(missed,)))
        assert state.out == (8, IN, IN)
        assert state.towers == (("cube", "egg"), ("ball",), ())
        assert (state.phase, state.stir, state.piece) == (Phase.DONE, Stir.FALLING, "")


def test_BS_03__at_rest_against_another_tower() -> None:
    """BS-03: a piece at rest against another's tower is the collapse of its owner, not of the neighbour."""
    state = letting_go("cube", "ball tile", "step")
    assert after(state, HitNeighbour(4, "egg", "Ben")).out == (4, IN, IN)
    assert after(state, HitNeighbour(4, "cube", "Ben")).out == (4, IN, IN)
    assert after(state, HitNeighbour(4, "tile", "Ana")).out == (IN, 4, IN)
    assert after(position("cube", "ball", ""), HitNeighbour(4, "ball", "Ana")).out == (IN, 4, IN)
    for piece, owner in (("egg", "Ana"), ("ball", "Ben")):
        with pytest.raises(MalformedAction, match=f"{owner} has no other tower for '{piece}' to lie against"):
            apply(state, HitNeighbour(4, piece, owner))
    bare = letting_go("cube", "ball", "")
    with pytest.raises(MalformedAction, match="Cem has no other tower for 'egg' to lie against"):
        apply(bare, HitNeighbour(4, "egg", "Cem"))
    with pytest.raises(MalformedAction, match="unknown player 'Zoe'; allowed: Ana, Ben, Cem"):
        apply(bare, HitNeighbour(4, "egg", "Zoe"))
    assert refusal(bare, HitNeighbour(4, "bell", "Ben")) == "BS-08: the bell is not part of a tower"
    held = refusal(TWO, HitNeighbour(4, "egg", "Ben"))
    assert held == "BS-05: the egg is in the hand and lies nowhere yet"
    assert after(TWO, HitNeighbour(4, "tile", "Ben")).out == (4, IN, IN)


def test_BS_03__debris_is_no_tower() -> None:
    """BS-03, BS-09: fallen pieces that lie against a tower, or the other way round, fell nobody more."""
    state = after(letting_go("cube", "ball tile", "step"), Fell(2, ("tile",)))
    assert after(state, HitNeighbour(3, "egg", "Ben")) == replace(state, step=3)
    assert after(state, HitNeighbour(3, "tile", "Cem")) == replace(state, step=3)
    assert after(state, HitNeighbour(3, "egg", "Cem")).out == (3, 2, IN)


def test_BS_04__placed_before_play_goes_on() -> None:
    """BS-04: an accepted piece goes from the hand to the tower; nothing else is asked meanwhile."""
    placing = on_offer(0, -1, -1)
    assert needs(placing) == Need(Wait.ACTION, "Ana")
    assert [choice.action for choice in legal(placing)] == [Take("Ana", "egg")]
    held = after(placing, Take("Ana", "egg"))
    assert (held.phase, held.piece, needs(held).wait) == (Phase.CARRY, "egg", Wait.HAND)
    assert refusal(held, Take("Ben", "bell")) == "BS-04: it is Ana's turn, not Ben's"
    let_go = after(held, Released(3, "egg"))
    need = needs(let_go)
    assert (need.wait, need.pieces, need.conditions) == (Wait.REST, ("egg",), needs(held).conditions)
    assert legal(let_go) == ()
    assert refusal(let_go, Take("Ben", "bell")) == "ALL-2: nothing is decided while things move"
    placed = after(let_go, Placed(4, "egg"))
    assert (placed.turn, placed.phase, placed.step) == (1, Phase.CHOOSE, 4)


def test_BS_05__no_hand_on_a_placed_piece() -> None:
    """BS-05, BS-06: nobody takes a piece from a tower, the own or another's."""
    state = position("cube tile", "ball", "")
    assert refusal(state, Take("Ana", "ball")) == "BS-05: the ball is part of Ben's tower"
    for piece in ("cube", "tile"):
        assert (
            refusal(state, Take("Ana", piece))
            == f"BS-06: the {piece} is placed and cannot be picked up again"
        )


def test_BS_05__the_held_piece_may_push() -> None:
    """BS-05: an accepted piece in the hand touches and pushes the own tower, as far as it likes."""
    assert after(TWO, Met(1, "egg", "tile")) == replace(TWO, met=True, step=1)
    for piece, mm in (("tile", 0.1), ("cube", 50.0)):
        assert after(TWO, Nudged(1, piece, mm)) == replace(TWO, met=True, step=1)
    assert after(TWO, Met(1, "egg", "bell"), Nudged(2, "bell", 4.0)).out == (IN, IN, IN)
    for state in (position("cube", ""), letting_go("cube", "ball")):
        assert refusal(state, Nudged(1, "cube", 1.0)) == "BS-05: only a piece in the hand can push"
    with pytest.raises(MalformedAction, match="unknown piece 'hat'"):
        apply(TWO, Nudged(1, "hat", 1.0))


def test_BS_05__but_no_other_tower() -> None:
    """BS-05: from another tower the held piece goes back, to be taken up anew; also when it has met the own one."""
    assert not after(TWO, Met(1, "egg", "tile"), Released(2, "egg"), Placed(3, "egg")).met
    for state in (TWO, after(TWO, Met(1, "egg", "tile"))):
        for touch in (Met(2, "egg", "ball"), Nudged(2, "ball", 0.2)):
            back = after(state, touch)
            assert back == replace(state, phase=Phase.PLACE, met=False, step=2)
            assert actions(back) == [Take("Ana", "egg")]
            assert tell(state, touch, back) == (
                "It touches Ben's tower and goes back: a held piece may touch only its own tower (BS-05).",
            )


def test_BS_05__debris_may_touch_the_hand() -> None:
    """BS-05: fallen pieces that roll against the piece in the hand are no tower."""
    held = carrying("cube", "ball tile", "step")
    falling = after(held, Fell(1, ("tile",)))
    hit = after(falling, Met(2, "egg", "tile"), Nudged(3, "ball", 2.0))
    assert hit == replace(falling, met=True, step=3)
    assert after(falling, Met(2, "egg", "step")).phase is Phase.PLACE


def test_BS_13__a_piece_looked_at_touches_no_tower() -> None:
    """BS-13: while choosing, not even the own tower may be touched; other pieces of the supply may."""
    state = after(position("cube", "ball", supply="egg bell"), Take("Ana", "egg"))
    for other, owner in (("cube", "Ana"), ("ball", "Ben")):
        for touch in (Met(1, "egg", other), Nudged(1, other, 2.0)):
            back = after(state, touch)
            assert back == replace(after(state, TakeBack("Ana")), step=1)
            assert tell(state, touch, back) == (
                f"It touches {owner}'s tower and goes back: a piece that is looked at may touch no tower (BS-13).",
            )
    moved = after(state, Met(1, "egg", "bell"), Nudged(2, "bell", 9.0))
    assert moved == replace(state, step=2)
    assert TakeBack("Ana") in actions(moved)


def test_BS_06__let_go_is_placed() -> None:
    """BS-06: after the release the piece is not taken back, not even while it moves, nor later."""
    state = letting_go("cube", "ball")
    assert refusal(state, TakeBack("Ana")) == "ALL-2: nothing is decided while things move"
    assert refusal(state, Released(1, "egg")) == "ALL-1: no piece is in the hand"
    placed = after(state, Placed(1, "egg"))
    assert refusal(placed, Placed(2, "egg")) == "BS-06: no piece was let go"
    assert refusal(replace(placed, turn=0, actor=0), Take("Ana", "egg")).startswith(
        "BS-06: the egg is placed"
    )
    for event in (Placed(1, "bell"), Placed(1, "")):
        with pytest.raises(MalformedAction, match="is not the piece in play, 'egg' is"):
            apply(state, event)


def test_ALL_6__take_back_until_the_first_contact() -> None:
    """ALL-6: an accepted piece may be put down and taken up anew until it has met another."""
    back = after(TWO, TakeBack("Ana"))
    assert (back.phase, back.piece) == (Phase.PLACE, "egg")
    assert after(back, Take("Ana", "egg")) == TWO
    assert [choice.action for choice in legal(TWO)] == [TakeBack("Ana")]
    for touch in (Met(1, "egg", "tile"), Nudged(1, "tile", 0.3)):
        met = after(TWO, touch)
        assert legal(met) == ()
        assert refusal(met, TakeBack("Ana")).startswith("ALL-6: the egg has touched another piece")
    for state in (back, position("", ""), on_offer(0)):
        name = state.seats[state.actor].name
        assert refusal(state, TakeBack(name)) == "ALL-6: only a piece still in the hand can be taken back"
    assert refusal(back, Met(1, "egg", "tile")) == "ALL-1: no piece is in the hand"
    with pytest.raises(MalformedAction, match="'bell' is not the piece in play, 'egg' is"):
        apply(TWO, Met(1, "bell", "tile"))


# ---- collapse ----


@pytest.mark.parametrize(
    ("state", "fallen"),
    [
        (position("cube tile", "ball", ""), "tile"),
        (after(position("cube tile", "ball", ""), Take("Ana", "egg")), "tile"),
        (position("cube tile", "ball", "", turn=2), "tile"),
        (replace(BIDDING, towers=(("bell",), (), ()), supply=("cone",)), "bell"),
        (after(position("", "cube", "ball"), Take("Ana", "egg"), Push("Ana")), "cube"),
        (TWO, "tile"),
        (TWO, "egg"),
        (letting_go("cube tile", "ball", ""), "egg"),
        (letting_go("cube tile", "ball", ""), "tile"),
        (letting_go("", "ball", ""), "egg"),
    ],
)
def test_BS_08__at_any_time(state: State, fallen: str) -> None:
    """BS-08, BS-09: a tower's piece touches the table, also the one being placed: out, at once."""
    owner = next((seat for seat, tower in enumerate(state.towers) if fallen in tower), state.actor)
    down = after(state, Fell(7, (fallen,)))
    assert down.out == tuple(7 if seat == owner else IN for seat in range(3))
    assert down.tokens[owner] == 0
    assert down.bank == state.bank + state.tokens[owner]
    assert (down.stir, outcome(down)) == (Stir.FALLING, None)
    assert scores(down)[owner] == 0


def test_BS_08__not_while_only_looked_at() -> None:
    """BS-08: a piece counts once it is lifted to be placed, not in the supply, on auction or looked at."""
    looking = after(position("cube", "", supply="egg bell"), Take("Ana", "egg"))
    accepted = after(looking, Build("Ana", 0), Pass("Ben"))
    for state in (
        position("cube", "", supply="egg bell"),
        looking,
        after(looking, Build("Ana", 0)),
        accepted,
    ):
        assert refusal(state, Fell(1, ("egg",))) == "BS-08: the egg is not part of a tower"
        assert refusal(state, Fell(1, ("cube", "bell"))) == "BS-08: the bell is not part of a tower"
    assert after(accepted, Take("Ana", "egg"), Fell(1, ("egg",))).reason is BausackReason.LAST_STANDING
    for pieces, message in (((), "nothing fell: name the pieces"), (("hat",), "unknown piece 'hat'")):
        with pytest.raises(MalformedAction, match=message):
            apply(looking, Fell(1, pieces))


def test_BS_09__pieces_return_when_all_is_still() -> None:
    """BS-09: fallen pieces stay until everything rests, return, and only a second rest lets play go on."""
    state = position("cube", "ball tile", "step", turn=1, tokens=(10, 4, 9))
    down = after(state, Take("Ben", "egg"), Fell(5, ("tile",)))
    assert (down.tokens, down.bank) == ((10, 0, 9), 11)
    assert down.towers[1] == ("ball", "tile")
    assert needs(down) == Need(Wait.REST, "Ben")
    assert legal(down) == ()
    assert refusal(down, Take("Cem", "bell")) == "ALL-2: nothing is decided while things move"
    more = after(down, Fell(6, ("ball", "tile")))
    assert more == replace(down, step=6)
    back = after(more, Rested(8, ()))
    assert (back.stir, back.towers) == (Stir.TAKEN_AWAY, (("cube",), (), ("step",)))
    assert set(back.supply) == {"egg", "bell", "cone", "ball", "tile"}
    assert needs(back) == Need(Wait.REST, "Ben")
    on = after(back, Rested(9, ()))
    assert (on.stir, on.phase, on.turn) == (Stir.STILL, Phase.CHOOSE, 2)
    assert {choice.action.piece for choice in legal(on) if isinstance(choice.action, Take)} == set(on.supply)
    assert refusal(on, Rested(9, ())) == "ALL-2: nothing waits for the table to rest"
    assert refusal(on, Take("Ben", "egg")) == "BS-09: Ben is out of the game"
    assert list(on.supply) == [piece.id for piece in on.stock.pieces if piece.id in on.supply]


def test_BS_09__taking_away_fells_another() -> None:
    """BS-09: a tower that falls when the pieces are taken away counts; its pieces return in turn."""
    state = position("cube", "ball tile", "step", "drum")
    back = after(state, Fell(5, ("tile",)), Rested(8, ()))
    again = after(back, Fell(9, ("step",)))
    assert (again.out, again.stir) == ((IN, 5, 9, IN), Stir.FALLING)
    on = after(again, Rested(10, ()), Rested(11, ()))
    assert (on.turn, on.phase, on.towers) == (0, Phase.CHOOSE, (("cube",), (), (), ("drum",)))
    assert "step" in on.supply


def test_BS_09__the_placer_keeps_on() -> None:
    """BS-09: another's tower falls while a piece is in the hand or settles: it waits, and play goes on."""
    state = carrying("cube", "ball tile", "step")
    waiting = after(state, Fell(5, ("tile",)))
    assert (waiting.phase, needs(waiting)) == (Phase.CARRY, Need(Wait.REST, "Ana"))
    assert refusal(waiting, TakeBack("Ana")) == "ALL-2: nothing is decided while things move"
    on = after(waiting, Rested(6, ()), Rested(7, ()))
    assert (on.phase, on.piece, needs(on).wait) == (Phase.CARRY, "egg", Wait.HAND)
    let_go = after(waiting, Released(6, "egg"))
    need = needs(let_go)
    assert (need.wait, need.pieces) == (Wait.REST, ("egg",))
    assert refusal(let_go, Rested(7, ())) == "ALL-2: the egg was let go and has yet to be placed"
    lies = after(let_go, Placed(7, "egg"))
    assert (lies.towers[0], lies.towers[1], lies.stir, lies.phase) == (
        ("cube", "egg"),
        (),
        Stir.TAKEN_AWAY,
        Phase.DONE,
    )
    assert after(lies, Rested(8, ())).turn == 2
    late = after(waiting, Rested(6, ()), Released(7, "egg"), Placed(8, "egg"))
    assert (late.stir, late.turn, late.phase) == (Stir.STILL, 2, Phase.CHOOSE)


def test_BS_09__the_placer_goes_out() -> None:
    """BS-09: the accepted piece falls with its player's tower, in the hand or still to be taken up."""
    placing = replace(TWO, phase=Phase.PLACE)
    for state in (placing, TWO, after(TWO, Met(0, "egg", "tile")), letting_go("cube tile", "ball", "")):
        down = after(state, Fell(5, ("tile",)))
        assert (down.phase, down.piece, down.met) == (Phase.DONE, "", False)
        assert down.towers[0] == ("cube", "tile", "egg")
        on = after(down, Rested(6, ()), Rested(7, ()))
        assert (on.turn, on.phase, on.leader) == (1, Phase.CHOOSE, NOBODY)
        assert set(on.supply) == {"egg", "bell", "cone", "cube", "tile"}


def test_BS_09__the_placer_of_an_outbid_player_goes_out() -> None:
    """BS-09, BS-17: the one who outbid the player on turn falls; the outbid player chooses again."""
    state = on_offer(0, 2, -1, -1)
    state = after(
        state, Take("Ben", "egg"), Released(2, "egg"), Fell(3, ("egg",)), Rested(4, ()), Rested(5, ())
    )
    assert (state.turn, state.actor, state.phase) == (0, 0, Phase.CHOOSE)
    assert state.out == (IN, 3, IN)
    assert (state.tokens, state.bank) == ((10, 0, 10), 10)


def test_BS_17__outbid_and_out() -> None:
    """BS-17: the outbid player goes out while the other places: the turn passes."""
    state = replace(on_offer(0, -1, 2, -1), towers=(("bell",), (), ()), supply=("cone",))
    held = after(state, Take("Cem", "egg"), Fell(1, ("bell",)), Rested(2, ()), Rested(3, ()))
    assert (held.phase, held.actor) == (Phase.CARRY, 2)
    on = after(held, Released(4, "egg"), Placed(5, "egg"))
    assert (on.turn, on.actor, on.phase) == (1, 1, Phase.CHOOSE)


def test_BS_10__returned_pieces_can_be_chosen() -> None:
    """BS-10: a collapse before a piece was chosen: the returned pieces are there to choose from, and so is the one that
    was only looked at."""
    state = position("cube", "ball tile", "", supply="egg")
    on = after(state, Fell(1, ("tile",)), Rested(2, ()), Rested(3, ()))
    assert (on.turn, on.phase) == (0, Phase.CHOOSE)
    assert {choice.action for choice in legal(on)} == {
        Take("Ana", piece) for piece in ("egg", "ball", "tile")
    }
    looking = after(state, Take("Ana", "egg"), Fell(1, ("tile",)), Rested(2, ()), Rested(3, ()))
    assert looking == replace(on, step=3)
    assert after(looking, Take("Ana", "tile"), Push("Ana")).piece == "tile"


def test_BS_10__the_chooser_goes_out() -> None:
    """BS-10, BS-12: the player on turn goes out while choosing: the turn passes, the piece is put back."""
    state = position("cube tile", "ball", "", supply="egg bell")
    for choosing in (state, after(state, Take("Ana", "egg"))):
        down = after(choosing, Fell(1, ("tile",)))
        assert (down.phase, down.piece, down.supply) == (Phase.CHOOSE, "", ("egg", "bell"))
        on = after(down, Rested(2, ()), Rested(3, ()))
        assert (on.turn, on.actor, on.phase) == (1, 1, Phase.CHOOSE)


def with_towers(state: State) -> State:
    """A foundation and a piece on it for Ana, Ben and Cem, whatever else goes on."""
    stacks = (("cube", "tile"), ("ball", "step"), ("drum", "board"))
    stock = position(*(" ".join(stack) for stack in stacks)).stock
    return replace(state, towers=stacks, stock=stock)


TOP = {0: "tile", 1: "step", 2: "board"}


def still(state: State, *fallen: int) -> State:
    """The towers of these seats fall in one step, and everything comes to rest."""
    return after(state, Fell(1, tuple(TOP[seat] for seat in fallen)), Rested(2, ()), Rested(3, ()))


def test_BS_09__a_bidder_goes_out() -> None:
    """BS-09, BS-14: a bidder who goes out is skipped; the auction goes on among the others."""
    state = with_towers(on_offer(0, 2))
    on = still(state, 2)
    assert (on.phase, on.actor, on.leader, on.bid) == (Phase.BID, 0, 1, 2)
    on = still(state, 0)
    assert (on.phase, on.actor, on.turn) == (Phase.BID, 2, 0)
    won = after(on, Pass("Cem"))
    assert (won.phase, won.actor, won.tokens) == (Phase.PLACE, 1, (0, 8, 10))
    assert after(won, *lay("egg", "Ben", 9)).turn == 1
    last = still(with_towers(on_offer(0, 2, -1)), 0)
    assert (last.phase, last.actor, last.tokens) == (Phase.PLACE, 1, (0, 8, 10))


def test_BS_09__the_highest_bidder_goes_out() -> None:
    """BS-09: without its highest bidder an auction is void; the player on turn chooses again."""
    void = still(with_towers(on_offer(0, 2, -1)), 1)
    assert (void.phase, void.turn, void.piece, void.leader) == (Phase.CHOOSE, 0, "", NOBODY)
    assert (void.bid, void.passed) == (0, ())
    assert (void.tokens, void.bank) == ((10, 0, 10), 10)
    assert "egg" in void.supply
    opener = still(with_towers(on_offer(5)), 0)
    assert (opener.phase, opener.turn, opener.tokens) == (Phase.CHOOSE, 1, (0, 10, 10))


def test_BS_18__a_receiver_goes_out() -> None:
    """BS-18: the pushed piece goes on to the next at the same price; the pusher's end changes nothing."""
    state = with_towers(after(position("", "", ""), Take("Ana", "egg"), Push("Ana"), PassOn("Ben")))
    on = still(state, 2)
    assert (on.phase, on.actor, on.price, on.piece) == (Phase.RECEIVE, 0, 2, "egg")
    on = still(state, 0)
    assert (on.phase, on.actor, on.price) == (Phase.RECEIVE, 2, 2)
    assert after(on, Accept("Cem"), *lay("egg", "Cem", 5)).turn == 1


def test_BS_11__the_chain_fells_others() -> None:
    """BS-11: one step may fell several towers, and the next step more, in that order."""
    state = letting_go("cube", "ball tile", "step board", "drum", step=2)
    one = after(state, Fell(3, ("board", "tile")))
    assert one.out == (IN, 3, 3, IN)
    assert (one.tokens, one.bank) == ((10, 0, 0, 10), 20)
    assert (one.phase, needs(one).pieces) == (Phase.SETTLE, ("egg",))
    with pytest.raises(MalformedAction, match="step 2 comes before step 3"):
        apply(one, Fell(2, ("egg",)))
    two = after(one, Fell(3, ("egg", "tile")))
    assert two.out == (3, 3, 3, IN)
    assert outcome(two) == Outcome(("Dora",), BausackReason.LAST_STANDING)


def test_BS_19__the_last_standing_wins_even_if_it_falls_later() -> None:
    """BS-19: one left ends the game at once, in the middle of the chain; what falls later is no matter."""
    state = letting_go("cube", "ball tile", "step board", step=2)
    chain = after(state, Fell(5, ("tile",)), Fell(6, ("egg",)))
    assert outcome(chain) == Outcome(("Cem",), BausackReason.LAST_STANDING)
    assert needs(chain).wait is Wait.OVER
    assert legal(chain) == ()
    assert faults(chain) == ()
    assert refusal(chain, Fell(7, ("board",))) == "BS-19: the game is over: one player is left"
    assert refusal(chain, Rested(9, ())) == "BS-19: the game is over: one player is left"
    assert refusal(chain, Take("Ana", "bell")) == "BS-19: the game is over: one player is left"
    assert scores(chain) == (0, 0, 2)


def test_BS_19__without_a_foundation_still_in() -> None:
    """BS-19: who has laid nothing yet is in, and wins when all others are out."""
    state = letting_go("cube", "", step=2)
    assert outcome(after(state, Fell(3, ("egg",)))) == Outcome(("Ben",), BausackReason.LAST_STANDING)


def test_BS_19__the_same_step_is_a_draw() -> None:
    """BS-19: the last towers fall in one step: a draw among those, and of nobody who was out before."""
    state = letting_go("cube", "ball tile", "step board", step=2)
    both = after(state, Fell(5, ("tile",)), Fell(6, ("board", "egg")))
    assert outcome(both) == Outcome(("Ana", "Cem"), BausackReason.SAME_STEP)
    assert both.reason is not None
    assert both.reason.clause == "BS-19"
    assert faults(both) == ()
    assert both.bank == 30
    two = after(state, Fell(6, ("tile",)), Fell(6, ("board", "egg")))
    assert outcome(two) == Outcome(("Ana", "Ben", "Cem"), BausackReason.SAME_STEP)


def test_BS_19__a_bad_placing_ends_it_too() -> None:
    """BS-19, BS-03: between two, a piece that lies where it may not decides."""
    for event in (Placed(3, "egg", broken=(Condition.ON_OWN_TOWER,)), HitNeighbour(3, "egg", "Ben")):
        lost = after(letting_go("cube", "ball"), event)
        assert outcome(lost) == Outcome(("Ben",), BausackReason.LAST_STANDING)


def test_BS_09__nobody_out_takes_part() -> None:
    """BS-09: who is out does not bid, and is not asked; nor does a push come to them."""
    state = position("cube", "", "ball", "", tokens=(10, 0, 10, 10), out=(IN, 4, IN, IN), step=4)
    bidding = after(state, Take("Ana", "egg"), Build("Ana", 0))
    assert bidding.actor == 2
    assert refusal(bidding, Bid("Ben", 1)) == "BS-09: Ben is out of the game"
    won = after(bidding, Bid("Cem", 3), Pass("Dora"), Pass("Ana"))
    assert won.actor == 2
    pushed = after(state, Take("Ana", "egg"), Push("Ana"), PassOn("Cem"), PassOn("Dora"), PassOn("Ana"))
    assert (pushed.actor, pushed.price) == (2, 4)


def test_BS_09__unknown_is_not_out() -> None:
    """BS-09, ALL-8: whoever is out is told so, the first seat too; a player nobody knows is malformed."""
    state = position("", "cube", "ball", tokens=(0, 10, 10), out=(4, IN, IN), step=4, turn=1)
    assert refusal(state, Take("Ana", "egg")) == "BS-09: Ana is out of the game"
    state = position("cube", "ball", "", tokens=(10, 10, 0), out=(IN, IN, 4), step=4)
    with pytest.raises(MalformedAction, match="unknown player 'Zoe'"):
        apply(state, Take("Zoe", "egg"))


@pytest.mark.parametrize(
    ("state", "given", "lines"),
    [
        (
            after(position("", "", supply="egg_half"), Take("Ana", "egg_half")),
            Released(0, "egg_half"),
            ("Ana puts the half egg back.",),
        ),
        (
            after(
                with_towers(after(position("", "", ""), Take("Ana", "egg"), Push("Ana"))),
                Fell(1, ("step",)),
                Rested(2, ()),
            ),
            Rested(3, ()),
            ("The egg goes on to Cem.",),
        ),
        (
            after(with_towers(on_offer(0, 2, -1)), Fell(1, ("step",)), Rested(2, ())),
            Rested(3, ()),
            (
                "Nobody pays: the auction of the egg is void.",
                "- Ana got no piece and chooses again: 10 tokens, 2 pieces standing",
            ),
        ),
        (
            position("cube tile", "ball step", "drum"),
            Fell(1, ("ball", "drum", "step", "tile")),
            (
                "The step and the tile touch the table!",
                "The ball and the drum fall off the table!",
                "Ana is out; 10 tokens go to the bank.",
                "Ben is out; 10 tokens go to the bank.",
                "Cem is out; 10 tokens go to the bank.",
                "Ana, Ben and Cem draw: the last towers fell in the same step.",
            ),
        ),
        (
            letting_go("", "ball step", "drum"),
            Fell(1, ("egg",)),
            ("The egg falls off the table!", "Ana is out; 10 tokens go to the bank."),
        ),
    ],
)
def test_the_story(state: State, given: Rested | Released | Fell, lines: tuple[str, ...]) -> None:
    """What seldom happens is told as well."""
    assert tell(state, given, apply(state, given)) == lines
