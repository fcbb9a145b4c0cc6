"""What lies on a table as rigid pieces bear it: how hard each is pressed, and how hard to draw out. The simulation's
contacts are soft, and share a load among pieces that differ by tenths of a millimetre (`engine.topple.resting`)."""

from collections.abc import Iterable, Iterator, Mapping

from teeter.engine.world.body import Assembly, Body, Contact

DIGITS = 3
"""Of the friction of what is drawn out: so that rounding does not tell one machine from another."""


def loads(bodies: Mapping[str, Body], touching: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Returns the newtons that pieces at rest carry from above, of those that lie level. touching: pairs of bodies."""
    # imported when needed: it takes a quarter of a second
    from teeter.engine.topple.resting import resting

    rests = (resting(group) for group in _groups(bodies, touching))
    return {name: load for rest in rests if rest is not None for name, load in rest.loads.items()}


def friction(
    name: str, bodies: Mapping[str, Body], touching: Iterable[tuple[str, str]], contacts: Iterable[Contact]
) -> float:
    """Returns by how much the friction of a piece at rest is multiplied while it is drawn out; 1 for what lies alone or
    not level. contacts: as they are simulated."""
    from teeter.engine.topple.resting import friction_ratios

    group = next(
        (group for group in _groups(bodies, touching) if name in {body.name for body in group.free}), None
    )
    if group is None or len(group.free) < 2:
        return 1.0
    return round(friction_ratios(group, contacts).get(name, 1.0), DIGITS)


def _groups(bodies: Mapping[str, Body], touching: Iterable[tuple[str, str]]) -> Iterator[Assembly]:
    """The movable pieces that lie on each other, group by group, each with all that is fixed."""
    fixed = tuple(body for body in bodies.values() if body.fixed)
    group = {name: name for name, body in bodies.items() if not body.fixed}
    for one, other in touching:
        if one in group and other in group:
            kept, gone = group[one], group[other]
            group = {name: kept if number == gone else number for name, number in group.items()}
    for chosen in dict.fromkeys(group.values()):
        members = tuple(bodies[name] for name, number in group.items() if number == chosen)
        yield Assembly(chosen, (*fixed, *members))
