"""How stories were told in recordings of earlier versions: the words of then, and of today."""

import re
from collections.abc import Sequence

CHANGES = tuple(
    (re.compile(before), after)
    for before, after in (
        (r"\bthe base (\d)", r"base \1"),
        (r"\bThe base (\d)", r"Base \1"),
        (r"^Card (\d+) lies: 2 floors\.$", r"Card \1 makes the second floor."),
        (r"it does not lie as it must \((lies )?(.*)\)\. Once more", r"it does not lie \2. Once more"),
        (r" plays any (\w+) \(", r" plays the any-\1 card ("),
        (r" plays (\w+ \w+) \(", r" plays the \1 card ("),
        (r"^It touches the (\w+ \w+)\.$", r"It touches the \1 block."),
        (r" touches (table|floor) \.\.\.$", r" touches the \1 ..."),
        (r" pulls at the ([^,]+), on ", r" pulls at the \1 on "),
        (r"^\.\.\. out it is!$", "... it is out!"),
        (r" lets it be\.$", " leaves it where it is."),
        (r" must go back\.$", " must be put back."),
        (r"^(- .*: (?:\d+|one) blocks? left), (\d+) points?$", r"\1, worth \2"),
        (r"^(- .*: (?:\d+|one) blocks? left), one point$", r"\1, worth 1"),
        (r"^(- .*: no blocks left), no points$", r"\1"),
        (r"its centre is not the highest\.$", "its centre is not the highest of the tower."),
        (r"it touches more than the tower", "it touches something besides the tower"),
        (r"it is not on top of the tower", "it does not lie face up on top of the tower"),
        (r"it covers a red box", "a red box is covered"),
        (r"it is let go too low", "it was let go too low"),
        (r", on top of one\.$|, on top of 1\.$", " to go on top of one block."),
        (r", on top of (\d+)\.$", r" to go on top of \1 blocks."),
        (r" block, for a new tower\.$", " block for a new tower."),
        (r": a foul\. Once more\.$", ": a foul. Try again."),
        (r"^(.*) lets (.*) drop among the others\.$", r"\1 puts \2 back."),
        (r"^\.\.\. it stays: (.*) pieces high\.$", r"... it stays: a tower of \1 pieces."),
        (r" leans against (.*)'s tower\.$", r" touches \1's tower."),
        (r" did not get a piece and chooses again, ", " did not get a piece and chooses again: "),
        (r"may touch the own tower only", "may touch only its own tower"),
        (
            r"it does not lie in the row that is being built on top",
            "it lies in no free place of the row on top",
        ),
        (
            r"it does not lie beside the other bricks of its row",
            "it is not in its place beside the other bricks of its row",
        ),
        (
            r"The referee shakes the head: (\w+) would bring it down\. Two others may be pulled\.",
            r"The referee says no: \1 would bring it down. Two others may be pulled instead.",
        ),
        (r"The referee nods: (\w+) can be had\.", r"The referee says that a \1 brick can be pulled."),
        (r"^Play turns round\.$", "The direction of play turns."),
        (r"^One more brick, for nothing\.$", "One more brick, for no points."),
        (r"^CRASH! Nothing left to pull: ", "Nothing is left to pull, which counts as a topple: "),
        (r"^CRASH! [\w ]+ bricks? down: ", "CRASH! "),
        (r"^One brick more(?: comes down)?\.$", "One more brick comes down."),
        (r"^(\w+) bricks more\.$|^(\w+) bricks more come down\.$", r"\1\2 more bricks come down."),
        (r" sit round (\d+) bricks, ", r" sit around a tower of \1 bricks, "),
        (r" trembles, no more\.$", " trembles, nothing more."),
        (r" down to begin anew\.$", " down to start over."),
        (r" The thread goes up beside every tower\.$", " Now the towers are measured."),
        (r"^(- [^:]*): ((?:an?|two|three|four|five|six) .*bricks?\b.*)$", r"\1 must pull \2"),
        (
            r"a (\w+) brick, but none is in play: two others",
            r"two bricks, one of a colour other than \1",
        ),
    )
)
"""Add a row when a line of a story is worded anew, so that recordings made before still agree."""
LOOSER = tuple(
    (re.compile(before), re.compile(after))
    for before, after in (
        (r"^The whole tower comes down!$", r"^The .* block falls!$"),
        (r"^Too tight\. It stays where it is now\.$", r" leaves it where it is now\.$"),
        (r" turns every block and finds no place\. ", r" turns .* about and finds no place\. "),
        (
            r" draws no cards and has to start again\.$",
            r"^No cards are left to draw; .* has to start again\.$",
        ),
        (r"^No cards are left to draw; .* has to start again\.$", r" lays the block again\.$"),
        (r" wins?: the tower collapsed\.$", r" has brought the tower down\. "),
        (r" wins?: nobody can move\.$", r"^Nobody can move\. "),
        (r" share it: .*: a draw\.$", r" draw: "),
        (r" share it: .*; the tallest tower wins\.$", r", and their towers are equally tall\.$"),
        (r"player's own area\.$", r"player's own area\. Once more\.$|player's own area\.$"),
    )
)
"""Lines that say more today than they did: how they were told, and how they are."""
NO_NEWS = re.compile(r"^The measurer reads ")
"""What was told each time, and is now told only when it has changed."""


def says_the_same(before: Sequence[str], today: Sequence[str]) -> bool:
    """Returns whether a story of then is that of today, in today's words."""
    if len(before) != len(today):
        before = [line for line in before if not NO_NEWS.match(line)]
    return len(before) == len(today) and all(map(_is_alike, before, today))


def _is_alike(before: str, today: str) -> bool:
    for then, now in CHANGES:
        before = then.sub(now, before)
    return before == today or any(then.search(before) and now.search(today) for then, now in LOOSER)
