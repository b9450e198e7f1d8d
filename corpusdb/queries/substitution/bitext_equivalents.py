"""Equivalents from the sources and references of an evaluation, and where they stand in the references.

Owczarzak et al. (2006): source and reference are a small bitext. Outputs of systems are no part of it: a system could
otherwise vote for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from corpusdb.alignment.closed_classes import closed_class_languages, closed_words
from corpusdb.alignment.decoding import align
from corpusdb.alignment.equivalence import (
    EquivalenceFilter,
    EquivalenceSet,
    Equivalents,
    Phrase,
    equivalence_sets,
)
from corpusdb.alignment.links import SYMMETRISATIONS, Symmetrisation
from corpusdb.alignment.phrases import PhrasePairs, consistent_spans, counted_phrases
from corpusdb.alignment.substitution import Replaceable
from corpusdb.alignment.training import train
from corpusdb.errors import InputError, UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.jobs import Job
from corpusdb.metrics.tokenisation import tokeniser
from corpusdb.queries.substitution.recipe import SubstitutionRecipe
from corpusdb.queries.substitution.reference_equivalents import LONGEST, ReferenceEquivalents
from corpusdb.queries.substitution.written_forms import UnitText
from corpusdb.text import are_undelimited

__all__ = ["BitextEquivalents", "bitext_equivalents", "bitext_notes", "closed_class_notes"]

FEW_SEGMENTS = 100


@dataclass(frozen=True)
class BitextEquivalents(ReferenceEquivalents):
    """The phrase pairs of source and reference, from which every recipe takes its equivalents."""

    language: str
    texts: Sequence[Sequence[UnitText]]
    pairs: Mapping[Symmetrisation, PhrasePairs] = field(repr=False)
    """By the links that they were taken from."""
    in_characters: bool = False
    """Whether the words of the source are characters, most of which are parts of words."""

    def sets(self, recipe: SubstitutionRecipe) -> Iterator[EquivalenceSet]:
        """The equivalence sets that the filters leave, without that of context, which hangs on the place.

        A member is in a set as long as another one is left that it can be replaced by.
        """
        others = self.equivalents(recipe)
        for each in equivalence_sets(self._pairs(recipe), self._filter(recipe)):
            phrases = {member.phrase for member in each.members}
            kept = tuple(one for one in each.members if any(other.phrase in phrases for other in others(one.phrase)))
            if len(kept) > 1:
                yield EquivalenceSet(each.source, kept)

    def counted(self, recipe: SubstitutionRecipe) -> tuple[int, int]:
        sizes = [len(each.members) for each in self.sets(recipe)]
        return len(sizes), sum(sizes)

    def candidates(self, recipe: SubstitutionRecipe) -> Replaceable:
        found = Equivalents(self._pairs(recipe), self._filter(recipe), recipe.min_cover)
        return lambda phrase: found.of(phrase, recipe.min_pivot)

    def phrases(self) -> frozenset[Phrase]:
        return frozenset(phrase for pairs in self.pairs.values() for phrase in pairs.target.texts)

    def share_a_source(self, first: Phrase, second: Phrase) -> bool:
        return any(each.phrase == second for known in self._unfiltered for each in known.of(first))

    @cached_property
    def _unfiltered(self) -> list[Equivalents]:
        return [Equivalents(pairs, EquivalenceFilter()) for pairs in self.pairs.values()]

    def _pairs(self, recipe: SubstitutionRecipe) -> PhrasePairs:
        if recipe.links not in self.pairs:
            raise UsageError(f"no phrases were taken from the links {recipe.links}")
        return self.pairs[recipe.links]

    def _filter(self, recipe: SubstitutionRecipe) -> EquivalenceFilter:
        return EquivalenceFilter(
            closed=closed_words(self.language, recipe.left_out),
            min_count=recipe.min_count,
            min_source_length=2 if self.in_characters and not recipe.with_parts else 1,
        )


def bitext_equivalents(
    sets: Sequence[ReferenceSet],
    language: str,
    links: Sequence[Symmetrisation] = SYMMETRISATIONS[:2],
    tokenise_source: str | None = None,
) -> Job[BitextEquivalents]:
    """Align the source of each segment with each of its references, and take phrases from these kinds of links.

    ``tokenise_source`` is a name of metrics.tokenisation; None for units. Raises InputError, with the number of the
    segment, for a source or a reference without a word.
    """
    texts = [[UnitText.of(reference) for reference in each.references] for each in sets]
    cut = (lambda text: UnitText.of(text).tokens) if tokenise_source is None else tokeniser(tokenise_source)
    sources, targets = [], []
    for number, (each, own) in enumerate(zip(sets, texts, strict=True), 1):
        tokens = tuple(token.lower() for token in cut(each.source))
        if not tokens or not all(text.tokens for text in own):
            what = "a reference" if tokens else "the source"
            raise InputError(f"{what} has no word, and can be aligned with nothing", line=number)
        sources += [tokens] * len(own)
        targets += [text.tokens for text in own]
    model = yield from train(sources, targets)
    source_lengths, target_lengths = (
        np.array([len(tokens) for tokens in side], dtype=np.int64) for side in (sources, targets)
    )
    pairs = {}
    for way in dict.fromkeys(links):
        found = yield from align(model, sources, targets, way)
        spans = consistent_spans(found, source_lengths, target_lengths, LONGEST)
        pairs[way] = counted_phrases(spans, sources, targets)
    return BitextEquivalents(language, texts, pairs, tokenise_source in (None, "char") and _is_undelimited(sets))


def _is_undelimited(sets: Sequence[ReferenceSet]) -> bool:
    """Whether most sources are in a script that does not put spaces between words."""
    return are_undelimited(each.source for each in sets)


def closed_class_notes(language: str, recipe: SubstitutionRecipe) -> Iterator[str]:
    """That there is no list of the words that a recipe leaves out, where there is none."""
    if recipe.left_out != "nothing" and not closed_words(language, recipe.left_out):
        known = ", ".join(closed_class_languages())
        yield f"there is no list of words of closed classes for {language}, and none is left out; there are {known}"


def bitext_notes(sets: Sequence[ReferenceSet], tokenise_source: str | None) -> Iterator[str]:
    """What someone should know of these texts before they are aligned."""
    if tokenise_source is None and _is_undelimited(sets):
        yield (
            "words are not delimited in the source, and every character is taken for one, which gives few "
            "equivalents: --tokenise-source ja-sudachi cuts Japanese, and none what was cut into words before"
        )
    if len(sets) < FEW_SEGMENTS:
        yield f"{len(sets):,} segments are few to align words by: expect hardly any equivalents, and wrong ones"
