"""The kinds of filters: a new one is a subclass of ``Filter`` in a module of its own, and a name in ``FILTERS``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from corpusdb.model import Finding
from corpusdb.queries.paraphrase.filters.filter import Filter
from corpusdb.queries.paraphrase.filters.nsequences import NO_FILTER, NSequenceFilter

__all__ = ["FILTERS", "AllOf", "filter_from"]


FILTERS: Final[list[type[Filter]]] = [NSequenceFilter]
"""The kinds of filters."""


def filter_from(document: Mapping[str, Any]) -> Filter:
    """The filter whose document is part of ``document``: of each kind that it holds, all at once."""
    found = tuple(each for kind in FILTERS if (each := kind.read(document)) is not None)
    return found[0] if len(found) == 1 else AllOf(found)


@dataclass(frozen=True, slots=True)
class AllOf(Filter):
    """Several filters at once."""

    filters: tuple[Filter, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.filters)) or str(NO_FILTER)

    def condition(self, row: str) -> str:
        return " and ".join(f"({each.condition(row)})" for each in self.filters) or "true"

    @property
    def values(self) -> Mapping[str, object]:
        return {name: value for each in self.filters for name, value in each.values.items()}

    def accepts(self, finding: Finding) -> bool:
        return all(each.accepts(finding) for each in self.filters)

    def document(self) -> dict[str, object]:
        return {name: value for each in self.filters for name, value in each.document().items()}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        return filter_from(document)
