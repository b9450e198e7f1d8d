"""The references that systems are scored with: of files, of the corpus or of both, and how scores on them are signed.

Whatever they are read or made from, they are one value, ScoringReferences; so that the same references have the same
signature in every command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, compress, pairwise
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from corpusdb.base.arrays import Bools
from corpusdb.base.errors import InputError
from corpusdb.base.options import share_told
from corpusdb.base.text import undelimited_share
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.reading import digest_of
from corpusdb.corpus.formats.records import digest, output_digest, repeated
from corpusdb.corpus.formats.scoring_input import Output, ReferenceTexts, reference_files
from corpusdb.rules import Rewriting, RuleSet
from corpusdb.scoring.metrics.signature import Signature
from corpusdb.scoring.queries.combined_sets import GIVEN, PARAPHRASED, Additions, combined_sets, signed_origins
from corpusdb.scoring.queries.reference_sets import (
    AttributedSet,
    Recipe,
    expected_precision,
    given_reference,
    written_of,
)

__all__ = [
    "Freezing",
    "RuleRewriting",
    "ScoringReferences",
    "covered_segments",
    "references_from_both",
    "references_from_corpus",
    "references_from_files",
]

Origin: TypeAlias = Literal["corpus", "files"]
_LEAST_UNDELIMITED: Final = 0.1
"""The share of references in a script without spaces from which on this is told: fewer are names and quotations."""


@dataclass(frozen=True, slots=True)
class Freezing:
    """That a reference set was made for outputs of systems, and signed before any score on it was shown."""

    name: str
    """Of the set."""
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


@dataclass(frozen=True, slots=True)
class RuleRewriting:
    """That rules added to a reference set."""

    label: str
    """As signatures have it: the set, its digest, the most of a text, the analyser."""
    rules: RuleSet
    lineages: tuple[Mapping[str, tuple[str, Rewriting]], ...] = ()
    """Of each segment the references that were added, with the reference that each was made of; none where they are not
    known."""


@dataclass(frozen=True)
class ScoringReferences:
    """The references of every segment, and what they were made from."""

    sets: tuple[ReferenceSet, ...]
    labels: tuple[tuple[str, ...], ...]
    """For each reference of each segment where it comes from: file and line, or its origins in the corpus."""
    origin: Origin
    parameters: dict[str, Any]
    """What the set can be made from again, as JSON can hold it."""
    attributed: tuple[AttributedSet, ...] = ()
    """The sets with their origins, where these are known: the corpus made them, or files or who named these say it."""
    freezing: Freezing | None = None
    """Where the set was made for outputs."""
    rewriting: RuleRewriting | None = None
    """Where rules added to it."""
    signed_as: str | None = None
    """The digest that a frozen set was signed with, which may be one of an older version."""
    pivots: tuple[str, ...] = ()
    """The languages through which the corpus relates its references; none where that is not known."""

    @cached_property
    def digest(self) -> str:
        """What names the set: see reference_digest; signatures have its beginning."""
        return self.signed_as or digest(self.sets)

    @cached_property
    def undelimited_share(self) -> float:
        """The share of them, 0 to 1, that hold a script which does not put spaces between words."""
        return undelimited_share(text for each in self.sets for text in each.references)

    @property
    def undelimited_told(self) -> str | None:
        """In words how many of them do; None where these are so few that they change no score that one would notice."""
        if self.undelimited_share < _LEAST_UNDELIMITED:
            return None
        return f"{share_told(self.undelimited_share)} of the references hold a script without spaces"

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
        flags = _by_segment(chosen.tolist(), self.sets)
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
            signed_as=None,
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
            signed_as=None,
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
        return f"{told} reference{'' if max(counts) == 1 else 's'} of {len(counts):,} segments"

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


def _by_segment(flags: Sequence[bool], sets: Sequence[ReferenceSet]) -> list[Sequence[bool]]:
    """What is said of all references, by segment."""
    ends = [*accumulate((len(each.references) for each in sets), initial=0)]
    return [flags[first:end] for first, end in pairwise(ends)]


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
    both = combined_sets(given.sets, added.sets)
    parameters = recipe.document() | added.parameters(given.sets)
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
