"""How `teeter.mend` finds its answer: candidates by statics, then each one checked in full."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from teeter.engine.workers import in_order
from teeter.games.api.arguments import ArgumentError, names_in
from teeter.games.api.mend import MendChange, MendResult
from teeter.games.api.results import CheckResult
from teeter.games.api.scene import PublicScene

if TYPE_CHECKING:
    from teeter.engine.topple.mend.changes import Change, Kind
    from teeter.engine.topple.mend.demand import Demand
    from teeter.engine.topple.verdict import CheckOptions
    from teeter.engine.world.body import Assembly
    from teeter.scenes.scene import Scene

FARTHER = (0.0, 0.02, 0.05, 0.1)
"""Parts of a change by which it is made larger while the simulation does not agree that it is enough."""
PUSH = "push"
"""The name of the load."""
FEW_PIECES, TOLD = 16, 3
"""Of so few three changes are told unless others are asked for; of more one, and the next two unchecked: simulating a
tower of 60 in all its contacts takes ten seconds a change."""


@dataclass(frozen=True, slots=True, eq=False)
class Mender:
    """A scene to mend under the conditions of a checker. check: asks both methods about a scene, with
    `CheckOptions.is_safe` or `is_brief`. push: newtons, and degrees from +x, on the top of the highest piece."""

    loaded: Scene
    options: CheckOptions
    check: Callable[..., CheckResult]
    margin: float | None
    push: tuple[float, float] | None

    def mended(
        self, *, kinds: Sequence[Kind], pieces: Sequence[str], keep: Sequence[str], best: int | None
    ) -> MendResult:
        """The answer. Raises TeeterError."""
        from teeter.engine.topple.contact.detection import find_contacts
        from teeter.engine.topple.mend.demand import Demand
        from teeter.engine.topple.mend.search import candidates
        from teeter.engine.topple.verdict import as_asked
        from teeter.games.api.mend_words import none_because, words_of

        if self.options.friction is not None:
            kinds = [kind for kind in kinds if kind != "friction"]
        if not kinds:
            raise ArgumentError("kinds = 'friction': every pair already has the friction that is asked for")
        asked = as_asked(pushed(self.loaded, self.push).assembly, self.options)
        contacts = find_contacts(asked)
        demand = Demand.on(asked, self.options.gravity, self.margin)
        if not contacts.meet:
            apart = ", ".join(contacts.floating[:3]) or "pieces that overlap"
            return self._answer(
                self._check(self.loaded),
                f"Its faces do not meet as they are given ({apart}).",
                none_because="The search needs faces that meet: close the gaps in the scene first.",
                complete=False,
            )
        if demand.holds(asked, follow=True):
            result = self._check(self.loaded)
            if result.word == "stands":
                tilt = result.statics.tilt_deg
                hand = "" if tilt is None else f" with {tilt:.1f} degrees in hand"
                return self._answer(result, f"It stands{hand}: there is nothing to mend.", stands=True)
            return self._answer(
                result,
                f"Its verdict is {result.word}, although forces can balance it: see `teeter check`.",
                none_because="The search asks the force balance, which finds nothing to mend.",
                complete=False,
            )
        started = time.perf_counter()
        changes, bounds = candidates(
            asked, demand, kinds=kinds, pieces=pieces, keep=keep, workers=self.options.workers
        )
        took = time.perf_counter() - started
        few = len(asked.free) <= FEW_PIECES
        result, answers, left = self._confirmed_changes(asked, demand, changes, best or (TOLD if few else 1))
        refused = bool(changes) and not answers
        more = left[: TOLD - len(answers)] if answers and best is None else ()
        # what falls as it is, is told without the margin
        lacks = self.margin if result.statics.stands else None
        return self._answer(
            result,
            self._why(result),
            changes=answers,
            unchecked=tuple(words_of(change, asked, None) for change in more),
            none_because=None if answers else none_because(kinds, bounds, refused=refused, margin=lacks),
            complete=not refused,
            reach_mm=1e3 * bounds.reach,
            tried=bounds.asked,
            searched_s=took,
        )

    def _answer(self, result: CheckResult, why: str, **more: Any) -> MendResult:
        return MendResult(self.loaded.name, result.word, self.margin, why, **more)

    def _check(self, loaded: Scene) -> CheckResult:
        return self.check(pushed(loaded, self.push), is_brief=True)

    def _why(self, result: CheckResult) -> str:
        """Returns what is wrong with it as it is."""
        if not result.statics.stands:
            return result.explain().sentences[0]
        tilt = result.statics.tilt_deg
        known = "It has no margin that is known" if tilt is None else f"It has {tilt:.1f} degrees in hand"
        if self.margin is not None:
            return f"{known}, less than the {self.margin:g} asked for."
        return f"{known}, but would fall with contacts a little narrower and a tenth less friction."

    def _confirmed_changes(
        self, asked: Assembly, demand: Demand, changes: Sequence[Change], best: int
    ) -> tuple[CheckResult, tuple[MendChange, ...], Sequence[Change]]:
        """Returns the answer on the scene as it is, the first changes that both methods agree on, and those that were
        not asked about."""
        processes = self.options.workers or os.cpu_count() or 1
        proposals: list[MendChange] = []
        left, count = list(changes), best
        result = None
        while result is None or (left and len(proposals) < best):
            some, left = left[:count], left[count:]
            # None: the scene as it is, beside the first changes
            tasks = [*some, None] if result is None else some
            with in_order(partial(self._agree, asked, demand), tasks, processes) as answers:
                for answer in answers:
                    if isinstance(answer, CheckResult):
                        result = answer
                    elif answer is not None:
                        proposals.append(answer)
            count = max(best - len(proposals), processes)
        return result, tuple(proposals[:best]), left

    def _agree(
        self, asked: Assembly, demand: Demand, change: Change | None
    ) -> MendChange | CheckResult | None:
        """Returns a change, made as little larger as both methods need to agree on it; None where they do not. Of no
        change the answer on the scene as it is."""
        from teeter.engine.topple.mend.changes import effort_of

        if change is None:
            return self._check(self.loaded)
        for more in (0.0,) if change.kind in ("remove", "place", "prop") else FARTHER:
            larger = scaled(change, 1 + more)
            scene = applied(self.loaded, larger)
            after = self._after(demand, scene)
            if after is not None:
                return _change(larger, scene, after, asked, 1e3 * effort_of(asked, larger))
        return None

    def _after(self, demand: Demand, scene: Scene) -> CheckResult | None:
        """Returns the answer on a changed scene where it stands with the margin, by both methods. Where forces have
        their safety margin too, which is many times a disturbance, one is enough, as for one scene of many."""
        from teeter.engine.topple.balance.safety_margin import safe_verdict
        from teeter.engine.topple.verdict import as_asked

        scene = pushed(scene, self.push)
        asked = as_asked(scene.assembly, self.options)
        if not demand.holds(asked, follow=True):
            return None
        safe = safe_verdict(asked, gravity=self.options.gravity)
        result = self.check(scene, is_safe=safe is not None and safe.stands)
        return result if result.word == "stands" else None


def kinds_of(kinds: Iterable[str]) -> tuple[Kind, ...]:
    """Returns kinds of changes, all for none. Raises ArgumentError."""
    from teeter.engine.topple.mend.changes import KINDS

    names = names_in(kinds)
    if unknown := [kind for kind in names if kind not in KINDS]:
        raise ArgumentError(f"kinds = {unknown[0]!r}: must be of {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in names) if names else KINDS


def scaled(change: Change, times: float) -> Change:
    """Returns a change so many times as large."""
    x, y, z = change.shift
    if change.kind == "place":
        return change
    shift = (x * times, y * times, z * times)
    return replace(change, shift=shift, turn=change.turn * times, amount=change.amount * times)


def pushed(scene: Scene, push: tuple[float, float] | None) -> Scene:
    """Returns the scene with a push (newtons, degrees) at the top centre of its highest piece."""
    if push is None or not push[0]:
        return scene
    import numpy as np

    from teeter.engine.load import Load
    from teeter.engine.pose import vector_of
    from teeter.engine.topple.balance.margins import top_piece

    body, height = top_piece(scene.assembly)
    x, y, _ = body.pose.position
    local = vector_of(body.pose.matrix.T @ (np.array([x, y, height]) - body.pose.position))
    angle = math.radians(push[1])
    load = Load(PUSH, local, (push[0] * math.cos(angle), push[0] * math.sin(angle), 0.0))
    bodies = tuple(
        replace(other, loads=(*other.loads, load)) if other.name == body.name else other
        for other in scene.assembly.bodies
    )
    return replace(scene, assembly=replace(scene.assembly, bodies=bodies))


def applied(scene: Scene, change: Change) -> Scene:
    """Returns the scene after a change, as it can be written."""
    from teeter.engine.topple.mend.changes import changed, prop_of, prop_shape
    from teeter.scenes.scene import without
    from teeter.scenes.schema import PieceTable

    scene = replace(scene, head=scene.head.without_expectation())
    if change.kind == "remove":
        return without(scene, change.pieces)
    written = dict(scene.written)
    name = change.pieces[0]
    if change.kind == "friction" and name in written:
        written[name] = written[name].model_copy(update={"friction": change.amount})
    if change.kind == "prop":
        post = prop_of(scene.assembly, change)
        shape = prop_shape(scene.assembly, change)
        written[post.name] = PieceTable(id=post.name, shape=shape, position=(0.0, 0.0, 0.0), fixed=True)
    return replace(scene, assembly=changed(scene.assembly, change), written=written)


def _change(change: Change, scene: Scene, after: CheckResult, before: Assembly, effort: float) -> MendChange:
    from teeter.games.api.mend_words import words_of

    kind = change.kind
    x, y, z = (1e3 * value for value in change.shift)
    point = (1e3 * change.point[0], 1e3 * change.point[1], 1e3 * change.point[2])
    tilt = after.statics.tilt_deg
    force = _borne(after) if kind == "prop" else None
    hand = "" if tilt is None else f", {tilt:.1f} degrees in hand"
    return MendChange(
        kind=kind,
        pieces=change.pieces,
        sentence=f"{words_of(change, before, force)}: it stands{hand}.",
        effort=effort,
        tilt_deg=tilt,
        move_mm=(x, y) if kind in ("move", "place") else None,
        up_mm=z if kind == "place" else None,
        turn_deg=math.degrees(change.turn) if change.turn else None,
        mass_g=1e3 * change.amount if kind == "add_mass" else None,
        friction=change.amount if kind == "friction" else None,
        force_n=force,
        point_mm=point if kind in ("add_mass", "prop") else None,
        height_mm=1e3 * change.height if kind == "prop" else None,
        check=after,
        scene=PublicScene(scene),
        before=before,
        change=change,
    )


def _borne(result: CheckResult) -> float | None:
    """Returns the newtons that press on the last body, a prop; None where no forces are known."""
    import numpy as np

    from teeter.engine.topple.balance.equilibrium import balance_of
    from teeter.engine.topple.balance.forces import least_squares
    from teeter.engine.topple.errors import StaticsError
    from teeter.engine.topple.verdict import contacts_of

    contacts = contacts_of(result.verdict)
    judged = result.verdict.judged
    try:
        forces = least_squares(balance_of(judged, contacts, gravity=result.options.gravity))
    except StaticsError:
        return None
    last = len(judged.bodies) - 1
    mine = (contacts.first == last) | (contacts.second == last)
    return float(np.abs((forces[mine] * contacts.normals[mine]).sum(axis=1)).sum())
