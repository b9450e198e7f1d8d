"""The pairs of a Tatoeba export: its sentences found by their numbers, and its links each taken once.

Texts go to a temporary file. In memory stay 14 bytes a sentence and 8 a link, about 300 MB for all of Tatoeba (12
million sentences, 25 million links).
"""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import places_in
from corpusdb.base.errors import CorpusError, InputError
from corpusdb.base.text import language_of_name
from corpusdb.corpus.formats.reading import read_lines, read_lines_and_faults
from corpusdb.corpus.formats.records import Item, Record, Rejected, Skipped, skip_or_raise

_Integers: TypeAlias = npt.NDArray[np.signedinteger[npt.NBitBase]]

_BATCH: Final = 1 << 16
_MAX_ID: Final = (1 << 31) - 1
# In place of the number of a language: a sentence that is not asked for, and one that the export does not have.
_LEFT_OUT: Final = -1
_UNKNOWN: Final = -2


def linked_sentences(
    sentences: Sequence[Path], links: Path, languages: tuple[str, ...], *, skip_bad: bool = False
) -> Iterator[Item]:
    """Pairs of sentences in the order of the links, and the lines that cannot be used; see TatoebaSource."""
    with tempfile.TemporaryFile(prefix="corpusdb-") as texts:
        known = _Sentences(texts)
        for path in sentences:
            yield from _add_sentences(path, known, languages, skip_bad=skip_bad)
        known.close(sentences[0])
        forward = _forward_links(links, known, skip_bad=skip_bad)
        for batch in _read_links(links, known, skip_bad=skip_bad):
            yield from batch.skipped
            # Each link is taken from its smaller number; from the larger one only where the file has no other.
            again = (batch.left > batch.right) & (_find(forward, _keys(batch.right, batch.left)) >= 0)
            yield from (batch.item(row, known) for row in np.flatnonzero(~again).tolist())


def _add_sentences(path: Path, known: _Sentences, languages: tuple[str, ...], *, skip_bad: bool) -> Iterator[Rejected]:
    """Add the sentences of one file and yield the lines that cannot be used."""
    for line, row in read_lines_and_faults(path) if skip_bad else read_lines(path):
        try:
            number, code, text = _sentence_cells(row, path, line)
        except InputError as error:
            yield skip_or_raise(error, line, skip_bad=skip_bad)
            continue
        language = language_of_name(code)
        if not text or text.isspace():
            yield Rejected(line, f"sentence {number} has no text")
            language = None
        elif code in ("", r"\N"):
            yield Rejected(line, f"sentence {number} has no language")
        elif language is None and not languages:
            yield Rejected(line, f"language {code} is not known")
        wanted = language is not None and (not languages or language in languages)
        known.add(number, language if wanted else None, text)


def _sentence_cells(row: str | InputError, path: Path, line: int) -> tuple[int, str, str]:
    """Number, language and text of a sentence. Raises InputError for a malformed line."""
    if isinstance(row, InputError):
        raise row
    cells = row.split("\t", 3)
    if len(cells) < 3:
        reason = f"has {len(cells)} column{'s' if len(cells) > 1 else ''}, 3 needed: number, language, text"
        raise InputError(reason, path=path, line=line)
    return _sentence_number(cells[0], path, line), cells[1], cells[2]


def _forward_links(path: Path, known: _Sentences, *, skip_bad: bool) -> _Integers:
    """The sorted keys of all links that are written from the smaller number to the larger."""
    keys = array("q")
    for links in _read_links(path, known, skip_bad=skip_bad):
        forward = links.left < links.right
        keys.frombytes(_keys(links.left[forward], links.right[forward]).tobytes())
    found = np.asarray(keys)
    found.sort()
    return found


class _Sentences:
    """Sentences by number: numbers and languages in arrays, texts in a file."""

    def __init__(self, texts: IO[bytes]) -> None:
        self._texts = texts
        self._growing_numbers = array("i")
        self._growing_languages = array("h")
        self._growing_ends = array("q", [0])
        self._language_numbers: dict[str, int] = {}
        self.languages: list[str] = []

    def add(self, number: int, language: str | None, text: str) -> None:
        """Add a sentence, or, without a language, only the fact that it exists."""
        end = self._growing_ends[-1]
        place = _LEFT_OUT
        if language is not None:
            place = self._language_numbers.setdefault(language, len(self.languages))
            if place == len(self.languages):
                self.languages.append(language)
            try:
                end += self._texts.write(text.encode())
            except OSError as error:
                raise CorpusError(
                    f"cannot write a temporary file in {tempfile.gettempdir()}: {error.strerror}"
                ) from error
        self._growing_numbers.append(number)
        self._growing_languages.append(place)
        self._growing_ends.append(end)

    def close(self, path: Path) -> None:
        """Sort the sentences by number for look-up. Raises InputError, for ``path``, where two have one number."""
        self._texts.flush()
        numbers, languages = np.asarray(self._growing_numbers), np.asarray(self._growing_languages)
        starts, ends = np.asarray(self._growing_ends)[:-1], np.asarray(self._growing_ends)[1:]
        if np.any(numbers[1:] <= numbers[:-1]):
            order = np.argsort(numbers, kind="stable")
            numbers, languages, starts, ends = numbers[order], languages[order], starts[order], ends[order]
            twice = np.flatnonzero(numbers[1:] == numbers[:-1])
            if len(twice):
                raise InputError(f"sentence {numbers[twice[0]]} is in the sentences of the export twice", path=path)
        self._numbers, self._languages, self._starts, self._ends = numbers, languages, starts, ends

    def find(self, numbers: _Integers) -> _Integers:
        """The places of sentences, -1 for those that are not there."""
        return _find(self._numbers, numbers)

    def languages_at(self, places: _Integers) -> _Integers:
        """Indices into ``languages``, or _LEFT_OUT or _UNKNOWN."""
        if not len(self._languages):
            return np.full(len(places), _UNKNOWN)
        return np.where(places >= 0, self._languages[places], _UNKNOWN)

    def sentence(self, place: int) -> tuple[str, str]:
        start = int(self._starts[place])
        text = os.pread(self._texts.fileno(), int(self._ends[place]) - start, start)
        return self.languages[self._languages[place]], text.decode()


@dataclass(frozen=True, slots=True)
class _Links:
    """Some lines of the links file: line numbers, the two numbers on each, and their places among the sentences."""

    lines: _Integers
    left: _Integers
    right: _Integers
    left_places: _Integers
    right_places: _Integers
    skipped: list[Skipped] = field(default_factory=list)

    def item(self, row: int, known: _Sentences) -> Item:
        line = int(self.lines[row])
        for numbers, places in ((self.left, self.left_places), (self.right, self.right_places)):
            if places[row] < 0:
                return Rejected(line, f"link to the unknown sentence {numbers[row]}")
        left_language, left_text = known.sentence(int(self.left_places[row]))
        right_language, right_text = known.sentence(int(self.right_places[row]))
        if left_language == right_language:
            return Rejected(line, f"sentences {self.left[row]} and {self.right[row]} are both {left_language}")
        return Record(line, (left_text, right_text), (left_language, right_language))


def _read_links(path: Path, known: _Sentences, *, skip_bad: bool) -> Iterator[_Links]:
    """The links between sentences that are asked for or unknown, in batches."""
    rows: Iterator[tuple[int, str | InputError]] = read_lines_and_faults(path) if skip_bad else iter(read_lines(path))
    while batch := list(islice(rows, _BATCH)):
        numbers, read, skipped = array("i"), array("q"), list[Skipped]()
        for line, row in batch:
            try:
                numbers.extend(_linked_numbers(row, path, line))
                read.append(line)
            except InputError as error:
                skipped.append(skip_or_raise(error, line, skip_bad=skip_bad))
        pairs = np.asarray(numbers).reshape(-1, 2)
        places = np.stack([known.find(pairs[:, 0]), known.find(pairs[:, 1])], axis=1)
        asked = (known.languages_at(places[:, 0]) != _LEFT_OUT) & (known.languages_at(places[:, 1]) != _LEFT_OUT)
        pairs, places, lines = pairs[asked], places[asked], np.asarray(read)[asked]
        yield _Links(lines, pairs[:, 0], pairs[:, 1], places[:, 0], places[:, 1], skipped)


def _linked_numbers(row: str | InputError, path: Path, line: int) -> tuple[int, int]:
    """The two numbers of a link. Raises InputError for a malformed line."""
    if isinstance(row, InputError):
        raise row
    left, tab, right = row.partition("\t")
    if not tab:
        raise InputError("has 1 column, 2 needed: number, number", path=path, line=line)
    return _sentence_number(left, path, line), _sentence_number(right, path, line)


def _sentence_number(cell: str, path: Path, line: int) -> int:
    if cell.isdecimal() and len(cell) <= 10:
        number = int(cell)
        if number <= _MAX_ID:
            return number
    raise InputError(f"{cell[:40]!r} is not a sentence number", path=path, line=line)


def _keys(left: _Integers, right: _Integers) -> _Integers:
    return (left.astype(np.int64) << 32) | right


def _find(ordered: _Integers, wanted: _Integers) -> _Integers:
    """The places of ``wanted`` values in the ascending ``ordered`` ones, -1 for values that are not there."""
    places, are_there = places_in(ordered.astype(np.int64), wanted.astype(np.int64))
    return np.where(are_there, places, -1)
