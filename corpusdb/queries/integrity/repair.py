"""Repair: whatever was derived and is damaged or missing is made anew from what people and imports gave.

That itself is never touched. What only a backup can mend is said.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from corpusdb.errors import DatabaseLocked, DatabaseReadOnly, NotADatabase, StoreError
from corpusdb.jobs import Job, Progress
from corpusdb.queries.chain.generation import generate, prepare
from corpusdb.queries.integrity.checking import DERIVED, CheckReport, Finding, checking
from corpusdb.queries.integrity.derived import DERIVED_TABLES, given_seeds
from corpusdb.queries.integrity.sealing import seal
from corpusdb.queries.integrity.structure import SEGMENT_TABLES, Mended, mended_structure
from corpusdb.queries.paraphrase.detection import detect
from corpusdb.queries.search.token_index import update_tokens
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.exclusive import exclusive

__all__ = ["RepairReport", "repair"]


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair did."""

    ok: bool
    """Whether the database is sound now."""
    done: tuple[str, ...]
    left: tuple[str, ...]
    """What only a backup can mend."""


_ORIGINS = frozenset({"checksums of sentences", "checksums of translations"})
"""Where these find something, nothing is derived anew: it would be derived from damaged texts."""
_OF_DERIVED = frozenset(
    {
        "references",
        "texts",
        "symmetry of paraphrases",
        "paraphrases",
        "contexts",
        "fillers",
        "commutations",
        "seeds",
        "candidates",
        "sample of slots",
        "sample of commutations",
        "n-grams",
        "tokens",
        DERIVED,
    }
)


def repair(store: Store) -> Job[RepairReport]:
    """Make anew what is damaged and was derived, and checksums that are missing; nothing where all is sound.

    May be stopped, or killed, at any time; the next repair goes on. Raises DatabaseReadOnly.
    """
    if store.read_only:
        raise DatabaseReadOnly(f"{store.path}: the database may only be read, so that it cannot be repaired")
    mended = Mended()
    if not _takes_jobs(store):
        mended = yield from mended_structure(store, damaged_pages=True)
        if mended.left:
            return RepairReport(False, tuple(mended.done), tuple(mended.left))
    return (yield from _repair(store, mended))


def _takes_jobs(store: Store) -> bool:
    """Whether the tables can be read and written that each transaction and each job needs. Raises DatabaseLocked."""
    try:
        with store.write():
            store.job_holder()
    except DatabaseLocked:
        raise
    except (StoreError, NotADatabase):
        return False
    return True


@exclusive("check --repair")
def _repair(store: Store, mended: Mended) -> Job[RepairReport]:
    found = yield from checking(store, full=True)
    if _of(found, {"pages and indexes", "schema"}):
        damaged_pages = bool(_of(found, {"pages and indexes"}))
        more = yield from mended_structure(store, damaged_pages=damaged_pages)
        mended = Mended([*mended.done, *more.done], more.left, mended.emptied | more.emptied)
        if mended.left:
            return RepairReport(False, tuple(mended.done), (*mended.left, *_only_backup(found, mended.left)))
    begun = _unfinished(store.connection)
    mended.done += seal(store, mended.emptied)
    if mended.done:
        found = yield from checking(store, full=True)
    if _of(found, _ORIGINS):
        return RepairReport(False, tuple(mended.done), found.problems)
    needed = begun or mended.emptied & {*DERIVED_TABLES, *SEGMENT_TABLES, "layer"} or _derived_findings(found)
    if needed:
        yield from _made_anew(store)
        mended.done.append("made the tokens, paraphrases, indexes and candidates of all languages anew")
        found = yield from checking(store, full=True)
    return RepairReport(found.ok, tuple(mended.done), found.problems)


def _of(report: CheckReport, checks: Collection[str]) -> list[Finding]:
    return [each for each in report.findings if each.check in checks]


def _only_backup(found: CheckReport, left: list[str]) -> tuple[str, ...]:
    return tuple(problem for problem in found.problems if problem not in left)


def _derived_findings(found: CheckReport) -> list[Finding]:
    of_layer = [each for each in _of(found, {"checksums of rows"}) if " of layer " in each.problem]
    return _of(found, _OF_DERIVED) + of_layer


_UNFINISHED = "select id, parameters from run where operation = 'repair' and finished is null order by id desc limit 1"


def _unfinished(connection: sqlite3.Connection) -> bool:
    return connection.execute(_UNFINISHED).fetchone() is not None


_CLEAR = (
    *(f"delete from {table}" for table in (*reversed(DERIVED_TABLES), *SEGMENT_TABLES, "layer")),
    "delete from row_checksum where name = 'layer'",
)


def _made_anew(store: Store) -> Job[None]:
    """Drop all that is derived, and derive it again; what there was stands in the record of the run."""
    with store.unchecked_references(), store.write() as connection:
        row = connection.execute(_UNFINISHED).fetchone()
        plan = _plan(connection) if row is None else json.loads(row[1])
        run = start_run(store, "repair", plan) if row is None else Run(int(row[0]), "repair", resumed=True)
        for statement in _CLEAR:  # also where it was interrupted: damage may have come since
            connection.execute(statement)
    if plan["tokens"]:
        yield from update_tokens(store)
    languages: dict[str, dict[str, Any]] = plan["languages"]
    for language, layers in languages.items():
        yield from _language_anew(store, language, layers)
    with store.write():
        finish_run(store, run, {"languages": len(languages)})


def _language_anew(store: Store, language: str, layers: dict[str, Any]) -> Job[None]:
    yield Progress(f"making what is derived in {language} anew", 0, 0)
    yield from detect(store, language)
    if layers["indexed"]:
        yield from prepare(store, language)
    if layers["candidates"] == "all":
        yield from generate(store, language)
    if layers["seeds"]:
        yield from generate(store, language, layers["seeds"])


_LAYERS = """
select distinct language, name from layer
union select distinct substr(row, 1, instr(row, '/') - 1), substr(row, instr(row, '/') + 1)
from row_checksum where name = 'layer' order by 1, 2
"""
_LANGUAGES = "select exists (select 1 from sentence where language = ?)"
_HAS_TOKENS = "select exists (select 1 from run where operation = 'tokenise')"


def _plan(connection: sqlite3.Connection) -> dict[str, Any]:
    """What is to be derived: the layers that there are, or were, and the seeds that people asked for."""
    layers: dict[str, set[str]] = {}
    for language, name in connection.execute(_LAYERS):
        if connection.execute(_LANGUAGES, (language,)).fetchone()[0]:
            layers.setdefault(language, set()).add(name)
    return {
        "tokens": bool(connection.execute(_HAS_TOKENS).fetchone()[0]),
        "languages": {language: _layers(connection, language, names) for language, names in layers.items()},
    }


def _layers(connection: sqlite3.Connection, language: str, names: set[str]) -> dict[str, object]:
    plan: dict[str, object] = {"indexed": bool(names & {"commutation", "ngram", "candidate"})}
    if "candidate" not in names:
        return plan | {"candidates": "none", "seeds": []}
    is_all = connection.execute(_ALL, (language,)).fetchone()[0]
    return plan | {
        "candidates": "all" if is_all else "given",
        "seeds": given_seeds(connection, language, all_made=bool(is_all)),
    }


_ALL = """
select exists (
    select 1 from run where operation = 'generate'
    and json_extract(parameters, '$.language') = ? and json_type(parameters, '$.seeds') is null)
"""
