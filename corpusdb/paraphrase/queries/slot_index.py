"""The commutation index of a language, built from all sentences.

The substitutions of a whole language, found while its slots are in memory, and which pairs of fillers they ask for.
``store_substitutions`` finds those of a few sentences through the database; both give the same rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

import numpy as np

from corpusdb.base.arrays import I64, distinct
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import MAX_SENTENCE_UNITS, is_too_long, unit_ends
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, save_layer
from corpusdb.corpus.store.connection import PACK, fill_table
from corpusdb.paraphrase.derivation import MOST_FILLER, AnalogousText, FilledSlot, SharedFiller, substitutions
from corpusdb.paraphrase.queries.models import update_ngrams
from corpusdb.paraphrase.slots import (
    MAX_FILLERS,
    MAX_UNITS,
    SlotIndex,
    asked_pairs,
    count_commutations,
    cut_shared_slots,
    index_slots,
)

_PAIRS_AT_ONCE = 10_000
_PARAPHRASES = """
select sentence.id, paraphrase.paraphrase from sentence cross join paraphrase on paraphrase.sentence = sentence.id
where sentence.language = ? order by sentence.id, paraphrase.paraphrase
"""


def find_substitutions(
    store: Store, language: str, sentences: Sequence[tuple[int, str]], index: SlotIndex, fillers: Sequence[str]
) -> Job[I64]:
    """Where the fillers of all sentences (id, text) stand in their paraphrases: the columns of Substitution, by
    context, filler and paraphrase, with -1 for no place.

    Contexts and fillers are places in ``index``, ``fillers`` their texts. Part of a job.
    """
    texts = dict(sentences)
    pairs = store.connection.execute(_PARAPHRASES, (language,)).fetchall()
    ids = np.array([sentence for sentence, _ in sentences], dtype=np.int64)
    slots = _SlotsOf(index, fillers)
    found = [np.empty((0, 6), dtype=np.int64)]
    for first in range(0, len(pairs), _PAIRS_AT_ONCE):
        yield Progress("finding substitutions in paraphrases", first, len(pairs))
        ends: dict[int, frozenset[int]] = {}
        rows: list[SharedFiller] = []
        for sentence, rewordings in groupby(pairs[first : first + _PAIRS_AT_ONCE], key=itemgetter(0)):
            members = slots.of(sentence, int(np.searchsorted(ids, sentence)))
            for _, rewording in rewordings if members else ():
                if rewording not in ends:
                    ends[rewording] = frozenset(unit_ends(texts[rewording]))
                rows += substitutions(members, AnalogousText(rewording, texts[rewording], ends[rewording]))
        numbers = (-1 if number is None else number for row in rows for number in row)
        found.append(np.fromiter(numbers, dtype=np.int64, count=6 * len(rows)).reshape(-1, 6))
    array = np.concatenate(found)
    return array[np.lexsort((array[:, 2], array[:, 1], array[:, 0]))]


class _SlotsOf:
    def __init__(self, index: SlotIndex, fillers: Sequence[str]) -> None:
        order = np.argsort(index.slot_sentence, kind="stable")
        self._sentence = index.slot_sentence[order]
        self._context, self._filler = index.slot_context[order], index.slot_filler[order]
        self._fillers = fillers

    def of(self, sentence: int, place: int) -> list[FilledSlot]:
        begin, end = np.searchsorted(self._sentence, [place, place + 1]).tolist()
        columns = self._context[begin:end].tolist(), self._filler[begin:end].tolist()
        return [
            FilledSlot(sentence, context, filler, self._fillers[filler])
            for context, filler in zip(*columns, strict=True)
        ]


def asked_by(context: I64, filler: I64, index: SlotIndex, texts: Sequence[str], fillers: Sequence[str]) -> I64:
    """The pairs of fillers that the slots of all sentences (by ``texts``) ask for, where these fillers can be replaced
    in these contexts."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    filler_sizes = np.fromiter(map(len, fillers), dtype=np.int64, count=len(fillers))
    usable = filler_sizes[index.slot_filler] <= MOST_FILLER * sizes[index.slot_sentence]
    codes = distinct(context << 32 | filler)
    return asked_pairs(index.slot_context, index.slot_filler, usable, codes >> 32, codes & (1 << 32) - 1)


PARAMETERS: dict[str, object] = {
    "max_units": MAX_UNITS,
    "max_sentence_units": MAX_SENTENCE_UNITS,
    "max_fillers": MAX_FILLERS,
    "rules": 1,
}
"""What an index is made by. ``rules`` is raised when units or slots are cut in another way, so that older ones are
rebuilt."""
_ROWS_PER_TRANSACTION = 100_000

_CLEAR = (
    "delete from substitution where sentence in (select id from sentence where language = ?)",
    "delete from commutation where x in (select id from filler where language = ?)",
    "delete from slot where sentence in (select id from sentence where language = ?)",
    "delete from filler where language = ?",
    "delete from context where language = ?",
)
_LAST_IDS = "select coalesce((select max(id) from context), 0), coalesce((select max(id) from filler), 0)"
_CONTEXT = "insert into context (id, language, hash, fillers, sentence, start, stop) values (?, ?, ?, ?, ?, ?, ?)"
_FILLER = "insert into filler (id, language, hash, text, contexts) values (?, ?, ?, ?, ?)"
_SLOT = "insert into slot (context, filler, sentence) values (?, ?, ?)"
_COMMUTATION = "insert into commutation (x, y, contexts) values (?, ?, ?)"


def build_slot_index(store: Store, language: str, run: Run) -> Job[None]:
    """Rebuild the index of a language, with its n-grams, and end the run.

    What an interrupted call left behind is removed first.
    """
    sentences = sentences_after(store, language, 0)
    # One after the other: sorting the suffixes takes as much memory as cutting the slots.
    yield from update_ngrams(store, language, run)
    yield Progress("cutting slots", 0, len(sentences))
    index = index_slots(cut_shared_slots([text for _, text in sentences]))
    with store.unchecked_references():
        yield from _store_index(store, language, run, sentences, index)


def forget_index(connection: sqlite3.Connection, language: str) -> None:
    """Delete what an index holds; inside a transaction of the caller."""
    for statement in _CLEAR:
        connection.execute(statement, (language,))


def _store_index(
    store: Store, language: str, run: Run, sentences: Sequence[tuple[int, str]], index: SlotIndex
) -> Job[None]:
    last = sentences[-1][0] if sentences else 0
    with store.write() as connection:
        forget_index(connection, language)
        save_layer(store, language, "commutation", Layer(PARAMETERS, 0, run.id, complete=False), run)
    first_context, first_filler = (number + 1 for number in store.connection.execute(_LAST_IDS).fetchone())
    ids = np.array([sentence for sentence, _ in sentences], dtype=np.int64)
    texts = [text for _, text in sentences]
    of_filler = _rows((index.fillers.sentence, index.fillers.start, index.fillers.stop))
    fillers = [texts[sentence][start:stop] for sentence, start, stop in of_filler]
    yield from _store_rows(store, "storing contexts", _CONTEXT, _context_rows(index, ids, first_context, language))
    yield from _store_rows(store, "storing fillers", _FILLER, _filler_rows(index, fillers, first_filler, language))
    found = yield from find_substitutions(store, language, sentences, index, fillers)
    asked = asked_by(found[:, 0], found[:, 1], index, texts, fillers)
    found[:, 0] += first_context
    found[:, 1] += first_filler
    yield from _store_rows(store, "storing substitutions", _FOUND, _rows(list(found.T)))
    del found, texts, fillers
    columns = index.slot_context + first_context, index.slot_filler + first_filler, ids[index.slot_sentence]
    from concurrent.futures import ThreadPoolExecutor  # with the index, which nearly no command makes

    yield Progress("storing slots", 0, len(index.slot_context))
    with ThreadPoolExecutor(max_workers=1) as counting:  # outside of Python, while the slots are stored
        counted = counting.submit(count_commutations, index.slot_context, index.slot_filler, asked)
        with store.write() as connection:
            fill_table(connection, "slot", _SLOT, _rows(columns))
        x, y, contexts = counted.result()
    del index, columns, asked
    yield from _store_rows(
        store, "storing commutations", _COMMUTATION, _rows((x + first_filler, y + first_filler, contexts))
    )
    with store.write() as connection:
        for table in _PACKED:
            connection.execute(PACK.format(table=table))
        save_layer(store, language, "commutation", Layer(PARAMETERS, last, run.id, complete=True), run)
        finish_run(store, run, unusable(store, language))


# What takes fewer pages than before leaves them to what is stored next.
_PACKED: Final = "sentence occurrence translation paraphrase context filler substitution commutation".split()
_COUNTED = """
select run.counts from layer join run on run.id = layer.run where layer.language = ? and layer.name = 'commutation'
"""
_TOO_COMMON = "select count(*) from context where language = ? and fillers > ?"
# Only these can have so many units.
_LONG = "select text from sentence where language = ? and length(text) > ?"
_UNUSABLE = "too_common", "too_long"


def unusable(store: Store, language: str) -> dict[str, int]:
    """How many contexts are too common to use, and how many sentences too long, by the names of a report."""
    if known := counted_unusable(store, language):
        return known
    (common,) = store.connection.execute(_TOO_COMMON, (language, PARAMETERS["max_fillers"])).fetchone()
    long = store.connection.execute(_LONG, (language, MAX_SENTENCE_UNITS))
    return dict(zip(_UNUSABLE, (common, sum(is_too_long(text) for (text,) in long)), strict=True))


def counted_unusable(store: Store, language: str, fresh: Sequence[tuple[int, str]] = ()) -> dict[str, int]:
    """The same as it was noted with the index, and with some new sentences (id, text); nothing where it is not known.

    Of new sentences, a context that the index did not have comes to be too common only where they are very many.
    """
    row = store.connection.execute(_COUNTED, (language,)).fetchone()
    counts = json.loads(row[0]) if row else {}
    if not counts.keys() >= {*_UNUSABLE} or len(fresh) >= int(str(PARAMETERS["max_fillers"])):
        return {}
    return {"too_common": counts["too_common"], "too_long": counts["too_long"] + sum(is_too_long(t) for _, t in fresh)}


def _rows(columns: Sequence[np.ndarray[Any, Any]]) -> Iterator[tuple[Any, ...]]:
    """The columns as rows of plain integers, without making them all at once."""
    for start in range(0, len(columns[0]), _ROWS_PER_TRANSACTION):
        yield from zip(*(column[start : start + _ROWS_PER_TRANSACTION].tolist() for column in columns), strict=True)


def _context_rows(index: SlotIndex, ids: np.ndarray[Any, Any], first: int, language: str) -> Iterator[tuple[Any, ...]]:
    slots = index.contexts
    numbers = np.arange(first, first + len(slots))
    columns = (numbers, slots.context, index.context_fillers, ids[slots.sentence], slots.start, slots.stop)
    return ((number, language, *rest) for number, *rest in _rows(columns))


def _filler_rows(index: SlotIndex, fillers: Sequence[str], first: int, language: str) -> Iterator[tuple[Any, ...]]:
    rows = zip(fillers, _rows((index.fillers.filler, index.filler_contexts)), strict=True)
    return ((number, language, hash_, text, contexts) for number, (text, (hash_, contexts)) in enumerate(rows, first))


def _store_rows(store: Store, stage: str, statement: str, rows: Iterator[tuple[Any, ...]]) -> Job[None]:
    done = 0
    while batch := list(islice(rows, _ROWS_PER_TRANSACTION)):
        yield Progress(stage, done, 0)
        with store.write() as connection:
            connection.executemany(statement, batch)
        done += len(batch)


FORGET_SUBSTITUTIONS = """
delete from substitution where (context, filler) in (select context, filler from slot where sentence = ?)
    and rewording = ?
"""
_DROP_SUBSTITUTIONS = """
delete from substitution where (context, filler) in (select context, filler from slot where sentence = ?)
"""
# cross join: the few sentences wanted come first, whatever SQLite thinks of a table that it has no figures of.
_REWORDINGS = """
select paraphrase.sentence, paraphrase.paraphrase, sentence.text
from json_each(?) wanted
cross join paraphrase on paraphrase.sentence = wanted.value
cross join sentence on sentence.id = paraphrase.paraphrase
order by paraphrase.sentence, paraphrase.paraphrase
"""
_SLOTS = """
select slot.sentence, slot.context, slot.filler, filler.text
from json_each(?) wanted
cross join slot on slot.sentence = wanted.value
cross join filler on filler.id = slot.filler
order by slot.sentence
"""
# -1 stands for no place.
_FOUND = """
insert into substitution (context, filler, rewording, sentence, start, stop)
values (?, ?, ?, ?, nullif(?, -1), nullif(?, -1))
"""


def store_substitutions(connection: sqlite3.Connection, sentences: Sequence[int]) -> None:
    """Find again where the fillers of these sentences stand in their paraphrases; in a transaction of the caller."""
    connection.executemany(_DROP_SUBSTITUTIONS, ((sentence,) for sentence in sentences))
    wanted = (json.dumps(sentences),)
    rewordings: dict[int, list[AnalogousText]] = {}
    ends: dict[int, frozenset[int]] = {}
    for sentence, rewording, text in connection.execute(_REWORDINGS, wanted):
        if rewording not in ends:
            ends[rewording] = frozenset(unit_ends(text))
        rewordings.setdefault(sentence, []).append(AnalogousText(rewording, text, ends[rewording]))
    found: list[SharedFiller] = []
    for sentence, rows in groupby(connection.execute(_SLOTS, wanted), key=itemgetter(0)):
        slots = list(map(FilledSlot._make, rows))
        for each in rewordings.get(sentence, ()):
            found += substitutions(slots, each)
    connection.executemany(_FOUND, found)
