"""The commutation index of a language: built from all sentences, and extended by some.

The substitutions of a whole language, found while its slots are in memory, and which pairs of fillers they ask for.
``store_substitutions`` finds those of a few sentences through the database; both give the same rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import numpy as np

from corpusdb.base.arrays import I64, distinct
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import MAX_SENTENCE_UNITS, is_too_long, unit_ends
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, save_layer
from corpusdb.paraphrase.derivation import MOST_FILLER, AnalogousText, FilledSlot, SharedFiller, substitutions
from corpusdb.paraphrase.queries.models import NgramIndex, update_ngrams
from corpusdb.paraphrase.slots import (
    MAX_FILLERS,
    MAX_UNITS,
    SlotIndex,
    asked_pairs,
    count_commutations,
    cut_shared_slots,
    cut_slots,
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


def _store_index(
    store: Store, language: str, run: Run, sentences: Sequence[tuple[int, str]], index: SlotIndex
) -> Job[None]:
    last = sentences[-1][0] if sentences else 0
    with store.write() as connection:
        for statement in _CLEAR:
            connection.execute(statement, (language,))
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
        _store_slots(store, _rows(columns))
        x, y, contexts = counted.result()
    del index, columns, asked
    yield from _store_rows(
        store, "storing commutations", _COMMUTATION, _rows((x + first_filler, y + first_filler, contexts))
    )
    with store.write():
        save_layer(store, language, "commutation", Layer(PARAMETERS, last, run.id, complete=True), run)
        finish_run(store, run, unusable(store, language))


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


_DROP_INDEX = 'drop index "{name}"'
_SLOT_INDEXES = "select name, sql from sqlite_master where type = 'index' and tbl_name = 'slot' and sql is not null"


def _store_slots(store: Store, rows: Iterator[tuple[Any, ...]]) -> None:
    """Store slots in one transaction, with their indexes made afterwards, which is faster than keeping them."""
    with store.write() as connection:
        indexes = connection.execute(_SLOT_INDEXES).fetchall()
        for name, _ in indexes:
            connection.execute(_DROP_INDEX.format(name=name))
        connection.executemany(_SLOT, rows)
        for _, definition in indexes:
            connection.execute(definition)


_DROP_SUBSTITUTIONS = """
delete from substitution where (context, filler) in (select context, filler from slot where sentence = ?)
"""
_WANTED = "create temp table if not exists wanted (sentence integer primary key)"
_WANT = "insert into temp.wanted values (?)"
_UNWANT = "delete from temp.wanted"
# cross join: the few sentences wanted come first, whatever SQLite thinks of a table that it has no figures of.
_REWORDINGS = """
select wanted.sentence, paraphrase.paraphrase, sentence.text
from temp.wanted
cross join paraphrase on paraphrase.sentence = wanted.sentence
cross join sentence on sentence.id = paraphrase.paraphrase
order by wanted.sentence, paraphrase.paraphrase
"""
_SLOTS = """
select wanted.sentence, slot.context, slot.filler, filler.text
from temp.wanted
cross join slot on slot.sentence = wanted.sentence
cross join filler on filler.id = slot.filler
order by wanted.sentence
"""
# -1 stands for no place.
_FOUND = """
insert into substitution (context, filler, rewording, sentence, start, stop)
values (?, ?, ?, ?, nullif(?, -1), nullif(?, -1))
"""


def store_substitutions(connection: sqlite3.Connection, sentences: Iterable[int]) -> None:
    """Find again where the fillers of these sentences stand in their paraphrases; in a transaction of the caller."""
    wanted = [(sentence,) for sentence in sentences]
    connection.execute(_WANTED)
    connection.execute(_UNWANT)
    connection.executemany(_DROP_SUBSTITUTIONS, wanted)
    connection.executemany(_WANT, wanted)
    rewordings: dict[int, list[AnalogousText]] = {}
    ends: dict[int, frozenset[int]] = {}
    for sentence, rewording, text in connection.execute(_REWORDINGS):
        if rewording not in ends:
            ends[rewording] = frozenset(unit_ends(text))
        rewordings.setdefault(sentence, []).append(AnalogousText(rewording, text, ends[rewording]))
    found: list[SharedFiller] = []
    for sentence, rows in groupby(connection.execute(_SLOTS), key=itemgetter(0)):
        slots = list(map(FilledSlot._make, rows))
        for each in rewordings.get(sentence, ()):
            found += substitutions(slots, each)
    connection.executemany(_FOUND, found)


# Extending the index by some sentences: the rows are those that build_slot_index would make from all. What the index
# does not hold, because it was not shared so far, is found again through the character n-grams: the one sentence that
# had a context before, and the slots in which a filler stands.


class ContextTooCommon(Exception):
    """A context came to have more fillers than the limit; more rests on it than can be updated in place."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """One slot of one sentence, by the fingerprints of its context and filler."""

    context: int
    filler: int
    sentence: int
    start: int
    stop: int
    text: str
    """Of the sentence."""


def _cut(sentences: Sequence[tuple[int, str]]) -> Iterator[_Slot]:
    slots = cut_slots([text for _, text in sentences])
    columns = slots.context, slots.filler, slots.sentence, slots.start, slots.stop
    for context, filler, place, start, stop in zip(*(column.tolist() for column in columns), strict=True):
        yield _Slot(context, filler, sentences[place][0], start, stop, sentences[place][1])


def update_slot_index(
    connection: sqlite3.Connection,
    language: str,
    sentences: Sequence[tuple[int, str]],
    ngrams: NgramIndex,
    reworded: Sequence[int] = (),
    *,
    for_good: bool = True,
) -> None:
    """Take new sentences (id, text) into the index; ``ngrams`` covers all that are in it, and not these.

    ``reworded`` are sentences, new or old, that have new paraphrases. Inside a transaction of the caller, who may then
    ask ``seeds_of_changed_commutations``. Raises ContextTooCommon, unless the caller will take everything back anyway
    and can do with a context that is one over the limit.
    """
    fresh = list(_cut(sentences))
    before = _known(connection, _FIND_CONTEXTS, language, {slot.context for slot in fresh})
    siblings = _first_siblings([slot for slot in fresh if slot.context not in before], ngrams)
    joined = _shared_contexts(fresh, siblings, before)
    contexts = _store_contexts(connection, language, joined, before, for_good=for_good)
    usable = [slot for slot in joined if slot.context in contexts]
    _add_slots(connection, language, usable, contexts, _Corpus(ngrams, sentences))
    inserted = [row[0] for row in connection.execute(_SENTENCES_OF_INSERTED)]
    store_substitutions(connection, sorted({*inserted, *reworded}))
    _recount_commutations(connection, reworded)


_SENTENCES_OF_INSERTED = "select distinct sentence from temp.inserted"
_HASHES = "create temp table if not exists hash (hash integer primary key)"
_FORGET_HASHES = "delete from temp.hash"
_NOTE_HASH = "insert into temp.hash values (?)"
_FIND = """
select hash.hash, found.id, found.{count}
from temp.hash cross join {table} found on found.hash >> 32 = hash.hash >> 32 and found.hash = hash.hash
where found.language = ?
"""
_FIND_CONTEXTS = _FIND.format(table="context", count="fillers")
_FIND_FILLERS = _FIND.format(table="filler", count="contexts")


def _known(
    connection: sqlite3.Connection, statement: str, language: str, hashes: Collection[int]
) -> dict[int, tuple[int, int]]:
    """Of contexts or fillers those that the index has: number and count by fingerprint."""
    connection.execute(_HASHES)
    connection.execute(_FORGET_HASHES)
    connection.executemany(_NOTE_HASH, ((hash_,) for hash_ in hashes))
    return {hash_: (number, count) for hash_, number, count in connection.execute(statement, (language,))}


def _first_siblings(slots: Sequence[_Slot], ngrams: NgramIndex) -> list[_Slot]:
    """For contexts that the index does not have, the slot of the one older sentence that has each, if there is one."""
    wanted = {slot.context for slot in slots}
    candidates: dict[int, str] = {}
    for slot in slots:
        candidates.update(_with_ends(slot.text[: slot.start], slot.text[slot.stop :], ngrams))
    return [slot for slot in _cut(list(candidates.items())) if slot.context in wanted]


def _with_ends(before: str, after: str, ngrams: NgramIndex) -> Iterator[tuple[int, str]]:
    """The sentences that begin and end so, found through the rarer of the two."""
    shortest = len(before) + len(after)
    first, last = "\n" + before, after + "\n"
    if ngrams.count(first) <= ngrams.count(last):
        found = ((sentence, text) for sentence, text, _ in ngrams.sentences_with(first) if text.endswith(after))
    else:
        found = (
            (sentence, text)
            for sentence, text, offset in ngrams.sentences_with(last)
            if offset + len(after) == len(text) and text.startswith(before)
        )
    yield from ((sentence, text) for sentence, text in found if len(text) >= shortest)


def _shared_contexts(
    fresh: Iterable[_Slot], siblings: Iterable[_Slot], before: dict[int, tuple[int, int]]
) -> list[_Slot]:
    """The slots that join an existing context, or with others make one; by sentence."""
    slots = [*siblings, *fresh]
    counts: dict[int, int] = {}
    for slot in slots:
        counts[slot.context] = counts.get(slot.context, 0) + 1
    shared = [slot for slot in slots if slot.context in before or counts[slot.context] > 1]
    return sorted(shared, key=lambda slot: (slot.sentence, slot.start, slot.stop))


_NEW_CONTEXT = "insert into context (language, hash, fillers, sentence, start, stop) values (?, ?, ?, ?, ?, ?)"
_COUNT_CONTEXT = "update context set fillers = ? where id = ?"


def _store_contexts(
    connection: sqlite3.Connection,
    language: str,
    slots: Iterable[_Slot],
    before: dict[int, tuple[int, int]],
    *,
    for_good: bool,
) -> dict[int, int]:
    """Store the contexts of these slots with their counts; the numbers of those not too common, by fingerprint."""
    counts = {context: fillers for context, (_, fillers) in before.items()}
    first: dict[int, _Slot] = {}
    for slot in slots:
        counts[slot.context] = counts.get(slot.context, 0) + 1
        first.setdefault(slot.context, slot)
    numbers = {}
    for context, slot in first.items():
        number, fillers = before.get(context, (0, 0))
        if for_good and 0 < fillers <= MAX_FILLERS < counts[context]:
            raise ContextTooCommon
        if number:
            connection.execute(_COUNT_CONTEXT, (counts[context], number))
        else:
            values = (language, context, counts[context], slot.sentence, slot.start, slot.stop)
            number = int(connection.execute(_NEW_CONTEXT, values).lastrowid or 0)
        if counts[context] <= MAX_FILLERS:
            numbers[context] = number
    return numbers


class _Corpus:
    """Where a filler stands, in the sentences of the index and in the new ones."""

    def __init__(self, ngrams: NgramIndex, fresh: Sequence[tuple[int, str]]) -> None:
        self._ngrams = ngrams
        self._fresh = fresh

    def slots_with(self, fillers: dict[int, str]) -> Iterator[_Slot]:
        sentences: dict[int, str] = {}
        for text in fillers.values():
            # An empty filler stands everywhere; only a very small corpus does not have it in its index.
            sentences.update(
                (sentence, whole) for sentence, whole, _ in self._ngrams.sentences_with(text or "\n") if whole
            )
            sentences.update((sentence, whole) for sentence, whole in self._fresh if text in whole)
        return (slot for slot in _cut(sorted(sentences.items())) if slot.filler in fillers)


_PREPARE = (
    """
    create temp table if not exists inserted (
        context integer, filler integer, sentence integer, primary key (context, filler))
    """,
    "delete from temp.inserted",
)
_NEW_FILLER = "insert into filler (language, hash, text, contexts) values (?, ?, ?, ?)"
_COUNT_FILLER = "update filler set contexts = contexts + ? where id = ?"
_INSERT = "insert into temp.inserted values (?, ?, ?)"
_ADD_SLOTS = "insert into slot (context, filler, sentence) select context, filler, sentence from temp.inserted"


def _add_slots(
    connection: sqlite3.Connection, language: str, slots: Sequence[_Slot], contexts: dict[int, int], corpus: _Corpus
) -> None:
    """Store those of ``slots`` whose filler stands in another usable context too, with the older slots that so become
    usable themselves."""
    for statement in _PREPARE:
        connection.execute(statement)
    fillers = _known(connection, _FIND_FILLERS, language, {slot.filler for slot in slots})
    for slot in slots:
        if slot.filler in fillers:
            number = fillers[slot.filler][0]
            connection.execute(_COUNT_FILLER, (1, number))
            connection.execute(_INSERT, (contexts[slot.context], number, slot.sentence))
    unknown = {slot.filler: slot.text[slot.start : slot.stop] for slot in slots if slot.filler not in fillers}
    everywhere = list(corpus.slots_with(unknown))
    known = _known(connection, _FIND_CONTEXTS, language, {slot.context for slot in everywhere})
    by_filler: dict[int, list[_Slot]] = {}
    for slot in everywhere:
        if slot.context in known and known[slot.context][1] <= MAX_FILLERS:
            by_filler.setdefault(slot.filler, []).append(slot)
    for filler, members in by_filler.items():
        if len(members) > 1:
            values = (language, filler, unknown[filler], len(members))
            number = int(connection.execute(_NEW_FILLER, values).lastrowid or 0)
            connection.executemany(_INSERT, ((known[slot.context][0], number, slot.sentence) for slot in members))
    connection.execute(_ADD_SLOTS)


_IS_USABLE = f"length(x.text) <= {MOST_FILLER} * length(seed.text)"
# Counting through the rarer of two fillers is what keeps pairs with " the" or " it" cheap.
_NOTE_PAIR = """
insert or ignore into temp.changed_pair (rarer, other)
select case when (x.contexts, x.id) <= (y.contexts, y.id) then x.id else y.id end,
       case when (x.contexts, x.id) <= (y.contexts, y.id) then y.id else x.id end
"""
_ASKED = f"""
select 1 from slot one
cross join slot two on two.context = one.context and two.filler = {{other}}
cross join substitution on substitution.context = one.context and substitution.filler in (one.filler, two.filler)
cross join filler x on x.id = case substitution.filler when one.filler then two.filler else one.filler end
cross join sentence seed on seed.id = case x.id when one.filler then one.sentence else two.sentence end
where one.filler = {{rarer}} and {_IS_USABLE}
"""
IS_ASKED = f"exists ({_ASKED})"
"""Whether some derivation asks for two fillers; as asked_pairs has them."""
_PREPARE_PAIRS = (
    """
    create temp table if not exists changed_pair (
        rarer integer, other integer, contexts integer, primary key (rarer, other))
    """,
    "delete from temp.changed_pair",
    f"""
    {_NOTE_PAIR}
    from temp.inserted
    cross join slot on slot.context = inserted.context and slot.filler <> inserted.filler
    cross join filler x on x.id = inserted.filler
    cross join filler y on y.id = slot.filler
    """,
)
_NOTE_ASKED = f"""
{_NOTE_PAIR}
from slot replaced
cross join slot on slot.context = replaced.context and slot.filler <> replaced.filler
cross join filler x on x.id = slot.filler
cross join sentence seed on seed.id = slot.sentence and {_IS_USABLE}
cross join filler y on y.id = replaced.filler
where replaced.sentence = ?
  and exists (select 1 from substitution where context = replaced.context and filler = replaced.filler)
  and not exists (
    select 1 from commutation
    where commutation.x = min(slot.filler, y.id) and commutation.y = max(slot.filler, y.id))
"""
_RECOUNT = (
    """
    update temp.changed_pair set contexts = (
        select count(*) from slot one
        cross join slot two on two.context = one.context and two.filler = changed_pair.other
        where one.filler = changed_pair.rarer)
    """,
    "delete from temp.changed_pair where contexts < 2",
    f"""
    delete from temp.changed_pair where not exists (
        select 1 from commutation where x = min(rarer, other) and y = max(rarer, other)
    ) and not {IS_ASKED.format(rarer="changed_pair.rarer", other="changed_pair.other")}
    """,
    """
    insert into commutation (x, y, contexts)
    select min(rarer, other), max(rarer, other), contexts from temp.changed_pair where true
    on conflict (x, y) do update set contexts = excluded.contexts
    """,
)


def _recount_commutations(connection: sqlite3.Connection, reworded: Sequence[int]) -> None:
    """Recount how many contexts the fillers of the inserted slots share with those beside them, where some derivation
    asks for the two, and count what only new substitutions ask for."""
    for statement in _PREPARE_PAIRS:
        connection.execute(statement)
    connection.executemany(_NOTE_ASKED, ((sentence,) for sentence in reworded))
    for statement in _RECOUNT:
        connection.execute(statement)


_SEEDS_OF_PAIRS = """
select slot.sentence
from temp.changed_pair
cross join slot on slot.filler = changed_pair.rarer
cross join substitution on substitution.context = slot.context and substitution.filler = changed_pair.other
union
select other.sentence
from temp.changed_pair
cross join slot on slot.filler = changed_pair.rarer
cross join slot other on other.context = slot.context and other.filler = changed_pair.other
cross join substitution on substitution.context = slot.context and substitution.filler = changed_pair.rarer
"""


def seeds_of_changed_commutations(connection: sqlite3.Connection) -> set[int]:
    """The sentences with derivations by commutations that the last ``update_slot_index`` of this connection changed."""
    return {row[0] for row in connection.execute(_SEEDS_OF_PAIRS)}
