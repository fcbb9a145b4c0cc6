"""Options of a game (`--house KEY=VALUE`), declared as fields of a frozen dataclass.

    @dataclass(frozen=True, slots=True)
    class House:
        rounds: int = option(3, "how many rounds are played", clause="TT-07", least=1, most=99)

`options_of(House)` lists them for help; `take_house(House, {"rounds": "5"}, mode)` gives a House with
rounds == 5. The kind of an option is the type of its default: yes or no, a whole number, or a text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from games.rules.errors import SetupError, shown, unknown
from games.rules.seats import Mode

H = TypeVar("H")

Value = bool | int | str

YES = ("yes", "true", "on", "1")
NO = ("no", "false", "off", "0")


@dataclass(frozen=True, slots=True)
class Option:
    """One option as help shows it.

    least, most: range of a number. choices: what a text may be, empty: anything.
    modes: the only modes it belongs to, empty: all. clause: the clause it comes from.
    """

    default: Value
    help: str
    clause: str
    least: int
    most: int
    choices: tuple[str, ...]
    modes: tuple[str, ...]
    name: str = ""

    @property
    def allowed(self) -> str:
        """The values it takes, in words."""
        if isinstance(self.default, bool):
            return "yes or no"
        if isinstance(self.default, int):
            return f"a whole number from {self.least} to {self.most}"
        return ", ".join(self.choices) or "a text"

    def take(self, given: object) -> Value:
        """The value from a text or a plain value. Raises SetupError with what is allowed."""
        value = self._value(given)
        if value is None:
            raise SetupError(f"option {self.name}: {shown(given)} is not allowed; it takes {self.allowed}")
        return value

    def _value(self, given: object) -> Value | None:
        if isinstance(self.default, bool):
            word = str(given).strip().lower()
            return True if word in YES else False if word in NO else None
        if isinstance(self.default, int):
            return self._whole(given)
        text = given.strip() if isinstance(given, str) else ""
        return text if isinstance(given, str) and (not self.choices or text in self.choices) else None

    def _whole(self, given: object) -> int | None:
        try:
            number = int(given) if isinstance(given, str) else given
        except ValueError:
            return None
        return number if type(number) is int and self.least <= number <= self.most else None


def option(
    default: Value,
    help: str,
    *,
    clause: str = "",
    least: int = 0,
    most: int = 0,
    choices: Sequence[str] = (),
    modes: Sequence[str] = (),
) -> Any:
    """A dataclass field that is an option of the game."""
    spec = Option(default, help, clause, least, most, tuple(choices), tuple(modes))
    return dataclasses.field(default=default, metadata={"option": spec})


def options_of(house: Any) -> tuple[Option, ...]:
    """The options a House class declares, in its order."""
    fields = dataclasses.fields(house)
    return tuple(dataclasses.replace(field.metadata["option"], name=field.name) for field in fields)


def take_house(house: type[H], given: Mapping[str, object], mode: Mode) -> H:
    """The House that `given` asks for; what is not given keeps its default. Raises SetupError."""
    options = {each.name: each for each in options_of(house)}
    chosen = {}
    for name, value in given.items():
        if name not in options:
            raise SetupError(unknown("option", name, [*options, "mode"]))
        wanted = options[name]
        if wanted.modes and mode.name not in wanted.modes:
            raise SetupError(f"option {name} belongs to mode {' or '.join(wanted.modes)}, not to {mode.name}")
        chosen[name] = wanted.take(value)
    return house(**chosen)


def split_texts(texts: Sequence[str]) -> dict[str, str]:
    """`KEY=VALUE` texts of a command line as a mapping. Raises SetupError."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise SetupError(f"{shown(text)} is not an option; write KEY=VALUE")
        if name in found:
            raise SetupError(f"option {name} is given twice")
        found[name] = value.strip()
    return found
