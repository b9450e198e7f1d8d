"""Every command of the program, under the heading that the help gives it; and the program and its options."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpusdb import __version__
from corpusdb.base.display import wall_terminals
from corpusdb.base.options import Option
from corpusdb.commands.command import LISTED, REPLAYED_COMMANDS, CommonOptions, Listed, ListedGroup
from corpusdb.commands.group import exit_code_of
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.options import with_options

if TYPE_CHECKING:
    from corpusdb.commands.command import Command, CommandGroup
    from corpusdb.corpus.model import Input
    from corpusdb.corpus.store import Store


OTHER_NAMES: Mapping[str, str] = {
    "concordance": "search --kwic",
    "concordances": "search --kwic",
    "kwic": "search --kwic",
    "cqp": "search --cqp",
    "collocations": "collocates",
    "ngrams": "frequencies --ngram 2",
    "wordlist": "frequencies",
}
"""What corpus linguists call something elsewhere, and the call that does it here."""
FORMER_COMMANDS: Mapping[str, str] = {}
"""Old names of commands that released versions had, each with what is called now."""

COMMANDS: Mapping[str, Sequence[Listed]] = {
    "Start": (
        Listed("demo", "program.commands", "Try each part of corpusdb on the built-in phrasebook."),
        Listed("import", "chain.import_commands:import_files", "Import aligned texts, or annotated ones."),
        Listed("browse", "program.commands", "Browse the corpus by keyboard; asks before it makes a new database."),
        Listed("export", "chain.database_commands", "Write aligned texts to a file of another format."),
        Listed("guide", "program.commands", "Read about a topic; without one, list the topics."),
        Listed("man", "program.commands:manual", "Print a manual page of all commands, for `man`."),
    ),
    "Search": (
        Listed("search", "search.commands", "Search sentences, or show a concordance (--kwic)."),
        Listed("frequencies", "search.lexicon_commands", "List words, characters or n-grams by frequency."),
        Listed("collocates", "search.lexicon_commands", "List the collocates of a word, strongest first."),
        Listed("keywords", "search.lexicon_commands", "List keywords or terms of a collection, against a reference."),
        Listed(
            "annotate",
            "search.lexicon_commands",
            "Give sentences lemmas and tags, from files or an analyser.",
        ),
        Listed("paradigm", "paraphrase.commands", "Show what can replace a phrase, or fill a gap."),
        Listed("queries", "search.result_commands", "List the queries saved in the database."),
        Listed("history", "search.result_commands", "List your own queries of this database, newest last."),
        Listed("results", "search.result_commands", "Save what queries find under a name, and combine it."),
        Listed("categories", "search.category_commands", "Assign categories to lines of concordances, and count them."),
        Listed("run", "search.result_commands", "Run a saved query, or one from the history, again."),
    ),
    "Paraphrases": (
        Listed("detect", "paraphrase.commands", "Find sentences that share a translation: paraphrases."),
        Listed("generate", "chain.generation_commands", "Generate paraphrases by analogy, of all sentences or some."),
        Listed("paraphrases", "paraphrase.commands", "Show the paraphrases of a sentence, most different first."),
        Listed("explain", "paraphrase.commands", "Show what supports a paraphrase: analogies, translations."),
        Listed("exchanges", "paraphrase.commands", "Show how often exchanging U for V keeps a translation."),
        Listed("accept", "people.acceptance_commands:accept_into_corpus", "Add a paraphrase to the corpus."),
        Listed(
            "references", "scoring.reference_commands", "Write reference sets: for each source the best paraphrases."
        ),
        Listed(
            "statistics",
            "scoring.reference_commands",
            "Print the tables of Lepage and Denoual (2005).",
            ("stats",),
        ),
        Listed("session", "people.session_commands:sessions", "Work through seeds, accept paraphrases."),
        Listed("judge", "people.judging_commands", "Have people judge samples of what was generated."),
        Listed("rules", "studies.rule_commands:rules", "Rewrite Japanese references by rules."),
        Listed("distributed", "cluster.commands", "Generate on Spark, for corpora too large for one machine."),
    ),
    "Analogies": (Listed("solve", "paraphrase.commands", "Solve the analogical equation A : B :: C : x."),),
    "Alignment": (
        Listed("align", "alignment.commands", "Align the words of texts and their translations."),
        Listed("translations", "alignment.commands", "Show how a word is translated, and how often."),
        Listed("equivalents", "alignment.commands", "Show equivalents of a word: words that share its translations."),
        Listed("rejections", "alignment.commands", "Reject equivalents that are wrong."),
    ),
    "Translation": (
        Listed("translate", "translation.commands", "Translate from examples in the corpus, and show them."),
    ),
    "Homogeneity": (
        Listed("profile", "homogeneity.profile_commands", "Measure where texts lie between speech and writing."),
        Listed("similarity", "homogeneity.commands", "Compare corpora: a matrix, and how homogeneous each is."),
        Listed("select", "homogeneity.commands", "Select training data for a domain, and measure its worth."),
        Listed("perplexity", "homogeneity.commands", "Measure how well a model predicts a text."),
        Listed("model", "homogeneity.commands", "Character models: train, list, export as ARPA."),
    ),
    "Measures": (
        Listed("score", "scoring.commands", "Score outputs of systems against references."),
        Listed("agreement", "scoring.agreement_commands", "Measure how well scores agree with human scores."),
        Listed("compare", "scoring.comparison_commands", "Compare two systems: where is A better, and why."),
        Listed("verify", "scoring.stored_commands", "Recompute stored scores, and report differences."),
        Listed("replay", "program.commands", "Reproduce results, and compare them bit for bit."),
        Listed("trace", "scoring.stored_commands", "Show where the BLEU of one segment comes from."),
        Listed("scores", "scoring.stored_commands", "Stored scores, human ones too: table, segments, curves."),
        Listed("study", "studies.commands", "Repeat published studies on your own data."),
    ),
    "Database": (
        Listed("info", "chain.database_commands", "Show what the database holds."),
        Listed("check", "chain.database_commands", "Check that the database is sound."),
        Listed("licence", "chain.import_commands", "Set the licence of a collection: of all its files."),
        Listed(
            "remove",
            "chain.import_commands",
            "Undo an import: remove a collection or a file, and what only it has.",
        ),
        Listed("backup", "chain.database_commands", "Copy the database safely, while others read and write it."),
        Listed("sql", "chain.database_commands", "Run read-only SQL on the database."),
    ),
}

LISTED.update((each.name, each) for commands in COMMANDS.values() for each in commands)


def load_all() -> Iterator[Command[Any] | CommandGroup]:
    for commands in COMMANDS.values():
        for each in commands:
            yield each.load()


def replayed_command(name: str) -> Command[Any] | None:
    """The command of that name whose documents can be made again; None where there is none."""
    for _ in load_all():  # one that belongs to a group is known by its own name alone
        pass
    return REPLAYED_COMMANDS.get(name)


# The program and its options.


def _show_version() -> None:
    typer.echo(f"corpusdb {__version__}")
    raise typer.Exit


def _show_citation() -> None:
    from corpusdb.guides import citation

    typer.echo(citation(), nl=False)
    raise typer.Exit


@dataclass(frozen=True, slots=True)
class _ProgramOptions(CommonOptions):
    version: Annotated[bool, Option("Print the version.", instead=_show_version)] = False
    cite: Annotated[bool, Option("Print how to cite it.", instead=_show_citation)] = False


class _Program(ListedGroup):
    options = (_ProgramOptions,)
    panels = COMMANDS
    other_names = OTHER_NAMES
    former_names = FORMER_COMMANDS


app = typer.Typer(
    name="corpusdb",
    cls=_Program,
    invoke_without_command=True,
    rich_markup_mode=None,  # colours and boxes would double the time of `corpusdb --help`
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 the answer is no, 2 usage, 3 bad input, 4 database, 130 interrupted.",
)


def _database_inputs(store: Store) -> Iterator[Input]:
    """What results of the whole program depend on in a database, loaded by the commands whose documents say that."""
    from corpusdb.program.replay_queries import database_inputs

    return database_inputs(store)


def begin(context: typer.Context, db: Path | None, quiet: bool, **shown: bool) -> None:
    """Aligned multilingual corpora in one SQLite file, and paraphrases of their sentences.

    The database is FILE, else $CORPUSDB_DB, else corpus.db in this folder. Data goes to stdout, everything else to
    stderr.
    """
    context.obj = Invocation(chosen=db, quiet=quiet, database_inputs=_database_inputs)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


app.callback()(with_options(begin, _ProgramOptions))


def main() -> None:
    """Run the program; the entry point of the installed command. Raises SystemExit with the exit code."""
    wall_terminals()
    try:
        app()
    except KeyboardInterrupt as error:  # before or after the command itself
        sys.exit(exit_code_of(error))
