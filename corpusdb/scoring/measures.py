"""Metrics with references, or with lattices of what can be replaced in them: what scores any number of systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from math import log2
from typing import Any, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress, computed
from corpusdb.base.tokenisation import Tokenise
from corpusdb.scoring.metric import Measure, SegmentReferences
from corpusdb.scoring.metric_settings import SENTENCE_SMOOTHING, MetricSettings, Signature
from corpusdb.scoring.metrics import metric_named

# A reference in which runs of units can be replaced, one or any number of them at a time, as a lattice.
# Its paths are the references that come of it, the original among them. What a hypothesis shares with the set of all
# paths is found without expanding them: a count is clipped by the path that has the n-gram most often. As always with
# several references, the n-grams of a hypothesis may be matched on different paths.


Ngram: TypeAlias = tuple[str, ...]
Units: TypeAlias = Sequence[str]


@dataclass(frozen=True, slots=True)
class Replacement:
    """The units from ``start`` up to, not including, ``end`` replaced by others."""

    start: int
    end: int
    units: tuple[str, ...]


class Lattice:
    """One reference and its replacements; nodes are numbered so that every edge leads to a higher number."""

    def __init__(self, units: Units, replacements: Sequence[Replacement] = (), most: int | None = None) -> None:
        """``most``: how many replacements a path may hold; None for any number.

        They do not overlap on a path, and what was put in is not replaced. Raises UsageError for a replacement of
        nothing, by nothing or outside of the units, and for fewer than no replacements.
        """
        for each in replacements:
            if not (0 <= each.start < each.end <= len(units) and each.units):
                raise UsageError(f"{each} cannot be in a reference of {len(units)} units")
        if most is not None and most < 0:
            raise UsageError(f"a path has at least 0 replacements, not {most}")
        self._edges: list[list[tuple[str, int]]] = []
        self._by_unit: list[dict[str, list[int]]] = []
        self._starts: dict[str, list[int]] = {}
        self._build(tuple(units), list(dict.fromkeys(replacements)), most)
        self._most: dict[Ngram, int] = {}
        self.lengths = self._reachable_lengths()
        """The lengths of the paths, ascending."""

    def _build(self, units: tuple[str, ...], replacements: list[Replacement], most: int | None) -> None:
        # One copy of the places for each number of replacements made so far; one alone where any number may be.
        layers = 1 if most is None else min(most, len(replacements)) + 1
        by_start: dict[int, list[Replacement]] = {}
        for each in replacements:
            by_start.setdefault(each.start, []).append(each)
        # What was put in has nodes of its own, before the place where it ends.
        edges: list[tuple[tuple[int, ...], str, tuple[int, ...]]] = []
        nodes: set[tuple[int, ...]] = {(0, 0)}
        for place in range(len(units) + 1):
            for layer in range(layers):
                if (place, layer) not in nodes:
                    continue
                if place < len(units):
                    edges.append(((place, layer), units[place], (place + 1, layer)))
                    nodes.add((place + 1, layer))
                if most is not None and layer + 1 == layers:
                    continue
                for number, each in enumerate(by_start.get(place, ())):
                    inner = [(place, layer, number, at) for at in range(1, len(each.units))]
                    path = [(place, layer), *inner, (each.end, layer + (most is not None))]
                    edges += zip(path[:-1], each.units, path[1:], strict=True)
                    nodes.update(path)
        numbers = {node: number for number, node in enumerate(sorted(nodes))}
        self._edges = [[] for _ in nodes]
        self._by_unit = [{} for _ in nodes]
        for begin, unit, end in edges:
            self._edges[numbers[begin]].append((unit, numbers[end]))
            self._by_unit[numbers[begin]].setdefault(unit, []).append(numbers[end])
        for node, by_unit in enumerate(self._by_unit):
            for unit in by_unit:
                self._starts.setdefault(unit, []).append(node)
        self._ends = {numbers[len(units), layer] for layer in range(layers) if (len(units), layer) in numbers}

    def _reachable_lengths(self) -> tuple[int, ...]:
        """By a set of lengths for each node, as the bits of a number."""
        reached = [0] * len(self._edges)
        reached[0] = 1
        for node, edges in enumerate(self._edges):
            for _, end in edges:
                reached[end] |= reached[node] << 1
        bits = 0
        for node in self._ends:
            bits |= reached[node]
        return tuple(length for length in range(bits.bit_length()) if bits >> length & 1)

    def matched(self, units: Units, order: int) -> list[dict[Ngram, int]]:
        """The n-grams of a hypothesis that a path has, with their clipped counts, for each order from 1."""
        present: list[Counter[Ngram]] = [Counter() for _ in range(order)]
        for start in range(len(units)):
            nodes: Sequence[int] | set[int] = self._starts.get(units[start], ())
            for n in range(order):
                if not nodes or start + n >= len(units):
                    break
                unit = units[start + n]
                nodes = {end for node in nodes for end in self._by_unit[node].get(unit, ())}
                if nodes:
                    present[n][tuple(units[start : start + n + 1])] += 1
        return [
            {ngram: count if count == 1 else min(count, self.most(ngram)) for ngram, count in found.items()}
            for found in present
        ]

    def most(self, ngram: Ngram) -> int:
        """How often the path that has an n-gram most often has it; occurrences may overlap."""
        if ngram not in self._most:
            self._most[ngram] = self._counted(ngram)
        return self._most[ngram]

    def _counted(self, ngram: Ngram) -> int:
        """The longest path, over nodes and how much of the n-gram was read there (Knuth, Morris and Pratt 1977)."""
        failures = _failures(ngram)
        best: list[dict[int, int]] = [{} for _ in self._edges]
        best[0][0] = 0
        for node, edges in enumerate(self._edges):
            for read, count in best[node].items():
                for unit, end in edges:
                    now = read
                    while now and (now == len(ngram) or ngram[now] != unit):
                        now = failures[now]
                    now += ngram[now] == unit
                    value = count + (now == len(ngram))
                    if best[end].get(now, -1) < value:
                        best[end][now] = value
        return max(max(best[node].values()) for node in self._ends)


def _failures(ngram: Ngram) -> list[int]:
    """For each length of what was read, that of its longest proper end which is a beginning of the n-gram."""
    failures = [0] * (len(ngram) + 1)
    for length in range(2, len(ngram) + 1):
        border = failures[length - 1]
        while border and ngram[border] != ngram[length - 1]:
            border = failures[border]
        failures[length] = border + (ngram[border] == ngram[length - 1])
    return failures


def matched_on_paths(units: Units, lattices: Sequence[Lattice], order: int, segment: int) -> list[dict[Ngram, int]]:
    """What a hypothesis shares with the paths of all lattices of a segment: clipped counts for each order from 1.

    Raises InputError, with the number of the segment from 1, where there is no lattice; ``segment`` counts from 0.
    """
    if not lattices:
        raise InputError("the segment has no reference", line=segment + 1)
    matched = lattices[0].matched(units, order)
    for lattice in lattices[1:]:
        for best, found in zip(matched, lattice.matched(units, order), strict=True):
            for ngram, count in found.items():
                best[ngram] = max(count, best.get(ngram, 0))
    return matched


# Lattices of texts: characters that can be replaced by others, in the units that a metric counts.


@dataclass(frozen=True, slots=True)
class TextReplacement:
    """The characters from ``start`` up to, not including, ``end`` replaced by others."""

    start: int
    end: int
    text: str
    probability: float | None = field(default=None, compare=False)
    """That the text holds with it; None where that is not known."""


@dataclass(frozen=True, slots=True)
class RewritableText:
    """A reference and what can stand instead of parts of it."""

    text: str
    replacements: tuple[TextReplacement, ...] = ()
    """The best first, wherever they stand."""
    forms: tuple[TextReplacement, ...] = ()
    """Other forms of its words, for metrics that know whole words only."""

    @property
    def everything(self) -> tuple[TextReplacement, ...]:
        """Each replacement and form once."""
        return tuple(dict.fromkeys((*self.replacements, *self.forms)))

    def __post_init__(self) -> None:
        for each in self.everything:
            if not (0 <= each.start < each.end <= len(self.text) and each.text.strip()):
                raise UsageError(f"{each} cannot be in a text of {len(self.text)} characters")

    def rewritten(self, chosen: Iterable[TextReplacement]) -> str:
        text = self.text
        for each in sorted(chosen, key=lambda one: one.start, reverse=True):
            text = text[: each.start] + each.text + text[each.end :]
        return text


def text_lattice(rewritable: RewritableText, cut: Tokenise, most: int | None) -> Lattice:
    """The lattice of a text in the units of a metric; ``most`` is that of Lattice.

    A replacement that ends inside of a unit takes all of it: "known" within "well-known", where that is one. Two of
    them in one unit are then on no path together.
    """
    edges = _UnitEdges(rewritable.text, cut)
    replacements = []
    for each in rewritable.everything:
        begin, end = edges.before(each.start), edges.after(each.end)
        text = rewritable.text[begin : each.start] + each.text + rewritable.text[each.end : end]
        units = tuple(cut(text))
        if units:
            replacements.append(Replacement(edges.units_before(begin), edges.units_before(end), units))
    return Lattice(edges.units, replacements, most)


class _UnitEdges:
    """Where a text can be parted so that both parts have the units of the whole."""

    def __init__(self, text: str, cut: Tokenise) -> None:
        self._text, self._cut = text, cut
        self.units: Sequence[str] = cut(text)
        self._known: dict[int, int | None] = {0: 0, len(text): len(self.units)}

    def before(self, place: int) -> int:
        while self._units_at(place) is None:
            place -= 1
        return place

    def after(self, place: int) -> int:
        while self._units_at(place) is None:
            place += 1
        return place

    def units_before(self, edge: int) -> int:
        found = self._units_at(edge)
        assert found is not None  # it is an edge
        return found

    def _units_at(self, place: int) -> int | None:
        if place not in self._known:
            first, second = self._cut(self._text[:place]), self._cut(self._text[place:])
            is_edge = [*first, *second] == list(self.units)
            self._known[place] = len(first) if is_edge else None
        return self._known[place]


# BLEU over lattices: BLEU with the set of all their paths as references.
# The rows are those of ``bleu_statistics``, so that scores, intervals and tests are the same. More references can
# lower BLEU: with paths of 8 and 11 units a hypothesis of 10 is held to be too short.


def lattice_bleu_statistics(hypotheses: Sequence[Units], lattices: Sequence[Sequence[Lattice]], order: int) -> I64:
    """The statistics of each segment over all paths of its lattices: shape (segments, 2 ``order`` + 2).

    The columns of ``bleu_statistics``. Raises InputError unless there is one hypothesis for every segment and a lattice
    for each, and UsageError for an order below 1.
    """
    if order < 1:
        raise UsageError(f"the order of BLEU is at least 1, not {order}")
    if len(hypotheses) != len(lattices):
        raise InputError(f"{len(hypotheses)} hypotheses for {len(lattices)} segments")
    statistics = np.zeros((len(lattices), 2 * order + 2), dtype=np.int64)
    for number, (units, own) in enumerate(zip(hypotheses, lattices, strict=True)):
        for n, found in enumerate(matched_on_paths(units, own, order, number)):
            statistics[number, n] = sum(found.values())
            statistics[number, order + n] = max(len(units) - n, 0)
        lengths = {length for lattice in own for length in lattice.lengths}
        statistics[number, -2] = len(units)
        statistics[number, -1] = min(lengths, key=lambda length: (abs(length - len(units)), length))
    return statistics


# NIST over lattices: what is matched is on a path of the lattice, what it weighs and how long it should be is not.
# mteval weighs n-grams by their counts over all references, and takes their mean length. A lattice has no finite list
# of references of which either could be taken, and every rarer paraphrase would weigh more than what the translator
# wrote. So the weights and lengths are those of the original references; an n-gram that these have not is weighed as
# if they had it once. Without a replacement this is NIST with the original references.


class OriginalWeights:
    """The information of n-grams by the original references, and the mean length of those of each segment."""

    def __init__(self, originals: Sequence[Sequence[Units]], order: int) -> None:
        """``originals``: the references of each segment as units. Raises UsageError for an order below 1."""
        if order < 1:
            raise UsageError(f"the order of NIST is at least 1, not {order}")
        self.order = order
        self.lengths = [sum(map(len, own)) / max(1, len(own)) for own in originals]
        self._counts: Counter[Ngram] = Counter()
        for own in originals:
            for units in own:
                for n in range(1, order + 1):
                    self._counts.update(tuple(units[at : at + n]) for at in range(len(units) - n + 1))
        self._total = sum(len(units) for own in originals for units in own)

    def of_segments(self, segments: Sequence[int]) -> OriginalWeights:
        chosen = copy(self)
        chosen.lengths = [self.lengths[segment] for segment in segments]
        return chosen

    def information(self, ngram: Ngram) -> float:
        """In bits: log2(occurrences without the last unit / occurrences), each at least 1."""
        history = ngram[:-1]
        # As in mteval, where "0" is false, a unit after the single unit "0" weighs as if nothing stood before it.
        before = self._total if history in ((), ("0",)) else self._counts[history]
        return log2(max(before, 1) / max(self._counts[ngram], 1))


def lattice_nist_statistics(
    hypotheses: Sequence[Units], lattices: Sequence[Sequence[Lattice]], weights: OriginalWeights
) -> F64:
    """The statistics of each segment over all paths of its lattices: shape (segments, 2 order + 2).

    The columns of ``nist_statistics``, and scores by ``nist_scores``. Raises InputError unless there is one hypothesis
    for every segment and a lattice for each.
    """
    if not len(hypotheses) == len(lattices) == len(weights.lengths):
        raise InputError(f"{len(hypotheses)} hypotheses for {len(lattices)} segments")
    order = weights.order
    statistics = np.zeros((len(lattices), 2 * order + 2))
    for number, (units, own) in enumerate(zip(hypotheses, lattices, strict=True)):
        for n, found in enumerate(matched_on_paths(units, own, order, number)):
            statistics[number, n] = sum(count * weights.information(ngram) for ngram, count in found.items())
            statistics[number, order + n] = max(len(units) - n, 0)
        statistics[number, -2:] = len(units), weights.lengths[number]
    return statistics


# Measures of systems.


_SEGMENTS_A_TASK = 2_048
"""As many as TER measures together; few enough that after a second it is known how long all will take."""
_MANY = 200
"""Segments of all systems together that are worth processes, and that progress is told of, where a metric is slow."""
_SYSTEMS_TOGETHER = 8
"""Of a fast metric: with each of them references are gone through once."""
_MANY_OF_FAST = 10_000
"""The same of other metrics: about a second's worth."""


def measures(settings: Sequence[MetricSettings], references: Sequence[Sequence[str]]) -> list[Measure]:
    """The measures for one list of references for each segment, which are cut into units once for each way of cutting.

    Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, and UsageError
    where what a tokenisation needs is missing.
    """
    texts = SegmentReferences(references)
    return [metric_named(each.metric).measure(each, texts) for each in settings]


def signature_of(settings: MetricSettings, counts: Sequence[int], digest: str) -> Signature:
    """How a score with these settings is computed, with the number of references of each segment and their digest."""
    return metric_named(settings.metric).signature(settings, counts, digest)


def smoothed_for_segments(measure: Measure) -> Measure:
    """The measure from the same statistics, BLEU smoothed as in sacrebleu's sentence BLEU unless it is already."""
    if not measure.settings.is_plain_bleu:
        return measure
    return replace(measure, settings=replace(measure.settings, smoothing=SENTENCE_SMOOTHING))


def statistics_of_systems(measure: Measure, systems: Sequence[Sequence[str]], processes: int) -> Job[I64 | F64]:
    """The statistics of every system: shape (systems, segments, columns).

    Where the metric is slow, segments are shared out among at most so many processes, which changes no number. Raises
    InputError as Measure.statistics.
    """
    if not measure.metric.is_slow or any(len(texts) != len(measure.counts) for texts in systems):
        return (yield from _together(measure, systems))
    segments = len(measure.counts)
    tasks = [(system, first) for system in range(len(systems)) for first in range(0, segments, _SEGMENTS_A_TASK)]

    def rows(task: int) -> I64 | F64:
        system, first = tasks[task]
        return measure.statistics_from(first, systems[system][first : first + _SEGMENTS_A_TASK])

    total = segments * len(systems)
    found: dict[int, I64 | F64] = {}
    stage, done = f"scoring segments by {measure.label}", 0
    if total >= _MANY:
        yield Progress(stage, done, total)
    for task, part in computed(rows, len(tasks), processes if total >= _MANY else 1):
        found[task] = part
        done += len(part)
        if total >= _MANY:
            yield Progress(stage, done, total)
    together: I64 | F64 = np.concatenate([found[task] for task in range(len(tasks))])
    return together.reshape(len(systems), segments, -1)


def _together(measure: Measure, systems: Sequence[Sequence[str]]) -> Job[I64 | F64]:
    total, done = sum(map(len, systems)), 0
    found: list[Any] = []
    for first in range(0, len(systems), _SYSTEMS_TOGETHER):
        if total >= _MANY_OF_FAST:
            yield Progress(f"scoring segments by {measure.label}", done, total)
        part = systems[first : first + _SYSTEMS_TOGETHER]
        found.append(measure.statistics_of_systems(part))
        done += sum(map(len, part))
    together: I64 | F64 = np.concatenate(found)
    return together
