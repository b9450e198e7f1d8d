"""The examples that translations are made from: distinct source sentences, each with its translations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

from corpusdb.arrays import Bools
from corpusdb.translation.answers import Example

__all__ = ["Examples", "examples_of_pairs"]


@dataclass(frozen=True, slots=True)
class Examples:
    """Parallel sequences, one entry a distinct source sentence."""

    numbers: Sequence[int]
    """By which the sentences are known outside, distinct."""
    sources: Sequence[str]
    targets: Sequence[Sequence[str]]
    """The translations of each, at least one, the oldest first."""

    def __len__(self) -> int:
        return len(self.sources)

    def example(self, place: int, translation: int = 0) -> Example:
        """The source at ``place`` with one of its translations."""
        return Example(self.numbers[place], self.sources[place], self.targets[place][translation])

    def chosen(self, mask: Bools) -> Examples:
        """Those that a mask over the sources chooses."""
        kept = mask.tolist()
        sources, targets = list(compress(self.sources, kept)), list(compress(self.targets, kept))
        return Examples(list(compress(self.numbers, kept)), sources, targets)


def examples_of_pairs(pairs: Iterable[tuple[str, str]]) -> Examples:
    """Pairs (source, translation) as examples, numbered from 0 as they come."""
    targets: dict[str, dict[str, None]] = {}
    for source, target in pairs:
        targets.setdefault(source, {})[target] = None
    return Examples(range(len(targets)), list(targets), [list(each) for each in targets.values()])
