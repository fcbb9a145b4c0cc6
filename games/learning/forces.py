"""A table on which blocks lie exactly where they are laid, for as long as forces can hold them there.

The quick judge of `PlaceBlock`: no hand, no time. Whether everything stands with one more block is asked of incremental
statics; where a force balance says nothing, as on curved surfaces, the simulation is asked.
"""

from teeter.engine.topple.balance.equilibrium import balance_of, fall
from teeter.engine.topple.balance.incremental import IncrementalStatics
from teeter.engine.topple.balance.margins import weakest
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.trial import TrialTask, limits_of, run_trial
from teeter.engine.world.body import DOWN, Assembly, Body


class ForceTable:
    """ground: what blocks are laid on. bodies: all of them by name, as they lie."""

    def __init__(self, ground: Body) -> None:
        self.bodies = {ground.name: ground}
        self._statics = IncrementalStatics(Assembly("tower", (ground,)))

    def lay(self, body: Body) -> str | None:
        """Lay a block where it is. Returns what goes first when it does not stand then; None when it does."""
        added = self._statics.adding(body)
        whole, contacts = self._statics.with_piece(body), self._statics.contacts(body)
        self.bodies[body.name] = body
        if added.stands is None:
            trial = run_trial(TrialTask(whole, limits_of(whole), (0, len(self.bodies)), None, DOWN))
            first = None if trial.stands else trial.first_to_move or body.name
        else:
            first = None if added.stands else _first(whole, contacts, body.name)
        if first is None:
            self._statics = IncrementalStatics(whole, contacts=contacts)
        return first


def _first(whole: Assembly, contacts: Contacts, laid: str) -> str:
    """The piece that moves most in the mechanism by which it falls; that which was laid where there is none."""
    try:
        balance = balance_of(whole, contacts)
        return weakest(balance, fall(balance, balance.friction).x) or laid
    except StaticsError:
        return laid
