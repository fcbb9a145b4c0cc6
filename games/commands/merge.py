"""`teeter merge`: the tables of an array job as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from teeter.games.commands.console import BAD_INPUT, OK, Force, refuse, say

LISTED = 8
"""Rows that are missing, named at most."""


def run(
    tables: Annotated[list[Path], typer.Argument(help="Tables of `teeter sweep --shard`, .csv or .parquet.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Table to write (.csv or .parquet).")],
    force: Force = False,
) -> int:
    """Merge the tables of a sweep's shards in order. Missing rows are named, with exit code 2."""
    from teeter.engine.topple.laboratory.results_table import merged, write
    from teeter.games.commands.sweep import TABLES
    from teeter.models.files import check_output

    if out.suffix not in TABLES:
        refuse(f"--out = {out}: must end in {', '.join(TABLES)}")
    check_output(out, force=force, inputs=tables)
    table = merged(tables)
    write(out, table.rows, table.columns, force=force)
    say(f"wrote {out}: {len(table.rows)} rows of {len(tables)} tables")
    if gaps := table.missing:
        named = ", ".join(map(str, gaps[:LISTED])) + (", ..." if len(gaps) > LISTED else "")
        say(f"rows that are missing, {len(gaps)}: {named}")
    for path in table.torn:
        say(f"{path}: its last line was cut off")
    if not table.is_certain:
        say("these tables do not say how many rows there are: some may be missing after the last")
    return BAD_INPUT if gaps or table.torn or not table.rows else OK
