"""The corpus database as a library: what ``import corpusdb`` offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, Unpack

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.base.text import language_code
from corpusdb.library.evaluation import agreement, check_lists, compare, metric, score
from corpusdb.library.words import Words

if TYPE_CHECKING:
    from corpusdb.chain.queries.importing import ImportOptions
    from corpusdb.chain.queries.overview import Overview
    from corpusdb.corpus.model import Explanation, GenerationReport, ImportReport, Paraphrase
    from corpusdb.corpus.queries.sentences import Translation
    from corpusdb.corpus.store import Store
    from corpusdb.homogeneity.queries.char_models import ModelSummary, Perplexity
    from corpusdb.homogeneity.queries.likeness import Measure, OutlierReport, SimilarityReport
    from corpusdb.homogeneity.queries.profile_levels import ProfileReport
    from corpusdb.homogeneity.queries.selecting import Method, SelectionFound
    from corpusdb.homogeneity.similarity import Nearness
    from corpusdb.paraphrase.queries.exchanges import ExchangeReport
    from corpusdb.paraphrase.queries.filters import ListOptions
    from corpusdb.paraphrase.queries.paraphrases import Generations
    from corpusdb.people.queries.decisions import AcceptReport
    from corpusdb.scoring.metric_settings import MetricSettings
    from corpusdb.scoring.queries.attributed import AttributedSet
    from corpusdb.scoring.queries.scoring import MetricScores
    from corpusdb.search.queries.request import SearchRequest
    from corpusdb.search.queries.search import Hits

__all__ = ["Corpus", "Homogeneity", "Words", "agreement", "compare", "metric", "open", "score"]

# Who is told how far a job of the library has come.

Result = TypeVar("Result")
Watch: TypeAlias = Callable[[Progress], None]
"""Is told every step of a job; what it raises ends the job, and what was committed stays."""


class JobRunner(Protocol):
    """Runs a job to its end."""

    def __call__(self, job: Job[Result], progress: Watch | None = None) -> Result:
        """What the job gives; its steps are told to ``progress``."""


# What is in a corpus, and which part of it to train on: `corpusdb guide homogeneity` explains the figures. Sources,
# references and tasks are names of collections and of files of lines. Methods raise InputError for what is missing,
# empty or too small, before anything is stored.


class Homogeneity:
    """Profiles, models of characters, similarity and selections of an open corpus; ``Corpus.homogeneity`` is one."""

    def __init__(self, store: Store, run: JobRunner) -> None:
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

        check_lists(sources=sources)
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

        check_lists(texts=texts)
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

        check_lists(spoken=spoken, written=written)
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

        check_lists(corpora=corpora)
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

        check_lists(task=task)
        recipe = SelectionRecipe(method=method, task=tuple(task), share=share)
        return self._run(select_sentences(self._store, language_code(language), recipe), progress)

    def nearness(self, language: str, texts: Sequence[str], *, progress: Watch | None = None) -> Nearness | None:
        """How far a test set stands from the corpus; None where it or the corpus is too small to tell.

        >>> corpus.homogeneity.nearness("eng", ["Shares fell sharply."]) is None
        True
        """
        from corpusdb.homogeneity.queries.likeness import corpus_nearness

        check_lists(texts=texts)
        return self._run(corpus_nearness(self._store, language_code(language), texts), progress)


# An open corpus, and the steps from files to scored references.


def _language(store: Store, given: str | None, text: str) -> str:
    from corpusdb.corpus.queries.meant_language import language_of

    found = language_code(given) if given else language_of(store, text)
    if found is None:
        raise UsageError(f"the corpus does not tell the language of {text!r}; name it")
    return found


def open(path: Path | str, *, create: bool = False, read_only: bool = False, damaged: bool = False) -> Corpus:
    """Open the database at ``path``; with ``create`` a missing one is made.

    One that is opened ``read_only`` never waits for a writer. Raises DatabaseMissing where there is no such file,
    NotADatabase, DatabaseTooNew, DatabaseTooOld, DatabaseLocked, and DatabaseDamaged for one that a check found
    damaged, unless ``damaged`` ones are wanted.

    >>> import corpusdb
    >>> with corpusdb.open("phrasebook.db", read_only=True) as corpus:
    ...     corpus.languages()
    ['eng', 'fra', 'jpn']
    """
    from corpusdb.corpus.store import open_for_reading, open_store

    path = Path(path)
    return Corpus(
        open_for_reading(path, damaged=damaged) if read_only else open_store(path, create=create, damaged=damaged)
    )


class Corpus:
    """An open database; it belongs to the thread that opened it, and is closed at the end of a ``with`` block.

    A language is an ISO 639 code, of two letters or three. Where one may be left out, the corpus tells it by the
    text, or UsageError is raised.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        """For the functions of ``corpusdb.corpus.queries``."""
        self.homogeneity = Homogeneity(store, self.run)
        """What is in the corpus, and which part of it to train on."""
        self.words = Words(store, self._asked)
        """What a concordancer counts: frequencies, collocates, keywords, concordances, translations of words."""
        self._generations: Generations | None = None
        """Of paraphrases, from the first on: what is read for one sentence is held for the next ones."""

    def __enter__(self) -> Corpus:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; again does nothing.

        >>> corpus = corpusdb.open("phrasebook.db")
        >>> corpus.close()
        """
        self.store.close()

    def languages(self) -> list[str]:
        """The languages of its sentences, as codes of three letters.

        >>> corpus.languages()
        ['eng', 'fra', 'jpn']
        """
        from corpusdb.corpus.queries.sentences import languages_of

        with self._asked():
            return languages_of(self.store)

    def overview(self) -> Overview:
        """What the database holds: collections, languages, counts of derived rows, and the latest runs.

        >>> [(each.name, each.documents, each.licence) for each in corpus.overview().collections]
        [('phrasebook', 8, 'CC0-1.0')]
        """
        from corpusdb.chain.queries.overview import overview

        with self._asked():
            return overview(self.store)

    def sentences(self, language: str) -> list[str]:
        """The different sentences of a language, in the order in which they came.

        >>> corpus.sentences("eng")[:2]
        ['Where do I check in?', 'Where should I check in?']
        """
        from corpusdb.corpus.queries.sentences import sentences_after

        with self._asked():
            return [text for _, text in sentences_after(self.store, language_code(language), 0)]

    def translations(self, text: str, language: str | None = None, *, distance: int = 1) -> list[Translation]:
        """The translations of a sentence, nearest first; with ``distance`` 2 also those of its translations.

        >>> [(each.language, each.text) for each in corpus.translations("Where is the bus stop?", "eng")][:1]
        [('fra', "Où est l'arrêt de bus ?")]
        """
        from corpusdb.base.text import normalise
        from corpusdb.corpus.queries.sentences import sentence_id
        from corpusdb.corpus.queries.sentences import translations_of_sentence as translations_of

        with self._asked():
            sentence = sentence_id(self.store, _language(self.store, language, text), normalise(text))
            return [] if sentence is None else translations_of(self.store, [sentence], distance=distance)[sentence]

    def import_files(
        self,
        files: Sequence[Path | str],
        languages: Sequence[str] = (),
        *,
        name: str | None = None,
        format: str | None = None,
        progress: Watch | None = None,
        **how: Unpack[ImportOptions],
    ) -> ImportReport:
        """Import files into one collection, and bring what was derived up to date.

        ``languages`` are those of the columns or files, for formats that do not tell them. ``name`` is that of the
        collection, ``format`` one of `corpusdb import`; both follow from the files if not given. Files that were
        imported before add nothing. ``licence`` is that of the collection; up to ``skip_bad`` (0) bad lines are
        skipped, and told in the report. Raises InputError, with file and line, before anything is stored.

        >>> from corpusdb.phrasebook import phrasebook_files
        >>> with corpusdb.open("hotel.db", create=True) as other:
        ...     report = other.import_files(phrasebook_files()[3:4], ["en", "ja", "fr"], name="hotel")
        >>> report.read, report.sentences, report.rejected
        (922, 1555, 0)
        """
        from corpusdb.chain.queries.importing import collection_name, import_files
        from corpusdb.corpus.formats import Options, open_sources

        check_lists(files=files, languages=languages)
        paths = [Path(file) for file in files]
        if not paths:
            raise UsageError("no file is given")
        sources = open_sources(format, paths, Options(languages=tuple(languages), skip_bad=how.get("skip_bad", 0) > 0))
        collection = name or collection_name(paths[0])
        return self.run(import_files(self.store, sources, collection, **how), progress)

    def generate(
        self,
        language: str,
        seeds: Sequence[str] | None = None,
        *,
        order: int = 20,
        min_validity: float | None = None,
        progress: Watch | None = None,
    ) -> GenerationReport:
        """Generate paraphrases by analogy, from all sentences or from some seeds, which the corpus need not hold.

        What that needs is made or brought up to date first. The report counts the candidates that pass the filter
        of ``paraphrases``; all are stored, so that the filter can be moved.

        >>> report = corpus.generate("eng", ["A beer, please.", "Where is the bus stop?"])
        >>> report.seeds, report.candidates, report.kept
        (2, 25, 6)
        """
        from corpusdb.chain.queries.generation import generate
        from corpusdb.paraphrase.queries.filters import filter_at

        check_lists(seeds=seeds or ())
        given = None if seeds is None else list(seeds)
        kept = filter_at(order, min_validity=min_validity)
        return self.run(generate(self.store, language_code(language), given, kept), progress)

    def paraphrases(
        self,
        text: str,
        language: str | None = None,
        *,
        limit: int = 20,
        **kept: Unpack[ListOptions],
    ) -> list[Paraphrase]:
        """The paraphrases of a sentence, detected, generated and exchanged, different ones first; ``limit`` 0 is all.

        Generated ones have a fluency order of ``order`` (20) or more, counted with the ``marks`` at the ends of a
        sentence or without; 0 lets all pass. They hold with the probability ``min_validity`` or more, where that is
        known; 0 is the filter of the paper, None the usual one, or with ``order`` 0 none. ``real`` leaves out those
        that differ from the sentence in capitals, marks and contractions alone. All have ``min_pivots``
        rewordings behind them or more, ``min_languages`` that show these, and ``min_shared`` translations that they
        share with the seed; less than 0 raises UsageError. A text that nothing was generated from yet is tried now, for
        which a database that is opened read-only raises DatabaseReadOnly.

        >>> [(each.text, each.frequency) for each in corpus.paraphrases("Where is the bus stop?")]
        [('Where do I find the bus stop?', 6), ("Where's the bus stop?", 51)]
        >>> [(each.text, each.pivots) for each in corpus.paraphrases("Where is the bus stop?", min_pivots=20)]
        [("Where's the bus stop?", 42)]
        """
        from corpusdb.paraphrase.queries.filters import filter_and_thresholds
        from corpusdb.paraphrase.queries.paraphrases import generations_of, paraphrases

        with self._asked():
            known = _language(self.store, language, text)
            self._generations = self._generations or generations_of(self.store)
            passing, least = filter_and_thresholds(**kept)
            # A limit holds for what reaches the thresholds, so that all are ranked first.
            ranked = paraphrases(self.store, text, known, limit=0, kept=passing, generations=self._generations)
        return [each for each in ranked if least.accepts(each)][: limit or None]

    def explain(self, seed: str, candidate: str, language: str | None = None, *, limit: int = 10) -> Explanation:
        """What stands behind a paraphrase: analogies, the best attested first, and translations; ``limit`` 0 is all.

        >>> found = corpus.explain("Where is the bus stop?", "Where are the bus stops?", limit=1)
        >>> found.total
        2
        >>> one = found.analogies[0]
        >>> f"{one.a} : {one.b} :: {one.c} : {one.d}"
        "Where's the restroom? : Where is the restroom? :: Where's the bus stop? : Where is the bus stop?"
        """
        from corpusdb.paraphrase.queries.paraphrases import explain

        with self._asked():
            return explain(self.store, seed, candidate, _language(self.store, language, seed), limit=limit)

    def exchanges(self, one: str, other: str, language: str, *, limit: int = 10) -> ExchangeReport | None:
        """How often sentences that differ by these words alone share a translation, with ``limit`` examples; 0 is all.

        None where no two sentences do.

        >>> corpus.exchanges("Where's", "Where is", "eng").total.shared
        43
        """
        from corpusdb.paraphrase.queries.exchanges import exchange_report

        with self._asked():
            return exchange_report(self.store, language_code(language), one, other, limit)

    def accept(
        self, seed: str, candidate: str, language: str | None = None, *, progress: Watch | None = None
    ) -> AcceptReport:
        """Take a paraphrase into the corpus, with the translations of its seed; what was derived is brought up to date.

        >>> corpus.accept("Where is the bus stop?", "Where would I find a bus stop?").translations
        4
        """
        from corpusdb.people.queries.decisions import accept

        with self._asked():
            known = _language(self.store, language, seed)
        return self.run(accept(self.store, seed, candidate, known), progress)

    def search(self, request: SearchRequest | str, language: str = "") -> list[Hits]:
        """The sentences that a search finds: one value for each of its languages, or for each of the corpus.

        A request in full says what `corpusdb search` has options for; a string is looked for as it stands. What is
        only of how hits are shown, such as the limit, does not matter here.

        >>> [hits] = corpus.search("bus stop", "eng")
        >>> len(hits), hits.text(0), hits.spans(0)
        (7, "Where's the bus stop?", [(12, 20)])
        >>> from corpusdb.search.queries.request import SearchRequest
        >>> [hits] = corpus.search(SearchRequest('"bus" [word="st.*"]', lang="eng", cqp=True))
        >>> len(hits)
        7
        """
        from corpusdb.search.queries.request import SearchRequest
        from corpusdb.search.queries.search import Searcher, searches

        if isinstance(request, str):
            request = SearchRequest(request, lang=language)
        with self._asked():
            searcher = Searcher(self.store)
            return [searcher.find(search) for search in searches(self.store, request)]

    def references(
        self,
        sources: Sequence[str],
        language: str | None = None,
        *,
        origins: Sequence[str] | None = None,
        limit: int = 20,
        progress: Watch | None = None,
        **kept: Unpack[ListOptions],
    ) -> list[AttributedSet]:
        """Reference sets: for each source its translations into ``language`` and their paraphrases, with their origins.

        A source may be of that language itself. ``origins`` are some of original, accepted, detected, generated and
        exchanged; ``kept`` are options of ``paraphrases``. A set is empty where the corpus has nothing. What was
        rejected in sessions is left out, and stands as ``rejected``.

                >>> [found] = corpus.references(["Où est l'arrêt de bus ?"], "eng", limit=3)
                >>> found.references[0].text, found.references[0].origins
                ("Where's the bus stop?", ('original', 'detected', 'generated'))
        """
        from corpusdb.paraphrase.queries.filters import filter_and_thresholds
        from corpusdb.paraphrase.queries.paraphrases import last_decision
        from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets, usual_origins

        check_lists(sources=sources, origins=origins or ())
        if not sources:
            return []
        with self._asked():
            known = _language(self.store, language, sources[0])
            last = last_decision(self.store, known)
        chosen = tuple(origins or usual_origins())
        passing, least = filter_and_thresholds(**kept)
        recipe = Recipe(language=known, origins=chosen, kept=passing, limit=limit, least=least, decisions=last)
        return self.run(attributed_sets(self.store, sources, recipe), progress)

    def score(
        self,
        systems: Mapping[str, Sequence[str]],
        references: Sequence[AttributedSet],
        metrics: Sequence[str | MetricSettings] = ("bleu",),
    ) -> list[MetricScores]:
        """The scores of each system by each metric against reference sets of the corpus; see ``corpusdb.score``.

        >>> sets = corpus.references(["Où est l'arrêt de bus ?"], "eng")
        >>> [bleu, edits] = corpus.score({"one": ["Where is a bus stop?"]}, sets, ["bleu", "mwer"])
        >>> float(bleu.scores[0]), round(float(edits.scores[0]), 2)
        (0.0, 0.17)
        """
        return score(systems, references, metrics)

    def scores(self, test_set: int | None = None, *, segments: bool = False) -> list[dict[str, Any]]:
        """The stored scores of a test set, imported ones and those of people too: a row for each, or for each segment.

        The test set is numbered as in `corpusdb scores list`; without a number it is the one scored last.
        ``pandas.DataFrame(corpus.scores())`` makes a frame of the rows.

        >>> corpus.scores()
        []
        """
        from corpusdb.scoring.queries.score_table import stored_rows

        with self._asked():
            return stored_rows(self.store, test_set, segments=segments)

    def run(self, job: Job[Result], progress: Watch | None = None) -> Result:
        """Run any job of ``corpusdb.corpus.queries`` to its end.

        >>> from pathlib import Path
        >>> from corpusdb.chain.queries.repair import backup
        >>> corpus.run(backup(corpus.store, Path("copy.db"))).name
        'copy.db'
        """
        with self._asked():
            return finished(job, progress)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """What goes wrong in SQLite is told as an error of the program, also that the file has changed underneath."""
        from corpusdb.corpus.store.connection import translated_errors

        with translated_errors(self.store.path):
            yield
            self.store.require_current()
