"""References with what is known of where each comes from: values, which need no corpus to be read or scored with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, Final, Literal

from corpusdb.corpus.formats.records import Provenance, ReferenceSet

if TYPE_CHECKING:
    from corpusdb.paraphrase.differences import ChangeKind

VOUCHED: Final = frozenset({"original", "accepted"})
"""The origins of references that people vouch for."""


@dataclass(frozen=True, slots=True)
class AttributedReference:
    text: str
    origins: tuple[str, ...]
    """All that hold, in the order of reference_origins, whether asked for or not."""
    seed: str
    """The original that it is a paraphrase of; the text itself for an original."""
    validity: float | None = None
    """The probability that it holds; None for originals and accepted ones, and where it is not known."""
    change: ChangeKind | Literal[""] = ""
    """What it differs from that original in; empty for an original, and where it is not known."""


def given_reference(text: str, origin: str, source: str) -> AttributedReference:
    """A reference of a file, of the origins that are said of it; where nothing is, people wrote it.

    No validity is taken from a file: it was learned from the corpus that made the file, and of sentences like its own.
    """
    origins = tuple(origin.split("+")) if origin else ("original",)
    return AttributedReference(text, origins, source if VOUCHED.isdisjoint(origins) else text)


@dataclass(frozen=True, slots=True)
class AttributedSet:
    source: str
    references: tuple[AttributedReference, ...]
    rejected: tuple[tuple[str, str], ...] = ()
    """What is left out since it was rejected: each text with the name of the session."""

    @property
    def validity(self) -> float | None:
        """The expected precision of the set: the mean validity of its references that have one."""
        return expected_precision([self])

    def plain(self, number: int) -> ReferenceSet:
        """The same as formats write it; segments are called by their numbers, from 1."""
        known = {each.text: Provenance("+".join(each.origins), each.validity, each.change) for each in self.references}
        return ReferenceSet(str(number), self.source, tuple(each.text for each in self.references), known)


def expected_precision(sets: Iterable[AttributedSet]) -> float | None:
    """The mean validity of the detected and generated references of all sets; None where none has one.

    It says how many of them are expected to hold. Those that people wrote or accepted do not count.
    """
    known = [one.validity for each in sets for one in each.references if one.validity is not None]
    return fsum(known) / len(known) if known else None


def written_of(segment: AttributedSet) -> tuple[str, ...]:
    """The references of a segment that people wrote, or its source where the corpus made every one."""
    found = tuple(each.text for each in segment.references if "original" in each.origins)
    return found or (segment.source,)


GIVEN: Final = "given"
"""The parameter of such a set that says how many references of each segment the files gave."""
PARAPHRASED: Final = "paraphrased"
"""The parameter of such a set whose references of the corpus are paraphrases of those of the files: true, or, where
others were found by their sources, a list with the numbers of the segments of which it holds, from 1."""


def signed_origins(parameters: Mapping[str, Any], *, from_corpus: bool) -> str | None:
    """Where the references are from, as signatures say it of a set with these parameters; None for files alone."""
    if GIVEN not in parameters:
        return "corpus" if from_corpus else None
    if PARAPHRASED not in parameters:
        return "files+corpus"
    return "files+corpus:" + ("partly-paraphrased" if isinstance(parameters[PARAPHRASED], list) else "paraphrased")
