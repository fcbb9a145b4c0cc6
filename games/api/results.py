"""What the functions of `teeter` return, in mm, degrees, newtons and seconds, with the names of the JSON keys."""

from __future__ import annotations

import io
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teeter.games.api.arguments import checked
from teeter.games.api.scene import in_notebook, show_in_notebook, show_verdict_in_window
from teeter.models.errors import Untrue
from teeter.models.printed import KEPT, as_json, keys_of

if TYPE_CHECKING:
    from rich.panel import Panel

    from teeter.engine.topple.balance.answer import Statics
    from teeter.engine.topple.laboratory.noise import Chance, Method
    from teeter.engine.topple.verdict import CheckOptions, Pose, Verdict, Word
    from teeter.engine.topple.verdict_json import SimulationResult
    from teeter.games.api.data import Columns
    from teeter.scenes.scene import Scene

COLOUR = {"stands": "green", "topples": "red", "unsure": "yellow"}
NAMED = 4
"""Pieces named that go first, at most."""
DIGITS = {"p_stand": 6, "low": 6, "high": 6, "position_mm": 9, "tilt_deg": 9}
"""Of what is printed as JSON about noise."""


@dataclass(frozen=True, slots=True)
class ExplainResult(Untrue):
    """Which pieces move or would move first, over which edge, and how much is missing or to spare.

    moves, others: names; empty where nothing can move. kind: tips, slides or drops, relative to `against`. edge_of:
    the piece whose edge they tip over; edge_mm: its two ends. towards_deg: counter-clockwise from +x. room_mm: of the
    centre of mass inside the edge, negative beyond it. force_n: at point_mm starts the motion; negative: is missing
    to stop it.
    """

    asked = "sentences"

    sentences: tuple[str, ...]
    moves: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    kind: str | None = None
    against: str | None = None
    edge_of: str | None = None
    edge_mm: tuple[tuple[float, ...], ...] | None = None
    towards_deg: float | None = None
    room_mm: float | None = None
    force_n: float | None = None
    point_mm: tuple[float, ...] | None = None
    friction_needed: float | None = None

    def __str__(self) -> str:
        return "\n".join(self.sentences)


@dataclass(frozen=True, slots=True, eq=False)
class CheckResult(Untrue):
    """The answer of `teeter.check`. `print` shows the box of the command line, a notebook the picture with its forces.

    word: stands, topples or unsure. pose: the poses that statics was computed on. settled_mm: the largest move of
    letting the pieces down first. statics: margins, in degrees and newtons; its `stands` is None where a force balance
    says nothing, and `why` says why. dynamics: what the simulation found. wall_s: seconds the check took. verdict,
    loaded, options: the same in SI units, as the packages below work with them.
    """

    asked = "stands"

    verdict: Verdict
    loaded: Scene
    options: CheckOptions
    word: Word
    scene: str
    pose: Pose
    settled_mm: float
    statics: Statics
    dynamics: SimulationResult
    wall_s: float

    @property
    def stands(self) -> bool:
        """Whether both methods say so; False also where the answer is `unsure`."""
        return self.word == "stands"

    @property
    def read(self) -> dict[str, Any]:
        """What was read: pieces, supports, size_mm, mass_g of the pieces, unit, up, table, and closed_mm, the gaps
        closed first."""
        from teeter.scenes.scene import read_from

        return read_from(self.loaded)

    @property
    def off_table(self) -> tuple[str, ...]:
        """Pieces that reach past the edge of the table at its height, or lie beside it."""
        return self.verdict.off_table

    @property
    def contacts(self) -> Columns:
        """Contact points with their forces, as a dict of columns: see `teeter.games.api.data.contacts`."""
        from teeter.games.api import data

        return data.contacts(self.verdict)

    @property
    def interfaces(self) -> Columns:
        """Faces in which pieces touch, with the resultant and where it passes: `teeter.games.api.data.interfaces`."""
        from teeter.games.api import data

        return data.interfaces(self.verdict)

    @property
    def rest(self) -> Columns:
        """Where the first trial left the pieces: see `teeter.games.api.data.rest`."""
        from teeter.games.api import data

        return data.rest(self.verdict)

    @property
    def trajectory(self) -> Columns:
        """The trial that decided, run again, 60 readings a second: see `teeter.games.api.data.trajectory`."""
        from teeter.games.api import data

        return data.trajectory(self.loaded, self.verdict)

    def explain(self) -> ExplainResult:
        """Why: which piece goes over which edge, and how much is missing or to spare."""
        facts = explained(self.verdict)
        return ExplainResult(**{key: _frozen(value) for key, value in facts.items()})

    @checked
    def to_json(self, *, data: bool = False) -> dict[str, Any]:
        """What `teeter check --json` prints. data: with its tables, as `--data` adds them."""
        from importlib.metadata import version

        from teeter.engine.topple.verdict_json import to_json

        content: dict[str, Any] = {**to_json(self.verdict, version("teeter")), "read": self.read}
        if data:
            from teeter.games.api.data import TABLES, as_lists

            content |= {name: as_lists(getattr(self, name)) for name in TABLES}
        return content

    @checked
    def picture(self, path: str | Path, *, force: bool = False) -> Path:
        """Draw the verdict with its contact forces into a PNG, as `--picture` does. force: replace a file that is
        there. Raises ViewError and OutputError."""
        from teeter.engine.view.render.verdict_picture import picture
        from teeter.models.files import check_output

        check_output(Path(path), force=force, inputs=self.loaded.files)
        picture(self.verdict, Path(path), force=force)
        return Path(path)

    @checked
    def record(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the trial that decided as a replay, as `--record` does. force: replace a file that is there. Raises
        OutputError and RecordError."""
        from teeter.games.check_record import record

        record(Path(path), self.loaded, self.verdict, force=force)
        return Path(path)

    def certificate(self) -> dict[str, Any]:
        """The proof in exact fractions, as `--certificate` writes it. Its `claim` is None where there is none,
        and `why` says why."""
        from teeter.games.api.proof import certificate_of

        return certificate_of(self.verdict)

    @checked
    def compas(self, path: str | Path, *, force: bool = False) -> Path:
        """Write a COMPAS assembly in JSON: blocks, and their interfaces with the forces, as `--compas` does. force:
        replace a file that is there. Raises OutputError."""
        from teeter.games.api.compas import assembly_of
        from teeter.models.files import check_output, whole_or_nothing

        check_output(Path(path), force=force, inputs=self.loaded.files)
        with whole_or_nothing(Path(path), force=force) as part:
            part.write_text(json.dumps(assembly_of(self.verdict), allow_nan=False) + "\n", encoding="utf-8")
        return Path(path)

    @checked
    def page(self, path: str | Path, *, force: bool = False) -> Path:
        """Write one page that any browser turns and proves, as `--page` does. force: replace a file that is there.
        Raises OutputError."""
        from teeter.games.api.verdict_pages import verdict_page
        from teeter.models.files import check_output

        check_output(Path(path), force=force, inputs=self.loaded.files)
        why = explained(self.verdict)["sentences"]
        verdict_page(self.verdict, Path(path), why, self.certificate(), force=force)
        return Path(path)

    def show(self) -> None:
        """Open a window on the verdict, until it is closed; in a notebook show a picture. Raises ViewError."""
        if in_notebook():
            show_in_notebook(self)
        else:
            show_verdict_in_window(self.verdict)

    def _repr_html_(self) -> str:
        """A page to turn the scene in, in a frame; a picture where the page would be too heavy for a notebook."""
        from teeter.games.api.verdict_pages import notebook_cell

        return notebook_cell(self.verdict, explained(self.verdict)["sentences"])

    def __str__(self) -> str:
        from rich.console import Console

        written = io.StringIO()
        Console(file=written, width=max(Console().width, 40)).print(panel(self.verdict, self.loaded))
        return written.getvalue().rstrip("\n")

    def __repr__(self) -> str:
        return f"<{self.scene!r} {self.word}>"


@dataclass(frozen=True, slots=True)
class NoiseResult(Untrue):
    """How surely a scene stands. p_stand: the share of samples that stood, low and high its 95 % interval (Wilson).
    position_mm, tilt_deg, friction: the noise that was asked for. first_to_move: how often each piece went first.
    judged_by: samples that each method decided. chance: the engine's `Chance` that it was made of, in SI units."""

    asked = "p_stand"

    samples: int
    stood: int
    p_stand: float
    low: float
    high: float
    position_mm: float
    tilt_deg: float
    friction: tuple[float, float] | None
    seed: int
    first_to_move: dict[str, int]
    judged_by: dict[Method, int]
    stopped_early: bool
    chance: Any = field(repr=False, compare=False, metadata=KEPT)

    def to_json(self) -> dict[str, Any]:
        """What `teeter check --json` prints under `noise`."""
        values = ((name, getattr(self, name)) for name in keys_of(type(self)))
        return {name: round(value, DIGITS[name]) if name in DIGITS else value for name, value in values}

    def __str__(self) -> str:
        return (
            f"stood {self.stood} of {self.samples} noisy copies: {100 * self.p_stand:.1f} %, "
            f"with 95 % confidence {100 * self.low:.1f} to {100 * self.high:.1f} %"
        )


@dataclass(frozen=True, slots=True)
class StepResult(Untrue):
    """One step of putting a scene together. word: the verdict on all pieces so far. tilt_deg: its margin."""

    asked = "word"

    number: int
    piece: str
    word: Word
    tilt_deg: float | None


@dataclass(frozen=True, slots=True)
class StepsResult(Untrue):
    """The steps up to the first after which the scene does not stand, that one included. sentences: why it does not, or
    which step has the least margin. total: steps of the whole order."""

    asked = "stands"

    steps: tuple[StepResult, ...]
    sentences: tuple[str, ...]
    total: int

    @property
    def word(self) -> Word:
        """The verdict on the last of these steps."""
        return self.steps[-1].word if self.steps else "stands"

    @property
    def stands(self) -> bool:
        """Whether it stands after every step."""
        return self.word == "stands"

    def to_json(self) -> dict[str, Any]:
        """What `teeter check --steps --json` prints."""
        last = self.steps[-1] if self.steps else None
        return {
            "verdict": self.word,
            "steps": [
                {
                    "step": step.number,
                    "piece": step.piece,
                    "verdict": step.word,
                    "tilt_deg": None if step.tilt_deg is None else round(step.tilt_deg, 5),
                }
                for step in self.steps
            ],
            "total": self.total,
            "falls_at": None if last is None or last.word == "stands" else last.number,
            "sentences": list(self.sentences),
        }


@dataclass(frozen=True, slots=True)
class PoseResult(Untrue):
    """A pose in which a piece lies stably on a level table. margin_deg: of tilt, at which it tips; None on a curve, on
    which it may roll, and then height_mm is None too: of the centre of mass over the table. share: of all ways to be
    put down. rotation_deg: roll, pitch and yaw of a scene file; quaternion: the same. area_mm2: that it rests on."""

    asked = "margin_deg"

    margin_deg: float | None
    share: float
    height_mm: float | None
    rotation_deg: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    area_mm2: float

    def to_json(self) -> dict[str, Any]:
        """What `teeter poses --json` prints."""
        row: dict[str, Any] = as_json(self, 9)
        return row


@dataclass(frozen=True, slots=True)
class ProbeResult(Untrue):
    """One piece. load_n: carried from above. pull_n: the greatest force, as a moving median, of a slow level pull over
    its first 3 mm (in scenes much larger or smaller than the games in proportion) in the easiest direction; the other
    pieces are not held and may ride along. None where something is in its way: it is stuck. stands_without: the rest
    stays up without it. loose: pull_n is at most twice the friction of its own weight."""

    asked = "stands_without"

    load_n: float
    pull_n: float | None
    stands_without: bool
    loose: bool


@dataclass(frozen=True, slots=True)
class Played(Untrue):
    """A game that was played. winners: nobody, or several. reason: why it ended, in words. scores: by player.
    turns: choices that players made. record: the file it is kept in."""

    asked = "winners"

    players: tuple[str, ...]
    winners: tuple[str, ...]
    reason: str
    scores: dict[str, int]
    turns: int
    record: Path | None = None


@dataclass(frozen=True, slots=True)
class FilmResult(Untrue):
    """A video, loop or picture that was drawn. seconds: it runs, 0 for a picture. frames: in the file; those of a strip
    lie side by side. size: width and height of the file in pixels."""

    asked = "file"

    file: Path
    seconds: float
    frames: int
    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ExportResult(Untrue):
    """What was exported. size: in bytes; seconds: of the recording; pieces: animated in a .glb, None for a page."""

    asked = "file"

    file: Path
    size: int
    seconds: float
    pieces: int | None = None


def noise_result(chance: Chance) -> NoiseResult:
    """The same in mm and degrees."""
    noise = chance.noise
    return NoiseResult(
        chance.samples,
        chance.stood,
        chance.share,
        chance.low,
        chance.high,
        noise.position * 1e3,
        math.degrees(noise.tilt),
        noise.friction,
        noise.seed,
        chance.first,
        chance.judged,
        chance.stopped,
        chance,
    )


def check_result(verdict: Verdict, loaded: Scene) -> CheckResult:
    """The same in mm and degrees."""
    from teeter.engine.topple.verdict_json import simulation

    return CheckResult(
        verdict,
        loaded,
        verdict.options,
        verdict.word,
        verdict.scene,
        verdict.pose,
        verdict.settled * 1e3,
        verdict.statics,
        simulation(verdict.dynamics),
        verdict.wall,
    )


def explained(verdict: Verdict) -> dict[str, Any]:
    """Why, as `teeter check --explain --json` prints it: mm, degrees, newtons."""
    from teeter.engine.topple.balance.mechanism import explain
    from teeter.engine.topple.errors import StaticsError
    from teeter.engine.topple.verdict import contacts_of
    from teeter.engine.topple.words import to_json

    why = None
    if verdict.statics.stands is not None:
        try:
            gravity = verdict.options.gravity
            why = explain(verdict.judged, verdict.statics, contacts_of(verdict), gravity=gravity)
        except StaticsError as error:
            return {"sentences": [f"{error}."]}
    return to_json(why, verdict.statics)


def panel(verdict: Verdict, loaded: Scene, noise: NoiseResult | None = None) -> Panel:
    """The box of the command line: its headline, its facts, how surely it stands, and what was read."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    from teeter.engine.topple.words import headline, rows
    from teeter.scenes.scene import read_in_words

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column()
    *facts, took = rows(verdict)
    facts += [("read", read_in_words(loaded)), took]
    for label, text in [*facts, *(_noise_rows(noise) if noise is not None else [])]:
        grid.add_row(label, text)
    colour = COLOUR[verdict.word]
    title = Text.assemble(
        (f" {verdict.word.upper()} ", f"bold white on {colour}"), "  ", (verdict.scene, "bold")
    )
    return Panel(Group(headline(verdict), "", grid), title=title, title_align="left", border_style=colour)


def _noise_rows(noise: NoiseResult) -> list[tuple[str, str]]:
    """How surely it stands, in words, as (label, text)."""
    lines, first = [("how surely", str(noise))], list(noise.first_to_move.items())[:NAMED]
    if first:
        falls = noise.samples - noise.stood
        named = [f"{name} in {count} of {falls} falls" for name, count in first]
        lines.append(("goes first", ", ".join(named)))
    return lines


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
