"""Panels of every screen at every size of window: nothing overlaps, nothing runs off, no word is cut."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from itertools import combinations, islice, pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from rules_lab import Lab, Table, begin, moves, playthrough
from rules_labs import LABS

from teeter.engine.view.camera import all_seen_at
from teeter.engine.view.panels import Button, Fan, FanCard, Panel, Picture, Place, Row, Slider, Text
from teeter.engine.view.video.captions import Caption, _cards
from teeter.engine.view.video.director import FALLS
from teeter.engine.view.window.events import Clicked
from teeter.engine.view.window.fonts import width_of
from teeter.engine.view.window.items import GOLD, GOLD_EDGE
from teeter.engine.view.window.layout import READ_UNIT, Layout, free_parts, lay_out
from teeter.engine.view.window.shapes import Fill, Image, Letters, Rect, wrapped
from teeter.games.core.rules import NO_HANDICAP, Wait
from teeter.games.game import Game
from teeter.games.play import replays
from teeter.games.play.replays import ViewerState
from teeter.games.present import hud, menu
from teeter.games.present.camera import CameraController, CameraHandicap, sphere_of
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of
from teeter.games.present.framing import Framing
from teeter.games.present.hud_state import HudState, most_choices
from teeter.games.present.pages import Pages
from teeter.games.present.settings import load_settings
from teeter.games.present.tutorial import stage_of, words_of
from teeter.games.registry import GAMES
from teeter.games.server.messages import Busy, GameUpdate, Plan, Refused, Waits
from teeter.games.server.setup import LISTED, SavedGame, first_view

SIZES = [(1280, 720), (1920, 1080), (800, 600), (640, 480), (540, 960)]
LETTERS = [1.0, 1.5, 2.0]
LONG_NAME = "Maximiliane-Alexandra v."
"""As long as a name may be in the menu."""
SETTINGS = load_settings()
LINES = ("one", "two three", "a long line of a log that has to be broken somewhere in its middle")


def sound(layout: Layout, size: tuple[int, int], where: str) -> None:
    """Nothing overlaps, nothing runs off, no word is cut."""
    width, height = size
    cards = [card for card in (*layout.cards, *layout.toasts) if card.width < width]
    for one, other in combinations(cards, 2):
        assert not smaller(one).meets(smaller(other)), f"{where}: panels overlap: {one} {other}"
    for one, other in combinations([region.rect for region in layout.regions], 2):
        assert not smaller(one).meets(smaller(other)), f"{where}: buttons overlap: {one} {other}"
    for card in cards:
        assert card.x >= -1, f"{where}: {card} runs off"
        assert card.y >= -1, f"{where}: {card} runs off"
        assert card.x + card.width <= width + 1, f"{where}: {card} runs off"
        assert card.y + card.height <= height + 1, f"{where}: {card} runs off"
    for shape in layout.shapes:
        if isinstance(shape, Letters) and shape.text:
            wide = width_of(shape.text, shape.size, shape.bold)
            begin, middle = shape.x - 1, shape.y - 0.3 * shape.size
            assert any(
                card.x <= begin + 2
                and begin + wide - 1 <= card.x + card.width
                and card.y <= middle <= card.y + card.height
                for card in cards
            ), f"{where}: {shape.text!r} is cut"


def smaller(rect: Rect) -> Rect:
    return Rect(rect.x + 0.75, rect.y + 0.75, max(rect.width - 1.5, 0.0), max(rect.height - 1.5, 0.0))


def laid(panels: tuple[Panel, ...], size: tuple[int, int], scale: float) -> Layout:
    return lay_out(panels, size, width_of, scale=scale)


def moments(lab: Lab, luck: Random, count: int) -> list[ClientState]:
    """What windows know of a game at random moments of random games between people with long names."""
    found: list[ClientState] = []
    while len(found) < count:
        mode = luck.choice(lab.game.modes)
        steps = list(islice(playthrough(lab, mode.name, luck.randrange(1000)), 80))
        for step in luck.sample(steps, min(4, len(steps))):
            plan = Plan(lab.game.name, tuple(seat.name for seat in step.after.seats))
            client = ClientState(plan, lab.game, step.before, (), time.perf_counter)
            client.hear(GameUpdate(step.after, "Met", step.given))
            client.log += LINES * 4
            need = client.need
            if need.wait in (Wait.ACTION, Wait.HAND, Wait.PULL):
                client.hear(Waits(need, lab.game.rules.legal(step.after), True))
            else:
                client.hear(Busy("waiting until all is still"))
            if luck.random() < 0.4:
                client.hear(Refused(lab.game.clauses[0].id, "a card comes first, then the block"))
            found.append(client)
    return found


def seen(client: ClientState, luck: Random) -> HudState:
    return HudState(
        page=luck.randrange(3),
        toast=("The medium blue falls off.",) * luck.randrange(3),
        toast_at=(luck.random() * 1280, luck.random() * 720),
        refused_at=(luck.random() * 1280, luck.random() * 720),
        film="kept as " + "/deep/down/in/folders" * 4 + "/wonky-1.mp4",
        is_scanning=luck.random() < 0.3,
        lesson="Take a block that fits the card, and lay it. " * luck.randrange(5),
        learned=(luck.randrange(6), 6),
        feel="1.21 N lie on it; a pull of 1.00 N moves it; the tower stands without it." * luck.randrange(2),
        hint="Safe: it stands, with leeway to spare (22 degrees)",
        now=client.refused_at,
    )


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.game.name)
def test_no_panel_of_a_game_overlaps_or_is_cut_at_any_size(lab: Lab) -> None:
    luck = Random(12)
    for number, client in enumerate(moments(lab, luck, 12)):
        panels = hud.panels(client, SETTINGS, seen(client, luck))
        for size in SIZES:
            scale = luck.choice(LETTERS)
            sound(laid(panels, size, scale), size, f"{lab.game.name} {number} at {size} x {scale}")


@pytest.mark.parametrize("page", ["game", "options", "settings", "keys", "replays", "rules"])
def test_no_page_of_the_menu_overlaps_or_is_cut_at_any_size(page: str) -> None:
    kept = (
        SavedGame(Path("a-long-name-of-a-game-1-1.teeter"), "2026-01-01 12:00", "Ana and Ben win: " * 3),
    ) * LISTED
    for game in GAMES:
        form, pages = menu.of_game(game.name), Pages(SETTINGS)
        pages.game = game
        if not pages.handle(Clicked(f"page:{page}")):
            form = menu.clicked(form, f"page:{page}")
        while len(form.players) < min(form.kind.most, menu.MOST_SEATS):
            form = menu.one_more(form)
        form = replace(form, players=(LONG_NAME, *form.players[1:]), fault="There is no such thing. " * 3)
        for size in SIZES:
            for scale in LETTERS:
                panels = menu.panels(form, pages, (Path("x.teeter"),), kept)
                sound(laid(panels, size, scale), size, f"{game.name}, {page} at {size} x {scale}")


@pytest.mark.parametrize("page", ["pause", "settings", "keys", "rules", "clauses"])
def test_no_page_of_the_pause_is_cut_at_any_size(page: str) -> None:
    for game in GAMES:
        pages = Pages(SETTINGS, game, "Save and leave")
        pages.handle(Clicked(f"page:{page}"))
        for size in SIZES:
            for scale in LETTERS:
                sound(laid((pages.dialog(),), size, scale), size, f"{game.name}, {page} at {size} x {scale}")


def test_what_does_not_fit_is_scrolled_and_every_button_can_be_reached() -> None:
    buttons = tuple(Button(f"b{number}", f"button {number}") for number in range(60))
    panel, reached, line = Panel("p", "left", buttons), set[str](), 0
    while True:
        layout = lay_out((panel,), (640, 480), width_of, scrolled={"p": line})
        sound(layout, (640, 480), f"line {line}")
        reached |= {region.name for region in layout.regions}
        (scroll,) = layout.scrolls
        assert scroll.first == min(line, scroll.last)
        if line >= scroll.last:
            break
        line += 1
    assert reached == {button.name for button in buttons}
    lit = Panel("p", "left", (*buttons[:50], replace(buttons[50], is_lit=True), *buttons[51:]))
    assert lay_out((lit,), (640, 480), width_of).region("b50") is not None


def test_pictures_and_cards_become_smaller_where_there_is_no_room() -> None:
    fan = Fan(tuple(FanCard(f"c{number}", "image") for number in range(7)))
    panels = (
        Panel("close", "top-right", (Picture("image", 206.0, 154.0),), width=230),
        Panel("scores", "top-right", (Text("x"),) * 3, width=230),
        Panel("cards", "bottom", (fan,), width=620, is_bare=True),
        Panel("log", "bottom-left", (Text("long " * 30),), width=320),
    )
    for size in SIZES:
        for scale in LETTERS:
            sound(laid(panels, size, scale), size, f"{size} x {scale}")


def test_a_log_begins_at_its_end_and_can_be_scrolled_back() -> None:
    log = Panel("log", "bottom-left", tuple(Text(f"line {k}") for k in range(40)), tallest=120)
    first = lay_out((log,), (1280, 720), width_of)
    assert [shape.text for shape in first.shapes if isinstance(shape, Letters)][-1] == "line 39"
    back = lay_out((log,), (1280, 720), width_of, scrolled={"log": 0})
    assert next(shape.text for shape in back.shapes if isinstance(shape, Letters)) == "line 0"


def test_buttons_of_a_row_stand_below_each_other_where_their_words_do_not_fit() -> None:
    row = Row(tuple(Button(word, word) for word in ("Zurücknehmen", "Kameraansicht", "Hilfe", "Hauptmenü")))
    wide, narrow = (
        lay_out((Panel("p", "left", (row,), width=width),), (1280, 720), width_of) for width in (600, 170)
    )
    assert len({region.rect.y for region in wide.regions}) == 1
    assert len({region.rect.y for region in narrow.regions}) == 4
    sound(narrow, (1280, 720), "narrow")


def test_a_path_is_broken_after_a_slash() -> None:
    lines = wrapped(
        "/somewhere/deep/down/in/folders/that/are/long/built-1.toml", 24, lambda text: float(len(text))
    )
    assert len(lines) == 3
    assert all(len(line) <= 24 for line in lines)
    assert all(line.endswith("/") for line in lines[:-1])
    assert "".join(lines).endswith("built-1.toml")


def test_the_name_of_a_team_is_broken_after_a_plus_and_stays_in_its_panel() -> None:
    team = "Alexandrina+Guillermo+Maximilianus"
    rows = tuple(Row((Text(name), Text("12")), (2.4, 1)) for name in (team, "X" * 60))
    layout = lay_out((Panel("scores", "top-right", rows, width=230),), (1280, 720), width_of)
    (card,) = layout.cards
    written = [shape for shape in layout.shapes if isinstance(shape, Letters)]
    assert [shape.text for shape in written[:4]] == ["Alexandrina+", "Guillermo+", "Maximilianus", "12"]
    for shape in written:
        assert shape.x + width_of(shape.text, shape.size, shape.bold) <= card.x + card.width


def test_a_value_that_does_not_fit_beside_the_name_of_a_slider_stands_below_it() -> None:
    slider = Slider("s", "how hard the top piece is pushed", 1.0, shown="123.45 newtons")
    layout = lay_out((Panel("p", "left", (slider,), width=200),), (1280, 720), width_of)
    name, value = (shape for shape in layout.shapes if isinstance(shape, Letters))
    assert value.y > name.y


@pytest.mark.parametrize("at", [(640.0, 360.0), (5.0, 5.0), (1279.0, 700.0), (100.0, 100.0)])
def test_a_toast_stands_beside_its_point_and_over_no_panel(at: tuple[float, float]) -> None:
    places: tuple[Place, ...] = ("top-left", "right", "bottom", "bottom-left")
    panels = tuple(Panel(place, place, (Text("x " * 200),)) for place in places)
    toast = Panel("toast", "toast", (Text("It slips to the table."),), width=260, at=at)
    layout = lay_out((*panels, toast), (1280, 720), width_of)
    assert len(layout.cards) == 4
    sound(layout, (1280, 720), "toast")
    (words,) = layout.toasts
    middle = words.middle
    assert not layout.covers(*middle), "a toast swallows clicks on the table behind it"


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (640, 360), (720, 1280)])
@pytest.mark.parametrize("name", ["clumsy", "Ana", "WWW", "illi", "Maximiliane-Alexandra"])
def test_a_caption_of_a_film_stands_on_one_line(name: str, size: tuple[int, int]) -> None:
    for panel in _cards([FALLS], name, size):
        layout = lay_out((panel,), size, width_of)
        assert len([shape for shape in layout.shapes if isinstance(shape, Letters)]) == 1
        sound(layout, size, name)


def test_only_a_dialog_is_shown_and_can_be_clicked_while_there_is_one() -> None:
    panels = (
        Panel("under", "left", (Button("no", "No"),)),
        Panel("over", "dialog", (Button("yes", "Yes"),)),
    )
    layout = lay_out(panels, (1280, 720), width_of)
    assert [region.name for region in layout.regions] == ["yes"]
    assert layout.covers(1, 1)


def test_the_scene_is_seen_between_the_panels() -> None:
    panels = (Panel("a", "top-left", (Text("a"),), width=300), Panel("b", "bottom", (Text("b"),), width=300))
    clears = lay_out(panels, (1280, 720), width_of).clears
    beside, below = (
        max(clears, key=lambda each: each[3] - each[1]),
        max(clears, key=lambda each: each[2] - each[0]),
    )
    assert beside[0] > 300 / 1280
    assert beside[1::2] == (0.0, 1.0)
    # wide things go below the panel in the corner
    assert (below[0], below[2]) == (0.0, 1.0)
    assert 0.0 < below[1] < below[3] < 1.0
    assert lay_out((), (1280, 720), width_of).clears == ((0.0, 0.0, 1.0, 1.0),)
    assert free_parts((Rect(0, 0, 320, 720),), (1280, 720)) == ((0.25, 0.0, 1.0, 1.0),)


def test_bids_are_coins_and_those_that_are_offered_are_golden() -> None:
    bids = Slider("bid", "bid", 4.0, 0.0, 10.0, "4 tokens", tuple(map(float, range(11))), is_coins=True)
    shapes = lay_out((Panel("turn", "top-left", (bids,)),), (1280, 720), width_of).shapes
    coins = [each for each in shapes if isinstance(each, Fill) and each.edge == GOLD_EDGE]
    assert [each.colour == GOLD for each in coins] == [True] * 4 + [False] * 6
    for one, other in pairwise(coins):
        assert not one.rect.meets(other.rect)


def test_cards_of_a_fan_are_clicked_where_they_are_seen() -> None:
    cards = tuple(FanCard(f"c{number}", "image") for number in range(9))
    layout = lay_out((Panel("fan", "bottom", (Fan(cards),), width=300),), (1280, 720), width_of)
    assert [region.name for region in layout.regions] == [card.name for card in cards]
    for one, other in pairwise(layout.regions):
        assert one.rect.x + one.rect.width <= other.rect.x + 1e-6
    assert layout.cards[0].x <= layout.regions[0].rect.x


def test_the_keys_of_a_fan_lie_on_their_cards() -> None:
    """Cards are turned, each about its middle."""
    cards = tuple(FanCard(f"c{number}", "image", key=str(number)) for number in range(9))
    shapes = lay_out((Panel("fan", "bottom", (Fan(cards),), width=620),), (1280, 720), width_of).shapes
    images = [each for each in shapes if isinstance(each, Image)]
    keys = [each for each in shapes if isinstance(each, Letters)]
    assert [each.text for each in keys] == [card.key for card in cards]
    for card, key in zip(images, keys, strict=True):
        turn, (x, y) = math.radians(card.angle), card.rect.middle
        wide = width_of(key.text, key.size, key.bold)
        for across in (key.x, key.x + wide):
            aside, up = across - x, y - (key.y - 0.35 * key.size)
            along = aside * math.cos(turn) - up * math.sin(turn)
            above = aside * math.sin(turn) + up * math.cos(turn)
            assert abs(along) < 0.47 * card.rect.width
            # in the band of its colour
            assert 0.36 * card.rect.height < above < 0.5 * card.rect.height


LARGE = [((800, 600), 1.44), ((1280, 720), 1.44), ((1280, 720), 1.0), ((800, 600), 1.0)]


@pytest.mark.parametrize(("size", "scale"), LARGE, ids=str)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_may_be_taken_is_behind_no_panel(game: Game[Any], size: tuple[int, int], scale: float) -> None:
    """As a window frames it at the beginning of a game, however large its letters are."""
    players = ("Ana",) if game.is_free_building else ("Ana", "Benedict", "Cleo")
    plan = Plan(game.name, players, 3, scene="tower" if game.is_free_building else "")
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    rules = client.game.rules
    client.hear(Waits(rules.needs(client.state), rules.legal(client.state), False))
    look = HudState(lesson="Click a brick below the top rows. W feels how much lies on one.", learned=(0, 4))
    layout = laid(hud.panels(client, load_settings(), look), size, scale)
    control = CameraController(sphere_of(opening.bodies), CameraHandicap(NO_HANDICAP))
    tower, others = Framing().of(client)
    control.frame(tower, others, size[0] / size[1], *layout.clears)
    seen = all_seen_at(control.camera, size, np.concatenate([tower, others]))
    assert len(seen) == len(tower) + len(others)
    assert not [(x, y) for x, y in seen.tolist() if layout.covers(x, y)]
    assert np.ptp(seen, axis=0).max() > 0.25 * size[1], "hardly anything is seen"


@pytest.mark.parametrize(("game", "close"), [("crazy-tower", "card_01"), ("wonky", "")])
def test_the_buttons_of_a_game_are_seen_whatever_stands_above_them(game: str, close: str) -> None:
    """With large letters all four were behind a scroll bar of one line."""
    plan = Plan(game, ("Ana", "bot:steady"), 5)
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    look = HudState(close=close, pace=1.0, most=most_choices(1280, 1.8))
    panels = hud.panels(client, load_settings(), look)
    assert {"close" if close else "cards", "details", "scores"} <= {panel.name for panel in panels}
    layout = laid(panels, (1280, 720), 1.8)
    assert all(layout.region(name) for name in ("undo", "view", "help", "menu"))
    sound(layout, (1280, 720), game)


def test_the_menu_shows_several_games_with_large_letters() -> None:
    layout = laid(menu.panels(menu.of_game("wonky"), Pages(load_settings()), ()), (1280, 720), 1.8)
    assert sum(region.name.startswith("game:") for region in layout.regions) >= 3
    games = next(card for card in layout.cards if card.x < 100)
    assert games.height > 0.8 * 720


def test_a_table_from_which_all_fell_is_seen_whole() -> None:
    """From close by it says nothing of where everything is."""
    plan = Plan("sandbox", ("Ana",), 3, scene="two_bricks")
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    fell = [row for row, name in enumerate(client.frame.names) if not client.is_fixed(name)]
    client.frame.poses[fell, :3] = (0.9, 0.1, -0.7)
    tower, others = Framing().of(client)
    control = CameraController(sphere_of(opening.bodies), CameraHandicap(NO_HANDICAP))
    layout = laid(hud.panels(client, load_settings(), HudState()), (1280, 720), 1.0)
    control.frame(tower, others, 16 / 9, *layout.clears)
    corners = np.array([(x, y, 0.0) for x in (-0.6, 0.6) for y in (-0.4, 0.4)])
    seen = all_seen_at(control.camera, (1280, 720), corners)
    assert len(seen) == 4
    assert (seen >= 0).all()
    assert (seen <= (1280, 720)).all()


@pytest.mark.parametrize("size", [(320, 480), (480, 320)], ids=str)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_window_however_small_can_be_read(game: Game[Any], size: tuple[int, int]) -> None:
    players = ("Ana",) if game.is_free_building else ("Ana", "Benedict")
    plan = Plan(game.name, players, 3, scene="tower" if game.is_free_building else "")
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    client.hear(Waits(client.need, client.game.rules.legal(client.state), False))
    panels = hud.panels(client, load_settings(), HudState(most=most_choices(size[0], 1.0)))
    layout = lay_out(panels, size, width_of, least=READ_UNIT)
    sound(layout, size, game.name)
    words = [shape for shape in layout.shapes if isinstance(shape, Letters)]
    assert len(words) > 8
    assert min(shape.size for shape in words) >= 7, "smaller than letters of a screen can be"


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.game.name)
def test_no_turn_has_to_be_scrolled_with_large_letters_in_a_small_window(lab: Lab) -> None:
    """With the longest lesson of its stage; and the newest line of the story is whole."""
    (width, height), letters = (800, 600), 1.44
    words = words_of(SETTINGS, is_pad=False, is_scanning=False)
    stages: set[str] = set()
    mode = lab.game.modes[0]
    people = ("Ana", "Benedict", "Cleo")[: mode.most]
    begun = begin(lab, Table(people, {}), 5, mode.name)
    for step in islice(moves(lab, begun, Random(5)), 60):
        bodies = first_view(Plan(lab.game.name, people, 5)).bodies
        client = ClientState(Plan(lab.game.name, people, 5), lab.game, step.after, bodies, time.perf_counter)
        client.hear(Waits(client.need, lab.game.rules.legal(step.after), True))
        client.log += lab.game.rules.tell(step.before, step.given, step.after)
        stage = stage_of(client)
        if stage in stages or not stage:
            continue
        stages.add(stage)
        lessons = [each.text.format(**words) for each in details_of(lab.game).lessons if each.stage == stage]
        look = HudState(most=most_choices(width, letters), lesson=max(lessons, key=len, default=""))
        layout = laid(hud.panels(client, SETTINGS, look), (width, height), letters)
        sound(layout, (width, height), stage)
        assert [scroll.name for scroll in layout.scrolls if scroll.name != "log"] == [], stage
        shown = "".join(shape.text for shape in layout.shapes if isinstance(shape, Letters)).replace(" ", "")
        assert not client.log or client.log[-1].replace(" ", "") in shown
    assert len(stages) > 1


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1024, 600)])
@pytest.mark.parametrize("letters", LETTERS)
def test_a_replay_is_seen_with_all_its_buttons(size: tuple[int, int], letters: float) -> None:
    """With large letters the bar goes below what was told, and leaves the upper half to the table."""
    told = Caption(1.0, "Ana lays a block.", "Ana")
    shown = replays.panels(ViewerState(300.0, 12.0), (), told, "Tower Topple without points", "")
    layout = lay_out(shown, size, width_of, scale=letters)
    sound(layout, size, f"replay at {size}, letters {letters}")
    assert not layout.scrolls
    rows = [row for panel in shown for row in panel.items if isinstance(row, Row)]
    named = {item.name for row in rows for item in row.items if isinstance(item, Button)}
    assert {region.name for region in layout.regions} == {*named, "seek"}
    bar = layout.region("seek")
    assert bar is not None
    assert bar.rect.y >= size[1] / 2
