"""The commands on stored scores: their table, segments and curves, and how a score came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.base.display import Cell
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Argument, Option, default_of, names_in, values_of
from corpusdb.commands.command import CommandGroup, command
from corpusdb.commands.invocation import FOR_PEOPLE, Invocation, write_json, write_line, write_table
from corpusdb.scoring.input_options import MeasureOptions, read_scored, settings_of, show_table, write_below
from corpusdb.scoring.reference_options import ScoreFileOptions, read_score_files, say_how_read, score_reading

if TYPE_CHECKING:
    from corpusdb.base.estimates import SystemComparison
    from corpusdb.corpus.store import Store
    from corpusdb.scoring.queries.matched_ngrams import Background, ScoreTrace
    from corpusdb.scoring.queries.score_table import ScoreTable
    from corpusdb.scoring.queries.segment_view import RuleMatch
    from corpusdb.scoring.queries.verification import Given
    from corpusdb.scoring.table_report import Marks


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreImportOptions(ScoreFileOptions):
    files: Annotated[list[Path], Argument("Files of scores, in any form of `corpusdb guide files`.", metavar="FILE...")]
    human: Annotated[bool, Option("These are human scores.")] = False
    metric: Annotated[str | None, Option("Only these metrics, with commas (default: all).", metavar="NAMES")] = None
    system_names: Annotated[
        list[str], Option("Map a system name in the files to a stored one; repeatable.", metavar="THEIRS=OURS")
    ] = field(default_factory=list)
    skip_unknown: Annotated[bool, Option("Skip systems whose output is not stored.")] = False
    test_set: Annotated[
        int | None,
        Option("Only for outputs of this test set, by its number in `scores list`.", metavar="NUMBER", least=1),
    ] = None
    replace: Annotated[bool, Option("Replace scores of the same name.")] = False


@command("import")
def import_scores(invocation: Invocation, options: ScoreImportOptions) -> None:
    """Keep scores of people (human DA, MQM, ESA), or of other metrics.

    Human judgements and ratings as WMT publishes them, with --human; tables with a column system, a column segment
    where segments are scored, and one for each metric; those of `corpusdb score`; what comet-score and sacrebleu write;
    NAME.seg.score and NAME.sys.score of mt-metrics-eval. Every score must belong to an output stored by `corpusdb score
    --store`; if one does not, nothing is imported.
    """
    from corpusdb.scoring.queries import imported_scores as queries
    from corpusdb.scoring.queries.score_table import chosen_test_set
    from corpusdb.scoring.queries.stored_scores import all_test_sets, require_scores, test_set_names

    attachment = queries.Attachment(
        system_names=_pairs(options.system_names),
        metrics=names_in(options.metric),
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
        invocation.say(f"left out, since no output is stored: {', '.join(done.skipped)}")
    if done.unscored:
        invocation.say(f"some scores are missing for {', '.join(done.unscored)}")
    names = ", ".join(done.names)
    each = f"{names}: a score for each system, with those of its segments"
    invocation.say(each if done.imported else "all these scores are stored already; nothing changed")
    invocation.report(done, (("imported", done.imported), ("unchanged", done.unchanged), ("names", names)))


@dataclass(frozen=True, slots=True)
class RemoveScoresOptions:
    name: Annotated[str, Argument("Name of the scores in `scores list`.", metavar="NAME")]
    human: Annotated[bool, Option("Remove human scores.")] = False
    test_set: Annotated[
        int | None, Option("Only of this test set, by its number in `scores list`.", metavar="NUMBER", least=1)
    ] = None


@command("remove")
def remove_scores(invocation: Invocation, options: RemoveScoresOptions) -> None:
    """Remove imported scores: undo an import.

    Without --test-set, from all test sets. Scores computed by `corpusdb score --store` stay.
    """
    from corpusdb.scoring.queries import imported_scores as queries
    from corpusdb.scoring.queries.score_table import chosen_test_set
    from corpusdb.scoring.queries.stored_scores import all_test_sets, require_scores

    require_scores(invocation.path)
    with invocation.writing() as store:
        number = options.test_set
        chosen = None if number is None else chosen_test_set(all_test_sets(store), number)
        outputs = None if chosen is None else {each.id for each in chosen.outputs}
        done = queries.remove_scores(store, options.name, human=options.human, outputs=outputs)
    invocation.say(f"{done:,} scores called {options.name} are removed")


def _pairs(given: Sequence[str]) -> dict[str, str]:
    """What stands before and behind the last ``=``. Raises UsageError where there is none, or a name comes twice."""
    found: dict[str, str] = {}
    for each in given:
        theirs, equals, ours = each.rpartition("=")
        if not (equals and theirs and ours):
            raise UsageError(f"--system-names takes THEIRS=OURS, unlike {each!r}")
        if theirs in found:
            raise UsageError(f"--system-names maps {theirs!r} twice")
        found[theirs] = ours
    return found


# The commands on stored scores: their table, the segments behind a number, curves over the number of references.


_NOTHING = "no score is stored; `corpusdb score ... --store` keeps them"

TestSetNumber: TypeAlias = Annotated[
    int | None, Option("Number of the test set (default: that scored last).", "--test-set", metavar="NUMBER", least=1)
]
ColumnName: TypeAlias = Annotated[
    str | None, Option("A column of the table, or its metric (default: the first).", "--column", metavar="NAME")
]


def _table(store: Store, number: int | None) -> ScoreTable:
    """The table that is asked for. Raises InputError where nothing is stored."""
    from corpusdb.scoring.queries.score_table import find_table

    found = find_table(store, number)
    if found is None or not found.columns:
        raise InputError(_NOTHING)
    return found


@dataclass(frozen=True, slots=True)
class ScoreListOptions:
    test_set: TestSetNumber = None
    baseline: Annotated[str | None, Option("Test all others against this one.", metavar="SYSTEM")] = None
    sort: Annotated[str | None, Option("Column to sort by (default: the first).", metavar="COLUMN")] = None
    long: Annotated[bool, Option("One row per score, as with --json.")] = False


@command("list", answers=True, kept=False)
def list_scores(invocation: Invocation, options: ScoreListOptions) -> int:
    """Show the stored scores, systems by metrics.

    A column is a metric with a reference set, or the name of imported scores. Stars mark significance by approximate
    randomisation over segments. --long and --json have a row for each number with its signature, and the number that
    `verify` and `trace --score` take.
    """
    from corpusdb.scoring.queries.score_table import sorted_rows
    from corpusdb.scoring.queries.stored_scores import all_test_sets, require_scores
    from corpusdb.scoring.table_report import (
        LONG_COLUMNS,
        NO_MARKS,
        column_lines,
        column_words,
        long_rows,
        system_table,
        table_notes,
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
    say_how_read(invocation, (column_words(each) for each in table.columns if each.lacks_words))
    if len(test_sets) > 1:
        for each in test_sets:
            if each.number != table.test_set.number:
                invocation.say(f"--test-set {each.number}: {each}")
    if options.long or invocation.format in ("json", "jsonl"):
        invocation.show(LONG_COLUMNS, list(long_rows(table, marks)))
        return len(table.rows)
    show_table(invocation, *system_table(table, marks))
    if invocation.format in FOR_PEOPLE:
        write_below(invocation, column_lines(table), printed=table_notes(table, options.baseline, marks))
    return len(table.rows)


def _marks(invocation: Invocation, store: Store, table: ScoreTable, baseline: str) -> Marks:
    """The comparisons of every column; what cannot be compared is told."""
    from corpusdb.scoring.queries.score_table import comparisons, counting_column

    output = table.row(baseline).output
    marks: dict[int, Mapping[int, SystemComparison]] = {}
    reasons: dict[str, list[str]] = {}
    for at, column in enumerate(table.columns):
        try:
            counted = invocation.run(counting_column(store, table, at))
            marks[at] = comparisons(counted, output)
        except InputError as error:  # scores of systems alone
            marks[at] = {}
            reasons.setdefault(error.reason.removeprefix(column.name), []).append(column.name)
    for reason, names in reasons.items():
        invocation.say(f"{', '.join(names)}{reason}")
    return marks


@dataclass(frozen=True, slots=True)
class SegmentsOptions:
    system: Annotated[str, Argument("The system, by its name in the table.", metavar="SYSTEM")]
    other: Annotated[str | None, Argument("Show differences from this system.", metavar="[OTHER]")] = None
    test_set: TestSetNumber = None
    column: ColumnName = None
    best_first: Annotated[bool, Option("Best, or biggest gain, first.")] = False
    limit: Annotated[int, Option("Show at most this many; 0 shows all.", "--limit -n", metavar="N", least=0)] = 20


@command("segments", answers=True, kept=False)
def list_segments(invocation: Invocation, options: SegmentsOptions) -> int:
    """List segments of a system, the worst first.

    With two systems: differences of their scores, the biggest loss of the first system first. BLEU is shown as stored,
    usually unsmoothed; ties are sorted by smoothed BLEU, as in `compare`.
    """
    import numpy as np

    from corpusdb.scoring.queries.score_table import ScoreReader, segment_rows
    from corpusdb.scoring.report import unsmoothed_line
    from corpusdb.scoring.table_report import segment_columns, segment_table

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
class TextsOptions:
    test_set: TestSetNumber = None


@command("texts", answers=True, kept=False)
def list_texts(invocation: Invocation, options: TextsOptions) -> int:
    """Write the texts of a test set side by side: sources, references, outputs.

    A row for each segment, with a column for each system and for each reference of the set scored last, as many as any
    segment has.
    """
    from corpusdb.scoring.queries.score_table import ScoreReader
    from corpusdb.scoring.queries.stored_scores import set_scored_last

    with invocation.reading() as store:
        table, reader = _table(store, options.test_set), ScoreReader(store)
        sources = reader.sources(table.test_set)
        last = set_scored_last(store, table.test_set) or table.test_set.reference_sets[-1].id
        sets = [each.references for each in reader.sets(last)]
        outputs = {row.name: reader.output(row.output) for row in table.rows}
    most = max(map(len, sets), default=0)
    names = ["reference"] if most == 1 else [f"reference {number}" for number in range(1, most + 1)]
    invocation.show(
        ["segment", "source", *names, *outputs],
        (
            (
                number,
                sources[number - 1],
                *each,
                *[""] * (most - len(each)),
                *(of[number - 1] for of in outputs.values()),
            )
            for number, each in enumerate(sets, 1)
        ),
    )
    return len(sets)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadScoresOptions(ScoreFileOptions):
    files: Annotated[list[Path], Argument("Files of scores, in any form of `corpusdb guide files`.", metavar="FILE...")]


@command("read", answers=True, kept=False)
def read_scores(invocation: Invocation, options: ReadScoresOptions) -> int:
    """Show what files of scores hold, as one table; no database is needed.

    A row for each system, without a segment, and for each of its segments, numbered from 1; a column for each metric;
    MQM is summed, with --mqm-weights by other weights. `scores import` and `agreement` can read this table.
    """
    rows: dict[tuple[str, int | None], dict[str, float]] = {}
    for file in read_score_files(options.files, score_reading(options)):
        first = file.first()
        say_how_read(invocation, (*file.columns_left, *file.how_read(None)))
        for metric, of_systems in file.of_systems.items():
            for system, score in of_systems.items():
                rows.setdefault((system, None), {})[metric] = score.value
        for metric, of_segments in file.of_segments.items():
            for system, scores in of_segments.items():
                for segment, score in scores.items():
                    if isnan(score.value):  # None, where nobody scored it
                        continue
                    rows.setdefault((system, segment - first + 1), {})[metric] = score.value
    metrics = list(dict.fromkeys(metric for row in rows.values() for metric in row))
    ordered = sorted(rows.items(), key=lambda row: (row[0][1] is not None, row[0][0], row[0][1] or 0))
    invocation.show(
        ["system", "segment", *metrics],
        ((system, segment, *map(row.get, metrics)) for (system, segment), row in ordered),
    )
    return len(rows)


@dataclass(frozen=True, slots=True)
class CurveOptions:
    system: Annotated[str | None, Argument("The system to plot (default: the first).", metavar="[SYSTEM]")] = None
    test_set: TestSetNumber = None
    column: ColumnName = None
    draws: Annotated[int, Option("Number of random orders in which references are added.", least=1, most=100_000)] = 20
    samples: Annotated[int, Option("Number of samples of the segments in each.", least=1, most=1_000_000)] = 100
    seed: Annotated[int, Option("Random seed.", least=0)] = 1
    plots: Annotated[bool, Option("Plot the curves below the table.", "--plots/--no-plots")] = True


@command("curve", answers=True, kept=False)
def curve(invocation: Invocation, options: CurveOptions) -> int:
    """Show a stored BLEU by number of references.

    BLEU with one, two, three ... references per segment, drawn from the stored set, and its correlation with imported
    human scores.
    """
    from corpusdb.scoring.queries.score_table import drawing_reference_curve
    from corpusdb.scoring.reference_count import Resampling
    from corpusdb.scoring.table_report import WORTH_COLUMNS, copies_note, curves_of, worth_rows

    resampling = Resampling(options.seed, options.draws, options.samples)
    with invocation.reading() as store:
        table = _table(store, options.test_set)
        system = None if options.system is None else table.row(options.system).name
        job = drawing_reference_curve(store, table, table.column(options.column), resampling)
        found = invocation.run(job)
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
    """Stored scores, human ones too: table, segments, curves.

    `corpusdb score --store` stores them; in the browser they are under Scores. Every command takes --json.
    """,
    (list_scores, list_segments, list_texts, curve, read_scores, import_scores, remove_scores),
)


# The commands that ask a score how it came about: computed again, and taken apart.


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    score: Annotated[
        int | None,
        Argument("Number of a stored score (default: all).", metavar="SCORE", least=1),
    ] = None
    hyp: Annotated[Path | None, Option("Another output than the stored one.", metavar="FILE")] = None
    ref: Annotated[list[Path], Option("References to use instead; alone: show their digest.", metavar="FILE...")] = (
        field(default_factory=list)
    )


@command("verify")
def verify(invocation: Invocation, options: VerifyOptions) -> None:
    """Recompute stored scores, and report differences.

    Reference sets from the corpus are made again in the same way. If anything differs, the exit code is 1.

    With --ref and no score, shows the digest of these references, which signatures give after set:, and how many of
    them only repeat others; no database is needed.
    """
    from corpusdb.scoring.queries.stored_scores import require_scores
    from corpusdb.scoring.queries.verification import verify as verify_scores
    from corpusdb.scoring.table_report import verification_lines

    if options.score is None and options.hyp:
        raise UsageError("give the number of the score to compare these files with")
    if options.score is None and options.ref:
        _tell_digest(invocation, options.ref)
        return
    given = _given(options)
    require_scores(invocation.path)
    found = invocation.look(lambda store: invocation.run(verify_scores(store, options.score, given)))
    if invocation.json:
        write_json([asdict(each) | {"ok": each.ok} for each in found])
    else:
        for each in found:
            for line in verification_lines(each):
                write_line(line)
    if not found:
        invocation.say("no scores are stored; `corpusdb score --store` stores them")
    if not all(each.ok for each in found):
        raise typer.Exit(1)


def _tell_digest(invocation: Invocation, paths: Sequence[Path]) -> None:
    """Tell what names the references of files in signatures, and what no digest tells of them."""
    from corpusdb.corpus.formats.records import repeated
    from corpusdb.corpus.formats.scoring_input import read_references
    from corpusdb.scoring.queries.scoring_references import references_from_files

    found = references_from_files(read_references(paths), paths)
    report: dict[str, Cell] = {
        "digest": found.digest,
        "segments": len(found.sets),
        "references": sum(len(each.references) for each in found.sets),
        "copies": sum(map(repeated, found.sets)),
    }
    if invocation.json:
        write_json(report)
    else:
        write_table((), list(report.items()))


def _given(options: VerifyOptions) -> Given:
    from corpusdb.corpus.formats.scoring_input import read_output, read_plain, read_references
    from corpusdb.scoring.queries.scoring_references import references_from_files
    from corpusdb.scoring.queries.verification import Given

    if not options.ref:
        return Given(hypotheses=tuple(read_plain(options.hyp)) if options.hyp else None)
    texts = read_references(options.ref)
    sets = references_from_files(texts, options.ref).sets
    return Given(sets, read_output(options.hyp, texts.segmentation)[0].texts if options.hyp else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions(MeasureOptions):
    hypothesis: Annotated[Path | None, Argument("Output of a system; or --score.", metavar="[HYP]")] = None
    score: Annotated[int | None, Option("Number of a stored BLEU, instead of files.", metavar="NUMBER", least=1)] = None
    segment: Annotated[int, Option("Number of the segment, from 1.", metavar="NUMBER", least=1)]
    missed: Annotated[bool, Option("Only n-grams that are missed.")] = False


@command("trace", answers=True, kept=False)
def trace(invocation: Invocation, options: TraceOptions) -> int:
    """Show where the BLEU of one segment comes from.

    Every n-gram of the hypothesis: how often it occurs, how many of these count, and which references account for them.
    References from the corpus come with the human sentences they rest on, and with the analogies of generated ones.
    --score takes output, references and settings from the database. For references rewritten by rules, n-grams that no
    other reference has are shown with the rules and the original wording.
    """
    from corpusdb.scoring.trace_report import NGRAM_COLUMNS, ngram_rows, rule_match_lines, trace_lines

    if (options.hypothesis is None) == (options.score is None):
        raise UsageError("give the output of a system, or --score NUMBER for a stored one")
    found = _stored_trace(invocation, options) if options.score else _traced(invocation, options)
    rows = ngram_rows(found.trace.trace, only_missed=options.missed)
    if invocation.json:
        write_json(_trace_document(found, [dict(zip(NGRAM_COLUMNS, row, strict=True)) for row in rows]))
        return len(rows)
    of_references = [*trace_lines(found.trace, found.source, found.backgrounds), ""]
    is_text = invocation.format == "table"
    for line in (*of_references, *rule_match_lines(found.trace.trace, found.by_rules)):
        if is_text:
            write_line(line)
        elif line:  # the answer is rows of n-grams alone
            invocation.say(line)
    invocation.show(NGRAM_COLUMNS, rows)
    return len(rows)


@dataclass(frozen=True, slots=True)
class _Traced:
    trace: ScoreTrace
    source: str
    backgrounds: list[Background]
    by_rules: list[RuleMatch]


def _traced(invocation: Invocation, options: TraceOptions) -> _Traced:
    from corpusdb.scoring.queries.matched_ngrams import background_of, trace_score
    from corpusdb.scoring.queries.segment_view import rule_matches

    settings = settings_of(options, "bleu")
    outputs, references = read_scored(invocation, [options.hypothesis] if options.hypothesis else [], options)
    found = trace_score(outputs[0], references, settings, options.segment)
    made = {} if references.rewriting is None else references.rewriting.lineages[options.segment - 1]
    backgrounds: list[Background] = []
    if references.attributed and (language := references.language) is not None:
        wanted = references.attributed[options.segment - 1].references
        backgrounds = invocation.look(lambda store: [background_of(store, each, language) for each in wanted])
    return _Traced(found, references.sets[options.segment - 1].source, backgrounds, rule_matches(found, made))


def _stored_trace(invocation: Invocation, options: TraceOptions) -> _Traced:
    told = {"hypothesis", "score", "segment", "missed"}
    others = [each.name for each, value in values_of(options) if value != default_of(each) and each.name not in told]
    if others:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in others)
        raise UsageError(f"a stored score has its own references and settings: --score goes without {names}")
    from corpusdb.scoring.queries.matched_ngrams import background_of
    from corpusdb.scoring.queries.segment_view import rule_matches, stored_lineages, stored_trace

    def question(store: Store) -> _Traced:
        view, origins = stored_trace(store, options.score or 0, options.segment)
        language = origins.language
        known = [each for each in origins.references if each is not None]
        backgrounds = [] if language is None else [background_of(store, each, language) for each in known]
        lineages = stored_lineages(store, view.reference_set, options.segment)
        return _Traced(view.trace, view.source, backgrounds, rule_matches(view.trace, lineages))

    return invocation.look(question)


def _trace_document(traced: _Traced, ngrams: Sequence[Mapping[str, Cell]]) -> dict[str, object]:
    found = traced.trace
    from corpusdb.scoring.trace_report import background_number, rule_match_document

    row, order = found.trace.statistics, found.trace.order
    return {
        "system": found.system,
        "segment": found.segment,
        "metric": found.settings.metric,
        "score": found.score,
        "signature": found.signature,
        "hypothesis": found.hypothesis,
        "statistics": {
            "matched": row[:order],
            "total": row[order : 2 * order],
            "length": row[-2],
            "closest": row[-1],
        },
        "references": [asdict(each) for each in found.references],
        "ngrams": ngrams,
        "backgrounds": [
            {"number": background_number(found, each)} | _background_document(each) for each in traced.backgrounds
        ],
        **({"by_rules": [rule_match_document(each) for each in traced.by_rules]} if traced.by_rules else {}),
    }


def _background_document(found: Background) -> dict[str, object]:
    document = asdict(found)
    if found.explanation is not None:  # pairs are no keys in JSON: what B and B' share stands with each analogy
        analogies = [
            asdict(each)
            | {"shared": [asdict(one) for one in found.explanation.shared.get((each.b, each.rewording), ())]}
            for each in found.explanation.analogies
        ]
        document["explanation"] = {"total": found.explanation.total, "analogies": analogies}
        if reasons := [*found.explanation.accepted, *found.explanation.reasons]:
            document["explanation"] |= {"reasons": reasons}
    return document
