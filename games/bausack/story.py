"""A game of Bausack told in sentences: for logs, captions and golden transcripts."""

from teeter.games.bausack.state import (
    IN,
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
    name_of,
    owner_of,
    said,
)
from teeter.games.core.events import (
    Event,
    Fell,
    HitNeighbour,
    Measured,
    Met,
    Nudged,
    Placed,
    Released,
    Rested,
)
from teeter.games.core.rules import Action, Input, Take, TakeBack
from teeter.games.core.words import capital, counted, listed, won


def opening(state: State) -> tuple[str, ...]:
    """Who plays, and what with."""
    names = listed([seat.name for seat in state.seats])
    pieces, tokens = len(state.stock.pieces), state.stock.numbers.tokens
    lines = [f"{names} sit down, {tokens} tokens each, around {_pieces(pieces)}."]
    if state.house.pieces:
        lines += [f"In play: {', '.join(said(piece).removeprefix('the ') for piece in state.supply)}."]
    return (*lines, f"{name_of(state, state.turn)} begins.")


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    acted = (
        _action_lines(before, given, after)
        if isinstance(given, Action)
        else _event_lines(before, given, after)
    )
    return (*acted, *_auction(before, after), *_turn(before, after))


def _auction(before: State, after: State) -> tuple[str, ...]:
    """The hammer falls."""
    if before.phase not in (Phase.LOOK, Phase.BID) or after.phase is not Phase.PLACE:
        return ()
    price = before.tokens[after.actor] - after.tokens[after.actor]
    paid = f"for {_tokens(price)} ({after.tokens[after.actor]} left)" if price else "for nothing"
    return (f"{capital(said(after.piece))} goes to {name_of(after, after.actor)} {paid}.",)


def _turn(before: State, after: State) -> tuple[str, ...]:
    """Whose turn begins, or how the game ended."""
    if after.reason is not None:
        return (_ending(after),)
    if after.phase is Phase.MEASURE and before.phase is not Phase.MEASURE:
        return ("All pieces are placed. Now the towers are measured.",)
    going_on = before.phase in (Phase.CHOOSE, Phase.LOOK) and before.turn == after.turn
    if after.phase is not Phase.CHOOSE or going_on:
        return ()
    name = name_of(after, after.turn)
    if before.turn == after.turn:
        return (f"- {name} got no piece and chooses again: {_hoard(after)}",)
    return (f"- {name}'s turn, {_hoard(after)}",)


def _hoard(state: State) -> str:
    return f"{_tokens(state.tokens[state.turn])}, {_pieces(len(state.towers[state.turn]))} standing"


def _ending(state: State) -> str:
    winners = won(state.winners)
    assert state.reason is not None
    if state.reason is BausackReason.LAST_STANDING:
        return f"{winners}: nobody else is left."
    if state.reason is BausackReason.TALLEST and len(state.winners) == 1:
        return f"{winners} with the tallest tower."
    why = state.reason.text.removesuffix(": a draw").removesuffix("; the tallest tower wins")
    if state.reason is BausackReason.TALLEST:
        return f"{winners}: {why}, and their towers are equally tall."
    return f"{listed(state.winners)} draw: {why}."


def _action_lines(before: State, action: Action, after: State) -> tuple[str, ...]:
    player, piece = action.player, said(before.piece or after.piece)
    match action:
        case Take() if after.phase is Phase.LOOK:
            return (f"{player} picks up {piece} and turns it over.",)
        case Take():
            height = len(after.towers[after.actor])
            on = "the foundation" if height == 1 else f"a tower of {height}"
            return (f"{player} takes {piece} {f'to lay on {on}' if height else 'for a foundation'}.",)
        case TakeBack():
            where = "back" if before.phase is Phase.LOOK else "down to start over"
            return (f"{player} puts {piece} {where}.",)
        case Build():
            return (f'"Build!" {player} bids {action.bid or "nothing"} for {piece}.',)
        case Bid():
            return (f"{player} bids {action.bid}.",)
        case Pass():
            return (f"{player} passes.",)
        case Push():
            return (f'"Push!" {capital(piece)} goes to {name_of(after, after.actor)}.',)
        case PassOn():
            left, to = after.tokens[before.actor], name_of(after, after.actor)
            return (f"{player} pays {_tokens(before.price)} ({left} left), and it goes on to {to}.",)
    assert isinstance(action, Accept)
    if before.tokens[before.actor] < before.price:
        return (f"{player} cannot pay {before.price} and has to take {piece}.",)
    return (f"{player} accepts {piece}.",)


def _event_lines(before: State, event: Event, after: State) -> tuple[str, ...]:
    player = name_of(before, before.actor)
    match event:
        case Met() | Nudged() if before.phase is not after.phase:
            return (_sent_back(before, event.other if isinstance(event, Met) else event.piece),)
        case Met():
            return (f"It touches {said(event.other)}.",)
        case Nudged():
            return (f"It pushes {said(event.piece)} by {event.mm:.1f} mm.",)
        case Released() if before.phase is Phase.LOOK:
            return (f"{player} puts {said(before.piece)} back.",)
        case Released():
            return (f"{player} lets go ...",)
        case Placed():
            return _placing_lines(before, event, after)
        case Rested() if before.stir is Stir.TAKEN_AWAY:
            return _resuming_lines(before, after)
        case Rested():
            back = len(after.supply) - len(before.supply)
            return (f"All is still. Back in the supply: {_pieces(back)}, {len(after.supply)} in all.",)
        case Fell():
            return _fall_lines(before, event, after)
        case HitNeighbour():
            leans = f"{capital(said(event.piece))} touches {event.owner}'s tower."
            return (leans, *_out(before, after))
    assert isinstance(event, Measured)
    if [round(mm) for mm in event.heights_mm] == [round(mm) for mm in before.heights_mm]:
        return ()
    pairs = zip(after.seats, event.heights_mm, strict=True)
    return (f"The measurer reads {', '.join(f'{seat.name} {mm:.0f} mm' for seat, mm in pairs)}.",)


def _sent_back(before: State, other: str) -> str:
    tower = f"{name_of(before, owner_of(before, other))}'s tower"
    if before.phase is Phase.LOOK:
        return f"It touches {tower} and goes back: a piece that is looked at may touch no tower (BS-13)."
    return f"It touches {tower} and goes back: a held piece may touch only its own tower (BS-05)."


def _placing_lines(before: State, event: Placed, after: State) -> tuple[str, ...]:
    if event.broken:
        again = " Once more." if after.out == before.out else ""
        wrong = listed([condition.missed for condition in event.broken])
        return (f"... but {wrong}.{again}", *_out(before, after))
    height = len(after.towers[before.actor])
    lies = f"a tower of {_pieces(height)}" if height > 1 else "a foundation"
    return (f"... it stays: {lies}.",)


def _resuming_lines(before: State, after: State) -> tuple[str, ...]:
    if before.phase is Phase.BID and before.out[before.leader] != IN:
        return (f"Nobody pays: the auction of {said(before.piece)} is void.",)
    if before.phase is Phase.RECEIVE and before.actor != after.actor:
        return (f"{capital(said(before.piece))} goes on to {name_of(after, after.actor)}.",)
    return ("The others still stand.",)


def _fall_lines(before: State, event: Fell, after: State) -> tuple[str, ...]:
    bases = {tower[0] for tower in before.towers if tower}
    if not before.towers[before.actor]:
        bases.add(before.piece)  # one that was just let go as a foundation may touch the table
    off = [said(piece) for piece in event.pieces if piece in bases]
    down = [said(piece) for piece in event.pieces if piece not in bases]
    again = " as well." if before.out == after.out else "!"
    lines = [f"{capital(listed(down))} {_verb(down, 'touch', 'touches')} the table{again}"] if down else []
    lines += [f"{capital(listed(off))} {_verb(off, 'fall', 'falls')} off the table{again}"] if off else []
    return (*lines, *_out(before, after))


def _verb(subjects: list[str], many: str, one: str) -> str:
    return one if len(subjects) == 1 else many


def _out(before: State, after: State) -> tuple[str, ...]:
    lines = []
    for seat, when in enumerate(after.out):
        if when != IN and before.out[seat] == IN:
            tokens = before.tokens[seat]
            bank = f"; {_tokens(tokens)} {'goes' if tokens == 1 else 'go'} to the bank" if tokens else ""
            lines.append(f"{name_of(after, seat)} is out{bank}.")
    return tuple(lines)


def called(state: State, piece: str) -> str:
    """`the half egg`, `base 1`."""
    return said(piece)


def _pieces(count: int) -> str:
    return counted(count, "piece")


def _tokens(count: int) -> str:
    return counted(count, "token")
