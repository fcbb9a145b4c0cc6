"""How a turn begins and ends, and how its piece is offered: Build, the auction, round and round until all but the
highest bidder have passed; Push, from player to player until someone takes it. The hand's part: looking at pieces and
placing the accepted one. And collapse: who is out, in which step, and what becomes of the pieces."""

from collections.abc import Sequence
from dataclasses import replace

from teeter.games.bausack.state import (
    IN,
    NOBODY,
    OUT_OF_PLACE,
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
    expect,
    name_of,
    next_in,
    owner_of,
    paid,
    players_in,
    restocked,
    said,
)
from teeter.games.core.errors import IllegalAction, MalformedAction, unknown
from teeter.games.core.events import (
    Condition,
    Fell,
    HitNeighbour,
    Measured,
    Met,
    Nudged,
    Placed,
    Released,
    Rested,
)
from teeter.games.core.rules import (
    Take,
    TakeBack,
    hold_one,
    may_take_back,
    replaced,
    require_held,
    require_piece,
)
from teeter.games.core.setup import seat_index


def choose(state: State, seat: int) -> State:
    """BS-12: it is this seat's turn to choose a piece."""
    return replace(
        state, turn=seat, actor=seat, phase=Phase.CHOOSE, piece="", bid=0, leader=NOBODY, passed=()
    )


def next_turn(state: State) -> State:
    """BS-12: the turn passes clockwise."""
    return choose(state, next_in(state, state.turn))


def choose_again(state: State) -> State:
    """BS-17: the player on turn chooses again; one who is out cannot, and the turn passes."""
    return choose(state, state.turn) if state.out[state.turn] == IN else next_turn(state)


def after_placing(state: State) -> State:
    """Everything is still: the supply may be used up (BS-20), an outbid player chooses again (BS-17)."""
    if not state.supply:
        if state.house.tallest:
            return replace(state, phase=Phase.MEASURE)
        return end(state, players_in(state), BausackReason.ALL_PLACED)
    return choose_again(state) if state.leader not in (NOBODY, state.turn) else next_turn(state)


def end(state: State, winners: list[int], reason: BausackReason) -> State:
    """The game ends."""
    return replace(state, winners=tuple([name_of(state, seat) for seat in winners]), reason=reason)


def measure(state: State, event: Measured) -> State:
    """BS-21: the height measurer was read; with the option `tallest` its last reading decides."""
    heights = event.heights_mm
    if len(heights) != len(state.seats) or min(heights) < 0:
        raise MalformedAction(
            f"heights are one number from 0 for each of {len(state.seats)} seats: {heights}"
        )
    best = tuple([max(pair) for pair in zip(state.best_mm, heights, strict=True)])
    read = replace(state, heights_mm=heights, best_mm=best)
    if state.phase is not Phase.MEASURE or state.stir is not Stir.STILL:
        return read
    standing = players_in(state)
    # the thread is read to the millimetre
    whole = [round(height) for height in heights]
    top = max(whole[seat] for seat in standing)
    return end(read, [seat for seat in standing if whole[seat] == top], BausackReason.TALLEST)


def build(state: State, action: Build) -> State:
    """BS-14: the player on turn puts the piece in the hand up for auction."""
    expect(state, Phase.LOOK)
    most = state.tokens[state.turn]
    if not 0 <= action.bid <= most:
        raise IllegalAction("BS-14", f"{action.player} may open with a bid of 0 to {most}, not {action.bid}")
    return _ask_next(replace(state, phase=Phase.BID, bid=action.bid, leader=state.turn))


def bid(state: State, action: Bid) -> State:
    """BS-14: a higher bid."""
    expect(state, Phase.BID)
    if action.bid <= state.bid:
        raise IllegalAction("BS-14", f"the bid is {state.bid}; bid more, or pass")
    most = state.tokens[state.actor]
    if action.bid > most:
        raise IllegalAction("BS-14", f"{action.player} has {most} tokens and cannot bid {action.bid}")
    return _ask_next(replace(state, bid=action.bid, leader=state.actor))


def pass_(state: State, action: Pass) -> State:
    """BS-15: out of this auction."""
    expect(state, Phase.BID)
    return _ask_next(replace(state, passed=(*state.passed, state.actor)))


def resume_auction(state: State) -> State:
    """After a collapse: a bidder who is out is skipped; without its highest bidder the auction is void."""
    if state.out[state.leader] != IN:
        return choose_again(replace(state, supply=restocked(state, (state.piece,))))
    return _ask_next(state) if state.out[state.actor] != IN else state


def _ask_next(state: State) -> State:
    seat = next_in(state, state.actor)
    while seat in state.passed:
        seat = next_in(state, seat)
    if seat != state.leader:
        return replace(state, actor=seat)
    return _win(state)


def _win(state: State) -> State:
    """BS-16: the highest bidder pays the bank, and places."""
    tokens, bank = paid(state, state.leader, state.bid)
    return replace(state, tokens=tokens, bank=bank, actor=state.leader, phase=Phase.PLACE, bid=0, passed=())


def push(state: State, action: Push) -> State:
    """BS-18: the piece in the hand goes to the next player."""
    expect(state, Phase.LOOK)
    return _hand_on(replace(state, phase=Phase.RECEIVE, price=1))


def accept(state: State, action: Accept) -> State:
    """BS-18: the piece is accepted, and placed at once."""
    expect(state, Phase.RECEIVE)
    return replace(state, phase=Phase.PLACE, price=0)


def pass_on(state: State, action: PassOn) -> State:
    """BS-18: pay, and the piece goes on; the next one pays a token more."""
    expect(state, Phase.RECEIVE)
    if state.tokens[state.actor] < state.price:
        has = state.tokens[state.actor]
        raise IllegalAction("BS-18", f"passing on costs {state.price}, {action.player} has {has} and accepts")
    tokens, bank = paid(state, state.actor, state.price)
    return _hand_on(replace(state, tokens=tokens, bank=bank, price=state.price + 1))


def _hand_on(state: State) -> State:
    return replace(state, actor=next_in(state, state.actor))


def conditions(state: State) -> tuple[Condition, ...]:
    """BS-02, BS-03, BS-05: how the accepted piece has to lie, and what it may not touch on its way."""
    lies = Condition.ON_OWN_TOWER if state.towers[state.actor] else Condition.IN_OWN_AREA
    return (lies, Condition.CLEAR_OF_OTHER_TOWERS)


def take(state: State, action: Take) -> State:
    """BS-13: pick up a piece of the supply to look at it; BS-04: take up the accepted one to place it."""
    require_piece(action.piece, [piece.id for piece in state.stock.pieces])
    if state.phase in (Phase.LOOK, Phase.CARRY):
        hold_one(said(state.piece))
    _leave_placed(state, action.piece)
    if state.phase is Phase.PLACE and action.piece == state.piece:
        return replace(state, phase=Phase.CARRY)
    if state.phase is not Phase.CHOOSE:
        raise IllegalAction(*OUT_OF_PLACE[state.phase])
    supply = tuple([piece for piece in state.supply if piece != action.piece])
    return replace(state, phase=Phase.LOOK, piece=action.piece, supply=supply)


def _leave_placed(state: State, piece: str) -> None:
    """BS-05, BS-06: no hand takes a placed piece."""
    owner = owner_of(state, piece)
    if owner == state.actor:
        raise IllegalAction("BS-06", f"{said(piece)} is placed and cannot be picked up again")
    if owner != NOBODY:
        raise IllegalAction("BS-05", f"{said(piece)} is part of {name_of(state, owner)}'s tower")


def take_back(state: State, action: TakeBack) -> State:
    """BS-13: put the piece back that was looked at; ALL-6: or the accepted one, to take it up anew."""
    if state.phase is Phase.LOOK:
        return _put_down(state)
    may_take_back(said(state.piece) if state.phase is Phase.CARRY else "", state.met)
    return replace(state, phase=Phase.PLACE)


def _put_down(state: State) -> State:
    return replace(state, phase=Phase.CHOOSE, piece="", supply=restocked(state, (state.piece,)))


def meet(state: State, event: Met) -> State:
    """BS-05, BS-13: the piece in the hand touches another; from a tower it may not touch it goes back."""
    _expect_held(state, event.piece)
    return _touch(state, event.other)


def nudge(state: State, event: Nudged) -> State:
    """BS-05: the accepted piece pushes pieces of the own tower, as far as it likes."""
    require_piece(event.piece, [piece.id for piece in state.stock.pieces])
    if state.phase not in (Phase.LOOK, Phase.CARRY):
        raise IllegalAction("BS-05", "only a piece in the hand can push")
    return _touch(state, event.piece)


def _touch(state: State, other: str) -> State:
    owner = owner_of(state, other)
    # fallen pieces are no tower, and it was not the hand that came to them
    is_tower = owner != NOBODY and state.out[owner] == IN
    if is_tower and state.phase is Phase.LOOK:
        return _put_down(state)
    if is_tower and owner != state.actor:
        return replace(state, phase=Phase.PLACE, met=False)
    return replace(state, met=state.phase is Phase.CARRY)


def release(state: State, event: Released) -> State:
    """BS-06: let go is placed, as soon as it rests; a piece that was looked at lies in the supply again."""
    _expect_held(state, event.piece)
    return _put_down(state) if state.phase is Phase.LOOK else replace(state, phase=Phase.SETTLE)


def place(state: State, event: Placed) -> State:
    """BS-02, BS-03: the piece lies; where it may not lie, its player's tower has collapsed."""
    if state.phase is not Phase.SETTLE:
        raise IllegalAction("BS-06", "no piece was let go")
    require_held(event.piece, state.piece)
    if event.broken == (Condition.IN_OWN_AREA,):
        return _lay_again(state)
    if event.broken:
        return collapse(state, [state.actor], event.step)
    added = _add(state)
    if state.stir is Stir.FALLING:
        return give_back(added)
    return after_placing(replace(added, stir=Stir.STILL))


def _lay_again(state: State) -> State:
    """BS-02: a foundation that reaches out of its area is taken up and laid again, without loss."""
    if state.stir is Stir.FALLING:
        return give_back(replace(state, phase=Phase.PLACE, met=False))
    return replace(state, phase=Phase.CARRY, met=False)


def _expect_held(state: State, piece: str) -> None:
    if state.phase not in (Phase.LOOK, Phase.CARRY):
        raise IllegalAction("ALL-1", "no piece is in the hand")
    require_held(piece, state.piece)


def fell(state: State, event: Fell) -> State:
    """BS-08, BS-11: pieces touch the table; every tower they belong to has collapsed in this step."""
    if not event.pieces:
        raise MalformedAction("nothing fell: name the pieces")
    owners = {_owner(state, piece) for piece in event.pieces}
    return collapse(state, [seat for seat in players_in(state) if seat in owners], event.step)


def hit_neighbour(state: State, event: HitNeighbour) -> State:
    """BS-03: a piece lies at rest against another tower; its owner's tower has collapsed."""
    owner, neighbour = _owner(state, event.piece), seat_index(state.seats, event.owner)
    if neighbour == NOBODY:
        raise MalformedAction(unknown("player", event.owner, [seat.name for seat in state.seats]))
    if event.piece == state.piece and state.phase is Phase.CARRY:
        raise IllegalAction("BS-05", f"{said(event.piece)} is in the hand and lies nowhere yet")
    if owner == neighbour or not state.towers[neighbour]:
        raise MalformedAction(f"{event.owner} has no other tower for {event.piece!r} to lie against")
    both_in = state.out[owner] == state.out[neighbour] == IN
    return collapse(state, [owner], event.step) if both_in else state


def _owner(state: State, piece: str) -> int:
    require_piece(piece, [other.id for other in state.stock.pieces])
    owner = owner_of(state, piece)
    if owner == NOBODY:
        raise IllegalAction("BS-08", f"{said(piece)} is not part of a tower")
    return owner


def collapse(state: State, fallen: Sequence[int], step: int) -> State:
    """BS-09: these players are out at this step. BS-19: with one left the game ends at once. BS-13: a piece that was
    only looked at is in the supply again."""
    looked = _put_down(state) if state.phase is Phase.LOOK else state
    cut = _drop(looked) if state.actor in fallen else looked
    lost = sum(cut.tokens[seat] for seat in fallen)
    after = replace(
        cut,
        tokens=tuple([0 if seat in fallen else count for seat, count in enumerate(cut.tokens)]),
        bank=cut.bank + lost,
        out=tuple([step if seat in fallen else when for seat, when in enumerate(cut.out)]),
        stir=Stir.FALLING,
    )
    left = players_in(after)
    if len(left) > 1:
        return after
    if left:
        return end(after, left, BausackReason.LAST_STANDING)
    last = [seat for seat, when in enumerate(after.out) if when == step]
    return end(after, last, BausackReason.SAME_STEP)


def _drop(state: State) -> State:
    """What the player who goes out had in the hand: an accepted piece falls with the tower."""
    return _add(state) if state.phase in (Phase.PLACE, Phase.CARRY, Phase.SETTLE) else state


def _add(state: State) -> State:
    """The piece in play is part of the tower of the one who places it."""
    tower = (*state.towers[state.actor], state.piece)
    towers = replaced(state.towers, state.actor, tower)
    return replace(state, phase=Phase.DONE, piece="", met=False, towers=towers)


def rest(state: State, event: Rested) -> State:
    """BS-09: everything lies still: the fallen pieces return, and when that fells nothing play goes on."""
    if state.phase is Phase.SETTLE:
        raise IllegalAction("ALL-2", f"{said(state.piece)} was let go and has yet to be placed")
    if state.stir is Stir.STILL:
        raise IllegalAction("ALL-2", "nothing waits for the table to rest")
    if state.stir is Stir.FALLING:
        return give_back(state)
    still = replace(state, stir=Stir.STILL)
    if state.phase is Phase.BID:
        return resume_auction(still)
    if state.phase is Phase.RECEIVE:
        # a receiver who is out is skipped, at the same price
        return _hand_on(still) if state.out[state.actor] != IN else still
    if state.phase in (Phase.DONE, Phase.MEASURE):
        return after_placing(still)
    return choose_again(still) if state.out[state.actor] != IN else still


def give_back(state: State) -> State:
    """BS-09: the pieces of those who are out go back to the supply; BS-10: they can be chosen."""
    pairs = list(zip(state.towers, state.out, strict=True))
    back = tuple([piece for tower, when in pairs if when != IN for piece in tower])
    towers = tuple([tower if when == IN else () for tower, when in pairs])
    return replace(state, towers=towers, supply=restocked(state, back), stir=Stir.TAKEN_AWAY)
