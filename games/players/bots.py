"""The computer players `expert`, `steady`, `bold` and `clumsy`, and how a player's hand lays and pulls pieces. Bots
choose by the rules' legal actions and propose poses; what they know of each game stands in a module of its own. A bot
looks at nothing its seat may not see."""

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import shapely
import shapely.affinity

from teeter.engine.event_detector import steps_of
from teeter.engine.hand import Tremor, packed, unpacked
from teeter.engine.motions import HOVER, LOWER_SPEED, SINK, Ending, Motion, carry, draw, lower, wait
from teeter.engine.pose import Pose
from teeter.engine.record.writer import Recorder
from teeter.engine.world.body import FLOOR, TABLE
from teeter.games.core.errors import SetupError
from teeter.games.core.events import Condition, Question
from teeter.games.core.random_state import is_drawn, seeded, side_seed
from teeter.games.core.rules import Action, Need, TakeBack, Wait
from teeter.games.core.setup import STYLES
from teeter.games.core.words import broken_off
from teeter.games.game import Game
from teeter.games.judge.places import outline
from teeter.games.play.session import Session
from teeter.games.registry import game_named
from teeter.models.piece import Array

TREMOR = {"steady": 0.0, "bold": 0.0003, "clumsy": 0.002, "expert": 0.0}
"""Metres: how much the hand shakes. A calm hand at rest shakes by a tenth of a millimetre, a nervous one by a few."""
OFFERING = ("steady", "bold", "clumsy")
"""Whose places are offered to people, the best first."""
MOST_CARRIES = 3
"""CT-49: how often a hand that turns slowly is carried on over its place."""
DROP = 0.026
"""CT-50: metres above its place from where a card is dropped: 20 mm above the tower, and what a card lies aslant."""
MOST_TRIES = 60
"""ALL-9 lets a piece that lies against the rules be laid again; a bot that fails so often gives up. One that trembles
and stands on one foot (CT-45) hits a gap of its block's own size at one try in ten."""
BESIDE, MOST_BESIDE = 5e-4, 12
"""Metres by which a bot lays a piece further to one side, at most, with every time that it lay against the rules; and
how many times count."""
REACTION = 0.15
"""Seconds after which a player makes up for the swaying of its own body (CT-41, CT-45, CT-47): so long people take to
correct a hand that they see go astray."""
APART = 0.006
"""Metres between two places that are offered."""
PATIENCE_S = 0.5
"""Seconds of processor time in which the best of the places is looked for that are offered."""
PAUSE = 0.2
"""Seconds for which a piece that was drawn is held still: only what has touched nothing for a while is out."""
ASIDE = 0.008
"""Metres from all that is above it to which a piece drawn out of a tower goes on, before it is lifted."""
ASIDE_SPEED = 0.15
"""m/s of that: nothing touches the piece any more."""
CLEARANCE = 0.04
"""Metres between a carried piece and whatever is highest on its way."""


class Release:
    """How a carried piece is let go at its place."""

    def height(self, session: Session) -> float | None:
        """Returns metres above its place from which the held piece is let go; None to lower it onto something."""
        return None

    def slide(self, session: Session) -> Array | None:
        """Returns the displacement (3,), metres, by which the lowered piece is pushed on; None for none."""
        return None


class Player:
    """Who moves the hand of a session. tremor: of the hand. release: how it lets go."""

    tremor: Tremor
    release: Release = Release()

    def place(self, session: Session, need: Need) -> Pose:
        """Returns where the held piece shall come to lie."""
        raise NotImplementedError(f"{type(self).__name__} lays no piece")

    def pull(self, session: Session, need: Need) -> Array | None:
        """Returns the displacement (3,), metres, by which the held piece is drawn; None to leave it."""
        return None


class Bot(Player):
    """A player of one style. seed: of everything it leaves to chance. shakes: times the tremor of its style (CT-40).
    patience_s: seconds of processor time after which it takes the best place that it has tried.

    It keeps nothing between two questions: its random numbers begin afresh with each, from the seed and the step
    of the game. A game that is resumed by fresh bots therefore goes on as the one that was never left.
    """

    def __init__(
        self, style: str, game: str, seed: int, shakes: float = 1.0, patience_s: float = math.inf
    ) -> None:
        if style not in STYLES:
            raise ValueError(f"there is no bot {style!r}; there are {', '.join(STYLES)}")
        self.style, self.patience_s = style, patience_s
        self._seed = f"{style} {game} {seed}"
        self.random = random.Random(self._seed)
        # everybody sees how a hand trembles: of a drawn seed it tells nothing
        shown = side_seed(seeded(seed)) if is_drawn(seed) else seed
        self.tremor = Tremor(shakes * TREMOR[style], shown)
        self.release = self._skill = skill_of(game_named(game))

    def choose(self, session: Session, need: Need) -> Action:
        """One of the legal actions."""
        self._begin("choose", session)
        return self._skill.choose(self, session, need)

    def place(self, session: Session, need: Need) -> Pose:
        """Where the held piece shall come to lie; what has gone wrong at one place is tried beside it."""
        self._begin("place", session)
        pose = self._skill.place(self, session, need)
        if not session.tries:
            return pose
        x, y, z = pose.position
        most = BESIDE * min(session.tries, MOST_BESIDE)
        dx, dy = (self.random.uniform(-most, most) for _ in range(2))
        return Pose((x + dx, y + dy, z), pose.orientation)

    def pull(self, session: Session, need: Need) -> Array | None:
        """The way along which the held piece is drawn."""
        self._begin("pull", session)
        return self._skill.pull(self, session, need)

    def _begin(self, question: str, session: Session) -> None:
        self.random = random.Random(f"{self._seed} {question} {session.table.step}")


class Skill(Release):
    """What a bot knows of one game. It keeps nothing between two questions; the bot brings style and chance."""

    def choose(self, bot: Bot, session: Session, need: Need) -> Action:
        """Returns one of the legal actions."""
        return bot.random.choice(session.choices).action

    def place(self, bot: Bot, session: Session, need: Need) -> Pose:
        """Returns where the held piece shall come to lie."""
        raise NotImplementedError(f"{type(self).__name__} lays no piece")

    def places(self, session: Session, need: Need) -> list[Pose] | None:
        """Returns places to choose from, the best first; None where only bots are to be asked, one by one."""
        return None

    def pull(self, bot: Bot, session: Session, need: Need) -> Array | None:
        """Returns the displacement (3,), metres, by which the held piece is drawn; None to leave it."""
        return None

    def answer(self, session: Session, need: Need) -> bool:
        """Returns what the referee answers, who needs neither style nor luck."""
        return False

    def example(self, session: Session, need: Need) -> tuple[str, Pose] | None:
        """Returns one of the pieces the referee is asked about and where it would lie; None where there is nothing to
        point at."""
        return None


def skill_of(game: Game) -> Skill:
    """Returns what bots know of a game. Raises SetupError for one that they do not play."""
    if not game.has_bots:
        raise SetupError(f"no computer player plays {game.title}")
    return game.part(game.bot_class, Skill)


def referees(session: Session, need: Need) -> bool:
    """Returns the referee's answer; False where heights are measured, or nobody knows the game."""
    is_asked = need.question is not Question.HOW_TALL and session.game.has_bots
    return is_asked and skill_of(session.game).answer(session, need)


def offers(session: Session, need: Need, most: int = 6) -> tuple[Pose, ...]:
    """Returns places at which the held piece may be laid, the steady bot's first: what people choose from who play with
    one button. None is there twice."""
    if not session.game.has_bots:
        return ()
    game, poses = session.game.name, list[Pose]()
    if (listed := skill_of(session.game).places(session, need)) == []:
        return ()
    styles = OFFERING[:1] if listed else (*OFFERING, *OFFERING)
    bots = (Bot(style, game, seed, patience_s=PATIENCE_S) for seed, style in enumerate(styles))
    proposed = [bot.place(session, need) for bot in bots]
    for near in (*proposed, *(listed or ())):
        pose = next((pose for pose in listed or () if math.dist(pose.position, near.position) <= APART), near)
        if all(math.dist(pose.position, other.position) > APART for other in poses):
            poses.append(pose)
    return tuple(poses[:most])


def bots_of(session: Session, seed: int) -> dict[str, Bot]:
    """The computer players of a game by name, those within teams too. seed: of the game."""
    members = [member for seat in session.state.seats for member in seat.members]
    return {
        member.name: Bot(member.bot, session.game.name, seed + number, session.handling.shakes)
        for number, member in enumerate(members)
        if member.bot
    }


def play(session: Session, players: Mapping[str, Bot], most_turns: int = 2000) -> str:
    """Play to the end, or until so many actions were chosen, or one player has laid one piece `MOST_TRIES` times in a
    row, which is in vain. players: by name, the members of teams too. Returns why it was broken off, empty when it
    ended."""
    tries, last = 0, ("", "")
    while session.outcome is None and session.turns < most_turns and tries < MOST_TRIES:
        need = session.need
        player = players[need.who]
        if need.wait is Wait.ACTION:
            session.act(player.choose(session, need))
        elif need.wait is Wait.HAND:
            lay(session, player, need)
            now = need.who, need.pieces[0]
            tries, last = tries + 1 if now == last else 1, now
        elif need.wait is Wait.PULL:
            pull(session, player, need)
        elif need.wait is Wait.ANSWER:
            session.answer(referees(session, need))
        else:
            session.settle()
    if session.outcome is not None:
        return ""
    laid = f": a piece was laid against the rules {tries} times running" if tries >= MOST_TRIES else ""
    return broken_off(session.turns) + laid


def play_out(session: Session, recorder: Recorder | None, seed: int, most_turns: int) -> dict[str, Any]:
    """Have bots play a game to its end; close it and its record. Returns the summary of the game with the `scores` of
    the `players`."""
    try:
        summary = session.summary(play(session, bots_of(session, seed), most_turns))
        if recorder is not None:
            recorder.close(summary, is_private=session.outcome is None)
        names = [seat.name for seat in session.state.seats]
        scores = session.game.rules.scores(session.state)
        return {**summary, "players": names, "scores": dict(zip(names, scores, strict=True))}
    finally:
        session.close()
        if recorder is not None:
            recorder.leave()


def lay(session: Session, player: Player, need: Need) -> None:
    """Carry the held piece over its place, lower it until something carries it, and let go."""
    goal = player.place(session, need)
    hand, held = session.table.hand, need.pieces[0]
    way = way_clear(session, held)
    if way is not None:
        _drive(session, player, draw(hand, way, ASIDE_SPEED), Wait.HAND)
    half = 0.5 * float(np.linalg.norm(session.table.bodies[held].piece.extents))
    tops = [
        body.pose.position[2] + 0.5 * float(np.linalg.norm(body.piece.extents))
        for body in session.table.bodies.values()
        if body.name not in (TABLE, FLOOR, held)
    ]
    x, y, z = goal.position
    is_dropped = Condition.DROPPED_FROM_ABOVE in need.conditions
    over = Pose((x, y, z + (DROP if is_dropped else HOVER)), goal.orientation)
    top = min(max(tops, default=0.0), goal.position[2] + 0.15) + half + CLEARANCE
    for _ in range(MOST_CARRIES if session.handling.is_tied else 1):
        if hand.held == held:
            _drive(session, player, carry(hand, over, top), Wait.HAND)
    if hand.held == held and not is_dropped:
        height = player.release.height(session)
        lowest = z - SINK if height is None else z + height
        _drive(session, player, lower(hand, lowest, session.table.bodies[held].piece.mass), Wait.HAND)
        further = player.release.slide(session) if hand.held == held else None
        if further is not None:
            _drive(session, player, draw(hand, further, LOWER_SPEED), Wait.HAND)
    if hand.held == held and session.need.wait is Wait.HAND:
        session.release()


def way_clear(session: Session, held: str) -> Array | None:
    """The way (3,), metres, along which a piece goes on until nothing above it is near: on where it was drawn out of a
    tower, away from what it fell under; None when nothing is."""
    body, start = session.table.bodies[held], session.before.bodies[held]
    bodies = session.table.bodies.values()
    higher = [outline(other) for other in bodies if other.pose.position[2] > body.pose.position[2]]
    own, above = outline(body), shapely.union_all(higher)
    way = np.subtract(body.pose.position, start.pose.position)[:2]
    over = [shape for shape in higher if shape.intersects(own)]
    if over and np.linalg.norm(way) < ASIDE:
        way = 1e-3 * np.subtract(own.centroid.coords[0], shapely.union_all(over).centroid.coords[0])
    length = float(np.linalg.norm(way))
    if length < ASIDE or own.distance(above) >= 1e3 * ASIDE:
        return None
    way /= length
    on, most = ASIDE, float(np.linalg.norm(body.piece.extents)) + ASIDE
    while on < most and shapely.affinity.translate(own, *(1e3 * on * way)).distance(above) < 1e3 * ASIDE:
        on += ASIDE
    return np.array([*(on * way), 0.0])


def pull(session: Session, player: Player, need: Need) -> None:
    """Draw the held piece out; a stuck one is left."""
    way = player.pull(session, need)
    if way is not None:
        ending = _drive(session, player, draw(session.table.hand, way), Wait.PULL)
        if ending is Ending.DONE:
            _drive(session, player, wait(session.table.hand, PAUSE), Wait.PULL)
    if session.need.wait is Wait.PULL:
        for choice in session.choices:
            if not isinstance(choice.action, TakeBack):
                session.act(choice.action)
                return
        session.act(session.choices[0].action)


def _drive(session: Session, player: Player, motion: Motion, wait: Wait) -> Ending:
    """Run a motion, with the player's tremor and against the swaying it has felt, as long as the rules leave the piece
    in the hand."""
    rate = session.table.rate
    while True:
        try:
            target = next(motion)
        except StopIteration as end:
            ending: Ending = end.value
            return ending
        if session.need.wait is not wait:
            return Ending.EMPTY
        step = session.table.step
        offset = player.tremor.at(step / rate) - session.handling.swaying(
            step - steps_of(REACTION, rate), rate
        )
        if offset.any():
            pose = unpacked(target)
            x, y, z = (np.asarray(pose.position) + offset).tolist()
            target = packed(Pose((x, y, z), pose.orientation))
        session.aim(target)
