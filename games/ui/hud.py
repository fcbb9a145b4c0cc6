"""The panels of a game: whose turn, what may be done, why not, the scores, the story. Values, no window."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.view.panels import Button, Item, Meter, Panel, Row, Text
from games.core.events import Condition
from games.core.rules import Choice, Need, Wait
from games.ui.details import colour_of, details_of
from games.ui.physics_client import ClientState
from games.ui.settings import Settings

CHOICES_PER_PAGE = 9
"""Choices that are listed at once; more are on further pages, or on the table."""
PER_ROW = 5
"""Buttons of the hand side by side."""
REFUSED_S = 7.0
"""Seconds for which a refusal is shown."""
LOG_LINES_SHOWN = 7

PROMPTS = {
    Wait.ACTION: "Choose what to do.",
    Wait.HAND: "Carry it over its place and click: it is lowered, and let go.",
    Wait.PULL: "Draw it out gently, straight along its length.",
    Wait.OVER: "The game is over.",
}


@dataclass(frozen=True, slots=True)
class HudState:
    """What of the window the panels tell. lit: the button that the keyboard or the scan is on. gap: millimetres free
    below the held piece. hint: what the checker says of its place."""

    page: int = 0
    lit: str = ""
    gap_mm: float = 0.0
    yaw_deg: float = 0.0
    is_fine: bool = False
    hint: str = ""
    warning: str = ""
    is_scanning: bool = False
    is_helping: bool = False
    coach: str = ""
    feel: str = ""
    now: float = 0.0
    places: int | None = None
    """How many places are offered in one-button play; None while they are looked for."""
    pieces: tuple[str, ...] = ()
    """Choices are only listed for these pieces, those that were clicked; none: all."""


def panels(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    """Everything that lies over the table."""
    found = [_turn(client, settings, look), _scores(client), *_details(client)]
    if client.log:
        lines = tuple(Text(line, "quiet", "small") for line in client.log[-LOG_LINES_SHOWN:])
        found.append(Panel("log", "bottom-left", lines, width=360, tallest=170))
    found.append(_tools(client, settings))
    if client.held and client.waits is not None:
        found.append(_hand(client, settings, look))
    if client.refused is not None and look.now - client.refused_at < REFUSED_S:
        found.append(_refusal(client))
    if look.coach:
        found.append(Panel("coach", "top", (Text(look.coach, "accent"),), width=460))
    if look.is_helping:
        found.append(_help(client, settings))
    return tuple(found)


def offered(client: ClientState, look: HudState) -> tuple[tuple[Choice, ...], int]:
    """Returns the choices of the page that is seen, and how many pages there are."""
    listed = _listed(client, look)
    pages = max(-(-len(listed) // CHOICES_PER_PAGE), 1)
    begin = look.page % pages * CHOICES_PER_PAGE
    return listed[begin : begin + CHOICES_PER_PAGE], pages


def _listed(client: ClientState, look: HudState) -> tuple[Choice, ...]:
    """Those without a piece, and of pieces as many as can be listed."""
    choices = client.choices
    if look.pieces:
        return tuple(each for each in choices if piece_of(each) in look.pieces)
    if look.is_scanning:
        return choices
    with_piece = [each for each in choices if piece_of(each) in client.pieces]
    if len(with_piece) > CHOICES_PER_PAGE:
        return tuple(each for each in choices if piece_of(each) not in client.pieces)
    return choices


def piece_of(choice: Choice) -> str:
    """The piece a choice is about; empty for none."""
    return str(getattr(choice.action, "piece", "") or getattr(choice.action, "take", ""))


def capitalised(text: str) -> str:
    """The text with a capital first letter, the others as they are."""
    return text[:1].upper() + text[1:]


def _turn(client: ClientState, settings: Settings, look: HudState) -> Panel:
    need = client.need
    outcome = client.game.rules.outcome(client.state)
    if outcome is not None:
        return _over(client)
    items: list[Item] = []
    if client.busy:
        dots = "" if "..." in client.busy else " ..."
        items.append(Text(capitalised(client.busy) + dots, "quiet"))
        if need.wait is Wait.COUNT and need.seconds > 0:
            items.append(Meter((look.now - client.busy_since) / need.seconds, "warn"))
        elif client.busy_share:
            items.append(Meter(client.busy_share))
    else:
        items.append(Text(_prompt(client, need, look), "quiet"))
        items += [Text(f"{each.clause}  {each.text}", "plain", "small") for each in _conditions(client, need)]
        if look.feel:
            items.append(Text(look.feel, "good", "small"))
        items += _choices(client, look)
    title = f"{need.player}'s turn" if not client.game.endless else client.game.title
    return Panel("turn", "top-left", tuple(items), title, width=320)


def _prompt(client: ClientState, need: Need, look: HudState) -> str:
    on_table = [each for each in client.choices if piece_of(each) in client.pieces]
    if need.wait is Wait.ACTION and len(on_table) > CHOICES_PER_PAGE and not look.pieces:
        return "Click a piece on the table, or press Tab to go through them."
    if need.wait is Wait.ACTION and on_table:
        return "Choose, or click a piece on the table."
    return PROMPTS.get(need.wait, "")


def _conditions(client: ClientState, need: Need) -> tuple[Condition, ...]:
    if need.wait is Wait.HAND:
        return need.conditions
    wanted = {each.conditions for each in client.choices if each.conditions}
    return next(iter(wanted)) if len(wanted) == 1 else ()


def _choices(client: ClientState, look: HudState) -> list[Item]:
    shown, pages = offered(client, look)
    items: list[Item] = []
    for number, choice in enumerate(shown):
        name = f"choice:{client.choices.index(choice)}"
        sentence = capitalised(choice.sentence)
        lit = look.lit == name
        items.append(Button(name, sentence, key=str(number + 1), mark=colour_of(choice), is_lit=lit))
    if pages > 1:
        items.append(
            Button(
                "page",
                f"More ({look.page % pages + 1} of {pages})",
                "quiet",
                key="0",
                is_lit=look.lit == "page",
            )
        )
    return items


def _over(client: ClientState) -> Panel:
    outcome = client.game.rules.outcome(client.state)
    assert outcome is not None
    winners = " and ".join(outcome.winners)
    won = f"{winners} {'win' if len(outcome.winners) > 1 else 'wins'}!" if winners else "Nobody wins."
    reason = Text(f"{outcome.reason.clause}  {outcome.reason.text}", "quiet")
    buttons = Row((Button("again", "Play again", "accent"), Button("menu", "Menu")))
    return Panel("over", "top-left", (Text(won, "accent", "large", bold=True), reason, buttons), width=320)


def _scores(client: ClientState) -> Panel:
    scores = client.game.rules.scores(client.state)
    items: list[Item] = []
    for number, (seat, score) in enumerate(zip(client.state.seats, scores, strict=True)):
        turn = seat.name == client.need.player and not client.game.endless
        name = seat.name + (" (bot)" if seat.members[0].bot else "")
        mark = details_of(client.game).seat_colour(client, number)
        items.append(
            Row(
                (Text(name, "plain" if turn else "quiet", bold=turn, mark=mark), Text(str(score), bold=turn)),
                (3.2, 1),
            )
        )
    return Panel("scores", "top-right", tuple(items), client.game.score_word.capitalize(), width=230)


def _details(client: ClientState) -> tuple[Panel, ...]:
    items = details_of(client.game).items(client)
    return (Panel("details", "top-right", items, width=230),) if items else ()


def _tools(client: ClientState, settings: Settings) -> Panel:
    buttons = tuple(
        Button(name, name.capitalize(), key=settings.key_said(name))
        for name in ("undo", "view", "help", "menu")
    )
    undo = replace(buttons[0], is_enabled=can_undo(client, settings))
    return Panel("tools", "bottom-right", (Row((undo, *buttons[1:])),), width=400, is_bare=True)


def can_undo(client: ClientState, settings: Settings) -> bool:
    """Returns whether there is something to take back, and the help that was chosen allows it."""
    return client.waits is not None and client.waits.can_undo and settings.help.level != "purist"


def _hand(client: ClientState, settings: Settings, look: HudState) -> Panel:
    need = client.need
    items: list[Item] = []
    if need.wait is Wait.PULL:
        force = client.view.force if client.view is not None else 0.0
        items.append(Text(f"The hand pulls with {force:.1f} N", "plain", "small"))
        items.append(Meter(force / 6.0, "warn" if force > 3.0 else "accent"))
        if look.is_scanning:
            items.append(Button("pull", "Pull it out", "accent"))
    else:
        fine = "  fine" if look.is_fine else ""
        where = f"{look.gap_mm:.0f} mm above its place, turned {look.yaw_deg:.0f} degrees{fine}"
        items.append(Text(where, "plain", "small"))
        items += _one_button(look) if look.is_scanning else []
        buttons = nudges(settings, look)
        items += [Row(buttons[k : k + PER_ROW]) for k in range(0, len(buttons), PER_ROW)]
    if look.hint:
        items.append(Text(look.hint, "plain", "small", bold=True))
    if look.warning:
        items.append(Text(look.warning, "bad", "small", bold=True))
    return Panel("hand", "bottom", tuple(items), width=430)


def _one_button(look: HudState) -> list[Item]:
    """Places to choose from, and the line over the table."""
    if look.places is None:
        return [Text("looking for places ...", "quiet", "small")]
    names = [f"Place {number} of {look.places}" for number in range(1, look.places + 1)]
    buttons = [Button(f"place:{k}", name, is_lit=look.lit == f"place:{k}") for k, name in enumerate(names)]
    rows: list[Item] = [Row(tuple(buttons[k : k + 3])) for k in range(0, len(buttons), 3)]
    return [*rows, Button("line", "Point with a line")]


def nudges(settings: Settings, look: HudState) -> tuple[Button, ...]:
    """Buttons for what keys do with a held piece."""
    named = [("lay", "Lay"), ("turn_left", "Turn"), ("flip", "Flip"), ("lift", "Lift"), ("lower", "Lower")]
    if look.is_scanning:
        named += [("left", "Left"), ("right", "Right"), ("far", "Far"), ("near", "Near"), ("fine", "Fine")]
    return tuple(
        Button(
            f"act:{act}",
            text,
            "accent" if act == "lay" else "plain",
            key="" if look.is_scanning else settings.key_said(act),
            is_lit=look.lit == f"act:{act}",
            is_on=act == "fine" and look.is_fine,
        )
        for act, text in named
    )


def _refusal(client: ClientState) -> Panel:
    refused = client.refused
    assert refused is not None
    items: list[Item] = [Text(capitalised(refused.sentence) + ".", "bad", bold=True)]
    if refused.clause:
        items.append(Text(f"{refused.clause}: {client.clause(refused.clause)}", "quiet", "small"))
    return Panel("refusal", "top", tuple(items), width=440)


def _help(client: ClientState, settings: Settings) -> Panel:
    said = {
        "choose": "take the lit choice",
        "next": "next choice or piece",
        "lay": "lower the held piece and let go",
        "let_go": "let go where it is",
        "turn_left": "turn",
        "flip": "flip to the next face",
        "lift": "lift",
        "lower": "lower",
        "fine": "slower",
        "undo": "undo",
        "ghost": "where it would rest",
        "hint": "what the checker thinks",
        "feel": "put a finger to a brick: what it carries, how hard it pulls",
        "tap": "tap a brick that is being pulled",
        "view": "next view",
        "follow": "follow the hand",
        "home": "bring piece and view back",
        "scan": "one-button play",
        "menu": "menu",
    }
    rows = tuple(
        Row((Text(" ".join(settings.keys_of(act)), "accent", "small"), Text(text, size="small")), (1, 2))
        for act, text in said.items()
    )
    mouse = Text(
        "Left button: take, lay; or press on a piece, carry it, and let go. "
        "Right-drag: turn the held piece, or go round the table. Middle-drag: move the view. "
        "Wheel: lift the held piece, or come nearer.",
        "quiet",
        "small",
    )
    return Panel("keys", "right", (mouse, *rows, Button("help", "Close")), "Keys", width=330)


def pass_on(player: str) -> Panel:
    """Covers the table until the next person sits at it."""
    text = Text(f"Pass the seat to {player}.", size="title", bold=True)
    why = Text("Cards are secret: everybody else looks away.", "quiet")
    return Panel("pass", "cover", (text, why, Button("seat", f"I am {player}", "accent")), width=520)


def broken(why: str) -> Panel:
    """Why the game cannot go on."""
    items = (Text("The game cannot go on.", "bad", "large", bold=True), Text(why), Button("menu", "Menu"))
    return Panel("broken", "centre", items, width=520)
