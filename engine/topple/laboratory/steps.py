"""An assembly put together piece by piece: whether it stands after every step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from teeter.engine.topple.verdict import DEFAULTS, CheckOptions, Verdict, check
from teeter.engine.world.body import Assembly


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """number: from one. piece: put in by this step. verdict: of all pieces so far."""

    number: int
    piece: str
    verdict: Verdict


def steps(
    assembly: Assembly, order: Sequence[str] | None = None, options: CheckOptions = DEFAULTS
) -> Iterator[Step]:
    """Yields every step up to the first after which it does not stand, that one included.

    order: all free pieces; None: as the assembly has them. Supports are there from the beginning. What nothing carries
    yet topples. Raises ValueError for an order of other pieces.
    """
    named = [body.name for body in assembly.free] if order is None else [*order]
    if sorted(named) != sorted(body.name for body in assembly.free):
        raise ValueError("an order names every free piece once")
    there: set[str] = set()
    for number, piece in enumerate(named, start=1):
        there.add(piece)
        bodies = tuple(body for body in assembly.bodies if body.fixed or body.name in there)
        verdict = check(Assembly(assembly.name, bodies), options)
        yield Step(number, piece, verdict)
        if verdict.word != "stands":
            return
