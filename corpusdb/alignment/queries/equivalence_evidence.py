"""How probable it is that phrases are equivalents, by the pairs that a language is aligned by and by its sentences."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary, proxy

import numpy as np

from corpusdb.alignment.equivalence import closed_share, closed_words
from corpusdb.alignment.links import has_letter
from corpusdb.alignment.phrase_evidence import (
    Alignment,
    ExchangeCounts,
    Judgement,
    PhraseStream,
    Surroundings,
    equivalence_model,
    evidence,
    listed_evidence,
    shares_alike,
    stem_shares,
)
from corpusdb.alignment.queries.pairs import SentencePair, StoredModel, can_cut, decoded_pair
from corpusdb.alignment.queries.phrase_places import linked_rows
from corpusdb.alignment.queries.phrases import shown
from corpusdb.base.arrays import F64, in_both
from corpusdb.corpus.store import Store
from corpusdb.search.queries.token_index import load_units
from corpusdb.search.token_corpus import tokenise

_EXCHANGES: Final = 40
"""Pairs of sentences that differ by one exchange alone: so many are looked at."""
_MOST_KEPT: Final = 20_000
"""Translations of sentences that are kept in memory."""
_LOOKED_AT: Final = 0.5
"""Of what is less probable nobody asks beside which words it means what a phrase does."""
_PLACES: Final = 100
"""So many sentences with a word are looked at for that, evenly many of them."""
_SHARED_WORDS: Final = 5
"""Which both are aligned with most in a language."""
_LEAST_PLACES: Final = 3
_NEARLY_ALWAYS: Final = 0.8
"""At which part of these places."""


class Having(NamedTuple):
    """A model whose pairs of sentences have a phrase."""

    model: StoredModel
    phrase: int
    paired: int


class Candidate(NamedTuple):
    key: str
    """As it is stored."""
    number: int


_SHARED = """
select other.{own}, mine.count, other.count, pivot.paired, theirs.paired
from json_each(:wanted) wanted
cross join phrase_count theirs on theirs.model = :model and theirs.phrase = wanted.value
cross join phrase_pair other on other.model = :model and other.{own} = wanted.value
cross join phrase_pair mine on mine.model = :model and mine.{own} = :phrase and mine.{other} = other.{other}
cross join phrase_count pivot on pivot.model = :model and pivot.phrase = mine.{other}
"""
_ALIGNED = """
select pair.{own}, phrase.text, pair.count from json_each(:wanted) wanted
cross join phrase_pair pair on pair.model = :model and pair.{own} = wanted.value
cross join phrase on phrase.id = pair.{other}
"""
_MOST_SHARED = """
select phrase.text from phrase_pair theirs
cross join phrase_pair mine on mine.model = :model and mine.{own} = :phrase and mine.{other} = theirs.{other}
cross join phrase_count pivot on pivot.model = :model and pivot.phrase = mine.{other}
cross join phrase on phrase.id = mine.{other}
where theirs.model = :model and theirs.{own} = :candidate
order by 1.0 * mine.count * theirs.count / pivot.paired desc, phrase.text limit :most
"""
_NOTHING: Final = Alignment(0.0, 0.0, 0.0)
_TRANSLATIONS = """
select wanted.value, translation.translation, sentence.language from json_each(?) wanted
cross join translation on translation.sentence = wanted.value
cross join sentence on sentence.id = translation.translation
"""


class EquivalenceJudge:
    """What the sentences of a language and their translations say of pairs of phrases, kept for the next ones."""

    def __init__(self, store: Store, language: str) -> None:
        self._store: Store = proxy(store)  # which keeps this: it would else never go
        self._language = language
        self._closed = closed_words(language, "closed")
        self._stream = PhraseStream(load_units(store, language))
        self._translations: dict[int, tuple[frozenset[int], frozenset[str]]] = {}

    def probabilities(
        self, key: str, having: Sequence[Having], candidates: Sequence[Candidate], judgement: Judgement
    ) -> F64:
        """How probable it is that each candidate is an equivalent of a phrase that these models have."""
        if not candidates:
            return np.zeros(0)
        features = self.features if judgement == "substituted" else self.listed_features
        found = equivalence_model(judgement).probability(np.array(features(key, having, candidates)))
        if judgement == "listed":
            for place in np.flatnonzero(found >= _LOOKED_AT).tolist():
                if self._means_it_beside_a_word(key, having, candidates[place]):
                    found[place] = 0.0
        return found

    def _means_it_beside_a_word(self, key: str, having: Sequence[Having], candidate: Candidate) -> bool:
        """Whether where a word is aligned as another it nearly always stands beside one word, beside which the other
        does not: "last" is "yesterday" before "night" alone, so that the two words together are what it is."""
        if " " in key or " " in candidate.key:
            return False
        shared = [
            (each.model, self._shared_words(each, candidate.number))
            for each in having
            if all(map(can_cut, each.model.ways))
        ]
        own, other = (
            [place for model, words in shared for place in self._beside(each, model, words)]
            for each in (key, candidate.key)
        )
        return bool(own) and len(other) >= _LEAST_PLACES and bound_to_a_word(own, other) >= _NEARLY_ALWAYS

    def _shared_words(self, having: Having, candidate: int) -> frozenset[str]:
        """The words that a phrase and another are aligned with most."""
        own, other = self._sides(having.model)
        bound = {"model": having.model.id, "phrase": having.phrase, "candidate": candidate, "most": _SHARED_WORDS}
        rows = self._store.connection.execute(_MOST_SHARED.format(own=own, other=other), bound)
        return frozenset(text for (text,) in rows if " " not in text)

    def _beside(self, word: str, model: StoredModel, shared: frozenset[str]) -> Iterator[tuple[str, str]]:
        """What stands before and after a word where it is aligned with one of some others, and nothing else is."""
        sentences = self._surroundings(word).sentences
        places = np.linspace(0, len(sentences) - 1, min(_PLACES, len(sentences))).astype(np.int64)
        is_source = self._language == model.source
        for one, two, *stored in linked_rows(self._store, model, self._language, sentences[places]):
            if not any(each in stored[is_source].lower() for each in shared):
                continue
            pair = decoded_pair(model, SentencePair(one, two), *stored)
            pair = pair if is_source else pair.turned()
            own = [pair.text[begin:end].lower() for begin, end in pair.spans]
            other = [pair.translation[begin:end].lower() for begin, end in pair.translation_spans]
            for at, place in pair.links:
                alone = [(at, place)] == [link for link in pair.links if at == link[0] or place == link[1]]
                if alone and own[at] == word and other[place] in shared:
                    yield own[at - 1] if at else "", own[at + 1] if at + 1 < len(own) else ""

    def listed_features(self, key: str, having: Sequence[Having], candidates: Sequence[Candidate]) -> list[list[float]]:
        """What speaks for listing each candidate; see ``listed_evidence``."""
        stems = [self._stems_alike(each, [candidate.number for candidate in candidates]) for each in having]
        figures = self.features(key, having, candidates)
        return [listed_evidence(*both) for both in zip(figures, zip(*stems, strict=True), strict=True)]

    def _stems_alike(self, having: Having, numbers: Sequence[int]) -> list[float]:
        """How alike the stems of what each phrase is aligned with are to those of the phrase of a model."""
        own, other = self._sides(having.model)
        bound = {"model": having.model.id, "wanted": json.dumps([having.phrase, *numbers])}
        aligned: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
        for number, *translation in self._store.connection.execute(_ALIGNED.format(own=own, other=other), bound):
            aligned[number].append(tuple(translation))
        mine = stem_shares(aligned[having.phrase])
        return [shares_alike(mine, stem_shares(aligned[number])) for number in numbers]

    def _sides(self, model: StoredModel) -> tuple[str, str]:
        """The columns of a pair of phrases that have the language, and the other one."""
        return ("source", "target") if self._language == model.source else ("target", "source")

    def features(self, key: str, having: Sequence[Having], candidates: Sequence[Candidate]) -> list[list[float]]:
        """What speaks for each candidate; see ``evidence``."""
        aligned = [self._aligned(each, candidates) for each in having]
        own, others = self._surroundings(key), [self._surroundings(each.key) for each in candidates]
        exchanges = self._exchanges(own, others)
        return [
            evidence(
                [each.get(candidate.number, _NOTHING) for each in aligned],
                own,
                other,
                exchanged,
                closed=sum(closed_share(each.split(" "), self._closed) for each in (key, candidate.key)),
            )
            for candidate, other, exchanged in zip(candidates, others, exchanges, strict=True)
        ]

    def _surroundings(self, key: str) -> Surroundings:
        return self._stream.of(tuple(token.lower() for token in tokenise(shown(key))))

    def _aligned(self, having: Having, candidates: Sequence[Candidate]) -> dict[int, Alignment]:
        """By the numbers of the candidates; those that share nothing are left out."""
        model = having.model
        own, other = self._sides(model)
        bound = {"model": model.id, "phrase": having.phrase, "wanted": json.dumps([each.number for each in candidates])}
        rows = np.array(
            self._store.connection.execute(_SHARED.format(own=own, other=other), bound).fetchall(), dtype=np.float64
        ).reshape(-1, 5)
        numbers, of = np.unique(rows[:, 0].astype(np.int64), return_inverse=True)
        mine, theirs, pivot, paired = rows.T[1:]
        shared = np.bincount(of, mine * theirs / pivot)
        alike = np.bincount(of, np.sqrt(mine * theirs / (having.paired * paired)))
        total = np.ones(len(numbers))
        np.maximum.at(total, of, paired)
        columns = (each.tolist() for each in (shared / having.paired, shared / total, alike))
        return dict(zip(numbers.tolist(), map(Alignment, *columns), strict=True))

    def _exchanges(self, own: Surroundings, others: Sequence[Surroundings]) -> list[ExchangeCounts]:
        pairs: list[list[tuple[int, int]]] = []
        for other in others:
            mine, theirs = in_both(own.frames, other.frames)
            ends = own.sentences[mine[:_EXCHANGES]], other.sentences[theirs[:_EXCHANGES]]
            pairs.append(list(zip(*(each.tolist() for each in ends), strict=True)))
        self._read_translations({sentence for each in pairs for pair in each for sentence in pair})
        found = []
        for each in pairs:
            known = [(self._translations[one], self._translations[two]) for one, two in each]
            sharing = sum(not one[0].isdisjoint(two[0]) for one, two in known)
            comparable = sum(not one[1].isdisjoint(two[1]) for one, two in known)
            found.append(ExchangeCounts(sharing, comparable - sharing))
        return found

    def _read_translations(self, sentences: Iterable[int]) -> None:
        """Which sentences translate these, and in which languages."""
        if len(self._translations) > _MOST_KEPT:
            self._translations.clear()
        missing = [sentence for sentence in sentences if sentence not in self._translations]
        read: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        for sentence, *translation in self._store.connection.execute(_TRANSLATIONS, (json.dumps(missing),)):
            read[sentence].append(tuple(translation))
        for sentence in missing:
            numbers, languages = zip(*read[sentence], strict=True) if read[sentence] else ((), ())
            self._translations[sentence] = frozenset(numbers), frozenset(languages)


def bound_to_a_word(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> float:
    """At which part of its places more the second word has some word beside it than the first has that there: the most
    of all words, before or after. ``one`` and ``other``: what stands before and after each."""
    most = 0.0
    for mine, theirs in zip(zip(*one, strict=True), zip(*other, strict=True), strict=True):
        counts, known = Counter(theirs), Counter(mine)
        words = filter(has_letter, counts)
        most = max([most, *(counts[word] / len(theirs) - known[word] / len(mine) for word in words)])
    return most


_LAST = "select (select max(id) from sentence), max(id), count(finished) from run"


def equivalence_judge(store: Store, language: str) -> EquivalenceJudge:
    """That of a language as its sentences and translations are now; the last one is kept while the store is open."""
    key = language, *store.connection.execute(_LAST).fetchone()
    held = _held.get(store)
    if held is None or held[0] != key:
        held = _held[store] = key, EquivalenceJudge(store, language)
    return held[1]


_held: WeakKeyDictionary[Store, tuple[tuple[object, ...], EquivalenceJudge]] = WeakKeyDictionary()
