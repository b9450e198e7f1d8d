"""Character n-grams of every length over a language's sentences, as sorted suffixes in segments."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import numpy.typing as npt

from corpusdb.jobs import Job, Progress
from corpusdb.ngrams.longest_matches import SortedCorpus
from corpusdb.ngrams.suffixes import MAX_CHARACTERS, SuffixIndex, segment_starts, sort_suffixes
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.store import Layer, Run, Store, layer_state, save_layer
from corpusdb.store.index_segments import SegmentTable, blobs_checksum, checked_blobs

__all__ = ["NgramIndex", "Segment", "load_ngrams", "shared_ngrams", "update_ngrams"]


@dataclass(frozen=True)
class Segment:
    """Some sentences of a language, and where every sequence of characters stands in them."""

    text: str
    """Each sentence between two line breaks."""
    sentences: npt.NDArray[np.int64]
    """Their ids, ascending, in the order of the text."""
    suffixes: npt.NDArray[np.int32]

    @cached_property
    def starts(self) -> list[int]:
        """Where each sentence begins in the text."""
        breaks = np.flatnonzero(np.frombuffer(self.text.encode("utf-32-le"), dtype=np.uint32) == 10)
        starts: list[int] = (breaks[:-1] + 1).tolist()
        return starts

    def sentence_at(self, offset: int) -> tuple[int, int]:
        """Which sentence a character belongs to, and where that begins; a line break belongs to the one after it."""
        place = min(bisect_right(self.starts, offset + (self.text[offset] == "\n")) - 1, len(self.starts) - 1)
        return int(self.sentences[place]), self.starts[place]

    def sentence_text(self, start: int) -> str:
        """The sentence that begins at ``start``."""
        return self.text[start : self.text.index("\n", start)]


class NgramIndex(SuffixIndex):
    """Where every sequence of characters stands in the sentences of a language."""

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
    return NgramIndex([_segment(language, *row) for row in store.connection.execute(_SEGMENTS, (language,))])


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
    return Segment(text.decode(), np.frombuffer(sentences, dtype="<i8"), np.frombuffer(suffixes, dtype="<i4"))


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
