"""What a person has set: read from TOML, checked, with every fault said at once."""

import os
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from platformdirs import user_config_path
from pydantic import Field, ValidationError, field_validator

from teeter.games.core.errors import SetupError
from teeter.models.errors import quote, words_of
from teeter.models.files import whole_or_nothing
from teeter.models.tables import FileTable

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_BYTES = 100_000
HELP_LEVELS = ("coach", "table", "purist")


class PictureSettings(FileTable):
    """How the window looks. width, height: pixels. letters: their size, 1 as designed. table: what lies on it.
    marks: whether coloured pieces have letters."""

    quality: Literal["auto", "low", "medium", "high"]
    table: Literal["wood", "felt", "linen"]
    marks: bool
    width: Annotated[int, Field(ge=320, le=8192)]
    height: Annotated[int, Field(ge=240, le=8192)]
    letters: Annotated[float, Field(ge=0.7, le=2.0)]


class SoundSettings(FileTable):
    """How loud it is, 0 to 1."""

    volume: Annotated[float, Field(ge=0.0, le=1.0)]
    mute: bool


class HandSettings(FileTable):
    """How the hand obeys; units are in the keys."""

    step_deg: Annotated[float, Field(gt=0.0, le=90.0)]
    lift_mm: Annotated[float, Field(gt=0.0, le=100.0)]
    speed_mm_s: Annotated[float, Field(gt=0.0, le=1000.0)]
    fine: Annotated[float, Field(gt=0.0, le=1.0)]
    hover_mm: Annotated[float, Field(ge=1.0, le=50.0)]
    shown: bool


class Help(FileTable):
    """How much help there is, and one-button play. taught: the games whose tutorial was gone through or skipped."""

    level: Literal["coach", "table", "purist"]
    scan: bool
    scan_s: Annotated[float, Field(ge=0.2, le=20.0)]
    tremor_mm: Annotated[float, Field(ge=0.0, le=10.0)]
    taught: tuple[str, ...]


class LastTable(FileTable):
    """Who sat down last, and to which game; none where nobody has."""

    game: str
    players: tuple[Annotated[str, Field(max_length=40)], ...]


class Settings(FileTable):
    """All settings. keys: which keys do what, by the name of the act."""

    picture: PictureSettings
    sound: SoundSettings
    hand: HandSettings
    help: Help
    last: LastTable
    keys: dict[str, str]

    @field_validator("keys")
    @classmethod
    def _known(cls, keys: dict[str, str]) -> dict[str, str]:
        taken: dict[str, str] = {}
        for act, listed in keys.items():
            if act not in acts():
                raise ValueError(f"there is no act {act!r}; there are {', '.join(acts())}")
            if not listed.split():
                raise ValueError(f"{act} has no key")
            for key in listed.split():
                if key in taken:
                    raise ValueError(f"{key!r} is given to {taken[key]} and to {act}")
                taken[key] = act
        return keys

    def act_of(self, key: str) -> str:
        """What a key does; empty for nothing."""
        key = key[1:] if key[1:] in ("shift", "control") else key
        return next((act for act, listed in self.keys.items() if key in listed.split()), "")

    def keys_of(self, act: str) -> tuple[str, ...]:
        """The keys that do something."""
        return tuple(self.keys[act].split())

    def key_said(self, act: str, *, is_pad: bool = False) -> str:
        """The first key that does something, as it may stand on a button. is_pad: of a gamepad, where one does."""
        keys = self.keys_of(act)
        key = next((key for key in keys if key.startswith(PAD) == is_pad), keys[0])
        return SAID.get(key, key)


PAD = "pad_"
"""What names of buttons of gamepads begin with."""
SAID = {
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "space": "Space",
    "backspace": "Back",
    "shift": "Shift",
    "control": "Ctrl",
    "page_up": "PgUp",
    "page_down": "PgDn",
    "wheel_up": "wheel up",
    "wheel_down": "wheel down",
    "arrow_left": "left arrow",
    "arrow_right": "right arrow",
    "arrow_up": "up arrow",
    "arrow_down": "down arrow",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
    **{
        f"{PAD}{name}": f"({name.upper()})"
        for name in ("a", "b", "x", "y", "lb", "rb", "lt", "rt", "ls", "rs")
    },
    **{f"{PAD}{name}": f"({name})" for name in ("left", "right", "up", "down", "back", "start")},
    **{letter: letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"},
}
"""Keys as they are called on the screen."""


@cache
def shipped(file: str) -> dict[str, Any]:
    """Returns what stands in a TOML file of this folder."""
    return tomllib.loads(resources.files("teeter.games.present").joinpath(file).read_text(encoding="utf-8"))


def acts() -> tuple[str, ...]:
    """Everything a key can do."""
    return tuple(shipped("settings.toml")["keys"])


def with_key(settings: Settings, act: str, key: str) -> Settings:
    """Returns the settings with another first key for an act, or first button of a gamepad. Raises SetupError when
    the key does something else."""
    key = key[1:] if key[1:] in ("shift", "control") else key
    taken = settings.act_of(key)
    if taken and taken != act:
        raise SetupError(f"{SAID.get(key, key)} is taken already: give that another key first")
    keys = settings.keys_of(act)
    first = next((other for other in keys if other.startswith(PAD) == key.startswith(PAD)), key)
    kept = [other for other in keys if other not in (first, key)]
    return settings.model_copy(update={"keys": {**settings.keys, act: " ".join([key, *kept])}})


def place() -> Path:
    """Where a person's own settings are."""
    named = os.environ.get("TEETER_SETTINGS")
    return Path(named) if named else user_config_path("teeter", appauthor=False) / "settings.toml"


def load_settings(path: Path | None = None) -> Settings:
    """The shipped settings with a person's own over them. Raises SetupError with every fault of the file."""
    file = path or place()
    return _with_own(file, _own(file) if file.exists() or path is not None else {})


def _own(file: Path) -> dict[str, Any]:
    """What a file says, as it stands there."""
    if file.is_dir():
        raise _refused(file, "is a folder")
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise _refused(file, f"is larger than {MAX_BYTES // 1000} kB: no file of settings")
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _refused(file, f"is not TOML: {error}") from None
    except UnicodeDecodeError:
        raise _refused(file, "is not text in UTF-8") from None
    except OSError as error:
        raise _refused(file, f"cannot be read: {error.strerror or error}") from None


def _with_own(file: Path, own: dict[str, Any]) -> Settings:
    """The shipped settings with those of a file over them. Raises SetupError."""
    merged: dict[str, object] = {name: dict(table) for name, table in shipped("settings.toml").items()}
    for name, table in own.items():
        base = merged.get(name)
        merged[name] = {**base, **table} if isinstance(base, dict) and isinstance(table, dict) else table
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise _refused(file, *map(_fault, error.errors())) from None


def _fault(fault: "ErrorDetails") -> str:
    """What is wrong with one setting, and what stands there."""
    place = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in fault["loc"])[1:]
    if fault["type"] == "extra_forbidden":
        return f"{place}: there is no such setting"
    got = "" if isinstance(fault["input"], dict) else f" (got {quote(fault['input'])})"
    return f"{place}: {words_of(fault)}{got}"


def _refused(file: Path, *faults: str) -> SetupError:
    """Every fault of a file, and what to do."""
    return SetupError(f"{file}: {'; '.join(faults)}. Mend it, or delete it to start with the defaults.")


def write_settings(changes: dict[str, dict[str, object]], path: Path | None = None) -> None:
    """Keep what a person has changed, beside what their file says already.

    Raises SetupError when the file or a change is wrong, OutputError when it cannot be written.
    """
    # imported when needed: it loads all that pieces are built with
    from teeter.scenes.dump import pairs

    file = path or place()
    own = _own(file) if file.exists() else {}
    _with_own(file, own)
    for name, table in changes.items():
        own[name] = {**own.get(name, {}), **table}
    _with_own(file, own)
    lines = []
    for name, table in own.items():
        lines += [f"[{name}]", *pairs(table), ""]
    # people keep such files elsewhere, behind a link
    with whole_or_nothing(file.resolve(), force=True, makes_folder=True) as part:
        part.write_text("\n".join(lines), encoding="utf-8")
