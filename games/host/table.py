"""A hosted game: whose wishes become orders, and what follows from the news.

The session behind it is the only authority. Everything runs in one thread, called by the server; nothing here waits.
"""

import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from teeter.engine.view.camera import FOV, Clear
from teeter.games.core.random_state import is_drawn
from teeter.games.core.rules import Wait
from teeter.games.faults import FAULTS, left_out, or_else
from teeter.games.host.audience import Audience
from teeter.games.host.connection import BROKEN_RULE, Connection, ConnectionLimits
from teeter.games.host.links import Links
from teeter.games.host.people import People, Say
from teeter.games.host.seats import AWAY_S, Chairs, WishError
from teeter.games.host.views import SHIPPED
from teeter.games.host.wishes import Coach, Wishes, row_of
from teeter.games.present import hud_state
from teeter.games.present.client_state import BOT_PACE, ClientState
from teeter.games.present.details import details_of
from teeter.games.present.fall_show import FallShow
from teeter.games.present.hand import HandControl
from teeter.games.present.sandbox_panel import built, order_of, saved_as
from teeter.games.present.tutorial import Tutorial
from teeter.games.server import messages
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import Busy, GameUpdate, News, Order, Plan, TableView, Waits
from teeter.games.server.news import Refusal
from teeter.games.server.protocol import (
    AimAt,
    Chat,
    Choose,
    Feel,
    FromEye,
    Given,
    HandAct,
    Hello,
    HostMessage,
    MessageError,
    MoveSlider,
    MuteGuest,
    PanelMessage,
    Pause,
    Ping,
    PointAt,
    PressButton,
    SendAway,
    SetSpeed,
    Shift,
    Sit,
    Spin,
    StandUp,
    ToBot,
    ToPerson,
    Undo,
    Watch,
    read,
)
from teeter.games.server.setup import FirstView, why_not_kept
from teeter.scenes.load import load
from teeter.scenes.scene import SceneError

PICTURE_S = 1.0 / 30.0
"""Seconds between two pictures."""
FRAMED_S = 0.25
"""Seconds between two looks at what everybody has to see."""
PANELS_S = 0.1
"""Seconds between two looks at the panels, while a hand moves."""
FILMED_S = 0.1
"""Seconds between two looks of the director."""
WRECK_S = 20.0
"""Seconds for which a wreck lies there where nobody goes on."""
CLEAR: Clear = (0.06, 0.04, 0.94, 0.84)
"""What a page leaves free below a fall."""
CHOSEN_SEED = (
    "This game was dealt from a seed that somebody chose or may know: who has it, or tries, can compute what is "
    "hidden."
)
SAVED = "built"
"""Of what was built in the sandbox, the file that a browser keeps."""
NOT_KEPT = "This game is not kept. --record FILE keeps it."


@dataclass(frozen=True, slots=True)
class Hosting:
    """What is hosted. say: hears the story, line by line. ready: called once with links that work."""

    plan: Plan
    opening: FirstView
    links: Links
    say: Say
    ready: Callable[[Links], None]
    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    has_pictures: bool = True


class HostedTable:
    """One game, and everybody who looks at it."""

    def __init__(self, hosting: Hosting, physics: PhysicsClient) -> None:
        plan, opening = hosting.plan, hosting.opening
        self._links, self._physics, self._say = hosting.links, physics, hosting.say
        # the game with all secrets: for what is measured here, never for what is sent
        self._client: ClientState[Any] = ClientState(
            plan, opening.game, opening.state, opening.bodies, time.monotonic
        )
        self._scene = load(plan.scene, drop=True) if plan.scene and opening.game.is_free_building else None
        self._coach = Coach(self._client)
        self._hand = HandControl(self._client, physics, SHIPPED)
        self._wishes = Wishes(self._client, self._hand)
        self.chairs = Chairs(
            opening.state.seats,
            hosting.links,
            opening.game.has_bots,
            lambda who, style: physics.send(messages.SetBot(who, style)),
        )
        self.audience = Audience(
            plan, opening, self.chairs, self._wishes, self._coach, has_pictures=hosting.has_pictures
        )
        self.is_left = self._is_moved = False
        """is_left: the host wants a game dealt anew."""
        self._speed = 1.0
        self._pictured = self._filmed = self._framed = self._coached = 0.0
        self._is_framed, self._is_stale, self._paneled = True, False, 0.0
        self.fall = FallShow(
            self._client.pieces,
            lambda: self._client.in_play,
            lambda: physics.send(Pause(self.audience.is_paused)),
            is_on=not opening.game.is_free_building,
            has_people=bool(self._client.people),
            longest=WRECK_S,
        )
        self.audience.fall = self.fall
        self._fallen = ""
        self._known_faults = 0
        self._lapse = ""
        self._people = People(hosting.links, self.chairs, self.audience, hosting.say)
        self.leave = self._people.leave
        self._give_notice(hosting)
        for line in self.audience.views[""].log:
            self._say(line)

    def _give_notice(self, hosting: Hosting) -> None:
        """Has people told, when they come, what they would not expect."""
        plan, game, state = hosting.plan, hosting.opening.game, hosting.opening.state
        if game.is_free_building:
            return
        is_safe = hosting.links.is_drawn and is_drawn(plan.seed)
        if not is_safe and game.rules.seen_by(state, "") != state:
            self._people.notices.append(CHOSEN_SEED)
            self._say(CHOSEN_SEED)
        if plan.file is None:
            not_kept = " ".join(filter(None, (why_not_kept(), NOT_KEPT)))
            self._people.host_notices.append(not_kept)
            self._say(not_kept)

    # -- from the physics --------------------------------------------------------------------------------------------

    def hear(self) -> None:
        """Takes in the news of the physics, and tells everybody."""
        updates = self.fall.take(self._physics.news(), time.monotonic())
        for news in updates:
            self._take(news)
        if any(not isinstance(news, TableView) for news in updates):
            # who is asked to lay a piece has to know that it is in the hand
            self._show()
            self.audience.tell_turn()
            self._is_framed = False

    def _take(self, news: News) -> None:
        held = self._client.held
        self._client.hear(news)
        if isinstance(news, TableView):
            self.audience.view, self._is_moved, self._is_framed = news, True, False
            if news.held != held:
                self._wishes.drop()
        elif isinstance(news, Waits):
            self._wishes.ask()
            self._people.miss(news.need.player)
        elif isinstance(news, Busy):
            self._wishes.forget()
        for view in self.audience.views.values():
            lines = or_else("the view of a seat", partial(view.take, news, self._wishes.need), ())
            if lines:
                self.audience.send_to(view.viewer, {"type": "story", "lines": list(lines)})
            for line in lines if not view.seat else ():
                self._say(line)
        self._pass_on(news)

    def _pass_on(self, news: News) -> None:
        """Tells everybody, or the one it is about."""
        if isinstance(news, messages.NewBody):
            self.audience.tell_bodies(self.audience.scene.add(news.body))
        elif isinstance(news, GameUpdate):
            self.audience.tell_bodies(self.audience.scene.read(self.audience.views[""].unread))
        elif isinstance(news, Busy):
            self.audience.send_all({"type": "busy", "why": news.why, "share": news.share})
        elif isinstance(news, messages.Pointed):
            self.audience.send_all({"type": "pointed", "piece": news.piece, "pose": row_of(news.pose)})
        elif isinstance(news, messages.Refused):
            refused: Refusal = {"type": "refused", "clause": news.clause, "sentence": news.sentence}
            self.audience.send_to(self._wishes.need.player, refused)
        elif isinstance(news, messages.Broken):
            self.audience.broken = news
            self.audience.send_all({"type": "broken", "why": news.why})

    # -- time --------------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Sends what is due: goals to the physics, pictures to everybody, answers to who asked."""
        now, is_moved = time.monotonic(), False
        if now - self._pictured >= PICTURE_S:
            is_moved = self._is_moved
            self._show()
        self._hurry()
        with left_out("the fall"):
            self._film(now)
        with left_out("what is to be seen"):
            self._frame(now)
        with left_out("where a piece would land"):
            landing = self._wishes.step(is_moved=is_moved)
            if landing is not None:
                self.audience.send_to(self._wishes.need.player, landing)
                self._is_stale = True
        with left_out("the coach"):
            asked = self._wishes.need.player
            if asked in self.audience.views:
                self._coach.shows_hint = self.audience.views[asked].is_coached
            self._coach.step(None if self._wishes.knows_poses else self._hand.grip, now - self._coached)
            self._coached = now
            coached = self._coach.news(self._wishes.heard)
            if coached is not None:
                self.audience.send_to(asked, coached)
                self._is_stale = True
            self.audience.send_change(asked, self._coach.told())
        with left_out("why pieces fell"):
            self._tell_why()
        if self._is_stale and now - self._paneled > PANELS_S:
            self._paneled, self._is_stale = now, False
            self.audience.tell_panels()
        with left_out("the pictures"):
            self.audience.tell_pictures()
        self._tell_faults()
        self._tell_lapse()
        for name in self.chairs.given_up():
            self.audience.send_all({"type": "away", "seat": name, "seconds_left": 0})
            waits = "; the game waits for it" if self._wishes.need.player == name else ""
            self._people.tell(f"{name} has been away for {AWAY_S / 60:.0f} minutes: the seat is free{waits}.")
            self.audience.tell_panels()

    def _frame(self, now: float) -> None:
        """Tells everybody what is to be seen of the table, unless something falls."""
        if not self._is_framed and not self.fall.state and now - self._framed > FRAMED_S:
            self._framed, self._is_framed = now, True
            self.audience.tell_frames()
            self._is_stale = True

    def _hurry(self) -> None:
        """Time runs as fast as the host wants, and faster while a bot plays; never while something falls."""
        pace = BOT_PACE if self._client.is_watched and not self.fall.state else 1.0
        wanted = min(self.fall.speed * pace, 100.0)  # as much as may be ordered
        if wanted != self._speed:
            self._speed = wanted
            self._physics.send(SetSpeed(wanted))

    def _film(self, now: float) -> None:
        """Tells everybody from where a fall is seen, as long as there is one."""
        state, camera = self.fall.state, self.fall.camera(CLEAR)
        if state != self._fallen or (state and now - self._filmed > FILMED_S):
            self._fallen, self._filmed, self._is_stale = state, now, True
            line = self.audience.views[""].told_last
            self.audience.send_all(
                {
                    "type": "fall",
                    "state": state,
                    "eye": [] if camera is None else [round(value, 4) for value in camera.eye],
                    "target": [] if camera is None else [round(value, 4) for value in camera.target],
                    "fov": FOV if camera is None else camera.fov,
                    "told": line[0] if line else "",
                }
            )

    def _tell_why(self) -> None:
        """Tells everybody why pieces fell, once that is known."""
        if self._coach.why and not self.audience.why:
            self.audience.why = self._coach.why
            self.audience.tell_turn()

    def _tell_faults(self) -> None:
        """Tells everybody what failed and is left out; where its report is, to the terminal alone."""
        for fault in FAULTS.noted[self._known_faults :]:
            self._known_faults += 1
            self._say(fault.line)
            self.audience.send_all({"type": "chat", "who": "", "text": fault.brief})

    def _tell_lapse(self) -> None:
        """Tells the host when links and tokens cannot be written down any more."""
        if self._links.lapse and not self._lapse:
            line = f"Links and seats are not kept: {self._links.lapse}. Who hosts this game again gets the ones before."
            self._say(line)
            self.audience.tell_hosts({"type": "chat", "who": "", "text": line})
        self._lapse = self._links.lapse

    def _show(self) -> None:
        """Sends the table as it is, when something moved."""
        if self._is_moved:
            self._pictured, self._is_moved = time.monotonic(), False
            self.audience.tell_picture()

    @property
    def is_busy(self) -> bool:
        """Whether `tick` has something to do soon."""
        return (
            self._is_moved
            or bool(self.fall.state)
            or self._wishes.is_aiming
            or self.audience.painter.is_busy
            or self._coach.is_waiting
            or not self._is_framed
            or self._is_stale
        )

    # -- from browsers -----------------------------------------------------------------------------------------------

    def receive(self, connection: Connection, text: str | bytes) -> None:
        """Takes in a message of a browser. What is wrong with it is said, and changes nothing."""
        if not connection.messages.take():
            self._fault(connection, "Too many messages: slow down")
            return
        try:
            message = read(text)
            if isinstance(message, Hello):
                self._people.greet(connection, message)
            elif connection.role is None:
                raise WishError("Say hello first")
            else:
                self._obey(connection, message)
        except MessageError as error:
            self._fault(connection, str(error))
        except WishError as refusal:
            if connection.role is None:
                connection.close(BROKEN_RULE, refusal.sentence[:100])
            else:
                connection.refuse(refusal.clause, refusal.sentence)

    def _fault(self, connection: Connection, why: str) -> None:
        if connection.role is None or not connection.faults.take():
            connection.close(BROKEN_RULE, "not the protocol of this table")
        else:
            connection.refuse("", why)

    def _obey(self, connection: Connection, message: Given) -> None:
        if isinstance(message, Ping):
            connection.send({"type": "pong", "number": message.number})
        elif isinstance(message, (Sit, StandUp, Chat)):
            self._people.obey(connection, message)
        elif isinstance(message, Watch):
            self._wishes.check_seat(connection)
            if not self.fall.state:
                raise WishError("Nothing falls")
            self.fall.leave() if message.type == "go_on" else self.fall.again()
        elif isinstance(message, PanelMessage):
            self._press(connection, message)
        elif isinstance(message, HostMessage):
            self._manage(connection, message)
        else:
            self._play(connection, message)

    def _press(self, connection: Connection, message: PressButton | MoveSlider) -> None:
        """A button or a slider of a panel; in the sandbox some of them are orders."""
        look, client = connection.look, self._client
        look = replace(look, building=replace(look.building, right=message.right))
        new = (
            hud_state.pressed(look, message.name)
            if isinstance(message, PressButton)
            else hud_state.slid(look, message.name, message.value)
        )
        connection.look = new
        view, (kind, _, rest) = self.audience.views[connection.seat], message.name.partition(":")
        if kind in ("learn", "skip") and connection.seat:
            is_on = kind == "learn" and view.tutorial is None
            view.tutorial = Tutorial(details_of(client.game).lessons) if is_on else None
        elif kind == "hint":
            view.is_coached = not view.is_coached
        elif kind == "take":
            self._check_player(connection)
            self._physics.send(self._wishes.take(connection.seat, rest))
        elif kind == "keep":
            self._keep(connection)
        elif kind == "again":
            if connection.role != "host" or not self._is_over:
                raise WishError("Only the host's link deals anew, once the game is over")
            self.is_left = True
        if client.game.is_free_building:
            chosen = look.pieces[0] if look.pieces else ""
            building = look.building if isinstance(message, PressButton) else new.building
            order = order_of(client, building, message.name, chosen)
            if order is not None:
                self._check_player(connection)
                self._order(self._wishes.build(order))
            elif kind == "check":
                self._wishes.check_turn(connection)
                self._coach.check()
            elif kind == "save" and client.in_play and not client.held:
                self._save(connection)
        self.audience.tell_panels(connection)

    def _save(self, connection: Connection) -> None:
        """The browser keeps what was built."""
        try:
            what = built(self._client, self._scene)
        except SceneError as error:
            raise WishError(str(error).splitlines()[0]) from error
        name, text = f"{SAVED}{what.ending}", b64encode(what.content).decode()
        connection.send({"type": "saved", "name": name, "base64": text})
        building = replace(connection.look.building, said=saved_as(self._client, name, what.lost))
        connection.look = replace(connection.look, building=building)

    def _keep(self, connection: Connection) -> None:
        """The browser keeps the recording."""
        file = self._client.plan.file
        if file is None or not self._is_over:
            raise WishError("The recording is whole once the game is over" if file else NOT_KEPT)
        if not connection.says.take():
            raise WishError("Too often: wait a moment")
        try:
            text = b64encode(file.read_bytes()).decode("ascii")
        except OSError as error:
            raise WishError(f"The recording cannot be read: {error.strerror or error}") from error
        connection.send({"type": "saved", "name": file.name, "base64": text})

    @property
    def _is_over(self) -> bool:
        """Whether the game is over and its recording whole."""
        return self._wishes.need.wait is Wait.OVER

    def _play(self, connection: Connection, message: Given) -> None:
        """An act in the game, of who is asked."""
        self._check_player(connection)
        wishes = self._wishes
        if isinstance(message, (AimAt, PointAt)):
            wishes.aim(message)
        elif isinstance(message, Feel):
            self._coach.feel(wishes.feel(message))
        elif isinstance(message, HandAct) and message.name == "nearest":
            wishes.carry(message, self._coach.nearest)
        elif isinstance(message, (HandAct, Shift, Spin)):
            if wishes.act(message, connection):
                self._end_question()
        elif isinstance(message, Undo):
            self._order(wishes.undo())
        elif isinstance(message, Choose):
            self._order(wishes.choose(message, self.audience.views[connection.seat]))
        if isinstance(message, FromEye):
            self._coach.right = message.right

    def _check_player(self, connection: Connection) -> None:
        self._wishes.check_turn(connection)
        if self.audience.is_paused:
            # it would be done as soon as the clock goes on, when nobody wants it any more
            raise WishError("The host has stopped the clock")
        if self.chairs.of(connection.seat).style:
            raise WishError("A bot plays for you; the host can give you the seat back")

    def _order(self, order: Order) -> None:
        """Gives an order, which ends the question: nobody is asked until the game asks again."""
        self._physics.send(order)
        self._end_question()

    def _end_question(self) -> None:
        self._wishes.forget()
        for view in self.audience.views.values():
            view.act()
        self._client.act()
        self.audience.tell_turn()

    def _manage(self, connection: Connection, message: HostMessage) -> None:
        if connection.role != "host":
            raise WishError("Only the host's link may do that")
        if isinstance(message, (MuteGuest, SendAway)):
            self._people.keep_order(message)
            return
        goes_on = isinstance(message, Pause) and not message.is_paused
        if self._is_over and not goes_on and not isinstance(message, SetSpeed):
            raise WishError("The game is over")
        if isinstance(message, ToBot):
            self.chairs.to_bot(message.seat, message.style)
            self._people.tell(f"A bot ({message.style}) plays for {message.seat}.")
        elif isinstance(message, ToPerson):
            self.chairs.to_person(message.seat)
            self._people.tell(f"{message.seat} plays again.")
        elif isinstance(message, SetSpeed):
            self.fall.speed = message.factor
        else:
            self.audience.is_paused = message.is_paused
            self._physics.send(message)
            self._people.tell("The host has stopped the clock." if message.is_paused else "The game goes on.")
        self.audience.tell_picture()
        self.audience.tell_panels()

    def close(self) -> None:
        """Ends the processes beside the physics."""
        self.audience.painter.close()
        self._coach.close()
