"""Do the segments of n-grams hold the sentences of the corpus, with their suffixes in order."""

from __future__ import annotations

import sqlite3
from random import Random

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


def wrong_ngrams(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Segments that do not hold exactly the sentences of their layer, or other texts, or suffixes out of order.

    The order is looked at in a sample; with ``full`` the suffixes are sorted again.
    """
    problems = []
    for language, last in connection.execute(_LAYERS).fetchall():
        held, before = 0, 0
        for segment, first, final, checksum, *blobs in connection.execute(_SEGMENTS, (language,)):
            rows = connection.execute(_SENTENCES, (language, first, final)).fetchall()
            ids = np.array([row[0] for row in rows], dtype="<i8")
            if not len(ids) or first <= before or (first, final) != (ids[0], ids[-1]) or ids.tobytes() != blobs[1]:
                problems.append(
                    f"n-gram segment {segment} of {language} does not hold the sentences {first} to {final}"
                )
            elif wrong := _wrong_segment([text for _, text in rows], blobs, random, full=full):
                problems.append(f"n-gram segment {segment} {wrong}")
            elif checksum is not None and checksum != blobs_checksum(*blobs):
                problems.append(f"n-gram segment {segment} has another checksum")
            held, before = held + len(ids), final
        expected = connection.execute(_COUNT, (language, last)).fetchone()[0]
        if held != expected:
            problems.append(f"the n-grams of {language} hold {held} sentences and not {expected}")
    return problems


def _wrong_segment(texts: list[str], blobs: list[bytes], random: Random, *, full: bool) -> str | None:
    """What is wrong with a segment, as the end of a sentence; None where nothing is."""
    try:
        text = blobs[0].decode()
    except UnicodeDecodeError:
        return "has a text that is no UTF-8"
    if text != "\n" + "".join(f"{each}\n" for each in texts):
        return "has other texts than its sentences"
    if len(blobs[2]) != 4 * len(text):
        return f"has {len(blobs[2]) // 4} suffixes for {len(text)} characters"
    suffixes = np.frombuffer(blobs[2], dtype="<i4")
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
