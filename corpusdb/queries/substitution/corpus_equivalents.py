"""Equivalents of what stands in references from the aligned pairs of a corpus, through any languages.

The source of the evaluation is not asked. What is rare or wrong in a thousand segments is seen often in a large corpus,
and what translates one word in two languages is seldom a homonym of it (Bannard and Callison-Burch 2005).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from corpusdb.alignment.closed_classes import closed_words
from corpusdb.alignment.equivalence import Equivalent, Phrase
from corpusdb.alignment.phrases import has_letter, may_part
from corpusdb.alignment.substitution import Replaceable
from corpusdb.arrays import I64
from corpusdb.errors import InputError, UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.jobs import Job, Progress
from corpusdb.queries.alignment.alignment_models import linked_digest
from corpusdb.queries.alignment.equivalents import EquivalentFilter, RankedEquivalent, ranked_equivalents
from corpusdb.queries.alignment.phrases.phrase_counts import LONGEST_PHRASE
from corpusdb.queries.alignment.phrases.phrase_lookup import models_of
from corpusdb.queries.alignment.token_cutting import UNITS
from corpusdb.queries.substitution.recipe import SubstitutionRecipe
from corpusdb.queries.substitution.reference_equivalents import ReferenceEquivalents
from corpusdb.queries.substitution.written_forms import UnitText, WrittenForms
from corpusdb.store import Store
from corpusdb.textsearch.token_corpus import Tokeniser

__all__ = ["CorpusEquivalents", "corpus_equivalents"]

_LEAST: Final = EquivalentFilter(min_count=2, min_pivot=0.005, left_out="nothing")
"""What is read of the database; recipes ask for more."""
_AT_ONCE: Final = 2_000


@dataclass(frozen=True)
class CorpusEquivalents(ReferenceEquivalents):
    """The equivalents of all phrases of references, from which every recipe takes its own."""

    language: str
    texts: Sequence[Sequence[UnitText]]
    found: Mapping[Phrase, Sequence[RankedEquivalent]] = field(repr=False)
    neighbours: Neighbours = field(repr=False)
    models: str
    """The digest of what aligned the corpus, and of the pairs that it aligned."""

    @property
    def digest(self) -> str:
        return self.models

    def candidates(self, recipe: SubstitutionRecipe) -> Replaceable:
        closed = closed_words(self.language, recipe.left_out)

        def of(phrase: Phrase) -> Sequence[Equivalent]:
            if closed.issuperset(phrase):
                return ()
            return [
                Equivalent(other, each.pivot, each.count, tuple((language,) for language in each.languages))
                for each in self.found.get(phrase, ())
                if each.count >= recipe.min_count
                and each.pivot >= recipe.min_pivot
                and sum(share >= recipe.min_pivot for share in each.shares) >= recipe.min_languages
                and not closed.issuperset(other := tuple(each.key.split(" ")))
            ]

        return of

    def counted(self, recipe: SubstitutionRecipe) -> tuple[int, int]:
        """The phrases of the references that have equivalents, and these with them."""
        equivalents = self.equivalents(recipe)
        sizes = [len(equivalents(phrase)) for phrase in self.found]
        return sum(map(bool, sizes)), sum(1 + size for size in sizes if size)

    def phrases(self) -> frozenset[Phrase]:
        return frozenset(tuple(each.key.split(" ")) for others in self.found.values() for each in others)

    def share_a_source(self, first: Phrase, second: Phrase) -> bool:
        key = " ".join(second)
        return any(each.key == key for each in self.found.get(first, ()))

    @cached_property
    def written(self) -> WrittenForms:
        """How the phrases are written in the references; with capitals where the corpus has a word in no other way."""
        texts = (text for own in self.texts for text in own)
        return WrittenForms(texts, self.phrases(), self.neighbours.capitals)

    def is_name(self, word: str) -> bool:
        return super().is_name(word) or word in self.neighbours.capitals

    def stand_somewhere(self, words: Sequence[str]) -> bool:
        return super().stand_somewhere(words) or self.neighbours.have(words)


class Neighbours:
    """Which words follow each other in the sentences of a corpus, two and three in a row."""

    def __init__(self, texts: Iterable[str]) -> None:
        numbers: dict[str, int] = {}
        lengths, tokens = Tokeniser(numbers).types_of(texts)
        lowered: dict[str, int] = {"": 0}
        to_lower = np.array(
            [0, *(lowered.setdefault(token.lower(), len(lowered)) for token in numbers)], dtype=np.int64
        )
        # Two empty words stand before and after every sentence.
        places = np.arange(len(tokens)) + 2 * (np.repeat(np.arange(len(lengths)), lengths) + 1)
        stream = np.zeros(len(tokens) + 2 * len(lengths) + 2, dtype=np.int64)
        stream[places] = to_lower[tokens + 1]
        self._numbers = lowered
        pairs = stream[:-1] * len(lowered) + stream[1:]
        self._rows: dict[int, I64] = {2: np.unique(pairs), 3: np.unique(pairs[:-1] * len(lowered) + stream[2:])}
        self.capitals = frozenset(
            token.lower() for token in numbers if token[:1].isupper() and token.lower() not in numbers
        )
        """Words, in lower case, that always begin with a capital."""

    def have(self, words: Sequence[str]) -> bool:
        """Whether two or three words, in lower case, follow each other; empty ones stand at the ends of sentences."""
        key = 0
        for word in words:
            if word not in self._numbers:
                return False
            key = key * len(self._numbers) + self._numbers[word]
        rows = self._rows[len(words)]
        at = int(np.searchsorted(rows, key))
        return at < len(rows) and int(rows[at]) == key


def corpus_equivalents(
    store: Store, sets: Sequence[ReferenceSet], language: str, min_languages: int = 1
) -> Job[CorpusEquivalents]:
    """The equivalents of all phrases of the references in what is aligned with their language.

    Raises InputError where the language is not aligned by its units, and UsageError where it is with fewer languages
    than are asked for.
    """
    models = [model for model in models_of(store, language) if model.way_of(language) == UNITS]
    if not models:
        raise InputError(f"{language} is aligned by morphemes, and references are not cut into these: no equivalents")
    if len(models) < min_languages:
        others = ", ".join(model.other(language) for model in models)
        raise UsageError(
            f"{language} is aligned with {others} alone, and nothing is equivalent through {min_languages} languages: "
            "align more, or ask for fewer with --min-languages"
        )
    texts = [[UnitText.of(reference) for reference in each.references] for each in sets]
    phrases = sorted({phrase for own in texts for text in own for phrase in _phrases(text.tokens)})
    found = {}
    for done, phrase in enumerate(phrases):
        if not done % _AT_ONCE:
            yield Progress("phrases looked up", done, len(phrases))
        if ranked := ranked_equivalents(store, language, " ".join(phrase), models, _LEAST):
            found[phrase] = ranked
    yield Progress("phrases looked up", len(phrases), len(phrases))
    return CorpusEquivalents(
        language, texts, found, Neighbours(_sentences(store, language)), linked_digest(store, models)
    )


def _phrases(tokens: Sequence[str]) -> Iterator[Phrase]:
    """The phrases of words that cut no clitic from its host."""
    for start in range(len(tokens)):
        if start and not may_part(tokens[start - 1], tokens[start]):
            continue
        for end in range(start + 1, min(start + LONGEST_PHRASE, len(tokens)) + 1):
            if not has_letter(tokens[end - 1]):
                break
            if end == len(tokens) or may_part(tokens[end - 1], tokens[end]):
                yield tuple(tokens[start:end])


_SENTENCES = "select text from sentence where language = ? order by id"


def _sentences(store: Store, language: str) -> Iterator[str]:
    return (row[0] for row in store.connection.execute(_SENTENCES, (language,)))
