"""The folder of a run: the Parquet of its steps, how each is read and written, and the units of the files."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from corpusdb import __version__
from corpusdb.base.arrays import I64
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.formats import Record, Source
from corpusdb.corpus.formats.columns import language_of_heading
from corpusdb.corpus.formats.reading import digest_of
from corpusdb.corpus.formats.records import Document, Item, Options, Rejected, Version, aligned_unit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Rows of Python from columns of Arrow and back, for the functions that run on the workers.

Batches: TypeAlias = Iterator[pa.RecordBatch]
Row: TypeAlias = tuple[Any, ...]

_ROWS_AT_ONCE = 10_000


def as_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """The rows of batches, one after the other: what stands together in a partition goes on from batch to batch."""
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def as_batches(rows: Iterable[Row], schema: pa.Schema) -> Batches:
    """Rows as batches of these columns."""
    waiting = iter(rows)
    while part := list(islice(waiting, _ROWS_AT_ONCE)):
        columns = zip(*part, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def numbers_of(column: pa.ChunkedArray) -> I64:
    """A column of whole numbers, none of them missing."""
    return np.asarray(column.to_numpy(), dtype=np.int64)


# The folder of a run: the Parquet of its steps, what each was made of, and how a step is read and written.

_OWN: Final = "corpusdb-distributed.json"
_PLAN: Final = "plan.json"
_SUCCESS: Final = "_SUCCESS"
_LAYOUT: Final = 1
"""Raised when steps or their columns change."""
_GLOB: Final = re.compile(r"([{}\[\]*?\\])")
"""What Spark takes for a pattern in the name of what it reads."""
_SECONDS_BETWEEN_LOOKS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a complete step was made of, and what it gave."""

    step: str
    digest: str
    """Of the program, the settings and the digests of the steps before."""
    rows: int
    seconds: float
    document: Mapping[str, Any] = field(default_factory=dict)


def claim_folder(folder: Path) -> None:
    """Make the folder of a run, or take up the one there is. Raises InputError for a folder that is not one of ours."""
    own = folder / _OWN
    if not folder.exists():
        folder.mkdir(parents=True)
    if not folder.is_dir():
        raise InputError("is not a folder", path=folder)
    if not own.exists():
        if any(folder.iterdir()):
            raise InputError(
                "holds other files, and is not the folder of a distributed run: name a new one", path=folder
            )
        _write_json(own, {"corpusdb": __version__, "layout": _LAYOUT})
    check_folder(folder)


def check_folder(folder: Path) -> None:
    """Raise InputError for what is not the folder of a run, or one of another version."""
    own = folder / _OWN
    if not own.is_file():
        raise InputError("is not the folder of a distributed run", path=folder)
    try:
        told = json.loads(own.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError("is damaged", path=own) from error
    made = (told.get("corpusdb"), told.get("layout")) if isinstance(told, dict) else (None, None)
    if made != (__version__, _LAYOUT):
        raise InputError(f"was made by corpusdb {made[0]}, and this is {__version__}: name a new folder", path=folder)


def read_manifest(folder: Path, step: str) -> Manifest | None:
    """What is known of a step; None where it is not complete."""
    path = folder / f"{step}.json"
    if not path.is_file() or not (folder / step / _SUCCESS).exists():
        return None
    try:
        return Manifest(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError("is damaged: remove it, and the step is done again", path=path) from error


def keep_plan(folder: Path, plan: Mapping[str, Any]) -> None:
    """Note what the run in a folder was made of."""
    _write_json(folder / _PLAN, plan)


def kept_plan(folder: Path) -> dict[str, Any] | None:
    """What was noted; None where no run was complete."""
    path = folder / _PLAN
    if not path.is_file():
        return None
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError("is damaged: run it again", path=path) from error


def _write_json(path: Path, document: object) -> None:
    """Write it under another name first, so that it is there whole or not at all."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


@dataclass
class Workspace:
    """A run on its folder."""

    spark: SparkSession
    folder: Path
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
        place = self.folder / step
        reader, files = self.spark.read, sorted(place.glob("*.parquet")) if place.is_dir() else [place]
        if files:  # Spark would start a job to find this out, for every look at a step
            reader = reader.schema(_spark_schema(pq.read_schema(files[0])))
        return reader.parquet(_GLOB.sub(r"\\\1", _location(place)))

    def table(self, step: str, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of a complete step in the memory of the driver."""
        return pq.read_table(self.folder / step, columns=None if columns is None else list(columns))

    def seeds(self) -> DataFrame | None:
        """The sentences that are generated from, by their numbers; None for all."""
        if self.seed_texts is None:
            return None
        texts = self.spark.createDataFrame([(text,) for text in self.seed_texts], "text string")
        return self.read("sentence").join(texts, "text", "left_semi").select("sentence")

    def apply(
        self, rows: DataFrame, function: Callable[[Batches], Batches], schema: pa.Schema, *, partitions: int = 0
    ) -> DataFrame:
        """What a function makes of rows, in any order; divided by their first column."""
        divided = rows.repartition(partitions or self.partitions, rows.columns[0])
        return divided.mapInArrow(function, _spark_schema(schema))

    def apply_by(
        self, rows: DataFrame, keys: Sequence[str], function: Callable[[Batches], Batches], schema: pa.Schema
    ) -> DataFrame:
        """The same of rows that stand together by the first of their keys, in the order of all of them."""
        divided = rows.repartition(self.partitions, keys[0]).sortWithinPartitions(*keys)
        return divided.mapInArrow(function, _spark_schema(schema))

    def write(self, name: str, rows: DataFrame) -> Job[None]:
        """Write the rows of a step; its tasks are counted as they end, and stopped when the caller stops."""
        tracker = self.spark.sparkContext.statusTracker()
        with ThreadPoolExecutor(max_workers=1) as writing:
            job = writing.submit(rows.write.mode("overwrite").parquet, _location(self.folder / name))
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
        return sum(pq.ParquetFile(path).metadata.num_rows for path in sorted((self.folder / name).glob("*.parquet")))


def step_digest(name: str, before: str) -> str:
    """Of what a step is made of: the program, and the steps before it with their settings."""
    return document_digest([__version__, _LAYOUT, name, before])


def is_done(folder: Path, name: str, digest: str) -> Manifest | None:
    """The manifest of a step that was made of this; None where it was not, or is not complete."""
    found = read_manifest(folder, name)
    return found if found is not None and found.digest == digest else None


def remove(folder: Path, name: str) -> None:
    """Remove what there is of a step, the manifest first."""
    (folder / f"{name}.json").unlink(missing_ok=True)
    shutil.rmtree(folder / name, ignore_errors=True)


def finish(folder: Path, found: Manifest) -> None:
    (folder / found.step / _SUCCESS).touch()
    _write_json(folder / f"{found.step}.json", asdict(found))


def document_digest(document: object) -> str:
    """SHA-256 of a document, in hexadecimal digits."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _location(path: Path) -> str:
    """A path as Spark takes it: nothing in it is quoted, as it would be in an address."""
    return f"file://{path}"


def _spark_schema(schema: pa.Schema) -> Any:
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
    folder.mkdir(parents=True)
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
