"""The other end of the line to a physics process: sends orders, receives news, never waits."""

import contextlib
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection

from teeter.engine.workers import end_with_parent
from teeter.engine.worlds import Engine, engine_in_use, using
from teeter.games.server.messages import Act, Broken, News, Order, Plan, TableView

ORPHAN_TIMEOUT_S = 15.0
"""In which the physics have to end once the window is gone: enough to pack a recording."""
FRAMES = 60
"""Views of a second of the table that are kept for who has not asked for them yet."""
STOP_TIMEOUT_S = 5.0
"""In which a process that was asked to stop has to stop."""


class PhysicsClient:
    """One game in a process of its own: sends orders, receives news, never waits. likely: what will be played, so that
    the process loads and builds while the menu is looked at. wake: called when there are news, from another thread."""

    def __init__(self, likely: Plan, wake: Callable[[], None] = lambda: None) -> None:
        self.game, self._wake, self._is_begun = likely.game, wake, False
        # a spawned process knows nothing of what is in use here
        engine = engine_in_use()
        context = multiprocessing.get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(
            target=_play, args=(other, likely, engine), daemon=True, name="teeter physics"
        )
        self._process.start()
        other.close()
        self._received: deque[News] = deque()
        self._lock = threading.Lock()
        self._is_connected, self._is_broken = True, False
        # so that the physics never wait for a window that draws
        threading.Thread(target=self._listen, daemon=True).start()

    def is_ready_for(self, plan: Plan) -> bool:
        """Whether this plan may begin here."""
        return self.game == plan.game and self._process.is_alive()

    def begin(self, plan: Plan) -> None:
        """Let the game begin. plan: of the game that was likely."""
        self._is_begun = True
        with contextlib.suppress(OSError):
            self._line.send(plan)

    def _listen(self) -> None:
        try:
            while True:
                news = self._line.recv()
                with self._lock:
                    if isinstance(news, TableView):
                        self._thin(news)
                    self._received.append(news)
                self._wake()
        except (EOFError, OSError):
            self._is_connected = False
            self._wake()

    def _thin(self, view: TableView) -> None:
        """Forgets views between those of a film, where nobody has asked for them for a while."""
        last = list(self._received)[-2:]
        if len(last) == 2 and all(isinstance(item, TableView) for item in last):
            first = last[0]
            if isinstance(first, TableView) and 0 <= view.step - first.step <= view.rate / FRAMES:
                self._received.pop()

    def send(self, order: Order) -> None:
        """Give an order; one to a process that is gone is lost, and the news say that it is gone."""
        with contextlib.suppress(EOFError, OSError):
            self._line.send(order)

    def news(self) -> list[News]:
        """Returns what was received since the last call."""
        is_over = not self._is_connected
        with self._lock:
            news = list(self._received)
            self._received.clear()
        self._is_broken |= any(isinstance(item, Broken) for item in news)
        if is_over and not news and not self._is_broken:
            self._is_broken = True
            news.append(Broken("The process that runs the physics has died."))
        return news

    def close(self) -> None:
        """Ask the process to stop, and stop it when it does not."""
        if self._is_begun:
            self.send(Act.QUIT)
            self._process.join(STOP_TIMEOUT_S)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(STOP_TIMEOUT_S)
        self._line.close()


def _play(line: Connection, likely: Plan, engine: Engine) -> None:
    """The process; what it needs is loaded in it alone."""
    end_with_parent(ORPHAN_TIMEOUT_S)
    # who is interrupted asks this one to stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from teeter.games.server.physics import get_ready, serve

    with using(engine), contextlib.suppress(EOFError):
        get_ready(likely)
        serve(line, line.recv())
