"""Counts of character n-grams, and the alphabets and normalisation under which they are counted."""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Final

import numpy as np

from corpusdb.base.arrays import I32, I64, U8, distinct, grouped, places_in
from corpusdb.base.errors import InputError, UsageError

# The characters that a model tells apart, and texts as streams of their numbers: a start mark, which is context only,
# the characters, and an end mark, an event like them. Models are only compared over one alphabet, whatever text is
# measured.

START: Final = 0
END: Final = 1
UNKNOWN: Final = 2
FIRST_CHARACTER: Final = 3
"""Numbers of symbols; from the last one on they are characters, in the order of their code points."""


@dataclass(frozen=True)
class Stream:
    """Texts as numbers of symbols, one after another."""

    symbols: I32
    """For each text START, its characters, END."""
    starts: I64
    """Where each text has its START."""
    lengths: I64
    """Characters of each text, without the marks."""

    @property
    def ends(self) -> I64:
        return self.starts + self.lengths + 1


@dataclass(frozen=True)
class Alphabet:
    """Distinct characters, ascending by code point."""

    characters: str

    def __post_init__(self) -> None:
        if any(first >= second for first, second in zip(self.characters, self.characters[1:], strict=False)):
            raise InputError("the characters of an alphabet must ascend, each once")

    @classmethod
    def of(cls, texts: Iterable[str]) -> Alphabet:
        found: set[str] = set()
        for text in texts:
            found.update(text)
        return cls("".join(sorted(found)))

    def __or__(self, other: Alphabet) -> Alphabet:
        return Alphabet("".join(sorted({*self.characters, *other.characters})))

    @property
    def size(self) -> int:
        """How many symbols there are: the characters, the unknown one, and both marks."""
        return len(self.characters) + FIRST_CHARACTER

    @property
    def events(self) -> int:
        """How many symbols can follow another: all but the start mark; order 0 is uniform over them."""
        return self.size - 1

    @cached_property
    def _numbers(self) -> I32:
        """The symbol of each code point up to the last character, and one more cell for all that come after."""
        codes = _codes(self.characters)
        table = np.full(int(codes[-1]) + 2 if len(codes) else 1, UNKNOWN, dtype=np.int32)
        table[codes] = np.arange(FIRST_CHARACTER, self.size, dtype=np.int32)
        return table

    def encode(self, texts: Sequence[str]) -> Stream:
        """The texts as one stream; an empty one is its two marks."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        stops = np.cumsum(lengths + 2)
        starts = stops - lengths - 2
        symbols = np.full(int(stops[-1]) if len(stops) else 0, END, dtype=np.int32)
        symbols[starts] = START
        codes = _codes("".join(texts))
        places = np.arange(len(codes)) + np.repeat(2 * np.arange(len(texts)) + 1, lengths)
        symbols[places] = self._numbers[np.minimum(codes, len(self._numbers) - 1)]
        return Stream(symbols, starts, lengths)


def _codes(text: str) -> I32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")


def shared_characters(first: Iterable[str], second: Iterable[str]) -> float:
    """How much of their characters two sets of texts share, by how often each has them: 0 to 1, blanks apart.

    The sum over all characters of the lower of their two shares; 1 where one has no character.
    """
    counts = [Counter("".join(texts).replace(" ", "")) for texts in (first, second)]
    sizes = [own.total() for own in counts]
    if not all(sizes):
        return 1.0
    return sum(min(often / sizes[0], counts[1][char] / sizes[1]) for char, often in counts[0].items())


# What texts are reduced to before characters are counted, so that habits of transcription are not measured: the
# comparison is to be made "on the underlying signal itself" (Denoual 2005, section 3.1).
#
# - none: nothing is changed
# - nfkc: compatible forms are one (Unicode NFKC)
# - case: also lower case; quotes and apostrophes in ASCII; white space is one blank, and none beside CJK characters
# - letters: also without what is neither a letter nor a mark on one; an apostrophe joins, all else parts

NORMALISATIONS: Final = ("none", "nfkc", "case", "letters")
DEFAULT_NORMALISATION: Final = "case"

_QUOTES: Final = dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc\u02b9`", "'") | dict.fromkeys(
    "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'
)
_CJK: Final = (
    "\u2e80-\u2fdf\u3000-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_BLANKS: Final = re.compile(r"[^\S \n][^\S\n]*| [^\S\n]+")
"""White space that is not one blank already, which most is."""
_BLANK_AT_END: Final = re.compile(r"^ | $", re.MULTILINE)
_BLANK_BESIDE_CJK: Final = re.compile(f" (?=[{_CJK}])|(?<=[{_CJK}]) ")
_LINES_AT_A_TIME: Final = 5_000


class _Letters(dict[int, str]):
    """For str.translate: letters, marks and line breaks as they are, apostrophes gone, all else a blank."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kept = char == "\n" or unicodedata.category(char)[0] in "LM"
        self[code] = char if kept else "" if char == "'" else " "
        return self[code]


_LETTERS: Final = _Letters()


def normalised(texts: Sequence[str], name: str) -> list[str]:
    """The texts in one of NORMALISATIONS; a text may come out empty."""
    if name not in NORMALISATIONS:
        raise UsageError(f"there is no normalisation {name!r}, but {', '.join(NORMALISATIONS)}")
    if name == "none":
        return list(texts)
    if name == "nfkc":
        return [unicodedata.normalize("NFKC", text) for text in texts]
    out: list[str] = []
    for start in range(0, len(texts), _LINES_AT_A_TIME):
        out += _case_or_letters(texts[start : start + _LINES_AT_A_TIME], name == "letters")
    return out


def _case_or_letters(texts: Sequence[str], letters_only: bool) -> list[str]:
    """All texts as the lines of one, which is many times as fast; no step looks across a line break."""
    if any("\n" in text for text in texts):
        texts = [text.replace("\n", " ") for text in texts]
    joined = unicodedata.normalize("NFKC", "\n".join(texts))
    for mark, plain in _QUOTES.items():
        joined = joined.replace(mark, plain)  # str.translate looks at every character, and takes eight times as long
    joined = joined.lower()
    if letters_only:
        joined = joined.translate(_LETTERS)
    joined = _BLANKS.sub(" ", joined)
    if "\n " in joined or " \n" in joined or joined[:1] == " " or joined[-1:] == " ":
        joined = _BLANK_AT_END.sub("", joined)
    joined = unicodedata.normalize("NFKC", joined)  # again: marks have come beside other characters
    while not joined.isascii() and _BLANK_BESIDE_CJK.search(joined):
        joined = unicodedata.normalize("NFKC", _BLANK_BESIDE_CJK.sub("", joined))  # which may change their order
        joined = _BLANK_AT_END.sub("", joined)
    return joined.split("\n") if texts else []


# From the key of an n-gram to its number: the rank of the key among the distinct ones, never a hash. The key of a
# k-gram is the number of its first k-1 symbols, times the size of the alphabet, plus its last. Few cells are a table of
# numbers, more a table of bits with the count before each byte, and most (thousands of characters) are searched in the
# sorted keys.

Keys = I32 | I64

MOST_IN_TABLE: Final = 1 << 23
"""Cells of a table of numbers: 32 MB."""
MOST_IN_BITS: Final = 1 << 27
"""Cells of a table of bits: 80 MB with the counts, and 128 MB more while it is made."""
_BLOCK: Final = 1 << 16
"""Queries at a time, so that what lies between two steps stays in the cache."""

_ONES: Final = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)
_BELOW: Final = np.array([(1 << bit) - 1 for bit in range(8)], dtype=np.uint8)
_BIT: Final = np.array([1 << bit for bit in range(8)], dtype=np.uint8)


class KeyIndex:
    """The numbers of distinct keys, which ascend; ``cells`` is more than any key that is asked for."""

    def __init__(self, keys: Keys, cells: int) -> None:
        self._keys = keys
        self._table: I32 | None = None
        self._bits: U8 | None = None
        if cells <= MOST_IN_TABLE:
            self._table = np.zeros(cells, dtype=np.int32)
            self._table[keys] = np.arange(1, len(keys) + 1, dtype=np.int32)
        elif cells <= MOST_IN_BITS:
            marks = np.zeros(cells, dtype=np.bool_)
            marks[keys] = True
            self._bits = np.packbits(marks, bitorder="little")
            ones = _ONES[self._bits]
            self._before = np.cumsum(ones, dtype=np.int32)
            self._before -= ones

    def find(self, keys: Keys) -> I32:
        """The number of each key, -1 where it is none of these."""
        if self._table is not None:
            return self._table[keys] - 1
        if self._bits is None:
            places, is_there = places_in(self._keys.astype(np.int64), keys.astype(np.int64))
            return np.where(is_there, places, -1).astype(np.int32)
        found = np.empty(len(keys), dtype=np.int32)
        for start in range(0, len(keys), _BLOCK):
            block = keys[start : start + _BLOCK]
            cell, bit = block >> 3, block & 7
            byte = self._bits[cell]
            numbers = self._before[cell] + _ONES[byte & _BELOW[bit]]
            numbers[(byte & _BIT[bit]) == 0] = -1
            found[start : start + _BLOCK] = numbers
        return found


def numbered(keys: Keys, cells: int) -> tuple[I64, I32, I64]:
    """The distinct keys, ascending; for each key its number; and how often each distinct one stands there."""
    if cells <= MOST_IN_BITS:
        marks = np.zeros(cells, dtype=np.bool_)
        marks[keys] = True
        values = np.flatnonzero(marks)
        del marks
        numbers = KeyIndex(values, cells).find(keys)
        return values, numbers, np.bincount(numbers, minlength=len(values))
    found = grouped(keys.astype(np.int64))
    return found.values, found.group.astype(np.int32), found.counts


# Counts of character n-grams inside of texts with their marks, exact for any alphabet and order, each level in the
# order of its keys; counts of the same texts are equal arrays however they came about: train(A) + train(B) - train(B)
# is train(A).


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each n-gram of each level occurs."""

    alphabet: Alphabet
    keys: tuple[I64, ...]
    """Of each level, ascending; those of level 1 are all symbols, whether they occur or not."""
    counts: tuple[I64, ...]
    """Beside the keys. The start mark is counted on level 1 as the number of texts."""

    @property
    def order(self) -> int:
        return len(self.keys)

    @property
    def texts(self) -> int:
        return int(self.counts[0][START])

    @property
    def characters(self) -> int:
        """How many characters, known or not; marks are none."""
        return int(self.counts[0][UNKNOWN:].sum())

    @property
    def unknown(self) -> int:
        """How many characters that are not in the alphabet."""
        return int(self.counts[0][UNKNOWN])

    def __add__(self, other: Counts) -> Counts:
        keys, pairs = _united(self, other)
        return Counts(self.alphabet, keys, tuple(own + their for own, their in pairs))

    def __sub__(self, other: Counts) -> Counts:
        """What is left without texts that were counted; InputError if they were not."""
        keys, pairs = _united(self, other)
        left = tuple(own - their for own, their in pairs)
        if any((level < 0).any() for level in left):
            raise InputError("what should be subtracted from the model is not in it")
        return without_zeros(Counts(self.alphabet, keys, left))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        mine, theirs = (*self.keys, *self.counts), (*other.keys, *other.counts)
        return self.alphabet == other.alphabet and len(mine) == len(theirs) and all(map(np.array_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]  # arrays have none


def train(texts: Sequence[str], alphabet: Alphabet, order: int) -> Counts:
    """Count the n-grams of up to ``order`` symbols of texts; those without a character are left out."""
    if order < 1:
        raise InputError(f"the order of a model is 1 or more, not {order}")
    stream = alphabet.encode([text for text in texts if text])
    counts = [np.bincount(stream.symbols, minlength=alphabet.size)]
    keys = [np.arange(alphabet.size)]
    numbers = stream.symbols
    for _ in range(order - 1):
        places, wanted, cells = keys_at(stream, numbers, len(keys[-1]), alphabet.size)
        values, found, often = numbered(wanted, cells)
        keys.append(values)
        counts.append(often)
        numbers = level_numbers(len(stream.symbols), places, found)
    return Counts(alphabet, tuple(keys), tuple(counts))


def keys_at(stream: Stream, numbers: I32, contexts: int, size: int) -> tuple[I64, Keys, int]:
    """The places of a stream that have an n-gram before them, the keys of the n-grams one longer, and all cells.

    ``numbers`` are those of the n-grams that end at each place, -1 for none, ``contexts`` how many there are,
    ``size`` the symbols of the alphabet. Nothing stands before a start mark.
    """
    cells = contexts * size
    follows = (numbers[:-1] >= 0) & (stream.symbols[1:] != START)
    before: Keys = numbers[:-1]
    if cells > MOST_IN_BITS:
        before = before.astype(np.int64)  # keys that need not be small are numbers of 64 bits
    # Where nothing stands before, the product is of no use, but to leave it out first would take longer.
    return np.flatnonzero(follows) + 1, (before * size + stream.symbols[1:])[follows], cells


def level_numbers(size: int, places: I64, found: I32) -> I32:
    """The number of the n-gram that ends at each place of a stream of ``size`` symbols, -1 where none does."""
    numbers = np.full(size, -1, dtype=np.int32)
    numbers[places] = found
    return numbers


def without_zeros(counts: Counts) -> Counts:
    """The same without n-grams that occur no more; the symbols of level 1 all stay."""
    size = counts.alphabet.size
    keys, left = [counts.keys[0]], [counts.counts[0]]
    numbers: I64 = counts.keys[0]
    for level, often in zip(counts.keys[1:], counts.counts[1:], strict=True):
        kept = often > 0
        contexts, last = np.divmod(level[kept], size)
        keys.append(numbers[contexts] * size + last)
        left.append(often[kept])
        numbers = np.cumsum(kept) - 1
    return Counts(counts.alphabet, tuple(keys), tuple(left))


def _united(first: Counts, second: Counts) -> tuple[tuple[I64, ...], list[tuple[I64, I64]]]:
    """The keys that either has, level by level, and how often each stands in the first and in the second."""
    if first.alphabet != second.alphabet:
        raise InputError("the two models do not share an alphabet")
    if first.order != second.order:
        raise InputError(f"one model is of order {first.order}, the other of order {second.order}")
    size = first.alphabet.size
    keys, pairs = [first.keys[0]], [(first.counts[0], second.counts[0])]
    renumbered = [first.keys[0], second.keys[0]]
    for level in range(1, first.order):
        moved = []
        for each, numbers in zip((first, second), renumbered, strict=True):
            contexts, last = np.divmod(each.keys[level], size)
            moved.append(numbers[contexts] * size + last)
        union = distinct(np.concatenate(moved))
        renumbered = [np.searchsorted(union, each) for each in moved]
        often = [np.zeros(len(union), dtype=np.int64) for _ in moved]
        for each, target, numbers in zip((first, second), often, renumbered, strict=True):
            target[numbers] = each.counts[level]
        keys.append(union)
        pairs.append((often[0], often[1]))
    return tuple(keys), pairs


# Counts as bytes and back: a line that names the format, the BLAKE2b digest (16 bytes) of the rest, and that,
# compressed by zlib: sizes, the alphabet, and for each level the differences of its keys and its counts. Smoothing is
# done anew.

_FORMAT: Final = b"corpusdb character counts 1\n"
_DIGEST: Final = 16
_CORRUPT: Final = "the model is corrupt"


def counts_to_bytes(counts: Counts) -> bytes:
    """The same for the same counts."""
    arrays = [counts.counts[0]]
    for keys, often in zip(counts.keys[1:], counts.counts[1:], strict=True):
        arrays += [np.diff(keys, prepend=0), often]
    stored = [array.astype("<i4" if not len(array) or array.max() < 1 << 31 else "<i8") for array in arrays]
    head = {
        "alphabet": counts.alphabet.characters,
        "arrays": [[array.dtype.str, len(array)] for array in stored],
    }
    parts = [json.dumps(head).encode("ascii"), b"\n", *(array.tobytes() for array in stored)]
    packed = zlib.compress(b"".join(parts), 6)
    return _FORMAT + blake2b(packed, digest_size=_DIGEST).digest() + packed


def counts_from_bytes(blob: bytes) -> Counts:
    """InputError where a byte is not what was written, or where these cannot be counts."""
    start = len(_FORMAT) + _DIGEST
    if not blob.startswith(_FORMAT):
        raise InputError("these are not counts of characters, or of another version of corpusdb")
    if blake2b(blob[start:], digest_size=_DIGEST).digest() != blob[len(_FORMAT) : start]:
        raise InputError(_CORRUPT)
    try:
        head, _, data = zlib.decompress(blob[start:]).partition(b"\n")
        described = json.loads(head)
        alphabet, arrays = Alphabet(described["alphabet"]), _arrays(described["arrays"], data)
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise InputError(_CORRUPT) from error
    return _checked(alphabet, arrays)


def _arrays(described: list[tuple[str, int]], data: bytes) -> list[I64]:
    arrays, at = [], 0
    for kind, size in described:
        if kind not in ("<i4", "<i8"):
            raise ValueError(kind)
        arrays.append(np.frombuffer(data, kind, size, at).astype(np.int64))
        at += arrays[-1].size * np.dtype(kind).itemsize
    if at != len(data):
        raise ValueError("more than was written")
    return arrays


def _checked(alphabet: Alphabet, arrays: list[I64]) -> Counts:
    """The counts, when they are possible ones: keys ascend and have their contexts, and nothing is counted 0 times."""
    if len(arrays) % 2 == 0 or len(arrays[0]) != alphabet.size or (arrays[0] < 0).any():
        raise InputError(_CORRUPT)
    keys, counts = [np.arange(alphabet.size)], [arrays[0]]
    for steps, often in zip(arrays[1::2], arrays[2::2], strict=True):
        level = np.cumsum(steps)
        if len(level) != len(often) or (steps[1:] <= 0).any() or (steps < 0).any() or (often <= 0).any():
            raise InputError(_CORRUPT)
        if len(level) and level[-1] >= len(keys[-1]) * alphabet.size:
            raise InputError(_CORRUPT)
        keys.append(level)
        counts.append(often)
    return Counts(alphabet, tuple(keys), tuple(counts))
