"""Which paraphrase of a seed comes first, and which of many make a set that is diverse.

The order of every list and of every set of references is made here, by ``diverse_choice``.

Origins say how strong their own evidence is; here it is only combined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from math import fsum
from operator import attrgetter
from typing import Final, NamedTuple

from corpusdb.base.text import are_same_words, lower_words, units_of, usual_words, words_in_full
from corpusdb.corpus.model import FIGURES, Diversity, Finding, Paraphrase, VariationCounts
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.paraphrase.differences import (
    ChangeKind,
    Difference,
    Exchange,
    change,
    changed_words,
    difference,
    word_regions,
)


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


def rank(
    findings: Iterable[Finding], seed: str, language: str, passes: Callable[[Paraphrase], bool] | None = None
) -> list[Paraphrase]:
    """The paraphrases of one seed, each text once, as ``ranked`` has them; findings in the order of their origins."""
    return ranked(map(merge, by_text(findings).values()), seed, language, passes)


def ranked(
    paraphrases: Iterable[Paraphrase], seed: str, language: str, passes: Callable[[Paraphrase], bool] | None = None
) -> list[Paraphrase]:
    """Paraphrases of one seed in the order in which they are shown, in whatever order they are given.

    They are sorted by their score; then those that ``passes`` lets pass, or all, change places among themselves, so
    that the first of them are different ones.
    """
    found = sorted(paraphrases, key=rank_key)
    places = [place for place, each in enumerate(found) if passes is None or passes(each)]
    passing = [found[place] for place in places]
    choices = [EligibleParaphrase(each.text, seed, each.score) for each in passing]
    for place, one in zip(places, varied(choices, [seed], language), strict=True):
        found[place] = passing[one]
    return found


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
_OF_TRIFLES: Final = 0.8
"""The same for a second one that is only a contraction or a mark, or a second one of this, that and it: so much that
it comes behind all others of a validity from 0.95, whatever these have in common with those chosen."""
_TRIFLES: Final[dict[ChangeKind, str]] = {"mark": "form", "contraction": "form", "pointing": "pointing"}
"""Kinds of changes of which one is enough, by what they have in common."""
APART: Final = 0.26
"""Paraphrases of a seed that are to vary above all differ from it, and from each other, in so much of the longer of the
two: more than a quarter of the words. Sets of these have a BLEU of 0.2 among themselves (`corpusdb guide validity`)."""
_VARIED: Final = 20
"""So many of a list stand in the order of ``diverse_choice``, which takes time for each; the others by their value."""


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


def variation_counts(pairs: Iterable[tuple[str, str]], language: str) -> VariationCounts:
    """How many of different pairs of a seed and a paraphrase are real; those of one seed best one after the other."""
    real = deep = 0
    seeds: set[str] = set()
    last, words = "", lower_words("")
    in_full = words_in_full(words, language)
    for seed, text in pairs:
        if seed != last:
            last, words = seed, lower_words(seed)
            in_full = words_in_full(words, language)
        others = lower_words(text)
        # What ``change`` says, without asking which kind it is: of all pairs of a language that takes a second.
        if not are_same_words(in_full, words_in_full(others, language), language):
            real += 1
            deep += changed_words(words, others) > 1
            seeds.add(seed)
    return VariationCounts(real, len(seeds), deep)


class EligibleParaphrase(NamedTuple):
    text: str
    seed: str
    """The sentence that it is a paraphrase of."""
    value: float
    """What it is worth by itself, such as its validity, 0 to 1."""


@dataclass(slots=True, eq=False)
class _Waiting:
    choice: EligibleParaphrase
    words: list[str]
    """In lower case, contractions undone."""
    regions: frozenset[Exchange]
    """What of these is exchanged, in either direction."""
    trifle: str | None
    """What it has in common with others of which one is enough; None where it is more."""
    nearest: float = 0.0
    """How similar it is to the most similar one chosen: 1 less the part of the units that differ."""
    discount: float = 1.0

    @property
    def key(self) -> tuple[float, float, str]:
        """The best one has the least."""
        return -(self.choice.value**2) * self.discount, -self.choice.value, self.choice.text


def varied(choices: Sequence[EligibleParaphrase], beside: Sequence[str], language: str, limit: int = 0) -> list[int]:
    """The places of ``limit`` choices, or of all, in the order in which people see them.

    That is the order of ``diverse_choice``; where there is no limit, for the first of them, and the others stand behind
    these as they are given. The arguments are those of that function.
    """
    first = diverse_choice(choices, limit or _VARIED, beside, language)
    if limit or len(first) == len(choices):
        return first
    chosen = set(first)
    return [*first, *(place for place in range(len(choices)) if place not in chosen)]


def diverse_choice(
    choices: Sequence[EligibleParaphrase],
    limit: int,
    beside: Sequence[str] = (),
    language: str = "",
    *,
    apart: float = 0.0,
) -> list[int]:
    """The places of ``limit`` choices that make a diverse set with the texts ``beside``, which are in it already.

    There are fewer where no others are ``apart``: at so much of a distance, as below, from each text in the set.

    Greedily, as by maximal marginal relevance (Carbonell & Goldstein 1998): each time the one of the highest value

        value^2 * (1 - 0.5 * similarity) * (1 - 0.5 * repetition) * (1 - 0.8 * trifle)

    where similarity is 1 less the distance from the nearest one in the set in words, as part of the longer of the two
    (0 where that is more than the longer has; contractions are undone, and marks do not count), and repetition the part
    of its changed regions that are exchanges of some that were chosen. trifle is 1 for what is only a contraction or a
    mark, or only exchanges this, that and it, where one such was chosen, else 0. What changes more comes before what
    changes less where ``beside`` has the seed; the square lets nothing of that outweigh a much higher value. Ties go to
    the higher value by itself, then to the first in code points, so that the order of ``choices`` does not matter.
    """
    waiting = [_waiting(choice, language) for choice in choices]
    places = {id(each): place for place, each in enumerate(waiting)}
    exchanges, trifles = set[Exchange](), set[str | None]()
    for text in beside:
        _approach(waiting, usual_words(lower_words(text), language), exchanges, trifles)
    chosen: list[int] = []
    while len(chosen) < limit:
        waiting = [each for each in waiting if each.nearest <= 1 - apart]
        if not waiting:
            break
        best = min(waiting, key=lambda each: each.key)
        waiting.remove(best)
        chosen.append(places[id(best)])
        exchanges |= best.regions
        trifles |= {best.trifle} - {None}
        _approach(waiting, best.words, exchanges, trifles)
    return chosen


def _waiting(choice: EligibleParaphrase, language: str) -> _Waiting:
    seed, text = lower_words(choice.seed), lower_words(choice.text)
    one, other = usual_words(seed, language), usual_words(text, language)
    regions = frozenset(
        _unordered((" ".join(one[start:stop]), " ".join(other[begin:end])))
        for start, stop, begin, end in word_regions(one, other)
    )
    return _Waiting(choice, other, regions, _TRIFLES.get(change(seed, text, language).kind))


def _approach(
    waiting: Iterable[_Waiting], words: Sequence[str], exchanges: Set[Exchange], trifles: Set[str | None]
) -> None:
    """Note that one of these words was chosen, and by what those chosen so far differ from their seeds."""
    for each in waiting:
        distance = changed_words(words, each.words) / max(len(words), len(each.words), 1)
        each.nearest = max(each.nearest, 1 - distance)
        again = len(each.regions & exchanges) / max(len(each.regions), 1)
        enough = _OF_TRIFLES if each.trifle in trifles else 0.0
        each.discount = (1 - _OF_NEARNESS * each.nearest) * (1 - _OF_REPETITION * again) * (1 - enough)


def _unordered(exchange: Exchange) -> Exchange:
    return min(exchange), max(exchange)
