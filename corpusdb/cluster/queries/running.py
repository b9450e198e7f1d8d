"""A run of the chain on Spark: files are read as the importer reads them, and all else is done by the cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.chain.queries.importing import CheckedSource, check_source, reading_digests
from corpusdb.cluster.request import DistributedReport, Request
from corpusdb.corpus.formats import Source
from corpusdb.corpus.formats.records import Options

if TYPE_CHECKING:
    from corpusdb.cluster.workspace import Manifest

__all__ = ["DistributedReport", "Request", "parquet_sources", "read_units", "run_distributed"]


def run_distributed(
    sources: Sequence[Source], request: Request, master: str = "local[*]", settings: Mapping[str, str] | None = None
) -> Job[DistributedReport]:
    """Run the chain on Spark; what is complete in the folder, and was made of the same, is not made again.

    Raises InputError for files and folders that cannot be used, UsageError where the extra or Java is missing, and
    ClusterError for the rest.
    """
    from corpusdb.cluster.session import Cluster, require_spark, started

    begun = time.monotonic()
    require_spark()
    from corpusdb.cluster.chain import complete_run, run_in  # which need the extra

    units = yield from read_units(sources, request)
    if (known := complete_run(units, request)) is not None:
        return known
    yield Progress("starting Spark", 0, 0)
    with started(Cluster(master, settings), request.folder.resolve() / "spark.log") as session:
        report = yield from run_in(session, units, request)
    return replace(report, seconds=round(time.monotonic() - begun, 1))


def parquet_sources(files: Sequence[Path], options: Options) -> list[Source]:
    """The sources for files of Parquet, which only the extra reads; none where no file is one.

    Raises UsageError where the extra is missing, or some files are Parquet and others not, and InputError.
    """
    from corpusdb.cluster.session import require_spark

    parquet = [path for path in files if path.suffix.lower() == ".parquet"]
    if not parquet:
        return []
    if len(parquet) < len(files):
        raise UsageError("files of Parquet and others are two runs, or one after they were made alike")
    require_spark()
    from corpusdb.cluster.units import ParquetSource

    return [ParquetSource.recognise(path, options) for path in parquet]


def read_units(sources: Sequence[Source], request: Request) -> Job[Manifest]:
    """The units of the files as Parquet; a file that changed since makes all of it anew. Raises InputError."""
    from corpusdb.cluster.units import write_units
    from corpusdb.cluster.workspace import Manifest, claim_folder, digest_of, finish, is_done, remove

    claim_folder(request.folder)
    files = [[*reading_digests(source), [str(path) for path in source.paths]] for source in sources]
    digest = digest_of([request.collection, files])
    known = is_done(request.folder, "unit", digest)
    if known is not None:
        return known
    remove(request.folder, "unit")
    begun = time.monotonic()
    checked: list[CheckedSource] = []
    for source in sources:
        checked.append((yield from check_source(source)))
    rows = yield from write_units(sources, request.folder / "unit")
    document = {"collection": request.collection, "files": [_described(each) for each in checked]}
    made = Manifest("unit", digest, rows, round(time.monotonic() - begun, 1), document)
    finish(request.folder, made)
    return made


def _described(checked: CheckedSource) -> dict[str, object]:
    """What `load` tells the importer of a file."""
    told = asdict(checked)
    del told["source"]
    paths = [str(path) for path in checked.source.paths]
    return {**told, "paths": paths, "columns": checked.source.languages}
