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
        Listed(
            "demo",
            "corpusdb.program.commands:demo",
            "Show each system on the built-in phrasebook, and what to try next.",
        ),
        Listed("import", "corpusdb.chain.database_commands:import_files", "Import aligned texts, or annotated ones."),
        Listed("browse", "corpusdb.program.commands:browse", "Browse the corpus by keyboard."),
        Listed("export", "corpusdb.chain.database_commands:export", "Write aligned texts to a file of another format."),
        Listed("guide", "corpusdb.program.commands:guide", "Read about a topic; without one, list the topics."),
        Listed(
            "man",
            "corpusdb.program.commands:manual",
            "Print the manual page, for `man`: every command, from its help.",
        ),
    ),
    "Search": (
        Listed("search", "corpusdb.search.commands:search", "Search sentences, or show a concordance (--kwic)."),
        Listed(
            "frequencies",
            "corpusdb.search.lexicon_commands:frequencies",
            "List words, characters or n-grams by frequency.",
        ),
        Listed(
            "collocates",
            "corpusdb.search.lexicon_commands:collocates",
            "List the words that stand near a word, best first.",
        ),
        Listed(
            "keywords",
            "corpusdb.search.lexicon_commands:keywords",
            "List the words that set a collection apart from others.",
        ),
        Listed(
            "annotate",
            "corpusdb.search.lexicon_commands:annotate",
            "Cut Japanese into words with lemma, tag and reading.",
        ),
        Listed(
            "paradigm",
            "corpusdb.paraphrase.commands:paradigm",
            "Show what stands in the place of a phrase, or in a gap.",
        ),
        Listed(
            "queries", "corpusdb.search.result_commands:queries", "List the queries that are saved in the database."
        ),
        Listed(
            "history",
            "corpusdb.search.result_commands:history",
            "List your own queries of this database, the newest last.",
        ),
        Listed(
            "results", "corpusdb.search.result_commands:results", "Keep what queries find under a name, and combine it."
        ),
        Listed(
            "categories",
            "corpusdb.search.result_commands:categories",
            "Give lines of concordances categories, and count them.",
        ),
        Listed("run", "corpusdb.search.result_commands:run", "Run a saved query, or one of the history, again."),
    ),
    "Paraphrases": (
        Listed(
            "detect", "corpusdb.paraphrase.commands:detect", "Find sentences that share a translation: paraphrases."
        ),
        Listed(
            "generate",
            "corpusdb.chain.generation_commands:generate",
            "Generate paraphrases by analogy, from all sentences or some.",
        ),
        Listed(
            "paraphrases",
            "corpusdb.paraphrase.commands:paraphrases",
            "Show the paraphrases of a sentence, different ones first.",
        ),
        Listed(
            "explain",
            "corpusdb.paraphrase.commands:explain",
            "Show the analogies and translations behind a paraphrase.",
        ),
        Listed(
            "exchanges",
            "corpusdb.paraphrase.commands:exchanges",
            "Show how often exchanging U for V keeps a translation.",
        ),
        Listed("accept", "corpusdb.people.decision_commands:accept_into_corpus", "Take a paraphrase into the corpus."),
        Listed(
            "references",
            "corpusdb.scoring.reference_commands:references",
            "Write reference sets: for each source the best paraphrases.",
        ),
        Listed(
            "statistics",
            "corpusdb.scoring.reference_commands:statistics",
            "Print the tables of Lepage and Denoual (2005), with their numbers beside.",
            aliases=("stats",),
        ),
        Listed("session", "corpusdb.people.session_commands:sessions", "Work through seeds, accept paraphrases."),
        Listed("judge", "corpusdb.people.judging_commands:judge", "Have people judge samples of what was generated."),
        Listed("rules", "corpusdb.studies.rule_commands:rules", "Rewrite Japanese by rules: more references."),
        Listed(
            "distributed",
            "corpusdb.cluster.commands:distributed",
            "Generate on Spark what outgrows one machine.",
        ),
    ),
    "Analogies": (
        Listed("solve", "corpusdb.paraphrase.commands:solve", "Solve the analogical equation A : B :: C : x."),
    ),
    "Alignment": (
        Listed("align", "corpusdb.alignment.commands:align", "Align the words of texts and their translations."),
        Listed(
            "translations",
            "corpusdb.alignment.commands:translations",
            "Show how a word is translated, and how often.",
        ),
        Listed(
            "equivalents",
            "corpusdb.alignment.commands:equivalents",
            "Show what else a word is called: what shares translations.",
        ),
        Listed("rejections", "corpusdb.alignment.commands:rejections", "Equivalents that people reject."),
    ),
    "Translation": (
        Listed(
            "translate",
            "corpusdb.translation.commands:translate",
            "Translate from the examples of the corpus, and say from which.",
        ),
    ),
    "Homogeneity": (
        Listed(
            "profile",
            "corpusdb.homogeneity.profile_commands:profile",
            "Tell where texts stand between speech and writing.",
        ),
        Listed(
            "similarity",
            "corpusdb.homogeneity.commands:similarity",
            "Compare corpora: a matrix, and how homogeneous each is.",
        ),
        Listed(
            "select",
            "corpusdb.homogeneity.commands:select",
            "Select what to train on, and tell whether it helps.",
        ),
        Listed("perplexity", "corpusdb.homogeneity.commands:perplexity", "Tell how well a model foresees a text."),
        Listed("model", "corpusdb.homogeneity.commands:model", "Models of characters: train, list, export as ARPA."),
    ),
    "Measures": (
        Listed("score", "corpusdb.scoring.commands:score", "Score outputs of systems against references."),
        Listed(
            "agreement",
            "corpusdb.scoring.comparison_commands:agreement",
            "Tell how far scores agree with those of people.",
        ),
        Listed(
            "compare",
            "corpusdb.scoring.comparison_commands:compare",
            "Compare two systems: where is A better, and why.",
        ),
        Listed(
            "verify", "corpusdb.scoring.stored_commands:verify", "Compute stored scores again, and say what differs."
        ),
        Listed("replay", "corpusdb.program.commands:replay", "Make results again, and compare them bit for bit."),
        Listed("trace", "corpusdb.scoring.stored_commands:trace", "Show where the BLEU of one segment comes from."),
        Listed("scores", "corpusdb.scoring.stored_commands:scores", "Look at stored scores: table, segments, curves."),
        Listed("study", "corpusdb.studies.commands:study", "Repeat the studies of the papers on other data."),
    ),
    "Database": (
        Listed("info", "corpusdb.chain.database_commands:info", "Show what the database holds."),
        Listed("check", "corpusdb.chain.database_commands:check", "Check that the database is sound."),
        Listed(
            "backup",
            "corpusdb.chain.database_commands:backup",
            "Copy the database safely, while others read and write it.",
        ),
        Listed("sql", "corpusdb.chain.database_commands:sql", "Run read-only SQL on the database."),
    ),
}

LISTED.update((each.name, each) for commands in COMMANDS.values() for each in commands)


def load_all() -> Iterator[Command[Any] | CommandGroup]:
    """All commands, loaded."""
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
    from corpusdb.program.queries.replay import database_inputs

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
