"""Verdicts beside each other: ours and those of the peers, on random stacks, kept row by row.

python tests/research/agreement.py 0:520 agreement.csv 5     # resumes when interrupted; an hour or two on a core
python tests/research/agreement.py 0:520 agreement.csv mujoco    # asks one of them again, or for the first time
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from cra_worker import cra_says
from peer_oracles import HAS_CRA, HAS_MUJOCO, PeerAnswer, mujoco_says
from stacks import Stack, stack

from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.statics import stands, tilt_margin
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.perturbation import running_trials
from teeter.engine.topple.verdict import joint
from teeter.engine.worlds import using

NEAR = {"shift": 1.0, "tilt": 1.0}
"""Millimetres or degrees that count as near the critical point."""
DECIDED = 0.2
"""Millimetres (and degrees) outside of which our two methods have to agree."""


@dataclass(frozen=True, slots=True)
class Row:
    """One stack and what everybody says of it. off: from its critical point, see `Stack`. margin: degrees that the
    table may still be tilted, None when it does not stand. A verdict is None where there is none (why_ says why).
    rapier: `stands`, `topples` or `unsure`, empty when it was not asked."""

    number: int
    kind: str
    pieces: int
    friction: float
    off: float | None
    margin: float | None
    statics: bool | None
    dynamics: bool | None
    verdict: str
    mujoco: bool | None
    rbe: bool | None
    cra: bool | None
    statics_s: float
    dynamics_s: float
    mujoco_s: float
    rbe_s: float
    cra_s: float
    why: str = ""
    rapier: str = ""


def judge(made: Stack, with_cra: bool = HAS_CRA) -> Row:
    """Ask everybody. Peers that are not installed, or not to be asked, say nothing."""
    assembly, gravity = made.assembly, made.gravity
    # a first look builds what every stack shares: shapes of pieces, kept from then on
    contacts = find_contacts(assembly)
    started = time.perf_counter()
    statics = stands(assembly, gravity=gravity)
    between = time.perf_counter()
    # as `check` asks it: a fall is looked at twice only where statics does not see one
    with running_trials(assembly, gravity=gravity) as finish:
        dynamics = finish(statics).stands
    after = time.perf_counter()
    margin = (
        tilt_margin(balance_of(assembly, contacts, gravity=gravity, friction=None)).degrees
        if statics
        else None
    )
    silent = PeerAnswer(None, 0.0, "not asked")
    mujoco = mujoco_says(assembly, gravity) if HAS_MUJOCO else silent
    rbe = cra_says(assembly, made.friction, "rbe", gravity) if with_cra else silent
    cra = cra_says(assembly, made.friction, "cra", gravity) if with_cra else silent
    reasons = [f"{name}: {answer.why}" for name, answer in (("rbe", rbe), ("cra", cra)) if answer.why]
    return Row(
        number=made.number,
        kind=made.kind,
        pieces=made.pieces,
        friction=made.friction,
        off=made.off,
        margin=margin,
        statics=statics,
        dynamics=dynamics,
        verdict=joint(statics, dynamics),
        mujoco=mujoco.stands,
        rbe=rbe.stands,
        cra=cra.stands,
        statics_s=between - started,
        dynamics_s=after - between,
        mujoco_s=mujoco.seconds,
        rbe_s=rbe.seconds,
        cra_s=cra.seconds,
        why="; ".join(reasons),
    )


def ask_ours(row: Row) -> Row:
    """Returns the row with our own answers of today, where the two methods differed."""
    if row.verdict != "unsure":
        return row
    made = stack(row.number)
    statics = stands(made.assembly, gravity=made.gravity)
    started = time.perf_counter()
    with running_trials(made.assembly, gravity=made.gravity) as finish:
        dynamics = finish(statics).stands
    seconds = time.perf_counter() - started
    return replace(
        row, statics=statics, dynamics=dynamics, verdict=joint(statics, dynamics), dynamics_s=seconds
    )


def ask_mujoco(row: Row) -> Row:
    """Returns the row with MuJoCo's answer of today."""
    made = stack(row.number)
    answer = mujoco_says(made.assembly, made.gravity)
    return replace(row, mujoco=answer.stands, mujoco_s=answer.seconds)


def ask_rapier(row: Row) -> Row:
    """Returns the row with the answer of our own trials on Rapier. What the first look says is enough when it stands,
    or when statics sees a fall."""
    made = stack(row.number)
    with using("rapier"), running_trials(made.assembly, gravity=made.gravity) as finish:
        answer = finish(row.statics).stands
    return replace(row, rapier=joint(None, answer))


AGAIN: dict[str, Callable[[Row], Row]] = {"ours": ask_ours, "mujoco": ask_mujoco, "rapier": ask_rapier}
"""Who can be asked without the others. Of ours only what was `unsure` is asked again; Rapier is asked once, because it
takes minutes for stacks of many discs."""


def ask_again(who: str, numbers: Iterable[int], path: Path) -> Iterator[Row]:
    """Ask one of them about stacks that are on file; every answer is on file before the next is asked for."""
    for number in numbers:
        # read again: another process may be asking somebody else
        rows = {row.number: row for row in read(path)}
        if who == "rapier" and rows[number].rapier:
            continue
        rows[number] = AGAIN[who](rows[number])
        write(path, list(rows.values()))
        yield rows[number]


def is_near(row: Row) -> bool:
    """Within 1 mm or 1 degree of critical: by construction, or because the table may be tilted by no more."""
    return row.off is not None or (row.margin is not None and row.margin <= NEAR["tilt"])


def is_decided(row: Row) -> bool:
    """Further than `DECIDED` from the critical point, as far as that is known."""
    known = [abs(value) for value in (row.off, row.margin) if value is not None]
    return min(known, default=90.0) > DECIDED


def together(rows: Iterable[Row], one: str, other: str) -> tuple[int, int]:
    """How many rows have a verdict of both, and in how many of these they agree."""
    pairs = [(getattr(row, one), getattr(row, other)) for row in rows]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    return len(both), sum(a == b for a, b in both)


# -- on file -------------------------------------------------------------------------------------------------------


def read(path: Path) -> list[Row]:
    """The rows of a file; none when there is no file. A row that was cut off is left out."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [_row(cells) for cells in csv.DictReader(file) if cells.get("why") is not None]


def _row(cells: dict[str, str]) -> Row:
    values: dict[str, Any] = {}
    for field in fields(Row):
        # a file may be older than its last columns
        text = cells.get(field.name) or ("0" if field.type == "float" else "")
        kind = str(field.type)
        if text == "" and "None" in kind:
            values[field.name] = None
        elif kind.startswith("bool"):
            values[field.name] = text == "True"
        elif kind.startswith("float"):
            values[field.name] = float(text)
        else:
            values[field.name] = int(text) if kind == "int" else text
    return Row(**values)


def write(path: Path, rows: Sequence[Row]) -> None:
    """All rows, in the order of their numbers; numbers rounded to what means something."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        table.writeheader()
        for row in sorted(rows, key=lambda row: row.number):
            table.writerow(
                {
                    key: round(value, 4) if isinstance(value, float) else value
                    for key, value in asdict(row).items()
                }
            )


def collect(numbers: Iterable[int], path: Path, cra_every: int = 1) -> Iterator[Row]:
    """Judge stacks one after another; every row is on file before the next is begun, and those on file are not judged
    again. cra_every: ask compas-cra in one group of ten out of so many; it takes longer than all others together."""
    rows = {row.number: row for row in read(path)}
    for number in numbers:
        if number not in rows:
            rows[number] = judge(stack(number), HAS_CRA and number // 10 % cra_every == 0)
            write(path, list(rows.values()))
        yield rows[number]


if __name__ == "__main__":
    stacks, file = range(*map(int, sys.argv[1].split(":"))), Path(sys.argv[2])
    for row in (
        ask_again(sys.argv[3], stacks, file)
        if sys.argv[3] in AGAIN
        else collect(stacks, file, int(sys.argv[3]))
    ):
        sys.stderr.write(f"\r{row.number} ")
