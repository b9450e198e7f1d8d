"""A distributed run taken into a database: all of it, or what some seeds need, marked as an extract."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusdb.errors import InputError
from corpusdb.formats.records import Item
from corpusdb.jobs import Job, Progress
from corpusdb.queries.chain.file_import import CheckedSource, import_source
from corpusdb.queries.chain.layers.tokens import TOKENS
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.distributed.loaded_rows import (
    Numbers,
    clear_rows,
    store_generated,
    store_index,
    store_paraphrases,
    store_rewordings,
)
from corpusdb.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.store.exclusive_jobs import exclusive
from corpusdb.store.extracts import EXTRACT
from corpusdb.text import normalise

if TYPE_CHECKING:
    from corpusdb.distributed.results import Part

__all__ = ["LoadReport", "Loadable", "load", "look_up"]


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a file holds of a run."""

    seeds: int
    missing_seeds: int
    """Asked for, and not among the sentences of the run."""
    sentences: int
    """Of the language that was paraphrased."""
    translations: int
    candidates: int
    extract: bool
    """Whether it holds what the seeds need, and not the whole."""
    megabytes: float
    seconds: float


@dataclass(frozen=True)
class _File:
    """The units of one file of the run, as the importer reads them."""

    part: Part
    number: int
    paths: tuple[Path, ...]
    languages: tuple[str, ...]

    def items(self) -> Iterator[Item]:
        """The units that are to be loaded."""
        return self.part.results.items(self.number, self.part.units)

    def digest(self) -> str:
        """Of the files as they were when the run read them."""
        return str(self.part.results.steps["unit"].digest)


@dataclass(frozen=True, slots=True)
class Loadable:
    """What is to be loaded, looked up before a database is touched."""

    part: Part
    digest: str
    """Of the run and the seeds."""
    asked: int
    """How many seeds were asked for."""


def look_up(folder: Path, seeds: Sequence[str] | None = None) -> Job[Loadable]:
    """What is to be loaded of the run in a folder: all of it, or what some seeds need.

    Raises InputError for a folder that is not one of ours, is not complete, or has none of the seeds, and UsageError
    where what reads Parquet is not installed.
    """
    from corpusdb.distributed.session import require_parquet

    require_parquet()
    from corpusdb.distributed.results import Results, part_of  # which reads Parquet

    results = Results(folder)
    wanted = None if seeds is None else sorted({normalise(seed) for seed in seeds})
    digest = hashlib.sha256(json.dumps([results.steps["result"].digest, wanted]).encode()).hexdigest()
    yield Progress("looking up what is needed", 0, 0)
    part = part_of(results, wanted)
    if wanted is not None and not len(part.seeds):
        raise InputError(f"has none of the {len(wanted):,} seeds", path=folder)
    return Loadable(part, digest, 0 if wanted is None else len(wanted))


_IS_EMPTY = "select not exists (select 1 from sentence)"
_UNMARK = "delete from layer where language = ? and name = ?"
_SIZE = "select page_count * page_size from pragma_page_count, pragma_page_size"
_COUNTS = """
select (select count(*) from sentence where language = :language),
       (select count(*) / 2 from translation),
       (select count(*) from candidate)
"""


@exclusive("load")
def load(store: Store, wanted: Loadable) -> Job[LoadReport]:
    """Load it into a file without a corpus; an interrupted call is continued by the same call.

    Raises InputError for a file that holds anything else.
    """
    begun = time.monotonic()
    part, digest = wanted.part, wanted.digest
    language = part.results.plan.language
    mark, run = _marked(store, part, digest)
    yield from _import(store, part, digest)
    yield Progress("numbering sentences", 0, 0)
    numbers = Numbers.of(store, part)
    with store.write() as connection:
        clear_rows(connection, language)
    yield from _store_derived(store, part, numbers)
    for each in languages_of(store):
        yield from TOKENS.update(store, each)
    with store.write() as connection:
        if part.is_all:
            connection.execute(_UNMARK, (language, EXTRACT))
        else:
            save_layer(store, language, EXTRACT, Layer(mark, 0, 0, complete=True), run)
        finish_run(store, run, {"seeds": len(part.seeds)})
    sentences, translations, candidates = store.connection.execute(_COUNTS, {"language": language}).fetchone()
    return LoadReport(
        len(part.seeds),
        max(0, wanted.asked - len(part.seeds)),
        sentences,
        translations,
        candidates,
        extract=not part.is_all,
        megabytes=round(store.connection.execute(_SIZE).fetchone()[0] / 1e6, 1),
        seconds=round(time.monotonic() - begun, 1),
    )


_RUN_OF_MARK = "select run from layer where language = ? and name = ?"


def _marked(store: Store, part: Part, digest: str) -> tuple[dict[str, Any], Run]:
    """Mark the file as one into which this is loaded, or go on. Raises InputError where it holds anything else."""
    language = part.results.plan.language
    mark: dict[str, Any] = {"digest": digest, "language": language, "seeds": len(part.seeds)}
    state = layer_state(store, language, EXTRACT)
    if state is not None and state.parameters != mark:
        raise InputError("holds another load: name a new file", path=store.path)
    if state is not None and state.complete:
        raise InputError("holds this load already", path=store.path)
    if state is None and not store.connection.execute(_IS_EMPTY).fetchone()[0]:
        raise InputError("holds a corpus: a run is loaded into a new file", path=store.path)
    if state is not None:
        (number,) = store.connection.execute(_RUN_OF_MARK, (language, EXTRACT)).fetchone()
        return mark, Run(int(number), "load", resumed=True)
    with store.write():
        run = start_run(store, "load", mark)
        save_layer(store, language, EXTRACT, Layer(mark, 0, 0, complete=False), run)
    return mark, run


def _import(store: Store, part: Part, digest: str) -> Job[None]:
    from corpusdb.distributed.results import Among

    document = part.results.steps["unit"].document
    held = frozenset(part.results.numbers("unit", "file", Among("unit", part.units)).tolist())
    for number, told in enumerate(document["files"]):
        if number not in held:
            continue
        source = _File(part, number, tuple(map(Path, told["paths"])), tuple(told["columns"]))
        # A part of a file is not taken for the file.
        checked = CheckedSource(
            source,
            told["digest"] if part.is_all else digest + str(number),
            told["former_digest"] if part.is_all else digest + str(number),
            tuple(told["languages"]),
            told["records"] if part.units is None else len(part.units),
            told["rejected"] if part.is_all else 0,
            tuple((str(path), int(line), str(reason)) for path, line, reason in told["first_rejected"]),
        )
        yield from import_source(store, checked, document["collection"])


_LAST = """
select coalesce((select max(id) from sentence where language = :language), 0),
       coalesce((select max(id) from run where operation = 'import'), 0)
"""


def _store_derived(store: Store, part: Part, numbers: Numbers) -> Job[None]:
    """Store what was derived, layer by layer, as the chain itself would have left it."""
    from corpusdb.queries.analogy.slot_index import PARAMETERS as OF_COMMUTATIONS
    from corpusdb.queries.chain.rewordings import PARAMETERS as OF_REWORDINGS
    from corpusdb.queries.exchange.validity_update import PARAMETERS as OF_VALIDITY
    from corpusdb.queries.paraphrase.detection import PARAMETERS as OF_PARAPHRASES

    language = part.results.plan.language
    last_sentence, last_import = store.connection.execute(_LAST, {"language": language}).fetchone()
    with store.unchecked_references():
        run = _begun(store, "detect", {"language": language})
        counts = yield from store_paraphrases(store, part, numbers, run)
        _ended(store, language, "paraphrase", Layer(OF_PARAPHRASES, last_sentence, last_import, True), run, counts)
        run = _begun(store, "index", {"language": language})
        counts = yield from store_index(store, part, numbers, run)
        if part.is_all:
            _ended(store, language, "ngram", Layer({}, last_sentence, run.id, True), run, {})
        _ended(store, language, "commutation", Layer(OF_COMMUTATIONS, last_sentence, run.id, True), run, counts)
        is_whole = part.is_all and part.results.plan.all_seeds
        given = {} if is_whole else {"seeds": numbers.texts(part.seeds)}
        run = _begun(store, "generate", {"language": language, **given})
        judging = part.results.steps["validity"].document
        model = {"language": language, "model": judging["model"], "recalls": judging["recalls"]}
        judged = _begun(store, "validity", model)
        counts = yield from store_generated(store, part, numbers, run)
        reach = (
            Layer({"seeds": "all"}, last_sentence, run.id, True)
            if is_whole
            else Layer({"seeds": "given"}, 0, run.id, True)
        )
        _ended(store, language, "candidate", reach, run, counts)
        counts = {name: judging[name] for name in ("exchanges", "candidates", "detected", "labelled")}
        counts["judgements"] = 0
        _ended(store, language, "validity", Layer(OF_VALIDITY, last_sentence, last_import, True), judged, counts)
        if part.results.plan.all_seeds:
            run = _begun(store, "reword", {"language": language})
            counts = yield from store_rewordings(store, part, numbers, run)
            _ended(store, language, "rewording", Layer(OF_REWORDINGS, last_sentence, last_import, True), run, counts)


def _begun(store: Store, operation: str, parameters: dict[str, object]) -> Run:
    with store.write():
        return start_run(store, operation, parameters)


def _ended(store: Store, language: str, name: str, layer: Layer, run: Run, counts: dict[str, Any]) -> None:
    with store.write():
        save_layer(store, language, name, layer, run)
        finish_run(store, run, counts)
