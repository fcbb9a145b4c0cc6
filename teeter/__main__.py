"""`python -m teeter` is the command, with its exit codes."""

import os
import sys

# as `teeter.games` does when it is loaded
if __import__("_signal").getsignal(2) != 1:
    __import__("_signal").signal(2, 0)
if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != os.path.dirname(
    os.path.dirname(os.path.realpath(__file__))
):
    # the current folder, which `-m` puts first: what lies there by the name of a package is no part of teeter
    del sys.path[0]
try:
    from teeter.games.__main__ import main
except Exception as error:
    sys.stderr.write(f"teeter: cannot start: {error}\n")
    sys.exit(70)
main()
