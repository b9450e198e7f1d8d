"""Scores that are kept, with the outputs and references they were computed from, and test sets of these."""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath
from typing import Any, Final

from corpusdb.base.arrays import F64
from corpusdb.base.errors import DatabaseMissing, InputError
from corpusdb.base.jobs import Job
from corpusdb.base.options import record_from_json
from corpusdb.base.tokenisation import check_tokenisation, versioned_tokenisation
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.records import exact_digest, output_digest
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.connection import now
from corpusdb.rules.queries.rule_sets import store_rule_set
from corpusdb.scoring.measures import measures
from corpusdb.scoring.metric import Measure
from corpusdb.scoring.metric_settings import DIGEST_LENGTH, MetricSettings
from corpusdb.scoring.queries.imported_scores import StoredOutput, all_outputs, packed_values, values_from
from corpusdb.scoring.queries.reference_equivalents import derived_equivalents, kept_derivation
from corpusdb.scoring.queries.scoring import MetricScores
from corpusdb.scoring.queries.scoring_references import EQUIVALENTS, ScoringReferences
from corpusdb.scoring.substituted_measures import LatticeReferences, lattice_measures

EXACT: Final = "exact"
"""The parameter of a stored reference set that is the exact digest of its texts, which says more than the digest that
names it: the sources, the order of the references and their repetition."""


@dataclass(frozen=True, eq=False)
class StoredScore:
    id: int
    system: str
    hypotheses: tuple[str, ...]
    output_digest: str
    settings: MetricSettings
    value: float
    segment_values: F64
    signature: str
    origin: str
    """Of the references: corpus or files."""
    parameters: dict[str, Any]
    """What the reference set can be made from again."""
    digest: str
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
    parameters = references.parameters | {EXACT: exact_digest(references.sets)}
    return json.dumps(parameters, ensure_ascii=False, sort_keys=True)


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
        values = (settings.metric, settings.unit, settings.order, value, packed_values(segments))
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
        raise InputError(f"there is no score {score}; `corpusdb score --store` stores them")


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


def settings_from(parameters: str, tell: Callable[[str], object]) -> MetricSettings:
    """The settings that the parameters of a stored score, a JSON document, hold.

    What of them there is no more is told. Raises InputError for what can be no settings.
    """
    return record_from_json(MetricSettings, json.loads(parameters), tell, of="a stored score")


def check_words(signature: str, what: str) -> None:
    """Raise InputError, with what it is a score of, where its words are those of another dictionary than the one here.

    Raises UsageError where there is none.
    """
    told = dict(pair.partition(":")[::2] for pair in signature.split("|"))
    try:
        check_tokenisation(told.get("tok", ""))
    except InputError as error:
        raise InputError(f"{what}: {error.reason}") from error


def texts_of_set(data: bytes) -> tuple[ReferenceSet, ...]:
    return tuple(
        ReferenceSet(str(place), source, tuple(references))
        for place, (source, references) in enumerate(_unpacked(data), 1)
    )


def texts_of_output(data: bytes) -> tuple[str, ...]:
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


def stored_measure(
    settings: MetricSettings, sets: Sequence[ReferenceSet], lattices: LatticeReferences | None
) -> Measure:
    """The measure of these settings for references, or for what can be made of them."""
    if lattices is not None:
        return lattice_measures([settings], lattices)[0]
    return measures([settings], [each.references for each in sets])[0]


# Test sets: which stored outputs and reference sets belong together.


@dataclass(frozen=True, slots=True)
class StoredSet:
    id: int
    digest: str
    origin: str
    """corpus or files."""
    parameters: Mapping[str, Any]
    """What it can be made from again, without the sources."""
    segments: int
    frozen: str | None
    """The name of one that was frozen."""

    @property
    def short_digest(self) -> str:
        """As signatures have it."""
        return self.digest[:DIGEST_LENGTH]

    @property
    def has_equivalents(self) -> bool:
        """Whether scores on it are of the references with equivalents in them."""
        return EQUIVALENTS in self.parameters

    @property
    def files(self) -> list[PurePath]:
        return [PurePath(each["path"]) for each in self.parameters.get("files", ())]

    @property
    def label(self) -> str:
        """A short name: that of a frozen set, "corpus", or the names of the files, "ref.A.en+1" for two of them, with
        "+ corpus" where there are references of both; "eq" behind it where equivalents were put in."""
        if self.frozen is not None:
            return self.frozen
        files = self.files
        more = " eq" if self.has_equivalents else ""
        told = self.origin
        if files:
            told = files[0].name if len(files) == 1 else f"{files[0].name}+{len(files) - 1}"
            told += " + corpus" if self.origin == "corpus" else ""
        rules = f", rules {self.parameters['rules']['name']}" if "rules" in self.parameters else ""
        return f"{told}{more}{rules}"

    @property
    def place(self) -> str:
        """The folder of its files, or the corpus and the language of its references."""
        if self.origin == "corpus" and not self.files:
            return f"corpus {self.parameters.get('language', '')}".rstrip()
        return self.files[0].parent.name or "/" if self.files else "files"


@dataclass(frozen=True, slots=True)
class PartlyScored:
    """How many segments have a score, where these are not all."""

    least: int
    """Of the system with the fewest."""
    most: int
    segments: int
    """Of the test set."""

    @property
    def short(self) -> str:
        return f"{self.least:,}/{self.segments:,}"

    def __str__(self) -> str:
        some = f"{self.least:,}" + (f" to {self.most:,}" if self.most > self.least else "")
        return f"{some} of {self.segments:,} segments"


@dataclass(frozen=True, slots=True)
class TestSet:
    """Sources with the outputs and reference sets that belong to them."""

    __test__ = False  # pytest takes what is called so for tests

    number: int
    """From 1, in the order in which their first outputs were stored."""
    name: str
    segments: int
    outputs: tuple[StoredOutput, ...]
    reference_sets: tuple[StoredSet, ...]
    last_score: int
    """The number of the newest score; 0 without any."""

    @property
    def set_ids_json(self) -> str:
        return json.dumps([each.id for each in self.reference_sets])

    @property
    def output_ids_json(self) -> str:
        return json.dumps([each.id for each in self.outputs])

    def set_called(self, digest: str) -> int | None:
        """The number of the first of its reference sets whose digest begins so."""
        return next((each.id for each in self.reference_sets if each.digest.startswith(digest)), None)

    def __str__(self) -> str:
        systems, sets = len(self.outputs), len(self.reference_sets)
        return (
            f"{self.name}: {self.segments:,} segments, {systems:,} system{'' if systems == 1 else 's'}, "
            f"{sets:,} reference set{'' if sets == 1 else 's'}"
        )


_LAST_SET = """
select score.reference_set from score join json_each(?) output on output.value = score.output
order by score.id desc limit 1
"""


def set_scored_last(store: Store, test_set: TestSet) -> int | None:
    """The number of the reference set with which an output of a test set was scored last; None where none was."""
    row = store.connection.execute(_LAST_SET, (test_set.output_ids_json,)).fetchone()
    return None if row is None else int(row[0])


def sets_scored_with(store: Store, outputs: Sequence[int]) -> list[StoredSet]:
    """The reference sets with which one of these outputs was scored, in the order in which they were stored."""
    ids = {number for (number,) in store.connection.execute(_SETS_OF, (json.dumps(list(outputs)),))}
    return [each for each in _all_sets(store) if each.id in ids]


def ways_to_say(sets: Sequence[StoredSet]) -> str:
    """Which option names each of several sets, and what it is."""
    told = {each.short_digest: f"{each.label} of {each.place}, {each.segments:,} segments" for each in sets}
    return f"--set {' or '.join(f'{digest} ({what})' for digest, what in told.items())}"


_SETS_OF = "select distinct reference_set from score where output in (select value from json_each(?))"


def test_set_names(store: Store) -> dict[int, str]:
    """The test set that each stored output is of, with its number, by that of the output."""
    return {
        output.id: f"test set {each.number}, {each.name}" for each in all_test_sets(store) for output in each.outputs
    }


_SETS = """
select reference_set.id, reference_set.digest, origin, json_remove(parameters, '$.sources'), segments, frozen_set.name
from reference_set left join frozen_set on frozen_set.reference_set = reference_set.id
order by reference_set.id
"""
_GUIDED = "select reference_set, guided_by from frozen_set where guided_by is not null order by reference_set"


def _all_sets(store: Store) -> list[StoredSet]:
    rows = store.connection.execute(_SETS)
    return [
        StoredSet(number, digest, origin, json.loads(parameters), segments, frozen)
        for number, digest, origin, parameters, segments, frozen in rows
    ]


_LINKS = "select output, reference_set, max(id) from score group by output, reference_set"


def all_test_sets(store: Store) -> list[TestSet]:
    outputs = all_outputs(store)
    sets = _all_sets(store)
    guided = [(tuple(pair), number) for number, by in store.connection.execute(_GUIDED) for pair in json.loads(by)]
    ids = {(each.system, each.digest): each.id for each in outputs}
    links = [tuple(row) for row in store.connection.execute(_LINKS)]
    links += [(ids[pair], set_id, 0) for pair, set_id in guided if pair in ids]
    parts = _parts(outputs, sets, links)
    parts = _joined_by_sources(store, parts)
    return list(_with_distinct_names([_test_set(number, part, links) for number, part in enumerate(parts, 1)]))


_Part = tuple[list[StoredOutput], list[StoredSet]]


def _parts(
    outputs: Sequence[StoredOutput], sets: Sequence[StoredSet], links: Sequence[tuple[int, int, int]]
) -> list[_Part]:
    """What is linked, directly or through others, by the first output; sets without outputs are left out."""
    above: dict[int, int] = {}
    """From outputs by their numbers, and sets by their negative ones, to another that they are linked with."""

    def root(node: int) -> int:
        while node in above:
            node = above[node]
        return node

    for output, set_id, _ in links:
        first, second = root(output), root(-set_id)
        if first != second:
            above[second] = first
    parts: dict[int, _Part] = {}
    for each in outputs:
        parts.setdefault(root(each.id), ([], []))[0].append(each)
    for one in sets:
        if (part := parts.get(root(-one.id))) is not None:
            part[1].append(one)
    return list(parts.values())


def _joined_by_sources(store: Store, parts: Sequence[_Part]) -> list[_Part]:
    """The parts, those of the same sources together. Only where two could be the same are texts looked at."""
    lengths = Counter(outputs[0].segments for outputs, _ in parts)
    joined: dict[object, _Part] = {}
    for outputs, sets in parts:
        key: object = outputs[0].id
        if sets and lengths[outputs[0].segments] > 1:
            sources = tuple(each.source for each in stored_sets(store, sets[0].id))
            key = sources if any(sources) else key
        part = joined.setdefault(key, ([], []))
        part[0].extend(outputs)
        part[1].extend(sets)
    return list(joined.values())


def _test_set(number: int, part: _Part, links: Sequence[tuple[int, int, int]]) -> TestSet:
    outputs, sets = part
    ids = {each.id for each in outputs}
    last = max((score for output, _, score in links if output in ids), default=0)
    name = sets[0].place if sets else outputs[0].system
    return TestSet(number, name, outputs[0].segments, tuple(outputs), tuple(sets), last)


def _with_distinct_names(found: Sequence[TestSet]) -> Iterator[TestSet]:
    """Those of one name get a number behind it."""
    names: defaultdict[str, int] = defaultdict(int)
    for each in found:
        names[each.name] += 1
        yield each if names[each.name] == 1 else replace(each, name=f"{each.name} ({names[each.name]})")
