"""What the database holds, made again: the scores and layers of a run, a stored score, a frozen reference set."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, NamedTuple

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.reference_digest import exact_digest
from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.registry import derived_layers
from corpusdb.queries.evaluation.verification import Verification, set_differences, told_changes, verify
from corpusdb.queries.guided.frozen_sets import FROZEN_BY, frozen_references, frozen_sets, made_again
from corpusdb.queries.integrity.derived import made_by_other_rules, wrong_language
from corpusdb.queries.replay.inputs import version_difference
from corpusdb.queries.rules.rewritten_again import REWRITING, changed_rewritings
from corpusdb.store import Store, corpus_fingerprint, layer_state

__all__ = ["Replayed", "replay_run", "replay_score", "replay_set"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """Something that was made again."""

    what: str
    """What it is, in words."""
    equal: bool
    """Whether it is the same, bit for bit."""
    differences: tuple[str, ...] = ()
    """In words, a line each: what differs in it."""
    inputs: tuple[str, ...] = ()
    """In words, a line each: what it was made of that is another now; there may be such though it is equal."""
    notes: tuple[str, ...] = ()
    """What could not be compared."""


class _RunRow(NamedTuple):
    id: int
    operation: str
    parameters: dict[str, Any]
    version: str
    fingerprint: str
    finished: str | None


_RUN = "select id, operation, parameters, version, fingerprint, finished from run where id = ?"


def _run(store: Store, number: int) -> _RunRow:
    row = store.connection.execute(_RUN, (number,)).fetchone()
    if row is None:
        raise InputError(f"there is no run {number}; `corpusdb info` lists them")
    return _RunRow(row[0], row[1], json.loads(row[2]), *row[3:])


_LATER_LAYERS = "select name, language, run from layer where run > ? order by language, name"


def _changed_since(store: Store, run: _RunRow, *, layers: bool) -> Iterator[str]:
    """What of that which a run worked on is another now, a line each; ``layers``: it used what is derived, too."""
    yield from version_difference(run.version)
    if run.fingerprint != (now := corpus_fingerprint(store)):
        yield f"corpus: changed since, its fingerprint was {run.fingerprint} and is {now}"
    elif layers:
        for name, language, later in store.connection.execute(_LATER_LAYERS, (run.id,)):
            yield f"layer {name} of {language}: made anew since, by run {later}"


_SCORE_RUN = "select run from score where id = ?"


def replay_score(store: Store, number: int) -> Job[list[Replayed]]:
    """Compute a stored score again, as `verify` does. Raises InputError where there is none of that number."""
    found = yield from verify(store, number)
    run = _run(store, store.connection.execute(_SCORE_RUN, (number,)).fetchone()[0])
    return [_replayed_score(store, each, run) for each in found]


def _replayed_score(store: Store, found: Verification, run: _RunRow) -> Replayed:
    inexact = () if found.exact or not found.ok else ("the same but for the last digits of its numbers",)
    inputs = tuple(_changed_since(store, run, layers=True)) if found.from_corpus else ()
    return Replayed(
        what=f"score {found.id}, {found.system}: {found.signature}",
        equal=found.ok and found.exact,
        differences=(*found.differences, *inexact),
        inputs=inputs,
        notes=found.notes,
    )


def replay_set(store: Store, name: str) -> Job[list[Replayed]]:
    """Make a frozen reference set again from what the corpus gives now; the frozen one stays.

    Raises InputError where there is none of that name, and DatabaseDamaged where it is not what was signed.
    """
    before = frozen_references(store, name)
    again = yield from made_again(store, name)
    run = _run(store, next(each.run for each in frozen_sets(store) if each.name == name))
    equal = exact_digest(before.sets) == exact_digest(again.sets)
    differences = tuple(told_changes(set_differences(before.sets, again.sets), len(before.sets)))
    if not equal and not differences:
        differences = ("the same references with other sources, in another order or repeated otherwise",)
    return [
        Replayed(
            what=f"reference set {name}: {before.digest}",
            equal=equal,
            differences=differences,
            inputs=tuple(_changed_since(store, run, layers=True)),
        )
    ]


_SCORES_OF_RUN = "select id from score where run = ? order by id"
_SETS_OF_RUN = "select name from frozen_set where run = ?"
_LAYERS_OF: Final[Mapping[str, Collection[str]]] = {
    "tokenise": ("token",),
    "detect": ("paraphrase",),
    "index": ("ngram", "commutation"),
    "generate": ("candidate",),
    "validity": ("validity",),
    "reword": ("rewording",),
    "profile sentences": ("profile",),
}
"""The operations that derive something from the corpus, and the layers that they make."""


def replay_run(store: Store, number: int) -> Job[list[Replayed]]:
    """Make again what a run made: scores, a frozen set, or what was derived from a language.

    What is derived is compared as it stands now, whether that run or a later one made it. Raises InputError where
    there is no such run, and UsageError for one that took something in, which is not derived from anything.
    """
    run = _run(store, number)
    if run.operation == "score":
        found: list[Replayed] = []
        for (score,) in store.connection.execute(_SCORES_OF_RUN, (number,)).fetchall():
            found += yield from replay_score(store, score)
        return found
    if run.operation == FROZEN_BY:
        (name,) = store.connection.execute(_SETS_OF_RUN, (number,)).fetchone()
        return (yield from replay_set(store, name))
    if run.operation == REWRITING:
        return [(yield from _replayed_rewritings(store, run))]
    if run.operation not in _LAYERS_OF or "language" not in run.parameters:
        raise UsageError(
            f"run {number} is of {run.operation!r}, which takes something in; what is made from it can be replayed"
        )
    if run.finished is None:
        raise UsageError(f"run {number} has not ended: the same call goes on with it")
    return [(yield from _replayed_layers(store, run))]


def _replayed_rewritings(store: Store, run: _RunRow) -> Job[Replayed]:
    """The rules are those that are kept, and the analyser has to be the same: only the program can be another one."""
    changed = yield from changed_rewritings(store, run.id, run.parameters)
    told = f"of {len(changed):,} texts something else comes now, the first is {changed[0]!r}" if changed else ""
    what = f"run {run.id}, {run.operation}: by rules {run.parameters['name']}:{run.parameters['digest']}"
    return Replayed(what, not changed, (told,) if told else (), tuple(version_difference(run.version)))


def _replayed_layers(store: Store, run: _RunRow) -> Job[Replayed]:
    language, names = str(run.parameters["language"]), _LAYERS_OF[run.operation]
    with store.snapshot():
        problems = yield from wrong_language(store, language, names)
        problems += _wrong_tables(store, names)
        problems += [
            f"{name} of {language} is not complete: the same call goes on with it"
            for name in names
            if not ((state := layer_state(store, language, name)) and state.complete)
        ]
        if language in made_by_other_rules(store):
            problems.append(f"some of what is derived in {language} was made by the rules of another version")
        inputs = tuple(_changed_since(store, run, layers=False))
        later = [
            f"{name} was brought up to date since, by run {later}"
            for name, of, later in store.connection.execute(_LATER_LAYERS, (run.id,))
            if of == language and name in names
        ]
    what = f"run {run.id}, {run.operation}: {' and '.join(names)} of {language}"
    return Replayed(what, not problems, tuple(problems), inputs, tuple(later))


def _wrong_tables(store: Store, names: Collection[str]) -> list[str]:
    """What is wrong in tables whose rows no other database has in the same form: they are held against the corpus."""
    return [
        problem
        for layer in derived_layers()
        if layer.name in names and any(table.rows is None for table in layer.tables)
        for check in layer.checks
        for problem in check.problems(store.connection, Random(0), True)
    ]
