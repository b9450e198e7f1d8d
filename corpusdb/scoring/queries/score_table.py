"""The table of systems by metrics and reference sets, and its columns: segments, curves, which differences count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import SystemComparison
from corpusdb.base.jobs import Job, usable_cores
from corpusdb.base.text import are_undelimited
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.score_file import differs, name_of_mean
from corpusdb.corpus.formats.scoring_input import USUAL, HumanJudgements
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import Store
from corpusdb.scoring.measures import smoothed_for_segments, statistics_of_systems
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.metrics import METRICS, is_corpus_metric, metric_named
from corpusdb.scoring.queries.attributed import AttributedSet
from corpusdb.scoring.queries.frozen_sets import kept_references
from corpusdb.scoring.queries.imported_scores import values_from
from corpusdb.scoring.queries.reference_count import ReferenceWorth, measuring_worth
from corpusdb.scoring.queries.reference_equivalents import kept_derivation
from corpusdb.scoring.queries.scoring import MetricScores, Sampling, compared, needs_spaced_words
from corpusdb.scoring.queries.scoring_references import LabelledReferences
from corpusdb.scoring.queries.stored_scores import (
    PartlyScored,
    StoredSet,
    TestSet,
    all_test_sets,
    check_words,
    settings_from,
    stored_lattices,
    stored_measure,
    stored_output,
    stored_sets,
)
from corpusdb.scoring.reference_count import Resampling

# The table of systems by metrics and reference sets, from the numbers that are stored. A row is a stored output. A
# column is a metric with a reference set, or with the name under which somebody else's scores were imported. Outputs
# and reference sets that were scored together, or that have the same sources, are one test set.


Kind: TypeAlias = Literal["computed", "metric", "human"]
"""Computed here; imported, of another metric; imported, of people."""

_DECIMALS = 2
_MOST_DECIMALS = 4
_SMALL = 2.0
"""Scores that are all less are of a metric such as COMET, or standardised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What the numbers below each other have in common."""

    label: str
    """Of the metric: BLEUw4, chrF2 ..., or the name under which scores were imported."""
    references: str
    """A short name of the reference set; "imported" or "human" where scores were."""
    kind: Kind
    signature: str
    """How they were computed; of imported ones the files with the beginning of their digests."""
    reference_set: int | None = None
    settings: MetricSettings | None = None
    """None for imported ones."""
    is_frozen: bool = False
    """Whether the reference set was signed before any score on it was shown."""
    lower_is_better: bool = False
    decimals: int = _DECIMALS
    gives_systems: bool = False
    """Of imported ones: whether the score of a system was given that is not the mean of its segments."""
    part: PartlyScored | None = None
    """Of imported ones: how much of the test set they are of; None for all of it, and for scores of systems alone."""
    lacks_words: bool = False
    """Whether they are meaningless: they count words, which no spaces tell apart in most of the references."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return f"{self.label} {self.references}"


@dataclass(frozen=True, slots=True)
class Cell:
    """A number, and the row of the database that it is from."""

    value: float
    number: int
    """Of the stored score; for an imported one, of its row."""


@dataclass(frozen=True, slots=True)
class SystemRow:
    output: int
    name: str
    """Distinct in a table: the beginning of the digest stands behind names that several outputs have."""
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A test set with all its numbers."""

    test_set: TestSet
    columns: tuple[Column, ...]
    rows: tuple[SystemRow, ...]

    def row(self, system: str) -> SystemRow:
        """The row of a system. Raises UsageError where there is none of that name."""
        for row in self.rows:
            if row.name == system:
                return row
        known = ", ".join(row.name for row in self.rows)
        raise UsageError(f"there is no system {system!r} in {self.test_set.name}; there are {known}")

    def references_of(self, column: int) -> StoredSet:
        wanted = self.columns[column].reference_set
        return next(each for each in self.test_set.reference_sets if each.id == wanted)

    def column(self, name: str | None = None) -> int:
        """The place of the column of that name, or of that metric; of the first without a name.

        Raises UsageError where there is none.
        """
        wanted = (name or "").casefold()
        for place, column in enumerate(self.columns):
            if not wanted or wanted in (column.name.casefold(), column.label.casefold()):
                return place
        known = "; ".join(column.name for column in self.columns)
        raise UsageError(f"there is no column {name!r} in {self.test_set.name}; there are {known or 'none'}")


def chosen_test_set(found: Sequence[TestSet], number: int | None = None) -> TestSet:
    """The one of that number, or the one that was scored last. Raises UsageError where there is none."""
    if number is not None:
        for each in found:
            if each.number == number:
                return each
        raise UsageError(f"there is no test set {number}; there are 1 to {len(found)}")
    return max(found, key=lambda each: each.last_score)


def score_table(store: Store, test_set: TestSet) -> ScoreTable:
    """The numbers of a test set, best first by its first column; those of one metric stand side by side.

    Columns that are meaningless stand behind all others.
    """
    columns: dict[tuple[object, ...], Column] = {}
    cells: dict[tuple[object, ...], dict[int, Cell]] = {}
    names = _reference_names(test_set)
    for key, column, output, cell in (*_computed(store, test_set, names), *_imported(store, test_set)):
        columns.setdefault(key, column)
        cells.setdefault(key, {})[output] = cell
    labels = list(dict.fromkeys(column.label for column in columns.values()))
    ordered = sorted(columns, key=lambda key: (columns[key].lacks_words, labels.index(columns[key].label)))
    told = tuple(_distinct([columns[key] for key in ordered]))
    rows = tuple(
        SystemRow(output, name, tuple(cells[key].get(output) for key in ordered))
        for output, name in _system_names(test_set).items()
    )
    table = ScoreTable(test_set, told, rows)
    return table if not columns else replace(table, rows=sorted_rows(table, 0))


def sorted_rows(table: ScoreTable, column: int, *, worst_first: bool = False) -> tuple[SystemRow, ...]:
    """The rows by a column, best first; those without a number there stand last, equal ones by name."""
    descending = table.columns[column].lower_is_better == worst_first

    def key(row: SystemRow) -> tuple[bool, float, str]:
        cell = row.cells[column]
        value = 0.0 if cell is None else cell.value
        return cell is None, -value if descending else value, row.name

    return tuple(sorted(table.rows, key=key))


_Found: TypeAlias = tuple[tuple[object, ...], Column, int, Cell]

_SCORES = """
select score.id, score.output, score.reference_set, score.value, score.signature, score.parameters
from score join json_each(?) given on given.value = score.reference_set
order by score.reference_set, score.id
"""


def _computed(store: Store, test_set: TestSet, names: Mapping[int, str]) -> Iterator[_Found]:
    known: dict[tuple[object, ...], Column] = {}
    frozen = {each.id for each in test_set.reference_sets if each.frozen is not None}

    @cache
    def is_undelimited(set_id: int) -> bool:
        return are_undelimited(text for each in stored_sets(store, set_id) for text in each.references)

    for number, output, set_id, value, signature, parameters in store.connection.execute(
        _SCORES, (test_set.set_ids_json,)
    ):
        key = (set_id, signature)
        if key not in known:
            settings = settings_from(parameters, store.remarks.append)
            told = _column(settings, names[set_id], signature, set_id, is_frozen=set_id in frozen)
            lacks_words = needs_spaced_words(settings) and is_undelimited(set_id)
            known[key] = replace(told, lacks_words=lacks_words)
        yield key, known[key], output, Cell(value, number)


def _column(settings: MetricSettings, references: str, signature: str, set_id: int, *, is_frozen: bool) -> Column:
    # One that there is not is of another version of the program.
    metric = metric_named(settings.metric) if settings.metric in METRICS else None
    return Column(
        label=settings.metric if metric is None else metric.label(settings),
        references=references,
        kind="computed",
        signature=signature,
        reference_set=set_id,
        settings=settings,
        is_frozen=is_frozen,
        lower_is_better=metric is not None and metric.lower_is_better,
        decimals=_DECIMALS if metric is None else metric.decimals,
    )


_IMPORTED = """
select imported_score.id, imported_score.output, imported_score.name, imported_score.kind, imported_score.value,
    imported_score.segment_values, imported_score.file, imported_score.digest
from imported_score join json_each(?) given on given.value = imported_score.output
order by imported_score.kind = 'human', imported_score.name, imported_score.id
"""


_DIGITS = 16
_GIVEN_BY: Mapping[Kind, str] = {"human": "scores of people", "metric": "imported, not computed here"}


def _imported(store: Store, test_set: TestSet) -> Iterator[_Found]:
    found: dict[tuple[str, Kind], list[tuple[int, Cell, bytes | None]]] = {}
    files: dict[tuple[str, Kind], dict[str, None]] = {}
    for row in store.connection.execute(_IMPORTED, (test_set.output_ids_json,)):
        number, output, name, kind, value, segments, file, digest = row
        found.setdefault((name, kind), []).append((output, Cell(value, number), segments))
        files.setdefault((name, kind), {})[f"{file} sha256:{digest[:_DIGITS]}"] = None
    for (name, kind), cells in found.items():
        given = [segments is None or differs(cell.value, values_from(segments)) for _, cell, segments in cells]
        column = Column(
            label=name_of_mean(name) if is_corpus_metric(name) and not any(given) else name,
            references="human" if kind == "human" else "imported",
            kind=kind,
            signature=f"{_GIVEN_BY[kind]}: {', '.join(files[name, kind])}",
            decimals=_decimals([cell.value for _, cell, _ in cells]),
            gives_systems=any(is_given and segments for is_given, (_, _, segments) in zip(given, cells, strict=True)),
            part=_part([segments for _, _, segments in cells if segments is not None], test_set.segments),
        )
        yield from (((kind, name), column, output, cell) for output, cell, _ in cells)


def _part(values: Sequence[bytes], segments: int) -> PartlyScored | None:
    counts = [int(np.count_nonzero(~np.isnan(values_from(each)))) for each in values]
    return PartlyScored(min(counts), max(counts), segments) if counts and min(counts) < segments else None


def _decimals(values: Sequence[float]) -> int:
    """As many as tell scores of a small range apart: two of 0 to 100, and four of 0 to 1."""
    if max(map(abs, values)) < _SMALL:
        return _MOST_DECIMALS
    ways = range(_DECIMALS, _MOST_DECIMALS)
    distinct = len(set(values))
    return next((each for each in ways if len({round(x, each) for x in values}) == distinct), _MOST_DECIMALS)


def _reference_names(test_set: TestSet) -> dict[int, str]:
    """A short name for each reference set of a test set, by its number; no two are equal."""
    counted = Counter(each.label for each in test_set.reference_sets)
    return {x.id: x.label if counted[x.label] == 1 else f"{x.label}#{x.id}" for x in test_set.reference_sets}


def _system_names(test_set: TestSet) -> dict[int, str]:
    counted = Counter(each.system for each in test_set.outputs)
    return {x.id: x.system if counted[x.system] == 1 else f"{x.system}@{x.digest[:6]}" for x in test_set.outputs}


def _distinct(columns: Iterable[Column]) -> Iterator[Column]:
    """The columns with names that differ: scores of two versions of the program have one label."""
    seen: Counter[str] = Counter()
    for each in columns:
        seen[each.name] += 1
        count = seen[each.name]
        yield each if count == 1 else replace(each, references=f"{each.references}/{count}")


def find_table(store: Store, number: int | None = None) -> ScoreTable | None:
    """The table of the test set of that number, or of the one scored last; None where nothing is stored."""
    found = all_test_sets(store)
    return score_table(store, chosen_test_set(found, number)) if found else None


# What is read of stored scores while somebody looks at them; texts are unpacked when they are first asked for.


_OUTPUTS_KEPT = 32
_SETS_KEPT = 4


class ScoreReader:
    """Texts and values behind a table of scores. Stored outputs and sets never change, so that they can be kept."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._output = lru_cache(_OUTPUTS_KEPT)(lambda output: stored_output(store, output))
        self._sets = lru_cache(_SETS_KEPT)(lambda reference_set: stored_sets(store, reference_set))
        self._smoothed = lru_cache(_OUTPUTS_KEPT)(self._computed)
        self.attributed: dict[tuple[int, int], AttributedSet | None] = {}
        """The references of segments from the corpus with their origins, by reference set and segment."""

    def output(self, output: int) -> tuple[str, ...]:
        return self._output(output)

    def sets(self, reference_set: int) -> tuple[ReferenceSet, ...]:
        return self._sets(reference_set)

    def sources(self, test_set: TestSet) -> tuple[str, ...]:
        """The sources of a test set, by segment; empty texts where none were given."""
        for each in test_set.reference_sets:
            found = tuple(one.source for one in self.sets(each.id))
            if any(found):
                return found
        return ("",) * test_set.segments

    def segment_values(self, table: ScoreTable, column: int, output: int) -> F64:
        """The score of every segment of an output in a column, NaN where a segment has none.

        Raises InputError where there is no such score, or only one for the whole system.
        """
        row = next(row for row in table.rows if row.output == output)
        cell, told = row.cells[column], table.columns[column]
        if cell is None:
            raise InputError(f"{row.name} has no score in {told.name}")
        values = segment_values(self.store, told, cell)
        if values is None:
            raise InputError(f"{told.name} has scores of systems only, none of segments")
        return values

    def smoothed_values(self, table: ScoreTable, column: int, output: int) -> F64 | None:
        """BLEU of every segment of an output, smoothed as `compare` has it, where that of the column is not.

        None for another metric, for references with equivalents, and where the words of the stored score cannot be cut
        here.
        """
        told = table.columns[column]
        if told.settings is None or told.reference_set is None or not told.settings.is_plain_bleu:
            return None
        if kept_derivation(table.references_of(column).parameters) is not None:
            return None
        try:
            check_words(told.signature, told.label)
        except (InputError, UsageError):
            return None
        return self._smoothed(told.reference_set, told.settings, output)

    def sentence_values(self, table: ScoreTable, column: int, outputs: Sequence[int]) -> tuple[list[F64], bool]:
        """The scores of segments as one looks at them, and whether they are smoothed: else most by BLEU would be 0.

        Raises InputError where an output has no scores of segments there.
        """
        stored = [self.segment_values(table, column, output) for output in outputs]
        found = [self.smoothed_values(table, column, output) for output in outputs]
        smoothed = [each for each in found if each is not None]
        return (smoothed, True) if len(smoothed) == len(outputs) else (stored, False)

    def _computed(self, reference_set: int, settings: MetricSettings, output: int) -> F64:
        measure = smoothed_for_segments(stored_measure(settings, self.sets(reference_set), None)).of_segments
        return measure.scores(measure.statistics(self.output(output)))


_SCORE_VALUES = "select segment_values from score where id = ?"
_IMPORTED_VALUES = "select segment_values from imported_score where id = ?"


def segment_values(store: Store, column: Column, cell: Cell) -> F64 | None:
    """The values of the segments behind a number, NaN where one has none; None where only the system has one."""
    query = _SCORE_VALUES if column.kind == "computed" else _IMPORTED_VALUES
    (data,) = store.connection.execute(query, (cell.number,)).fetchone()
    if data is None:
        return None
    values = values_from(data)
    return None if np.isnan(values).all() else values


def stored_rows(store: Store, number: int | None = None, *, segments: bool = False) -> list[dict[str, Any]]:
    """A row for each number of a test set, or for each segment that has one: for programs."""
    table = find_table(store, number)
    rows: list[dict[str, Any]] = []
    for system in () if table is None else table.rows:
        for cell, column in zip(system.cells, table.columns if table else (), strict=True):
            if cell is None:
                continue
            names = {
                "system": system.name, "metric": column.label, "references": column.references, "kind": column.kind
            }  # fmt: skip
            if not segments:
                rows.append(names | {"score": cell.value, "signature": column.signature})
            elif (values := segment_values(store, column, cell)) is not None:
                told = enumerate(values.tolist(), 1)
                rows += [{"segment": at, **names, "score": value} for at, value in told if value == value]
    return rows


# The segments of one system, worst first, or the differences of two, the biggest loss of the first one first.


@dataclass(frozen=True, slots=True)
class SegmentRow:
    segment: int
    """From 1."""
    score: float | None
    """None where it has none."""
    other: float | None = None
    """Of the second system."""

    @property
    def difference(self) -> float | None:
        """Score minus the other one; None where one of them is missing."""
        return None if self.score is None or self.other is None else self.score - self.other


def segment_rows(
    reader: ScoreReader,
    table: ScoreTable,
    column: int,
    outputs: tuple[int, ...],
    *,
    best_first: bool = False,
    smoothed: bool = False,
) -> list[SegmentRow]:
    """The segments of one or two ``outputs`` by a column of the table; those without a number stand last.

    Equal ones by BLEU that is not smoothed, of which most are 0, stand by smoothed BLEU; else in the order of the test
    set. With ``smoothed`` this is what they have instead. Raises InputError where an output has no scores of segments
    there.
    """
    shown, is_smoothed = reader.sentence_values(table, column, outputs)
    values = shown if smoothed else [reader.segment_values(table, column, output) for output in outputs]
    sign = -1 if table.columns[column].lower_is_better != best_first else 1
    goodness = sign * _combined(values)
    keys = [np.where(np.isnan(goodness), np.inf, goodness)]
    order = np.lexsort([sign * _combined(shown), *keys] if is_smoothed else keys)
    columns = [[_number(row, at) for at in order] for row in values]
    return [SegmentRow(int(at) + 1, *row) for at, *row in zip(order, *columns, strict=True)]


def _combined(values: Sequence[F64]) -> F64:
    """Of one system, or the differences of two."""
    return values[0] if len(values) == 1 else values[0] - values[1]


def _number(values: F64, at: int) -> float | None:
    value = float(values[at])
    return None if np.isnan(value) else value


# Which systems differ from a baseline by more than the choice of the segments explains, for one column of the table.
# Approximate randomisation (Riezler and Maxwell 2005). BLEU and the other metrics of ours are computed again from the
# texts, since their scores are no means of those of segments; imported scores are means over the segments that have
# one.


SAMPLING = Sampling()
"""10,000 trials, seed 12345, as in sacrebleu."""


@dataclass(frozen=True, eq=False)
class ColumnStatistics:
    """What the scores of a column are computed from: it serves every baseline."""

    outputs: tuple[int, ...]
    """Those that have a number in the column."""
    scores: MetricScores | None
    """None for imported ones."""
    means: F64 | None
    """Of imported ones the sum and the number of the values of each segment: shape (systems, segments, 2)."""


def counting_column(store: Store, table: ScoreTable, column: int) -> Job[ColumnStatistics]:
    """Count the statistics of every system with a number in the column, but for what their kept scores tell of them.

    Equivalents in the references are made again. Raises InputError for imported scores of systems alone, and for
    equivalents from a corpus that is not aligned any more; UsageError where a metric needs what is not installed.
    """
    told = table.columns[column]
    rows = [row for row in table.rows if row.cells[column] is not None]
    outputs = tuple(row.output for row in rows)
    if told.settings is None or told.reference_set is None:
        return ColumnStatistics(outputs, None, _means(store, told, rows, column))
    check_words(told.signature, told.label)
    sets = stored_sets(store, told.reference_set)
    lattices = yield from stored_lattices(store, sets, table.references_of(column).parameters)
    measure = stored_measure(told.settings, sets, lattices)
    cells = (row.cells[column] for row in rows)
    kept = [segment_values(store, told, cell) for cell in cells if cell is not None]
    statistics: I64 | F64 | None = measure.statistics_of_scores(np.array(kept))
    if statistics is None:
        texts = [stored_output(store, row.output) for row in rows]
        statistics = yield from statistics_of_systems(measure, texts, usable_cores())
    names = tuple(row.name for row in rows)
    return ColumnStatistics(outputs, MetricScores(measure, names, statistics, told.signature), None)


def _means(store: Store, column: Column, rows: list[SystemRow], at: int) -> F64:
    cells = (row.cells[at] for row in rows)
    values = [segment_values(store, column, cell) for cell in cells if cell is not None]
    found = [each for each in values if each is not None]
    if len(found) < len(values):
        raise InputError(f"{column.name} has scores of systems only: nothing can be resampled")
    if column.gives_systems:
        raise InputError(f"{column.name}: the scores of systems are not the means of their segments")
    table = np.array(found)
    return np.stack([np.nan_to_num(table), np.isfinite(table).astype(np.float64)], axis=-1)


def comparisons(found: ColumnStatistics, baseline: int, sampling: Sampling = SAMPLING) -> dict[int, SystemComparison]:
    """Each output against that of the baseline, by its number; none where the baseline has no number here."""
    if baseline not in found.outputs:
        return {}
    at = found.outputs.index(baseline)
    if found.scores is not None:
        tested = found.scores.comparisons("randomisation", at, sampling)
    else:
        tested = [] if found.means is None else compared("randomisation", found.means, _mean, at, sampling)
    return {output: each for output, each in zip(found.outputs, tested, strict=True) if output != baseline}


def _mean(sums: F64) -> F64:
    means: F64 = sums[..., 0] / np.maximum(sums[..., 1], 1.0)
    return means


# How a stored BLEU, and its agreement with people, changes with the number of references of its set.


DRAWN = Resampling(seed=1, draws=20, samples=100)
"""Fewer than a study draws: somebody waits for it."""


def drawing_reference_curve(
    store: Store, table: ScoreTable, column: int, resampling: Resampling = DRAWN
) -> Job[ReferenceWorth]:
    """The curve of all systems of a column over one, two, three ... references, drawn from its set.

    Agreement is with the first human scores of the test set, where there are any. Raises UsageError for a column that
    is no BLEU, and InputError where no segment has a second reference.
    """
    told = table.columns[column]
    if told.settings is None or told.reference_set is None or told.settings.metric != "bleu":
        raise UsageError(f"there are curves of BLEU only, not of {told.label}")
    if table.references_of(column).has_equivalents:
        raise UsageError("there is no curve of scores with equivalents: their references cannot be drawn")
    check_words(told.signature, told.label)
    references = kept_references(store, told.reference_set)
    if all(len(each.references) == 1 for each in references.sets):
        raise InputError(f"{told.name} has one reference of each segment: a curve needs more")
    rows = [row for row in table.rows if row.cells[column] is not None]
    outputs = [Output(row.name, Path(told.references), stored_output(store, row.output)) for row in rows]
    labelled = LabelledReferences.as_one(references, told.references)
    human = human_judgements(store, table)
    return (yield from measuring_worth(outputs, labelled, told.settings, resampling, human))


def human_judgements(store: Store, table: ScoreTable) -> HumanJudgements | None:
    """What people said of the systems of a table: z, else its first column of theirs; None where nothing is stored."""
    places = [place for place, each in enumerate(table.columns) if each.kind == "human"]
    if not places:
        return None
    place = next((each for each in places if table.columns[each].label == USUAL), places[0])
    systems: dict[str, float] = {}
    segments: dict[str, dict[int, float]] = {}
    for row in table.rows:
        cell = row.cells[place]
        if cell is None:
            continue
        systems[row.name] = cell.value
        values = segment_values(store, table.columns[place], cell)
        if values is not None:
            segments[row.name] = {int(at): float(values[at]) for at in np.flatnonzero(np.isfinite(values))}
    return HumanJudgements(systems, segments)
