"""Equivalents of what stands in references, wherever they come from, and where they can be put.

What is asked of every equivalent stands here: that it is no part and no other form of the phrase, names the same, and
fits between the words before and after. Where equivalents come from is for the classes below this one to say.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from corpusdb.alignment.closed_classes import closed_words
from corpusdb.alignment.equivalence import Equivalent, Phrase, is_rejected
from corpusdb.alignment.substitution import Replaceable, Substitution, substitutions
from corpusdb.metrics.lattices.lattice_measure import LatticeReferences
from corpusdb.metrics.lattices.text_lattice import RewritableText, TextReplacement
from corpusdb.metrics.signature import DIGEST_LENGTH
from corpusdb.queries.substitution.recipe import CONTEXTS, SubstitutionRecipe
from corpusdb.queries.substitution.word_forms import are_alike, are_forms_of_one
from corpusdb.queries.substitution.written_forms import UnitText, WrittenForms
from corpusdb.rows import json_line

__all__ = ["LONGEST", "ReferenceEquivalents"]

LONGEST = 3
"""Words of a phrase, on both sides."""
_NOUNS_WITH_CAPITALS: Final = frozenset({"deu", "ltz"})
"""Languages in which a capital does not tell names."""


class ReferenceEquivalents(ABC):
    """References, and the equivalents of words and phrases in them."""

    language: str
    """Of the references."""
    texts: Sequence[Sequence[UnitText]]
    """The references of each segment."""

    @abstractmethod
    def candidates(self, recipe: SubstitutionRecipe) -> Replaceable:
        """The equivalents of each phrase by their figures alone, the most probable first."""

    @abstractmethod
    def counted(self, recipe: SubstitutionRecipe) -> tuple[int, int]:
        """How many equivalence sets the filters of figures leave, and how many words and phrases in them."""

    @abstractmethod
    def share_a_source(self, first: Phrase, second: Phrase) -> bool:
        """Whether two phrases ever translate one phrase of another language, whatever the filters."""

    @abstractmethod
    def phrases(self) -> frozenset[Phrase]:
        """All that may be put in."""

    @property
    def digest(self) -> str:
        """Of what the equivalents come from, apart from the references; empty where nothing else is needed."""
        return ""

    def equivalents(self, recipe: SubstitutionRecipe) -> Replaceable:
        """The equivalents of each phrase by a recipe."""
        found = self.candidates(recipe)
        known: dict[Phrase, Sequence[Equivalent]] = {}
        rejected = frozenset(recipe.rejected)

        def of(phrase: Phrase) -> Sequence[Equivalent]:
            if phrase not in known:
                others = [
                    each
                    for each in found(phrase)
                    if self._differs(phrase, each.phrase, recipe) and not is_rejected(phrase, each.phrase, rejected)
                ]
                known[phrase] = others[:1] if recipe.best_only else others
            return known[phrase]

        return of

    def substitutions(self, recipe: SubstitutionRecipe) -> Iterator[tuple[int, int, UnitText, list[Substitution]]]:
        """The number of each segment and reference, both from 0, with its text and the substitutions in it."""
        equivalents = self.equivalents(recipe)
        for segment, own in enumerate(self.texts):
            for number, text in enumerate(own):
                found = substitutions(text.tokens, equivalents, LONGEST)
                fits = [each for each in found if self._fits(text.tokens, each, recipe.context)]
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
        parts = (recipe.label, self.digest[:DIGEST_LENGTH], sha.hexdigest()[:DIGEST_LENGTH])
        return LatticeReferences(rewritable, recipe.most, "+".join(filter(None, parts)))

    @cached_property
    def written(self) -> WrittenForms:
        """How the phrases are written in the references."""
        return WrittenForms((text for own in self.texts for text in own), self.phrases())

    def is_name(self, word: str) -> bool:
        """Whether a word in lower case has a capital inside of the references wherever it stands there."""
        return word in self._names

    def stand_somewhere(self, words: Sequence[str]) -> bool:
        """Whether some words, in lower case, follow each other in the references, with empty ones at their ends."""
        return tuple(words) in self._rows

    def _differs(self, phrase: Phrase, other: Phrase, recipe: SubstitutionRecipe) -> bool:
        """Whether another phrase is more than a part or a form of a phrase, as far as is asked."""
        if phrase == other or (not recipe.with_parts and _is_part(phrase, other)):
            return False
        if recipe.with_forms:
            return True
        closed = closed_words(self.language, "closed")
        return not are_forms_of_one(self.language, phrase, other, closed) and self._name_the_same(phrase, other)

    def _name_the_same(self, phrase: Phrase, other: Phrase) -> bool:
        """Whether the names in two phrases begin alike: Russian, Russia."""
        if self.language in _NOUNS_WITH_CAPITALS:
            return True
        own, theirs = (sorted(filter(self.is_name, words)) for words in (phrase, other))
        return len(own) == len(theirs) and all(
            one == another or are_alike(one, another) for one, another in zip(own, theirs, strict=True)
        )

    def _fits(self, tokens: Sequence[str], chosen: Substitution, size: int) -> bool:
        """Whether all rows of so many words that the equivalent would come into stand somewhere."""
        if not size:
            return True
        padded = _padded(tokens, size)
        start, end = chosen.start + size - 1, chosen.end + size - 1
        words = (*padded[start - size + 1 : start], *chosen.phrase, *padded[end : end + size - 1])
        return all(self.stand_somewhere(words[at : at + size]) for at in range(len(words) - size + 1))

    @cached_property
    def _rows(self) -> frozenset[tuple[str, ...]]:
        """Of two and of three words."""
        return frozenset(
            padded[at : at + size]
            for size in filter(None, CONTEXTS)
            for own in self.texts
            for text in own
            for padded in [_padded(text.tokens, size)]
            for at in range(len(padded) - size + 1)
        )

    @cached_property
    def _names(self) -> frozenset[str]:
        inside: Counter[str] = Counter()
        capital: Counter[str] = Counter()
        for own in self.texts:
            for text in own:
                for place in range(1, len(text.tokens)):
                    if text.tokens[place - 1].isalpha() or text.tokens[place - 1] == ",":
                        inside[text.tokens[place]] += 1
                        capital[text.tokens[place]] += text.text[text.starts[place]].isupper()
        return frozenset(word for word, count in inside.items() if capital[word] == count)


def _is_part(first: Phrase, second: Phrase) -> bool:
    """Whether one of two phrases stands in the other."""
    short, long = sorted((first, second), key=len)
    return any(long[at : at + len(short)] == short for at in range(len(long) - len(short) + 1))


def _padded(tokens: Sequence[str], size: int) -> tuple[str, ...]:
    """With empty words at both ends, so that each token begins and ends a row of ``size``."""
    return ("",) * (size - 1) + tuple(tokens) + ("",) * (size - 1)
