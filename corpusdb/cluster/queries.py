"""Runs of the chain on Spark from files, and what they gave taken into a database."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

from corpusdb.base.arrays import I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import language_codes, normalise
from corpusdb.chain.queries.importing import CheckedSource, check_source, import_source, reading_digest
from corpusdb.chain.queries.layers import TOKENS
from corpusdb.cluster.folder import Manifest, claim_folder, document_digest, finish, is_done, remove_step, run_folder
from corpusdb.cluster.session import (
    DistributedReport,
    Request,
    is_address,
    require_parquet,
    require_spark,
    settings_for,
    started,
)
from corpusdb.corpus.formats import Source
from corpusdb.corpus.formats.records import Item, Options
from corpusdb.corpus.model import REWORDING_COLUMNS, stored_in
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.connection import fill_table
from corpusdb.corpus.store.runs import EXTRACT, exclusive
from corpusdb.paraphrase.queries.candidates import insert_into
from corpusdb.paraphrase.queries.models import INSERT_SEGMENT, segment_row, store_lexical_models, store_word_model

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from corpusdb.cluster.chain import LoadedPart

# The derived rows of a run, with the numbers that sentences, contexts and fillers have in a database.

_ROWS_AT_ONCE = 200_000

_SENTENCES = "select text, id from sentence where language = ?"


@dataclass(frozen=True, slots=True)
class Renumbered:
    """Numbers that a run has, ascending, and those that a database has for the same."""

    of_run: I64
    of_file: I64

    @classmethod
    def of(cls, of_run: I64, of_file: I64) -> Renumbered:
        """Pairs of numbers in any order."""
        order = np.argsort(of_run)
        return cls(of_run[order], of_file[order])

    def __call__(self, numbers: I64) -> I64:
        """The numbers that these have in the database."""
        return self.of_file[np.searchsorted(self.of_run, numbers)]


@dataclass(frozen=True, slots=True)
class Numbers:
    """The sentences of a run, by their numbers in it."""

    in_file: Renumbered
    text_of: dict[int, str]

    @classmethod
    def of(cls, store: Store, part: LoadedPart) -> Numbers:
        """After the units were imported, whose sentences are those of the run."""
        text_of: dict[int, str] = dict(part.results.rows("sentence", ("sentence", "text"), sentence=part.sentences))
        known = dict(store.connection.execute(_SENTENCES, (part.results.plan.language,)))
        of_run, of_file = (
            np.array(each, dtype=np.int64) for each in (list(text_of), [known[text] for text in text_of.values()])
        )
        return cls(Renumbered.of(of_run, of_file), text_of)

    def texts(self, numbers: I64) -> list[str]:
        return [self.text_of[number] for number in numbers.tolist()]


_CLEAR = "delete from {table}"
_CLEARED = (
    *("rewording", "candidate", "seed", "exchange_part", "exchange", "substitution", "commutation", "slot", "filler"),
    *("context", "ngram_segment", "paraphrase"),
)


def clear_rows(connection: sqlite3.Connection) -> None:
    """Remove what an interrupted load left, of the one language that has any; in a transaction of the caller."""
    for table in _CLEARED:
        connection.execute(_CLEAR.format(table=table))


def _stored(store: Store, stage: str, statement: str, rows: Iterable[tuple[Any, ...]]) -> Job[int]:
    """Store rows, some in each transaction; how many they were."""
    waiting, done = iter(rows), 0
    while batch := list(islice(waiting, _ROWS_AT_ONCE)):
        yield Progress(stage, done, 0)
        with store.write() as connection:
            connection.executemany(statement, batch)
        done += len(batch)
    return done


_DETECTED = ("sentence", "paraphrase", "translations", "languages", "probability")
_PARAPHRASE = insert_into("paraphrase", (*_DETECTED, "run", "validity"))


def store_paraphrases(store: Store, part: LoadedPart, numbers: Numbers, run: Run) -> Job[dict[str, int]]:
    """The detected paraphrases of the seeds, and of the sentences of which analogies replace another."""
    own: I64 | None = None if part.is_all else np.unique([*part.seeds, *(one for one, _ in part.rewordings)])
    judged = part.results.rows("validity/detected.parquet", ("seed", "other", "validity"), seed=own)
    validity = {(sentence, other): value for sentence, other, value in judged}
    rows = list(part.results.rows("paraphrase", _DETECTED, sentence=own))
    if not part.is_all:
        seeds = frozenset(part.seeds.tolist())
        rows = [row for row in rows if row[0] in seeds or row[:2] in part.rewordings]
    ends = [numbers.in_file(np.array([row[end] for row in rows], dtype=np.int64)).tolist() for end in (0, 1)]
    values = ((*pair, *row[2:], run.id, validity.get(row[:2])) for *pair, row in zip(*ends, rows, strict=True))
    pairs = yield from _stored(store, "storing detected paraphrases", _PARAPHRASE, values)
    return {"sentences": len({row[0] for row in rows}), "pairs": pairs}


_CONTEXT = "insert into context (id, language, hash, fillers, sentence, start, stop) values (?, ?, ?, ?, ?, ?, ?)"
_FILLER = "insert into filler (id, language, hash, text, contexts) values (?, ?, ?, ?, ?)"
_SLOT = "insert into slot (context, filler, sentence) values (?, ?, ?)"
_COMMUTATION = "insert into commutation (x, y, contexts) values (?, ?, ?)"
_SUBSTITUTION = "insert into substitution (context, filler, rewording, sentence, start, stop) values (?, ?, ?, ?, ?, ?)"


def store_index(store: Store, part: LoadedPart, numbers: Numbers, run: Run) -> Job[dict[str, int]]:
    """Contexts, fillers, slots, commutations and substitutions; of the whole its n-grams too."""
    context = yield from _store_contexts(store, part, numbers)
    filler = yield from _store_fillers(store, part)
    to_file = {"context": context, "filler": filler, "sentence": numbers.in_file, "rewording": numbers.in_file}
    rows = part.rows("slot", ("context", "filler", "sentence"), to_file)
    yield Progress("storing slots", 0, 0)
    with store.write() as connection:
        slots = fill_table(connection, "slot", _SLOT, rows)
    rows = part.rows("commutation", ("low", "high", "contexts"), {"low": filler, "high": filler})
    rows = (row if row[0] < row[1] else (row[1], row[0], row[2]) for row in rows)
    commutations = yield from _stored(store, "storing commutations", _COMMUTATION, rows)
    rows = part.rows("substitution", ("context", "filler", "rewording", "sentence", "start", "stop"), to_file)
    substitutions = yield from _stored(store, "storing substitutions", _SUBSTITUTION, rows)
    if part.is_all:
        yield from _stored(store, "storing n-grams", INSERT_SEGMENT, _segments(part, numbers, run))
    return {"slots": slots, "commutations": commutations, "substitutions": substitutions}


def _store_contexts(store: Store, part: LoadedPart, numbers: Numbers) -> Job[Renumbered]:
    """The numbers of the contexts by their fingerprints, in the order in which they first stand in the corpus."""
    columns = ("context", "fillers", "sentence", "start", "stop")
    to_file = {"sentence": numbers.in_file}
    found = part.results.sorted_rows("context", columns, columns[2:], to_file, context=part.contexts)
    return (yield from _numbered(store, "storing contexts", _CONTEXT, part.results.plan.language, found))


def _store_fillers(store: Store, part: LoadedPart) -> Job[Renumbered]:
    """The same of the fillers, in the order of their texts."""
    found = part.results.sorted_rows("filler", ("filler", "text", "contexts"), ("text",), filler=part.fillers)
    return (yield from _numbered(store, "storing fillers", _FILLER, part.results.plan.language, found))


def _numbered(
    store: Store, stage: str, statement: str, language: str, rows: Iterable[tuple[Any, ...]]
) -> Job[Renumbered]:
    """Store rows, each with its number from 1; these numbers by the fingerprints that rows begin with."""
    prints: list[int] = []

    def numbered() -> Iterator[tuple[Any, ...]]:
        for number, row in enumerate(rows, 1):
            prints.append(row[0])
            yield number, language, *row

    count = yield from _stored(store, stage, statement, numbered())
    return Renumbered.of(np.array(prints, dtype=np.int64), np.arange(1, count + 1))


def joined_segments(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[bytes, ...]]:
    """The bytes of each segment, given its number and some of them in each row, in their order."""
    for _, pieces in groupby(rows, key=itemgetter(0)):
        _, *columns = zip(*pieces, strict=True)
        yield tuple(map(b"".join, columns))


def _segments(part: LoadedPart, numbers: Numbers, run: Run) -> Iterator[tuple[Any, ...]]:
    rows = part.results.rows("segment", ("segment", "text", "sentences", "suffixes"))
    for text, sentences, suffixes in joined_segments(rows):
        ids = numbers.in_file(np.frombuffer(sentences, dtype="<i8"))
        yield part.results.plan.language, *segment_row(text, ids, np.frombuffer(suffixes, dtype="<i4")), run.id


_SEED = "insert into seed (id, language, text, sentence, run) values (?, ?, ?, ?, ?)"
_GENERATED = ("seed", "text", *stored_in("candidate"), "unseen", "other_unseen", "replacement")
_CANDIDATE = insert_into("candidate", (*_GENERATED, "run"))
_EXCHANGE = "insert into exchange (id, language, x, y, pairs, shared, expected) values (?, ?, ?, ?, ?, ?, ?)"
_PART = "insert into exchange_part (exchange, kind, name, pairs, shared, expected) values (?, ?, ?, ?, ?, ?)"


def store_generated(store: Store, part: LoadedPart, numbers: Numbers, run: Run) -> Job[dict[str, int]]:
    """Seeds and candidates, and the exchanges by which these are judged."""
    language = part.results.plan.language
    seed = Renumbered(part.seeds, np.arange(1, len(part.seeds) + 1))
    texts = zip(seed.of_file.tolist(), numbers.texts(part.seeds), numbers.in_file(part.seeds).tolist(), strict=True)
    values = ((place, language, text, sentence, run.id) for place, text, sentence in texts)
    yield from _stored(store, "storing seeds", _SEED, values)
    found = part.results.sorted_rows("result", _GENERATED, ("seed", "text"), {"seed": seed}, seed=part.seeds)
    candidates = yield from _stored(store, "storing candidates", _CANDIDATE, ((*row, run.id) for row in found))
    columns = ("x", "y", "pairs", "shared", "expected")
    rows = part.results.rows("validity/exchange.parquet", columns)
    values = ((number, language, *row) for number, row in enumerate(rows, 1))
    yield from _stored(store, "storing exchanges", _EXCHANGE, values)
    rows = part.results.rows("validity/part.parquet", ("exchange", "kind", "name", "pairs", "shared", "expected"))
    yield from _stored(store, "storing exchanges", _PART, ((row[0] + 1, *row[1:]) for row in rows))
    return {"candidates": candidates}


_REWORDED = ("sentence", "text", *REWORDING_COLUMNS)
_REWORDING = insert_into("rewording", (*_REWORDED, "run"))


def store_rewordings(store: Store, part: LoadedPart, numbers: Numbers, run: Run) -> Job[dict[str, int]]:
    """What only an exchange of words vouches for, of the seeds."""
    wanted = None if part.is_all else part.seeds
    rows = part.results.rows("rewording", _REWORDED, {"sentence": numbers.in_file}, sentence=wanted)
    values = ((*row, run.id) for row in rows)
    return {"rewordings": (yield from _stored(store, "storing rewordings", _REWORDING, values))}


# A distributed run taken into a database: all of it, or what some seeds need, marked as an extract.


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a file holds of a run."""

    seeds: int
    missing_seeds: int
    """Asked for, and not among the sentences that the run generated from."""
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

    part: LoadedPart
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

    part: LoadedPart
    digest: str
    asked: int


def look_up(
    place: Path | str, seeds: Sequence[str] | None = None, session: SparkSession | None = None
) -> Job[Loadable]:
    """What is to be loaded of the run in a folder: all of it, or what some seeds need.

    Raises InputError for a folder that is not one of ours, is not complete, or has none of the seeds, and UsageError
    where what reads Parquet is not installed.
    """
    require_parquet()
    from corpusdb.cluster.chain import RunResults, part_of  # which reads Parquet

    results = RunResults(run_folder(place, session))
    wanted = None if seeds is None else sorted({normalise(seed) for seed in seeds})
    digest = hashlib.sha256(json.dumps([results.steps["result"].digest, wanted]).encode()).hexdigest()
    yield Progress("looking up what is needed", 0, 0)
    part = part_of(results, wanted)
    if wanted is not None and not len(part.seeds):
        raise InputError(f"has none of the {len(wanted):,} seeds", path=place)
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
        clear_rows(connection)
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


def _marked(store: Store, part: LoadedPart, digest: str) -> tuple[dict[str, Any], Run]:
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
        return mark, Run(int(number), "load")
    with store.write():
        run = start_run(store, "load", mark)
        save_layer(store, language, EXTRACT, Layer(mark, 0, 0, complete=False), run)
    return mark, run


def _import(store: Store, part: LoadedPart, digest: str) -> Job[None]:
    document = part.results.steps["unit"].document
    held = frozenset(part.results.numbers("unit", "file", unit=part.units).tolist())
    for number, told in enumerate(document["files"]):
        if number not in held:
            continue
        source = _File(part, number, tuple(map(Path, told["paths"])), tuple(told["columns"]))
        # A part of a file is not taken for the file.
        checked = CheckedSource(
            source,
            told["digest"] if part.is_all else digest + str(number),
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


def _store_derived(store: Store, part: LoadedPart, numbers: Numbers) -> Job[None]:
    """Store what was derived, layer by layer, as the chain itself would have left it."""
    from corpusdb.chain.queries.generation import REWORDING_PARAMETERS as OF_REWORDINGS
    from corpusdb.cluster.exchanges import stored_lexical_models
    from corpusdb.paraphrase.queries.detection import PARAMETERS as OF_PARAPHRASES
    from corpusdb.paraphrase.queries.paraphrases import JUDGED_BY as OF_VALIDITY
    from corpusdb.paraphrase.queries.slot_index import PARAMETERS as OF_COMMUTATIONS

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
        is_whole = part.is_all and part.results.plan.seeds is None
        given = {} if is_whole else {"seeds": numbers.texts(part.seeds)}
        run = _begun(store, "generate", {"language": language, **given})
        judging = part.results.steps["validity"].document
        model = {"language": language, "model": judging["model"], "recalls": judging["recalls"]}
        judged = _begun(store, "validity", model)
        with store.write() as connection:
            packed = part.results.table("validity/word_model.parquet", ["model"])["model"].to_pylist()
            store_word_model(connection, language, packed[0] if packed else None, judged)
            store_lexical_models(connection, language, stored_lexical_models(part.results.table), judged)
        generated = run
        counts = yield from store_generated(store, part, numbers, run)
        reach = Layer({"seeds": "all" if is_whole else "given"}, last_sentence * is_whole, run.id, True)
        _ended(store, language, "candidate", reach, run, counts)
        counts = {name: judging[name] for name in ("exchanges", "candidates", "detected", "labelled")}
        counts["judgements"] = 0
        _ended(store, language, "validity", Layer(OF_VALIDITY, last_sentence, last_import, True), judged, counts)
        if part.results.plan.seeds is None:
            run = _begun(store, "reword", {"language": language})
            counts = yield from store_rewordings(store, part, numbers, run)
            _ended(store, language, "rewording", Layer(OF_REWORDINGS, last_sentence, last_import, True), run, counts)
        yield from _counted(store, language, generated, given.get("seeds"))


def _counted(store: Store, language: str, run: Run, seeds: Sequence[str] | None) -> Job[None]:
    """Tell with the run that generates how many are kept, as it does itself."""
    from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER
    from corpusdb.paraphrase.queries.statistics import kept_counts

    yield Progress("counting what is kept", 0, 0)
    counts = kept_counts(store, language, sentences=seeds)
    with store.write():
        finish_run(store, run, counts | DEFAULT_FILTER.document())


def _begun(store: Store, operation: str, parameters: dict[str, object]) -> Run:
    with store.write():
        return start_run(store, operation, parameters)


def _ended(store: Store, language: str, name: str, layer: Layer, run: Run, counts: dict[str, Any]) -> None:
    with store.write():
        save_layer(store, language, name, layer, run)
        finish_run(store, run, counts)


# A run of the chain on Spark: files are read as the importer reads them, and all else is done by the cluster.


def run_distributed(
    sources: Sequence[Source], request: Request, master: str = "local[*]", settings: Mapping[str, str] | None = None
) -> Job[DistributedReport]:
    """Run the chain on Spark; what is complete in the folder, and was made of the same, is not made again.

    Raises InputError for files and folders that cannot be used, UsageError where the extra or Java is missing, and
    ClusterError for the rest.
    """
    begun = time.monotonic()
    require_spark()
    from corpusdb.cluster.chain import complete_run, run_in  # which need the extra

    with session_for(request.folder, master, settings) as known:
        folder = run_folder(request.folder, known)
        claim_folder(folder)
        with folder.held():
            units = yield from read_units(sources, request, known)
            languages = sorted({each for file in units.document["files"] for each in file["languages"]})
            if request.language not in languages:
                raise InputError(f"no text is in {request.language}, only in {', '.join(languages)}")
            report = complete_run(units, request, known)
            if report is None:
                yield Progress("starting Spark", 0, 0)
                for_units = settings_for(units.rows, settings)
                with started(master, for_units, folder.log) if known is None else nullcontext(known) as session:
                    report = yield from run_in(session, units, request)
                report = replace(report, seconds=round(time.monotonic() - begun, 1))
    return report


@contextmanager
def session_for(
    place: Path | str, master: str | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession | None]:
    """A session where the place is one that Spark alone knows; None for a folder of this machine.

    Raises UsageError where the extra or Java is missing, and for settings where nothing else is done with a cluster and
    no session is needed, and ClusterError.
    """
    require_parquet()
    if not is_address(place):
        if settings and master is None:
            raise UsageError(
                "--conf is for a folder that has an address, such as hdfs://HOST/DIR: others need no Spark"
            )
        yield None
        return
    require_spark()
    folder = Path(mkdtemp(prefix="corpusdb-"))
    with started(master or "local[*]", settings, folder / "spark.log") as session:
        yield session
    rmtree(folder)  # what Spark said of a failure stays


def parquet_sources(files: Sequence[Path], options: Options, format: str | None = None) -> list[Source]:
    """The sources for files of Parquet, which only the extra reads; none where no file is one.

    Languages may be given by any code. Raises UsageError where the extra is missing, some files are Parquet and others
    not, or a format or columns are given, and InputError.
    """
    parquet = [path for path in files if path.suffix.lower() == ".parquet"]
    if not parquet:
        return []
    if len(parquet) < len(files):
        raise UsageError("Parquet files cannot be mixed with others: use two runs, or convert them")
    if format or options.columns:
        raise UsageError("--format and --columns are not for Parquet files, whose columns are named after languages")
    require_spark()
    from corpusdb.cluster.workspace import ParquetSource

    options = replace(options, languages=language_codes(options.languages))
    return [ParquetSource.recognise(path, options) for path in parquet]


def read_units(sources: Sequence[Source], request: Request, session: SparkSession | None = None) -> Job[Manifest]:
    """The units of the files as Parquet; a file that changed since makes all of it anew. Raises InputError."""
    from corpusdb.cluster.workspace import write_units

    folder = run_folder(request.folder, session)
    claim_folder(folder)
    files = [[reading_digest(source), [str(path) for path in source.paths]] for source in sources]
    digest = document_digest([request.collection, files])
    known = is_done(folder, "unit", digest)
    if known is not None:
        return known
    remove_step(folder, "unit")
    begun = time.monotonic()
    checked: list[CheckedSource] = []
    for source in sources:
        checked.append((yield from check_source(source)))
    with folder.filled("unit") as place:
        rows = yield from write_units(sources, place)
    document = {"collection": request.collection, "files": [_described(each) for each in checked]}
    made = Manifest("unit", digest, rows, round(time.monotonic() - begun, 1), document)
    finish(folder, made)
    return made


def _described(checked: CheckedSource) -> dict[str, object]:
    """What `load` tells the importer of a file."""
    told = asdict(checked)
    del told["source"]
    paths = [str(path) for path in checked.source.paths]
    return {**told, "paths": paths, "columns": checked.source.languages}
