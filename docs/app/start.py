"""What the app for players starts: the menu, or whatever command is given."""

import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()
    if sys.argv[1:2] == ["-c"]:  # teeter asks its own Python now and then: here that is the app
        code, sys.argv = sys.argv[2], ["-c", *sys.argv[3:]]
        exec(code)
    else:
        from teeter.games.__main__ import main

        del sys.argv[1 : 3 if sys.argv[1:3] == ["-m", "teeter"] else 1]
        sys.argv += ["play"] * (len(sys.argv) == 1)
        main()
