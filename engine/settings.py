"""Numbers that decide how worlds are simulated, each with its unit, its purpose and its reason.

Physics is the same at every size: a world is computed in units of its own median piece (`engine.world.Scale`).
"""

from dataclasses import dataclass, replace

PACKAGES = {"bullet": "pybullet", "rapier": "rapier3d"}
"""Engines, the default one first, and the package that each comes in; `engine.world.bullet` has `BulletWorld`."""
REVISIONS = {"bullet": 3, "rapier": 4}
"""By engine, from the second on: grows when the same inputs come out otherwise in that one alone. Where all do, the
format of recordings does."""

GRAVITY = 9.81
"""m/s^2."""

RATES = (15, 30, 60, 120, 240, 480, 960, 1920)
"""Steps per simulated second a world may run at. All but the slowest two divide into 60 frames or are divided."""

REFERENCE_SIZE = 0.0304
"""Metres: the cube root of the volume of a 75 x 25 x 15 mm brick, for which 240 steps a second were tuned."""

REFERENCE_RATE = 240

HUMAN_SIZES = (0.008, 0.125)
"""Metres. Median piece sizes in this range are judged by the thresholds as written; beyond it they scale."""


UNITS_PER_PIECE = 3.0
"""Bullet's own constants suit bodies between 0.05 and 10 units. The median piece is 3, because Bullet gives every part
it loads from URDF a margin of 0.001 units: that is then 0.01 mm at the games' size."""

COLLISION_MARGIN = 0.001
"""Units. Bullet's collision margin, which rounds the edges of hulls: nothing changes it after loading. Hulls are shrunk
by it first, because Bullet adds it outside; a hull that is not floats on it, and stacks of rings pump themselves up."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """What Bullet is told, in units of the median piece (`Scale`) and of one step. See engine/README.md.

    The contacts are dampers with a little spring (compliant): a damper spreads the error of an unfinished
    iteration over many steps, where a rigid correction would pump it into motion.
    """

    iterations: int = 18
    """Solver iterations a step once the scene has settled."""
    settle_iterations: int = 30
    """Iterations while loads find their way through a new scene: 18 rows need about a hundred, once."""
    settle_steps: int = 24
    """Steps a scene is settled for: 0.1 s at the games' size."""
    settling_damping: float = 1.0
    """Share of its speed that every body loses in each step of settling: all of it, so that poses relax into their
    contacts and nothing gathers speed from a support that is not found yet."""
    seed_tilts: int = 32
    """Directions about which hulls are tilted to find their contact points."""
    seed_tilt: float = 0.003
    """Radians of that tilt: 0.06 mm at the rim of a 40 mm piece, well inside the breaking threshold."""
    damping: float = 34.0
    """Contact damping, in median masses a step."""
    relaxation: float = 13.2
    """Contact damping over stiffness, in steps: 0.055 s at the games' size."""
    warm_start: float = 0.96
    """Share of the last impulses a step starts from: 1.0 pumps uneven towers, 0.9 lets even ones sag."""
    friction_erp: float = 0.05
    """Share of a friction anchor's stretch that is taken back in a step."""
    friction_anchor: bool = True
    """Remembers where a contact stuck; without it towers creep sideways by millimetres."""
    rolling_ball: float = 3e-5
    """Units (0.0003 mm at the games' size): rolling friction of exact spheres, as a length; far below that of wood.
    Friction anchors hold on to a contact point while the ball rolls away from it: without this little resistance a
    ball on a level block sets off by itself. With ten times as much a ball stands on a ball."""
    split_impulse: bool = False
    """Rigid contacts want it; compliant ones do not."""
    rigid: bool = False
    """Contacts without compliance: sharpest, but uneven towers never come to rest. Kept for the sweep."""
    skin: float = 2e-3
    """Boxes are made this much thicker on every side (0.01 mm at the games' size), because Bullet's box-box test
    finds no contact between boxes that touch exactly; the pieces would fall for three steps first."""
    slop: float = 1e-4
    """Penetration Bullet does not correct."""
    breaking_threshold: float = 5e-3
    """Contacts further apart than this are dropped; also pads every bounding box. Global to the process."""
    restitution_speed: float = 0.1
    """m/s: slower impacts do not bounce."""
    residual: float = 1e-14
    """(Units a second)^2: with less that an iteration changes a step takes no more of them."""


TUNING = Tuning()

PLAY = replace(TUNING, iterations=60)
"""For tables at which hands work. Friction that does not slide is found slowly: with 18 iterations a brick that carries
0.3 of a tower takes the whole tower along when it is drawn out. Uneven towers also rest in 1 s instead of 2.4, for the
same processor time."""
