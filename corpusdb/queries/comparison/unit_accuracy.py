"""How well systems get words of some kind: precision, recall and their mean by class, as compare-mt has them.

Where there are several references, precision is against all of them together, as in BLEU: an occurrence counts if the
reference that has the unit most often has it as often. Recall is that of every reference by itself, all of them summed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpusdb.metrics.encoding import Tokenise

__all__ = ["ClassAccuracy", "UnitCounts", "accuracy_by_frequency", "frequency_class", "frequency_classes"]

_BOUNDS = (0, 1, 2, 3, 4, 5, 10, 100, 1000)
"""Where classes of frequency begin, as in compare-mt, which begins at 1."""


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """What one system makes of the units of a class."""

    matched: int
    """Occurrences in the output that a reference accounts for."""
    produced: int
    """Occurrences in the output."""
    found: int
    """Occurrences in the references that the output accounts for."""
    wanted: int
    """Occurrences in the references."""

    @property
    def precision(self) -> float | None:
        """From 0 to 1; None where the output has no such unit."""
        return self.matched / self.produced if self.produced else None

    @property
    def recall(self) -> float | None:
        """From 0 to 1; None where the references have no such unit."""
        return self.found / self.wanted if self.wanted else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None where one is not defined."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class ClassAccuracy:
    """What two systems make of the units of one class."""

    name: str
    a: UnitCounts
    b: UnitCounts


def frequency_classes() -> tuple[str, ...]:
    """The names of the classes of frequency, in their order: 0, 1, 2, 3, 4, 5-9, 10-99, 100-999, 1000 or more."""
    return (*_names(), f"{_BOUNDS[-1]:,} or more")


def _names() -> Iterator[str]:
    for low, high in pairwise(_BOUNDS):
        yield f"{low}" if high == low + 1 else f"{low}-{high - 1}"


def frequency_class(frequency: int) -> int:
    """The number of the class, from 0, of a unit that occurs so often."""
    return sum(frequency >= bound for bound in _BOUNDS) - 1


def accuracy_by_frequency(
    outputs: tuple[Sequence[str], Sequence[str]],
    references: Sequence[Sequence[str]],
    tokenise: Tokenise,
    frequencies: Mapping[str, int] | None = None,
) -> list[ClassAccuracy]:
    """The classes that two outputs or their references have units of, ascending.

    ``frequencies``: how often a unit occurs somewhere, 0 for one that is not named; None: in all references here.
    """
    cut = [[tokenise(text) for text in texts] for texts in references]
    known = Counter(unit for texts in cut for units in texts for unit in units) if frequencies is None else frequencies
    a, b = (_counts([tokenise(text) for text in texts], cut, lambda unit: known.get(unit, 0)) for texts in outputs)
    names = frequency_classes()
    return [
        ClassAccuracy(name, a[number], b[number])
        for number, name in enumerate(names)
        if a[number].produced or b[number].produced or a[number].wanted
    ]


def _counts(
    output: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]], frequency: Callable[[str], int]
) -> list[UnitCounts]:
    """Of every class of frequency, whether there are such units or not."""
    counts = [[0] * 4 for _ in frequency_classes()]
    class_of: dict[str, list[int]] = {}

    def row(unit: str) -> list[int]:
        if unit not in class_of:
            class_of[unit] = counts[frequency_class(frequency(unit))]
        return class_of[unit]

    for units, texts in zip(output, references, strict=True):
        own, best = Counter(units), Counter[str]()
        for text in texts:
            theirs = Counter(text)
            best |= theirs
            for unit, count in theirs.items():
                row(unit)[2] += min(count, own[unit])
                row(unit)[3] += count
        for unit, count in own.items():
            row(unit)[0] += min(count, best[unit])
            row(unit)[1] += count
    return [UnitCounts(*each) for each in counts]
