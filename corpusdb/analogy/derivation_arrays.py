"""Candidates of many seeds at a time, over arrays: what ``derivation`` defines for one, a hundred times over.

Nearly all derivations put a filler into a known place. Which of them give one text is seen by fingerprints, so that
texts are made for the few that differ. The results are those of ``derivation.candidates`` seed by seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.analogy.derivation import MOST_FILLER, Evidence, placed, solved
from corpusdb.arrays import F64, I64, U64, Bools
from corpusdb.ngrams.fingerprints import Fingerprints, mixed

__all__ = ["Asking", "Derivations", "Pairs", "Replaced", "asking_slots", "candidates_of_many", "derive", "derive_lone"]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The paraphrases B, B' of a language; parallel arrays."""

    sentence: I64
    """The place of B among the sentences."""
    rewording: I64
    probability: F64
    languages: Sequence[Bools]
    """For each language whether the two share a translation in it."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """The substitutions of a language by context; parallel arrays."""

    context: I64
    """Ascending."""
    filler: I64
    """The place of y among the fillers."""
    pair: I64
    """The place of B, B' among the pairs."""
    start: I64
    """Where y stands in B', in code points; -1 where the general solver has to find the place."""
    stop: I64

    def __getitem__(self, chosen: Bools) -> Replaced:
        """Those that are chosen."""
        columns = self.context, self.filler, self.pair, self.start, self.stop
        return Replaced(*(column[chosen] for column in columns))


@dataclass(frozen=True, slots=True)
class Asking:
    """The slots that something can be derived from, by sentence; parallel arrays."""

    sentence: I64
    """The place of the seed, ascending."""
    filler: I64
    begin: I64
    """Where the substitutions of the context begin and end."""
    end: I64

    def within(self, chosen: Bools) -> Asking:
        """The same where only ``chosen`` of the substitutions are left."""
        number = np.concatenate([[0], np.cumsum(chosen)])
        begin, end = number[self.begin], number[self.end]
        some = end > begin
        return Asking(self.sentence[some], self.filler[some], begin[some], end[some])


@dataclass(frozen=True, slots=True)
class Derivations:
    """What can be derived from some seeds, as ``derivation.Derivation`` says of one; parallel arrays."""

    seed: I64
    """Ascending."""
    x: I64
    """The place of the filler."""
    replaced: I64
    """The place of the substitution."""
    contexts: I64


def asking_slots(
    sentence: I64, context: I64, filler: I64, replaced: Replaced, texts: Sequence[str], fillers: Sequence[str]
) -> Asking:
    """Of the slots, which come by sentence, those with a usable filler and a substitution in their context."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    filler_sizes = np.fromiter(map(len, fillers), dtype=np.int64, count=len(fillers))
    usable = filler_sizes[filler] <= MOST_FILLER * sizes[sentence]
    sentence, context, filler = sentence[usable], context[usable], filler[usable]
    begin = np.searchsorted(replaced.context, context)
    end = np.searchsorted(replaced.context, context, side="right")
    some = end > begin
    return Asking(sentence[some], filler[some], begin[some], end[some])


def derive(asking: Asking, replaced: Replaced, commuting: tuple[I64, I64], first: int, last: int) -> Derivations:
    """What is derived from the seeds whose places are ``first`` and up, before ``last``.

    ``commuting``: the pairs of fillers x < y that stand together in two contexts or more, ascending, each as
    x * 2**32 + y, and in how many.
    """
    found = _joined(asking, replaced, first, last)
    place, known = _looked_up(found, replaced, commuting[0])
    contexts = commuting[1][place[known]] - 1
    return Derivations(found.seed[known], found.x[known], found.replaced[known], contexts)


def derive_lone(asking: Asking, replaced: Replaced, commuting: tuple[I64, I64], first: int, last: int) -> Derivations:
    """The same through fillers that stand together in the context of the seed alone."""
    found = _joined(asking, replaced, first, last)
    lone = ~_looked_up(found, replaced, commuting[0])[1]
    return Derivations(found.seed[lone], found.x[lone], found.replaced[lone], found.contexts[lone])


def _joined(asking: Asking, replaced: Replaced, first: int, last: int) -> Derivations:
    """Slots with the substitutions of another filler in their context, whether or not the two commute."""
    bounds = np.searchsorted(asking.sentence, [first, last])
    slots = np.arange(*bounds)
    sizes = asking.end[slots] - asking.begin[slots]
    places = np.repeat(asking.begin[slots] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    x = np.repeat(asking.filler[slots], sizes)
    other = x != replaced.filler[places]
    seed = np.repeat(asking.sentence[slots], sizes)
    return Derivations(seed[other], x[other], places[other], np.zeros(int(other.sum()), dtype=np.int64))


def _looked_up(found: Derivations, replaced: Replaced, pairs: I64) -> tuple[I64, Bools]:
    """The place of each pair of fillers among ``pairs``, and whether it is there."""
    y = replaced.filler[found.replaced]
    wanted = np.minimum(found.x, y) << 32 | np.maximum(found.x, y)
    place = np.searchsorted(pairs, wanted)
    return place, np.append(pairs, -1)[place] == wanted


def candidates_of_many(
    derived: Derivations, replaced: Replaced, pairs: Pairs, texts: Sequence[str], fillers: Sequence[str]
) -> dict[int, list[Evidence]]:
    """What is derived from each seed, by its place, ascending; the candidates of one by text.

    ``texts`` and ``fillers`` by their places.
    """
    clear = replaced.start[derived.replaced] >= 0
    rows, solutions, prints = _solved(derived, replaced, pairs, texts, np.flatnonzero(~clear))
    rows = np.concatenate([np.flatnonzero(clear), rows])
    of_clear = _prints_of_placed(derived, replaced, pairs, texts, fillers, rows[: int(clear.sum())])
    code = mixed(np.concatenate([of_clear, prints]) + derived.seed[rows].astype(np.uint64) * _SPREAD)
    _, one, group = np.unique(code, return_index=True, return_inverse=True)
    figures = _figures(group, replaced.pair[derived.replaced[rows]], derived.contexts[rows], pairs)
    found: dict[int, list[Evidence]] = {}
    order = np.argsort(derived.seed[rows[one]], kind="stable")
    of_row = rows[one[order]]
    places = derived.replaced[of_row]
    columns = (
        of_row,
        derived.seed[of_row],
        derived.x[of_row],
        pairs.rewording[replaced.pair[places]],
        replaced.start[places],
        replaced.stop[places],
        *(figure[order] for figure in figures),
    )
    for row, seed, x, rewording, start, stop, *rest in zip(*(column.tolist() for column in columns), strict=True):
        text = solutions[row] if start < 0 else placed(texts[rewording], start, stop, fillers[x])
        if text is not None and text != texts[seed]:
            found.setdefault(seed, []).append(Evidence(text, *rest))
    for evidence in found.values():
        evidence.sort(key=_text_of)
    return found


def _text_of(evidence: Evidence) -> str:
    return evidence.text


def _solved(
    derived: Derivations, replaced: Replaced, pairs: Pairs, texts: Sequence[str], rows: I64
) -> tuple[I64, Mapping[int, str], U64]:
    """Of derivations without a clear place those that have a solution: places, solutions by these, fingerprints."""
    pair = replaced.pair[derived.replaced[rows]]
    columns = rows, derived.seed[rows], pairs.sentence[pair], pairs.rewording[pair]
    known: dict[tuple[int, int, int], str | None] = {}
    solutions: dict[int, str] = {}
    for row, *key in zip(*(column.tolist() for column in columns), strict=True):
        seed, sentence, rewording = key
        if (seed, sentence, rewording) not in known:
            known[seed, sentence, rewording] = solved(texts[sentence], texts[rewording], texts[seed])
        text = known[seed, sentence, rewording]
        if text is not None:
            solutions[row] = text
    joined, starts, stops = _one_after_the_other(list(solutions.values()))
    return np.array(list(solutions), dtype=np.int64), solutions, Fingerprints(joined).of(starts, stops)


def _prints_of_placed(
    derived: Derivations, replaced: Replaced, pairs: Pairs, texts: Sequence[str], fillers: Sequence[str], rows: I64
) -> U64:
    """The fingerprints of B' with x in the place of y."""
    places = derived.replaced[rows]
    rewordings, rewording = np.unique(pairs.rewording[replaced.pair[places]], return_inverse=True)
    used, x = np.unique(derived.x[rows], return_inverse=True)
    joined, starts, stops = _one_after_the_other(
        [*(texts[place] for place in rewordings.tolist()), *(fillers[place] for place in used.tolist())]
    )
    begin, end = starts[rewording], stops[rewording]
    filler = x + len(rewordings)
    return Fingerprints(joined).of_runs(
        (begin, begin + replaced.start[places]),
        (starts[filler], stops[filler]),
        (begin + replaced.stop[places], end),
    )


def _one_after_the_other(texts: Sequence[str]) -> tuple[str, I64, I64]:
    """Texts as one, and where each begins and ends there."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    stops = np.cumsum(sizes)
    return "".join(texts), stops - sizes, stops


def _figures(group: I64, pair: I64, contexts: I64, pairs: Pairs) -> tuple[I64, I64, I64, F64]:
    """Frequency, pivots, languages and probability of each group, as ``Evidence`` has them."""
    key = group << 32 | pair
    order = np.lexsort((contexts, key))
    order = order[np.append(key[order][1:] != key[order][:-1], True)[: len(order)]]
    group, pair, contexts = group[order], pair[order], contexts[order]
    begins = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    if not len(begins):
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, nothing, np.empty(0)
    pivot = np.sort(group << 32 | pairs.rewording[pair])
    pivots = np.bincount(pivot[np.append(True, pivot[1:] != pivot[:-1])] >> 32, minlength=len(begins))
    languages = np.zeros(len(begins), dtype=np.int64)
    for having in pairs.languages:
        languages += np.logical_or.reduceat(having[pair], begins)
    probability = np.maximum.reduceat(pairs.probability[pair], begins)
    return np.add.reduceat(contexts, begins), pivots, languages, probability
