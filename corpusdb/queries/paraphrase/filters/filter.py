"""A filter: what is kept of the paraphrases, as a condition in SQL and, beside it, the same in Python.

It looks at what one origin says of one paraphrase of a seed: in SQL at a row with the columns of ``candidate``, in
Python at a ``Finding``, which has them as fields. A paraphrase is kept where the filter accepts what one of its origins
says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from corpusdb.model import Finding, Paraphrase

__all__ = ["Filter"]


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
