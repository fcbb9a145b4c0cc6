"""What the window is made of, without a window: panels, cameras, rays, the hand's wishes, settings, the menu."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shapely
from window_driver import seen_at

from teeter.engine.geometry.rotation import angle_between, quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.view.camera import BoundingSphere, Orbit, on_plane, orbit_of, ray
from teeter.engine.view.frame import Frame, frame_of
from teeter.engine.view.overlays import Arrow
from teeter.engine.view.panels import Button, Fan, FanCard, Field, Meter, Panel, Row, Slider, Text
from teeter.engine.view.sound import tick_samples
from teeter.engine.view.window.events import Clicked, Press, Slid
from teeter.engine.view.window.layout import Layout, lay_out
from teeter.engine.view.window.picker import pick
from teeter.engine.view.window.shapes import Fill, Letters, wrapped
from teeter.engine.world.body import Body
from teeter.games.bausack.state import paid
from teeter.games.core.errors import SetupError
from teeter.games.core.setup import STYLES
from teeter.games.present import hud, menu
from teeter.games.present.carry import CarryTarget, LandingSurface, outline, standing
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import COIN, COLOURS, letter_of, marked
from teeter.games.present.hud_state import HudState
from teeter.games.present.impacts import ImpactDetector
from teeter.games.present.pages import ACTS, TITLES, Pages
from teeter.games.present.settings import acts, load_settings, write_settings
from teeter.games.present.switch_scanner import SwitchScanner
from teeter.games.present.toasts import Toasts
from teeter.games.registry import GAMES, game_named
from teeter.games.server.follower import RISE_FIRST, SPEED, HandFollower
from teeter.games.server.messages import Plan, TableView
from teeter.games.server.setup import LISTED, SavedGame, first_view
from teeter.games.wonky.state import Phase
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Piece
from teeter.models.spec import parse

SIZE = (1280, 720)

REACH = (-0.65, 0.65, -0.45, 0.45)


def measure(text: str, size: int, bold: bool) -> float:
    return 0.5 * size * len(text)


def laid(*panels: Panel, size: tuple[int, int] = SIZE) -> Layout:
    return lay_out(panels, size, measure)


@cache
def box(*sides: float) -> Piece:
    return build(parse({"shape": {"box": list(sides)}, "material": "beech"}, "test"))


BRICK = box(75, 25, 15)
TABLE = Body("table", box(1200, 800, 30), Pose((0, 0, -0.015)), fixed=True)


# -- panels ------------------------------------------------------------------------------------------------------


def test_a_button_is_where_its_letters_are_and_answers_by_its_name() -> None:
    page = laid(Panel("p", "top-left", (Text("Ana's turn"), Button("go", "Go on", key="1"))))
    region = page.region("go")
    assert region is not None
    letters = next(shape for shape in page.shapes if isinstance(shape, Letters) and shape.text == "Go on")
    assert region.rect.holds(letters.x, letters.y - 2)
    assert page.region_at(*region.rect.middle) == region
    assert page.covers(*region.rect.middle)
    assert not page.covers(900, 600)


@pytest.mark.parametrize("size", [(1280, 720), (3840, 2160), (640, 480), (2560, 1440)])
def test_panels_take_the_same_part_of_every_screen(size: tuple[int, int]) -> None:
    page = laid(Panel("p", "bottom-right", (Text("log"), Meter(0.5)), width=300), size=size)
    card = page.cards[0]
    assert card.width == pytest.approx(300 * size[1] / 720, rel=0.01)
    assert card.x + card.width < size[0]
    assert card.y + card.height < size[1]


@pytest.mark.parametrize(
    "place",
    ["top-left", "top", "top-right", "left", "right", "bottom-left", "bottom", "bottom-right", "centre"],
)
def test_panels_of_one_place_do_not_lie_over_each_other(place: str) -> None:
    page = laid(*(Panel(f"p{k}", place, (Text("one"), Button(f"b{k}", "two"))) for k in range(3)))  # type: ignore[arg-type]
    for first, second in pairwise(page.cards):
        assert first.y + first.height <= second.y


def test_a_cover_hides_everything_and_only_it_can_be_clicked() -> None:
    page = laid(
        Panel("under", "left", (Button("no", "No"),)), Panel("over", "cover", (Button("yes", "Yes"),))
    )
    assert page.region("no") is None
    assert page.region("yes") is not None
    assert page.covers(1, 1)
    shade = next(shape for shape in page.shapes if isinstance(shape, Fill) and shape.rect.width == SIZE[0])
    assert shade.colour[3] > 0.98


def test_disabled_buttons_do_not_answer() -> None:
    assert laid(Panel("p", "left", (Button("b", "B", is_enabled=False),))).region("b") is None


def test_a_slider_gives_the_value_below_the_pointer() -> None:
    region = laid(Panel("p", "left", (Slider("s", "speed", 1.0, 0.0, 4.0),))).region("s")
    assert region is not None
    assert region.value_at(region.rect.x + region.rect.width / 4) == pytest.approx(1.0)
    assert region.value_at(-50) == 0.0
    assert region.value_at(5000) == 4.0


def test_a_log_keeps_its_last_lines() -> None:
    lines = tuple(Text(f"line {k}") for k in range(30))
    page = laid(Panel("log", "bottom-left", lines, tallest=120))
    shown = [shape.text for shape in page.shapes if isinstance(shape, Letters)]
    assert shown[-1] == "line 29"
    assert "line 0" not in shown
    assert page.cards[0].height < 150


def test_text_is_broken_at_words() -> None:
    assert wrapped("one two three", 7, lambda text: float(len(text))) == ["one two", "three"]
    assert wrapped("unbreakable", 3, lambda text: float(len(text))) == ["unb", "rea", "kab", "le"]


def test_long_texts_stay_inside_their_field() -> None:
    page = laid(Panel("p", "left", (Field("f", "name", "x" * 200, True),), width=200))
    letters = next(
        shape for shape in page.shapes if isinstance(shape, Letters) and shape.text.startswith("x")
    )
    assert measure(letters.text, letters.size, False) < 200


# -- cameras and rays ----------------------------------------------------------------------------------------------


def test_a_ray_meets_what_is_seen_at_its_place() -> None:
    camera = Orbit((0.1, 0.0, 0.1), 0.9, -40.0, 30.0).camera
    for x, y in ((640.0, 360.0), (10.0, 700.0), (1200.0, 40.0)):
        origin, way = ray(camera, SIZE, x, y)
        seen = seen_at(camera, SIZE, origin + 0.7 * way)
        assert seen == pytest.approx((x, y), abs=1e-6)


def test_what_is_behind_the_eye_is_not_seen() -> None:
    camera = Orbit((0.0, 0.0, 0.0), 1.0, 0.0, 0.0).camera
    assert seen_at(camera, SIZE, (3.0, 0.0, 0.0)) is None


def test_zooming_towards_a_place_keeps_it_where_it_is_seen() -> None:
    orbit = Orbit((0.0, 0.0, 0.1), 1.0, -60.0, 25.0)
    place = (0.1, 0.05, 0.0)
    before = seen_at(orbit.camera, SIZE, place)
    after = seen_at(orbit.zoomed(0.6, place).camera, SIZE, place)
    assert before is not None
    assert after == pytest.approx(before, abs=1e-6)


def test_an_orbit_goes_the_short_way_and_never_over_the_top() -> None:
    near = Orbit((0, 0, 0), 1.0, 350.0, 20.0)
    assert near.towards(Orbit((0, 0, 0), 1.0, 10.0, 20.0), 0.5).azimuth == pytest.approx(0.0)
    assert near.turned(0.0, 500.0).elevation < 90.0
    assert near.zoomed(1e9).distance < 10.0
    assert orbit_of(BoundingSphere((0, 0, 0), 0.2), "top").elevation > 80.0


def test_a_ray_meets_a_level_plane() -> None:
    place = on_plane(np.array([0.0, 0.0, 1.0]), np.array([0.6, 0.0, -0.8]), 0.2)
    assert place == pytest.approx((0.6, 0.0, 0.2))
    assert on_plane(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), 0.0) is None


def test_the_nearest_piece_is_picked_and_hidden_ones_are_not() -> None:
    pieces = {"table": TABLE.piece, "near": BRICK, "far": BRICK}
    frame = frame_of(
        [TABLE, Body("near", BRICK, Pose((0, 0, 0.0075))), Body("far", BRICK, Pose((0, 0.1, 0.0075)))]
    )
    origin, way = np.array([0.0, -0.5, 0.0075]), np.array([0.0, 1.0, 0.0])
    hit = pick(frame, pieces, origin, way)
    assert hit is not None
    assert (hit.name, round(hit.point[1], 4)) == ("near", -0.0125)
    poses = frame.poses.copy()
    poses[1:] = np.nan
    assert pick(Frame(frame.names, poses), pieces, origin, way) is None
    below = pick(frame, pieces, np.array([0.0, -0.2, 0.2]), np.array([0.0, 0.0, -1.0]))
    assert below is not None
    assert below.name == "table"


# -- the hand ------------------------------------------------------------------------------------------------------


def ground(*bodies: Body) -> LandingSurface:
    pieces = {body.name: body.piece for body in (TABLE, *bodies)}
    return LandingSurface(frame_of([TABLE, *bodies]), pieces)


def test_the_hand_rises_over_what_lies_on_its_way_and_hovers_over_its_place() -> None:
    wall = Body("wall", box(20, 200, 60), Pose((0.0, 0.0, 0.03)))
    grip = CarryTarget("brick", BRICK, Pose((-0.2, 0.0, 0.0075)), is_pulling=False, hover=0.004, reach=REACH)
    over = grip.to(0.2, 0.0, ground(wall), grip.start)
    assert over.position[2] > 0.06 + 0.0075 + 0.004
    assert grip.landing == pytest.approx(0.0075, abs=1e-6)
    there = grip.to(0.2, 0.0, ground(wall), Pose((0.2, 0.0, 0.08)))
    assert there.position[2] == pytest.approx(0.0075 + 0.004, abs=1e-6)
    on_top = grip.to(0.0, 0.0, ground(wall), Pose((0.0, 0.0, 0.1)))
    assert on_top.position[2] == pytest.approx(0.06 + 0.0075 + 0.004, abs=1e-6)
    assert grip.gap == pytest.approx(0.004, abs=1e-6)


def test_a_piece_that_is_turned_over_on_its_way_swings_clear_of_what_it_comes_over() -> None:
    here = Pose((0.05, 0.0, 0.0075))
    grip = CarryTarget("brick", BRICK, here, is_pulling=False, hover=0.004, reach=REACH)
    low = 0.0075 + 0.004
    grip.turned(90.0)
    assert grip.to(0.05, 0.0, ground(), here).position[2] == pytest.approx(low, abs=1e-6)
    over = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(math.pi, 0.0, 0.0))
    grip.orient(over)
    air = [
        grip.to(0.05, 0.0, ground(), replace(here, orientation=quaternion_of_rpy(turn, 0.0, 0.0))).position[2]
        for turn in (0.0, 1.2, 2.4, math.pi)
    ]
    # half a turn about its length brings an edge below, 14.6 mm from its middle
    assert min(air[:2]) > 0.0142 + 0.004
    assert low < air[2] < min(air[:2])
    assert air[3] == pytest.approx(low, abs=1e-6)


@pytest.mark.parametrize("ways", [(0.1, 0.0, 0.0), (0.09, 0.03, 1.0), (0.0, -0.12, 0.0), (0.0254, 0.0, 0.0)])
def test_a_brick_that_is_turned_on_its_way_sweeps_over_its_neighbours(
    ways: tuple[float, float, float],
) -> None:
    """Two bricks of its row lie beside the place where it belongs."""
    across, x = quaternion_of_rpy(0.0, 0.0, math.pi / 2), 0.0254
    row = [Body(f"b{k}", BRICK, Pose((k * x, 0.0, 0.0275), across)) for k in (-1, 0)]
    below = ground(Body("below", box(76, 76, 20), Pose((0.0, 0.0, 0.01))), *row)
    start = Pose((ways[0], ways[1], 0.06), quaternion_of_rpy(0.0, 0.0, ways[2]))
    grip = CarryTarget("brick", BRICK, start, is_pulling=False, hover=0.004, reach=REACH)
    grip.orient(Pose((0.0, 0.0, 0.0), across))
    follow = HandFollower(start, 240)
    for _ in range(480):
        follow.goal = grip.to(x, 0.0, below, follow.pose)
        pose = follow.step()
        plan = shapely.Polygon(outline(BRICK, pose)).buffer(-1e-4)
        is_over = any(plan.intersects(shapely.Polygon(outline(BRICK, body.pose))) for body in row)
        assert not is_over or pose.position[2] - 0.0075 >= 0.035, pose
    assert np.allclose(pose.position, (x, 0.0, 0.0275 + 0.004), atol=1e-4)


def test_a_pointer_on_the_side_of_a_tower_means_its_top() -> None:
    tower = Body("tower", box(60, 60, 200), Pose((0.0, 0.0, 0.1)))
    camera = Orbit((0.0, 0.0, 0.1), 1.0, -90.0, 20.0).camera
    seen = seen_at(camera, SIZE, (0.0, -0.03, 0.12))
    assert seen is not None
    found = ground(tower).pointed(BRICK, Pose((0, 0, 0)), *ray(camera, SIZE, *seen), low=0.0075)
    assert found is not None
    assert ground(tower).landing(BRICK, Pose((*found, 0.0))) == pytest.approx(0.2075, abs=1e-4)


def test_turns_are_whole_steps_or_free_and_flips_go_round() -> None:
    grip = CarryTarget("brick", BRICK, Pose((0.0, 0.0, 0.0075)), is_pulling=False, hover=0.004, reach=REACH)
    grip.turned(13.0, 15.0)
    assert grip.yaw == pytest.approx(15.0)
    grip.turned(2.5)
    assert grip.yaw == pytest.approx(17.5)
    lows = set()
    for _ in range(6):
        grip.flip()
        lows.add(round(grip.low, 4))
    assert lows == {0.0075, 0.0125, 0.0375}


@pytest.mark.parametrize(
    ("model", "faces"),
    [("tower_topple/brick", 6), ("bausack/egg", 0), ("bausack/eggcup", 2)],
)
def test_pieces_stand_on_the_faces_that_carry_them(model: str, faces: int) -> None:
    piece = build(find(model))
    assert len(standing(piece)) == faces
    for turn in standing(piece):
        assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-9)


def test_an_outline_is_what_is_covered_from_above() -> None:
    ring = outline(BRICK, Pose((0.1, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, math.pi / 2)))
    assert np.ptp(ring, axis=0) == pytest.approx((0.025, 0.075), abs=1e-9)


def test_a_brick_is_pulled_level_by_how_far_the_hand_goes() -> None:
    grip = CarryTarget("brick", BRICK, Pose((0.0, 0.0, 0.1)), is_pulling=True, hover=0.004, reach=REACH)
    grip.pull(0.5, 0.5)
    assert grip.goal.position == pytest.approx((0.0, 0.0, 0.1))
    grip.pull(0.52, 0.53)
    assert grip.goal.position == pytest.approx((0.02, 0.0, 0.1)), "it keeps to its length"
    grip.pull(0.52, 0.53, is_free=True)
    assert grip.goal.position == pytest.approx((0.02, 0.03, 0.1))
    assert grip.rail == pytest.approx((1.0, 0.0, 0.0375))
    (arrow,) = grip.guides(Pose((0.02, 0.0, 0.1)))
    assert isinstance(arrow, Arrow)
    assert arrow.end[0] > arrow.start[0] > 0.02 + 0.0375
    assert len(grip.guides(grip.start)) == 2, "it may come either way"


def followed(start: Pose, goal: Pose, steps: int) -> list[Pose]:
    follow = HandFollower(start, 240)
    follow.goal = goal
    return [follow.step() for _ in range(steps)]


def test_a_hand_arrives_exactly_and_never_faster_than_hands_are() -> None:
    goal = Pose((0.2, 0.1, 0.05), quaternion_of_rpy(0.0, 0.0, 1.0))
    way = followed(Pose((0.0, 0.0, 0.05)), goal, 600)
    assert way[-1] == goal
    leaps = [math.dist(a.position, b.position) * 240 for a, b in pairwise(way)]
    assert max(leaps) <= SPEED + 1e-9
    assert angle_between(way[-1].orientation, goal.orientation) < 1e-6


def test_a_hand_rises_before_it_crosses_and_crosses_before_it_sinks() -> None:
    for pose in followed(Pose((0.0, 0.0, 0.01)), Pose((0.1, 0.0, 0.2)), 400):
        assert pose.position[0] < 0.02 or pose.position[2] > 0.2 - 5 * RISE_FIRST
    for pose in followed(Pose((0.0, 0.0, 0.2)), Pose((0.1, 0.0, 0.01)), 400):
        assert pose.position[2] > 0.19 or pose.position[0] > 0.1 - 5 * RISE_FIRST


def test_a_blow_is_heard_and_free_fall_is_not() -> None:
    detector, rate = ImpactDetector(), 240
    heard = []
    z, speed = 0.05, 0.0
    for step in range(0, 240, 4):
        speed -= 9.81 * 4 / rate
        z += speed * 4 / rate
        if z < 0.0075:
            z, speed = 0.0075, 0.0
        view = TableView(step, rate, ("brick",), np.array([[0, 0, z, 0, 0, 0, 1.0]]))
        heard += [(step, impact) for impact in detector.of(view, {"brick": BRICK})]
    assert len(heard) == 1
    fall = math.sqrt(2 * 9.81 * (0.05 - 0.0075))
    assert heard[0][1].impulse == pytest.approx(BRICK.mass * fall, rel=0.3)
    assert heard[0][1].on == TABLE.name
    assert heard[0][1].place == pytest.approx((0, 0, 0.0075), abs=0.002)


# -- settings and menu ---------------------------------------------------------------------------------------------


def test_the_shipped_settings_are_sound_and_every_act_has_a_key() -> None:
    settings = load_settings()
    assert set(settings.keys) == set(acts())
    assert settings.act_of("space") == "lay"
    assert settings.act_of("lshift") == "fine"
    assert settings.act_of("f9") == ""


def test_own_keys_replace_shipped_ones_and_changes_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[keys]\nlay = "x"\n')
    assert load_settings(file).act_of("x") == "lay"
    assert load_settings(file).act_of("space") == ""
    write_settings({"sound": {"mute": True, "volume": 0.25}, "help": {"level": "purist"}}, file)
    again = load_settings(file)
    assert (again.sound.mute, again.sound.volume, again.help.level) == (True, 0.25, "purist")
    assert again.act_of("x") == "lay"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[keys]\nfly = "w"', "there is no act 'fly'"),
        ('[keys]\nlay = "enter"', "'enter' is given to"),
        ('[keys]\nlay = ""', "lay has no key"),
        ("[picture]\nwidth = 1\nletters = 'big'", "picture.width: must be at least 320 (got 1); "),
        ("[picture]\nwidth = 1\nletters = 'big'", "picture.letters: must be a number (got 'big')"),
        ("[sound]\nvolume = nan", "sound.volume: must be a finite number"),
        ("[last]\nplayers = 'Ana'", "last.players: must be a list (got 'Ana')"),
        ("[colour]\nblue = 1", "colour: there is no such setting"),
        ("[help\n", "is not TOML"),
    ],
)
def test_faults_of_settings_are_told_with_file_and_place(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(SetupError) as told:
        load_settings(file)
    assert said in str(told.value)
    assert str(file) in str(told.value)
    assert str(told.value).endswith(". Mend it, or delete it to start with the defaults.")


def test_a_folder_in_place_of_the_settings_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r": is a folder\. Mend it, or delete it"):
        load_settings(tmp_path)


def test_settings_that_cannot_be_kept_say_what_is_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "teeter").write_text("")
    monkeypatch.setenv("TEETER_SETTINGS", str(tmp_path / "teeter" / "settings.toml"))
    pages = Pages(load_settings())
    pages.handle(Clicked("mute"))
    assert pages.fault == f"{tmp_path / 'teeter'}: the folder cannot be made: a file is in its place"


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_every_game_of_the_menu_can_be_started_as_it_is_offered(game: str) -> None:
    from teeter.games.server.setup import first_view

    form = menu.of_game(game)
    for mode in form.chosen.modes:
        chosen = menu.clicked(form, f"mode:{mode.name}")
        assert mode.least <= len(chosen.players) <= mode.most
        plan = chosen.plan(load_settings(), None)
        assert first_view(plan).state.seats


def test_only_the_sandbox_has_no_computer_players() -> None:
    assert {game.name for game in GAMES if not game.has_bots} == {"sandbox"}


def test_players_are_added_named_and_made_bots() -> None:
    form = menu.clicked(menu.of_game("wonky"), "more")
    assert len(form.players) == 3
    form = menu.clicked(form, "kind:0")
    assert form.players[0] == "bot:steady"
    kinds = [form.players[0]]
    while form.players[0].startswith("bot:"):
        form = menu.clicked(form, "kind:0")
        kinds.append(form.players[0])
    assert kinds[:-1] == [f"bot:{style}" for style in STYLES]
    form = menu.clicked(form, "name:0")
    form = menu.erased(menu.typed(menu.typed(form, "x"), "y"))
    assert form.players[0].endswith("x")
    assert len(menu.clicked(form, "fewer").players) == 2


def test_what_happens_together_is_told_together_and_not_for_long() -> None:
    plan = Plan("wonky", ("Ana", "Ben"), 1)
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    toasts = Toasts(client)
    assert toasts.lines(0.0) == ()
    for now, line in ((10.0, "it falls"), (10.5, "it goes back")):
        client.told_last = (line,)
        toasts.hear(now)
    assert toasts.lines(11.0) == ("it falls", "it goes back")
    assert toasts.lines(20.0) == ()
    client.told_last = ("another",)
    toasts.hear(20.0)
    assert toasts.lines(20.1) == ("another",)


def test_points_fly_from_the_piece_to_the_score_and_stand_beside_it_for_a_while() -> None:
    plan = Plan("wonky", ("Ana", "Ben"), 1)
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    toasts = Toasts(client)
    toasts.hear(1.0)
    assert toasts.gains(1.0) == ()
    hands = client.state.hands
    client.state = replace(client.state, hands=(hands[0][1:], hands[1]))
    toasts.hear(2.0)
    assert [toasts.gains(now) for now in (2.0, 4.0, 5.0)] == [(-1, 0), (-1, 0), ()]
    ways = [toasts.flight(2.0 + 0.1 * k)[1] for k in range(12)]
    assert ways == sorted(ways)
    assert (ways[0], ways[-1]) == (0.0, 1.0)
    shown = hud.panels(
        client, load_settings(), HudState(gains=(-1, 0), flying=("-1", ""), flies_at=(300.0, 200.0))
    )
    words = {panel.name: str(panel.items) for panel in shown}
    assert "6  -1" in words["scores"]
    assert "'-1'" in words["gain"]


def test_a_count_is_seen_beside_its_block_second_by_second() -> None:
    plan = Plan("wonky", ("Ana", "Ben"), 1)
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    toasts, names = Toasts(client), client.frame.names
    client.state = replace(client.state, phase=Phase.COUNT, held=names[1])
    found = []
    for tenth in range(32):
        client.hear(TableView(1000 + 24 * tenth, 240, names, client.frame.poses, "", 0.0))
        toasts.hear(0.1 * tenth)
        found.append(toasts.count)
    assert found == [1] * 10 + [2] * 10 + [3] * 12
    (shown,) = (
        each for each in hud.panels(client, load_settings(), HudState(count=2)) if each.name == "count"
    )
    assert [each.text for each in shown.items if isinstance(each, Text)] == ["2"]
    client.state = replace(client.state, phase=Phase.PLAY)
    toasts.hear(4.0)
    assert toasts.count == 0
    ticks = [tick_samples(number) for number in (1, 2, 3)]
    assert all(0.1 < np.abs(each).max() < 0.5 for each in ticks)
    assert not np.array_equal(ticks[0], ticks[2])


def test_coins_fly_to_who_gets_them() -> None:
    plan = Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 12, "first": "Ana"})
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    toasts = Toasts(client)
    toasts.hear(1.0)
    tokens, bank = paid(client.state, 0, 3)
    client.state = replace(client.state, tokens=tokens, bank=bank)
    toasts.hear(2.0)
    assert toasts.flight(2.1)[0] == ("3", COIN)
    assert toasts.gains(2.1) == ()


def test_players_stay_when_another_game_is_looked_at() -> None:
    form = menu.clicked(menu.clicked(menu.of_game("wonky"), "more"), "name:0")
    form = menu.typed(form, "x")
    again = menu.clicked(menu.clicked(form, "game:bausack"), "game:wonky")
    assert again.players == form.players
    alone = menu.clicked(form, "game:sandbox")
    assert len(alone.players) == 1
    assert not alone.players[0].startswith("bot:")


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_what_begins_a_game_is_where_it_is_for_every_other(game: str) -> None:
    pages = Pages(load_settings())
    here, there = (
        laid(*menu.panels(menu.of_game(name), pages, ())).region("start") for name in (game, "wonky")
    )
    assert here is not None
    assert here == there


def test_keys_are_set_in_the_window_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEETER_SETTINGS", str(tmp_path / "settings.toml"))
    pages = Pages(load_settings())
    for event in (Clicked("page:settings"), Clicked("page:keys"), Clicked("key:lay"), Press("x", 0.0, 0.0)):
        assert pages.handle(event)
    assert pages.settings.act_of("x") == "lay"
    assert load_settings().act_of("x") == "lay"
    pages.handle(Clicked("key:flip"))
    pages.handle(Press("x", 0.0, 0.0))
    assert "taken" in pages.fault
    assert load_settings().act_of("x") == "lay"
    pages.handle(Clicked("key:flip"))
    pages.handle(Press("escape", 0.0, 0.0))
    assert not pages.asked
    assert pages.settings.act_of("f") == "flip"
    pages.back()
    assert pages.page == "settings"
    pages.back()
    assert not pages.page


def test_the_list_of_keys_goes_back_to_where_it_was_opened() -> None:
    pages = Pages(load_settings(), game_named("wonky"))
    pages.open_help()
    seen = [pages.page]
    pages.back()
    seen.append(pages.page)
    for name in ("page:pause", "page:keys"):
        pages.handle(Clicked(name))
    pages.back()
    assert [*seen, pages.page] == ["keys", "", "pause"]
    plan = Plan("wonky", ("Ana", "Ben"), 3)
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, lambda: 0.0)
    tools = next(each for each in hud.panels(client, load_settings(), HudState()) if each.name == "tools")
    row = next(item for item in tools.items if isinstance(item, Row))
    assert TITLES["keys"] in [item.text for item in row.items if isinstance(item, Button)]


def test_every_act_is_told_in_words() -> None:
    assert set(ACTS) == set(acts())


def test_the_seed_takes_whole_numbers_only() -> None:
    form = menu.clicked(menu.of_game("wonky"), "seed")
    form = menu.typed(menu.typed(menu.erased(form), "4"), "x")
    assert form.seed == "4"


@pytest.mark.parametrize("page", ["game", "options", "settings", "replays"])
def test_every_page_of_the_menu_fits_its_window(page: str) -> None:
    for game in GAMES:
        form = menu.clicked(menu.of_game(game.name), f"page:{page}")
        layout = laid(
            *menu.panels(
                form,
                Pages(load_settings()),
                (),
                (SavedGame(Path("wonky-1-1.teeter"), "2026-01-01 12:00"),) * LISTED,
            )
        )
        assert all(card.y >= 0 and card.y + card.height <= SIZE[1] for card in layout.cards), game.name


def test_one_button_goes_through_all_buttons_and_round_again() -> None:
    panels = (
        Panel("p", "left", (Button("a", "A"), Row((Button("b", "B"), Button("c", "C", is_enabled=False))))),
    )
    scanner = SwitchScanner(1.0)
    seen = []
    for _ in range(4):
        shown = scanner.step(1.01, panels)
        seen.append(scanner.lit)
    assert seen == ["b", "a", "b", "a"]
    button = shown[0].items[0]
    assert isinstance(button, Button)
    assert button.is_lit


def test_a_slider_that_is_lit_goes_by_steps_and_begins_again() -> None:
    scanner, value = SwitchScanner(1.0), 0.5
    seen = []
    for _ in range(4):
        (panel,) = scanner.step(0.9, (Panel("p", "left", (Slider("s", "s", value, 0.5, 2.5, steps=2),)),))
        assert isinstance(panel.items[0], Slider)
        assert panel.items[0].is_lit
        taken = scanner.take()
        assert isinstance(taken, Slid)
        value = taken.value
        seen.append(value)
    assert seen == [1.5, 2.5, 0.5, 1.5]
    assert scanner.slide(-2) == Slid("s", 0.5)


def test_one_button_goes_past_cards_that_are_alike() -> None:
    """Two of one kind in the hand are one choice: it was lit for ever."""
    names = ["choice:0", "choice:1", "choice:1", "choice:2"]
    hand = Fan(tuple(FanCard(name, name) for name in names))
    panels = (Panel("p", "left", (hand, Button("menu", "Menu"))),)
    scanner, lit = SwitchScanner(1.0), []
    for _ in range(8):
        scanner.step(1.01, panels)
        lit.append(scanner.lit)
    assert lit == ["choice:1", "choice:2", "menu", "choice:0"] * 2
    scanner.go(-1)
    assert scanner.lit == "menu"


def test_the_arrows_of_a_check_carry_the_whole_weight() -> None:
    from teeter.games.present.asking import CheckQuestion
    from teeter.games.present.hint_process import answer_check
    from teeter.scenes.load import load

    scene = load("bridge").assembly
    known = {body.name: body for body in scene.bodies}
    finding = answer_check(CheckQuestion(tuple((body.name, body.pose) for body in scene.bodies)), known)
    assert finding.word == "stands"
    on_table = sum(force[2] for place, force in finding.arrows if place[2] < 1e-3)
    assert on_table == pytest.approx(9.81 * sum(body.piece.mass for body in scene.free), rel=0.01)


def test_the_letter_of_a_piece_is_the_one_on_its_button() -> None:
    for model in ("wonky/large_green", "crazy_tower/red_i1", "crazy_tower/yellow_i1", "wonky/small_blue"):
        letter = letter_of(build(find(model)))
        colour = next(word for word in model.replace("/", "_").split("_") if word in COLOURS)
        assert marked(COLOURS[colour]).endswith(f":{letter}"), model
    assert letter_of(build(find("tower_topple/brick"))) == ""


def test_letters_on_pieces_are_switched_on_in_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEETER_SETTINGS", str(tmp_path / "settings.toml"))
    pages = Pages(load_settings())
    pages.page = "settings"
    assert not pages.settings.picture.marks
    assert any(isinstance(item, Button) and item.name == "marks" for item in pages.dialog().items)
    pages.handle(Clicked("marks"))
    assert pages.settings.picture.marks
    assert load_settings().picture.marks
