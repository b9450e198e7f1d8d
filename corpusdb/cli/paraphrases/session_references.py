"""The command that writes what was accepted in a paraphrase session as references."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from corpusdb.cli.program.command import Overwrite, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell

__all__ = ["write_references"]


@dataclass(frozen=True, slots=True)
class ReferencesOptions:
    """What `session references` takes."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the session.", show_default=False)]
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.", show_default=False)
    ]
    for_: Annotated[
        Path | None,
        typer.Option("--for", metavar="FILE", help="A segment for each line of this test set, in its order."),
    ] = None
    format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="tsv or jsonl; without it by the ending of the file.")
    ] = None
    overwrite: Overwrite = False


@command("references")
def write_references(invocation: Invocation, options: ReferencesOptions) -> None:
    """Write what was accepted as a file of references.

    Each seed is a segment, in their order; its references are the seed itself, then what was accepted of it, whether
    `session apply` has written that into the corpus or not. `score --ref FILE` reads the file.

    A session has each seed once and no blank one. With --for the segments are the lines of a test set, so that outputs
    of that test set can be scored: doubles have the same references, a line that is no seed has itself, and a blank one
    "-". Of a table the column of sources counts.
    """
    from corpusdb.queries.sessions.references import reference_file, write_session_references

    file = reference_file(options.output, options.format, invocation.guard(overwrite=options.overwrite))
    written = invocation.look(lambda store: write_session_references(store, options.name, file, options.for_))
    found = written.references
    document: dict[str, Cell] = {"file": str(written.path), "segments": written.segments, "accepted": found.accepted}
    for note in written.notes:
        invocation.say(note)
    more: dict[str, Cell] = {"only_themselves": found.alone}
    if options.for_ is not None:
        more |= {"no_seed": found.no_seed, "blank": found.blank, "seeds_left_out": found.left_out}
    invocation.report(document | more, list(document.items()))
