"""A person's hand, at the window or in a browser: what pointer and keys want becomes targets of the held piece, and
orders."""

import math
from dataclasses import replace
from typing import Protocol

import numpy as np

from teeter.engine.pose import Pose, vector_of
from teeter.engine.view.camera import Vector, on_plane
from teeter.engine.view.overlays import Ghost, Overlay
from teeter.engine.world.body import TABLE
from teeter.games.core.rules import Wait
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of
from teeter.games.present.settings import Settings
from teeter.games.present.slots import MAGNET, nearest, pointed, square
from teeter.games.server.messages import Act, Aim, Lay, Order, Refused
from teeter.models.piece import Array

NUDGE = 0.005
"""Metres that one press of a key moves the hand; a fifth of it in fine mode."""
TAP = 0.002
"""Metres that a tap moves a brick, if it lets itself be moved."""
HOLD_S = 0.25
"""Seconds after which a key that stays down moves the hand on."""
DIRECTIONS = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "far": (0.0, 1.0), "near": (0.0, -1.0)}
"""Right and away from the eye."""
PER_STEP = 36.0
"""Pixels of a right-drag to one step of turning, in a picture 720 pixels high."""
OVERRUN = 0.06
"""Heights of the picture by which a pointer that draws a brick goes on when the brick is out: nobody stops at once, and
what was meant to draw it must not fling it across the table."""
FREE, FREE_COVER = "#f4f0e6", 0.5
"""How a free place is shown: light, and how much it covers."""
TREMBLING = 1e-5
"""Metres by which what lies below may move without the hand going after it: a tower of blocks on rounded faces is never
quite still, and as long as the hand moves, time passes."""
CLEAR, CLEARED, LEAVING_S = 0.015, 0.004, 2.0
"""Metres from the tower to which a brick that is out is drawn on by itself, and from there at which it may go on, and
seconds after which it does: the rules call it out as soon as it touches nothing, with its end still between others.
Time stands still in the game while a hand rests: twice as many on the wall do too."""
OVER_EDGE = 0.05
"""Metres beyond the table's edge to which a hand carries a piece."""


Right = tuple[float, float]
"""What is to the right of who looks: a level unit vector (x, y)."""


class OrderLine(Protocol):
    """The line to the physics."""

    def send(self, order: Order, /) -> None:
        """Give an order."""


class HandControl:
    """The hand of the people at one window, or at one seat."""

    def __init__(self, client: ClientState, physics: OrderLine, settings: Settings) -> None:
        self.client, self.physics, self.settings = client, physics, settings
        self.grip: CarryTarget | None = None
        self.is_fine = False
        self._dragged = 0.0
        self._has_gone = self._is_fresh = self._is_exact = False
        self._since: dict[str, float] = {}
        self._point: tuple[float, float] | None = None
        self._drawn_at: tuple[float, float] | None = None
        self.place = -1
        """The number of the place it was carried over last, of those that were asked for."""
        self._wants_place = self._has_asked = False
        self._wanted: tuple[float, float] | None = None
        """Where the piece is wanted, which a place near it may have drawn in."""
        self._leaving: tuple[Vector, float, float] | None = None
        """Where a brick that is out is clear of the tower; the step and the time when it goes on at the latest."""
        self._wish: tuple[float, float, float] | None = None
        self.is_free = False
        """Whether a key frees what is pulled from its rail."""

    @property
    def is_just_out(self) -> bool:
        """Whether it holds a brick that has come out, and the pointer has not gone on from there yet."""
        return self.grip is not None and not self.grip.is_pulling and self._drawn_at is not None

    @property
    def place_word(self) -> str:
        """What is to be said of the places that are gone through; empty before."""
        places = self.client.places
        if self._wants_place:
            return "looking for places ..."
        if self.slots and self.place < 0:
            return f"{len(places or ())} free places"
        if places is not None and not places:
            return "no place is known"
        return f"place {self.place + 1} of {len(places)}" if places and self.place >= 0 else ""

    @property
    def slots(self) -> tuple[Pose, ...]:
        """The places that draw the held piece in."""
        places = self.client.places
        is_drawn = places is not None and details_of(self.client.game).has_slots(self.client)
        return places if is_drawn and places is not None else ()

    @property
    def fine(self) -> float:
        """How much of a move is done."""
        return self.settings.hand.fine if self.is_fine else 1.0

    def follow(self) -> None:
        """Take note of what the hand holds now."""
        client, held = self.client, self.client.held
        if not held or client.waits is None or held not in client.pieces:
            self.grip = self._drawn_at = None
            return
        is_pulling = client.waits.need.wait is Wait.PULL
        if self.grip is not None and (self.grip.name, self.grip.is_pulling) == (held, is_pulling):
            self._hear_places()
            self._leave()
            return
        pose = client.pose(held)
        hover = self.settings.hand.hover_mm / 1e3
        # a piece just pulled out stays where it is until the hand moves: what it came from may still be above it
        was_pulled = self.grip is not None and self.grip.name == held
        reach, self._leaving, self._wish = self.reach, None, None
        if was_pulled and self.grip is not None and not is_pulling:
            pose = self._drawn_clear(self.grip, pose)
        self.grip = CarryTarget(
            held, client.pieces[held], pose, is_pulling=is_pulling, hover=hover, reach=reach
        )
        self._point, self._has_gone = None, False
        self._wanted, self._has_asked = None, False
        client.places, self.place, self._wants_place = None, -1, False
        if is_pulling or not was_pulled:
            self._drawn_at = None
        if not is_pulling and details_of(client.game).has_slots(client):
            self._ask_places()
        if not is_pulling and not was_pulled:
            self._go(pose.position[0], pose.position[1])

    def _ask_places(self) -> None:
        if not self._has_asked:
            self._has_asked = True
            self.physics.send(Act.OFFER_PLACES)

    def _hear_places(self) -> None:
        """Places may be known now: the piece is turned as it belongs there, and goes to one if that was wanted."""
        grip, places = self.grip, self.client.places
        if grip is None or places is None or not self._has_asked:
            return
        self._has_asked = False
        if self.slots:
            grip.orient(square(self.slots[0], grip.rotation))
        if self._wants_place:
            self._wants_place = False
            self._show_place()

    @property
    def reach(self) -> tuple[float, float, float, float]:
        """The least and greatest x and y to which the hand goes: a little beyond the table."""
        x, y, _ = self.client.pose(TABLE).position
        half, depth = (float(side) / 2 + OVER_EDGE for side in self.client.pieces[TABLE].extents[:2])
        return x - half, x + half, y - depth, y + depth

    # -- the pointer -------------------------------------------------------------------------------------------------

    def point(self, origin: Array, direction: Array, at: tuple[float, float]) -> None:
        """A ray of the pointer, metres. at: where in the picture it begins, in heights of the picture."""
        grip = self.grip
        if grip is None:
            return
        if grip.is_pulling:
            self._drawn_at = at
            place, before = on_plane(origin, direction, grip.start.position[2]), grip.goal
            if place is None:
                return
            grip.pull(*place[:2], is_free=self.is_free)
            if math.dist(grip.goal.position, before.position) > 1e-6:
                self.physics.send(Aim(grip.goal))
            return
        if self._drawn_at is not None and math.dist(self._drawn_at, at) < OVERRUN:
            return
        slot = None if self.is_fine else pointed(self.slots, grip.piece, grip.rotation, origin, direction)
        if slot is not None:
            self._point = None
            self._take_in(slot)
            return
        there = self.client.surface(grip.name).pointed(grip.piece, grip.rotation, origin, direction, grip.low)
        if there is None:
            return
        last, self._point = self._point, there
        if self.is_fine:
            if last is None:
                return
            here = grip.goal.position
            self._go(*(h + self.fine * (t - b) for h, t, b in zip(here[:2], there, last, strict=True)))
        else:
            self._go(*there, MAGNET)

    def _drawn_clear(self, grip: CarryTarget, pose: Pose) -> Pose:
        """Draw a brick that is out on until it is clear of the tower. Returns where that is."""
        out, view = np.subtract(pose.position, grip.start.position) * (1.0, 1.0, 0.0), self.client.view
        come = float(np.linalg.norm(out))
        if come < CLEARED or view is None:
            return pose
        more = max(float(grip.piece.extents.max()) - come, 0.0) + CLEAR
        clear = replace(pose, position=vector_of(pose.position + more * out / come))
        latest = view.step + LEAVING_S * view.rate, self.client.clock() + 2.0 * LEAVING_S
        self._leaving = clear.position, *latest
        self.physics.send(Aim(clear))
        return clear

    def _leave(self) -> None:
        """A brick that is clear of the tower goes where it has been wanted since before it was."""
        view = self.client.view
        if self._leaving is None or self.grip is None or view is None:
            return
        place, step, latest = self._leaving
        is_clear = math.dist(self.client.pose(self.grip.name).position, place) < CLEARED
        if is_clear or view.step > step or self.client.clock() > latest:
            self._leaving, wish, self._wish = None, self._wish, None
            if wish is not None:
                self._go(*wish)

    def turn(self, degrees: float) -> None:
        """Turn the held piece by degrees."""
        if self.grip is not None and not self.grip.is_pulling:
            self.grip.turned(degrees)
            self._again()

    def drag_turn(self, pixels: float, high: float, *, is_free: bool) -> None:
        """A right-drag: turn the piece in steps, or freely."""
        if self.grip is None or self.grip.is_pulling:
            return
        step = self.settings.hand.step_deg
        self._dragged += pixels * 720.0 / high / PER_STEP * self.fine
        if is_free:
            self.grip.turned(self._dragged * step)
            self._dragged = 0.0
        else:
            steps = math.trunc(self._dragged)
            if not steps:
                return
            self._dragged -= steps
            self.grip.turned(steps * step, step)
        self._again()

    # -- acts --------------------------------------------------------------------------------------------------------

    def act(self, name: str, right: Right) -> bool:
        """One press of the key, or click of the button, that does something to the held piece. Returns
        whether it did."""
        grip = self.grip
        if grip is None:
            return False
        hand = self.settings.hand
        if name in DIRECTIONS:
            across, along = (NUDGE * self.fine * step for step in DIRECTIONS[name])
            self._move(across, along, right)
        elif name == "rest":
            self.rest()
        elif grip.is_pulling:
            if name == "tap":
                self._tap(right)
            elif name in ("let_go", "pull_out"):
                self.physics.send(Act[name.upper()])
            else:
                return False
        elif name in ("lay", "let_go"):
            if self.client.waits is None or self.client.waits.need.wait is not Wait.HAND:
                return False
            if not self._has_gone:
                self._again()
            if grip.landing is None:
                self.client.hear(Refused("", "There is nothing below it to lay it on"))
                return False
            self.physics.send(Lay(grip.gap) if name == "lay" else Act.LET_GO)
        elif name in ("lift", "lower"):
            grip.lifted(hand.lift_mm / 1e3 * self.fine * (1.0 if name == "lift" else -1.0))
            self._again()
        elif name in ("turn_left", "turn_right"):
            step = hand.step_deg * self.fine
            grip.turned(step if name == "turn_left" else -step, step)
            self._again()
        elif name == "flip":
            grip.flip()
            self._again()
        elif name == "tilt":
            grip.tilted((-right[1], right[0]), hand.step_deg * self.fine)
            self._again()
        elif name == "places":
            self._show_place()
        else:
            return False
        return True

    def hold(self, down: set[str], right: Right, seconds: float) -> None:
        """Keys that stay down move the hand on."""
        for name in DIRECTIONS:
            if self.grip is not None and any(key in down for key in self.settings.keys_of(name)):
                self._since[name] = self._since.get(name, 0.0) + seconds
                if self._since[name] > HOLD_S:
                    self.slide(*DIRECTIONS[name], right, seconds)
            else:
                self._since.pop(name, None)

    def slide(self, across: float, away: float, right: Right, seconds: float) -> None:
        """A stick moves the hand on: to the right and away from the eye, each -1 to 1."""
        metres = self.settings.hand.speed_mm_s / 1e3 * seconds * self.fine
        self._move(metres * across, metres * away, right)

    def _tap(self, right: Right) -> None:
        """A tap with a finger: a little way along the brick, away from the person."""
        grip = self.grip
        assert grip is not None
        along = grip.lengthways
        if right[0] * along[1] < right[1] * along[0]:
            along = -along
        grip.drawn(TAP * float(along[0]), TAP * float(along[1]))
        self.physics.send(Aim(grip.goal))

    def _move(self, across: float, along: float, right: Right) -> None:
        """So many metres to the right and away from the eye."""
        x, y = right
        self.shift(across * x - along * y, across * y + along * x)

    def shift(self, x: float, y: float, reach: float = 0.0) -> None:
        """Carry or draw the held piece on, metres. reach: within which places draw it in."""
        grip = self.grip
        if grip is None:
            return
        if grip.is_pulling:
            grip.drawn(x, y, is_free=self.is_free)
            self.physics.send(Aim(grip.goal))
        else:
            a, b = self._wanted or grip.goal.position[:2]
            self._go(a + x, b + y, reach)

    def go_to(self, x: float, y: float) -> None:
        """Carry the held piece over a place of the table."""
        if self.grip is not None and not self.grip.is_pulling:
            self._go(x, y)

    def carry_to(self, pose: Pose) -> None:
        """Carry the held piece over a place, turned as it shall lie there."""
        if self.grip is not None and not self.grip.is_pulling:
            self.grip.orient(pose)
            self._go(pose.position[0], pose.position[1])

    def aim(self, pose: Pose) -> None:
        """Carry or draw the held piece to a pose, as it is."""
        grip = self.grip
        if grip is None:
            return
        grip.orient(pose)
        grip.goal, self._has_gone, self._is_exact, self._drawn_at = pose, True, True, None
        if not grip.is_pulling:
            grip.landing = self.client.surface(grip.name).landing(grip.piece, pose)
        self.physics.send(Aim(pose))

    def _show_place(self) -> None:
        """Carry the held piece over the next place where it may be laid; ask for places before the first."""
        places = self.client.places
        if places is None:
            self._wants_place = True
            self._ask_places()
        elif places and self.grip is not None:
            self.place = (self.place + 1) % len(places)
            place = places[self.place]
            self.carry_to(square(place, self.grip.rotation) if self.slots else place)

    def rest(self) -> None:
        """Pull no further."""
        if self.grip is not None and self.grip.is_pulling:
            self.grip.goal = self.client.pose(self.grip.name)
            self.physics.send(Aim(self.grip.goal))

    # -- to the physics ----------------------------------------------------------------------------------------------

    def _go(self, x: float, y: float, reach: float = 0.0) -> None:
        """The piece is wanted over a point. reach: metres within which a place draws it in."""
        grip = self.grip
        assert grip is not None
        if self._leaving is not None:
            self._wish = x, y, reach
            return
        slot = nearest(self.slots, grip.rotation, x, y, reach) if reach and not self.is_fine else None
        if slot is not None:
            self._take_in(slot)
            self._wanted = (x, y)
            return
        self._wanted = (x, y)
        self._has_gone, self._is_exact, self._drawn_at, self._is_fresh = True, False, None, True
        before = grip.goal
        if self._aim(x, y) != before:
            self.physics.send(Aim(grip.goal))

    def _take_in(self, slot: Pose) -> None:
        """A place draws the piece in."""
        assert self.grip is not None
        self.grip.orient(slot)
        self._go(*slot.position[:2])

    def _aim(self, x: float, y: float) -> Pose:
        """The held piece is wanted over a place."""
        grip = self.grip
        assert grip is not None
        return grip.to(x, y, self.client.surface(grip.name), self.client.pose(grip.name))

    def _again(self) -> None:
        assert self.grip is not None
        x, y, _ = self.grip.goal.position
        self._go(x, y)

    def settle(self) -> None:
        """The held piece has moved on: what is above its way may be another thing now."""
        is_known, self._is_fresh = self._is_fresh, False
        # while the pointer moves its way was looked at a moment ago, and will be again in the next
        is_free = self._has_gone and not self._is_exact
        if self.grip is not None and not self.grip.is_pulling and is_free and not is_known:
            before = self.grip.goal
            goal = self._aim(*before.position[:2])
            if math.dist(goal.position, before.position) < TREMBLING:
                self.grip.goal = before
            else:
                self.physics.send(Aim(goal))

    def guides(self) -> list[Overlay]:
        """Drop line and contact shadow of the held piece."""
        grip = self.grip
        if grip is None or grip.name not in self.client.frame.names:
            return []
        free = [slot for slot in self.slots if math.dist(slot.position[:2], grip.goal.position[:2]) > MAGNET]
        ghosts = [Ghost(grip.piece, slot, FREE, FREE_COVER) for slot in free]
        return [*ghosts, *grip.guides(self.client.pose(grip.name))]
