"""The rule book of Crazy Tower, clause by clause, in our words."""

from __future__ import annotations

from games.core.clauses import Clause

CLAUSES = (
    Clause(
        "CT-01",
        "28 wooden blocks: the same seven shapes in each of four colours.",
        "Red, yellow, green, purple; flat pieces of one to five cubes of 16 mm.",
    ),
    Clause(
        "CT-02",
        "21 floor cards; one without special boxes lies in the centre of the table, the others form a "
        "face-down stack.",
        "5 x 5 boxes of 16 mm on 85 x 85 x 2 mm. Three cards are all white; 18 have one special box each:"
        " 6 remove, 6 play again, 6 exchange. The seed shuffles.",
    ),
    Clause(
        "CT-03",
        "White box: blocks may lie on one or many.",
    ),
    Clause(
        "CT-04",
        "Red box: no block may cover it.",
        "More than 15 % of it covered is refused before the release; after a slip the block is taken up "
        "and laid again.",
    ),
    Clause(
        "CT-05",
        "Remove box: the player may pull one block out of a lower floor and give it back to the player of"
        " its colour.",
        "The player who chose the colour, even if the block was swapped since. Own blocks too; it may be "
        "declined until the block is out, and lapses when no lower floor has a block. A box acts when a "
        "block laid in the turn newly covers at least half of it, after falls and the last block; several"
        " in the player's order.",
    ),
    Clause(
        "CT-06",
        "Play-again box: the player takes another full turn at once.",
        "After all other boxes. It lapses when neither a block nor a card is possible.",
    ),
    Clause(
        "CT-07",
        "Exchange box: the player swaps one of their unplayed blocks for one of another player's choice "
        "of theirs.",
        "They choose partner and both blocks. It lapses with no unplayed block on one side, alone and in "
        "a team. A swapped block keeps its colour.",
    ),
    Clause(
        "CT-08",
        "Two players have two colours each, three or four one each; alone it depends on the challenge.",
        "Challenges 3 and 6 have four colours, the others three; by choice challenge 2 one to three, 3 "
        "three or four, 6 two to four, the others one to four.",
    ),
    Clause(
        "CT-09",
        "Before the start: who starts; or who the saboteur is, whose left neighbour starts; or which "
        "challenge.",
        "The saboteur is known to all and drawn by lot unless named. An option keeps it secret; then the "
        "first player starts, since the start would tell.",
    ),
    Clause(
        "CT-10",
        "A turn is one of two: put a block on the highest floor, or reveal the next floor card, lay it on"
        " the tower, and put a block on that new floor.",
        "If no block is possible and a card is left, a card must be laid; if then no block fits, the card"
        " stays and the turn ends. If neither is possible the turn passes; if that holds all round, "
        "nobody can move: counted as a collapse without a causer; the architects win; alone it is lost. "
        "Where colours do not tell, the referee says whether a block fits.",
    ),
    Clause(
        "CT-11",
        "Blocks go on the highest floor card only.",
    ),
    Clause(
        "CT-12",
        "The new card is laid on the tower.",
        "It comes to rest touching at least one block of the floor below; so the first turn is a block.",
    ),
    Clause(
        "CT-13",
        "Players take turns clockwise.",
    ),
    Clause(
        "CT-14",
        "Blocks are laid flat.",
        "Within 10 degrees of the card, at rest.",
    ),
    Clause(
        "CT-15",
        "Blocks may overhang their card.",
    ),
    Clause(
        "CT-16",
        "Cards may be offset from the tower.",
    ),
    Clause(
        "CT-17",
        "Only one hand lays a block or a card.",
    ),
    Clause(
        "CT-18",
        "Never two blocks of the same colour on the same floor card.",
    ),
    Clause(
        "CT-19",
        "The tower has collapsed when at least one block and at least one floor card fell; that ends the "
        "game.",
        "Pieces that fell and are not yet put back. Blocks whose card slips away from under them lie on "
        "the floor below; those of the lowest card have none and fell.",
    ),
    Clause(
        "CT-20",
        "If only a block or only a card fell, the player on turn puts it back before the turn goes on.",
        "Several blocks likewise. A block goes on the floor it fell from or on the highest, as the player"
        " likes; with no place there, to the player of its colour. A card is laid on top again. No box "
        "acts.",
    ),
    Clause(
        "CT-21",
        "Competitive: who lays their last block without a collapse wins.",
    ),
    Clause(
        "CT-22",
        "After a collapse the causer is out of the count; of the others the lowest value of unplayed "
        "blocks wins.",
        "The causer is the player on turn, also while putting back or pulling out.",
    ),
    Clause(
        "CT-23",
        "A block's value is printed on it.",
        "1, 3, 4 or 5: its number of cubes.",
    ),
    Clause(
        "CT-24",
        "A tie goes to the fewest unplayed blocks; then the victory is shared.",
    ),
    Clause(
        "CT-25",
        "The saboteur wins if the tower collapses on an architect's turn, or by laying all their own blocks.",
        "The last block is the last one held, whatever its colour.",
    ),
    Clause(
        "CT-26",
        "The architects win together if one of them lays their last block without a collapse, or the "
        "tower collapses on the saboteur's turn.",
        "The last block is the last one held, whatever its colour.",
    ),
    Clause(
        "CT-27",
        "Solo: the challenge is met and the tower stands; a collapse loses.",
        "Complete means that all blocks in play are laid.",
    ),
    Clause(
        "CT-31",
        "Challenge 1: complete the tower.",
    ),
    Clause(
        "CT-32",
        "Challenge 2: only one block a floor.",
        "Pulling it out is refused.",
    ),
    Clause(
        "CT-33",
        "Challenge 3: exactly three blocks a floor, one or three on the last.",
        "A new card on another floor, and a removal that breaks one, are refused.",
    ),
    Clause(
        "CT-34",
        "Challenge 4: only one block on the first floor.",
    ),
    Clause(
        "CT-35",
        "Challenge 5: never two blocks of the same shape on a floor.",
    ),
    Clause(
        "CT-36",
        "Challenge 6: at least 14 floor cards.",
        "The first one counts.",
    ),
    Clause(
        "CT-37",
        "Challenge 7: within three minutes.",
        "From the first grab to the last rest, in simulated time; a live player's thinking counts.",
    ),
    Clause(
        "CT-38",
        "Challenge 8: within two minutes.",
        "Counted like CT-37.",
    ),
    Clause(
        "CT-39",
        "Challenge 9: within one minute.",
        "Counted like CT-37.",
    ),
    Clause(
        "CT-40",
        "Challenge 10: the other hand.",
        "The input is mirrored and the tremor doubled.",
    ),
    Clause(
        "CT-41",
        "Challenge 11: on tiptoes.",
        "The viewpoint sways slowly, and the hand with it.",
    ),
    Clause(
        "CT-42",
        "Challenge 12: straight arms.",
        "The hand keeps its distance from the shoulder.",
    ),
    Clause(
        "CT-43",
        "Challenge 13: blocks stand on their side.",
        "The single cube is exempt.",
    ),
    Clause(
        "CT-44",
        "Challenge 14: one eye closed, one arm behind the back.",
        "No shadows, no perspective, and no turning of the camera while a piece is held.",
    ),
    Clause(
        "CT-45",
        "Challenge 15: on one foot.",
        "Like CT-41, stronger, around one axis.",
    ),
    Clause(
        "CT-46",
        "Challenge 16: without the thumbs.",
        "A weak grip: the piece slips and turns.",
    ),
    Clause(
        "CT-47",
        "Challenge 17: three spins after every new floor card.",
        "The camera turns three times, then the hand wobbles for five seconds.",
    ),
    Clause(
        "CT-48",
        "Challenge 18: the chin on the table.",
        "The camera stays at the height of the table.",
    ),
    Clause(
        "CT-49",
        "Challenge 19: wrists together, one hand.",
        "The hand goes no further than 150 mm from where the other rests.",
    ),
    Clause(
        "CT-50",
        "Challenge 20: floor cards are dropped.",
        "Let go at least 20 mm above the tower, put back ones too.",
    ),
    Clause(
        "CT-51",
        "A challenge may be played by several players.",
        "One team, written Ana+Ben, whose members take turns.",
    ),
)
