"""Every command of the program, under the heading that the help gives it, in the order in which one needs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpusdb.cli.program.command import KEPT_COMMANDS, REPLAYED_COMMANDS
from corpusdb.cli.program.listed import Listed
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.cli.program.command import Command, CommandGroup

__all__ = ["COMMANDS", "OTHER_NAMES", "kept_command", "load_all", "replayed_command"]

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

COMMANDS: Mapping[str, Sequence[Listed]] = {
    "Start": (
        Listed(
            "demo",
            "paraphrases.demonstration:demo",
            "Show each system on the built-in phrasebook, and what to try next.",
        ),
        Listed("import", "corpus.corpus:import_files", "Import aligned texts, or annotated ones."),
        Listed("browse", "database.browse:browse", "Browse the corpus by keyboard."),
        Listed("export", "corpus.export:export", "Write aligned texts to a file of another format."),
        Listed("guide", "database.guides:guide", "Read about a topic; without one, list the topics."),
        Listed("man", "database.manual:manual", "Print the manual page, for `man`: every command, from its help."),
    ),
    "Search": (
        Listed("search", "search.search:search", "Search sentences, or show a concordance (--kwic)."),
        Listed("frequencies", "search.lexicon:frequencies", "List words, characters or n-grams by frequency."),
        Listed("collocates", "search.lexicon:collocates", "List the words that stand near a word, best first."),
        Listed("keywords", "search.lexicon:keywords", "List the words that set a collection apart from others."),
        Listed("annotate", "corpus.annotation:annotate", "Cut Japanese into words with lemma, tag and reading."),
        Listed("paradigm", "paraphrases.paradigms:paradigm", "Show what stands in the place of a phrase, or in a gap."),
        Listed("queries", "search.saved_queries:queries", "List the queries that are saved in the database."),
        Listed("history", "search.saved_queries:history", "List your own queries of this database, the newest last."),
        Listed("results", "search.results:results", "Keep what queries find under a name, and combine it."),
        Listed("categories", "search.categories:categories", "Give lines of concordances categories, and count them."),
        Listed("run", "search.saved_queries:run", "Run a saved query, or one of the history, again."),
    ),
    "Paraphrases": (
        Listed("detect", "paraphrases.paraphrases:detect", "Find sentences that share a translation: paraphrases."),
        Listed(
            "generate",
            "paraphrases.generation:generate",
            "Generate paraphrases by analogy, from all sentences or some.",
        ),
        Listed("paraphrases", "paraphrases.paraphrases:paraphrases", "Show the paraphrases of a sentence, best first."),
        Listed(
            "explain", "paraphrases.paraphrases:explain", "Show the analogies and translations behind a paraphrase."
        ),
        Listed(
            "exchanges", "paraphrases.exchanges:exchanges", "Show how often exchanging U for V keeps a translation."
        ),
        Listed("accept", "paraphrases.paraphrases:accept", "Take a paraphrase into the corpus."),
        Listed(
            "references",
            "evaluation.references:references",
            "Write reference sets: for each source the best paraphrases.",
        ),
        Listed(
            "statistics",
            "evaluation.references:statistics",
            "Print the tables of Lepage and Denoual (2005), with their numbers beside.",
            aliases=("stats",),
        ),
        Listed("session", "paraphrases.sessions:sessions", "Work through seeds, accept paraphrases."),
        Listed("judge", "paraphrases.judging:judge", "Have people judge samples of what was generated."),
        Listed("rules", "rules.group:rules", "Rewrite Japanese by rules: more references."),
        Listed(
            "distributed",
            "distributed.group:distributed",
            "Generate on Spark what outgrows one machine.",
        ),
    ),
    "Analogies": (Listed("solve", "paraphrases.analogies:solve", "Solve the analogical equation A : B :: C : x."),),
    "Alignment": (
        Listed("align", "corpus.alignment:align", "Align the words of texts and their translations."),
        Listed("translations", "search.equivalents:translations", "Show how a word is translated, and how often."),
        Listed(
            "equivalents",
            "search.equivalents:equivalents",
            "Show what else a word is called: what shares translations.",
        ),
        Listed("rejections", "search.rejections:rejections", "Equivalents that people reject."),
    ),
    "Translation": (
        Listed(
            "translate",
            "translation.translate:translate",
            "Translate from the examples of the corpus, and say from which.",
        ),
    ),
    "Homogeneity": (
        Listed("profile", "homogeneity.profile:profile", "Tell where texts stand between speech and writing."),
        Listed(
            "similarity", "homogeneity.similarity:similarity", "Compare corpora: a matrix, and how homogeneous each is."
        ),
        Listed("select", "homogeneity.selecting:select", "Select what to train on, and tell whether it helps."),
        Listed("perplexity", "homogeneity.models:perplexity", "Tell how well a model foresees a text."),
        Listed("model", "homogeneity.models:model", "Models of characters: train, list, export as ARPA."),
    ),
    "Measures": (
        Listed("score", "evaluation.scoring:score", "Score outputs of systems against references."),
        Listed("agreement", "evaluation.agreement:agreement", "Tell how far scores agree with those of people."),
        Listed("compare", "evaluation.compare:compare", "Compare two systems: where is A better, and why."),
        Listed("verify", "evaluation.verification:verify", "Compute stored scores again, and say what differs."),
        Listed("replay", "evaluation.replaying:replay", "Make results again, and compare them bit for bit."),
        Listed("trace", "evaluation.verification:trace", "Show where the BLEU of one segment comes from."),
        Listed("scores", "evaluation.scores:scores", "Look at stored scores: table, segments, curves."),
        Listed("study", "evaluation.studies:study", "Repeat the studies of the papers on other data."),
    ),
    "Database": (
        Listed("info", "corpus.corpus:info", "Show what the database holds."),
        Listed("check", "database.database:check", "Check that the database is sound."),
        Listed("backup", "database.database:backup", "Copy the database safely, while others read and write it."),
        Listed("sql", "database.database:sql", "Run read-only SQL on the database."),
    ),
}


def load_all() -> Iterator[Command[Any] | CommandGroup]:
    """All commands, loaded."""
    for commands in COMMANDS.values():
        for each in commands:
            yield each.load()


def kept_command(name: str) -> Command[Any]:
    """The command of that name, if it is one whose queries are kept. Raises UsageError otherwise."""
    for each in (each for commands in COMMANDS.values() for each in commands if each.name == name):
        each.load()
    if name not in KEPT_COMMANDS:
        raise UsageError(f"{name!r} is no query that this version of corpusdb can run")
    return KEPT_COMMANDS[name]


def replayed_command(name: str) -> Command[Any] | None:
    """The command of that name whose documents can be made again; None where there is none."""
    for _ in load_all():  # one that belongs to a group is known by its own name alone
        pass
    return REPLAYED_COMMANDS.get(name)
