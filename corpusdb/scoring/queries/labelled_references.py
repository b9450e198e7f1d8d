"""References with the origin of each, and those that rules made of them, with their lineage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, finished
from corpusdb.corpus.formats.records import ReferenceSet
from corpusdb.corpus.store import Store
from corpusdb.rules import Expansion, Rewriting
from corpusdb.rules.queries.method import RewritingMethod, check_japanese, method_of
from corpusdb.rules.queries.rewritings import RewritingReport, expansions, lineage_document, rewriting_counts
from corpusdb.scoring.metrics.measures import signature_of
from corpusdb.scoring.metrics.metric import SegmentReferences
from corpusdb.scoring.metrics.settings import Settings
from corpusdb.scoring.metrics.signature import ReferenceCounts, Signature
from corpusdb.scoring.queries.reference_sets import AttributedReference, AttributedSet, reference_origins
from corpusdb.scoring.queries.scoring_references import RuleRewriting, ScoringReferences

__all__ = [
    "Drawn",
    "LabelledReferences",
    "RewrittenReference",
    "RewrittenReferences",
    "given_sets",
    "labels_with_rules",
    "lineage_documents",
    "reference_lineages",
    "rewritten_references",
    "rewritten_sets",
    "rewritten_sets_again",
]


# References with the origin of each, so that scores with some origins, or with some references, can be compared.


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


# References with what rules make of them: added to those that are there, each with the lineage that it has.
#
# After Kanayama (2003), section 3.3: the references grow, and an output may be polite where the first reference is
# plain.


_RULE: Final = "rule"


@dataclass(frozen=True, slots=True)
class RewrittenReference:
    """A reference that rules made."""

    origin: str
    """The reference that it was made of."""
    rewriting: Rewriting


@dataclass(frozen=True, slots=True)
class RewrittenReferences:
    """The references of each segment, and what was made of them."""

    sets: tuple[ReferenceSet, ...]
    """Each with its own references first, then what was made of the first of them, of the second, and so on."""
    made: tuple[tuple[RewrittenReference, ...], ...]
    """Those that were added, in the same order."""
    report: RewritingReport
    """Of the references, each text once."""


def rewritten_sets(sets: Sequence[ReferenceSet], method: RewritingMethod) -> Job[RewrittenReferences]:
    """Each set with the rewritings of its references. Raises InputError where they are not Japanese."""
    texts = list(dict.fromkeys(text for each in sets for text in each.references))
    check_japanese(texts, "references")
    found = dict(zip(texts, (yield from expansions(method, texts)), strict=True))
    made = tuple(_made(each.references, found) for each in sets)
    added = tuple(
        replace(each, references=(*each.references, *(one.rewriting.text for one in own)))
        for each, own in zip(sets, made, strict=True)
    )
    return RewrittenReferences(added, made, rewriting_counts(found.values()))


def _made(references: Sequence[str], found: Mapping[str, Expansion]) -> tuple[RewrittenReference, ...]:
    """What is new among the rewritings of the references of a segment; of two that are the same the first."""
    made: dict[str, RewrittenReference] = {}
    for text in dict.fromkeys(references):
        for each in found[text].rewritings:
            made.setdefault(each.text, RewrittenReference(text, each))
    return tuple(each for text, each in made.items() if text not in references)


def rewritten_references(
    references: ScoringReferences, method: RewritingMethod
) -> Job[tuple[ScoringReferences, RewritingReport]]:
    """References to score with, and the same with the rewritings of each, which their parameters and labels tell.

    Raises InputError where they are not Japanese.
    """
    found = yield from rewritten_sets(references.sets, method)
    labels = tuple(
        (*own, *(_label(one, each.references, own) for one in made))
        for own, each, made in zip(references.labels, references.sets, found.made, strict=True)
    )
    attributed = tuple(
        AttributedSet(each.source, (*each.references, *(_attributed(one) for one in made)))
        for each, made in zip(references.attributed, found.made, strict=bool(references.attributed))
    )
    given = [len(each.references) for each in references.sets]
    parameters = references.parameters | {"rules": method.document() | {"given": given}}
    lineages = tuple(found.made)
    added = replace(
        references,
        sets=found.sets,
        labels=labels,
        parameters=parameters,
        attributed=attributed,
        rewriting=RuleRewriting(method.label, method.rules, tuple(map(_lineages, lineages))),
        signed_as=None,
    )
    return added, found.report


def _label(made: RewrittenReference, references: Sequence[str], labels: Sequence[str]) -> str:
    rules = "+".join(step.rule for step in made.rewriting.lineage)
    return f"{labels[references.index(made.origin)]} by {rules}"


def _attributed(made: RewrittenReference) -> AttributedReference:
    return AttributedReference(made.rewriting.text, (_RULE,), made.origin)


def _lineages(made: Sequence[RewrittenReference]) -> dict[str, tuple[str, Rewriting]]:
    return {each.rewriting.text: (each.origin, each.rewriting) for each in made}


def given_sets(sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]) -> tuple[ReferenceSet, ...]:
    """The sets of a stored reference set without what rules added, by its parameters.

    Raises InputError where the parameters do not belong to these sets.
    """
    counts = parameters["rules"]["given"]
    if len(counts) != len(sets):
        raise InputError("the parameters of the reference set are those of another one")
    return tuple(replace(each, references=each.references[:count]) for each, count in zip(sets, counts, strict=True))


def rewritten_sets_again(
    store: Store, sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]
) -> Job[tuple[ReferenceSet, ...]]:
    """Sets with what the rules add to them that a stored reference set was made by; as they are, where there are none.

    Raises as method_of does.
    """
    if "rules" not in parameters:
        return tuple(sets)
    found = yield from rewritten_sets(sets, method_of(store, parameters["rules"]))
    return found.sets


def reference_lineages(
    store: Store, references: ReferenceSet, parameters: Mapping[str, Any], segment: int
) -> dict[str, tuple[str, Rewriting]]:
    """The references of a segment (from 1) of a stored set that rules made, with what each was made of.

    Raises as method_of does.
    """
    given = references.references[: parameters["rules"]["given"][segment - 1]]
    method = method_of(store, parameters["rules"])
    return _lineages(_made(given, {text: method.expander.expand(text) for text in given}))


def labels_with_rules(
    store: Store, given: ReferenceSet, parameters: Mapping[str, Any], labels: Sequence[str]
) -> tuple[str, ...]:
    """What is said of the references of a segment of a stored set and of those that rules added.

    ``given`` has the references that the rules began with, ``labels`` what is said of each. Raises as method_of does.
    """
    found = finished(rewritten_sets([given], method_of(store, parameters["rules"])))
    return (*labels, *(_label(one, given.references, labels) for one in found.made[0]))


def lineage_documents(found: RewrittenReferences) -> list[dict[str, object]]:
    """Of each added reference its segment, its place in the set, from 1, what it was made of, and by which steps."""
    return [
        {
            "segment": each.id,
            "reference": len(each.references) - len(made) + number,
            "text": one.rewriting.text,
            "origin": one.origin,
            "lineage": lineage_document(one.rewriting.lineage),
        }
        for each, made in zip(found.sets, found.made, strict=True)
        for number, one in enumerate(made, 1)
    ]
