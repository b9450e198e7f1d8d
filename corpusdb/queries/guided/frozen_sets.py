"""Frozen reference sets: made for outputs, stored and signed before any score on them is shown, and never changed.

What scores on such a set are worth depends on its not having been chosen by these scores. So the set gets its digest
and its time when it is made, triggers of the database keep its rows, and whoever loads it holds the texts against the
digest in the row and against that in the record of the run which made it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from corpusdb.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.formats.reference_digest import digest_like, exact_digest, output_digest
from corpusdb.formats.scoring_input import Output
from corpusdb.jobs import Job
from corpusdb.queries.evaluation.stored_scores import (
    EXACT,
    store_output,
    store_reference_set,
    texts_of_output,
    texts_of_set,
)
from corpusdb.queries.guided.guided_references import Guidance, GuidedReferences, guided_references
from corpusdb.queries.references.reference_sets import AttributedReference, AttributedSet
from corpusdb.queries.references.scoring_references import Freezing, ScoringReferences
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.clock import now

__all__ = [
    "FROZEN_BY",
    "FrozenSet",
    "check_name",
    "freeze",
    "freezing_of",
    "frozen_name",
    "frozen_references",
    "frozen_sets",
    "made_again",
]

FROZEN_BY = "guide"
"""The operation of the runs that make frozen sets."""


@dataclass(frozen=True, slots=True)
class FrozenSet:
    """A frozen set as lists show it; its texts are not looked at."""

    name: str
    digest: str
    """That it was signed with."""
    segments: int
    frozen: str
    """When, UTC, ISO 8601."""
    guided_by: tuple[tuple[str, str], ...]
    """The systems that it was made for, each with the digest of its output."""
    run: int
    scores: int
    """How many stored scores are on it."""


_NAMED = "select 1 from frozen_set where name = ?"


def check_name(store: Store, name: str) -> None:
    """Raise UsageError for an empty name, and for that of a frozen set, which nothing replaces."""
    if not name.strip():
        raise UsageError("the name of a reference set is empty")
    if store.connection.execute(_NAMED, (name,)).fetchone():
        raise UsageError(f"there is a frozen reference set {name!r} already, and it stays; take another name")


_FREEZE = "insert into frozen_set (reference_set, name, guided_by, run, frozen) values (?, ?, ?, ?, ?)"


def freeze(store: Store, found: GuidedReferences, name: str) -> ScoringReferences:
    """Store and sign the references that were given with those that were chosen, under a name of their own.

    The outputs that guided are kept with it, so that the set can be made again. Raises UsageError as check_name does,
    and InputError where nothing was chosen: the set would be that which was given.
    """
    if not found.chosen:
        raise InputError("no candidate would match an n-gram that the references miss: there is nothing to freeze")
    guided_by = tuple((output.system, output_digest(output.texts)) for output in found.outputs)
    with store.write() as connection:
        check_name(store, name)
        run = start_run(store, FROZEN_BY, {"name": name, "systems": [list(each) for each in guided_by]})
        freezing = Freezing(name, now(), guided_by)
        references = _signed(_scoring_references(found, freezing))
        number = store_reference_set(store, references, run)
        for output in found.outputs:
            store_output(store, output, run)
        written = json.dumps([list(each) for each in guided_by], ensure_ascii=False)
        connection.execute(_FREEZE, (number, name, written, run.id, freezing.frozen))
        _finish(store, run, found, references)
    return references


def _finish(store: Store, run: Run, found: GuidedReferences, references: ScoringReferences) -> None:
    counts: dict[str, object] = {"candidates": found.candidates, "chosen": found.chosen, "digest": references.digest}
    finish_run(store, run, counts | ({} if references.validity is None else {"validity": references.validity}))


def _scoring_references(found: GuidedReferences, freezing: Freezing) -> ScoringReferences:
    """The set as it is scored with: of each segment what was given, then what was chosen."""
    chosen = [[asdict(each) for each in one.chosen] for one in found.segments]
    # As JSON has it, so that the set has the parameters that it has when it is loaded.
    guided = json.loads(json.dumps(found.guidance.document() | {"name": freezing.name, "chosen": chosen}))
    sets = tuple(
        ReferenceSet(each.id, each.source, (*each.references, *(one.text for one in segment.chosen)))
        for each, segment in zip(found.given.sets, found.segments, strict=True)
    )
    return _attributed(sets, found.given.parameters | {"guided": guided}, freezing)


def _signed(references: ScoringReferences) -> ScoringReferences:
    """The set as it is loaded again: with the digest that names it from now on, and that of every letter of it."""
    parameters = references.parameters | {EXACT: exact_digest(references.sets)}
    return replace(references, parameters=parameters, signed_as=references.digest)


def _attributed(sets: Sequence[ReferenceSet], parameters: dict[str, Any], freezing: Freezing) -> ScoringReferences:
    """The set with the origin of each reference, by what its parameters say of those that were chosen."""
    labels, attributed = [], []
    for each, chosen in zip(sets, parameters["guided"]["chosen"], strict=True):
        given = each.references[: len(each.references) - len(chosen)]
        made = [AttributedReference(one["text"], tuple(one["origins"]), one["seed"], one["validity"]) for one in chosen]
        labels.append((*["given"] * len(given), *("+".join(one.origins) for one in made)))
        attributed.append(
            AttributedSet(each.source, (*(AttributedReference(text, ("original",), text) for text in given), *made))
        )
    return ScoringReferences(tuple(sets), tuple(labels), "files", parameters, tuple(attributed), freezing)


_SETS = """
select frozen_set.name, reference_set.digest, reference_set.segments, frozen_set.frozen, frozen_set.guided_by,
    frozen_set.run, (select count(*) from score where score.reference_set = reference_set.id)
from frozen_set join reference_set on reference_set.id = frozen_set.reference_set order by frozen_set.reference_set
"""


def frozen_sets(store: Store) -> list[FrozenSet]:
    """The frozen sets, oldest first."""
    return [
        FrozenSet(name, signed, segments, frozen, _pairs(guided_by), run, scores)
        for name, signed, segments, frozen, guided_by, run, scores in store.connection.execute(_SETS)
    ]


_NAME = "select name from frozen_set where reference_set = ?"


def frozen_name(store: Store, reference_set: int) -> str | None:
    """The name of a stored reference set that is frozen; None for any other, though it has the same texts."""
    row = store.connection.execute(_NAME, (reference_set,)).fetchone()
    return None if row is None else str(row[0])


_FREEZING = "select name, frozen, guided_by from frozen_set where reference_set = ?"


def freezing_of(store: Store, reference_set: int) -> Freezing | None:
    """What scores on a stored reference set are signed with, where it is frozen; its texts are not looked at."""
    row = store.connection.execute(_FREEZING, (reference_set,)).fetchone()
    return None if row is None else Freezing(row[0], row[1], _pairs(row[2]))


_LOAD = """
select reference_set.digest, reference_set.parameters, reference_set.texts, frozen_set.guided_by, frozen_set.frozen,
    run.parameters, run.counts
from frozen_set join reference_set on reference_set.id = frozen_set.reference_set join run on run.id = frozen_set.run
where frozen_set.name = ?
"""


def frozen_references(store: Store, name: str) -> ScoringReferences:
    """The references of a frozen set, to score with.

    Raises InputError where there is none of that name, with those that there are, and DatabaseDamaged where its texts
    are not those that were signed, or the systems not those that it was made for.
    """
    row = store.connection.execute(_LOAD, (name,)).fetchone()
    if row is None:
        names = ", ".join(repr(each.name) for each in frozen_sets(store)) or "none; `corpusdb generate --for` makes one"
        raise InputError(f"there is no frozen reference set {name!r}; there are {names}")
    signed, parameters, texts, guided_by, frozen, made_for, counts = row
    sets = texts_of_set(texts)
    parameters = json.loads(parameters)
    same = parameters.get(EXACT) in (None, exact_digest(sets)) and digest_like(sets, signed) == signed
    if not same or signed != json.loads(counts).get("digest"):
        raise DatabaseDamaged(f"the frozen reference set {name!r} is not what was signed: its texts were changed")
    if json.loads(guided_by) != json.loads(made_for)["systems"]:
        raise DatabaseDamaged(f"the frozen reference set {name!r} is not what was signed: it names other systems")
    return replace(_attributed(sets, parameters, Freezing(name, frozen, _pairs(guided_by))), signed_as=signed)


def _pairs(guided_by: str) -> tuple[tuple[str, str], ...]:
    return tuple((str(system), str(signed)) for system, signed in json.loads(guided_by))


def made_again(store: Store, name: str) -> Job[ScoringReferences]:
    """What the corpus now gives for the outputs and references that a frozen set was made for; nothing is stored.

    Raises as frozen_references does, and DatabaseDamaged where one of these outputs is not kept as it was.
    """
    before = frozen_references(store, name)
    if before.freezing is None:
        return before
    guided: Any = before.parameters["guided"]
    outputs = [_kept_output(store, system, signed) for system, signed in before.freezing.guided_by]
    found = yield from guided_references(store, _given(before, guided["chosen"]), outputs, Guidance.of(guided))
    return _scoring_references(found, before.freezing)


def _given(frozen: ScoringReferences, chosen: Sequence[Sequence[object]]) -> ScoringReferences:
    """The references that a frozen set began with."""
    sets = tuple(
        replace(each, references=each.references[: len(each.references) - len(made)])
        for each, made in zip(frozen.sets, chosen, strict=True)
    )
    labels = tuple(label[: len(each.references)] for label, each in zip(frozen.labels, sets, strict=True))
    parameters = {key: value for key, value in frozen.parameters.items() if key != "guided"}
    return ScoringReferences(sets, labels, frozen.origin, parameters)


_OUTPUT = "select texts from system_output where system = ? and digest = ?"


def _kept_output(store: Store, system: str, signed: str) -> Output:
    row = store.connection.execute(_OUTPUT, (system, signed)).fetchone()
    texts = () if row is None else texts_of_output(row[0])
    if output_digest(texts) != signed:
        raise DatabaseDamaged(f"the output of {system!r} that a reference set was made for is not kept as it was")
    return Output(system, Path(system), texts)
