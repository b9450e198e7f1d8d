"""The commands for what the corpus is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.output import Cell, write_json, write_line, write_table
from corpusdb.cli.registration import command
from corpusdb.cli.session import Session
from corpusdb.errors import UsageError
from corpusdb.model import ImportReport

if TYPE_CHECKING:
    from corpusdb.formats import Source
    from corpusdb.queries.overview import LayerOverview, Overview

__all__ = ["import_files", "info"]

_SHOWN_LINES = 10


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What `import` takes."""

    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="The files of one collection; - is stdin.")]
    lang: Annotated[str, typer.Option(metavar="LANG,...", help="Their languages in order, such as eng,fra.")] = ""
    format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="tsv, moses, tatoeba ...; recognised if not given.")
    ] = None
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the collection; that of the first file if not given.")
    ] = None
    columns: Annotated[
        str | None, typer.Option(metavar="COL,...", help="tsv: the column of each language, from 1 or by its name.")
    ] = None
    header: Annotated[
        Literal["auto", "yes", "no"], typer.Option(help="tsv: whether the first line names the columns.")
    ] = "auto"
    licence: Annotated[str | None, typer.Option(metavar="TEXT", help="Licence of the collection.")] = None
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Bring derived paraphrases up to date afterwards.")
    ] = True


@command("import")
def import_files(session: Session, options: ImportOptions) -> None:
    """Import aligned texts; makes the database if there is none.

    All files are checked before the database is touched. Several tab-separated files are read one after the other
    into the same collection; parallel files (moses) and the files of a Tatoeba export belong together. Files that
    were imported before, read the same way, add nothing.
    """
    from corpusdb.queries.ingest import check_source, import_source
    from corpusdb.queries.pipeline import follow

    checked = [session.run(check_source(source)) for source in _sources(options)]
    collection = options.name or _collection_name(options.files[0])
    with session.writing(create=True) as store:
        jobs = (import_source(store, source, collection, options.licence) for source in checked)
        report = _total([session.run(job) for job in jobs])
        if options.follow:
            session.run(follow(store))
    for name in report.unchanged:
        session.say(f"{name}: was imported before; nothing to do")
    for file, line, reason in report.first_rejected:
        session.say(f"left out: {file}:{line}: {reason}")
    if report.rejected > len(report.first_rejected) > 0:
        session.say(f"left out: {report.rejected - len(report.first_rejected):,} more lines")
    for file, line in report.first_duplicates:
        session.say(f"there already: {file}:{line}")
    if report.duplicates > len(report.first_duplicates) > 0:
        session.say(f"there already: {report.duplicates - len(report.first_duplicates):,} more pairs")
    session.report({"collection": collection} | asdict(report), _figures(report))


def _sources(options: ImportOptions) -> list[Source]:
    """The files as sources: each tab-separated file is one, files of any other format are one together."""
    from corpusdb.formats import Options, open_source

    columns = tuple(options.columns.split(",")) if options.columns else None
    reading = Options(
        languages=tuple(options.lang.split(",")) if options.lang else (),
        columns=tuple(map(int, columns)) if columns and all(column.isdecimal() for column in columns) else columns,
        header=options.header,
    )
    try:
        return [open_source(options.format, options.files, reading)]
    except UsageError:
        if options.format not in (None, "tsv") or not _are_tables(options.files):
            raise
    return [open_source("tsv", [file], reading) for file in options.files]


def _are_tables(files: Sequence[Path]) -> bool:
    """Whether these are several files of tab-separated text, and not meant as a Tatoeba export."""
    from corpusdb.formats.lines import first_line
    from corpusdb.formats.tatoeba import holds_links

    return (
        len(files) > 1
        and all("\t" in first_line(file) for file in files)
        and not any(holds_links(file) for file in files)
    )


def _collection_name(file: Path) -> str:
    """corpus for corpus.tsv, corpus.en.gz and corpus.fr.txt."""
    if file == Path("-"):
        return "stdin"
    name = file.name
    for extension in (".gz", ".txt"):
        name = name.removesuffix(extension)
    return Path(name).stem


def _total(reports: Sequence[ImportReport]) -> ImportReport:
    return ImportReport(
        read=sum(report.read for report in reports),
        sentences=sum(report.sentences for report in reports),
        translations=sum(report.translations for report in reports),
        duplicates=sum(report.duplicates for report in reports),
        rejected=sum(report.rejected for report in reports),
        seconds=sum(report.seconds for report in reports),
        first_rejected=tuple(line for report in reports for line in report.first_rejected)[:_SHOWN_LINES],
        first_duplicates=tuple(line for report in reports for line in report.first_duplicates)[:_SHOWN_LINES],
        unchanged=tuple(name for report in reports for name in report.unchanged),
    )


def _figures(report: ImportReport) -> list[tuple[str, Cell]]:
    return [
        ("units read", report.read),
        ("new sentences", report.sentences),
        ("new translations", report.translations),
        ("translations that were there", report.duplicates),
        ("lines left out", report.rejected),
        ("seconds", round(report.seconds, 1)),
    ]


@dataclass(frozen=True, slots=True)
class InfoOptions:
    """What `info` takes."""

    sizes: Annotated[bool, typer.Option("--sizes", help="Also the size of each table, for which all is read.")] = False


@command("info")
def info(session: Session, options: InfoOptions) -> None:
    """Show what the database holds."""
    from corpusdb.queries.overview import overview

    with session.reading() as store:
        found = overview(store, sizes=options.sizes)
    if session.json:
        write_json(found)
        return
    write_line(f"{found.path}: {found.size / 1e6:,.1f} MB, schema {found.schema_version}, journal {found.journal_mode}")
    for columns, rows in _sections(found):
        if rows:
            write_line()
            write_table(columns, rows)


def _sections(found: Overview) -> Iterator[tuple[tuple[str, ...], list[tuple[Cell, ...]]]]:
    """Each part of the overview as the names of its columns and its rows."""
    yield (
        ("collection", "documents", "units", "licence"),
        [(each.name, each.documents, each.lines, each.licence) for each in found.collections],
    )
    yield (
        ("language", "sentences", "characters", "occurrences", "translations", "derived"),
        [
            (each.code, each.sentences, each.characters, each.occurrences, each.translations, _derived(each.layers))
            for each in found.languages
        ],
    )
    yield ("derived", "rows"), [(name, count) for name, count in asdict(found.counts).items() if count]
    yield (
        ("run", "operation", "started", "finished", "counts"),
        [(each.id, each.operation, each.started, each.finished, _counts(each.counts)) for each in found.runs],
    )
    yield ("table", "bytes"), list((found.sizes or {}).items())


def _derived(layers: Sequence[LayerOverview]) -> str:
    """The layers of a language with their state, those of one state together."""
    states: dict[str, list[str]] = {}
    for layer in layers:
        state = f"behind by {layer.behind:,}" if layer.state == "behind" else layer.state
        states.setdefault(state, []).append(layer.name)
    return "; ".join(f"{', '.join(names)}: {state}" for state, names in states.items())


def _counts(counts: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in counts.items()
    )
