"""How far a table may be tilted under a tower with one more piece: what proposed places are held against."""

from collections.abc import Sequence

from teeter.engine.tolerances import TOUCH_IN_GAME
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly, Body


def tilt_of(tower: Sequence[Body], table: Body, body: Body) -> float | None:
    """Degrees that the table may be tilted under a tower with one more piece; None when that cannot be judged."""
    assembly = Assembly("tower", (table, *tower, body))
    contacts = find_contacts(assembly, *TOUCH_IN_GAME)
    return (
        None
        if contacts.floating
        else analyse(assembly, loads=False, contacts=contacts, follow=False).tilt_deg
    )
