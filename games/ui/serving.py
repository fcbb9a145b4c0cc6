"""The physics process from its first word to its last."""

from __future__ import annotations

import contextlib
from multiprocessing.connection import Connection

from engine.process import suppress_stderr
from games.ui import messages
from games.ui.host import Abandoned, Host
from games.ui.messages import Left, Plan


def serve(line: Connection, plan: Plan) -> None:
    """The process: open the game, play it, say when it cannot go on."""
    host: Host | None = None
    try:
        with suppress_stderr():
            host = Host(line, plan)
        host.run()
    except (Abandoned, KeyboardInterrupt):
        pass
    except Exception as error:  # whatever it is, the person at the window has to hear of it
        _last_words(line, messages.Broken(str(error) or type(error).__name__))
    finally:
        if host is not None:
            host.close()
        _last_words(line, Left())


def _last_words(line: Connection, news: messages.News) -> None:
    with contextlib.suppress(BrokenPipeError, OSError):
        line.send(news)
