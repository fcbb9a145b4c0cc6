"""What a second player's script tries on all that it was sent, to find what the rules hide from it.

The script has the source of teeter. Where it would have to guess what to look for, it is given the truth: what is not
found by who knows it is found by nobody.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import random
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from host_client import Seat, poses_of
from test_host_games import cards_in

from teeter.games.game import stock_of
from teeter.games.registry import game_named
from teeter.games.tower_topple.state import Print
from teeter.games.wonky.state import Phase

TRIED = 1000
"""Short seeds; those of the clock and of processes besides."""
CLOCK_S = 60
"""Seconds before the game in which somebody may have taken a seed from the clock."""
KEY_BYTES = 6
"""Of a key in a row, in a message that is not text: chance has them there once in 10^14 places."""
OPAQUE = re.compile(r"(?<![\w+/=-])(?:[0-9a-fA-F]{16,}|[\w+/-]{20,}={0,2}|\d{10,})(?![\w+/=-])")
"""Strings that may be a hash, a secret or a state."""
READABLE = re.compile(r'"blob":"[^"]*"|"data:image/[^"]*"|\d+\.\d+(?:e-?\d+)?')
"""Meshes and pictures, which are looked into elsewhere, and measures."""
DIGESTS = ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s")


@dataclass(frozen=True)
class Heard:
    """What a seat was sent. blobs: frames, and what messages have in base64. start: when the game began, seconds since
    1970."""

    game: str
    players: tuple[str, ...]
    options: dict[str, object]
    seat: str
    texts: list[str]
    frames: list[bytes]
    blobs: list[bytes]
    own: tuple[str, ...]
    start: float


@dataclass(frozen=True)
class Truth:
    """What the game was: its seed, and the states of it in their order, with all secrets."""

    seed: int
    states: list[Any]


def heard_by(seat: Seat, game: str, players: tuple[str, ...], options: dict[str, object]) -> Heard:
    """All that a client was sent, but for the secrets that are its own."""
    texts = [each for each in seat.received if isinstance(each, str)]
    frames = [each for each in seat.received if isinstance(each, bytes)]
    blobs = [base64.b64decode(json.loads(text)["blob"]) for text in texts if '"blob":"' in text]
    own = (seat.secret, seat.token)
    return Heard(game, players, options, seat.name, texts, frames, frames + blobs, own, time.time())


def messages(heard: Heard, kind: str) -> Iterator[dict[str, Any]]:
    """Those of a type, without their pictures and meshes."""
    return (json.loads(text) for text in heard.texts if text.startswith(f'{{"type":"{kind}"'))


# -- the seed ----------------------------------------------------------------------------------------------------------


def short_seeds(heard: Heard, truth: Truth) -> tuple[int, list[str]]:
    """Deals from every short seed, and those of clocks and processes, as teeter does; compares with what it saw."""
    game, fits = game_named(heard.game), FITS[heard.game](heard)
    stock = stock_of(game)
    now = int(heard.start)
    clock = [now - back for back in range(CLOCK_S)]
    seeds = [
        *range(TRIED),
        *clock,
        *(1000 * each for each in clock),
        *range(os.getpid() - 20, os.getpid() + 20),
    ]
    found = [seed for seed in seeds if fits(game.rules.start(heard.players, seed, heard.options, stock))]
    # few cards may lie so by chance: it counts what the seed says of the rest
    start = truth.states[0]
    told = [hidden(game.rules.start(heard.players, seed, heard.options, stock)) for seed in found]
    return len(seeds), [
        f"seed {seed}" for seed, rest in zip(found, told, strict=True) if rest == hidden(start)
    ]


def hidden(state: Any) -> object:
    """All that is dealt."""
    return tuple(getattr(state, name, None) for name in ("hands", "deck", "bricks", "tower", "saboteur"))


def shows_cards(message: Mapping[str, Any]) -> bool:
    """Whether a message is the panel of the cards in a hand."""
    panel = message["panel"] if message["type"] == "panel" else {}
    return panel.get("name") == "cards" and bool(panel["items"])


def _wonky_fits(heard: Heard) -> Callable[[Any], bool]:
    fan = next(each["panel"]["items"][0] for each in messages(heard, "panel") if shows_cards(each))
    mine = sorted(card["image"] for card in fan["cards"])
    at = heard.players.index(heard.seat)
    return lambda state: sorted(_picture(card) for card in state.hands[at]) == mine


@cache
def _picture(card: str) -> str:
    from teeter.games.wonky.screen import _image

    game = game_named("wonky")
    return str(_image(game.rules.start(("Ada", "Ben"), 0, {}, stock_of(game)), card))


def _topple_fits(heard: Heard) -> Callable[[Any], bool]:
    """By which bricks lie in which row: of those that are seen, the colours would do."""
    bodies = next(messages(heard, "bodies"))["scene"]["bodies"]
    placed = next(poses for frame in heard.frames if len(poses := poses_of(frame)[1]) >= len(bodies))
    bricks = [
        (placed[at][2], row["name"]) for at, row in enumerate(bodies) if row["name"].startswith("brick.")
    ]
    names = [name for _, name in sorted(bricks)]
    rows = [frozenset(names[at : at + 3]) for at in range(0, len(names), 3)]
    return lambda state: [frozenset(row) for row in state.tower] == rows


def _crazy_fits(heard: Heard) -> Callable[[Any], bool]:
    """By the cards in the order in which they were revealed."""
    names = [body["name"] for each in messages(heard, "bodies") for body in each["scene"]["bodies"]]
    revealed = tuple(dict.fromkeys(name for name in names if name.startswith("card_")))[1:]
    return lambda state: state.deck[: len(revealed)] == revealed


FITS: dict[str, Callable[[Heard], Callable[[Any], bool]]] = {
    "wonky": _wonky_fits,
    "tower-topple": _topple_fits,
    "crazy-tower": _crazy_fits,
}


# -- numbers -----------------------------------------------------------------------------------------------------------


def random_states(heard: Heard, truth: Truth) -> tuple[int, list[str]]:
    """Looks for the seed and every random state of the game, in any spelling, in text and between bytes."""
    whole, found = "\n".join(heard.texts).lower(), list[str]()
    numbers = {truth.seed, truth.seed - 2**128, *(state.luck for state in truth.states)}
    keys = {state.luck >> 64 for state in truth.states if state.luck > 2**128}
    numbers |= keys | {key - 2**128 for key in keys}
    wanted = [number for number in sorted(numbers) if number > 2**32]
    for number in wanted:
        data = number.to_bytes(32, "big").lstrip(b"\0")
        spelt = [str(number), f"{number:x}", *_base64(data), *_base64(data[::-1])]
        found += [f"{number} as {each}" for each in spelt if each.lower() in whole]
    for key in sorted(keys):
        data = (key & (2**128 - 1)).to_bytes(16, "big")
        for order in (data, data[::-1]):
            parts = {order[at : at + KEY_BYTES] for at in range(16 - KEY_BYTES + 1)}
            found += [f"bytes of {key}" for blob in heard.blobs for part in parts if part in blob]
    return len(wanted), found


def _base64(data: bytes) -> list[str]:
    """The part of data that is the same in base64 wherever it begins, for each of three beginnings."""
    found = []
    for before in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = encode(b"\0" * before + data).decode().rstrip("=")
            found.append(text[-(-8 * before // 6) : -1])
    return found


def digests(heard: Heard, truth: Truth) -> tuple[int, list[str]]:
    """Looks for hashes of what is hidden: of the seed, states, decks and hands, in forms that somebody might choose."""
    whole = "\n".join(heard.texts).lower()
    forms: set[bytes] = set()
    for state in (truth.states[0], truth.states[-1]):
        for value in (truth.seed, state.luck, *(_plain(each) for each in _secrets(state))):
            forms |= {repr(value).encode(), str(value).encode(), json.dumps(value).encode()}
            forms |= {json.dumps(value, separators=(",", ":")).encode()}
            if isinstance(value, (list, tuple)):
                forms |= {mark.join(map(str, value)).encode() for mark in ("", " ", ",", "\n")}
    found = []
    for form in sorted(forms):
        for each in (hashlib.new(name, form).digest() for name in DIGESTS):
            is_there = each.hex()[:16] in whole or base64.b64encode(each).decode()[:20].lower() in whole
            found += [f"a hash of {form[:60]!r}"] * is_there
        crc = str(zlib.crc32(form))
        if len(crc) == 10 and re.search(rf"(?<![\d.]){crc}(?!\d)", whole):
            found.append(f"the checksum of {form[:60]!r}")
    return len(forms), found


def _secrets(state: Any) -> tuple[object, ...]:
    return (*getattr(state, "hands", ()), getattr(state, "deck", ()), getattr(state, "bricks", ()))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.print.value if hasattr(value, "print") else value


def opaque_strings(heard: Heard, truth: Truth) -> tuple[int, list[str]]:
    """Every string that could be a hash, a secret or a state: there is none but what the seat brought along."""
    found, looked = [], 0
    for text in heard.texts:
        for each in OPAQUE.findall(READABLE.sub(" ", text)):
            looked += 1
            if each not in heard.own and not re.fullmatch(r"[a-z_-]+(?:/[a-z_0-9]+)?", each):
                found.append(f"{each} in {text[:60]}")
    return looked, found


# -- words -------------------------------------------------------------------------------------------------------------


def words(heard: Heard, truth: Truth) -> tuple[int, list[str]]:
    """Looks in every message for names of what nobody could know at the end of the game: in hands, on decks, unread."""
    names, last = NAMES[heard.game](heard, truth), list[str]()
    texts = [text for text in heard.texts if not text.startswith('{"type":"bodies"')]
    for text in texts:
        last += [f"{name} in {text[:80]}" for name in sorted(names(text))]
    return len(texts), last


def _wonky_names(heard: Heard, truth: Truth) -> Callable[[str], set[str]]:
    ids = [card.id for card in truth.states[0].stock.cards]
    mine = {
        card
        for state in truth.states
        for seat, hand in zip(state.seats, state.hands, strict=True)
        for card in (*(hand if seat.name == heard.seat else ()), *state.discard)
    }
    return lambda text: cards_in(text, ids) - mine


def _topple_names(heard: Heard, truth: Truth) -> Callable[[str], set[str]]:
    read = {brick.print for state in truth.states for brick in state.bricks if brick.id in state.seen}
    unread = [each for each in Print if each not in (*read, Print.PLAIN, Print.UNSEEN)]
    return lambda text: {
        each.name
        for each in unread
        if each.value in text.lower() or f"brick_{each.name.lower()}" in text.lower()
    }


def _crazy_names(heard: Heard, truth: Truth) -> Callable[[str], set[str]]:
    rest, others = truth.states[-1].deck, [each for each in heard.players if each != heard.seat]
    plots = [words for name in others for words in (f"{name} is the saboteur", f"saboteur is {name}")]
    # who it was is told when the game is over
    return lambda text: {
        each for each in (*rest, *(() if '"wait":"over"' in text else plots)) if each in text
    }


NAMES: dict[str, Callable[[Heard, Truth], Callable[[str], set[str]]]] = {
    "wonky": _wonky_names,
    "tower-topple": _topple_names,
    "crazy-tower": _crazy_names,
}


# -- what stays the same when what is hidden changes -------------------------------------------------------------------


def otherwise(state: Any, seat: str, number: int, read: frozenset[str] = frozenset()) -> Any:
    """A state that looks the same from a seat ("": to who looks on), and in which all that it cannot see is another, by
    a number. read: bricks whose print somebody sees later in the game."""
    change, chance = OTHERWISE.get(type(state).__module__.split(".")[2]), random.Random(number)
    if change is None:
        return state
    return change(replace(state, luck=chance.getrandbits(200)), seat, chance, read)


def _wonky_otherwise(state: Any, seat: str, chance: random.Random, read: frozenset[str]) -> Any:
    mine = [each.name == seat for each in state.seats]
    pool = [card for hand, own in zip(state.hands, mine, strict=True) if not own for card in hand]
    pool += state.deck
    chance.shuffle(pool)
    dealt = iter(pool)
    hands = tuple(
        hand if own else tuple(itertools.islice(dealt, len(hand)))
        for hand, own in zip(state.hands, mine, strict=True)
    )
    is_drawn = state.phase is Phase.DRAWN and not mine[state.turn]
    card = hands[state.turn][-1] if is_drawn else state.card
    return replace(state, hands=hands, deck=tuple(dealt), card=card)


def _topple_otherwise(state: Any, seat: str, chance: random.Random, read: frozenset[str]) -> Any:
    seen, bricks = {*state.seen, *read}, list(state.bricks)
    free = [at for at, brick in enumerate(bricks) if not brick.colour and brick.id not in seen]
    prints = [bricks[at].print for at in free]
    chance.shuffle(prints)
    for at, stamp in zip(free, prints, strict=True):
        bricks[at] = replace(bricks[at], print=stamp)
    return replace(state, bricks=tuple(bricks))


def _crazy_otherwise(state: Any, seat: str, chance: random.Random, read: frozenset[str]) -> Any:
    deck, saboteur = list(state.deck), state.saboteur
    chance.shuffle(deck)
    if state.house.secret and saboteur >= 0 and state.reason is None and state.seats[saboteur].name != seat:
        saboteur = chance.choice([at for at, each in enumerate(state.seats) if each.name != seat])
    return replace(state, deck=tuple(deck), saboteur=saboteur)


OTHERWISE: dict[str, Callable[[Any, str, random.Random, frozenset[str]], Any]] = {
    "wonky": _wonky_otherwise,
    "tower_topple": _topple_otherwise,
    "crazy_tower": _crazy_otherwise,
}

ATTACKS: dict[str, Callable[[Heard, Truth], tuple[int, list[str]]]] = {
    "short seeds, clocks and processes": short_seeds,
    "seed and random states in any spelling": random_states,
    "hashes of what is hidden": digests,
    "strings that nobody can read": opaque_strings,
    "names of what is hidden": words,
}
"""What was tried: by what it is called, what does it. Each returns how much it looked at, and what it found."""
