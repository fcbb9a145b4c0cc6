"""Links to a hosted game: three secrets, and tokens of those who sit. They are kept in the data folder of who hosts,
never beside a recording, which may be a stranger's."""

import hashlib
import hmac
import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from teeter.games.server.setup import folder
from teeter.models.errors import TeeterError
from teeter.models.files import OutputError, whole_or_nothing

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

    @property
    def text(self) -> str:
        """As `--host` takes it."""
        return f"{f'[{self.name}]' if ':' in self.name else self.name}:{self.port}"

    def url(self, secret: str) -> str:
        """Returns the link with a secret, as this machine's neighbours reach it. The secret is a fragment, which
        browsers keep to themselves: it is in no request, log or referrer."""
        shown = replace(self, name=own_address()) if self.is_everywhere else self
        return f"http://{shown.text}/#{secret}"


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
    seats of people to. is_drawn: the seed of the game was drawn by who hosts it. file: where they are kept; None for a
    game that is not kept."""

    address: Address
    host: str = field(default_factory=lambda: secrets.token_urlsafe(SECRET_BYTES))
    seats: str = field(default_factory=lambda: secrets.token_urlsafe(SECRET_BYTES))
    spectators: str = field(default_factory=lambda: secrets.token_urlsafe(SECRET_BYTES))
    tokens: dict[str, str] = field(default_factory=dict)
    bots: dict[str, str] = field(default_factory=dict)
    is_drawn: bool = False
    file: Path | None = None
    lapse: str = ""
    """Why what was last changed is not kept; empty where it is."""

    def role(self, secret: str) -> Role | None:
        """Returns what a secret lets do, None for a wrong one; all three are compared, each in constant time."""
        known: tuple[tuple[Role, str], ...] = (
            ("host", self.host),
            ("seat", self.seats),
            ("spectator", self.spectators),
        )
        roles = [role for role, right in known if is_same(secret, right)]
        return roles[0] if roles else None

    def seat_of(self, token: str) -> str:
        """Returns the seat of a token, empty for none; all are compared."""
        seats = [seat for seat, right in self.tokens.items() if is_same(token, right)]
        return seats[0] if seats else ""

    def renew(self, role: Role) -> None:
        """Makes a new secret for a role; the one before it is worth nothing any more. Tokens of seats stay."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        if role == "seat":
            self.seats = secret
        else:
            self.spectators = secret
        self.keep()

    def new_token(self, seat: str) -> str:
        """Makes a token for who sits down; the one before it is worth nothing any more."""
        self.tokens[seat] = secrets.token_urlsafe(SECRET_BYTES)
        self.keep()
        return self.tokens[seat]

    def keep(self) -> None:
        """Writes the file anew. A game goes on where that fails, as on a full disk; `lapse` says why."""
        try:
            self.save()
            self.lapse = ""
        except OutputError as error:
            self.lapse = str(error)

    def save(self) -> None:
        """Writes the file anew, for nobody else to read. Raises OutputError."""
        if self.file is None:
            return
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"{self.file.parent}: {error.strerror or error}; no links can be kept"
            ) from error
        kept = asdict(self)
        del kept["file"], kept["lapse"]
        address = kept.pop("address")
        kept = {"address": address["name"], "port": address["port"], **kept}
        # made for its owner alone before anything is in it
        with whole_or_nothing(self.file, force=True, mode=0o600) as part:
            part.write_text(json.dumps(kept, indent=1), encoding="utf-8")


def is_same(secret: str, right: str) -> bool:
    """Returns whether two secrets are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(secret.encode("utf-8", "surrogatepass"), right.encode("utf-8"))


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
    is_drawn: bool = False


def file_of(record: Path, seed: int) -> Path:
    """Returns where this user keeps the links of a record: by its true path and its seed, in a folder of one's own.
    Another game that is put at the same place has no links, and nobody's token opens a seat of it."""
    whole = record.with_name(record.name.removesuffix(".part")).resolve()
    digest = hashlib.sha256(os.fsencode(whole) + b"\0%d" % seed).hexdigest()[:32]
    return folder().parent / "hosted" / (digest + SUFFIX)


def load(record: Path, seed: int) -> Links | None:
    """Returns the links of a game that was hosted before, None where there are none. Raises LinksError."""
    file = file_of(record, seed)
    try:
        kept = _Kept.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no file of links"
        raise LinksError(f"{file}: {why}; delete it, and the game gets new links") from None
    return Links(
        Address(kept.address, kept.port),
        kept.host,
        kept.seats,
        kept.spectators,
        kept.tokens,
        kept.bots,
        kept.is_drawn,
        file,
    )
