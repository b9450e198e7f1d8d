"""Filters: what is kept of the paraphrases, each filter as a condition in SQL and, beside it, the same in Python.

A filter is a value. It looks at what one origin says of one paraphrase of a seed: in SQL at a row with the columns of
``candidate``, in Python at a ``Finding``, which has them as fields. A paraphrase is kept where the filter accepts what
one of its origins says. A new filter is a subclass of ``Filter`` and a line in ``FILTERS``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from corpusdb.errors import UsageError
from corpusdb.model import Finding, Paraphrase
from corpusdb.ngrams.fluency_orders import DEFAULT_ORDER

__all__ = [
    "DEFAULT_FILTER",
    "FILTERS",
    "NO_FILTER",
    "AllOf",
    "Filter",
    "NSequenceFilter",
    "filter_from",
]


class Filter(ABC):
    """What a paraphrase must satisfy to be kept."""

    @abstractmethod
    def condition(self, row: str) -> str:
        """An SQL expression that is true where the row that is called ``row`` is accepted."""

    @property
    @abstractmethod
    def values(self) -> Mapping[str, object]:
        """What is bound to the names in the condition; no other filter has these names."""

    @abstractmethod
    def accepts(self, finding: Finding) -> bool:
        """The same condition in Python."""

    @abstractmethod
    def document(self) -> dict[str, object]:
        """The filter as JSON can hold it, from which ``read`` makes it again; no other filter has these keys."""

    @classmethod
    @abstractmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        """The filter of this kind that a document holds, or None; other members are not looked at."""

    def passes(self, paraphrase: Paraphrase) -> bool:
        """Whether a paraphrase is kept."""
        return any(map(self.accepts, paraphrase.findings))


@dataclass(frozen=True, slots=True)
class NSequenceFilter(Filter):
    """All sequences of ``order`` characters occur in the corpus (section 4.4); raises UsageError for one below 0."""

    order: int = DEFAULT_ORDER
    """N; 0 lets all pass."""
    marks: bool = True
    """Whether the marks at both ends of a sentence are characters of these sequences."""

    def __post_init__(self) -> None:
        if self.order < 0:
            raise UsageError(f"the order of the filter is 0 or more, not {self.order}")

    def __str__(self) -> str:
        return f"N = {self.order}"

    def reached(self, row: str) -> str:
        """The SQL expression for the highest order that a row passes."""
        return f"{row}.fluency" if self.marks else f"{row}.inner_fluency"

    def condition(self, row: str) -> str:
        return f"{self.reached(row)} >= :order"

    @property
    def values(self) -> Mapping[str, object]:
        return {"order": self.order}

    def accepts(self, finding: Finding) -> bool:
        return (finding.fluency if self.marks else finding.inner_fluency) >= self.order

    def document(self) -> dict[str, object]:
        document: dict[str, object] = {"order": self.order}
        # The marks only where they do not count, as in the documents of older versions.
        return document if self.marks else document | {"marks": False}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Filter | None:
        return cls(document["order"], document.get("marks", True)) if "order" in document else None


DEFAULT_FILTER: Final = NSequenceFilter()
"""What is kept where nobody says otherwise."""
NO_FILTER: Final = NSequenceFilter(0)
"""Accepts all."""


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


FILTERS: Final[list[type[Filter]]] = [NSequenceFilter]
"""The kinds of filters."""


def filter_from(document: Mapping[str, Any]) -> Filter:
    """The filter whose document is part of ``document``: of each kind that it holds, all at once."""
    found = tuple(each for kind in FILTERS if (each := kind.read(document)) is not None)
    return found[0] if len(found) == 1 else AllOf(found)
