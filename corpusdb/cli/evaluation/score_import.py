"""The command that keeps scores of others beside our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.scoring.score_files import ScoreFileOptions, say_how_read, score_reading
from corpusdb.errors import UsageError

__all__ = ["import_scores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions(ScoreFileOptions):
    """What `scores import` takes."""

    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Scores, in whatever form: `guide files`.", show_default=False),
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
    test_set: Annotated[
        int | None,
        typer.Option(
            "--test-set", metavar="NUMBER", min=1, help="Only to outputs of this one, as `scores list` counts them.",
            show_default=False,
        ),
    ] = None  # fmt: skip
    replace: Annotated[bool, typer.Option("--replace", help="Put them in the place of others of their name.")] = False


@command("import")
def import_scores(invocation: Invocation, options: ImportOptions) -> None:
    """Keep scores of other metrics, or of people.

    Tables with a column system, a column segment where segments are scored, and one for each metric; those of
    `corpusdb score`; what comet-score and sacrebleu write; MQM, ESA and DA of WMT; NAME.seg.score and NAME.sys.score of
    mt-metrics-eval. Every score belongs to an output that `corpusdb score --store` keeps; where one fits none, nothing
    is stored.
    """
    from corpusdb.queries.evaluation.stored_scores import require_scores
    from corpusdb.queries.imported import imported_scores as queries
    from corpusdb.queries.scoretable.table import chosen_test_set
    from corpusdb.queries.scoretable.test_sets import all_test_sets, test_set_names

    attachment = queries.Attachment(
        system_names=_pairs(options.system_names),
        metrics=[name.strip() for name in (options.metric or "").split(",") if name.strip()],
        skip_unknown=options.skip_unknown,
        replace=options.replace,
        how=score_reading(options),
    )
    require_scores(invocation.path)
    with invocation.writing() as store:
        attachment = replace(attachment, test_sets=test_set_names(store))
        if options.test_set is not None:
            chosen = chosen_test_set(all_test_sets(store), options.test_set)
            attachment = replace(attachment, outputs={each.id for each in chosen.outputs})
        done = queries.import_scores(store, options.files, human=options.human, attachment=attachment)
    say_how_read(invocation, (*done.notes, *done.remarks))
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
