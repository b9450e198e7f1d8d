"""Repair: whatever was derived and is damaged or missing is rebuilt from what people and imports gave.

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
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer
from corpusdb.queries.chain.layers.registry import derived_layers, layer_tables, with_needed
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.integrity.checking import DERIVED, CheckReport, Finding, checking
from corpusdb.queries.integrity.missing_checksums import seal
from corpusdb.queries.integrity.structure import Mended, mended_structure
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.exclusive_jobs import exclusive

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
"""Where these find something, nothing is rebuilt: it would be derived from damaged texts."""
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
        DERIVED,
    }
)


def repair(store: Store) -> Job[RepairReport]:
    """Rebuild what is damaged and was derived, and checksums that are missing; nothing where all is sound.

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
    needed = begun or mended.emptied & {*layer_tables(), "layer"} or _derived_findings(found)
    if needed:
        yield from _rebuild_layers(store)
        mended.done.append("made the tokens, paraphrases, indexes and candidates of all languages anew")
        found = yield from checking(store, full=True)
    return RepairReport(found.ok, tuple(mended.done), found.problems)


def _of(report: CheckReport, checks: Collection[str]) -> list[Finding]:
    return [each for each in report.findings if each.check in checks]


def _only_backup(found: CheckReport, left: list[str]) -> tuple[str, ...]:
    return tuple(problem for problem in found.problems if problem not in left)


def _derived_findings(found: CheckReport) -> list[Finding]:
    of_layer = [each for each in _of(found, {"checksums of rows"}) if " of layer " in each.problem]
    of_checks = {check.name for layer in derived_layers() for check in layer.checks}
    return _of(found, _OF_DERIVED | of_checks) + of_layer


_UNFINISHED = "select id, parameters from run where operation = 'repair' and finished is null order by id desc limit 1"


def _unfinished(connection: sqlite3.Connection) -> bool:
    return connection.execute(_UNFINISHED).fetchone() is not None


_CLEAR = "delete from {table}"
_CLEAR_DERIVED = "delete from {table} where not coalesce({given}, 0)"
_FORGET_CHECKSUMS = "delete from row_checksum where name = 'layer'"


def _rebuild_layers(store: Store) -> Job[None]:
    """Drop all that is derived, and derive it again; what there was stands in the record of the run."""
    with store.unchecked_references(), store.write() as connection:
        row = connection.execute(_UNFINISHED).fetchone()
        plan = _plan(store) if row is None else _current_plan(json.loads(row[1]))
        run = start_run(store, "repair", plan) if row is None else Run(int(row[0]), "repair", resumed=True)
        given = {table.name: table.given for layer in derived_layers() for table in layer.tables}
        for table in (
            *reversed([*layer_tables()]),
            "layer",
        ):  # also where it was interrupted: damage may have come since
            clear = _CLEAR_DERIVED if given.get(table) else _CLEAR
            connection.execute(clear.format(table=table, given=given.get(table)))
        connection.execute(_FORGET_CHECKSUMS)
    for layer in derived_layers():
        if layer.name in plan["everywhere"]:
            for language in languages_of(store):
                yield from layer.make(store, language, {})
    languages: dict[str, dict[str, Any]] = plan["languages"]
    for language, requests in languages.items():
        yield Progress(f"making what is derived in {language} anew", 0, 0)
        for layer in with_needed({*requests}):
            if not layer.in_every_language:
                yield from layer.make(store, language, requests.get(layer.name, {}))
    with store.write():
        finish_run(store, run, {"languages": len(languages)})


_LAYERS = """
select distinct language, name from layer
union select distinct substr(row, 1, instr(row, '/') - 1), substr(row, instr(row, '/') + 1)
from row_checksum where name = 'layer' order by 1, 2
"""
_WAS_MADE = "select exists (select 1 from run where operation in (select value from json_each(?)))"


def _plan(store: Store) -> dict[str, Any]:
    """What is to be rebuilt: the layers that there are, or were, and what people asked for in each language."""
    connection, present = store.connection, {*languages_of(store)}
    languages: dict[str, dict[str, Any]] = {}
    layers = {layer.name: layer for layer in derived_layers()}
    for language, name in connection.execute(_LAYERS).fetchall():
        if language in present and name in layers and not layers[name].in_every_language:
            languages.setdefault(language, {})[name] = layers[name].requests(connection, language)
    return {"everywhere": [name for name, layer in layers.items() if _was_made(store, layer)], "languages": languages}


def _was_made(store: Store, layer: DerivedLayer) -> bool:
    """Whether it is a layer of every language, and some run has made it."""
    operations = json.dumps([operation for table in layer.tables for operation in table.made_by])
    return layer.in_every_language and bool(store.connection.execute(_WAS_MADE, (operations,)).fetchone()[0])


def _current_plan(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan of a repair that was interrupted, also where an older version made it."""
    if "tokens" not in plan:
        return plan
    languages: dict[str, dict[str, Any]] = {}
    for language, old in plan["languages"].items():
        new = languages[language] = {"paraphrase": {}}
        if old["indexed"]:
            new["commutation"] = {}
        if old["candidates"] != "none":
            new["candidate"] = {"all": old["candidates"] == "all", "seeds": old["seeds"]}
    return {"everywhere": ["token"] if plan["tokens"] else [], "languages": languages}
