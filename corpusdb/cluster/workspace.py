"""The steps of a run, how each is read and written, the units of the files, and rows divided among tasks in columns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from corpusdb.base.arrays import I64, U64
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.ngrams import combined, mixed
from corpusdb.cluster.folder import RunFolder
from corpusdb.cluster.mapped import Mapped, Row, Texts, columns, numbers_of
from corpusdb.corpus.formats import Record, Source
from corpusdb.corpus.formats.columns import language_of_heading
from corpusdb.corpus.formats.reading import digest_of
from corpusdb.corpus.formats.records import Document, Item, Options, Rejected, Version, aligned_unit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# Rows of Python from columns of Arrow and back, for the functions that run on the workers.

Batches: TypeAlias = Iterator[pa.RecordBatch]

_ROWS_AT_ONCE = 10_000


Renumbering: TypeAlias = Mapping[str, Callable[[I64], I64]]
"""For some columns of whole numbers what makes others of them."""


def as_rows(batches: Iterable[pa.RecordBatch], renumbered: Renumbering | None = None) -> Iterator[Row]:
    """The rows of batches, one after the other: what stands together in a partition goes on from batch to batch."""
    other = renumbered or {}
    for batch in batches:
        named = zip(batch.schema.names, batch.columns, strict=True)
        columns = (other[name](np.asarray(it)).tolist() if name in other else it.to_pylist() for name, it in named)
        yield from zip(*columns, strict=True)


def as_batches(rows: Iterable[Row], schema: pa.Schema) -> Batches:
    """Rows as batches of these columns."""
    waiting = iter(rows)
    while part := list(islice(waiting, _ROWS_AT_ONCE)):
        columns = zip(*part, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


# A run on its folder: how its steps are read and written.

_GLOB: Final = re.compile(r"([{}\[\]*?\\])")
"""What Spark takes for a pattern in the name of what it reads."""
_SECONDS_BETWEEN_LOOKS: Final = 0.5


@dataclass
class Workspace:
    """A run on its folder."""

    spark: SparkSession
    folder: RunFolder
    language: str
    partitions: int
    """Into how many parts rows are divided for the functions of Python."""
    seed_texts: Sequence[str] | None = None
    """The sentences that are generated from; None for all."""

    def __post_init__(self) -> None:
        self.spark.conf.set("spark.sql.shuffle.partitions", str(self.partitions))

    @property
    def cores(self) -> int:
        """How many tasks run at a time."""
        return max(1, int(self.spark.sparkContext.defaultParallelism))

    def read(self, step: str) -> DataFrame:
        reader, files = self.spark.read, self.folder.files_here(step)
        if files:  # Spark would start a job to find this out, for every look at a step
            reader = reader.schema(spark_schema(pq.read_schema(files[0])))
        return reader.parquet(_GLOB.sub(r"\\\1", self.folder.location(step)))

    def table(
        self, step: str, columns: Sequence[str] | None = None, chosen: pa.compute.Expression | None = None
    ) -> pa.Table:
        """The rows of a complete step in the memory of the driver; ``chosen``: for which an expression is true."""
        names = None if columns is None else list(columns)
        return pq.read_table(self.folder.files(step), columns=names, filters=chosen)

    def mapped(self, step: str) -> Mapped:
        """The files of a step for functions that run on the workers."""
        return Mapped(*self.folder.on_workers(step))

    def texts(self) -> Texts:
        """The sentences for functions that run on the workers."""
        return Texts(self.mapped("text"))

    def seeds(self) -> DataFrame | None:
        """The sentences that are generated from, by their numbers, in a column ``seed``; None for all."""
        if self.seed_texts is None:
            return None
        texts = self.spark.createDataFrame([(text,) for text in self.seed_texts], "text string")
        return self.read("sentence").join(texts, "text", "left_semi").selectExpr("sentence as seed")

    def apply(
        self, rows: DataFrame, function: Callable[[Batches], Batches], schema: pa.Schema, *, partitions: int = 0
    ) -> DataFrame:
        """What a function makes of rows, in any order; divided by their first column."""
        divided = rows.repartition(partitions or self.partitions, rows.columns[0])
        return divided.mapInArrow(function, spark_schema(schema))

    def apply_by(
        self, rows: DataFrame, keys: Sequence[str], function: Callable[[Batches], Batches], schema: pa.Schema
    ) -> DataFrame:
        """The same of rows that stand together by the first of their keys, in the order of all of them."""
        divided = rows.repartition(self.partitions, keys[0]).sortWithinPartitions(*keys)
        return divided.mapInArrow(function, spark_schema(schema))

    def write(self, name: str, rows: DataFrame) -> Job[None]:
        """Write the rows of a step; its tasks are counted as they end, and stopped when the caller stops."""
        tracker = self.spark.sparkContext.statusTracker()

        def written() -> None:
            self.spark.sparkContext.setJobDescription(name)  # of a thread: what Spark's own pages call it
            rows.write.mode("overwrite").parquet(self.folder.location(name))

        with ThreadPoolExecutor(max_workers=1) as writing:
            job = writing.submit(written)
            try:
                while not wait([job], _SECONDS_BETWEEN_LOOKS).done:
                    stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
                    known = [stage for stage in stages if stage is not None]
                    done = sum(stage.numCompletedTasks for stage in known)
                    yield Progress(f"tasks of {name}", done, sum(stage.numTasks for stage in known))
            except BaseException:
                self.spark.sparkContext.cancelAllJobs()
                raise
            job.result()

    def count(self, name: str) -> int:
        """How many rows a step has, as its files say."""
        files = self.folder.files_here(name)
        return sum(pq.ParquetFile(path).metadata.num_rows for path in files) if files else self.read(name).count()


def spark_schema(schema: pa.Schema) -> Any:
    """The same columns as Spark calls them."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


# Aligned units in Parquet: what the importer reads from files, with the numbers by which Spark knows them. Formats are
# read by one process, as the importer reads them, so that every rule by which a line is rejected is its own; what
# follows is read from Parquet by all workers.

_UNITS_A_FILE: Final = 100_000
UNITS: Final = pa.schema(
    [
        ("unit", pa.int64()),  # from 0, through all files
        ("file", pa.int32()),
        ("line", pa.int64()),
        ("texts", pa.list_(pa.string())),  # as they stand in the file; null where one is missing
        ("languages", pa.list_(pa.string())),
        ("name", pa.string()),
        ("document", pa.string()),  # JSON
        ("versions", pa.string()),  # JSON
        ("rejected", pa.string()),  # the reason; then nothing else is there
    ]
)


def write_units(sources: Iterable[Source], folder: Path) -> Job[int]:
    """Write the units of all sources into a folder; how many items these are, rejected lines too."""
    done = 0
    for file, source in enumerate(sources):
        items = source.items()
        while part := list(islice(items, _UNITS_A_FILE)):
            rows = [_row(number, file, item, source.languages) for number, item in enumerate(part, done)]
            table = pa.Table.from_batches(as_batches(rows, UNITS), UNITS)
            pq.write_table(table, folder / f"part-{done:012}.parquet")
            done += len(part)
            yield Progress("reading lines", done, 0)
    return done


def _row(number: int, file: int, item: Item, columns: tuple[str, ...]) -> Row:
    if isinstance(item, Rejected):
        return (number, file, item.line, None, None, None, None, None, item.reason)
    document = None if item.document is None else json.dumps(asdict(item.document), ensure_ascii=False)
    versions = json.dumps([asdict(each) for each in item.versions], ensure_ascii=False) if item.versions else None
    languages = list(item.languages or columns)
    return (number, file, item.line, list(item.texts), languages, item.name or None, document, versions, None)


def read_items(tables: Iterable[pa.RecordBatch]) -> Iterator[Item]:
    """The units again, as the source had them, from the rows of one file; what it knew of tokens is left out."""
    for _, _, line, texts, languages, name, document, versions, rejected in as_rows(tables):
        if rejected is not None:
            yield Rejected(line, rejected)
            continue
        yield Record(
            line,
            tuple(texts),
            tuple(languages),
            name or "",
            _document(json.loads(document)) if document else None,
            tuple(Version(**each) for each in json.loads(versions)) if versions else (),
        )


def _document(told: dict[str, Any]) -> Document:
    return Document(told["name"], tuple((name, value) for name, value in told["attributes"]))


# Parquet files of aligned texts: columns whose names are languages, by any code or English name, hold the texts; or one
# column ``translation`` does, a structure whose fields are languages, as in the data sets of Hugging Face. Others are
# passed over.

_NESTED: Final = "translation"
_UNITS_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class ParquetSource:
    """One file with a row for each unit; a record's line is the number of its row, from 1.

    ``languages`` are chosen, in their order. The rows are held a group at a time.
    """

    path: Path
    options: Options
    columns: tuple[str, ...]
    """What holds the texts of each language: the name of a column, or of a field of ``translation``."""

    @classmethod
    def recognise(cls, path: Path, options: Options) -> Self:
        """The source for a file. Raises InputError where it is no Parquet, or lacks texts in two languages."""
        found: dict[str, str] = {}
        for name in _text_columns(_opened(path).schema_arrow):
            language = language_of_heading(name)
            if language is not None and found.setdefault(language, name) != name:
                raise InputError(f"the columns {found[language]} and {name} are both {language}", path=path)
        wanted = options.languages or tuple(found)
        for language in wanted:
            if language not in found:
                raise InputError(f"no column of texts is {language}; there are {_listed(found)}", path=path)
        if len(wanted) < 2:
            raise InputError(f"columns of texts in two languages are needed; there are {_listed(found)}", path=path)
        return cls(path, Options(languages=wanted), tuple(found[language] for language in wanted))

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def languages(self) -> tuple[str, ...]:
        return self.options.languages

    def digest(self) -> str:
        return digest_of(self.paths)

    def items(self) -> Iterator[Item]:
        file = _opened(self.path)
        is_nested = _NESTED in file.schema_arrow.names and not set(self.columns) <= set(file.schema_arrow.names)
        places = [f"column {name} ({code})" for name, code in zip(self.columns, self.languages, strict=True)]
        line = 0
        try:
            for batch in file.iter_batches(_UNITS_AT_ONCE, columns=[_NESTED] if is_nested else list(self.columns)):
                held = pa.Table.from_batches([batch])
                names = [field.name for field in held.schema.field(0).type] if is_nested else []
                texts = held.flatten().rename_columns(names) if is_nested else held
                for row in zip(*(texts[name].to_pylist() for name in self.columns), strict=True):
                    line += 1
                    yield _unit(line, row, places)
        except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read behind row {line}: {_first_line(error)}", path=self.path) from error


def _unit(line: int, texts: Sequence[str | None], places: Sequence[str]) -> Item:
    if not any(texts):
        return Rejected(line, "has no text")
    if any("\0" in text for text in texts if text):
        return Rejected(line, "has a NUL")
    return aligned_unit(line, tuple(text or "" for text in texts), places)


def _opened(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise InputError("no such file", path=path) from error
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"is not a Parquet file that can be read: {_first_line(error)}", path=path) from error


def _text_columns(schema: pa.Schema) -> list[str]:
    """The names of what holds texts; not of numbers, as a column ``id`` has, which would be Indonesian."""
    fields = list(schema)
    if _NESTED in schema.names and pa.types.is_struct(schema.field(_NESTED).type):
        fields = list(schema.field(_NESTED).type)
    return [field.name for field in fields if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]


def _listed(found: dict[str, str]) -> str:
    return ", ".join(f"{name} ({language})" for language, name in found.items()) or "none"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


# Rows divided among tasks in columns.
#
# Spark moves rows one by one, and sorts them to bring equal keys together, which would be most of what the chain
# costs. Here each task divides columns by itself, and Spark moves what comes of it, thousands of rows as one value.
# The task that gets a part has all rows of it in arrays, and looks there for what belongs together.

Sorted: TypeAlias = Iterator[tuple[int, pa.RecordBatch]]
"""Rows, each batch with the place of its kind in a division."""

_MOST_ROWS_HELD: Final = 1 << 18
"""So many rows of a kind a task holds before it divides them."""
_MOVED: Final = columns("part int32, kind int32, rows binary")


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of these columns, divided by one of them, a whole number, or by two, whichever comes first."""

    schema: pa.Schema
    keys: tuple[str, ...]

    def parts(self, rows: pa.Table, parts: int) -> I64:
        """In which part each row is."""
        keys = [numbers_of(rows[name]).view(np.uint64) for name in self.keys]
        prints: U64 = mixed(keys[0]) if len(keys) == 1 else combined(np.minimum(*keys), np.maximum(*keys))
        return (prints % np.uint64(parts)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Division:
    """Rows of some kinds in so many parts: those that have the same keys are in one part."""

    kinds: tuple[Kind, ...]
    parts: int

    def of(self, *sources: tuple[DataFrame, Callable[[Batches], Sorted]]) -> DataFrame:
        """Rows by parts, as Spark moves them: what functions make of the rows of each of some sources."""
        first, *others = (self.divided(*source) for source in sources)
        for each in others:
            first = first.union(each)
        return self.parts_of(first)

    def divided(self, rows: DataFrame, function: Callable[[Batches], Sorted]) -> DataFrame:
        """What a function makes of rows, as Spark moves it, before it does; it can be kept so."""
        return rows.mapInArrow(partial(_divided, self, function), spark_schema(_MOVED))

    def parts_of(self, divided: DataFrame) -> DataFrame:
        """The same by parts, also where it was kept in more parts or fewer: what was in one part still is."""
        return divided.repartitionById(self.parts, "part")

    def each(self, function: Callable[..., Iterator[Any]]) -> Callable[[Batches], Iterator[Any]]:
        """The function of a task, which is given a table of each kind, maybe an empty one."""
        return partial(_whole, self, function)


def of_kind(kind: int, batches: Batches) -> Sorted:
    """All of the rows are of one kind."""
    return ((kind, batch) for batch in batches)


def _divided(division: Division, function: Callable[[Batches], Sorted], batches: Batches) -> Batches:
    waiting: list[list[pa.RecordBatch]] = [[] for _ in division.kinds]
    for kind, batch in function(batches):
        waiting[kind].append(batch)
        if sum(each.num_rows for each in waiting[kind]) >= _MOST_ROWS_HELD:
            yield _by_part(division, kind, waiting[kind])
            waiting[kind] = []
    for kind, some in enumerate(waiting):
        if any(each.num_rows for each in some):
            yield _by_part(division, kind, some)


def _by_part(division: Division, number: int, batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    kind = division.kinds[number]
    alike = [pa.RecordBatch.from_arrays(each.columns, schema=kind.schema) for each in batches]
    rows = pa.Table.from_batches(alike).combine_chunks()
    part = kind.parts(rows, division.parts)
    order = np.argsort(part, kind="stable")
    present, begins = np.unique(part[order], return_index=True)
    (ordered,) = rows.take(pa.array(order)).combine_chunks().to_batches()
    sizes = np.diff(begins, append=len(order))
    places = zip(begins.tolist(), sizes.tolist(), strict=True)
    values = [ordered.slice(begin, size).serialize().to_pybytes() for begin, size in places]
    moved = present.astype(np.int32), np.full(len(present), number, dtype=np.int32), values
    arrays = [pa.array(column, field.type) for column, field in zip(moved, _MOVED, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_MOVED)


def _whole(division: Division, function: Callable[..., Iterator[Any]], batches: Batches) -> Iterator[Any]:
    held: list[list[pa.RecordBatch]] = [[] for _ in division.kinds]
    for batch in batches:
        for kind, rows in zip(batch.column(1).to_pylist(), batch.column(2), strict=True):
            held[kind].append(pa.ipc.read_record_batch(rows.as_buffer(), division.kinds[kind].schema))
    tables = (pa.Table.from_batches(some, kind.schema) for some, kind in zip(held, division.kinds, strict=True))
    yield from function(*tables)
