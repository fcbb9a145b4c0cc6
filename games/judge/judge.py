"""What a game is to the physical world: how it is laid out, and how a lying piece is judged.

Names of bodies are the names of pieces in the rules' state, so nothing needs translating.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic

from typing_extensions import TypeVar

from teeter.engine.pose import Pose
from teeter.engine.tolerances import has_fallen
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.games.core.events import Condition

S = TypeVar("S", contravariant=True, default=Any)


@dataclass(frozen=True, slots=True)
class TableScene:
    """Everything on the table at one moment.

    bodies: by name, supports too (`engine.world.TABLE`), with their present poses. touching: pairs of names in
    order that carry force between them.
    """

    bodies: Mapping[str, Body]
    touching: frozenset[tuple[str, str]] = frozenset()

    def touch(self, one: str, other: str) -> bool:
        """Whether two bodies carry force between them."""
        return (min(one, other), max(one, other)) in self.touching

    def touched_by(self, name: str) -> tuple[str, ...]:
        """All that a body touches, sorted."""
        return tuple(sorted(b if a == name else a for a, b in self.touching if name in (a, b)))


class Judge(ABC, Generic[S]):
    """The physical side of one game: pure functions of the rules' state and a scene."""

    minds_nudges = True
    """Whether the rules care for pieces that are pushed along."""
    is_instant = False
    """Whether a fall counts in the step in which it happens (BS-08), and not only when all lies still."""
    is_fine = False
    """Whether the world takes twice as many steps, as arches need to stand."""

    @abstractmethod
    def layout(self, state: S) -> tuple[Body, ...]:
        """Returns every body of the game where it lies before the first turn.

        The table first, supplies beside the play area, towers that are set up. Deterministic; pieces lie in
        stable poses and do not overlap.
        """

    @abstractmethod
    def in_play(self, state: S) -> frozenset[str]:
        """Returns the pieces that lie or are carried as part of the game; all others are supply."""

    def home(self, state: S, piece: str) -> Body:
        """Returns the body of a piece where the supply keeps it: where one that goes back, or a new one, is put."""
        return {body.name: body for body in self.layout(state)}[piece]

    def unread(self, state: S) -> frozenset[str]:
        """Returns the pieces whose print nobody may see yet."""
        return frozenset()

    def is_new(self, before: S, after: S) -> bool:
        """Returns whether everything is set up afresh between two states."""
        return False

    def later_models(self, state: S) -> Mapping[str, str]:
        """Returns the models, by name, of bodies that `layout` does not show yet: a recording names them all."""
        return {}

    def scenery(self, state: S) -> tuple[Body, ...]:
        """Returns bodies that are seen and never touched, as a stack of cards: nothing simulates them."""
        return ()

    def comes_from(self, state: S, piece: str) -> Pose | None:
        """Returns where a piece is seen to come from that appears in its `home`; None for nowhere."""
        return None

    def broken(
        self,
        state: S,
        piece: str,
        conditions: tuple[Condition, ...],
        before: TableScene,
        after: TableScene,
        released_height_mm: float | None = None,
    ) -> tuple[Condition, ...]:
        """Returns which of the conditions the piece at rest does not meet, in their order.

        before: the scene when the piece was grabbed, without the piece. after: the scene at rest.
        released_height_mm: of `height`, where it was let go; None when nobody measured, which is not held
        against the player.
        """
        return tuple(
            condition
            for condition in conditions
            if not self.meets(state, piece, condition, after, released_height_mm)
        )

    def meets(
        self, state: S, piece: str, condition: Condition, after: TableScene, released_mm: float | None
    ) -> bool:
        """Returns whether a piece at rest meets a condition; ValueError for one the game does not have."""
        raise ValueError(f"{condition.name} is no condition of this game")

    def refuses(
        self, state: S, piece: str, conditions: tuple[Condition, ...], bodies: Mapping[str, Body]
    ) -> Condition | None:
        """Returns the condition that a piece in a person's hand would break if it were let go where it is, of those
        that are refused then, and not only when it lies; None for none."""
        return None

    def height(self, state: S, piece: str, scene: TableScene) -> float | None:
        """Returns millimetres of a piece in the hand above the tower (CT-50); None in games that do not ask."""
        return None

    def has_pushed(self, state: S, piece: str, before: TableScene, after: TableScene) -> bool:
        """Returns whether laying a piece left another lying against the rules with nothing fallen (ALL-9): all goes
        back to where it was when the piece was taken up."""
        return False

    def where(self, state: S, piece: str, after: TableScene) -> str:
        """Returns the place the rules call it by: a floor, a slot, a tower; empty when there is only one."""
        return ""

    def covers(self, state: S, piece: str, before: TableScene, after: TableScene) -> tuple[str, ...]:
        """Returns what it newly covers by at least half, in games that have boxes."""
        return ()

    def fallen(
        self, state: S, piece: str, before: TableScene, after: TableScene, is_lifted: bool = True
    ) -> tuple[str, ...]:
        """Returns the pieces that fell (ALL-4, BS-08), sorted; the moved piece is judged only by where it ends.

        piece: the one being moved, empty for none. is_lifted: whether it has left the supply; until then it
        may touch what it lies on.
        """
        return ()

    def hit(self, state: S, piece: str, before: TableScene, after: TableScene) -> tuple[str, str] | None:
        """Returns a piece that lies against another tower, and that tower's owner (BS-03); None when none does.

        piece: the one being moved, empty for none.
        """
        return None

    def bears(self, state: S, piece: str, touched: Iterable[str]) -> bool:
        """Returns whether a piece that was let go touches what it may be laid on (BS-03)."""
        return True

    def struck(self, state: S, piece: str, touched: Iterable[str]) -> str | None:
        """Returns the owner of another tower that a piece on its way touched (BS-03)."""
        return None

    def is_of_actor(self, state: S, piece: str) -> bool:
        """Returns whether a piece belongs to who acts, in games with a tower for everybody."""
        return True

    def counts_throws(self, state: S) -> bool:
        """Returns whether what a thrown piece fells of others stays down (BS-03); else it is set up again."""
        return False

    def is_unplaced(self, state: S, piece: str) -> bool:
        """Returns whether a piece that falls out of the hand, because something else fell, goes back to the supply
        before it can fall: nobody has laid it."""
        return False

    def heights(self, state: S, scene: TableScene) -> tuple[float, ...]:
        """Returns the millimetres of every tower, in games that measure (BS-21)."""
        return ()

    def supplied(self, state: S, bodies: Iterable[Body]) -> tuple[Body, ...]:
        """Returns the bodies with those of the supply immovable."""
        play = self.in_play(state)
        return tuple(body if body.name in play else replace(body, fixed=True) for body in bodies)

    def stored(self, state: S, piece: str) -> Body:
        """Returns a piece back in the supply, immovable."""
        return replace(self.home(state, piece), fixed=True)


def fell(name: str, before: TableScene, after: TableScene) -> bool:
    """Returns whether a piece that lay still fell (ALL-4).

    It touches the table or the floor and did not before, or lies lower than before by more than half its
    smallest side and 8 mm.
    """
    was, now = before.bodies[name], after.bodies[name]
    if any(after.touch(name, ground) and not before.touch(name, ground) for ground in (TABLE, FLOOR)):
        return True
    lowered = was.pose.position[2] - now.pose.position[2]
    return bool(has_fallen(lowered, float(now.piece.extents.min())))
