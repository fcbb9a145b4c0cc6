"""A sweep beyond one machine, on dask.distributed (the extra `cluster`).

The tower goes to every worker once; places travel in parcels. A worker that is lost gives its parcels back to the
scheduler, which hands them to others. Rows come back in any order and are those of a local run, because a row depends
on nothing but what it was asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from teeter.engine.workers import PARCEL, WorkerError, ask_each
from teeter.models.extras import install_line

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 4
"""Parcels in the hands of each thread of the cluster."""
SCHEDULER_TIMEOUT_S = 10.0
"""Seconds to wait for the scheduler."""
WORKERS_TIMEOUT = 60.0
"""Seconds to wait for a worker."""
LOOK_S, POLL_S = 1.0, 0.02
"""Seconds between two counts of the workers, and between two looks for answers."""
RETRIES = 3
"""How often a parcel is tried again after an error that was not its worker's death."""


@contextmanager
def on_cluster(
    address: str,
    ask: Callable[[T], R],
    inputs: Iterable[T],
    version: str,
    timeout_s: float = WORKERS_TIMEOUT,
    tell: Callable[[str], None] = lambda words: None,
) -> Iterator[Iterator[R]]:
    """The answers of `ask`, in the order in which the workers of a scheduler find them.

    version: that every worker must run. timeout_s: how long to wait for a worker where there is none. tell: is told
    when workers are lost or come. Raises WorkerError when there is no scheduler at the address, when no worker comes in
    time, when one runs another version, or when a parcel kills every worker that takes it.
    """
    distributed = _library()
    for name in [logger for logger in logging.root.manager.loggerDict if logger.startswith("distributed")]:
        # what is lost is said by the errors below
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        distributed.comm.get_address_host_port(address)  # a client made of a bad one never closes
        client = distributed.Client(address, timeout=SCHEDULER_TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise WorkerError(
            f"no scheduler answers at {address} ({_short(error)}): start one with `dask scheduler` and give its "
            "address, such as tcp://192.0.2.7:8786"
        ) from error
    try:
        _await_workers(client, address, version, timeout_s)
        # a task, not scattered data: the scheduler makes it anew when the worker that holds it is lost
        held = client.submit(_same, ask, pure=False)
        submit = partial(client.submit, ask_each, held, pure=False, retries=RETRIES)
        yield _answers(client, submit, iter(inputs), _Watch(client, timeout_s, tell))
    finally:
        client.close(timeout=SCHEDULER_TIMEOUT_S)


def _library() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise WorkerError(f"--dask needs dask.distributed: {install_line('distributed')}") from error
    return distributed


def _await_workers(client: Any, address: str, version: str, timeout_s: float) -> None:
    try:
        client.wait_for_workers(1, timeout=timeout_s)
    except TimeoutError as error:
        raise WorkerError(
            f"the scheduler at {address} has no workers: start some with `dask worker {address} --nthreads 1`"
        ) from error
    for worker, release in sorted(client.run(installed_version).items()):
        if release != version:
            raise WorkerError(
                f"the worker {worker} has teeter {release}, here it is {version}: rows would not compare"
            )


def installed_version() -> str:
    """Of teeter, where this is called."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as version_of

    try:
        return version_of("teeter")
    except PackageNotFoundError:
        return "none"


def _same(value: T) -> T:
    return value


class _Watch:
    """Counts the workers of a cluster from time to time."""

    def __init__(self, client: Any, timeout_s: float, tell: Callable[[str], None]) -> None:
        self._client, self._timeout_s, self._tell = client, timeout_s, tell
        self._count = len(client.nthreads())
        self._looked = self._last_seen = time.monotonic()

    def look(self) -> None:
        """Tell of workers that went or came. Raises WorkerError when there has been none for too long."""
        now = time.monotonic()
        if now - self._looked < LOOK_S:
            return
        count, self._looked = len(self._client.nthreads()), now
        if count < self._count:
            left = f"{count} left" if count else f"none left: waiting {self._timeout_s:g} s for another"
            self._tell(f"{self._count - count} worker{'s' * (self._count - count > 1)} lost, {left}")
        elif count > self._count:
            self._tell(f"{count - self._count} more, {count} workers now")
        if count or self._count:
            self._last_seen = now
        self._count = count
        if now - self._last_seen > self._timeout_s:
            raise WorkerError(
                f"the last worker was lost, and none came within {self._timeout_s:g} s; finished rows are kept: start "
                "workers, and give the same command again to go on"
            )


def _answers(client: Any, submit: Callable[..., Any], inputs: Iterator[Any], watch: _Watch) -> Iterator[Any]:
    """Returns the rows of parcel after parcel, as they are done; so many are under way that no worker waits."""
    distributed = _library()

    def hand_out() -> Any | None:
        parcel = list(islice(inputs, PARCEL))
        return submit(parcel) if parcel else None

    done = distributed.as_completed(loop=client.loop)
    wanted = AHEAD * max(1, sum(client.nthreads().values()))
    out = 0
    while out < wanted and (future := hand_out()) is not None:
        done.add(future)
        out += 1
    while not done.is_empty():
        watch.look()
        if not done.has_ready():
            time.sleep(POLL_S)
            continue
        yield from _result(distributed, next(done))
        following = hand_out()
        if following is not None:
            done.add(following)


def _result(distributed: Any, future: Any) -> list[Any]:
    try:
        rows: list[Any] = future.result()
    except distributed.scheduler.KilledWorker as error:
        raise WorkerError(f"workers died again and again over one parcel ({_short(error)})") from error
    except (distributed.client.FutureCancelledError, OSError) as error:
        raise WorkerError("the scheduler was lost; finished rows are kept") from error
    return rows


def _short(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
