"""Before the first turn: colours, the saboteur, the challenge, the first card and the stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from games.rules.base import prepare
from games.rules.crazy_tower.state import MODES, SABOTEUR, SOLO, Floor, House, State
from games.rules.crazy_tower.stock import Challenge, Stock
from games.rules.errors import SetupError, unknown
from games.rules.luck import below, seeded, shuffled
from games.rules.seats import Seat, first_seat


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
    in_play = [colour for each in colours for colour in each]
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
            tuple(block.id for colour in each for block in stock.blocks if block.colour == colour)
            for each in colours
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
    known = ", ".join(str(each.number) for each in stock.challenges)
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
    each = len(stock.colours) // len(seats) if challenge is None else solo_count(house, challenge, len(named))
    if named and len(named) != each * len(seats):
        raise SetupError(f"option colours: {each * len(seats)} colours are in play, {len(named)} are chosen")
    order = named or stock.colours
    return tuple(order[seat * each : (seat + 1) * each] for seat in range(len(seats)))


def solo_count(house: House, challenge: Challenge, named: int) -> int:
    """CT-08: how many colours a challenge is played with."""
    count = house.colour_count or named or challenge.colours
    if not challenge.least_colours <= count <= challenge.most_colours:
        allowed = f"{challenge.least_colours} to {challenge.most_colours}"
        raise SetupError(f"challenge {challenge.number} is played with {allowed} colours, not {count}")
    return count
