"""What the server of a hosted game says to browsers: texts of JSON, each of one of these forms.

Poses of what moves are bytes (`games/host/scene.py`); all else is here, and `engine/view/page/src/protocol.ts` is made
of it by `make page`.
"""

from typing import Any, Literal

from typing_extensions import TypedDict

from teeter.engine.view.panels import Panel

Row = list[float]
"""A pose: x, y, z in metres and the quaternion x, y, z, w."""


WaitWord = Literal["action", "hand", "pull", "rest", "count", "answer", "over"]


class Welcome(TypedDict):
    """What a browser is at the table."""

    type: Literal["welcome"]
    protocol: int
    role: Literal["host", "seat", "spectator"] | None
    game: str
    title: str
    seat: str
    token: str
    is_free_building: bool


class Bodies(TypedDict):
    """Bodies from a number on. scene: how they look, with places in the blob."""

    type: Literal["bodies"]
    first: int
    scene: dict[str, Any]
    blob: str


class TableNews(TypedDict):
    """What is there, by numbers; held: -1 for nothing. left_s: of a challenge against the clock. mine: the hand is that
    of who hears it. number: of the last message that this hand has followed. lean: degrees by which the table is
    tilted, and where downhill is, counter-clockwise from +x. is_paused, speed: of its clock, as the host has set it."""

    type: Literal["table"]
    step: int
    rate: int
    shown: list[int]
    held: int
    force: float
    left_s: float | None
    mine: bool
    number: int
    lean: tuple[float, float]
    is_paused: bool
    speed: float


class ChoiceRow(TypedDict):
    """What may be chosen, as the panels have a button for it too. piece: that stands for it on the table."""

    choice: int
    sentence: str
    group: str
    piece: str


class Stroke(TypedDict):
    """A line on the table, metres."""

    points: list[list[float]]
    colour: str
    radius: float
    cover: float


class Turn(TypedDict):
    """Who is asked what. lit: the pieces that everything is about now."""

    type: Literal["turn"]
    turn: int
    wait: WaitWord
    who: str
    mine: bool
    choices: list[ChoiceRow]
    can_undo: bool
    lines: list[Stroke]
    lit: list[str]


class PanelNews(TypedDict):
    """A panel that is another one now; one without items has gone. order: of those at one place. Pictures are names;
    they come on their own, later or never."""

    type: Literal["panel"]
    order: int
    panel: Panel


class PictureNews(TypedDict):
    """PictureNews by name, as `data:` links."""

    type: Literal["pictures"]
    pictures: dict[str, str]


class Story(TypedDict):
    """Lines of the story."""

    type: Literal["story"]
    lines: list[str]


class Landing(TypedDict):
    """Where the held piece goes. number: of the last message that this follows. pose: where it would lie below; None
    over nothing. low: metres of its lowest point below its middle. turned: degrees since it was taken. place: what is
    said of the places that are gone through. slots: the places that draw it in. rail: the level direction along which
    it is pulled, and metres from its middle to its end."""

    type: Literal["landing"]
    number: int
    goal: Row
    pose: Row | None
    low: float
    turned: int
    place: str
    slots: list[Row]
    rail: tuple[float, float, float] | None


class Coached(TypedDict):
    """What the coach says of a place. number: of the message that the hand had followed then. is_first: a first look,
    after which more is said. place: the nearest one where the piece may lie, where this one is bad and it is known."""

    type: Literal["coached"]
    number: int
    verdict: Literal["stands", "topples", "unsure", "forbidden"]
    is_first: bool
    place: Row | None


class FeltNews(TypedDict):
    """What was felt of the tower. piece, sentence: that a finger was put to last, and what it feels. pieces: how it is
    to draw those that were felt to be loose, and that one. may: pieces can be felt now."""

    type: Literal["felt"]
    piece: str
    sentence: str
    pieces: dict[str, Literal["stands", "topples", "unsure", "forbidden"]]
    may: bool


class FrameNews(TypedDict):
    """What is to be seen, each by its least and greatest corner, metres: the tower, and what else must be; empty for
    nothing. home: where on the table the seat has its own things (x, y); empty where it has none."""

    type: Literal["frame"]
    tower: list[float]
    others: list[float]
    home: list[float]


class Refusal(TypedDict):
    """Why something was not done; the clause is empty where no rule is concerned."""

    type: Literal["refused"]
    clause: str
    sentence: str


class BusyNews(TypedDict):
    """Nobody is asked, and why."""

    type: Literal["busy"]
    why: str
    share: float


class FallNews(TypedDict):
    """Pieces come down, or lie there (`wreck`), or the game goes on. eye, target, fov: from where the director looks,
    metres and degrees; empty where nobody knows. told: what happened."""

    type: Literal["fall"]
    state: Literal["", "falls", "wreck"]
    eye: list[float]
    target: list[float]
    fov: float
    told: str


class PointedNews(TypedDict):
    """The referee points to where a piece would lie."""

    type: Literal["pointed"]
    piece: str
    pose: Row


class SavedNews(TypedDict):
    """A file that the browser is to keep. base64: what is in it."""

    type: Literal["saved"]
    name: str
    base64: str


class ChatLine(TypedDict):
    """A line for everybody; who is empty for the table itself."""

    type: Literal["chat"]
    who: str
    text: str


class Away(TypedDict):
    """Who sat there has lost the line."""

    type: Literal["away"]
    seat: str
    seconds_left: int


class BrokenNews(TypedDict):
    """The game cannot go on."""

    type: Literal["broken"]
    why: str


class Pong(TypedDict):
    """The answer to a `ping`."""

    type: Literal["pong"]
    number: int


SeatNews = (
    Welcome
    | PanelNews
    | Bodies
    | TableNews
    | Turn
    | PictureNews
    | Story
    | Landing
    | Coached
    | FeltNews
    | FrameNews
    | Refusal
    | BusyNews
    | FallNews
    | PointedNews
    | SavedNews
    | ChatLine
    | Away
    | BrokenNews
    | Pong
)
