"""The folder of a run: the Parquet of its steps, how each is read and written, and rows between Python and Arrow."""

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
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from corpusdb import __version__
from corpusdb.base.arrays import I64
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "Batches",
    "Manifest",
    "Row",
    "Workspace",
    "as_batches",
    "as_rows",
    "check_folder",
    "claim_folder",
    "digest_of",
    "finish",
    "is_done",
    "keep_plan",
    "kept_plan",
    "numbers_of",
    "read_manifest",
    "remove",
    "step_digest",
]


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
        raise InputError("is no folder", path=folder)
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
        raise InputError("is damaged: remove it, and the step is made anew", path=path) from error


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
        """The rows of a complete step."""
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
    return digest_of([__version__, _LAYOUT, name, before])


def is_done(folder: Path, name: str, digest: str) -> Manifest | None:
    """The manifest of a step that was made of this; None where it was not, or is not complete."""
    found = read_manifest(folder, name)
    return found if found is not None and found.digest == digest else None


def remove(folder: Path, name: str) -> None:
    """Remove what there is of a step, the manifest first."""
    (folder / f"{name}.json").unlink(missing_ok=True)
    shutil.rmtree(folder / name, ignore_errors=True)


def finish(folder: Path, found: Manifest) -> None:
    """Note that a step is complete."""
    (folder / found.step / _SUCCESS).touch()
    _write_json(folder / f"{found.step}.json", asdict(found))


def digest_of(document: object) -> str:
    """SHA-256 of a document, in hexadecimal digits."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _location(path: Path) -> str:
    """A path as Spark takes it: nothing in it is quoted, as it would be in an address."""
    return f"file://{path}"


def _spark_schema(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
