"""A translation put together of phrases: beam search over stacks of equally many translated words.

A hypothesis is what has been translated so far: which words of the sentence, the last phrase, and what a language model
still sees of the translation. Hypotheses that are alike in these are recombined; of each stack those with the best
score and prospect are kept (Koehn, Och & Marcu 2003; Koehn 2004). Without a bound on the stacks the search is exact.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final, NamedTuple, Protocol, TypeAlias

__all__ = ["Decoder", "DecoderLimits", "SentenceModel", "Translated", "WeightedOption"]

_IN_ORDER, _SWAPPED, _APART = range(3)


class SentenceModel(Protocol):
    """A language model as one sentence needs it; states and words are numbers."""

    @property
    def start(self) -> int:
        """The state at the beginning of a text."""

    def follow(self, state: int, word: int) -> tuple[float, int]:
        """The natural logarithm of the probability of a word after a state, and the state behind it."""

    def end(self, state: int) -> float:
        """The natural logarithm of the probability that the text ends here."""


@dataclass(frozen=True, slots=True)
class DecoderLimits:
    """How far is searched."""

    beam: int | None = 60
    """Hypotheses kept for each number of translated words; None: all."""
    width: float = 2.5
    """Of hypotheses of equally many words none is begun whose estimate is so much below the best; with a beam only."""
    distortion: int | None = 8
    """Words of the sentence from the end of a phrase to the begin of the next one at most; and from the first word that
    is not translated to the end of any phrase that does not begin there. None: any number."""


class WeightedOption(NamedTuple):
    """A part of a sentence with a translation, and what it adds to the score wherever it stands."""

    begin: int
    end: int
    words: tuple[int, ...]
    score: float
    before: tuple[float, float, float]
    """Added when the phrase follows the one before it in order, in the opposite order, or apart from it."""
    behind: tuple[float, float, float]
    """Added when the next one follows it in order, in the opposite order, or apart from it."""
    number: int
    """For the caller."""


@dataclass(slots=True)
class _Node:
    """A hypothesis with all the ways that lead to it."""

    score: float
    """Of the best way."""
    covered: int
    """A bit for each translated word."""
    option: WeightedOption | None
    """The last one; ways that lead here end with options of this place, and of the same weights behind it."""
    state: int
    prospect: float = 0.0
    """The score with an estimate of what the rest will add."""
    ways: list[tuple[_Node, WeightedOption, float]] = field(default_factory=list)
    """Node before, option, and what it added."""


_Key: TypeAlias = tuple[int, int, int, int, tuple[float, float, float]]
"""What hypotheses share that are recombined: the translated words, begin and end of the last phrase, the state of the
language model, and what the phrase adds to the next one by its orientation."""


class Translated(NamedTuple):
    """A translation of the whole sentence."""

    score: float
    options: tuple[WeightedOption, ...]
    """In the order of the translation."""


class Decoder:
    """Searches with one language model, whose logarithms are multiplied by a weight, and a cost of jumps."""

    def __init__(self, limits: DecoderLimits, model_weight: float, jump_weight: float) -> None:
        """``jump_weight`` is added for each word of the sentence between two phrases: 0 or less."""
        self._limits = limits
        self._model_weight = model_weight
        self._jump_weight = jump_weight

    def best(self, length: int, options: Sequence[WeightedOption], model: SentenceModel, most: int) -> list[Translated]:
        """The ``most`` best translations of a sentence of so many words, best first; empty where there is none.

        Different options may give the same words: who wants different texts asks for more.
        """
        search = _Search(length, options, model, self._limits, (self._model_weight, self._jump_weight))
        return list(_best_ways(search.final_node(), most))


class _Search:
    """One sentence."""

    def __init__(
        self,
        length: int,
        options: Sequence[WeightedOption],
        model: SentenceModel,
        limits: DecoderLimits,
        weights: tuple[float, float],
    ) -> None:
        self._length = length
        self._model = model
        self._limits = limits
        self._model_weight, self._jump_weight = weights
        self._all = (1 << length) - 1
        self._phrase_scores: dict[tuple[int, tuple[int, ...]], tuple[float, int]] = {}
        by_span: dict[tuple[int, int], list[tuple[float, WeightedOption]]] = {}
        for option in options:
            by_span.setdefault((option.begin, option.end), []).append((self._alone(option), option))
        self._spans: list[list[tuple[int, int, list[tuple[float, WeightedOption]]]]] = [[] for _ in range(length)]
        for (begin, end), found in sorted(by_span.items()):
            found.sort(key=lambda each: -each[0])
            self._spans[begin].append((end, ((1 << end) - 1) ^ ((1 << begin) - 1), found))
        self._ahead = self._estimates()
        self._rests: dict[int, float] = {}
        self._stacks: list[dict[_Key, _Node]] = [{} for _ in range(length + 1)]
        """The hypotheses of so many translated words."""
        self._bests = [float("-inf")] * (length + 1)
        """The best prospect of each stack so far."""

    def _alone(self, option: WeightedOption) -> float:
        """An estimate of what an option will add: its words scored as if nothing stood before the first."""
        score, state = 0.0, -1
        for word in option.words:
            bits, state = self._model.follow(state, word)
            score += bits
        return option.score + self._model_weight * score

    def _estimates(self) -> list[list[float]]:
        """The best estimate of each part of the sentence, by its begin and end."""
        size, worst = self._length + 1, float("-inf")
        ahead = [[worst] * size for _ in range(size)]
        for begin in range(self._length - 1, -1, -1):
            row = ahead[begin]
            for middle, _, found in self._spans[begin]:
                first = found[0][0]
                row[middle] = max(row[middle], first)
                for end, rest in enumerate(ahead[middle]):
                    if first + rest > row[end]:
                        row[end] = first + rest
        return ahead

    def _rest(self, covered: int) -> float:
        """The estimate of all words that are not translated yet."""
        found = self._rests.get(covered)
        if found is None:
            found, begin = 0.0, 0
            while begin < self._length:
                if covered >> begin & 1:
                    begin += 1
                    continue
                end = begin
                while end < self._length and not covered >> end & 1:
                    end += 1
                found += self._ahead[begin][end]
                begin = end
            self._rests[covered] = found
        return found

    def final_node(self) -> _Node:
        """A node to which all translations of the whole sentence lead; without ways where there is none."""
        first = _Node(0.0, 0, None, self._model.start)
        stacks = self._stacks
        stacks[0][0, 0, 0, 0, (0.0, 0.0, 0.0)] = first
        beam = self._limits.beam
        for stack in stacks[:-1]:
            nodes: Sequence[_Node] = list(stack.values())
            if beam is not None and len(nodes) > beam:
                nodes = heapq.nlargest(beam, nodes, key=_prospect)
            stack.clear()
            for node in nodes:
                self._expand(node)
        final = _Node(float("-inf"), self._all, None, -1)
        for node in stacks[-1].values():
            gain = self._model_weight * self._model.end(node.state)
            final.score = max(final.score, node.score + gain)
            final.ways.append((node, _END, gain))
        return final

    def _expand(self, node: _Node) -> None:
        """Add to the stacks what follows from a hypothesis."""
        covered, last = node.covered, node.option
        last_begin, last_end = (0, 0) if last is None else (last.begin, last.end)
        limit = self._length if self._limits.distortion is None else self._limits.distortion
        gap = (~covered & (covered + 1)).bit_length() - 1
        for begin in range(max(gap, last_end - limit), min(self._length, last_end + limit + 1)):
            if covered >> begin & 1:
                continue
            way = _IN_ORDER if begin == last_end else _APART
            for end, mask, found in self._spans[begin]:
                if covered & mask:
                    break  # longer ones overlap too
                if begin != gap and end - gap > limit:
                    break  # from there the first gap could not be reached
                turned = _SWAPPED if last is not None and end == last_begin else way
                basis = self._jump_weight * abs(begin - last_end)
                if last is not None:
                    basis += last.behind[turned]
                self._add(node, basis, turned, found, covered | mask)

    def _add(
        self,
        node: _Node,
        basis: float,
        turned: int,
        found: list[tuple[float, WeightedOption]],
        covered: int,
    ) -> None:
        """Add a hypothesis with each of the options of one part of the sentence; then so much is translated."""
        rest = self._rest(covered)
        size = covered.bit_count()
        stack = self._stacks[size]
        best = self._bests[size]
        width = self._limits.width if self._limits.beam is not None else _UNBOUNDED
        before = node.score + basis + rest
        weight, known, state = self._model_weight, self._phrase_scores, node.state
        for alone, option in found:
            if before + alone < best - width:
                break  # those that follow promise less
            words = option.words
            hit = known.get((state, words))
            if hit is None:
                hit = known[state, words] = self._scored(state, words)
            gain = basis + option.score + option.before[turned] + weight * hit[0]
            score = node.score + gain
            key = (covered, option.begin, option.end, hit[1], option.behind)
            old = stack.get(key)
            if old is None:
                old = stack[key] = _Node(score, covered, option, hit[1], score + rest)
            elif score > old.score:
                old.score, old.option, old.prospect = score, option, score + rest
            if score + rest > best:
                best = score + rest
            old.ways.append((node, option, gain))
        self._bests[size] = best

    def _scored(self, state: int, words: tuple[int, ...]) -> tuple[float, int]:
        score = 0.0
        for word in words:
            bits, state = self._model.follow(state, word)
            score += bits
        return score, state


_END: Final = WeightedOption(0, 0, (), 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), -1)


_UNBOUNDED: Final = float("inf")


def _prospect(node: _Node) -> float:
    return node.prospect


def _best_ways(final: _Node, most: int) -> Iterator[Translated]:
    """The best ways from the beginning, best first: from the end backwards, always where the total is the best.

    The score of a node is that of the best way to it, so that the totals are exact.
    """
    ties = count()
    waiting: list[tuple[float, int, _Node, float, tuple[WeightedOption, ...]]] = [
        (-final.score, next(ties), final, 0.0, ())
    ]
    given = 0
    while waiting and given < most:
        total, _, node, behind, options = heapq.heappop(waiting)
        if not node.ways:
            if node is not final:
                given += 1
                yield Translated(-total, options)
            continue
        for before, option, gain in node.ways:
            kept = options if node is final else (option, *options)
            entry = (-(before.score + gain + behind), next(ties), before, gain + behind, kept)
            heapq.heappush(waiting, entry)
