"""The program: its options, and its commands in the order in which one needs them."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from corpusdb import __version__
from corpusdb.cli.corpus.alignment import align
from corpusdb.cli.corpus.corpus import import_files, info
from corpusdb.cli.corpus.export import export
from corpusdb.cli.database.browse import browse
from corpusdb.cli.database.database import backup, check, sql
from corpusdb.cli.database.guides import guide
from corpusdb.cli.evaluation.agreement import agreement
from corpusdb.cli.evaluation.compare import compare
from corpusdb.cli.evaluation.references import references, statistics
from corpusdb.cli.evaluation.replaying import replay
from corpusdb.cli.evaluation.scores import scores
from corpusdb.cli.evaluation.scoring import score
from corpusdb.cli.evaluation.studies import study
from corpusdb.cli.evaluation.verification import trace, verify
from corpusdb.cli.homogeneity.models import model, perplexity
from corpusdb.cli.homogeneity.profile import profile
from corpusdb.cli.homogeneity.selecting import select
from corpusdb.cli.homogeneity.similarity import similarity
from corpusdb.cli.paraphrases.analogies import solve
from corpusdb.cli.paraphrases.demonstration import demo
from corpusdb.cli.paraphrases.exchanges import exchanges
from corpusdb.cli.paraphrases.generation import generate
from corpusdb.cli.paraphrases.judging import judge
from corpusdb.cli.paraphrases.paradigms import paradigm
from corpusdb.cli.paraphrases.paraphrases import accept, detect, explain, paraphrases
from corpusdb.cli.paraphrases.sessions import sessions
from corpusdb.cli.program.command import Command, CommandGroup, Database, Quiet
from corpusdb.cli.program.failures import exit_code_of
from corpusdb.cli.program.group import CorpusGroup
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.rules.group import rules
from corpusdb.cli.search.equivalents import equivalents, translations
from corpusdb.cli.search.lexicon import collocates, frequencies, keywords
from corpusdb.cli.search.rejections import rejections
from corpusdb.cli.search.saved_queries import history, queries, run
from corpusdb.cli.search.search import search
from corpusdb.terminal import wall_terminals

__all__ = ["COMMANDS", "app", "main"]

COMMANDS: dict[str, tuple[Command[Any] | CommandGroup, ...]] = {
    "Start": (demo, import_files, browse, export, guide),
    "Search": (search, frequencies, collocates, keywords, paradigm, queries, history, run),
    "Paraphrases": (
        *(detect, generate, paraphrases, explain, exchanges),
        *(accept, references, statistics, sessions, judge, rules),
    ),
    "Analogies": (solve,),
    "Alignment": (align, translations, equivalents, rejections),
    "Homogeneity": (profile, similarity, select, perplexity, model),
    "Measures": (score, agreement, compare, verify, replay, trace, scores, study),
    "Database": (info, check, backup, sql),
}
"""Every command, under the heading that the help gives it."""

app = typer.Typer(
    name="corpusdb",
    cls=CorpusGroup,
    invoke_without_command=True,
    rich_markup_mode=None,  # colours and boxes would double the time of `corpusdb --help`
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 the answer is no, 2 usage, 3 bad input, 4 database, 130 interrupted.",
)
for panel, commands in COMMANDS.items():
    for each in commands:
        each.add_to(app, panel)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"corpusdb {__version__}")
        raise typer.Exit


@app.callback()
def begin(
    context: typer.Context,
    db: Database = None,
    quiet: Quiet = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
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
