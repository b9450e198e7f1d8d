"""Do annotations fit the sentences that they are of: tokens stand in the texts, and values in the vocabularies."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from random import Random

import numpy as np

from corpusdb.base.errors import CorpusError
from corpusdb.base.morphemes import Analyser, required_analyser
from corpusdb.corpus.formats.annotation import WORD_ATTRIBUTE
from corpusdb.corpus.queries.annotations import IMPORTED, AnnotatedSentences, read_annotations, read_column
from corpusdb.search.queries.morpheme_annotation import annotation_of

__all__ = ["wrong_annotations"]

_SAMPLE = 300

_LANGUAGES = "select distinct language from annotation order by language"
_ATTRIBUTE_NAMES = "select annotation, name from annotation_attribute order by annotation, id"
_ORPHANS = "select count(*) from annotation_attribute where annotation not in (select id from annotation)"


def wrong_annotations(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Segments whose sentences, tokens, values or lines are not those of sentences of their language.

    Where the analyser is installed that made them, a sample of the sentences is analysed again; with ``full`` all.
    """
    problems = []
    names: dict[int, list[str]] = {}
    for segment, name in connection.execute(_ATTRIBUTE_NAMES):
        names.setdefault(segment, []).append(name)
    for (language,) in connection.execute(_LANGUAGES).fetchall():
        seen: dict[bool, set[int]] = {True: set(), False: set()}
        try:
            for each in read_annotations(connection, language):
                known = seen[each.source == IMPORTED]
                wrong = _wrong_segment(connection, each, language, names.get(each.segment, [])) or _wrong_tokens(
                    connection, each, language, None if full else random
                )
                if not wrong and not known.isdisjoint(each.sentences.tolist()):
                    wrong = "annotates sentences that another one does"
                known.update(each.sentences.tolist())
                problems += [f"annotation {each.segment} of {language} {wrong}"] if wrong else []
        except (CorpusError, UnicodeDecodeError, ValueError) as error:
            problems.append(str(error))
    orphans = connection.execute(_ORPHANS).fetchone()[0]
    return problems + ([f"{orphans} attributes are of no annotation"] if orphans else [])


_TEXTS = """
select sentence.id, sentence.text from json_each(?) given join sentence on sentence.id = given.value
where sentence.language = ?
"""


def _wrong_segment(
    connection: sqlite3.Connection, each: AnnotatedSentences, language: str, names: Sequence[str]
) -> str | None:
    """What is wrong with a segment, as the end of a sentence; None where nothing is."""
    count = int(each.lengths.sum(dtype=np.int64)) if len(each.lengths) else 0
    fits = len(each.sentences) == len(each.lengths) == len(each.remarks) and count == len(each.begins) == len(each.ends)
    if not fits or (each.lengths < 0).any():
        return "has lengths that are not those of its sentences"
    if WORD_ATTRIBUTE not in names:
        return "has no words"
    for name in names:
        column = read_column(connection, each.segment, name, language)
        if column is None or len(column[1]) != count or column[0][:1] != [""] or len({*column[0]}) < len(column[0]):
            return f"has values of {name} that are not those of its tokens"
    return None


def _wrong_tokens(
    connection: sqlite3.Connection, each: AnnotatedSentences, language: str, random: Random | None
) -> str | None:
    """The same of where its tokens stand, and what an analyser says of a sample."""
    given = json.dumps(each.sentences.tolist())
    texts = dict(connection.execute(_TEXTS, (given, language)).fetchall())
    if len(texts) < len({*each.sentences.tolist()}) or len(texts) < len(each.sentences):
        return "annotates sentences that are not there, or twice"
    sizes = np.array([len(texts[sentence]) for sentence in each.sentences.tolist()], dtype=np.int64)
    within = np.repeat(sizes, each.lengths)
    if ((each.begins < 0) | (each.begins >= each.ends) | (each.ends > within)).any():
        return "has tokens that stand outside of their sentences"
    owners = np.repeat(np.arange(len(sizes)), each.lengths)
    if ((np.diff(each.begins) < 0) & (np.diff(owners) == 0)).any():
        return "has tokens that are not in the order of their sentences"
    analyser = None if each.source == IMPORTED else _analyser(each.source)
    if analyser is None:
        return None
    places = range(len(sizes))
    chosen = places if random is None else random.sample(places, min(len(places), _SAMPLE))
    ends = np.cumsum(each.lengths, dtype=np.int64)
    for place in chosen:
        first, last = int(ends[place] - each.lengths[place]), int(ends[place])
        stored = list(zip(each.begins[first:last].tolist(), each.ends[first:last].tolist(), strict=True))
        if stored != [*annotation_of(analyser.analyse(texts[int(each.sentences[place])])).spans]:
            return "has other tokens than its analyser finds"
    return None


def _analyser(identity: str) -> Analyser | None:
    try:
        return required_analyser(identity)
    except CorpusError:
        return None
