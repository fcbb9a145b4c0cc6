"""Linear algebra keeps to one thread while teeter computes, and is as it was afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def run(words: str) -> list[str]:
    bare = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(words)],
        env=bare,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


SPIED = """
    import os, threading
    import teeter
    from threadpoolctl import threadpool_info
    import teeter.engine.topple.verdict as verdict

    def threads():
        return max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")

    import scipy.linalg
    before, inside, check = threads(), [], verdict.check

    def spied(*given):
        found = check(*given)
        inside.append((threads(), os.environ.get("OPENBLAS_NUM_THREADS")))
        return found

    verdict.check = spied
"""


def test_a_check_keeps_to_one_thread_and_gives_the_others_back() -> None:
    said = run(
        SPIED
        + """
    asked = [threading.Thread(target=teeter.check, args=("two_bricks",), kwargs={"workers": 1}) for _ in range(3)]
    for each in asked: each.start()
    for each in asked: each.join()
    print(before, threads(), {n for n, _ in inside}, {v for _, v in inside}, os.environ.get("OPENBLAS_NUM_THREADS"))
    """
    )
    assert said[0] == said[1]
    assert said[2:] == ["{1}", "{'1'}", "None"]


def test_the_last_to_leave_frees_what_another_thread_limited() -> None:
    said = run(
        SPIED
        + """
    from teeter.games.api.one_thread import one_thread

    first, second, left, over = (threading.Event() for _ in range(4))

    def begin():
        with one_thread():
            first.set()
            second.wait()
        left.set()
        over.wait()

    beginner = threading.Thread(target=begin)
    beginner.start()
    first.wait()
    with one_thread():
        second.set()
        left.wait()
        print(threads())
    print(before == threads(), os.environ.get("OPENBLAS_NUM_THREADS"))
    over.set()
    beginner.join()
    """
    )
    assert said == ["1", "True", "None"]


def test_who_chose_a_number_of_threads_keeps_it() -> None:
    said = run(
        'import os; os.environ["OPENBLAS_NUM_THREADS"] = "2"\n'
        + textwrap.dedent(SPIED)
        + 'teeter.check("two_bricks", workers=1); print(before, inside[0][0], inside[0][1])'
    )
    assert said == [said[0], said[0], "2"]


def test_a_child_that_is_forked_while_others_ask_answers() -> None:
    said = run(
        """
    import os
    import teeter
    from teeter.games.api import one_thread

    with one_thread._lock:
        child = os.fork()
        if child == 0:
            print(teeter.check("two_bricks", workers=1).word, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    """
    )
    assert said == ["stands"]


def test_the_command_keeps_to_one_thread() -> None:
    words = """
    import os, sys
    from teeter.games import cli, __main__
    cli.main = lambda app: print(os.environ["OPENBLAS_NUM_THREADS"], flush=True)
    sys.argv = ["teeter", "scenes"]
    try:
        __main__.main()
    except SystemExit:
        os._exit(0)
    """
    assert run(words) == ["1"]
