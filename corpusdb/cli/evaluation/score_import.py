"""The command that keeps scores of others beside our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.errors import UsageError

__all__ = ["import_scores"]


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What `scores import` takes."""

    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="NAME.seg.score, NAME.sys.score, or a table.", show_default=False),
    ]
    human: Annotated[bool, typer.Option("--human", help="These are scores of people.")] = False
    metric: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Only these of the files, with commas; all if not given."),
    ] = None
    system_names: Annotated[
        list[str],
        typer.Option(
            "--system-names",
            metavar="THEIRS=OURS",
            help="What the files call a stored output; again for more.",
            show_default=False,
        ),
    ] = field(default_factory=list)
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out systems of which no output is stored.")
    ] = False
    replace: Annotated[bool, typer.Option("--replace", help="Put them in the place of others of their name.")] = False


@command("import")
def import_scores(invocation: Invocation, options: ImportOptions) -> None:
    """Keep scores of other metrics, or of people.

    The files are those of mt-metrics-eval, a line "system TAB score" for each segment or system (None where there is
    no score), or tables with a column system and one for each metric. Every score belongs to an output that
    `corpusdb score --store` keeps; where one fits none, nothing is stored.
    """
    from corpusdb.queries.evaluation import imported_scores as queries
    from corpusdb.queries.evaluation.stored_scores import require_scores

    attachment = queries.Attachment(
        system_names=_pairs(options.system_names),
        metrics=[name.strip() for name in (options.metric or "").split(",") if name.strip()],
        skip_unknown=options.skip_unknown,
        replace=options.replace,
    )
    require_scores(invocation.path)
    with invocation.writing() as store:
        done = queries.import_scores(store, options.files, human=options.human, attachment=attachment)
    if done.skipped:
        invocation.say(f"no output is stored of {', '.join(done.skipped)}, left out")
    if done.unscored:
        invocation.say(f"some scores are missing of {', '.join(done.unscored)}")
    if not done.imported:
        invocation.say("all of these scores were kept already; nothing is changed")
    names = ", ".join(done.names)
    invocation.report(done, (("imported", done.imported), ("unchanged", done.unchanged), ("names", names)))


def _pairs(given: Sequence[str]) -> dict[str, str]:
    """What stands before and behind the last ``=``. Raises UsageError where there is none, or a name comes twice."""
    found: dict[str, str] = {}
    for each in given:
        theirs, equals, ours = each.rpartition("=")
        if not (equals and theirs and ours):
            raise UsageError(f"--system-names takes THEIRS=OURS, unlike {each!r}")
        if theirs in found:
            raise UsageError(f"--system-names says twice what {theirs!r} is")
        found[theirs] = ours
    return found
