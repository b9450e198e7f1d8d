"""The counts of phrases: those of some pairs of sentences are added to what the file has.

Sums do not depend on the order in which pairs come, so that it is no matter in how many imports they came.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import Links
from corpusdb.alignment.phrases import Phrases, consistent_spans, has_letter, phrase_pairs
from corpusdb.arrays import I64, Bools
from corpusdb.queries.alignment.alignment_models import StoredModel
from corpusdb.queries.alignment.pair_tokens import SentencePair
from corpusdb.store import Store

__all__ = ["LONGEST_PHRASE", "PairRow", "PhraseCounts", "WordRow", "add_phrases", "counted"]

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


def counted(
    pairs: Sequence[SentencePair], source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], links: Links
) -> PhraseCounts:
    """The counts of these pairs of sentences, given by their tokens and links."""
    own, theirs = WordedTexts.in_lower_case(source), WordedTexts.in_lower_case(target)
    sizes = own.texts.lengths + theirs.texts.lengths
    # The shortest pair of sentences comes first, so that it is the example of each phrase pair.
    order = np.argsort(sizes, kind="stable")
    ordered, own, theirs = links.reordered(order), own.reordered(order), theirs.reordered(order)
    lengths = own.texts.lengths, theirs.texts.lengths
    phrases = phrase_pairs(consistent_spans(ordered, *lengths, LONGEST_PHRASE), own, theirs)
    own_texts, their_texts = _texts(phrases.source), _texts(phrases.target)
    examples = order[phrases.examples]
    rows = map(
        PairRow,
        map(own_texts.__getitem__, phrases.sources.tolist()),
        map(their_texts.__getitem__, phrases.targets.tolist()),
        phrases.counts.tolist(),
        sizes[examples].tolist(),
        map(pairs.__getitem__, examples.tolist()),
    )
    is_linked, is_linked_there = ordered.linked_words(*lengths)
    return PhraseCounts(
        list(rows),
        _words(own, is_linked, own_texts, phrases.source.counts),
        _words(theirs, is_linked_there, their_texts, phrases.target.counts),
    )


def _texts(phrases: Phrases) -> list[str]:
    return [" ".join(words) for words in phrases.texts]


def _words(worded: WordedTexts, is_linked: Bools, texts: Sequence[str], counts: I64) -> dict[str, WordRow]:
    """Where each word stands, and each phrase of a phrase pair: these by their texts and counts."""
    tokens, count = worded.texts.words, len(worded.words)
    seen, linked = np.bincount(tokens, minlength=count), np.bincount(tokens[is_linked], minlength=count)
    found = {text: WordRow(paired, 0, 0) for text, paired in zip(texts, counts.tolist(), strict=True)}
    for word, times, with_link in zip(worded.words, seen.tolist(), linked.tolist(), strict=True):
        if has_letter(word):
            inside = found[word].paired if word in found else 0
            found[word] = WordRow(inside, times - with_link, with_link - inside)
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
