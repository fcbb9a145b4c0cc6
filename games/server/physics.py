"""The physics process: one session, paced by the clock on the wall, driven by orders from the window.

People's orders and the players that are bots go through the same doors of the session. Time on the table passes only
while something moves or is carried.
"""

import contextlib
import math
import sys
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.event_detector import steps_of
from teeter.engine.hand import packed
from teeter.engine.motions import Motion, between, draw
from teeter.engine.pose import Pose
from teeter.engine.process import suppress_stderr
from teeter.engine.view.frame import frame_of
from teeter.engine.world.body import FLOOR, Body
from teeter.engine.worlds import new_world
from teeter.games.core.errors import IllegalAction, RulesError
from teeter.games.core.events import Fell
from teeter.games.core.rules import Input, Need, TakeBack, Wait
from teeter.games.faults import one_line, write_report
from teeter.games.play.session import Session
from teeter.games.players.bots import (
    MOST_TRIES,
    Bot,
    bots_of,
    lay,
    offers,
    pull,
    referees,
    skill_of,
    way_clear,
)
from teeter.games.registry import game_named
from teeter.games.server import messages
from teeter.games.server.follower import Clock, HandFollower, laying
from teeter.games.server.messages import (
    SETTING_UP,
    Busy,
    GameUpdate,
    NewBody,
    Order,
    Plan,
    Refused,
    TableView,
    Waits,
    Wreck,
)
from teeter.games.server.protocol import Pause, SetSpeed
from teeter.games.server.setup import ActiveGame, first_view, open_game
from teeter.models.errors import ModelError, TeeterError

BOT_PAUSE_S = 0.5
"""Seconds between two acts of a bot, so that people can follow."""
AT_REST = (Wait.ACTION, Wait.ANSWER, Wait.OVER)
"""What a game waits for once all lies still."""
VIEW_S = 1.0 / 120.0
"""Seconds between two views: no screen shows more, and each costs what a step costs."""
TURN_UP, TURN_UP_S, ARC = 30, 0.7, 0.07
"""Views and seconds in which a card turns up, and metres by which it rises meanwhile."""
LOADED, BUILT = 0.25, 0.85
"""Of the time that setting up takes, what is over when the program is loaded, and when the pieces are built."""
IDLE_STEPS = 120
"""Steps after which a piece that is held still is held without time passing."""
ARRIVAL_S = 3.0
"""Seconds in which a hand gets to where its piece shall be lowered, or lowers it where it is."""


class Abandoned(Exception):  # noqa: N818 - nothing went wrong
    """The window wants no more."""


class PhysicsServer:
    """One game, and the line to its window."""

    def __init__(self, line: Connection, plan: Plan) -> None:
        self._line, self._plan = line, plan
        self._clock = Clock()
        self._orders: deque[Order] = deque()
        self._known = {body.name: body for body in first_view(plan).bodies}
        """What the window has; what it made itself it is not sent."""
        self._last: TableView | None = None
        self._is_open = self._is_paused = self._has_fallen = self._is_wreck = False
        self._later: list[messages.News] = []
        """News of what comes after a wreck that is still looked at."""
        self._is_left = False
        """Whether the window wants no more. An act that has begun is done to its end, or the record would stop where
        nobody who plays it again does."""
        self._pulled = ""
        self._checked = self._shown_at = self._paused_at = self._stopped_s = 0.0
        self._set_up(LOADED)
        self.active = open_game(plan, self._tell, self._look, self._progress)
        self.session: Session = self.active.session
        self.session.before_tidying, self.session.after_tidying = self._show_wreck, self._wait_at_wreck
        game = self.session.game
        self._bots = bots_of(self.session, plan.seed) if game.has_bots else {}
        self._drawer = Bot("steady", plan.game, plan.seed) if game.has_bots else None

    def say(self, news: messages.News) -> None:
        """Tell the window something."""
        if self._is_wreck:
            self._later.append(news)
            return
        try:
            if not self._is_left:
                self._line.send(news)
        except OSError:
            self._is_left = True

    def _tell(self, before: Any, entry: Input, after: Any) -> None:
        self._has_fallen |= isinstance(entry, Fell)
        self.say(GameUpdate(after, type(entry).__name__, entry))

    def _set_up(self, share: float) -> None:
        """A new game has come so far."""
        if self._plan.resume is None and share > self._checked:
            self._checked = share
            self.say(Busy(SETTING_UP, share))

    def _progress(self, done: int, whole: int) -> None:
        """A game that is gone on with is played again up to where it was left."""
        if done / whole > self._checked + 0.01:
            self._checked = done / whole
            self.say(Busy("checking what was played", self._checked))
            if self._line.poll() and self._line.recv() is messages.Act.QUIT:
                raise Abandoned

    def _look(self, step: int, bodies: Mapping[str, Body]) -> None:
        """Show what there is when its time has come; hear whether it shall go on."""
        if not self._is_open:
            self._set_up(BUILT)
            return
        if not self._is_left and not self._is_wreck:
            with contextlib.suppress(Abandoned):
                self._show(step, bodies)
                self._clock.wait(step, self.session.table.rate)
                self._hear()

    def _show(self, step: int, bodies: Mapping[str, Body]) -> None:
        now = time.perf_counter()
        if self._last is not None and now - self._shown_at < VIEW_S:
            return
        is_first, self._shown_at = not self._shown_at, now
        judge = self.session.judge
        scenery = {body.name: body for body in judge.scenery(self.session.state) if body.name not in bodies}
        shown = {**bodies, **scenery}
        if not is_first:
            self._turn_up(step, shown)
        self._send(step, shown)

    def _send(self, step: int, bodies: Mapping[str, Body]) -> None:
        """Show these bodies, if anything of them is new."""
        for name, body in bodies.items():
            if name != FLOOR and (name not in self._known or self._known[name].piece is not body.piece):
                self._known[name] = body
                self.say(NewBody(body))
        names = tuple(name for name in bodies if name != FLOOR)
        rows = frame_of(bodies[name] for name in names).poses
        hand, rate = self.session.table.hand, self.session.table.rate
        force = float(np.linalg.norm(hand.force)) if hand.held else 0.0
        lean = self.session.table.lean
        view = TableView(step, rate, names, rows, hand.held or "", force, self.session.left_s, lean)
        last, self._last = self._last, view
        if (
            last is None
            or last.names != names
            or last.held != view.held
            or last.lean != lean
            or not np.array_equal(last.poses, rows)
        ):
            self.say(view)

    def _turn_up(self, step: int, bodies: Mapping[str, Body]) -> None:
        """A card that appears is turned up from the top of its stack."""
        session, judge = self.session, self.session.judge
        for name in [piece for piece in bodies if piece not in self._known]:
            start, body = judge.comes_from(session.state, name), bodies[name]
            if start is None:
                continue
            for turn in range(1, TURN_UP):
                part = turn / TURN_UP
                pose = between(start, body.pose, part)
                x, y, z = pose.position
                high = Pose((x, y, z + ARC * math.sin(math.pi * part)), pose.orientation)
                self._send(step, {**bodies, name: body.at(high)})
                self._pause(TURN_UP_S / TURN_UP)

    def _show_wreck(self) -> None:
        """After a fall what has become of it is seen."""
        if self._has_fallen and self._is_open and self.session.need.wait in AT_REST:
            self._has_fallen, self._last = False, None
            with contextlib.suppress(Abandoned):
                self._show(self.session.table.step, self.session.table.bodies)
                self.say(Wreck())
                self._is_wreck = True

    def _wait_at_wreck(self) -> None:
        """Nobody is waited for before the fall is on file: a game that is killed meanwhile would go on without it."""
        if not self._is_wreck:
            return
        self._stop(is_paused=True)
        with contextlib.suppress(Abandoned):
            self._hear()
        self._is_wreck, later, self._later = False, self._later, []
        for news in later:
            self.say(news)
        with contextlib.suppress(Abandoned):
            self._refresh()

    def _refresh(self) -> None:
        """Show what there is, now."""
        self._show_wreck()
        self._wait_at_wreck()
        self._clock.restart(self.session.table.step)
        self._last = None
        self._show(self.session.table.step, self.session.table.bodies)

    def _stop(self, *, is_paused: bool) -> None:
        """Let time stand still, or go on: nobody has thought for what passed meanwhile."""
        now = time.perf_counter()
        if is_paused and not self._is_paused:
            self._paused_at = now
        elif self._is_paused and not is_paused:
            self._stopped_s += now - self._paused_at
        self._is_paused = is_paused

    def _hear(self, seconds: float = 0.0) -> None:
        """Take in orders; wait for one so long. Raises Abandoned."""
        if self._is_left:
            raise Abandoned
        try:
            while self._line.poll(None if self._is_paused else seconds):
                order = self._line.recv()
                if order is messages.Act.QUIT:
                    raise EOFError
                if isinstance(order, SetSpeed):
                    self._clock.speed = order.factor
                    self._clock.restart(self.session.table.step)
                elif isinstance(order, Pause):
                    self._stop(is_paused=order.is_paused)
                    self._clock.restart(self.session.table.step)
                elif isinstance(order, messages.SetBot):
                    self._set_bot(order)
                    # who thinks about it, or holds a piece, is asked no more
                    self._orders.append(order)
                else:
                    self._orders.append(order)
                seconds = 0.0
        except (EOFError, OSError) as error:
            self._is_left = True
            raise Abandoned from error

    def _set_bot(self, order: messages.SetBot) -> None:
        """A bot plays for a person, or the person again; those who are bots by the rules remain so."""
        members = [member for seat in self.session.state.seats for member in seat.members]
        for number, member in enumerate(members):
            if member.name == order.player and not member.bot:
                if order.style and self.session.game.has_bots:
                    seed, shakes = self._plan.seed + number, self.session.handling.shakes
                    self._bots[member.name] = Bot(order.style, self._plan.game, seed, shakes)
                else:
                    self._bots.pop(member.name, None)

    def run(self) -> None:
        """Play until the window wants no more."""
        self._is_open = True
        self._refresh()
        if self._plan.resume is None:
            self.say(GameUpdate(self.session.state, "Opening"))
        while not self._is_left:
            need = self.session.need
            if self._has_fallen and need.wait in AT_REST:
                self._refresh()
            if need.wait is Wait.OVER:
                self.active.pack()
            if need.wait in (Wait.REST, Wait.COUNT):
                is_count = need.wait is Wait.COUNT
                self.say(Busy("one ... two ... three ..." if is_count else "waiting until all is still"))
                self._clock.restart(self.session.table.step)
                self.session.settle()
                self._refresh()
            elif need.wait is Wait.ANSWER:
                self._answer(need)
            elif need.who in self._bots and need.wait is not Wait.OVER:
                self._let_bot(self._bots[need.who], need)
            else:
                self._let_person(need)

    def _answer(self, need: Need) -> None:
        self.say(Busy("the referee looks"))
        yes = referees(self.session, need)
        example = skill_of(self.session.game).example(self.session, need) if yes else None
        self.session.answer(yes)
        self._refresh()
        if example is not None:
            self.say(messages.Pointed(*example))

    def _let_bot(self, bot: Bot, need: Need) -> None:
        self.say(Busy(f"{need.who} thinks" if need.wait is Wait.ACTION else f"{need.who} plays"))
        self._pause(BOT_PAUSE_S)
        self._clock.restart(self.session.table.step)
        if need.wait is Wait.HAND:
            lay(self.session, bot, need)
            if self.session.tries >= MOST_TRIES:
                raise RulesError(f"{need.who} laid a piece against the rules {MOST_TRIES} times running")
        elif need.wait is Wait.PULL:
            pull(self.session, bot, need)
        else:
            self.session.act(bot.choose(self.session, need))
        self._refresh()

    def _pause(self, seconds: float) -> None:
        end = time.perf_counter() + seconds / max(self._clock.speed, 0.1)
        while (left := end - time.perf_counter()) > 0:
            self._hear(left)

    def _let_person(self, need: Need) -> None:
        # a slider that is dragged on while the table tilts counts where it ends
        self._orders = deque([order for order in self._orders if isinstance(order, messages.Tilt)][-1:])
        choices = self.session.choices
        can_undo = any(isinstance(choice.action, TakeBack) for choice in choices)
        can_undo |= self.active.building is not None and self.active.building.can_undo
        self.say(Waits(need, choices, can_undo))
        if need.wait is Wait.PULL and self.session.table.hand.held is None:
            # it slipped off what it pulls, or let go of it, and takes hold again where that is now
            self.session.aim(packed(self.session.table.bodies[need.pieces[0]].pose))
            self.say(Refused("", "The hand takes hold again."))
            self._refresh()
        if self.session.table.hand.held is not None:
            self._hold(need)
            return
        if self._think():
            self._obey(self._orders.popleft())

    def _think(self) -> bool:
        """Wait for an order. Where a clock runs (CT-37 to CT-39) thinking counts. Returns whether there is one, and
        time is left for it."""
        session, begun = self.session, time.perf_counter() - self._stopped_s
        left = session.left_s if session.need.wait is Wait.ACTION else None
        rate, view = session.table.rate, self._last
        passed = 0.0
        while not self._orders and (left is None or passed <= left):
            self._hear(1.0 if left is None else min(1.0, left - passed + 1.0 / rate))
            passed = (time.perf_counter() - self._stopped_s - begun) * self._clock.speed
            if left is not None and view is not None:
                self.say(replace(view, left_s=max(0.0, left - passed)))
        if left is not None and passed > 0.0:
            session.wait(max(1, round(passed * rate)))
            self._clock.restart(session.table.step)
        return bool(self._orders) and session.outcome is None

    def _obey(self, order: Order) -> None:
        """What a person may want while nothing is moving."""
        session = self.session
        try:
            building = self.active.building
            if order is messages.Act.CLEAR or isinstance(order, (messages.Shove, messages.Tilt)):
                self.say(Busy("waiting until all is still"))
            if building is not None and building.obey(order):
                pass
            elif isinstance(order, messages.Do):
                session.act(order.action)
            elif order is messages.Act.UNDO:
                session.undo()
            elif order is messages.Act.LET_GO:
                self._release()
        except IllegalAction as refusal:
            self.say(Refused(refusal.clause, refusal.sentence))
        except (RulesError, ValueError, ModelError, OSError) as error:
            self.say(Refused("", str(error)))
        self._refresh()

    def _hold(self, need: Need) -> None:
        """A person has a piece in the hand, until the game waits for something else."""
        session = self.session
        hand, held = session.table.hand, session.table.hand.held
        rate = session.table.rate
        last = session.table.step
        wanted: Pose | None = None
        follow = HandFollower(hand.target, rate, is_pulling=need.wait is Wait.PULL)
        is_out = need.wait is Wait.HAND and self._pulled == held
        # a brick that was just pulled out is drawn on until nothing of the tower is above it
        motion = self._drawing(way_clear(session, held or "") if is_out else None)
        self._pulled = (held or "") if need.wait is Wait.PULL else ""
        still, is_laying, gap = 0, False, -1.0
        self._clock.restart(session.table.step)
        while hand.held == held and session.need == need:
            self._hear(0.05 if still > IDLE_STEPS else 0.0)
            while self._orders:
                order = self._orders.popleft()
                if isinstance(order, messages.Aim):
                    # what is to be laid stays where it was wanted then
                    wanted = order.pose if gap < 0.0 else wanted
                    follow.goal = wanted or order.pose
                elif isinstance(order, messages.Lay):
                    gap, last = order.gap, session.table.step + steps_of(ARRIVAL_S, rate)
                elif order is messages.Act.OFFER_PLACES:
                    self.say(messages.Places(offers(session, need)))
                    self._clock.restart(session.table.step)
                elif order is messages.Act.PULL_OUT:
                    motion = self._drawing(None if self._drawer is None else self._drawer.pull(session, need))
                else:
                    self._obey(order)
                    return
            if gap >= 0.0 and motion is None and (follow.is_near or session.table.step > last):
                # the piece is lowered where it was wanted, not where the hand was by then
                motion, is_laying = laying(hand, session.table.bodies[held or ""].piece.mass, gap), True
            # a hand that trembles, sways or is timed is never still
            is_still = (
                motion is None
                and gap < 0.0
                and follow.is_there
                and session.handling.is_plain
                and not session.handling.limit_s
            )
            if is_still and still > IDLE_STEPS:
                continue
            if still > IDLE_STEPS:
                self._clock.restart(session.table.step)
            still = still + 1 if is_still else 0
            try:
                target = next(motion) if motion is not None else packed(follow.step())
            except StopIteration:
                if hand.held != held or not is_laying:
                    motion, follow = None, HandFollower(hand.target, rate, is_pulling=need.wait is Wait.PULL)
                    follow.goal = wanted or hand.target
                    continue
                try:
                    self._release()
                except IllegalAction as refusal:
                    self.say(Refused(refusal.clause, refusal.sentence))
                return
            session.aim(target)

    def _release(self) -> None:
        """A person lets go. Raises IllegalAction where the rules refuse it."""
        session = self.session
        held, conditions = session.table.hand.held, session.need.conditions
        if held is not None and session.need.wait is Wait.HAND:
            refused = session.judge.refuses(session.state, held, conditions, session.table.bodies)
            if refused is not None:
                raise IllegalAction(refused.clause, refused.missed)
        session.release()

    def _drawing(self, way: NDArray[np.float64] | None) -> Motion | None:
        return None if way is None else draw(self.session.table.hand, way)


def get_ready(likely: Plan) -> None:
    """Load and build what a game needs. What is wrong with it is said when it begins."""
    with contextlib.suppress(TeeterError, OSError), suppress_stderr():
        if likely.resume is None:
            # its hulls are written to files that later worlds read
            new_world(first_view(likely).bodies).close()
        game = game_named(likely.game)
        if game.has_bots:
            skill_of(game)
        # what a brick that is drawn out needs
        import_module("teeter.engine.topple.resting")


def serve(line: Connection, plan: Plan) -> None:
    """The process: open the game, play it, say when it cannot go on."""
    server: PhysicsServer | None = None
    try:
        with suppress_stderr():
            server = PhysicsServer(line, plan)
        server.run()
    except Abandoned:
        pass
    except Exception as error:  # whatever it is, the person at the window has to hear of it
        with contextlib.suppress(BrokenPipeError, OSError):
            is_crash = not isinstance(error, (TeeterError, OSError))
            file = write_report(error, "the physics") if is_crash else None
            why = one_line(error) if is_crash else str(error) or type(error).__name__
            line.send(
                messages.Broken(why if file is None else f"{why}; please report it with {file}", is_crash)
            )
    finally:
        if server is not None:
            _close(server.active)


def _close(active: ActiveGame) -> None:
    """Pack what is recorded. Where that fails its folder stays, to be gone on with; a line on the terminal says so, for
    the window may be gone."""
    try:
        active.close()
    except (TeeterError, OSError) as error:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"teeter: {error}\n")
