"""The commands for the chain on Spark."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from glob import glob
from pathlib import Path
from typing import Annotated, TypeAlias

from corpusdb.base.display import check_name
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Argument, Option, number_of
from corpusdb.base.text import language_code, normalise
from corpusdb.commands.command import CommandGroup, command
from corpusdb.commands.invocation import Invocation

Setting: TypeAlias = Annotated[
    list[str] | None, Option("A setting of Spark, such as spark.executor.memory=4g.", metavar="NAME=VALUE")
]

# The command that runs the chain on Spark.


@dataclass(frozen=True, slots=True)
class SparkRunOptions:
    files: Annotated[
        list[Path], Argument("As `import` takes them, or Parquet; patterns such as 'a*.tsv.gz'.", metavar="BITEXT...")
    ]
    lang: Annotated[
        str,
        Option(
            "The language to paraphrase; if files do not name languages, all of theirs, in order.", metavar="LANG,..."
        ),
    ]
    out: Annotated[
        str, Option("The folder of the run, which all machines see: a path, or hdfs://HOST/DIR.", metavar="DIR")
    ]
    master: Annotated[
        str, Option("The cluster: spark://HOST:PORT, yarn, k8s://..., or local[CORES].", metavar="URL")
    ] = "local[*]"
    order: Annotated[int, Option("N of the filter.", metavar="N", least=0)] = 20
    seeds: Annotated[
        Path | None,
        Option("Only for these sentences, one per line.", metavar="FILE"),
    ] = None
    format: Annotated[str | None, Option("{formats to read}; recognised if not given.", metavar="FORMAT")] = None
    columns: Annotated[
        str | None, Option("The column of each language of --lang, by number from 1 or by name.", metavar="COL,...")
    ] = None
    name: Annotated[str | None, Option("Name of the collection (default: that of the first file).", metavar="NAME")] = (
        None
    )
    partitions: Annotated[int, Option("Number of partitions; 0: by cores and units.", metavar="N", least=0)] = 0
    conf: Setting = None


@command("run")
def run(invocation: Invocation, options: SparkRunOptions) -> None:
    """Run the chain on Spark, from files to judged paraphrases.

    Each step is written to the folder, as Parquet. After an interruption, run the same command again: it continues with
    the step where it stopped, and repeats what depends on changed files or options. No database is touched: `corpusdb
    distributed load` makes one.
    """
    from corpusdb.chain.queries.importing import collection_name
    from corpusdb.cluster.queries import parquet_sources, run_distributed
    from corpusdb.cluster.session import Request
    from corpusdb.corpus.formats.records import Options
    from corpusdb.corpus.formats.registry import open_sources

    if options.name:
        check_name(options.name, "a collection")
    languages = tuple(options.lang.split(","))
    files = _files(options.files)
    reading = Options(languages if len(languages) > 1 else (), _columns(options.columns))
    sources = parquet_sources(files, reading, options.format) or open_sources(options.format, files, reading)
    request = Request(
        language=language_code(languages[0]),
        folder=options.out,
        collection=options.name or collection_name(files[0]),
        seeds=None if options.seeds is None else seed_lines(options.seeds),
        least_order=options.order,
        partitions=options.partitions,
    )
    report = invocation.run(
        run_distributed(sources, request, options.master, _settings(options.conf or [])), goes_on=SAME_COMMAND
    )
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
    from corpusdb.corpus.formats.reading import read_lines

    found = [text for _, line in read_lines(file) if (text := normalise(line))]
    if not found:
        raise InputError("holds no seed", path=file)
    return found


# The command that takes a run of the chain on Spark into a database.


@dataclass(frozen=True, slots=True)
class LoadOptions:
    folder: Annotated[str, Argument("The folder of a complete run.", metavar="DIR")]
    seeds: Annotated[
        list[Path] | None,
        Option("Only what these sentences need, one per line.", metavar="FILE"),
    ] = None
    conf: Setting = None


@command("load")
def load(invocation: Invocation, options: LoadOptions) -> None:
    """Load a run into a new database: all of it, or what some seeds need.

    With --seeds, the database is an extract: the paraphrases of these sentences, and all that explains them, are there
    as in the whole. Commands that need the rest, such as import, generate or accept, refuse to run. Needs no Java,
    unless the folder is an address; --conf is for that.
    """
    from corpusdb.cluster.queries import load as load_run
    from corpusdb.cluster.queries import look_up, session_for

    seeds = None if not options.seeds else [line for file in options.seeds for line in seed_lines(file)]
    with session_for(options.folder, settings=_settings(options.conf or [])) as session:
        wanted = invocation.run(look_up(options.folder, seeds, session))
        with invocation.writing(create=True) as store:
            report = invocation.run(load_run(store, wanted), goes_on=SAME_COMMAND)
    invocation.report(
        asdict(report),
        [
            ("seeds", report.seeds),
            ("seeds that the run did not generate from", report.missing_seeds),
            ("sentences", report.sentences),
            ("translations", report.translations),
            ("candidates", report.candidates),
            ("holds", "an extract" if report.extract else "the whole"),
            ("megabytes", report.megabytes),
            ("seconds", report.seconds),
        ],
    )


# The commands for the chain on Spark under one name.

distributed = CommandGroup(
    "distributed",
    """Generate on Spark, for corpora too large for one machine.

    The rows are those of `corpusdb generate`: run makes them from files, load makes a database, --db, of them. See
    `corpusdb guide cluster`. Both need the extra spark, and run needs Java 17. Both take --quiet and --json.
    """,
    (run, load),
)
