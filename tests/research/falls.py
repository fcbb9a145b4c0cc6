"""Why MuJoCo falls where statics lets a stack stand: the same stack with one thing changed after another, until it
stands, and the force balance of the contact points that MuJoCo itself finds.

python tests/research/falls.py agreement.csv falls.csv     # some twenty minutes on a core
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
from agreement import Row, is_decided, read
from peer_oracles import MujocoSettings, mjcf, mujoco_says
from stacks import Stack, stack

from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.trial import SETTLING_DRAG
from teeter.engine.world.body import Assembly, Vector

FINE = MujocoSettings(step=0.0005, compliance=0.001)
"""Steps and contacts four times as fine as `peers.RECOMMENDED`."""
GENTLE = replace(FINE, drag=SETTLING_DRAG)
"""And put down as gently as our own last run does it (`engine/topple/trial.py`)."""
GRIP = replace(GENTLE, grip=1.1)
EARLY = replace(GENTLE, reach=2e-5)
NEARBY = 5e-5
"""Metres within which contact points count that carry nothing yet."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A stack that stands by statics and falls in MuJoCo. margin: degrees in hand. sliding: its slope over the one at
    which its lowest faces slide. fine, gentle: whether it stands so. points, later: whether the contact points that
    MuJoCo finds, at first or when it has settled for a while, carry it in principle. grip, early: whether it stands
    with a tenth more friction, or with contacts that begin 0.02 mm before faces touch. None: not asked, because an
    earlier answer tells. cause: in words."""

    number: int
    kind: str
    pieces: int
    margin: float | None
    sliding: float
    fine: bool
    gentle: bool | None
    points: bool | None
    grip: bool | None
    early: bool | None
    later: bool | None
    cause: str


def why(row: Row) -> Fall:
    """Look into one. Raises ImportError without the extra `bench`."""
    made = stack(row.number)
    x, y, z = made.gravity
    sliding = math.hypot(x, y) / abs(z) / made.friction
    found: dict[str, bool | None] = {name: None for name, _ in CAUSES}
    cause = "not found"
    for name, reason in CAUSES:
        # a stack that stands now shows what it fell from, contact points that do not carry it show it at once
        is_shown = found[name] = (
            _says(made, TUNINGS[name]) if name in TUNINGS else points_carry(made, SETTLING[name])
        )
        if is_shown is (name in TUNINGS):
            cause = reason
            break
    return Fall(row.number, row.kind, row.pieces, row.margin, round(sliding, 3), **found, cause=cause)  # type: ignore[arg-type]


TUNINGS = {"fine": FINE, "gentle": GENTLE, "grip": GRIP, "early": EARLY}
SETTLING = {"points": 0.0, "later": 0.1}
"""Seconds after which contact points are looked at."""
CAUSES = (
    ("fine", "coarse steps, soft contacts"),
    ("gentle", "let go at once"),
    ("points", "too few contact points"),
    ("grip", "slides below its friction"),
    ("early", "late first contact"),
    ("later", "contact points lost while it settles"),
)
"""In the order in which they are looked for."""


def _says(made: Stack, tuning: MujocoSettings) -> bool | None:
    return mujoco_says(made.assembly, made.gravity, tuning=tuning).stands


def points_carry(made: Stack, seconds: float = 0.0) -> bool | None:
    """Whether contact forces at MuJoCo's own contact points can hold the pieces where they are declared. seconds: see
    `points_of`."""
    found = points_of(made.assembly, made.gravity, seconds)
    return stands(made.assembly, gravity=made.gravity, contacts=found)


def points_of(assembly: Assembly, gravity: Vector, seconds: float = 0.0) -> Contacts:
    """The contact points that MuJoCo finds: on the poses as they are declared, all within `NEARBY`; or those that press
    when everything was put down gently for so many seconds."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mjcf(assembly.bodies, gravity, GENTLE))
    data = mujoco.MjData(model)
    if not seconds:
        model.geom_margin[:] = model.geom_gap[:] = NEARBY
        mujoco.mj_forward(model, data)
    for _ in range(round(seconds / GENTLE.step)):
        mujoco.mj_step(model, data)
        data.qvel *= 1.0 - GENTLE.drag * GENTLE.step
    # body 0 is its world, which everything here stands in
    pairs = np.array(
        [[model.geom_bodyid[each.geom1] - 1, model.geom_bodyid[each.geom2] - 1] for each in data.contact]
    )
    order = np.lexsort(pairs.T)
    pairs = pairs[order].astype(np.int64)
    patch = np.concatenate([[0], np.cumsum((np.diff(pairs, axis=0) != 0).any(axis=1))])
    return Contacts(
        names=tuple(body.name for body in assembly.bodies),
        fixed=np.array([body.fixed for body in assembly.bodies], dtype=np.bool_),
        first=pairs[:, 0],
        second=pairs[:, 1],
        points=np.array([each.pos for each in data.contact])[order],
        # its normals point from the first to the second, ours the other way
        normals=-np.array([each.frame[:3] for each in data.contact])[order],
        patch=patch.astype(np.int64),
        curved=(),
        floating=(),
        overlaps=(),
    )


def falls(rows: Sequence[Row]) -> Iterator[Fall]:
    """All stacks beyond `DECIDED` that statics lets stand and MuJoCo does not."""
    for row in rows:
        if row.statics and row.mujoco is False and is_decided(row):
            yield why(row)


def write(found: Sequence[Fall], path: Path) -> None:
    """As a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Fall)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(each) for each in found)


if __name__ == "__main__":
    looked: list[Fall] = []
    for each in falls(read(Path(sys.argv[1]))):
        looked.append(each)
        write(looked, Path(sys.argv[2]))
        sys.stderr.write(f"\r{each.number} {each.cause}          ")
