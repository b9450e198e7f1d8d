"""The N-sequence filter (Lepage & Denoual 2005, section 4.4): every sequence of N characters was seen in the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from corpusdb.errors import UsageError
from corpusdb.model import Finding
from corpusdb.ngrams.fluency_orders import DEFAULT_ORDER
from corpusdb.queries.paraphrase.filters.filter import Filter

__all__ = ["DEFAULT_FILTER", "NO_FILTER", "NSequenceFilter"]


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
