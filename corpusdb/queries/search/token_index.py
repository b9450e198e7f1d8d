"""The sentences of a language as one stream of tokens, kept in segments.

Tokens are the units of corpusdb.text: words, clitics and marks, and characters where the script does not delimit words.
A stream of small numbers answers most questions by going through all of it: two million tokens take a millisecond.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from corpusdb.cqp import Tokens
from corpusdb.errors import DatabaseDamaged
from corpusdb.jobs import Job, Progress
from corpusdb.queries.corpus.sentences import languages_of, sentences_after
from corpusdb.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.store.exclusive import exclusive
from corpusdb.store.index_segments import SegmentTable, blobs_checksum, checked_blobs
from corpusdb.store.runs import keep_counts, run_counts
from corpusdb.text import unit_ends

__all__ = ["TokenCorpus", "Tokeniser", "load_tokens", "token_spans", "tokenise", "update_tokens", "update_tokens_of"]

_SENTENCES_PER_SEGMENT = 1 << 19
"""The most sentences that one segment holds, which bounds the memory of merging."""


@dataclass(frozen=True)
class TokenCorpus:
    """Some sentences of a language as tokens."""

    language: str
    sentences: npt.NDArray[np.int64]
    """The ids of the sentences, ascending."""
    lengths: npt.NDArray[np.int32]
    """How many tokens each of them has."""
    tokens: npt.NDArray[np.int32]
    """The type of each token, as an index into ``types``, sentence after sentence."""
    types: Sequence[str]
    """The different tokens, each once."""

    @cached_property
    def ends(self) -> npt.NDArray[np.int64]:
        """Where each sentence ends in ``tokens``."""
        return np.cumsum(self.lengths, dtype=np.int64)

    @cached_property
    def stream(self) -> Tokens:
        """The same as CQP queries take it."""
        return Tokens(self.types, self.tokens, self.ends)

    @cached_property
    def type_numbers(self) -> dict[str, int]:
        """The index of each type."""
        return {text: number for number, text in enumerate(self.types)}

    def sentence_at(self, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """For each position in ``tokens`` the index, in ``sentences``, of the sentence it stands in."""
        return np.searchsorted(self.ends, positions, side="right")

    def restricted_to(self, sentences: npt.NDArray[np.int64]) -> TokenCorpus:
        """Only the sentences with these ids; the types stay as they are."""
        wanted = np.isin(self.sentences, sentences)
        tokens = self.tokens[np.repeat(wanted, self.lengths)]
        return TokenCorpus(self.language, self.sentences[wanted], self.lengths[wanted], tokens, self.types)


def tokenise(text: str) -> list[str]:
    """The tokens of a sentence."""
    return [text[start:end] for start, end in token_spans(text)]


def token_spans(text: str) -> list[tuple[int, int]]:
    """Where each token of a sentence begins and ends, in code points, without the white space before it."""
    spans, start = [], 0
    for end in unit_ends(text):
        unit = text[start:end]
        spans.append((end - len(unit.lstrip()), end))
        start = end
    return spans


class Tokeniser:
    """Sentences to numbers of types; ``numbers`` holds the types that are known and grows."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers
        self._known: dict[str, tuple[int, ...]] = {}

    def types_of(self, texts: Iterable[str]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The lengths of the sentences, and the types of all their tokens.

        No unit reaches over white space, so every run between two spaces is cut into units only once: 1.5 million of
        them in the English of Tatoeba are 60,000 different ones.
        """
        known = self._known
        lengths: list[int] = []
        tokens: list[int] = []
        for text in texts:
            before = len(tokens)
            for run in text.split():
                units = known.get(run)
                tokens.extend(self._cut(run) if units is None else units)
            lengths.append(len(tokens) - before)
        return np.array(lengths, dtype=np.int32), np.array(tokens, dtype=np.int32)

    def _cut(self, run: str) -> tuple[int, ...]:
        numbers = self.numbers
        units = tuple(numbers.setdefault(token, len(numbers)) for token in tokenise(run))
        if len(run) < 40:  # a run without spaces in Japanese is a sentence, and will not come again
            self._known[run] = units
        return units


_TYPES = "select id, text from type where language = ? order by id"
_SEGMENTS = """
select stream_checksum, sentences, lengths, tokens from token_segment where language = ? order by first_sentence
"""


def load_tokens(store: Store, language: str) -> TokenCorpus:
    """All sentences of a language as tokens; those that are not yet in a segment are cut now.

    Inside a snapshot of the caller if the corpus may grow meanwhile. Raises DatabaseDamaged.
    """
    rows = store.connection.execute(_TYPES, (language,)).fetchall()
    types = [text for _, text in rows]
    dense = np.zeros(rows[-1][0] + 1 if rows else 0, dtype=np.int32)
    dense[[number for number, _ in rows]] = np.arange(len(rows), dtype=np.int32)
    parts = [
        (np.frombuffer(sentences, "<i8"), np.frombuffer(lengths, "<i4"), dense[_in_range(tokens, len(dense))])
        for sentences, lengths, tokens in _segments(store, language)
    ]
    last = int(parts[-1][0][-1]) if parts else 0
    if fresh := sentences_after(store, language, last):
        numbers = {text: number for number, text in enumerate(types)}
        lengths, tokens = Tokeniser(numbers).types_of(text for _, text in fresh)
        parts.append((np.array([sentence for sentence, _ in fresh], dtype=np.int64), lengths, tokens))
        types = list(numbers)
    if not parts:
        none = np.empty(0, dtype=np.int32)
        return TokenCorpus(language, none.astype(np.int64), none, none, types)
    sentences, lengths, tokens = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return TokenCorpus(language, sentences, lengths, tokens, types)


def _segments(store: Store, language: str) -> Iterator[tuple[bytes, bytes, bytes]]:
    for checksum, *columns in store.connection.execute(_SEGMENTS, (language,)):
        checked_blobs(f"tokens of {language}", checksum, *columns)
        yield tuple(columns)


def _in_range(tokens: bytes, types: int) -> npt.NDArray[np.int32]:
    """The numbers of types as they are stored. Raises DatabaseDamaged where there is no such type."""
    numbers = np.frombuffer(tokens, "<i4")
    if len(numbers) and not 0 < numbers.min() <= numbers.max() < types:
        raise DatabaseDamaged("there are tokens of no type; `corpusdb check --repair` makes them anew")
    return numbers


@exclusive("tokenise")
def update_tokens(store: Store) -> Job[None]:
    """Take the sentences of every language that are in no segment yet into one."""
    for language in languages_of(store):
        yield from update_tokens_of(store, language)


_LAST = "select coalesce(max(last_sentence), 0) from token_segment where language = ?"
_HAS_NEW = "select exists (select 1 from sentence where language = ? and id > ?)"


def update_tokens_of(store: Store, language: str) -> Job[None]:
    """The same in one language; part of a job.

    One transaction holds at most half a million sentences; an interrupted call goes on behind the last one.
    """
    state = layer_state(store, language, "token")  # None where an older version made the segments
    last = state.last_sentence if state else int(store.connection.execute(_LAST, (language,)).fetchone()[0])
    if not store.connection.execute(_HAS_NEW, (language, last)).fetchone()[0]:
        return
    fresh = sentences_after(store, language, last)
    for first in range(0, len(fresh), _SENTENCES_PER_SEGMENT):
        yield Progress("tokenising sentences", first, len(fresh))
        end = first + _SENTENCES_PER_SEGMENT
        with store.write() as connection:
            run = start_run(store, "tokenise", {"language": language})
            _store_segment(connection, language, fresh[first:end], run)
            # No translation is in it, of whatever run.
            state = Layer({}, fresh[first:end][-1][0], last_run=0, complete=end >= len(fresh))
            save_layer(store, language, "token", state, run)
            done = run_counts(store, run).get("sentences", 0) + len(fresh[first:end])
            note = keep_counts if end < len(fresh) else finish_run
            note(store, run, {"sentences": done})


_NEW_TYPE = "insert into type (id, language, text) values (?, ?, ?)"
_NEXT_TYPE = "select coalesce(max(id), 0) + 1 from type"
_INSERT = """
insert into token_segment (
    language, first_sentence, last_sentence, sentences, lengths, tokens, text, run, stream_checksum, text_checksum
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def _store_segment(connection: sqlite3.Connection, language: str, batch: list[tuple[int, str]], run: Run) -> None:
    rows = connection.execute(_TYPES, (language,)).fetchall()
    numbers = {text: number for number, (_, text) in enumerate(rows)}
    lengths, dense = Tokeniser(numbers).types_of(text for _, text in batch)
    next_type = connection.execute(_NEXT_TYPE).fetchone()[0]
    new = [(next_type + place, language, text) for place, text in enumerate(list(numbers)[len(rows) :])]
    connection.executemany(_NEW_TYPE, new)
    ids = np.array([number for number, _ in rows] + [number for number, _, _ in new], dtype="<i4")
    part = _Part(
        np.array([sentence for sentence, _ in batch], dtype="<i8").tobytes(),
        lengths.astype("<i4").tobytes(),
        ids[dense].tobytes(),
        "".join(f"{text}\n" for _, text in batch).encode(),
    )
    parts = [*_taken_in(connection, language, len(batch)), part]
    whole = _Part(*map(b"".join, zip(*parts, strict=True)))
    first, last = whole.sentences[:8], whole.sentences[-8:]
    place = (language, int.from_bytes(first, "little"), int.from_bytes(last, "little"))
    connection.execute(_INSERT, (*place, *whole, run.id, whole.stream_checksum, whole.text_checksum))


class _Part(NamedTuple):
    """The columns of a segment, which are joined by appending them."""

    sentences: bytes
    lengths: bytes
    tokens: bytes
    text: bytes

    @property
    def stream_checksum(self) -> int:
        return blobs_checksum(self.sentences, self.lengths, self.tokens)

    @property
    def text_checksum(self) -> int:
        return blobs_checksum(self.sentences, self.text)


_TABLE = SegmentTable(
    last="""
    select id, length(sentences) / 8, stream_checksum, text_checksum, sentences, lengths, tokens, text
    from token_segment where language = ? order by first_sentence desc limit 1
    """,
    drop="delete from token_segment where id = ?",
)


def _taken_in(connection: sqlite3.Connection, language: str, size: int) -> Iterator[_Part]:
    """The last segments that a new one of ``size`` sentences takes in, in their order; they are deleted."""
    parts: list[_Part] = []
    for row in _TABLE.taken_in(connection, language, size, _SENTENCES_PER_SEGMENT):
        stream_checksum, text_checksum, *columns = row
        parts.append(part := _Part(*columns))
        checked_blobs(f"tokens of {language}", stream_checksum, part.sentences, part.lengths, part.tokens)
        checked_blobs(f"texts of {language}", text_checksum, part.sentences, part.text)
    return reversed(parts)
