"""Who sits where at a hosted table, with the scores, and what whoever looks may do about it. Buttons are named by the
message that they send."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from teeter.engine.view.panels import Button, Item, Panel, Row, Text
from teeter.games.core.words import capital
from teeter.games.faults import or_else
from teeter.games.host.connection import Connection
from teeter.games.host.scene import dumps
from teeter.games.host.seats import Chair
from teeter.games.present.client_state import ClientState
from teeter.games.present.end_screen import score_rows


@dataclass(frozen=True)
class Company:
    """Who is there. me: who looks. guests: who sits nowhere, told to the host alone."""

    chairs: Mapping[str, Chair]
    me: Connection
    guests: tuple[Connection, ...] = ()


def with_people(client: ClientState, people: Company) -> Panel:
    """Returns the panel of the scores, with who sits where."""
    me, outcome = people.me, client.game.rules.outcome(client.state)
    items: list[Item] = []
    names: list[Item] = [Row((Text(chair.name),)) for chair in people.chairs.values()]
    rows = or_else("the scores", lambda: score_rows(client), names)
    for row, chair in zip(rows, people.chairs.values(), strict=True):
        # of a bot by its own name the scores say so already
        is_told = chair.state == "here" or (chair.state == "bot" and not chair.people)
        state = "" if is_told else f"bot, {chair.style}" if chair.style else chair.state
        members = ", ".join(name for name in chair.members if name != chair.name)
        said = " \u00b7 ".join(filter(None, (members, state)))
        items += [
            _own(row) if chair.name == me.seat else row,
            *([Text(said, "quiet", "small")] if said else []),
            *(
                [Text(f"{chair.name}'s seat is open elsewhere", size="small")]
                if _is_elsewhere(chair, me)
                else []
            ),
            *_row(_acts(chair, me, is_over=outcome is not None)),
        ]
    for guest in people.guests:
        items += [Text(f"{guest.name} looks on", "quiet", "small")]
        items += _row(_order(guest.name, guest.is_muted))
    word, _ = client.game.scoring(client.state)
    return Panel("scores", "top-right", tuple(items), capital(word), width=230)


def _own(row: Item) -> Item:
    """The row of who looks."""
    assert isinstance(row, Row)
    name, *rest = row.items
    assert isinstance(name, Text)
    return replace(row, items=(replace(name, text=f"{name.text} (you)"), *rest))


def _is_elsewhere(chair: Chair, me: Connection) -> bool:
    """Whether who looks came to play, and others may sit where that was meant to be."""
    return chair.state == "here" and me.role == "seat" and not me.seat


def _row(buttons: list[Button]) -> list[Row]:
    return [Row(tuple(buttons))] if buttons else []


def _acts(chair: Chair, me: Connection, *, is_over: bool) -> list[Button]:
    """What who looks may do about a seat."""
    buttons: list[Button] = []
    if chair.name == me.seat or me.role == "spectator":
        return buttons
    is_empty = chair.state in ("free", "away")
    if not me.seat and chair.state == "free":
        buttons.append(_sends("Sit here", "accent", type="sit", seat=chair.name))
    if not me.seat and chair.state in ("away", "here"):
        # pages show it to whose seat it was
        word = "Come back" if chair.state == "away" else "Play here"
        buttons.append(_sends(word, "accent", type="come_back", seat=chair.name))
    if me.role == "host":
        if is_empty and not is_over:
            buttons.append(_sends("To a bot", type="to_bot", seat=chair.name, style="steady"))
        if chair.state == "bot" and chair.people and not is_over:
            buttons.append(_sends("To a person", type="to_person", seat=chair.name))
        if chair.state in ("here", "away"):
            buttons += _order(chair.name, chair.is_muted)
    return buttons


def _order(name: str, is_muted: bool) -> list[Button]:
    """What the host may do about somebody who talks too much."""
    mute = _sends("Unmute" if is_muted else "Mute", type="mute", name=name, is_muted=not is_muted)
    return [mute, _sends("Send away", type="send_away", name=name)]


def _sends(text: str, tone: Any = "plain", **message: object) -> Button:
    return Button(dumps(message), text, tone)
