"""What listings, games, replays and files print as JSON: rows of lists, and what was made."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class SceneRow(TypedDict):
    """A row of `teeter scenes --json`."""

    name: str
    title: str
    pieces: int
    verdict: str | None
    why: str | None


class ModeRow(TypedDict):
    """A way to play a game, and how many may. most: none for as many as like."""

    name: str
    title: str
    least: int
    most: int | None


class OptionRow(TypedDict):
    """A house rule."""

    name: str
    default: bool | int | float | str | None
    allowed: str
    help: str


class GameRow(TypedDict):
    """A row of `teeter games --json`."""

    name: str
    title: str
    summary: str
    modes: list[ModeRow]
    options: list[OptionRow]


class ClauseRow(TypedDict):
    """A clause of a rule book, and what was decided where the book is silent."""

    id: str
    text: str
    decision: str


class RulesJson(TypedDict):
    """`teeter rules --json`."""

    game: str
    clauses: list[ClauseRow]


class ModelRow(TypedDict):
    """A row of `teeter models --json`. parts: convex ones."""

    model: str
    size_mm: list[float]
    mass_g: float
    material: str
    colour: str | None
    shape: str
    parts: int
    value: int | None
    print: str | None


class FindingRow(TypedDict):
    """What `teeter doctor` found. fix: what to do, empty for nothing."""

    what: str
    found: str
    fix: str
    needed: bool


class DoctorJson(TypedDict):
    """`teeter doctor --json`."""

    ok: bool
    findings: list[FindingRow]


class BenchRow(TypedDict):
    """A row of `teeter bench --json`."""

    what: str
    measured: str
    must: str
    holds: bool | None


class PlayJson(TypedDict):
    """`teeter play --headless --json`. scores: by seat. events: lines of the story. replay: the recording."""

    game: str
    mode: str
    seed: int
    players: list[str]
    winners: list[str]
    reason: str
    turns: int
    scores: dict[str, int | float]
    events: int
    replay: str | None


class MoveRow(TypedDict):
    """The tower after a move, at rest."""

    move: int
    step: int
    seconds: float
    player: str
    told: str
    tilt_deg: float | None


class FallRow(TypedDict):
    """Why pieces fell, as `games.play.causes.Cause` has it; that module takes too long to load for a schema."""

    step: int
    seconds: float
    piece: str
    is_laid: bool
    fell: list[str]
    missing_mm: float | None
    tilt_deg: float | None
    sentence: str


class MarginsJson(TypedDict):
    """`teeter replay --margins --json`."""

    teeter: str
    moves: list[MoveRow]
    falls: list[FallRow]


class ExportJson(TypedDict):
    """`teeter export --json`. pieces: in a file that holds them."""

    file: str
    bytes: int
    pieces: NotRequired[int]
    seconds: float


class VideoJson(TypedDict):
    """`teeter video --json`. seconds: it runs, 0 for a picture. pictures: in the file; those of a strip lie side by
    side. size: width and height of the file, pixels."""

    file: str
    seconds: float
    pictures: int
    size: list[int]
    bytes: int


KINDS = {
    "scene-list": list[SceneRow],
    "games": list[GameRow],
    "rules": RulesJson,
    "models": list[ModelRow],
    "doctor": DoctorJson,
    "bench": list[BenchRow],
    "play": PlayJson,
    "replay": MarginsJson,
    "export": ExportJson,
    "video": VideoJson,
}
"""By what prints it."""
