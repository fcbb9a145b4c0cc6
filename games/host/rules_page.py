"""The rules of the hosted game as a page: the guide in pictures, then every clause. No secret and no script."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from teeter.engine.view.page.html import digest
from teeter.games.core.clauses import SHARED
from teeter.games.faults import or_else
from teeter.games.game import Game
from teeter.games.present.guide import guide_of, picture_of
from teeter.games.registry import clauses_of

STYLE = """
body { margin: 0 auto; padding: 16px; max-width: 720px; background: #f7f3ea; color: #2b2620;
  font: 1rem/1.45 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 8px }
.turn { display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); gap: 16px; margin: 16px 0 }
figure, dd { margin: 0 }
img { width: 100%; border-radius: 8px; display: block; aspect-ratio: 16/9; background: #ded6c8 }
figcaption { margin-top: 6px }
.loses { color: #b0301c }
dt { font-weight: 600; margin-top: 8px }
summary { cursor: pointer; padding: 8px 0 }
"""
AGAIN_S = 3
"""Seconds after which a page that lacks pictures asks again."""


def pictures(game: Game) -> list[str]:
    """Returns the names of the pictures that the page shows."""
    guide = or_else("the rules in pictures", lambda: guide_of(game), None)
    return [] if guide is None else [picture_of(game, str(number)) for number in range(len(guide.step))]


def rules_page(
    game: Game, picture: Callable[[str], str], *, is_drawing: bool, house: str = ""
) -> tuple[str, str]:
    """Returns the page and its Content-Security-Policy. picture: a picture by its name as a `data:` address, empty
    while there is none. is_drawing: there may be more of them soon. house: what is not played as printed here."""
    guide = or_else("the rules in pictures", lambda: guide_of(game), None)
    parts = [f"<h1>{escape(game.title)}</h1>", f"<p><strong>{escape(house)}</strong></p>" if house else ""]
    shown = [picture(name) for name in pictures(game)]
    if guide is not None:
        images = (f'<img alt="" src="{link}">' if link else "" for link in shown)
        steps = (f"<figcaption>{n}. {escape(step.text)}</figcaption>" for n, step in enumerate(guide.step, 1))
        turn = "".join(f"<figure>{a}{b}</figure>" for a, b in zip(images, steps, strict=True))
        parts += [
            f"<p><strong>{escape(guide.aim)}</strong></p>",
            f'<div class="turn">{turn}</div>',
            f'<p class="loses">{escape(guide.loses)}</p>',
        ]
    clauses = sorted(clauses_of(game), key=lambda clause: clause in SHARED)
    rows = "".join(f"<dt>{escape(clause.id)}</dt><dd>{escape(clause.text)}</dd>" for clause in clauses)
    is_open = "" if guide is not None else " open"
    parts.append(f"<details{is_open}><summary>All rules, clause by clause</summary><dl>{rows}</dl></details>")
    again = f'<meta http-equiv="refresh" content="{AGAIN_S}">' if is_drawing and not all(shown) else ""
    text = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{again}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(game.title)}: rules</title><style>{STYLE}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )
    policy = (
        f"default-src 'none'; img-src data:; style-src '{digest(STYLE)}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    return text, policy
