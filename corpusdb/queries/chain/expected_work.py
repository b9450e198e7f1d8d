"""What import and generation will take, as ranges: time, memory and growth of the file, from the size of the input.

The rates were measured in November 2026 with corpusdb 0.1 (schema 26), Python 3.11 and SQLite on one slow core of a
virtual machine that others used too, as processor time, the most resident memory and the size of the file before and
after. Each was seen on prefixes and on every k-th line of the four corpora of Tatoeba (eng-fra, eng-deu, eng-jpn,
eng-cmn; 2,000 to 438,189 pairs), whose sentences are short (5 to 8 words), and on the captions of Multi30k (28,997
pairs, eng-deu, 12 words); import besides on the dialogues of BSD.

Import, for one byte of unpacked text: 0.2 to 0.75 microseconds and 1.5 to 4.8 bytes of the file; with what is searched
(``follow``) up to 0.75 microseconds and 2.8 to 5.7 bytes. Text in markup, or with columns that are not read, takes
less.

Generation of n sentences in one language, all collections together:

    sentences  characters   seconds   memory    growth
        5,064     154,796       0.6    69 MB    1.2 MB
       15,256     489,939       1.9   107 MB    5.1 MB
       20,786     635,612       1.7   132 MB    6.5 MB
       28,991   1,771,932       3.6   261 MB   10.9 MB    captions
       38,703     762,137       6.7   209 MB   25.4 MB    the shortest
       47,810   1,045,047      13.3   335 MB   41.1 MB    the shortest
       52,612   1,616,105       5.7   223 MB   22.2 MB
      116,830   3,677,210      22.4   456 MB   71.8 MB
      236,197   7,600,000        79   770 MB    219 MB

The index of commutations alone, which generation from a few seeds needs too, is the most of it where few sentences
commute; for the 47,810 shortest it took 4.5 s, 252 MB, and 25.0 MB of the growth. The journal had at most 58 MB when
236,197 sentences were done.

Sentences find more others they commute with where there are more of them, so that time grows with the power 1.5 of
their number and growth with 1.35; short ones find more, up to twice as many. Both exponents are drawn through these
points, and beyond a few hundred thousand sentences they are a guess. Nothing here is a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

__all__ = ["Expected", "Range", "candidates_work", "generation_work", "import_work", "index_work"]


@dataclass(frozen=True, slots=True)
class Range:
    """From the least to the most that is expected; the truth is mostly inside."""

    low: float
    high: float

    def times(self, low: float, high: float) -> Range:
        """Each end by a factor of its own."""
        return Range(low * self.low, high * self.high)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a piece of work is expected to take."""

    seconds: Range
    """From a core that is twice as fast as the one measured on, to that one with hardly any other work."""
    memory: Range
    """The most at one time, in bytes."""
    growth: Range
    """By so many bytes the database file grows."""
    beside: Range
    """Bytes of the disk that are needed besides while it runs, for the journal."""


_MEGA: Final = 1e6
_SECONDS_OF_BYTE: Final = Range(0.2e-6, 0.9e-6)
_GROWTH_OF_BYTE: Final = {False: Range(1.2, 5.0), True: Range(2.0, 7.0)}
"""By whether what is searched follows."""
_IMPORT_MEMORY: Final = Range(120 * _MEGA, 300 * _MEGA)
_IMPORT_JOURNAL: Final = Range(4 * _MEGA, 30 * _MEGA)


def import_work(size: int, *, follow: bool) -> Expected:
    """Of the import of ``size`` bytes of unpacked text; with ``follow`` what is searched is brought up to date."""
    growth = _GROWTH_OF_BYTE[follow]
    return Expected(
        seconds=Range(0.5 + _SECONDS_OF_BYTE.low * size, 1 + _SECONDS_OF_BYTE.high * size),
        memory=_IMPORT_MEMORY,
        growth=Range(growth.low * size, growth.high * size),
        beside=_IMPORT_JOURNAL,
    )


_MEASURED_SENTENCES: Final = 236_197
_MEASURED_SECONDS: Final = 79.0
_TIME_EXPONENT: Final = 1.5
_MEASURED_GROWTH: Final = 219 * _MEGA
_GROWTH_EXPONENT: Final = 1.35
_GROWTH_OF_CHARACTER: Final = 6.5
"""Of the index of character sequences, which long sentences have most of."""
_MEMORY_AT_START: Final = 60 * _MEGA
_MEMORY_OF_SENTENCE: Final = 3_000
_MEMORY_OF_CHARACTER: Final = 105


def generation_work(sentences: int, characters: int) -> Expected:
    """Of generation from all ``sentences`` of a language, which have so many characters together."""
    share = sentences / _MEASURED_SENTENCES
    seconds = _MEASURED_SECONDS * share**_TIME_EXPONENT
    growth = max(_MEASURED_GROWTH * share**_GROWTH_EXPONENT, _GROWTH_OF_CHARACTER * characters)
    memory = max(_MEMORY_OF_SENTENCE * sentences, _MEMORY_OF_CHARACTER * characters)
    return Expected(
        seconds=Range(0.5 * seconds, 1 + 2 * seconds),
        memory=Range(_MEMORY_AT_START + 0.8 * memory, _MEMORY_AT_START + 1.6 * memory),
        growth=Range(0.6 * growth, 2 * growth),
        beside=Range(0.1 * growth, 0.5 * growth),
    )


def index_work(sentences: int, characters: int) -> Expected:
    """Of the part of this that comes before the candidates, which is all that seeds need."""
    whole = generation_work(sentences, characters)
    return replace(
        whole,
        seconds=whole.seconds.times(0.3, 1),
        memory=whole.memory.times(0.7, 1),
        growth=whole.growth.times(0.6, 1),
    )


def candidates_work(sentences: int, characters: int, left: float) -> Expected:
    """Of the candidates alone, of a share of the sentences that is ``left`` (0 to 1)."""
    whole = generation_work(sentences, characters)
    return replace(
        whole, seconds=whole.seconds.times(0.2 * left, left), growth=whole.growth.times(0.05 * left, 0.6 * left)
    )
