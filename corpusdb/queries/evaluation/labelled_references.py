"""References with the origin of each, so that scores with some origins, or with some references, can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from corpusdb.arrays import I64, Bools
from corpusdb.errors import UsageError
from corpusdb.formats.references import ReferenceSet
from corpusdb.metrics.measures import signature_of
from corpusdb.metrics.metric import SegmentReferences
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.signature import ReferenceCounts, Signature
from corpusdb.queries.references.reference_sets import reference_origins
from corpusdb.queries.references.scoring_references import ScoringReferences

__all__ = ["Drawn", "LabelledReferences"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """That of the references of each segment at most so many were taken, drawn at random again and again."""

    most: int
    draws: int
    seed: int

    def signed(self, signature: Signature, counts: I64) -> Signature:
        """The signature of a score with all, which has so many of each segment, as that of the mean score of the draws.

        Where there are no more, only the seed is told, of what else is drawn.
        """
        if int(counts.max()) <= self.most:
            return replace(signature, seed=self.seed)
        taken = ReferenceCounts.of(np.minimum(counts, self.most).tolist())
        return replace(signature, references=taken, drawn_from=signature.references, draws=self.draws, seed=self.seed)


@dataclass(frozen=True)
class LabelledReferences:
    """References to score with, each with its origin as its label."""

    references: ScoringReferences
    labels: tuple[str, ...]
    """The origins, in the order of reference_origins, others behind these as they first come."""
    origins: I64
    """The number of the origin of each reference, those of one segment after each other."""
    segments: I64
    """The number of the segment of each reference."""

    @classmethod
    def of(cls, references: ScoringReferences) -> LabelledReferences:
        """References with the first of the origins that each has."""
        names = [name for each in references.origins for name in each]
        known = reference_origins()
        labels = sorted(dict.fromkeys(names), key=lambda name: known.index(name) if name in known else len(known))
        number = {label: place for place, label in enumerate(labels)}
        segments = np.repeat(np.arange(len(references.sets)), [len(each.references) for each in references.sets])
        return cls(references, tuple(labels), np.array([number[name] for name in names], dtype=np.int64), segments)

    @classmethod
    def as_one(cls, references: ScoringReferences, label: str) -> LabelledReferences:
        """References of which it does not matter where each comes from."""
        counts = [len(each.references) for each in references.sets]
        return cls(
            references, (label,), np.zeros(sum(counts), dtype=np.int64), np.repeat(np.arange(len(counts)), counts)
        )

    @property
    def sets(self) -> tuple[ReferenceSet, ...]:
        """All of them, by segment."""
        return self.references.sets

    @cached_property
    def texts(self) -> SegmentReferences:
        """All of them, cut into units once for each way of cutting."""
        return SegmentReferences([each.references for each in self.sets])

    def chosen(self, labels: Sequence[str]) -> Bools:
        """Which references are of these origins. Raises UsageError for an origin that there is not."""
        for label in labels:
            if label not in self.labels:
                raise UsageError(f"there are no references of the origin {label!r}; there are {', '.join(self.labels)}")
        return np.isin(self.origins, [self.labels.index(label) for label in labels])

    def counts(self, chosen: Bools) -> I64:
        """How many of the chosen references each segment has."""
        return np.bincount(self.segments[chosen], minlength=len(self.sets))

    def subset(self, chosen: Bools) -> tuple[ReferenceSet, ...]:
        """The sets without the references that are not chosen."""
        return self.references.part(chosen).sets

    def signature(self, settings: Settings, chosen: Bools, drawn: Drawn | None = None) -> str:
        """Of a score with the chosen references, or with some of them; it is that of a set which has no others."""
        part, counts = self.references.part(chosen), self.counts(chosen)
        signature = signature_of(settings, counts.tolist(), part.digest)
        return part.signed(signature if drawn is None else drawn.signed(signature, counts))
