"""Everybody who looks at a hosted game, and what each of them is told: the same of what all see, and of the game as
much as the rules let that seat see."""

import base64
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from teeter.engine.view.frame import frame_of
from teeter.engine.view.panels import Panel
from teeter.engine.view.render.png import png_of
from teeter.engine.world.body import Scale
from teeter.games.host.connection import Connection
from teeter.games.host.people_panel import Company
from teeter.games.host.scene import SharedScene, dumps
from teeter.games.host.seats import Chairs
from teeter.games.host.views import SHIPPED, SeatView, pictures_of, table_message
from teeter.games.host.wishes import Coach, Wishes
from teeter.games.present import fall_show, hand_panel, hud_state
from teeter.games.present.fall_show import FallShow
from teeter.games.present.pictures import PictureSource
from teeter.games.present.tutorial import words_of
from teeter.games.server.messages import Broken, Plan, TableView
from teeter.games.server.news import SeatNews, TableNews
from teeter.games.server.setup import FirstView

PROTOCOL = 3


class Audience:
    """The browsers at one table. chairs: who sits where. wishes: who is asked."""

    def __init__(
        self,
        plan: Plan,
        opening: FirstView,
        chairs: Chairs,
        wishes: Wishes,
        coach: Coach,
        *,
        has_pictures: bool,
    ) -> None:
        self._game, self._chairs, self._wishes, self._coach = opening.game, chairs, wishes, coach
        self.connections: list[Connection] = []
        self.views = {
            name: SeatView(plan, opening.game, opening.state, opening.bodies, name, opening.past)
            for name in ("", *(seat.name for seat in opening.state.seats if seat.has_people))
        }
        self.scene = SharedScene(opening.bodies, self.views[""].unread)
        self.painter = PicturePainter(has_pictures)
        self.is_paused = False
        self.fall: FallShow | None = None
        lying = frame_of(opening.bodies)
        self.view = TableView(0, Scale.of(opening.bodies).rate, lying.names, lying.poses)
        """What was last seen of the table: at first what the game begins with, or was left with."""
        self.broken: Broken | None = None
        self.why = ""
        """Why pieces fell the last time, once the game is over and that is known."""

    def joined(self) -> list[Connection]:
        """Returns those who hear what is said."""
        return [connection for connection in self.connections if connection.is_open]

    def send_all(self, message: SeatNews) -> None:
        """Tells everybody."""
        text = dumps(message)
        for connection in self.joined():
            connection.send_text(text)

    def send_to(self, seat: str, message: SeatNews) -> None:
        """Tells who sits at a seat; those at none for an empty one."""
        for connection in self.joined():
            if connection.seat == seat:
                connection.send(message)

    def send_change(self, seat: str, message: SeatNews) -> None:
        """Tells who sits at a seat what is not as it was."""
        for connection in self.joined():
            if connection.seat == seat:
                connection.send_change(message)

    def tell_bodies(self, text: str) -> None:
        """Sends a message about new bodies, and where everything is then; an empty text is none."""
        if not text:
            return
        for connection in self.joined():
            connection.send_text(text)
            connection.send_text(self.scene.everything())

    def tell_turn(self) -> None:
        """Tells everybody whose turn it is."""
        for seat, view in self.views.items():
            listeners = [connection for connection in self.joined() if connection.seat == seat]
            if not listeners:
                continue
            turn = view.turn(self._wishes.turn, self._wishes.need)
            for connection in listeners:
                if connection.turn != self._wishes.turn:
                    connection.turn, connection.look = self._wishes.turn, hud_state.anew(connection.look)
                connection.send_change(turn)
                self.tell_panels(connection)

    def below(self, *, may_go_on: bool = True) -> tuple[Panel, ...]:
        """Returns what stands below a fall, while there is one."""
        fall = self.fall
        if fall is None or not fall.state:
            return ()
        return (fall_show.panel(fall, self.views[""].told_moment, may_keep=True, may_go_on=may_go_on),)

    def tell_panels(self, *some: Connection) -> None:
        """Sends the panels that are other ones now, to everybody or to some."""
        for connection in some or self.joined():
            view = self.views[connection.seat]
            asked = self._chairs.all.get(self._wishes.need.player)
            absent = asked.state if asked is not None and asked.state in ("free", "away") else ""
            look = replace(connection.look, why=self.why, may_deal=connection.role == "host", absent=absent)
            is_own = bool(connection.seat) and connection.seat == self._wishes.need.player
            if is_own:
                look = self._coach.look(replace(look, **hand_panel.held(self._wishes.hand)))
            guests = tuple(guest for guest in self.joined() if guest.role != "host" and not guest.seat)
            people = Company(self._chairs.all, connection, guests if connection.role == "host" else ())
            if view.tutorial is not None:
                view.tutorial.step(view, self._wishes.hand.grip if is_own else None)
                lesson = view.tutorial.told(view, words_of(SHIPPED, is_pad=False, is_scanning=False))
                look = replace(look, lesson=lesson, learned=view.tutorial.progress)
            panels = view.panels(
                people, look, self.below() if connection.seat else self.below(may_go_on=False)
            )
            for name in connection.panels - panels.keys():
                gone = {"name": name, "place": "top", "items": []}
                connection.send_change({"type": "panel", "order": 0, "panel": gone}, f"panel {name}")  # type: ignore[typeddict-item]
            connection.panels = set(panels)
            for name, news in panels.items():
                connection.send_change(news, f"panel {name}")
                connection.wanted |= pictures_of(news["panel"])
            self._send_pictures(connection)

    def _send_pictures(self, connection: Connection) -> None:
        """Sends the pictures that a turn shows, each once, as soon as it is drawn."""
        missing = sorted(connection.wanted - connection.pictured)
        drawn = {name: data for name in missing if (data := self.painter.data(name))}
        if drawn:
            connection.pictured |= drawn.keys()
            connection.send({"type": "pictures", "pictures": drawn})

    def tell_pictures(self) -> None:
        """Sends pictures that were drawn meanwhile."""
        if self.painter.is_busy and self.painter.step():
            for connection in self.joined():
                self._send_pictures(connection)

    def tell_picture(self) -> None:
        """Sends what moved; what is held, shown and measured, where that changed."""
        moved = self.scene.moved(self.view)
        for connection in self.joined():
            connection.send_change(self._table(connection), but="step")
            if moved:
                connection.send_poses(moved)

    def tell_frames(self) -> None:
        """Tells everybody what is to be seen, where that changed."""
        for connection in self.joined():
            connection.send_change(self.views[connection.seat].framed())

    def _table(self, connection: Connection) -> TableNews:
        view = self.view
        is_mine = bool(view.held and connection.seat) and connection.seat == self._wishes.need.player
        number = self._wishes.heard if is_mine else -1
        shown = self.scene.numbers(view.names)
        held, speed = self.scene.number(view.held), 1.0 if self.fall is None else self.fall.speed
        return table_message(view, shown, held, is_mine, number, self.is_paused, speed)

    def let_in(self, connection: Connection, token: str) -> None:
        """Tells who comes everything that it may know. token: of the seat that it came back to."""
        self.connections.append(connection)
        self.welcome(connection, token)
        for text in self.scene.texts:
            connection.send_text(text)
        connection.send_text(self.scene.everything())
        self.tell_view(connection)

    def welcome(self, connection: Connection, token: str) -> None:
        """Tells a browser what it is at the table."""
        connection.send(
            {
                "type": "welcome",
                "protocol": PROTOCOL,
                "role": connection.role,
                "game": self._game.name,
                "title": self._game.title,
                "seat": connection.seat,
                "token": token,
                "is_free_building": self._game.is_free_building,
            }
        )

    def tell_view(self, connection: Connection) -> None:
        """Tells who comes, sits down or stands up the game as that seat may know it."""
        view = self.views[connection.seat]
        connection.said.clear()
        connection.send({"type": "story", "lines": view.log})
        if view.busy:
            connection.send({"type": "busy", "why": view.busy, "share": view.busy_share})
        connection.send_change(self._table(connection), but="step")
        connection.send_change(view.turn(self._wishes.turn, self._wishes.need))
        self.tell_panels(connection)
        connection.send_change(view.framed())
        if self.broken is not None:
            connection.send({"type": "broken", "why": self.broken.why})

    def hosts(self) -> list[Connection]:
        """Returns those who came by the host's link."""
        return [connection for connection in self.joined() if connection.role == "host"]

    def tell_hosts(self, message: SeatNews) -> None:
        """Tells those who came by the host's link."""
        for connection in self.hosts():
            connection.send(message)


SHARE = 2
"""Pixels in each direction that become one: browsers show the pictures small, and every turn has some."""


class PicturePainter(PictureSource):
    """Gives pictures by their names, each as soon as there is one. is_on: whether any are drawn."""

    def __init__(self, is_on: bool = True) -> None:
        super().__init__()
        self._is_on = is_on
        self._data: dict[str, str] = {}
        self._missing: dict[str, None] = {}

    def data(self, name: str) -> str:
        """Returns a picture as `data:image/png;...`; empty while there is none, which is then drawn."""
        if name not in self._data and self._is_on:
            self._missing[name] = None
        return self._data.get(name, "")

    @property
    def is_busy(self) -> bool:
        """Whether pictures are being drawn."""
        return bool(self._missing)

    def step(self) -> bool:
        """Takes in what was drawn, asks for what is missing. Returns whether there is something new."""
        pictures = self.found(tuple(self._missing))
        for name, pixels in pictures.items():
            # without OpenGL there are no pictures; the words of a choice say enough
            self._data[name] = "" if pixels is None else _link(pixels)
            del self._missing[name]
        return bool(pictures)


def _link(pixels: NDArray[np.uint8]) -> str:
    height, width = (side // SHARE * SHARE for side in pixels.shape[:2])
    if min(height, width) < SHARE:
        return ""
    cells = (
        pixels[:height, :width].reshape(height // SHARE, SHARE, width // SHARE, SHARE, 4).astype(np.float64)
    )
    opacity = cells[..., 3:]
    weight = np.maximum(opacity.sum(axis=(1, 3)), 1e-9)
    colour = (cells[..., :3] * opacity).sum(axis=(1, 3)) / weight
    small = np.dstack([colour, opacity.mean(axis=(1, 3))])
    return "data:image/png;base64," + base64.b64encode(png_of(np.round(small).astype(np.uint8))).decode(
        "ascii"
    )
