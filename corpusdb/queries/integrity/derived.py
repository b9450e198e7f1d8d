"""Are the derived layers those that the corpus gives: they are made again in another file, and compared row by row."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from corpusdb.errors import CorpusError, DatabaseDamaged
from corpusdb.jobs import Job, Progress
from corpusdb.queries.analogy.candidate_update import pending_update
from corpusdb.queries.analogy.slot_index import PARAMETERS
from corpusdb.queries.chain.generation import generate, prepare
from corpusdb.queries.paraphrase.detection import PARAMETERS as DETECTED_BY
from corpusdb.queries.paraphrase.detection import detect
from corpusdb.store import Layer, Store, layer_state, open_store
from corpusdb.store.layers import LayerName, languages_with_layers

__all__ = ["DERIVED_TABLES", "given_seeds", "made_by_other_rules", "wrong_layers"]

_ROWS_AT_ONCE = 100_000
_SHOWN = 3
DERIVED_TABLES = (
    "paraphrase",
    "context",
    "filler",
    "slot",
    "commutation",
    "substitution",
    "seed",
    "candidate",
)
"""The tables that are made again and compared."""


@contextmanager
def _scratch() -> Iterator[Store]:
    """A database of its own, which is gone afterwards; nobody needs it after a crash."""
    with (
        tempfile.TemporaryDirectory(prefix="corpusdb-") as folder,
        open_store(Path(folder) / "scratch.db", create=True) as store,
    ):
        yield store


def wrong_layers(store: Store) -> Job[list[str]]:
    """What is wrong with the paraphrases, commutations and candidates of each language.

    Inside a snapshot of the caller. Layers that are still being made, or were made by other rules, are left out.
    """
    problems = _wrong_runs(store)
    for language in languages_with_layers(store):
        try:
            problems += yield from _wrong_language(store, language)
        except (DatabaseDamaged, sqlite3.DatabaseError):
            raise
        except (CorpusError, ValueError, LookupError, TypeError, ArithmeticError) as error:
            problems.append(f"what the corpus gives in {language} cannot be made: {error}")
    return problems


def made_by_other_rules(store: Store) -> list[str]:
    """The languages in which something was derived by a version of corpusdb that derived it in another way."""
    rules: tuple[tuple[LayerName, dict[str, object]], ...] = (("paraphrase", DETECTED_BY), ("commutation", PARAMETERS))
    return [
        language
        for language in languages_with_layers(store)
        if any((state := layer_state(store, language, name)) and state.parameters != made_by for name, made_by in rules)
    ]


@dataclass(frozen=True, slots=True)
class _Moment:
    """What of the corpus a layer was made from."""

    last_sentence: int
    last_run: int
    """Translations of runs up to this one."""


def _wrong_language(store: Store, language: str) -> Job[list[str]]:
    problems: list[str] = []
    paraphrase, commutation = layer_state(store, language, "paraphrase"), layer_state(store, language, "commutation")
    if paraphrase is None or not paraphrase.complete or paraphrase.parameters != DETECTED_BY:
        return problems
    indexed = commutation is not None and commutation.complete and commutation.parameters == PARAMETERS
    in_step = commutation is not None and indexed and pending_update(store, language, commutation) == "nothing"
    newest = _Moment(2**62, paraphrase.last_run)
    with _scratch() as scratch:
        yield from _copied(store, scratch, language, newest)
        yield from detect(scratch, language)
        if in_step:
            yield from _made_again(store, scratch, language)
        problems += _differences(scratch, language, _COMPARED if in_step else ("paraphrase",))
    if commutation is not None and indexed and not in_step:
        then = _Moment(commutation.last_sentence, commutation.last_run)
        with _scratch() as scratch:
            yield from _copied(store, scratch, language, then)
            yield from _made_again(store, scratch, language)
            problems += _differences(scratch, language, _COMPARED[1:])
    return problems


def _made_again(store: Store, scratch: Store, language: str) -> Job[None]:
    """Make the index and the candidates of a language in a database that has its sentences and translations."""
    yield from prepare(scratch, language)
    candidates = layer_state(store, language, "candidate")
    if candidates is None or not candidates.complete:
        scratch.connection.execute("delete from stored.seed")
        scratch.connection.execute("delete from stored.candidate")
        return
    if _is_all(candidates):
        yield from generate(scratch, language)
    if seeds := given_seeds(store.connection, language, all_made=_is_all(candidates)):
        yield from generate(scratch, language, seeds)


_GIVEN = """
select seed.value as text, max(run.id) > (
        select coalesce(max(made.id), 0) from run made
        where json_extract(made.parameters, '$.language') = :language
          and (made.operation = 'index'
               or made.operation = 'generate' and json_type(made.parameters, '$.seeds') is null)
    ), exists (select 1 from sentence where language = :language and text = seed.value),
    exists (select 1 from seed stored where stored.language = :language and stored.text = seed.value)
from run, json_each(run.parameters, '$.seeds') seed
where run.operation = 'generate' and json_extract(run.parameters, '$.language') = :language
group by seed.value order by min(run.id), min(seed.key)
"""


def given_seeds(connection: sqlite3.Connection, language: str, *, all_made: bool) -> list[str]:
    """The seeds that people asked for and that have not been forgotten since, as the runs tell."""
    rows = connection.execute(_GIVEN, {"language": language}).fetchall()
    if all_made:
        return [text for text, recent, inside, stored in rows if not inside and (recent or stored)]
    return [text for text, recent, inside, stored in rows if inside or recent or stored]


def _is_all(candidates: Layer) -> bool:
    return candidates.parameters.get("seeds") == "all"


_RUNS = "select * from run"
_SENTENCES = """
select id, language, iif(language = :language, text, cast(id as text)) from sentence
where language <> :language or id <= :last
"""
_TRANSLATIONS = """
select translation.* from translation not indexed
where run <= :run and (
    sentence in (select id from sentence where language = :language)
    or translation in (select id from sentence where language = :language))
"""


def _copied(store: Store, scratch: Store, language: str, moment: _Moment) -> Job[None]:
    """What a language is made from, and beside it, as ``stored``, the derived rows that there are.

    Sentences of other languages have their number for a text.
    """
    bound = {"language": language, "last": moment.last_sentence, "run": moment.last_run}
    connection = scratch.connection
    connection.execute("attach database ? as stored", (str(scratch.path.with_name("stored.db")),))
    connection.execute("pragma stored.synchronous = off")
    with scratch.unchecked_references(), scratch.write():
        for table, statement in (("run", _RUNS), ("sentence", _SENTENCES), ("translation", _TRANSLATIONS)):
            yield from _streamed(store, connection, f"main.{table}", statement, bound)
        for table in DERIVED_TABLES:
            connection.execute(f"create table stored.{table} as select * from main.{table} where false")
            yield from _streamed(store, connection, f"stored.{table}", f"select * from {table} not indexed", {})
        for statement in _INDEXES:
            connection.execute(statement)


_INDEXES = tuple(f"create index stored.{table}_id on {table} (id)" for table in ("context", "filler", "seed"))


def _streamed(
    store: Store, into: sqlite3.Connection, table: str, statement: str, bound: dict[str, object]
) -> Job[None]:
    rows = store.connection.execute(statement, bound)
    insert = f"insert into {table} values ({', '.join('?' * len(rows.description))})"
    done = 0
    while batch := list(islice(rows, _ROWS_AT_ONCE)):
        yield Progress(f"copying {table.partition('.')[2]} rows", done, 0)
        into.executemany(insert, batch)
        done += len(batch)


_ROWS_OF = {
    "paraphrase": """
        select a.text, b.text, row.translations, row.languages, row.probability, row.sentence, row.paraphrase
        from {of}.paraphrase row cross join sentence a on a.id = row.sentence
        left join sentence b on b.id = row.paraphrase
        where a.language = :language""",
    "context": """
        select row.language, row.hash, row.fillers, row.sentence, row.start, row.stop from {of}.context row
        where row.language = :language""",
    "filler": """
        select row.text, row.language, row.hash, row.contexts from {of}.filler row where row.language = :language""",
    "slot": """
        select context.hash, filler.text, row.sentence from {of}.slot row
        cross join {of}.context on context.id = row.context and context.language = :language
        left join {of}.filler on filler.id = row.filler""",
    "commutation": """
        select min(x.text, y.text), max(x.text, y.text), row.contexts from {of}.commutation row
        cross join {of}.filler x on x.id = row.x and x.language = :language left join {of}.filler y on y.id = row.y""",
    "substitution": """
        select context.hash, filler.text, row.rewording, row.sentence, row.start, row.stop from {of}.substitution row
        cross join {of}.context on context.id = row.context and context.language = :language
        left join {of}.filler on filler.id = row.filler""",
    "seed": "select row.text, row.language, row.sentence from {of}.seed row where row.language = :language",
    "candidate": """
        select seed.text, row.text, row.frequency, row.pivots, row.languages, row.probability, row.fluency,
               row.inner_fluency, row.unseen, row.inner_unseen
        from {of}.candidate row cross join {of}.seed on seed.id = row.seed and seed.language = :language""",
}
"""The rows of each table in a language, without the numbers that depend on the order in which they were made."""
_COMPARED = tuple(_ROWS_OF)
_ONLY = "select *, count(*) over () from (select * from ({one}) except select * from ({other})) limit :shown"
_COUNT = "select (select count(*) from ({one})) - (select count(*) from ({other}))"


def _differences(scratch: Store, language: str, tables: tuple[str, ...]) -> list[str]:
    problems = []
    for table in tables:
        made, stored = (_ROWS_OF[table].format(of=of) for of in ("main", "stored"))
        bound = {"language": language, "shown": _SHOWN}
        wrong, first = _only(scratch, stored, made, bound)
        missing, first_missing = _only(scratch, made, stored, bound)
        if wrong:
            problems.append(f"{wrong} rows of {table} in {language} are not what the corpus gives, such as {first}")
        if missing:
            problems.append(f"{missing} rows of {table} in {language} are missing or changed, such as {first_missing}")
        if not wrong and not missing:
            (twice,) = scratch.connection.execute(_COUNT.format(one=stored, other=made), bound).fetchone()
            if twice:
                problems.append(f"{twice} rows of {table} in {language} stand there twice")
    return problems


def _only(scratch: Store, one: str, other: str, bound: dict[str, object]) -> tuple[int, str]:
    """How many rows only the first query has, and some of them in words."""
    rows = scratch.connection.execute(_ONLY.format(one=one, other=other), bound).fetchall()
    return (rows[0][-1], "; ".join(str(row[:-1]) for row in rows)) if rows else (0, "")


_MADE_BY = {
    "paraphrase": ("detect",),
    "seed": ("generate", "index"),
    "candidate": ("generate", "index"),
    "ngram_segment": ("index",),
    "token_segment": ("tokenise",),
}
_WRONG_RUNS = """
select count(*) from {table} left join run on run.id = {table}.run
where run.operation is null or run.operation not in (select value from json_each(?))
"""


def _wrong_runs(store: Store) -> list[str]:
    """Rows that name a run that makes no such rows."""
    problems = []
    for table, operations in _MADE_BY.items():
        names = "[" + ", ".join(f'"{each}"' for each in operations) + "]"
        (count,) = store.connection.execute(_WRONG_RUNS.format(table=table), (names,)).fetchone()
        if count:
            problems.append(f"{count} rows of {table} are of a run that makes none")
    return problems
