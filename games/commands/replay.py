"""The window of `teeter replay`: a recording with a scrub bar, to be checked and gone on with at any moment."""

from dataclasses import replace

from teeter.engine.record.reader import Replay
from teeter.games.commands.console import OK


def watch(replay: Replay, at: float = 0.0) -> int:
    """Open the window and stay until it is closed. at: the second to begin at. Returns the exit code.

    Raises ViewError and RecordError.
    """
    from teeter.games.ui.replay_screen import Viewer

    viewer = Viewer(replay)
    viewer.watching = replace(viewer.watching, seconds=min(at, replay.seconds))
    viewer.run()
    if viewer.forked is not None:
        from teeter.games.commands.play import open_window
        from teeter.games.server.setup import plan_of

        return open_window(plan_of(viewer.forked))
    return OK
