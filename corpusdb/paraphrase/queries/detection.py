"""Detection: sentences that share a translation are paraphrases (Lepage & Denoual 2005, section 4.2)."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.model import DetectionReport
from corpusdb.corpus.queries.sentences import check_languages
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import exclusive, reopen_layers
from corpusdb.paraphrase.queries.slot_index import FORGET_SUBSTITUTIONS
from corpusdb.paraphrase.sharing import MAX_SHARING, paraphrases_of

PARAMETERS: dict[str, object] = {"max_sharing": MAX_SHARING}
"""What the paraphrases are made by, so that those made by something else are rebuilt."""
_SENTENCES_PER_TRANSACTION = 200_000

_NEWEST = """
select coalesce((select max(id) from sentence where language = ?), 0),
       coalesce((select max(id) from run where operation in ('import', 'accept')), 0)
"""
# Where no later run can have stored translations, none of them is looked at.
_ANY_NEWER = """
select exists (
    select 1 from run where id > :run and operation in ('import', 'accept') and exists (
        select 1 from translation where run > :run and sentence in (select id from sentence where language = :language)
    )
)
"""


@exclusive("detect")
def detect(store: Store, language: str) -> Job[DetectionReport]:
    """Find the paraphrases of a language's sentences, or update them by what was imported since they were last found.

    Translations that more than MAX_SHARING sentences have are left out, and counted. Each transaction does up to
    200,000 sentence numbers; after an interruption the same call goes on. Raises InputError for a language that the
    corpus has no sentence in.
    """
    begun = time.monotonic()
    check_languages(store, [language])
    state = layer_state(store, language, "paraphrase")
    if state and state.parameters != PARAMETERS:
        state = None
    since = state.last_run if state else 0
    newer = state and store.connection.execute(_ANY_NEWER, {"run": since, "language": language}).fetchone()[0]
    updating = state is not None and state.complete
    if state and updating and not newer:
        _take_in_untranslated(store, language, state)
        return _last_report(store, language, begun)
    with store.write() as connection:
        # An import that was interrupted stores what comes later under a run of its own, once this one has looked.
        run = start_run(store, "detect", {"language": language})
        last_sentence, last_run = connection.execute(_NEWEST, (language,)).fetchone()
    # Where this was interrupted, what was imported since may touch sentences that were done.
    first = state.last_sentence if state and not newer else 0
    size = last_sentence if updating else _SENTENCES_PER_TRANSACTION
    for step in range(first, last_sentence, size):
        yield Progress("detecting in sentences", step, last_sentence)
        last = min(step + size, last_sentence)
        with store.write() as connection:
            _mark_touched(connection, language, step, last, since if updating else None)
            gone = _detect_touched(connection, language, run)
            connection.executemany(FORGET_SUBSTITUTIONS, gone)
            if gone:
                # What rested on a paraphrase that is gone cannot be updated in place.
                reopen_layers(store, language, ("commutation", "candidate"), run)
            save_layer(store, language, "paraphrase", Layer(PARAMETERS, last, last_run, complete=False), run)
    with store.write():
        report = _report(store, language, begun)
        save_layer(store, language, "paraphrase", Layer(PARAMETERS, last_sentence, last_run, complete=True), run)
        finish_run(store, run, _counted(report))
    return report


def detect_without(store: Store, language: str, known: int) -> list[tuple[int, int]]:
    """Make the paraphrases of a language what they are without the translations in temp.unlinked.

    Of those, ``known`` sentences were learned from, which has to be done again then. Gives the pairs that are no
    paraphrases any more. Inside a transaction of the caller, who forgets what rests on these.
    """
    state = layer_state(store, language, "paraphrase")
    if state is None:
        return []
    connection = store.connection
    run = start_run(store, "detect", {"language": language, "removed": known})
    for statement in (*_TABLES.split(";"), *_CLEAR):
        connection.execute(statement)
    values = {"language": language, "run": run.id, "most": MAX_SHARING}
    for statement in (_UNLINKED, _CHANGED, *_TOUCH_NEW):
        connection.execute(statement, values)
    gone = _detect_touched(connection, language, run)
    newer = connection.execute(_ANY_NEWER, {"run": state.last_run, "language": language}).fetchone()[0]
    last_run = run.id if known and not newer else state.last_run
    save_layer(store, language, "paraphrase", replace(state, last_run=last_run), run)
    finish_run(store, run, _counted(_report(store, language, time.monotonic())))
    return gone


_UNLINKED = """
insert or ignore into temp.linked
select unlinked.translation, unlinked.sentence from temp.unlinked
join sentence own on own.id = unlinked.sentence and own.language = :language
join sentence pivot on pivot.id = unlinked.translation and pivot.language <> :language
"""
_NEWEST_AFTER = "select max(id) from sentence not indexed where id > ? and language = ?"
_TAKE_IN = "update layer set last_sentence = ? where language = ? and name = 'paraphrase'"


def _take_in_untranslated(store: Store, language: str, state: Layer) -> None:
    """Note that new sentences without a translation have no paraphrases, so that the layer is not behind for them."""
    (newest,) = store.connection.execute(_NEWEST_AFTER, (state.last_sentence, language)).fetchone()
    if newest and not store.read_only:
        with store.write() as connection:
            connection.execute(_TAKE_IN, (newest, language))


_TABLES = """
create temp table if not exists touched (sentence integer primary key);
create temp table if not exists linked (
    translation integer, sentence integer, primary key (translation, sentence)) without rowid;
create temp table if not exists changed (translation integer primary key, sentences integer);
create temp table if not exists reached (translation integer primary key, language text);
create temp table if not exists member (
    translation integer, sentence integer, primary key (translation, sentence)) without rowid;
create temp table if not exists pivot (translation integer primary key, language text, sentences integer);
create temp table if not exists degree (sentence integer primary key, translations integer);
"""
_CLEAR = tuple(f"delete from temp.{name}" for name in "touched linked changed reached member pivot degree".split())
_TOUCH_RANGE = (
    "insert into temp.touched select id from sentence where language = :language and id > :first and id <= :last"
)
_LINKED = """
insert or ignore into temp.linked
select new.translation, new.sentence
from translation new
join sentence pivot on pivot.id = new.translation and pivot.language <> :language
where new.run > :run and new.sentence in (select id from sentence where language = :language)
"""
# How many sentences each of these translations had before.
_CHANGED = """
insert into temp.changed
select translation, (
    select count(distinct back.translation) from translation back
    join sentence on sentence.id = back.translation and sentence.language = :language
    where back.sentence = linked.translation and back.run <= :run)
from temp.linked group by translation
"""
# A new link between s and t changes p(b|s) for all b and, with p(s|t), p(b|a) for all a and b that t translates; unless
# t was left out before: then it still is.
_TOUCH_NEW = (
    "insert or ignore into temp.touched select sentence from temp.linked",
    """
    insert or ignore into temp.touched
    select other.translation
    from temp.changed
    cross join translation other on other.sentence = changed.translation
    cross join sentence on sentence.id = other.translation and sentence.language = :language
    where changed.sentences <= :most
    """,
)


def _mark_touched(connection: sqlite3.Connection, language: str, first: int, last: int, since: int | None) -> None:
    for statement in (*_TABLES.split(";"), *_CLEAR):
        connection.execute(statement)
    if since is None:
        connection.execute(_TOUCH_RANGE, {"language": language, "first": first, "last": last})
        return
    values = {"language": language, "run": since, "most": MAX_SHARING}
    for statement in (_LINKED, _CHANGED, *_TOUCH_NEW):
        connection.execute(statement, values)


_REACHED = """
insert or ignore into temp.reached
select there.translation, pivot.language
from temp.touched
cross join translation there on there.sentence = touched.sentence
cross join sentence pivot on pivot.id = there.translation and pivot.language <> :language
"""
# Most translations have one sentence only, and need no look at its language.
_MEMBERS = """
insert or ignore into temp.member
select back.sentence, back.translation
from temp.reached
cross join translation back on back.sentence = reached.translation
cross join sentence on sentence.id = back.translation and sentence.language = :language
where exists (
    select 1 from translation one where one.sentence = reached.translation and one.translation <> back.translation)
"""
_PIVOTS = """
insert into temp.pivot
select member.translation, reached.language, count(*)
from temp.member cross join temp.reached on reached.translation = member.translation
group by member.translation having count(*) between 2 and :most
"""
# Of sentences that have a paraphrase: how many translations they have, those that are left out too.
_DEGREES = """
insert into temp.degree
select sharing.sentence, count(distinct there.translation)
from (
    select distinct member.sentence
    from temp.member
    join temp.pivot on pivot.translation = member.translation
    join temp.touched on touched.sentence = member.sentence) sharing
cross join translation there on there.sentence = sharing.sentence
cross join sentence on sentence.id = there.translation and sentence.language <> :language
group by sharing.sentence
"""
# Each share of the pivot probability, p(t|a) p(b|t), as corpusdb/paraphrase/sharing.py defines it. Sentences come in
# their order, so that nothing has to be sorted or held but the paraphrases of one.
_SHARED = """
select degree.sentence, other.sentence, pivot.language, 1.0 / (degree.translations * pivot.sentences)
from temp.degree
cross join translation there on there.sentence = degree.sentence
cross join temp.pivot on pivot.translation = there.translation
cross join temp.member other on other.translation = there.translation and other.sentence <> degree.sentence
where there.collection = (
    select min(collection) from translation each
    where each.sentence = there.sentence and each.translation = there.translation)
order by degree.sentence
"""
# Only rows that change take the number of this run: that is how the layers above know what is new.
_STORE = """
insert into paraphrase (sentence, paraphrase, translations, languages, probability, run) values (?, ?, ?, ?, ?, ?)
on conflict (sentence, paraphrase) do update set
    translations = excluded.translations, languages = excluded.languages,
    probability = excluded.probability, run = excluded.run, validity_parts = null
where translations <> excluded.translations or languages <> excluded.languages or probability <> excluded.probability
"""
_HAD = """
select distinct paraphrase.sentence from temp.touched cross join paraphrase on paraphrase.sentence = touched.sentence
"""
_STORED = "select paraphrase from paraphrase where sentence = ?"
_FORGET = "delete from paraphrase where sentence = ? and paraphrase = ?"


def _detect_touched(connection: sqlite3.Connection, language: str, run: Run) -> list[tuple[int, int]]:
    """Make the paraphrases of the touched sentences what they are now; the pairs that are none any more."""
    values = {"language": language, "most": MAX_SHARING}
    for statement in (_REACHED, _MEMBERS, _PIVOTS, _DEGREES):
        connection.execute(statement, values)
    had = {row[0] for row in connection.execute(_HAD)}
    gone: list[tuple[int, int]] = []
    connection.executemany(_STORE, _compared(connection, had, gone, run))
    for sentence in had:
        gone += [(sentence, row[0]) for row in connection.execute(_STORED, (sentence,))]
    connection.executemany(_FORGET, gone)
    return gone


_Row: TypeAlias = tuple[int, int, int, str, float, int]


def _compared(connection: sqlite3.Connection, had: set[int], gone: list[tuple[int, int]], run: Run) -> Iterator[_Row]:
    """The rows of all sentences that have a paraphrase now, which are taken out of those that ``had`` one.

    ``gone`` gets the pairs of these that are stored, and none any more.
    """
    for sentence, rows in groupby(connection.execute(_SHARED), key=itemgetter(0)):
        found = paraphrases_of(sentence, rows)
        if sentence in had:
            had.discard(sentence)
            stored = {row[0] for row in connection.execute(_STORED, (sentence,))}
            gone += [(sentence, paraphrase) for paraphrase in stored - {row.paraphrase for row in found}]
        yield from ((*row, run.id) for row in found)


_COUNTS = """
select count(distinct paraphrase.sentence), count(*)
from paraphrase join sentence on sentence.id = paraphrase.sentence where sentence.language = ?
"""


def detected_counts(store: Store, language: str) -> tuple[int, int]:
    """How many sentences have a paraphrase, and how many ordered pairs there are."""
    sentences, pairs = store.connection.execute(_COUNTS, (language,)).fetchone()
    return int(sentences), int(pairs)


_HOLDS_MUCH = """
select (select count(*) from sentence where language = ?) * 20 > coalesce((select max(id) from sentence), 0)
"""
# All translations in the order of their key: the fastest way for a language that holds many of the sentences.
_CROWDED_ANYWHERE = "select sentence as id from translation group by sentence having count(*) > :most"
# Those of one language, of which there may be hundreds.
_CROWDED_HERE = """
select there.translation as id from sentence own cross join translation there on there.sentence = own.id
where own.language = :language group by there.translation having count(*) > :most
"""
# The first part counts a pair once for each collection; the few that it leaves are looked at closely.
_LEFT_OUT = """
with crowded as materialized ({}),
sharing as materialized (
    select distinct crowded.id as pivot, back.translation as sentence
    from crowded
    cross join sentence pivot on pivot.id = crowded.id and pivot.language <> :language
    cross join translation back on back.sentence = crowded.id
    cross join sentence on sentence.id = back.translation and sentence.language = :language),
left_out as materialized (select pivot from sharing group by pivot having count(*) > :most)
select (select count(*) from left_out),
       (select count(distinct sharing.sentence) from left_out join sharing on sharing.pivot = left_out.pivot)
"""


def _report(store: Store, language: str, begun: float) -> DetectionReport:
    sentences, pairs = detected_counts(store, language)
    (holds_much,) = store.connection.execute(_HOLDS_MUCH, (language,)).fetchone()
    statement = _LEFT_OUT.format(_CROWDED_ANYWHERE if holds_much else _CROWDED_HERE)
    values = {"language": language, "most": MAX_SHARING}
    left_out, their_sentences = store.connection.execute(statement, values).fetchone()
    return DetectionReport(sentences, pairs, time.monotonic() - begun, left_out, their_sentences)


_COUNTED = ("sentences", "pairs", "left_out", "left_out_sentences")
_LAST_COUNTS = """
select run.counts from layer join run on run.id = layer.run where layer.language = ? and layer.name = 'paraphrase'
"""


def _last_report(store: Store, language: str, begun: float) -> DetectionReport:
    """What the run that detected last has counted: many languages are asked for theirs whenever something is new."""
    counts = json.loads(store.connection.execute(_LAST_COUNTS, (language,)).fetchone()[0])
    if not counts.keys() >= {"sentences", "pairs"}:
        return _report(store, language, begun)
    sentences, pairs, left_out, their_sentences = (counts.get(name, 0) for name in _COUNTED)
    return DetectionReport(sentences, pairs, time.monotonic() - begun, left_out, their_sentences)


def _counted(report: DetectionReport) -> dict[str, int]:
    """The counts of a run; what was left out only where something was."""
    counts = {name: getattr(report, name) for name in _COUNTED}
    return {name: count for name, count in counts.items() if count or name in ("sentences", "pairs")}
