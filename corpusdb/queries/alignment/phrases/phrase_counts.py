"""The counts of phrases: those of some pairs of sentences are added to what the file has.

Sums do not depend on the order in which pairs come, so that it is no matter in how many imports they came.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import Links
from corpusdb.alignment.phrases import Phrases, consistent_spans, has_letter, phrase_pairs
from corpusdb.arrays import I64, Bools
from corpusdb.queries.alignment.alignment_models import StoredModel
from corpusdb.queries.alignment.pair_tokens import SentencePair
from corpusdb.store import Store

__all__ = [
    "LONGEST_PHRASE",
    "PairRow",
    "PhraseCounts",
    "PhraseTable",
    "WordRow",
    "add_phrases",
    "counted",
    "counted_in",
]

LONGEST_PHRASE: Final = 3
"""Words of a phrase at most, on either side."""


class PairRow(NamedTuple):
    """A phrase pair; a phrase is its tokens in lower case, with a space between two."""

    source: str
    target: str
    times: int
    size: int
    """Tokens of the shortest pair of sentences in which both stand."""
    example: SentencePair
    """That pair."""


class WordRow(NamedTuple):
    """Where a phrase stands; see schema/0020."""

    paired: int
    unlinked: int
    unpaired: int


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """The phrases of one language: what is in each column of WordRow, for each of the texts."""

    texts: Sequence[str]
    paired: I64
    unlinked: I64
    unpaired: I64

    def rows(self) -> dict[str, WordRow]:
        """The same as rows, by the texts."""
        columns = map(WordRow, self.paired.tolist(), self.unlinked.tolist(), self.unpaired.tolist())
        return dict(zip(self.texts, columns, strict=True))


@dataclass(frozen=True, slots=True)
class PhraseCounts:
    """What some pairs of sentences add."""

    source: PhraseTable
    target: PhraseTable
    sources: I64
    """Of each phrase pair the number of its source phrase in the table."""
    targets: I64
    counts: I64
    sizes: I64
    examples: Sequence[SentencePair]

    def pairs(self) -> Iterator[PairRow]:
        """The phrase pairs as rows."""
        own = map(self.source.texts.__getitem__, self.sources.tolist())
        theirs = map(self.target.texts.__getitem__, self.targets.tolist())
        return map(PairRow, own, theirs, self.counts.tolist(), self.sizes.tolist(), self.examples)


def counted(
    pairs: Sequence[SentencePair], source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], links: Links
) -> PhraseCounts:
    """The counts of these pairs of sentences, given by their tokens and links."""
    return counted_in(pairs, WordedTexts.of(source), WordedTexts.of(target), links)


def counted_in(pairs: Sequence[SentencePair], source: WordedTexts, target: WordedTexts, links: Links) -> PhraseCounts:
    """The same of texts whose words are numbered."""
    sizes = source.texts.lengths + target.texts.lengths
    # The shortest pair of sentences comes first, so that it is the example of each phrase pair.
    order = np.argsort(sizes, kind="stable")
    ordered, own, theirs = links.reordered(order), source.lowered().reordered(order), target.lowered().reordered(order)
    lengths = own.texts.lengths, theirs.texts.lengths
    phrases = phrase_pairs(consistent_spans(ordered, *lengths, LONGEST_PHRASE), own, theirs)
    examples = order[phrases.examples]
    is_linked, is_linked_there = ordered.linked_words(*lengths)
    return PhraseCounts(
        _table(own, is_linked, phrases.source),
        _table(theirs, is_linked_there, phrases.target),
        phrases.sources,
        phrases.targets,
        phrases.counts,
        sizes[examples],
        [pairs[number] for number in examples.tolist()],
    )


def _table(worded: WordedTexts, is_linked: Bools, phrases: Phrases) -> PhraseTable:
    """The phrases of phrase pairs, by their numbers, and then the words that are none of these."""
    tokens, count = worded.texts.words, len(worded.words)
    seen, linked = np.bincount(tokens, minlength=count), np.bincount(tokens[is_linked], minlength=count)
    texts = [" ".join(words) for words in phrases.texts]
    numbers = {text: number for number, text in enumerate(texts)}
    places, words = [], []
    for word, text in enumerate(worded.words):
        if has_letter(text):
            place = numbers.get(text)
            places.append(len(texts) if place is None else place)
            words.append(word)
            if place is None:
                texts.append(text)
    paired, unlinked, unpaired = (np.zeros(len(texts), dtype=np.int64) for _ in range(3))
    paired[: len(phrases.counts)] = phrases.counts
    unlinked[places] = seen[words] - linked[words]
    unpaired[places] = linked[words] - paired[places]
    return PhraseTable(texts, paired, unlinked, unpaired)


_NEW_PHRASES = "insert or ignore into phrase (language, text) select :language, value from json_each(:texts)"
_PHRASES = """
select phrase.text, phrase.id from json_each(:texts) wanted
cross join phrase on phrase.language = :language and phrase.text = wanted.value
"""
_COUNT_PHRASE = """
insert into phrase_count (model, phrase, paired, unlinked, unpaired) values (?, ?, ?, ?, ?)
on conflict (model, phrase) do update set
    paired = paired + excluded.paired, unlinked = unlinked + excluded.unlinked, unpaired = unpaired + excluded.unpaired
"""
_IS_SHORTER = "(excluded.size, excluded.sentence, excluded.translation) < (size, sentence, translation)"
_COUNT_PAIR = f"""
insert into phrase_pair (model, source, target, count, size, sentence, translation) values (?, ?, ?, ?, ?, ?, ?)
on conflict (model, source, target) do update set
    count = count + excluded.count,
    size = iif({_IS_SHORTER}, excluded.size, size),
    sentence = iif({_IS_SHORTER}, excluded.sentence, sentence),
    translation = iif({_IS_SHORTER}, excluded.translation, translation)
"""


def add_phrases(store: Store, model: StoredModel, counts: PhraseCounts) -> None:
    """Add the counts to those of a model; inside a transaction of the caller."""
    numbers = []
    for language, table in ((model.source, counts.source), (model.target, counts.target)):
        bound = {"language": language, "texts": json.dumps(sorted(table.texts), ensure_ascii=False)}
        store.connection.execute(_NEW_PHRASES, bound)
        known = dict(store.connection.execute(_PHRASES, bound).fetchall())
        ids = np.fromiter(map(known.__getitem__, table.texts), dtype=np.int64, count=len(table.texts))
        order = np.argsort(ids)
        columns = (each[order].tolist() for each in (ids, table.paired, table.unlinked, table.unpaired))
        store.connection.executemany(_COUNT_PHRASE, zip(repeat(model.id), *columns))
        numbers.append(ids)
    source, target = numbers[0][counts.sources], numbers[1][counts.targets]
    examples = np.array(counts.examples, dtype=np.int64).reshape(-1, 2)
    order = np.lexsort((target, source))
    figures = (source, target, counts.counts, counts.sizes, examples[:, 0], examples[:, 1])
    rows = zip(repeat(model.id), *(each[order].tolist() for each in figures))
    store.connection.executemany(_COUNT_PAIR, rows)
