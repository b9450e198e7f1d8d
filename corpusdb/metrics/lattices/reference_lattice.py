"""A reference in which runs of units can be replaced, one or any number of them at a time, as a lattice.

Its paths are the references that come of it, the original among them. What a hypothesis shares with the set of all
paths is found without expanding them: a count is clipped by the path that has the n-gram most often. As always with
several references, the n-grams of a hypothesis may be matched on different paths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from corpusdb.errors import InputError, UsageError

__all__ = ["Lattice", "Ngram", "Replacement", "Units", "matched_on_paths"]

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
                raise UsageError(f"{each} cannot stand in a reference of {len(units)} units")
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
