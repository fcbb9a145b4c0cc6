"""The rule book of Tower Topple, clause by clause, in our words."""

from __future__ import annotations

from games.core.clauses import Clause

CLAUSES = (
    Clause(
        "TT-01",
        "For two to six players; more may form teams of two or more. Whoever has the most points when "
        "the towers have toppled wins.",
        "Seven and more form teams, six at most, unless the option teams says no; up to 24 players. A "
        "team is the player in every clause; its members take its turns in rotation.",
    ),
    Clause(
        "TT-02",
        "A tower of wooden bricks, stacked in rows of three.",
        "54 bricks of 75 x 25 x 15 mm in 18 rows, each turned by 90 degrees. Sizes and weights vary as "
        "those of real bricks do, or by option not at all.",
    ),
    Clause(
        "TT-03",
        "Two bricks each are blue, green, red and yellow; others carry a print.",
        "Draw blue, green, red, yellow one each; draw two, skip, draw one more, reverse, edge, centre, "
        "lose two, add two, add three two each; all others gain one once; 23 are plain. Colours are seen "
        "always, prints once a brick is out. The bricks are stacked in a new order of chance every "
        "round.",
    ),
    Clause(
        "TT-04",
        "Version 1: points and instructions as printed. Version 2: every brick is worth one point. "
        "Version 3: no points, one brick a turn. Version 4: house rules, agreed before.",
        "Versions 2 and 3 follow no instructions. House rules are options: points, instructions, "
        "colour_points, escape, topple_loses, besides those of all versions.",
    ),
    Clause(
        "TT-05",
        "A pulled brick goes on top, where bricks form rows of three; a full row opens the next.",
    ),
    Clause(
        "TT-06",
        "Neither the topmost full row nor an unfinished row above it may be pulled from. Once a row is "
        "full it is the topmost, and the one below comes into play.",
    ),
    Clause(
        "TT-07",
        "When the tower topples the round ends; the tower is set up again and play goes on.",
        "Any brick that falls makes a topple, but for the one being moved, which is picked up and laid "
        "again. By option more bricks have to fall; fewer are laid on top first, without points. Three "
        "rounds by default, or until a target is reached at the end of a turn; the highest total wins, "
        "ties share; without points the fewest topples win. The player left of who toppled begins; "
        "requirements and skips lapse. A tower with nothing left to pull from counts as toppled.",
    ),
    Clause(
        "TT-08",
        "One turn is one brick pulled and laid on top. Gains count once it lies there and the tower stands.",
        "Minus two and the point for all others take effect when the brick is out, their extras at a "
        "topple before it lies. What was gained before is kept; scores may be negative.",
    ),
    Clause(
        "TT-09",
        "A coloured brick nobody required is worth one point.",
        "So is a plain one.",
    ),
    Clause(
        "TT-10",
        "Draw blue, green, red, yellow, one point: the next player has to pull one of the two bricks of "
        "that colour, and earns three points instead of one.",
    ),
    Clause(
        "TT-11",
        "If either of them would obviously topple the tower, a brick of another colour and one more "
        "brick, any, may be pulled instead, one point each.",
        "Trying the required colour stays allowed; the two come in either order; with no other colour in "
        "play any two. The referee is asked when the requirement falls due.",
    ),
    Clause(
        "TT-12",
        "If one of the two is out of play, the other must be pulled, unless that would topple the tower.",
        "If both are out of play, two other bricks as in TT-11, without asking.",
    ),
    Clause(
        "TT-13",
        "Draw two, one point: the next player moves any two bricks, one after the other, for one point "
        "in all. Their instructions are followed in the order pulled.",
        "The point comes with the last of them.",
    ),
    Clause(
        "TT-14",
        "Skip, one point: the next turn of the player who pulled it is left out.",
    ),
    Clause(
        "TT-15",
        "Draw one more, one point once it lies: another brick is pulled this turn and its instruction "
        "followed; neither it nor any further one this turn scores.",
        "Among the bricks of a draw two, the brick itself earns the one point, at once. What it asks of "
        "the next player scores for the next player as usual.",
    ),
    Clause(
        "TT-16",
        "Reverse, one point: with three players or more the direction of play turns, until the next "
        "reverse or the end of the round. Every round starts to the left.",
        "Two reverses in one turn cancel; between two players nothing turns.",
    ),
    Clause(
        "TT-17",
        "Edge, one point: the next player must pull an outer brick of a row and leave the centre; it "
        "scores one.",
        "Edge and centre are the slots in which bricks were laid; in a row without its centre any brick "
        "is an edge. With none in play the requirement lapses.",
    ),
    Clause(
        "TT-18",
        "Centre, one point: the next player must pull the centre brick of a row of three; it scores one.",
        "With none in play the requirement lapses.",
    ),
    Clause(
        "TT-19",
        "Lose two: the player loses two points, and two more if the brick is not laid on top.",
    ),
    Clause(
        "TT-20",
        "All others gain one: nothing for the player, one point for each other, and three more for each "
        "if the brick is not laid on top.",
    ),
    Clause(
        "TT-21",
        "Add two: two points.",
        "Instead of the one.",
    ),
    Clause(
        "TT-22",
        "Add three: three points.",
        "Instead of the one.",
    ),
    Clause(
        "TT-23",
        "What a print asks of the next player binds whoever plays next.",
        "That is settled at the end of the turn, after reverses and skips; skips add up. Several "
        "requirements are met in order, each with its own bricks and score; two draw twos are four "
        "bricks for one point. A brick owed by draw one more comes last. Whether a requirement can be "
        "met is looked at when it falls due; a lapsed one is any brick at its normal score.",
    ),
    Clause(
        "TT-24",
        "A brick is pulled, tapped or pushed out by one hand, and laid in the row on top.",
        "Flat, beside the others, at right angles to the row below, else it is laid again. Bricks may be "
        "loosened and left, under a requirement only those it permits; the choice is fixed once one is "
        "out.",
    ),
    Clause(
        "TT-25",
        "How limits and prints go together.",
        "Where a turn's own gain is limited (TT-11, 13, 15, 17, 18), the limit replaces what the bricks "
        "are worth, add two and add three too; lose two, the gains of others and all instructions hold.",
    ),
)
