"""What the window and the process that runs the physics say to each other: orders there, news back. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.core.rules import Action, Choice, Input, Need, Running
from teeter.games.server.protocol import Pause, SetSpeed

S = TypeVar("S", bound=Running, default=Any)
"""The state of a game."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A game to be played. options: mode and house rules. record: where it is kept. resume: a game to go on with.
    scene: what lies on the table of the sandbox; unit, up: of a mesh file that does not name them. tremor: metres, of
    the hands of people. is_drawn: the seed was drawn for this game, so that nobody knows it; one that looks so may be
    known to who gave it."""

    game: str
    players: tuple[str, ...]
    seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    record: Path | None = None
    resume: Path | None = None
    scene: str | None = None
    unit: str | None = None
    up: str | None = None
    tremor: float = 0.0
    is_drawn: bool = False

    @property
    def file(self) -> Path | None:
        """Where the game is kept; None for one that is not."""
        return self.record or self.resume


# -- orders ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Do:
    """A player's action."""

    action: Action


@dataclass(frozen=True, slots=True)
class Aim:
    """Where the held piece shall go, as fast as a careful hand does. Where to a brick is pulled, while it is pulled."""

    pose: Pose


@dataclass(frozen=True, slots=True)
class Lay:
    """Lower the held piece until something carries it, and let go. gap: metres that are free below it."""

    gap: float


@dataclass(frozen=True, slots=True, eq=False)
class BringBody:
    """Sandbox: a piece that no catalogue has, into the hand. Its name is one of many."""

    body: Body


@dataclass(frozen=True, slots=True)
class Several:
    """Sandbox: a file with more than one piece, which no hand takes. path: where it is. count: its pieces."""

    path: str
    count: int


@dataclass(frozen=True, slots=True)
class UnitAsked:
    """Sandbox: a file whose unit only a person knows. why: what makes it doubtful."""

    why: str


@dataclass(frozen=True, slots=True)
class Shove:
    """Sandbox: push a piece sideways for half a second. towards: degrees counter-clockwise from +x."""

    piece: str
    newtons: float
    towards: float


@dataclass(frozen=True, slots=True)
class Tilt:
    """Sandbox: tilt the table by degrees, downhill towards an angle from +x."""

    degrees: float
    towards: float


@dataclass(frozen=True, slots=True)
class Fetch:
    """Sandbox: a piece that fell off the table comes into the hand, over the table."""

    piece: str


@dataclass(frozen=True, slots=True)
class SetBot:
    """A bot plays for a person from now on. player: the person, a member of a seat. style: of the bot; empty: the
    person plays again."""

    player: str
    style: str


class Act(Enum):
    """Orders that need no more words."""

    LET_GO = "let go of the held piece where it is"
    UNDO = "back to the last checkpoint"
    OFFER_PLACES = "say at which places the held piece may be laid"
    PULL_OUT = "draw the held piece out as a bot would, without a hand that guides it"
    CLEAR = "sandbox: put everything away"
    QUIT = "stop; what is recorded stays"


Order = Act | Do | Aim | Lay | SetSpeed | Pause | BringBody | Shove | Tilt | Fetch | SetBot


# -- news ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class NewBody:
    """A body that views will name from now on, or a known name with another piece."""

    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """Where everything is. poses: (n, 7) metres and xyzw. held: the piece in the hand; force: newtons that the
    hand puts on it. left_s: seconds left of a challenge against the clock. lean: degrees by which the table is tilted,
    and where downhill is, degrees counter-clockwise from +x."""

    step: int
    rate: int
    names: tuple[str, ...]
    poses: NDArray[np.float64]
    held: str = ""
    force: float = 0.0
    left_s: float | None = None
    lean: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class GameUpdate(Generic[S]):
    """The rules took something. state: the game after it, with all secrets. event: the type of what they took; given:
    what they took, None for the opening."""

    state: S
    event: str
    given: Input | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Waits:
    """A person is asked. can_undo: something has happened since the last checkpoint."""

    need: Need
    choices: tuple[Choice, ...]
    can_undo: bool


@dataclass(frozen=True, slots=True)
class Places:
    """Where the held piece may be laid, the best first; none where nobody knows."""

    poses: tuple[Pose, ...]


@dataclass(frozen=True, slots=True)
class Pointed:
    """The referee points to where a piece would lie."""

    piece: str
    pose: Pose


SETTING_UP = "setting up the table"


@dataclass(frozen=True, slots=True)
class Busy:
    """Nobody is asked; why, in words for people. share: how much of it is done, 0 where nobody knows."""

    why: str
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Wreck:
    """What fell lies still. Before anything is put back or set up anew the physics wait for `Pause(False)`."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A wish the rules forbid; the clause is empty where no rule is concerned."""

    clause: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The game cannot go on; why, and what was kept. is_crash: a fault of this program, not of what it was given."""

    why: str
    is_crash: bool = True


News = NewBody | TableView | GameUpdate | Waits | Places | Pointed | Busy | Wreck | Refused | Broken
