"""The panels at the end of a game: how it ended, and why it cannot go on."""

from collections.abc import Sequence

from teeter.engine.view.panels import Button, Gap, Item, Panel, Row, Text
from teeter.games.core.rules import Outcome, Wait
from teeter.games.core.words import capital, listed, members, won
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of
from teeter.games.present.hud_state import HudState

REMATCH = Button("again", "Rematch", is_on=True, text2="a new game, dealt anew")

LONG = 60
"""Letters of a result, as of eight who draw, beyond which it is no title: that leaves no room for what can be done."""


def over(client: ClientState, look: HudState) -> Panel:
    """Returns who won, why, the points, and what can be done now."""
    outcome = client.game.rules.outcome(client.state)
    assert outcome is not None
    clause = client.clause(outcome.reason.clause)
    result = result_of(outcome)
    items: list[Item] = [
        Text(result, "accent", "title" if len(result) <= LONG else "large", bold=True),
        Text(f"{capital(outcome.reason.text)}."),
        Text(clause, "quiet", "small"),
        *([Text("The last fall", "quiet", "small"), Text(look.why, size="small")] if look.why else []),
        Gap(4),
        Text(capital(client.game.scoring(client.state)[0]), "quiet", "small"),
        *score_rows(client),
        Gap(4),
        *(_acts(client, look.film) if client.seat is None else _acts_at_seat(client, look)),
    ]
    return Panel("over", "left", tuple(items), width=360)


def result_of(outcome: Outcome) -> str:
    """Returns who won. Of a draw nobody is said to have (BS-20); who has as much shares the win (TT-07, CT-24)."""
    is_draw = outcome.reason.text.endswith("a draw")
    if len(outcome.winners) > 1:
        return f"{listed(members(outcome.winners))} {'draw' if is_draw else 'share the win'}."
    return won(outcome.winners) + ("!" if outcome.winners else ".")


def _acts(client: ClientState, film: str) -> tuple[Item, ...]:
    """What can be done at a window once the game is over."""
    is_kept = is_recorded(client)
    return (
        REMATCH,
        Row(
            (
                Button("watch", "Watch the replay", is_enabled=is_kept),
                Button("fall", "Watch the fall", is_enabled=is_kept and client.fell_s is not None),
            )
        ),
        Button("film", "Save the film", is_enabled=is_kept and not film, text2=film),
        Button("leave", "Menu"),
    )


def _acts_at_seat(client: ClientState, look: HudState) -> tuple[Item, ...]:
    """What can be done in a browser."""
    keep = Button("keep", "Save the recording", is_enabled=is_recorded(client))
    return (*((REMATCH,) if look.may_deal else ()), Button("look", "Look at the table"), keep)


def is_recorded(client: ClientState) -> bool:
    """Whether the game is over and its recording whole; what was asked before a fall may still be asked."""
    is_packed = client.waits is not None and client.waits.need.wait is Wait.OVER
    return is_packed and client.plan.file is not None


def score_rows(client: ClientState, gains: Sequence[int] = ()) -> list[Item]:
    """Returns a row for each seat with its score; whoever is on turn, or has won, stands out. gains: what has just come
    to it."""
    items: list[Item] = []
    outcome = client.game.rules.outcome(client.state)
    turn = () if client.game.endless else (client.need.player,)
    lit = turn if outcome is None else outcome.winners
    _, scores = client.game.scoring(client.state)
    for number, (seat, score) in enumerate(zip(client.state.seats, scores, strict=True)):
        is_lit = seat.name in lit
        name = seat.name + ("" if seat.has_people else " (bot)")
        mark = details_of(client.game).seat_mark(client, number)
        named = Text(name, "plain" if is_lit else "quiet", bold=is_lit, mark=mark)
        gain = gains[number] if gains else 0
        text = f"{score}  {gain:+d}" if gain else str(score)
        items.append(
            Row((named, Text(text, "accent" if gain else "plain", bold=is_lit or bool(gain))), (2.4, 1))
        )
    return items


def broken(why: str) -> Panel:
    """Why the game cannot go on."""
    items = (Text("The game cannot go on.", "bad", "large", bold=True), Text(why), Button("leave", "Menu"))
    return Panel("broken", "dialog", items, width=520)
