"""What is known of a game from the news of its process, as one seat or one shared screen may know it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, Literal

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.view.frame import Frame, frame_of
from teeter.engine.world.body import FLOOR, Body
from teeter.games.core.events import CountElapsed, Fell, Placed, TimeUp
from teeter.games.core.rules import Action, Bring, Choice, Input, Need
from teeter.games.faults import left_out, or_else
from teeter.games.game import Game
from teeter.games.present.carry import LandingSurface
from teeter.games.present.naming import as_called, choices_as_called, opening_for, readable, told_to
from teeter.games.registry import clauses_of
from teeter.games.server.messages import (
    SETTING_UP,
    Broken,
    Busy,
    GameUpdate,
    NewBody,
    News,
    Places,
    Plan,
    Pointed,
    Refused,
    S,
    TableView,
    Waits,
)
from teeter.models.piece import Piece

STORY = "the story"
Rank = Literal["routine", "event", "moment"]
BOT_PACE = 1.5
"""How fast the turns of bots run, as one likes to watch them: a turn in 2 to 4 s."""
MOMENTS = (Fell, TimeUp)
"""What everybody has waited for, or feared."""


class ClientState(Generic[S]):
    """One game, as far as it was heard of. bodies: those of the beginning. clock: seconds on the wall. seat: who looks,
    empty for someone who sits at none; None for all the people who share a screen."""

    most_lines = 60
    """Lines of the story that are kept to be shown."""

    def __init__(
        self,
        plan: Plan,
        game: Game[S],
        state: S,
        bodies: tuple[Body, ...],
        clock: Callable[[], float],
        seat: str | None = None,
    ) -> None:
        self.seat = seat
        self.plan, self.game, self.state = plan, game, state
        self.pieces: dict[str, Piece] = {body.name: body.piece for body in bodies}
        self._rolling = {body.name: body.rolling for body in bodies}
        self._fixed = {body.name for body in bodies if body.fixed}
        self.frame = self.taken = frame_of(bodies)
        """As it is; and as it was when the hand took up what it holds, or held last."""
        self.view: TableView | None = None
        self.waits: Waits | None = None
        self.busy = SETTING_UP if plan.resume is None else "checking what was played"
        self.busy_share = 0.0
        """How much of it is done, where that is known."""
        self.pointed: Pointed | None = None
        """Where the referee points to, until somebody does something."""
        self.places: tuple[Pose, ...] | None = None
        """Where the held piece may be laid, as far as that was asked for."""
        self.has_laid = False
        """Whether a piece was laid in an earlier session."""
        self.log: list[str] = []
        self.refused: Refused | None = None
        self.refused_at = 0.0
        self.broken = ""
        self.told = 0 if plan.resume is None else 1
        self.events: list[str] = []
        """Types of what the rules took, since somebody last looked."""
        self.fresh: tuple[str, ...] = ()
        """Lines of the story about what the rules took last."""
        self.told_last: tuple[str, ...] = ()
        """The last lines of the story, and the piece that they are about."""
        self.told_piece = ""
        self.told_rank: Rank = "event"
        """How much is made of them: routine, an event, a moment that the game waits for."""
        self.told_moment: tuple[str, ...] = ()
        """What was told of the last moment, as it began."""
        self._is_down = False
        self.fell_s: float | None = None
        """When something fell last, seconds of the record."""
        self.clock = clock
        self._surface: tuple[object, LandingSurface] | None = None
        self._kept: tuple[S | None, dict[str, Any]] = (None, {})

    @property
    def people(self) -> tuple[str, ...]:
        """The seats in which people sit."""
        return tuple(seat.name for seat in self.state.seats if seat.has_people)

    @property
    def is_watched(self) -> bool:
        """Whether people only look on: a bot plays."""
        return self.waits is None and self.need.player not in self.people

    @property
    def viewer(self) -> str:
        """Whose secrets may be on the screen: the only person's, or that of the person who is asked."""
        if self.seat is not None:
            return self.seat
        if len(self.people) == 1:
            return self.people[0]
        return self.waits.need.player if self.waits is not None else ""

    @property
    def need(self) -> Need:
        """What the game waits for."""
        return self.game.rules.needs(self.state)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What a person may do now; nothing while nobody is asked."""
        return self.waits.choices if self.waits is not None else ()

    @property
    def seen(self) -> S:
        """The state without the secrets of others."""
        return self._seen_by(self.viewer)

    def _seen_by(self, player: str) -> S:
        seen: S = self._once(f"seen by {player}", lambda: self.game.rules.seen_by(self.state, player))
        return seen

    def _once(self, what: str, find: Callable[[], Any]) -> Any:
        """What is worked out once a state: a window asks several times a picture."""
        if self._kept[0] is not self.state:
            self._kept = (self.state, {})
        known = self._kept[1]
        return known[what] if what in known else known.setdefault(what, find())

    @property
    def in_play(self) -> frozenset[str]:
        """The pieces that lie or are carried as part of the game."""
        pieces: frozenset[str] = self._once("in play", lambda: self.game.judge.in_play(self.state))
        return pieces

    def is_fixed(self, name: str) -> bool:
        """Whether a body never moves: the table and supports."""
        return name in self._fixed

    @property
    def has_secrets(self) -> bool:
        """Whether one seat may see what another may not."""
        one, *others = (seat.name for seat in self.state.seats)
        return bool(others and self._once("secrets", lambda: self._seen_by(one) != self._seen_by(others[0])))

    @property
    def held(self) -> str:
        """The piece in the hand."""
        return self.view.held if self.view is not None else ""

    @property
    def lean(self) -> tuple[float, float]:
        """How the table is tilted, as `TableView` has it."""
        return self.view.lean if self.view is not None else (0.0, 0.0)

    def pose(self, name: str) -> Pose:
        """Where a piece is. Raises KeyError for one that is not there."""
        return self.frame.placed()[name]

    def hear(self, news: News) -> bool:
        """Take in news. Returns whether the picture of the table changes."""
        if isinstance(news, TableView):
            if news.held and news.held != self.held:
                self.taken = self.frame
            self.view = news
            self.frame = Frame(news.names, news.poses)
            return True
        if isinstance(news, NewBody):
            self.pieces[news.body.name] = news.body.piece
        elif isinstance(news, GameUpdate):
            self._update(news)
        elif isinstance(news, Waits):
            choices = or_else(
                STORY, lambda: choices_as_called(self.game, news.choices, self.state), news.choices
            )
            self.waits, self.busy = replace(news, choices=choices), ""
        elif isinstance(news, Busy):
            self.waits = None
            self.busy, self.busy_share = news.why, news.share
        elif isinstance(news, Pointed):
            self.pointed = news
        elif isinstance(news, Places):
            self.places = news.poses
        elif isinstance(news, Refused):
            self.refused, self.refused_at = news, self.clock()
        elif isinstance(news, Broken):
            self.broken = news.why
        return False

    def _update(self, update: GameUpdate[S]) -> None:
        before, self.state = self.state, update.state
        self.told += 1
        self.events.append(update.event)
        self.fresh = lines = or_else(STORY, lambda: self._public(before, update), ())
        if lines and update.given is not None:
            # whose turn it is now stands elsewhere
            self.told_last = tuple(line for line in lines if not line.startswith("- "))
            self.told_piece = _piece_of(update.given)
            is_act, is_moment = isinstance(update.given, Action), isinstance(update.given, MOMENTS)
            self.told_rank = "moment" if is_moment else "routine" if is_act else "event"
            # what comes down after the first piece is the same moment
            if is_moment and not (self._is_down and update.event == "Fell"):
                self.told_moment = self.told_last
            self._is_down = not is_act and (self._is_down or update.event == "Fell")
        if update.event == "Fell" and self.view is not None:
            self.fell_s = self.view.step / self.view.rate
        self.log = [*self.log, *lines][-self.most_lines :]

    def remember(self, past: tuple[tuple[S, Input, S], ...]) -> None:
        """Take in what was played before the game was left. The state is the one after it."""
        self.has_laid = any(
            isinstance(entry, Placed | CountElapsed) and not entry.broken for _, entry, _ in past
        )
        for before, entry, after in past[-self.most_lines :]:
            with left_out(STORY):
                lines = self._public(before, GameUpdate(after, "", entry))
                self.log = [*self.log, *lines][-self.most_lines :]

    def _public(self, before: S, update: GameUpdate[S]) -> tuple[str, ...]:
        """The story as everybody at the screen may read it."""
        viewer = self.seat if self.seat is not None else self.people[0] if len(self.people) == 1 else ""
        rules, is_open = self.game.rules, self.seat is None and not self.has_secrets
        if update.given is None:
            if is_open:
                return as_called(self.game, readable(self.game.opening(update.state)), update.state)
            return opening_for(self.game, update.state, viewer)
        if is_open:
            lines = readable(rules.tell(before, update.given, update.state))
            return as_called(self.game, lines, before, update.state)
        return told_to(self.game, before, update.given, update.state, viewer)

    def act(self) -> None:
        """An action was sent: nobody is asked until the game asks again."""
        self.waits = self.refused = self.pointed = None

    def clause(self, name: str) -> str:
        """The text of a clause; empty for none of this game."""
        return next((clause.text for clause in clauses_of(self.game) if clause.id == name), "")

    @property
    def off_table(self) -> tuple[str, ...]:
        """The pieces in play that lie on the floor of the room."""
        poses = self.frame.placed()
        bodies = [
            Body(name, self.pieces[name], poses[name]) for name in sorted(self.in_play) if name in poses
        ]
        return tuple(body.name for body in bodies if body.centre_of_mass[2] < 0.0)

    def lying(self, but: str = "") -> tuple[Body, ...]:
        """Returns what lies on the table: the pieces of the game and the supports, without one of them and without what
        fell off."""
        play = (self.in_play | self._fixed) - {*self.off_table, but, FLOOR}
        return tuple(self.body(name, pose) for name, pose in self.frame.placed().items() if name in play)

    def body(self, name: str, pose: Pose) -> Body:
        """Returns a piece or a support there, as the game began with it."""
        rolling = self._rolling.get(name, ())
        return Body(name, self.pieces[name], pose, self.is_fixed(name), rolling=rolling)

    def surface(self, held: str) -> LandingSurface:
        """Returns everything that a held piece may be laid on, kept while nothing else moves."""
        rest = np.array([name != held for name in self.frame.names])
        key = (self.frame.names, held, self.frame.poses[rest].round(5).tobytes())
        if self._surface is None or self._surface[0] != key:
            self._surface = (key, LandingSurface(self.frame, self.pieces, {held, FLOOR}))
        return self._surface[1]

    def bring(self, model: str) -> Bring:
        """Returns the action that brings out a piece of a catalogue, under a name that is free."""
        base, number = model.partition("/")[2], 1
        while f"{base}-{number}" in self.pieces:
            number += 1
        return Bring(self.need.player, f"{base}-{number}", model)


def _piece_of(entry: Input) -> str:
    """The piece an action or an event is about; empty for none."""
    several = getattr(entry, "pieces", ())
    return str(getattr(entry, "piece", "") or (several[0] if several else ""))
