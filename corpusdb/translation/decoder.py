"""A bitext laid out so that the phrase pairs at many places are found, and translations put together of phrases.

The places of a stream of words in the order of the words that follow: where a phrase stands, and how often.
The order is by the first LONGEST words only, which three sorts give by doubling (Manber & Myers 1993, section 3); a
phrase of up to that many words is then an interval, found by bisection (Callison-Burch, Bannard & Schroeder 2005).
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import attrgetter
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I32, I64, Bools, is_new, places_in
from corpusdb.base.errors import InputError
from corpusdb.base.ngrams import stable_order

BREAK: Final = 0
"""Stands in a stream before the first text and behind each; words are numbers from 1."""
LONGEST: Final = 8
"""Words of a phrase at most."""


def stream_of(words: I32 | I64, lengths: I64) -> tuple[I32, I64]:
    """Texts laid end to end as a stream with breaks; and where in it each of their words stands.

    ``words`` are numbers from 0, which in the stream are one more.
    """
    places = np.arange(len(words)) + np.repeat(np.arange(len(lengths)), lengths) + 1
    stream = np.full(len(words) + len(lengths) + 1, BREAK, dtype=np.int32)
    stream[places] = words + 1
    return stream, places


class SortedPlaces:
    """The places of all words of a stream in their order: four bytes for each, and eight more for each length."""

    def __init__(self, stream: I32, longest: int) -> None:
        """``longest``: of the phrases that are numbered, at most LONGEST words; 0 where none is."""
        self._stream = stream
        ranks = stream.astype(np.int64)
        distinct, step = int(stream.max(initial=0)) + 1, 1
        order = np.zeros(0, dtype=np.int64)
        while step < LONGEST:
            after = np.zeros_like(ranks)
            after[:-step] = ranks[step:]
            keys = ranks * distinct + after
            order = stable_order(keys, distinct * distinct)
            ranks[order] = np.cumsum(is_new(keys[order]))  # from 1: behind the end is less than all
            distinct, step = int(ranks.max(initial=0)) + 1, 2 * step
        self._order = order.astype(np.int32)
        self._look_through()
        self._numbers: list[I32] = []
        self._starts: list[I32] = []
        common = self._common_words() if longest else np.zeros(0, dtype=np.int8)
        for length in range(1, longest + 1):
            is_other = common < length
            numbers = np.empty(len(stream), dtype=np.int32)
            numbers[self._order] = np.cumsum(is_other) - 1
            self._numbers.append(numbers)
            self._starts.append(np.append(np.flatnonzero(is_other), len(stream)).astype(np.int32))

    def _look_through(self) -> None:
        """See the arrays as what is read fast one by one, which cannot be kept in a file."""
        self._follows = memoryview(np.ascontiguousarray(self._stream).data)
        self._sorted = memoryview(self._order.data)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name not in ("_follows", "_sorted")}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._look_through()

    def _common_words(self) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
        """How many first words each place, in the order, has in common with the one before it; breaks are different."""
        padded = np.append(self._stream, np.zeros(LONGEST, dtype=np.int32))
        common = np.zeros(len(self._order), dtype=np.int8)
        own, before = self._order[1:], self._order[:-1]
        for step in range(LONGEST):
            words = padded[own + step]
            goes_on = (common[1:] == step) & (words == padded[before + step]) & (words != BREAK)
            common[1:] += goes_on
        return common

    def intervals(self, words: Sequence[int], longest: int) -> Iterator[tuple[int, int, int]]:
        """Of the first one, two and more of these words: how many, and the interval of places where they stand.

        Ends with the first that stand nowhere. ``words``: numbers of the stream, none of them BREAK.
        """
        low, high = 0, len(self._sorted)
        stream, places = self._follows, self._sorted
        for length, word in enumerate(words[:longest]):
            limit = len(stream) - 1

            def following(place: int, offset: int = length, limit: int = limit) -> int:
                return int(stream[min(place + offset, limit)])

            low = bisect_left(places, word, low, high, key=following)
            high = bisect_right(places, word, low, high, key=following)
            if low == high:
                return
            yield length + 1, low, high

    def sample(self, low: int, high: int, most: int) -> I32:
        """The places of an interval, or ``most`` of them at equal distances: so that all that follows has its share."""
        if high - low <= most:
            return self._order[low:high]
        return self._order[low + np.arange(most) * (high - low) // most]

    def numbers(self, places: I64, lengths: I64) -> I64:
        """The number of the phrase of each place and length, among those of this length."""
        found = np.empty(len(places), dtype=np.int64)
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            found[rows] = self._numbers[length - 1][places[rows]]
        return found

    def counts(self, numbers: I64, lengths: I64) -> I64:
        """How often the phrase of each number and length stands in the stream."""
        found = np.empty(len(numbers), dtype=np.int64)
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            starts = self._starts[length - 1]
            found[rows] = starts[numbers[rows] + 1] - starts[numbers[rows]]
        return found


# A bitext with its links, laid out so that the phrase pairs at many places are found at once.
# A phrase pair is consistent with the links where no word of either phrase is linked with a word outside of the other,
# and at least one is linked (Koehn, Och & Marcu 2003); words without a link may stand at its edges.


_NONE: Final = -1


class NumberedBitext(NamedTuple):
    """Pairs of texts as numbers of words from 0, laid end to end, and the links between them."""

    sources: I32
    source_lengths: I64
    """In words, of the source text of each pair."""
    targets: I32
    target_lengths: I64
    links: I32
    """Shape (links, 2): source and target word, by their places in their texts."""
    links_of_pair: I64
    """How many links each pair has: they follow each other."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of the bitext: for each place of its stream."""

    stream: I32
    first: I32
    """The first place of the other stream that is linked with this one; -1 where there is none."""
    last: I32
    linked_before: I32
    """The nearest linked place before this one; a break counts as linked, with the break of the other stream."""
    linked_after: I32


class PlacedPairs(NamedTuple):
    """Phrase pairs where they stand: for each asked place that has one."""

    rows: I64
    """Which of the asked places."""
    targets: I64
    """Where the target phrase begins, without words that have no link at its edges."""
    lengths: I64
    free_before: I64
    """How many words without a link stand before it, and behind it."""
    free_behind: I64
    follows: Bools
    """Whether what the source has before the phrase also stands before it in the target: it is translated in order."""
    swaps: Bools
    """Whether what the source has behind the phrase stands before it in the target."""
    is_followed: Bools
    """Whether what stands behind it in the target is what the source has behind the phrase."""
    is_swapped: Bools
    """Whether that is what the source has before the phrase."""


class LinkedBitext:
    """The bitext: some 40 bytes for each of its words."""

    def __init__(self, bitext: NumberedBitext) -> None:
        """Raises InputError for links outside of the texts."""
        pair_of_link = np.repeat(np.arange(len(bitext.links_of_pair)), bitext.links_of_pair)
        own, theirs = bitext.links[:, 0], bitext.links[:, 1]
        if (own >= bitext.source_lengths[pair_of_link]).any() or (theirs >= bitext.target_lengths[pair_of_link]).any():
            raise InputError("a link leads outside of its texts")
        sources, source_breaks = _placed(own, pair_of_link, bitext.source_lengths)
        targets, target_breaks = _placed(theirs, pair_of_link, bitext.target_lengths)
        ends = np.concatenate([sources, source_breaks]), np.concatenate([targets, target_breaks])
        self.source = _side(stream_of(bitext.sources, bitext.source_lengths)[0], *ends)
        self.target = _side(stream_of(bitext.targets, bitext.target_lengths)[0], *ends[::-1])
        self._breaks = source_breaks
        self.sizes = bitext.source_lengths + bitext.target_lengths
        """Of each pair of texts, in words of both sides."""
        self.words = WordLinks(self.source.stream, self.target.stream, sources, targets)

    def pair_of(self, places: I64) -> I64:
        """The pair of texts in which each place of the source stream stands."""
        return np.searchsorted(self._breaks, places) - 1

    def pairs_at(self, places: I64, lengths: I64, longest: int) -> PlacedPairs:
        """The phrase pairs of source phrases, each by its place and its length, of up to ``longest`` target words."""
        source, target = self.source, self.target
        begin = np.full(len(places), np.iinfo(np.int32).max, dtype=np.int64)
        end = np.full(len(places), _NONE, dtype=np.int64)
        for step in range(int(lengths.max(initial=0))):
            at = places + np.minimum(step, lengths - 1)
            first = source.first[at]
            begin = np.where((first >= 0) & (first < begin), first, begin)
            end = np.maximum(end, source.last[at])
        rows = np.flatnonzero((end >= 0) & (end - begin < longest))
        begin, end = begin[rows], end[rows]
        low, high = places[rows], places[rows] + lengths[rows]
        is_inside = np.ones(len(rows), dtype=np.bool_)
        for step in range(int((end - begin).max(initial=-1)) + 1):
            at = np.minimum(begin + step, end)
            is_inside &= (target.last[at] < 0) | ((target.first[at] >= low) & (target.last[at] < high))
        rows, begin, end, low, high = (each[is_inside] for each in (rows, begin, end, low, high))
        before, behind = target.linked_before[begin], target.linked_after[end]
        source_before, source_behind = source.linked_before[low], source.linked_after[high - 1]
        return PlacedPairs(
            rows,
            begin,
            end - begin + 1,
            begin - before - 1,
            behind - end - 1,
            target.last[before] == source_before,
            target.first[before] == source_behind,
            target.first[behind] == source_behind,
            target.last[behind] == source_before,
        )


def _placed(words: I32, pair_of_link: I64, lengths: I64) -> tuple[I64, I64]:
    """Where linked words stand in a stream with breaks, and where its breaks stand."""
    breaks: I64 = np.append(np.zeros(1, dtype=np.int64), np.cumsum(lengths + 1))
    return breaks[pair_of_link] + 1 + words, breaks


def _side(stream: I32, own: I64, theirs: I64) -> _Side:
    first = np.full(len(stream), np.iinfo(np.int32).max, dtype=np.int32)
    last = np.full(len(stream), _NONE, dtype=np.int32)
    np.minimum.at(first, own, theirs.astype(np.int32))
    np.maximum.at(last, own, theirs.astype(np.int32))
    is_linked = last >= 0
    first[~is_linked] = _NONE
    places = np.arange(len(stream), dtype=np.int32)
    up_to = np.maximum.accumulate(np.where(is_linked, places, 0)).astype(np.int32)
    down_to = np.minimum.accumulate(np.where(is_linked, places, len(stream) - 1)[::-1])[::-1].astype(np.int32)
    before, after = np.zeros_like(stream), np.full_like(stream, len(stream) - 1)
    before[1:], after[:-1] = up_to[:-1], down_to[1:]
    return _Side(stream, first, last, before, after)


class WordLinks:
    """How probable words are as translations of each other, by how often they are linked."""

    def __init__(self, source: I32, target: I32, sources: I64, targets: I64) -> None:
        """Two streams of words, and the places of the links between them."""
        self._size = int(target.max(initial=0)) + 1
        keys = source[sources].astype(np.int64) * self._size + target[targets]
        self._keys, counts = np.unique(keys, return_counts=True)
        own, theirs = np.divmod(self._keys, self._size)
        # A word without a link counts as one that is linked with nothing.
        source_weights, self.source_unlinked = _weights(source, sources)
        target_weights, self.target_unlinked = _weights(target, targets)
        self._forward = (counts / source_weights[own]).astype(np.float32)
        self._backward = (counts / target_weights[theirs]).astype(np.float32)

    def probabilities(self, sources: I64, targets: I64) -> tuple[F64, F64]:
        """p(target word | source word) and the other direction: both of shape (sources, targets)."""
        keys = (sources[:, None] * self._size + targets[None, :]).ravel()
        at, known = places_in(self._keys, keys)
        at = at[known]
        forward, backward = np.zeros((2, len(sources), len(targets)))
        known = known.reshape(forward.shape)
        forward[known], backward[known] = self._forward[at], self._backward[at]
        return forward, backward


def _weights(stream: I32, linked: I64) -> tuple[I64, F64]:
    """How often each word of a stream is linked, or stands there without a link; and the share of the latter."""
    size = int(stream.max(initial=0)) + 1
    is_linked = np.zeros(len(stream), dtype=np.bool_)
    is_linked[linked] = True
    without = np.bincount(stream[~is_linked], minlength=size)
    counts: I64 = np.bincount(stream[linked], minlength=size) + without
    return counts, without / np.maximum(counts, 1)


# A translation put together of phrases: beam search over stacks of equally many translated words.
# A hypothesis is what has been translated so far: which words of the sentence, the last phrase, and what a language
# model still sees of the translation. Hypotheses that are alike in these are recombined; of each stack those with the
# best score and prospect are kept (Koehn, Och & Marcu 2003; Koehn 2004). Without a bound on the stacks the search is
# exact.


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


class DecodedTranslation(NamedTuple):
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

    def best(
        self, length: int, options: Sequence[WeightedOption], model: SentenceModel, most: int
    ) -> list[DecodedTranslation]:
        """The ``most`` best translations of a sentence of so many words, best first; empty where there is none.

        Different options may give the same words: who wants different texts asks for more.
        """
        search = _Search(length, options, model, self._limits, (self._model_weight, self._jump_weight))
        return list(_best_ways(search.final_node(), most))


class _Search:
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
        found = self._rests.get(covered)
        if found is None:
            found, begin = 0.0, _zeros(~covered)
            while begin < self._length:
                behind = covered >> begin
                end = begin + _zeros(behind) if behind else self._length
                found += self._ahead[begin][end]
                begin = end + _zeros(~(covered >> end))
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
                nodes = heapq.nlargest(beam, nodes, key=attrgetter("prospect"))
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
        covered, last = node.covered, node.option
        last_begin, last_end = (0, 0) if last is None else (last.begin, last.end)
        limit = self._length if self._limits.distortion is None else self._limits.distortion
        gap = _zeros(~covered)
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


def _zeros(bits: int) -> int:
    """How many places of a number that is not 0 are 0 before the first that is 1."""
    return (bits & -bits).bit_length() - 1


_END: Final = WeightedOption(0, 0, (), 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), -1)


_UNBOUNDED: Final = float("inf")


def _best_ways(final: _Node, most: int) -> Iterator[DecodedTranslation]:
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
                yield DecodedTranslation(-total, options)
            continue
        for before, option, gain in node.ways:
            kept = options if node is final else (option, *options)
            entry = (-(before.score + gain + behind), next(ties), before, gain + behind, kept)
            heapq.heappush(waiting, entry)
