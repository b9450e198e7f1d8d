"""The commands for the chain on Spark under one name."""

from __future__ import annotations

from corpusdb.cli.distributed.loading import load
from corpusdb.cli.distributed.running import run
from corpusdb.cli.program.command import CommandGroup

__all__ = ["distributed"]

distributed = CommandGroup(
    "distributed",
    """Generate on Spark what outgrows one machine.

    The rows are those of `corpusdb generate`: run makes them from files, and load a database, --db, of them.
    `corpusdb guide cluster` tells how a cluster is used. They need the extra spark, and run needs Java 17. Both take
    --quiet and --json.
    """,
    (run, load),
)
