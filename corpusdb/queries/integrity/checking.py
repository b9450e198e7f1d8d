"""Is a database sound: undamaged pages, references to what is there, and rows that do not contradict each other."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from corpusdb.errors import CorpusError, DatabaseDamaged, DatabaseLocked, NotADatabase, StoreError
from corpusdb.jobs import Job, Progress, finished
from corpusdb.queries.alignment.alignment_check import unread_alignments
from corpusdb.queries.chain.layers.derived_layer import LayerCheck
from corpusdb.queries.chain.layers.registry import derived_layers
from corpusdb.queries.integrity.checksums import (
    uncovered,
    wrong_documents,
    wrong_rows,
    wrong_sentences,
    wrong_translations,
)
from corpusdb.queries.integrity.derived import made_by_other_rules, wrong_layers
from corpusdb.queries.integrity.invariants import (
    INVARIANTS,
    unknown_languages,
    unreadable_texts,
    violations,
    wrong_commutations,
    wrong_slots,
)
from corpusdb.store import Store
from corpusdb.store.blueprint import expected_schema, schema_differences, wrong_versions
from corpusdb.store.clock import now
from corpusdb.store.connection import translated_errors
from corpusdb.store.extracts import extract_languages

__all__ = ["DERIVED", "CheckReport", "Finding", "check", "checking", "note_damage"]

_SHOWN_PROBLEMS = 20

_OF_THE_WHOLE = "sample of commutations"
_EXTRACT = "what was derived was not made again: this file holds an extract of a larger corpus, whose counts it keeps"
DERIVED = "derived layers"
"""The check that rebuilds them; its name."""
_LEFT_OUT = (
    "indexes were not compared with their tables, texts and imports not with their checksums, "
    "and derived layers only in samples: `check --full` does that"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, and what was being looked at."""

    check: str
    problem: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was looked at in a database, and what was found wrong."""

    ok: bool
    problems: tuple[str, ...]
    checks: tuple[str, ...]
    """What was looked at, in order; after a damaged page all other checks are left out."""
    left_out: tuple[str, ...] = ()
    """What was not looked at, in words."""
    findings: tuple[Finding, ...] = ()
    """The problems with the checks that found them."""


def check(store: Store, *, full: bool = False, seed: int = 0) -> CheckReport:
    """The same as ``checking``, at once."""
    return finished(checking(store, full=full, seed=seed))


def checking(store: Store, *, full: bool = False, seed: int = 0) -> Job[CheckReport]:
    """Look for damage, for references to what is not there, and for rows that contradict each other.

    With ``full`` every index is compared with its table, what people and imports gave with its checksums, and all that
    is derived is rebuilt and compared, which takes as long as making it. Otherwise what is too much to recount
    whole is recounted for a sample drawn with ``seed``. Layers that are still being made are only checked for damage.
    All of it sees one state of the database, whoever writes meanwhile. Raises DatabaseLocked.
    """
    findings: list[Finding] = []
    checks: list[str] = []
    with store.snapshot():
        extract = _is_extract(store)
        looks = [each for each in _looks(full, seed) if not (extract and each[0] == _OF_THE_WHOLE)]
        for place, (what, look) in enumerate(looks):
            yield Progress("checking the database", place, len(looks))
            checks.append(what)
            before = len(findings)
            findings += _found(store, what, look)
            if what == looks[0][0] and len(findings) > before:
                break
        else:
            if full and not extract:
                checks.append(DERIVED)
                findings += yield from _found_in_layers(store)
    left_out = [*([] if full else [_LEFT_OUT]), *_not_covered(store), *_unread(store)]
    left_out += [_EXTRACT] if extract else []
    problems = tuple(dict.fromkeys(each.problem for each in findings))
    return CheckReport(not problems, problems, tuple(checks), tuple(left_out), tuple(findings))


_NOTE = "insert or replace into damage (id, found, problems) values (1, ?, ?)"
_FORGET = "delete from damage"


def note_damage(store: Store, report: CheckReport) -> bool:
    """Keep commands from answering from a file that was found damaged; whether that could be written.

    From one that is sound they answer again.
    """
    try:
        with store.write() as connection:
            connection.execute(_FORGET)
            if not report.ok:
                problems = json.dumps(report.problems[:_SHOWN_PROBLEMS], ensure_ascii=False)
                connection.execute(_NOTE, (now(), problems))
    except (StoreError, NotADatabase):
        return False
    return True


_Look = Callable[[sqlite3.Connection], list[str]]


def _looks(full: bool, seed: int) -> Iterator[tuple[str, _Look]]:
    """What is looked at, in order; where the first finds something, nothing else is."""
    yield "pages and indexes" if full else "pages", partial(_damage, "integrity_check" if full else "quick_check")
    yield "schema", _wrong_schema
    yield "references", _missing_references
    yield "checksums of rows", wrong_rows
    if full:
        yield "checksums of sentences", wrong_sentences
        yield "checksums of documents", wrong_documents
        yield "checksums of translations", wrong_translations
    yield "texts", unreadable_texts
    yield "language codes", unknown_languages
    for invariant in INVARIANTS:
        yield invariant.name, partial(violations, invariant)
    yield "sample of slots", lambda connection: wrong_slots(connection, Random(seed))
    yield _OF_THE_WHOLE, lambda connection: wrong_commutations(connection, Random(seed))
    for layer in reversed(derived_layers()):
        for each in layer.checks:
            yield each.name, partial(_wrong_layer, each, seed, full)


def _wrong_layer(check: LayerCheck, seed: int, full: bool, connection: sqlite3.Connection) -> list[str]:
    return check.problems(connection, Random(seed), full)


def _is_extract(store: Store) -> bool:
    """Whether the file is known to hold an extract; where it cannot be read, what is looked at says so."""
    try:
        with translated_errors(store.path):
            return bool(extract_languages(store))
    except DatabaseLocked:
        raise
    except (StoreError, NotADatabase, ValueError, TypeError):
        return False


def _found(store: Store, what: str, look: _Look) -> list[Finding]:
    """What one check finds; that it cannot read something is a finding too. Raises DatabaseLocked."""
    try:
        with translated_errors(store.path):
            return [Finding(what, problem) for problem in look(store.connection)]
    except DatabaseLocked:
        raise
    except (StoreError, NotADatabase) as error:
        return [Finding(what, f"{what}: {error}")]
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:
        return [Finding(what, f"{what}: cannot be read ({' '.join(str(error).split())})")]


def _found_in_layers(store: Store) -> Job[list[Finding]]:
    try:
        with translated_errors(store.path):
            return [Finding(DERIVED, problem) for problem in (yield from wrong_layers(store))]
    except DatabaseLocked:
        raise
    except CorpusError as error:
        return [Finding(DERIVED, f"{DERIVED}: {error}")]


_DAMAGE = "pragma {pragma}({most})"


def _damage(pragma: str, connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(_DAMAGE.format(pragma=pragma, most=_SHOWN_PROBLEMS)).fetchall()
    if rows == [("ok",)]:
        return []
    raise DatabaseDamaged("; ".join(" ".join(str(row[0]).split()) for row in rows) + "; restore it from a backup")


def _wrong_schema(connection: sqlite3.Connection) -> list[str]:
    """What is not as the migrations make it; what else is there is no problem but for triggers, which change rows."""
    expected, applied = expected_schema()
    differences = schema_differences(connection, expected)
    wrong = [each.in_words for each in differences if each.what != "extra" or each.object.kind in ("trigger", "index")]
    return wrong + wrong_versions(connection, applied)


_MISSING_REFERENCES = "pragma foreign_key_check"


def _missing_references(connection: sqlite3.Connection) -> list[str]:
    missing = Counter((row[0], row[2]) for row in connection.execute(_MISSING_REFERENCES))
    return [
        f"{count} rows of {table} refer to a {parent} that is not there" for (table, parent), count in missing.items()
    ]


def _unread(store: Store) -> list[str]:
    """Links between tokens that nothing here can find."""
    try:
        return list(unread_alignments(store.connection))
    except (sqlite3.Error, ValueError, TypeError):  # reported already
        return []


def _not_covered(store: Store) -> list[str]:
    """What an older corpusdb wrote, so that it has no checksum or would not be made so again."""
    try:
        tables, languages = uncovered(store.connection), made_by_other_rules(store)
    except (sqlite3.Error, ValueError):  # reported already
        return []
    left_out = []
    if tables:
        left_out.append(f"rows of {', '.join(tables)} are older than checksums: `check --repair` makes those")
    if languages:
        named = ", ".join(languages)
        left_out.append(f"what an older corpusdb derived in {named} was not made again: the next `generate` does that")
    return left_out
