"""Bausack on the screen: tokens, the auction, heights, the tutorial."""

from teeter.engine.view.overlays import Line, Overlay
from teeter.engine.view.panels import Item, Picture, Row, Text
from teeter.games.bausack.judge import areas
from teeter.games.bausack.state import BausackReason, State, said
from teeter.games.core.words import capital, counted
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import (
    COIN,
    LINE_COVER,
    LINE_HEIGHT,
    LINE_RADIUS,
    TAKE,
    GameDetails,
    Lesson,
    carrying,
)
from teeter.games.present.pictures import of_piece


class BausackDetails(GameDetails[State]):
    """Bausack on the screen: tokens, the auction, heights, the tutorial."""

    lessons: tuple[Lesson, ...] = (
        Lesson("LOOK", "CHOOSE", "{click} a piece in the middle to pick it up.", "LOOK"),
        Lesson("BUILD", "LOOK", "Set your bid, and build; or push the piece to the next player."),
        Lesson("BID", "BID", "Bid more, or pass. Who bids most pays and places the piece.", is_needed=False),
        Lesson(
            "RECEIVE", "RECEIVE", "Accept the piece and place it, or pay and pass it on.", is_needed=False
        ),
        Lesson(TAKE, "PLACE", "The piece is yours. {click} it to take it up."),
        *carrying("in your own area, the lit frame; later on your tower."),
    )

    def lit(self, desk: ClientState[State]) -> tuple[str, ...]:
        """The piece that is looked at, bid for or passed on."""
        piece = desk.state.piece
        return (piece,) if piece and piece in desk.frame.names and not desk.held else ()

    def table_lines(self, desk: ClientState[State]) -> list[Overlay]:
        """The area of every player (BS-02), in the colour of the seat; that of whose turn it is stands out."""
        lines: list[Overlay] = []
        for number, area in enumerate(areas(desk.state)):
            half = 0.49 * area.side
            corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
            points = tuple(
                ((area.x + half * a) / 1e3, (area.y + half * b) / 1e3, LINE_HEIGHT) for a, b in corners
            )
            is_lit = desk.state.seats[number].name == desk.need.player
            lines.append(
                Line(points, self.seat_colour(desk, number), LINE_RADIUS, 0.9 if is_lit else LINE_COVER)
            )
        return lines

    def home(self, desk: ClientState[State], seat: int) -> tuple[float, float] | None:
        """The middle of its area."""
        area = areas(desk.state)[seat]
        return area.x / 1e3, area.y / 1e3

    def piece_name(self, piece: str) -> str:
        """As the rules say it."""
        return said(piece).removeprefix("the ")

    def purse(self, desk: ClientState[State]) -> tuple[int, ...]:
        """Everybody's tokens, and those in the bank."""
        return (*desk.state.tokens, desk.state.bank)

    def items(self, desk: ClientState[State]) -> tuple[Item, ...]:
        """Returns the lines of the panel."""
        state = desk.seen
        items: list[Item] = []
        # what is decided now comes first: on a phone the rest is scrolled to
        for piece in self.lit(desk):
            name = self.piece_name(piece)
            words = {"BID": f"Bidding for the {name}", "RECEIVE": f"The {name} was pushed on"}
            has = f"{state.seats[state.actor].name} has the {name}"
            named = Text(words.get(state.phase.name, has), size="small")
            items.append(Row((Picture(of_piece(self.model(desk, piece)), 60.0, 45.0), named), (1, 2)))
        if state.phase.name == "BID" and state.leader >= 0:
            bid = counted(state.bid, "token")
            items.append(Text(f"{state.seats[state.leader].name} bids {bid}", "warn", "small"))
        if state.phase.name == "RECEIVE":
            items.append(Text(f"Passing it on costs {counted(state.price, 'token')}", "warn", "small"))
        for number, seat in enumerate(state.seats):
            out = " (out)" if state.out[number] != -1 else ""
            items.append(
                Row(
                    (
                        Text(seat.name + out, size="small"),
                        Text(counted(state.tokens[number], "token"), "quiet", "small", mark=COIN),
                    ),
                    (1.4, 1),
                )
            )
        bank, left = counted(state.bank, "token"), counted(len(state.supply), "piece")
        items.append(Text(f"{capital(bank)} in the bank, {left} left", "quiet", "small", mark=COIN))
        # BS-21: the last piece is measured only where that decides
        if any(state.best_mm) and state.reason in (None, BausackReason.TALLEST):
            for seat, gone, height, best in zip(
                state.seats, state.out, state.heights_mm, state.best_mm, strict=True
            ):
                now = "out" if gone != -1 else f"{height:.0f} mm"
                items.append(Text(f"{seat.name}: {now}, best {best:.0f} mm", size="small"))
        return tuple(items)
