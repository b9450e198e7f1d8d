"""What guided generation gave, as figures and a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

from corpusdb.bounds import share_told
from corpusdb.queries.guided.guided_references import GuidedReferences, Reach, reach_by_order
from corpusdb.queries.references.reference_sets import AttributedSet, expected_precision
from corpusdb.queries.references.scoring_references import ScoringReferences
from corpusdb.rows import Cell

__all__ = ["REACH_COLUMNS", "guided_document", "guided_figures", "reach_rows"]

REACH_COLUMNS: Final = ("n", "unmatched", "any %", "pass %", "kept %", "segments", "any %", "pass %", "kept %")
"""N-grams of one order that no reference has, and what share of them paraphrases have: any, those that pass the
filter, those that are kept; then the same of the segments that have such n-grams."""


def guided_figures(
    found: GuidedReferences, references: ScoringReferences | None, *, is_far: bool = False
) -> list[tuple[str, Cell]]:
    """The figures by name; ``references`` is the frozen set, None where nothing was kept.

    Nothing is expected where the test set ``is_far`` from the corpus, whose sentences validities were learned from.
    """
    validity = expected_precision(_chosen(found))
    expected = None if validity is None else share_told(validity)
    if expected is not None and is_far:
        expected = "not known: the test set stands far from the corpus"
    having = sum(bool(each.chosen) for each in found.segments)
    figures: list[tuple[str, Cell]] = [
        ("systems", len(found.outputs)),
        ("segments", len(found.segments)),
        ("references given", sum(len(each.references) for each in found.given.sets)),
        ("candidates that match something missed", found.candidates),
        ("references chosen", found.chosen),
        ("segments that have one of these", having),
        ("expected to hold", expected),
    ]
    if references is None or references.freezing is None:
        return [*figures, ("frozen", "no: a dry run")]
    frozen = references.freezing
    return [*figures, ("name", frozen.name), ("digest", references.digest), ("frozen", frozen.frozen)]


def reach_rows(found: GuidedReferences) -> Iterator[tuple[Cell, ...]]:
    """A row for each order, and one for all of them together."""
    for each in _reaches(found):
        yield (
            each.order,
            each.ngrams,
            *(_percent(part, each.ngrams) for part in (each.by_any, each.by_passing, each.by_chosen)),
            each.segments,
            *(
                _percent(part, each.segments)
                for part in (each.segments_by_any, each.segments_by_passing, each.segments_by_chosen)
            ),
        )


def guided_document(found: GuidedReferences, references: ScoringReferences | None) -> dict[str, object]:
    """The same as a JSON document."""
    frozen: Mapping[str, object] = {}
    if references is not None and references.freezing is not None:
        frozen = {
            "name": references.freezing.name,
            "digest": references.digest,
            "frozen": references.freezing.frozen,
            "guided_by": [list(each) for each in references.freezing.guided_by],
        }
    return {
        "systems": [output.system for output in found.outputs],
        "segments": len(found.segments),
        "given": sum(len(each.references) for each in found.given.sets),
        "candidates": found.candidates,
        "chosen": found.chosen,
        "segments_with_chosen": sum(bool(each.chosen) for each in found.segments),
        "validity": expected_precision(_chosen(found)),
        "guidance": found.guidance.document(),
        "reach": [asdict(each) for each in _reaches(found)],
        **frozen,
    }


def _reaches(found: GuidedReferences) -> list[Reach]:
    return reach_by_order(found.segments, found.guidance.settings.order or 1)


def _chosen(found: GuidedReferences) -> Iterator[AttributedSet]:
    for each, segment in zip(found.given.sets, found.segments, strict=True):
        yield AttributedSet(each.source, segment.chosen)


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
