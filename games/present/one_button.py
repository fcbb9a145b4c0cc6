"""One-button play with a piece in the hand: places are offered to choose from, or a line sweeps over the table."""

from teeter.engine.view.overlays import Ghost, Line, Overlay
from teeter.engine.view.panels import Button, Panel, Text
from teeter.games.present.client_state import ClientState
from teeter.games.present.hand import HandControl
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import Act

SWEEP_M_S = 0.1
"""Speed of the line: who presses a fifth of a second late is two centimetres off."""
LINE, LINE_RADIUS = "#c2571a", 0.0015
OVER_TABLE = 0.002
"""Metres of the line over the table."""


class OneButton:
    """What one button can do with a held piece beside the buttons of the hand. is_on: somebody plays so."""

    def __init__(self, client: ClientState, hand: HandControl, physics: PhysicsClient) -> None:
        self._client, self._hand, self._physics = client, hand, physics
        self.is_on = False
        self._asked_for: object = None
        self._seconds = 0.0
        self._across: float | None = None
        self._is_sweeping = False

    def step(self, seconds: float) -> None:
        """Time passes: ask for places as soon as there is a piece to lay, move the line."""
        grip = self._hand.grip
        if grip is None or grip.is_pulling or not self.is_on:
            self._asked_for, self._is_sweeping = None, False
            return
        self._seconds += seconds
        if self._asked_for is not grip:
            self._asked_for = grip
            self._client.places = None
            self._physics.send(Act.OFFER_PLACES)

    def choose(self, number: int) -> None:
        """Carry the piece over a place that was offered."""
        places = self._client.places
        if places is not None and number < len(places):
            self._hand.carry_to(places[number])

    def press_line(self) -> None:
        """Begin to sweep the table from left to right; then from near to far; then the piece goes there."""
        if not self._is_sweeping:
            self._is_sweeping, self._across, self._seconds = True, None, 0.0
        elif self._across is None:
            self._across, self._seconds = self._swept(), 0.0
        else:
            self._hand.go_to(self._across, self._swept())
            self._is_sweeping = False

    def _swept(self) -> float:
        """Where the line is: there and back again."""
        left, right, near, far = self._hand.reach
        low, high = (left, right) if self._across is None else (near, far)
        way = self._seconds * SWEEP_M_S % (2.0 * (high - low))
        return low + min(way, 2.0 * (high - low) - way)

    def panel(self) -> Panel | None:
        """What is shown instead of all else while the line sweeps."""
        if not self._is_sweeping:
            return None
        asked = "Press when the line is over the place." if self._across is None else "And once more."
        return Panel("line", "bottom", (Text(asked), Button("line", "Here", "accent")), width=320)

    def guides(self, lit: str) -> list[Overlay]:
        """The line, or the place whose button is lit."""
        grip = self._hand.grip
        if grip is None or not self.is_on:
            return []
        left, right, near, far = self._hand.reach
        if self._is_sweeping:
            at = self._swept()
            ends = ((at, near), (at, far)) if self._across is None else ((left, at), (right, at))
            (a, b), (c, d) = ends
            return [Line(((a, b, OVER_TABLE), (c, d, OVER_TABLE)), LINE, LINE_RADIUS)]
        (kind, _, number), places = lit.partition(":"), self._client.places
        if kind != "place" or places is None or int(number) >= len(places):
            return []
        return [Ghost(grip.piece, places[int(number)], LINE, 0.6)]
