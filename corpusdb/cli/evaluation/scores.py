"""The commands on stored scores: their table, the segments behind a number, curves over the number of references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.cli.evaluation.score_import import import_scores
from corpusdb.cli.program.command import CommandGroup, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_line, write_text
from corpusdb.errors import InputError

if TYPE_CHECKING:
    from corpusdb.queries.scoretable.table import ScoreTable
    from corpusdb.reports.evaluation.score_tables import Marks
    from corpusdb.store import Store

__all__ = ["scores"]

_NOTHING = "no score is stored; `corpusdb score ... --store` keeps them"

TestSetNumber: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--test-set", metavar="NUMBER", min=1, help="Which one; the one scored last, if not given.", show_default=False
    ),
]
ColumnName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--column", metavar="NAME", help="A column of the table, or its metric; the first if not given.",
        show_default=False,
    ),
]  # fmt: skip


def _table(store: Store, number: int | None) -> ScoreTable:
    """The table that is asked for. Raises InputError where nothing is stored."""
    from corpusdb.queries.scoretable.table import find_table

    found = find_table(store, number)
    if found is None or not found.columns:
        raise InputError(_NOTHING)
    return found


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What `scores list` takes."""

    test_set: TestSetNumber = None
    baseline: Annotated[
        str | None,
        typer.Option(metavar="SYSTEM", help="Test all others against this one.", show_default=False),
    ] = None
    sort: Annotated[str | None, typer.Option(metavar="COLUMN", help="The first if not given.", show_default=False)] = (
        None
    )
    long: Annotated[bool, typer.Option("--long", help="A row for each number, as with --json.")] = False


@command("list", answers=True, kept=False)
def list_scores(invocation: Invocation, options: ListOptions) -> int:
    """Show the stored scores, systems by metrics.

    A column is a metric with a reference set, or the name of imported scores. Stars are paired bootstrap over the
    segments. --long and --json have a row for each number with its signature, and the number that `verify` and
    `trace --score` take.
    """
    from dataclasses import replace

    from corpusdb.queries.evaluation.stored_scores import require_scores
    from corpusdb.queries.scoretable.table import sorted_rows
    from corpusdb.queries.scoretable.test_sets import all_test_sets
    from corpusdb.reports.evaluation.score_tables import (
        LONG_COLUMNS,
        NO_MARKS,
        column_lines,
        long_rows,
        marks_told,
        system_table,
    )

    require_scores(invocation.path)
    with invocation.reading() as store:
        test_sets = all_test_sets(store)
        if not test_sets:
            invocation.say(_NOTHING)
            if invocation.json:
                write_json([])
            return 0
        table = _table(store, options.test_set)
        if options.sort is not None:
            table = replace(table, rows=sorted_rows(table, table.column(options.sort)))
        marks = NO_MARKS if options.baseline is None else _marks(invocation, store, table, options.baseline)
    invocation.say(str(table.test_set))
    if len(test_sets) > 1:
        for each in test_sets:
            if each.number != table.test_set.number:
                invocation.say(f"--test-set {each.number}: {each}")
    if options.long or invocation.format in ("json", "jsonl"):
        invocation.show(LONG_COLUMNS, list(long_rows(table, marks)))
        return len(table.rows)
    invocation.show(*system_table(table, marks))
    notes = column_lines(table) + ([marks_told(options.baseline)] if options.baseline else [])
    before, after = {"latex": ("% ", ""), "markdown": ("\n    ", "")}.get(invocation.format, ("", ""))
    if invocation.format in ("table", "latex", "markdown"):
        for note in notes:
            write_text(f"{before}{note}{after}")
    return len(table.rows)


def _marks(invocation: Invocation, store: Store, table: ScoreTable, baseline: str) -> Marks:
    """The comparisons of every column; what cannot be compared is told."""
    from corpusdb.queries.scoretable.significance import comparisons, counting_column

    output = table.row(baseline).output
    marks = {}
    for at in range(len(table.columns)):
        try:
            counted = invocation.run(counting_column(store, table, at), resumes=False)
            marks[at] = comparisons(counted, output)
        except InputError as error:  # scores of systems alone
            invocation.say(str(error))
    return marks


@dataclass(frozen=True, slots=True)
class SegmentsOptions:
    """What `scores segments` takes."""

    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="As the table has it.", show_default=False)]
    other: Annotated[
        str | None, typer.Argument(metavar="[OTHER]", help="The differences from this one.", show_default=False)
    ] = None
    test_set: TestSetNumber = None
    column: ColumnName = None
    best_first: Annotated[bool, typer.Option("--best-first", help="The best, or the biggest win, first.")] = False
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="So many; 0 is all.")] = 20


@command("segments", answers=True, kept=False)
def list_segments(invocation: Invocation, options: SegmentsOptions) -> int:
    """List segments of a system, the worst first.

    With two systems the differences of their scores, the biggest loss of the first one first. BLEU is as it is stored,
    mostly not smoothed; equal ones stand by smoothed BLEU, as `compare` has it.
    """
    import numpy as np

    from corpusdb.queries.scoretable.score_reader import ScoreReader
    from corpusdb.queries.scoretable.segments import segment_rows
    from corpusdb.reports.evaluation.score_tables import segment_columns, segment_table
    from corpusdb.reports.evaluation.scores import unsmoothed_line

    with invocation.reading() as store:
        table, reader = _table(store, options.test_set), ScoreReader(store)
        names: Sequence[str] = [options.system] if options.other is None else [options.system, options.other]
        outputs = tuple(table.row(name).output for name in names)
        column = table.column(options.column)
        rows = segment_rows(reader, table, column, outputs, best_first=options.best_first)
        sources, texts = reader.sources(table.test_set), [reader.output(output) for output in outputs]
    shown = rows[: options.limit or None]
    told = table.columns[column]
    invocation.say(f"{told.name}, {table.test_set.name}")
    if told.settings is not None and told.settings.is_plain_bleu:
        values = np.array([[each.score, each.other][: len(names)] for each in rows], dtype=np.float64)
        advice = "`score --smoothing exp --store` keeps scores that tell them apart"
        invocation.say(unsmoothed_line(told.name, values, advice, are_ordered=True))
    invocation.show(segment_columns(names), segment_table(shown, sources, texts))
    invocation.say_cut(len(shown), len(rows), "segments")
    return len(rows)


@dataclass(frozen=True, slots=True)
class CurveOptions:
    """What `scores curve` takes."""

    system: Annotated[
        str | None,
        typer.Argument(metavar="[SYSTEM]", help="Whose plot; of the first if not given.", show_default=False),
    ] = None
    test_set: TestSetNumber = None
    column: ColumnName = None
    draws: Annotated[int, typer.Option(min=1, max=100_000, help="Orders in which references are added.")] = 20
    samples: Annotated[int, typer.Option(min=1, max=1_000_000, help="Samples of the segments in each.")] = 100
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of all that is drawn at random.")] = 1
    plots: Annotated[bool, typer.Option(help="The curves below a table.")] = True


@command("curve", answers=True, kept=False)
def curve(invocation: Invocation, options: CurveOptions) -> int:
    """Show a stored BLEU by number of references.

    BLEU for one, two, three ... references of each segment, drawn from the stored set, and its correlation
    with the human scores of the test set, where some were imported.
    """
    from corpusdb.queries.evaluation.reference_count import Resampling
    from corpusdb.queries.scoretable.curves import drawing_reference_curve
    from corpusdb.reports.evaluation.score_curves import copies_note, curves_of
    from corpusdb.reports.studies.reference_tables import WORTH_COLUMNS, worth_rows

    resampling = Resampling(options.seed, options.draws, options.samples)
    with invocation.reading() as store:
        table = _table(store, options.test_set)
        system = None if options.system is None else table.row(options.system).name
        job = drawing_reference_curve(store, table, table.column(options.column), resampling)
        found = invocation.run(job, resumes=False)
    rows, note = list(worth_rows(found)), copies_note(found)
    if invocation.format != "table":
        if note is not None:
            invocation.say(note)
        invocation.show(WORTH_COLUMNS, rows)
        return len(rows)
    invocation.show(WORTH_COLUMNS[:-1], [row[:-1] for row in rows])
    write_line()
    for signature in (found.curves[-1].signatures[0], found.curves[-1].signature):
        write_line(signature)
    if note is not None:
        write_line(note)
    curves = curves_of(found) if options.plots else []
    for each in [one for one in curves if one.system in (system or found.systems[0], None)]:
        for line in ("", each.name, *each.plot(0, (72, 16))):
            write_line(line)
    return len(rows)


scores = CommandGroup(
    "scores",
    """Look at stored scores: table, segments, curves.

    `corpusdb score --store` keeps them; in the browser they are the place Scores. Every command takes --json.
    """,
    (list_scores, list_segments, curve, import_scores),
)
