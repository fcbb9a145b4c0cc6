"""The panels of a game: whose turn, what may be done, why not, the scores, the story. Data from the desk, no window."""

from __future__ import annotations

from dataclasses import dataclass

from engine.view.panels import Button, Item, Meter, Panel, Row, Text
from games.core.rules import Choice, Need, Wait
from games.ui import details
from games.ui.desk import Desk
from games.ui.settings import Settings

MOST = 9
"""Choices that are listed at once; more are on further pages, or on the table."""
REFUSED_S = 7.0
"""Seconds for which a refusal is shown."""
LOG_LINES = 7

PROMPTS = {
    Wait.ACTION: "Choose what to do.",
    Wait.HAND: "Carry it over its place and click: it is lowered, and let go.",
    Wait.PULL: "Draw it out gently, straight along its length.",
    Wait.OVER: "The game is over.",
}


@dataclass(frozen=True, slots=True)
class Look:
    """What of the window the panels tell. lit: the button that the keyboard or the scan is on. hovered: the piece
    below the pointer. gap: millimetres free below the held piece. hint: what the checker says of its place."""

    page: int = 0
    lit: str = ""
    hovered: str = ""
    gap_mm: float = 0.0
    yaw_deg: float = 0.0
    is_fine: bool = False
    hint: str = ""
    is_scanning: bool = False
    is_helping: bool = False
    coach: str = ""
    feel: str = ""
    now: float = 0.0
    pieces: tuple[str, ...] = ()
    """Choices are only listed for these pieces, those that were clicked; none: all."""


def panels(desk: Desk, settings: Settings, look: Look) -> tuple[Panel, ...]:
    """Everything that lies over the table."""
    found = [_turn(desk, settings, look), _scores(desk), *details.panels(desk)]
    if desk.log:
        lines = tuple(Text(line, "quiet", "small") for line in desk.log[-LOG_LINES:])
        found.append(Panel("log", "bottom-left", lines, width=360, tallest=170))
    found.append(_tools(desk, settings))
    if desk.held and desk.waits is not None:
        found.append(_hand(desk, settings, look))
    if desk.refused is not None and look.now - desk.refused_at < REFUSED_S:
        found.append(_refusal(desk))
    if look.coach:
        found.append(Panel("coach", "top", (Text(look.coach, "accent"),), width=460))
    if look.is_helping:
        found.append(_help(desk, settings))
    return tuple(found)


def listed(desk: Desk, look: Look) -> tuple[Choice, ...]:
    """The choices that are offered as buttons: those without a piece, and of pieces as many as can be listed."""
    choices = desk.choices
    if look.pieces:
        return tuple(each for each in choices if piece_of(each) in look.pieces)
    if look.is_scanning:
        return choices
    with_piece = [each for each in choices if piece_of(each) in desk.pieces]
    if len(with_piece) > MOST:
        return tuple(each for each in choices if piece_of(each) not in desk.pieces)
    return choices


def piece_of(choice: Choice) -> str:
    """The piece a choice is about; empty for none."""
    return str(getattr(choice.action, "piece", "") or getattr(choice.action, "take", ""))


def _turn(desk: Desk, settings: Settings, look: Look) -> Panel:
    need = desk.need
    outcome = desk.game.rules.outcome(desk.state)
    if outcome is not None:
        return _over(desk)
    items: list[Item] = []
    if desk.busy:
        items.append(
            Text(desk.busy[:1].upper() + desk.busy[1:] + (" ..." if "..." not in desk.busy else ""), "quiet")
        )
        if need.wait is Wait.COUNT and need.seconds > 0:
            items.append(Meter((look.now - desk.busy_since) / need.seconds, "warn"))
    else:
        items.append(Text(_prompt(desk, need, look), "quiet"))
        items += [Text(f"{each.clause}  {each.text}", "plain", "small") for each in _conditions(desk, need)]
        if look.feel:
            items.append(Text(look.feel, "good", "small"))
        items += _choices(desk, look)
    title = f"{need.player}'s turn" if not desk.game.endless else desk.game.title
    return Panel("turn", "top-left", tuple(items), title, width=320)


def _prompt(desk: Desk, need: Need, look: Look) -> str:
    on_table = [each for each in desk.choices if piece_of(each) in desk.pieces]
    if need.wait is Wait.ACTION and len(on_table) > MOST and not look.pieces:
        return "Click a piece on the table, or press Tab to go through them."
    if need.wait is Wait.ACTION and on_table:
        return "Choose, or click a piece on the table."
    return PROMPTS.get(need.wait, "")


def _conditions(desk: Desk, need: Need) -> tuple[details.Condition, ...]:
    if need.wait is Wait.HAND:
        return need.conditions
    wanted = {each.conditions for each in desk.choices if each.conditions}
    return next(iter(wanted)) if len(wanted) == 1 else ()


def _choices(desk: Desk, look: Look) -> list[Item]:
    offered = listed(desk, look)
    pages = -(-len(offered) // MOST)
    page = look.page % max(pages, 1)
    items: list[Item] = []
    for number, choice in enumerate(offered[page * MOST : (page + 1) * MOST]):
        name = f"choice:{desk.choices.index(choice)}"
        sentence = choice.sentence[:1].upper() + choice.sentence[1:]
        mark = details.colour_of(desk, choice)
        items.append(Button(name, sentence, key=str(number + 1), mark=mark, is_lit=look.lit == name))
    if pages > 1:
        items.append(
            Button("page", f"More ({page + 1} of {pages})", "quiet", key="0", is_lit=look.lit == "page")
        )
    return items


def _over(desk: Desk) -> Panel:
    outcome = desk.game.rules.outcome(desk.state)
    assert outcome is not None
    winners = " and ".join(outcome.winners)
    won = f"{winners} {'win' if len(outcome.winners) > 1 else 'wins'}!" if winners else "Nobody wins."
    reason = Text(f"{outcome.reason.clause}  {outcome.reason.text}", "quiet")
    buttons = Row((Button("again", "Play again", "accent"), Button("menu", "Menu")))
    return Panel("over", "top-left", (Text(won, "accent", "large", bold=True), reason, buttons), width=320)


def _scores(desk: Desk) -> Panel:
    scores = desk.game.rules.scores(desk.state)
    items: list[Item] = []
    for number, (seat, score) in enumerate(zip(desk.state.seats, scores, strict=True)):
        turn = seat.name == desk.need.player and not desk.game.endless
        name = seat.name + (" (bot)" if seat.members[0].bot else "")
        mark = details.seat_colour(desk, number)
        items.append(
            Row(
                (Text(name, "plain" if turn else "quiet", bold=turn, mark=mark), Text(str(score), bold=turn)),
                (3.2, 1),
            )
        )
    return Panel("scores", "top-right", tuple(items), desk.game.score_word.capitalize(), width=230)


def _tools(desk: Desk, settings: Settings) -> Panel:
    can_undo = desk.waits is not None and desk.waits.can_undo and settings.help.level != "purist"
    undo = Button("undo", "Undo", is_enabled=can_undo, key=settings.key_said("undo"))
    view = Button("view", "View", key=settings.key_said("view"))
    helping = Button("help", "Help", key=settings.key_said("help"))
    menu = Button("menu", "Menu", key=settings.key_said("menu"))
    return Panel("tools", "bottom-right", (Row((undo, view, helping, menu)),), width=400, is_bare=True)


def _hand(desk: Desk, settings: Settings, look: Look) -> Panel:
    need = desk.need
    items: list[Item] = []
    if need.wait is Wait.PULL:
        force = desk.view.force if desk.view is not None else 0.0
        items.append(Text(f"The hand pulls with {force:.1f} N", "plain", "small"))
        items.append(Meter(force / 6.0, "warn" if force > 3.0 else "accent"))
    else:
        fine = "  fine" if look.is_fine else ""
        where = f"{look.gap_mm:.0f} mm above its place, turned {look.yaw_deg:.0f} degrees{fine}"
        items.append(Text(where, "plain", "small"))
        items.append(Row(nudges(settings, look)))
    if look.hint:
        items.append(Text(look.hint, "plain", "small", bold=True))
    return Panel("hand", "bottom", tuple(items), width=430)


def nudges(settings: Settings, look: Look) -> tuple[Button, ...]:
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


def _refusal(desk: Desk) -> Panel:
    refused = desk.refused
    assert refused is not None
    items: list[Item] = [Text(refused.sentence[:1].upper() + refused.sentence[1:] + ".", "bad", bold=True)]
    if refused.clause:
        items.append(Text(f"{refused.clause}: {desk.clause(refused.clause)}", "quiet", "small"))
    return Panel("refusal", "top", tuple(items), width=440)


def _help(desk: Desk, settings: Settings) -> Panel:
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
        "scan": "one-button play",
        "menu": "menu",
    }
    rows = tuple(
        Row((Text(" ".join(settings.keys_of(act)), "accent", "small"), Text(text, size="small")), (1, 2))
        for act, text in said.items()
    )
    mouse = Text(
        "Left button: take, lay. Right-drag: turn the held piece, or go round the table. Middle-drag: move the view. "
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
