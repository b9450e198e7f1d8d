"""References with the origin of each, so that scores with some origins, or with some references, can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from corpusdb.arrays import I64, Bools
from corpusdb.errors import InputError, UsageError
from corpusdb.formats.reference_digest import digest
from corpusdb.formats.references import ReferenceSet
from corpusdb.formats.scoring_input import ReferenceTexts
from corpusdb.metrics.measures import signature_of
from corpusdb.metrics.metric import SegmentReferences
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.signature import ReferenceCounts, Signature
from corpusdb.queries.evaluation.scoring import Freezing, ScoringReferences
from corpusdb.queries.references.combined_sets import signed_origins
from corpusdb.queries.references.reference_sets import reference_origins

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
    """The references of all origins together; those of one segment follow each other in the order of the origins."""

    labels: tuple[str, ...]
    """The origins, in the order of reference_origins, others behind these as they were given."""
    sets: tuple[ReferenceSet, ...]
    """By segment."""
    origins: I64
    """The number of the origin of each reference."""
    segments: I64
    """The number of the segment of each reference."""
    freezing: Freezing | None = None
    """Where the set is frozen: when, and for which outputs it was made."""
    made_from: str | None = None
    """Where the corpus made some or all: what signatures say of that."""
    rules: str | None = None
    """Where rules made those of the last origin: what signatures say of them."""

    @classmethod
    def of(cls, origins: Mapping[str, ReferenceTexts], sources: Sequence[str] = ()) -> LabelledReferences:
        """The references of files by their origins. Raises InputError where these have different numbers of segments,
        UsageError where there are none."""
        if not origins:
            raise UsageError("at least one origin of references is needed")
        known = reference_origins()
        labels = sorted(origins, key=lambda label: known.index(label) if label in known else len(known))
        files = [origins[label] for label in labels]
        counts = {len(each.references) for each in files}
        if len(counts) > 1:
            raise InputError(f"the origins have different numbers of segments: {', '.join(map(str, sorted(counts)))}")
        parts = list(zip(*(each.references for each in files), strict=True))
        given = sources or next((each.sources for each in files if each.sources), ("",) * len(parts))
        sets = tuple(
            ReferenceSet(str(number), source, tuple(reference.text for part in each for reference in part))
            for number, (source, each) in enumerate(zip(given, parts, strict=True), 1)
        )
        numbers = [number for each in parts for number, part in enumerate(each) for _ in part]
        places = np.repeat(np.arange(len(sets)), [len(each.references) for each in sets])
        return cls(tuple(labels), sets, np.array(numbers, dtype=np.int64), places)

    @classmethod
    def of_attributed(cls, references: ScoringReferences) -> LabelledReferences:
        """References of which it is known where they come from, each with all its origins as one label."""
        names = [["+".join(one.origins) for one in each.references] for each in references.attributed]
        known = reference_origins()
        labels = sorted(
            {name for each in names for name in each}, key=lambda name: (known.index(name.split("+")[0]), name)
        )
        number = {label: place for place, label in enumerate(labels)}
        origins = np.array([number[name] for each in names for name in each], dtype=np.int64)
        segments = np.repeat(np.arange(len(names)), [len(each) for each in names])
        made_from = signed_origins(references.parameters, from_corpus=references.origin == "corpus")
        return cls(tuple(labels), references.sets, origins, segments, references.freezing, made_from)

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
        firsts = np.searchsorted(self.segments, np.arange(len(self.sets)))
        return tuple(
            replace(each, references=tuple(compress(each.references, chosen[first:].tolist())))
            for each, first in zip(self.sets, firsts, strict=True)
        )

    def signature(self, settings: Settings, chosen: Bools, drawn: Drawn | None = None) -> str:
        """Of a score with the chosen references, or with some of them; the digest is that of a set which has no
        others."""
        counts = self.counts(chosen)
        signature = signature_of(settings, counts.tolist(), digest(self.subset(chosen)))
        if drawn is not None:
            signature = drawn.signed(signature, counts)
        guided = None if self.freezing is None else len(self.freezing.guided_by)
        rules = self.rules if (chosen & (self.origins == len(self.labels) - 1)).any() else None
        return str(replace(signature, origins=self.made_from, guided=guided, rules=rules))
