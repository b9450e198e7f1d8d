"""What is in a corpus, which part of it to train on, and who is told how far a job has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from corpusdb.base.jobs import Job, Progress
from corpusdb.base.languages import language_code

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.homogeneity.queries.char_models import ModelSummary, Perplexity
    from corpusdb.homogeneity.queries.likeness import Measure, OutlierReport, SimilarityReport
    from corpusdb.homogeneity.queries.profile_levels import ProfileReport
    from corpusdb.homogeneity.queries.selecting import Method, SelectionFound
    from corpusdb.homogeneity.similarity import Nearness

__all__ = [
    "Homogeneity",
    "Runner",
    "Watch",
]


# Who is told how far a job of the library has come.


Result = TypeVar("Result")
Watch: TypeAlias = Callable[[Progress], None]
"""Is told every step of a job; what it raises ends the job, and what was committed stays."""


class Runner(Protocol):
    """Runs a job to its end."""

    def __call__(self, job: Job[Result], progress: Watch | None = None) -> Result:
        """What the job gives; its steps are told to ``progress``."""


# What is in a corpus, and which part of it to train on: `corpusdb guide homogeneity` explains the figures.
#
# Sources, references and tasks are names of collections and of files of lines. Methods raise InputError for what is
# missing, empty or too small, before anything is stored.


class Homogeneity:
    """Profiles, models of characters, similarity and selections of an open corpus; ``Corpus.homogeneity`` is one."""

    def __init__(self, store: Store, run: Runner) -> None:
        self._store = store
        self._run = run

    def train(
        self, name: str, language: str, sources: Sequence[str], *, replace: bool = False, progress: Watch | None = None
    ) -> ModelSummary:
        """Train a model of characters, of order 6 by modified Kneser-Ney in lower case, and keep it.

        >>> corpus.homogeneity.train("all", "eng", ["phrasebook"]).recipe.smoothing
        'mkn'
        """
        from corpusdb.homogeneity.queries.char_models import ModelRecipe, train_named_model

        job = train_named_model(self._store, language_code(language), name, sources, ModelRecipe(), replace=replace)
        return self._run(job, progress)

    def perplexity(self, model: str, texts: Sequence[str], *, progress: Watch | None = None) -> Perplexity:
        """How well a model that is kept foresees texts; ``bits_per_character`` is lower where it does so better.

        >>> model = corpus.homogeneity.train("all", "eng", ["phrasebook"])
        >>> known, strange = (
        ...     corpus.homogeneity.perplexity("all", [text]).perplexity
        ...     for text in ("Where is the hotel?", "Shares fell sharply.")
        ... )
        >>> known < 3 < 10 < strange
        True
        """
        from corpusdb.homogeneity.queries.char_models import perplexity_by, stored_model

        return self._run(perplexity_by(stored_model(self._store, model), texts), progress)

    def profile(
        self, language: str, spoken: Sequence[str], written: Sequence[str], *, progress: Watch | None = None
    ) -> ProfileReport:
        """Where lines, documents and collections stand between two references; the profile is kept.

        >>> from pathlib import Path
        >>> written = Path("news.txt").write_text("Shares fell sharply on Tuesday. Officials declined to comment.")
        >>> spoken = Path("talk.txt").write_text("Yeah, okay, sure thing. Hey, are you there? I don't know, sorry.")
        >>> report = corpus.homogeneity.profile("eng", ["talk.txt"], ["news.txt"])
        >>> [(level.level, level.coefficients.entries) for level in report.levels][1:]
        [('document', 8), ('collection', 1)]
        """
        from corpusdb.homogeneity.queries.profile_levels import profile_report
        from corpusdb.homogeneity.queries.profiles import ProfileRecipe, make_profile

        recipe = ProfileRecipe(spoken=tuple(spoken), written=tuple(written))
        made = self._run(make_profile(self._store, language_code(language), recipe), progress)
        return profile_report(self._store, made)

    def outliers(
        self, language: str, collection: str | None = None, *, limit: int = 20, progress: Watch | None = None
    ) -> OutlierReport:
        """The lines that belong least to the others, the strangest first; ``limit`` 0 is all.

        >>> [line.text for line in corpus.homogeneity.outliers("eng", limit=1).lines]
        ['Hi!']
        """
        from corpusdb.homogeneity.queries.likeness import outliers

        job = outliers(self._store, language_code(language), collection, limit=limit or None)
        return self._run(job, progress)

    def similarity(
        self, language: str, corpora: Sequence[str], measure: Measure = "chi2", *, progress: Watch | None = None
    ) -> SimilarityReport:
        """How unlike corpora are, with the homogeneity of each on the diagonal.

        >>> from pathlib import Path
        >>> english = corpus.sentences("eng")
        >>> for name, lines in (("odd.txt", english[1::2]), ("even.txt", english[::2]), ("first.txt", english[:500])):
        ...     size = Path(name).write_text("\\n".join(lines))
        >>> found = corpus.homogeneity.similarity("eng", ["odd.txt", "even.txt", "first.txt"])
        >>> found.table[0][1] < found.table[0][2]
        True
        """
        from corpusdb.homogeneity.queries.likeness import similarity

        return self._run(similarity(self._store, language_code(language), corpora, measure), progress)

    def select(
        self,
        language: str,
        task: Sequence[str],
        share: float,
        method: Method = "moore-lewis",
        *,
        progress: Watch | None = None,
    ) -> SelectionFound:
        """A share of the corpus (above 0, at most 1) to train on for a task, and what it is worth; nothing is kept.

        >>> from pathlib import Path
        >>> lines = [text for text in corpus.sentences("eng") if "beer" in text or "coffee" in text]
        >>> size = Path("task.txt").write_text("\\n".join(lines))
        >>> found = corpus.homogeneity.select("eng", ["task.txt"], 0.1)
        >>> found.in_task == len(lines), found.characters / found.pool_characters < 0.11
        (True, True)
        """
        from corpusdb.homogeneity.queries.selecting import SelectionRecipe, select_sentences

        recipe = SelectionRecipe(method=method, task=tuple(task), share=share)
        return self._run(select_sentences(self._store, language_code(language), recipe), progress)

    def nearness(self, language: str, texts: Sequence[str], *, progress: Watch | None = None) -> Nearness | None:
        """How far a test set stands from the corpus; None where it or the corpus is too small to tell.

        >>> corpus.homogeneity.nearness("eng", ["Shares fell sharply."]) is None
        True
        """
        from corpusdb.homogeneity.queries.likeness import corpus_nearness

        return self._run(corpus_nearness(self._store, language_code(language), texts), progress)
