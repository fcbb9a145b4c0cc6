"""What can go wrong with a verdict or a study: `ToppleError` > `StaticsError`, `NotStandingError`, `SweepError`."""

from teeter.models.errors import TeeterError


class ToppleError(TeeterError):
    """A verdict or a study that cannot be made as asked; the message says what to do."""


class StaticsError(ToppleError, RuntimeError):
    """The solver gave up: the contacts are so badly scaled that a force balance cannot be decided."""


class NotStandingError(ToppleError, ValueError):
    """The scene does not stand by itself, so there is nothing to pull out."""


class SweepError(ToppleError):
    """A sweep that makes no sense, or a table that cannot be gone on with."""
