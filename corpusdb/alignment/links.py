"""Links between the words of pairs of texts, and how those of two directions become one set (Koehn et al. 2003)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import I32, I64, Bools
from corpusdb.ngrams.counting import joined_ranges

__all__ = ["SYMMETRISATIONS", "Link", "Links", "Symmetrisation", "grown", "symmetrised"]

Link: TypeAlias = tuple[int, int]
"""A source and a target word, by their places in the texts, from 0."""
Symmetrisation: TypeAlias = Literal["grow-diag-final-and", "intersection", "union", "forward", "backward"]
SYMMETRISATIONS: Final[tuple[Symmetrisation, ...]] = (
    "grow-diag-final-and",
    "intersection",
    "union",
    "forward",
    "backward",
)
_NEIGHBOURS: Final = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, slots=True)
class Links:
    """The links of some pairs of texts, laid end to end, in each pair by source and then by target word."""

    sources: I32
    targets: I32
    starts: I64
    """Where the links of each pair begin, and behind the last where all end."""

    def __len__(self) -> int:
        """How many pairs of texts."""
        return len(self.starts) - 1

    def of_pair(self, number: int) -> list[Link]:
        """The links of one pair of texts."""
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return list(zip(self.sources[part].tolist(), self.targets[part].tolist(), strict=True))

    def reordered(self, order: I64) -> Links:
        """The links of the pairs of texts with these numbers, in this order."""
        lengths = np.diff(self.starts)[order]
        places = joined_ranges(self.starts[order], lengths)
        return Links(self.sources[places], self.targets[places], np.append(0, np.cumsum(lengths)))

    def linked_words(self, source_lengths: I64, target_lengths: I64) -> tuple[Bools, Bools]:
        """Of the words of each side, laid end to end, whether each has a link; given how long each text is."""
        per_pair, found = np.diff(self.starts), []
        for places, lengths in ((self.sources, source_lengths), (self.targets, target_lengths)):
            linked = np.zeros(int(lengths.sum()), dtype=np.bool_)
            linked[np.repeat(np.cumsum(lengths) - lengths, per_pair) + places] = True
            found.append(linked)
        return found[0], found[1]

    @classmethod
    def of(cls, pairs: Iterable[Sequence[Link]]) -> Links:
        """From the links of each pair of texts, in any order and each once."""
        kept = [sorted(links) for links in pairs]
        flat = np.array([link for links in kept for link in links], dtype=np.int32).reshape(-1, 2)
        starts = np.cumsum([0, *map(len, kept)], dtype=np.int64)
        return cls(flat[:, 0].copy(), flat[:, 1].copy(), starts)

    @classmethod
    def in_order(cls, parts: Sequence[tuple[I64, Bools]], count: int) -> Links:
        """From parts, each the numbers of some pairs of ``count`` and which words are linked: shape (B, T, S)."""
        numbers, sources, targets = [], [], []
        for pairs, linked in parts:
            rows, target, source = np.nonzero(linked)
            numbers.append(pairs[rows])
            sources.append(source.astype(np.int32))
            targets.append(target.astype(np.int32))
        if not parts:
            return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(count + 1, np.int64))
        pair, own, theirs = np.concatenate(numbers), np.concatenate(sources), np.concatenate(targets)
        order = np.lexsort((theirs, own, pair))
        starts = np.concatenate([[0], np.cumsum(np.bincount(pair, minlength=count))])
        return cls(own[order], theirs[order], starts.astype(np.int64))


def symmetrised(forward: Bools, backward: Bools, way: Symmetrisation) -> Bools:
    """One set of links of those of two directions, for a batch: all of shape (B, T, S).

    ``forward`` is the direction that gives each target word at most one source word.
    """
    if way == "forward":
        return forward
    if way == "backward":
        return backward
    if way == "union":
        return forward | backward
    both: Bools = forward & backward
    if way == "intersection":
        return both
    # Only what one direction has alone is in question, and only where one of its words has no link yet.
    is_free = ~(both.any(axis=2, keepdims=True) & both.any(axis=1, keepdims=True))
    disputed = (forward ^ backward) & is_free
    rows, targets, sources = np.nonzero(disputed)
    is_forward = forward[rows, targets, sources]
    firsts = np.flatnonzero(np.diff(rows, prepend=-1))
    ends = np.append(firsts[1:], len(rows))[: len(firsts)]
    linked: Bools = both.copy()
    for first, last in zip(firsts.tolist(), ends.tolist(), strict=True):
        row = rows[first]
        points = list(zip(targets[first:last].tolist(), sources[first:last].tolist(), strict=True))
        settled = list(zip(*(places.tolist() for places in np.nonzero(both[row])), strict=True))
        added = grown(settled, points, is_forward[first:last].tolist())
        for target, source in added:
            linked[row, target, source] = True
    return linked


def grown(settled: Sequence[Link], disputed: Sequence[Link], is_forward: Sequence[bool]) -> list[Link]:
    """What grow-diag-final-and adds to the links of both directions, of those that only one has.

    Points are (target, source), ascending. Grow-diag: beside a link, diagonally too, those of which one word has no
    link yet, as long as there are any. Final-and: then those of which neither word has one, first those of the forward
    direction, then those of the backward one.
    """
    targets, sources = {target for target, _ in settled}, {source for _, source in settled}
    left, links, added = set(disputed), list(settled), []
    is_growing = bool(left)
    while is_growing:
        is_growing = False
        at = 0
        while at < len(links):
            target, source = links[at]
            for down, right in _NEIGHBOURS:
                point = (target + down, source + right)
                if point in left and not (point[0] in targets and point[1] in sources):
                    left.remove(point)
                    added.append(point)
                    targets.add(point[0])
                    sources.add(point[1])
                    insort(links, point)
                    if point < (target, source):
                        at += 1
                    is_growing = True
            at += 1
    for wanted in (True, False):
        for point, forward in zip(disputed, is_forward, strict=True):
            if point in left and forward is wanted and point[0] not in targets and point[1] not in sources:
                added.append(point)
                targets.add(point[0])
                sources.add(point[1])
    return added
