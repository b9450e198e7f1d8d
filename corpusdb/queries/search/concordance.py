"""Concordances: every match of a search with what stands before and after it (key word in context).

A frequent pattern has a million lines; making, sorting and grouping them are jobs too, to be done step by step.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from corpusdb.jobs import Job, Progress, finished
from corpusdb.queries.corpus.occurrences import places_of
from corpusdb.queries.corpus.translations import translations_of
from corpusdb.queries.search.arrangement import Arrangement, GroupBy, Sorting
from corpusdb.queries.search.search import Hits
from corpusdb.store import Store
from corpusdb.text import has_undelimited_script

__all__ = ["Concordance", "Group", "Line", "arrange_lines", "ordered_groups"]


@dataclass(frozen=True, slots=True)
class Line:
    """One match with its context, which is the rest of its sentence."""

    sentence: int
    left: str
    match: str
    right: str


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that have something in common."""

    key: str
    count: int
    share: float
    """Of all lines, 0 to 1."""


_Match: TypeAlias = tuple[int, int, int]
"""The index of a hit, and where in its sentence something matched."""

_STEP = 2_000
"""How many lines are looked at in one step of a job."""
_MATCHED = 200
"""In how many sentences the matches are looked for in one step: a pattern may be slow."""
_RUN = 10 * _STEP
"""How many lines are sorted at once; then what was sorted is merged."""


class Concordance:
    """Lines of a search in an order, as arrange_lines makes it."""

    def __init__(self, hits: Hits, total: int, matches: list[_Match]) -> None:
        self.hits = hits
        self.total = total
        """How many lines there were before any were chosen."""
        self._matches = matches

    def __len__(self) -> int:
        return len(self._matches)

    def lines(self, first: int = 0, count: int | None = None) -> list[Line]:
        """Some of the lines, in order."""
        last = len(self._matches) if count is None else first + count
        return [_line(self.hits, match) for match in self._matches[first:last]]

    def groups(self, by: GroupBy, store: Store, languages: Sequence[str] = ()) -> list[Group]:
        """How often each form, neighbour, place or translation occurs among the lines, most frequent first.

        A line whose sentence stands in several documents, or has several translations in ``languages`` (empty = all),
        counts in each of them, so that the shares can add up to more than 1.
        """
        return finished(self.grouping(by, store, languages))

    def grouping(self, by: GroupBy, store: Store, languages: Sequence[str] = ()) -> Job[list[Group]]:
        """The groups, as a job."""
        counts: Counter[str] = Counter()
        lines = len(self._matches)
        for first, keys in self._keys(by, store, languages):
            for of_line in keys:
                counts.update(of_line)
            yield Progress("lines", first + len(keys), lines)
        return ordered_groups(counts, lines)

    def of_group(self, by: GroupBy, key: str, store: Store, languages: Sequence[str] = ()) -> Job[Concordance]:
        """The lines that count in one group, in the same order, as a job."""
        chosen: list[_Match] = []
        for first, keys in self._keys(by, store, languages):
            chosen += [self._matches[first + place] for place, of_line in enumerate(keys) if key in of_line]
            yield Progress("lines", first + len(keys), len(self._matches))
        return Concordance(self.hits, len(chosen), chosen)

    def _keys(self, by: GroupBy, store: Store, languages: Sequence[str]) -> Iterator[tuple[int, list[tuple[str, ...]]]]:
        """The groups in which each line counts: for some lines at a time, with the index of the first."""
        for first in range(0, len(self._matches), _STEP):
            matches = self._matches[first : first + _STEP]
            if by in ("match", "left", "right"):
                key = _GROUP_KEYS[by]
                yield first, [(key(_line(self.hits, match)),) for match in matches]
                continue
            sentences = [int(self.hits.sentences[place]) for place, _, _ in matches]
            names = _names(by, store, sentences, languages)
            distinct = {each: tuple(dict.fromkeys(found)) or ("-",) for each, found in names.items()}
            yield first, [distinct[sentence] for sentence in sentences]


def ordered_groups(counts: Mapping[str, int], lines: int) -> list[Group]:
    """The groups of some lines by their counts, most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [Group(key, count, count / lines) for key, count in ordered]


def _names(by: GroupBy, store: Store, sentences: Sequence[int], languages: Sequence[str]) -> dict[int, list[str]]:
    """The translations of sentences, or where they stand."""
    if by == "translation":
        translations = translations_of(store, sentences, languages)
        return {each: [one.text for one in found] for each, found in translations.items()}
    places = places_of(store, sentences)
    if by == "collection":
        return {each: [one.collection for one in found] for each, found in places.items()}
    return {each: [f"{one.collection}/{one.document or one.file}" for one in found] for each, found in places.items()}


def _line(hits: Hits, match: _Match) -> Line:
    place, start, stop = match
    text = hits.text(place)
    return Line(int(hits.sentences[place]), text[:start], text[start:stop], text[stop:])


def arrange_lines(hits: Hits, arrangement: Arrangement | None = None) -> Job[Concordance]:
    """The concordance of some hits, as a job: every match, or those that are wanted, in the order that is wanted."""
    arrangement = arrangement or Arrangement()
    found: list[_Match] = []
    for first in range(0, len(hits), _MATCHED):
        last = min(first + _MATCHED, len(hits))
        found += [(place, *span) for place in range(first, last) for span in hits.spans(place)]
        yield Progress("sentences", last, len(hits))
    total, sample = len(found), arrangement.sample
    random = np.random.default_rng(arrangement.seed)
    if sample is not None and sample < total:
        found = [found[index] for index in sorted(random.choice(total, sample, replace=False).tolist())]
    if arrangement.sorting == "random":
        found = [found[index] for index in random.permutation(len(found)).tolist()]
    elif arrangement.sorting != "corpus":
        found = yield from _sorted(hits, found, _KEYS[arrangement.sorting])
    return Concordance(hits, total, found)


def _sorted(hits: Hits, found: list[_Match], key: Callable[[Line], list[str]]) -> Job[list[_Match]]:
    """The matches by the keys of their lines; ties stay as in the corpus."""
    runs: list[list[tuple[list[str], _Match]]] = []
    for first in range(0, len(found), _STEP):
        if first % _RUN == 0:
            runs.append([])
        runs[-1] += [(key(_line(hits, match)), match) for match in found[first : first + _STEP]]
        if len(runs[-1]) == _RUN:
            runs[-1].sort(key=itemgetter(0))
        yield Progress("lines read", min(first + _STEP, len(found)), len(found))
    if runs:
        runs[-1].sort(key=itemgetter(0))
    ordered: list[_Match] = []
    for _, match in heapq.merge(*runs, key=itemgetter(0)):
        ordered.append(match)
        if len(ordered) % _STEP == 0:
            yield Progress("lines sorted", len(ordered), len(found))
    return ordered


def _words(text: str) -> list[str]:
    """Words, or characters where the script does not delimit words."""
    return list(text.replace(" ", "")) if has_undelimited_script(text) else text.split()


def _left_key(line: Line) -> list[str]:
    return _words(line.left.casefold())[::-1]


def _right_key(line: Line) -> list[str]:
    return _words(line.right.casefold())


_KEYS: dict[Sorting, Callable[[Line], list[str]]] = {
    "left": _left_key,
    "right": _right_key,
    "match": lambda line: [line.match.casefold(), *_right_key(line)],
}
_GROUP_KEYS: dict[Sorting, Callable[[Line], str]] = {
    "match": lambda line: line.match,
    "left": lambda line: (_words(line.left) or ["-"])[-1],
    "right": lambda line: (_words(line.right) or ["-"])[0],
}
