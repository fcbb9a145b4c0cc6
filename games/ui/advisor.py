"""Advice from a process of its own, so that no picture waits for it: where a piece would come to rest, whether the
tower would stand with it, and what the checker says of everything that lies there."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Literal

from engine.pose import Pose
from engine.view.camera import Vector
from models.piece import Piece

Risk = Literal["safe", "risky", "falls", ""]


@dataclass(frozen=True, slots=True, eq=False)
class Learn:
    """A piece that later questions name."""

    name: str
    piece: Piece
    fixed: bool


@dataclass(frozen=True, slots=True)
class Where:
    """What if `held` were let go at a pose? rows: name and pose of everything else."""

    number: int
    held: str
    pose: Pose
    rows: tuple[tuple[str, Pose], ...]
    is_ghost: bool


@dataclass(frozen=True, slots=True)
class Judge:
    """Would all this stand?"""

    number: int
    rows: tuple[tuple[str, Pose], ...]


@dataclass(frozen=True, slots=True)
class Feel:
    """What of a piece of the tower can be felt with a finger?"""

    number: int
    piece: str
    rows: tuple[tuple[str, Pose], ...]


@dataclass(frozen=True, slots=True)
class Felt:
    """load_n: what it carries. pull_n: how hard it pulls, None when the hand cannot. stands: whether the rest would."""

    number: int
    piece: str
    load_n: float
    pull_n: float | None
    stands: bool


@dataclass(frozen=True, slots=True)
class Advice:
    """risk: of letting go. tilt_deg: how far the table could tilt then. rest: where the piece comes to rest."""

    number: int
    risk: Risk
    tilt_deg: float
    rest: Pose | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The checker's verdict. weakest: the piece that goes first. arrows: places and forces (N) of the contacts."""

    number: int
    word: str
    told: str
    weakest: str
    arrows: tuple[tuple[Vector, Vector], ...]


Question = Where | Judge | Feel
Reply = Advice | Finding | Felt


class Advisor:
    """Asks without waiting; only the last question of a kind is worth an answer."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._end, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other,), daemon=True, name="teeter advisor")
        self._process.start()
        other.close()
        self._known: dict[str, Piece] = {}
        self._number = 0
        self._is_busy = False
        self._next: Question | None = None

    def learn(self, pieces: dict[str, Piece], fixed: set[str]) -> None:
        """Tell it of pieces it does not know yet."""
        for name, piece in pieces.items():
            if self._known.get(name) is not piece:
                self._known[name] = piece
                self._send(Learn(name, piece, name in fixed))

    def where(self, held: str, pose: Pose, rows: tuple[tuple[str, Pose], ...], *, ghost: bool) -> int:
        """Ask what would happen to a piece; the number of the question."""
        self._number += 1
        self._ask(Where(self._number, held, pose, rows, ghost))
        return self._number

    def judge(self, rows: tuple[tuple[str, Pose], ...]) -> int:
        """Ask whether everything stands; the number of the question."""
        self._number += 1
        self._ask(Judge(self._number, rows))
        return self._number

    def feel(self, piece: str, rows: tuple[tuple[str, Pose], ...]) -> int:
        """Ask how a piece feels; the number of the question."""
        self._number += 1
        self._ask(Feel(self._number, piece, rows))
        return self._number

    def _ask(self, question: Question) -> None:
        if self._is_busy:
            self._next = question
        else:
            self._is_busy = True
            self._send(question)

    def replies(self) -> list[Reply]:
        """What was answered since the last call."""
        found: list[Reply] = []
        try:
            while self._end.poll():
                found.append(self._end.recv())
                self._is_busy = False
        except (EOFError, OSError):
            return found
        if not self._is_busy and self._next is not None:
            question, self._next = self._next, None
            self._ask(question)
        return found

    def _send(self, what: Learn | Question) -> None:
        try:
            self._end.send(what)
        except (BrokenPipeError, OSError):
            self._is_busy = True

    def close(self) -> None:
        """It is not asked any more."""
        self._process.terminate()
        self._process.join(5.0)
        self._end.close()


def _serve(line: Connection) -> None:
    """The process; what it needs is loaded there alone."""
    from games.ui.advising import serve

    serve(line)
