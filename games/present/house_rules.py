"""The page of house rules: what can be set, with what is set now. Values, no window.

What a game shares out among its players, as colours, stands in `GameDetails.shares`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from teeter.engine.view.panels import Button, Field, Item, Row, Text
from teeter.games.core.setup import BOT, Option, options_of
from teeter.games.game import Game
from teeter.games.present.details import COLOURS, details_of, marked

SEATS = {"first": "First in the list", "saboteur": "By lot"}
"""House rules whose value is a seat, and what is so when none is named."""


def house_rules(
    game: Game, mode: str, players: Sequence[str], options: Mapping[str, str], active: str
) -> tuple[Item, ...]:
    """Returns the house rules of a mode. options: what was set, as texts. active: the field that is typed into."""
    moot = details_of(game).moot(mode, options)
    return tuple(
        item
        for option in options_of(game.house)
        if (not option.modes or mode in option.modes) and option.name not in moot
        for item in _rule(game, mode, players, options, option, active)
    )


def _rule(
    game: Game, mode: str, players: Sequence[str], options: Mapping[str, str], option: Option, active: str
) -> tuple[Item, ...]:
    """A house rule with what can be chosen, the choice lit."""
    now = option.take(options.get(option.name, option.default))
    said = Text(option.help, "quiet", "small")

    def button(value: object, text: str) -> Button:
        return Button(f"option:{option.name}:{value}", text, is_on=str(now) == str(value))

    details = details_of(game)
    if named := details.values(game, option.name):
        return (said, *(button(value, text) for value, text in named.items()))
    if details.shares(game, option.name):
        return tuple(_shared(game, mode, players, options, option.name))
    if isinstance(option.default, bool):
        yes, no = (
            Button(f"option:{option.name}:{word}", word, is_on=now is (word == "yes"))
            for word in ("yes", "no")
        )
        return (Row((said, yes, no), (3, 1, 1)),)
    if isinstance(now, int):
        less, more = (
            Button(
                f"option:{option.name}:{now + step}",
                word,
                is_enabled=option.least <= now + step <= option.most,
            )
            for step, word in ((-1, "less"), (1, "more"))
        )
        return (Row((said, less, Text(str(now), bold=True), more), (4, 1.2, 0.7, 1.2)),)
    if option.choices:
        return (said, Row(tuple(button(value, value) for value in option.choices)))
    if option.name in SEATS:
        # how seats are written is for who types them
        return (replace(said, text=option.help.partition(":")[0]), *_seats(players, str(now), option.name))
    field = f"text:{option.name}"
    return (Field(field, said.text, str(now), active == field),)


def _seats(players: Sequence[str], now: str, name: str) -> list[Item]:
    """A button for nobody in particular, and one for each player. Seats may be given by their numbers, too."""
    names = [player.removeprefix(BOT) for player in players]
    # two players of one name are told apart by their seats
    values = [name if names.count(name) == 1 else str(k + 1) for k, name in enumerate(names)]
    buttons = [Button(f"option:{name}:", SEATS[name], is_on=not now)]
    for value, player in zip(values, names, strict=True):
        text = player if value == player else f"{player}, seat {value}"
        buttons.append(Button(f"option:{name}:{value}", text, is_on=now == value))
    return [Row(tuple(buttons[k : k + 3])) for k in range(0, len(buttons), 3)]


def without_seats(game: Game, options: Mapping[str, str]) -> dict[str, str]:
    """Returns the house rules that stay when other players sit down."""
    shares = details_of(game).shares
    return {name: value for name, value in options.items() if name not in SEATS and not shares(game, name)}


# -- what is shared out ------------------------------------------------------------------------------------------------


def _shared(
    game: Game, mode: str, players: Sequence[str], options: Mapping[str, str], name: str
) -> list[Item]:
    """Who has which colour: a click gives it to the next; alone, which are in play."""
    if mode == game.challenge_mode:
        chosen = _named(options, name)
        buttons = [
            Button(f"include:{name}:{value}", value, is_on=value in chosen, mark=_mark(value))
            for value in details_of(game).shares(game, name)
        ]
        note = "those that are lit" if chosen else "as the challenge has it"
        return [Text(f"the {name} in play: {note}", "quiet", "small"), Row(tuple(buttons))]
    order, count = _order(game, players, options, name)
    rows: list[Item] = [Text(f"who has which of the {name}: a click gives one to the next", "quiet", "small")]
    for seat, player in enumerate(players):
        own = order[seat * count : (seat + 1) * count]
        buttons = [Button(f"share:{name}:{value}", value, mark=_mark(value)) for value in own]
        rows.append(Row((Text(player.removeprefix(BOT)), *buttons), (1.0, *(1.2 for _ in buttons))))
    if rest := order[count * len(players) :]:
        rows.append(Text(f"not in play: {', '.join(rest)}", "quiet", "small"))
    return rows


def given_to_next(
    game: Game, mode: str, players: Sequence[str], options: Mapping[str, str], name: str, value: str
) -> str:
    """Returns a house rule in which a value has changed places with the one after it."""
    order, count = _order(game, players, options, name)
    at = order.index(value)
    other = (at + count) % len(order)
    order[at], order[other] = order[other], order[at]
    return ",".join(order[: count * len(players)])


def toggled(
    game: Game, mode: str, players: Sequence[str], options: Mapping[str, str], name: str, value: str
) -> str:
    """Returns a house rule with a value more, or without it."""
    chosen = {*_named(options, name)} ^ {value}
    return ",".join(value for value in details_of(game).shares(game, name) if value in chosen)


def _order(
    game: Game, players: Sequence[str], options: Mapping[str, str], name: str
) -> tuple[list[str], int]:
    """All values in the order of the seats, those that nobody has last; and how many each player has."""
    every = details_of(game).shares(game, name)
    named = [player for player in _named(options, name) if player in every]
    return [*named, *(player for player in every if player not in named)], max(len(every) // len(players), 1)


def _named(options: Mapping[str, str], name: str) -> list[str]:
    return [word.strip() for word in options.get(name, "").split(",") if word.strip()]


def _mark(colour: str) -> str:
    return marked(COLOURS[colour]) if colour in COLOURS else ""
