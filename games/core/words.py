"""Small words of all stories: lists, numbers, capitals."""

from __future__ import annotations

from collections.abc import Iterable


def listed(words: Iterable[str]) -> str:
    """`Ana, Ben and Cem`; at least one word."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def counted(count: int, noun: str) -> str:
    """`no tokens`, `one token`, `3 tokens`."""
    return f"one {noun}" if count == 1 else f"{count or 'no'} {noun}s"


def capital(sentence: str) -> str:
    """The sentence with a capital first letter."""
    return sentence[:1].upper() + sentence[1:]
