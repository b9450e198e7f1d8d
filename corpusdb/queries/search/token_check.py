"""Do the token segments hold the sentences of the corpus, and each sentence's own tokens."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from corpusdb.store.index_segments import blobs_checksum
from corpusdb.textsearch.token_corpus import Tokeniser

__all__ = ["wrong_tokens"]

_SAMPLE = 300
_SAMPLED_CHARACTERS = 100_000

_SEGMENTS = """
select id, language, first_sentence, last_sentence, sentences, lengths, tokens, text, stream_checksum, text_checksum
from token_segment order by language, first_sentence
"""
_SENTENCES = "select id, text from sentence not indexed where language = ? and id between ? and ? order by id"
_LAYERS = "select language, last_sentence from layer where name = 'token'"
_TYPES = "select id, text from type where language = ?"


class _Segment(NamedTuple):
    """A row of the table."""

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
    for segment in map(_Segment._make, connection.execute(_SEGMENTS)):
        first = before[1] + 1 if before[0] == segment.language else 1
        rows = connection.execute(_SENTENCES, (segment.language, first, segment.last)).fetchall()
        types = dict(connection.execute(_TYPES, (segment.language,)).fetchall())
        wrong = _wrong_place(segment, rows) or _wrong_content(segment, rows, types, None if full else random)
        if wrong:
            problems.append(f"token segment {segment.id} of {segment.language} {wrong}")
        elif full:
            tokens = np.unique(np.frombuffer(segment.tokens, "<i4")).tolist()
            used.setdefault(segment.language, set()).update(tokens)
        before = segment.language, segment.last
        last[segment.language] = segment.last
    for language, through in connection.execute(_LAYERS):
        if last.get(language) != through:
            problems.append(f"the tokens of {language} do not hold the sentences up to {through}")
    if full and not problems:
        problems += _unused_types(connection, used)
    return problems


def _wrong_place(segment: _Segment, rows: Sequence[tuple[int, str]]) -> str | None:
    """What is wrong with the sentences of a segment, as the end of a sentence; None where nothing is."""
    ids = np.array([row[0] for row in rows], dtype="<i8")
    if not len(ids) or ids.tobytes() != segment.sentences or segment.first != ids[0] or segment.last != ids[-1]:
        return f"does not hold the sentences up to {segment.last}"
    return None


def _wrong_content(
    segment: _Segment, rows: Sequence[tuple[int, str]], types: dict[int, str], random: Random | None
) -> str | None:
    """The same of its texts and tokens, those of a sample where there is a ``random``."""
    try:
        text = segment.text.decode()
    except UnicodeDecodeError:
        return "has a text that is no UTF-8"
    if text != "".join(f"{each}\n" for _, each in rows):
        return "has other texts or tokens than its sentences"
    if len(segment.lengths) != 4 * len(rows) or len(segment.tokens) % 4:
        return "has lengths that are not those of its sentences"
    lengths = np.frombuffer(segment.lengths, "<i4")
    tokens = np.frombuffer(segment.tokens, "<i4")
    if (lengths < 0).any() or int(lengths.sum(dtype=np.int64)) != len(tokens):
        return f"has {len(rows)} texts and {len(tokens)} tokens that do not fit"
    if not types.keys() >= set(np.unique(tokens).tolist()):
        return "has other texts or tokens than its sentences, some of no type"
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    places = list(range(len(rows))) if random is None else _sampled(rows, random)
    cut_lengths, cut = Tokeniser({text: number for number, text in types.items()}).types_of(
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
    """Some sentences, as many as are cut at once."""
    places: list[int] = []
    characters = 0
    for place in random.sample(range(len(rows)), min(len(rows), _SAMPLE)):
        characters += len(rows[place][1])
        if places and characters > _SAMPLED_CHARACTERS:
            break
        places.append(place)
    return places


_ALL_TYPES = "select language, id from type"


def _unused_types(connection: sqlite3.Connection, used: dict[str, set[int]]) -> list[str]:
    unused = sum(number not in used.get(language, ()) for language, number in connection.execute(_ALL_TYPES))
    return [f"{unused} types of tokens stand nowhere"] if unused else []
