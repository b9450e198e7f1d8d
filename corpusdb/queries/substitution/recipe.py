"""Which equivalents are substituted in references, and how many at a time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from corpusdb.alignment.closed_classes import CLOSED, LeftOut
from corpusdb.alignment.links import SYMMETRISATIONS, Symmetrisation
from corpusdb.errors import UsageError
from corpusdb.metrics.signature import DIGEST_LENGTH
from corpusdb.rows import json_line

__all__ = ["ANY", "PUBLISHED", "SubstitutionRecipe", "parse_substitutions"]

ANY: Final = "any"
_SHORT: Final = {"grow-diag-final-and": "gdfa"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstitutionRecipe:
    """The filters of equivalents, which are asked of one alignment, and the limit of substitutions.

    The defaults are what was found on the Icelandic-English set of WMT 2021: see `corpusdb guide equivalents`.
    """

    links: Symmetrisation = "intersection"
    """Those of the alignment that phrases are taken from."""
    left_out: LeftOut = "closed"
    """Phrases that consist of words of closed classes, or of prepositions alone."""
    min_count: int = 2
    """How often each of two equivalents stands with a source phrase that both translate."""
    min_pivot: float = 0.0
    """p(equivalent | phrase) over all source phrases (Bannard and Callison-Burch 2005)."""
    in_context: bool = True
    """Whether the references must have the equivalent's first word behind the word before the place, and its last one
    before the word after it, somewhere."""
    with_parts: bool = False
    """Whether also an equivalent that holds the phrase, or is a part of it, as "first time" and "first" are: mostly
    they show where the alignment was uncertain."""
    best_only: bool = False
    """Whether each phrase is replaced by its most probable equivalent alone."""
    most: int | None = None
    """How many substitutions at a time; None for any number."""
    rejected: tuple[tuple[str, str], ...] = ()
    """What a person said to be no equivalents of each other: pairs of phrases, their words in lower case with a space
    between two, the lesser one first."""

    def __post_init__(self) -> None:
        pairs = sorted({(min(pair), max(pair)) for pair in self.rejected})
        object.__setattr__(self, "rejected", tuple(pairs))  # as it is read from JSON, too
        if self.left_out not in CLOSED:
            raise UsageError(f"unknown classes {self.left_out!r}; there are {', '.join(CLOSED)}")
        if self.links not in SYMMETRISATIONS:
            raise UsageError(f"unknown links {self.links!r}; there are {', '.join(SYMMETRISATIONS)}")
        if self.min_count < 1 or not 0 <= self.min_pivot <= 1 or (self.most is not None and self.most < 1):
            raise UsageError(f"no equivalents can be substituted by {self}")

    @property
    def label(self) -> str:
        """In short, as signatures have it: closed+gdfa+n2+p0.1+context+parts+best+k1, without what changes nothing.

        What was rejected comes last: +rejected2-929981881f0e9e99.
        """
        parts: list[str] = [self.left_out]
        parts += [_SHORT.get(self.links, self.links)] if self.links != "intersection" else []
        parts += [f"n{self.min_count}"] if self.min_count > 1 else []
        parts += [f"p{self.min_pivot:g}"] if self.min_pivot else []
        parts += ["context"] if self.in_context else []
        parts += ["parts"] if self.with_parts else []
        parts += ["best"] if self.best_only else []
        parts += [f"k{self.most}" if self.most else ANY]
        return "+".join([*parts, *([self._rejections] if self.rejected else [])])

    @property
    def _rejections(self) -> str:
        """How many were rejected, and the digest of which."""
        sha = hashlib.sha256("".join(f"{json_line(pair, compact=True)}\n" for pair in self.rejected).encode())
        return f"rejected{len(self.rejected)}-{sha.hexdigest()[:DIGEST_LENGTH]}"


PUBLISHED = SubstitutionRecipe(
    links="grow-diag-final-and", left_out="prepositions", min_count=1, in_context=False, with_parts=True, most=1
)
"""That of Owczarzak et al. (2006): prepositions out, no threshold, one at a time (sections 3.2, 3.4 and 3.5)."""


def parse_substitutions(text: str) -> int | None:
    """A number from 1 on, or None for ``any``. Raises UsageError for anything else."""
    if text == ANY:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) < 9):
        raise UsageError(f"substitutions are a number from 1 on, or {ANY}; not {text!r}")
    return int(text)
