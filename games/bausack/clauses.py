"""The rule book of Bausack, clause by clause, in our words."""

from __future__ import annotations

from games.core.clauses import Clause

CLAUSES = (
    Clause(
        "BS-01",
        "70 wooden pieces lie in reach of all. Every player has 10 tokens, always visible, "
        "and a flat area of about 610 x 610 mm.",
        "No two pieces are alike but the eight bases. By option fewer pieces are in play, "
        "drawn by lot. All areas lie on one table.",
    ),
    Clause(
        "BS-02",
        "A player's first piece, by Build or by Push, is the foundation, the only one that may "
        "touch the table.",
        "Any piece will do. It is laid inside the own area and may shift or tip; one that "
        "comes to rest outside the area, or falls off the table, is a collapse.",
    ),
    Clause(
        "BS-03",
        "Every other piece lies on the foundation or on pieces of the own tower.",
        "A piece that lies anywhere else, or at rest against another tower, is its owner's collapse.",
    ),
    Clause(
        "BS-04",
        "An accepted piece must be placed before play goes on.",
    ),
    Clause(
        "BS-05",
        "No hand touches a placed piece; an accepted piece in the hand may push the own ones.",
        "It may not touch another tower.",
    ),
    Clause(
        "BS-06",
        "A piece let go is placed: it is not picked up or adjusted again, except as in BS-05.",
    ),
    Clause(
        "BS-07",
        "Tokens are never gained.",
    ),
    Clause(
        "BS-08",
        "A tower collapses when, at any time and for any reason, a piece of it other than the "
        "foundation touches the table; also the piece that is just being placed.",
        "A held piece counts from the moment it is lifted to be placed, not while it is only "
        "looked at. Lying on pieces of the supply and falling off the table count as touching.",
    ),
    Clause(
        "BS-09",
        "The player is out at once: all their pieces go back to the supply, all their tokens to the bank.",
        "The pieces stay where they fall until everything rests, and return before anything "
        "else happens; if taking them away fells another tower, that counts. An auction whose "
        "highest bidder goes out is void: nobody pays, and the player on turn chooses again.",
    ),
    Clause(
        "BS-10",
        "If it happens on a turn before a piece was chosen, the returned pieces can be chosen.",
    ),
    Clause(
        "BS-11",
        "A falling or scattering piece that hits another tower can collapse it too: that "
        "player is out as well.",
        "In the order of the simulation's steps.",
    ),
    Clause(
        "BS-12",
        "The youngest player starts, then clockwise. A turn is a Build or a Push, then the turn passes.",
        "The youngest is the first named, or an option. Players who are out are skipped.",
    ),
    Clause(
        "BS-13",
        "To choose, the player may pick up any pieces of the supply and look at them, but touch no tower.",
        "One at a time; naming the bid or the Push makes the choice of the piece in the hand.",
    ),
    Clause(
        "BS-14",
        "Build: the player on turn opens with a bid of 0 or more; then, clockwise, each passes "
        "or bids more, up to the tokens they have.",
        "Whole tokens; round and round, the opener included, until all but the highest have "
        "passed. Bids stand. When all others pass, the opener pays and places.",
    ),
    Clause(
        "BS-15",
        "Who has passed is out of this auction.",
    ),
    Clause(
        "BS-16",
        "The highest bidder pays the bid to the bank and places the piece at once.",
    ),
    Clause(
        "BS-17",
        "A player on turn who was outbid must choose again after the other has placed: another "
        "Build, or a Push.",
        "If no piece is left the game ends (BS-20); if the player is out meanwhile, the turn passes.",
    ),
    Clause(
        "BS-18",
        "Push: the chosen piece goes to the next player, who accepts and places it or pays 1 "
        "token and passes it on; every further pass costs one token more.",
        "Who cannot pay accepts. It may come round to the player who pushed it, who is treated "
        "alike. If a receiver goes out, it goes on to the next at the same price.",
    ),
    Clause(
        "BS-19",
        "The player whose tower is the last to stand wins, even if it falls a moment later.",
        "The simulation's steps decide. A player without a foundation yet is still in. One "
        "left ends the game at once; those who go out last in the same step share a draw.",
    ),
    Clause(
        "BS-20",
        "When all pieces are placed and more than one player is left, the game is a draw.",
        "Judged when everything rests.",
    ),
    Clause(
        "BS-21",
        "The height measurer shows every tower's height, and its best so far.",
        "By the option `tallest` the tallest tower still standing wins when all pieces are "
        "placed; equal heights share.",
    ),
    Clause(
        "BS-22",
        "For several players.",
        "2 to 8 players.",
    ),
)
