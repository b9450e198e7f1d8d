"""The commutation index of a language, extended by some sentences, or without some: the rows of a rebuild."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from corpusdb.paraphrase.derivation import MOST_FILLER
from corpusdb.paraphrase.queries.models import NgramIndex
from corpusdb.paraphrase.queries.slot_index import store_substitutions
from corpusdb.paraphrase.slots import MAX_FILLERS, cut_slots

# Extending the index by some sentences: the rows are those that build_slot_index would make from all. What the index
# does not hold, because it was not shared so far, is found again through the character n-grams: the one sentence that
# had a context before, and the slots in which a filler stands.


class ContextTooCommon(Exception):
    """A context came to have more fillers than the limit, or no longer has; more rests on it than can be updated in
    place."""


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

    @property
    def filler_text(self) -> str:
        return self.text[self.start : self.stop]


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
    siblings = _siblings([slot for slot in fresh if slot.context not in before], ngrams)
    joined = _shared_contexts(fresh, siblings, before)
    contexts = _store_contexts(connection, language, joined, before, for_good=for_good)
    usable = [slot for slot in joined if slot.context in contexts]
    _add_slots(connection, language, usable, contexts, ngrams, sentences)
    changed = [row[0] for row in connection.execute(_SENTENCES_OF_CHANGED)]
    store_substitutions(connection, sorted({*changed, *reworded}))
    _recount_commutations(connection, reworded)


_SENTENCES_OF_CHANGED = "select distinct sentence from temp.changed_slot"
_FIND = """
select found.hash, found.id, found.{count}
from json_each(?) wanted cross join {table} found on found.hash >> 32 = wanted.value >> 32 and found.hash = wanted.value
where found.language = ?
"""
_FIND_CONTEXTS = _FIND.format(table="context", count="fillers")
_FIND_FILLERS = _FIND.format(table="filler", count="contexts")


def _known(
    connection: sqlite3.Connection, statement: str, language: str, hashes: Collection[int]
) -> dict[int, tuple[int, int]]:
    """Of contexts or fillers those that the index has: number and count by fingerprint."""
    rows = connection.execute(statement, (json.dumps([*hashes]), language))
    return {hash_: (number, count) for hash_, number, count in rows}


def _siblings(slots: Sequence[_Slot], ngrams: NgramIndex) -> list[_Slot]:
    """The slots of all sentences of ``ngrams`` that have these contexts, in no order."""
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
    counts = Counter(slot.context for slot in slots)
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


def _slots_with(fillers: dict[int, str], ngrams: NgramIndex, fresh: Sequence[tuple[int, str]]) -> Iterator[_Slot]:
    """Where fillers stand, in the sentences of the index and in the new ones."""
    sentences: dict[int, str] = {}
    for text in fillers.values():
        # An empty filler stands everywhere; only a very small corpus does not have it in its index.
        sentences.update((sentence, whole) for sentence, whole, _ in ngrams.sentences_with(text or "\n") if whole)
        sentences.update((sentence, whole) for sentence, whole in fresh if text in whole)
    return (slot for slot in _cut(sorted(sentences.items())) if slot.filler in fillers)


_PREPARE = (
    """
    create temp table if not exists changed_slot (
        context integer, filler integer, sentence integer, primary key (context, filler))
    """,
    "delete from temp.changed_slot",
)
_NEW_FILLER = "insert into filler (language, hash, text, contexts) values (?, ?, ?, ?)"
_COUNT_FILLER = "update filler set contexts = contexts + ? where id = ?"
_INSERT = "insert into temp.changed_slot values (?, ?, ?)"
_ADD_SLOTS = "insert into slot (context, filler, sentence) select context, filler, sentence from temp.changed_slot"


def _add_slots(
    connection: sqlite3.Connection,
    language: str,
    slots: Sequence[_Slot],
    contexts: dict[int, int],
    ngrams: NgramIndex,
    sentences: Sequence[tuple[int, str]],
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
    unknown = {slot.filler: slot.filler_text for slot in slots if slot.filler not in fillers}
    everywhere = list(_slots_with(unknown, ngrams, sentences))
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
    from temp.changed_slot
    cross join slot on slot.context = changed_slot.context and slot.filler <> changed_slot.filler
    cross join filler x on x.id = changed_slot.filler
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


# Shrinking it: what stood there because of a sentence goes with it. A context is left with one sentence, a filler with
# one slot, and a commutation with one context, or with no derivation that asks for it. None of this loses a context a
# sentence that it has still, so that one step is enough.


def shrink_slot_index(
    connection: sqlite3.Connection,
    language: str,
    sentences: Sequence[tuple[int, str]],
    ngrams: NgramIndex,
    reworded: Sequence[int] = (),
) -> set[int]:
    """Take sentences (id, text) out of the index; ``ngrams`` covers all that stay in it.

    ``reworded`` are sentences that have lost paraphrases. Gives the sentences with derivations by commutations that
    change. Inside a transaction of the caller. Raises ContextTooCommon, with nothing changed.
    """
    gone = list(_cut(sentences))
    before = _known(connection, _FIND_CONTEXTS, language, {slot.context for slot in gone})
    fewer = Counter(slot.context for slot in gone if slot.context in before)
    left = {context: before[context][1] - count for context, count in fewer.items()}
    if any(fillers <= MAX_FILLERS < before[context][1] for context, fillers in left.items()):
        raise ContextTooCommon
    for statement in _PREPARE:
        connection.execute(statement)
    connection.executemany(_NOTE_SLOTS_OF_SENTENCE, [(sentence,) for sentence, _ in sentences])
    lone = [(before[context][0],) for context, fillers in left.items() if fillers < 2]
    connection.executemany(_NOTE_SLOTS_OF_CONTEXT, lone)
    connection.execute(_NOTE_SLOTS_OF_LONE_FILLERS)
    for statement in (*_PREPARE_PAIRS, _FORGET_UNUSED):
        connection.execute(statement)
    changed = seeds_of_changed_commutations(connection)
    connection.executemany(_NOTE_REPLACED, [(sentence,) for sentence in reworded])
    for statement in (_FORGET_UNUSED, *_FORGET_SLOTS, *_RECOUNT, _FORGET_LONE_FILLERS):
        connection.execute(statement)
    connection.executemany(_COUNT_CONTEXT, [(left[context], before[context][0]) for context in left])
    connection.executemany(_FORGET_CONTEXT, lone)
    numbers = {sentence for sentence, _ in sentences}
    _find_first_again(connection, [slot for slot in gone if left.get(slot.context, 0) > 1], before, numbers, ngrams)
    return changed


_NOTE_SLOTS_OF_SENTENCE = """
insert or ignore into temp.changed_slot select context, filler, sentence from slot where sentence = ?
"""
_NOTE_SLOTS_OF_CONTEXT = """
insert or ignore into temp.changed_slot select context, filler, sentence from slot where context = ?
"""
_NOTE_SLOTS_OF_LONE_FILLERS = """
insert or ignore into temp.changed_slot
select slot.context, slot.filler, slot.sentence
from (select filler, count(*) as slots from temp.changed_slot group by filler) fewer
cross join filler on filler.id = fewer.filler and filler.contexts - fewer.slots < 2
cross join slot on slot.filler = filler.id
"""
_FORGET_UNUSED = """
delete from temp.changed_pair
where not exists (select 1 from commutation where x = min(rarer, other) and y = max(rarer, other))
"""
_NOTE_REPLACED = f"""
{_NOTE_PAIR}
from slot replaced
cross join slot on slot.context = replaced.context and slot.filler <> replaced.filler
cross join filler x on x.id = slot.filler
cross join filler y on y.id = replaced.filler
where replaced.sentence = ?
"""
_FORGET_SLOTS = (
    "delete from substitution where (context, filler) in (select context, filler from temp.changed_slot)",
    "delete from slot where (context, filler) in (select context, filler from temp.changed_slot)",
    """
    update filler set contexts = contexts - fewer.slots
    from (select filler, count(*) as slots from temp.changed_slot group by filler) fewer where filler.id = fewer.filler
    """,
    "delete from commutation where (x, y) in (select min(rarer, other), max(rarer, other) from temp.changed_pair)",
)
_FORGET_LONE_FILLERS = "delete from filler where contexts < 2 and id in (select filler from temp.changed_slot)"
_FORGET_CONTEXT = "delete from context where id = ?"
_FIRST = "select sentence from context where id = ?"
_SET_FIRST = "update context set sentence = ?, start = ?, stop = ? where id = ?"


def _find_first_again(
    connection: sqlite3.Connection,
    slots: Sequence[_Slot],
    contexts: dict[int, tuple[int, int]],
    gone: Collection[int],
    ngrams: NgramIndex,
) -> None:
    """Let the contexts of these slots, of which the first sentence is gone, name the first that is left."""
    lost = [slot for slot in slots if connection.execute(_FIRST, (contexts[slot.context][0],)).fetchone()[0] in gone]
    first: dict[int, _Slot] = {}
    for slot in sorted(_siblings(lost, ngrams), key=lambda slot: slot.sentence):
        first.setdefault(slot.context, slot)
    rows = [(slot.sentence, slot.start, slot.stop, contexts[context][0]) for context, slot in first.items()]
    connection.executemany(_SET_FIRST, rows)
