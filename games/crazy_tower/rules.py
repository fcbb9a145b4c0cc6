"""The rules of Crazy Tower: a turn is a block on the highest floor, or a new floor card and a block on it.

CHOOSE --Take--> carry, let go, Placed --> LAID --> BOXES --> next turn, or once more (play again)
  |--RevealCard--> CARD --Take--> carry, let go, Placed --> BLOCK --Take--> as above
a fall at any point --> at rest, PutBack or GiveBack until nothing lies fallen, then on from where it was
a block and a card fallen at once --> the end
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from teeter.games.core.errors import SetupError, unknown
from teeter.games.core.events import (
    Condition,
    Fell,
    Met,
    Nudged,
    Placed,
    Question,
    RefereeAnswer,
    Released,
    Removed,
    Rested,
    TimeUp,
)
from teeter.games.core.random_state import below, seeded, shuffled
from teeter.games.core.rules import Choice, Input, Need, Take, TakeBack, Wait, applied, prepare
from teeter.games.core.rules import outcome as outcome
from teeter.games.core.setup import Seat, first_seat
from teeter.games.crazy_tower import rules_flow as flow
from teeter.games.crazy_tower import rules_laying as laying
from teeter.games.crazy_tower.rules_allowed import (
    fallen_named,
    floor_name,
    homes,
    how_to_lay,
    how_to_lay_card,
    how_to_put_back,
    is_card,
    offered,
    removable,
    said,
    swappable,
    why_no_card,
)
from teeter.games.crazy_tower.rules_flow import scores as scores
from teeter.games.crazy_tower.state import (
    MODES,
    SABOTEUR,
    SOLO,
    Challenge,
    Decline,
    Floor,
    GiveBack,
    HandPhase,
    House,
    NothingFits,
    Pull,
    PutBack,
    RevealCard,
    Sort,
    State,
    Stock,
    Swap,
    TurnStage,
)
from teeter.games.crazy_tower.story import called as called
from teeter.games.crazy_tower.story import opening as opening
from teeter.games.crazy_tower.story import tell as tell


def start(players: Sequence[str], seed: int, options: Mapping[str, object], stock: Stock) -> State:
    """CT-02, CT-08, CT-09: a plain card in the centre, the others shuffled, blocks to every player."""
    mode, seats, house = prepare(MODES, House, players, seed, options)
    challenge = challenge_of(house, stock) if mode.name == SOLO else None
    colours = chosen_colours(house, stock, seats, challenge)
    plain = next((card.id for card in stock.cards if card.is_plain), None)
    if plain is None:
        raise SetupError("no floor card without special boxes to start with")
    deck, luck = shuffled(seeded(seed), [card.id for card in stock.cards if card.id != plain])
    saboteur = -1
    if mode.name == SABOTEUR:
        saboteur, luck = below(luck, len(seats))
        saboteur = named_saboteur(house, seats) if house.saboteur else saboteur
    in_play = [colour for group in colours for colour in group]
    return State(
        seats=seats,
        house=house,
        stock=replace(
            stock,
            blocks=tuple(block for block in stock.blocks if block.colour in in_play),
            challenges=() if challenge is None else (challenge,),
        ),
        mode=mode.name,
        luck=luck,
        turn=who_starts(house, seats, saboteur),
        colours=colours,
        hands=tuple(
            tuple(block.id for colour in group for block in stock.blocks if block.colour == colour)
            for group in colours
        ),
        deck=deck,
        floors=(Floor(plain),),
        saboteur=saboteur,
    )


def who_starts(house: House, seats: Sequence[Seat], saboteur: int) -> int:
    """CT-09: the player on the left of an open saboteur; else the first named, or who the option names."""
    if saboteur == -1 or house.secret:
        return first_seat(seats, house.first)
    if house.first:
        raise SetupError(
            "option first: the player on the saboteur's left starts (CT-09), unless secret is on"
        )
    return (saboteur + 1) % len(seats)


def named_saboteur(house: House, seats: Sequence[Seat]) -> int:
    """CT-09: the saboteur agreed on before the start."""
    try:
        return first_seat(seats, house.saboteur)
    except SetupError as error:
        raise SetupError(str(error).replace("option first", "option saboteur")) from None


def challenge_of(house: House, stock: Stock) -> Challenge:
    """CT-09: the challenge chosen."""
    for challenge in stock.challenges:
        if challenge.number == house.challenge:
            return challenge
    known = ", ".join(str(challenge.number) for challenge in stock.challenges)
    raise SetupError(f"option challenge: there is no challenge {house.challenge}; allowed: {known or 'none'}")


def chosen_colours(
    house: House, stock: Stock, seats: Sequence[Seat], challenge: Challenge | None
) -> tuple[tuple[str, ...], ...]:
    """CT-08: the colours of every seat: two each for two players, one each for more, solo by challenge."""
    if len(stock.colours) < len(seats):
        raise SetupError(f"{len(stock.colours)} colours are too few for {len(seats)} players")
    named = tuple(colour.strip() for colour in house.colours.split(",")) if house.colours else ()
    for colour in named:
        if colour not in stock.colours:
            raise SetupError(f"option colours: {unknown('colour', colour, stock.colours)}")
    if len(set(named)) != len(named):
        raise SetupError(f"option colours: a colour is chosen twice in {house.colours!r}")
    share = (
        len(stock.colours) // len(seats) if challenge is None else solo_count(house, challenge, len(named))
    )
    if named and len(named) != share * len(seats):
        raise SetupError(f"option colours: {share * len(seats)} colours are in play, {len(named)} are chosen")
    order = named or stock.colours
    return tuple(order[seat * share : (seat + 1) * share] for seat in range(len(seats)))


def solo_count(house: House, challenge: Challenge, named: int) -> int:
    """CT-08: how many colours a challenge is played with."""
    count = house.colour_count or named or challenge.colours
    if not challenge.least_colours <= count <= challenge.most_colours:
        allowed = f"{challenge.least_colours} to {challenge.most_colours}"
        raise SetupError(f"challenge {challenge.number} is played with {allowed} colours, not {count}")
    return count


def legal(state: State) -> tuple[Choice, ...]:
    """Every action the player on turn may take now."""
    player = state.player
    if state.reason is not None or state.hand in (HandPhase.SETTLE, HandPhase.ASK):
        return ()
    if state.hand is HandPhase.CARRY:
        return () if state.met else (Choice(TakeBack(player), f"put {said(state.held)} down again"),)
    if state.hand is HandPhase.PULL:
        return (Choice(Decline(player), f"leave {said(state.held)} in the tower"),)
    if state.fallen:
        return tuple(_put_back(state))
    if state.stage is TurnStage.BOXES:
        return tuple(_boxes(state))
    if state.stage is TurnStage.CARD:
        return (Choice(Take(player, state.card), f"take {said(state.card)}", how_to_lay_card(state)),)
    return tuple(_lay(state))


def _lay(state: State) -> list[Choice]:
    """CT-10: A, a block for the highest floor; B, a new card."""
    player = state.player
    choices = [
        Choice(Take(player, block), f"take {said(block)}", how_to_lay(state, block))
        for block in offered(state)
    ]
    if state.stage is TurnStage.CHOOSE and why_no_card(state) is None and not state.again:
        return [*choices, Choice(RevealCard(player), "reveal the next floor card")]
    if not state.fits:
        no = f"say that {said(state.again)} fits nowhere" if state.again else "say that no block fits"
        choices.append(Choice(NothingFits(player), no))
    return choices


def _put_back(state: State) -> list[Choice]:
    """CT-20: where every fallen piece may go."""
    player, choices = state.player, []
    for fallen in state.fallen:
        piece, how = fallen.piece, how_to_put_back(state, fallen.piece)
        if is_card(state, piece):
            choices.append(Choice(PutBack(player, piece), f"lay {said(piece)} on top again", how))
            continue
        floors = homes(state, fallen)
        for floor in floors:
            sentence = f"put {said(piece)} back on {floor_name(state, floor.card)}"
            choices.append(Choice(PutBack(player, piece, floor.card), sentence, how))
        if not floors or not state.fits:
            choices.append(Choice(GiveBack(player, piece), f"give {said(piece)} back: it has no place"))
    return choices


def _boxes(state: State) -> list[Choice]:
    """CT-05, CT-07: what covered boxes ask for, in the order the player likes."""
    player, choices = state.player, []
    if Sort.REMOVE in state.boxes:
        choices += [Choice(Pull(player, block), f"pull {said(block)} out") for block in removable(state)]
        choices.append(Choice(Decline(player), "leave all blocks where they are"))
    if Sort.EXCHANGE in state.boxes:
        others = swappable(state)
        for own in state.hands[state.turn]:
            choices += [
                Choice(Swap(player, own, block), f"swap {said(own)} for {said(block)}") for block in others
            ]
    return choices


def needs(state: State) -> Need:
    """What the game waits for."""
    return replace(_needs(state), member=state.seats[state.turn].turn_of(state.member))


def _needs(state: State) -> Need:
    player = state.player
    if state.reason is not None:
        return Need(Wait.OVER, player)
    if state.hand is HandPhase.FREE:
        return Need(Wait.ACTION, player)
    if state.hand is HandPhase.ASK:
        return Need(Wait.ANSWER, player, laying.asked_about(state), question=Question.DOES_FIT)
    if state.hand is HandPhase.PULL:
        return Need(Wait.PULL, player, (state.held,))
    wait = Wait.HAND if state.hand is HandPhase.CARRY else Wait.REST
    return Need(wait, player, (state.held,), _how(state)) if state.held else Need(wait, player)


def _how(state: State) -> tuple[Condition, ...]:
    """How the piece in play has to lie."""
    if fallen_named(state, state.held) is not None:
        return how_to_put_back(state, state.held)
    return how_to_lay_card(state) if state.held == state.card else how_to_lay(state, state.held)


def apply(state: State, given: Input) -> State:
    """The state after an action or an event."""
    return applied(state, given, needs(state), HANDLERS, "CT-13")


def seen_by(state: State, player: str) -> State:
    """The state without the order of the stack, and without a secret saboteur, unless it is this player."""
    if state.house.secret and state.reason is None and state.seats[state.saboteur].name != player:
        state = replace(state, saboteur=-1, house=replace(state.house, saboteur=""))
    return replace(state, luck=0, deck=("?",) * len(state.deck))


HANDLERS: dict[type, Callable[[State, Any], State]] = {
    Take: laying.take,
    TakeBack: laying.take_back,
    RevealCard: laying.reveal,
    NothingFits: laying.nothing_fits,
    PutBack: flow.put_back,
    GiveBack: flow.give_back,
    Pull: laying.pull,
    Decline: laying.decline,
    Swap: laying.swap,
    Met: laying.meet,
    Nudged: laying.nudge,
    Released: laying.release,
    Placed: laying.place,
    Rested: laying.rest,
    RefereeAnswer: laying.answer,
    Removed: laying.remove,
    Fell: flow.fell,
    TimeUp: flow.time_up,
}
