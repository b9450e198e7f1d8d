"""References with the origin of each, and those that rules made of them, with their lineage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, compress, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job
from corpusdb.base.options import format_share
from corpusdb.base.text import undelimited_share
from corpusdb.corpus.formats.reading import digest_of
from corpusdb.corpus.formats.records import ReferenceSet, digest, output_digest, repeated
from corpusdb.corpus.formats.scoring_input import reference_files
from corpusdb.corpus.formats.segments import Output, ReferenceTexts
from corpusdb.scoring.measures import signature_of
from corpusdb.scoring.metric import SegmentReferences
from corpusdb.scoring.metric_settings import MetricSettings, ReferenceCounts, Signature
from corpusdb.scoring.queries.attributed import (
    GIVEN,
    PARAPHRASED,
    AttributedReference,
    AttributedSet,
    expected_precision,
    given_reference,
    signed_origins,
    written_of,
)

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.rules.queries.rewritings import RewritingReport
    from corpusdb.rules.queries.rule_sets import RewritingMethod
    from corpusdb.rules.rewriting import Expansion, Rewriting
    from corpusdb.rules.rule import RuleSet
    from corpusdb.scoring.queries.combined_sets import Additions
    from corpusdb.scoring.queries.reference_sets import Recipe


# The references that systems are scored with: of files, of the corpus or of both, and how scores on them are signed.
# Whatever they are read or made from, they are one value, ScoringReferences; so that the same references have the same
# signature in every command.


Origin: TypeAlias = Literal["corpus", "files"]
EQUIVALENTS: Final = "equivalents"
"""What the derivation of equivalents is called among the parameters of a stored reference set."""
_LEAST_UNDELIMITED: Final = 0.1
"""The share of references in a script without spaces from which on this is told: fewer are names and quotations."""


@dataclass(frozen=True, slots=True)
class Freezing:
    """That a reference set was made for outputs of systems, and signed before any score on it was shown."""

    name: str
    frozen: str
    """When, UTC, ISO 8601."""
    guided_by: tuple[tuple[str, str], ...]
    """The systems that it was made for, each with the digest of its output."""

    @property
    def note(self) -> str:
        """In words what a reader of a score on this set has to know."""
        systems = "1 system" if len(self.guided_by) == 1 else f"{len(self.guided_by):,} systems"
        return (
            f"references generated for these outputs ({self.name}): frozen on {self.frozen[:10]}, guided by {systems}"
        )

    def document(self) -> dict[str, object]:
        """The same as JSON has it beside a score."""
        return {"name": self.name, "frozen": self.frozen, "systems": [system for system, _ in self.guided_by]}

    def has_guided(self, output: Output) -> bool:
        """Whether the set was made for this output, under whatever name."""
        return output_digest(output.texts) in {digest for _, digest in self.guided_by}


def format_undelimited(sets: Sequence[ReferenceSet]) -> str | None:
    """In words how many references hold a script which does not put spaces between words; None where these are so few
    that they change no score that one would notice."""
    share = undelimited_share(text for each in sets for text in each.references)
    told = f"{format_share(share)} of the references hold a script without spaces"
    return told if share >= _LEAST_UNDELIMITED else None


@dataclass(frozen=True, slots=True)
class RuleRewriting:
    label: str
    """As signatures have it: the set, its digest, the most of a text, the analyser."""
    rules: RuleSet
    lineages: tuple[Lineages, ...] = ()
    """Of each segment what was added; none where that is not known."""


@dataclass(frozen=True)
class ScoringReferences:
    sets: tuple[ReferenceSet, ...]
    labels: tuple[tuple[str, ...], ...]
    """For each reference of each segment where it comes from: file and line, or its origins in the corpus."""
    origin: Origin
    parameters: dict[str, Any]
    """What the set can be made from again, as JSON can hold it."""
    attributed: tuple[AttributedSet, ...] = ()
    """The sets with their origins, where these are known: the corpus made them, or files or who named these say it."""
    freezing: Freezing | None = None
    rewriting: RuleRewriting | None = None
    pivots: tuple[str, ...] = ()
    """The languages through which the corpus relates its references; none where that is not known."""

    @cached_property
    def digest(self) -> str:
        """What names the set: see reference_digest; signatures have its beginning."""
        return digest(self.sets)

    @property
    def validity(self) -> float | None:
        """The expected precision of the references from the corpus; None where nothing is known of it."""
        return expected_precision(self.attributed)

    @property
    def texts(self) -> list[tuple[str, ...]]:
        return [each.references for each in self.sets]

    @property
    def written(self) -> list[tuple[str, ...]]:
        """Of each segment the references that people wrote: not those that the corpus or rules made of others.

        All of them where nothing is known of that; the source where the corpus made every one.
        """
        if not self.attributed:
            return [
                tuple(text for text in each.references if text not in of_rules)
                for each, of_rules in zip(self.sets, self._made_by_rules, strict=True)
            ]
        return [written_of(each) for each in self.attributed]

    @cached_property
    def origins(self) -> tuple[tuple[str, ...], ...]:
        """Where each reference of each segment comes from: the first that holds; original where nothing else is known,
        unknown for what the corpus has lost."""
        if self.attributed:
            return tuple(
                tuple(next(iter(one.origins), "unknown") for one in each.references) for each in self.attributed
            )
        return tuple(
            tuple("rule" if text in made else "original" for text in each.references)
            for each, made in zip(self.sets, self._made_by_rules, strict=True)
        )

    @property
    def _made_by_rules(self) -> Sequence[Mapping[str, object]]:
        """Of each segment the references that rules added, as far as they are known."""
        lineages = () if self.rewriting is None else self.rewriting.lineages
        return lineages or ({},) * len(self.sets)

    def part(self, chosen: Bools) -> ScoringReferences:
        """The same with only the chosen ones of all references, which follow each other by segment.

        A segment may be left without any. It is signed as a set that never had the others; its parameters, but for what
        is signed, are those of the whole, so that it is not to be stored.
        """
        if chosen.all():
            return self
        said, ends = chosen.tolist(), accumulate((len(each.references) for each in self.sets), initial=0)
        flags = [said[first:end] for first, end in pairwise(ends)]
        parameters, origin = self._made_of(flags)
        pairs = list(zip(self.origins, flags, strict=True))
        rewriting, freezing = self.rewriting, self.freezing
        if not any("rule" in compress(*each) for each in pairs):
            rewriting = None
        if not any({*compress(*each)} - {"original"} for each in pairs):
            freezing = None  # those that were there before any output guided
        return replace(
            self,
            sets=tuple(
                replace(each, references=own)
                for each, own in zip(self.sets, _kept([each.references for each in self.sets], flags), strict=True)
            ),
            labels=_kept(self.labels, flags),
            origin=origin,
            parameters=parameters,
            attributed=tuple(
                replace(each, references=tuple(compress(each.references, own)))
                for each, own in zip(self.attributed, flags, strict=bool(self.attributed))
            ),
            freezing=freezing,
            rewriting=rewriting,
        )

    def _made_of(self, flags: Sequence[Sequence[bool]]) -> tuple[dict[str, Any], Origin]:
        """The parameters and the origin of a part: it may have references of files alone, or of the corpus alone."""
        if GIVEN not in self.parameters:
            return self.parameters, self.origin
        given = [sum(own[:count]) for own, count in zip(flags, self.parameters[GIVEN], strict=True)]
        others = sum(
            is_chosen and text not in made
            for each, own, count, made in zip(
                self.sets, flags, self.parameters[GIVEN], self._made_by_rules, strict=True
            )
            for text, is_chosen in zip(each.references[count:], own[count:], strict=True)
        )
        if sum(given) and others:
            return self.parameters | {GIVEN: given}, self.origin
        one_kind = {key: value for key, value in self.parameters.items() if key not in (GIVEN, PARAPHRASED)}
        return one_kind, "corpus" if others else "files"

    def of_segments(self, numbers: Sequence[int]) -> ScoringReferences:
        """The same of some segments alone, by their numbers, from 0.

        It is to be scored with and signed, not to be stored: its parameters are those of the whole.
        """
        if len(numbers) == len(self.sets):
            return self
        rewriting = self.rewriting
        if rewriting is not None and rewriting.lineages:
            rewriting = replace(rewriting, lineages=tuple(rewriting.lineages[number] for number in numbers))
        return replace(
            self,
            sets=tuple(self.sets[number] for number in numbers),
            labels=tuple(self.labels[number] for number in numbers),
            attributed=tuple(self.attributed[number] for number in numbers) if self.attributed else (),
            rewriting=rewriting,
        )

    def signed(self, signature: Signature) -> str:
        """A signature of scores on these references; with how many are copies, and what else they are besides."""
        return str(
            replace(
                signature,
                copies=sum(map(repeated, self.sets)) or None,
                origins=signed_origins(self.parameters, from_corpus=self.origin == "corpus"),
                guided=None if self.freezing is None else len(self.freezing.guided_by),
                rules=None if self.rewriting is None else self.rewriting.label,
            )
        )

    def __str__(self) -> str:
        counts = [len(each.references) for each in self.sets]
        told = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        where = "1 segment" if len(counts) == 1 else f"each of {len(counts):,} segments"
        return f"{told} reference{'' if max(counts) == 1 else 's'} for {where}"

    @property
    def language(self) -> str | None:
        """That of references from the corpus; None where it is not known."""
        made: Mapping[str, Any] = self.parameters if self.freezing is None else self.parameters["guided"]
        return made.get("language")

    @property
    def corpus_language(self) -> str | None:
        """That of the references that the corpus made; None where it made none."""
        return self.language if self.origin == "corpus" or self.freezing is not None else None


def references_from_files(
    texts: ReferenceTexts, paths: Sequence[Path], sources: Sequence[str] = ()
) -> ScoringReferences:
    """References as files hold them, with where each comes from if any file says so; with their sources, or those given
    with them."""
    known = sources or texts.sources or ("",) * len(texts.references)
    is_known = any(one.provenance.origin for each in texts.references for one in each)
    sets = tuple(
        ReferenceSet(
            str(number),
            source,
            tuple(one.text for one in references),
            {one.text: one.provenance for one in reversed(references)} if is_known else {},
        )
        for number, (source, references) in enumerate(zip(known, texts.references, strict=True), 1)
    )
    attributed = tuple(
        AttributedSet(source, tuple(given_reference(one.text, one.provenance.origin, source) for one in references))
        for source, references in zip(known, texts.references, strict=True)
    )
    labels = tuple(tuple(map(str, references)) for references in texts.references)
    named = (path for path in reference_files(paths) if path.name != "-")
    files = [{"path": str(path.resolve()), "digest": digest_of([path])} for path in named]
    return ScoringReferences(sets, labels, "files", {"files": files}, attributed if is_known else ())


def _kept(rows: Sequence[Sequence[str]], flags: Sequence[Sequence[bool]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(compress(row, own)) for row, own in zip(rows, flags, strict=True))


def references_from_corpus(sets: Sequence[AttributedSet], recipe: Recipe) -> ScoringReferences:
    """References made by a recipe. Raises InputError, with the number of the source, for one that has none."""
    for number, each in enumerate(sets, 1):
        if not each.references:
            wanted = ", ".join(recipe.origins)
            raise InputError(f"the corpus has no reference ({wanted}) for {each.source!r}", path="source", line=number)
    parameters = recipe.document() | {"sources": [each.source for each in sets]}
    labels = tuple(tuple("+".join(reference.origins) for reference in each.references) for each in sets)
    plain = tuple(each.plain(number) for number, each in enumerate(sets, 1))
    return ScoringReferences(plain, labels, "corpus", parameters, tuple(sets))


def references_from_both(given: ScoringReferences, added: Additions, recipe: Recipe) -> ScoringReferences:
    """References of files with those of the corpus behind them; a segment that the corpus knows nothing of stays."""
    from corpusdb.scoring.queries.combined_sets import combined_sets

    both = combined_sets(given.sets, added.sets)
    parameters = recipe.document() | added.parameters()
    labels = tuple(
        (*label, *("+".join(one.origins) for one in each.references[len(label) :]))
        for label, each in zip(given.labels, both, strict=True)
    )
    plain = tuple(each.plain(number) for number, each in enumerate(both, 1))
    return ScoringReferences(plain, labels, "corpus", given.parameters | parameters, both)


def covered_segments(
    outputs: Sequence[Output], sets: Sequence[AttributedSet], recipe: Recipe
) -> tuple[list[Output], ScoringReferences]:
    """Outputs and references of the segments that have any, of which there is one or more."""
    kept = [number for number, each in enumerate(sets) if each.references]
    chosen = [replace(output, texts=tuple(output.texts[number] for number in kept)) for output in outputs]
    return chosen, references_from_corpus([sets[number] for number in kept], recipe)


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
    references: ScoringReferences
    labels: tuple[str, ...]
    """The origins, in the order of reference_origins, others behind these as they first come."""
    origins: I64
    """The number of the origin of each reference, those of one segment after each other."""
    segments: I64

    @classmethod
    def of(cls, references: ScoringReferences) -> LabelledReferences:
        """References with the first of the origins that each has."""
        from corpusdb.scoring.queries.reference_sets import reference_origins

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
        return self.references.part(chosen).sets

    def signature(self, settings: MetricSettings, chosen: Bools, drawn: Drawn | None = None) -> str:
        """Of a score with the chosen references, or with some of them; it is that of a set which has no others."""
        part, counts = self.references.part(chosen), self.counts(chosen)
        signature = signature_of(settings, counts.tolist(), part.digest)
        return part.signed(signature if drawn is None else drawn.signed(signature, counts))


# References with what rules make of them: added to those that are there, each with the lineage that it has.
# After Kanayama (2003), section 3.3: the references grow, and an output may be polite where the first reference is
# plain.


_RULE: Final = "rule"


Lineages: TypeAlias = "Mapping[str, tuple[str, Rewriting]]"
"""The references of a segment that rules made, by their texts, each with the reference that it was made of."""


@dataclass(frozen=True, slots=True)
class RewrittenReferences:
    sets: tuple[ReferenceSet, ...]
    """Each with its own references first, then what was made of the first of them, of the second, and so on."""
    made: tuple[Lineages, ...]
    """Those that were added, in the same order."""
    report: RewritingReport
    """Of the references, each text once."""


def rewritten_sets(sets: Sequence[ReferenceSet], method: RewritingMethod) -> Job[RewrittenReferences]:
    """Each set with the rewritings of its references. Raises InputError where they are not Japanese."""
    from corpusdb.rules.queries.rewritings import expansions, rewriting_counts
    from corpusdb.rules.queries.rule_sets import check_japanese

    texts = list(dict.fromkeys(text for each in sets for text in each.references))
    check_japanese(texts, "references")
    found = dict(zip(texts, (yield from expansions(method, texts)), strict=True))
    made = tuple(_made(each.references, found) for each in sets)
    added = tuple(replace(each, references=(*each.references, *own)) for each, own in zip(sets, made, strict=True))
    return RewrittenReferences(added, made, rewriting_counts(found.values()))


def _made(references: Sequence[str], found: Mapping[str, Expansion]) -> Lineages:
    """What is new among the rewritings of the references of a segment; of two that are the same the first."""
    made: dict[str, tuple[str, Rewriting]] = {}
    for text in dict.fromkeys(references):
        for each in found[text].rewritings:
            made.setdefault(each.text, (text, each))
    return {text: known for text, known in made.items() if text not in references}


def rewritten_references(
    references: ScoringReferences, method: RewritingMethod
) -> Job[tuple[ScoringReferences, RewritingReport]]:
    """References to score with, and the same with the rewritings of each, which their parameters and labels tell.

    Raises InputError where they are not Japanese.
    """
    found = yield from rewritten_sets(references.sets, method)
    labels = tuple(
        labels_with_rules(own, each.references, made)
        for own, each, made in zip(references.labels, references.sets, found.made, strict=True)
    )
    attributed = tuple(
        AttributedSet(
            each.source,
            (*each.references, *(AttributedReference(text, (_RULE,), origin) for text, (origin, _) in made.items())),
        )
        for each, made in zip(references.attributed, found.made, strict=bool(references.attributed))
    )
    given = [len(each.references) for each in references.sets]
    parameters = references.parameters | {"rules": method.document() | {"given": given}}
    added = replace(
        references,
        sets=found.sets,
        labels=labels,
        parameters=parameters,
        attributed=attributed,
        rewriting=RuleRewriting(method.label, method.rules, found.made),
    )
    return added, found.report


def labels_with_rules(labels: Sequence[str], references: Sequence[str], made: Lineages) -> tuple[str, ...]:
    """What is said of the references that rules began with, and of those that they made of these."""
    return (
        *labels,
        *(
            f"{labels[references.index(origin)]} by {'+'.join(step.rule for step in rewriting.lineage)}"
            for origin, rewriting in made.values()
        ),
    )


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
    from corpusdb.rules.queries.rule_sets import method_of

    found = yield from rewritten_sets(sets, method_of(store, parameters["rules"]))
    return found.sets


def reference_lineages(store: Store, references: ReferenceSet, parameters: Mapping[str, Any], segment: int) -> Lineages:
    """What rules made of the references of a segment (from 1) of a stored set. Raises as method_of does."""
    from corpusdb.rules.queries.rule_sets import method_of

    given = references.references[: parameters["rules"]["given"][segment - 1]]
    method = method_of(store, parameters["rules"])
    return _made(given, {text: method.expander.expand(text) for text in given})


def lineage_documents(found: RewrittenReferences) -> list[dict[str, object]]:
    """Of each added reference its segment, its place in the set, from 1, what it was made of, and by which steps."""
    from corpusdb.rules.queries.rewritings import lineage_document

    return [
        {
            "segment": each.id,
            "reference": len(each.references) - len(made) + number,
            "text": text,
            "origin": origin,
            "lineage": lineage_document(rewriting.lineage),
        }
        for each, made in zip(found.sets, found.made, strict=True)
        for number, (text, (origin, rewriting)) in enumerate(made.items(), 1)
    ]
