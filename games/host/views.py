"""What one seat is told: everything comes from the state as the rules let that seat see it, and from nothing else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from engine.view.overlays import Line
from engine.view.panels import Item, Picture, Row, Text
from engine.world import Body
from games.core.rules import Choice, Need, Wait
from games.core.words import capital, won
from games.faults import left_out, or_else
from games.game import Game
from games.play.playback import Taken
from games.present.client_state import STORY, ClientState
from games.present.details import HeldCard, details_of
from games.present.hud import PROMPTS, card_of, conditions, image_of, piece_of
from games.present.naming import game_of, piece_name
from games.present.story import opening_for, told_to
from games.server.messages import GameUpdate, News, Plan, TableView, Waits
from games.server.news import (
    CardRow,
    ChoiceRow,
    Over,
    ScoreRow,
    ShelfPiece,
    Stroke,
    TableNews,
    Turn,
    WaitWord,
)
from models.catalogue import catalogue
from models.catalogue import games as shelves

MAX_STORY = 500
"""Lines of the story that are kept for those who come later."""
MAX_PICTURED = 12
"""Choices with pictures; where there are more, people point at the table."""


class SeatView:
    """The game as one seat may know it; seat "" is everybody who looks on. state: with all secrets; none is kept."""

    def __init__(
        self, plan: Plan, game: Game, state: Any, bodies: tuple[Body, ...], seat: str, past: Sequence[Taken]
    ) -> None:
        self.seat, self.game = seat, game
        self._details = details_of(game)
        self.client: ClientState = ClientState(
            plan, game, self._seen(state), bodies, time.monotonic, seat=seat
        )
        self.story: list[str] = []
        if past:
            with left_out(STORY):
                self.story += opening_for(game, past[0][0], seat)
                for before, given, after in past:
                    self.story += told_to(game, before, given, after, seat)
            del self.story[:-MAX_STORY]

    def _seen(self, state: Any) -> Any:
        return self.game.rules.seen_by(state, self.seat)

    def hear(self, news: News, need: Need) -> tuple[str, ...]:
        """Takes in news. need: what the game waits for. Returns new lines of the story."""
        lines: tuple[str, ...] = ()
        if isinstance(news, GameUpdate):
            before, after, given = self.client.state, self._seen(news.state), news.given
            with left_out(STORY):
                if given is None:
                    lines = opening_for(self.game, after, self.seat)
                else:
                    lines = told_to(self.game, before, given, after, self.seat)
            news = GameUpdate(after, news.event, news.given)
            self.story = [*self.story, *lines][-MAX_STORY:]
        elif isinstance(news, Waits):
            # what may be done follows from what the seat sees
            choices = self.game.rules.legal(self.client.state) if need.player == self.seat else ()
            news = Waits(news.need, choices, news.can_undo and need.player == self.seat)
        self.client.hear(news)
        return lines

    # -- the messages ------------------------------------------------------------------------------------------------

    def turn(self, number: int, need: Need) -> Turn:
        """Returns the `turn` message: who is asked what, and what this seat may do."""
        client, is_mine = self.client, need.player == self.seat
        cards = self._details.cards(client) if self.seat else ()
        listed = client.choices if is_mine else ()
        in_hand = {card.card: card.image for card in cards}
        return {
            "type": "turn",
            "turn": number,
            "wait": cast("WaitWord", need.wait.name.lower()),
            "who": need.who,
            "mine": is_mine and client.waits is not None,
            "ask": self._ask(need, is_mine),
            "choices": [self._choice(at, choice, in_hand, len(listed)) for at, choice in enumerate(listed)],
            "can_undo": is_mine and client.waits is not None and client.waits.can_undo,
            "scores": or_else("the scores", lambda: self._scores(need), []),
            "score_word": self.game.score_word,
            "facts": or_else("the facts", lambda: _facts(self._details.items(client)), []),
            "conditions": or_else("the conditions", lambda: self._conditions(need) if is_mine else [], []),
            "cards": or_else("the cards", lambda: [_card(card, listed) for card in cards], []),
            "lines": or_else("the lines on the table", self._lines, []),
            "lit": or_else("what the game marks", lambda: list(self._details.lit(client)), []),
        }

    def _conditions(self, need: Need) -> list[str]:
        return [f"{each.clause}  {each.text}" for each in conditions(self.client, need)]

    def _lines(self) -> list[Stroke]:
        return [
            {"points": _rounded(line), "colour": line.colour, "radius": line.radius, "cover": line.cover}
            for line in self._details.table_lines(self.client)
            if isinstance(line, Line)
        ]

    def _ask(self, need: Need, is_mine: bool) -> str:
        client = self.client
        if need.wait is Wait.OVER:
            return PROMPTS[Wait.OVER]
        if client.busy:
            return capital(client.busy) + ("" if "..." in client.busy else " ...")
        if is_mine:
            return PROMPTS.get(need.wait, "")
        acts = {Wait.HAND: "lays a piece", Wait.PULL: "draws a brick"}.get(need.wait, "chooses")
        return f"{need.who} {acts}."

    def _choice(self, at: int, choice: Choice, in_hand: dict[str, str], count: int) -> ChoiceRow:
        card, piece = card_of(choice), piece_of(choice)
        image = in_hand.get(card, "")
        if not image and count <= MAX_PICTURED:
            image = image_of(self.client, piece)
        return {
            "choice": at,
            "label": _title(image) if card in in_hand else capital(choice.sentence),
            "sentence": capital(choice.sentence),
            "group": "card" if card in in_hand else "piece" if piece in self.client.pieces else "act",
            "piece": piece if piece in self.client.pieces else "",
            "picture": image,
        }

    def _scores(self, need: Need) -> list[ScoreRow]:
        scores = self.game.rules.scores(self.client.state)
        return [
            {"seat": seat.name, "value": value, "on_turn": seat.name == need.player}
            for seat, value in zip(self.client.state.seats, scores, strict=True)
        ]

    def over(self) -> Over | None:
        """Returns how the game ended, None while it goes on."""
        outcome = self.game.rules.outcome(self.client.state)
        if outcome is None:
            return None
        return {
            "type": "over",
            "winners": list(outcome.winners),
            "reason": capital(outcome.reason.text),
            "clause": outcome.reason.clause,
            "result": won(outcome.winners),
        }

    def colour(self, seat: int) -> str:
        """Returns the colour of a seat, as `#rrggbb`; empty for none."""
        return self._details.seat_colour(self.client, seat)

    @property
    def unread(self) -> frozenset[str]:
        """The pieces whose print this seat may not see."""
        return self._details.unread(self.client)


def pictures_of(turn: Turn) -> set[str]:
    """Returns the names of the pictures that a `turn` message shows."""
    return {row["picture"] for row in (*turn["cards"], *turn["choices"])} - {""}


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
