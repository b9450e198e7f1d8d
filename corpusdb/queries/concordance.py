"""Concordances: every match of a search with what stands before and behind it (key word in context)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from corpusdb.queries.places import places_of
from corpusdb.queries.search import Hits
from corpusdb.queries.translations import translations_of
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


class Concordance:
    """The lines of a search, in the order of an arrangement."""

    def __init__(self, hits: Hits, arrangement: Arrangement | None = None) -> None:
        self.hits = hits
        self.arrangement = arrangement or Arrangement()
        found = [(place, *span) for place in range(len(hits)) for span in hits.spans(place)]
        self.total = len(found)
        """How many lines there were before any were chosen."""
        self._matches = self._arranged(found)

    def __len__(self) -> int:
        return len(self._matches)

    def lines(self, first: int = 0, count: int | None = None) -> list[Line]:
        """Some of the lines, in order."""
        last = len(self._matches) if count is None else first + count
        return [self._line(*match) for match in self._matches[first:last]]

    def _line(self, place: int, start: int, stop: int) -> Line:
        text = self.hits.text(place)
        return Line(int(self.hits.sentences[place]), text[:start], text[start:stop], text[stop:])

    def _arranged(self, found: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """The matches that are wanted, in the order that is wanted. The sort is stable: ties stay as in the corpus."""
        random = np.random.default_rng(self.arrangement.seed)
        sorting, sample = self.arrangement.sorting, self.arrangement.sample
        if sample is not None and sample < len(found):
            found = [found[index] for index in sorted(random.choice(len(found), sample, replace=False).tolist())]
        if sorting == "random":
            return [found[index] for index in random.permutation(len(found)).tolist()]
        if sorting == "corpus":
            return found
        key = _KEYS[sorting]
        return sorted(found, key=lambda match: key(self._line(*match)))

    def groups(self, by: GroupBy, store: Store, languages: Sequence[str] = ()) -> list[Group]:
        """How often each form, neighbour, place or translation occurs among the lines, most frequent first.

        A line whose sentence stands in several documents, or has several translations in ``languages`` (empty = all),
        counts in each of them, so that the shares can add up to more than 1.
        """
        counts = Counter(self._group_keys(by, store, languages))
        lines = len(self._matches)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return [Group(key, count, count / lines) for key, count in ordered]

    def _group_keys(self, by: GroupBy, store: Store, languages: Sequence[str]) -> Iterator[str]:
        if by in ("match", "left", "right"):
            key = _GROUP_KEYS[by]
            yield from (key(self._line(*match)) for match in self._matches)
            return
        sentences = [int(self.hits.sentences[place]) for place, _, _ in self._matches]
        if by == "translation":
            translations = translations_of(store, sentences, languages)
            of_sentence = {each: [one.text for one in found] for each, found in translations.items()}
        elif by == "collection":
            of_sentence = {
                each: [one.collection for one in found] for each, found in places_of(store, sentences).items()
            }
        else:
            of_sentence = {
                each: [f"{one.collection}/{one.document or one.file}" for one in found]
                for each, found in places_of(store, sentences).items()
            }
        distinct = {each: list(dict.fromkeys(keys)) or ["-"] for each, keys in of_sentence.items()}
        for sentence in sentences:
            yield from distinct[sentence]


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
