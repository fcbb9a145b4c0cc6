"""Links to a hosted game: three secrets, and tokens of those who sit, kept beside the record for its owner alone."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.errors import TeeterError
from models.files import whole_or_nothing

Role = Literal["host", "seat", "spectator"]
SUFFIX = ".links"
SECRET_BYTES = 18
"""Of chance in a secret: 24 characters, nobody guesses one of 2^144."""
PORT = 8377
"""Where a game is hosted unless something else is said."""
LOOPBACK = "127.0.0.1"


class LinksError(TeeterError):
    """A file of links that is not one, or an address that cannot be used."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens. port 0: one that is free."""

    name: str = LOOPBACK
    port: int = PORT

    @property
    def is_everywhere(self) -> bool:
        """Whether it listens on all addresses of this machine."""
        return self.name in ("0.0.0.0", "::")

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.name in (LOOPBACK, "::1", "localhost")

    def url(self, secret: str) -> str:
        """Returns the link with a secret, as this machine's neighbours reach it. The secret is a fragment, which
        browsers keep to themselves: it is in no request, log or referrer."""
        name = own_address() if self.is_everywhere else self.name
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}/#{secret}"


def parse_address(text: str) -> Address:
    """Returns the address of `ADDRESS`, `ADDRESS:PORT`, `[IPV6]:PORT` or `:PORT`. Raises LinksError."""
    name, colon, number = text.rpartition(":") if text.count(":") == 1 or "]:" in text else (text, "", "")
    name = name.strip("[]") or LOOPBACK
    if colon and not (number.isascii() and number.isdigit() and int(number) < 65536):
        raise LinksError(f"--host {text}: the port is a number from 1 to 65535, not {number!r}")
    if not all(sign.isalnum() or sign in ".-:%_" for sign in name):
        raise LinksError(
            f"--host {text}: {name!r} is no address; give one such as 0.0.0.0 or 192.168.1.5:8377"
        )
    return Address(name, int(number) if colon else PORT)


def own_address() -> str:
    """Returns the address by which this machine's neighbours know it; no packet is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for examples: RFC 5737
            return str(probe.getsockname()[0])
        except OSError:
            return LOOPBACK


@dataclass(slots=True)
class Links:
    """The secrets of one hosted game. tokens: by seat, of who sat there last. bots: by seat, styles that the host gave
    seats of people to. file: where they are kept; None for a game that is not kept."""

    address: Address
    host: str = field(default_factory=lambda: secrets.token_urlsafe(SECRET_BYTES))
    seats: str = field(default_factory=lambda: secrets.token_urlsafe(SECRET_BYTES))
    spectators: str = field(default_factory=lambda: secrets.token_urlsafe(SECRET_BYTES))
    tokens: dict[str, str] = field(default_factory=dict)
    bots: dict[str, str] = field(default_factory=dict)
    file: Path | None = None

    def role(self, secret: str) -> Role | None:
        """Returns what a secret lets do, None for a wrong one; all three are compared, each in constant time."""
        known: tuple[tuple[Role, str], ...] = (
            ("host", self.host),
            ("seat", self.seats),
            ("spectator", self.spectators),
        )
        found = [role for role, right in known if is_same(secret, right)]
        return found[0] if found else None

    def seat_of(self, token: str) -> str:
        """Returns the seat of a token, empty for none; all are compared."""
        found = [seat for seat, right in self.tokens.items() if is_same(token, right)]
        return found[0] if found else ""

    def new_token(self, seat: str) -> str:
        """Makes a token for who sits down; the one before it is worth nothing any more."""
        self.tokens[seat] = secrets.token_urlsafe(SECRET_BYTES)
        self.save()
        return self.tokens[seat]

    def save(self) -> None:
        """Writes the file anew, for nobody else to read. Raises OutputError."""
        if self.file is None:
            return
        kept = asdict(self)
        del kept["file"]
        address = kept.pop("address")
        kept = {"address": address["name"], "port": address["port"], **kept}
        with whole_or_nothing(self.file) as part:
            # made for its owner alone before anything is in it
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT, 0o600))
            part.chmod(0o600)
            part.write_text(json.dumps(kept, indent=1), encoding="utf-8")


def is_same(given: str, right: str) -> bool:
    """Returns whether two secrets are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), right.encode("utf-8"))


Short = Annotated[str, Field(min_length=16, max_length=200)]


class _Kept(BaseModel):
    """The file."""

    model_config = ConfigDict(strict=True, extra="forbid")

    address: Annotated[str, Field(max_length=300)]
    port: Annotated[int, Field(ge=0, le=65535)]
    host: Short
    seats: Short
    spectators: Short
    tokens: dict[str, Short]
    bots: dict[str, str]


def file_of(record: Path) -> Path:
    """Returns where the links of a record are kept."""
    return record.with_name(record.name.removesuffix(".part") + SUFFIX)


def load(record: Path) -> Links | None:
    """Returns the links of a game that was hosted before, None where there are none. Raises LinksError."""
    file = file_of(record)
    try:
        kept = _Kept.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no file of links"
        raise LinksError(f"{file}: {why}; delete it, and the game gets new links") from None
    return Links(
        Address(kept.address, kept.port), kept.host, kept.seats, kept.spectators, kept.tokens, kept.bots, file
    )
