"""The name of a file that is typed into the sandbox, what it could be, and the piece that is read from it."""

import re
import time
from pathlib import Path

from teeter.engine.view.panels import Button, Field, Item, Meter, Row, Text
from teeter.engine.view.window.events import Clicked, Event, Press, Typed
from teeter.engine.workers import Questioner
from teeter.engine.world.body import Body
from teeter.games.server.messages import Several, UnitAsked
from teeter.games.server.setup import scenes_folder
from teeter.scenes.load import MESHES
from teeter.scenes.scene import UNITS

READ = (*MESHES, ".toml")
READ_TIMEOUT_S = 600.0
MOST_LIKE = 6
"""Files that are offered while a path is typed."""


class FilePrompt:
    """One prompt; reading goes on beside the window and may be cancelled. path: what is typed, None while it is closed.
    fault: what was wrong with the file. unit: of the file, once somebody was asked. wanted: the file of several pieces
    that is to be laid out."""

    def __init__(self) -> None:
        self.path: str | None = None
        self.unit: str | None = None
        self.fault = self.wanted = ""
        self._found: Several | UnitAsked | None = None
        self._reader: Questioner[tuple[str, str | None], Body | Several | UnitAsked | str] | None = None
        self._since = 0.0

    def toggle(self) -> None:
        """Open it, or close it."""
        self.path = "" if self.path is None else None
        self.fault = ""

    def handle(self, event: Event) -> bool:
        """Take an event, if it is for an open prompt. Returns whether it was."""
        if self.path is None:
            return False
        if isinstance(event, Clicked):
            return self._click(event.name)
        if isinstance(event, Typed):
            if event.text.isprintable() and self._reader is None:
                self._type(self.path + event.text)
            return True
        if not isinstance(event, Press) or event.key.startswith(("mouse", "wheel")):
            return False
        if event.key == "backspace":
            self._type(self.path[:-1])
        elif event.key == "enter":
            self.read()
        elif event.key == "escape" and self._reader is not None:
            self.stop()
        elif event.key == "escape":
            self.path = None
        return True

    def _click(self, name: str) -> bool:
        kind, _, rest = name.partition(":")
        if name == "bring":
            self.read()
        elif name == "cancel":
            self.stop()
        elif name == "lay_out" and isinstance(self._found, Several):
            self.wanted = self._found.path
        elif kind == "unit":
            self.unit = rest
            self.read()
        elif kind == "like":
            self._type(rest)
        return name in ("bring", "cancel", "lay_out") or kind in ("like", "unit")

    def _type(self, path: str) -> None:
        self.path, self.unit, self.fault, self._found = path, None, "", None

    def read(self) -> None:
        """Have a process read the file."""
        if self.path and self.path.strip() and self._reader is None:
            self._reader = Questioner("reader", "teeter.games.server.inventory:reader", READ_TIMEOUT_S)
            self._reader.ask((self.path, self.unit))
            self._since, self.fault, self._found = time.perf_counter(), "", None

    def stop(self) -> None:
        """Read no more."""
        if self._reader is not None:
            self._reader.close()
        self._reader = None

    def poll(self) -> Body | None:
        """Returns the piece, once it was read; the prompt is closed then."""
        for _, answer in self._reader.poll() if self._reader is not None else ():
            self.stop()
            if isinstance(answer, Body):
                self.path = None
                return answer
            self._found = answer if isinstance(answer, (Several, UnitAsked)) else None
            said = answer.why if isinstance(answer, UnitAsked) else str(answer)
            self.fault = "" if isinstance(answer, Several) else in_words(said)
        return None

    def items(self) -> list[Item]:
        """Returns what an open prompt shows."""
        if self.path is None:
            return []
        if self._reader is not None:
            seconds = time.perf_counter() - self._since
            said = Text(f"{Path(self.path).name} is read, {seconds:.0f} s ...", "quiet")
            return [said, Meter(seconds % 4.0 / 4.0), Button("cancel", "Cancel", key="Esc")]
        return [
            Field("path", "a mesh or scene file", self.path, True),
            *([Text(self.fault, "bad", "small")] if self.fault else []),
            *(Button(f"like:{path}", said) for path, said in offered(self.path)),
            *_answers(self._found),
            Button("bring", "Bring it out", key="Enter", is_enabled=bool(self.path.strip())),
        ]


def _answers(found: Several | UnitAsked | None) -> list[Item]:
    """One piece comes into a hand; of more a table is set up anew. Who knows the unit of a file says it."""
    if isinstance(found, Several):
        return [Button("lay_out", f"Lay its {found.count} pieces out on a table of their own", is_on=True)]
    return [Row(tuple(Button(f"unit:{unit}", unit) for unit in UNITS))] if found is not None else []


def offered(begin: str) -> list[tuple[str, str]]:
    """Returns files, and what they are called: those whose path begins so; while nothing is typed the scenes that were
    saved, the newest first."""
    if begin:
        return [(path, path) for path in files_like(begin)]
    try:
        own = [path for path in scenes_folder().iterdir() if path.suffix in READ]
        saved = sorted(own, key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        saved = []
    shown = [(str(path), f"{path.name}, saved here") for path in saved[:MOST_LIKE]]
    return shown or [(path, path) for path in files_like(begin)]


def files_like(begin: str) -> list[str]:
    """Returns folders and files that can be read whose path begins so, a few of them."""
    path = Path(begin).expanduser()
    folder, name = (path, "") if begin.endswith("/") else (path.parent, path.name)
    try:
        paths = sorted(
            path for path in folder.iterdir() if path.name.startswith(name) and path.name[0] != "."
        )
    except OSError:
        return []
    fits = [
        f"{path}/" if path.is_dir() else str(path) for path in paths if path.is_dir() or path.suffix in READ
    ]
    return [] if fits == [begin] else fits[:MOST_LIKE]


def in_words(fault: str) -> str:
    """Returns what a reader of files says without its advice for the command line."""
    return re.sub(r"\s*(\([^()]*--\w[^()]*\)|--unit[\w, ]*)", "", fault)
