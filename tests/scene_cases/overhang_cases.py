"""Cases of level blocks: nothing but where the centres of mass lie decides, friction is not needed."""

from __future__ import annotations

import math

from case import Case, Row, Verdict, box

from teeter.scenes.schema import TableTop

BLOCK = (150.0, 60.0, 20.0)
LONG_BLOCK = (200.0, 60.0, 20.0)
NARROW = TableTop(size=(600.0, 400.0))
EDGE = 300.0
"""Millimetres from the centre to the right edge of the narrow table."""
OPTIMUM = (15 - 4 * math.sqrt(2)) / 8
"""Block lengths that four blocks can reach out with counterweights (Paterson and Zwick 2009)."""


def cases() -> tuple[Case, ...]:
    """All of them."""
    return (
        harmonic("harmonic_inside", "stands", -1.2),
        harmonic("harmonic_outside", "topples", 1.2),
        optimal("overhang_inside", "stands", 1.16),
        optimal("overhang_outside", "topples", 1.18),
        leaning("leaning_tower", "stands", 5.6),
        leaning("leaning_tower_past", "topples", 6.4),
        _pyramid(),
        _bridge(),
        _bridge_bare(),
        _two_bricks(),
        _ruler_stack(),
    )


def harmonic(name: str, verdict: Verdict, beyond: float) -> Case:
    """Four blocks, each as far out as it goes; `beyond`: mm that the tip lies past the limit in all."""
    length, _, height = BLOCK
    count = 4
    # each centre of mass keeps the same distance from the edge under it: the tip moves by the harmonic number
    slack = -beyond / sum(1 / k for k in range(1, count + 1))
    edge, rows = EDGE, list[Row]()
    for number in range(1, count + 1):
        above = count - number
        # the blocks from here up balance `slack` inside the edge, those above do so at this block's right end
        centre = edge - slack - (length / 2 - slack) * above / (above + 1)
        rows.append(box(f"block.{number}", BLOCK, (centre, 0, (number - 0.5) * height)))
        edge = centre + length / 2
    why = (
        "four equal blocks reach at most (1 + 1/2 + 1/3 + 1/4)/2 = 1.04167 block lengths over the edge, here "
        f"156.25 mm; the tip is {abs(beyond)} mm {'past' if beyond > 0 else 'short of'} that"
    )
    return Case(name, "Harmonic overhang of four blocks", verdict, why, tuple(rows), NARROW)


def optimal(name: str, verdict: Verdict, reach: float) -> Case:
    """One block below, two side by side on it, one across both: the best four blocks can do.

    The top block presses on the inner end of the outer one, with `press` times its weight, so that the outer
    one may balance beyond the end of the lowest. `slack`: how far inside its bound every force acts.
    """
    length, _, height = LONG_BLOCK
    press = math.sqrt(2) - 1
    lever = (1 + 2 * press) / (1 + press)
    slack = (OPTIMUM - reach) / (1.5 + lever * (3 - press) / 4)
    lowest = (1 - 6 * slack - (1 + press) * lever * (0.5 - slack)) / 4
    outer = reach - 0.5
    inner = -0.45
    inner_load = ((2 - press) * (lowest - 0.5 + slack) - inner) / (1 - press)
    top = press * (outer - 0.5 + slack) + (1 - press) * inner_load
    places = {"lowest": (lowest, 0), "outer": (outer, 1), "inner": (inner, 1), "top": (top, 2)}
    rows = [
        box(block, LONG_BLOCK, (EDGE + x * length, 0, (level + 0.5) * height))
        for block, (x, level) in places.items()
    ]
    why = (
        f"with counterweights four blocks reach at most (15 - 4 sqrt 2)/8 = 1.16789 lengths over the edge; "
        f"{reach} is {'past' if reach > OPTIMUM else 'inside'} that"
    )
    return Case(name, "Optimal overhang of four blocks", verdict, why, tuple(rows), NARROW)


def leaning(name: str, verdict: Verdict, step: float) -> Case:
    """Ten blocks, each set off by `step` mm from the one below."""
    count, size = 10, (60.0, 60.0, 20.0)
    rows = [
        box(f"block.{number:02}", size, ((number - 1) * step, 0, (number - 0.5) * size[2]))
        for number in range(1, count + 1)
    ]
    why = (
        f"of {count} blocks each set off by s the upper {count - 1} balance over the lowest while s <= "
        f"length/{count} = {size[0] / count:g} mm; here s = {step} mm"
    )
    return Case(name, "Leaning tower", verdict, why, tuple(rows))


def _pyramid() -> Case:
    length, _, height = size = (60.0, 30.0, 20.0)
    pitch = length + 2
    rows = [
        box(
            f"block.{row + 1}.{place + 1}",
            size,
            ((place - (4 - row - 1) / 2) * pitch, 0, (row + 0.5) * height),
        )
        for row in range(4)
        for place in range(4 - row)
    ]
    why = "every block rests on two below with its centre of mass between them"
    return Case("pyramid", "Pyramid of ten blocks", "stands", why, tuple(rows))


def _bridge() -> Case:
    why = (
        "deck (120 cm3, 55 mm off the pier's centre) and counterweight (144 cm3, 25 mm the other way) have "
        "their centre of mass at (120 x 55 - 144 x 25)/264 = 11.4 mm, inside the pier's half width of 20 mm"
    )
    weight = box("counterweight", (40, 40, 90), (-25, 0, 120))
    return Case("bridge", "Half a bridge with its counterweight", "stands", why, (*_half_bridge(), weight))


def _bridge_bare() -> Case:
    why = "the deck's centre of mass lies 55 mm from the pier's centre, outside its half width of 20 mm"
    return Case("bridge_bare", "Half a bridge without its counterweight", "topples", why, _half_bridge())


def _half_bridge() -> tuple[Row, ...]:
    return box("pier", (40, 40, 60), (0, 0, 30)), box("deck", (200, 40, 15), (55, 0, 67.5))


def _two_bricks() -> Case:
    lower = {"id": "lower", "model": "tower_topple/brick", "position": (0.0, 0.0, 7.5)}
    slab = box("slab", (60, 30, 15), (20, 0, 22.5), colour="red")
    why = "the slab's centre of mass lies 20 mm off the brick's centre, inside its half length of 37.5 mm"
    return Case("two_bricks", "Two bricks", "stands", why, (lower, slab))


def _ruler_stack() -> Case:
    """Six blocks as a ruler gives them: every height off by up to half a millimetre."""
    size = (60.0, 30.0, 15.0)
    gaps = (0.2, 0.5, -0.4, 0.3, 0.1, -0.3)
    sideways = ((0.0, 0.0), (1.5, -0.5), (-1.0, 0.5), (0.5, 1.0), (-0.5, -1.0), (1.0, 0.0))
    rows, height = [], 0.0
    for number, (gap, (x, y)) in enumerate(zip(gaps, sideways, strict=True), start=1):
        rows.append(box(f"block.{number}", size, (x, y, round(height + gap + size[2] / 2, 3))))
        height += gap + size[2]
    why = (
        "gaps and overlaps up to 0.5 mm, as a ruler leaves them, so it needs --settle 0.5; then every centre "
        "of mass lies well inside the block below"
    )
    return Case("ruler_stack", "Stack measured with a ruler", "stands", why, tuple(rows), settle_mm=0.5)
