"""The command `teeter`. Nothing is loaded before it is known what to do when a signal comes."""

from __future__ import annotations

import os
import sys

# until it is known what else to do SIGINT ends the process, as SIGTERM does: Python would leave a trace, or lose it.
# Where it is ignored, as under `nohup` or behind `&` in a script, it stays so. The module `signal` takes long to load
if __import__("_signal").getsignal(2) != 1:
    __import__("_signal").signal(2, 0)

HOME = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
if __name__ == "__main__" and not sys.flags.safe_path and os.path.realpath(sys.path[0]) != HOME:
    # the current folder, which `-m` puts first: what lies there by the name of a package is no part of teeter
    del sys.path[0]

try:
    import atexit
    import contextlib
    import gc
    import signal
    from types import FrameType
    from typing import NoReturn

    from teeter.games import exits

    EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
    """By signal, as shells say it."""
except Exception as error:  # a file of the current folder hides a module of Python itself
    sys.stderr.write(f"teeter: cannot start: {error}\n")
    raise SystemExit(70) from None

LATE_S = 0.05
"""Seconds after which an interrupt comes again."""
LOADING = ("create_module", "exec_module")
"""Methods of the import system in which a compiled library initialises itself."""
LEAST_MEMORY = 400_000_000
"""Bytes of address space; `teeter check` of a few bricks takes 360 million."""


def main() -> NoReturn:
    """Entry point of the command."""
    exits.open_streams()
    exits.guard()
    # its matrices are small: threads of linear algebra wait for each other, and for other processes
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _keep_within_memory()
    came: list[int] = []
    codes: list[int] = []

    def end() -> None:
        # the first signal that came, whatever was made of it
        exits.end(EXIT_CODES[signal.Signals(came[0])] if came else codes[0] if codes else exits.CRASHED)

    # registered first, it is called last: when all that is temporary has been cleared away
    atexit.register(end)
    sys.unraisablehook = _report_dropped
    try:
        _run(came)
    except SystemExit as error:
        codes.append(exits.code_of(error))
    except MemoryError:
        _say_out_of_memory()
    raise SystemExit(codes[0] if codes else exits.CRASHED)


def _run(came: list[int]) -> None:
    # what is loaded stays: to look through it again and again for garbage takes a twentieth of a short command
    gc.disable()
    # what whoever started this ignores stays ignored
    heard = [number for number in EXIT_CODES if signal.getsignal(number) != signal.SIG_IGN]
    for number in heard:
        signal.signal(number, _leave_while_loading)
    try:
        if sys.argv[1:2] == ["doctor"]:
            import pydantic  # noqa: F401  # typer asks for it when a command runs
        from teeter.games import cli
        from teeter.games.commands.console import Terminated

        app = cli.program(sys.argv[1:2])
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and sys.argv[1:2] == ["doctor"]:
            # which needs none of the packages that it looks for
            from teeter.games.health import print_plainly

            raise SystemExit(exits.answer(print_plainly(sys.argv[2:], error))) from None
        exits.cannot_start(error)

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        end(Terminated if number == signal.SIGTERM else KeyboardInterrupt, frame)

    def end(error: type[KeyboardInterrupt], frame: FrameType | None) -> None:
        if not _is_in_a_library(frame):
            raise error
        end_soon(error)

    def end_soon(error: type[KeyboardInterrupt]) -> None:
        if not hasattr(signal, "setitimer"):  # Windows
            import _thread
            import threading

            threading.Timer(LATE_S, _thread.interrupt_main).start()
            return
        signal.signal(signal.SIGALRM, lambda number, frame: end(error, frame))
        signal.setitimer(signal.ITIMER_REAL, LATE_S)

    def again(unraisable: sys.UnraisableHookArgs) -> None:
        """An interrupt that came where Python drops exceptions, as in a callback, comes again a moment later."""
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            end_soon(unraisable.exc_type)
        else:
            _report_dropped(unraisable)

    def note(number: int, frame: object) -> None:
        came.append(number)

    sys.unraisablehook = again
    for number in heard:
        signal.signal(number, interrupt)
    try:
        gc.freeze()
        gc.enable()
        cli.main(app)
    finally:
        # what is being put away is put away; the exit code tells of the signal
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number in heard:
            signal.signal(number, note)


def _keep_within_memory() -> None:
    """Refuse to start where memory is limited to less than what is loaded takes: OpenBLAS and others that find too
    little wait for ever, or end the process. Linear algebra is loaded before anything else takes its room."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, AttributeError):
        return
    if limit == resource.RLIM_INFINITY:
        return
    if limit < LEAST_MEMORY:
        fault = (
            f"{limit // 10**6} MB of memory (ulimit -v) are less than the {LEAST_MEMORY // 10**6} MB it takes"
        )
        sys.stderr.write(f"teeter: no verdict: {fault}\n")
        exits.end(exits.CRASHED)
    with contextlib.suppress(ImportError, MemoryError):  # what needs it says so itself
        import scipy.linalg  # noqa: F401


def _say_out_of_memory() -> None:
    try:
        os.write(2, exits.OUT_OF_MEMORY.encode())
    except OSError:
        return


def _report_dropped(unraisable: sys.UnraisableHookArgs) -> None:
    """An exception that Python drops, as one in a destructor. Where memory has run out nothing after it can be trusted,
    and there is none left for a trace."""
    if issubclass(unraisable.exc_type, MemoryError):
        _say_out_of_memory()
        os._exit(exits.CRASHED)
    sys.__unraisablehook__(unraisable)


def _is_in_a_library(frame: FrameType | None) -> bool:
    """Whether a compiled library is being loaded: an exception within would end the process (Panda3D's), or be lost."""
    while frame is not None:
        loader = frame.f_locals.get("self") if frame.f_code.co_name in LOADING else None
        if type(loader).__name__ == "ExtensionFileLoader":
            return True
        frame = frame.f_back
    return False


def _leave_while_loading(number: int, frame: object) -> NoReturn:
    """Leave at once: nothing is written yet, and an import cannot be broken off cleanly."""
    os._exit(EXIT_CODES[signal.Signals(number)])


if __name__ == "__main__":
    main()
