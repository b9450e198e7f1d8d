"""The command that runs the chain on Spark."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from glob import glob
from pathlib import Path
from typing import Annotated

import typer

from corpusdb.bounds import number_of
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.errors import InputError, UsageError

__all__ = ["run"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `distributed run` takes."""

    files: Annotated[
        list[Path],
        typer.Argument(metavar="BITEXT...", help="As `import` takes them, or Parquet; patterns such as 'a*.tsv.gz'."),
    ]
    lang: Annotated[
        str,
        typer.Option(
            metavar="LANG,...",
            help="The language to paraphrase; where files name none, all of theirs, in order.",
        ),
    ]
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the run, which all machines see.")]
    master: Annotated[
        str, typer.Option(metavar="URL", help="The cluster: spark://HOST:PORT, yarn, k8s://..., or local[CORES].")
    ] = "local[*]"
    order: Annotated[
        int, typer.Option(metavar="N", min=0, help="N of the filter by which candidates count as kept.")
    ] = 20
    seeds: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Generate from these sentences only, one on each line.")
    ] = None
    format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="{formats to read}; recognised if not given.")
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(metavar="COL,...", help="The column of each language of --lang, from 1 or by its name."),
    ] = None
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the collection; that of the first file if not given.")
    ] = None
    partitions: Annotated[
        int, typer.Option(metavar="N", min=0, help="Into how many parts rows are divided; 0: by cores and units.")
    ] = 0
    conf: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A setting of Spark, such as spark.executor.memory=4g."),
    ] = None


@command("run")
def run(invocation: Invocation, options: RunOptions) -> None:
    """Run the chain on Spark, from files to judged paraphrases.

    The folder gets a step after the other, as Parquet. After an interruption the same command goes on with the step in
    which it was stopped; where files or options changed, it makes anew what depends on them. No database is touched:
    `corpusdb distributed load` makes one.
    """
    from corpusdb.formats.opening import open_sources
    from corpusdb.formats.records import Options
    from corpusdb.queries.chain.importing import collection_name
    from corpusdb.queries.distributed.running import Request, parquet_sources, run_distributed

    languages = tuple(options.lang.split(","))
    files = _files(options.files)
    reading = Options(languages if len(languages) > 1 else (), _columns(options.columns))
    sources = parquet_sources(files, reading) or open_sources(options.format, files, reading)
    request = Request(
        language=_code(languages[0]),
        folder=options.out,
        collection=options.name or collection_name(files[0]),
        seeds=None if options.seeds is None else seed_lines(options.seeds),
        least_order=options.order,
        partitions=options.partitions,
    )
    report = invocation.run(run_distributed(sources, request, options.master, _settings(options.conf or [])))
    invocation.report(
        asdict(report),
        [
            ("lines read", report.units),
            ("sentences", report.sentences),
            ("detected pairs", report.paraphrases),
            ("translations left out, of too many sentences", report.left_out),
            ("contexts too common to use", report.too_common),
            ("fingerprints of several fillers", report.collisions),
            ("commutations that were asked for", report.commutations),
            ("candidates", report.candidates),
            (f"of these with N = {options.order} or more", report.kept),
            ("seeds with candidates", report.seeds),
            ("seeds that are no sentences here", report.missing_seeds),
            ("seconds", report.seconds),
        ],
    )


def _code(language: str) -> str:
    from corpusdb.languages import language_code

    return language_code(language)


def _files(given: list[Path]) -> list[Path]:
    """The files that names and patterns stand for. Raises InputError for a pattern that no file has."""
    found: list[Path] = []
    for each in given:
        matching = [each] if each.exists() or not set("*?[") & set(str(each)) else sorted(map(Path, glob(str(each))))
        if not matching:
            raise InputError("no file has such a name", path=each)
        found += matching
    return found


def _columns(given: str | None) -> tuple[int, ...] | tuple[str, ...] | None:
    columns = tuple(given.split(",")) if given else None
    if columns and all(column.isdecimal() for column in columns):
        return tuple(map(number_of, columns))
    return columns


def _settings(given: list[str]) -> dict[str, str]:
    parts = [each.partition("=") for each in given]
    for name, sign, _ in parts:
        if not sign or not name.startswith("spark."):
            raise UsageError(f"--conf takes a setting as spark.NAME=VALUE, not {name!r}")
    return {name: value for name, _, value in parts}


def seed_lines(file: Path) -> list[str]:
    """The texts of a file of seeds, normalised. Raises InputError where it has none."""
    from corpusdb.formats.files.reading import read_lines
    from corpusdb.text import normalise

    found = [text for _, line in read_lines(file) if (text := normalise(line))]
    if not found:
        raise InputError("holds no seed", path=file)
    return found
