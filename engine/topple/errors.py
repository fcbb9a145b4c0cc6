"""What can go wrong with a study: `ToppleError` > `WorkerError`, `SweepError`."""

from __future__ import annotations

from models.errors import TeeterError


class ToppleError(TeeterError):
    """A study that cannot be done as asked; the message says what to do."""


class WorkerError(ToppleError):
    """Processes died again and again while working, or the cluster cannot be reached."""


class SweepError(ToppleError):
    """A sweep that makes no sense, or a table that cannot be gone on with."""
