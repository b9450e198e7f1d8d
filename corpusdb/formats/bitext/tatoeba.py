"""Tatoeba's own export: sentences with their languages, and the links between them.

https://tatoeba.org/downloads describes it: ``id<TAB>language<TAB>text``, in the detailed export followed by more
columns, and ``id<TAB>translation id``, where each link stands twice, once from either side. Texts go to a temporary
file. In memory stay 14 bytes a sentence and 8 a link, about 300 MB for all of Tatoeba (12 million sentences, 25 million
links).
"""

from __future__ import annotations

import os
import re
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from pathlib import Path
from typing import IO, Final, TextIO, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.errors import CorpusError, InputError, UsageError
from corpusdb.formats.files.reading import digest_of, first_line, read_lines
from corpusdb.formats.records import Item, Record, Rejected
from corpusdb.formats.selection import variants_of, writable
from corpusdb.languages import language_of_name

__all__ = ["TatoebaSource", "holds_links", "write_links", "write_sentences"]

_Sentence: TypeAlias = tuple[str, str]
"""Language and text."""
_Integers: TypeAlias = npt.NDArray[np.signedinteger[npt.NBitBase]]

_BATCH: Final = 1 << 16
_MAX_ID: Final = (1 << 31) - 1
# In place of the number of a language: a sentence that is not asked for, and one that the export does not have.
_LEFT_OUT: Final = -1
_UNKNOWN: Final = -2

_BREAKS: Final = re.compile("[\t\n\r\0]")


def holds_links(path: Path) -> bool:
    """Whether the first line of a file is two whole numbers, as in the links. Raises InputError as reading does."""
    cells = first_line(path).split("\t")
    return len(cells) == 2 and all(cell.isdecimal() for cell in cells)


@dataclass(frozen=True, slots=True)
class TatoebaSource:
    """The links of an export as pairs of sentences, each pair once, in the order of the links file.

    ``sentences`` is the whole export or the files of single languages. Only pairs within ``languages`` (empty = all)
    are yielded, and what these leave out is passed over in silence; sentences without a language, without a text or (as
    long as all languages are asked for) in one that corpusdb does not know are rejected, and so are links to a sentence
    that no file has and links within one language. Raises InputError for malformed numbers and missing columns.
    """

    sentences: tuple[Path, ...]
    links: Path
    languages: tuple[str, ...] = ()

    @classmethod
    def recognise(cls, paths: tuple[Path, ...], languages: tuple[str, ...] = ()) -> TatoebaSource:
        """Tell the links from the sentences by content. Raises UsageError unless there are both."""
        links = [path for path in paths if holds_links(path)]
        sentences = tuple(path for path in paths if path not in links)
        if len(links) != 1 or not sentences:
            raise UsageError("a Tatoeba export is one file of links (two numbers a line) and one or more of sentences")
        return cls(sentences, links[0], languages)

    @property
    def paths(self) -> tuple[Path, ...]:
        return (*self.sentences, self.links)

    def digest(self) -> str:
        return digest_of(self.paths)

    def items(self) -> Iterator[Item]:
        with tempfile.TemporaryFile(prefix="corpusdb-") as texts:
            shelf = _Shelf(texts)
            for path in self.sentences:
                yield from self._shelve(path, shelf)
            shelf.close(self.sentences[0])
            forward = self._forward_links(shelf)
            for links in _read_links(self.links, shelf):
                # Each link is taken from its smaller number; from the larger one only where the file has no other.
                again = (links.left > links.right) & (_find(forward, _keys(links.right, links.left)) >= 0)
                yield from (links.item(row, shelf) for row in np.flatnonzero(~again).tolist())

    def _shelve(self, path: Path, shelf: _Shelf) -> Iterator[Rejected]:
        """Put the sentences of one file on the shelf and yield the lines that cannot be used."""
        for line, row in read_lines(path):
            cells = row.split("\t", 3)
            if len(cells) < 3:
                reason = f"has {len(cells)} column{'s' if len(cells) > 1 else ''}, 3 needed: number, language, text"
                raise InputError(reason, path=path, line=line)
            number, code, text = _sentence_number(cells[0], path, line), cells[1], cells[2]
            language = language_of_name(code)
            if not text or text.isspace():
                yield Rejected(line, f"sentence {number} has no text")
                language = None
            elif code in ("", r"\N"):
                yield Rejected(line, f"sentence {number} has no language")
            elif language is None and not self.languages:
                yield Rejected(line, f"language {code} is not known")
            wanted = language is not None and (not self.languages or language in self.languages)
            shelf.add(number, language if wanted else None, text)

    def _forward_links(self, shelf: _Shelf) -> _Integers:
        """The sorted keys of all links that are written from the smaller number to the larger."""
        keys = array("q")
        for links in _read_links(self.links, shelf):
            forward = links.left < links.right
            keys.frombytes(_keys(links.left[forward], links.right[forward]).tobytes())
        found = np.asarray(keys)
        found.sort()
        return found


def write_sentences(records: Iterable[Record], file: TextIO) -> int:
    """Write the sentences of units that name their languages, each distinct one once; returns how many units.

    Numbers are given from 1, in the order in which the links come to the sentences. In memory are all sentences.
    Sentences without a translation are left out, and so are units of a single language. Raises InputError for texts
    that hold a tab or a line break, which the database never does.
    """
    known: dict[_Sentence, int] = {}
    count = 0
    for record in records:
        before = len(known)
        count += bool(list(_links_of(record, known)))
        new = list(islice(reversed(known.items()), len(known) - before))
        for (language, text), number in reversed(new):
            file.write(f"{number}\t{language}\t{writable(text, _BREAKS, 'a Tatoeba export')}\n")
    return count


def write_links(records: Iterable[Record], file: TextIO) -> int:
    """Write the links between the sentences that ``write_sentences`` numbers, from both sides; returns how many units.

    The texts of a unit are linked each to each but for those of one language, and as often as units say so.
    """
    known: dict[_Sentence, int] = {}
    count = 0
    for record in records:
        links = list(_links_of(record, known))
        file.writelines(f"{left}\t{right}\n{right}\t{left}\n" for left, right in links)
        count += bool(links)
    return count


def _links_of(record: Record, known: dict[_Sentence, int]) -> Iterator[tuple[int, int]]:
    """The links of one unit, from the smaller number to the larger; sentences that are not known yet are added."""
    sentences = dict.fromkeys((each.language, each.text) for each in variants_of(record, ()))
    for one, other in combinations(sentences, 2):
        if one[0] != other[0]:
            first = known.setdefault(one, len(known) + 1)
            second = known.setdefault(other, len(known) + 1)
            yield min(first, second), max(first, second)


class _Shelf:
    """Sentences by number: numbers and languages in arrays, texts in a file."""

    def __init__(self, texts: IO[bytes]) -> None:
        self._texts = texts
        self._growing_numbers = array("i")
        self._growing_languages = array("h")
        self._growing_ends = array("q", [0])
        self._language_numbers: dict[str, int] = {}
        self.languages: list[str] = []

    def add(self, number: int, language: str | None, text: str) -> None:
        """Put a sentence there, or, without a language, only the fact that it exists."""
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
        """Sort what is there, to be looked up. Raises InputError, for ``path``, where two sentences have one number."""
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
        """Language and text."""
        start = int(self._starts[place])
        text = os.pread(self._texts.fileno(), int(self._ends[place]) - start, start)
        return self.languages[self._languages[place]], text.decode()


@dataclass(frozen=True, slots=True)
class _Links:
    """Some lines of the links file: line numbers, the two numbers on each, and their places on the shelf."""

    lines: _Integers
    left: _Integers
    right: _Integers
    left_places: _Integers
    right_places: _Integers

    def item(self, row: int, shelf: _Shelf) -> Item:
        line = int(self.lines[row])
        for numbers, places in ((self.left, self.left_places), (self.right, self.right_places)):
            if places[row] < 0:
                return Rejected(line, f"link to the unknown sentence {numbers[row]}")
        left_language, left_text = shelf.sentence(int(self.left_places[row]))
        right_language, right_text = shelf.sentence(int(self.right_places[row]))
        if left_language == right_language:
            return Rejected(line, f"sentences {self.left[row]} and {self.right[row]} are both {left_language}")
        return Record(line, (left_text, right_text), (left_language, right_language))


def _read_links(path: Path, shelf: _Shelf) -> Iterator[_Links]:
    """The links between sentences that are asked for or unknown, in batches."""
    rows = read_lines(path)
    while batch := list(islice(rows, _BATCH)):
        numbers = array("i")
        for line, row in batch:
            left, tab, right = row.partition("\t")
            if not tab:
                raise InputError("has 1 column, 2 needed: number, number", path=path, line=line)
            numbers.append(_sentence_number(left, path, line))
            numbers.append(_sentence_number(right, path, line))
        pairs = np.asarray(numbers).reshape(-1, 2)
        places = np.stack([shelf.find(pairs[:, 0]), shelf.find(pairs[:, 1])], axis=1)
        asked = (shelf.languages_at(places[:, 0]) != _LEFT_OUT) & (shelf.languages_at(places[:, 1]) != _LEFT_OUT)
        pairs, places, lines = pairs[asked], places[asked], np.arange(batch[0][0], batch[0][0] + len(batch))[asked]
        yield _Links(lines, pairs[:, 0], pairs[:, 1], places[:, 0], places[:, 1])


def _sentence_number(cell: str, path: Path, line: int) -> int:
    if cell.isdecimal() and len(cell) <= 10:
        number = int(cell)
        if number <= _MAX_ID:
            return number
    raise InputError(f"{cell[:40]!r} is no sentence number", path=path, line=line)


def _keys(left: _Integers, right: _Integers) -> _Integers:
    return (left.astype(np.int64) << 32) | right


def _find(ordered: _Integers, wanted: _Integers) -> _Integers:
    """The places of ``wanted`` values in the ascending ``ordered`` ones, -1 for values that are not there."""
    if not len(ordered):
        return np.full(len(wanted), -1)
    places = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[places] == wanted, places, -1)
