"""What browsers may send, message by message: strict, finite, bounded. All else is refused before it is looked at.

Those that mean the same to the physics go on to them as they are. `news.py` has what the server says.
"""

import json
import math
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from teeter.engine.pose import Pose
from teeter.engine.record.format import each_once
from teeter.games.core.setup import LONGEST_NAME
from teeter.models.errors import TeeterError, quote

MAX_BYTES = 64 * 1024
"""Of a message; the longest that a page sends has a thousand."""
MAX_CHAT = 300
"""Characters of what somebody says."""
FARTHEST = 5.0
"""Metres from the middle of the table to which a hand may be aimed."""
UNIT_MISS = 1e-2
"""By which the length of a quaternion may miss one."""
MAX_NUMBER = 2**53 - 1
"""The greatest whole number that scripts count to."""
MAX_SECRET = 200
"""Characters of a secret or token; ours have 22."""

Count = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
Name = Annotated[str, Field(min_length=1, max_length=20 * LONGEST_NAME)]
"""Of a seat, which may be a team, or of a piece."""
Secret = Annotated[str, Field(max_length=MAX_SECRET)]


def _is_rigid(values: tuple[float, ...]) -> tuple[float, ...]:
    if any(abs(value) > FARTHEST for value in values[:3]):
        raise ValueError(f"is farther than {FARTHEST:g} m away")
    if abs(math.hypot(*values[3:]) - 1.0) > UNIT_MISS:
        raise ValueError("has no unit quaternion")
    return values


def _is_unit(values: tuple[float, float]) -> tuple[float, float]:
    if abs(math.hypot(*values) - 1.0) > UNIT_MISS:
        raise ValueError("is no unit vector")
    return values


Number = Annotated[float, Field(allow_inf_nan=False)]
Coordinate = Annotated[Number, Field(ge=-100.0, le=100.0)]
Place = tuple[Coordinate, Coordinate, Coordinate]
Level = tuple[Coordinate, Coordinate]
HandKey = Literal[
    "left", "right", "far", "near", "turn_left", "turn_right", "lift", "lower", "flip", "tilt", "places",
    "nearest", "tap", "pull_out", "let_go", "rest", "lay",
]  # fmt: skip
PoseRow = Annotated[tuple[Number, Number, Number, Number, Number, Number, Number], AfterValidator(_is_rigid)]
"""x, y, z in metres and the quaternion x, y, z, w."""


STRICT = ConfigDict(extra="forbid", strict=True)


class Message(BaseModel):
    """What every message is: an object with a `type`, and nothing that is not named here."""

    model_config = ConfigDict(frozen=True, **STRICT)


class Hello(Message):
    """The first message. seat: to take at once. token: of the seat that this browser sat at before. is_narrow: there is
    room for few buttons."""

    type: Literal["hello"]
    secret: Secret
    seat: Name | None = None
    token: Secret | None = None
    is_narrow: bool = False


class FromEye(Message):
    """What somebody who looks at the table wants. right: what is to their right, a level unit vector."""

    right: Annotated[Level, AfterValidator(_is_unit)] = (1.0, 0.0)


class PressButton(FromEye):
    """A button of a panel."""

    type: Literal["press"]
    name: Name


class MoveSlider(FromEye):
    """A slider of a panel was dragged."""

    type: Literal["slide"]
    name: Name
    value: Annotated[Number, Field(ge=-1000.0, le=1000.0)]


class Sit(Message):
    """Take a seat that is free."""

    type: Literal["sit"]
    seat: Name


class StandUp(Message):
    """Leave the seat to others."""

    type: Literal["stand_up"]


class Choose(Message):
    """A choice of the last `turn`, by both their numbers."""

    type: Literal["choose"]
    turn: Count
    choice: Count


class AimAt(Message):
    """Where the held piece shall go. number: counts up."""

    type: Literal["aim"]
    pose: PoseRow
    number: Count

    @property
    def goal(self) -> Pose:
        """The pose, its quaternion of length one."""
        x, y, z, *quaternion = self.pose
        length = math.hypot(*quaternion)
        a, b, c, d = (value / length for value in quaternion)
        return Pose((x, y, z), (a, b, c, d))


class PointAt(FromEye):
    """A ray of the pointer, with a piece in the hand. at: where it begins in the picture, in heights of the picture.
    is_fine: a fifth of the way."""

    type: Literal["point"]
    origin: Place
    direction: Place
    at: Level
    number: Count
    is_fine: bool = False


class Shift(FromEye):
    """Carry or draw the held piece on, metres. is_free: a brick need not keep to its rail."""

    type: Literal["shift"]
    by: Level
    number: Count
    is_free: bool = False


class Spin(Message):
    """Turn the held piece by degrees, counter-clockwise seen from above."""

    type: Literal["spin"]
    degrees: Annotated[Number, Field(ge=-360.0, le=360.0)]
    number: Count


class HandAct(FromEye):
    """One press of a key of the hand."""

    type: Literal["hand"]
    name: HandKey
    number: Count
    is_fine: bool = False


class Undo(Message):
    """Back to the last checkpoint."""

    type: Literal["undo"]


class Watch(Message):
    """After a fall: the game goes on, or the fall is seen once more."""

    type: Literal["go_on", "watch_again"]


class Feel(Message):
    """Put a finger to a piece of the tower."""

    type: Literal["feel"]
    piece: Name


class Chat(Message):
    """A line for everybody."""

    type: Literal["chat"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_CHAT)]


class Ping(Message):
    """Asks for a `pong` of the same number."""

    type: Literal["ping"]
    number: Count


class ToBot(Message):
    """The host gives a seat to a bot."""

    type: Literal["to_bot"]
    seat: Name
    style: Annotated[str, Field(max_length=20)]


class ToPerson(Message):
    """The host gives a seat back to the person."""

    type: Literal["to_person"]
    seat: Name


@dataclass(frozen=True, config=STRICT)
class SetSpeed:
    """How fast time runs: 1 as in the world, 0.25 slow motion. In a hosted game the host's to say."""

    factor: Annotated[Number, Field(ge=0.1, le=100.0)]
    type: Literal["speed"] = "speed"


@dataclass(frozen=True, config=STRICT)
class Pause:
    """Time stands still, or goes on. In a hosted game the host's to say."""

    is_paused: bool
    type: Literal["pause"] = "pause"


class MuteGuest(Message):
    """The host: somebody may say nothing, or may again. name: as the chat shows it, or of a seat."""

    type: Literal["mute"]
    name: Name
    is_muted: bool


class SendAway(Message):
    """The host: somebody has to go, and the link they came by opens nothing any more. name: as for `mute`."""

    type: Literal["send_away"]
    name: Name


HostMessage = ToBot | ToPerson | SetSpeed | Pause | MuteGuest | SendAway
HandMessage = AimAt | PointAt | Shift | Spin | HandAct | Undo | Feel
PanelMessage = PressButton | MoveSlider
Given = Hello | PanelMessage | Sit | StandUp | Watch | Choose | HandMessage | Chat | Ping | HostMessage
_READER: TypeAdapter[Given] = TypeAdapter(Annotated[Given, Field(discriminator="type")])


class MessageError(TeeterError):
    """A message that does not fit; says what is wrong with it in one line."""


def read(text: str | bytes) -> Given:
    """Returns a message. Raises MessageError for what fits none of them; binary frames never do."""
    if isinstance(text, bytes):
        raise MessageError("messages are text, this one is binary")
    try:
        # tuples are lists in JSON; strict validation takes them only from JSON itself
        return _READER.validate_json(_check(text))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in fault["loc"])[:80]
        raise MessageError(f"{place or 'message'}: {fault['msg']}"[:200]) from None


def _check(text: str) -> str:
    """The text, when it is an object with each key once. Raises MessageError."""
    try:
        json.loads(text, object_pairs_hook=each_once, parse_constant=_no_constant)
    except KeyError as error:
        raise MessageError(f"it has the key {quote(error.args[0])} twice"[:200]) from None
    except (ValueError, RecursionError) as error:
        raise MessageError(f"not JSON: {error}"[:200]) from None
    return text


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def clean(text: str) -> str:
    """Returns text without what moves a cursor, changes a direction of writing, or cannot be seen."""
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()
