"""What touches, what has fallen, what is at rest, what was struck: four questions and the numbers that answer them.

Metres, radians, seconds and metres per second, for pieces of the games' size (`engine.world.magnification` tells
how much larger a scene is). Where two purposes need different numbers, each has its name and its reason here.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

# -- faces that touch --------------------------------------------------------------------------------------------


class TouchTolerance(NamedTuple):
    """How near and how parallel two faces must be to touch. gap: metres, either way. angle: radians."""

    gap: float
    angle: float


TOUCH_DECLARED = TouchTolerance(2e-5, math.radians(0.05))
"""Of poses in a scene file: what three decimals of a millimetre leave open."""
TOUCH_AT_REST = TouchTolerance(1e-4, math.radians(0.25))
"""Of poses at rest in the simulator: contacts are compliant, and pieces rest in each other or on their skins by
hundredths of a millimetre. A 30 mm face that rests 0.1 mm deeper at one end is turned by 0.19 degrees."""
TOUCH_IN_GAME = TouchTolerance(4e-4, math.radians(1.0))
"""Of a tower in play, built by hands and settled in the simulator piece by piece."""
TOUCH_IN_TALL_TOWER = TouchTolerance(5e-4, math.radians(0.6))
"""Of a brick tower of 18 rows: the lowest press into each other by two tenths of a millimetre."""
TOUCH_FOR_HINTS = TouchTolerance(6e-4, 0.012)
"""Of whatever is on a table when a player asks; a contact missed would call a standing tower unsupported."""

MAX_OVERLAP = 0.2e-3
"""Metres that two pieces of a scene may overlap: what careful measuring leaves, and less than any verdict hangs on."""


# -- pieces that have fallen -------------------------------------------------------------------------------------

FALL_DROP = 8e-3
"""ALL-4: metres that a centre comes down in a fall, half the piece's smallest side if that is more."""
FALL_ROTATION = math.radians(10.0)
"""A piece that has turned by more than this, whenever it did, has fallen over: a flat one that tips off a low block
leans on the table within the settling time, at 15 to 30 degrees, and lies still from then on."""
FALL_DROP_SEEN = 12e-3
"""Metres lower than before in a recording, where sizes are not looked at: it came down, and did not only settle. Also
how far from where it was let go a piece may come to rest without a player being warned that it falls."""


def has_fallen(lowered: Any, smallest_side: Any, drop: float = FALL_DROP) -> Any:
    """Returns whether centres lowered by so much have fallen; numbers or arrays, all in one unit of length."""
    return lowered > np.maximum(0.5 * smallest_side, drop)


# -- scenes at rest ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RestTolerance:
    """What counts as rest. speed: m/s. displacement: metres. time: seconds for which it must last."""

    speed: float
    displacement: float
    time: float

    def scaled(self, times: float) -> Self:
        """Returns that of pieces `times` as large."""
        slower = math.sqrt(times)
        return type(self)(self.speed * slower, self.displacement * times, self.time * slower)


REST = RestTolerance(speed=1e-3, displacement=1e-4, time=0.5)
"""A tower that creeps at a tenth of this speed moves 0.1 mm a second. Velocities of hulls jump to and fro from step to
step while nothing gets anywhere: what stays within 0.1 mm of one place is at rest whatever its speed. Rest that has
lasted this long is believed: a piece that rocks turns round faster, and one that teeters on its edge passes 1 mm/s."""
REST_IN_TRIAL = RestTolerance(speed=REST.speed, displacement=REST.displacement, time=1.0)
"""A verdict waits twice as long as a game does."""
REST_IN_FLIGHT = RestTolerance(speed=0.0, displacement=5e-4, time=0.5)
"""Of the tower past which a hand carries a piece: what no corner leaves by more may stand out of the simulation."""


def is_at_rest(speed: float, displacement: Callable[[], float], limits: RestTolerance = REST) -> bool:
    """Returns whether what is so fast, and so far from where it was (asked only of what is fast), is at rest."""
    return speed < limits.speed or displacement() <= limits.displacement


# -- impacts -----------------------------------------------------------------------------------------------------

IMPACT_JUMP = 0.05
"""m/s of a jump of velocity in a recording. Smaller ones are those of a hand, or of a track that is rounded and sampled
60 times a second."""
IMPACT_JUMP_LIVE = 0.06
"""m/s of the same between two views of a running game, which come at uneven times."""


def is_impact(jump: Any, threshold: float = IMPACT_JUMP) -> Any:
    """Returns whether a change of velocity that gravity does not explain is a blow that is heard; numbers or arrays."""
    return jump > threshold
