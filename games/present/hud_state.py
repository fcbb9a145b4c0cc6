"""What the panels tell of whoever looks, and how that changes by their own buttons and sliders."""

from dataclasses import dataclass, field, replace

from teeter.games.present import sandbox_panel
from teeter.games.present.asking import Risk
from teeter.games.present.client_state import Rank
from teeter.games.present.sandbox_panel import SandboxLook

CHOICES_PER_PAGE = 9
"""Choices that are listed at once; more are on further pages, or on the table."""
FEW_CHOICES, SMALL_WIDTH = 3, 640.0
"""Choices of pieces that are listed where a picture is small, and its width there: pixels, by the size of letters."""


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
    absent: str = ""
    """How the seat that is asked is empty, `free` or `away`, in a browser."""
    may_deal: bool = False
    """Whether whoever looks may have a game dealt anew, in a browser."""
    is_closed: bool = False
    """Whether the end was read, and the table is looked at."""
    close: str = ""
    is_pad: bool = False
    pace: float = 0.0
    """How fast bots play; 0 where there are none."""

    @property
    def is_small(self) -> bool:
        """Whether the picture is small, by its letters: while something is held, what is only to be read gives way."""
        return self.most <= FEW_CHOICES


def most_choices(width: float, letters: float) -> int:
    """Returns how many choices of pieces are listed in a picture, its width in pixels, by the size of letters."""
    return FEW_CHOICES if width < SMALL_WIDTH * letters else CHOICES_PER_PAGE


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
    return replace(look, is_closed=not look.is_closed) if name == "look" else look


def slid(look: HudState, name: str, value: float) -> HudState:
    """Returns how it is looked at once a slider was dragged."""
    if name == "bid":
        return replace(look, bid=round(value))
    return replace(look, building=sandbox_panel.slid(look.building, name, value))


def anew(look: HudState) -> HudState:
    """Returns how it is looked at when something else is asked."""
    return replace(look, page=0, pieces=(), bid=None, is_listed=False)
