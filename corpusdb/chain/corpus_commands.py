"""The commands for what the corpus is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.base.display import check_name, counted
from corpusdb.base.options import number_of
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import Cell, write_json, write_line, write_table

if TYPE_CHECKING:
    from corpusdb.corpus.formats import Source
    from corpusdb.corpus.model import ImportReport

__all__ = ["import_files", "info"]


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What `import` takes."""

    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="The files of one collection; - is stdin.")]
    lang: Annotated[
        str,
        typer.Option(metavar="LANG,...", help="Their languages in order, such as eng,fra; else p.en p.fr tell theirs."),
    ] = ""
    format: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="{formats to read}; recognised if not given."),
    ] = None
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the collection; that of the first file if not given.")
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="COL,...", help="{formats with columns}: the column of each language, from 1 or by its name."
        ),
    ] = None
    header: Annotated[
        Literal["auto", "yes", "no"],
        typer.Option(help="{formats with a header}: whether the first line names the columns."),
    ] = "auto"
    systems: Annotated[
        bool, typer.Option("--systems", help="{formats with systems}: also the output of the systems.")
    ] = False
    attributes: Annotated[
        str,
        typer.Option(
            metavar="NAME,...", help="{formats with attributes}: the attributes of tokens, as word,pos,lemma."
        ),
    ] = ""
    skip_bad: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="{formats that skip}: take up to N bad lines, each told; more refuse the import."
        ),
    ] = 0
    licence: Annotated[str | None, typer.Option(metavar="TEXT", help="Licence of the collection.")] = None
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Bring derived paraphrases up to date afterwards.")
    ] = True


@command("import")
def import_files(invocation: Invocation, options: ImportOptions) -> None:
    """Import aligned texts, or annotated ones.

    Makes the database if there is none. All files are checked before the database is touched. Several files are read
    one after the other into the same collection; {files read together} belong together. conllu and vert files may be of
    one language: `corpusdb guide annotations`. Files that were imported before, read the same way, add nothing.

    What looks like another language than it is said to be, by its script or by what the database has, is told.
    """
    from corpusdb.chain.queries.foreseen import foreseen_import
    from corpusdb.chain.queries.importing import check_sources, collection_name, column_doubts, import_checked
    from corpusdb.chain.queries.overview import behind_in
    from corpusdb.corpus.formats.moses import MosesSource
    from corpusdb.corpus.formats.tables import TableSource

    if options.name:
        check_name(options.name, "a collection")
    sources = _sources(options)
    invocation.say_foreseen(foreseen_import(invocation.path, sources, follow=options.follow))
    checked = invocation.run(check_sources(sources, options.skip_bad))
    collection = options.name or collection_name(options.files[0])
    for told in dict.fromkeys(each.columns_told() for each in sources if isinstance(each, TableSource | MosesSource)):
        invocation.say(told)
    with invocation.writing(create=True) as store:
        for doubt in column_doubts(store, checked):
            invocation.say(f"warning: {doubt}")
        report = invocation.run(import_checked(store, checked, collection, options.licence, follow=options.follow))
        behind = behind_in(store, "validity")
    for language in behind:
        invocation.say(f"validity of {language} is behind: `corpusdb generate --lang {language}` brings it up to date")
    for name in report.unchanged:
        invocation.say(f"{name}: was imported before; nothing to do")
    for file, line, reason in report.skipped:
        invocation.say(f"skipped: {file}:{line}: {reason}")
    for file, line, reason in report.first_rejected:
        invocation.say(f"left out: {file}:{line}: {reason}")
    more = report.rejected - len(report.skipped) - len(report.first_rejected)
    if more and report.first_rejected:
        invocation.say(f"left out: {counted(more, 'more lines')}")
    for file, line in report.first_duplicates:
        invocation.say(f"there already: {file}:{line}")
    if report.duplicates > len(report.first_duplicates) > 0:
        invocation.say(f"there already: {counted(report.duplicates - len(report.first_duplicates), 'more pairs')}")
    invocation.report({"collection": collection} | asdict(report), _figures(report))


def _sources(options: ImportOptions) -> list[Source]:
    from corpusdb.corpus.formats import Options, open_sources

    columns = tuple(options.columns.split(",")) if options.columns else None
    reading = Options(
        languages=tuple(options.lang.split(",")) if options.lang else (),
        columns=tuple(map(number_of, columns))
        if columns and all(column.isdecimal() for column in columns)
        else columns,
        header=options.header,
        systems=options.systems,
        attributes=tuple(options.attributes.split(",")) if options.attributes else (),
        skip_bad=options.skip_bad > 0,
    )
    return open_sources(options.format, options.files, reading)


def _figures(report: ImportReport) -> list[tuple[str, Cell]]:
    return [
        ("units read", report.read),
        ("new sentences", report.sentences),
        ("new translations", report.translations),
        ("translations that were there", report.duplicates),
        ("lines left out", report.rejected),
        *([("of these bad ones skipped", len(report.skipped))] if report.skipped else []),
        *_figures_of_annotation(report),
        ("seconds", round(report.seconds, 1)),
    ]


def _figures_of_annotation(report: ImportReport) -> list[tuple[str, Cell]]:
    """None where the files say nothing of tokens."""
    figures = (
        ("sentences annotated", report.annotated),
        ("annotations left out, as there was one", report.annotated_before),
    )
    return [(name, count) for name, count in figures if count is not None]


@dataclass(frozen=True, slots=True)
class InfoOptions:
    """What `info` takes."""

    sizes: Annotated[bool, typer.Option("--sizes", help="Also the size of each table, for which all is read.")] = False


@command("info")
def info(invocation: Invocation, options: InfoOptions) -> None:
    """Show what the database holds."""
    from corpusdb.chain.queries.overview import overview
    from corpusdb.chain.report import overview_heading, overview_tables

    with invocation.reading() as store:
        found = overview(store, sizes=options.sizes)
    if invocation.json:
        write_json(found)
        return
    write_line(overview_heading(found))
    for columns, rows in overview_tables(found):
        write_line()
        write_table(columns, rows)
