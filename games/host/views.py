"""What one seat is told: everything comes from the state as the rules let that seat see it, and from nothing else."""

import time
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from teeter.engine.view.overlays import Line
from teeter.engine.view.panels import Item, Picture, Row, Text
from teeter.engine.world.body import Body
from teeter.games.core.rules import Choice, Need, Wait
from teeter.games.core.words import capital, won
from teeter.games.faults import left_out, or_else
from teeter.games.game import Game
from teeter.games.play.playback import Taken
from teeter.games.present.bids import bid_of
from teeter.games.present.client_state import STORY, ClientState
from teeter.games.present.details import HeldCard, details_of
from teeter.games.present.framing import Framing
from teeter.games.present.hud import PROMPTS, card_of, conditions, image_of, piece_of, shown_by
from teeter.games.present.naming import game_of, opening_for, piece_name
from teeter.games.server.messages import GameUpdate, News, Plan, TableView, Waits
from teeter.games.server.news import (
    CardRow,
    ChoiceRow,
    FrameNews,
    Over,
    ScoreRow,
    ShelfPiece,
    Stroke,
    TableNews,
    Turn,
    WaitWord,
)
from teeter.models.catalogue import catalogue
from teeter.models.catalogue import games as shelves
from teeter.models.piece import Array

ASKS = {**PROMPTS, Wait.HAND: "Carry it over its place, and lay it: it is lowered, and let go."}
"""What who is asked is told; at a page nothing is clicked by a finger."""
MAX_PICTURED = 12
"""Choices with pictures; where there are more, people point at the table."""


class SeatView(ClientState):
    """The game as one seat may know it; seat "" is everybody who looks on. state: with all secrets; none is kept."""

    most_lines = 500
    """Kept for those who come later."""

    def __init__(
        self, plan: Plan, game: Game, state: Any, bodies: tuple[Body, ...], seat: str, past: Sequence[Taken]
    ) -> None:
        super().__init__(plan, game, state, bodies, time.monotonic, seat=seat)
        self.state = self._visible(state)
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
        cards = self._details.cards(self) if self.seat else ()
        listed = self.choices if is_mine else ()
        in_hand = {card.card: card.image for card in cards}
        return {
            "type": "turn",
            "turn": number,
            "wait": cast("WaitWord", need.wait.name.lower()),
            "who": need.who,
            "mine": is_mine and self.waits is not None,
            "ask": self._ask(need, is_mine),
            "choices": [self._choice(at, choice, in_hand, len(listed)) for at, choice in enumerate(listed)],
            "can_undo": is_mine and self.waits is not None and self.waits.can_undo,
            "scores": or_else("the scores", lambda: self._scores(need), []),
            "score_word": self.game.score_word,
            "facts": or_else("the facts", lambda: _facts(self._details.items(self)), []),
            "conditions": or_else("the conditions", lambda: self._conditions(need) if is_mine else [], []),
            "cards": or_else("the cards", lambda: [_card(card, listed) for card in cards], []),
            "lines": or_else("the lines on the table", self._lines, []),
            "lit": or_else("what the game marks", lambda: list(self._details.lit(self)), []),
        }

    def _conditions(self, need: Need) -> list[str]:
        return [capital(each.text) for each in conditions(self, need)]

    def _lines(self) -> list[Stroke]:
        return [
            {"points": _rounded(line), "colour": line.colour, "radius": line.radius, "cover": line.cover}
            for line in self._details.table_lines(self)
            if isinstance(line, Line)
        ]

    def _ask(self, need: Need, is_mine: bool) -> str:
        if need.wait is Wait.OVER:
            return PROMPTS[Wait.OVER]
        if self.busy:
            return capital(self.busy) + ("" if "..." in self.busy else " ...")
        if is_mine:
            return ASKS.get(need.wait, "")
        acts = {Wait.HAND: "lays a piece", Wait.PULL: "draws a brick"}.get(need.wait, "chooses")
        return f"{need.who} {acts}."

    def _choice(self, at: int, choice: Choice, in_hand: dict[str, str], count: int) -> ChoiceRow:
        card, piece = card_of(choice), piece_of(choice)
        image = in_hand.get(card, "")
        if not image and count <= MAX_PICTURED:
            image = image_of(self, piece)
        lying = shown_by(choice)
        group = "card" if card in in_hand else "piece" if piece in self.pieces else "act"
        group = "bid" if bid_of(choice) is not None else group
        return {
            "choice": at,
            "label": _title(image) if card in in_hand else capital(choice.sentence),
            "sentence": capital(choice.sentence),
            "group": group,
            "piece": lying if lying in self.pieces else "",
            "picture": image,
        }

    def _scores(self, need: Need) -> list[ScoreRow]:
        scores = self.game.rules.scores(self.state)
        return [
            {"seat": seat.name, "value": value, "on_turn": seat.name == need.player}
            for seat, value in zip(self.state.seats, scores, strict=True)
        ]

    def over(self, why: str = "") -> Over | None:
        """Returns how the game ended, None while it goes on. why: pieces fell the last time."""
        outcome = self.game.rules.outcome(self.state)
        if outcome is None:
            return None
        return {
            "type": "over",
            "winners": list(outcome.winners),
            "reason": capital(outcome.reason.text),
            "clause": outcome.reason.clause,
            "result": won(outcome.winners),
            "why": why,
        }

    def framed(self) -> FrameNews:
        """Returns the `frame` message: what this seat has to see."""
        tower, others = self._framing.of(self)
        return {"type": "frame", "tower": _box(tower), "others": _box(others)}

    def colour(self, seat: int) -> str:
        """Returns the colour of a seat, as `#rrggbb`; empty for none."""
        return self._details.seat_colour(self, seat)

    @property
    def unread(self) -> frozenset[str]:
        """The pieces whose print this seat may not see."""
        return self._details.unread(self)


def pictures_of(turn: Turn) -> set[str]:
    """Returns the names of the pictures that a `turn` message shows."""
    return {row["picture"] for row in (*turn["cards"], *turn["choices"])} - {""}


def _box(corners: Array) -> list[float]:
    if not len(corners):
        return []
    return [round(float(value), 3) for value in (*corners.min(axis=0), *corners.max(axis=0))]


def _rounded(line: Line) -> list[list[float]]:
    return [[round(value, 4) for value in point] for point in line.points]


def table_message(view: TableView, shown: list[int], held: int, is_mine: bool, number: int) -> TableNews:
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
    }


@cache
def catalogue_rows() -> list[ShelfPiece]:
    """Returns the pieces that the sandbox can bring, as `welcome` has them."""
    return [
        {"model": model, "label": f"{game_of(shelf).title}: {piece_name(model)}"}
        for shelf in shelves()
        for model in catalogue(shelf)
    ]


def _card(card: HeldCard, listed: Sequence[Choice]) -> CardRow:
    """A card in the hand of who looks. choice: that plays it, -1 for none."""
    return {
        "label": _title(card.image),
        "sentence": _title(card.image),
        "picture": card.image,
        "choice": next((n for n, each in enumerate(listed) if card_of(each) == card.card), -1),
    }


def _title(image: str) -> str:
    """What stands on the picture of a card."""
    return image.split("|")[1].replace("/", " ") if image.startswith("card|") else ""


def _facts(items: Sequence[Item]) -> list[str]:
    """The lines of a panel as sentences; of the picture of a card its words."""
    facts: list[str] = []
    for item in items:
        if isinstance(item, Text):
            facts.append(item.text)
        elif isinstance(item, Picture) and _title(item.image) and facts:
            facts[-1] += f": {_title(item.image)}"
        elif isinstance(item, Row):
            facts.append(": ".join(cell.text for cell in item.items if isinstance(cell, Text)))
    return facts
