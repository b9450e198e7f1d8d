"""The words of a line of a concordance, and those beside its match, and what is known of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.text import is_word
from corpusdb.search.matches import Span
from corpusdb.search.queries.request import Arrangement, ContextWidth, sort_keys
from corpusdb.search.queries.search import Hits

if TYPE_CHECKING:
    from corpusdb.search.token_corpus import TokenCorpus


Spot: TypeAlias = tuple[int, int]
"""Where a sentence occurs: the number of the file, and the line in it."""


class LineMatch(NamedTuple):
    hit: int
    """Its index."""
    start: int
    stop: int
    """Where in its sentence something matched."""
    spot: Spot | None = None
    """At which occurrence; None: at all of them."""
    more: tuple[LineMatch, ...] = ()
    """What it has in the sentences that follow, where it reaches over several."""

    @property
    def pieces(self) -> tuple[LineMatch, ...]:
        return (self, *self.more)


ENDS: Mapping[str, slice] = {"matchstart": slice(0, 1), "matchend": slice(-1, None)}
"""Of the words of a match the first, which CQP calls match, and the last."""
WORDS = frozenset({"match", "target", *ENDS})
"""Keys of words, beside those of words beside the match."""


class TokenValues:
    """What is known of the tokens of annotated sentences: lemmas, tags ..."""

    def __init__(self, corpus: TokenCorpus, attribute: str) -> None:
        """Raises InputError for an attribute that no language has."""
        from corpusdb.search.queries.annotated_corpus import by_attribute

        self._corpus = corpus
        self._known = by_attribute(corpus, attribute)

    def of_sentence(self, sentence: int) -> list[tuple[int, int, str]]:
        """Where each token begins and ends in the text, and its value; none of a sentence that is not annotated."""
        corpus, annotated = self._corpus, self._corpus.annotated
        index = int(np.searchsorted(corpus.sentences, sentence))
        if annotated is None or not annotated.sentences[index]:
            return []
        tokens = slice(int(corpus.ends[index]) - int(corpus.lengths[index]), int(corpus.ends[index]))
        values = map(self._known.types.__getitem__, self._known.tokens[tokens].tolist())
        return list(zip(annotated.begins[tokens].tolist(), annotated.ends[tokens].tolist(), values, strict=True))

    def of_span(self, sentence: int, span: Span) -> list[tuple[int, int, str]]:
        return [each for each in self.of_sentence(sentence) if span[0] <= each[0] < each[1] <= span[1]]


def _words(text: str) -> list[str]:
    """Words and punctuation marks as frequencies count them; characters are words in a script that delimits none."""
    return [token for run in text.split() for token in _tokens(run)]


@lru_cache(1 << 16)
def _tokens(run: str) -> tuple[str, ...]:
    """What stands between two spaces, cut; the same comes again and again."""
    from corpusdb.search.token_corpus import tokenise

    return tuple(tokenise(run))


BESIDE_MATCH: Mapping[str, tuple[bool, int]] = {
    "left": (True, 0),
    "2L": (True, 1),
    "3L": (True, 2),
    "right": (False, 0),
    "2R": (False, 1),
    "3R": (False, 2),
}
"""Of the words beside a match, the nearest first: whether those on its left, and how many are left out."""


def key_words(hits: Hits, match: LineMatch, by: str, *, words_only: bool = False) -> Iterator[str]:
    """The words that a line is sorted by, and grouped by the first of: none without a target, or words beside it.

    ``words_only``: what stands beside it without punctuation marks.
    """
    place, start, stop, *_ = match
    text = hits.text(place)
    if by in BESIDE_MATCH:
        is_left, first = BESIDE_MATCH[by]
        start, stop = _whole_words(text, start, stop)
        words = _words(text[:start])[::-1] if is_left else _words(text[stop:])
        yield from islice(filter(is_word, words) if words_only else words, first, None)
    elif (span := _span_of(hits, match, by)) is not None:
        yield text[slice(*span)]
        yield from _words(text[stop:])


def piece_of(hits: Hits, match: LineMatch, by: str) -> LineMatch:
    """That of the pieces of a match beside which, or in which, the word stands that is asked for."""
    if by == "matchend" or (by in BESIDE_MATCH and not BESIDE_MATCH[by][0]):
        return match.pieces[-1]
    if by == "target" and match.more:
        having = (each for each in match.pieces if hits.target(each.hit, (each.start, each.stop)) is not None)
        return next(having, match)
    return match


def _span_of(hits: Hits, match: LineMatch, by: str) -> Span | None:
    """Where the match stands, or the target in it, or its first or last word."""
    place, start, stop, *_ = match
    if by == "target":
        return hits.target(place, (start, stop))
    if by in ENDS:
        return next(iter(_word_spans(hits.text(place)[:stop], start)[ENDS[by]]), None)
    return start, stop


def key_spans(hits: Hits, match: LineMatch, arrangement: Arrangement) -> list[Span]:
    """Where in its sentence the words stand by which a line is sorted, but for the match, and those farther away."""
    place, start, stop, *_ = match
    found: list[Span | None] = []
    for key in sort_keys(arrangement.sorting):
        if key.kind in WORDS - {"match"}:
            found.append(_span_of(hits, match, key.kind))
        elif key.kind in BESIDE_MATCH:
            is_left, first = BESIDE_MATCH[key.kind]
            text = hits.text(place)
            begin, end = _whole_words(text, start, stop)
            spans = _word_spans(text[:begin]) if is_left else _word_spans(text, end)
            kept = [span for span in spans if not arrangement.words_only or is_word(text[slice(*span)])]
            found.append(next(islice(reversed(kept) if is_left else kept, first, None), None))
    return [span for span in found if span is not None]


def _whole_words(text: str, start: int, stop: int) -> Span:
    """A match with the rest of the words that it begins and ends in: a string may be found within words, and what is
    left of these stands beside nothing."""
    if not any(len(text[place - 1 : place + 1].strip()) == 2 for place in (start, stop) if place):
        return start, stop
    spans = _word_spans(text)
    begin = next((first for first, last in spans if first < start < last), start)
    return begin, next((last for first, last in spans if first < stop < last), stop)


def _word_spans(text: str, end: int = 0) -> list[Span]:
    """Where the words of a text stand, or of what is behind a place of it."""
    spans: list[Span] = []
    for word in _words(text[end:]):
        end = text.index(word, end) + len(word)
        spans.append((end - len(word), end))
    return spans


def cut_context(left: str, right: str, width: ContextWidth) -> tuple[str, str]:
    """No more of what stands before and after a match than is wanted of each, the nearest."""
    if not width.in_words:
        return left[-width.most :], right[: width.most]
    before, after = _word_spans(left)[-width.most :], _word_spans(right)[: width.most]
    return left[before[0][0] if before else 0 :], right[: after[-1][1] if after else None]
