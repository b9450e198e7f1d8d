"""The command that takes a run of the chain on Spark into a database."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from corpusdb.cli.distributed.running import seed_lines
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation

__all__ = ["load"]


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What `distributed load` takes."""

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a complete run.")]
    seeds: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Only what these sentences need, one on each line.")
    ] = None


@command("load")
def load(invocation: Invocation, options: LoadOptions) -> None:
    """Load a run into a new database: all of it, or what some seeds need.

    With --seeds, the database is an extract: the paraphrases of these sentences, and all that explains them, are there
    as in the whole. What would need the rest, such as import, generate or accept, refuses. Needs no Java.
    """
    from corpusdb.queries.distributed.loading import load as load_run
    from corpusdb.queries.distributed.loading import look_up

    seeds = None if not options.seeds else [line for file in options.seeds for line in seed_lines(file)]
    wanted = invocation.run(look_up(options.folder, seeds))
    with invocation.writing(create=True) as store:
        report = invocation.run(load_run(store, wanted))
    invocation.report(
        asdict(report),
        [
            ("seeds", report.seeds),
            ("seeds that are no sentences of the run", report.missing_seeds),
            ("sentences", report.sentences),
            ("translations", report.translations),
            ("candidates", report.candidates),
            ("holds", "an extract" if report.extract else "the whole"),
            ("megabytes", report.megabytes),
            ("seconds", report.seconds),
        ],
    )
