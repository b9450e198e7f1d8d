"""Do the segments of n-grams hold the sentences of the corpus, with their suffixes in order."""

from __future__ import annotations

import sqlite3
from random import Random
from typing import NamedTuple

import numpy as np

from corpusdb.ngrams.suffixes import sort_suffixes
from corpusdb.store.index_segments import blobs_checksum

__all__ = ["wrong_ngrams"]

_SAMPLE = 300
_COMPARED_AT_ONCE = 4096

_LAYERS = "select language, last_sentence from layer where name = 'ngram' and complete"
_COUNT = "select count(*) from sentence where language = ? and id <= ?"
_SEGMENTS = """
select id, first_sentence, last_sentence, checksum, text, sentences, suffixes from ngram_segment
where language = ? order by first_sentence
"""
_SENTENCES = "select id, text from sentence not indexed where language = ? and id between ? and ? order by id"


class _Segment(NamedTuple):
    """A row of the table."""

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
        for each in map(_Segment._make, connection.execute(_SEGMENTS, (language,))):
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
        return "has a text that is no UTF-8"
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
