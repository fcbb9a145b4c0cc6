"""What statics says of an assembly."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypedDict

from teeter.engine.topple.balance.margins import Mode, TiltMargin, Velocities
from teeter.engine.topple.balance.wedging import Wedge
from teeter.models.errors import Untrue
from teeter.models.printed import KEPT


@dataclass(frozen=True, slots=True)
class LoadFactor(Untrue):
    """How much of a load the pieces carry with all else as it is. name: of the load. factor: they fall at so many times
    as much; None: at no multiple. least: times that they need to stand; None: none. stands: by themselves, with the
    load as it is. without: whether they stand without it; where they do neither and `least` is None, no multiple is
    known that they carry."""

    asked = "stands"

    name: str
    factor: float | None
    least: float | None
    stands: bool
    without: bool


class PieceLoad(TypedDict):
    """Newtons that a piece carries from above."""

    load_n: float


@dataclass(frozen=True, slots=True)
class Statics(Untrue):
    """What the force balance says of an assembly; the words are those of `check --json`.

    stands: None when it cannot be judged, and then `why` says why and everything else is None or empty.
    needs_friction: it does not stand without. tilt_deg: smallest tilt at which equilibrium is lost, 0 to 90;
    tilt_direction_deg: the downhill side then, counter-clockwise from +x; tilt_mode: how it moves then. push_n:
    smallest horizontal force at the top centre of push_piece that moves anything (None: no force does), push_mode:
    how. twist_n_mm: N mm about the vertical on push_piece that turn anything (`engine.topple.twist`; None: not asked).
    weakest: the piece that moves most in the mechanism (at critical tilt; when it does not stand, of the fall). loads:
    newtons carried from above. mechanism: per piece velocity (m/s) and angular velocity (rad/s), fastest
    point 1 m/s. wedged: it stands only with contacts that are pressed together before; then there is no margin,
    and the mechanism is that of the pieces set down without. rolls: it stands, but these pieces may roll where they
    lie: nothing drives them and nothing brings them back. tilt_at_least, push_at_least: the margin is no less;
    pieces have rolled so far by then that more is not computed, nor what would move first. factors: how much of each
    load on the pieces they carry.
    """

    # a field is a key of `check --json`, and so is what `also` names; "row" adds a line to the box: its label, and a
    # sentence of the value and push_piece
    asked = "stands"
    also = ("pieces",)

    stands: bool | None
    needs_friction: bool | None = None
    tilt_deg: float | None = None
    tilt_direction_deg: float | None = None
    tilt_mode: Mode | None = None
    push_n: float | None = None
    push_piece: str | None = None
    push_mode: Mode | None = None
    twist_n_mm: float | None = field(
        default=None,
        metadata={"row": ("twist margin", "{:.3g} N mm turn {} about the vertical where faces press evenly")},
    )
    weakest: str | None = None
    loads: dict[str, float] = field(default_factory=dict, metadata=KEPT)
    mechanism: Velocities = field(default_factory=dict, metadata=KEPT)
    why: str | None = None
    wedged: Wedge | None = None
    rolls: tuple[str, ...] = ()
    tilt_at_least: bool = False
    push_at_least: bool = False
    factors: tuple[LoadFactor, ...] = field(default=(), metadata=KEPT)

    @property
    def pieces(self) -> dict[str, PieceLoad]:
        """What each piece carries."""
        return {name: {"load_n": load} for name, load in self.loads.items()}

    def tilted(self, tilt: TiltMargin | None) -> Statics:
        """Returns the same with another tilt margin, or without one."""
        if tilt is None:
            return replace(self, tilt_deg=None, tilt_direction_deg=None, tilt_mode=None, tilt_at_least=False)
        found = replace(self, tilt_deg=tilt.degrees, tilt_direction_deg=tilt.direction, tilt_mode=tilt.mode)
        return replace(found, weakest=tilt.weakest, mechanism=tilt.mechanism)

    @property
    def stands_by_itself(self) -> bool | None:
        """Whether it stands as pieces do that are set down one on another, not clamped; None for what may roll away."""
        return False if self.wedged else None if self.rolls else self.stands
