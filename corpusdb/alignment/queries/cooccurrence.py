"""What stands in the translations of the sentences with some words more often than by chance.

For what is not aligned as a whole, such as "give up" where a French verb is one word, or "give it up" as a query over
tokens: every sequence of up to three words of these translations is held against all sentences of their language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import I64, Bools
from corpusdb.corpus.store import Store
from corpusdb.search.lexical import SIGNIFICANT, log_dice, log_likelihood
from corpusdb.search.queries.token_selection import TokenSelection, select_tokens
from corpusdb.search.token_corpus import TokenCorpus

_LONGEST: Final = 3
_LEAST: Final = 2


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    text: str
    """In lower case, with spaces between the words."""
    count: int
    """How many of the translations have it."""
    share: float
    frequency: int
    """How many sentences of the language have it."""
    loglikelihood: float
    logdice: float


_TRANSLATIONS = """
select distinct translation.translation from json_each(?) given
join translation on translation.sentence = given.value
join sentence on sentence.id = translation.translation where sentence.language = ?
"""


def cooccurrences(
    store: Store, sentences: I64 | Sequence[int], other: str, limit: int = 0
) -> tuple[list[Cooccurrence], int]:
    """The words and sequences of words in the translations of some sentences, by logDice; and how many these are.

    Those that stand there twice or more, more often than elsewhere (p < .001), and not only as a part of a longer one.
    """
    given = json.dumps(np.asarray(sentences, dtype=np.int64).tolist())
    rows = [row[0] for row in store.connection.execute(_TRANSLATIONS, (given, other))]
    corpus = select_tokens(store, TokenSelection(other, fold_case=True, words_only=True))
    chosen = np.isin(corpus.sentences, np.array(rows, dtype=np.int64))
    found = [each for size in range(1, _LONGEST + 1) for each in _of_size(corpus, chosen, size)]
    longer = {(part, each.count) for each in found for part in _parts(each.text)}
    whole = [each for each in found if (each.text, each.count) not in longer]
    whole.sort(key=lambda each: (-each.logdice, each.text))
    return whole[: limit or None], len(rows)


def _of_size(corpus: TokenCorpus, chosen: Bools, size: int) -> Iterator[Cooccurrence]:
    places = np.repeat(np.arange(len(corpus.sentences)), corpus.lengths)
    keys = corpus.tokens.astype(np.int64)
    for step in range(1, size):
        keys = keys[:-1] * len(corpus.types) + corpus.tokens[step:]
    whole = places[: len(keys)] == places[size - 1 :]
    pairs = np.unique(np.stack([keys[whole], places[: len(keys)][whole]]), axis=1)
    own, counts = np.unique(pairs[0, chosen[pairs[1]]], return_counts=True)
    own, counts = own[counts >= _LEAST], counts[counts >= _LEAST]
    frequencies = np.bincount(np.searchsorted(own, pairs[0, np.isin(pairs[0], own)]), minlength=len(own))
    size_of_chosen, total = int(chosen.sum()), len(chosen)
    likelihoods = log_likelihood(counts, size_of_chosen, frequencies, total)
    dice = log_dice(counts, size_of_chosen, frequencies)
    for key, *figures in zip(
        own.tolist(), *(each.tolist() for each in (counts, frequencies, likelihoods, dice)), strict=True
    ):
        count, frequency, likelihood, logdice = figures
        if likelihood >= SIGNIFICANT and count * total > frequency * size_of_chosen:
            yield Cooccurrence(_text(corpus, key, size), count, count / size_of_chosen, frequency, likelihood, logdice)


def _text(corpus: TokenCorpus, key: int, size: int) -> str:
    numbers = [key // len(corpus.types) ** step % len(corpus.types) for step in reversed(range(size))]
    return " ".join(corpus.types[number] for number in numbers)


def _parts(text: str) -> Iterator[str]:
    words = text.split(" ")
    for size in range(1, len(words)):
        yield from (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
