"""How a stored BLEU, and its agreement with people, changes with the number of references of its set."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.scores.human import USUAL, HumanJudgements
from corpusdb.formats.segments import Output
from corpusdb.jobs import Job, finished
from corpusdb.queries.evaluation.labelled_references import LabelledReferences
from corpusdb.queries.evaluation.reference_count import ReferenceWorth, Resampling, measuring_worth
from corpusdb.queries.evaluation.stored_scores import check_words, stored_output
from corpusdb.queries.guided.kept_references import kept_references
from corpusdb.queries.scoretable.score_reader import segment_values
from corpusdb.queries.scoretable.table import ScoreTable
from corpusdb.store import Store

__all__ = ["DRAWN", "drawing_reference_curve", "human_judgements", "reference_curve"]

DRAWN = Resampling(seed=1, draws=20, samples=100)
"""Fewer than a study draws: somebody waits for it."""


def reference_curve(store: Store, table: ScoreTable, column: int, resampling: Resampling = DRAWN) -> ReferenceWorth:
    """The curve that ``drawing_reference_curve`` draws."""
    return finished(drawing_reference_curve(store, table, column, resampling))


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
        raise UsageError("references in which equivalents are substituted cannot be drawn: there is no curve of them")
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
