"""Damage to texts and to trees of values, for readers that have to refuse it in a sentence."""

from __future__ import annotations

import copy
import random
from typing import Any

ODD_TEXTS = (
    "",
    "\x00",
    "\x1b[31m",
    "nan",
    "1e999",
    "-0",
    "1/0",
    "9" * 400,
    "../x",
    "</script>",
    "名",
    "[" * 2000,
    '"',
    "\n",
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, [], {}, "", "\x1b[2J", -1, 0, 1e308, -1e-308, 10**30, "1/0", "nan", "x" * 5000),
    *([[]], {"": None}, [None], ["1", "2"], "-7/3"),
)


def damaged(text: str, state: random.Random) -> str:
    """A text with one to four places cut, doubled, swapped or replaced."""
    for _ in range(state.randint(1, 4)):
        at = state.randrange(len(text) + 1)
        to = min(len(text), at + state.choice((0, 1, 2, 8, 60)))
        match state.randrange(4):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:at] + text[at:to] * 2 + text[to:]
            case 2:
                text = text[:at] + state.choice(ODD_TEXTS) + text[to:]
            case _:
                text = text[:at] + text[at:to][::-1] + text[to:]
    return text


def grafted(tree: Any, state: random.Random) -> Any:
    """A copy of a tree of dicts and lists in which one to three values are odd, gone or another's."""
    tree = copy.deepcopy(tree)
    for _ in range(state.randint(1, 3)):
        places = list(_places(tree))
        if not places:
            break
        holder, key = state.choice(places)
        match state.randrange(3):
            case 0:
                holder[key] = copy.deepcopy(state.choice(ODD_VALUES))
            case 1:
                other, its = state.choice(places)
                holder[key] = copy.deepcopy(other[its])
            case _:
                del holder[key]
    return tree


def _places(tree: Any) -> Any:
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in list(keys):
        yield tree, key
        yield from _places(tree[key])
