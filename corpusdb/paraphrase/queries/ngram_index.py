"""Character n-grams of every length over a language's sentences, as sorted suffixes in segments."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import in_file
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.ngrams import MAX_CHARACTERS, SortedCorpus, SuffixIndex, segment_starts, sort_suffixes
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, layer_state, save_layer
from corpusdb.corpus.store.runs import SegmentTable, blobs_checksum, checked_blobs


@dataclass(frozen=True)
class Segment:
    """Some sentences of a language, and where every sequence of characters stands in them."""

    text: str
    """Each sentence between two line breaks."""
    sentences: npt.NDArray[np.int64]
    """Their ids, ascending, in the order of the text."""
    suffixes: npt.NDArray[np.int32]

    @cached_property
    def starts(self) -> array[int]:
        breaks = np.flatnonzero(np.frombuffer(self.text.encode("utf-32-le"), dtype=np.uint32) == 10)
        return array("q", (breaks[:-1] + 1).astype(np.int64).tobytes())

    def sentence_at(self, offset: int) -> tuple[int, int]:
        """Which sentence a character belongs to, and where that begins; a line break belongs to the one after it."""
        place = min(bisect_right(self.starts, offset + (self.text[offset] == "\n")) - 1, len(self.starts) - 1)
        return int(self.sentences[place]), self.starts[place]

    def sentence_text(self, start: int) -> str:
        return self.text[start : self.text.index("\n", start)]


class NgramIndex(SuffixIndex):
    def __init__(self, segments: list[Segment]) -> None:
        self.segments = segments
        super().__init__([(segment.text, segment.suffixes.data) for segment in segments])

    def sentences_with(self, sequence: str) -> Iterator[tuple[int, str, int]]:
        """Each occurrence: the sentence's id, its text, and the offset in it (-1: at the mark before it)."""
        for part, offset in self.occurrences(sequence):
            segment = self.segments[part]
            sentence, start = segment.sentence_at(offset)
            yield sentence, segment.sentence_text(start), offset - start

    @cached_property
    def _sorted(self) -> list[SortedCorpus]:
        return [SortedCorpus(segment.text, segment.suffixes) for segment in self.segments]

    def prepare_for_many(self) -> None:
        """Do now what ``longest_of_many`` does when it is first asked."""
        _ = self._sorted

    def longest_of_many(self, text: str) -> npt.NDArray[np.int32]:
        """For each offset of a long text how many characters from there on occur, fast once it has been asked."""
        lengths = np.zeros(len(text), dtype=np.int32)
        for corpus in self._sorted:
            np.maximum(lengths, corpus.longest(text), out=lengths)
        return lengths

    def longest_of_few(self, text: str) -> npt.NDArray[np.int32]:
        """The same without any preparation, for a few sentences."""
        lengths = np.zeros(len(text), dtype=np.int32)
        ends = [offset for offset, char in enumerate(text) if char == "\n"]
        for begin, end in pairwise(ends):
            sentence = text[begin : end + 1]
            for offset in range(len(sentence) - 1):
                lengths[begin + offset] = self.longest(sentence, offset)
        return lengths


_SEGMENTS = "select checksum, text, sentences, suffixes from ngram_segment where language = ? order by first_sentence"


def load_ngrams(store: Store, language: str) -> NgramIndex:
    """Read the index of a language; it stays in memory, at about six bytes a character. Raises DatabaseDamaged."""
    return NgramIndex([_segment(language, *row) for row in store.large_rows(_SEGMENTS, (language,))])


def shared_ngrams(store: Store, language: str) -> NgramIndex:
    """The same, once for all who hold it at a time: what generates keeps it as long as the layer stays as it is."""
    held = _held.setdefault(store, WeakValueDictionary())
    key = language, repr(layer_state(store, language, "ngram"))
    found = held.get(key)
    if found is None:
        found = held[key] = load_ngrams(store, language)
    return found


_held: WeakKeyDictionary[Store, WeakValueDictionary[tuple[str, str], NgramIndex]] = WeakKeyDictionary()


def _segment(language: str, checksum: int | None, text: bytes, sentences: bytes, suffixes: bytes) -> Segment:
    checked_blobs(f"n-grams of {language}", checksum, text, sentences, suffixes)
    return Segment(text.decode(), np.frombuffer(sentences, dtype="<i8"), in_file(np.frombuffer(suffixes, dtype="<i4")))


def update_ngrams(store: Store, language: str, run: Run) -> Job[None]:
    """Take the sentences that are not yet in the index of a language into it."""
    state = layer_state(store, language, "ngram")
    fresh = sentences_after(store, language, state.last_sentence if state else 0)
    done = 0
    for batch in _batches(fresh):
        yield Progress("indexing n-grams of sentences", done, len(fresh))
        with store.write() as connection:
            merged = _merged_with_smaller(connection, language, batch)
            _insert(connection, language, merged, run)
            save_layer(store, language, "ngram", Layer({}, batch[-1][0], run.id, complete=True), run)
        done += len(batch)


def _batches(sentences: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    starts = segment_starts(len(text) for _, text in sentences)
    for start, stop in pairwise([*starts, len(sentences)]):
        yield sentences[start:stop]


_TABLE = SegmentTable(
    last="""
    select id, length(text), checksum, text, sentences, suffixes from ngram_segment
    where language = ? order by first_sentence desc limit 1
    """,
    drop="delete from ngram_segment where id = ?",
)


def _merged_with_smaller(
    connection: sqlite3.Connection, language: str, sentences: list[tuple[int, str]]
) -> list[tuple[int, str]]:
    size = sum(len(text) + 1 for _, text in sentences)
    for checksum, text, ids, suffixes in _TABLE.taken_in(connection, language, size, MAX_CHARACTERS):
        checked_blobs(f"n-grams of {language}", checksum, text, ids, suffixes)
        texts = text.decode().strip("\n").split("\n")
        sentences = [*zip(np.frombuffer(ids, dtype="<i8").tolist(), texts, strict=True), *sentences]
    return sentences


_INSERT = """
insert into ngram_segment (language, first_sentence, last_sentence, text, sentences, suffixes, run, checksum)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""


def _insert(connection: sqlite3.Connection, language: str, sentences: list[tuple[int, str]], run: Run) -> None:
    text = "\n" + "\n".join(text for _, text in sentences) + "\n"
    ids = np.array([sentence for sentence, _ in sentences], dtype="<i8")
    suffixes = sort_suffixes(text).astype("<i4")
    blobs = text.encode(), ids.tobytes(), suffixes.tobytes()
    connection.execute(_INSERT, (language, int(ids[0]), int(ids[-1]), *blobs, run.id, blobs_checksum(*blobs)))


_SAMPLE = 300
_COMPARED_AT_ONCE = 4096

_LAYERS = "select language, last_sentence from layer where name = 'ngram' and complete"
_COUNT = "select count(*) from sentence where language = ? and id <= ?"
_CHECKED_SEGMENTS = """
select id, first_sentence, last_sentence, checksum, text, sentences, suffixes from ngram_segment
where language = ? order by first_sentence
"""
_SENTENCES = "select id, text from sentence not indexed where language = ? and id between ? and ? order by id"


class _Segment(NamedTuple):
    id: int
    first: int
    last: int
    checksum: int | None
    text: bytes
    sentences: bytes
    suffixes: bytes


def wrong_ngrams(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Segments that do not hold exactly the sentences of their layer, or other texts, or suffixes out of order.

    The order is looked at in a sample; with ``full`` the suffixes are sorted again.
    """
    problems = []
    for language, last in connection.execute(_LAYERS).fetchall():
        held, before = 0, 0
        for each in map(_Segment._make, connection.execute(_CHECKED_SEGMENTS, (language,))):
            place = each.first, each.last
            rows = connection.execute(_SENTENCES, (language, *place)).fetchall()
            ids = np.array([row[0] for row in rows], dtype="<i8")
            if not len(ids) or each.first <= before or place != (ids[0], ids[-1]) or ids.tobytes() != each.sentences:
                problems.append(
                    f"n-gram segment {each.id} of {language} does not hold the sentences {each.first} to {each.last}"
                )
            elif wrong := _wrong_segment([text for _, text in rows], each, random, full=full):
                problems.append(f"n-gram segment {each.id} {wrong}")
            elif each.checksum not in (None, blobs_checksum(each.text, each.sentences, each.suffixes)):
                problems.append(f"n-gram segment {each.id} has another checksum")
            held, before = held + len(ids), each.last
        expected = connection.execute(_COUNT, (language, last)).fetchone()[0]
        if held != expected:
            problems.append(f"the n-grams of {language} hold {held} sentences and not {expected}")
    return problems


def _wrong_segment(texts: list[str], segment: _Segment, random: Random, *, full: bool) -> str | None:
    """What is wrong with a segment, as the end of a sentence; None where nothing is."""
    try:
        text = segment.text.decode()
    except UnicodeDecodeError:
        return "has a text that is not UTF-8"
    if text != "\n" + "".join(f"{each}\n" for each in texts):
        return "has other texts than its sentences"
    if len(segment.suffixes) != 4 * len(text):
        return f"has {len(segment.suffixes) // 4} suffixes for {len(text)} characters"
    suffixes = np.frombuffer(segment.suffixes, dtype="<i4")
    if full:
        in_order = np.array_equal(sort_suffixes(text), suffixes)
    else:
        places = random.choices(range(len(text) - 1), k=_SAMPLE)
        in_order = all(_in_order(text, *suffixes[place : place + 2].tolist()) for place in places)
    return None if in_order else "has its suffixes out of order"


def _in_order(text: str, a: int, b: int) -> bool:
    """Whether the suffix at ``a`` comes before that at ``b``; each ends with the line break behind its first."""
    if not (0 <= a < len(text) and 0 <= b < len(text)):
        return False
    if a == b:
        return False
    stop_a, stop_b = text.find("\n", a + 1) % (len(text) + 1), text.find("\n", b + 1) % (len(text) + 1)
    for offset in range(0, min(stop_a - a, stop_b - b) + 1, _COMPARED_AT_ONCE):
        one = text[a + offset : min(a + offset + _COMPARED_AT_ONCE, stop_a + 1)]
        other = text[b + offset : min(b + offset + _COMPARED_AT_ONCE, stop_b + 1)]
        if one != other:
            return one < other
    return a < b
