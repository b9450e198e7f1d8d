"""Are the derived layers those that the corpus gives: they are rebuilt in another file, and compared row by row."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpusdb.errors import CorpusError, DatabaseDamaged
from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable
from corpusdb.queries.chain.layers.registry import begun_languages, derived_layers, with_needed
from corpusdb.queries.corpus.scratch import scratch_store, streamed
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.store import Store, layer_state
from corpusdb.store.exclusive_jobs import exclusive

__all__ = ["made_by_other_rules", "wrong_language", "wrong_layers"]

_SHOWN = 3


def wrong_layers(store: Store) -> Job[list[str]]:
    """What is wrong with the rows of the derived layers of each language.

    Inside a snapshot of the caller. Layers that are still being made, or were made by other rules, are left out.
    """
    problems = _wrong_runs(store)
    for language in sorted({*languages_of(store), *begun_languages(store)}):
        try:
            problems += yield from wrong_language(store, language)
        except (DatabaseDamaged, sqlite3.DatabaseError):
            raise
        except (CorpusError, ValueError, LookupError, TypeError, ArithmeticError) as error:
            problems.append(f"what the corpus gives in {language} cannot be made: {error}")
    return problems


def made_by_other_rules(store: Store) -> list[str]:
    """The languages in which something was derived by a version of corpusdb that derived it in another way."""
    return [
        language
        for language in begun_languages(store)
        if any(
            (state := layer_state(store, language, layer.name)) and not layer.is_current(state)
            for layer in derived_layers()
        )
    ]


@dataclass(frozen=True, slots=True)
class _Moment:
    """What of the corpus a layer was made from: sentences up to an id, and translations of runs up to one."""

    last_sentence: int = 2**62
    last_run: int = 2**62


_WHOLE_CORPUS = _Moment()


def _moments(store: Store, language: str) -> dict[_Moment, list[DerivedLayer]]:
    """The layers of a language that can be compared, by what they were made from.

    A layer that is up to date, and all that it needs with it, is taken to be made from all that there is, so that most
    often everything is rebuilt once.
    """
    moments: dict[_Moment, list[DerivedLayer]] = {}
    of_layer: dict[str, _Moment] = {}
    for layer in derived_layers():
        state = layer_state(store, language, layer.name)
        if state is None or not state.complete or not layer.is_current(state) or not of_layer.keys() >= {*layer.needs}:
            continue
        state = layer.made_from(store, language, state)
        in_step = all(of_layer[name] == _WHOLE_CORPUS for name in layer.needs)
        if in_step and layer.behind is not None and layer.behind(store, language, state) == 0:
            of_layer[layer.name] = _WHOLE_CORPUS
        else:
            of_layer[layer.name] = _Moment(state.last_sentence, state.last_run)
        moments.setdefault(of_layer[layer.name], []).append(layer)
    return moments


def wrong_language(store: Store, language: str, names: Collection[str] | None = None) -> Job[list[str]]:
    """What is wrong with the rows of the derived layers of one language, or of those of these names.

    Inside a snapshot of the caller. What is left out is as in ``wrong_layers``.
    """
    problems: list[str] = []
    for moment, layers in _moments(store, language).items():
        wanted = [layer for layer in layers if names is None or layer.name in names]
        tables = [table for layer in wanted for table in layer.tables if table.rows is not None]
        if not tables:
            continue
        needed = with_needed({layer.name for layer in layers if any(table in tables for table in layer.tables)})
        with scratch_store() as scratch:
            yield from _copied(store, scratch, language, moment)
            yield from _stored(store, scratch, tables)
            requests = {layer.name: layer.requests(store.connection, language) for layer in needed}
            yield from _rebuilt(scratch, language, requests)
            problems += _differences(scratch, language, tables)
    return problems


@exclusive("check")
def _rebuilt(scratch: Store, language: str, requests: Mapping[str, Mapping[str, Any]]) -> Job[None]:
    """Make these layers in a database that has what they are made from."""
    for layer in derived_layers():
        if layer.name in requests:
            yield from layer.make(scratch, language, requests[layer.name])


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
    """What a language is made from. Sentences of other languages have their number for a text."""
    bound = {"language": language, "last": moment.last_sentence, "run": moment.last_run}
    with scratch.unchecked_references(), scratch.write():
        for table, statement in (("run", _RUNS), ("sentence", _SENTENCES), ("translation", _TRANSLATIONS)):
            yield from streamed(store, scratch.connection, f"main.{table}", statement, bound)


_ATTACH = "attach database ? as stored"
_NOT_DURABLE = "pragma stored.synchronous = off"
_CREATE = "create table stored.{table} as select * from main.{table} where false"
_ALL_ROWS = "select * from {table} not indexed"
_INDEX = "create index stored.{table}_id on {table} (id)"


def _stored(store: Store, scratch: Store, tables: Iterable[DerivedTable]) -> Job[None]:
    """The derived rows that there are, beside those that are to be rebuilt, as the schema ``stored``."""
    connection = scratch.connection
    connection.execute(_ATTACH, (str(scratch.path.with_name("stored.db")),))
    connection.execute(_NOT_DURABLE)
    wanted = {table.name: table for layer in derived_layers() for table in layer.tables if table.joined}
    wanted |= {table.name: table for table in tables}
    with scratch.write():
        for name, table in wanted.items():
            connection.execute(_CREATE.format(table=name))
            yield from streamed(store, connection, f"stored.{name}", _ALL_ROWS.format(table=name), {})
            if table.joined:
                connection.execute(_INDEX.format(table=name))


_ONLY = "select *, count(*) over () from (select * from ({one}) except select * from ({other})) limit :shown"
_COUNT = "select (select count(*) from ({one})) - (select count(*) from ({other}))"


def _differences(scratch: Store, language: str, tables: Sequence[DerivedTable]) -> list[str]:
    problems = []
    for table in tables:
        made, stored = (str(table.rows).format(of=of) for of in ("main", "stored"))
        bound = {"language": language, "shown": _SHOWN}
        wrong, first = _only(scratch, stored, made, bound)
        missing, first_missing = _only(scratch, made, stored, bound)
        if wrong:
            problems.append(
                f"{wrong} rows of {table.name} in {language} are not what the corpus gives, such as {first}"
            )
        if missing:
            problems.append(
                f"{missing} rows of {table.name} in {language} are missing or changed, such as {first_missing}"
            )
        if not wrong and not missing:
            (twice,) = scratch.connection.execute(_COUNT.format(one=stored, other=made), bound).fetchone()
            if twice:
                problems.append(f"{twice} rows of {table.name} in {language} stand there twice")
    return problems


def _only(scratch: Store, one: str, other: str, bound: dict[str, object]) -> tuple[int, str]:
    """How many rows only the first query has, and some of them in words."""
    rows = scratch.connection.execute(_ONLY.format(one=one, other=other), bound).fetchall()
    return (rows[0][-1], "; ".join(str(row[:-1]) for row in rows)) if rows else (0, "")


_WRONG_RUNS = """
select count(*) from {table} left join run on run.id = {table}.run
where run.operation is null or run.operation not in (select value from json_each(?))
"""


def _wrong_runs(store: Store) -> list[str]:
    """Rows that name a run that makes no such rows."""
    problems = []
    for table in (table for layer in derived_layers() for table in layer.tables if table.made_by):
        names = json.dumps(table.made_by)
        (count,) = store.connection.execute(_WRONG_RUNS.format(table=table.name), (names,)).fetchone()
        if count:
            problems.append(f"{count} rows of {table.name} are of a run that makes none")
    return problems
