"""The panels of a game: whose turn, what may be done, why not, the scores, the story. Values, no window."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from teeter.engine.view.panels import Button, Fan, FanCard, Item, Meter, Panel, Picture, Row, Text, Tone
from teeter.games.core.events import Condition
from teeter.games.core.rules import Choice, Need, Wait
from teeter.games.core.words import capital
from teeter.games.faults import left_out, or_else
from teeter.games.present import sandbox_panel
from teeter.games.present.asking import Risk
from teeter.games.present.bids import bid_of, bid_slider, with_one_bid
from teeter.games.present.client_state import ClientState, Rank
from teeter.games.present.details import colour_of, details_of, marked
from teeter.games.present.end_screen import over, score_rows
from teeter.games.present.hand import HandControl
from teeter.games.present.naming import is_shipped
from teeter.games.present.pictures import from_above, of_piece
from teeter.games.present.sandbox_panel import SandboxLook
from teeter.games.present.settings import Settings

CHOICES_PER_PAGE = 9
"""Choices that are listed at once; more are on further pages, or on the table."""
PER_ROW = 6
"""Buttons of the hand side by side."""
REFUSED_S = 7.0
"""Seconds for which a refusal is shown."""
MOST_PACE = 4.0
"""Faster than that nobody follows a bot."""
NUDGES = ("lay", "places", "turn_left", "flip", "tilt", "lift")
SCANNED = ("lower", "left", "right", "far", "near", "fine")
"""What buttons do to a held piece; more of it with one button, whose order is that of going through them."""
ALL_NUDGES = (
    ("turn_left", "turn_right", "flip", "tilt", "lift", "lower"),
    ("left", "far", "near", "right"),
    ("places", "hint", "fine", "lay"),
)
"""On a page, where a finger has no keys."""
PULLING = ("tap", "pull_out", "let_go")
NAMED = {
    "turn_left": "Turn",
    "hint": "Coach",
    "lift": "Higher",
    "pull_out": "Pull it out",
    "let_go": "Let go",
}
SIGNS = {
    "turn_left": "\u27f2",
    "turn_right": "\u27f3",
    "left": "\u2190",
    "right": "\u2192",
    "far": "\u2191",
    "near": "\u2193",
}
"""What buttons are called, where it is not the act; on a page, where there are more of them."""
TONES: dict[Risk, Tone] = {"safe": "good", "risky": "warn", "falls": "bad", "against": "bad", "": "plain"}
"""Of what the checker says of a place."""
NOT_KEPT = "This game is not kept."
LOG_LINES_SHOWN = 7

PROMPTS = {
    Wait.ACTION: "Choose what to do.",
    Wait.HAND: "Carry it over its place, and lay it: it is lowered, and let go.",
    Wait.PULL: "Draw it out gently, straight along its length.",
    Wait.OVER: "The game is over.",
}


@dataclass(frozen=True, slots=True)
class HudState:
    """What of the window the panels tell. lit: the button that the keyboard or the scan is on. gap: millimetres free
    below the held piece, None over nothing. hint, risk: what the checker says of its place. pieces: choices are only
    listed for these pieces, those that were clicked; none: all. toast, rank: what just happened, how much is made of
    it. toast_at, refused_at: where in the picture, pixels. toast_off: what they must not cover.
    film: how the film of the game is getting on. close: the piece whose print is looked at closely. lesson: of the
    tutorial, what to do now. learned: how many of its acts were done, of how many. is_pad: a gamepad is used."""

    page: int = 0
    most: int = CHOICES_PER_PAGE
    """Choices of pieces that lie there which are listed; where there are more, people point at the table."""
    is_listed: bool = False
    """Whether they are listed all the same."""
    bid: int | None = None
    """What the slider of bids is on."""
    lit: str = ""
    gap_mm: float | None = 0.0
    yaw_deg: float = 0.0
    is_fine: bool = False
    is_free: bool = False
    """Whether a brick need not keep to its rail."""
    hint: str = ""
    risk: Risk = ""
    is_pointed: bool = False
    """Whether the coach points to a better place."""
    warning: str = ""
    is_scanning: bool = False
    lesson: str = ""
    learned: tuple[int, int] = (0, 0)
    feel: str = ""
    now: float = 0.0
    places: int | None = None
    """How many places are offered in one-button play; None while they are looked for."""
    place: str = ""
    """What is said of the places that are gone through."""
    pieces: tuple[str, ...] = ()
    toast: tuple[str, ...] = ()
    rank: Rank = "event"
    toast_at: tuple[float, float] = (0.0, 0.0)
    toast_off: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    gains: tuple[int, ...] = ()
    """By how much scores have just changed."""
    flying: tuple[str, str] = ("", "")
    flies_at: tuple[float, float] = (0.0, 0.0)
    """Points or coins on their way to the scores, words and a mark; where in the picture, pixels."""
    count: int = 0
    """How far a count has come."""
    refused_at: tuple[float, float] = (0.0, 0.0)
    film: str = ""
    why: str = ""
    """Why pieces fell, where the game is over and it is known."""
    building: SandboxLook = field(default_factory=SandboxLook)
    """What somebody is about to do in the sandbox."""
    is_closed: bool = False
    """Whether the end was read, and the table is looked at."""
    close: str = ""
    is_pad: bool = False
    pace: float = 0.0
    """How fast bots play; 0 where there are none."""


def panels(
    client: ClientState, settings: Settings, look: HudState, left: frozenset[str] = frozenset()
) -> tuple[Panel, ...]:
    """Everything that lies over the table. left: parts that whoever draws it has in another form."""
    found: list[Panel] = []
    for what, make in PARTS.items():
        if what not in left:
            with left_out(what):
                found += make(client, settings, look)
    return tuple(found)


def _log(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    """The story; routine stands out in it for a moment, and nowhere else."""
    fresh = look.toast if look.rank == "routine" else ()
    lines = tuple(
        Text(line, "accent" if line in fresh else "quiet", "small", bold=line in fresh)
        for line in client.log[-LOG_LINES_SHOWN:]
    )
    if client.plan.file is None and not client.game.is_free_building:
        lines = (*lines, Text(NOT_KEPT, "bad", "small"))
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
        return tuple(each for each in choices if piece_of(each) in look.pieces)
    if look.is_scanning:
        return choices
    if client.game.is_free_building:
        # what lies there is clicked: a list that grows with it would push all else away
        return tuple(each for each in choices if piece_of(each) not in client.pieces)
    choices = with_one_bid(choices, look.bid)
    with_piece = [each for each in choices if piece_of(each) in client.pieces]
    if len(with_piece) > look.most and not look.is_listed:
        return tuple(each for each in choices if piece_of(each) not in client.pieces)
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
        image = image_of(client, client.held) if client.held else ""
        items.append(Row((Picture(image, 48.0, 36.0), prompt), (1, 5)) if image else prompt)
        if look.lesson:
            done, all_ = look.learned
            learned = Text(f"tutorial, {done} of {all_} done", "quiet", "small")
            items.append(Row((learned, Button("skip", "Skip it", "quiet")), (2, 1)))
        asked = or_else("the conditions", lambda: conditions(client, need), ()) if is_own else ()
        items += [Text(capital(each.text), "plain", "small") for each in asked]
        items += _choices(client, look)
        if look.feel:
            # below the buttons, which stay where they are
            items.append(Text(look.feel, "good", "small"))
    if client.game.endless:
        return (Panel("turn", "top-left", tuple(items), client.game.title, width=320),)
    seat = next(n for n, seat in enumerate(client.state.seats) if seat.name == need.player)
    colour = marked(details_of(client.game).seat_colour(client, seat))
    whose = "Your turn" if client.seat == need.player else f"{need.who}'s turn"
    return (Panel("turn", "top-left", tuple(items), whose, width=320, mark=colour),)


def _prompt(client: ClientState, need: Need, look: HudState) -> str:
    if client.seat not in (None, need.player):
        acts = {Wait.HAND: "lays a piece", Wait.PULL: "draws a brick"}.get(need.wait, "chooses")
        return f"{need.who} {acts}."
    on_table = [each for each in client.choices if piece_of(each) in client.pieces]
    if need.wait is Wait.ACTION and len(on_table) > look.most and not look.pieces:
        by_key = ", or press Tab to go through them" if client.seat is None else ""
        return f"Choose a piece on the table{by_key}."
    if need.wait is Wait.ACTION and on_table:
        return "Choose, or click a piece on the table."
    return PROMPTS.get(need.wait, "")


def conditions(client: ClientState, need: Need) -> tuple[Condition, ...]:
    """Returns what holds for the piece that is laid, or for all that may be taken alike."""
    if need.wait is Wait.HAND:
        return need.conditions
    wanted = {each.conditions for each in client.choices if each.conditions}
    return next(iter(wanted)) if len(wanted) == 1 else ()


def _choices(client: ClientState, look: HudState) -> list[Item]:
    shown, pages = offered(client, look)
    in_hand = {held.card for held in details_of(client.game).cards(client)}
    slider = None if look.is_scanning else bid_slider(client.choices, look.bid)
    items: list[Item] = []
    lit = next((each for n, each in enumerate(client.choices) if look.lit == f"choice:{n}"), None)
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
    shown = Fan(tuple(fan)) if plays else Fan(tuple(fan), 52.0, 73.0)
    return [Panel("cards", "bottom", (shown,), width=620, is_bare=True)]


def card_of(choice: Choice) -> str:
    """Returns the card that a choice plays; empty for none."""
    return str(getattr(choice.action, "card", ""))


def _scores(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    if is_over(client) or client.game.is_free_building:
        return ()
    turn = () if client.game.endless else (client.need.player,)
    rows = tuple(score_rows(client, turn, look.gains))
    scores = Panel("scores", "top-right", rows, capital(client.game.score_word), width=230)
    words, mark = look.flying
    flying = Text(words, "accent", "title", bold=True, mark=mark)
    return scores, *((Panel("gain", "toast", (flying,), width=70, at=look.flies_at),) if words else ())


def _end(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    return (over(client, look.film, look.why),) if is_over(client) and not look.is_closed else ()


def _details(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    items = details_of(client.game).items(client)
    return (Panel("details", "top-right", items, width=230),) if items else ()


def _tools(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    buttons = tuple(
        Button(name, name.capitalize(), key=settings.key_said(name, is_pad=look.is_pad))
        for name in ("undo", "view", "help", "menu")
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
    return "Nothing to take back: a piece in the hand can be, until it touches another (ALL-6)."


def _hand(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    need = client.need
    if not client.held or client.waits is None or need.wait not in (Wait.HAND, Wait.PULL):
        # a piece that is only looked at cannot be laid
        return ()
    if need.player not in (client.seat or need.player,):
        return ()
    items: list[Item] = []
    if need.wait is Wait.PULL:
        force = client.view.force if client.view is not None else 0.0
        items.append(Text(f"The hand pulls with {force:.1f} N", "plain", "small"))
        items.append(Meter(force / 6.0, "warn" if force > 3.0 else "accent"))
        free = ("free",) if client.seat is not None else ()
        items.append(Row(tuple(_nudge(act, settings, look) for act in (*free, *PULLING))))
        return (Panel("hand", "bottom", tuple(items), width=640),)
    fine = "  fine" if look.is_fine else ""
    turned = f"turned {look.yaw_deg:.0f} degrees{fine}"
    where = f"{look.gap_mm:.0f} mm above its place" if look.gap_mm is not None else "nothing is below it"
    items.append(Text(", ".join(filter(None, (where, turned, look.place))), "plain", "small"))
    # what comes and goes stands over the buttons, which the panel at the lower edge keeps where they are
    if look.warning:
        items.append(Text(look.warning, "bad", "small", bold=True))
    if look.hint:
        items.append(Text(look.hint, TONES[look.risk], "small", bold=True))
    if look.is_pointed:
        items.append(replace(_nudge("nearest", settings, look), text="Carry it there"))
    items += _one_button(look) if look.is_scanning else []
    if client.seat is not None:
        rows = [tuple(_nudge(act, settings, look, SIGNS) for act in row) for row in ALL_NUDGES]
    else:
        buttons = tuple(
            _nudge(act, settings, look) for act in (*NUDGES, *(SCANNED if look.is_scanning else ()))
        )
        rows = [buttons[k : k + PER_ROW] for k in range(0, len(buttons), PER_ROW)]
    return (Panel("hand", "bottom", (*items, *map(Row, rows)), width=640),)


def _nudge(act: str, settings: Settings, look: HudState, signs: Mapping[str, str] = NAMED) -> Button:
    """A button for what a key does with a held piece."""
    return Button(
        f"act:{act}",
        (capital(look.place) or "Show places")
        if act == "places"
        else signs.get(act) or NAMED.get(act, act.capitalize()),
        "accent" if act in ("lay", "pull_out") else "plain",
        key="" if look.is_scanning else settings.key_said(act, is_pad=look.is_pad),
        is_lit=look.lit == f"act:{act}",
        is_on=(act == "fine" and look.is_fine) or (act == "free" and look.is_free),
    )


def held(hand: HandControl) -> dict[str, Any]:
    """Returns what the panel of the hand tells of a piece in it."""
    grip = hand.grip
    if grip is None:
        return {"place": hand.place_word}
    is_over = grip.landing is not None or grip.is_pulling
    return {"gap_mm": 1e3 * grip.gap if is_over else None, "yaw_deg": grip.yaw, "place": hand.place_word}


def _one_button(look: HudState) -> list[Item]:
    """Places to choose from, and the line over the table."""
    if look.places is None:
        return [Text("looking for places ...", "quiet", "small")]
    names = [f"Place {number} of {look.places}" for number in range(1, look.places + 1)]
    buttons = [Button(f"place:{k}", name, is_lit=look.lit == f"place:{k}") for k, name in enumerate(names)]
    rows: list[Item] = [Row(tuple(buttons[k : k + 3])) for k in range(0, len(buttons), 3)]
    return [*rows, Button("line", "Point with a line")]


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


def pressed(look: HudState, name: str) -> HudState:
    """Returns how it is looked at once a button of a panel was pressed that concerns nothing else."""
    look = replace(look, building=sandbox_panel.pressed(look.building, name))
    if name == "page":
        return replace(look, page=look.page + 1)
    if name == "list":
        return replace(look, is_listed=True)
    if name == "all":
        return replace(look, pieces=(), page=0)
    if name == "fine":
        return replace(look, is_fine=not look.is_fine)
    if name == "free":
        return replace(look, is_free=not look.is_free)
    if name.startswith("only:"):
        return replace(look, pieces=(name.partition(":")[2],), page=0)
    return replace(look, is_closed=True) if name == "look" else look


def slid(look: HudState, name: str, value: float) -> HudState:
    """Returns how it is looked at once a slider was dragged."""
    if name == "bid":
        return replace(look, bid=round(value))
    return replace(look, building=sandbox_panel.slid(look.building, name, value))


def anew(look: HudState) -> HudState:
    """Returns how it is looked at when something else is asked."""
    return replace(look, page=0, pieces=(), bid=None, is_listed=False)


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
    "the panel of the hand": _hand,
    "a refusal": _refusal,
    "a toast": _toast,
}
"""What lies over the table, in the window and in browsers: a line a part, as what fails is named."""


def pass_on(player: str) -> Panel:
    """Covers the table until the next person sits at it."""
    text = Text(f"Pass the seat to {player}.", size="title", bold=True)
    why = Text("What comes is a secret: everybody else looks away.", "quiet")
    return Panel("pass", "cover", (text, why, Button("seat", f"I am {player}", "accent")), width=520)
