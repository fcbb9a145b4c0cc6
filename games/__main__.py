"""`python -m games`: the same as the command `teeter`."""

from games.cli import main

main()
