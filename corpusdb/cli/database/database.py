"""The commands that look after the database file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json, write_line
from corpusdb.errors import InputError, StoreError

if TYPE_CHECKING:
    from corpusdb.queries.integrity.checking import CheckReport

__all__ = ["backup", "check", "sql"]

_LONGEST_STATEMENT = 1 << 20


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What `check` takes."""

    full: Annotated[
        bool,
        typer.Option("--full", help="Compare indexes and checksums, and make all that is derived again to compare it."),
    ] = False
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Make what is derived and damaged anew; what people and imports gave stays."),
    ] = False
    ignore: Annotated[
        bool, typer.Option("--ignore", help="Let commands use a damaged file all the same; their answers may be wrong.")
    ] = False


@command("check")
def check(invocation: Invocation, options: CheckOptions) -> None:
    """Check that the database is sound.

    Prints what is wrong with it, and then the exit code is 1, and other commands refuse the file until --repair or
    another `check --full` finds it sound, or --ignore is said.
    """
    if options.ignore:
        _ignore(invocation)
        return
    if options.repair:
        _repair(invocation)
        return
    from corpusdb.queries.database.maintenance import checking

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
    from corpusdb.queries.integrity.checking import note_damage

    if report.ok and not full:
        return
    try:
        with invocation.writing(damaged=True) as store:
            noted = note_damage(store, report)
    except StoreError:
        noted = False
    if not report.ok:
        told = "other commands refuse it until it is mended" if noted else "it cannot be marked; do not go on using it"
        invocation.say(f"{invocation.path} is damaged: {told}; `corpusdb check --repair` makes anew what was derived")


def _ignore(invocation: Invocation) -> None:
    from corpusdb.queries.integrity.checking import CheckReport, note_damage

    with invocation.writing(damaged=True) as store:
        note_damage(store, CheckReport(True, (), ()))
    invocation.report({"ignored": True}, [("damage", "ignored until the next check")])


def _repair(invocation: Invocation) -> None:
    from corpusdb.queries.integrity.checking import CheckReport, note_damage
    from corpusdb.queries.integrity.repair import repair

    with invocation.writing(damaged=True) as store:
        report = invocation.run(repair(store))
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
    """What `backup` takes."""

    target: Annotated[Path, typer.Argument(metavar="FILE", help="The copy.", show_default=False)]
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there, an older copy too.")] = (
        False
    )


@command("backup")
def backup(invocation: Invocation, options: BackupOptions) -> None:
    """Copy the database safely, while others read and write it."""
    from corpusdb.queries.database.maintenance import backup as copy_database

    with invocation.reading(damaged=True) as store:
        copy = invocation.run(copy_database(store, options.target, overwrite=options.overwrite))
    size = copy.stat().st_size
    invocation.report({"file": str(copy), "bytes": size}, [("file", str(copy)), ("bytes", size)])


@dataclass(frozen=True, slots=True)
class SqlOptions:
    """What `sql` takes."""

    statement: Annotated[str, typer.Argument(metavar="SELECT", help="One statement that reads; - reads it from stdin.")]
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows at most; 0 is all.")] = 1000
    timeout: Annotated[float, typer.Option(min=0, max=86400, help="Seconds that it may take.")] = 60.0


@command("sql", answers=True)
def sql(invocation: Invocation, options: SqlOptions) -> int | None:
    """Run read-only SQL on the database."""
    from corpusdb.queries.database.maintenance import read_only_query

    statement = _from_stdin() if options.statement == "-" else options.statement
    with invocation.reading() as store:
        result = read_only_query(store, statement, options.limit, options.timeout)
    if invocation.json:
        write_json({"columns": result.columns, "rows": result.rows, "truncated": result.truncated})
    else:
        # SQLite has no other values.
        invocation.show(result.columns, cast("tuple[tuple[Cell, ...], ...]", result.rows))
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
