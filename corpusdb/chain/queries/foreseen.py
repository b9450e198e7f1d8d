"""What an import or a generation is about to take, by what was measured: time, memory and disk."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpusdb import __version__
from corpusdb.base.jobs import usable_cores
from corpusdb.corpus.store import Store, layer_state

if TYPE_CHECKING:
    from corpusdb.corpus.formats import Source

# What import and generation will take, as ranges: time, memory and growth of the file, from the size of the input.
#
# Sizes were measured in November 2026 with corpusdb 0.1 (schema 26), Python 3.11 and SQLite: the most resident memory,
# and the size of the file before and after; seconds of import on one slow core, and those of generation with 1.0, of
# the processor, on two that others used too. Each was seen on prefixes and on every k-th line of the four corpora of
# Tatoeba (eng-fra, eng-deu, eng-jpn, eng-cmn; 2,000 to 438,189 pairs), whose sentences are short (5 to 8 words), and on
# the captions of Multi30k (28,997 pairs, eng-deu, 12 words); import besides on the dialogues of BSD.
#
# Import, for one byte of unpacked text: 0.2 to 0.75 microseconds and 1.5 to 4.8 bytes of the file; with what is
# searched (``follow``) up to 0.75 microseconds and 2.8 to 5.7 bytes. Text in markup, or with columns that are not
# read, takes less.
#
# Generation of n sentences in one language, all collections together:
#
#     sentences  characters   seconds   memory    growth
#        15,256     489,939              107 MB    5.1 MB
#        26,000     830,000         6    155 MB              every 16th line
#        38,703     762,137              209 MB   25.4 MB    the shortest
#        94,727   3,026,643        40    368 MB              every 4th line
#       116,830   3,677,210              456 MB   71.8 MB
#       236,197   7,770,456       279    814 MB    227 MB
#
# The index of commutations alone, which generation from a few seeds needs too, is the most of it where few sentences
# commute; for the 47,810 shortest it took 25.0 of 41.1 MB of the growth. The journal had at most 58 MB when 236,197
# sentences were done.
#
# Sentences find more others they commute with where there are more of them, so that time grows with the power 1.5 of
# their number and growth with 1.35; short ones find more, up to twice as many. Both exponents are drawn through these
# points, and beyond a few hundred thousand sentences they are a guess. Nothing here is a bound.
#
# How long the same takes differs from machine to machine, from version to version and by what else runs. So where the
# file notes how long this version generated from the language before, or what it imported, this is counted on.


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
    seconds: Range
    """From machines twice as fast as the one measured on to those half as fast; fewer where this one was measured."""
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
_MEASURED_SECONDS: Final = 280.0
_PART_OF_ONE_CORE: Final = 0.25
"""Of these seconds, what is done on one core however many there are."""
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
    seconds *= _PART_OF_ONE_CORE + (1 - _PART_OF_ONE_CORE) / usable_cores()
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
        seconds=whole.seconds.times(0.1, 0.5),
        memory=whole.memory.times(0.7, 1),
        growth=whole.growth.times(0.6, 1),
    )


def candidates_work(sentences: int, characters: int, left: float) -> Expected:
    """Of the candidates alone, of a share of the sentences that is ``left`` (0 to 1)."""
    whole = generation_work(sentences, characters)
    return replace(
        whole, seconds=whole.seconds.times(0.5 * left, left), growth=whole.growth.times(0.05 * left, 0.6 * left)
    )


# What an import or a generation is about to take, and the disk has left, before either begins.


@dataclass(frozen=True, slots=True)
class Foreseen:
    expected: Expected
    size: int
    """Of the database file now, in bytes; 0 where there is none yet."""
    free: int | None
    """Bytes that its disk has left for this user; None where the system does not tell."""


def foreseen_import(database: Path, sources: Sequence[Source], *, follow: bool) -> Foreseen | None:
    """What the import of some sources will take; None where their size is not known, as that of standard input.

    What was generated before and is to follow the new sentences is not in it.
    """
    from corpusdb.corpus.formats.reading import unpacked_size

    size = unpacked_size(path for source in sources for path in source.paths)
    return None if size is None else _foreseen(database, import_work(size, follow=follow))


_SENTENCES_OF = "select count(*), coalesce(sum(length(text)), 0) from sentence where language = ?"


def foreseen_generation(store: Store, language: str, *, seeded: bool) -> Foreseen | None:
    """What generation from all sentences of a language will take, or ``seeded`` the index that it needs.

    None where there is nothing to do, or so little that it is updated in place.
    """
    from corpusdb.paraphrase.queries.candidates import pending_update
    from corpusdb.paraphrase.queries.slot_index import PARAMETERS

    index = layer_state(store, language, "commutation")
    made = index if index is not None and index.complete and index.parameters == PARAMETERS else None
    is_made = made is not None and pending_update(store, language, made) != "much"
    left = 0.0 if is_made and seeded else _share_left(store, language) if is_made else 1.0
    sentences, characters = store.connection.execute(_SENTENCES_OF, (language,)).fetchone() if left else (0, 0)
    if not sentences:
        return None
    work = index_work if seeded else generation_work
    expected = candidates_work(sentences, characters, left) if is_made else work(sentences, characters)
    if (pace := _pace(store, language)) is not None:
        expected = replace(expected, seconds=expected.seconds.times(1.2 * pace, 0.8 * pace))
    return _foreseen(store.path, expected)


_LAST_GENERATED = """
select unixepoch(finished) - unixepoch(started), (
    select count(*) from sentence cross join layer on layer.language = sentence.language and layer.name = 'validity'
    where sentence.language = :language and sentence.id <= layer.last_sentence
)
from run where operation = 'generate' and finished is not null and version = :version
    and json_extract(parameters, '$.language') = :language and json_type(parameters, '$.seeds') is null
order by id desc limit 1
"""
_IMPORTED = """
select min(1.0 * (unixepoch(finished) - unixepoch(started)) / json_extract(counts, '$.read')) from run
where operation = 'import' and version = :version and unixepoch(finished) - unixepoch(started) >= :least
"""
_LEAST_SECONDS: Final = 3
"""Runs are timed by whole ones."""
_SECONDS_OF_UNIT: Final = 40e-6
"""Of an import where generation was measured; with what else was done there."""
_MOST_PACE: Final = 10.0
"""What took longer, or less than one of so many parts, was interrupted or stood on another machine."""


def _pace(store: Store, language: str) -> float | None:
    """How many times as long as where it was measured generation takes here, by what the file notes of this version.

    None where it notes too little.
    """
    bound = {"language": language, "version": __version__, "least": _LEAST_SECONDS}
    seconds, sentences = store.connection.execute(_LAST_GENERATED, bound).fetchone() or (0, 0)
    if seconds >= _LEAST_SECONDS and sentences:
        pace = seconds / (2 * generation_work(sentences, 0).seconds.low)
    else:
        (of_unit,) = store.connection.execute(_IMPORTED, bound).fetchone()
        pace = None if of_unit is None else of_unit / _SECONDS_OF_UNIT
    return pace if pace is not None and 1 / _MOST_PACE < pace < _MOST_PACE else None


_LEFT = "select count(*) filter (where id > ?) * 1.0 / count(*) from sentence where language = ?"


def _share_left(store: Store, language: str) -> float:
    """Of the sentences, those that nothing was generated from yet; what new ones change is updated in place."""
    candidates = layer_state(store, language, "candidate")
    if candidates is None or candidates.parameters != {"seeds": "all"}:
        return 1.0
    if candidates.complete:
        return 0.0
    (left,) = store.connection.execute(_LEFT, (candidates.last_sentence, language)).fetchone()
    return float(left)


def _foreseen(database: Path, expected: Expected) -> Foreseen:
    try:
        size = database.stat().st_size
    except OSError:
        size = 0
    try:
        free = shutil.disk_usage(database.absolute().parent).free
    except OSError:
        free = None
    return Foreseen(expected, size, free)


# What a piece of work is about to take, in a line; and a warning where the disk has no room for it.


def foreseen_lines(foreseen: Foreseen | None, *, document: bool) -> Iterator[str]:
    """What a piece of work is about to take, where that is worth saying; a ``document`` needs no such line.

    That the disk has too little room is a warning, and stands beside a document too.
    """
    if foreseen is None:
        return
    if not document and (told := format_foreseen(foreseen)) is not None:
        yield told
    if (warning := room_warning(foreseen)) is not None:
        yield f"warning: {warning}"


_WORTH_SAYING: Final = 10.0
"""Seconds: who waits for less does not ask how long it takes."""


def format_foreseen(foreseen: Foreseen) -> str | None:
    """Time, memory and the size of the file afterwards, as ranges; None for work that is done in a moment.

    Seconds are those of cores that have nothing else to do.
    """
    expected = foreseen.expected
    if expected.seconds.high < _WORTH_SAYING:
        return None
    size, growth = foreseen.size, expected.growth
    told = _told_sizes(size + growth.low, size + growth.high)
    return (
        f"about {_times(expected.seconds)}, {_told_sizes(expected.memory.low, expected.memory.high)} of memory,"
        f" {f'the file grows to {told}' if size else f'a file of {told}'}"
    )


def room_warning(foreseen: Foreseen) -> str | None:
    """That the disk may be too small, if it may: where the most that is expected is more than it has left."""
    expected, free = foreseen.expected, foreseen.free
    low, high = (getattr(expected.growth, end) + getattr(expected.beside, end) for end in ("low", "high"))
    if free is None or free >= high:
        return None
    return f"the disk has {_told_size(free)} left, and this takes about {_told_sizes(low, high)} of it"


def _times(seconds: Range) -> str:
    """In the largest unit of which the most is one and a half or more; rounded outwards."""
    for name, length in (("hours", 3600), ("minutes", 60)):
        if seconds.high >= 1.5 * length:
            return _span(max(1, math.floor(seconds.low / length)), math.ceil(seconds.high / length), name)
    return _span(max(1, math.floor(seconds.low)), math.ceil(seconds.high), "seconds")


def _span(low: int, high: int, unit: str) -> str:
    return f"{high:,} {unit}" if low == high else f"{low:,} to {high:,} {unit}"


def _told_sizes(low: float, high: float) -> str:
    """Two sizes in the unit of the larger."""
    least, most = _number(low, _unit(high)), _told_size(high)
    return most if most.startswith(f"{least} ") else f"{least} to {most}"


def _told_size(size: float) -> str:
    return f"{_number(size, _unit(size))} {_UNITS[_unit(size)]}"


_UNITS: Final = {1e9: "GB", 1e6: "MB", 1e3: "kB"}


def _unit(size: float) -> float:
    return 1e9 if size >= 0.995e9 else 1e6 if size >= 0.1e6 else 1e3


def _number(size: float, unit: float) -> str:
    """To two digits, as far as they are not smaller than a tenth of the unit."""
    number = size / unit
    if number >= 10:
        digits = len(str(round(number))) - 2
        return f"{round(number, -digits):,.0f}"
    return f"{number:.1f}".removesuffix(".0")
