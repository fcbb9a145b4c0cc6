"""The statics of compas-cra asked in a process of its own, which is ended when it thinks for too long."""

from __future__ import annotations

import contextlib
import io
import time
from functools import partial

from peer_oracles import SOLVERS, PeerAnswer, Solver, complete, cra_assembly, find_interfaces

from teeter.engine.workers import Worker, WorkerDiedError
from teeter.engine.world.body import DOWN, Assembly, Vector

TIMEOUT_S = 10.0
"""That a solver may think; an interior point method that finds no answer tries thousands of steps."""


def cra_says(
    assembly: Assembly, friction: float, solver: Solver, gravity: Vector = DOWN, timeout: float = TIMEOUT_S
) -> PeerAnswer:
    """The verdict of rigid block equilibrium (`rbe`) or coupled rigid block analysis (`cra`), Kao et al. 2022.

    rbe finds contact forces with least tension: it stands when there is hardly any. cra finds forces that belong to a
    motion that could call them up: it stands when its solver finds some. friction: of every pair; the friction cone of
    compas-cra is a pyramid of eight sides around the true one. The problem is given in its favourite units (typical
    piece 1, density 1), with interfaces found by its own finder. Raises ImportError without the extra `cra`.
    """
    import compas_cra  # noqa: F401 (a clear error here, rather than in the other process)

    started = time.perf_counter()
    worker = Worker(partial(_solved, assembly, friction, gravity), name="compas-cra")
    try:
        worker.ask(solver)
        if not worker.poll(timeout):
            return PeerAnswer(None, time.perf_counter() - started, f"no answer within {timeout:g} s")
        return worker.result()
    except WorkerDiedError:
        return PeerAnswer(None, time.perf_counter() - started, "its solver ended the process")
    finally:
        worker.close()


def _solved(assembly: Assembly, friction: float, gravity: Vector, solver: Solver) -> PeerAnswer:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        problem = cra_assembly(assembly, gravity)
        started = time.perf_counter()
        # what it takes to load the library is not counted
        find_interfaces(problem)
        complete(problem, assembly, gravity)
        stands, why = SOLVERS[solver](problem, friction)
    return PeerAnswer(stands, time.perf_counter() - started, why)
