"""What a person can do at a table, an act a row: by which events in the window, by which messages from a browser, and
what comes of it in both; or why there is no such thing in one of them.

Rows are tried without OpenGL and without Chromium: the window's presenter and the hosted table, whose physics only
take note of orders. What a page does alone says which key or button does it; ten rows are tried in Chromium too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from skins import (
    ASKED,
    BIDS,
    BUILT,
    CARDS,
    CARRIED,
    DROPPED,
    FALLEN,
    MENU,
    MIDDLE,
    PULLED,
    SIZE,
    WAITING,
    AtPage,
    Moment,
    Push,
    Said,
    falling,
    opening,
)

from teeter.engine.view.camera import ray, seen_at
from teeter.engine.view.panels import Button, Slider
from teeter.engine.view.window.events import Clicked, Event, Lift, PointerMoved, Press, Slid
from teeter.games.host.rules_page import rules_page
from teeter.games.present.live_director import planned
from teeter.games.server.messages import (
    Act,
    Aim,
    Do,
    Fetch,
    Lay,
    SetBot,
    Shove,
    Tilt,
)
from teeter.games.server.protocol import Pause, SetSpeed

# -- the table --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """What a page does alone. act: as its keys and buttons call it."""

    act: str


@dataclass(frozen=True)
class Missing:
    """What one skin does and the other does not, without a reason."""


@dataclass(frozen=True)
class Row:
    """An act. window: what is pushed, or why nothing is; browser: what is said, what a page does alone, or why neither.

    The last order is the same in both, and of a kind; or something is another value afterwards at the window's screen
    (`shows`) and at the hosted table (`hears`). is_same: false where the way of it is another one. before: makes ready
    what no news can. chromium: keys and buttons of a page, and a value there that is another one afterwards.
    """

    act: str
    at: Moment
    window: tuple[Push, ...] | str | Missing
    browser: tuple[Said, ...] | Page | str | Missing
    order: Any = None
    shows: Callable[[Any], object] | None = None
    hears: Callable[[AtPage], object] | None = None
    is_same: bool = True
    before: Callable[[Any, AtPage | None], None] | None = None
    chromium: tuple[tuple[str, ...], str] | None = None


def clicked(*names: str) -> tuple[Push, ...]:
    """Buttons of panels are clicked."""
    return tuple(Clicked(name) for name in names)


def pressed(*names: str) -> tuple[Said, ...]:
    """The same buttons on a page."""
    return tuple({"type": "press", "name": name} for name in names)


def choose(words: str) -> tuple[Said, ...]:
    """The page's button, or a tap on the piece."""
    return ({"type": "choose", "choice": words},)


def _level(screen: Any) -> list[float]:
    x, y = screen.camera_control.camera.right
    return [x / math.hypot(x, y), y / math.hypot(x, y)]


def hand(name: str, **more: object) -> tuple[Said, ...]:
    """The page's key or button of the hand."""
    return (lambda screen: {"type": "hand", "name": name, "right": _level(screen), "number": 1, **more},)


def place_of(screen: Any, piece: str) -> tuple[float, float]:
    """Where the middle of a piece is seen."""
    x, y = seen_at(screen.camera_control.camera, SIZE, screen.client.pose(piece).position) or MIDDLE
    return float(x), float(y)


def on(piece: str, key: str = "mouse1") -> tuple[Push, ...]:
    """A button of the mouse is pressed and lifted over a piece."""
    return (
        lambda screen: PointerMoved(*place_of(screen, piece)),
        lambda screen: Press(key, *place_of(screen, piece)),
        lambda screen: Lift(key, *place_of(screen, piece)),
    )


def below(screen: Any, piece: str) -> str:
    """The piece under a pointer that is over the middle of a piece."""
    return str(screen.mouse.piece_at(*place_of(screen, piece)))


def dragged(key: str = "mouse1", right: float = 60.0, down: float = 0.0) -> tuple[Push, ...]:
    """A button of the mouse goes down, the pointer somewhere, and the button up."""
    x, y = MIDDLE
    return (
        Press(key, x, y),
        PointerMoved(x + right / 2, y + down / 2),
        PointerMoved(x + right, y + down),
        Lift(key, x + right, y + down),
    )


ASIDE = (MIDDLE[0] + 50.0, MIDDLE[1] - 10.0)


def pointed(screen: Any) -> Mapping[str, object]:
    """The page's pointer is where the window's is."""
    origin, direction = ray(screen.camera_control.camera, SIZE, *ASIDE)
    at = [value / SIZE[1] for value in ASIDE]
    return {
        "type": "point",
        "origin": [float(value) for value in origin],
        "direction": [float(value) for value in direction],
        "at": at,
        "number": 1,
    }


def setting(section: str, key: str) -> Callable[[Any], object]:
    """One of the settings."""
    return lambda screen: getattr(getattr(screen.settings, section), key)


def eye(screen: Any) -> object:
    """From where the window looks, or will soon."""
    control = screen.camera_control
    return control._goal if control._goal is not None else control.orbit


def ready_again(screen: Any, page: AtPage | None) -> None:
    """The wreck lies there, and the director has seen the fall."""
    for show in [screen.fall, *([page.table.fall] if page is not None else [])]:
        show._views = falling(opening(FALLEN.game, FALLEN.players, FALLEN.options, None))
        show._plan, show._is_again, show.state = planned(show._views, show._pieces, 16 / 9), False, "wreck"
        show._shown = show._views[-1].step
        show._later.clear()
        assert show._plan is not None


def ready_nearest(screen: Any, page: AtPage | None) -> None:
    """The coach has pointed to a better place."""
    pose = opening(CARRIED.game, CARRIED.players, CARRIED.options, None).bodies[-1].pose
    screen.hints.nearest = pose
    if page is not None:
        page.table._coach.nearest = pose


def looked_away(screen: Any, page: AtPage | None) -> None:
    """Somebody has gone round the table."""
    screen.camera_control.drag(200.0, 0.0, float(SIZE[1]))


def bid_button(screen: Any) -> Event:
    """The one button below the slider of bids."""
    panel = next(each for each in screen.panels() if each.name == "turn")
    slid = next(n for n, item in enumerate(panel.items) if isinstance(item, Slider))
    return Clicked(next(item.name for item in panel.items[slid:] if isinstance(item, Button)))


def rules_of(page: AtPage) -> str:
    """The page of the rules that a browser opens."""
    return rules_page(page.table._client.game, lambda name: "", is_drawing=False)[0]


OWN_FOCUS = "buttons of a page are gone through and pressed with the browser's own Tab and Enter"
OWN_ZOOM = "the browser's own zoom"
BY_COMMAND = "who hosts says it on the command line: teeter play "
ONE_WINDOW = "who sits at one window is there, and speaks"

GOAL = "() => teeter.view.hand.landing.goal.join()"
CAMERA = "() => [...(teeter.view.outlook.goal ?? teeter.view.outlook.camera).eye].join()"

ROWS = (
    # -- choosing --
    Row("take the piece under the pointer", BUILT, on("slab"), choose("take slab"), Do),
    Row("go through the choices", ASKED, ("tab",), OWN_FOCUS, shows=lambda screen: screen._cursor),
    Row("take the lit choice", ASKED, ("tab", "enter"), choose("row 1"), Do),
    Row("take a choice by its number", CARDS, ("1",), OWN_FOCUS, Do),
    Row("take a choice by its button", ASKED, clicked("choice:0"), choose("row 1"), Do),
    Row("play a card", CARDS, clicked("choice:0"), choose("play"), Do),
    Row("bid by a slider", BIDS, (Slid("bid", 4.0), bid_button), choose("opening with 4"), Do),
    Row(
        "be told why a piece may not be taken",
        ASKED,
        on("brick.53"),
        (lambda screen: {"type": "press", "name": f"take:{below(screen, 'brick.53')}"},),
        Do,
    ),
    # -- carrying --
    Row("carry by the pointer", CARRIED, (PointerMoved(*ASIDE),), (pointed,), Aim),
    Row("carry by keys", CARRIED, ("arrow_left",), hand("left"), Aim, chromium=(("key:ArrowLeft",), GOAL)),
    Row(
        "carry slowly",
        CARRIED,
        ("+lshift", "arrow_left"),
        hand("left", is_fine=True),
        Aim,
        chromium=(("act:fine",), "() => teeter.view.hand.isFine"),
    ),
    Row("carry away from oneself", CARRIED, ("arrow_up",), hand("far"), Aim),
    Row("turn to the left", CARRIED, ("a",), hand("turn_left"), Aim, chromium=(("key:a",), GOAL)),
    Row("turn to the right", CARRIED, ("d",), hand("turn_right"), Aim),
    Row(
        "turn by a drag",
        CARRIED,
        dragged("mouse3"),
        ({"type": "spin", "degrees": 15.0, "number": 1},),
        Aim,
        is_same=False,
    ),
    Row("flip to the next face", CARRIED, ("f",), hand("flip"), Aim, chromium=(("act:flip",), GOAL)),
    Row("tilt", CARRIED, ("i",), hand("tilt"), Aim, chromium=(("act:tilt",), GOAL)),
    Row("lift", CARRIED, ("e",), hand("lift"), Aim, chromium=(("act:lift",), GOAL)),
    Row("lower", CARRIED, ("e", "q"), (*hand("lift"), *hand("lower")), Aim),
    Row("go through the places", CARRIED, ("p",), hand("places"), Act.OFFER_PLACES),
    Row("carry it to where the coach points", CARRIED, ("n",), hand("nearest"), Aim, before=ready_nearest),
    Row("lay", CARRIED, ("space",), hand("lay"), Lay),
    Row("lay by a click", CARRIED, on("table"), (pointed, *hand("lay", number=2)), Lay, is_same=False),
    Row(
        "lay by letting go of the button",
        CARRIED,
        dragged(),
        (pointed, *hand("lay", number=2)),
        Lay,
        is_same=False,
    ),
    Row("let go where it is", CARRIED, ("r",), hand("let_go"), Act.LET_GO),
    # -- pulling --
    Row(
        "pull by a drag",
        PULLED,
        dragged(),
        ({"type": "shift", "by": [0.0, -0.01], "number": 1},),
        Aim,
        is_same=False,
    ),
    Row("pull by keys", PULLED, ("arrow_down",), hand("near"), Aim),
    Row(
        "pull off the rail",
        PULLED,
        ("+control", *dragged()),
        ({"type": "shift", "by": [0.01, -0.01], "number": 1, "is_free": True},),
        shows=lambda screen: screen.hand.is_free,
        hears=lambda page: page.table._hand.is_free,
    ),
    Row("pull no further", PULLED, dragged(), hand("rest"), Aim),
    Row("tap a brick", PULLED, ("t",), hand("tap"), Aim),
    Row("have it pulled out", PULLED, ("o",), hand("pull_out"), Act.PULL_OUT),
    Row("leave a brick in", PULLED, ("r",), hand("let_go"), Act.LET_GO),
    # -- what one is told --
    Row(
        "feel a piece",
        ASKED,
        ("tab", "w"),
        ({"type": "feel", "piece": "brick.14"},),
        shows=lambda screen: screen.hints.feeling,
        hears=lambda page: page.table._coach.feeling,
    ),
    Row(
        "ask the coach",
        CARRIED,
        ("h",),
        pressed("hint"),
        shows=lambda screen: screen.hints.shows_hint,
        hears=lambda page: page.table._coach.shows_hint,
    ),
    Row("hide the ghost", CARRIED, ("g",), Page("ghost"), shows=lambda screen: screen.hints.shows_ghost),
    Row(
        "the tutorial",
        ASKED,
        clicked("learn:tower-topple"),
        ({"type": "press", "name": "learn"},),
        shows=setting("help", "taught"),
        hears=lambda page: page.table.audience.views["Ana"].tutorial,
    ),
    Row(
        "skip the tutorial",
        ASKED,
        clicked("skip"),
        (*({"type": "press", "name": name} for name in ("learn", "skip", "learn")),),
        shows=setting("help", "taught"),
        hears=lambda page: page.table.audience.views["Ana"].tutorial,
    ),
    Row(
        "the rules in pictures",
        ASKED,
        ("escape", *clicked("page:rules")),
        (),
        shows=lambda screen: screen.pages.page,
        hears=lambda page: "figcaption" in rules_of(page),
    ),
    Row(
        "the rules clause by clause",
        ASKED,
        ("escape", *clicked("page:rules", "page:clauses")),
        (),
        shows=lambda screen: screen.pages.page,
        hears=lambda page: "TT-24" in rules_of(page),
    ),
    Row(
        "the list of keys",
        ASKED,
        ("f1",),
        Page("help"),
        shows=lambda screen: screen.pages.page,
    ),
    Row(
        "the story",
        ASKED,
        "the last lines of it stand in the panel all the time",
        Page("story"),
    ),
    # -- looking --
    Row(
        "go round the table", ASKED, dragged("mouse3"), "a drag over the picture, as in every page", shows=eye
    ),
    Row(
        "go round by keys",
        ASKED,
        ("arrow_left",),
        Page("left"),
        shows=eye,
        chromium=(("key:ArrowLeft",), CAMERA),
    ),
    Row("move the view", ASKED, dragged("mouse2"), "two fingers, or a drag with Shift", shows=eye),
    Row("come nearer", ASKED, ("page_up",), Page("closer"), shows=eye, chromium=(("key:PageUp",), CAMERA)),
    Row("go further away", ASKED, ("-",), Page("further"), shows=eye, chromium=(("key:-",), CAMERA)),
    Row("the next view", ASKED, ("c",), Page("view"), shows=eye, chromium=(("act:view",), CAMERA)),
    Row(
        "bring the view back",
        ASKED,
        ("home",),
        Page("home"),
        shows=eye,
        before=looked_away,
        chromium=(("key:Home",), CAMERA),
    ),
    Row("follow the hand", CARRIED, ("v",), Page("follow"), shows=lambda s: s.camera_control.is_following),
    Row("keep a picture", ASKED, ("f12",), "the device's own key", shows=lambda screen: screen.wish),
    Row(
        "full screen",
        ASKED,
        "tests/window_scenarios.py presses F11 in the real window, which alone can",
        "the browser's own F11",
    ),
    # -- time --
    Row("undo", ASKED, ("u",), ({"type": "undo"},), Act.UNDO),
    Row("pause", ASKED, ("escape",), ({"type": "pause", "is_paused": True},), Pause),
    Row("go on after a pause", ASKED, ("escape", "escape"), ({"type": "pause", "is_paused": False},), Pause),
    Row("hurry the bots", WAITING, ("b",), ({"type": "speed", "factor": 2.0},), SetSpeed),
    Row("slow motion", ASKED, ("escape", *clicked("slow")), ({"type": "speed", "factor": 0.25},), SetSpeed),
    Row("go on after a fall", FALLEN, clicked("go_on"), ({"type": "go_on"},), Pause, before=ready_again),
    Row(
        "watch a fall again",
        FALLEN,
        clicked("watch_again"),
        ({"type": "watch_again"},),
        shows=lambda screen: screen.fall._is_again,
        hears=lambda page: page.table.fall._is_again,
        before=ready_again,
    ),
    Row(
        "keep a fall as a clip",
        FALLEN,
        clicked("clip"),
        Page("clip"),
        shows=lambda s: s.wish,
        before=ready_again,
    ),
    # -- how it is seen and heard --
    Row(
        "letters for the colour-blind", ASKED, clicked("marks"), Missing(), shows=setting("picture", "marks")
    ),
    Row("larger letters", ASKED, (Slid("letters", 1.5),), OWN_ZOOM, shows=setting("picture", "letters")),
    Row(
        "a finer picture",
        ASKED,
        clicked("quality:high"),
        "a page draws one kind",
        shows=setting("picture", "quality"),
    ),
    Row("another table", ASKED, clicked("table:felt"), Missing(), shows=setting("picture", "table")),
    Row(
        "sound on and off",
        BUILT,
        clicked("mute"),
        Page("sound"),
        shows=setting("sound", "mute"),
        chromium=(("key:m",), "() => document.querySelector('[data-act=sound]').ariaPressed"),
    ),
    Row("louder", ASKED, (Slid("volume", 0.2),), "the device's own volume", shows=setting("sound", "volume")),
    Row("one-button play", ASKED, clicked("scanning"), Page("scan"), shows=setting("help", "scan")),
    Row(
        "another key",
        ASKED,
        (*clicked("page:keys", "key:flip"), "z"),
        Missing(),
        shows=lambda s: s.settings.keys_of("flip"),
    ),
    # -- who plays what --
    Row(
        "choose a game", MENU, clicked("game:wonky"), BY_COMMAND + "wonky --host", shows=lambda s: s.form.game
    ),
    Row(
        "choose who plays", MENU, clicked("kind:1"), BY_COMMAND + "--players", shows=lambda s: s.form.players
    ),
    Row(
        "house rules",
        MENU,
        clicked("game:tower-topple", "option:rounds:2"),
        BY_COMMAND + "--house",
        shows=lambda screen: screen.form.options,
    ),
    Row(
        "replays",
        MENU,
        clicked("page:replays"),
        "the page that teeter export writes",
        shows=lambda s: s.form.page,
    ),
    Row(
        "leave",
        ASKED,
        ("escape", *clicked("leave")),
        ({"type": "stand_up"},),
        shows=lambda screen: screen.wish,
        hears=lambda page: page.line.seat,
    ),
    Row(
        "give a seat to a bot",
        ASKED,
        ("escape", *clicked("bot:Ben")),
        ({"type": "to_bot", "seat": "Ben", "style": "steady"},),
        SetBot,
    ),
    Row(
        "say something",
        ASKED,
        ONE_WINDOW,
        ({"type": "chat", "text": "well laid"},),
        hears=lambda p: len(p.line._waiting),
    ),
    # -- the sandbox --
    Row(
        "bring out a piece",
        BUILT,
        clicked("piece:bausack/cube"),
        pressed("piece:bausack/cube"),
        Do,
    ),
    Row(
        "push",
        BUILT,
        (Slid("push", 2.0), *clicked("shove")),
        ({"type": "slide", "name": "push", "value": 2.0}, *pressed("shove")),
        Shove,
        chromium=(("act:shove",), "() => teeter.view.turn.turn"),
    ),
    Row(
        "tilt the table",
        BUILT,
        (Slid("tilt", 5.0),),
        ({"type": "slide", "name": "tilt", "value": 5.0},),
        Tilt,
    ),
    Row(
        "bring back from the floor",
        DROPPED,
        clicked("fetch:slab"),
        pressed("fetch:slab"),
        Fetch,
    ),
    Row("put everything away", BUILT, clicked("clear", "clear"), pressed("clear", "clear"), Act.CLEAR),
    Row("put a piece away", BUILT, ("+control", *on("slab")), choose("put slab away"), Do),
    Row(
        "check what stands",
        BUILT,
        ("k",),
        ({"type": "press", "name": "check"},),
        shows=lambda screen: screen.hints.is_checking,
        hears=lambda page: page.table._coach.is_checking,
    ),
    Row("a piece from a file", BUILT, clicked("file"), Missing(), shows=lambda screen: screen.file.path),
    Row(
        "save what was built",
        BUILT,
        clicked("save"),
        pressed("save"),
        shows=lambda screen: screen.building.said,
        hears=lambda page: any('"type":"saved"' in str(text) for text in page.line._waiting),
    ),
)

NO_KEY_OF_A_PAGE = {
    "choose": OWN_FOCUS,
    "next": OWN_FOCUS,
    "picture": "the device's own key",
    "full": "the browser's own F11",
    "panels": OWN_FOCUS,
    "menu": "Pause and Stand up are buttons",
}
"""Acts of the settings' keys that a page leaves to others, and why; what is missing is told by a row too."""
