"""The counts of phrases: those of some pairs of sentences are added to what the file has.

Sums do not depend on the order in which pairs come, so that it is no matter in how many imports they came.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from typing import Final, NamedTuple

import numpy as np

from corpusdb.alignment.links import Links
from corpusdb.alignment.phrases import Phrases, consistent_spans, counted_phrases
from corpusdb.arrays import I32, I64
from corpusdb.queries.alignment.alignment_models import StoredModel
from corpusdb.queries.alignment.pair_tokens import SentencePair
from corpusdb.store import Store

__all__ = ["LONGEST_PHRASE", "PairRow", "PhraseCounts", "WordRow", "add_phrases", "counted", "is_word"]

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
class PhraseCounts:
    """What some pairs of sentences add."""

    pairs: Sequence[PairRow]
    source: Mapping[str, WordRow]
    target: Mapping[str, WordRow]


def is_word(token: str) -> bool:
    """Whether a token holds a letter: phrases are made of such."""
    return any(map(str.isalpha, token))


def counted(
    pairs: Sequence[SentencePair], source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], links: Links
) -> PhraseCounts:
    """The counts of these pairs of sentences, given by their tokens and links."""
    sizes = np.array([len(own) + len(theirs) for own, theirs in zip(source, target, strict=True)], dtype=np.int64)
    # The shortest pair of sentences comes first, so that it is the example of each phrase pair.
    order = np.argsort(sizes, kind="stable").tolist()
    ordered = Links.of([links.of_pair(number) for number in order])
    own, theirs = ([[token.lower() for token in texts[number]] for number in order] for texts in (source, target))
    lengths, their_lengths = (np.array(list(map(len, texts)), dtype=np.int64) for texts in (own, theirs))
    phrases = counted_phrases(consistent_spans(ordered, lengths, their_lengths, LONGEST_PHRASE), own, theirs)
    own_texts, their_texts = _texts(phrases.source), _texts(phrases.target)
    figures = (phrases.sources, phrases.targets, phrases.counts, phrases.examples)
    rows = []
    for one, other, count, example in zip(*(each.tolist() for each in figures), strict=True):
        size = len(own[example]) + len(theirs[example])
        rows.append(PairRow(own_texts[one], their_texts[other], count, size, pairs[order[example]]))
    rows.sort()
    return PhraseCounts(
        rows,
        _words(own, _is_linked(ordered.sources, ordered, lengths), phrases.source),
        _words(theirs, _is_linked(ordered.targets, ordered, their_lengths), phrases.target),
    )


def _texts(phrases: Phrases) -> list[str]:
    return [" ".join(words) for words in phrases.texts]


def _is_linked(places: I32, links: Links, lengths: I64) -> list[bool]:
    """Of all tokens of one side, laid end to end, whether each has a link."""
    starts = np.repeat(np.cumsum(lengths) - lengths, np.diff(links.starts))
    linked = np.zeros(int(lengths.sum()), dtype=np.bool_)
    linked[starts + places] = True
    found: list[bool] = linked.tolist()
    return found


def _words(texts: Sequence[Sequence[str]], is_linked: Sequence[bool], phrases: Phrases) -> dict[str, WordRow]:
    tokens = list(chain.from_iterable(texts))
    seen, linked = Counter(tokens), Counter(compress(tokens, is_linked))
    paired = dict(zip(_texts(phrases), phrases.counts.tolist(), strict=True))
    found = {text: WordRow(count, 0, 0) for text, count in paired.items()}
    for word, count in seen.items():
        if is_word(word):
            inside = paired.get(word, 0)
            found[word] = WordRow(inside, count - linked[word], linked[word] - inside)
    return found


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
    for language, words in ((model.source, counts.source), (model.target, counts.target)):
        bound = {"language": language, "texts": json.dumps(sorted(words), ensure_ascii=False)}
        store.connection.execute(_NEW_PHRASES, bound)
        ids = dict(store.connection.execute(_PHRASES, bound).fetchall())
        rows = sorted((ids[text], row) for text, row in words.items())
        store.connection.executemany(_COUNT_PHRASE, ((model.id, phrase, *row) for phrase, row in rows))
        numbers.append(ids)
    source, target = numbers
    pairs = sorted((source[row.source], target[row.target], *row[2:4], *row.example) for row in counts.pairs)
    store.connection.executemany(_COUNT_PAIR, ((model.id, *row) for row in pairs))
