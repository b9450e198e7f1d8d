"""The commands that say what the database holds, export it, and look after the database."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from corpusdb.base.display import Cell, counted
from corpusdb.base.errors import InputError, StoreError, UsageError
from corpusdb.base.jobs import SAME_COMMAND, Progress
from corpusdb.base.options import Argument, Option
from corpusdb.base.text import language_code, language_codes
from corpusdb.commands.command import Overwrite, command
from corpusdb.commands.invocation import Invocation, Meter, write_json, write_line, write_table

if TYPE_CHECKING:
    from corpusdb.chain.queries.checking import CheckReport
    from corpusdb.corpus.formats import Record
    from corpusdb.corpus.formats.registry import ExportReport
    from corpusdb.corpus.queries.export import ExportProgress
    from corpusdb.corpus.store import Store
    from corpusdb.search.queries.results import PartOfCorpus


@dataclass(frozen=True, slots=True)
class InfoOptions:
    sizes: Annotated[bool, Option("Also show the size of each table; reads the whole file.")] = False
    cite: Annotated[bool, Option("Instead, cite each collection, in a sentence and in BibTeX.")] = False


@command("info")
def info(invocation: Invocation, options: InfoOptions) -> None:
    """Show what the database holds."""
    from corpusdb.chain.queries.overview import imported_files, overview
    from corpusdb.chain.report import citation_lines, overview_heading, overview_tables

    if options.cite:
        if options.sizes:
            raise UsageError("--cite and --sizes exclude each other")
        with invocation.reading() as store:
            files = imported_files(store)
        if invocation.json:
            return write_json(files)
        for line in citation_lines(files):
            write_line(line)
        return None
    with invocation.reading() as store:
        found = overview(store, sizes=options.sizes)
    if invocation.json:
        return write_json(found)
    write_line(overview_heading(found))
    for columns, rows in overview_tables(found):
        write_line()
        write_table(columns, rows)
    return None


# The command that writes the corpus, or part of it, to files of other formats.

_UNITS_BETWEEN_STEPS: Final = 1000
_STDOUT: Final = Path("-")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    output: Annotated[Path, Option("The file to write; - is stdout.", "--output -o", metavar="FILE")]
    collection: Annotated[
        list[str], Option("Only this collection, selection or result; may be repeated.", metavar="NAME")
    ] = field(default_factory=list)
    query: Annotated[
        str | None,
        Option(
            "Only what this saved search finds; or a number of the history, or - for your last query.", metavar="QUERY"
        ),
    ] = None
    lang: Annotated[str, Option("Only these languages, in this order.", metavar="LANG,...")] = ""
    document: Annotated[str | None, Option("Only this file, or this document inside a file.", metavar="NAME")] = None
    where: Annotated[
        tuple[str, ...], Option("Only where an attribute of the document or line has this value.", metavar="NAME=VALUE")
    ] = ()
    format: Annotated[str | None, Option("tmx, wmt, tsv ... (default: by file name).", metavar="FORMAT")] = None
    by_sentence: Annotated[
        str | None, Option("A unit for each sentence of LANG with all translations.", metavar="LANG")
    ] = None
    overwrite: Overwrite = False


@command("export")
def export(invocation: Invocation, options: ExportOptions) -> None:
    """Write aligned texts to a file of another format.

    Units are written as they were read, in the order of collections, files and lines, with normalised texts. Units with
    fewer than two texts in the languages wanted are left out, unless --lang names one language. With --query, or with a
    selection or result, only units that hold one of its sentences are written, from the part of the corpus that was
    searched. Formats: {formats to write}. For {formats with a prefix} FILE is the beginning of the file names, for
    {formats with a folder} the folder. Files appear when they are complete; --overwrite replaces existing ones, but
    never a database. csv keeps cells such as =1+1, which a spreadsheet would run, and reports how many there are.
    `corpusdb categories export` writes categories of lines; it also takes --query and --collection. Licences are shown;
    tmx has them in its header, jsonl in each line.
    """
    from corpusdb.corpus.formats import export_files
    from corpusdb.corpus.formats.registry import writer_of
    from corpusdb.search.queries.categories import category_sets_of
    from corpusdb.search.queries.results import part_of_corpus
    from corpusdb.search.result_commands import kept_search, say_remembered

    begun, name = time.monotonic(), options.format or _format_of(options.output)
    if options.output == _STDOUT and invocation.json:
        raise UsageError("the report of --json would be among the units on standard output; name a file")
    guard = invocation.guard(overwrite=options.overwrite)
    request = None if options.query is None else kept_search(invocation, options.query)
    with invocation.reading() as store, store.snapshot():
        part = part_of_corpus(store, options.collection, request, invocation.limit())
        read, languages = _units_of(store, options, name, part)
        units = _Units(read, None if invocation.quiet else Meter(sys.stderr))
        few = "no text" if writer_of(name).least_in(languages) == 1 else "fewer than two texts"
        few += f" in {', '.join(languages) or 'any languages'}"
        try:
            units.require_one(few)
            report = export_files(name, units, languages, options.output, guard, _say_licence(invocation, store, part))
            units.finish()
        finally:
            units.clear()
        _say_categories(invocation, category_sets_of(store, part.collections, part.sentences), options)
    _say_places(invocation, report.units, part, languages)
    if options.query is not None:
        say_remembered(invocation, options.query, request)
    _say_left_out(invocation, report, units.tally, few)
    figures: dict[str, Cell] = {"units": report.units, "left_out": report.left_out + units.tally.left_out}
    written = languages or tuple(units.languages)
    files = [str(path) for path in report.files]
    if options.output == _STDOUT:
        invocation.say(f"{counted(report.units, 'units')} written")
        return
    invocation.report(
        {"files": files, **figures, "languages": list(written), "seconds": time.monotonic() - begun},
        [*(("file", file) for file in files), *figures.items(), ("languages", ",".join(written))],
    )


def _say_licence(invocation: Invocation, store: Store, part: PartOfCorpus) -> str:
    """Say the licences of what is exported, which are given back."""
    from corpusdb.corpus.queries.names import licences

    if licence := licences(store, part.collections):
        invocation.say(f"licence: {licence}")
    return licence


def _say_places(invocation: Invocation, units: int, part: PartOfCorpus, languages: Sequence[str]) -> None:
    """Say where sentences of one language that were chosen are written several times."""
    if len(languages) == 1 and part.sentences is not None and units > len(part.sentences):
        told = f"{counted(len(part.sentences), 'sentences')} in {units:,} units, each in all its places"
        invocation.say(f"{told}; `corpusdb select --show NAME` writes those of a selection once, best first")


def _say_left_out(invocation: Invocation, report: ExportReport, tally: ExportProgress, reason: str) -> None:
    """Say what was left out: units that were not even read for the ``reason``, and what the format has no place for."""
    for each, count in ({reason: tally.left_out} | dict(report.reasons)).items():
        if count:
            invocation.say(f"left out: {counted(count, 'units')} with {each}")
    if report.formulas.cells:
        invocation.say(str(report.formulas))


def _say_categories(invocation: Invocation, sets: Sequence[str], options: ExportOptions) -> None:
    """Say how to get the categories of lines that were written, where some have one: units have no place for them."""
    if sets:
        chosen = "" if options.query is None else f" --query {shlex.quote(options.query)}"
        chosen += f" --collection {shlex.quote(options.collection[0])}" if len(options.collection) == 1 else ""
        call = f"corpusdb categories export {shlex.quote(sets[0])}{chosen} -o FILE"
        others = f"; so for {', '.join(sets[1:])}" if len(sets) > 1 else ""
        invocation.say(f"some lines have categories; this exports them: `{call}`{others}")


def _format_of(path: Path) -> str:
    """The format that the name of a file tells. Raises UsageError where it tells none."""
    from corpusdb.corpus.formats.registry import format_of_extension, writable_formats

    extension, names = path.suffix.lower(), writable_formats()
    format = format_of_extension(extension)
    name = extension.removeprefix(".") if format is None else format.name
    if name not in names:
        what = "standard output has no name" if path == _STDOUT else f"the name {path.name} does not tell the format"
        raise UsageError(f"{what}; give --format: {', '.join(sorted(names))}")
    return name


_Read = Callable[["ExportProgress"], "Iterator[Record]"]


def _units_of(store: Store, options: ExportOptions, name: str, part: PartOfCorpus) -> tuple[_Read, tuple[str, ...]]:
    """The function that reads the units once, and the languages asked for, none for all."""
    from corpusdb.corpus.formats.registry import writer_of
    from corpusdb.corpus.queries.attributes import documents_where
    from corpusdb.corpus.queries.export import Selection, by_sentence, export_units

    languages = language_codes(options.lang) if options.lang else ()
    document = documents_where(options.document, options.where)
    if options.by_sentence is None:
        writer = writer_of(name)
        least = writer.least_in(languages)
        selection = Selection(part.collections, languages, document, least, writer.annotated, part.held)
        return lambda tally: export_units(store, selection, tally), languages
    if writer_of(name).annotated:
        raise UsageError(f"{name} has sentences of one language, and --by-sentence gives translations; give --lang")
    if document is not None:
        raise UsageError("--by-sentence takes no --document or --where: translations are in no document")
    language = language_code(options.by_sentence)
    wanted = (language, *(code for code in languages if code != language)) if languages else ()
    return lambda tally: by_sentence(store, language, wanted, part.collections, tally, part.sentences), wanted


class _Units:
    """The units to be written, read from the beginning as often as a format needs, with the progress on stderr."""

    def __init__(self, read: _Read, meter: Meter | None) -> None:
        from corpusdb.corpus.queries.export import ExportProgress

        self._read = read
        self._meter = meter
        self._passes = 0
        self.tally = ExportProgress()
        """Of the latest pass."""
        self.languages: dict[str, None] = {}
        """The languages of the units so far, in the order in which they appeared."""

    def __call__(self) -> Iterator[Record]:
        self._passes += 1
        self.tally = type(self.tally)()
        stage = f"reading units, pass {self._passes}"
        for record in self._read(self.tally):
            if self._meter and record.line % _UNITS_BETWEEN_STEPS == 1:
                self._meter.show(Progress(stage, record.line, 0))
            self.languages.update(dict.fromkeys(record.languages))
            yield record

    def require_one(self, few: str) -> None:
        """Raise InputError where there is no unit at all, before a file is made; ``few``: what those left out have."""
        if next(self._read(self.tally), None) is None:
            raise InputError(f"nothing to export: {counted(self.tally.left_out, 'units')} with {few}")

    def finish(self) -> None:
        """Say that all are read, where progress goes to a file."""
        if self._meter:
            self._meter.finish()

    def clear(self) -> None:
        """Remove the line with the progress."""
        if self._meter:
            self._meter.clear()


# The commands that look after the database file.

_LONGEST_STATEMENT = 1 << 20


@dataclass(frozen=True, slots=True)
class CheckOptions:
    full: Annotated[bool, Option("Compare indexes and checksums, and rebuild all derived data to compare them.")] = (
        False
    )
    repair: Annotated[
        bool,
        Option("Rebuild damaged derived data; keep what was imported or made by people."),
    ] = False
    ignore: Annotated[bool, Option("Let commands use a damaged file; their answers may be wrong.")] = False


@command("check")
def check(invocation: Invocation, options: CheckOptions) -> None:
    """Check that the database is sound.

    Prints what is wrong. The exit code is then 1, and other commands refuse the file until --repair or another `check
    --full` finds it sound, or you use --ignore.
    """
    if options.ignore:
        if options.full or options.repair:
            raise UsageError("--ignore neither checks nor repairs: use it without --full and --repair")
        _ignore(invocation)
        return
    if options.repair:
        _repair(invocation)
        return
    from corpusdb.chain.queries.checking import checking

    with invocation.reading(damaged=True) as store:
        report = invocation.run(checking(store, full=options.full))
    _note(invocation, report, full=options.full)
    if invocation.json:
        figures = {"ok": report.ok, "problems": report.problems, "checks": report.checks, "left_out": report.left_out}
        write_json(figures)
    else:
        for problem in report.problems:
            write_line(problem)
        for note in report.left_out:
            invocation.say(note)
        if report.ok:
            write_line("ok")
    if not report.ok:
        raise typer.Exit(1)


def _note(invocation: Invocation, report: CheckReport, *, full: bool) -> None:
    """Let no command answer from a file that was found damaged, until a check of all finds it sound."""
    from corpusdb.chain.queries.checking import note_damage

    if report.ok and not full:
        return
    try:
        with invocation.writing(damaged=True) as store:
            noted = note_damage(store, report)
    except StoreError:
        noted = False
    if not report.ok:
        told = "other commands refuse it until it is mended" if noted else "it cannot be marked; do not go on using it"
        invocation.say(f"{invocation.path} is damaged: {told}; `corpusdb check --repair` rebuilds what was derived")


def _ignore(invocation: Invocation) -> None:
    from corpusdb.chain.queries.checking import CheckReport, note_damage

    with invocation.writing(damaged=True) as store:
        note_damage(store, CheckReport(True, (), ()))
    invocation.report({"ignored": True}, [("damage", "ignored until the next check")])


def _repair(invocation: Invocation) -> None:
    from corpusdb.chain.queries.checking import CheckReport, note_damage
    from corpusdb.chain.queries.repair import repair

    with invocation.writing(damaged=True) as store:
        report = invocation.run(repair(store), goes_on=SAME_COMMAND)
        note_damage(store, CheckReport(report.ok, report.left, ()))
    if invocation.json:
        write_json(report)
    else:
        for line in report.done:
            write_line(line)
        for problem in report.left:
            write_line(f"only a backup can mend this: {problem}")
        if report.ok:
            write_line("ok")
    if not report.ok:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class BackupOptions:
    target: Annotated[Path, Argument("The copy.", metavar="FILE")]
    overwrite: Annotated[bool, Option("Replace an existing file, such as an older copy.")] = False


@command("backup")
def backup(invocation: Invocation, options: BackupOptions) -> None:
    """Copy the database safely, while others read and write it."""
    from corpusdb.chain.queries.repair import backup as copy_database

    with invocation.reading(damaged=True) as store:
        copy = invocation.run(copy_database(store, options.target, overwrite=options.overwrite))
    size = copy.stat().st_size
    invocation.report({"file": str(copy), "bytes": size}, [("file", str(copy)), ("bytes", size)])


@dataclass(frozen=True, slots=True)
class SqlOptions:
    statement: Annotated[str, Argument("One statement that only reads; - is stdin.", metavar="SELECT")]
    limit: Annotated[int, Option("Show at most this many rows; 0 shows all.", "--limit -n", least=0)] = 1000
    timeout: Annotated[float, Option("Give up after this many seconds.", least=0, most=86400)] = 60.0


@command("sql", answers=True)
def sql(invocation: Invocation, options: SqlOptions) -> int | None:
    """Run read-only SQL on the database."""
    from corpusdb.chain.queries.repair import read_only_query

    statement = _from_stdin() if options.statement == "-" else options.statement
    with invocation.reading() as store:
        result = read_only_query(store, statement, options.limit, options.timeout)
    # SQLite has no other values.
    invocation.show(
        result.columns,
        cast("tuple[tuple[Cell, ...], ...]", result.rows),
        document={"columns": result.columns, "rows": result.rows, "truncated": result.truncated},
    )
    if result.truncated:
        invocation.say(f"only the first {options.limit:,} rows; `--limit 0` shows all")
    return None if result.truncated else len(result.rows)


def _from_stdin() -> str:
    statement = sys.stdin.buffer.read(_LONGEST_STATEMENT + 1)
    if len(statement) > _LONGEST_STATEMENT:
        raise InputError(f"the statement is longer than {_LONGEST_STATEMENT:,} bytes", path="-")
    try:
        return statement.decode()
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", path="-") from error
