"""A deal that nobody chose can be computed by nobody; one that was chosen is the same for ever."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from teeter.games.core.random_state import DRAWN, below, draw_seed, is_drawn, seeded, shuffled, side_seed
from teeter.games.game import stock_of
from teeter.games.present import menu
from teeter.games.present.settings import load_settings
from teeter.games.registry import game_named
from teeter.games.server.setup import title_of


def test_a_drawn_seed_has_128_bits_of_chance_and_deals_the_same_again() -> None:
    seeds = {draw_seed() for _ in range(200)}
    assert len(seeds) == 200
    assert all(is_drawn(seed) and seed < 2 * DRAWN for seed in seeds)
    # every bit is set about half the time: 200 fair coins miss 50..150 less than once in 10^11
    assert all(50 < sum(seed >> bit & 1 for seed in seeds) < 150 for bit in range(128))
    seed = seeds.pop()
    assert shuffled(seeded(seed), range(40)) == shuffled(seeded(seed), range(40))


def test_what_a_short_seed_has_dealt_stays_as_it_was() -> None:
    assert shuffled(seeded(3), range(8))[0] == (0, 2, 1, 6, 7, 3, 4, 5)
    assert not is_drawn(2**64 - 1)


def test_every_bit_of_a_drawn_seed_counts() -> None:
    seed = DRAWN | 0x1234
    deals = {shuffled(seeded(seed ^ (1 << bit)), range(40))[0] for bit in range(128)}
    assert len(deals) == 128


def test_the_numbers_of_a_drawn_seed_are_even() -> None:
    counts, state = [0] * 10, seeded(DRAWN | 77)
    for _ in range(5000):
        number, state = below(state, 10)
        counts[number] += 1
    assert max(counts) < 620
    assert min(counts) > 380


def test_how_a_hand_shakes_tells_nothing_of_the_deal() -> None:
    """The seed of the tremor moves what everybody sees: it is no part of the state that deals on."""
    state = seeded(DRAWN | random.Random(4).getrandbits(128))
    assert side_seed(state) not in (state & 0xFFFFFFFF, state >> 64 & 0xFFFFFFFF, below(state, 2**32)[0])
    assert side_seed(seeded(3)) == seeded(3) & 0xFFFFFFFF


def test_the_menu_deals_anew_each_time_unless_a_seed_is_typed() -> None:
    form = menu.of_game("wonky")
    settings = load_settings()
    one, other = (menu.seated(form).plan(settings, None) for _ in range(2))
    assert is_drawn(one.seed)
    assert is_drawn(other.seed)
    assert one.seed != other.seed
    typed = menu.typed(menu.clicked(menu.seated(form), "seed"), "7")
    assert typed.plan(settings, None).seed == 7
    long = menu.clicked(menu.seated(form), "seed")
    for digit in str(one.seed):
        long = menu.typed(long, digit)
    assert long.plan(settings, None).seed == one.seed


def test_a_drawn_seed_is_no_part_of_a_file_name() -> None:
    code = (
        "from teeter.games.server.setup import new_file\nfrom teeter.games.core.random_state import DRAWN\n"
        "print(new_file('wonky', DRAWN | 5).name, new_file('wonky', 5).name)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    drawn, chosen = found.stdout.split()
    assert drawn.startswith("wonky-")
    assert str(DRAWN | 5) not in drawn
    assert chosen.startswith("wonky-5-")


def test_games_on_file_have_titles(tmp_path: Path) -> None:
    assert title_of(tmp_path / "crazy-tower-2.teeter") == "Crazy Tower, game 2"
    assert title_of(tmp_path / "crazy-tower-7-2.teeter") == "Crazy Tower, seed 7, game 2"


def test_every_game_starts_from_a_drawn_seed() -> None:
    for name in ("wonky", "bausack", "crazy-tower", "tower-topple"):
        game = game_named(name)
        seed = draw_seed()
        one, other = (game.rules.start(("Ana", "Ben"), seed, {}, stock_of(game)) for _ in range(2))
        assert one == other
