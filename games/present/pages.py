"""Pages that the menu and the pause of a game share: settings, keys, the rules of a game; and the pause itself."""

from typing import Any

from teeter.engine.view.panels import Button, Gap, Item, Panel, Row, Slider, Text
from teeter.engine.view.window.events import Clicked, Event, Press, Slid
from teeter.games.core.clauses import SHARED
from teeter.games.faults import or_else
from teeter.games.game import Game
from teeter.games.present.guide import WIDTH, guide_items
from teeter.games.present.settings import SAID, Settings, shipped, with_key, write_settings
from teeter.games.registry import clauses_of
from teeter.models.errors import TeeterError

ACTS: dict[str, str] = shipped("acts.toml")
"""What keys do, in words."""
MOUSE = (
    "Left button: take, lay; or press on a piece, carry it, and let go. Right button and drag: turn the held piece, or "
    "go round the table. Middle button and drag: move the view. Wheel: lift the held piece, or come nearer."
)
PAD = (
    "Gamepad: the left stick moves the pointer or the held piece, the right one turns the view, (A) takes and lays, "
    "the cross goes from button to button or moves the held piece a little, triggers lift it or come nearer."
)
TITLES = {
    "pause": "Paused",
    "settings": "Settings",
    "keys": "Keys",
    "rules": "Rules",
    "clauses": "Rules, clause by clause",
}
TABLES = ("wood", "felt", "linen")
QUALITIES = ("auto", "low", "medium", "high")
SLIDERS = {
    "letters": ("picture", "letters"),
    "volume": ("sound", "volume"),
    "scan_s": ("help", "scan_s"),
    "tremor": ("help", "tremor_mm"),
}
"""Section and key of the settings, by slider."""


def tutorial_button(game: str, settings: Settings) -> Button:
    """Shows whether the tutorial of a game is on, and switches it."""
    is_on = game not in settings.help.taught
    said = "on" if is_on else "off"
    return Button(f"learn:{game}", f"Tutorial is {said}", is_on=is_on, text2="what to do, step by step")


class Pages:
    """Which page is open over a screen, and the settings it changes. page: empty for none. game: the one whose rules
    are shown; a menu begins with none. leaving: the words of the button that leaves it. wish: `leave` once it was
    clicked."""

    def __init__(self, settings: Settings, game: Game | None = None, leaving: str = "Leave") -> None:
        self.settings, self.game, self.leaving = settings, game, leaving
        self._is_menu = game is None
        self.page = self.fault = self.wish = ""
        self.is_slow = False
        """Whether time runs slowly."""
        self.seats: dict[str, bool] = {}
        """Whether a bot plays for those who sit here."""
        self.asked = ""
        """The act for which a key is awaited."""
        self._is_help = False
        """Whether the list of keys was opened from the game."""

    def open_help(self) -> None:
        """The list of keys, from the game, and back to it."""
        self.page, self._is_help = "keys", True

    def back(self) -> None:
        """One page back; from the pause to the game."""
        above = {"clauses": "rules", **({"keys": "settings"} if self._is_menu else {})}
        is_first = self._is_menu or self._is_help or self.page == "pause"
        self.page = above.get(self.page, "" if is_first else "pause")
        self.asked = self.fault = ""
        self._is_help = False

    def handle(self, event: Event) -> bool:
        """Take an event, if it is one of these pages'. Returns whether it was."""
        if isinstance(event, Clicked):
            return self._click(event.name)
        if isinstance(event, Slid) and event.name in SLIDERS:
            self.set(*SLIDERS[event.name], round(event.value, 2))
            return True
        if isinstance(event, Press) and self.asked and not event.key.startswith("mouse"):
            self._take_key(event.key)
            return True
        return False

    def _click(self, name: str) -> bool:
        kind, _, rest = name.partition(":")
        self.fault = ""
        if kind == "page" and rest in TITLES:
            self.page = rest
        elif name == "back":
            self.back()
        elif name == "leave":
            self.wish = "leave"
        elif kind == "quality":
            self.set("picture", "quality", rest)
        elif kind == "table":
            self.set("picture", "table", rest)
        elif name == "marks":
            self.set("picture", "marks", not self.settings.picture.marks)
        elif name == "mute":
            self.set("sound", "mute", not self.settings.sound.mute)
        elif name == "scanning":
            self.set("help", "scan", not self.settings.help.scan)
        elif name == "slow":
            self.is_slow = not self.is_slow
        elif kind == "level":
            self.set("help", "level", rest)
        elif kind == "learn":
            self.learn(rest, is_taught=rest not in self.settings.help.taught)
        elif kind == "key":
            self.asked = "" if self.asked == rest else rest
            return True
        else:
            return False
        self.asked = ""
        return True

    def _take_key(self, key: str) -> None:
        act, self.asked = self.asked, ""
        if key == "escape" and act != "menu":
            return
        try:
            self.settings = with_key(self.settings, act, key)
            write_settings({"keys": dict(self.settings.keys)})
        except (TeeterError, ValueError) as error:
            self.fault = str(error)

    def learn(self, game: str, *, is_taught: bool) -> None:
        """Keep whether the tutorial of a game was gone through."""
        others = tuple(name for name in self.settings.help.taught if name != game)
        self.set("help", "taught", (*others, game) if is_taught else others)

    def set(self, section: str, key: str, value: Any) -> None:
        """Changes a setting, and keeps it for the next time."""
        old = getattr(self.settings, section)
        self.settings = self.settings.model_copy(update={section: old.model_copy(update={key: value})})
        try:
            write_settings({section: {key: value}})
        except (TeeterError, ValueError) as error:
            self.fault = str(error)

    def items(self) -> tuple[Item, ...]:
        """Returns what the open page shows."""
        pages = {
            "pause": self._pause,
            "settings": self._settings,
            "keys": self._keys,
            "rules": self._rules,
            "clauses": self._clauses,
        }
        fault = (Text(self.fault, "bad"),) if self.fault else ()
        return (*pages[self.page](), *fault)

    def dialog(self) -> Panel:
        """Returns the open page over a dimmed table."""
        back = () if self.page == "pause" else (Button("back", "Back", "accent", key="Esc"), Gap(4))
        is_wide = self.page == "rules" and self._guide()
        title = f"{TITLES[self.page]}: {self.game.title}" if is_wide and self.game else TITLES[self.page]
        return Panel(self.page, "dialog", (*back, *self.items()), title, width=WIDTH if is_wide else 460)

    def _guide(self) -> tuple[Item, ...]:
        """The rules in pictures; empty where the game has none."""
        game = self.game
        return or_else("the rules in pictures", lambda: guide_items(game), ()) if game is not None else ()

    def _pause(self) -> tuple[Item, ...]:
        return (
            Button("back", "Continue", is_on=True, key="Esc"),
            Button("page:rules", "Rules"),
            Button("page:settings", "Settings"),
            Button("page:keys", "Keys"),
            *(() if self.game is None else (tutorial_button(self.game.name, self.settings),)),
            Button("slow", f"Slow motion is {'on' if self.is_slow else 'off'}", is_on=self.is_slow),
            *(
                Button(
                    f"bot:{seat}", f"{seat}: {'a bot plays' if is_bot else 'let a bot play'}", is_on=is_bot
                )
                for seat, is_bot in self.seats.items()
            ),
            Gap(8),
            Button("leave", self.leaving),
        )

    def _rules(self) -> tuple[Item, ...]:
        guide = self._guide()
        return (*guide, Button("page:clauses", "All rules, clause by clause")) if guide else self._clauses()

    def _clauses(self) -> tuple[Item, ...]:
        clauses = clauses_of(self.game) if self.game is not None else ()
        ordered = sorted(clauses, key=lambda clause: clause in SHARED)
        return tuple(Text(f"{clause.id}  {clause.text}", size="small") for clause in ordered)

    def _keys(self) -> tuple[Item, ...]:
        said = "Press the new key, or Esc." if self.asked else "Click a line, then press its new key."
        items: list[Item] = [
            *(Text(text, "quiet", "small") for text in (MOUSE, PAD)),
            Text(said, "accent", "small"),
        ]
        for act, words in ACTS.items():
            keys = " ".join(SAID.get(key, key) for key in self.settings.keys_of(act))
            shown = "press a key ..." if act == self.asked else keys
            items.append(Button(f"key:{act}", words, key=shown, is_on=act == self.asked))
        return tuple(items)

    def _settings(self) -> tuple[Item, ...]:
        picture, sound, helping = self.settings.picture, self.settings.sound, self.settings.help
        scanning, muted = "on" if helping.scan else "off", "off" if sound.mute else "on"
        tremor = f"{helping.tremor_mm:.1f} mm"
        items: tuple[Item, ...] = (
            Text("how fine the picture is", "quiet", "small"),
            Row(
                tuple(
                    Button(f"quality:{quality}", quality, is_on=quality == picture.quality)
                    for quality in QUALITIES
                )
            ),
            Text("what lies on the table", "quiet", "small"),
            Row(tuple(Button(f"table:{name}", name, is_on=name == picture.table) for name in TABLES)),
            Button(
                "marks",
                f"letters on coloured pieces are {'on' if picture.marks else 'off'}",
                is_on=picture.marks,
                text2="for those who cannot tell colours apart",
            ),
            Slider("letters", "size of letters", picture.letters, 0.7, 2.0, f"{picture.letters:.2f}"),
            Slider("volume", "volume", sound.volume, 0.0, 1.0, f"{100 * sound.volume:.0f} %"),
            Button("mute", f"sound is {muted}", is_on=not sound.mute),
            Button(
                "scanning",
                f"one-button play is {scanning}",
                is_on=helping.scan,
                text2="choices light up one after the other",
            ),
            Slider("scan_s", "seconds on each", helping.scan_s, 0.2, 5.0, f"{helping.scan_s:.1f} s"),
            Slider("tremor", "tremor of the purist's hand", helping.tremor_mm, 0.0, 3.0, tremor),
        )
        return items if not self._is_menu else (*items, Button("page:keys", "Keys"))
