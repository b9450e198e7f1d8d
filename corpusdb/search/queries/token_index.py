"""Every sentence of every language as a sequence of numbers, stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import (
    I64,
    U32,
    compressed,
    decompressed,
    packed,
    packed_small,
    packed_steps,
    unpacked,
    unpacked_steps,
)
from corpusdb.base.errors import DatabaseDamaged
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import are_undelimited
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import (
    SegmentTable,
    blobs_checksum,
    checked_numbers,
    keep_counts,
    run_counts,
)
from corpusdb.search.matches import LanguageText

if TYPE_CHECKING:
    from random import Random

    from corpusdb.search.token_corpus import TokenCorpus

_SENTENCES_PER_SEGMENT = 1 << 19
"""The most sentences that one segment holds, which bounds the memory of merging."""


_TEXTS = """
select first_sentence, text_checksum, sentences, text from token_segment where language = ? order by first_sentence
"""


def load_text(store: Store, language: str) -> LanguageText:
    """All sentences of a language. Inside a snapshot of the caller if the corpus may grow meanwhile.

    Raises DatabaseDamaged.
    """
    parts, texts = [np.zeros(0, dtype=np.int64)], []
    for first, checksum, *blobs in store.large_rows(_TEXTS, (language,)):
        with checked_numbers(f"texts of {language}", checksum, *blobs):
            parts.append(unpacked_steps(first, blobs[0]))
            texts.append(decompressed(blobs[1]))
    text = LanguageText(language, np.concatenate(parts), b"".join(texts))
    return extend_text(text, store)


def extend_text(text: LanguageText, store: Store) -> LanguageText:
    """``text`` with the sentences that were stored since."""
    last = int(text.sentences[-1]) if len(text.sentences) else 0
    fresh = sentences_after(store, text.language, last)
    if not fresh:
        return text
    sentences = np.concatenate([text.sentences, np.array([sentence for sentence, _ in fresh], dtype=np.int64)])
    return LanguageText(text.language, sentences, text.encoded + "".join(f"{line}\n" for _, line in fresh).encode())


_TYPES = "select text from type not indexed where language = ? order by id"
_SEGMENTS = """
select first_sentence, stream_checksum, sentences, lengths, tokens from token_segment
where language = ? order by first_sentence
"""


def load_tokens(store: Store, language: str) -> TokenCorpus:
    """All sentences of a language as tokens, with what is known of these.

    Inside a snapshot of the caller if the corpus may grow meanwhile. Raises DatabaseDamaged.
    """
    from corpusdb.corpus.queries.annotations import annotation_state

    units = load_units(store, language)
    if not annotation_state(store.connection):  # as in most corpora, whose search should not load what reads them
        return units
    from corpusdb.search.queries.annotated_corpus import with_annotations

    return with_annotations(store, units)


def load_units(store: Store, language: str) -> TokenCorpus:
    """All sentences of a language cut into units, also those that are annotated; those in no segment are cut now.

    Inside a snapshot of the caller if the corpus may grow meanwhile. Raises DatabaseDamaged.
    """
    from corpusdb.search.token_corpus import TokenCorpus, Tokeniser

    types = [text for (text,) in store.connection.execute(_TYPES, (language,))]
    parts = [
        (sentences, lengths.astype(np.int32), _in_range(tokens, len(types)).view(np.int32))
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


def cut_some(text: LanguageText, indexes: I64) -> TokenCorpus:
    """The sentences of a text as tokens, of which only those at some indexes are cut, and the others have none."""
    from corpusdb.search.token_corpus import TokenCorpus, Tokeniser

    numbers: dict[str, int] = {}
    lengths = np.zeros(len(text.sentences), dtype=np.int32)
    lengths[indexes], tokens = Tokeniser(numbers).types_of(text.texts(indexes))
    return TokenCorpus(text.language, text.sentences, lengths, tokens, list(numbers))


def _segments(store: Store, language: str) -> Iterator[tuple[I64, U32, U32]]:
    for first, checksum, *blobs in store.large_rows(_SEGMENTS, (language,)):
        with checked_numbers(f"tokens of {language}", checksum, *blobs):
            found = unpacked_steps(first, blobs[0]), unpacked(blobs[1]), unpacked(blobs[2])
        yield found


def _in_range(tokens: U32, types: int) -> U32:
    """The numbers of types as they are stored. Raises DatabaseDamaged where there is no such type."""
    if len(tokens) and tokens.max() >= types:
        raise DatabaseDamaged("there are tokens of no type; `corpusdb check --repair` rebuilds them")
    return tokens


_LAST = "select coalesce(max(last_sentence), 0) from token_segment where language = ?"
_HAS_NEW = "select exists (select 1 from sentence where language = ? and id > ?)"


def update_tokens(store: Store, language: str) -> Job[None]:
    """Take the sentences of a language that are in no segment yet into one; part of a job.

    New sentences make a small segment of their own, which swallows those before it that are not much larger. One
    transaction holds at most half a million sentences; an interrupted call continues after the last one.
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


_FORGET_FROM = "delete from token_segment where language = ? and last_sentence >= ?"
_FORGET_TYPES = """
delete from type where id in (select id from type where language = ? order by id limit -1 offset ?)
"""


def forget_tokens(store: Store, language: str, run: Run, sentences: Sequence[tuple[int, str]]) -> None:
    """Drop the segments from the first of these sentences on, with the types that only they have: they are made again
    of what is left. Inside a transaction of the caller."""
    if not sentences:
        return
    connection = store.connection
    connection.execute(_FORGET_FROM, (language, sentences[0][0]))
    # The types are numbered as they come, so that the last are those of what was dropped.
    used = max((int(tokens.max()) + 1 for *_, tokens in _segments(store, language) if len(tokens)), default=0)
    connection.execute(_FORGET_TYPES, (language, used))
    (last,) = connection.execute(_LAST, (language,)).fetchone()
    save_layer(store, language, "token", Layer({}, last, last_run=0, complete=True), run)


_NEW_TYPE = "insert into type (language, text) values (?, ?)"
_INSERT = """
insert into token_segment (
    language, first_sentence, last_sentence, sentences, lengths, tokens, text, stream_checksum, text_checksum, run
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def _store_segment(connection: sqlite3.Connection, language: str, batch: list[tuple[int, str]], run: Run) -> None:
    from corpusdb.search.token_corpus import Tokeniser

    numbers = {text: number for number, (text,) in enumerate(connection.execute(_TYPES, (language,)))}
    known = len(numbers)
    lengths, tokens = Tokeniser(numbers).types_of(text for _, text in batch)
    connection.executemany(_NEW_TYPE, [(language, text) for text in islice(numbers, known, None)])
    sentences = np.array([sentence for sentence, _ in batch], dtype=np.int64)
    text = "".join(f"{text}\n" for _, text in batch).encode()
    part = _Part(sentences, lengths.astype(np.int64), tokens.astype(np.int64), text)
    whole = _Part.joined([*_taken_in(connection, language, len(batch)), part])
    connection.execute(_INSERT, (language, *whole.row, run.id))


class _Part(NamedTuple):
    """The columns of a segment, which are joined by appending them."""

    sentences: I64
    lengths: I64 | U32
    tokens: I64 | U32
    text: bytes
    """Not compressed."""

    @classmethod
    def joined(cls, parts: Sequence[_Part]) -> _Part:
        return cls(
            np.concatenate([each.sentences for each in parts]),
            np.concatenate([each.lengths for each in parts]),
            np.concatenate([each.tokens for each in parts]),
            b"".join(each.text for each in parts),
        )

    @property
    def row(self) -> tuple[object, ...]:
        """As it is stored, but for the language and the run."""
        place = int(self.sentences[0]), int(self.sentences[-1])
        stream = packed_steps(self.sentences), packed(self.lengths), packed_small(self.tokens)
        text = compressed(self.text)
        return *place, *stream, text, blobs_checksum(*stream), blobs_checksum(stream[0], text)


_TABLE = SegmentTable(
    # Of packed lengths the first byte says how many bytes each takes.
    last="""
    select id, (length(lengths) - 1) / instr(x'01020304', substr(lengths, 1, 1)), first_sentence,
           stream_checksum, text_checksum, sentences, lengths, tokens, text
    from token_segment where language = ? order by first_sentence desc limit 1
    """,
    drop="delete from token_segment where id = ?",
)


def _taken_in(connection: sqlite3.Connection, language: str, size: int) -> list[_Part]:
    """The last segments that a new one of ``size`` sentences takes in, in their order; they are deleted."""
    parts: list[_Part] = []
    for row in _TABLE.taken_in(connection, language, size, _SENTENCES_PER_SEGMENT):
        first, stream_checksum, text_checksum, *stream, text = row
        with checked_numbers(f"texts of {language}", text_checksum, stream[0], text):
            lines = decompressed(text)
        with checked_numbers(f"tokens of {language}", stream_checksum, *stream):
            parts.append(_Part(unpacked_steps(first, stream[0]), unpacked(stream[1]), unpacked(stream[2]), lines))
    return parts[::-1]


_SAMPLE = 300
_SAMPLED_CHARACTERS = 100_000

_CHECKED_SEGMENTS = """
select id, language, first_sentence, last_sentence, sentences, lengths, tokens, text, stream_checksum, text_checksum
from token_segment order by language, first_sentence
"""
_SENTENCES = "select id, text from sentence not indexed where language = ? and id between ? and ? order by id"
_LAYERS = "select language, last_sentence from layer where name = 'token'"
_ALL_TYPES = "select language, count(*) from type group by language"


class _Segment(NamedTuple):
    id: int
    language: str
    first: int
    last: int
    sentences: bytes
    lengths: bytes
    tokens: bytes
    text: bytes
    stream_checksum: int | None
    text_checksum: int | None


def wrong_tokens(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Segments that do not hold exactly the sentences of their range, or other texts or tokens than these have.

    Tokens are compared in a sample; with ``full`` all sentences are cut again, and every type has to be used.
    """
    problems = []
    before: tuple[str, int] = ("", 0)
    last: dict[str, int] = {}
    used: dict[str, set[int]] = {}
    for segment in map(_Segment._make, connection.execute(_CHECKED_SEGMENTS)):
        first = before[1] + 1 if before[0] == segment.language else 1
        rows = connection.execute(_SENTENCES, (segment.language, first, segment.last)).fetchall()
        types = [text for (text,) in connection.execute(_TYPES, (segment.language,))]
        wrong = _wrong_place(segment, rows) or _wrong_content(segment, rows, types, None if full else random)
        if wrong:
            problems.append(f"token segment {segment.id} of {segment.language} {wrong}")
        elif full:
            tokens = np.unique(unpacked(segment.tokens)).tolist()
            used.setdefault(segment.language, set()).update(tokens)
        before = segment.language, segment.last
        last[segment.language] = segment.last
    for language, through in connection.execute(_LAYERS):
        if last.get(language, 0) != through:
            problems.append(f"the tokens of {language} do not hold the sentences up to {through}")
    if full and not problems:
        unused = sum(count - len(used.get(language, ())) for language, count in connection.execute(_ALL_TYPES))
        problems += [f"{unused} types of tokens occur nowhere"] if unused else []
    return problems


def _wrong_place(segment: _Segment, rows: Sequence[tuple[int, str]]) -> str | None:
    """What is wrong with the sentences of a segment, as the end of a sentence; None where nothing is."""
    ids = np.array([row[0] for row in rows], dtype=np.int64)
    if not len(ids) or packed_steps(ids) != segment.sentences or segment.first != ids[0] or segment.last != ids[-1]:
        return f"does not hold the sentences up to {segment.last}"
    return None


def _wrong_content(
    segment: _Segment, rows: Sequence[tuple[int, str]], types: Sequence[str], random: Random | None
) -> str | None:
    """The same of its texts and tokens, those of a sample where there is a ``random``."""
    try:
        text = decompressed(segment.text).decode()
    except ValueError:
        return "has a text that is not compressed UTF-8"
    if text != "".join(f"{each}\n" for _, each in rows):
        return "has other texts or tokens than its sentences"
    try:
        lengths, tokens = unpacked(segment.lengths), unpacked(segment.tokens)
    except ValueError:
        return "has lengths or tokens that are no numbers"
    if len(lengths) != len(rows):
        return "has lengths that are not those of its sentences"
    if int(lengths.sum()) != len(tokens):
        return f"has {len(rows)} texts and {len(tokens)} tokens that do not fit"
    if tokens.max(initial=0) >= max(len(types), 1):
        return "has other texts or tokens than its sentences, some of no type"
    from corpusdb.search.token_corpus import Tokeniser

    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    places = list(range(len(rows))) if random is None else _sampled(rows, random)
    cut_lengths, cut = Tokeniser({text: number for number, text in enumerate(types)}).types_of(
        rows[place][1] for place in places
    )
    stored = np.concatenate([tokens[ends[place] : ends[place + 1]] for place in places])
    if not np.array_equal(cut_lengths, lengths[places]) or not np.array_equal(cut, stored):
        return "has other texts or tokens than its sentences"
    checksums = (
        (segment.stream_checksum, blobs_checksum(segment.sentences, segment.lengths, segment.tokens)),
        (segment.text_checksum, blobs_checksum(segment.sentences, segment.text)),
    )
    return "has another checksum" if any(kept not in (None, counted) for kept, counted in checksums) else None


def _sampled(rows: Sequence[tuple[int, str]], random: Random) -> list[int]:
    places: list[int] = []
    characters = 0
    for place in random.sample(range(len(rows)), min(len(rows), _SAMPLE)):
        characters += len(rows[place][1])
        if places and characters > _SAMPLED_CHARACTERS:
            break
        places.append(place)
    return places


JAPANESE: Final = "jpn"
ANNOTATION: Final = "annotation"
"""The layer of what an analyser made."""

_SOME = "select text from sentence where language = ? limit 100"


def is_undelimited(store: Store, language: str) -> bool:
    """Whether a language is written without spaces, as far as its first sentences tell."""
    return are_undelimited(text for (text,) in store.connection.execute(_SOME, (language,)))


_ANNOTATED = "select exists (select 1 from annotation where language = ?)"


def is_in_characters(store: Store, language: str) -> bool:
    """Whether the tokens of a language are its characters: it is written without spaces, and not annotated."""
    return not store.connection.execute(_ANNOTATED, (language,)).fetchone()[0] and is_undelimited(store, language)


_BEHIND = "select count(*) from sentence where language = ? and id > ?"


def way_of(store: Store, language: str) -> str | None:
    """What is to be said of how a language is cut that is written without spaces; None where there is nothing."""
    if language != JAPANESE:
        return None
    state = layer_state(store, language, ANNOTATION)
    if state is None:
        return "Japanese is searched by characters, each a token; `corpusdb annotate --lang jpn` makes words of them"
    behind = int(store.connection.execute(_BEHIND, (language, state.last_sentence)).fetchone()[0])
    if not behind:
        return None
    return f"{behind:,} jpn sentences are not yet cut into words: `corpusdb annotate --lang jpn`"
