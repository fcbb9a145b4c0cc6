"""The panels of the sandbox, and what their buttons and sliders come to: the same in the window and in browsers."""

import math
from dataclasses import dataclass, replace

from teeter.engine.view.panels import Button, Gap, Item, Panel, Row, Slider, Text, Tone
from teeter.engine.world.body import Assembly
from teeter.games.core.words import capital, listed
from teeter.games.present.asking import CheckAnswer
from teeter.games.present.client_state import ClientState
from teeter.games.present.naming import as_called, game_of, piece_name
from teeter.games.present.pictures import of_piece
from teeter.games.server.messages import Act, Do, Fetch, Order, Shove, Tilt
from teeter.models.catalogue import catalogue
from teeter.models.catalogue import games as catalogues
from teeter.scenes.dump import dump
from teeter.scenes.formats.write import glb_of, lost_in_glb, tabled
from teeter.scenes.scene import Scene, SceneError

MOST_OFF = 4
"""Pieces on the floor that are listed."""
WEAK = "#e07a2f"
TONES: dict[str, Tone] = {"stands": "good", "topples": "bad", "unsure": "warn"}
MOST_PUSH, MOST_TILT = 5.0, 30.0
"""Newtons, degrees."""
DIRECTIONS = (
    "to the right",
    "away, to the right",
    "away",
    "away, to the left",
    "to the left",
    "nearer, to the left",
    "nearer",
    "nearer, to the right",
)
"""Counter-clockwise, as seen from above."""


@dataclass(frozen=True, slots=True)
class SandboxLook:
    """What somebody is about to do. shelf: the catalogue that is open. push, tilt, towards: newtons, degrees, and
    degrees from +x. clears: everything is put away at the next press. right: what is to the right of who looks, a
    level vector. file: rows about a file to be read; has_files: whether any can be. said: how saving went;
    has_failed: whether it failed."""

    shelf: str = ""
    push: float = 1.0
    tilt: float = 0.0
    towards: float = 0.0
    clears: bool = False
    right: tuple[float, float] = (1.0, 0.0)
    is_checking: bool = False
    finding: CheckAnswer | None = None
    has_files: bool = False
    file: tuple[Item, ...] = ()
    said: str = ""
    has_failed: bool = False


def panels(client: ClientState, chosen: str, key: str, look: SandboxLook) -> tuple[Panel, ...]:
    """Returns what lies over the table. chosen: the piece that would be pushed; empty for the top one. key: of the
    check."""
    return (_tools(client, chosen, key, look), *((_pieces(look),) if look.shelf and not client.held else ()))


def _tools(client: ClientState, chosen: str, key: str, look: SandboxLook) -> Panel:
    can = client.waits is not None and not client.held
    is_built = can and bool(client.in_play)
    pushed = called(client, chosen) if chosen in client.in_play else "the top piece"
    pieces = Button("shelf", "Pieces", is_on=bool(look.shelf))
    items: list[Item] = [Row((pieces, Button("check", "Check", key=key, is_enabled=is_built)))]
    save = Button("save", "Save", is_enabled=is_built and bool(client.in_play - {*client.off_table}))
    items.append(Row((Button("file", "From a file"), save) if look.has_files else (save,)))
    if is_built:
        items.append(Button("clear", "Put everything away? Once more." if look.clears else "Clear"))
    items += [
        *look.file,
        Slider("push", "push", look.push, 0.0, MOST_PUSH, f"{look.push:.2f} N"),
        Slider("towards", "towards", look.towards, 0.0, 360.0, _direction(look), steps=len(DIRECTIONS)),
        Button("shove", f"Push {pushed}", is_enabled=is_built),
        Slider("tilt", "tilt", look.tilt, 0.0, MOST_TILT, f"{look.tilt:.1f} degrees"),
        *_on_floor(client, can),
        *_checked(client, look),
    ]
    if look.said:
        items.append(Text(look.said, "bad" if look.has_failed else "accent", "small"))
    return Panel("sandbox", "top-right", tuple(items), "Sandbox", width=270)


def _on_floor(client: ClientState, can: bool) -> list[Item]:
    off, items = client.off_table, list[Item]()
    for name in off[:MOST_OFF]:
        said = Text(f"{capital(called(client, name))}: on the floor", "warn", "small")
        items.append(Row((said, Button(f"fetch:{name}", "Bring back", is_enabled=can)), (1.3, 1.0)))
    if len(off) > MOST_OFF:
        items.append(Text(f"and {len(off) - MOST_OFF} more on the floor", "warn", "small"))
    return items


def _checked(client: ClientState, look: SandboxLook) -> list[Item]:
    finding, off = look.finding, client.off_table
    if finding is None:
        return [Text("the checker thinks ...", "quiet")] if look.is_checking else []
    items: list[Item] = []
    if finding.word:
        items.append(Text(finding.word.upper(), TONES[finding.word], "large", bold=True))
    if finding.told:
        items.append(Text(finding.told, "quiet", "small"))
    if off:
        items.append(Text(f"{capital(called(client, *off))} on the floor: left out", "quiet", "small"))
    if finding.weakest:
        first = f"{capital(called(client, finding.weakest))} goes first"
        items.append(Text(first, size="small", mark=WEAK))
    return items


def called(client: ClientState, *names: str) -> str:
    """Returns what people call pieces."""
    words = [client.game.rules.called(client.state, name) for name in names]
    return listed(as_called(client.game, words, client.state))


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """What lies on the table as a file. ending: of its name. lost: what it does not hold."""

    ending: str
    content: bytes
    lost: str = ""


def built(client: ClientState, scene: Scene | None) -> BuiltFile:
    """Returns what lies on the table as a scene file, or as `.glb` where that cannot hold a mesh. scene: what it began
    with. Raises SceneError."""
    lying = client.lying()
    # a pair of which one does not lie there is none
    there = {body.name for body in lying}
    kept = [replace(body, rolling=tuple(pair for pair in body.rolling if pair[0] in there)) for body in lying]
    assembly = Assembly("Built by hand", tuple(kept))
    if not assembly.free:
        raise SceneError.of("Nothing lies on the table", "there is nothing to save")
    whole = Scene.of(assembly)
    if scene is not None:
        whole = replace(scene, assembly=assembly, head=scene.head.without_expectation())
    try:
        return BuiltFile(".toml", dump(tabled(whole)).encode())
    except SceneError:
        return BuiltFile(".glb", glb_of(whole), lost_in_glb(whole))


def saved_as(client: ClientState, file: object, lost: str = "") -> str:
    """Returns what is said of a file that was written."""
    off = f"what is on the floor ({called(client, *client.off_table)})" if client.off_table else ""
    without = [each for each in (off, lost) if each]
    return f"saved as {file}{f' without {listed(without)}' if without else ''}"


def _direction(look: SandboxLook) -> str:
    """Where things are pushed, as it is seen."""
    turned = look.towards - math.degrees(math.atan2(look.right[1], look.right[0]))
    return DIRECTIONS[round(turned / 45.0) % 8]


def _pieces(look: SandboxLook) -> Panel:
    shelves = tuple(
        Button(f"shelf:{name}", game_of(name).title, is_on=name == look.shelf) for name in catalogues()
    )
    names = sorted(catalogue(look.shelf), key=piece_name)
    buttons = [Button(f"piece:{name}", piece_name(name), image=of_piece(name)) for name in names]
    rows: list[Item] = [Row(shelves[:2]), Row(shelves[2:]), Gap(4)]
    rows += [Row(tuple(buttons[k : k + 2])) for k in range(0, len(buttons), 2)]
    return Panel("pieces", "left", tuple(rows), "Pieces", width=320)


def pressed(look: SandboxLook, name: str) -> SandboxLook:
    """Returns how it is looked at once a button was pressed."""
    kind, _, rest = name.partition(":")
    look = replace(look, clears=kind == "clear" and not look.clears)
    if kind == "shelf" and (not rest or rest in catalogues()):
        return replace(look, shelf=rest or ("" if look.shelf else catalogues()[0]))
    return look


def slid(look: SandboxLook, name: str, value: float) -> SandboxLook:
    """Returns how it is looked at once a slider was dragged."""
    if name == "push":
        return replace(look, push=min(max(value, 0.0), MOST_PUSH))
    if name == "towards":
        return replace(look, towards=value % 360.0)
    return replace(look, tilt=min(max(value, 0.0), MOST_TILT)) if name == "tilt" else look


def order_of(client: ClientState, look: SandboxLook, name: str, chosen: str = "") -> Order | None:
    """Returns the order of a button, as it is looked at before the press; None for one that gives none."""
    kind, _, rest = name.partition(":")
    if kind == "piece":
        return Do(client.bring(rest))
    if kind == "fetch":
        return Fetch(rest)
    if kind == "clear" and look.clears:
        return Act.CLEAR
    pieces = [body for body in client.lying() if body.name in client.in_play]
    if kind == "shove" and pieces:
        top = max(pieces, key=lambda body: (body.pose.position[2], body.name)).name
        return Shove(chosen if chosen in client.in_play else top, look.push, look.towards)
    return Tilt(look.tilt, look.towards) if kind == "tilt" else None
