"""Equivalents from the sources and references of an evaluation, and where they stand in the references.

Owczarzak et al. (2006): source and reference are a small bitext. Outputs of systems are no part of it: a system could
otherwise vote for itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from corpusdb.alignment.closed_classes import closed_class_languages, closed_words
from corpusdb.alignment.decoding import align
from corpusdb.alignment.equivalence import (
    EquivalenceFilter,
    EquivalenceSet,
    Equivalent,
    Equivalents,
    Phrase,
    equivalence_sets,
    is_rejected,
)
from corpusdb.alignment.links import SYMMETRISATIONS, Symmetrisation
from corpusdb.alignment.phrases import PhrasePairs, consistent_spans, counted_phrases
from corpusdb.alignment.substitution import Substitution, substitutions
from corpusdb.alignment.training import train
from corpusdb.errors import InputError, UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.jobs import Job
from corpusdb.metrics.lattices.lattice_measure import LatticeReferences
from corpusdb.metrics.lattices.text_lattice import RewritableText, TextReplacement
from corpusdb.metrics.signature import DIGEST_LENGTH
from corpusdb.metrics.tokenisation import tokeniser
from corpusdb.queries.substitution.recipe import SubstitutionRecipe
from corpusdb.queries.substitution.written_forms import UnitText, WrittenForms
from corpusdb.rows import json_line
from corpusdb.text import has_undelimited_script

__all__ = ["LONGEST", "BitextEquivalents", "bitext_equivalents", "bitext_notes"]

LONGEST = 3
"""Words of a phrase, on both sides."""
FEW_SEGMENTS = 100


@dataclass(frozen=True)
class BitextEquivalents:
    """The phrase pairs of source and reference, from which every recipe takes its equivalents."""

    language: str
    """Of the references."""
    texts: Sequence[Sequence[UnitText]]
    """The references of each segment."""
    pairs: Mapping[Symmetrisation, PhrasePairs] = field(repr=False)
    """By the links that they were taken from."""

    def sets(self, recipe: SubstitutionRecipe) -> list[EquivalenceSet]:
        """The equivalence sets that the filters leave; those of pivot, context, best and rejections ask for more."""
        return list(equivalence_sets(self._pairs(recipe), self._filter(recipe)))

    def equivalents(self, recipe: SubstitutionRecipe) -> Callable[[Phrase], Sequence[Equivalent]]:
        """The equivalents of each phrase by a recipe."""
        found = Equivalents(self._pairs(recipe), self._filter(recipe))
        rejected = frozenset(recipe.rejected)

        def of(phrase: Phrase) -> Sequence[Equivalent]:
            others = [
                each
                for each in found.of(phrase, recipe.min_pivot)
                if each.phrase != phrase
                and (recipe.with_parts or not _is_part(phrase, each.phrase))
                and not is_rejected(phrase, each.phrase, rejected)
            ]
            return others[:1] if recipe.best_only else others

        return of

    def substitutions(self, recipe: SubstitutionRecipe) -> Iterator[tuple[int, int, UnitText, list[Substitution]]]:
        """The number of each segment and reference, both from 0, with its text and the substitutions in it."""
        equivalents = self.equivalents(recipe)
        for segment, own in enumerate(self.texts):
            for number, text in enumerate(own):
                found = substitutions(text.tokens, equivalents, LONGEST)
                fits = [each for each in found if not recipe.in_context or self._fits(text.tokens, each)]
                yield segment, number, text, fits

    def lattices(self, recipe: SubstitutionRecipe) -> LatticeReferences:
        """The references with what can be substituted in them, and the digest of that in what signatures have."""
        rewritable: list[list[RewritableText]] = [[] for _ in self.texts]
        sha = hashlib.sha256()
        for segment, _, text, found in self.substitutions(recipe):
            replacements = tuple(
                dict.fromkeys(
                    TextReplacement(
                        text.starts[each.start],
                        text.ends[each.end - 1],
                        self.written.instead_of(text, each.start, each.end, each.phrase),
                    )
                    for each in sorted(found, key=lambda one: -one.equivalent.pivot)
                )
            )
            rewritable[segment].append(RewritableText(text.text, replacements))
            line = [text.text, *([each.start, each.end, each.text] for each in replacements)]
            sha.update(f"{json_line(line, compact=True)}\n".encode())
        label = f"{recipe.label}+{sha.hexdigest()[:DIGEST_LENGTH]}"
        return LatticeReferences(rewritable, recipe.most, label)

    def share_a_source(self, first: Phrase, second: Phrase) -> bool:
        """Whether two phrases ever translate one source phrase, whatever the filters."""
        return any(each.phrase == second for known in self._unfiltered for each in known.of(first))

    @cached_property
    def _unfiltered(self) -> list[Equivalents]:
        return [Equivalents(pairs, EquivalenceFilter()) for pairs in self.pairs.values()]

    def _pairs(self, recipe: SubstitutionRecipe) -> PhrasePairs:
        if recipe.links not in self.pairs:
            raise UsageError(f"no phrases were taken from the links {recipe.links}")
        return self.pairs[recipe.links]

    def _filter(self, recipe: SubstitutionRecipe) -> EquivalenceFilter:
        return EquivalenceFilter(closed=closed_words(self.language, recipe.left_out), min_count=recipe.min_count)

    @cached_property
    def written(self) -> WrittenForms:
        """How the phrases are written in the references."""
        phrases = {phrase for pairs in self.pairs.values() for phrase in pairs.target.texts}
        return WrittenForms((text for own in self.texts for text in own), phrases)

    @cached_property
    def _bigrams(self) -> frozenset[tuple[str, str]]:
        """Words that follow each other in the references, with an empty one at either end of each."""
        return frozenset(
            pair
            for own in self.texts
            for text in own
            for pair in zip(("", *text.tokens), (*text.tokens, ""), strict=True)
        )

    def _fits(self, tokens: Sequence[str], chosen: Substitution) -> bool:
        before = tokens[chosen.start - 1] if chosen.start else ""
        after = tokens[chosen.end] if chosen.end < len(tokens) else ""
        return (before, chosen.phrase[0]) in self._bigrams and (chosen.phrase[-1], after) in self._bigrams


def _is_part(first: Phrase, second: Phrase) -> bool:
    """Whether one of two phrases stands in the other."""
    short, long = sorted((first, second), key=len)
    return any(long[at : at + len(short)] == short for at in range(len(long) - len(short) + 1))


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
    return BitextEquivalents(language, texts, pairs)


def bitext_notes(
    sets: Sequence[ReferenceSet], language: str, tokenise_source: str | None, recipe: SubstitutionRecipe
) -> Iterator[str]:
    """What someone should know of these texts before they are aligned."""
    if recipe.left_out != "nothing" and not closed_words(language, recipe.left_out):
        known = ", ".join(closed_class_languages())
        yield f"there is no list of words of closed classes for {language}, and none is left out; there are {known}"
    if tokenise_source is None and 2 * sum(has_undelimited_script(each.source) for each in sets) > len(sets):
        yield (
            "words are not delimited in the source, and every character is taken for one, which gives bad "
            "equivalents: cut it into words first, and give --tokenise-source none"
        )
    if len(sets) < FEW_SEGMENTS:
        yield f"{len(sets):,} segments are few to align words by: expect hardly any equivalents, and wrong ones"
