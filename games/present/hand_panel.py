"""The panel of the hand: what is told of the piece in it, and a button for each thing that keys do with it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from teeter.engine.view.panels import Button, Item, Meter, Panel, Row, Text, Tone
from teeter.games.core.rules import Wait
from teeter.games.present.asking import Risk
from teeter.games.present.client_state import ClientState
from teeter.games.present.hand import HandControl
from teeter.games.present.hud_state import HudState
from teeter.games.present.settings import Settings

PER_ROW = 6
"""Buttons of the hand side by side."""
NUDGES = ("lay", "places", "turn_left", "flip", "tilt", "lift")
SCANNED = ("lower", "left", "right", "far", "near", "fine")
"""What buttons do to a held piece; more of it with one button, whose order is that of going through them."""
ALL_NUDGES = (
    ("turn_left", "turn_right", "flip", "tilt", "lift", "lower"),
    ("left", "far", "near", "right"),
    ("places", "hint", "fine", "lay"),
)
"""On a page, where a finger has no keys."""
PULLING = ("tap", "pull_out")
"""To leave it there is a choice, which says what comes of it."""
NAMED = {
    "turn_left": "Turn",
    "hint": "Coach",
    "lift": "Higher",
    "pull_out": "Pull it out",
}
SIGNS = {
    "turn_left": "\u27f2",
    "turn_right": "\u27f3",
    "left": "\u2190",
    "right": "\u2192",
    "far": "\u2191",
    "near": "\u2193",
}
"""What buttons are called, where it is not the act; on a page, where there are more of them."""
TONES: dict[Risk, Tone] = {"safe": "good", "risky": "warn", "falls": "bad", "against": "bad", "": "plain"}
"""Of what the checker says of a place."""


def hand(client: ClientState, settings: Settings, look: HudState) -> tuple[Panel, ...]:
    """Returns what is told of the piece in the hand, and what can be done with it."""
    need = client.need
    if not client.held or client.waits is None or need.wait not in (Wait.HAND, Wait.PULL):
        # a piece that is only looked at cannot be laid
        return ()
    if client.seat not in (None, need.player):
        return ()
    items: list[Item] = []
    if need.wait is Wait.PULL:
        force = client.view.force if client.view is not None else 0.0
        if client.seat is None:
            # a page says it beside the brick
            items.append(Text(f"The hand pulls with {force:.1f} N", "plain", "small"))
        items.append(Meter(force / 6.0, "warn" if force > 3.0 else "accent"))
        free = ("free",) if client.seat is not None else ()
        items.append(Row(tuple(_nudge(act, settings, look) for act in (*free, *PULLING))))
        return (Panel("hand", "bottom", tuple(items), width=640),)
    turned = f"turned {yaw:.0f} degrees" if (yaw := round(look.yaw_deg) % 360) else ""
    where = f"{look.gap_mm:.0f} mm above where it lands" if look.gap_mm is not None else "Nothing is below it"
    items.append(Text(", ".join(filter(None, (where, turned, look.place))), "plain", "small"))
    # what comes and goes stands over the buttons, which the panel at the lower edge keeps where they are
    if look.warning:
        items.append(Text(look.warning, "bad", "small", bold=True))
    if look.hint:
        items.append(Text(look.hint, TONES[look.risk], "small", bold=True))
    if look.is_pointed:
        items.append(replace(_nudge("nearest", settings, look), text="Carry it there"))
    items += _one_button(look) if look.is_scanning else []
    if client.seat is not None:
        rows = [tuple(_nudge(act, settings, look, SIGNS) for act in row) for row in ALL_NUDGES]
    else:
        buttons = tuple(
            _nudge(act, settings, look) for act in (*NUDGES, *(SCANNED if look.is_scanning else ()))
        )
        rows = [buttons[k : k + PER_ROW] for k in range(0, len(buttons), PER_ROW)]
    return (Panel("hand", "bottom", (*items, *map(Row, rows)), width=640),)


def _nudge(act: str, settings: Settings, look: HudState, signs: Mapping[str, str] = NAMED) -> Button:
    """A button for what a key does with a held piece."""
    return Button(
        f"act:{act}",
        signs.get(act) or NAMED.get(act, act.capitalize()),
        "accent" if act in ("lay", "pull_out") else "plain",
        key="" if look.is_scanning else settings.key_said(act, is_pad=look.is_pad),
        is_lit=look.lit == f"act:{act}",
        is_on=(act == "fine" and look.is_fine) or (act == "free" and look.is_free),
    )


def held(own: HandControl) -> dict[str, Any]:
    """Returns what the panel of the hand tells of a piece in it."""
    grip = own.grip
    if grip is None:
        return {"place": own.place_word}
    is_over = grip.landing is not None or grip.is_pulling
    return {"gap_mm": 1e3 * grip.gap if is_over else None, "yaw_deg": grip.yaw, "place": own.place_word}


def _one_button(look: HudState) -> list[Item]:
    """Places to choose from, and the line over the table."""
    if look.places is None:
        return [Text("looking for places ...", "quiet", "small")]
    names = [f"Place {number} of {look.places}" for number in range(1, look.places + 1)]
    buttons = [Button(f"place:{k}", name, is_lit=look.lit == f"place:{k}") for k, name in enumerate(names)]
    rows: list[Item] = [Row(tuple(buttons[k : k + 3])) for k in range(0, len(buttons), 3)]
    return [*rows, Button("line", "Point with a line")]
