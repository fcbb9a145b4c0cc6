"""The menu: game, mode, players, seed, options, help, games to go on with, settings. A form and the panels it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.view.panels import Button, Field, Gap, Item, Panel, Row, Slider, Text
from games.core.errors import SetupError
from games.core.setup import BOT, Mode, Option, options_of
from games.game import Game
from games.registry import GAMES, game_named
from games.ui.messages import Plan
from games.ui.settings import HELP_LEVELS, Settings
from games.ui.setup import SavedGame

NAMES = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hugo")
"""What players are called until they say otherwise."""
STYLES = ("steady", "bold", "clumsy")
"""As in `games.players.bots`, which takes long to load."""
MOST_SEATS = 8
"""Seats that the menu offers; the command line takes more where a game does."""
FIELD_LETTERS = 24
"""Letters of a field."""
LEVELS = {
    "coach": "hints, and a ghost where it would rest",
    "table": "rules only",
    "purist": "no undo, and a hand that trembles",
}


@dataclass(frozen=True, slots=True)
class Form:
    """What is filled in. options: house rules, as texts. active: the field that is typed into. page: what is shown."""

    game: str = GAMES[0].name
    mode: str = GAMES[0].modes[0].name
    players: tuple[str, ...] = ("Ana", "bot:steady")
    seed: str = "1"
    options: Mapping[str, str] = field(default_factory=dict)
    active: str = ""
    page: str = "game"
    fault: str = ""

    @property
    def chosen(self) -> Game:
        """The game."""
        return game_named(self.game)

    @property
    def kind(self) -> Mode:
        """The mode."""
        return next(mode for mode in self.chosen.modes if mode.name == self.mode)

    def plan(self, settings: Settings, record: Path | None) -> Plan:
        """The game as it is filled in. Raises SetupError with what is wrong."""
        try:
            seed = int(self.seed or "0")
        except ValueError:
            raise SetupError(f"the seed must be a whole number, not {self.seed!r}") from None
        options: dict[str, object] = dict(self.options)
        if len(self.chosen.modes) > 1:
            options["mode"] = self.mode
        tremor = settings.help.tremor_mm / 1e3 if settings.help.level == "purist" else 0.0
        return Plan(self.game, self.players, seed, options, record, tremor=tremor)


def of_game(name: str) -> Form:
    """A form as it is before anybody fills it in."""
    return seated(Form(game=name, mode=game_named(name).modes[0].name, players=()))


def seated(form: Form, mode_name: str = "") -> Form:
    """As many players as the mode needs, and no more than it takes. mode_name: another mode from now on."""
    form = replace(form, mode=mode_name or form.mode)
    mode = form.kind
    most = min(mode.most, MOST_SEATS)
    players = list(form.players[:most])
    while len(players) < mode.least:
        players.append("bot:steady" if players and form.chosen.has_bots else _free_name(players))
    return replace(form, players=tuple(players))


def clicked(form: Form, name: str) -> Form:
    """The form after a button or field was clicked."""
    kind, _, rest = name.partition(":")
    form = replace(form, fault="", active="")
    if kind == "game":
        return replace(of_game(rest), seed=form.seed)
    if kind == "mode":
        return seated(replace(form, mode=rest, options={}))
    if kind == "page":
        return replace(form, page=rest)
    if kind in ("name", "seed"):
        return replace(form, active=name)
    if kind == "kind":
        return _other_kind(form, int(rest))
    if kind == "fewer":
        return replace(form, players=form.players[:-1])
    if kind == "more":
        return one_more(form)
    if kind == "option":
        return _other_option(form, *rest.rsplit(":", 1))
    return form


def one_more(form: Form) -> Form:
    """One more player: a bot where bots play."""
    new = "bot:steady" if form.chosen.has_bots else _free_name(form.players)
    return replace(form, players=(*form.players, new))


def _free_name(players: Sequence[str]) -> str:
    return next(name for name in NAMES if name not in players)


def _other_kind(form: Form, seat: int) -> Form:
    """Person, then each kind of bot, then a person again."""
    kinds = ("", *(f"{BOT}{style}" for style in STYLES)) if form.chosen.has_bots else ("",)
    now = form.players[seat] if form.players[seat].startswith(BOT) else ""
    new = kinds[(kinds.index(now) + 1) % len(kinds)]
    return _with_player(form, seat, new or _free_name(form.players))


def _other_option(form: Form, name: str, step: str) -> Form:
    option = next(each for each in options_of(form.chosen.house) if each.name == name)
    now = option.take(form.options.get(name, option.default))
    if isinstance(option.default, bool):
        new: object = "no" if now else "yes"
    elif isinstance(option.default, int):
        new = min(max(int(now) + int(step), option.least), option.most)
    else:
        new = option.choices[(option.choices.index(str(now)) + 1) % len(option.choices)]
    return replace(form, options={**form.options, name: str(new)})


def typed(form: Form, text: str) -> Form:
    """The form after a character was typed into the active field."""
    if form.active == "seed":
        is_number = text.isdigit() or (text == "-" and not form.seed)
        return replace(form, seed=(form.seed + text)[:12]) if is_number else form
    return _renamed(form, lambda name: (name + text)[:FIELD_LETTERS]) if text.isprintable() else form


def erased(form: Form) -> Form:
    """The form without the last character of the active field."""
    if form.active == "seed":
        return replace(form, seed=form.seed[:-1])
    return _renamed(form, lambda name: name[:-1])


def _renamed(form: Form, change: Callable[[str], str]) -> Form:
    """With another name in the active field, if that is one of a player."""
    kind, _, seat = form.active.partition(":")
    return _with_player(form, int(seat), change(form.players[int(seat)])) if kind == "name" else form


def _with_player(form: Form, seat: int, player: str) -> Form:
    return replace(form, players=(*form.players[:seat], player, *form.players[seat + 1 :]))


def panels(
    form: Form, settings: Settings, saved: tuple[Path, ...], kept: tuple[SavedGame, ...] = ()
) -> tuple[Panel, ...]:
    """The menu. saved: games to go on with, the newest first. kept: games to be watched."""
    games = tuple(
        Button(f"game:{game.name}", game.title, is_on=game.name == form.game, text2=game.summary)
        for game in GAMES
    )
    head = (Text("teeter", size="title", bold=True), Text("towers of wood, on true physics", "quiet"), Gap(8))
    pages: dict[str, tuple[str, tuple[Item, ...]]] = {
        "options": ("House rules", _options(form)),
        "settings": ("Settings", _settings(settings)),
        "replays": ("Replays", _replays(kept)),
    }
    items = _table(form, settings, saved)
    if form.page in pages:
        title, listed = pages[form.page]
        done = Button("page:game", "Done", "accent")
        items = (Text(title, size="large", bold=True), *listed, Gap(6), done)
    return Panel("games", "left", (*head, *games), width=340), Panel("form", "right", items, width=430)


def _table(form: Form, settings: Settings, saved: tuple[Path, ...]) -> tuple[Item, ...]:
    game = form.chosen
    items: list[Item] = [Text(game.title, size="large", bold=True)]
    if len(game.modes) > 1:
        items += [
            Button(f"mode:{mode.name}", mode.title, is_on=mode.name == form.mode) for mode in game.modes
        ]
    items.append(Gap(4))
    for seat, player in enumerate(form.players):
        is_bot = player.startswith(BOT)
        field = f"name:{seat}"
        name: Item = Field(field, "", player, form.active == field)
        if is_bot:
            name = Text(player.removeprefix(BOT) + " bot")
        items.append(Row((name, Button(f"kind:{seat}", "bot" if is_bot else "person")), (2, 1)))
    mode = form.kind
    fewer = Button("fewer", "One less", is_enabled=len(form.players) > mode.least)
    more = Button("more", "One more", is_enabled=len(form.players) < min(mode.most, MOST_SEATS))
    if mode.most > 1:
        items.append(Row((fewer, more)))
    seed = Field("seed", "seed: the same number, the same game", form.seed, form.active == "seed")
    items += [Gap(4), seed]
    level = settings.help.level
    items += [Text(f"help: {LEVELS[level]}", "quiet", "small")]
    items.append(Row(tuple(Button(f"level:{each}", each, is_on=each == level) for each in HELP_LEVELS)))
    if form.fault:
        items.append(Text(form.fault, "bad"))
    items += [Gap(6), Button("start", "Play", is_on=True, key="Enter")]
    resume = Button(
        "resume", "Go on with the last game", is_enabled=bool(saved), text2=saved[0].stem if saved else ""
    )
    house = Button("page:options", "House rules", is_enabled=bool(options_of(game.house)))
    items += [resume, Row((house, Button("page:replays", "Replays")))]
    items.append(Row((Button("page:settings", "Settings"), Button("quit", "Quit", key="Esc"))))
    return tuple(items)


def _replays(kept: tuple[SavedGame, ...]) -> tuple[Item, ...]:
    if not kept:
        return (Text("No game was kept yet.", "quiet"),)
    return tuple(
        Button(f"replay:{number}", each.file.stem, text2=each.when) for number, each in enumerate(kept)
    )


def _options(form: Form) -> tuple[Item, ...]:
    return tuple(
        item
        for option in options_of(form.chosen.house)
        if not option.modes or form.mode in option.modes
        for item in _option(option, form.options.get(option.name, str(option.default)))
    )


def _option(option: Option, text: str) -> tuple[Item, ...]:
    said = Text(f"{option.help} ({option.clause})", "quiet", "small")
    if isinstance(option.default, bool):
        value = "yes" if option.take(text) else "no"
        return (Row((said, Button(f"option:{option.name}:1", value)), (3, 1)),)
    if isinstance(option.default, int):
        less, more = Button(f"option:{option.name}:-1", "less"), Button(f"option:{option.name}:1", "more")
        return (Row((said, less, Text(text, bold=True), more), (4, 1.2, 0.7, 1.2)),)
    if option.choices:
        return (Row((said, Button(f"option:{option.name}:1", text)), (2.4, 1)),)
    return ()


def _settings(settings: Settings) -> tuple[Item, ...]:
    picture, sound, helping = settings.picture, settings.sound, settings.help
    qualities = ("auto", "low", "medium", "high")
    return (
        Text("picture", "quiet", "small"),
        Row(tuple(Button(f"quality:{each}", each, is_on=each == picture.quality) for each in qualities)),
        Slider("letters", "size of letters", picture.letters, 0.7, 2.0, f"{picture.letters:.2f}"),
        Slider("volume", "volume", sound.volume, 0.0, 1.0, f"{100 * sound.volume:.0f} %"),
        Button("mute", "sound is off" if sound.mute else "sound is on", is_on=not sound.mute),
        Button(
            "scanning",
            "one-button play is on" if helping.scan else "one-button play is off",
            is_on=helping.scan,
            text2="choices light up one after the other",
        ),
        Slider("scan_s", "seconds on each", helping.scan_s, 0.2, 5.0, f"{helping.scan_s:.1f} s"),
        Slider(
            "tremor",
            "tremor of the purist's hand",
            helping.tremor_mm,
            0.0,
            3.0,
            f"{helping.tremor_mm:.1f} mm",
        ),
        Text("Keys are set in a file: see the README of games/ui.", "quiet", "small"),
    )
