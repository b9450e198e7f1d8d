"""What a query of tokens matches in sentences, and over several of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.arrays import I64, Bools, distinct
from corpusdb.base.jobs import Limit
from corpusdb.base.text import LOOK_ALIKES, as_typed
from corpusdb.search.matches import LanguageText, Span, TokenMatching, types_chosen

if TYPE_CHECKING:
    from corpusdb.search.cqp_syntax import Query
    from corpusdb.search.token_corpus import DocumentOrder, TokenCorpus


class MatchPiece(NamedTuple):
    """What a match over several sentences has in one of them."""

    sentence: int
    """Its index."""
    span: Span
    spot: tuple[int, int, int]
    """The number of the file, of the section or 0, and the line where the sentence stands in this match."""


WholeMatch: TypeAlias = list[list[MatchPiece]]
"""A match over sentences, each time that these stand so: its pieces."""


_Place: TypeAlias = tuple[int, int, int]
"""The index of a sentence, and in it the first token and the one behind the last."""

_HYPHENS = frozenset(f"-{LOOK_ALIKES['-']}")


class QueryMatching(TokenMatching):
    """The sentences that hold a match of a CQP query, or a part of one; matches may overlap.

    ``order`` is needed for a query whose matches may stand in several sentences, or begin in some places only.
    """

    def __init__(
        self,
        text: LanguageText,
        corpus: TokenCorpus,
        query: Query,
        limit: Limit | None = None,
        order: DocumentOrder | None = None,
        begins: Bools | None = None,
    ) -> None:
        """``begins``: for each sentence in the order whether a match may begin there."""
        from corpusdb.search.cqp import expanded, find
        from corpusdb.search.token_corpus import places_in_sentences, stream_in_order

        stream = corpus.stream if order is None else stream_in_order(corpus.stream, order)
        closes = np.append(~order.follows[1:], True) if order is not None and query.closes else None
        found = find(query, stream, begins=begins, closes=closes, limit=limit)
        matches = found if query.expansion is None else expanded(found, query.expansion, stream)
        self._stream, self._found, self._matches = stream, found, matches
        self._order = None if order is None else order.sentences
        self._spots = np.empty((0, 3), dtype=np.int64) if order is None else order.spots
        super().__init__(text, corpus, places_in_sentences(matches, stream, self._order))

    @property
    def is_of_places(self) -> bool:
        """Whether matches are of sentences where they stand, as those that may reach over several of them."""
        return self._order is not None

    def wholes(self) -> list[WholeMatch]:
        """The different matches of a query that asks where sentences stand, by where they first do; of another none."""
        found = []
        for places, times in self._different().items():
            spans = [self._span(*place) for place in places]
            spots = [[self._spots[at].tolist() for at, *_ in rows] for rows in times]
            found.append(
                [
                    [
                        MatchPiece(place[0], span, (document, section, line))
                        for place, span, (document, section, line) in zip(places, spans, each, strict=True)
                    ]
                    for each in spots
                ]
            )
        return found

    def _different(self) -> dict[tuple[_Place, ...], list[list[list[int]]]]:
        """The matches by what they have in sentences, with all that are the same, as ``pieces_of`` has them."""
        from corpusdb.search.token_corpus import pieces_of

        found: dict[tuple[_Place, ...], list[list[list[int]]]] = {}
        if self._order is not None:
            for _, pieces in groupby(pieces_of(self._matches, self._stream).tolist(), key=itemgetter(4)):
                rows = [*pieces]
                places = tuple((int(self._order[at]), start, stop) for at, start, stop, *_ in rows)
                found.setdefault(places, []).append(rows)
        return found

    def keep_first(self, count: int, hits: I64) -> None:
        """Keep so many different matches, the first of those with something in some sentences."""
        from corpusdb.search.token_corpus import places_in_sentences

        if self._order is None:
            self._places = self._places[np.isin(self._places[:, 0], hits)][:count]
        else:
            there = frozenset(hits.tolist())
            found = self._different().items()
            kept = [times for places, times in found if any(place[0] in there for place in places)][:count]
            numbers = np.array([rows[0][4] for times in kept for rows in times], dtype=np.int64)
            self._matches = self._matches.where(np.isin(np.arange(len(self._matches)), numbers))
            self._places = places_in_sentences(self._matches, self._stream, self._order)
        self.indexes = distinct(self._places[:, 0])

    def only_over_hyphens(self) -> I64:
        """The indexes of the sentences of which every match has a hyphen between its first and its last token."""
        return self._only_with(lambda text: text in _HYPHENS, inside=True)

    def only_alike(self, alike: str) -> I64:
        """Those of which every match has a token in which something only looks like these keys of text.LOOK_ALIKES."""
        return self._only_with(lambda text: as_typed(text, alike) != text)

    def _only_with(self, is_meant: Callable[[str], bool], *, inside: bool = False) -> I64:
        """The sentences of which each match has a token of some types; ``inside``: between its first and its last.

        Of matches that begin with the same token only the shortest is known, and the longer have what it has.
        """
        from corpusdb.search.token_corpus import places_in_sentences

        numbers = [number for number, text in enumerate(self._corpus.types) if is_meant(text)]
        if not numbers or not len(self._found):
            return np.empty(0, dtype=np.int64)
        before = np.cumsum(np.append(0, types_chosen(numbers, len(self._corpus.types))[self._stream.tokens]))
        start, stop = self._found.start + inside, self._found.stop - inside
        others = self._found.where(before[stop] <= before[start])
        return np.setdiff1d(self.indexes, places_in_sentences(others, self._stream, self._order)[:, 0])
