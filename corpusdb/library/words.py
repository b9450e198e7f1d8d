"""What a concordancer counts, of an open corpus: the rows and figures of the commands of the same names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack, cast

from corpusdb.base.jobs import finished
from corpusdb.base.text import language_code

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.search.queries.collocations import Association
    from corpusdb.search.queries.frequencies import Keyness
    from corpusdb.search.queries.request import SearchRequest
    from corpusdb.search.queries.token_selection import TokenSelection

Row: TypeAlias = dict[str, Any]


Asking: TypeAlias = Callable[[], AbstractContextManager[None]]
"""What goes wrong in SQLite inside is told as an error of the program."""


class CountOptions(TypedDict, total=False):
    """What is counted, as the options of the same names say it."""

    attribute: str
    document: str
    where: Sequence[str]
    ignore_case: bool
    words_only: bool
    occurrences: bool
    least: int
    """Only what occurs at least so often."""


class PartOptions(CountOptions, total=False):
    """The same in a collection, selection or result."""

    collection: str


class Words:
    """Frequencies, collocates, keywords, concordances and translations; ``Corpus.words`` is one.

    Each gives a list of rows with the columns of the command of that name; ``pandas.DataFrame(rows)`` makes a frame.
    ``limit`` 0 is all of them. What is not found gives no row.
    """

    def __init__(self, store: Store, asked: Asking) -> None:
        self._store = store
        self._asked = asked

    def frequencies(
        self, language: str, *, ngram: int | tuple[int, int] = 1, limit: int = 50, **part: Unpack[PartOptions]
    ) -> list[Row]:
        """Words, or n-grams, by frequency; (2, 5) are those of two to five words.

        >>> [(row["text"], row["count"]) for row in corpus.words.frequencies("eng", words_only=True, limit=2)]
        [('I', 1616), ('the', 1088)]
        """
        from corpusdb.search.queries.frequencies import Count, frequency_list

        with self._asked():
            n, longest = (ngram, ngram) if isinstance(ngram, int) else ngram
            tokens, least = self._selection(language, part, part.get("collection")), part.get("least", 1)
            count = Count(tokens, n=n, least=least, longest=longest)
            return _rows(frequency_list(self._store, count, limit).rows)

    def collocates(
        self,
        word: str,
        language: str,
        *,
        measure: Association = "loglikelihood",
        window: int = 5,
        limit: int = 50,
        **part: Unpack[PartOptions],
    ) -> list[Row]:
        """The words near a word, or near several that follow each other, best first.

        >>> [(row["text"], row["count"]) for row in corpus.words.collocates("coffee", "eng", limit=2)]
        [('cup', 17), ('of', 17)]
        """
        from corpusdb.search.queries.collocations import Neighbourhood, collocates

        with self._asked():
            tokens = self._selection(language, part, part.get("collection"))
            near = Neighbourhood(tokens, word, left=window, right=window, least=part.get("least", 5))
            return _rows(collocates(self._store, near, measure, limit).rows)

    def keywords(
        self,
        collection: str,
        language: str,
        *,
        against: str | None = None,
        measure: Keyness = "loglikelihood",
        limit: int = 50,
        **part: Unpack[CountOptions],
    ) -> list[Row]:
        """Words that set a collection apart from another, or from all else.

        >>> found = corpus.words.keywords("phrasebook", "eng", document="airport.tsv", words_only=True, limit=2)
        >>> [row["text"] for row in found]
        ['flight', 'seat']
        """
        from corpusdb.search.queries.frequencies import KeywordComparison, keywords

        with self._asked():
            target = self._selection(language, part, collection)
            comparison = KeywordComparison(target, against, least=part.get("least"))
            return _rows(keywords(self._store, comparison, measure, limit).rows)

    def translations(
        self, word: str, language: str, other: str, *, where: Sequence[str] = (), limit: int = 0
    ) -> list[Row]:
        """What a word, a phrase or the matches of a CQP query are aligned with in another language, as `corpusdb align`
        found it, most often first.

        >>> from pathlib import Path
        >>> from corpusdb.alignment.queries.corpus_alignment import align_languages
        >>> _ = Path("tea.tsv").write_text("tea\\tthé\\nhot tea\\tthé chaud\\n" * 4, encoding="utf-8")
        >>> with corpusdb.open("tea.db", create=True) as other:
        ...     report = other.import_files(["tea.tsv"], ["eng", "fra"])
        ...     _ = other.run(align_languages(other.store, "eng", "fra"))
        ...     [row] = other.words.translations("tea", "eng", "fra")
        >>> row["text"]
        'thé'
        """
        from corpusdb.alignment.queries.phrase_places import AlignedPhrase, translations_where
        from corpusdb.search.patterns import meant_mode
        from corpusdb.search.queries.request import SearchRequest
        from corpusdb.search.queries.search import Searcher

        with self._asked():
            asked = AlignedPhrase(language_code(language), word, language_code(other), None, where=tuple(where))
            hits = None
            if meant_mode(word, "word") == "cqp":
                request = SearchRequest(word, cqp=True, where=asked.where)
                hits = Searcher(self._store).find(request.search(asked.language))
            return _rows(translations_where(self._store, asked, limit, hits=hits).members)

    def lines(self, request: SearchRequest | str, language: str = "", *, limit: int = 0) -> list[Row]:
        """The lines of a concordance: the number of the sentence, left, match and right.

        A request in full says what `corpusdb search --kwic` has options for; a string is looked for as it stands.

        >>> [(row["left"], row["match"], row["right"]) for row in corpus.words.lines("bus stop", "eng", limit=1)]
        [("Where's the ", 'bus stop', '?')]
        """
        from corpusdb.search.queries.concordance import arrange_lines
        from corpusdb.search.queries.request import SearchRequest
        from corpusdb.search.queries.search import Searcher, searches

        asked = SearchRequest(request, lang=language) if isinstance(request, str) else request
        rows: list[Row] = []
        with self._asked(), self._store.snapshot():
            searcher = Searcher(self._store)
            for search in searches(self._store, asked.for_lines):
                lines = finished(arrange_lines(searcher.find(search), asked.for_lines.arrangement)).lines()
                texts = ((line.sentence, line.left, line.match, line.right) for line in lines)
                rows += [dict(zip(("id", "left", "match", "right"), each, strict=True)) for each in texts]
        return rows[: limit or None]

    def _selection(self, language: str, part: CountOptions, collection: str | None) -> TokenSelection:
        from corpusdb.corpus.queries.attributes import documents_where
        from corpusdb.search.queries.token_selection import TokenSelection, require_language

        return TokenSelection(
            require_language(self._store, language_code(language)),
            collection,
            documents_where(part.get("document"), part.get("where", ())),
            part.get("ignore_case", False),
            part.get("words_only", False),
            attribute=part.get("attribute", "word"),
            occurrences=part.get("occurrences", False),
        )


def _rows(values: Iterable[object]) -> list[Row]:
    return [asdict(cast("Any", each)) for each in values]
