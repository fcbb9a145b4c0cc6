"""The sandbox's pieces: those a scene begins with, those brought out of a catalogue, those read from mesh files."""

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.pose import Pose
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.games.core.errors import SetupError
from teeter.games.core.rules import Action, Bring, PutAway, Take
from teeter.games.judge import places
from teeter.games.judge.free import Building, FreeJudge
from teeter.games.play.session import Session
from teeter.games.play.table import Moment
from teeter.games.server.messages import Act, BringBody, Do, Fetch, Order, Several, Shove, Tilt, UnitAsked
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.errors import TeeterError
from teeter.scenes.load import load
from teeter.scenes.loads import refuse_loads
from teeter.scenes.scene import Scene, UnitAskedError

MOST_KEPT = 40
"""Moments that can be come back to."""
SPOT = (0.0, -0.24)
"""Metres: where new pieces come out, near the person."""
AWAY = Pose((0.0, 0.0, -5.0))
"""Where pieces are that were put away."""
Asked = tuple[str, str | None]
"""A file, and its unit where it does not name one."""


class Inventory(FreeJudge):
    """The judge of one sandbox. scene: what lies there at first."""

    def __init__(self, scene: Scene | None = None) -> None:
        self.bodies: Callable[[], Mapping[str, Body]] = dict
        """What lies on the table now; the session's table answers."""
        bodies = (places.table(*places.TABLE_MM),) if scene is None else scene.assembly.bodies
        self._tables = tuple(body for body in bodies if body.name == TABLE)
        self._homes = {body.name: body for body in bodies if body.name != TABLE}
        self._fixed = {name for name, body in self._homes.items() if body.fixed}

    def tables(self) -> dict[str, Any]:
        """What the rules may take up, as the tables of a catalogue: everything that is not a support."""
        named = [(name, body) for name, body in self._homes.items() if name not in self._fixed]
        return {"piece": [{"id": name, "model": body.piece.model or name} for name, body in named]}

    def layout(self, state: Building) -> tuple[Body, ...]:
        """The table, the supports, and the pieces where the scene has them."""
        return (*self._tables, *self._homes.values())

    def home(self, state: Building, piece: str) -> Body:
        """A new piece: beside the person, on whatever lies there. One that was put away: out of sight."""
        named = next((other for other in state.pieces if other.id == piece), None)
        if named is None:
            known = self.bodies().get(piece) or self._homes[piece]
            return known.at(AWAY)
        solid = self._homes[piece].piece if piece in self._homes else build(find(named.model))
        pose = places.moved(places.steady(solid), SPOT[0] * 1e3, SPOT[1] * 1e3)
        others = [body for name, body in self.bodies().items() if name not in (FLOOR, piece)]
        body = Body(piece, solid, pose.then(Pose((0.0, 0.0, 2.0))))
        dropped = DropTarget.of(others or self._tables).dropped(body)
        return body.at(pose) if dropped is None else body.at(dropped.pose.then(Pose((0.0, 0.0, 5e-4))))

    def keep(self, body: Body) -> Body:
        """Returns a piece that no catalogue has under a name that is free, as one of the sandbox's."""
        taken = {*self._homes, *self.bodies()}
        names = (body.name, *(f"{body.name}-{number}" for number in range(2, len(taken) + 3)))
        name = next(candidate for candidate in names if candidate not in taken)
        self._homes[name] = replace(body, name=name, fixed=False)
        return self._homes[name]


def read_piece(path: str, unit: str | None = None) -> Body | Several:
    """Returns the piece of a mesh or scene file, named after the file. It may lie anywhere: nothing is below it. Of
    more than one, which can be laid out on a table of their own, how many they are. unit: of a file
    that does not name its own.

    Raises SetupError, SceneError, ModelError.
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise SetupError(f"{path}: there is no such file")
    # a piece that comes into a hand needs no table to lie on
    scene = load(file, table="none", drop=True, unit=unit)
    refuse_loads(scene, "the sandbox", weights=False)
    bodies = [body for body in scene.assembly.bodies if body.name != TABLE]
    if not bodies:
        raise SetupError(f"{path}: holds no piece")
    if len(bodies) > 1:
        inventory_of(str(file), unit)
        return Several(str(file), len(bodies))
    return replace(bodies[0], name=file.stem)


def reader() -> Callable[[list[object], Asked], Body | Several | UnitAsked | str]:
    """Returns what reads pieces from files in a process of its own, which may take minutes: the piece, how many there
    are, that nobody knows its unit, or what is wrong with the file."""

    def read(news: list[object], asked: Asked) -> Body | Several | UnitAsked | str:
        try:
            return read_piece(*asked)
        except UnitAskedError as error:
            return UnitAsked(str(error))
        except (TeeterError, ValueError, OSError) as error:
            return str(error)

    return read


def inventory_of(scene: str | None, unit: str | None = None, up: str | None = None) -> Inventory:
    """Returns the inventory of a scene by its name or file; an empty one for none. Raises SceneError."""
    if scene is None:
        return Inventory(None)
    loaded = load(scene, drop=True, unit=unit, up=up)
    refuse_loads(loaded, "the sandbox", weights=False)
    return Inventory(loaded)


class FreeBuilding:
    """What a person does in the sandbox beside taking and laying."""

    def __init__(self, session: Session, tray: Inventory) -> None:
        self._session, self._tray = session, tray
        self._moments: deque[tuple[Moment, str, bool]] = deque(maxlen=MOST_KEPT)
        """Before every push, tilt and piece that was taken; the piece, if it was brought out; and whether it lay out
        of reach."""
        self._is_tilting = False

    @property
    def can_undo(self) -> bool:
        """Whether a push, a tilt, or a piece that was laid can be taken back."""
        return bool(self._moments) and self._session.table.hand.held is None

    def _keep(self, brought: str = "") -> None:
        self._moments.append((self._session.table.remember(), brought, False))

    def _undo(self) -> None:
        moment, brought, _ = self._moments.pop()
        if brought:
            self._session.act(PutAway(self._session.need.player, brought))
        self._session.table.restore(moment)

    def _take(self, action: Action, brought: str = "") -> None:
        moment = self._session.table.remember()
        self._session.act(action)
        self._moments.append((moment, brought, False))

    def obey(self, order: Order) -> bool:
        """Do what is ordered. Returns whether it was for free building alone.

        Raises RulesError.
        """
        session, was_tilting = self._session, self._is_tilting
        self._is_tilting = isinstance(order, Tilt)
        match order:
            case Shove(piece, newtons, towards):
                self._keep()
                session.table.shove(piece, newtons, math.radians(towards))
            case Tilt(degrees, towards):
                if not was_tilting:
                    # a slider that is dragged is one tilt
                    self._keep()
                session.table.tilt(math.radians(degrees), math.radians(towards))
            case Act.UNDO if self.can_undo:
                self._undo()
            case Act.UNDO if self._moments and session.choices:
                # the piece that was just taken goes back
                moment, _, is_far = self._moments.pop()
                session.undo()
                if is_far:
                    session.table.restore(moment)
            case Do(Take() as action):
                self._take(action)
            case Do(Bring(piece=name) as action):
                self._take(action, name)
            case BringBody(body):
                body = self._tray.keep(body)
                action = Bring(session.need.player, body.name, body.piece.model or body.name)
                self._take(action, body.name)
            case Fetch(piece):
                self._fetch(piece)
            case Act.CLEAR:
                self._moments.clear()
                self._clear()
            case Do():
                self._moments.clear()
                return False
            case _:
                return False
        return True

    def _fetch(self, piece: str) -> None:
        """A piece, wherever it is, comes into the hand over the middle of the table."""
        table = self._session.table
        moment = table.remember()
        loose = [body for body in table.bodies.values() if not body.fixed]
        highest = max([0.0, *(body.pose.position[2] + float(body.piece.extents.max()) for body in loose)])
        body = table.bodies[piece]
        table.put(body.at(Pose((0.0, 0.0, highest + float(body.piece.extents.max())))))
        self._session.act(Take(self._session.need.player, piece))
        self._moments.append((moment, "", True))

    def _clear(self) -> None:
        """Put all pieces away, from the top down."""
        session, bodies = self._session, self._session.table.bodies
        play = session.judge.in_play(session.state)
        for piece in sorted(play, key=lambda name: (-bodies[name].pose.position[2], name)):
            session.act(PutAway(session.need.player, piece))
