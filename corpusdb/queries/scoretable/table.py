"""The table of systems by metrics and reference sets, from the numbers that are stored: no text is unpacked for it.

A row is a stored output. A column is a metric with a reference set, or with the name under which somebody else's scores
were imported. Outputs and reference sets that were scored together, or that have the same sources, are one test set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from corpusdb.errors import UsageError
from corpusdb.formats.scores.score_file import differs, name_of_mean
from corpusdb.metrics.registry import METRICS, is_corpus_metric, metric_named
from corpusdb.metrics.settings import Settings
from corpusdb.queries.evaluation.stored_scores import settings_from
from corpusdb.queries.imported.kept_scores import FLOATS
from corpusdb.queries.scoretable.test_sets import StoredSet, TestSet, all_test_sets
from corpusdb.store import Store

__all__ = [
    "Cell",
    "Column",
    "Kind",
    "ScoreTable",
    "SystemRow",
    "chosen_test_set",
    "find_table",
    "score_table",
    "sorted_rows",
]

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
    settings: Settings | None = None
    """None for imported ones."""
    is_frozen: bool = False
    """Whether the reference set was signed before any score on it was shown."""
    lower_is_better: bool = False
    decimals: int = _DECIMALS
    gives_systems: bool = False
    """Of imported ones: whether the score of a system was given that is not the mean of its segments."""

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
    """One output of a system."""

    output: int
    name: str
    """Distinct in a table: the beginning of the digest stands behind names that several outputs have."""
    cells: tuple[Cell | None, ...]
    """One for each column."""


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
        """The reference set of a column that was computed here."""
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
    """The numbers of a test set, best first by its first column."""
    columns: dict[tuple[object, ...], Column] = {}
    cells: dict[tuple[object, ...], dict[int, Cell]] = {}
    names = _reference_names(test_set)
    for key, column, output, cell in (*_computed(store, test_set, names), *_imported(store, test_set)):
        columns.setdefault(key, column)
        cells.setdefault(key, {})[output] = cell
    files = _imported_files(store, test_set)
    told = tuple(_distinct(replace(each, signature=files.get(key, each.signature)) for key, each in columns.items()))
    rows = tuple(
        SystemRow(output, name, tuple(cells[key].get(output) for key in columns))
        for output, name in _system_names(test_set)
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
    for number, output, set_id, value, signature, parameters in store.connection.execute(
        _SCORES, (test_set.set_ids_json,)
    ):
        key = (set_id, signature)
        if key not in known:
            settings = settings_from(parameters, store.remarks.append)
            known[key] = _column(settings, names[set_id], signature, set_id, is_frozen=set_id in frozen)
        yield key, known[key], output, Cell(value, number)


def _column(settings: Settings, references: str, signature: str, set_id: int, *, is_frozen: bool) -> Column:
    column = Column(
        label=settings.metric,
        references=references,
        kind="computed",
        signature=signature,
        reference_set=set_id,
        settings=settings,
        is_frozen=is_frozen,
    )
    if settings.metric not in METRICS:  # of another version of the program
        return column
    metric = metric_named(settings.metric)
    return replace(
        column,
        label=metric.label(settings),
        lower_is_better=metric.lower_is_better,
        decimals=metric.decimals,
    )


_IMPORTED = """
select imported_score.id, imported_score.output, imported_score.name, imported_score.kind, imported_score.value,
    imported_score.segment_values
from imported_score join json_each(?) given on given.value = imported_score.output
order by imported_score.kind = 'human', imported_score.name, imported_score.id
"""


def _imported(store: Store, test_set: TestSet) -> Iterator[_Found]:
    found: dict[tuple[str, Kind], list[tuple[int, Cell, bytes | None]]] = {}
    for number, output, name, kind, value, segments in store.connection.execute(_IMPORTED, (test_set.output_ids_json,)):
        found.setdefault((name, kind), []).append((output, Cell(value, number), segments))
    for (name, kind), cells in found.items():
        given = [
            segments is None or differs(cell.value, np.frombuffer(segments, dtype=FLOATS))
            for _, cell, segments in cells
        ]
        column = Column(
            label=name_of_mean(name) if is_corpus_metric(name) and not any(given) else name,
            references="human" if kind == "human" else "imported",
            kind=kind,
            signature="",
            decimals=_decimals([cell.value for _, cell, _ in cells]),
            gives_systems=any(is_given and segments for is_given, (_, _, segments) in zip(given, cells, strict=True)),
        )
        yield from (((kind, name), column, output, cell) for output, cell, _ in cells)


def _decimals(values: Sequence[float]) -> int:
    """As many as tell scores of a small range apart: two of 0 to 100, and four of 0 to 1."""
    if max(map(abs, values)) < _SMALL:
        return _MOST_DECIMALS
    ways = range(_DECIMALS, _MOST_DECIMALS)
    distinct = len(set(values))
    return next((each for each in ways if len({round(x, each) for x in values}) == distinct), _MOST_DECIMALS)


_FILES = """
select distinct imported_score.kind, imported_score.name, imported_score.file, imported_score.digest
from imported_score join json_each(?) given on given.value = imported_score.output
order by imported_score.id
"""
_DIGITS = 16


def _imported_files(store: Store, test_set: TestSet) -> dict[tuple[object, ...], str]:
    """What stands for the signature of an imported column, by its key."""
    found: dict[tuple[object, ...], list[str]] = {}
    for kind, name, file, digest in store.connection.execute(_FILES, (test_set.output_ids_json,)):
        found.setdefault((kind, name), []).append(f"{file} sha256:{digest[:_DIGITS]}")
    what = {"human": "scores of people", "metric": "imported, not computed here"}
    return {key: f"{what[str(key[0])]}: {', '.join(files)}" for key, files in found.items()}


def _reference_names(test_set: TestSet) -> dict[int, str]:
    """A short name for each reference set of a test set, by its number; no two are equal."""
    sets = test_set.reference_sets
    counted = Counter(each.label for each in sets)
    return {each.id: each.label if counted[each.label] == 1 else f"{each.label}#{each.id}" for each in sets}


def _system_names(test_set: TestSet) -> Iterator[tuple[int, str]]:
    counted = Counter(each.system for each in test_set.outputs)
    for each in test_set.outputs:
        yield each.id, each.system if counted[each.system] == 1 else f"{each.system}@{each.digest[:6]}"


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
