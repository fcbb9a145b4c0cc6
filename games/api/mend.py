"""What `teeter.mend` answers: changes after which a scene stands, each checked in full, in words and as a scene."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teeter.games.api.arguments import checked
from teeter.games.api.results import CheckResult
from teeter.games.api.scene import PublicScene
from teeter.models.errors import Untrue
from teeter.models.printed import KEPT, as_json

if TYPE_CHECKING:
    from teeter.engine.topple.mend.changes import Change, Kind
    from teeter.engine.topple.verdict import Word
    from teeter.engine.world.body import Assembly


@dataclass(frozen=True, slots=True, eq=False)
class MendChange(Untrue):
    """One change after which it stands. pieces: that it is about, of those that move together the lowest first.

    move_mm, up_mm: the shift along x and y, and of a piece put elsewhere upwards. turn_deg: on its place,
    counter-clockwise from above. mass_g: to be added at point_mm. friction: of the piece then. force_n: that the prop
    bears, whose top is at point_mm and which is height_mm high. effort: millimetres by which changes are ranked.
    tilt_deg: the margin then. check: the answer of `check` on the scene after it. before, change: in SI units, as the
    packages below work with them.
    """

    asked = "sentence"
    also = ("piece", "verdict")

    kind: Kind
    pieces: tuple[str, ...]
    sentence: str
    effort: float
    tilt_deg: float | None
    move_mm: tuple[float, float] | None
    up_mm: float | None
    turn_deg: float | None
    mass_g: float | None
    friction: float | None
    force_n: float | None
    point_mm: tuple[float, float, float] | None
    height_mm: float | None
    check: CheckResult = field(metadata=KEPT)
    scene: PublicScene = field(metadata=KEPT)
    before: Assembly = field(metadata=KEPT, repr=False)
    change: Change = field(metadata=KEPT, repr=False)

    @property
    def piece(self) -> str:
        """That it is about; of several the lowest."""
        return self.pieces[0]

    @property
    def verdict(self) -> Word:
        """Of the scene after it."""
        return self.check.word

    @checked
    def picture(self, path: str | Path, *, force: bool = False) -> Path:
        """Draw the scene after it, with ghosts of the pieces where they were and an arrow, into a PNG. force: replace a
        file that is there. Raises ViewError and OutputError."""
        from teeter.engine.view.render.verdict_picture import picture
        from teeter.games.api.mend_words import overlays_of
        from teeter.models.files import check_output

        check_output(Path(path), force=force, inputs=self.scene.loaded.files)
        overlays = overlays_of(self.change, self.before, self.check.verdict.judged)
        picture(self.check.verdict, Path(path), force=force, more=overlays, note=self.sentence)
        return Path(path)

    @checked
    def page(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the same as a page that any browser turns and proves, as `check --page` does. force: replace a file
        that is there. Raises OutputError."""
        from teeter.engine.view.overlays import Arrow
        from teeter.games.api.mend_words import overlays_of
        from teeter.games.api.verdict_pages import verdict_page
        from teeter.models.files import check_output

        check_output(Path(path), force=force, inputs=self.scene.loaded.files)
        verdict = self.check.verdict
        there = {body.name for body in verdict.judged.bodies}
        names = set() if self.kind in ("friction", "add_mass", "prop") else there.intersection(self.pieces)
        gone = tuple(body for body in self.before.bodies if body.name in names)
        drawn = overlays_of(self.change, self.before, verdict.judged)
        verdict_page(
            verdict,
            Path(path),
            [self.sentence],
            self.check.certificate(),
            force=force,
            copies=[replace(self.before, bodies=gone)] if gone else [],
            more=[overlay for overlay in drawn if isinstance(overlay, Arrow)],
        )
        return Path(path)

    def to_json(self) -> dict[str, Any]:
        """A change of `teeter mend --json`."""
        found: dict[str, Any] = as_json(self, 6)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class MendResult(Untrue):
    """What to change so that a scene stands. stands: it does already, by both methods and with the margin asked for.

    word: its verdict as it is. changes: the least effort first. unchecked: the next ones, of no less effort, that hold
    by force balance but were not simulated, as of many pieces where no more was asked for. why: what is wrong with it,
    for people; none_because: why no change is told, None where one is or none is needed. complete: False where statics
    could not be asked, or where the simulation agreed to none of the changes that statics found. reach_mm: of shifts
    that were tried. tried: places and numbers that statics was asked about. searched_s: seconds of that.
    """

    asked = "stands"
    also = ("verdict",)

    scene: str
    word: Word = field(metadata=KEPT)
    margin_deg: float | None
    why: str
    stands: bool = False
    changes: tuple[MendChange, ...] = ()
    unchecked: tuple[str, ...] = ()
    none_because: str | None = None
    complete: bool = True
    reach_mm: float = 0.0
    tried: int = 0
    searched_s: float = 0.0

    @property
    def verdict(self) -> Word:
        """The same as `word`, by the name it has in JSON."""
        return self.word

    def __str__(self) -> str:
        rows = [f"{at}. {change.sentence}" for at, change in enumerate(self.changes, start=1)]
        also = [f"By forces alone, not simulated: {sentence}." for sentence in self.unchecked]
        return "\n".join([self.why, *([self.none_because] if self.none_because else []), *rows, *also])

    def to_json(self) -> dict[str, Any]:
        """What `teeter mend --json` prints."""
        found: dict[str, Any] = as_json(self, 6)
        return found
