"""The menu: game, mode, players, seed, options, help, games to go on with, settings. A form and the panels it makes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from teeter.engine.view.panels import Button, Field, Gap, Item, Panel, Row, Text
from teeter.games.core.errors import SetupError
from teeter.games.core.random_state import draw_seed
from teeter.games.core.setup import BOT, STYLES, Mode
from teeter.games.game import Game
from teeter.games.present.details import details_of
from teeter.games.present.guide import STILL, picture_of
from teeter.games.present.house_rules import given_to_next, house_rules, toggled, without_seats
from teeter.games.present.pages import TITLES, Pages, tutorial_button
from teeter.games.present.pictures import of_recording
from teeter.games.present.settings import HELP_LEVELS, LastTable, Settings
from teeter.games.registry import GAMES, game_named, games
from teeter.games.server.messages import Plan
from teeter.games.server.setup import SavedGame, title_of

NAMES = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hugo")
"""What players are called until they say otherwise."""
SEED_DIGITS = 40
"""That are typed; a drawn seed has 39."""
MOST_SEATS = 8
"""Seats that the menu offers; the command line takes more where a game does."""
FIELD_LETTERS = 24
"""Letters of a field."""
BOTS = "The computer plays: expert looks ahead, steady is careful, bold takes chances, clumsy trembles."
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
    seed: str = ""
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
            seed = int(self.seed) if self.seed else draw_seed()
        except ValueError:
            raise SetupError(f"the seed must be a whole number, not {self.seed!r}") from None
        options: dict[str, object] = dict(self.options)
        if len(self.chosen.modes) > 1:
            options["mode"] = self.mode
        tremor = settings.help.tremor_mm / 1e3 if settings.help.level == "purist" else 0.0
        return Plan(self.game, self.players, seed, options, record, tremor=tremor)


def of_game(name: str, players: tuple[str, ...] = ()) -> Form:
    """A form as it is before anybody fills it in. players: those who sat down last, as far as the game takes them."""
    return seated(Form(game=name, mode=game_named(name).modes[0].name, players=players))


def of_last(last: LastTable) -> Form:
    """The form with which the menu begins."""
    known = {game.name for game in games()}
    styles = {f"{BOT}{style}" for style in STYLES}
    players = tuple(
        player for player in last.players if player and (not player.startswith(BOT) or player in styles)
    )
    people = [player for player in players if player not in styles]
    if len(set(people)) < len(people):
        players = ()
    return of_game(last.game if last.game in known else GAMES[0].name, players)


def seated(form: Form, mode_name: str = "") -> Form:
    """As many players as the mode needs, and no more than it takes. mode_name: another mode from now on."""
    form = replace(form, mode=mode_name or form.mode)
    mode = form.kind
    most = min(mode.most, MOST_SEATS)
    has_bots = form.chosen.has_bots
    players = [player for player in form.players if has_bots or not player.startswith(BOT)][:most]
    while len(players) < mode.least:
        players.append("bot:steady" if players and form.chosen.has_bots else _free_name(players))
    return replace(form, players=tuple(players))


def clicked(form: Form, name: str) -> Form:
    """The form after a button or field was clicked."""
    kind, _, rest = name.partition(":")
    form = replace(form, fault="", active="")
    if kind == "game":
        mode = game_named(rest).modes[0].name
        return seated(replace(form, game=rest, mode=mode, options={}, page="game"))
    if kind == "mode":
        return seated(replace(form, mode=rest, options={}))
    if kind == "page":
        return replace(form, page=rest)
    if kind in ("name", "seed", "text"):
        return replace(form, active=name)
    if kind == "kind":
        return _other_kind(form, int(rest))
    if kind == "fewer":
        return _with_players(form, form.players[:-1])
    if kind == "more":
        return one_more(form)
    if kind == "option":
        name, _, value = rest.partition(":")
        options = {**form.options, name: value}
        moot = details_of(form.chosen).moot(form.mode, options)
        # what is not shown any more is not set
        return replace(form, options={key: each for key, each in options.items() if key not in moot})
    if kind in ("share", "include"):
        change = given_to_next if kind == "share" else toggled
        name, _, value = rest.partition(":")
        changed = change(form.chosen, form.mode, form.players, form.options, name, value)
        return replace(form, options={**form.options, name: changed})
    return form


def one_more(form: Form) -> Form:
    """One more player: a bot where bots play."""
    new = "bot:steady" if form.chosen.has_bots else _free_name(form.players)
    return _with_players(form, (*form.players, new))


def _free_name(players: Sequence[str]) -> str:
    return next(name for name in NAMES if name not in players)


def _other_kind(form: Form, seat: int) -> Form:
    """Person, then each kind of bot, then a person again."""
    kinds = ("", *(f"{BOT}{style}" for style in STYLES)) if form.chosen.has_bots else ("",)
    now = form.players[seat] if form.players[seat].startswith(BOT) else ""
    new = kinds[(kinds.index(now) + 1) % len(kinds)]
    return _with_player(form, seat, new or _free_name(form.players))


def typed(form: Form, text: str) -> Form:
    """The form after a character was typed into the active field."""
    if form.active == "seed":
        is_number = text.isdigit() or (text == "-" and not form.seed)
        return replace(form, seed=(form.seed + text)[:SEED_DIGITS]) if is_number else form
    return _renamed(form, lambda name: (name + text)[:FIELD_LETTERS]) if text.isprintable() else form


def erased(form: Form) -> Form:
    """The form without the last character of the active field."""
    if form.active == "seed":
        return replace(form, seed=form.seed[:-1])
    return _renamed(form, lambda name: name[:-1])


def _renamed(form: Form, change: Callable[[str], str]) -> Form:
    """With another text in the active field, if that is of a player or of a house rule."""
    kind, _, name = form.active.partition(":")
    if kind == "text":
        return replace(form, options={**form.options, name: change(form.options.get(name, ""))})
    if kind != "name":
        return form
    player = change(form.players[int(name)])
    if player.startswith(BOT):
        return replace(form, fault=f"`{BOT}` begins no name: the button beside it chooses a computer player.")
    return _with_player(form, int(name), player)


def _with_player(form: Form, seat: int, player: str) -> Form:
    return _with_players(form, (*form.players[:seat], player, *form.players[seat + 1 :]))


def _with_players(form: Form, players: tuple[str, ...]) -> Form:
    """Other players: what was set for seats is no more."""
    return replace(form, players=players, options=without_seats(form.chosen, form.options))


def panels(
    form: Form, pages: Pages, saved: tuple[Path, ...], kept: tuple[SavedGame, ...] = (), not_kept: str = ""
) -> tuple[Panel, ...]:
    """The menu. pages: settings and keys. saved: games to go on with, the newest first. kept: games to be watched.
    not_kept: why games are not kept; empty where they are."""
    chosen = tuple(
        Button(
            f"game:{game.name}",
            game.title,
            is_on=game.name == form.game,
            text2=game.summary,
            image=picture_of(game, STILL),
        )
        for game in games()
    )
    head = (Text("teeter", size="title", bold=True), Text("towers of wood, on true physics", "quiet"), Gap(8))
    resume = Button(
        "resume",
        "Go on with the last game",
        is_enabled=bool(saved),
        text2=title_of(saved[0]) if saved else "",
    )
    others = Row((Button("page:replays", "Replays"), Button("page:settings", "Settings")))
    foot: tuple[Item, ...] = (Gap(8), resume, others, Button("quit", "Quit", key="Esc"))
    seed = Field("seed", "seed: same number, same game; empty: a new one", form.seed, form.active == "seed")
    rules = (*house_rules(form.chosen, form.mode, form.players, form.options, form.active), Gap(4), seed)
    listed = {"options": ("House rules", rules), "replays": ("Replays", _replays(kept))}
    if pages.page in ("rules", "clauses"):
        return (pages.dialog(),)
    if pages.page:
        title, items, back = TITLES[pages.page], pages.items(), "back"
    elif form.page in listed:
        (title, items), back = listed[form.page], "page:game"
        items = (Text(form.fault, "bad"), Gap(4), *items) if form.fault else items
    else:
        title, items, back = form.chosen.title, _table(form, pages.settings), ""
    if back:
        items = (Button(back, "Back", "accent", key="Esc"), Gap(4), *items)
    if not_kept:
        foot = (*foot, Gap(4), Text(not_kept, "bad", "small"))
    left = Panel("games", "top-left", (*head, *chosen, *foot), width=340)
    return left, Panel("form", "top-right", items, title, width=430)


def _table(form: Form, settings: Settings) -> tuple[Item, ...]:
    """Who plays, and how. What begins the game comes first, where it is for every game."""
    game, mode = form.chosen, form.kind
    house = Button("page:options", "House rules", is_enabled=not game.is_free_building)
    rules = Button("page:rules", "Rules")
    items: list[Item] = [Row((Button("start", "Play", is_on=True, key="Enter"), rules, house), (1.4, 0.8, 1))]
    if form.fault:
        items.append(Text(form.fault, "bad"))
    if len(game.modes) > 1:
        items += [Gap(4), Text("how it is played", "quiet", "small")]
        items += [
            Button(f"mode:{mode.name}", mode.title, is_on=mode.name == form.mode) for mode in game.modes
        ]
    items += [Gap(4), Text("who plays", "quiet", "small")]
    for seat, player in enumerate(form.players):
        is_bot = player.startswith(BOT)
        field = f"name:{seat}"
        name: Item = Field(field, "", player, form.active == field)
        if is_bot:
            name = Text("the computer")
        kind = player.removeprefix(BOT) if is_bot else "person"
        items.append(Row((name, Button(f"kind:{seat}", kind, is_enabled=game.has_bots)), (2, 1)))
    if mode.most > 1:
        fewer = Button("fewer", "One less", is_enabled=len(form.players) > mode.least)
        more = Button("more", "One more", is_enabled=len(form.players) < min(mode.most, MOST_SEATS))
        items.append(Row((fewer, more)))
    if any(player.startswith(BOT) for player in form.players):
        items.append(Text(BOTS, "quiet", "small"))
    level = settings.help.level
    items += [Gap(4), Text(f"help: {LEVELS[level]}", "quiet", "small")]
    items.append(Row(tuple(Button(f"level:{value}", value, is_on=value == level) for value in HELP_LEVELS)))
    items.append(tutorial_button(game.name, settings))
    return tuple(items)


def _replays(kept: tuple[SavedGame, ...]) -> tuple[Item, ...]:
    if not kept:
        return (Text("No game was kept yet.", "quiet"),)
    return tuple(
        Button(
            f"replay:{number}",
            f"{replay.title}, {replay.when}",
            text2=replay.ended,
            image=of_recording(replay.file, replay.when),
        )
        for number, replay in enumerate(kept)
    )
