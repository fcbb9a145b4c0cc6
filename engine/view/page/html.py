"""The HTML file itself: one script, one style, and data that is never run.

Every text from a recording or a scene is data: JSON in an element that browsers do not run, with the signs that could
end it escaped, and shown as text. The Content-Security-Policy names script and style by their SHA-256 and forbids all
else, so nothing else runs, and no request leaves the page.
"""

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from teeter.engine.view.page.blob import Blob
from teeter.engine.view.page.bodies import light, shaders
from teeter.models.files import OutputError, whole_or_nothing

FOLDER = resources.files("teeter.engine.view.page")
SCRIPT, STYLE = "page.js", "page.css"
ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""What could end the element that JSON stands in, as JSON writes it."""
OF_SEAT = ("connect-src 'self'", "img-src data:")
"""What the page of a seat needs beside: the line to its own server, and pictures that came on that line."""


def policy(allowed: Sequence[str] = ()) -> str:
    """Returns the Content-Security-Policy of pages. allowed: directives for what a page needs beside."""
    own = (
        "default-src 'none'",
        f"script-src '{digest(_file(SCRIPT))}'",
        f"style-src '{digest(_file(STYLE))}'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
    return "; ".join((*own, *allowed))


def page(data: Mapping[str, Any], blob: Blob, allowed: Sequence[str] = ()) -> str:
    """Returns the text of a page. data: `title`, and `kind`: what its script shows. allowed: as in `policy`.

    Raises OutputError.
    """
    script, style = _file(SCRIPT), _file(STYLE)
    whole = {**data, "shaders": shaders(), "light": light()}
    text = json.dumps(whole, allow_nan=False, separators=(",", ":")).translate(ESCAPES)
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(allowed)}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{html.escape(str(data['title']))}</title>\n<style>{style}</style>\n</head>\n<body>\n",
            f'<script type="application/json" id="data">{text}</script>\n',
            f'<script type="application/octet-stream" id="blob">{blob.text()}</script>\n',
            f"<script>{script}</script>\n</body>\n</html>\n",
        )
    )


def seat_page(title: str) -> tuple[str, str]:
    """Returns the page of a seat at a hosted table, and the Content-Security-Policy that its answer has to say too.

    It holds no game, and hears everything from the server that sent it. A policy in the page alone cannot forbid other
    pages to show it in a frame. Raises OutputError.
    """
    text = page({"kind": "seat", "title": title}, Blob(), OF_SEAT)
    return text, policy((*OF_SEAT, "frame-ancestors 'none'"))


def save(path: Path, text: str, *, force: bool = False) -> None:
    """Writes a page. force: a file that is there may be replaced. Raises OutputError when it cannot be written."""
    if path.suffix.lower() != ".html":
        raise OutputError(f'{path}: pages are written as .html (got "{path.suffix}")')
    with whole_or_nothing(path, force=force) as part:
        part.write_text(text, encoding="utf-8")


def _file(name: str) -> str:
    file = FOLDER.joinpath(name)
    if not file.is_file():
        raise OutputError(
            f"{file}: the script of pages is missing; install teeter again, or run `make page` in a checkout"
        )
    return file.read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Returns the name by which a Content-Security-Policy allows a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
