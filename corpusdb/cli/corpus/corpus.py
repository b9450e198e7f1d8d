"""The commands for what the corpus is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.bounds import number_of
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json, write_line, write_table
from corpusdb.display import check_name
from corpusdb.model import ImportReport

if TYPE_CHECKING:
    from corpusdb.formats import Source
    from corpusdb.queries.database.overview import LayerOverview, Overview

__all__ = ["import_files", "info"]


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What `import` takes."""

    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="The files of one collection; - is stdin.")]
    lang: Annotated[str, typer.Option(metavar="LANG,...", help="Their languages in order, such as eng,fra.")] = ""
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="tsv, csv, jsonl, moses, tatoeba, tmx, wmt or sgm; recognised if not given."
        ),
    ] = None
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the collection; that of the first file if not given.")
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(metavar="COL,...", help="tsv, csv: the column of each language, from 1 or by its name."),
    ] = None
    header: Annotated[
        Literal["auto", "yes", "no"], typer.Option(help="tsv, csv: whether the first line names the columns.")
    ] = "auto"
    systems: Annotated[bool, typer.Option("--systems", help="wmt, sgm: also the output of the systems.")] = False
    licence: Annotated[str | None, typer.Option(metavar="TEXT", help="Licence of the collection.")] = None
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Bring derived paraphrases up to date afterwards.")
    ] = True


@command("import")
def import_files(invocation: Invocation, options: ImportOptions) -> None:
    """Import aligned texts; makes the database if there is none.

    All files are checked before the database is touched. Several files are read one after the other into the same
    collection; parallel files (moses), the sides of a test set (sgm) and the files of a Tatoeba export belong
    together. Files that were imported before, read the same way, add nothing.
    """
    from corpusdb.queries.chain.importing import check_sources, collection_name, import_checked

    if options.name:
        check_name(options.name, "a collection")
    checked = invocation.run(check_sources(_sources(options)))
    collection = options.name or collection_name(options.files[0])
    with invocation.writing(create=True) as store:
        report = invocation.run(import_checked(store, checked, collection, options.licence, follow=options.follow))
    for name in report.unchanged:
        invocation.say(f"{name}: was imported before; nothing to do")
    for file, line, reason in report.first_rejected:
        invocation.say(f"left out: {file}:{line}: {reason}")
    if report.rejected > len(report.first_rejected) > 0:
        invocation.say(f"left out: {report.rejected - len(report.first_rejected):,} more lines")
    for file, line in report.first_duplicates:
        invocation.say(f"there already: {file}:{line}")
    if report.duplicates > len(report.first_duplicates) > 0:
        invocation.say(f"there already: {report.duplicates - len(report.first_duplicates):,} more pairs")
    invocation.report({"collection": collection} | asdict(report), _figures(report))


def _sources(options: ImportOptions) -> list[Source]:
    from corpusdb.formats import Options, open_sources

    columns = tuple(options.columns.split(",")) if options.columns else None
    reading = Options(
        languages=tuple(options.lang.split(",")) if options.lang else (),
        columns=tuple(map(number_of, columns))
        if columns and all(column.isdecimal() for column in columns)
        else columns,
        header=options.header,
        systems=options.systems,
    )
    return open_sources(options.format, options.files, reading)


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
def info(invocation: Invocation, options: InfoOptions) -> None:
    """Show what the database holds."""
    from corpusdb.queries.database.overview import overview

    with invocation.reading() as store:
        found = overview(store, sizes=options.sizes)
    if invocation.json:
        write_json(found)
        return
    size = f"{found.size / 1e6:,.1f} MB"
    write_line(f"{found.path}: {size}, schema {found.schema_version}, journal {found.journal_mode}, mode {found.mode}")
    for columns, rows in _sections(found):
        if rows:
            write_line()
            write_table(columns, rows)


def _sections(found: Overview) -> Iterator[tuple[tuple[str, ...], list[tuple[Cell, ...]]]]:
    """Each part of the overview as the names of its columns and its rows."""
    yield (
        ("collection", "files", "documents", "units", "licence"),
        [(each.name, each.documents, each.sections, each.lines, each.licence) for each in found.collections],
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
