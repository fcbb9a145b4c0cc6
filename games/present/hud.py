"""The panels of a game: whose turn, what may be done, why not, the scores, the story. Values, no window."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from teeter.engine.view.panels import Button, Fan, FanCard, Item, Meter, Panel, Picture, Row, Text
from teeter.games.core.rules import Choice, Need, Wait
from teeter.games.core.words import capital
from teeter.games.faults import left_out
from teeter.games.present import hand_panel, sandbox_panel
from teeter.games.present.bids import bid_of, bid_slider, with_one_bid
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import colour_of, details_of
from teeter.games.present.end_screen import over, score_rows
from teeter.games.present.hud_state import CHOICES_PER_PAGE, HudState
from teeter.games.present.naming import is_shipped
from teeter.games.present.pictures import from_above, of_piece
from teeter.games.present.settings import Settings

REFUSED_S = 7.0
"""Seconds for which a refusal is shown."""
MOST_PACE = 4.0
"""Faster than that nobody follows a bot."""
NOT_KEPT = "This game is not kept."
LOG_LINES_SHOWN = 7
SMALL_CARD, LOW_CARD = (57.0, 80.0), (52.0, 73.0)
"""Units: the width and height of a card in a small picture, and of one that cannot be played now."""

PROMPTS = {
    Wait.ACTION: "Choose what to do.",
    Wait.HAND: "Carry it over its place, and lay it: it is lowered, and let go.",
    Wait.PULL: "Draw it out gently, straight along its length.",
    Wait.OVER: "The game is over.",
}
SCANNED = {Wait.HAND: "Choose a place, and lay it there."}
"""With one button."""
ABSENT = {
    "free": "Nobody sits at {who}'s seat: the game waits.",
    "away": "{who} has lost the line: the game waits.",
}
"""Where who is asked is not there."""


def panels(
    client: ClientState, settings: Settings, look: HudState, left: frozenset[str] = frozenset()
) -> tuple[Panel, ...]:
    """Everything that lies over the table. left: parts that whoever draws it has in another form."""
    cards: list[Panel] = []
    for what, make in PARTS.items():
        if what not in left:
            with left_out(what):
                cards += make(client, settings, look)
    return tuple(cards)


def _log(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    """The story; routine stands out in it for a moment, and nowhere else."""
    fresh = look.toast if look.rank == "routine" else ()
    lines = tuple(
        Text(line, "accent" if line in fresh else "quiet", "small", bold=line in fresh)
        for line in client.log[-LOG_LINES_SHOWN:]
    )
    if client.plan.file is None and not client.game.is_free_building:
        # where there is little room the last line is seen, and that is of the game
        lines = (Text(NOT_KEPT, "bad", "small"), *lines)
    return (Panel("log", "bottom-left", lines, width=320, tallest=150),) if lines else ()


def _close(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    """What is printed on a piece."""
    piece = client.held or look.close
    model = "" if is_over(client) else _model(client, piece)
    if not model or not details_of(client.game).has_print(client, piece):
        return ()
    return (Panel("close", "top-right", (Picture(from_above(model), 206.0, 154.0),), width=230),)


def _toast(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    if look.count:
        number = Text(str(look.count), "accent", "huge", bold=True)
        return (Panel("count", "toast", (number,), width=72, at=look.toast_at, keep_off=look.toast_off),)
    if look.rank == "routine":
        return ()
    if look.rank == "moment":
        large = tuple(Text(line, "bad", "title", bold=True) for line in look.toast[-1:])
        return (Panel("moment", "top", large, width=520, is_bare=True),) if large else ()
    lines = tuple(Text(line, "accent", bold=True) for line in look.toast)
    panel = Panel("toast", "toast", lines, width=300, at=look.toast_at, keep_off=look.toast_off)
    return (panel,) if lines else ()


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
        return tuple(choice for choice in choices if piece_of(choice) in look.pieces)
    if look.is_scanning:
        return choices
    if client.game.is_free_building:
        # what lies there is clicked: a list that grows with it would push all else away
        return tuple(choice for choice in choices if piece_of(choice) not in client.pieces)
    choices = with_one_bid(choices, look.bid)
    with_piece = [choice for choice in choices if piece_of(choice) in client.pieces]
    if len(with_piece) > look.most and not look.is_listed:
        return tuple(choice for choice in choices if piece_of(choice) not in client.pieces)
    return choices


def piece_of(choice: Choice) -> str:
    """The piece a choice is about; empty for none."""
    return str(getattr(choice.action, "piece", "") or getattr(choice.action, "take", ""))


def shown_by(choice: Choice) -> str:
    """What lies on the table for a choice: its piece, or the stack of which it turns up a card; empty for nothing."""
    return piece_of(choice) or str(getattr(choice.action, "shown_by", ""))


def is_over(client: ClientState) -> bool:
    """Whether the game has ended."""
    return client.game.rules.outcome(client.state) is not None


def _turn(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    if is_over(client):
        return ()
    need = client.need
    is_own = client.seat in (None, need.player)
    items: list[Item] = []
    if client.busy:
        dots = "" if "..." in client.busy else " ..."
        items.append(Text(capital(client.busy) + dots, "quiet"))
        if client.busy_share:
            items.append(Meter(client.busy_share))
    else:
        prompt = (
            Text(look.lesson, "accent", bold=True)
            if look.lesson
            else Text(_prompt(client, need, look), "quiet")
        )
        image = image_of(client, client.held) if client.held and not look.is_small else ""
        items.append(Row((Picture(image, 48.0, 36.0), prompt), (1, 5)) if image else prompt)
        if look.lesson:
            done, all_ = look.learned
            learned = Text(f"tutorial, {done} of {all_} done", "quiet", "small")
            items.append(Row((learned, Button("skip", "Skip it", "quiet")), (2, 1)))
        # a lesson says it in its own words
        asked = need.conditions if is_own and not look.lesson and need.wait is Wait.HAND else ()
        items += [Text(capital(question.text), "plain", "small") for question in asked]
        items += _choices(client, look)
        if look.feel:
            # below the buttons, which stay where they are
            items.append(Text(look.feel, "good", "small"))
    if client.game.endless:
        return (Panel("turn", "top-left", tuple(items), client.game.title, width=320),)
    seat = next(n for n, seat in enumerate(client.state.seats) if seat.name == need.player)
    mark = details_of(client.game).seat_mark(client, seat)
    whose = "Your turn" if client.seat == need.player else f"{need.who}'s turn"
    return (Panel("turn", "top-left", tuple(items), whose, width=320, mark=mark),)


def _prompt(client: ClientState, need: Need, look: HudState) -> str:
    if client.seat not in (None, need.player):
        acts = {Wait.HAND: "lays a piece", Wait.PULL: "draws a brick"}.get(need.wait, "chooses")
        return ABSENT.get(look.absent, "{who} {acts}.").format(who=need.who, acts=acts)
    if client.choices and all(map(card_of, client.choices)):
        return "Choose a card."
    if look.is_scanning:
        return SCANNED.get(need.wait, PROMPTS.get(need.wait, ""))
    on_table = [choice for choice in client.choices if piece_of(choice) in client.pieces]
    if need.wait is Wait.ACTION and len(on_table) > look.most and not look.pieces:
        by_key = ", or press Tab to go through them" if client.seat is None else ""
        return f"Choose a piece on the table{by_key}."
    if need.wait is Wait.ACTION and on_table:
        return "Choose, or click a piece on the table."
    return PROMPTS.get(need.wait, "")


def _choices(client: ClientState, look: HudState) -> list[Item]:
    shown, pages = offered(client, look)
    in_hand = {held.card for held in details_of(client.game).cards(client)}
    slider = None if look.is_scanning else bid_slider(client.choices, look.bid)
    items: list[Item] = []
    lit = next((choice for n, choice in enumerate(client.choices) if look.lit == f"choice:{n}"), None)
    if lit is not None and lit not in shown:
        # gone to by the keyboard: it is not listed, but has to be seen
        items.append(Button(look.lit, capital(lit.sentence), key="Enter", is_lit=True))
    for number, choice in enumerate(shown):
        name = f"choice:{client.choices.index(choice)}"
        if card_of(choice) in in_hand:
            continue
        sentence = capital(choice.sentence)
        key, is_lit = str(number + 1), look.lit == name
        if slider is not None and bid_of(choice) is not None:
            items.append(slider)
        items.append(
            Button(
                name,
                sentence,
                key=key,
                mark=colour_of(choice),
                is_lit=is_lit,
                image=image_of(client, piece_of(choice)),
            )
        )
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
    hidden = 0 if look.pieces or client.game.endless else len(client.choices) - len(_listed(client, look))
    if slider is None and hidden > 0:
        items.append(Button("list", f"List all {hidden}", "quiet"))
    elif look.pieces:
        items.append(Button("all", "All choices", "quiet"))
    return items


def image_of(client: ClientState, name: str) -> str:
    """Returns the picture of a piece; empty where there is none."""
    model = _model(client, name)
    return of_piece(model) if model else ""


def _model(client: ClientState, name: str) -> str:
    """The piece of a catalogue that looks like a piece; empty where there is none, or where its print is a secret."""
    details = details_of(client.game)
    if name not in client.pieces or name in details.unread(client):
        return ""
    model = details.model(client, name)
    return model if is_shipped(model) else ""


def _fan(client: ClientState, settings: Settings, look: HudState) -> list[Panel]:
    """The cards in the hand of who looks, each with the number that plays it."""
    cards = details_of(client.game).cards(client)
    if not cards or client.held or is_over(client):
        return []
    plays = {card: number for number, choice in enumerate(client.choices) if (card := card_of(choice))}
    fan = []
    for held in cards:
        number = plays.get(held.card)
        name = "" if number is None else f"choice:{number}"
        key = "" if number is None or number >= CHOICES_PER_PAGE else str(number + 1)
        fan.append(FanCard(name, held.image, number is not None, bool(name) and look.lit == name, key))
    # those that cannot be played now are lowered
    size = LOW_CARD if not plays else SMALL_CARD if look.is_small else ()
    shown = Fan(tuple(fan), *size)
    return [Panel("cards", "bottom", (shown,), width=620, is_bare=True)]


def card_of(choice: Choice) -> str:
    """Returns the card that a choice plays; empty for none."""
    return str(getattr(choice.action, "card", ""))


def _scores(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    if is_over(client) or client.game.is_free_building:
        return ()
    rows = tuple(score_rows(client, look.gains))
    scores = Panel("scores", "top-right", rows, capital(client.game.scoring(client.state)[0]), width=230)
    words, mark = look.flying
    flying = Text(words, "accent", "title", bold=True, mark=mark)
    return scores, *((Panel("gain", "toast", (flying,), width=70, at=look.flies_at),) if words else ())


def _end(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    if not is_over(client):
        return ()
    if look.is_closed:
        return (Panel("result", "left", (Button("look", "Result"),), is_bare=True),)
    return (over(client, look),)


def _details(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    if client.held and look.is_small and client.need.wait is not Wait.ACTION:
        # while it is carried; who bids for it has to see the tokens
        return ()
    items = details_of(client.game).items(client)
    return (Panel("details", "top-right", items, width=230),) if items else ()


def _tools(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    buttons = tuple(
        Button(name, text, key=settings.key_said(name, is_pad=look.is_pad))
        for name, text in (("undo", "Undo"), ("view", "View"), ("help", "Keys"), ("menu", "Menu"))
    )
    undo = replace(buttons[0], is_enabled=not why_no_undo(client, settings), has_why=True)
    said = "Bots at once" if look.pace > MOST_PACE else f"Bots {look.pace:g} x"
    key = settings.key_said("hurry", is_pad=look.is_pad)
    hurry = (Button("hurry", said, key=key, is_on=look.pace > 2.0),) if look.pace else ()
    items = (*hurry, Row((undo, *buttons[1:])))
    return (Panel("tools", "bottom-right", items, width=230, is_bare=True),)


def why_no_undo(client: ClientState, settings: Settings) -> str:
    """Returns why nothing can be taken back now (ALL-6); empty when something can."""
    if settings.help.level == "purist":
        return "You play as a purist: nothing is taken back."
    if client.waits is None:
        return "Not now: wait until you are asked."
    if client.waits.can_undo:
        return ""
    if client.held:
        return "Too late to take back: the piece has touched another (ALL-6)."
    if client.game.is_free_building:
        return "Nothing to take back."
    return "Nothing to take back: a piece in the hand can be, until it touches another (ALL-6)."


def _sandbox(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    if not client.game.is_free_building:
        return ()
    chosen = look.pieces[0] if look.pieces else ""
    return sandbox_panel.panels(client, chosen, settings.key_said("check"), look.building)


def _refusal(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    refused = client.refused
    if refused is None or look.now - client.refused_at >= REFUSED_S:
        return ()
    items: list[Item] = [Text(capital(refused.sentence) + ".", "bad", bold=True)]
    if refused.clause:
        items.append(Text(f"{refused.clause}: {client.clause(refused.clause)}", "quiet", "small"))
    return (Panel("refusal", "toast", tuple(items), width=340, at=look.refused_at),)


Maker = Callable[[ClientState, Settings, HudState], Iterable[Panel]]
PARTS: dict[str, Maker] = {
    "the panel of the turn": _turn,
    "the scores": _scores,
    "the panel of the end": _end,
    "the panel of the game": _details,
    "the sandbox": _sandbox,
    "the story": _log,
    "the tools": _tools,
    "the cards": _fan,
    "the close look": _close,
    "the panel of the hand": hand_panel.hand,
    "a refusal": _refusal,
    "a toast": _toast,
}
"""What lies over the table, in the window and in browsers: a line a part, as what fails is named."""


def pass_on(player: str) -> Panel:
    """Covers the table until the next person sits at it."""
    text = Text(f"Pass the seat to {player}.", size="title", bold=True)
    why = Text("What comes is a secret: everybody else looks away.", "quiet")
    return Panel("pass", "cover", (text, why, Button("seat", f"I am {player}", "accent")), width=520)
