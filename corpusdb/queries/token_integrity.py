"""Do the token segments hold the sentences of the corpus, and each sentence's own tokens."""

from __future__ import annotations

import sqlite3
from random import Random

import numpy as np

from corpusdb.queries.tokens import tokenise

__all__ = ["wrong_tokens"]

_SAMPLE = 300

_SEGMENTS = """
select id, language, sentences, lengths, tokens, text from token_segment order by language, first_sentence
"""
_IDS = "select id from sentence not indexed where language = ? and id between ? and ? order by id"


def wrong_tokens(connection: sqlite3.Connection, random: Random) -> list[str]:
    """Segments that do not hold exactly the sentences of their range, or other texts or tokens than these have."""
    problems = []
    last: dict[str, int] = {}
    for segment, language, *blobs in connection.execute(_SEGMENTS):
        sentences = np.frombuffer(blobs[0], dtype="<i8")
        first = last.get(language, 0) + 1
        ids = [row[0] for row in connection.execute(_IDS, (language, first, int(sentences[-1])))]
        last[language] = int(sentences[-1])
        if ids != sentences.tolist():
            problems.append(f"token segment {segment} of {language} does not hold the sentences up to {sentences[-1]}")
        else:
            problems += _wrong_segment(connection, segment, (ids, *blobs[1:]), random)
    return problems


_TEXT = "select text from sentence where id = ?"
_TYPE = "select text from type where id = ?"


def _wrong_segment(
    connection: sqlite3.Connection, segment: int, columns: tuple[list[int], bytes, bytes, bytes], random: Random
) -> list[str]:
    ids, lengths, tokens = columns[0], np.frombuffer(columns[1], "<i4"), np.frombuffer(columns[2], "<i4")
    try:
        texts = columns[3].decode().split("\n")[:-1]
    except UnicodeDecodeError:
        return [f"the text of token segment {segment} is no UTF-8"]
    if not len(ids) == len(texts) == len(lengths) or lengths.sum() != len(tokens):
        return [f"token segment {segment} has {len(texts)} texts and {len(tokens)} tokens that do not fit"]
    ends = np.cumsum(lengths)
    for place in random.choices(range(len(ids)), k=_SAMPLE):
        (text,) = connection.execute(_TEXT, (ids[place],)).fetchone()
        types = tokens[ends[place] - lengths[place] : ends[place]].tolist()
        found = [row[0] for number in types for row in connection.execute(_TYPE, (number,))]
        if texts[place] != text or found != tokenise(text):
            return [f"token segment {segment} has other texts or tokens than its sentences"]
    return []
