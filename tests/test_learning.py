"""The environments for learning: the libraries' own checks, seeds, hidden information, the depth picture, agents."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from learning_agents import RandomBuilder, RandomPlayer, SteadyBuilder, SteadyPlayer, action_of, run
from pettingzoo.test import api_test, seed_test
from rules_lab import playthrough
from rules_labs import LABS

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.core.errors import SetupError
from teeter.games.judge.places import table
from teeter.games.learning.building import PLACE_BLOCK, Judge, PlaceBlock
from teeter.games.learning.images import depth_image
from teeter.games.learning.observation import ActionFrame, observation_of, pose_of, sides
from teeter.games.learning.playing import GameEnv
from teeter.games.play.playback import verify
from teeter.games.registry import GAMES as EVERY_GAME
from teeter.games.registry import game_named
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.errors import ModelError, TeeterError

GAMES = tuple(game.name for game in EVERY_GAME if game.observation_class)


def build_until_over(env: PlaceBlock, agent: Any, seed: int) -> list[tuple[dict[str, Any], float]]:
    seen, _ = env.reset(seed=seed)
    steps: list[tuple[dict[str, Any], float]] = [(seen, 0.0)]
    is_over = False
    while not is_over:
        seen, reward, is_over, _, _ = env.step(agent.act(env, seen))
        steps.append((seen, reward))
    return steps


@pytest.fixture
def builder() -> Iterator[PlaceBlock]:
    env = PlaceBlock(count=4)
    yield env
    env.close()


# -- building ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_gymnasium_finds_nothing_wrong() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(PLACE_BLOCK, depth=16, is_upright=False, tremor_mm=0.5)
        check_env(env.unwrapped)
        env.close()


def test_equal_seeds_give_equal_episodes_and_others_do_not() -> None:
    episodes = []
    for seed in (3, 3, 4):
        env = PlaceBlock(count=4, depth=8, tremor_mm=1.0)
        episodes.append(build_until_over(env, RandomBuilder(1), seed))
        env.close()
    same, again, other = episodes
    assert [reward for _, reward in same] == [reward for _, reward in again]
    for (seen, _), (repeated, _) in zip(same, again, strict=True):
        for key, value in seen.items():
            np.testing.assert_array_equal(value, repeated[key])
    assert not all(np.array_equal(a[0]["kinds"], b[0]["kinds"]) for a, b in zip(same, other, strict=False))


JUDGES = pytest.mark.parametrize("judge", ["simulation", "forces"])


@JUDGES
def test_height_that_stands_is_the_reward(judge: Judge) -> None:
    env = PlaceBlock(blocks=["bausack/cube"], count=3, judge=judge)
    env.reset(seed=0)
    # three cubes of 30 mm on each other: each gains one typical size, and a tenth for standing
    rewards = [env.step(np.zeros(3, np.float32))[1] for _ in range(3)]
    assert rewards == pytest.approx([1.1, 1.1, 1.1], abs=0.01)
    assert env.height == pytest.approx(0.090, abs=3e-4)
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.step(np.zeros(3, np.float32))
    env.close()


@JUDGES
def test_a_block_laid_over_the_edge_falls_and_ends_the_episode(judge: Judge) -> None:
    env = PlaceBlock(blocks=["bausack/cube"], count=3, judge=judge)
    env.reset(seed=0)
    env.step(np.zeros(3, np.float32))
    # 18 mm of 30 beside the cube below: its centre of mass is 3 mm past the edge
    _, reward, terminated, truncated, info = env.step(np.array([0.018 / env.span, 0, 0], np.float32))
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["fell"] == ("block.01",)
    env.close()


@pytest.mark.slow
@JUDGES
def test_no_step_is_taken_outside_an_episode(judge: Judge) -> None:
    env = PlaceBlock(blocks=["bausack/cube"], count=3, judge=judge)
    middle = np.zeros(3, np.float32)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(middle)
    env.reset(seed=1)
    wrong: tuple[Any, ...] = (
        np.full(3, np.nan),
        [0.5, 0.5],
        [0.5, 0.5, 0.0, 0.9],
        0.0,
        None,
        "x",
        [[0, 0, 0]],
    )
    for action in wrong:
        with pytest.raises(ValueError, match="action=.*: must be 3 numbers from -1 to 1"):
            env.step(action)
    env.step(middle)
    assert env.step(np.array([0.018 / env.span, 0, 0], np.float32))[2]
    # it fell, though not all blocks are laid
    with pytest.raises(RuntimeError, match="reset"):
        env.step(middle)
    env.close()


def test_forces_judge_as_the_simulation_does() -> None:
    """The same blocks are laid in the same places until one of the two falls."""
    steps, alike = 0, 0
    judges: tuple[Judge, ...] = ("simulation", "forces")
    envs = {judge: PlaceBlock(count=5, judge=judge) for judge in judges}
    random = np.random.default_rng(2)
    for seed in range(4):
        is_over = False
        for env in envs.values():
            env.reset(seed=seed)
        while not is_over:
            action, fallen = random.uniform(-0.4, 0.4, 3).astype(np.float32), set()
            for env in envs.values():
                *_, over, _, info = env.step(action)
                fallen.add(bool(info["fell"]))
                is_over = is_over or over
            steps, alike = steps + 1, alike + (len(fallen) == 1)
    for env in envs.values():
        env.close()
    assert alike >= steps - 1 >= 9


def test_what_is_seen_is_what_lies_there(builder: PlaceBlock) -> None:
    builder.reset(seed=5)
    seen, *_ = builder.step(np.array([0.5, -0.25, 0.5], np.float32))
    assert seen["mask"].tolist() == [1, 0, 0, 0]
    body = builder.tower[0]
    np.testing.assert_allclose(seen["pieces"][0, :3] * builder.span, body.pose.position, atol=1e-6)
    assert builder.names[seen["kinds"][0] - 1] == body.piece.model
    assert np.all(seen["pieces"][1:] == 0.0)
    following = builder.next_body
    assert following is not None
    assert builder.names[seen["next"] - 1] == following.piece.model


def test_the_depth_picture_is_the_height_of_box_and_ball() -> None:
    box, ball = build(find("bausack/base_1")), build(find("bausack/ball"))
    turned = Pose((0.03, 0.0, 0.0075), quaternion_of_rpy(0.0, 0.0, np.pi / 2))
    radius = float(ball.extents[2]) / 2
    bodies = [Body("box", box, turned), Body("ball", ball, Pose((-0.04, 0.02, radius)))]
    picture = depth_image(bodies, (0.0, 0.0), 0.16, 160)
    # row and column of a point: far side first, a pixel a millimetre
    assert picture[80, 110] == pytest.approx(0.015)
    assert picture[80 - 29, 110] == pytest.approx(0.015)
    assert picture[80 - 31, 110] == 0.0
    assert picture[80, 110 + 16] == 0.0
    x, y = -0.0395, 0.0195
    top = radius + np.sqrt(radius**2 - (x + 0.04) ** 2 - (y - 0.02) ** 2)
    assert picture[60, 40] == pytest.approx(top, abs=1e-6)


@pytest.mark.parametrize("model", ["bausack/base_1", "bausack/arch", "bausack/spool", "wonky/small_green"])
def test_an_action_says_a_pose_and_back(model: str) -> None:
    piece, frame, ground = build(find(model)), ActionFrame(0.03, -0.02, 0.4, 0.15), [table(1200, 800)]
    random = np.random.default_rng(7)
    kinds = set()
    for _ in range(30):
        action = random.uniform(-1, 1, 4)
        pose = pose_of(action, piece, frame, ground)
        assert pose is not None
        again = pose_of(action_of(pose, piece, frame), piece, frame, ground)
        assert again is not None
        np.testing.assert_allclose(again.position, pose.position, atol=1e-9)
        np.testing.assert_allclose(again.matrix, pose.matrix, atol=1e-9)
        kinds.add(tuple(pose.matrix[2].round(6)))
    assert len(kinds) == len(sides(piece))


def test_the_steady_builder_builds_higher_than_chance() -> None:
    returns = {}
    for mind in (RandomBuilder, SteadyBuilder):
        env = PlaceBlock(count=5)
        steps = [build_until_over(env, mind(seed), seed) for seed in range(2)]
        returns[mind] = sum(reward for episode in steps for _, reward in episode)
        env.close()
    assert returns[SteadyBuilder] > returns[RandomBuilder] + 2.0


def test_an_agent_may_ask_where_a_block_would_lie(builder: PlaceBlock) -> None:
    builder.reset(seed=1)
    body = builder.next_body
    assert body is not None
    pose = builder.goal_of(body, np.zeros(3))
    assert pose is not None
    builder.step(np.zeros(3, np.float32))
    lies = builder.tower[0].pose
    assert np.linalg.norm(np.subtract(pose.position, lies.position)) < 2e-4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"count": 0}, "count=0: an episode has from 1 to 500 blocks"),
        ({"count": 2.5}, "a whole number"),
        ({"blocks": []}, "at least one piece"),
        ({"blocks": "bausack/cube"}, "at least one piece"),
        ({"span_mm": 500.0}, "so that blocks are laid on the table"),
        ({"span_mm": float("nan")}, "so that blocks are laid on the table"),
        ({"tremor_mm": -1.0}, "a nervous hand has 2"),
        ({"depth": 5000}, "up to 1024 pixels"),
        ({"render_mode": "human"}, "render_mode='human'"),
    ],
)
def test_what_no_environment_can_be_made_of_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PlaceBlock(**options)


def test_an_unknown_block_is_refused_by_the_catalogue() -> None:
    with pytest.raises(ModelError, match="bausack/cube"):
        PlaceBlock(blocks=["bausack/cub"])


@pytest.mark.slow
def test_vector_environments_and_the_runner_agree_with_one_process() -> None:
    alone = list(run(partial(PlaceBlock, count=3), RandomBuilder, range(3), 1))
    together = list(run(partial(PlaceBlock, count=3), RandomBuilder, range(3), 2))
    assert alone == together
    assert len({episode.returns["builder"] for episode in alone}) > 1
    many: Any = gymnasium.make_vec(PLACE_BLOCK, num_envs=2, vectorization_mode="async", count=3)
    one = PlaceBlock(count=3)
    seen, _ = many.reset(seed=[4, 5])
    first, _ = one.reset(seed=4)
    np.testing.assert_array_equal(seen["kinds"][0], first["kinds"])
    many_seen, rewards, *_ = many.step(np.zeros((2, 3), np.float32))
    one_seen, reward, *_ = one.step(np.zeros(3, np.float32))
    assert rewards[0] == pytest.approx(reward, abs=1e-12)
    np.testing.assert_array_equal(many_seen["pieces"][0], one_seen["pieces"])
    many.close()
    one.close()


# -- the games ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=[pytest.mark.soak] * (game != "crazy-tower")) for game in GAMES]
)
def test_pettingzoo_finds_nothing_wrong(game: str) -> None:
    with warnings.catch_warnings():
        # a choice and a place at once are neither a Box nor a Discrete: the one thing the check would rather have
        warnings.filterwarnings("ignore", message="Action space for each agent probably should be")
        house = {"pieces": 12} if game == "bausack" else None
        api_test(GameEnv(game, house=house), num_cycles=2)
        seed_test(lambda: GameEnv(game, house=house), num_cycles=2)


@pytest.mark.parametrize("game", GAMES)
def test_what_is_hidden_from_a_player_is_hidden_from_its_agent(game: str) -> None:
    env = GameEnv(game, mode="saboteur" if game == "crazy-tower" else None, seats=3, house=SECRET.get(game))
    env.reset(seed=2)
    agents = [agent for agent in env.possible_agents if agent != env.agent_selection]
    state = env.session.state
    for agent in agents:
        before = env.observe(agent)
        env.session.state = shuffled(game, state, env.possible_agents.index(agent))
        assert env.session.state != state
        np.testing.assert_array_equal(env.observe(agent), before)
        env.session.state = state
    env.close()


SECRET: dict[str, dict[str, object]] = {"crazy-tower": {"secret": True}}


def shuffled(game: str, state: Any, seat: int) -> Any:
    """Another state that looks the same to a seat."""
    if game == "wonky":
        other = next(each for each in range(len(state.hands)) if each != seat)
        hands = list(state.hands)
        swapped = (*state.deck[: len(hands[other])],)
        hands[other], deck = swapped, (*state.hands[other], *state.deck[len(swapped) :])
        return replace(state, hands=tuple(hands), deck=tuple(reversed(deck)), luck=state.luck + 1)
    if game == "tower-topple":
        plain = [at for at, brick in enumerate(state.bricks) if not brick.colour]
        bricks = list(state.bricks)
        first, last = next(
            (a, b) for a in plain for b in reversed(plain) if bricks[a].print is not bricks[b].print
        )
        one, other = bricks[first].print, bricks[last].print
        bricks[first], bricks[last] = (
            replace(bricks[first], print=other),
            replace(bricks[last], print=one),
        )
        return replace(state, bricks=tuple(bricks))
    if game == "crazy-tower":
        others = [each for each in range(3) if each not in (seat, state.saboteur)]
        # who is the saboteur knows it
        sly = state.saboteur if seat == state.saboteur else others[0]
        return replace(state, saboteur=sly, deck=tuple(reversed(state.deck)))
    # in Bausack everything is open: only whose turn counts
    return replace(state, step=state.step + 1)


def test_a_choice_that_is_not_legal_is_refused() -> None:
    env = GameEnv("wonky")
    env.reset(seed=1)
    agent = env.agent_selection
    count = len(env.choices(agent))
    mask = env.infos[agent]["action_mask"]["choice"]
    assert mask.sum() == count > 0
    with pytest.raises(TeeterError, match=f"choice {count} is not legal: {agent} has {count}"):
        env.step({"choice": count, "place": np.zeros(4)})
    assert env.agent_selection == agent
    env.close()


def test_an_action_that_is_none_is_refused_before_and_in_a_game() -> None:
    env = GameEnv("wonky")
    with pytest.raises(RuntimeError, match="reset"):
        env.step({"choice": 0, "place": (0.0,) * 4})
    env.reset(seed=1)
    for action in (None, 3, "choice", {}, {"place": (0.0,) * 4}, {"choice": 0.5, "place": (0.0,) * 4}):
        with pytest.raises(ValueError, match=r"give an action|not legal"):
            env.step(action)  # type: ignore[arg-type]
    for seed in (1.5, "a", -1):
        with pytest.raises(ValueError, match="seed=.*a whole number"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    env.close()


@pytest.mark.parametrize(
    "options",
    [{"seats": 1.5}, {"record": 3}, {"tremor_mm": math.nan}, {"most_turns": None}, {"most_tries": 0}],
)
def test_a_game_of_agents_refuses_what_no_option_is(options: dict[str, Any]) -> None:
    (called,) = options
    with pytest.raises(ValueError, match=f"{called}="):
        GameEnv("wonky", **options)


def test_a_piece_laid_in_vain_breaks_the_game_off_at_the_cost_of_who_laid_it() -> None:
    env = GameEnv("wonky", most_tries=1)
    env.reset(seed=1)
    while env.infos[env.agent_selection]["wait"] == "ACTION":
        env.step({"choice": 0, "place": np.zeros(4)})
    agent = env.agent_selection
    # 150 mm beside the middle no tower may begin
    env.step({"choice": 0, "place": np.array([1.0, 0.0, 0.0, -1.0])})
    assert env.rewards[agent] <= 0.0
    env.close()


def test_unknown_games_and_options_are_refused() -> None:
    with pytest.raises(SetupError, match="wonky"):
        GameEnv("wonki")
    with pytest.raises(SetupError, match="first"):
        GameEnv("wonky", house={"frist": 1})
    with pytest.raises(SetupError, match="2 to 16 players"):
        GameEnv("wonky", seats=1)
    with pytest.raises(ValueError, match="render_mode"):
        GameEnv("wonky", render_mode="human")


@pytest.mark.slow
def test_a_game_of_agents_is_kept_and_verified(tmp_path: Path) -> None:
    make = partial(GameEnv, "wonky", most_turns=6, record=tmp_path)
    (episode,) = run(make, partial(SteadyPlayer, game="wonky"), [3], 1)
    assert episode.decisions == 6
    assert verify(tmp_path / "game-0001.teeter").agrees


@pytest.mark.parametrize("game", GAMES)
def test_never_more_choices_than_an_action_can_name(game: str) -> None:
    lab = next(each for each in LABS if each.game.name == game)
    most = 0
    for mode in lab.game.modes:
        for seed in range(10):
            for step in playthrough(lab, mode.name, seed):
                most = max(most, len(lab.game.rules.legal(step.after)))
    assert 1 < most <= observation_of(game_named(game)).most


def test_a_random_player_is_legal() -> None:
    env = GameEnv("tower-topple", seats=2)
    env.reset(seed=0)
    agent = RandomPlayer(1)
    seen, *_ = env.last()
    env.step(agent.act(env, seen, env.agent_selection))
    assert env.infos[env.agent_selection]["wait"] == "PULL"
    env.close()
