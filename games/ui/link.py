"""The window's end of the line to the physics: starts its process, sends orders, hears news without ever waiting."""

from __future__ import annotations

import multiprocessing
import threading
from collections import deque
from multiprocessing.connection import Connection

from games.ui.messages import Broken, Left, News, Order, Plan, Quit, View

PATIENCE = 5.0
"""Seconds in which a process that was asked to stop has to stop."""


class Link:
    """One game in a process of its own."""

    def __init__(self, plan: Plan) -> None:
        context = multiprocessing.get_context("spawn")
        self._end, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, plan), daemon=True, name="teeter physics")
        self._process.start()
        other.close()
        self._heard: deque[News] = deque()
        self._lock = threading.Lock()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.has_left = False

    def _listen(self) -> None:
        try:
            while True:
                news: News = self._end.recv()
                with self._lock:
                    # only the last of several views is ever shown
                    if isinstance(news, View) and self._heard and isinstance(self._heard[-1], View):
                        self._heard.pop()
                    self._heard.append(news)
        except (EOFError, OSError):
            with self._lock:
                self._heard.append(Left())

    def send(self, order: Order) -> None:
        """Give an order; one to a process that is gone is lost, and the news say that it is gone."""
        try:
            self._end.send(order)
        except (BrokenPipeError, OSError):
            self.has_left = True

    def news(self) -> list[News]:
        """What was heard since the last call."""
        with self._lock:
            found = list(self._heard)
            self._heard.clear()
        for each in found:
            if isinstance(each, (Left, Broken)):
                self.has_left = True
        return found

    def close(self) -> None:
        """Ask the process to stop, and stop it when it does not."""
        self.send(Quit())
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(PATIENCE)
        self._end.close()


def _serve(line: Connection, plan: Plan) -> None:
    """The process; what it needs is loaded there alone."""
    from games.ui.serving import serve

    serve(line, plan)
