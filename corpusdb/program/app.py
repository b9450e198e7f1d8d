"""The program and its options."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from corpusdb import __version__
from corpusdb.base.display import wall_terminals
from corpusdb.commands.command import Database, Quiet
from corpusdb.commands.failures import exit_code_of
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.listed import ListedGroup
from corpusdb.program.catalogue import COMMANDS, OTHER_NAMES

__all__ = ["app", "main"]


class _Program(ListedGroup):
    panels = COMMANDS
    other_names = OTHER_NAMES


app = typer.Typer(
    name="corpusdb",
    cls=_Program,
    invoke_without_command=True,
    rich_markup_mode=None,  # colours and boxes would double the time of `corpusdb --help`
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 the answer is no, 2 usage, 3 bad input, 4 database, 130 interrupted.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"corpusdb {__version__}")
        raise typer.Exit


def _show_citation(wanted: bool) -> None:
    if wanted:
        from corpusdb.guides import citation

        typer.echo(citation(), nl=False)
        raise typer.Exit


@app.callback()
def begin(
    context: typer.Context,
    db: Database = None,
    quiet: Quiet = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
    cite: Annotated[
        bool, typer.Option("--cite", callback=_show_citation, is_eager=True, help="Print how to cite it.")
    ] = False,
) -> None:
    """Aligned multilingual corpora in one SQLite file, and paraphrases of their sentences.

    The database is FILE, else $CORPUSDB_DB, else corpus.db in this folder. Data goes to stdout, everything else to
    stderr.
    """
    context.obj = Invocation(chosen=db, quiet=quiet)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def main() -> None:
    """Run the program; the entry point of the installed command. Raises SystemExit with the exit code."""
    wall_terminals()
    try:
        app()
    except KeyboardInterrupt as error:  # before or after the command itself
        sys.exit(exit_code_of(error))
