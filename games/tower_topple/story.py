"""A game of Tower Topple told in sentences: for logs, captions and golden transcripts."""

from collections import Counter

from teeter.games.core.events import Fell, Met, Nudged, Placed, RefereeAnswer, Released, Removed, Rested
from teeter.games.core.rules import Input, Take, TakeBack
from teeter.games.core.words import capital, counted, listed, ordinal, won
from teeter.games.tower_topple.rules_rows import SLOTS, brick_of, is_full, place_of
from teeter.games.tower_topple.rules_turns import scores
from teeter.games.tower_topple.state import Leave, Phase, Print, Sort, State

TRIES = ("tries", "puts a finger on", "goes for", "taps", "has an eye on", "wiggles")
COUNTED = ("no", "one", "two", "three", "four", "five", "six")


def opening(state: State) -> tuple[str, ...]:
    """Who sits round which tower, and what is played for."""
    names = listed([seat.name for seat in state.seats])
    house = state.house
    points = {
        "printed": "points as printed",
        "one": "one point for every brick",
        "none": "no points, but topples count",
    }
    played = points[house.points] + (", instructions as printed" if house.instructions else "")
    length = f"first to {counted(house.target, 'point')}" if house.target else _many(house.rounds, "round")
    return (
        f"{names} sit around a tower of {len(state.bricks)} bricks, {len(state.tower)} rows high.",
        f"{capital(played)}; {length}. {whose(state)} begins.",
    )


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    return (*_lines(before, given, after), *_turn(before, given, after))


def who(state: State) -> str:
    """Who pulls: the player on turn, or the member of the team whose turn it is."""
    return state.seats[state.turn].members[state.pullers[state.turn]].name


def whose(state: State) -> str:
    """The same, with the team."""
    name, team = who(state), state.seats[state.turn].name
    return name if name == team else f"{name} for {team}"


def called(state: State, brick: str) -> str:
    """What people call a brick: by where it stands, or by how it looks on the table."""
    return {**fallen_called(state), **standing_called(state)}.get(brick, "the brick in the hand")


def standing_called(state: State) -> dict[str, str]:
    """What people call the bricks in the tower: by colour and place, rows counted from the table."""
    colours = {brick.id: f"{brick.colour} " for brick in state.bricks if brick.colour}
    return {
        brick: f"the {slot} {colours.get(brick, '')}brick of row {number}"
        for number, row in enumerate(state.tower, 1)
        for slot, brick in zip(SLOTS, row, strict=True)
        if brick
    }


def fallen_called(state: State) -> dict[str, str]:
    """What people call the bricks that lie on the table: by colour, and counted where several look alike."""
    colours = {brick.id: brick.colour for brick in state.bricks}
    looks = {brick: f"fallen {colours[brick]} brick".replace("  ", " ") for brick in state.fallen}
    alike = Counter(looks.values())
    seen: Counter[str] = Counter()
    words = {}
    for brick, look in looks.items():
        seen[look] += 1
        words[brick] = f"the {ordinal(seen[look])} {look}" if alike[look] > 1 else f"the {look}"
    return words


def demand(state: State) -> str:
    """What the player on turn owes, in words; empty when it is any one brick."""
    pairs = len([task for task in state.owed if task.sort is Sort.TWO])
    words = {
        Sort.COLOUR: "a {} brick",
        Sort.EITHER: "two bricks, one of a colour other than {}",
        Sort.TWO: f"{COUNTED[min(pairs, 6)]} bricks",
        Sort.EDGE: "an edge brick",
        Sort.CENTRE: "a centre brick",
    }
    return ", then ".join(
        [words[task.sort].format(task.colour) for task in dict.fromkeys(state.owed) if task.sort in words]
    )


def _turn(before: State, entry: Input, after: State) -> tuple[str, ...]:
    if after.reason is not None:
        share = f"{listed(after.winners)} share the win" if len(after.winners) > 1 else won(after.winners)
        return (f"{share}: {after.reason.text}.",)
    if after.round != before.round:
        standing = ", ".join(_standing(after))
        return ("", f"Round {after.round}. The tower stands again. {standing}.", f"- {whose(after)}")
    if not (isinstance(entry, Placed) and _is_new_turn(before, entry, after)):
        return ()
    skipped = [
        f"{seat.name} sits out."
        for seat, old, new in zip(after.seats, before.skips, after.skips, strict=True)
        if new < old
    ]
    owed = demand(after)
    return (*skipped, f"- {whose(after)}{' must pull ' + owed if owed else ''}")


def _standing(state: State) -> list[str]:
    """Points; in a game without them, topples."""
    if state.house.points == "none":
        pairs = zip(state.seats, state.topples, strict=True)
        return [f"{seat.name} {counted(count, 'topple')}" for seat, count in pairs]
    return [f"{seat.name} {total}" for seat, total in zip(state.seats, scores(state), strict=True)]


def _is_new_turn(before: State, event: Placed, after: State) -> bool:
    more = before.owed if before.gathered else before.owed[1:]
    down = after.phase is Phase.TOPPLED
    return not (event.broken or more or before.fallen or after.silent or down)


def _lines(before: State, entry: Input, after: State) -> tuple[str, ...]:
    match entry:
        case RefereeAnswer() if entry.yes:
            colour = before.owed[0].colour
            return (f"The referee agrees: {colour} would bring it down. Two others may be pulled instead.",)
        case RefereeAnswer():
            return (f"The referee says that a {before.owed[0].colour} brick can be pulled.",)
        case Take() if after.gathered:
            return (f"{who(before)} picks up what fell.",)
        case Take():
            tries = TRIES[(len(before.seen) + before.round) % len(TRIES)]
            return (f"{who(before)} {tries} {called(before, entry.piece)}.",)
        case TakeBack():
            return ("... and thinks better of it.",)
        case Leave():
            return (f"{who(before)} leaves it where it is now.",)
        case Met() if before.met:
            return ()
        case Met():
            return ("It moves." if before.phase is Phase.PULL else "It touches the tower.",)
        case Nudged():
            return (f"A neighbour comes along by {entry.mm:.1f} mm.",)
        case Removed():
            return (f"Out it comes{_read(before, after)}{_gains(before, after)}",)
        case Released():
            return ("Up it goes ...",)
        case Placed():
            return _placing_lines(before, entry, after)
        case Rested() if before.phase is Phase.TOPPLED:
            return ("The last brick rolls to a halt.",)
        case Rested():
            return ("The tower holds still.",)
    assert isinstance(entry, Fell)
    return _fall_lines(before, entry, after)


def _read(before: State, after: State) -> str:
    # who sees what a player sees learns the print only now (TT-03)
    brick, house = brick_of(after, before.held), before.house
    if not house.instructions and house.points != "printed":
        return "."
    if brick.print is Print.PLAIN:
        return "." if brick.colour else ", plain."
    return f'. "{capital(brick.print.value)}."'


def _gains(before: State, after: State) -> str:
    changed = [
        f"{seat.name} {new - old:+} ({new})"
        for seat, old, new in zip(after.seats, before.scores, after.scores, strict=True)
        if new != old
    ]
    return f" {', '.join(changed)}." if changed else ""


def _placing_lines(before: State, event: Placed, after: State) -> tuple[str, ...]:
    if event.broken:
        return (f"... but {listed([condition.missed for condition in event.broken])}. Once more.",)
    if after.phase is Phase.TOPPLED:
        return _down(before, after)
    number, slot = place_of(after, event.piece)
    lines = [f"... {SLOTS[slot]} in row {number + 1}.{_gains(before, after)}"]
    if is_full(after.tower[-1]):
        lines.append(f"Row {number + 1} is full; row {number} comes into play.")
    if after.direction != before.direction:
        lines.append("The direction of play turns.")
    if after.silent > before.silent:
        lines.append("One more brick, for no points.")
    return tuple(lines)


def _fall_lines(before: State, event: Fell, after: State) -> tuple[str, ...]:
    if before.phase is Phase.TOPPLED:
        comes = "comes" if len(event.pieces) == 1 else "come"
        return (f"{capital(_many(len(event.pieces), 'more brick'))} {comes} down.",)
    if after.phase is Phase.TOPPLED:
        return _down(before, after, len(event.pieces))
    if event.pieces == (before.held,):
        read = _read(before, after) if before.phase is Phase.PULL else "."
        return (f"It slips to the table and is picked up again{read}{_gains(before, after)}",)
    return (f"{capital(_many(len(event.pieces), 'brick'))} on the table, but the tower stands.",)


def _down(before: State, after: State, bricks: int = 0) -> tuple[str, ...]:
    lead = "CRASH!" if bricks else "Nothing is left to pull, which counts as a topple:"
    return (f"{lead} {who(before)} topples the tower.{_gains(before, after)}",)


def _many(count: int, what: str) -> str:
    return f"{COUNTED[count] if count < len(COUNTED) else count} {what}{'' if count == 1 else 's'}"
