"""Which paraphrase of a seed comes first, and which of many make a set that is diverse.

Origins say how strong their own evidence is; here it is only combined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from operator import attrgetter
from typing import Final, NamedTuple

from corpusdb.base.text import units_of
from corpusdb.corpus.model import FIGURES, NO_LIMIT, Diversity, Finding, Paraphrase
from corpusdb.paraphrase.differences import Difference, Exchange, difference


def validity(findings: Iterable[Finding]) -> float | None:
    """The probability that a paraphrase holds, by what its origins say; None where none of them knows it."""
    return max((each.validity for each in findings if each.validity is not None), default=None)


def score(findings: Sequence[Finding]) -> float:
    """What a paraphrase is ranked by, from 0 to 1: the validity, the highest that an origin gives.

    Where that is not known it is 1 - product of (1 - strength) over the origins that give it, and 1 - strength is
    1 / (1 + odds) for evidence in odds. The last digit depends on the order of the findings, which is therefore always
    that of the registered origins.
    """
    known = validity(findings)
    if known is not None:
        return known
    doubt = 1.0
    for finding in findings:
        doubt = doubt * (1 - finding.strength) / (1 + finding.odds)
    return 1 - doubt


def rank_key(paraphrase: Paraphrase) -> tuple[float, str]:
    """What paraphrases are sorted by: the highest score first, ties in the order of code points."""
    return -paraphrase.score, paraphrase.text


def rank(findings: Iterable[Finding]) -> list[Paraphrase]:
    """The paraphrases of one seed, each text once, best first. ``findings`` are in the order of their origins."""
    return sorted(map(merge, by_text(findings).values()), key=rank_key)


def by_text(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.text, []).append(finding)
    return found


def merge(findings: Sequence[Finding]) -> Paraphrase:
    """One paraphrase from what its origins say of it: the highest of each figure, and the lowest order."""
    one = findings[0] if len(findings) == 1 else _merged(findings)
    figures = dict(zip(_NAMES, _FIGURES_OF(one), strict=True))
    for name in ("order", "inner_order"):
        figures[name] = None if figures[name] == NO_LIMIT else figures[name]
    return Paraphrase(
        text=one.text,
        in_corpus=one.fluency == NO_LIMIT,
        score=score(findings),
        findings=tuple(findings),
        **figures,
    )


_NAMES = tuple(each.name for each in FIGURES)
_FIGURES_OF = attrgetter(*(each.column for each in FIGURES))


def _merged(findings: Sequence[Finding]) -> Finding:
    said = zip(*map(_FIGURES_OF, findings), strict=True)
    figures = {each.column: each.merged(values) for each, values in zip(FIGURES, said, strict=True)}
    return Finding("", findings[0].text, **figures)


# How diverse paraphrases are, and which of many make a set that is.
# The best-rated paraphrases of a corpus are mostly of a few kinds, such as contractions: what is certain is seldom
# new.


_OF_NEARNESS: Final = 0.5
"""A paraphrase that is hardly different from one already chosen is worth so much less, as part of its validity."""
_OF_REPETITION: Final = 0.5
"""The same for one that differs from its seed by nothing but exchanges by which those chosen differ already."""


def changed_units(found: Difference) -> int:
    """How many units differ: in each changed region those of its longer side."""
    if len(found.regions) == 1:
        return max(found.units)
    return sum(max(len(units_of(before)), len(units_of(after))) for before, after in found.regions)


def diversity(pairs: Iterable[tuple[str, str]]) -> Diversity:
    """The diversity of pairs of a seed and a paraphrase; those of one seed come best one after the other."""
    exchanges: set[Exchange] = set()
    changed: list[int] = []
    distances: list[float] = []
    last, seed_units = "", units_of("")
    for seed, text in pairs:
        if seed != last:
            last, seed_units = seed, units_of(seed)
        found = difference(seed_units, units_of(text))
        units = changed_units(found)
        exchanges.add(_unordered(found.exchange))
        changed.append(units)
        distances.append(units / max(len(seed_units), 1))
    if not changed:
        return Diversity(0, None, None)
    return Diversity(len(exchanges), sum(changed) / len(changed), fsum(distances) / len(changed))


class EligibleParaphrase(NamedTuple):
    text: str
    seed: str
    """The sentence that it is a paraphrase of."""
    value: float
    """What it is worth by itself, such as its validity, 0 to 1."""


@dataclass(slots=True, eq=False)
class _Waiting:
    choice: EligibleParaphrase
    units: list[str]
    regions: frozenset[Exchange]
    nearest: float = 0.0
    """How similar it is to the most similar one chosen: 1 less the part of the units that differ."""
    discount: float = 1.0

    @property
    def key(self) -> tuple[float, float, str]:
        """The best one has the least."""
        return -self.choice.value * self.discount, -self.choice.value, self.choice.text


def diverse_choice(choices: Sequence[EligibleParaphrase], limit: int, beside: Sequence[str] = ()) -> list[int]:
    """The places of ``limit`` choices that make a diverse set with the texts ``beside``, which are in it already.

    Greedily, as by maximal marginal relevance (Carbonell & Goldstein 1998): each time the one of the highest value

        value * (1 - 0.5 * similarity) * (1 - 0.5 * repetition)

    where similarity is 1 less the distance in units from the nearest one in the set, as part of the longer of the two
    (0 where that is more than the longer has), and repetition the part of its changed regions that are exchanges of
    some that were chosen. Ties go to the higher value by itself, then to the first in code points, so that the order of
    ``choices`` does not matter.
    """
    waiting = [_waiting(choice) for choice in choices]
    places = {id(each): place for place, each in enumerate(waiting)}
    repeated: set[Exchange] = set()
    for text in beside:
        _approach(waiting, units_of(text), repeated)
    chosen: list[int] = []
    while waiting and len(chosen) < limit:
        best = min(waiting, key=lambda each: each.key)
        waiting.remove(best)
        chosen.append(places[id(best)])
        repeated |= best.regions
        _approach(waiting, best.units, repeated)
    return chosen


def _waiting(choice: EligibleParaphrase) -> _Waiting:
    units = units_of(choice.text)
    found = difference(units_of(choice.seed), units)
    return _Waiting(choice, units, frozenset(_unordered(each) for each in found.regions if any(each)))


def _approach(waiting: Iterable[_Waiting], units: Sequence[str], repeated: set[Exchange]) -> None:
    for each in waiting:
        distance = changed_units(difference(units, each.units)) / max(len(units), len(each.units), 1)
        each.nearest = max(each.nearest, 1 - distance)
        again = len(each.regions & repeated) / max(len(each.regions), 1)
        each.discount = (1 - _OF_NEARNESS * each.nearest) * (1 - _OF_REPETITION * again)


def _unordered(exchange: Exchange) -> Exchange:
    return min(exchange), max(exchange)
