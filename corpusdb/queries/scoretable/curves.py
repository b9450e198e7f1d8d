"""How a stored BLEU, and its agreement with people, changes with the number of references of its set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.scores.human import USUAL, HumanJudgements
from corpusdb.formats.segments import Output, ReferenceTexts, make_reference, segmentation_by_line
from corpusdb.metrics.signature import Signature
from corpusdb.queries.evaluation.reference_count import ReferenceWorth, Resampling, WorthCurve, reference_worth
from corpusdb.queries.evaluation.stored_scores import check_words, stored_output, stored_sets
from corpusdb.queries.scoretable.score_reader import segment_values
from corpusdb.queries.scoretable.table import ScoreTable
from corpusdb.store import Store

__all__ = ["DRAWN", "human_judgements", "reference_curve"]

DRAWN = Resampling(seed=1, draws=20, samples=100)
"""Fewer than a study draws: somebody waits for it."""


def reference_curve(store: Store, table: ScoreTable, column: int, resampling: Resampling = DRAWN) -> ReferenceWorth:
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
    sets = stored_sets(store, told.reference_set)
    if all(len(each.references) == 1 for each in sets):
        raise InputError(f"{told.name} has one reference of each segment: a curve needs more")
    rows = [row for row in table.rows if row.cells[column] is not None]
    path = Path(told.references)
    outputs = [Output(row.name, path, stored_output(store, row.output)) for row in rows]
    texts = ReferenceTexts(
        segmentation_by_line(path, len(sets)),
        tuple(tuple(make_reference(text, path, line) for text in each.references) for line, each in enumerate(sets, 1)),
        tuple(each.source for each in sets),
    )
    found = reference_worth(
        outputs, {told.references: texts}, told.settings, resampling, human_judgements(store, table)
    )
    return replace(found, curves=tuple(_signed_as(each, Signature.parse(told.signature)) for each in found.curves))


def _signed_as(curve: WorthCurve, stored: Signature) -> WorthCurve:
    """The curve with what the signature of the stored score says of where its references come from."""

    def signed(signature: str) -> str:
        own = Signature.parse(signature)
        copies = stored.copies if own.drawn_from is None else None
        return str(replace(own, copies=copies, origins=stored.origins, guided=stored.guided, rules=stored.rules))

    sentences = curve.sentence_signatures
    return replace(
        curve,
        signatures=tuple(map(signed, curve.signatures)),
        sentence_signatures=None if sentences is None else tuple(map(signed, sentences)),
    )


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
