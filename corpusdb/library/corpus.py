"""An open corpus, and the steps from files to scored references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job, finished
from corpusdb.base.languages import language_code
from corpusdb.library.homogeneity import Homogeneity, Watch
from corpusdb.library.scores import scores_of

if TYPE_CHECKING:
    from corpusdb.chain.queries.importing import ImportOptions
    from corpusdb.chain.queries.overview import Overview
    from corpusdb.corpus.model import Explanation, GenerationReport, ImportReport, Paraphrase
    from corpusdb.corpus.queries.translations import Translation
    from corpusdb.corpus.store import Store
    from corpusdb.paraphrase.queries.exchanges import ExchangeReport
    from corpusdb.paraphrase.queries.filters import ListOptions
    from corpusdb.people.queries.decisions import AcceptReport
    from corpusdb.scoring.metrics.settings import Settings
    from corpusdb.scoring.queries.reference_sets import AttributedSet
    from corpusdb.scoring.queries.scoring import MetricScores
    from corpusdb.search.queries.request import SearchRequest
    from corpusdb.search.queries.search import Hits

__all__ = ["Corpus", "open"]

Result = TypeVar("Result")


def open(path: Path | str, *, create: bool = False, read_only: bool = False, damaged: bool = False) -> Corpus:
    """Open the database at ``path``; with ``create`` a missing one is made.

    One that is opened ``read_only`` never waits for a writer. Raises DatabaseMissing where there is no such file,
    NotADatabase, DatabaseTooNew, DatabaseLocked, and DatabaseDamaged for one that a check found damaged, unless
    ``damaged`` ones are wanted.

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
        from corpusdb.corpus.queries.translations import translations_of_sentence as translations_of

        with self._asked():
            sentence = sentence_id(self.store, self._language(language, text), normalise(text))
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
        (2, 25, 11)
        """
        from corpusdb.chain.queries.generation import generate
        from corpusdb.paraphrase.queries.filters import filter_at

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
        """The paraphrases of a sentence, detected, generated and exchanged, best first; ``limit`` 0 is all.

        Generated ones have a fluency order of ``order`` (20) or more, counted with the ``marks`` at the ends of a
        sentence or without; 0 lets all pass. They hold with the probability ``min_validity`` or more, where that is
        known; 0 is the filter of the paper, None the usual one, or with ``order`` 0 none. All have ``min_pivots``
        rewordings behind them or more, ``min_languages`` that show these, and ``min_shared`` translations that they
        share with the seed; less than 0 raises UsageError. A text that nothing was generated from yet is tried now, for
        which a database that is opened read-only raises DatabaseReadOnly.

        >>> [(each.text, each.frequency) for each in corpus.paraphrases("Where is the bus stop?")][:2]
        [("Where's the bus stop?", 51), ('Where do I find the bus stop?', 6)]
        >>> [(each.text, each.pivots) for each in corpus.paraphrases("Where is the bus stop?", min_pivots=20)]
        [("Where's the bus stop?", 42)]
        """
        from corpusdb.paraphrase.queries.filters import filter_and_thresholds
        from corpusdb.paraphrase.queries.paraphrases import paraphrases

        with self._asked():
            known = self._language(language, text)
            passing, least = filter_and_thresholds(**kept)
            # A limit holds for what reaches the thresholds, so that all are ranked first.
            ranked = paraphrases(self.store, text, known, limit=0, kept=passing)
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
        from corpusdb.paraphrase.queries.explanation import explain

        with self._asked():
            return explain(self.store, seed, candidate, self._language(language, seed), limit=limit)

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
            known = self._language(language, seed)
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
                >>> found.references[2].text, found.references[2].origins
                ('Where do I find the bus stop?', ('detected', 'generated'))
        """
        from corpusdb.paraphrase.queries.filters import filter_and_thresholds
        from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets, last_decision, usual_origins

        if not sources:
            return []
        with self._asked():
            known = self._language(language, sources[0])
            last = last_decision(self.store, known)
        chosen = tuple(origins or usual_origins())
        passing, least = filter_and_thresholds(**kept)
        recipe = Recipe(language=known, origins=chosen, kept=passing, limit=limit, least=least, decisions=last)
        return self.run(attributed_sets(self.store, sources, recipe), progress)

    def score(
        self,
        systems: Mapping[str, Sequence[str]],
        references: Sequence[AttributedSet],
        metrics: Sequence[str | Settings] = ("bleu",),
    ) -> list[MetricScores]:
        """The scores of each system by each metric against reference sets of the corpus; see ``corpusdb.score``.

        >>> sets = corpus.references(["Où est l'arrêt de bus ?"], "eng")
        >>> [bleu, edits] = corpus.score({"one": ["Where is a bus stop?"]}, sets, ["bleu", "mwer"])
        >>> float(bleu.scores[0]), round(float(edits.scores[0]), 2)
        (0.0, 0.17)
        """
        return scores_of(systems, [each.plain(number) for number, each in enumerate(references, 1)], metrics)

    def run(self, job: Job[Result], progress: Watch | None = None) -> Result:
        """Run any job of ``corpusdb.corpus.queries`` to its end.

        >>> from pathlib import Path
        >>> from corpusdb.chain.queries.maintenance import backup
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

    def _language(self, given: str | None, text: str) -> str:
        from corpusdb.paraphrase.queries.paraphrases import language_of

        found = language_code(given) if given else language_of(self.store, text)
        if found is None:
            raise UsageError(f"the corpus does not tell the language of {text!r}; name it")
        return found
