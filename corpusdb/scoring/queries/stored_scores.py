"""Scores that are kept, with the outputs and reference sets they were computed from, and their measures."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.errors import DatabaseMissing, InputError
from corpusdb.base.jobs import Job
from corpusdb.base.options import record_from_json
from corpusdb.base.tokenisation import check_tokenisation, versioned_tokenisation
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.records import exact_digest, output_digest
from corpusdb.corpus.formats.scoring_input import Output
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.permissions import now
from corpusdb.rules.queries.rule_sets import store_rule_set
from corpusdb.scoring.metrics.lattices import LatticeReferences, lattice_measures
from corpusdb.scoring.metrics.measures import measures
from corpusdb.scoring.metrics.metric import Measure
from corpusdb.scoring.metrics.settings import Settings
from corpusdb.scoring.queries.scoring import MetricScores
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.substituted_references import derived_equivalents, kept_derivation

__all__ = [
    "EXACT",
    "StoredScore",
    "check_words",
    "output_digest",
    "require_scores",
    "settings_from",
    "store_output",
    "store_reference_set",
    "store_scores",
    "stored_lattices",
    "stored_measure",
    "stored_output",
    "stored_scores",
    "stored_sets",
    "texts_of_output",
    "texts_of_set",
    "values_from",
]


# Scores that are kept: with the outputs and the reference sets they were computed from.


_FLOATS = "<f8"
EXACT: Final = "exact"
"""The parameter of a stored reference set that is the exact digest of its texts, which says more than the digest that
names it: the sources, the order of the references and their repetition."""


@dataclass(frozen=True, eq=False)
class StoredScore:
    """A score as it was stored, with all it was computed from."""

    id: int
    system: str
    hypotheses: tuple[str, ...]
    output_digest: str
    settings: Settings
    value: float
    segment_values: F64
    signature: str
    origin: str
    """Of the references: corpus or files."""
    parameters: dict[str, Any]
    """What the reference set can be made from again."""
    digest: str
    """Of the reference set."""
    sets: tuple[ReferenceSet, ...]
    scored: str
    """When, UTC."""
    validity: float | None = None
    """The expected precision of the references when the score was computed; None where nothing was known of it."""


def require_scores(path: Path) -> None:
    """Raise DatabaseMissing where there is no database, with the command that would have kept scores in one."""
    if not path.exists():
        raise DatabaseMissing("there is no such database; `corpusdb score --store` makes one", path=path)


_SET = """
insert into reference_set (digest, origin, parameters, segments, texts, run) values (?, ?, ?, ?, ?, ?)
on conflict (digest, parameters) do nothing
"""
_SET_ID = "select id from reference_set where digest = ? and parameters = ?"
_OUTPUT = """
insert into system_output (system, digest, segments, texts, run) values (?, ?, ?, ?, ?)
on conflict (system, digest) do nothing
"""
_OUTPUT_ID = "select id from system_output where system = ? and digest = ?"
_SCORE = """
insert into score (
    output, reference_set, metric, unit, ngram_order, value, segment_values, signature, parameters, run, scored
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (output, reference_set, signature) do nothing
"""
_SCORE_ID = "select id from score where output = ? and reference_set = ? and signature = ?"


def store_scores(
    store: Store, outputs: Sequence[Output], references: ScoringReferences, scores: Sequence[MetricScores]
) -> list[list[int]]:
    """Keep scores; returns their numbers, a list for each metric with one for each system.

    What is kept already stays as it is, and has its number returned; where all is, no run is recorded.
    """
    with store.write():
        kept = _kept(store, outputs, references, scores)
        if kept is not None:
            return kept
        systems = [each.system for each in outputs]
        rules = {} if references.rewriting is None else {"rules": references.rewriting.label}
        parameters: dict[str, object] = {
            "references": references.digest,
            "systems": systems,
            **rules,
            **_dictionaries(scores),
        }
        run = start_run(store, "score", parameters)
        set_id = store_reference_set(store, references, run)
        output_ids = [store_output(store, output, run) for output in outputs]
        numbers = [_stored_values(store, each, set_id, output_ids, run) for each in scores]
        expected: dict[str, float] = {} if references.validity is None else {"validity": references.validity}
        finish_run(store, run, {"scores": sum(map(len, numbers)), **expected})
    return numbers


def _dictionaries(scores: Sequence[MetricScores]) -> dict[str, list[str]]:
    """The tokenisations that a dictionary decides, with its version, as a parameter of the run; nothing without any."""
    names = {each.settings.tokenisation for each in scores} - {None}
    versioned = sorted(versioned_tokenisation(str(name)) for name in names)
    found = [each for each in versioned if each not in names]
    return {"tokenisations": found} if found else {}


_KEPT = """
select score.id from score
join system_output on system_output.id = score.output
join reference_set on reference_set.id = score.reference_set
where system_output.system = ? and system_output.digest = ?
  and reference_set.digest = ? and reference_set.parameters = ? and score.signature = ?
"""


def _kept(
    store: Store, outputs: Sequence[Output], references: ScoringReferences, scores: Sequence[MetricScores]
) -> list[list[int]] | None:
    """The numbers of these scores, where every one is kept already."""
    written = _written_parameters(references)
    numbers: list[list[int]] = []
    for each in scores:
        keys = ((one.system, output_digest(one.texts), references.digest, written, each.signature) for one in outputs)
        rows = [store.connection.execute(_KEPT, key).fetchone() for key in keys]
        if None in rows:
            return None
        numbers.append([int(row[0]) for row in rows])
    return numbers


def store_reference_set(store: Store, references: ScoringReferences, run: Run) -> int:
    """Keep a reference set, unless it is kept already; returns its number. Inside a transaction of the caller."""
    parameters = _written_parameters(references)
    if references.rewriting is not None:
        store_rule_set(store, references.rewriting.rules, run)
    texts = _packed([[each.source, list(each.references)] for each in references.sets])
    values = (references.digest, references.origin, parameters, len(references.sets), texts, run.id)
    store.connection.execute(_SET, values)
    return int(store.connection.execute(_SET_ID, (references.digest, parameters)).fetchone()[0])


def _written_parameters(references: ScoringReferences) -> str:
    """The parameters as they are kept; those of a frozen set stay what they were when it was signed."""
    exact = {} if references.signed_as is not None else {EXACT: exact_digest(references.sets)}
    return json.dumps(references.parameters | exact, ensure_ascii=False, sort_keys=True)


def store_output(store: Store, output: Output, run: Run) -> int:
    """Keep an output, unless it is kept already; returns its number. Inside a transaction of the caller."""
    digest = output_digest(output.texts)
    values = (output.system, digest, len(output.texts), _packed(output.texts), run.id)
    store.connection.execute(_OUTPUT, values)
    return int(store.connection.execute(_OUTPUT_ID, (output.system, digest)).fetchone()[0])


def _stored_values(store: Store, scores: MetricScores, set_id: int, outputs: Sequence[int], run: Run) -> list[int]:
    settings = scores.settings
    numbers = []
    for output, value, segments in zip(outputs, scores.scores.tolist(), scores.segments, strict=True):
        key = (output, set_id, scores.signature)
        values = (settings.metric, settings.unit, settings.order, value, segments.astype(_FLOATS).tobytes())
        parameters = json.dumps(asdict(settings), sort_keys=True)
        store.connection.execute(_SCORE, (*key[:2], *values, scores.signature, parameters, run.id, now()))
        numbers.append(int(store.connection.execute(_SCORE_ID, key).fetchone()[0]))
    return numbers


_STORED = """
select score.id, system_output.system, system_output.texts, system_output.digest, score.parameters, score.value,
    score.segment_values, score.signature, reference_set.origin, reference_set.parameters, reference_set.digest,
    reference_set.texts, score.scored, json_extract(run.counts, '$.validity')
from score join run on run.id = score.run
join system_output on system_output.id = score.output
join reference_set on reference_set.id = score.reference_set
where :score is null or score.id = :score order by score.reference_set, score.id
"""


def stored_scores(store: Store, score: int | None = None) -> Iterator[StoredScore]:
    """The scores that are kept, those of one reference set together, or the one of that number.

    Raises InputError where there is none of that number.
    """
    # All rows at once, whose texts are packed: a seed that is tried while rows are read would end the reading.
    rows = store.connection.execute(_STORED, {"score": score}).fetchall()
    found = False
    for number, system, texts, digest, settings, value, segments, *signed, set_texts, scored, validity in rows:
        found = True
        signature, origin, parameters, set_digest = signed
        yield StoredScore(
            id=number,
            system=system,
            hypotheses=texts_of_output(texts),
            output_digest=digest,
            settings=settings_from(settings, store.remarks.append),
            value=value,
            segment_values=values_from(segments),
            signature=signature,
            origin=origin,
            parameters=json.loads(parameters),
            digest=set_digest,
            sets=texts_of_set(set_texts),
            scored=scored,
            validity=validity,
        )
    if score is not None and not found:
        raise InputError(f"there is no score {score}; `corpusdb score --store` keeps them")


_OUTPUT_TEXTS = "select texts from system_output where id = ?"


def stored_output(store: Store, output: int) -> tuple[str, ...]:
    """The hypotheses of a stored output, by segment. Raises InputError where there is none of that number."""
    row = store.connection.execute(_OUTPUT_TEXTS, (output,)).fetchone()
    if row is None:
        raise InputError(f"there is no output {output}")
    return texts_of_output(row[0])


_SET_TEXTS = "select texts from reference_set where id = ?"


def stored_sets(store: Store, reference_set: int) -> tuple[ReferenceSet, ...]:
    """The sources and references of a stored set, by segment. Raises InputError where there is none of that number."""
    row = store.connection.execute(_SET_TEXTS, (reference_set,)).fetchone()
    if row is None:
        raise InputError(f"there is no reference set {reference_set}")
    return texts_of_set(row[0])


def settings_from(parameters: str, tell: Callable[[str], object]) -> Settings:
    """The settings that the parameters of a stored score, a JSON document, hold.

    What of them there is no more is told. Raises InputError for what can be no settings.
    """
    return record_from_json(Settings, json.loads(parameters), tell, of="a stored score")


def check_words(signature: str, what: str) -> None:
    """Raise InputError, with what it is a score of, where its words are those of another dictionary than the one here.

    Raises UsageError where there is none.
    """
    told = dict(pair.partition(":")[::2] for pair in signature.split("|"))
    try:
        check_tokenisation(told.get("tok", ""))
    except InputError as error:
        raise InputError(f"{what}: {error.reason}") from error


def values_from(data: bytes) -> F64:
    """The values of segments as the database keeps them."""
    return np.frombuffer(data, dtype=_FLOATS).astype(np.float64)


def texts_of_set(data: bytes) -> tuple[ReferenceSet, ...]:
    """The segments of a reference set as the column ``texts`` holds them."""
    return tuple(
        ReferenceSet(str(place), source, tuple(references))
        for place, (source, references) in enumerate(_unpacked(data), 1)
    )


def texts_of_output(data: bytes) -> tuple[str, ...]:
    """The hypotheses of an output as the column ``texts`` holds them."""
    return tuple(_unpacked(data))


def _packed(value: object) -> bytes:
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def _unpacked(data: bytes) -> Any:
    return json.loads(zlib.decompress(data))


# The measures of stored scores, whose references may have had equivalents substituted in them.


def stored_lattices(
    store: Store, sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]
) -> Job[LatticeReferences | None]:
    """References with the equivalents that the parameters of a stored set ask for; None where they ask for none.

    They are made again, from the sources or from what the database aligns now. Raises InputError and UsageError where
    they cannot be.
    """
    made_by = kept_derivation(parameters)
    if made_by is None:
        return None
    found = yield from derived_equivalents(store, sets, made_by)
    return found.lattices(made_by.recipe)


def stored_measure(settings: Settings, sets: Sequence[ReferenceSet], lattices: LatticeReferences | None) -> Measure:
    """The measure of these settings for references, or for what can be made of them."""
    if lattices is not None:
        return lattice_measures([settings], lattices)[0]
    return measures([settings], [each.references for each in sets])[0]
