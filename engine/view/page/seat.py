"""The page of a seat at a hosted table: it holds no game, and hears everything from the server that sent it."""

from __future__ import annotations

from engine.view.page.blob import Blob
from engine.view.page.html import page, policy

ALLOWED = ("connect-src 'self'", "img-src data:")
"""What it needs beside what every page needs: the line to its own server, and pictures that came on that line."""


def seat_page(title: str) -> tuple[str, str]:
    """Returns the text of the page, and the Content-Security-Policy that its answer has to say too.

    A policy in the page alone cannot forbid other pages to show it in a frame. Raises OutputError.
    """
    return page({"kind": "seat", "title": title}, Blob(), ALLOWED), policy(
        (*ALLOWED, "frame-ancestors 'none'")
    )
