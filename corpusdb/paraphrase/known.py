"""What is known of pairs of sentences besides the figures of the exchanges by which they differ: also what readers said
of single exchanges, which read_exchanges.tsv beside this module has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I64, grouped
from corpusdb.base.estimates import log_odds, logistic
from corpusdb.paraphrase.differences import Exchange
from corpusdb.paraphrase.pair_differences import CONTRACTED, POINTING, POLITE, PairDifferences
from corpusdb.paraphrase.word_model import ATTESTED, SaidByWords

_MOST_OF_POINTING: Final = 0.9
"""This, that and it mean another thing in some places: readers of one pair say that it holds, or nearly holds. What
differs in nothing else varies so little that no evaluation gains by it. Of 209 detected pairs that differ in these, or
in persons, besides other words 65 % hold strictly, of the others of the same probability 81 %."""
_MOST_OF_CONTRACTED: Final = 0.9
"""What 's and 'd stand for shared translations do not tell. Where two words that come together are seen so nowhere
else, it is often the other word (Nobody's seen Tom: is), or no contraction (Tom's birthday: Tom is birthday), or nobody
contracts it (this's): in a third of 150 that were looked at of 447 such pairs of Tatoeba, of 9,823 that only contract
and had 0.9 or more."""
_LEAST_OF_POLITE: Final = 0.96
"""Translations say whether somebody asks politely, and hardly share one with a text that does not: of 60 such pairs
that were read 59 hold without a doubt. Where a frame moves the word, or the sentence is not known to be one, it is not
told: of 56 that had no more than this and less than half of N, 48 and 47 hold (tests/readings, english-34)."""
_SELDOMEST_BIGRAM: Final = ATTESTED.index("least 2-grams")


class Known(NamedTuple):
    """What is known of pairs besides the exchanges by which they differ: parallel arrays."""

    languages: I64
    """In how many languages each shares a translation."""
    testimony: F64
    """Pairs by TESTIMONY: what the translations of the seed say that it does not share, and the words themselves."""
    words: SaidByWords
    trifle: I64
    """POINTING, POLITE or CONTRACTED where it differs in such words alone; else 0."""
    exchange: F64
    """What readers said of the exchange elsewhere, by which alone it differs: ``said_of_exchanges``."""

    def of(self, pair: I64 | slice) -> Known:
        words, trifle = self.words.of(pair), self.trifle[pair]
        return Known(self.languages[pair], self.testimony[pair], words, trifle, self.exchange[pair])

    def as_exchanged(self, probability: F64, pair: I64) -> F64:
        """The probability of pairs that only an exchange makes, with what readers said of that elsewhere."""
        said = self.exchange[pair]
        return np.where(said == 0, probability, logistic(log_odds(probability) + said))

    def bounded(self, probability: F64) -> F64:
        """Not above _MOST_OF_POINTING for what points elsewhere, nor _MOST_OF_CONTRACTED for what is contracted or
        written in full as it is nowhere else, nor below _LEAST_OF_POLITE for what only asks."""
        most = np.where(self.trifle == POINTING, np.minimum(probability, _MOST_OF_POINTING), probability)
        strange = (self.trifle == CONTRACTED) & (self.words.attested[:, _SELDOMEST_BIGRAM] <= 0)
        most = np.where(strange, np.minimum(most, _MOST_OF_CONTRACTED), most)
        return np.where(self.trifle == POLITE, np.maximum(most, _LEAST_OF_POLITE), most)


# Single exchanges: figures do not tell all of one, and what readers said of it in some sentences is true of it in
# others. It is what is to be added to the log odds that a model gives that has not seen the sentence, as if it were 0
# but for what they said (random effects; tests/readings/fit.py). A word of two senses is told by the direction and by
# its neighbours: who is certain is sure, which a certain element is not.


class ReadExchange(NamedTuple):
    """What readers said of pairs that differ by one exchange alone."""

    read: int
    """How many pairs."""
    held: int
    """How many of them hold, or nearly."""
    log_odds: float
    """By how much these are more than what the figures of the pairs say."""
    directions: tuple[float, float] = (0.0, 0.0)
    """How much more than this where the lesser text becomes the greater, and the other way round."""
    left: Mapping[str, float] = MappingProxyType({})
    """The same behind some words, BEGIN among them."""
    right: Mapping[str, float] = MappingProxyType({})

    def said(self, exchange: Exchange, left: str, right: str) -> float:
        """In all, of an exchange beside such neighbours."""
        before, after = map(as_read, exchange)
        beside = self.left.get(as_read(left), 0.0) + self.right.get(as_read(right), 0.0)
        return self.log_odds + self.directions[before > after] + beside


def exchange_as_read(before: str, after: str) -> Exchange:
    """An exchange in either direction, without capitals and the spaces around it."""
    one, other = map(as_read, (before, after))
    return min(one, other), max(one, other)


def as_read(text: str) -> str:
    return " ".join(text.lower().split())


@cache
def read_exchanges(language: str) -> Mapping[Exchange, ReadExchange]:
    """The exchanges of a language of which several pairs were read."""
    lines = files("corpusdb.paraphrase").joinpath("read_exchanges.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines[1:])
    return {
        (one, other): ReadExchange(
            *(int(read), int(held), float(said), (float(forth), float(back))), *map(_beside, (left, right))
        )
        for code, one, other, read, held, said, forth, back, left, right in rows
        if code == language
    }


def _beside(cell: str) -> Mapping[str, float]:
    """As in "a -0.5 that 0.25"."""
    words = cell.split()
    return dict(zip(words[::2], map(float, words[1::2]), strict=True))


def said_of_exchanges(differences: PairDifferences, language: str) -> F64:
    """What readers said of the exchange by which each pair differs, as log odds; 0 of several, and of others."""
    changed, beside = differences.changed, differences.beside
    found, known = np.zeros(changed.pairs), read_exchanges(language)
    alone = np.bincount(changed.pair, minlength=changed.pairs)[changed.pair] == 1
    if not known or not alone.any():
        return found
    size = len(changed.texts)
    sides = grouped(changed.before[alone] * size + changed.after[alone])
    texts = [(changed.texts[side // size], changed.texts[side % size]) for side in sides.values.tolist()]
    said = [known.get(exchange_as_read(*exchange)) for exchange in texts]
    for pair, side in zip(changed.pair[alone].tolist(), sides.group.tolist(), strict=True):
        if (read := said[side]) is not None:
            found[pair] = read.said(texts[side], beside[differences.left[pair]], beside[differences.right[pair]])
    return found
