"""Concordances: every match of a search with what stands before and behind it (key word in context).

A frequent pattern has a million lines; making, sorting and grouping them are jobs too, to be done step by step.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal, TypeAlias

import numpy as np

from corpusdb.jobs import Job, Progress, finished
from corpusdb.queries.corpus.occurrences import places_of
from corpusdb.queries.corpus.translations import translations_of
from corpusdb.queries.search.search import Hits
from corpusdb.store import Store
from corpusdb.text import has_undelimited_script

__all__ = ["Arrangement", "Concordance", "Group", "GroupBy", "Line", "Sorting"]

Sorting: TypeAlias = Literal["corpus", "left", "right", "match", "random"]
GroupBy: TypeAlias = Literal["match", "left", "right", "collection", "document", "translation"]


@dataclass(frozen=True, slots=True)
class Line:
    """One match with its context, which is the rest of its sentence."""

    sentence: int
    left: str
    match: str
    right: str


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which lines of a concordance are wanted, in which order."""

    sorting: Sorting = "corpus"
    """left, right: by the words next to the match, the nearest first, whatever their case."""
    sample: int | None = None
    """So many lines chosen at random; None = all."""
    seed: int = 1
    """Of the random choice and order."""


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
"""So many lines are looked at in one step of a job."""
_MATCHED = 200
"""In so many sentences the matches are looked for in one step: a pattern may be slow."""
_RUN = 10 * _STEP
"""So many lines are sorted at once; then what was sorted is merged."""


class Concordance:
    """The lines of a search, in the order of an arrangement."""

    def __init__(
        self, hits: Hits, arrangement: Arrangement | None = None, *, found: tuple[int, list[_Match]] | None = None
    ) -> None:
        """``found`` is what in_steps has found out; without it, everything is done here."""
        self.hits = hits
        self.arrangement = arrangement or Arrangement()
        total, self._matches = found or finished(_arranged(hits, self.arrangement))
        self.total = total
        """How many lines there were before any were chosen."""

    @classmethod
    def in_steps(cls, hits: Hits, arrangement: Arrangement | None = None) -> Job[Concordance]:
        """The same as Concordance(hits, arrangement), as a job."""
        found = yield from _arranged(hits, arrangement or Arrangement())
        return cls(hits, arrangement, found=found)

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
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return [Group(key, count, count / lines) for key, count in ordered]

    def of_group(self, by: GroupBy, key: str, store: Store, languages: Sequence[str] = ()) -> Job[Concordance]:
        """The lines that count in one group, in the same order, as a job."""
        chosen: list[_Match] = []
        for first, keys in self._keys(by, store, languages):
            chosen += [self._matches[first + place] for place, of_line in enumerate(keys) if key in of_line]
            yield Progress("lines", first + len(keys), len(self._matches))
        return Concordance(self.hits, self.arrangement, found=(len(chosen), chosen))

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


def _arranged(hits: Hits, arrangement: Arrangement) -> Job[tuple[int, list[_Match]]]:
    """How many matches there are, and those that are wanted, in the order that is wanted."""
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
    return total, found


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


_KEYS: dict[str, Callable[[Line], list[str]]] = {
    "left": _left_key,
    "right": _right_key,
    "match": lambda line: [line.match.casefold(), *_right_key(line)],
}
_GROUP_KEYS: dict[str, Callable[[Line], str]] = {
    "match": lambda line: line.match,
    "left": lambda line: (_words(line.left) or ["-"])[-1],
    "right": lambda line: (_words(line.right) or ["-"])[0],
}
