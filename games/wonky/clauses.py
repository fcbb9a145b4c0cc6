"""The rule book of Wonky, clause by clause, in our words."""

from __future__ import annotations

from games.core.clauses import Clause

CLAUSES = (
    Clause(
        "WK-01",
        "Nine wooden blocks: small, medium and large, each in three colours.",
        "Green, blue, purple; edges of 30, 38 and 46 mm; three flat faces meet at a corner, "
        "the other three bulge.",
    ),
    Clause(
        "WK-02",
        "Seven of the 54 cards are dealt to each player; more than six players get fewer, so "
        "that a draw deck remains.",
        "As many as leave six cards to draw, at least three. The deck: 27 exact blocks (three "
        "each), 9 any size of a colour, 9 any colour of a size (three each), 3 pass, 2 "
        "reverse, 2 combo draw, 2 combo reverse; a combo card takes any free block.",
    ),
    Clause(
        "WK-03",
        "The tallest player begins; play goes clockwise.",
        "The tallest is the first named, or an option.",
    ),
    Clause(
        "WK-04",
        "A turn: play one card to the discard pile, then, if it asks for one, add a block.",
    ),
    Clause(
        "WK-05",
        "A block card: a matching block from outside the tower goes on top; with no tower "
        "standing it starts one in the centre.",
    ),
    Clause(
        "WK-06",
        "A card can be played only if a matching block is outside the tower.",
    ),
    Clause(
        "WK-07",
        "Without a playable card: draw until one is playable; it may be played at once.",
        "Only that card may be played; declining keeps it and ends the turn. Who holds a "
        "playable card must play one. With nothing left to draw the turn passes.",
    ),
    Clause(
        "WK-08",
        "Pass: the turn ends without a block.",
    ),
    Clause(
        "WK-09",
        "Reverse: the direction of play turns.",
        "Between two players it only passes the turn, like a pass.",
    ),
    Clause(
        "WK-10",
        "A combo card: first the block; only if it stands does the effect take place. Draw: "
        "the next player draws one card, then plays as usual. Reverse: the direction turns.",
    ),
    Clause(
        "WK-11",
        "One hand places the block at the top of the tower, building up.",
        "When the count is over its centre is the highest of the tower and it touches tower "
        "blocks only; ending on the table or beside the tower counts as a fall.",
    ),
    Clause(
        "WK-12",
        "No block of the tower may be nudged.",
        "Moving one by more than 1 mm before the release is a foul: the hand goes back, the "
        "tower is put as it was, and the player places again. By option the third foul in a "
        "turn counts as a fall.",
    ),
    Clause(
        "WK-13",
        "Count to three: a tower standing then is a success, and it is at once the next player's turn.",
        "3.0 s from the release. Still moving but nothing fallen is a success; a later fall "
        "is the next player's. The order: count, ninth block, empty hand, effect, next turn.",
    ),
    Clause(
        "WK-14",
        "If a block of the tower falls at any point of a turn, the player draws three cards "
        "at once, plays another card and starts a new tower before the turn ends.",
        "All nine blocks are free again. The card must be a block or combo card: without one "
        "the player draws until there is one. Its effect holds, the first one's is lost. A "
        "fall before a card was played: one card in all. A fall after a pass or reverse: that "
        "action stands, and the rest follows likewise.",
    ),
    Clause(
        "WK-15",
        "When the deck is empty, the discard pile is shuffled into a new one.",
        "With both empty the draw is skipped.",
    ),
    Clause(
        "WK-16",
        "The first player without cards at the end of their own turn wins; the last card may "
        "not be an action card.",
        "So an action card held alone is not playable (WK-07); one drawn while another card "
        "is held is. A combo may be last, its effect is void.",
    ),
    Clause(
        "WK-17",
        "Adding the ninth block successfully wins at once, however many cards are left.",
    ),
    Clause(
        "WK-18",
        "From two players up.",
        "2 to 16 players.",
    ),
)
