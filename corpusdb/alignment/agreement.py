"""How far links agree with those that people made: precision, recall and the alignment error rate."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from corpusdb.alignment.links import Link

__all__ = ["Agreement", "Compared", "agreement"]

Compared: TypeAlias = tuple[Collection[Link], Collection[Link], Collection[Link]]
"""Of a pair of texts the links that were found, the sure and the possible links of the gold standard."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The measures of Och and Ney (2003, section 6), 0 to 1; None where nothing was found or is sure."""

    precision: float | None
    """The part of the links found that are possible."""
    recall: float | None
    """The part of the sure links that were found."""
    aer: float | None
    """1 - (sure links found + possible links found) / (links found + sure links)."""


def agreement(pairs: Iterable[Compared]) -> Agreement:
    """The agreement over all pairs of texts together; a sure link is also possible, whether it is said or not."""
    found = sure = found_sure = found_possible = 0
    for links, certain, possible in pairs:
        own, gold = set(links), set(certain)
        found, sure = found + len(own), sure + len(gold)
        found_sure += len(own & gold)
        found_possible += len(own & (gold | set(possible)))
    return Agreement(
        found_possible / found if found else None,
        found_sure / sure if sure else None,
        1 - (found_sure + found_possible) / (found + sure) if found + sure else None,
    )
