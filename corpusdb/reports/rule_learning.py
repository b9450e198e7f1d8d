"""Twins and suggested rules as rows and documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Final

from corpusdb.japanese.learning.twins import TwinResult
from corpusdb.queries.rules.learning import Suggestion
from corpusdb.rows import Cell

__all__ = ["SUGGESTION_COLUMNS", "TWIN_COLUMNS", "suggestion_document", "suggestion_rows", "twin_rows"]

TWIN_COLUMNS: Final = ("plain", "polite", "to_polite", "to_plain", "either")
SUGGESTION_COLUMNS: Final = ("n", "support", "forth", "back", "known", "kind", "rule", "left", "right")


def twin_rows(found: Iterable[TwinResult]) -> Iterator[tuple[Cell, ...]]:
    """The columns are TWIN_COLUMNS."""
    for each in found:
        made = ("yes" if reached else "no" for reached in (each.to_polite, each.to_plain, each.either))
        yield (each.twin.plain, each.twin.polite, *made)


def suggestion_rows(found: Iterable[Suggestion]) -> Iterator[tuple[Cell, ...]]:
    """The columns are SUGGESTION_COLUMNS; left and right are the shortest example."""
    for number, each in enumerate(found, 1):
        shares = (f"{share:.0%}" for share in (each.forward, each.backward, each.known))
        yield (number, each.support, *shares, each.kind, each.directed, *each.examples[0])


def suggestion_document(number: int, suggestion: Suggestion) -> dict[str, object]:
    """A suggestion as JSON has it."""
    return {"number": number, "rule": suggestion.directed, **asdict(suggestion)}
