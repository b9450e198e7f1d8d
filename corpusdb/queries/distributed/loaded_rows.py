"""The derived rows of a run, with the numbers that sentences, contexts and fillers have in a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from corpusdb.arrays import I64
from corpusdb.jobs import Job, Progress
from corpusdb.store import Run, Store
from corpusdb.store.index_segments import blobs_checksum

if TYPE_CHECKING:
    from corpusdb.distributed.results import Part

__all__ = [
    "Numbers",
    "clear_rows",
    "store_generated",
    "store_index",
    "store_paraphrases",
    "store_rewordings",
]

_ROWS_AT_ONCE = 200_000

_SENTENCES = "select text, id from sentence where language = ?"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Sentences by the numbers of the run, ascending, and by those of the database."""

    of_run: I64
    of_file: I64
    text_of: dict[int, str]

    @classmethod
    def of(cls, store: Store, part: Part) -> Numbers:
        """After the units were imported, whose sentences are those of the run."""
        from corpusdb.distributed.results import Among

        text_of: dict[int, str] = dict(
            part.results.rows("sentence", ("sentence", "text"), Among("sentence", part.sentences))
        )
        known = dict(store.connection.execute(_SENTENCES, (part.results.plan.language,)))
        of_run = np.array(sorted(text_of), dtype=np.int64)
        of_file = np.array([known[text_of[number]] for number in of_run.tolist()], dtype=np.int64)
        return cls(of_run, of_file, text_of)

    def in_file(self, numbers: I64) -> I64:
        """The numbers that sentences have in the database."""
        return self.of_file[np.searchsorted(self.of_run, numbers)]

    def number(self, sentence: int) -> int:
        """The same of one sentence."""
        return int(self.of_file[int(np.searchsorted(self.of_run, sentence))])

    def texts(self, numbers: I64) -> list[str]:
        """The texts of sentences."""
        return [self.text_of[number] for number in numbers.tolist()]


_CLEAR = (
    "delete from rewording where sentence in (select id from sentence where language = :language)",
    "delete from candidate where seed in (select id from seed where language = :language)",
    "delete from seed where language = :language",
    "delete from exchange_part where exchange in (select id from exchange where language = :language)",
    "delete from exchange where language = :language",
    "delete from substitution where context in (select id from context where language = :language)",
    "delete from commutation where x in (select id from filler where language = :language)",
    "delete from slot where context in (select id from context where language = :language)",
    "delete from filler where language = :language",
    "delete from context where language = :language",
    "delete from ngram_segment where language = :language",
    "delete from paraphrase where sentence in (select id from sentence where language = :language)",
)


def clear_rows(connection: sqlite3.Connection, language: str) -> None:
    """Remove what an interrupted load left; in a transaction of the caller."""
    for statement in _CLEAR:
        connection.execute(statement, {"language": language})


def _stored(store: Store, stage: str, statement: str, rows: Iterable[tuple[Any, ...]]) -> Job[int]:
    """Store rows, some in each transaction; how many they were."""
    waiting, done = iter(rows), 0
    while batch := list(islice(waiting, _ROWS_AT_ONCE)):
        yield Progress(stage, done, 0)
        with store.write() as connection:
            connection.executemany(statement, batch)
        done += len(batch)
    return done


_PARAPHRASE = """
insert into paraphrase (sentence, paraphrase, translations, languages, probability, run, validity)
values (?, ?, ?, ?, ?, ?, ?)
"""


def store_paraphrases(store: Store, part: Part, numbers: Numbers, run: Run) -> Job[dict[str, int]]:
    """The detected paraphrases of the seeds, and of the sentences of which analogies replace another."""
    from corpusdb.distributed.results import Among

    own: I64 | None = None if part.is_all else np.unique([*part.seeds, *(one for one, _ in part.rewordings)])
    seeds = frozenset(part.seeds.tolist())
    columns = ("sentence", "paraphrase", "translations", "languages", "probability")
    judged = part.results.rows("validity/detected.parquet", ("seed", "other", "validity"), Among("seed", own))
    validity = {(sentence, other): value for sentence, other, value in judged}
    sentences = set()

    def rows() -> Iterator[tuple[Any, ...]]:
        for sentence, other, *figures in part.results.rows("paraphrase", columns, Among("sentence", own)):
            if part.is_all or sentence in seeds or (sentence, other) in part.rewordings:
                sentences.add(sentence)
                found = validity.get((sentence, other))
                yield numbers.number(sentence), numbers.number(other), *figures, run.id, found

    pairs = yield from _stored(store, "storing detected paraphrases", _PARAPHRASE, rows())
    return {"sentences": len(sentences), "pairs": pairs}


_LAST_IDS = "select coalesce((select max(id) from context), 0), coalesce((select max(id) from filler), 0)"
_CONTEXT = "insert into context (id, language, hash, fillers, sentence, start, stop) values (?, ?, ?, ?, ?, ?, ?)"
_FILLER = "insert into filler (id, language, hash, text, contexts) values (?, ?, ?, ?, ?)"
_SLOT = "insert into slot (context, filler, sentence) values (?, ?, ?)"
_COMMUTATION = "insert into commutation (x, y, contexts) values (?, ?, ?)"
_SUBSTITUTION = "insert into substitution (context, filler, rewording, sentence, start, stop) values (?, ?, ?, ?, ?, ?)"
_SEGMENT = """
insert into ngram_segment (language, first_sentence, last_sentence, text, sentences, suffixes, run, checksum)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""


def store_index(store: Store, part: Part, numbers: Numbers, run: Run) -> Job[dict[str, int]]:
    """Contexts, fillers, slots, commutations and substitutions; of the whole its n-grams too."""
    context = yield from _store_contexts(store, part, numbers)
    filler = yield from _store_fillers(store, part)
    rows = part.results.rows("slot", ("context", "filler", "sentence")) if part.slots is None else iter(part.slots)
    values: Iterator[tuple[Any, ...]]
    values = ((context[row[0]], filler[row[1]], numbers.number(row[2])) for row in rows)
    slots = yield from _stored(store, "storing slots", _SLOT, values)
    columns: tuple[str, ...] = ("low", "high", "contexts")
    rows = part.results.rows("commutation", columns) if part.commutations is None else iter(part.commutations)
    values = ((*sorted((filler[low], filler[high])), count) for low, high, count in rows)
    commutations = yield from _stored(store, "storing commutations", _COMMUTATION, values)
    columns = ("context", "filler", "rewording", "sentence", "start", "stop")
    rows = part.results.rows("substitution", columns) if part.substitutions is None else iter(part.substitutions)
    values = ((context[c], filler[y], numbers.number(b), numbers.number(a), *place) for c, y, b, a, *place in rows)
    substitutions = yield from _stored(store, "storing substitutions", _SUBSTITUTION, values)
    if part.is_all:
        yield from _stored(store, "storing n-grams", _SEGMENT, _segments(part, numbers, run))
    return {"slots": slots, "commutations": commutations, "substitutions": substitutions}


def _store_contexts(store: Store, part: Part, numbers: Numbers) -> Job[dict[int, int]]:
    """The numbers of the contexts by their fingerprints, in the order in which they first stand in the corpus."""
    from corpusdb.distributed.results import Among

    columns = ("context", "fillers", "sentence", "start", "stop")
    found = part.results.sorted_rows("context", columns, columns[2:], Among("context", part.contexts))
    number: dict[int, int] = {}
    first, _ = store.connection.execute(_LAST_IDS).fetchone()

    def rows() -> Iterator[tuple[Any, ...]]:
        for place, (hash_, fillers, sentence, start, stop) in enumerate(found, first + 1):
            number[hash_] = place
            yield place, part.results.plan.language, hash_, fillers, numbers.number(sentence), start, stop

    yield from _stored(store, "storing contexts", _CONTEXT, rows())
    return number


def _store_fillers(store: Store, part: Part) -> Job[dict[int, int]]:
    """The same of the fillers, in the order of their texts."""
    from corpusdb.distributed.results import Among

    found = part.results.sorted_rows("filler", ("filler", "text", "contexts"), ("text",), Among("filler", part.fillers))
    number: dict[int, int] = {}
    _, first = store.connection.execute(_LAST_IDS).fetchone()

    def rows() -> Iterator[tuple[Any, ...]]:
        for place, (hash_, text, contexts) in enumerate(found, first + 1):
            number[hash_] = place
            yield place, part.results.plan.language, hash_, text, contexts

    yield from _stored(store, "storing fillers", _FILLER, rows())
    return number


def _segments(part: Part, numbers: Numbers, run: Run) -> Iterator[tuple[Any, ...]]:
    for text, sentences, suffixes in part.results.rows("segment", ("text", "sentences", "suffixes")):
        ids = numbers.in_file(np.frombuffer(sentences, dtype="<i8")).astype("<i8")
        blobs = text, ids.tobytes(), suffixes
        language = part.results.plan.language
        yield language, int(ids[0]), int(ids[-1]), *blobs, run.id, blobs_checksum(*blobs)


_SEED = "insert into seed (id, language, text, sentence, run) values (?, ?, ?, ?, ?)"
_LAST_SEED = "select coalesce(max(id), 0) from seed"
_CANDIDATE = """
insert into candidate (seed, text, frequency, pivots, languages, probability, fluency, inner_fluency, unseen,
                       inner_unseen, validity, replacement, run)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_FIGURES = (
    *("seed", "text", "frequency", "pivots", "languages", "probability", "fluency", "inner_fluency", "unseen"),
    *("inner_unseen", "validity", "replacement"),
)
_EXCHANGE = "insert into exchange (id, language, x, y, pairs, shared, expected) values (?, ?, ?, ?, ?, ?, ?)"
_LAST_EXCHANGE = "select coalesce(max(id), 0) from exchange"
_PART = "insert into exchange_part (exchange, kind, name, pairs, shared, expected) values (?, ?, ?, ?, ?, ?)"


def store_generated(store: Store, part: Part, numbers: Numbers, run: Run) -> Job[dict[str, int]]:
    """Seeds and candidates, and the exchanges by which these are judged."""
    from corpusdb.distributed.results import Among

    language = part.results.plan.language
    seeds: I64 = np.unique(part.seeds)
    if part.is_all and part.results.plan.all_seeds:  # a sentence from which nothing comes is no seed
        seeds = np.unique(part.results.numbers("result", "seed"))
    first = int(store.connection.execute(_LAST_SEED).fetchone()[0]) + 1
    seed = {number: place for place, number in enumerate(seeds.tolist(), first)}
    values = ((place, language, numbers.text_of[each], numbers.number(each), run.id) for each, place in seed.items())
    yield from _stored(store, "storing seeds", _SEED, values)
    found = part.results.sorted_rows("result", _FIGURES, ("seed", "text"), Among("seed", seeds))
    values = ((seed[row[0]], *row[1:], run.id) for row in found)
    candidates = yield from _stored(store, "storing candidates", _CANDIDATE, values)
    start = int(store.connection.execute(_LAST_EXCHANGE).fetchone()[0]) + 1
    columns = ("x", "y", "pairs", "shared", "expected")
    rows = part.results.rows("validity/exchange.parquet", columns)
    values = ((number, language, *row) for number, row in enumerate(rows, start))
    yield from _stored(store, "storing exchanges", _EXCHANGE, values)
    rows = part.results.rows("validity/part.parquet", ("exchange", "kind", "name", "pairs", "shared", "expected"))
    yield from _stored(store, "storing exchanges", _PART, ((start + row[0], *row[1:]) for row in rows))
    return {"candidates": candidates}


_REWORDING = """
insert into rewording (sentence, text, pivots, languages, probability, fluency, inner_fluency, validity, run)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REWORDED = ("sentence", "text", "pivots", "languages", "probability", "fluency", "inner_fluency", "validity")


def store_rewordings(store: Store, part: Part, numbers: Numbers, run: Run) -> Job[dict[str, int]]:
    """What only an exchange of words vouches for, of the seeds."""
    from corpusdb.distributed.results import ALL, Among

    chosen = ALL if part.is_all else Among("sentence", part.seeds)
    rows = part.results.rows("rewording/rewording.parquet", _REWORDED, chosen)
    values = ((numbers.number(row[0]), *row[1:], run.id) for row in rows)
    return {"rewordings": (yield from _stored(store, "storing rewordings", _REWORDING, values))}
