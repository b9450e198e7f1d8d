"""Least figures of a paraphrase, over all origins that give it: what a list or an export shows is what they look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Unpack, cast

from corpusdb.errors import UsageError
from corpusdb.model import Finding, Paraphrase
from corpusdb.queries.paraphrase.filters.filter import Filter
from corpusdb.queries.paraphrase.filters.nsequences import FilterOptions, filter_at

__all__ = ["NO_THRESHOLDS", "ListOptions", "Thresholds", "filter_and_thresholds"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Figures that a paraphrase must reach; 0 asks for nothing. Raises UsageError for a figure below 0.

    Unlike a ``Filter``, which looks at what each origin says, they look at the figures that are shown, each the highest
    that an origin gives. Paraphrases that are made by rules have none of them.
    """

    min_pivots: int = 0
    """Different rewordings behind it."""
    min_languages: int = 0
    """Languages that show them to be such."""
    min_shared: int = 0
    """Translations that it shares with the seed."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value < 0:
                raise UsageError(f"{name} is 0 or more, not {value}")

    def accepts(self, figures: Finding | Paraphrase) -> bool:
        """Whether all figures are reached."""
        return (
            figures.pivots >= self.min_pivots
            and figures.languages >= self.min_languages
            and figures.shared >= self.min_shared
        )

    def document(self) -> dict[str, int]:
        """Those that ask for something, as JSON can hold them."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Thresholds:
        """Those of which ``document`` is the document; other members are not looked at."""
        return cls(**{name: document.get(name, 0) for name in cls.__slots__})


NO_THRESHOLDS: Final = Thresholds()
"""Accepts all."""


class ListOptions(FilterOptions, total=False):
    """The same with thresholds, for a function that lists paraphrases."""

    min_pivots: int
    min_languages: int
    min_shared: int


def filter_and_thresholds(**options: Unpack[ListOptions]) -> tuple[Filter, Thresholds]:
    """Both of what somebody asks for. Raises UsageError as ``Thresholds`` does."""
    least = Thresholds(options.pop("min_pivots", 0), options.pop("min_languages", 0), options.pop("min_shared", 0))
    return filter_at(**cast(FilterOptions, options)), least  # what is not known is refused there
