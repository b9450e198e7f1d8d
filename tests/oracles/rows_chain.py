"""The chain without a database: the pure functions of corpusdb over rows in lists and dictionaries, one after another.

An engine that holds its rows elsewhere would call the same functions; nothing here knows of SQLite.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from corpusdb.base.ngrams import SortedCorpus, sort_suffixes
from corpusdb.base.text import unit_ends
from corpusdb.corpus.model import JUDGED, stored_in
from corpusdb.paraphrase.derivation import (
    MOST_FILLER,
    AnalogousText,
    Derivation,
    Evidence,
    FilledSlot,
    SharedFiller,
    candidates,
    fluency_of,
    substitutions,
)
from corpusdb.paraphrase.sharing import MAX_SHARING, SharingPair, paraphrases_of
from corpusdb.paraphrase.slots import MAX_FILLERS, SlotIndex, count_commutations, cut_slots, index_slots


class TranslationPair(NamedTuple):
    sentence: int
    language: str
    """Of the translation."""
    translation: int


def paraphrases(translations: Iterable[TranslationPair], max_sharing: int = MAX_SHARING) -> Iterator[SharingPair]:
    """All paraphrases of a language, by sentence, from its translations, of which some may come several times.

    What more than ``max_sharing`` sentences are translated as makes no pair, and is a translation all the same.
    """
    translations_of: dict[int, set[int]] = defaultdict(set)
    sentences_with: dict[int, set[int]] = defaultdict(set)
    language_of: dict[int, str] = {}
    for sentence, language, translation in translations:
        translations_of[sentence].add(translation)
        sentences_with[translation].add(sentence)
        language_of[translation] = language
    for sentence, pivots in sorted(translations_of.items()):
        shares = (
            (sentence, other, language_of[pivot], 1.0 / (len(pivots) * len(sentences_with[pivot])))
            for pivot in pivots
            if len(sentences_with[pivot]) <= max_sharing
            for other in sentences_with[pivot] - {sentence}
        )
        yield from paraphrases_of(sentence, shares)


@dataclass
class RowsChain:
    """All derived rows of the sentences (text by number) and translations of one language, by number."""

    language: str
    sentences: Mapping[int, str]
    translations: Iterable[TranslationPair]
    max_sharing: int = MAX_SHARING
    max_fillers: int = MAX_FILLERS
    paraphrases: dict[tuple[int, int], SharingPair] = field(init=False)
    index: SlotIndex = field(init=False)
    slots: dict[int, list[FilledSlot]] = field(init=False)
    """Of each sentence; contexts and fillers by their place in the index."""
    commutations: dict[tuple[int, int], int] = field(init=False)
    substitutions: list[SharedFiller] = field(init=False)

    def __post_init__(self) -> None:
        detected = paraphrases(self.translations, self.max_sharing)
        self.paraphrases = {(row.sentence, row.paraphrase): row for row in detected}
        texts = list(self.sentences.values())
        self.index = index_slots(cut_slots(texts), self.max_fillers)
        self.slots = self._slots()
        self.substitutions = [
            each
            for sentence, paraphrase in self.paraphrases
            for each in substitutions(self.slots.get(sentence, []), self._rewording(paraphrase))
        ]
        counted = count_commutations(self.index.slot_context, self.index.slot_filler)
        counts = {(x, y): contexts for x, y, contexts in zip(*map(np.ndarray.tolist, counted), strict=True)}
        self.commutations = {pair: counts[pair] for pair in self.asked & counts.keys()}

    def _slots(self) -> dict[int, list[FilledSlot]]:
        numbers = list(self.sentences)
        columns = self.index.slot_context, self.index.slot_filler, self.index.slot_sentence
        found: dict[int, list[FilledSlot]] = defaultdict(list)
        for context, filler, place in zip(*map(np.ndarray.tolist, columns), strict=True):
            found[numbers[place]].append(FilledSlot(numbers[place], context, filler, self.fillers[filler]))
        return found

    @property
    def asked(self) -> set[tuple[int, int]]:
        """The pairs of fillers of which one is usable in a slot, and the other can be replaced in the same context."""
        replaced: dict[int, set[int]] = defaultdict(set)
        for each in self.substitutions:
            replaced[each.context].add(each.filler)
        return {
            (min(slot.filler, y), max(slot.filler, y))
            for sentence, slots in self.slots.items()
            for slot in slots
            if len(slot.text) <= MOST_FILLER * len(self.sentences[sentence])
            for y in replaced[slot.context] - {slot.filler}
        }

    @property
    def fillers(self) -> list[str]:
        """The text of each filler."""
        texts, first = list(self.sentences.values()), self.index.fillers
        columns = first.sentence, first.start, first.stop
        return [texts[place][start:stop] for place, start, stop in zip(*map(np.ndarray.tolist, columns), strict=True)]

    def _rewording(self, sentence: int) -> AnalogousText:
        text = self.sentences[sentence]
        return AnalogousText(sentence, text, frozenset(unit_ends(text)))

    def text(self, sentence: int) -> str:
        """The text of a sentence."""
        return self.sentences[sentence]

    def shared(self, sentence: int, rewording: int) -> tuple[frozenset[str], float]:
        """In which languages the two share translations, and the pivot probability."""
        row = self.paraphrases[sentence, rewording]
        return frozenset(row.languages.split(",")), row.probability

    def candidates(self) -> dict[int, list[Evidence]]:
        """The candidates of each sentence that has some."""
        by_context: dict[int, list[SharedFiller]] = defaultdict(list)
        for each in self.substitutions:
            by_context[each.context].append(each)
        texts = dict(enumerate(self.fillers))
        found = {}
        for seed, text in self.sentences.items():
            derived = [
                Derivation(seed, texts[slot.filler], *other[3:1:-1], *other[4:], count - 1, *slot[1:3], other.filler)
                for slot in self.slots.get(seed, ())
                if len(slot.text) <= MOST_FILLER * len(text)
                for other in by_context[slot.context]
                if (count := self.commutations.get((min(slot.filler, other.filler), max(slot.filler, other.filler)), 0))
            ]
            if evidence := candidates(text, derived, self):
                found[seed] = evidence
        return found

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """The rows as ``corpora.derived_rows`` has those of a database."""
        paraphrases = [tuple(row) for row in self.paraphrases.values()]
        found = {"paraphrase": paraphrases, **self._index_rows(), "candidate": self._candidates()}
        return {name: sorted(rows, key=repr) for name, rows in found.items()}

    def _index_rows(self) -> dict[str, list[tuple[Any, ...]]]:
        index, numbers = self.index, list(self.sentences)
        context, filler = index.contexts.context.tolist(), index.fillers.filler.tolist()
        first = index.contexts.sentence, index.contexts.start, index.contexts.stop
        places = zip(context, index.context_fillers.tolist(), *map(np.ndarray.tolist, first), strict=True)
        texts = zip(filler, self.fillers, index.filler_contexts.tolist(), strict=True)
        return {
            "context": [(self.language, hash_, count, numbers[at], *gap) for hash_, count, at, *gap in places],
            "filler": [(self.language, *row) for row in texts],
            "slot": [(context[slot[1]], filler[slot[2]], slot[0]) for slots in self.slots.values() for slot in slots],
            "commutation": [
                (min(filler[x], filler[y]), max(filler[x], filler[y]), count)
                for (x, y), count in self.commutations.items()
            ],
            "substitution": [(context[row[0]], filler[row[1]], *row[2:]) for row in self.substitutions],
        }

    def _candidates(self) -> list[tuple[Any, ...]]:
        corpus = "\n" + "".join(f"{text}\n" for text in self.sentences.values())
        longest = SortedCorpus(corpus, sort_suffixes(corpus)).longest
        rows: list[tuple[Any, ...]] = []
        for seed, evidence in self.candidates().items():
            fluency = fluency_of([one.text for one in evidence], longest)
            for one in evidence:
                figures = one._asdict() | fluency[one.text]._asdict()
                stored = (figures[name] for name in stored_in("candidate") if name not in JUDGED)
                rows.append((self.language, self.sentences[seed], seed, one.text, *fluency[one.text][2:], *stored))
        return rows
