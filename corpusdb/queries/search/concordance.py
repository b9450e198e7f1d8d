"""Concordances: every match of a search with what stands before and after it (key word in context).

A frequent pattern has a million lines; making, sorting and grouping them are jobs too, to be done step by step.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import numpy as np

from corpusdb.jobs import Job, Progress, finished
from corpusdb.queries.corpus.occurrences import Place, places_of
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.corpus.translations import translations_of
from corpusdb.queries.search.arrangement import Arrangement, GroupBy, Sorting
from corpusdb.queries.search.search import Hits
from corpusdb.store import Store
from corpusdb.text import has_undelimited_script
from corpusdb.textsearch.token_corpus import tokenise

__all__ = ["Concordance", "Group", "GroupKey", "Line", "LinePlace", "arrange_lines", "ordered_groups", "place_of"]


@dataclass(frozen=True, slots=True)
class Line:
    """One match with its context, which is the rest of its sentence."""

    sentence: int
    left: str
    match: str
    right: str


class LinePlace(NamedTuple):
    """A match: its sentence, and where in it, in Unicode characters."""

    sentence: int
    start: int
    stop: int
    """Behind the last character."""


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that have something in common."""

    key: str
    count: int
    share: float
    """Of what the groups count, of translations those of one language: they add up to 1."""
    language: str = ""
    """Of a translation; empty for other groups."""

    @property
    def name(self) -> str:
        """The key, of a translation with its language in front: no other group of the lines has it."""
        return f"{self.language} {self.key}" if self.language else self.key


GroupKey: TypeAlias = tuple[str, str]
"""The language of a translation, or nothing; and what the lines of a group have in common."""

_NO_TRANSLATION = "(no translation)"
_NO_PLACE = "(nowhere)"
"""The keys of lines whose sentence has none."""

_Match: TypeAlias = tuple[int, int, int]
"""The index of a hit, and where in its sentence something matched."""

_STEP = 2_000
"""How many lines are looked at in one step of a job."""
_MATCHED = 200
"""In how many sentences the matches are looked for in one step: a pattern may be slow."""
_RUN = 50 * _STEP
"""How many lines are sorted at once, in a tenth of a second; then what was sorted is merged."""
_BETWEEN_WORDS = "\0"
"""Before all that a word may hold, so that words that are joined by it are in the same order as lists of them."""


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

        A line whose sentence stands in several documents, or has several translations in a language, counts in each of
        them. Translations are grouped by the language, in the order of ``languages`` (empty = all others), and a line
        without any in one of these counts as ``(no translation)``.
        """
        return finished(self.grouping(by, store, languages))

    def grouping(self, by: GroupBy, store: Store, languages: Sequence[str] = ()) -> Job[list[Group]]:
        """The groups, as a job."""
        counts: Counter[GroupKey] = Counter()
        lines = len(self._matches)
        for first, keys in self._keys(by, store, languages):
            for of_line in keys:
                counts.update(of_line)
            yield Progress("lines", first + len(keys), lines)
        return ordered_groups(counts, languages)

    def of_group(self, by: GroupBy, name: str, store: Store, languages: Sequence[str] = ()) -> Job[Concordance]:
        """The lines that count in the group of a name, in the same order, as a job."""
        chosen: list[_Match] = []
        for first, keys in self._keys(by, store, languages):
            chosen += [
                self._matches[first + place]
                for place, of_line in enumerate(keys)
                if any(Group(key, 0, 0, language).name == name for language, key in of_line)
            ]
            yield Progress("lines", first + len(keys), len(self._matches))
        return Concordance(self.hits, len(chosen), chosen)

    def _keys(
        self, by: GroupBy, store: Store, languages: Sequence[str]
    ) -> Iterator[tuple[int, list[tuple[GroupKey, ...]]]]:
        """The groups in which each line counts: for some lines at a time, with the index of the first."""
        for first in range(0, len(self._matches), _STEP):
            matches = self._matches[first : first + _STEP]
            if by in ("match", "left", "right"):
                key = _GROUP_KEYS[by]
                yield first, [(("", key(_line(self.hits, match))),) for match in matches]
                continue
            sentences = [int(self.hits.sentences[place]) for place, _, _ in matches]
            if by == "translation":
                wanted = languages or [each for each in languages_of(store) if each != self.hits.language]
                names = _translations(store, sentences, wanted)
            else:
                names = _places(by, store, sentences)
            yield first, [names[sentence] for sentence in sentences]


def place_of(line: Line) -> LinePlace:
    """The match of a line."""
    return LinePlace(line.sentence, len(line.left), len(line.left) + len(line.match))


def ordered_groups(counts: Mapping[GroupKey, int], languages: Sequence[str] = ()) -> list[Group]:
    """The groups by their languages, these first in their order, and by their counts, most frequent first."""
    totals: Counter[str] = Counter()
    for (language, _), count in counts.items():
        totals[language] += count
    ranks = {language: rank for rank, language in enumerate([*languages, *sorted({*totals} - {*languages})])}
    ordered = sorted(counts.items(), key=lambda item: (ranks[item[0][0]], -item[1], item[0][1]))
    return [Group(key, count, count / totals[language], language) for (language, key), count in ordered]


def _translations(store: Store, sentences: Sequence[int], languages: Sequence[str]) -> dict[int, tuple[GroupKey, ...]]:
    """For each sentence its different translations in each of the languages, or that there is none."""
    named: dict[int, tuple[GroupKey, ...]] = {}
    for sentence, found in translations_of(store, sentences, languages).items():
        into = {language: [each.text for each in found if each.language == language] for language in languages}
        named[sentence] = tuple(
            (language, text) for language in languages for text in dict.fromkeys(into[language] or [_NO_TRANSLATION])
        )
    return named


def _places(by: GroupBy, store: Store, sentences: Sequence[int]) -> dict[int, tuple[GroupKey, ...]]:
    """For each sentence where it stands."""
    named: dict[int, tuple[GroupKey, ...]] = {}
    for sentence, found in places_of(store, sentences).items():
        inside = [each.collection if by == "collection" else _path(each) for each in found]
        named[sentence] = tuple(("", name) for name in dict.fromkeys(inside or [_NO_PLACE]))
    return named


def _path(place: Place) -> str:
    return f"{place.collection}/{place.document or place.file}"


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
        found += [(place, start, stop) for place in range(first, last) for start, stop in hits.spans(place)]
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


def _sorted(hits: Hits, found: list[_Match], key: _Key) -> Job[list[_Match]]:
    """The matches by the keys of their lines; ties stay as in the corpus."""
    runs: list[list[tuple[str, _Match]]] = []
    text = hits.text
    for first in range(0, len(found), _STEP):
        if first % _RUN == 0:
            runs.append([])
        runs[-1] += [(key(text(match[0]), match[1], match[2]), match) for match in found[first : first + _STEP]]
        if len(runs[-1]) == _RUN:
            runs[-1].sort(key=itemgetter(0))
        yield Progress("lines read", min(first + _STEP, len(found)), len(found))
    if runs:
        runs[-1].sort(key=itemgetter(0))
    if len(runs) == 1:
        return [match for _, match in runs[0]]
    ordered: list[_Match] = []
    for _, match in heapq.merge(*runs, key=itemgetter(0)):
        ordered.append(match)
        if len(ordered) % _STEP == 0:
            yield Progress("lines sorted", len(ordered), len(found))
    return ordered


def _words(text: str) -> list[str]:
    """Words and punctuation marks as frequencies count them, or characters where the script does not delimit words."""
    if has_undelimited_script(text):
        return list(text.replace(" ", ""))
    return [token for run in text.split() for token in _tokens(run)]


@lru_cache(1 << 16)
def _tokens(run: str) -> tuple[str, ...]:
    """What stands between two spaces, cut; the same comes again and again."""
    return tuple(tokenise(run))


_Key: TypeAlias = Callable[[str, int, int], str]
"""What a line is sorted by, of its sentence and of where in it the match begins and ends."""


def _left_key(text: str, start: int, stop: int) -> str:
    return _BETWEEN_WORDS.join(_words(text[:start].casefold())[::-1])


def _right_key(text: str, start: int, stop: int) -> str:
    return _BETWEEN_WORDS.join(_words(text[stop:].casefold()))


def _match_key(text: str, start: int, stop: int) -> str:
    return _BETWEEN_WORDS.join([text[start:stop].casefold(), *_words(text[stop:].casefold())])


_KEYS: dict[Sorting, _Key] = {"left": _left_key, "right": _right_key, "match": _match_key}
_GROUP_KEYS: dict[Sorting, Callable[[Line], str]] = {
    "match": lambda line: line.match,
    "left": lambda line: (_words(line.left) or ["-"])[-1],
    "right": lambda line: (_words(line.right) or ["-"])[0],
}
