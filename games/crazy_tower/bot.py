"""How the computer players play Crazy Tower: which block, where on the highest floor, and how a card is laid.

Places come from `bot_places`; the force balance has the last word on the best few. A saboteur (CT-08) plays like
everybody else at first, then so that the tower still stands, but bears the next player as little as can be.
"""

import math
from dataclasses import replace

from teeter.engine.pose import Pose
from teeter.engine.tolerances import TOUCH_IN_GAME
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import TABLE, Assembly, Body, tilted_gravity
from teeter.games.core.rules import Action, Need, Take
from teeter.games.crazy_tower.bot_places import (
    FIRM_DEG,
    BlockPlace,
    card_place,
    places,
    special,
    tower_of,
    way_out,
    within_reach,
    would_stand,
)
from teeter.games.crazy_tower.rules_allowed import is_card, top_card
from teeter.games.crazy_tower.state import (
    COMPETITIVE,
    Decline,
    GiveBack,
    NothingFits,
    Pull,
    PutBack,
    RevealCard,
    Sort,
    State,
    Swap,
)
from teeter.games.play.session import Session
from teeter.games.players.ahead import drawn
from teeter.games.players.bots import Bot, Skill
from teeter.models.piece import Array

GAIN = {Sort.AGAIN: 10.0, Sort.REMOVE: 6.0}
"""Degrees' worth of a covered box to a steady player in a race: one block more laid, or one more for others to lay."""
EXPERT_GAIN = {Sort.AGAIN: 40.0, Sort.REMOVE: 20.0}
"""The same to an expert, who counts turns."""
FRESH_DEG = 10.0
"""Degrees that the tower must bear with the next block for an expert to begin a floor: the first who lays a block there
has the box of its card."""
BOLD_GAIN = 4.0
"""The same of any box to a bold player."""
CALM, DOWN_BY = 2e-3, 4e-3
"""Metres that a tower may move when a block is pulled out of it, and at which it is left alone."""
GREED_DEG = 2.0
"""What each cube of a block is worth: large blocks are good feet, small ones do for the last floors."""
ALONE_DEG = 8.0
"""The same where every floor has one block (CT-18, one colour): the cube is the last."""
CARD_TRIES, GIVE_UP = 3, 30
"""How often a card is laid at a place that the rules refuse, before another is tried; and pieces before one is said to
fit nowhere, the next ones once each. Who stands on one foot (CT-45) needs ten."""
TRIES = 4
"""Places that the force balance looks at."""
NOISE_DEG = {"steady": 0.3, "bold": 2.0, "clumsy": 30.0, "expert": 0.0}
"""How much of the ranking is left to chance."""
MENDING_DEG = 6.0
"""The same, at least, of a piece that is laid once more (ALL-9, CT-20)."""


class CrazySkill(Skill):
    """How a bot plays Crazy Tower."""

    def choose(self, bot: Bot, session: Session, need: Need) -> Action:
        """One of the legal actions."""
        actions = [choice.action for choice in session.choices]
        wrong = (session.state.again, *(fallen.piece for fallen in session.state.fallen))
        is_vain = session.tries_of() >= GIVE_UP
        if is_vain and any(session.tries_of(piece) for piece in wrong if piece):
            refusing = [action for action in actions if isinstance(action, (NothingFits, GiveBack))]
            if refusing:
                return refusing[0]
        if any(isinstance(action, (PutBack, GiveBack)) for action in actions):
            return _mend(session, actions)
        if any(isinstance(action, (Pull, Decline, Swap)) for action in actions):
            return _act_on_box(bot, session, actions)
        takes = [action for action in actions if isinstance(action, Take)]
        if takes and is_card(session.state, takes[0].piece):
            return takes[0]
        takes = [take for take in takes if not (is_vain and session.tries_of(take.piece))]
        other = next((a for a in actions if isinstance(a, (RevealCard, NothingFits))), None)
        if sabotages(bot, session):
            wanted = undermine(session, takes, other if isinstance(other, RevealCard) else None)
            if wanted is not None:
                return wanted
        best, tilt = _best_block(bot, session, takes)
        if best is None:
            return other or bot.random.choice(actions)
        lying, is_expert = len(session.state.floors[-1].blocks), bot.style == "expert"
        # a new floor is rather begun than a block laid that leaves less
        is_weak = lying and (is_expert or bot.style == "steady") and tilt < FIRM_DEG
        is_early = is_expert and _races(bot, session) and tilt >= FRESH_DEG and lying >= CARRIES
        return other if isinstance(other, RevealCard) and (is_weak or is_early) else best

    def place(self, bot: Bot, session: Session, need: Need) -> Pose:
        """Where the held piece shall come to lie."""
        held = need.pieces[0]
        scene = session.table.scene()
        if is_card(session.state, held):
            room = CARD_M if sabotages(bot, session) else None
            return card_place(session.state, scene, held, room, session.tries // CARD_TRIES)
        if sabotages(bot, session) and (weak := weakest(session, held)) is not None:
            return weak
        # a block that has no place goes to the middle of its floor
        floor = session.state.target or top_card(session.state)
        spots = _ranked(bot, session, places(session.state, scene, held, _gain(bot, session), floor=floor))
        spots = _reached(session, held, spots) or spots
        tower, table, body = tower_of(session.state, scene), scene.bodies[TABLE], scene.bodies[held]
        if spots:
            tried = (
                spot for spot in spots[:TRIES] if would_stand(tower, table, body.at(spot.pose)) is not False
            )
            return next(tried, spots[0]).pose
        card = scene.bodies[floor]
        up = float(card.piece.extents[2] + scene.bodies[held].piece.extents[2]) / 2
        return Pose(card.pose.position, card.pose.orientation).then(Pose((0.0, 0.0, up)))

    def places(self, session: Session, need: Need) -> list[Pose] | None:
        """The best places of a block on the highest floor; none where it fits nowhere there."""
        if is_card(session.state, need.pieces[0]):
            return None
        return [spot.pose for spot in places(session.state, session.table.scene(), need.pieces[0])]

    def pull(self, bot: Bot, session: Session, need: Need) -> Array | None:
        """Straight out of the tower, away from its axis."""
        return way_out(session.state, session.table.scene(), need.pieces[0])

    def answer(self, session: Session, need: Need) -> bool:
        """CT-10, CT-20: whether any of the blocks finds a place on any of the floors, not tried in vain for long."""
        return session.tries_of() < GIVE_UP and self.example(session, need) is not None

    def example(self, session: Session, need: Need) -> tuple[str, Pose] | None:
        """A block that finds a place on one of the floors, and its best place there."""
        state, scene = session.state, session.table.scene()
        floors = [floor.card for floor in state.floors if floor.card in need.pieces]
        blocks = [piece for piece in need.pieces if not is_card(state, piece)]
        tried = ((piece, places(state, scene, piece, floor=floor)) for floor in floors for piece in blocks)
        return next(((piece, spots[0].pose) for piece, spots in tried if spots), None)


def _mend(session: Session, actions: list[Action]) -> Action:
    """Put back what fell, on top or where it was; what has no place is given back."""
    state, scene = session.state, session.table.scene()
    backs = [action for action in actions if isinstance(action, PutBack)]
    for action in sorted(backs, key=lambda back: back.floor != top_card(state)):
        if is_card(state, action.piece) or places(state, scene, action.piece, floor=action.floor):
            return action
    return next((action for action in actions if isinstance(action, GiveBack)), actions[0])


def _act_on_box(bot: Bot, session: Session, actions: list[Action]) -> Action:
    """Swap a dear block for a cheap one; pull out a block of others when the tower bears it, or when one is bold."""
    state = session.state
    value: dict[str, int] = {block.id: block.value for block in state.stock.blocks}
    swaps = [action for action in actions if isinstance(action, Swap)]
    if swaps:
        return max(swaps, key=lambda swap: (value[swap.give] - value[swap.take], bot.random.random()))
    pulls = [action for action in actions if isinstance(action, Pull)]
    if sabotages(bot, session):
        wanted = loosened(session, pulls)
        return wanted or next(action for action in actions if isinstance(action, Decline))
    own = state.colours[state.turn]
    pulls = [pull for pull in pulls if not pull.piece.startswith(own)]
    if _races(bot, session):
        felt = session.table.pressing()
        left = _unlaid(state)

        def liking(pull: Pull) -> tuple[int, float, str]:
            # an expert stops who is about to win, others take what is loose
            owner = left[pull.piece.partition("_")[0]] if bot.style == "expert" else 0
            return owner, felt.get(pull.piece, 0.0), pull.piece

        for pull in sorted(pulls, key=liking)[:TRIES]:
            if drawn(session, pull.piece, way_out(state, session.table.scene(), pull.piece), DOWN_BY) <= CALM:
                return pull
    elif pulls and bot.style != "steady" and bot.random.random() < 0.5:
        return pulls[-1]
    return next(action for action in actions if isinstance(action, Decline))


def _unlaid(state: State) -> dict[str, int]:
    """How many blocks the player of each colour has left."""
    return {colour: len(hand) for hand, own in zip(state.hands, state.colours, strict=True) for colour in own}


def _best_block(bot: Bot, session: Session, takes: list[Take]) -> tuple[Take | None, float]:
    """The block to lay, large ones first where they do no harm, and how far the table may tilt then."""
    scene, value = session.table.scene(), {block.id: block.value for block in session.state.stock.blocks}
    is_alone = sum(map(len, session.state.colours)) == 1
    best: tuple[float, Take, float] | None = None
    by_shape = {take.piece.partition("_")[2]: take for take in bot.random.sample(takes, len(takes))}
    for take in by_shape.values():
        spots = _ranked(bot, session, places(session.state, scene, take.piece, _gain(bot, session)))
        spots = _reached(session, take.piece, spots)
        if not spots:
            continue
        greed = (ALONE_DEG if is_alone else GREED_DEG) * value[take.piece]
        if best is None or spots[0].worth + greed > best[0]:
            best = (spots[0].worth + greed, take, spots[0].tilt)
    return (None, 0.0) if best is None else (best[1], best[2])


def _reached(session: Session, name: str, spots: list[BlockPlace]) -> list[BlockPlace]:
    """The places to which tied wrists get (CT-49), turned as they get there; all of them where they are free."""
    if not session.handling.is_tied:
        return spots
    start = session.before.bodies[name].pose
    reached = [(spot, within_reach(name, spot.pose, start)) for spot in spots]
    return [replace(spot, pose=pose) for spot, pose in reached if pose is not None]


def _races(bot: Bot, session: Session) -> bool:
    """Whether this player minds who lays the last block first (CT-21)."""
    return bot.style in ("steady", "expert") and bool(session.state.mode == COMPETITIVE)


def _gain(bot: Bot, session: Session) -> float:
    """What covering the special box of the highest card is worth to this player, degrees."""
    if bot.style == "bold":
        return BOLD_GAIN
    if not _races(bot, session):
        return 0.0
    return _box_worth(session, EXPERT_GAIN if bot.style == "expert" else GAIN)


def _box_worth(session: Session, gains: dict[Sort, float]) -> float:
    sort = special(session.table.scene().bodies[top_card(session.state)])
    return 0.0 if sort is None else gains.get(sort, 0.0)


def _ranked(bot: Bot, session: Session, spots: list[BlockPlace]) -> list[BlockPlace]:
    """The best first. What has gone wrong at one place is tried at another."""
    is_mending = bool(session.state.again or session.state.fallen)
    noise = max(NOISE_DEG[bot.style], MENDING_DEG if is_mending else 0.0)
    scored = [(spot.worth + bot.random.uniform(0.0, noise), spot) for spot in spots]
    return [spot for _, spot in sorted(scored, key=lambda pair: -pair[0])]


CARRIES = 2
"""Blocks of a floor on which a saboteur lays the next one."""
HIDDEN_FLOORS = 1
"""Floors that a saboteur helps to build: nobody suspects who lays the first blocks firmly."""
SAFE_M, SAFE_DEG = 2e-3, 1.5
"""Metres from every joint centre to the nearest edge of what it stands on, and degrees of tilt that the tower bears,
when a saboteur has laid a block: a calm hand needs no more."""
CARD_M = 6e-3
"""The same for a new card and what will lie on it."""
WANTED = {Sort.AGAIN: 100.0, Sort.REMOVE: 100.0}
"""Degrees' worth of a box that gives a saboteur a turn more, or an architect one more block to lay: all there are."""
LOOKED_AT, APART = 5, 0.005
"""Places of a block that the force balance looks at, and metres between two of them."""
WAYS = 6
"""Directions in which the tower is tilted."""
LOOSENED_M, PULLS = 6e-3, 5
"""Metres that the tower may move when a block is pulled out of it, and blocks that are tried."""


def sabotages(bot: Bot, session: Session) -> bool:
    """Whether the player on turn wants the tower to fall, and no longer hides it. What has to be put back, or laid once
    more, is laid as by anybody; a clumsy player lays nothing to the millimetre."""
    state = session.state
    is_mending = bool(state.fallen or state.target or state.again)
    if is_mending or bot.style == "clumsy":
        return False
    return bool(state.saboteur == state.turn and len(state.floors) > HIDDEN_FLOORS)


def undermine(session: Session, takes: list[Take], reveal: RevealCard | None) -> Take | RevealCard | None:
    """Returns a new card once the highest floor carries one: the tower grows, no later block mends what lies below, and
    the box of the card is the saboteur's. Else the block that leaves the tower weakest; None when none is safe."""
    state, scene = session.state, session.table.scene()
    if reveal is not None and len(state.floors[-1].blocks) >= CARRIES:
        return reveal
    by_shape = {take.piece.partition("_")[2]: take for take in takes}
    ranking = [
        (place.worth, take)
        for take in by_shape.values()
        for place in places(state, scene, take.piece, _box_worth(session, WANTED), most=1, weak=SAFE_M)
    ]
    return max(ranking, key=lambda pair: pair[0])[1] if ranking else reveal


def weakest(session: Session, name: str) -> Pose | None:
    """Returns where a block on the highest floor leaves the tower weakest and yet standing; None when it is safe
    nowhere."""
    state, scene = session.state, session.table.scene()
    tower, body = [scene.bodies[TABLE], *tower_of(state, scene)], scene.bodies[name]
    seen: list[Pose] = []
    for place in places(state, scene, name, _box_worth(session, WANTED), weak=SAFE_M):
        if any(math.dist(place.pose.position, pose.position) < APART for pose in seen):
            continue
        if bears([*tower, body.at(place.pose)], SAFE_DEG):
            return place.pose
        seen.append(place.pose)
        if len(seen) == LOOKED_AT:
            break
    return None


def bears(bodies: list[Body], degrees: float) -> bool:
    """Whether a tower on its table balances however the table is tilted by so much."""
    assembly = Assembly("tower", tuple(bodies))
    contacts = find_contacts(assembly, *TOUCH_IN_GAME)
    tilts = [tilted_gravity(math.radians(degrees), math.tau * way / WAYS) for way in range(WAYS)]
    return not contacts.floating and all(
        stands(assembly, gravity=tilt, contacts=contacts) is not False for tilt in tilts
    )


def loosened(session: Session, pulls: list[Pull]) -> Pull | None:
    """Returns the block to pull out: one of the architect who has fewest left to lay, whose absence the tower bears but
    feels; None when none comes out."""
    felt, state, scene = session.table.pressing(), session.state, session.table.scene()
    left = _unlaid(state)
    others = [pull for pull in pulls if pull.piece.partition("_")[0] not in state.colours[state.turn]]
    liked = sorted(
        others, key=lambda pull: (left[pull.piece.partition("_")[0]], -felt.get(pull.piece, 0.0), pull.piece)
    )
    for pull in liked[:PULLS]:
        way = way_out(state, scene, pull.piece)
        if not math.isinf(drawn(session, pull.piece, way, LOOSENED_M)):
            return pull
    return None
