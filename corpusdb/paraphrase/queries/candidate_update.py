"""Updating the index and the candidates where little is new: only the rows that new sentences or paraphrases touch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Literal

from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.paraphrase.derivation import Evidence, candidates
from corpusdb.paraphrase.fluency import Fluency, fluency_of, hashes_within
from corpusdb.paraphrase.queries.candidates import CandidateSeed, IndexRows, store_candidates, update_fluency
from corpusdb.paraphrase.queries.ngram_index import NgramIndex, load_ngrams, update_ngrams
from corpusdb.paraphrase.queries.slot_index import PARAMETERS
from corpusdb.paraphrase.queries.slot_index_update import seeds_of_changed_commutations, update_slot_index

_SMALL = 0.02
"""Up to this part of the corpus, an update in place is faster than a rebuild."""

_PENDING = """
select (select count(*) from sentence where language = :language and id > :sentence),
       (select count(*) from sentence where language = :language),
       exists (select 1 from paraphrase where run > :run
               and sentence in (select id from sentence where language = :language))
"""


def pending_update(store: Store, language: str, state: Layer) -> Literal["nothing", "little", "much"]:
    """How much the corpus has that the commutation index has not: ``little`` is updated faster in place."""
    values = {"language": language, "sentence": state.last_sentence, "run": state.last_run}
    new, total, reworded = store.connection.execute(_PENDING, values).fetchone()
    if not new and not reworded:
        return "nothing"
    return "little" if new <= _SMALL * total else "much"


def update_in_place(store: Store, language: str, state: Layer) -> Job[None]:
    """Update what is new or touched by it in one transaction: index, candidates and their fluency; part of a job.

    Raises ContextTooCommon, with nothing changed, when the index has to be rebuilt.
    """
    fresh = sentences_after(store, language, state.last_sentence)
    yield Progress("following new sentences", 0, len(fresh))
    with store.write() as connection:
        run = start_run(store, "index", {"language": language, "after": state.last_sentence, "run": state.last_run})
        reworded = _sentences_with_new_paraphrases(connection, language, state.last_run)
        update_slot_index(connection, language, fresh, load_ngrams(store, language), reworded)
        for _ in update_ngrams(store, language, run):
            pass
        last = fresh[-1][0] if fresh else state.last_sentence
        if before := layer_state(store, language, "candidate"):
            ngrams = load_ngrams(store, language)
            connection.executemany(_ADOPT, [(sentence, language, text) for sentence, text in fresh])
            _regenerate(store, language, _touched_seeds(connection, reworded, before), ngrams, run)
            _update_fluency(connection, language, [text for _, text in fresh], ngrams)
            through = last if before.complete else before.last_sentence
            done = Layer(before.parameters, through, run.id, before.complete)
            save_layer(store, language, "candidate", done, run)
        forget_outside_seeds(connection, language)
        save_layer(store, language, "commutation", Layer(PARAMETERS, last, run.id, complete=True), run)
        finish_run(store, run, {"sentences": len(fresh)})
    yield Progress("following new sentences", len(fresh), len(fresh))


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


def _sentences_with_new_paraphrases(connection: sqlite3.Connection, language: str, since: int) -> list[int]:
    return [row[0] for row in connection.execute(_REWORDED, (since, language))]


_REWORDED_TABLE = (
    "create temp table if not exists reworded (sentence integer primary key)",
    "delete from temp.reworded",
)
_NOTE_REWORDED = "insert into temp.reworded values (?)"
_SEEDS_OF_REWORDED = """
select distinct slot.sentence
from temp.reworded
cross join slot replaced on replaced.sentence = reworded.sentence
cross join slot on slot.context = replaced.context and slot.filler <> replaced.filler
where exists (select 1 from substitution where context = replaced.context and filler = replaced.filler)
"""
_SEEDS_INSIDE = "select sentence from seed where sentence is not null"


def _touched_seeds(connection: sqlite3.Connection, reworded: Iterable[int], state: Layer) -> list[int]:
    """The sentences, of those that were generated from, whose candidates may differ now."""
    for statement in _REWORDED_TABLE:
        connection.execute(statement)
    connection.executemany(_NOTE_REWORDED, ((sentence,) for sentence in reworded))
    seeds = seeds_of_changed_commutations(connection)
    seeds |= {row[0] for row in connection.execute(_SEEDS_OF_REWORDED)}
    if state.parameters.get("seeds") == "given":
        seeds &= {row[0] for row in connection.execute(_SEEDS_INSIDE)}
    return sorted(seed for seed in seeds if state.complete or seed <= state.last_sentence)


_KNOWN = f"""
select candidate.text, validity, replacement, {", ".join(Fluency._fields)}
from candidate join seed on seed.id = candidate.seed where seed.sentence = ?
"""
_KEEP_VALIDITY = """
update candidate set validity = ?, replacement = ?
where seed = (select id from seed where sentence = ?) and text = ?
"""


def _regenerate(store: Store, language: str, seeds: Sequence[int], ngrams: NgramIndex, run: Run) -> None:
    """Generate the candidates of these seeds again; fluency and validity of those that stay are taken over."""
    connection, rows = store.connection, IndexRows(store)
    fluency: dict[str, Fluency] = {}
    generated: list[tuple[CandidateSeed, list[Evidence]]] = []
    judged: list[tuple[float, int, int, str]] = []
    for sentence, derivations in rows.derivations(seeds):
        text = rows.text(sentence)
        generated.append((CandidateSeed(language, text, sentence), candidates(text, derivations, rows)))
        known = connection.execute(_KNOWN, (sentence,)).fetchall()
        fluency.update((row[0], Fluency._make(row[3:])) for row in known)
        judged += [(*row[1:3], sentence, row[0]) for row in known if row[1] is not None]
    new = {one.text for _, found in generated for one in found} - fluency.keys()
    fluency.update(fluency_of(new, ngrams.longest_of_few))
    for seed, found in generated:
        store_candidates(connection, seed, found, fluency, run)
    connection.executemany(_KEEP_VALIDITY, judged)


_NOTE_SEEN = "insert or ignore into temp.seen values (?)"
_SEEN_TABLE = ("create temp table if not exists seen (hash integer primary key)", "delete from temp.seen")
_AFFECTED = """
select candidate.id, candidate.text from temp.seen
cross join candidate on candidate.unseen = seen.hash
cross join seed on seed.id = candidate.seed and seed.language = :language
union
select candidate.id, candidate.text from temp.seen
cross join candidate on candidate.inner_unseen = seen.hash and candidate.inner_unseen is not candidate.unseen
cross join seed on seed.id = candidate.seed and seed.language = :language
"""


def _update_fluency(connection: sqlite3.Connection, language: str, texts: Sequence[str], ngrams: NgramIndex) -> None:
    """Measure again the candidates of which the sequence that was unseen stands in one of the new sentences."""
    for statement in _SEEN_TABLE:
        connection.execute(statement)
    for text in texts:
        hashes = hashes_within(text).tolist()
        connection.executemany(_NOTE_SEEN, ((hash_,) for hash_ in hashes))
    affected = connection.execute(_AFFECTED, {"language": language}).fetchall()
    if affected:
        update_fluency(connection, affected, ngrams.longest_of_few)
