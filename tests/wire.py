"""A line between two programs of this machine that is slow, and can be cut."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Wire:
    """Passes on what comes to `port`, each way so many seconds later; `cut` closes all lines, `is_cut` keeps new ones
    from being opened. `is_silent`: nothing comes through, and nobody is told."""

    def __init__(self, to_port: int, delay_s: float = 0.0) -> None:
        self.delay_s, self.is_cut, self.is_silent = delay_s, False, False
        self._to = to_port
        self._lines: list[socket.socket] = []
        self._ears = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._ears.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._ears.accept()
            except OSError:
                return
            if self.is_cut:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._to))
            self._lines += [near, far]
            for a, b in ((near, far), (far, near)):
                late: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
                threading.Thread(target=self._read, args=(a, late), daemon=True).start()
                threading.Thread(target=self._write, args=(b, late), daemon=True).start()

    def _read(self, line: socket.socket, late: queue.SimpleQueue[tuple[float, bytes]]) -> None:
        data = b" "
        while data:
            try:
                data = line.recv(1 << 16)
            except OSError:
                data = b""
            late.put((time.monotonic() + self.delay_s, data))

    def _write(self, line: socket.socket, late: queue.SimpleQueue[tuple[float, bytes]]) -> None:
        while True:
            due, data = late.get()
            time.sleep(max(due - time.monotonic(), 0.0))
            while self.is_silent:
                time.sleep(0.02)
            with contextlib.suppress(OSError):
                if not data:
                    line.shutdown(socket.SHUT_WR)
                    return
                line.sendall(data)

    def cut(self) -> None:
        """Close every line that is open, as a network that is gone does."""
        self.is_cut = True
        for line in self._lines:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()
        self._lines.clear()

    def close(self) -> None:
        """No more."""
        self.cut()
        self._ears.close()


@contextmanager
def wired(to_port: int, delay_s: float = 0.0) -> Iterator[Wire]:
    """A wire, until the end of the block."""
    wire = Wire(to_port, delay_s)
    try:
        yield wire
    finally:
        wire.close()
