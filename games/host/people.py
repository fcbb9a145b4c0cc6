"""Who is at a hosted table: comes by a link, sits down, talks, is sent away, loses the line."""

from collections.abc import Callable
from dataclasses import replace

from teeter.games.core.errors import unknown
from teeter.games.host.audience import Audience
from teeter.games.host.connection import FULL, SENT_AWAY, Allowance, Connection
from teeter.games.host.links import Links, Role
from teeter.games.host.seats import AWAY_S, Chairs, WishError
from teeter.games.present.hud_state import FEW_CHOICES
from teeter.games.server.protocol import Chat, Hello, MuteGuest, SendAway, Sit, StandUp, clean

PLACES: dict[Role, int] = {"host": 4, "seat": 16, "spectator": 40}
"""Browsers that sit nowhere, by link. Seats have their own places, whoever else comes."""
SAYS, SAYS_BURST = 10.0, 60
"""Lines, and acts that everybody hears of, of all together: a second, and at once."""
Say = Callable[[str], None]


class People:
    """Who comes and goes. say: hears what is told of it, line by line. notices: what everybody is told who comes."""

    def __init__(self, links: Links, chairs: Chairs, audience: Audience, say: Say) -> None:
        self._links, self._chairs, self._audience, self._say = links, chairs, audience, say
        self._says = Allowance(SAYS, SAYS_BURST)
        self._missed = ""
        self.notices: list[str] = []
        self.host_notices: list[str] = []
        """What hosts alone are told."""

    def greet(self, connection: Connection, greeting: Hello) -> None:
        """Who has one of the secrets is let in, and told all that it may know."""
        if connection.role is not None:
            raise WishError("You said hello already")
        token = greeting.token or ""
        role = self._links.role(greeting.secret)
        if role is None and token and self._links.seat_of(token):
            # the link was renewed since; the token is a better secret
            role = "seat"
        if role is None:
            raise WishError("This link is not valid")
        if not (role != "spectator" and token and self._links.seat_of(token)) and not self._has_place(role):
            connection.close(FULL, "no place is free")
            return
        connection.role = role
        if greeting.is_narrow:
            connection.look = replace(connection.look, most=FEW_CHOICES)
        is_back = role != "spectator" and bool(token) and bool(self._chairs.come_back(connection, token))
        self._audience.let_in(connection, token if is_back else "")
        # who comes back has heard them
        for notice in () if is_back else self.notices + (self.host_notices if role == "host" else []):
            connection.send({"type": "chat", "who": "", "text": notice})
        if is_back and self._says.take():
            self.tell(f"{connection.seat} is back.")
        if greeting.seat and not connection.seat:
            try:
                self._sit(connection, greeting.seat)
            except WishError as refusal:
                connection.refuse(refusal.clause, refusal.sentence)
        self._audience.tell_panels()

    def _has_place(self, role: Role) -> bool:
        """Whether one more may come by a link; at seats' and the host's who waits longest goes for a new one."""
        there = [
            connection
            for connection in self._audience.joined()
            if connection.role == role and not connection.seat
        ]
        if len(there) < PLACES[role]:
            return True
        if role == "spectator":
            return False
        there[0].close(FULL, "others came after you")
        return True

    def _may_say(self, connection: Connection) -> None:
        """Raises WishError for who says, sits down or stands up more often than others can bear."""
        if connection.role != "host" and not (connection.says.take() and self._says.take()):
            raise WishError("Too often: wait a moment")

    def _sit(self, connection: Connection, seat: str) -> None:
        token = self._chairs.sit(connection, seat)
        self._audience.welcome(connection, token)
        self._audience.tell_view(connection)
        self.tell(f"{seat} sits down.")

    def obey(self, connection: Connection, message: Sit | StandUp | Chat) -> None:
        """Does what a browser asks for about itself. Raises WishError."""
        self._may_say(connection)
        if isinstance(message, Sit):
            self._sit(connection, message.seat)
        elif isinstance(message, StandUp):
            name = connection.seat
            self._chairs.stand_up(connection)
            self.tell(f"{name} stands up.")
            self._audience.welcome(connection, "")
            self._audience.tell_view(connection)
        else:
            self._chat(connection, clean(message.text))
            return
        self._audience.tell_panels()

    def keep_order(self, message: MuteGuest | SendAway) -> None:
        """Does what the host asks for about somebody. Raises WishError."""
        if isinstance(message, SendAway):
            self._send_away(message.name)
        else:
            self._mute(message.name, message.is_muted)

    def _chat(self, connection: Connection, text: str) -> None:
        if connection.role == "spectator":
            raise WishError("This link is for looking on")
        if not text:
            raise WishError("There is nothing to say")
        if connection.is_muted or (connection.seat and self._chairs.of(connection.seat).is_muted):
            raise WishError("The host has muted you")
        who = "host" if connection.role == "host" and not connection.seat else connection.name
        self._audience.send_all({"type": "chat", "who": who, "text": text})

    def _named(self, name: str) -> Connection | None:
        """Returns who has a name, as the chat shows it; None for a seat that is kept. Raises WishError."""
        known = {
            connection.name: connection for connection in self._audience.joined() if connection.role != "host"
        }
        chair = self._chairs.all.get(name)
        if name in known or (chair is not None and chair.state == "away"):
            return known.get(name)
        raise WishError(unknown("name", name, known) if known else "Nobody is there")

    def _mute(self, name: str, is_muted: bool) -> None:
        guest, chair = self._named(name), self._chairs.all.get(name)
        if guest is not None:
            guest.is_muted = is_muted
        if chair is not None:
            # a line that is lost and comes back gives nobody the word
            chair.is_muted = is_muted
        self.tell(f"The host has {'muted' if is_muted else 'given the word back to'} {name}.")
        self._audience.tell_panels()

    def _send_away(self, name: str) -> None:
        guest = self._named(name)
        role: Role = "seat" if guest is None or guest.role is None else guest.role
        self._chairs.free(name)
        if guest is not None:
            guest.seat = ""
            guest.close(SENT_AWAY, "the host has sent you away")
        # who was sent away still has the link: it opens nothing any more
        self._links.renew(role)
        secret = self._links.seats if role == "seat" else self._links.spectators
        line = (
            f"New link for {'seats' if role == 'seat' else 'looking on'}: {self._links.address.url(secret)}"
        )
        self._say(line)
        self._audience.tell_hosts({"type": "chat", "who": "", "text": line})
        self.tell(f"The host has sent {name} away.")
        self._audience.tell_panels()

    def miss(self, seat: str) -> None:
        """Says so when the game waits for a seat at which nobody sits."""
        is_missed = self._chairs.all[seat].state == "free"
        if is_missed and seat != self._missed:
            self.tell(f"The game waits for {seat}, and nobody sits there.")
        self._missed = seat if is_missed else ""

    def leave(self, connection: Connection) -> None:
        """A browser is gone."""
        if connection not in self._audience.connections:
            return
        self._audience.connections.remove(connection)
        name = self._chairs.lose(connection)
        if name:
            left = self._chairs.seconds_left(name)
            self._audience.send_all({"type": "away", "seat": name, "seconds_left": left})
            if self._says.take():
                kept = f"the seat is kept for {name} for {AWAY_S / 60:.0f} minutes"
                self.tell(f"{name} has lost the line; {kept}.")
        self._audience.tell_panels()

    def tell(self, line: str) -> None:
        """A line about who is there: for everybody, and not part of the game's story."""
        self._say(line)
        self._audience.send_all({"type": "chat", "who": "", "text": line})
