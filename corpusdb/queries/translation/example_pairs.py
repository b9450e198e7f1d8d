"""The pairs of sentences of the corpus that translate one language into another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import I64
from corpusdb.errors import InputError, UsageError
from corpusdb.jobs import Job, Progress
from corpusdb.languages import language_code
from corpusdb.queries.corpus.sentences import languages_of, sentences_of
from corpusdb.store import Store
from corpusdb.translation.examples import Examples

__all__ = ["Direction", "are_paired", "direction_of", "exact_translations", "read_examples"]


@dataclass(frozen=True, slots=True)
class Direction:
    """Which pairs translate what into what."""

    source: str
    """ISO 639-3."""
    target: str
    within: I64 | None = None
    """Numbers of sentences, ascending: only pairs of these. Where none is of one of the two languages, that side is
    free. None: all pairs."""


_PAIRED = """
select exists (
    select 1 from translation
    cross join sentence own on own.id = translation.sentence and own.language = :source
    cross join sentence other on other.id = translation.translation and other.language = :target
)
"""


def are_paired(store: Store, source: str, target: str) -> bool:
    """Whether a sentence of one language is translated into another."""
    return bool(store.connection.execute(_PAIRED, {"source": source, "target": target}).fetchone()[0])


def direction_of(store: Store, source: str, target: str, within: Sequence[str] = ()) -> Direction:
    """From one language to another, in collections or selections; none named is the whole corpus.

    Raises InputError for a code that is none, for a language that the corpus does not hold, for a collection that there
    is not, and where no pair is of these languages; UsageError for one language given twice.
    """
    codes = language_code(source), language_code(target)
    if codes[0] == codes[1]:
        raise UsageError(f"from {codes[0]} to {codes[1]}: these are one language")
    present = languages_of(store)
    for code in codes:
        if code not in present:
            raise InputError(f"the corpus has no sentences in {code!r}; it has {', '.join(present) or 'none'}")
    if not are_paired(store, *codes):
        raise InputError(f"no sentence of the corpus is translated from {codes[0]} to {codes[1]}")
    chosen = [sentences_of(store, name) for name in within]
    return Direction(*codes, np.unique(np.concatenate(chosen)) if chosen else None)


# The pairs by their numbers: both directions of each are stored, and their sentences are read one language at a time.
_TEXTS = "select id, text from sentence not indexed where language = ? order by id"
_PAIRS = "select distinct sentence, translation from translation order by sentence, translation"


def read_examples(store: Store, direction: Direction) -> Job[Examples]:
    """All examples of a direction. Raises InputError where there is none."""
    yield Progress("reading sentences", 0, 0)
    sources: dict[int, str] = dict(_texts(store, direction, direction.source))
    targets: dict[int, str] = dict(_texts(store, direction, direction.target))
    yield Progress("reading pairs", 0, 0)
    found: dict[int, list[str]] = {}
    for sentence, translation in store.connection.execute(_PAIRS):
        if sentence in sources and (text := targets.get(translation)) is not None:
            found.setdefault(sentence, []).append(text)
    if not found:
        raise InputError(f"nothing that was chosen is translated from {direction.source} to {direction.target}")
    return Examples(list(found), [sources[number] for number in found], list(found.values()))


def _texts(store: Store, direction: Direction, language: str) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = store.connection.execute(_TEXTS, (language,)).fetchall()
    if direction.within is None:
        return rows
    allowed = set(direction.within.tolist())
    return [row for row in rows if row[0] in allowed] or rows


_EXACT = """
select distinct own.id, other.id, other.text from sentence own
join translation on translation.sentence = own.id
join sentence other on other.id = translation.translation and other.language = :target
where own.language = :source and own.text = :text
order by other.id
"""
_SIDE = "select exists (select 1 from sentence where language = ? and id in (select value from json_each(?)))"


def exact_translations(store: Store, direction: Direction, text: str) -> list[tuple[int, str]]:
    """The number of a text and each of its translations, the oldest first."""
    bound = {"source": direction.source, "target": direction.target, "text": text}
    rows = store.connection.execute(_EXACT, bound).fetchall()
    if direction.within is None or not rows:
        return [(sentence, translation) for sentence, _, translation in rows]
    within = set(direction.within.tolist())
    members = json.dumps(direction.within.tolist())
    free = [
        not store.connection.execute(_SIDE, (code, members)).fetchone()[0]
        for code in (direction.source, direction.target)
    ]
    return [
        (sentence, translation)
        for sentence, other, translation in rows
        if (free[0] or sentence in within) and (free[1] or other in within)
    ]
