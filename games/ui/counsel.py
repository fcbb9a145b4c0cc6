"""Help for a hand: asks the advisor about the place it hovers over, and shows the answer as a ghost and in words."""

from __future__ import annotations

import math

from engine.pose import Pose
from engine.view.render.overlays import Ghost, Overlay
from engine.world import FLOOR
from games.ui.advisor import Advice, Advisor, Felt, Finding
from games.ui.desk import Desk
from games.ui.grip import Grip, poses_of

COLOURS = {"safe": "#2b7bba", "risky": "#e0a030", "falls": "#b0301c", "": "#8a8378"}
"""Blue, amber and dark red differ in lightness: told apart with any colour vision."""
WORDS = {
    "safe": "Safe: it stands, with leeway to spare",
    "risky": "Risky: it stands, but hardly",
    "falls": "It falls",
    "": "Nobody can say",
}
PAUSE = 0.12
"""Seconds that the hand holds still before it is asked about."""
SAME = 2e-4
"""Metres within which a place is the same."""


class Counsel:
    """Ghost and hint for one table. The advisor's process starts when it is first asked."""

    def __init__(self, desk: Desk, *, ghost: bool, hint: bool) -> None:
        self.desk = desk
        self.shows_ghost, self.shows_hint = ghost, hint
        self.finding: Finding | None = None
        self.felt: Felt | None = None
        self.feeling = ""
        self._advisor: Advisor | None = None
        self._asked: tuple[str, Pose] | None = None
        self._number = 0
        self._advice: Advice | None = None
        self._since = 0.0
        self._last: Pose | None = None

    @property
    def word(self) -> str:
        """What the hint says; empty for nothing."""
        if self._advice is None or not self.shows_hint:
            return ""
        tilt = f" ({self._advice.tilt_deg:.0f} degrees)" if self._advice.risk in ("safe", "risky") else ""
        return WORDS[self._advice.risk] + tilt

    @property
    def colour(self) -> str:
        """The colour of the hint; empty for none."""
        return COLOURS[self._advice.risk] if self._advice is not None and self.shows_hint else ""

    def step(self, grip: Grip | None, seconds: float) -> None:
        """Time passes: ask about a place that is held long enough, hear what was answered."""
        self._hear()
        if (
            grip is None
            or grip.is_pulling
            or grip.landing is None
            or not (self.shows_ghost or self.shows_hint)
        ):
            self._asked = self._advice = self._last = None
            return
        x, y, _ = grip.goal.position
        place = Pose((x, y, grip.landing), grip.goal.orientation)
        if self._last is None or not _alike(place, self._last):
            self._last, self._since, self._advice = place, 0.0, None
            return
        self._since += seconds
        if self._since >= PAUSE and (self._asked is None or self._asked != (grip.name, place)):
            self._asked = (grip.name, place)
            advisor = self._ready()
            self._number = advisor.where(grip.name, place, self._rows(grip.name), ghost=self.shows_ghost)

    def check(self) -> None:
        """Ask whether everything on the table stands."""
        self.finding = None
        self._number = self._ready().judge(self._rows(self.desk.held))

    def feel(self, piece: str) -> None:
        """Put a finger to a piece of the tower."""
        self.felt = None
        self.feeling = piece
        self._number = self._ready().feel(piece, self._rows(""))

    @property
    def feel_word(self) -> str:
        """What a finger feels; empty for nothing."""
        if self.felt is None:
            return "feeling ..." if self.feeling else ""
        pull = "stuck" if self.felt.pull_n is None else f"a pull of {self.felt.pull_n:.2f} N moves it"
        rest = "the tower stands without it" if self.felt.stands else "the tower needs it"
        return f"{self.felt.load_n:.2f} N lie on it; {pull}; {rest}."

    def guides(self, grip: Grip | None) -> list[Overlay]:
        """The ghost."""
        advice = self._advice
        if grip is None or advice is None or advice.rest is None or not self.shows_ghost:
            return []
        return [
            Ghost(grip.piece, advice.rest, COLOURS[advice.risk] if self.shows_hint else COLOURS[""], 0.45)
        ]

    def _hear(self) -> None:
        for reply in self._advisor.replies() if self._advisor is not None else ():
            if reply.number != self._number:
                continue
            if isinstance(reply, Finding):
                self.finding = reply
            elif isinstance(reply, Felt):
                self.felt, self.feeling = reply, ""
            else:
                self._advice = reply

    def _ready(self) -> Advisor:
        if self._advisor is None:
            self._advisor = Advisor()
        fixed = {name for name in self.desk.pieces if self.desk.is_fixed(name)}
        self._advisor.learn(self.desk.pieces, fixed)
        return self._advisor

    def _rows(self, held: str) -> tuple[tuple[str, Pose], ...]:
        poses = poses_of(self.desk.frame.names, self.desk.frame.poses)
        play = self.desk.in_play
        return tuple(
            (name, pose)
            for name, pose in poses.items()
            if name not in (held, FLOOR) and (name in play or self.desk.is_fixed(name))
        )

    def close(self) -> None:
        """Nobody asks any more."""
        if self._advisor is not None:
            self._advisor.close()


def _alike(one: Pose, other: Pose) -> bool:
    return (
        math.dist(one.position, other.position) < SAME
        and math.dist(one.orientation, other.orientation) < 1e-3
    )
