"""The phrases by which parts of a sentence can be translated, what their figures weigh, and the model of their words.

No table of phrases is kept: those of a sentence are extracted at a sample of the places where its source phrases
stand (Callison-Burch, Bannard & Schroeder 2005; Lopez 2007), so that phrases may be long and memory does not grow
with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I32, I64
from corpusdb.base.char_model_counts import FIRST_CHARACTER, START, UNKNOWN, Alphabet, train
from corpusdb.base.char_model_probabilities import Model, model_of
from corpusdb.translation.decoder import LinkedBitext, PlacedPairs, SortedPlaces, WeightedOption

FEATURES: Final = (
    "forward",
    "backward",
    "lexical forward",
    "lexical backward",
    "translated",
    "explained",
    "phrases",
    "words",
    "copied",
)
"""What an option is judged by: logarithms of p(target | source) and p(source | target) of the phrases and by their
words; of how probable it is that each source word has its translation in the phrase, or needs none, and that each
target word has what it translates, or needs nothing; and numbers of phrases, of target words, and of words that are
copied because nothing is known of them."""
_LEAST: Final = 1e-4
"""Of the probability of a word given those of a phrase."""
_DISCOUNT: Final = 0.5
_PRIOR: Final = 3.0
"""How many times the usual shares of the orientations are added to what was counted."""
_USUAL: Final = (0.6, 0.1, 0.3)
"""The shares of phrases that stand to the one that was translated before them in order, swapped, and apart."""
_EVEN: Final = float(np.log(1 / 3))


@dataclass(frozen=True, slots=True)
class OptionLimits:
    """How far options are looked for."""

    longest: int = 7
    """Words of a phrase on either side, at most LONGEST."""
    sample: int = 300
    """Places at which a source phrase is looked at."""
    options: int = 20
    """Of each source phrase."""
    widening: int = 1
    """Words without a link that a target phrase may have at each edge."""


class PhraseOption(NamedTuple):
    begin: int
    end: int
    """Behind its last word."""
    words: tuple[int, ...]
    """Of the target phrase, by their numbers from 0; for a copied word -1 less its place in the sentence."""
    features: tuple[float, ...]
    """In the order of FEATURES."""
    before: tuple[float, float, float]
    """Logarithms of the probabilities of ORIENTATIONS, towards the phrase before it."""
    behind: tuple[float, float, float]
    """The same, towards the phrase behind it: that one is in order, swapped or apart."""
    times: int
    """How often it was found; 0: copied."""
    looked_at: int
    """At how many places of the source phrase."""
    pair: int | None
    """A pair of texts in which it stands; None: copied."""

    @property
    def is_copied(self) -> bool:
        """Whether it is a word of the source of which nothing is known."""
        return self.pair is None

    @property
    def probability(self) -> float:
        """Of the target phrase, given the source phrase; 0 where it is copied."""
        return 0.0 if self.pair is None else float(np.exp(self.features[0]))


class _Found(NamedTuple):
    """Different phrase pairs, and where each was found first."""

    groups: I64
    targets: I64
    lengths: I64
    counts: F64
    before: F64
    """Shape (pairs, 3): how often in each orientation."""
    behind: F64
    totals: I64
    """How often the target phrase stands in the bitext."""
    pairs: I64


class PhraseSource:
    """A bitext that is asked for options."""

    def __init__(self, texts: LinkedBitext, limits: OptionLimits) -> None:
        self._texts = texts
        self._limits = limits
        self._sources = SortedPlaces(texts.source.stream, 0)
        self._targets = SortedPlaces(texts.target.stream, limits.longest)

    def options(self, sentence: Sequence[int | None]) -> list[PhraseOption]:
        """The options of a sentence, given by the numbers of its words; None is a word that the bitext has not.

        Every word has at least one: itself, where no phrase of one word is known.
        """
        spans, places, totals = self._source_phrases(sentence)
        made: list[PhraseOption] = []
        if spans:
            sizes = np.array(list(map(len, places)), dtype=np.int64)
            group = np.repeat(np.arange(len(spans)), sizes)
            at = np.concatenate(places)
            lengths = np.array([end - begin for begin, end in spans], dtype=np.int64)
            pairs = self._texts.pairs_at(at, lengths[group], self._limits.longest)
            found = self._different(pairs, group, at)
            made = self._made(sentence, spans, found, _Seen(sizes, totals))
        single = {option.begin for option in made if option.end == option.begin + 1}
        return made + [_copied(place) for place in range(len(sentence)) if place not in single]

    def _source_phrases(self, sentence: Sequence[int | None]) -> tuple[list[tuple[int, int]], list[I64], I64]:
        """The parts of a sentence that stand in the bitext, places where each does, and how often it does."""
        spans, places, totals = [], [], []
        for begin in range(len(sentence)):
            known: list[int] = []
            for word in sentence[begin : begin + self._limits.longest]:
                if word is None:
                    break
                known.append(word + 1)
            for length, low, high in self._sources.intervals(known, self._limits.longest):
                spans.append((begin, begin + length))
                places.append(self._sources.sample(low, high, self._limits.sample).astype(np.int64))
                totals.append(high - low)
        return spans, places, np.array(totals, dtype=np.int64)

    def _different(self, pairs: PlacedPairs, group: I64, at: I64) -> _Found:
        """The different phrase pairs, the most frequent of each group alone, with their words without a link."""
        rows, targets, lengths, shares = _widened(pairs, self._limits)
        groups = group[pairs.rows[rows]]
        numbers = self._targets.numbers(targets, lengths)
        size = len(self._texts.target.stream)
        keys = (groups * (self._limits.longest + 1) + lengths) * size + numbers
        different, inverse = np.unique(keys, return_inverse=True)
        first = self._shortest(at[pairs.rows[rows]], inverse, len(different))
        counts = _summed(inverse, shares, len(different))
        before, behind = (
            np.stack([_summed(inverse, shares * which[rows], len(different)) for which in sides], axis=1)
            for sides in (
                (pairs.follows, pairs.swaps & ~pairs.follows, ~pairs.follows & ~pairs.swaps),
                (pairs.is_followed, pairs.is_swapped & ~pairs.is_followed, ~pairs.is_followed & ~pairs.is_swapped),
            )
        )
        kept = _most_frequent(groups[first], counts, self._limits.options)
        first = first[kept]
        return _Found(
            groups[first],
            targets[first],
            lengths[first],
            counts[kept],
            before[kept],
            behind[kept],
            self._targets.counts(numbers[first], lengths[first]),
            self._texts.pair_of(at[pairs.rows[rows[first]]]),
        )

    def _shortest(self, places: I64, numbers: I64, count: int) -> I64:
        """For each of so many phrase pairs the row that stands in the shortest pair of texts; of several the first."""
        sizes = self._texts.sizes[self._texts.pair_of(places)]
        best = np.full(count, np.iinfo(np.int64).max)
        np.minimum.at(best, numbers, sizes * len(places) + np.arange(len(places)))
        rows: I64 = best % max(1, len(places))
        return rows

    def _made(
        self, sentence: Sequence[int | None], spans: Sequence[tuple[int, int]], found: _Found, seen: _Seen
    ) -> list[PhraseOption]:
        looked_at, total = seen.looked_at[found.groups], seen.total[found.groups]
        forward = np.log(found.counts / (looked_at + _DISCOUNT))
        estimated = found.counts * total / looked_at
        backward = np.log(np.minimum(estimated / (np.maximum(found.totals, estimated) + _DISCOUNT), 1))
        lexical = self._lexical_weights(sentence, spans, found)
        columns = [forward, backward, *lexical]
        orientations = [_smoothed(each) for each in (found.before, found.behind)]
        stream = self._texts.target.stream
        made = []
        for row, (group, place, length) in enumerate(
            zip(found.groups.tolist(), found.targets.tolist(), found.lengths.tolist(), strict=True)
        ):
            begin, end = spans[group]
            figures = (*(float(column[row]) for column in columns), 1.0, float(length), 0.0)
            before, behind = (tuple(each[row].tolist()) for each in orientations)
            words = tuple((stream[place : place + length] - 1).tolist())
            count = max(1, round(float(found.counts[row])))
            evidence = count, int(looked_at[row]), int(found.pairs[row])
            made.append(PhraseOption(begin, end, words, figures, before, behind, *evidence))
        return made

    def _lexical_weights(
        self, sentence: Sequence[int | None], spans: Sequence[tuple[int, int]], found: _Found
    ) -> tuple[F64, F64, F64, F64]:
        """For each pair the logarithms of the products of the greatest p(word | word of the other phrase).

        Over the target words, over the source words; and, over the source and over the target words, of the greatest
        p(word of the other phrase | word), or p(nothing | word) where that is greater.
        """
        own = np.array([0 if word is None else word + 1 for word in sentence], dtype=np.int64)
        longest = int(found.lengths.max(initial=0))
        stream = self._texts.target.stream
        steps = np.arange(longest)
        is_word = steps[None, :] < found.lengths[:, None]
        at = found.targets[:, None] + np.minimum(steps[None, :], found.lengths[:, None] - 1)
        kinds, words = np.unique(stream[at], return_inverse=True)
        words = words.reshape(at.shape)
        to_target, to_source = self._texts.words.probabilities(own, kinds.astype(np.int64))
        begins = np.array([begin for begin, _ in spans], dtype=np.int64)[found.groups]
        sizes = np.array([end - begin for begin, end in spans], dtype=np.int64)[found.groups]
        links = self._texts.words
        forward = np.full(at.shape, _LEAST)
        explained = np.maximum(links.target_unlinked[kinds][words], _LEAST)
        alone = np.maximum(links.source_unlinked[own], _LEAST)
        backward, translated = np.zeros((2, len(begins)))
        for step in range(int(sizes.max(initial=0))):
            inside = step < sizes
            source = begins + np.minimum(step, sizes - 1)
            given, giving = to_target[source[:, None], words], to_source[source[:, None], words]
            np.maximum(forward, given, out=forward)
            np.maximum(explained, giving, out=explained)
            best = np.where(is_word, giving, 0).max(axis=1, initial=_LEAST)
            backward += np.where(inside, np.log(best), 0)
            best = np.maximum(np.where(is_word, given, 0).max(axis=1, initial=0), alone[source])
            translated += np.where(inside, np.log(best), 0)
        to_words, of_words = (np.where(is_word, np.log(each), 0).sum(axis=1) for each in (forward, explained))
        return to_words, backward, translated, of_words


class _Seen(NamedTuple):
    """Of each source phrase."""

    looked_at: I64
    total: I64
    """How often it stands in the bitext."""


def _summed(numbers: I64, shares: F64, count: int) -> F64:
    return np.bincount(numbers, shares, count).astype(np.float64, copy=False)  # of no values it is of integers


def _widened(pairs: PlacedPairs, limits: OptionLimits) -> tuple[I64, I64, I64, F64]:
    """The pairs with none, some or all of the words without a link at the edges of their target phrases.

    Which pair, where its target phrase begins, how long that is, and its share: those of one place add up to 1.
    """
    every = np.arange(len(pairs.rows))
    parts = []
    for left in range(limits.widening + 1):
        for right in range(limits.widening + 1):
            lengths = pairs.lengths + left + right
            is_there = (pairs.free_before >= left) & (pairs.free_behind >= right) & (lengths <= limits.longest)
            rows = every[is_there]
            parts.append((rows, pairs.targets[rows] - left, lengths[rows]))
    rows, targets, lengths = (np.concatenate(column) for column in zip(*parts, strict=True))
    return rows, targets, lengths, 1 / np.bincount(rows, minlength=len(every))[rows]


def _most_frequent(groups: I64, counts: F64, most: int) -> I64:
    """The places of the greatest counts of each group, ascending by group; of equal ones the first."""
    order = np.lexsort((-counts, groups))
    ordered = groups[order]
    starts = np.searchsorted(ordered, ordered)
    kept: I64 = order[np.arange(len(order)) - starts < most]
    return kept


def _smoothed(counts: F64) -> F64:
    total = counts.sum(axis=1, keepdims=True)
    smoothed: F64 = np.log((counts + _PRIOR * np.array(_USUAL)) / (total + _PRIOR))
    return smoothed


def _copied(place: int) -> PhraseOption:
    features = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    even = (_EVEN, _EVEN, _EVEN)
    return PhraseOption(place, place + 1, (-1 - place,), features, even, even, 0, 0, None)


# How words are written side by side: capitals and spaces, as the texts of a language have them.


_ENDS: Final = frozenset('.?!。？！…"“”„«»「」『』')
"""A capital behind one of these says nothing about the word."""
_STRAIGHT: Final = '"'
_OPENING, _CLOSING = '«"', '»"'
_CLOSING_MARKS: Final = frozenset({_CLOSING, "»", "”", "」"})
_SHARE: Final = 0.5


def is_after_end(before: str) -> bool:
    """Whether a word may have a capital only because of the token before it."""
    return before[:1] in _ENDS


class Spacing:
    """What stands between two tokens: what most often stood between these two, else what either allows."""

    def __init__(self, texts: Iterable[tuple[str, Sequence[tuple[int, int]]]]) -> None:
        """Texts, and where the tokens of each begin and end."""
        pairs: Counter[tuple[str, str, str]] = Counter()
        before: dict[str, list[int]] = {}
        behind: dict[str, list[int]] = {}
        between_words = [0, 0]
        for text, spans in texts:
            tokens = _format_apart([text[begin:end].lower() for begin, end in spans])
            for number in range(1, len(tokens)):
                own, after = tokens[number - 1], tokens[number]
                gap = text[spans[number - 1][1] : spans[number][0]]
                pairs[own, after, gap] += 1
                # Beside a mark or a clitic a word is joined by that: what it does itself shows beside a plain word.
                if own.isalnum():
                    before.setdefault(after, [0, 0])[bool(gap)] += 1
                if own.isalnum() and after.isalnum():
                    between_words[bool(gap)] += 1
                if after.isalnum():
                    behind.setdefault(own, [0, 0])[bool(gap)] += 1
        self._gaps = {(own, after): gap for (own, after, gap), _ in reversed(pairs.most_common())}
        self._before = {token: apart / (joined + apart) for token, (joined, apart) in before.items()}
        self._behind = {token: apart / (joined + apart) for token, (joined, apart) in behind.items()}
        self._behind.setdefault(_OPENING, 0.0)
        self._before.setdefault(_CLOSING, 0.0)
        self._usual = 1.0 if between_words[1] >= between_words[0] else 0.0

    def joined(self, tokens: Sequence[str]) -> str:
        """The tokens as one text."""
        keys = _format_apart([token.lower() for token in tokens])
        parts = list(tokens[:1])
        for number in range(1, len(tokens)):
            parts += [self._gap(keys[number - 1], keys[number]), tokens[number]]
        return "".join(parts)

    def _gap(self, own: str, after: str) -> str:
        gap = self._gaps.get((own, after))
        if gap is not None:
            return gap
        apart = min(self._before.get(after, self._usual), self._behind.get(own, self._usual))
        return " " if apart >= _SHARE else ""


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _format_apart(tokens: Sequence[str]) -> list[str]:
    """The tokens with every second straight quotation mark as one that closes."""
    found, is_open = [], False
    for token in tokens:
        if token == _STRAIGHT:
            token, is_open = _CLOSING if is_open else _OPENING, not is_open
        found.append(token)
    return found


def written_text(tokens: Sequence[str], forms: Mapping[str, str], spacing: Spacing, *, capital: bool) -> str:
    """Words in lower case as a text; ``forms`` are those that are written otherwise inside of a sentence.

    ``capital``: whether the first word has one, and those behind the end of a sentence.
    """
    written, begins = [], capital
    for token, key in zip(tokens, _format_apart(tokens), strict=True):
        form = forms.get(token, token)
        if key in _CLOSING_MARKS:  # "Where?" asked the man.
            begins = False
        if begins and _is_word(form):
            form, begins = form[:1].upper() + form[1:], False
        elif capital and token in (".", "?", "!"):
            begins = True
        written.append(form)
    return spacing.joined(written)


# What the figures of a translation weigh, and the search for better weights on sentences that were held out.


@dataclass(frozen=True, slots=True)
class PhraseWeights:
    """Of a log-linear model (Och & Ney 2002)."""

    features: tuple[float, ...]
    """In the order of FEATURES."""
    model: float
    """Of the logarithm of the language model."""
    jump: float
    """For each word of the sentence between two phrases; 0 or less."""
    before: float
    """Of the logarithm of the orientation towards the phrase before."""
    behind: float

    def values(self) -> tuple[float, ...]:
        """All in one row, for a search."""
        return (*self.features, self.model, self.jump, self.before, self.behind)

    @classmethod
    def of(cls, values: Sequence[float]) -> PhraseWeights:
        """From what values gave."""
        count = len(FEATURES)
        return cls(tuple(values[:count]), *values[count:])


DEFAULT_WEIGHTS: Final = PhraseWeights((0.36, 0.18, 0.04, 0.04, 0.42, 0.03, -0.2, 0.86, -5.0), 0.54, -0.01, 0.3, 0.0)
"""Set by hand, then moved one by one as long as the BLEU of the best of 100 translations of each sentence rose (the
mean of two directions, 300 sentences of Tatoeba each, held out of the pairs that were learned from)."""


def weighted(options: Sequence[PhraseOption], weights: PhraseWeights) -> list[WeightedOption]:
    """The options with their scores; the number of each is its place."""
    before, behind = weights.before, weights.behind
    made = []
    for number, option in enumerate(options):
        score = sum(map(mul, weights.features, option.features))
        first, second, third = option.before
        own = before * first, before * second, before * third
        first, second, third = option.behind
        next_one = (behind * first, behind * second, behind * third) if behind else _NOTHING
        made.append(WeightedOption(option.begin, option.end, option.words, score, own, next_one, number))
    return made


_NOTHING: Final = (0.0, 0.0, 0.0)


# Language models of words are those of characters (corpusdb.base), over an alphabet with a character for each word.

_FIRST_CODE: Final = 0x10000
"""The code point of word 0: all from here on are characters to Python, and none is half of a surrogate pair."""
_MOST_WORDS: Final = 0x110000 - _FIRST_CODE
_END_SYMBOL: Final = 1
_ROOT: Final = -1
_NATURAL: Final = float(np.log(2))


class TargetWordModel:
    """A model of texts as numbers of words; what a sentence needs of it becomes a dictionary."""

    def __init__(self, words: I32, lengths: I64, order: int, smoothing: str) -> None:
        """Texts laid end to end, in numbers of words from 0; words above a million are unknown ones."""
        texts = _as_characters(words, lengths)
        model = model_of(train(texts, Alphabet.of(texts), order), smoothing)
        self._levels = _levels_of(model)
        self._size = model.alphabet.size
        self._order = model.order
        self._symbols = {
            ord(character) - _FIRST_CODE: FIRST_CHARACTER + number
            for number, character in enumerate(model.alphabet.characters)
        }

    def for_words(self, words: Iterable[int]) -> SentenceWordModel:
        """The part of the model in which these words alone occur; all others are one unknown word."""
        symbols = {word: self._symbols.get(word, UNKNOWN) for word in words}
        allowed = np.zeros(self._size, dtype=np.bool_)
        allowed[[START, _END_SYMBOL, UNKNOWN, *symbols.values()]] = True
        return SentenceWordModel(self._levels, allowed, symbols, self._size)


def _as_characters(words: I32, lengths: I64) -> list[str]:
    kept = np.minimum(words, _MOST_WORDS - 1).astype("<u4") + np.uint32(_FIRST_CODE)
    text = kept.tobytes().decode("utf-32-le")
    ends = np.cumsum(lengths).tolist()
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


class _Level:
    def __init__(self, keys: I64, size: int, bits: F64, backoff: F64 | None) -> None:
        contexts, last = np.divmod(keys, size)
        self.contexts: I32 = contexts.astype(np.int32)
        """The number, on the level below, of the n-gram without its last word."""
        self.last: I32 = last.astype(np.int32)
        self.scores = (-_NATURAL * bits).astype(np.float32)
        """Natural logarithms of the probabilities."""
        self.backoff = None if backoff is None else (-_NATURAL * backoff).astype(np.float32)


def _levels_of(model: Model) -> list[_Level]:
    backoffs = [*model.backoff_bits, None]
    return [
        _Level(keys, model.alphabet.size, bits, backoff)
        for keys, bits, backoff in zip(model.keys, model.bits, backoffs, strict=True)
    ]


class SentenceWordModel:
    """What a decoder asks; a state is the longest known n-gram at the end of a text, or -1 for none."""

    def __init__(
        self,
        levels: Sequence[_Level],
        allowed: np.ndarray[tuple[int], np.dtype[np.bool_]],
        symbols: dict[int, int],
        size: int,
    ) -> None:
        self._size = size
        self._symbols = symbols
        self._known: dict[int, tuple[float, int]] = {}
        """By state and symbol: what a known n-gram scores, and its number."""
        self._backoffs: dict[int, float] = {}
        self._parts: dict[int, tuple[int, int]] = {}
        self._shorter: dict[int, int] = {}
        self._memory: dict[int, tuple[float, int]] = {}
        kept, offset, before = allowed, 0, _ROOT
        self._longest = 0
        for number, level in enumerate(levels):
            if number:
                kept = allowed[level.last] & kept[level.contexts]
            rows = np.flatnonzero(kept)
            numbers = (rows + offset).tolist()
            contexts = level.contexts[rows].astype(np.int64) + before if number else np.full(len(rows), _ROOT)
            keys = ((contexts + 1) * size + level.last[rows]).tolist()
            self._known.update(zip(keys, zip(level.scores[rows].tolist(), numbers, strict=True), strict=True))
            self._parts.update(
                zip(numbers, zip(contexts.tolist(), level.last[rows].tolist(), strict=True), strict=True)
            )
            if level.backoff is not None:
                self._backoffs.update(zip(numbers, level.backoff[rows].tolist(), strict=True))
                self._longest = offset + len(level.last)
            before, offset = offset, offset + len(level.last)

    @property
    def start(self) -> int:
        return START if self._longest else _ROOT

    def follow(self, state: int, word: int) -> tuple[float, int]:
        """What a word scores after a state, and the state behind it."""
        return self._after(state, self._symbols.get(word, UNKNOWN))

    def end(self, state: int) -> float:
        """What the end of the text scores after a state."""
        return self._after(state, _END_SYMBOL)[0]

    def _after(self, state: int, symbol: int) -> tuple[float, int]:
        key = (state + 1) * self._size + symbol
        found = self._memory.get(key)
        if found is None:
            score, at = 0.0, state
            known = self._known.get(key)
            while known is None:
                score += self._backoffs[at]
                at = self._without_first(at)
                known = self._known.get((at + 1) * self._size + symbol)
            behind = known[1]
            found = score + known[0], behind if behind < self._longest else self._without_first(behind)
            self._memory[key] = found
        return found

    def _without_first(self, number: int) -> int:
        found = self._shorter.get(number)
        if found is None:
            context, symbol = self._parts[number]
            found = (
                _ROOT if context == _ROOT else self._known[(self._without_first(context) + 1) * self._size + symbol][1]
            )
            self._shorter[number] = found
        return found
