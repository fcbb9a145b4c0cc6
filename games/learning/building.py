"""Build a tower from the blocks one is given: a Gymnasium environment on the true table, with a true hand.

An action is the pose of the next block, seen from above. The hand lowers the block there until something carries it
and lets go; everything comes to rest; what it did to the tower is the reward. Or, at many times the speed, the block
lies exactly there, and forces alone tell whether all stands. Importing this module registers the environment:
`gymnasium.make("teeter.games.learning.building:teeter/PlaceBlock-v0")`. Gymnasium reads no entry points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from teeter.engine.hand import Tremor, packed, unpacked
from teeter.engine.pose import Pose
from teeter.engine.world.body import FLOOR, TABLE, Body, Scale, typical_size
from teeter.games.api.arguments import ArgumentError
from teeter.games.judge import places
from teeter.games.judge.judge import TableScene, fell
from teeter.games.learning.forces import ForceTable
from teeter.games.learning.images import TableRenderer, depth_image
from teeter.games.learning.observation import SIZE, ActionFrame, numbers_of, pose_of, require_tremor
from teeter.games.play.table import Table
from teeter.models.build import build
from teeter.models.catalogue import find

PLACE_BLOCK = "teeter/PlaceBlock-v0"
"""The name of the environment in Gymnasium's registry."""
Judge = Literal["simulation", "forces"]
BLOCKS = tuple(f"bausack/{name}" for name in ("base_1", "cube", "cube_small", "arch", "disc", "slab_short"))
"""What is drawn from unless told otherwise: cuboids, a bow, discs."""
MAX_COORDINATE = 20.0
"""Bound of an observed coordinate, in spans: what falls off the table lies on the floor, six spans below."""


@dataclass(frozen=True, slots=True)
class Rewards:
    """What a step is worth. height: for each typical block size (the cube root of the bounding box's volume) by which
    the standing tower has grown. stands: for a block that lies and lets the others lie. falls: when it does not."""

    height: float = 1.0
    stands: float = 0.1
    falls: float = -1.0


class PlaceBlock(gymnasium.Env[dict[str, Any], NDArray[np.float32]]):
    """Place the next block.

    blocks: catalogue ids, drawn from anew for every episode. count: blocks of an episode. span_mm: half the side of
    the square in which blocks are laid. is_upright: blocks are laid as the catalogue has them lie; else an action
    chooses the side. tremor_mm: root mean square of the hand's shaking along each axis. depth: pixels of a side of the
    depth image, 0 for none. rewards: see `Rewards`. judge: `simulation` for the hand on the true table; `forces` lays a
    block exactly where it is let down and asks incremental statics, and the simulation only where forces say nothing;
    of what falls `fell` then names the piece that goes first, and it lies where it was. What tips to lean
    on others is a fall to forces, and none to the rules that the simulation is judged by.

    Action: (x, y, yaw) or (x, y, yaw, side), each from -1 to 1: spans from the middle, half turns, share of the sides.
    Observation, lengths in spans: `pieces` (count, 7) positions and quaternions xyzw of the blocks laid, rows of zeros
    for those to come; `kinds` (count,) which of `blocks` each is, from 1; `mask` (count,) 1 for those laid; `next`
    which of `blocks` comes next, 0 for none; `depth` heights over the square, far row first.
    An episode ends when something falls (a block of the tower, or the new one from where it was laid) or all blocks are
    laid. The same seed gives the same blocks, and the same actions the same bits.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 2}  # noqa: RUF012 (the base class has it so)

    def __init__(
        self,
        blocks: Sequence[str] = BLOCKS,
        count: int = 8,
        span_mm: float = 120.0,
        is_upright: bool = True,
        tremor_mm: float = 0.0,
        depth: int = 0,
        rewards: Rewards = Rewards(),
        render_mode: str | None = None,
        judge: Judge = "simulation",
    ) -> None:
        _check(blocks, count, span_mm, tremor_mm, depth, render_mode, self.metadata["render_modes"], judge)
        self.names = tuple(blocks)
        self._pieces = tuple(build(find(name)) for name in blocks)
        self.count, self.span, self.rewards = count, span_mm / 1e3, rewards
        self.frame = ActionFrame(0.0, 0.0, 0.0, self.span)
        self._tremor, self._pixels, self.render_mode = tremor_mm / 1e3, depth, render_mode
        self.is_upright, self.judge = is_upright, judge
        self.action_space = spaces.Box(-1.0, 1.0, (SIZE - 1 if is_upright else SIZE,), np.float32)
        shapes: dict[str, spaces.Space[Any]] = {
            "pieces": spaces.Box(-MAX_COORDINATE, MAX_COORDINATE, (count, 7), np.float32),
            "kinds": spaces.Box(0, len(blocks), (count,), np.int16),
            "mask": spaces.MultiBinary(count),
            "next": spaces.Discrete(len(blocks) + 1),
        }
        if depth:
            shapes["depth"] = spaces.Box(0.0, MAX_COORDINATE, (depth, depth), np.float32)
        self.observation_space = spaces.Dict(shapes)
        self._renderer = TableRenderer()
        self._kinds: tuple[int, ...] = ()
        self._laid: list[str] = []
        self._is_over = True
        self._table: Table | None = None
        self._forces: ForceTable | None = None

    # -- what can be asked ---------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """Returns the table of this episode. Raises RuntimeError before the first `reset`, and with forces as judge,
        which have none."""
        if self._table is None:
            raise RuntimeError("call reset() first: there is no table yet")
        return self._table

    @property
    def tower(self) -> tuple[Body, ...]:
        """Returns the blocks laid, in order, as they lie."""
        bodies = self._bodies()
        return tuple(bodies[name] for name in self._laid)

    @property
    def next_body(self) -> Body | None:
        """Returns the block to lay, over the origin; None when there is none."""
        number = len(self._laid)
        if number == self.count:
            return None
        return Body(f"block.{number:02}", self._pieces[self._kinds[number]], Pose((0.0, 0.0, 0.0)))

    @property
    def height(self) -> float:
        """Returns how high the blocks laid rise over the table, metres."""
        return max((places.highest(body) for body in self.tower), default=0.0)

    def goal_of(self, body: Body, action: NDArray[Any]) -> Pose | None:
        """Returns where an action lays a block, let down on what stands there; None off the table. Raises ArgumentError
        for an action that is not the numbers of `action_space`."""
        numbers = numbers_of(action, SIZE - self.is_upright, "action")
        full = np.concatenate([numbers, -np.ones(SIZE - len(numbers))])
        return pose_of(full, body.piece, self.frame, self._supports())

    # -- Gymnasium's interface -----------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins an episode: an empty table and new blocks. options: none are known."""
        super().reset(seed=seed)
        self._kinds = tuple(self.np_random.integers(len(self._pieces), size=self.count).tolist())
        self._shaking = Tremor(self._tremor, int(self.np_random.integers(2**31)))
        self._laid = []
        self.close_table()
        blocks = [
            Body(str(number), self._pieces[kind], Pose((0, 0, 0))) for number, kind in enumerate(self._kinds)
        ]
        self._typical, self._is_over = typical_size(blocks), False
        ground = places.table(1200.0, 800.0)
        if self.judge == "forces":
            self._forces = ForceTable(ground)
        else:
            self._table = Table((ground,), Scale.of(blocks))
        return self._observation(), self._info(())

    def step(self, action: NDArray[np.float32]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Lays the next block. Numbers beyond 1 count as 1. Raises RuntimeError when the episode is over, or none has
        begun; ArgumentError for an action that is not the numbers of `action_space`."""
        body = None if self._is_over else self.next_body
        if body is None:
            raise RuntimeError("no episode is under way: call reset()")
        height, goal = self.height, self.goal_of(body, action)
        assert goal is not None, "the square lies on the table"
        down = self._laid_down(body.at(goal))
        self._is_over = bool(down) or self.next_body is None
        reward = self.rewards.falls if down else self._worth(height)
        return self._observation(), reward, self._is_over, False, self._info(down)

    def render(self) -> NDArray[np.uint8] | None:
        """Returns a picture (height, width, 3) when `render_mode` is `rgb_array`. Raises engine.view.opengl.ViewError
        when there is no OpenGL."""
        return self._renderer.draw(self._supports(), self.tower) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Frees the simulator and the renderer."""
        self.close_table()
        self._renderer.close()

    def close_table(self) -> None:
        """Frees the simulator."""
        if self._table is not None:
            self._table.close()
            self._table = None

    # -- what follows --------------------------------------------------------------------------------------------

    def _supports(self) -> list[Body]:
        return [body for name, body in self._bodies().items() if name != FLOOR]

    def _bodies(self) -> Mapping[str, Body]:
        return self.table.bodies if self._forces is None else self._forces.bodies

    def _laid_down(self, body: Body) -> tuple[str, ...]:
        """Lays a block at its pose. Returns what falls."""
        self._laid.append(body.name)
        if self._forces is not None:
            first = self._forces.lay(body)
            return () if first is None else (first,)
        before = self.table.scene()
        self.table.lay(body, self._shaken)
        self.table.run_to_rest()
        return self._fallen(before, body, self.table.scene())

    def _shaken(self, target: Any) -> Any:
        if self._tremor == 0.0:
            return target
        pose = unpacked(target)
        offset = self._shaking.at(self.table.step / self.table.rate)
        x, y, z = (np.asarray(pose.position) + offset).tolist()
        return packed(Pose((x, y, z), pose.orientation))

    def _fallen(self, before: TableScene, laid: Body, after: TableScene) -> tuple[str, ...]:
        """Returns the blocks that fell, the new one from where it was laid; sorted."""
        start = TableScene({**before.bodies, laid.name: laid}, before.touching | {(laid.name, TABLE)})
        return tuple(sorted(name for name in self._laid if fell(name, start, after)))

    def _worth(self, before: float) -> float:
        grown = (self.height - before) / self._typical
        return float(self.rewards.height * grown + self.rewards.stands)

    def _observation(self) -> dict[str, Any]:
        rows = np.zeros((self.count, 7), np.float32)
        kinds, mask = np.zeros(self.count, np.int16), np.zeros(self.count, np.int8)
        for number, body in enumerate(self.tower):
            position = np.clip(np.asarray(body.pose.position) / self.span, -MAX_COORDINATE, MAX_COORDINATE)
            rows[number] = (*position, *body.pose.orientation)
            kinds[number], mask[number] = self._kinds[number] + 1, 1
        number = len(self._laid)
        following = self._kinds[number] + 1 if number < self.count else 0
        seen: dict[str, Any] = {"pieces": rows, "kinds": kinds, "mask": mask, "next": np.int64(following)}
        if self._pixels:
            depth = depth_image(self.tower, (0.0, 0.0), 2 * self.span, self._pixels)
            seen["depth"] = np.clip(depth / self.span, 0.0, MAX_COORDINATE).astype(np.float32)
        return seen

    def _info(self, down: tuple[str, ...]) -> dict[str, Any]:
        return {"height_mm": 1e3 * self.height, "laid": len(self._laid), "fell": down}


def _check(
    blocks: Sequence[str],
    count: int,
    span: float,
    tremor: float,
    depth: int,
    mode: str | None,
    modes: list[str],
    judge: str,
) -> None:
    """Raises ArgumentError for what no environment can be made of; names of blocks are the catalogue's to refuse."""
    catalogue = "give the catalogue ids of at least one piece, such as bausack/cube"
    for is_sound, fault in (
        (blocks and not isinstance(blocks, str), f"blocks={blocks!r}: {catalogue}"),
        (
            isinstance(count, Integral) and 1 <= count <= 500,
            f"count={count}: an episode has from 1 to 500 blocks, a whole number",
        ),
        (10.0 <= span <= 350.0, f"span_mm={span}: from 10 to 350, so that blocks are laid on the table"),
        (0 <= depth <= 1024, f"depth={depth}: 0 for no depth image, or up to 1024 pixels a side"),
        (mode is None or mode in modes, f"render_mode={mode!r}: one of {modes}, or None"),
        (judge in get_args(Judge), f"judge={judge!r}: simulation or forces"),
        (
            judge == "simulation" or tremor == 0.0,
            f"tremor_mm={tremor}: judge='forces' has no hand that shakes",
        ),
    ):
        if not is_sound:
            raise ArgumentError(fault)
    require_tremor(tremor)


if PLACE_BLOCK not in gymnasium.registry:
    gymnasium.register(PLACE_BLOCK, entry_point="teeter.games.learning.building:PlaceBlock")
