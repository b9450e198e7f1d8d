"""Which systems differ from a baseline by more than the choice of the segments explains, for one column of the table.

Paired bootstrap over the segments (Koehn 2004). BLEU and the other metrics of ours are computed again from the texts,
since their scores are no means of those of segments; imported scores are means over the segments that have one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError
from corpusdb.jobs import Job, finished
from corpusdb.metrics.measures import statistics_of_systems
from corpusdb.queries.evaluation.scoring import MetricScores, Sampling
from corpusdb.queries.evaluation.stored_measures import stored_lattices, stored_measure
from corpusdb.queries.evaluation.stored_scores import check_words, stored_output, stored_sets
from corpusdb.queries.scoretable.score_reader import segment_values
from corpusdb.queries.scoretable.table import Column, ScoreTable, SystemRow
from corpusdb.stats.resampling import Comparison, paired_bootstrap
from corpusdb.stoppable.forks import usable_cores
from corpusdb.store import Store

__all__ = ["SAMPLING", "ColumnStatistics", "column_statistics", "comparisons", "counting_column"]

SAMPLING = Sampling()
"""1,000 samples of segments, seed 1."""


@dataclass(frozen=True, eq=False)
class ColumnStatistics:
    """What the scores of a column are computed from: it serves every baseline."""

    outputs: tuple[int, ...]
    """Those that have a number in the column."""
    scores: MetricScores | None
    """None for imported ones."""
    means: F64 | None
    """Of imported ones the sum and the number of the values of each segment: shape (systems, segments, 2)."""


def column_statistics(store: Store, table: ScoreTable, column: int) -> ColumnStatistics:
    """The statistics that ``counting_column`` counts."""
    return finished(counting_column(store, table, column))


def counting_column(store: Store, table: ScoreTable, column: int) -> Job[ColumnStatistics]:
    """Count the statistics of every system with a number in the column, those of slow metrics in several processes.

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
    table = np.array(found)
    return np.stack([np.nan_to_num(table), np.isfinite(table).astype(np.float64)], axis=-1)


def comparisons(found: ColumnStatistics, baseline: int, sampling: Sampling = SAMPLING) -> dict[int, Comparison]:
    """Each output against that of the baseline, by its number; none where the baseline has no number here."""
    if baseline not in found.outputs:
        return {}
    at = found.outputs.index(baseline)
    compared: list[Comparison] = []
    if found.scores is not None:
        compared += found.scores.comparisons("bootstrap", at, sampling)
    elif found.means is not None:
        compared += paired_bootstrap(found.means, _mean, baseline=at, samples=sampling.samples, seed=sampling.seed)
    return {output: each for output, each in zip(found.outputs, compared, strict=True) if output != baseline}


def _mean(sums: F64) -> F64:
    means: F64 = sums[..., 0] / np.maximum(sums[..., 1], 1.0)
    return means
