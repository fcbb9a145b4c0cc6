"""What one seat is told: everything comes from the state as the rules let that seat see it, and from nothing else."""

import time
from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, cast

from teeter.engine.view.overlays import Line
from teeter.engine.view.panels import Panel
from teeter.engine.world.body import Body
from teeter.games.core.rules import Choice, Need
from teeter.games.core.words import capital
from teeter.games.faults import left_out, or_else
from teeter.games.game import Game
from teeter.games.host.people_panel import Company, with_people
from teeter.games.play.playback import Taken
from teeter.games.present import hud
from teeter.games.present.bids import bid_of
from teeter.games.present.client_state import STORY, ClientState
from teeter.games.present.details import details_of
from teeter.games.present.framing import Framing
from teeter.games.present.hud import card_of, piece_of, shown_by
from teeter.games.present.hud_state import HudState
from teeter.games.present.naming import opening_for
from teeter.games.present.settings import Settings, shipped
from teeter.games.present.tutorial import Tutorial
from teeter.games.server.messages import GameUpdate, News, Plan, TableView, Waits
from teeter.games.server.news import ChoiceRow, FrameNews, PanelNews, Stroke, TableNews, Turn, WaitWord
from teeter.models.piece import Array

SHIPPED = Settings.model_validate(shipped("settings.toml"))
"""What seats are like."""
PAGES_OWN = frozenset({"the scores", "the story", "the tools", "a refusal", "a toast"})
"""What a page has in another form: with who is there, with what is said, with its own buttons."""


class SeatView(ClientState):
    """The game as one seat may know it; seat "" is everybody who looks on. state: with all secrets; none is kept."""

    most_lines = 500
    """Kept for those who come later."""

    def __init__(
        self, plan: Plan, game: Game, state: Any, bodies: tuple[Body, ...], seat: str, past: Sequence[Taken]
    ) -> None:
        super().__init__(plan, game, state, bodies, time.monotonic, seat=seat)
        self.state = self._visible(state)
        self.is_coached = True
        self.tutorial: Tutorial | None = None
        """What is taught at this seat, once somebody wants that."""
        self._details, self._framing = details_of(game), Framing()
        with left_out(STORY):
            self.log += opening_for(game, past[0][0], seat) if past else ()
        self.remember(tuple(past))

    def _visible(self, state: Any) -> Any:
        return self.game.rules.seen_by(state, self.viewer)

    def take(self, news: News, need: Need) -> tuple[str, ...]:
        """Takes in news. need: what the game waits for. Returns new lines of the story."""
        self.fresh = ()
        if isinstance(news, GameUpdate):
            news = GameUpdate(self._visible(news.state), news.event, news.given)
        elif isinstance(news, Waits):
            # what may be done follows from what the seat sees
            choices = self.game.rules.legal(self.state) if need.player == self.seat else ()
            news = Waits(news.need, choices, news.can_undo and need.player == self.seat)
        self.hear(news)
        return self.fresh

    # -- the messages ------------------------------------------------------------------------------------------------

    def turn(self, number: int, need: Need) -> Turn:
        """Returns the `turn` message: who is asked what, and what this seat may do."""
        is_mine = need.player == self.seat
        listed = self.choices if is_mine else ()
        return {
            "type": "turn",
            "turn": number,
            "wait": cast("WaitWord", need.wait.name.lower()),
            "who": need.who,
            "mine": is_mine and self.waits is not None,
            "choices": [self._choice(at, choice) for at, choice in enumerate(listed)],
            "can_undo": is_mine and self.waits is not None and self.waits.can_undo,
            "lines": or_else("the lines on the table", self._lines, []),
            "lit": or_else("what the game marks", lambda: list(self._details.lit(self)), []),
        }

    def panels(self, people: Company, look: HudState, below: tuple[Panel, ...] = ()) -> dict[str, PanelNews]:
        """Returns the `panel` messages by their names. people: who is there, as whoever looks may know it. below: what
        stands below a fall."""
        panels = [with_people(self, people), *hud.panels(self, SHIPPED, look, PAGES_OWN), *below]
        return {
            panel.name: {"type": "panel", "order": order, "panel": sent(panel)}
            for order, panel in enumerate(panels)
        }

    def _lines(self) -> list[Stroke]:
        return [
            {"points": _rounded(line), "colour": line.colour, "radius": line.radius, "cover": line.cover}
            for line in self._details.table_lines(self)
            if isinstance(line, Line)
        ]

    def _choice(self, at: int, choice: Choice) -> ChoiceRow:
        cards = {held.card for held in self._details.cards(self)}
        group = "card" if card_of(choice) in cards else "piece" if piece_of(choice) in self.pieces else "act"
        lying = shown_by(choice)
        return {
            "choice": at,
            "sentence": capital(choice.sentence),
            "group": "bid" if bid_of(choice) is not None else group,
            "piece": lying if lying in self.pieces else "",
        }

    def framed(self) -> FrameNews:
        """Returns the `frame` message: what this seat has to see."""
        tower, others = self._framing.of(self)
        seats = [seat.name for seat in self.state.seats]
        home = self._details.home(self, seats.index(self.seat)) if self.seat in seats else None
        return {"type": "frame", "tower": _box(tower), "others": _box(others), "home": list(home or ())}

    @property
    def unread(self) -> frozenset[str]:
        """The pieces whose print this seat may not see."""
        return self._details.unread(self)


def pictures_of(value: Any) -> set[str]:
    """Returns the names of the pictures in a panel, as it is sent."""
    if isinstance(value, dict):
        own = {value["image"]} if value.get("image") else set()
        return own.union(*map(pictures_of, value.values()))
    return set().union(*map(pictures_of, value)) if isinstance(value, list) else set()


def sent(value: Any) -> Any:
    """Returns a panel or an item of one as JSON: the kind, and what is not as by default."""
    if isinstance(value, tuple):
        return [sent(item) for item in value]
    kind: type = type(value)
    if not is_dataclass(value):
        return value
    values = [(name, default, getattr(value, name)) for name, default in _defaults_of(kind)]
    own = {name: sent(is_) for name, default, is_ in values if default is MISSING or is_ != default}
    return {"kind": kind.__name__.lower(), **own}


@cache
def _defaults_of(kind: type) -> tuple[tuple[str, Any], ...]:
    """Returns the fields of a dataclass and what each is by default: of a few kinds, asked hundreds of times for every
    panel."""
    return tuple((field.name, field.default) for field in fields(kind))


def _box(corners: Array) -> list[float]:
    if not len(corners):
        return []
    return [round(float(value), 3) for value in (*corners.min(axis=0), *corners.max(axis=0))]


def _rounded(line: Line) -> list[list[float]]:
    return [[round(value, 4) for value in point] for point in line.points]


def table_message(
    view: TableView, shown: list[int], held: int, is_mine: bool, number: int, is_paused: bool, speed: float
) -> TableNews:
    """Returns the `table` message: what is there, what is held, the clock."""
    return {
        "type": "table",
        "step": view.step,
        "rate": view.rate,
        "shown": shown,
        "held": held,
        "force": round(view.force, 1),
        "left_s": None if view.left_s is None else round(view.left_s),
        "mine": is_mine,
        "number": number,
        "lean": view.lean,
        "is_paused": is_paused,
        "speed": speed,
    }
