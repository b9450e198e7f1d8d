"""Detection: sentences that share a translation are paraphrases (Lepage & Denoual 2005, section 4.2)."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from corpusdb.model import DetectionReport, Progress
from corpusdb.queries import Job
from corpusdb.queries.exclusive import exclusive
from corpusdb.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run

__all__ = ["detect", "detected_counts"]

_SENTENCES_PER_TRANSACTION = 200_000

_NEWEST = """
select coalesce((select max(id) from sentence where language = ?), 0),
       coalesce((select max(id) from run where operation in ('import', 'accept')), 0)
"""
_ANY_NEWER = """
select exists (
    select 1 from translation where run > :run and sentence in (select id from sentence where language = :language))
"""


@exclusive("detect")
def detect(store: Store, language: str) -> Job[DetectionReport]:
    """Find the paraphrases of a language's sentences, or follow what was imported since they were last found.

    Each transaction does up to 200,000 sentence numbers; after an interruption the same call goes on.
    """
    begun = time.monotonic()
    state = layer_state(store, language, "paraphrase")
    since = state.last_run if state else 0
    newer = state and store.connection.execute(_ANY_NEWER, {"run": since, "language": language}).fetchone()[0]
    followed = state is not None and state.complete
    if followed and not newer:
        return _report(store, language, begun)
    with store.write() as connection:
        # In one transaction: from here on, an import that is under way stores what comes under a later run.
        run = start_run(store, "detect", {"language": language})
        last_sentence, last_run = connection.execute(_NEWEST, (language,)).fetchone()
    # Where this was interrupted, what was imported since may touch sentences that were done.
    first = state.last_sentence if state and not newer else 0
    size = last_sentence if followed else _SENTENCES_PER_TRANSACTION
    for step in range(first, last_sentence, size):
        yield Progress("detecting in sentences", step, last_sentence)
        last = min(step + size, last_sentence)
        with store.write() as connection:
            _mark_touched(connection, language, step, last, since if followed else None)
            _detect_touched(connection, language, run)
            save_layer(store, language, "paraphrase", Layer({}, last, last_run, complete=False), run)
    with store.write():
        report = _report(store, language, begun)
        save_layer(store, language, "paraphrase", Layer({}, last_sentence, last_run, complete=True), run)
        finish_run(store, run, {"sentences": report.sentences, "pairs": report.pairs})
    return report


_CLEAR = """
create temp table if not exists touched (sentence integer primary key);
create temp table if not exists pivot (
    translation integer, sentence integer, primary key (translation, sentence)) without rowid;
delete from temp.touched;
delete from temp.pivot;
"""
_TOUCH_RANGE = (
    "insert into temp.touched select id from sentence where language = :language and id > :first and id <= :last"
)
# A new link between s and t changes p(s|t) for all that t translates, and p(t|s).
_TOUCH_NEW = """
insert or ignore into temp.touched
select other.translation
from translation new
join sentence pivot on pivot.id = new.translation and pivot.language <> :language
join translation other on other.sentence = new.translation
join sentence on sentence.id = other.translation and sentence.language = :language
where new.run > :run and new.sentence in (select id from sentence where language = :language)
"""


def _mark_touched(connection: sqlite3.Connection, language: str, first: int, last: int, since: int | None) -> None:
    for statement in _CLEAR.split(";"):
        connection.execute(statement)
    if since is None:
        connection.execute(_TOUCH_RANGE, {"language": language, "first": first, "last": last})
    else:
        connection.execute(_TOUCH_NEW, {"language": language, "run": since})


# Every translation of a touched sentence, with all that it translates.
_PIVOTS = """
insert or ignore into temp.pivot
select back.sentence, back.translation
from temp.touched
cross join translation there on there.sentence = touched.sentence
cross join sentence pivot on pivot.id = there.translation and pivot.language <> :language
cross join translation back on back.sentence = there.translation
cross join sentence on sentence.id = back.translation and sentence.language = :language
"""
# p(b|a) = sum over t of p(t|a) p(b|t), each uniform over the distinct translations.
_PAIRS = """
with translated as (select translation, count(*) as sentences from temp.pivot group by translation having count(*) > 1),
     degree as (
         select pivot.sentence, count(*) as translations
         from temp.pivot join temp.touched on touched.sentence = pivot.sentence group by pivot.sentence)
select a.sentence, b.sentence, language.language, 1.0 / (degree.translations * translated.sentences)
from translated
join temp.pivot a on a.translation = translated.translation
join degree on degree.sentence = a.sentence
join temp.pivot b on b.translation = translated.translation and b.sentence <> a.sentence
join sentence language on language.id = translated.translation
order by a.sentence, b.sentence, translated.translation
"""
# Only rows that change take the number of this run: that is how the layers above know what to follow.
_STORE = """
insert into paraphrase (sentence, paraphrase, translations, languages, probability, run) values (?, ?, ?, ?, ?, ?)
on conflict (sentence, paraphrase) do update set
    translations = excluded.translations, languages = excluded.languages,
    probability = excluded.probability, run = excluded.run
where translations <> excluded.translations or languages <> excluded.languages or probability <> excluded.probability
"""


def _detect_touched(connection: sqlite3.Connection, language: str, run: Run) -> None:
    connection.execute(_PIVOTS, {"language": language})
    connection.executemany(_STORE, _paraphrases(connection.execute(_PAIRS), run))


def _paraphrases(
    rows: Iterator[tuple[int, int, str, float]], run: Run
) -> Iterator[tuple[int, int, int, str, float, int]]:
    for (sentence, paraphrase), shared in groupby(rows, key=itemgetter(0, 1)):
        members = list(shared)
        languages = ",".join(sorted({row[2] for row in members}))
        yield sentence, paraphrase, len(members), languages, sum(row[3] for row in members), run.id


_COUNTS = """
select count(distinct paraphrase.sentence), count(*)
from paraphrase join sentence on sentence.id = paraphrase.sentence where sentence.language = ?
"""


def detected_counts(store: Store, language: str) -> tuple[int, int]:
    """How many sentences have a paraphrase, and how many ordered pairs there are."""
    sentences, pairs = store.connection.execute(_COUNTS, (language,)).fetchone()
    return int(sentences), int(pairs)


def _report(store: Store, language: str, begun: float) -> DetectionReport:
    sentences, pairs = detected_counts(store, language)
    return DetectionReport(sentences, pairs, time.monotonic() - begun)
