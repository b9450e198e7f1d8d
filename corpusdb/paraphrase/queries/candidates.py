"""The rows from which candidates are derived, the candidates that are stored, and their update where little is new."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, islice, pairwise
from operator import itemgetter
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import I64, Bools, distinct, places_in
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import is_too_long
from corpusdb.corpus.model import FIGURES
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import reopen_layers
from corpusdb.paraphrase.derivation import (
    MOST_FILLER,
    DerivableSlots,
    Derivation,
    Derivations,
    Evidence,
    Fluency,
    ParaphrasePairs,
    Replaced,
    asking_slots,
    candidates,
    candidates_of_many,
    derive,
    derive_lone,
    fluency_of,
    hashes_within,
)
from corpusdb.paraphrase.queries.models import NgramIndex, forget_ngrams, load_ngrams, update_ngrams
from corpusdb.paraphrase.queries.slot_index import FORGET_SUBSTITUTIONS, PARAMETERS, counted_unusable, forget_index
from corpusdb.paraphrase.queries.slot_index_update import (
    ContextTooCommon,
    seeds_of_changed_commutations,
    shrink_slot_index,
    update_slot_index,
)

_WANTED = "create temp table if not exists wanted_seed (sentence integer primary key)"
_UNWANT = "delete from temp.wanted_seed"
_WANT = "insert or ignore into temp.wanted_seed values (?)"
_DERIVATIONS = f"""
select slot.sentence, x.text, substitution.sentence, substitution.rewording, substitution.start, substitution.stop,
       commutation.contexts - 1, slot.context, slot.filler, substitution.filler
from temp.wanted_seed
cross join sentence on sentence.id = wanted_seed.sentence
cross join slot on slot.sentence = sentence.id
cross join filler x on x.id = slot.filler and length(x.text) <= {MOST_FILLER} * length(sentence.text)
cross join substitution on substitution.context = slot.context and substitution.filler <> slot.filler
cross join commutation on commutation.x = min(slot.filler, substitution.filler)
                      and commutation.y = max(slot.filler, substitution.filler)
order by wanted_seed.sentence
"""
_LONE_OF_SEED = f"""
select slot.sentence, x.text, substitution.sentence, substitution.rewording, substitution.start, substitution.stop,
       0, slot.context, slot.filler, substitution.filler
from (select context, filler, sentence from slot where sentence = ?) slot
cross join substitution on substitution.context = slot.context and substitution.filler <> slot.filler
cross join sentence on sentence.id = slot.sentence
cross join filler x on x.id = slot.filler and length(x.text) <= {MOST_FILLER} * length(sentence.text)
where substitution.start is not null and not exists (
    select 1 from commutation where commutation.x = min(slot.filler, substitution.filler)
    and commutation.y = max(slot.filler, substitution.filler))
"""
_TEXT = "select text from sentence where id = ?"
_KEPT = 200_000
_SHARED = "select languages, probability from paraphrase where sentence = ? and paraphrase = ?"


class IndexRows:
    """The rows of a database from which candidates are derived; keeps the sentences and paraphrases that it met."""

    def __init__(self, store: Store) -> None:
        self._connection = store.connection
        self.text = lru_cache(maxsize=_KEPT)(self._text)
        """The text of a sentence."""
        self.shared = lru_cache(maxsize=_KEPT)(self._shared)
        """In which languages a sentence and its paraphrase share translations, and the pivot probability."""

    def derivations(self, sentences: Iterable[int]) -> Iterator[tuple[int, list[Derivation]]]:
        """For each of these sentences, ascending, everything that can be derived from it as the seed."""
        connection = self._connection
        connection.execute(_WANTED)
        connection.execute(_UNWANT)
        connection.executemany(_WANT, ((sentence,) for sentence in sentences))
        for seed, rows in groupby(connection.execute(_DERIVATIONS), key=itemgetter(0)):
            yield seed, list(map(Derivation._make, rows))

    def lone_derivations_of(self, seed: int) -> list[Derivation]:
        """What can be derived from one seed, through any pair of B and B', where the fillers x and y stand together in
        no context but that of the seed: the number of further contexts is 0."""
        return list(map(Derivation._make, self._connection.execute(_LONE_OF_SEED, (seed,))))

    def _text(self, sentence: int) -> str:
        return str(self._connection.execute(_TEXT, (sentence,)).fetchone()[0])

    def _shared(self, sentence: int, rewording: int) -> tuple[frozenset[str], float]:
        languages, probability = self._connection.execute(_SHARED, (sentence, rewording)).fetchone()
        return frozenset(languages.split(",")), probability


# Some figures are counted in parts by the tables that have them, and shown as real numbers.

_COUNTED: Final = {each.column: each.parts for each in FIGURES if each.parts}


def written_as(column: str) -> tuple[str, str]:
    """The column in which a table keeps what it shows as ``column``, and SQL for a value of it that is bound."""
    return (f"{column}_parts", f"round(? * {_COUNTED[column]})") if column in _COUNTED else (column, "?")


def insert_into(table: str, columns: Sequence[str]) -> str:
    """SQL that stores a row, of which the values of these columns are bound in their order."""
    names, values = zip(*map(written_as, columns), strict=True)
    return f"insert into {table} ({', '.join(names)}) values ({', '.join(values)})"


def setting(*columns: str) -> str:
    """SQL for what an update sets, the values bound in the order of the columns."""
    return ", ".join(" = ".join(written_as(column)) for column in columns)


@dataclass(frozen=True, slots=True)
class CandidateSeed:
    language: str
    text: str
    sentence: int | None
    """None where it is not in the corpus."""


_SEED = """
insert into seed (language, text, sentence, run) values (?, ?, ?, ?)
on conflict (language, text) do update set sentence = excluded.sentence, run = excluded.run returning id
"""
_FORGET = "delete from candidate where seed = ?"
_COLUMNS = ("seed", *Evidence._fields, *Fluency._fields, "run")
_CANDIDATE = insert_into("candidate", _COLUMNS)


def store_candidates(
    connection: sqlite3.Connection,
    seed: CandidateSeed,
    candidates: Iterable[Evidence],
    fluency: Mapping[str, Fluency],
    run: Run,
) -> None:
    """Store the candidates of one seed in place of those it had; inside a transaction of the caller."""
    values = seed.language, seed.text, seed.sentence, run.id
    number = int(connection.execute(_SEED, values).fetchone()[0])
    connection.execute(_FORGET, (number,))
    rows = ((number, *evidence, *fluency[evidence.text], run.id) for evidence in candidates)
    connection.executemany(_CANDIDATE, rows)


# The index of a language in memory, to derive the candidates of all its sentences; for a few, ``IndexRows`` reads what
# they need.


_ROWS_AT_ONCE = 50_000
_SENTENCES_AT_ONCE = 5_000
_FILLERS = "select id, text from filler where language = ? order by id"
_PAIRS = """
select paraphrase.sentence, paraphrase.paraphrase, paraphrase.probability, paraphrase.languages
from sentence cross join paraphrase on paraphrase.sentence = sentence.id
where sentence.language = ? order by paraphrase.sentence, paraphrase.paraphrase
"""
# Of every language, since this is the order of the key; those of another are left out afterwards.
_SUBSTITUTIONS = """
select context, filler, sentence, rewording, coalesce(start, -1), coalesce(stop, -1) from substitution
order by context, filler, rewording
"""
_SLOTS = """
select slot.sentence, slot.context, slot.filler
from (select distinct context from substitution) replaced cross join slot on slot.context = replaced.context
"""
_COMMUTATIONS = "select x, y, contexts from commutation order by x, y"


class IndexArrays:
    """What candidates are derived from, for all sentences of a language that has a complete index.

    Memory: about 100 bytes a slot while it is read, and 30 afterwards.
    """

    def __init__(self, store: Store, language: str) -> None:
        connection = store.connection
        sentences = sentences_after(store, language, 0)
        self.sentences = np.array([number for number, _ in sentences], dtype=np.int64)
        """The numbers of the sentences, ascending; all others are places in this list."""
        self.texts = [text for _, text in sentences]
        del sentences
        numbers, self.fillers = _numbered(connection.execute(_FILLERS, (language,)))
        self._pairs = self._load_pairs(connection, language)
        self._replaced = self._load_replaced(connection, numbers)
        self._asking = self._load_asking(connection, numbers)
        x, y, contexts = columns_of(connection.execute(_COMMUTATIONS), 3)
        own = _is_among(numbers, x)
        pairs = np.searchsorted(numbers, x[own]) << 32 | np.searchsorted(numbers, y[own])
        self._commuting = pairs, contexts[own]

    def _load_pairs(self, connection: sqlite3.Connection, language: str) -> ParaphrasePairs:
        rows = connection.execute(_PAIRS, (language,)).fetchall()
        sentence, rewording = (np.array([row[column] for row in rows], dtype=np.int64) for column in (0, 1))
        having = [frozenset(row[3].split(",")) for row in rows]
        return ParaphrasePairs(
            np.searchsorted(self.sentences, sentence),
            np.searchsorted(self.sentences, rewording),
            np.array([row[2] for row in rows], dtype=np.float64),
            [np.array([each in of_pair for of_pair in having]) for each in sorted(frozenset().union(*having))],
        )

    def _load_replaced(self, connection: sqlite3.Connection, fillers: I64) -> Replaced:
        context, filler, sentence, rewording, start, stop = columns_of(connection.execute(_SUBSTITUTIONS), 6)
        own = _is_among(fillers, filler)
        known = self._pairs.sentence << 32 | self._pairs.rewording
        wanted = np.searchsorted(self.sentences, sentence) << 32 | np.searchsorted(self.sentences, rewording)
        filler = np.searchsorted(fillers, filler)
        return Replaced(context, filler, np.searchsorted(known, wanted), start, stop)[own]

    def _load_asking(self, connection: sqlite3.Connection, fillers: I64) -> DerivableSlots:
        sentence, context, filler = columns_of(connection.execute(_SLOTS), 3)
        own = np.flatnonzero(_is_among(fillers, filler))
        own = own[np.argsort(sentence[own], kind="stable")]
        places = np.searchsorted(self.sentences, sentence[own]), np.searchsorted(fillers, filler[own])
        return asking_slots(places[0], context[own], places[1], self._replaced, self.texts, self.fillers)

    def candidates(self, first: int, last: int) -> dict[int, list[Evidence]]:
        """The candidates of the sentences with some whose places are ``first`` and up, before ``last``, by number."""
        derived = derive(self._asking, self._replaced, self._commuting, first, last)
        return self._evidence(derived, self._replaced)

    def clear_pairs(self) -> Iterator[tuple[int, str, str]]:
        """The pairs of B and B' in which some filler of B has a clear place: place of the pair, and the texts."""
        places = distinct(self._replaced.pair[self._replaced.start >= 0])
        sentences, rewordings = self._pairs.sentence[places].tolist(), self._pairs.rewording[places].tolist()
        for place, sentence, rewording in zip(places.tolist(), sentences, rewordings, strict=True):
            yield place, self.texts[sentence], self.texts[rewording]

    def lone_candidates(self, pairs: Sequence[int]) -> Iterator[dict[int, list[Evidence]]]:
        """What is derived through these pairs of B and B', by place, where the filler of B has a clear place and stands
        with that of the seed in no other context; by the number of the seed, some thousands at a time, ascending."""
        chosen = (self._replaced.start >= 0) & np.isin(self._replaced.pair, np.array(pairs, dtype=np.int64))
        replaced, asking = self._replaced[chosen], self._asking.within(chosen)
        for first in range(0, len(self.sentences), _SENTENCES_AT_ONCE):
            derived = derive_lone(asking, replaced, self._commuting, first, first + _SENTENCES_AT_ONCE)
            if len(derived.seed):
                yield self._evidence(derived, replaced)

    def _evidence(self, derived: Derivations, replaced: Replaced) -> dict[int, list[Evidence]]:
        found = candidates_of_many(derived, replaced, self._pairs, self.texts, self.fillers)
        return {int(self.sentences[seed]): evidence for seed, evidence in found.items()}


def _is_among(numbers: I64, wanted: I64) -> Bools:
    return places_in(numbers, wanted)[1]


def columns_of(rows: Iterator[tuple[int, ...]], width: int) -> list[I64]:
    """Rows of whole numbers by columns, without holding all of them as objects."""
    parts = [np.empty((width, 0), dtype=np.int64)]
    while part := list(islice(rows, _ROWS_AT_ONCE)):
        numbers = np.fromiter(chain.from_iterable(part), dtype=np.int64, count=width * len(part))
        parts.append(numbers.reshape(-1, width).T)
    return [np.concatenate([part[column] for part in parts]) for column in range(width)]


def _numbered(rows: Iterator[tuple[int, str]]) -> tuple[I64, list[str]]:
    numbers, texts = array("q"), []
    for number, text in rows:
        numbers.append(number)
        texts.append(text)
    return np.array(numbers, dtype=np.int64), texts


_UPDATE = f"update candidate set {setting(*Fluency._fields)} where id = ?"


def update_fluency(
    connection: sqlite3.Connection,
    candidates: Sequence[tuple[int, str]],
    longest: Callable[[str], npt.NDArray[np.int32]],
) -> None:
    """Measure these candidates (id, text) again; inside a transaction of the caller."""
    fluency = fluency_of([text for _, text in candidates], longest)
    connection.executemany(_UPDATE, [(*fluency[text], candidate) for candidate, text in candidates])


# Updating the index and the candidates in place: only the rows that new sentences or paraphrases touch.


_SMALL = 0.02
"""Up to this part of the corpus, an update in place is faster than a rebuild."""
_REWORDED_BY_EACH = 2.5
"""So many sentences that have other paraphrases than before count as a new one."""

# New sentences are looked for by their ids, which are the last.
_PENDING = """
select (select count(*) from sentence where id > :sentence and +language = :language),
       (select count(distinct paraphrase.sentence)
        from paraphrase cross join sentence on sentence.id = paraphrase.sentence
        where paraphrase.run > :run and sentence.language = :language)
"""
_ALL = "select count(*) from sentence where language = ?"


def pending_update(store: Store, language: str, state: Layer) -> Literal["nothing", "little", "much"]:
    """How much the corpus has that the commutation index has not: ``little`` is updated faster in place."""
    values = {"language": language, "sentence": state.last_sentence, "run": state.last_run}
    new, reworded = store.connection.execute(_PENDING, values).fetchone()
    if not new and not reworded:
        return "nothing"
    return "little" if _is_little(store, language, new, reworded) else "much"


def _is_little(store: Store, language: str, sentences: int, reworded: int) -> bool:
    (total,) = store.connection.execute(_ALL, (language,)).fetchone()
    return bool(sentences <= _SMALL * total and reworded <= _REWORDED_BY_EACH * _SMALL * total)


def update_in_place(store: Store, language: str, state: Layer) -> Job[None]:
    """Update what is new or touched by it in one transaction: index, candidates and their fluency; part of a job.

    Raises ContextTooCommon, with nothing changed, when the index has to be rebuilt.
    """
    fresh = sentences_after(store, language, state.last_sentence)
    yield Progress("following new sentences", 0, len(fresh))
    with store.write() as connection:
        run = start_run(store, "index", {"language": language, "after": state.last_sentence, "run": state.last_run})
        counts = {"sentences": len(fresh), **counted_unusable(store, language, fresh)}
        reworded = [row[0] for row in connection.execute(_REWORDED, (state.last_run, language))]
        update_slot_index(connection, language, fresh, load_ngrams(store, language), reworded)
        for _ in update_ngrams(store, language, run):
            pass
        last = fresh[-1][0] if fresh else state.last_sentence
        if before := layer_state(store, language, "candidate"):
            ngrams = load_ngrams(store, language)
            connection.executemany(_ADOPT, [(sentence, language, text) for sentence, text in fresh])
            seeds = _seeds_of_reworded(connection, reworded) | seeds_of_changed_commutations(connection)
            _regenerate(store, language, seeds, ngrams, before, run)
            _update_fluency(connection, language, [text for _, text in fresh], ngrams)
            through = last if before.complete else before.last_sentence
            done = Layer(before.parameters, through, run.id, before.complete)
            save_layer(store, language, "candidate", done, run)
        forget_outside_seeds(connection, language)
        save_layer(store, language, "commutation", Layer(PARAMETERS, last, run.id, complete=True), run)
        finish_run(store, run, counts)
    yield Progress("following new sentences", len(fresh), len(fresh))


def shrink_in_place(
    store: Store, language: str, sentences: Sequence[tuple[int, str]], gone: Sequence[tuple[int, int]]
) -> None:
    """Take sentences (id, text) that are about to be deleted out of index and candidates, with what rests on pairs that
    are no paraphrases any more.

    What else is otherwise now is left to the next update, and all of it where this is much. Inside a transaction of the
    caller.
    """
    state = layer_state(store, language, "commutation")
    if state is None:
        return
    connection, held = store.connection, [each for each in sentences if each[0] <= state.last_sentence]
    run = start_run(store, "index", {"language": language, "removed": len(held), "reworded": len(gone)})
    counts = counted_unusable(store, language)
    if counts:
        counts["too_long"] -= sum(is_too_long(text) for _, text in held)
    for statement in _FORGET_SEED:
        connection.executemany(statement, [(sentence,) for sentence, _ in sentences])
    forget_outside_seeds(connection, language)
    if held:
        forget_ngrams(store, language, {sentence for sentence, _ in held}, run)
    try:
        _shrink_index(store, language, held, gone, run)
        save_layer(store, language, "commutation", state, run)
    except ContextTooCommon:
        forget_index(connection, language)
        reopen_layers(store, language, ("commutation", "candidate"), run)
    finish_run(store, run, counts)


def _shrink_index(
    store: Store, language: str, sentences: Sequence[tuple[int, str]], gone: Sequence[tuple[int, int]], run: Run
) -> None:
    """The same, but for the n-grams, which cover what stays. Raises ContextTooCommon where the index is to be made
    again."""
    connection, reworded = store.connection, sorted({sentence for sentence, _ in gone})
    state, before = (layer_state(store, language, name) for name in ("commutation", "candidate"))
    is_current = state is not None and state.complete and state.parameters == PARAMETERS
    if not is_current or not _is_little(store, language, len(sentences), len(reworded)):
        raise ContextTooCommon
    ngrams = load_ngrams(store, language)
    seeds = _seeds_of_reworded(connection, reworded)
    connection.executemany(FORGET_SUBSTITUTIONS, gone)
    seeds |= shrink_slot_index(connection, language, sentences, ngrams, reworded)
    if before:
        _regenerate(store, language, seeds, ngrams, before, run)
        _lose_fluency(connection, language, [text for _, text in sentences], ngrams)
        save_layer(store, language, "candidate", before, run)


_FORGET_SEED = (
    "delete from candidate where seed = (select id from seed where sentence = ?)",
    "delete from seed where sentence = ?",
)
# A seed that was not in the corpus, and now is.
_ADOPT = "update seed set sentence = ? where language = ? and text = ?"
_FORGET_OUTSIDE = (
    "delete from candidate where seed in (select id from seed where sentence is null and language = ?)",
    "delete from seed where sentence is null and language = ?",
)


def forget_outside_seeds(connection: sqlite3.Connection, language: str) -> None:
    """Drop what was generated for seeds that are not in the corpus: what touches them cannot be told from the index."""
    for statement in _FORGET_OUTSIDE:
        connection.execute(statement, (language,))


_REWORDED = """
select distinct paraphrase.sentence from paraphrase join sentence on sentence.id = paraphrase.sentence
where paraphrase.run > ? and sentence.language = ?
"""


_SEEDS_OF_REWORDED = """
select distinct slot.sentence
from json_each(?) reworded
cross join slot replaced on replaced.sentence = reworded.value
cross join slot on slot.context = replaced.context and slot.filler <> replaced.filler
where exists (select 1 from substitution where context = replaced.context and filler = replaced.filler)
"""
_SEEDS_INSIDE = "select sentence from seed where sentence is not null"


def _seeds_of_reworded(connection: sqlite3.Connection, reworded: Iterable[int]) -> set[int]:
    """The sentences with derivations through paraphrases of these."""
    return {row[0] for row in connection.execute(_SEEDS_OF_REWORDED, (json.dumps([*reworded]),))}


def _is_of_given(state: Layer) -> bool:
    return state.parameters.get("seeds") == "given"


def _generated_from(connection: sqlite3.Connection, seeds: Iterable[int], state: Layer) -> list[int]:
    """Those of some sentences that were generated from."""
    if _is_of_given(state):
        seeds = {*seeds} & {row[0] for row in connection.execute(_SEEDS_INSIDE)}
    return sorted(seed for seed in seeds if state.complete or seed <= state.last_sentence)


_KNOWN = f"""
select candidate.text, validity, word_gain, replacement, {", ".join(Fluency._fields)}
from candidate join seed on seed.id = candidate.seed where seed.sentence = ?
"""
_KEEP_VALIDITY = f"""
update candidate set {setting("validity", "word_gain", "replacement")}
where seed = (select id from seed where sentence = ?) and text = ?
"""


def _regenerate(store: Store, language: str, seeds: Iterable[int], ngrams: NgramIndex, state: Layer, run: Run) -> None:
    """Generate the candidates of these seeds again, as far as they were generated from; fluency and validity of those
    that stay are taken over. Of a seed that has none nothing is left, unless somebody asked for it."""
    connection, rows = store.connection, IndexRows(store)
    seeds = _generated_from(connection, seeds, state)
    without = {*seeds}
    fluency: dict[str, Fluency] = {}
    generated: list[tuple[CandidateSeed, list[Evidence]]] = []
    judged: list[tuple[float, float | None, int, int, str]] = []
    for sentence, derivations in rows.derivations(seeds):
        text = rows.text(sentence)
        if not (found := candidates(text, derivations, rows)):
            continue
        without.discard(sentence)
        generated.append((CandidateSeed(language, text, sentence), found))
        known = connection.execute(_KNOWN, (sentence,)).fetchall()
        fluency.update((row[0], Fluency._make(row[4:])) for row in known)
        judged += [(*row[1:4], sentence, row[0]) for row in known if row[1] is not None]
    new = {one.text for _, found in generated for one in found} - fluency.keys()
    fluency.update(fluency_of(new, ngrams.longest_of_few))
    for seed, found in generated:
        store_candidates(connection, seed, found, fluency, run)
    connection.executemany(_KEEP_VALIDITY, judged)
    for statement in _FORGET_SEED[:1] if _is_of_given(state) else _FORGET_SEED:
        connection.executemany(statement, [(sentence,) for sentence in without])


# What is known of candidates that are generated all again, where only what is new is judged.
_SET_ASIDE = (
    "drop table if exists temp.set_aside",
    """
    create temp table set_aside as
    select seed.text as seed, candidate.text, validity_parts, word_gain_parts, replacement
    from seed cross join candidate on candidate.seed = seed.id where seed.language = :language and validity is not null
    """,
)
_TAKE_BACK = """
update candidate
set validity_parts = known.validity_parts, word_gain_parts = known.word_gain_parts, replacement = known.replacement
from temp.set_aside known cross join seed on seed.language = :language and seed.text = known.seed
where candidate.seed = seed.id and candidate.text = known.text
"""


def set_validity_aside(connection: sqlite3.Connection, language: str) -> None:
    """Keep, as long as this connection is open, what the candidates of a language were judged to be."""
    for statement in _SET_ASIDE:
        connection.execute(statement, {"language": language})


def take_validity_back(connection: sqlite3.Connection, language: str) -> None:
    """Give it to those that were generated again."""
    connection.execute(_TAKE_BACK, {"language": language})
    connection.execute(_SET_ASIDE[0])


_AFFECTED = """
select candidate.id, candidate.text from json_each(:seen) seen
cross join candidate on candidate.unseen = seen.value
cross join seed on seed.id = candidate.seed and seed.language = :language
union
select candidate.id, candidate.text from json_each(:seen) seen
cross join candidate on candidate.other_unseen = seen.value
cross join seed on seed.id = candidate.seed and seed.language = :language
"""


def _update_fluency(connection: sqlite3.Connection, language: str, texts: Sequence[str], ngrams: NgramIndex) -> None:
    """Measure again the candidates of which the sequence that was unseen stands in one of the new sentences."""
    seen = {hash_ for text in texts for hash_ in (hashes_within(text) >> 32).tolist()}
    affected = connection.execute(_AFFECTED, {"language": language, "seen": json.dumps([*seen])}).fetchall()
    if affected:
        update_fluency(connection, affected, ngrams.longest_of_few)


_MOST_LOST = 200
"""Sequences that are looked for one by one in all candidates, before all of these are measured again."""
_LOST_TABLE = ("create temp table if not exists lost (text text primary key)", "delete from temp.lost")
_NOTE_LOST = "insert or ignore into temp.lost values (?)"
_WITH_LOST = """
select candidate.id, candidate.text from seed cross join candidate on candidate.seed = seed.id
where seed.language = :language and (:all or exists (
    select 1 from temp.lost where instr(char(10) || candidate.text || char(10), lost.text)
))
"""


def _lose_fluency(connection: sqlite3.Connection, language: str, texts: Sequence[str], ngrams: NgramIndex) -> None:
    """Measure again the candidates with a sequence that only these texts had, which ``ngrams`` has no longer."""
    lost = {sequence for text in texts for sequence in _unseen_in(f"\n{text}\n", ngrams)}
    for statement in _LOST_TABLE:
        connection.execute(statement)
    are_many = len(lost) > _MOST_LOST
    connection.executemany(_NOTE_LOST, () if are_many else ((sequence,) for sequence in lost))
    affected = connection.execute(_WITH_LOST, {"language": language, "all": are_many}).fetchall()
    if affected:
        update_fluency(connection, affected, ngrams.longest_of_many if are_many else ngrams.longest_of_few)


def _unseen_in(text: str, ngrams: NgramIndex) -> Iterator[str]:
    """The shortest sequences of a text, between two line breaks, that are not seen: no other one stands in one."""
    ends = (np.arange(len(text)) + ngrams.longest_of_few(text) + 1).tolist()
    for begin, (end, following) in enumerate(pairwise([*ends[:-1], len(text) + 1])):
        if end < following and end <= len(text):
            yield text[begin:end]
