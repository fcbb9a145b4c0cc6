"""The window of `teeter play`: opened with a game, with one to go on with, or with the menu."""

from __future__ import annotations

from games.commands.console import OK
from games.ui.messages import Plan


def run(plan: Plan | None) -> int:
    """Open the window and stay until it is closed; the exit code. plan: None for the menu.

    Raises ViewError without a display, SetupError for a game that cannot begin or broken settings, RecordError.
    """
    from games.ui.opening import first_state
    from games.ui.settings import load_settings

    settings = load_settings()
    if plan is not None:
        # refused before a window opens
        first_state(plan)
    from games.ui.app import App

    app = App(settings, plan)
    app.run()
    return OK
