"""Replay: what the program once made, made again and compared bit for bit, with the inputs that differ."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from corpusdb import __version__
from corpusdb.alignment.queries.pairs import linked_digest, ready_models
from corpusdb.alignment.queries.phrases import aligned_languages
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job
from corpusdb.base.tokenisation import required_analyser
from corpusdb.chain.queries.layers import derived_layers
from corpusdb.chain.queries.recomputed import made_by_other_rules, wrong_language
from corpusdb.corpus.formats.reading import read_text
from corpusdb.corpus.formats.records import exact_digest
from corpusdb.corpus.model import ANALYSER, MADE_FROM, Input, MadeFrom
from corpusdb.corpus.store import Store, layer_state
from corpusdb.corpus.store.runs import corpus_fingerprint
from corpusdb.rules.queries.rewritings import REWRITING, changed_rewritings
from corpusdb.scoring.queries.frozen_sets import FROZEN_BY, frozen_references, frozen_sets, made_again
from corpusdb.scoring.queries.verification import Verification, format_changes, set_differences, verify

_CORPUS: Final = "corpus"
_LAYER: Final = "layer"


def check_analysers(record: MadeFrom, path: Path) -> None:
    """Raise InputError where a document was made with another dictionary than the one here: words are others then.

    Raises UsageError where there is none.
    """
    for each in record.inputs:
        if each.kind == ANALYSER:
            try:
                required_analyser(each.digest)
            except InputError as error:
                raise InputError(error.reason, path=path) from error


def database_inputs(store: Store) -> Iterator[Input]:
    """What of the database results depend on: all that DATABASE_INPUTS yield."""
    for inputs in DATABASE_INPUTS:
        yield from inputs(store)


def _corpus(store: Store) -> Iterator[Input]:
    yield Input(_CORPUS, "documents", corpus_fingerprint(store))


_LAYERS = """
select layer.name, layer.language, layer.parameters, layer.complete, layer.last_sentence, run.operation, run.parameters
from layer join run on run.id = layer.run order by layer.language, layer.name
"""


def _layers(store: Store) -> Iterator[Input]:
    """What was derived in each language, by what it was made by: that of the validity has what was learned in it."""
    for name, language, *made_by in store.connection.execute(_LAYERS):
        yield Input(_LAYER, f"{name} of {language}", _digest(made_by))


_JUDGEMENTS = "select * from judgement order by 1"


def _judgements(store: Store) -> Iterator[Input]:
    if rows := store.connection.execute(_JUDGEMENTS).fetchall():
        yield Input("judgements", "of all samples", _digest([list(row) for row in rows]))


_REJECTIONS = "select language, phrase, equivalent from current_rejection order by 1, 2, 3"


def _rejections(store: Store) -> Iterator[Input]:
    if rows := store.connection.execute(_REJECTIONS).fetchall():
        yield Input("rejections", "of equivalents", _digest([list(row) for row in rows]))


def _alignments(store: Store) -> Iterator[Input]:
    """What links the words of two languages, by what it learned and how much it linked."""
    for language in aligned_languages(store):
        for model in ready_models(store, language):
            if language == model.source:
                yield Input("alignment", f"of {model.languages}", linked_digest(store, [model])[:16])


_PROFILES = "select id, language, parameters, sources, hex(reference_texts) from profile order by id"


def _profiles(store: Store) -> Iterator[Input]:
    """By what coefficients are measured: the references of each profile."""
    for number, language, *made_of in store.connection.execute(_PROFILES):
        yield Input("profile", f"{number} of {language}", _digest(made_of))


DATABASE_INPUTS: Final[tuple[Callable[[Store], Iterator[Input]], ...]] = (
    *(_corpus, _layers, _judgements),
    *(_rejections, _alignments, _profiles),
)
"""Each yields inputs of its kind, in an order that does not change."""


def _digest(value: object) -> str:
    """SHA-256 of a value as JSON, its first 16 digits."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:16]


def version_difference(version: str) -> Iterator[str]:
    """In words, where something was made by another version of corpusdb than this one."""
    if version != __version__:
        yield f"version of corpusdb: {version} then and {__version__} now"


def differing_inputs(before: Sequence[Input], now: Sequence[Input]) -> Iterator[str]:
    """In words, a line each, the inputs that are others now, that there are no more, and that are new.

    What is derived is told only where the corpus is the same: otherwise it follows from that.
    """
    then, today = ({(each.kind, each.name): each.digest for each in inputs} for inputs in (before, now))
    corpora = ({key: digest for key, digest in inputs.items() if key[0] == _CORPUS} for inputs in (then, today))
    derives = len({json.dumps(sorted(each.values())) for each in corpora}) > 1
    for kind, name in then | today:
        if kind == _LAYER and derives:
            continue
        old, new = then.get((kind, name)), today.get((kind, name))
        if new is None:
            yield f"{kind} {name}: there is none now"
        elif old is None:
            yield f"{kind} {name}: there was none"
        elif old != new:
            yield f"{kind} {name}: changed since, {old[:16]} then and {new[:16]} now"


# JSON documents of this program, made again and compared value by value.

_OF_THE_CALL: Final = frozenset({MADE_FROM, "seconds", "run", "stored", "files"})
"""Keys whose values belong to the one call that was made: times, numbers of rows, names of files that were written."""
_FOLLOWING: Final = frozenset({"sacrebleu_signature"})
"""Keys that follow from others, and that documents of earlier versions lack."""
_SHOWN = 3
_BEFORE = 12
_MOST = 60


def read_document(path: Path) -> tuple[Any, MadeFrom]:
    """A document that was written with --json, and what it was made from.

    Raises InputError for what is no JSON, and for JSON that does not say what it was made from.
    """
    try:
        document = json.loads("".join(read_text(path)))
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError("this is not JSON", path=path, line=line) from error
    one = document[0] if isinstance(document, list) and document else document
    if not isinstance(one, dict) or MADE_FROM not in one:
        wanted = "--json of a study, of `references` or of `score`, as this version writes it"
        raise InputError(f"it does not say what it was made from; to replay, give {wanted}", path=path)
    return document, MadeFrom.of(one[MADE_FROM], path)


def is_as_sacrebleu(document: Any) -> bool:
    """Whether `score` wrote it by -f json, which of one system is another document than that of --json."""
    return "nrefs" in (document[0] if isinstance(document, list) and document else document)


def differences(before: Any, now: Any) -> list[str]:
    """The first values that differ, each with its place in the document; none where all are the same bit for bit."""
    found: list[str] = []
    for place, old, new in _differing(before, now, "$"):
        if len(found) == _SHOWN:
            return [*found, "and more"]
        found.append(f"{place}: {_told(old, new)} then and {_told(new, old)} now")
    return found


class _Missing:
    """That one of the two has no such value."""


_MISSING: Final = _Missing()


def _differing(before: Any, now: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in [*before, *(key for key in now if key not in before)]:
            if key not in _OF_THE_CALL | _FOLLOWING:
                yield from _differing(before.get(key, _MISSING), now.get(key, _MISSING), f"{place}.{key}")
    elif isinstance(before, list) and isinstance(now, list):
        for number in range(max(len(before), len(now))):
            old, new = (each[number] if number < len(each) else _MISSING for each in (before, now))
            yield from _differing(old, new, f"{place}[{number}]")
    elif before is _MISSING or now is _MISSING or _as_signed(before) != _as_signed(now):
        # As JSON: 1 and 1.0 are two documents, and NaN is the same as NaN.
        yield place, before, now


_VERSION: Final = re.compile(r"\|v(?:ersion)?:[^|]*")


def _as_signed(value: Any) -> str:
    """As JSON, without the version in a signature: what another version makes the same is the same."""
    return json.dumps(_VERSION.sub("", value) if isinstance(value, str) and value.count("|") > 1 else value)


def _told(value: Any, other: Any) -> str:
    """A value as JSON; of a long text, what stands from shortly before the first character that is another."""
    if value is _MISSING:
        return "nothing"
    first = 0
    if isinstance(value, str) and isinstance(other, str):
        first = max(0, len(commonprefix([value, other])) - _BEFORE)
        value = ("..." if first else "") + value[first:]
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST else text[:_MOST] + "..."


# What the database holds, made again: the scores and layers of a run, a stored score, a frozen reference set.


@dataclass(frozen=True, slots=True)
class Replayed:
    """Something that was made again."""

    what: str
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
            yield f"layer {name} of {language}: rebuilt since, by run {later}"


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
    differences = tuple(format_changes(set_differences(before.sets, again.sets), len(before.sets)))
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
            f"run {number} is of {run.operation!r}, which is input; only what is made from it can be replayed"
        )
    if run.finished is None:
        raise UsageError(f"run {number} has not ended: run the same command again to finish it")
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
        # Tables whose rows no other database has in the same form are held against the corpus.
        problems += [
            problem
            for layer in derived_layers()
            if layer.name in names and any(table.rows is None for table in layer.tables)
            for check in layer.checks
            for problem in check.problems(store.connection, Random(0), full=True)
        ]
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
