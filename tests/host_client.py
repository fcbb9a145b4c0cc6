"""Seats at a hosted game, in Python: WebSocket clients that play by what the server sends, and keep all of it."""

from __future__ import annotations

import asyncio
import json
import random
import re
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

Json = dict[str, Any]
OVER_M = 0.25
"""Metres above its place to which a piece is carried, over everything on the way."""
STUCK_S = 15.0
"""Seconds in which the game has not gone on, whatever else is said, after which a seat tries something else."""
ASIDE = ("pong", "chat", "away", "pictures")
"""Messages by which a game does not go on."""
POSE = struct.Struct("<H7f")


def poses_of(data: bytes) -> tuple[int, dict[int, tuple[float, ...]]]:
    """The step, and poses by number, of a binary message."""
    rows = [POSE.unpack_from(data, at) for at in range(4, len(data), POSE.size)]
    return struct.unpack_from("<I", data)[0], {row[0]: row[1:] for row in rows}


CENTRE_M = 0.1
"""Metres round the middle of the table within which a tower stands."""
opened: list[ClientConnection] = []
"""Every line that was opened, to be closed in the end whatever happens."""


async def close_all() -> None:
    """Close all lines."""
    while opened:
        await opened.pop().close()


def end_of(panel: Json) -> Json:
    """How a game ended, by the panel of it; empty for one that has gone."""
    texts = [item["text"] for item in panel.get("items", [])[:3]]
    return dict(zip(("result", "reason", "clause"), texts, strict=True)) if texts else {}


@dataclass
class Seat:
    """One client. name: of the seat it takes; empty to look on. received: every message, as it came. stacks: it lays
    pieces on what is highest in the middle, and asks for no places."""

    url: str
    secret: str
    name: str = ""
    seed: int = 0
    token: str = ""
    stacks: bool = False
    received: list[str | bytes] = field(default_factory=list)
    last: dict[str, Json] = field(default_factory=dict)
    panels: dict[str, Json] = field(default_factory=dict)
    """What it was told last of each."""
    poses: dict[int, tuple[float, ...]] = field(default_factory=dict)
    refused: list[Json] = field(default_factory=list)
    closed: int = 0
    went_on: float = field(default_factory=time.monotonic)
    """When the game went on last, as far as it was heard."""
    log: IO[str] | None = None
    """Where every message is written at once, as a line of JSON."""
    _acted: int = -1
    _tries: int = 0
    _places_left: int = -1
    """How many places are still gone by; -1 while none is looked for."""
    _number: int = 0
    _socket: ClientConnection | None = None

    async def say(self, **message: Any) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(message))

    async def say_raw(self, text: str | bytes) -> None:
        assert self._socket is not None
        await self._socket.send(text)

    async def open(self) -> None:
        # as the page does
        shown = [each for each in (self.secret, self.token) if re.fullmatch(r"[\w-]+", each, re.ASCII)]
        self._socket = await connect(
            f"{self.url}/table",
            subprotocols=[Subprotocol(each) for each in ("teeter", *shown)],
            max_size=None,
            compression=None,
            ping_interval=None,
        )
        opened.append(self._socket)

    async def join(self) -> None:
        await self.open()
        # what was said last may have been lost with the line
        self._acted, self.went_on = -1, time.monotonic()
        seat = {"seat": self.name} if self.name and not self.token else {}
        token = {"token": self.token} if self.token else {}
        await self.say(type="hello", secret=self.secret, **seat, **token)

    async def leave(self) -> None:
        if self._socket is not None:
            await self._socket.close()

    def kill(self) -> None:
        """Cut the line, as a machine that loses its power does."""
        assert self._socket is not None
        self._socket.transport.abort()

    async def hear(self, seconds: float = 180.0) -> Json:
        """The next message that is text; poses are taken in on the way."""
        assert self._socket is not None
        while True:
            async with asyncio.timeout(seconds):
                found = await self._socket.recv()
            self.received.append(found)
            if self.log is not None:
                print(
                    json.dumps(found.hex() if isinstance(found, bytes) else found), file=self.log, flush=True
                )
            if isinstance(found, bytes):
                self.poses |= poses_of(found)[1]
                self.went_on = time.monotonic()
                continue
            message: Json = json.loads(found)
            self.last[message["type"]] = message
            if message["type"] == "panel":
                self.panels[message["panel"]["name"]] = message["panel"]
            if message["type"] not in ASIDE and not self._is(message, "scores"):
                self.went_on = time.monotonic()
            if message["type"] == "refused":
                self.refused.append(message)
            if message["type"] == "welcome" and message["token"]:
                self.token = message["token"]
            return message

    @staticmethod
    def _is(message: Json, kind: str) -> bool:
        """Whether a message is of a type, or about the panel of a name."""
        return bool(kind == (message["panel"]["name"] if message["type"] == "panel" else message["type"]))

    @property
    def cards(self) -> list[str]:
        """The pictures of the cards in its hand, as it was told last."""
        fan = self.panels.get("cards", {}).get("items") or [{"cards": []}]
        return [card["image"] for card in fan[0]["cards"]]

    @property
    def end(self) -> Json:
        """How the game ended, as everybody is told; empty while it goes on."""
        return end_of(self.panels.get("over", {}))

    def told(self, panel: str) -> str:
        """What stands in a panel, as JSON."""
        return json.dumps(self.panels.get(panel, {}))

    def orders(self, kind: str) -> list[Json]:
        """The messages of a type that the buttons of its panel of seats would send."""
        texts = re.findall(r'"name": ("\{.*?\}")', self.told("scores"))
        return [order for text in texts if (order := json.loads(json.loads(text)))["type"] == kind]

    async def wait_for(self, kind: str, seconds: float = 180.0) -> Json:
        """The next message of a type."""
        async with asyncio.timeout(seconds):
            while True:
                message = await self.hear(seconds)
                if self._is(message, kind):
                    return message

    async def settled(self) -> None:
        """Until all is heard that follows from what was said."""
        await self.say(type="ping", number=len(self.received))
        await self.wait_for("pong")

    async def play(self, turns: int = 0) -> Json:
        """Play until the game is over, or until so many questions were asked; what it ended with. A seat that looks on
        only listens."""
        chance = random.Random(f"{self.name} {self.seed}")
        while not self.end:
            if turns and self.last.get("turn", {}).get("turn", 0) >= turns:
                return {}
            try:
                message = await self.hear(STUCK_S)
                assert message["type"] != "broken", message
                await self._react(message, chance)
            except TimeoutError:
                pass
            except ConnectionClosed as error:
                self.closed = error.rcvd.code if error.rcvd is not None else 1006
                raise
            if time.monotonic() - self.went_on > STUCK_S and self.last.get("turn", {}).get("mine"):
                # what was tried went nowhere: the next place, or another choice
                self._acted, self.went_on = -1, time.monotonic()
                self._tries += 1
                await self._react(self.last["turn"], chance)
        return self.end

    async def _react(self, message: Json, chance: random.Random) -> None:
        if message["type"] == "landing" and message["place"].startswith("place ") and self._places_left >= 0:
            self._places_left -= 1
            self._tries += self._places_left < 0
            await self._press("lay" if self._places_left < 0 else "places")
        if message["type"] != "turn" or not message["mine"] or message["turn"] == self._acted:
            return
        self._acted = message["turn"]
        if message["wait"] == "hand" and self.stacks:
            await self._lay(self._summit())
        elif message["wait"] == "hand":
            self._places_left = self._tries % 4
            await self._press("places")
        elif message["wait"] == "pull" and self._tries % 3 < 2:
            self._tries += 1
            await self._press("pull_out")
        elif message["choices"]:
            self._tries = 0 if message["wait"] == "action" else self._tries
            choice = chance.choice(self._wanted(message["choices"]))
            await self.say(type="choose", turn=message["turn"], choice=choice["choice"])

    def _wanted(self, choices: list[Json]) -> list[Json]:
        """Those that go on with the game: cards before pieces before acts."""
        for group in ("card", "piece"):
            found = [each for each in choices if each["group"] == group]
            if found:
                return found
        return choices

    def _summit(self) -> list[float]:
        """Where the held piece lies on what is highest in the middle, as it is turned; a little aside at each try."""
        held = self.last["table"]["held"]
        assert held >= 0, "asked to lay a piece before it is in the hand"
        turned = self.poses[held][3:]
        lying = [
            self.poses[number]
            for number in self.last["table"]["shown"]
            if number != held
            and max(map(abs, self.poses[number][:2])) < CENTRE_M
            and self.poses[number][2] > 0.0
        ]
        x, y, z = max(lying, key=lambda pose: pose[2])[:3] if lying else (0.0, 0.0, 0.0)
        aside = 0.002 * (self._tries % 4)
        return [x + aside, y, z, *turned]

    async def _lay(self, place: list[float]) -> None:
        x, y, z, *turned = place
        self._tries += 1
        self._number += 1
        await self.say(type="aim", pose=[x, y, z + OVER_M, *turned], number=self._number)
        await self._press("lay")

    async def _press(self, name: str) -> None:
        self._number += 1
        await self.say(type="hand", name=name, right=[1.0, 0.0], number=self._number)


def main() -> None:
    """A seat as a program of its own: LINK, NAME, FILE of what it receives. It comes back by itself when its line is
    lost, and ends when the game does."""
    link, name, file = sys.argv[1:]
    address, _, secret = link.partition("/#")
    # who was killed comes back by the token it has written down
    said = [json.loads(line) for line in Path(file).read_text().splitlines()] if Path(file).exists() else []
    welcomes = [json.loads(text) for text in said if '"type":"welcome"' in text[:40]]
    token = next((each["token"] for each in reversed(welcomes) if each["token"]), "")
    with Path(file).open("a") as log:
        seat = Seat(address.replace("http", "ws", 1), secret, name, token=token, stacks=True, log=log)

        async def play() -> None:
            while True:
                try:
                    await seat.join()
                    await seat.play()
                    return
                except (ConnectionClosed, OSError):
                    await asyncio.sleep(1.0)

        asyncio.run(play())


if __name__ == "__main__":
    main()
