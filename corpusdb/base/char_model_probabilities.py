"""How probable characters are by models of their n-grams, and what texts cost under these: bits for each character."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_counts import (
    END,
    FIRST_CHARACTER,
    START,
    UNKNOWN,
    Alphabet,
    Counts,
    KeyIndex,
    Stream,
    keys_at,
    level_numbers,
    normalised,
    numbered,
    train,
)
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.ngrams import joined_ranges

# Probabilities from counts, each a mixture with that of the next shorter context: Witten & Bell (1991), method C, and
# modified Kneser-Ney as lmplz has it (Chen & Goodman 1998, section 3; Heafield, Pouzyrevsky, Clark & Koehn 2013 for
# discounts where counts of counts are missing, and for n-grams at the beginning of a text, which keep their own
# counts). Counts may be 0.

FALLBACK: Final = (0.5, 1.0, 1.5)
"""The discounts of lmplz --discount_fallback for n-grams seen once, twice, and more often."""


@dataclass(frozen=True)
class Grams:
    """How the n-grams of each level hang together; the first level, the symbols, hangs on nothing."""

    events: int
    """Over how many symbols order 0 is uniform."""
    indexes: tuple[KeyIndex, ...]
    """From level 2 on: the number of a key."""
    contexts: tuple[I64, ...]
    """From level 2 on: the number, on the level below, of the n-gram without its last symbol."""
    shorter: tuple[I64, ...]
    """From level 2 on: the number, on the level below, of the n-gram without its first symbol."""
    initial: tuple[Bools, ...]
    """Of every level: whether the n-gram begins with the start mark."""

    @classmethod
    def of(cls, alphabet: Alphabet, keys: Sequence[I64]) -> Grams:
        """InputError where an n-gram is there but not what is left without its first symbol."""
        size = alphabet.size
        indexes: list[KeyIndex] = []
        contexts: list[I64] = []
        shorter: list[I64] = []
        initial = [np.arange(size) == START]
        for level, own in enumerate(keys[1:]):
            context, last = np.divmod(own, size)
            if level == 0:
                tail = last
            else:
                tail = indexes[-1].find(shorter[-1][context] * size + last).astype(np.int64)
                if (tail < 0).any():
                    raise InputError(f"an n-gram of {level + 2} symbols lacks the one without its first symbol")
            indexes.append(KeyIndex(own, len(keys[level]) * size))
            contexts.append(context)
            shorter.append(tail)
            initial.append(initial[-1][context])
        return cls(alphabet.events, tuple(indexes), tuple(contexts), tuple(shorter), tuple(initial))


@dataclass(frozen=True)
class Smoothed:
    """Probabilities of all n-grams, level by level."""

    probabilities: tuple[F64, ...]
    """Of the last symbol after the others; 0 for the start mark."""
    backoffs: tuple[F64, ...]
    """Of all levels but the last: the weight of the shorter context where nothing longer was seen after it."""


Smoothing = Callable[[Grams, Sequence[I64]], Smoothed]


@dataclass(frozen=True, eq=False)
class Model:
    """What scoring needs: an n-gram's logarithm where it is known, else its context's weight and the next shorter."""

    alphabet: Alphabet
    keys: tuple[I64, ...]
    indexes: tuple[KeyIndex, ...]
    bits: tuple[F64, ...]
    """-log2 of the probabilities; of the start mark 0, since it is no event."""
    backoff_bits: tuple[F64, ...]
    """-log2 of the weights, of all levels but the last."""

    @property
    def order(self) -> int:
        return len(self.keys)

    @cached_property
    def all_bits(self) -> F64:
        return np.concatenate(self.bits)


def witten_bell(grams: Grams, counts: Sequence[I64]) -> Smoothed:
    """p(w|h) = (c(hw) + t(h) p(w|h')) / (c(h) + t(h)); t(h) is how many different symbols follow h."""
    first = counts[0].astype(np.float64)
    first[START] = 0
    seen, kinds = first.sum(), np.count_nonzero(first)
    lowest = 1 / grams.events
    levels = [(first + kinds * lowest) / (seen + kinds) if kinds else np.full(len(first), lowest)]
    levels[0][START] = 0
    backoffs: list[F64] = []
    for own, context, tail in zip(counts[1:], grams.contexts, grams.shorter, strict=True):
        total = _summed(context, own, levels[-1])
        followers = _summed(context, own > 0, levels[-1])
        mass = total + followers
        share = np.divide(followers, mass, out=np.ones_like(mass), where=mass > 0)
        scale = np.divide(1, mass, out=np.zeros_like(mass), where=mass > 0)
        backoffs.append(share)
        levels.append(own * scale[context] + share[context] * levels[-1][tail])
    return Smoothed(tuple(levels), tuple(backoffs))


def kneser_ney(grams: Grams, counts: Sequence[I64]) -> Smoothed:
    """Modified Kneser-Ney: shorter n-grams count by how many different symbols stand before them."""
    adjusted = _adjusted(grams, counts)
    first = adjusted[0].astype(np.float64)
    first[START] = 0
    discount = _discounts(first)[np.minimum(first, 3).astype(np.int64)]
    total = first.sum()
    levels = [(first - discount + discount.sum() / grams.events) / total if total else first + 1 / grams.events]
    levels[0][START] = 0
    backoffs: list[F64] = []
    for own, context, tail in zip(adjusted[1:], grams.contexts, grams.shorter, strict=True):
        discount = _discounts(own)[np.minimum(own, 3)]
        mass = _summed(context, own, levels[-1])
        scale = np.divide(1, mass, out=np.zeros_like(mass), where=mass > 0)
        share = _summed(context, discount, levels[-1]) * scale
        share[mass == 0] = 1
        backoffs.append(share)
        levels.append((own - discount) * scale[context] + share[context] * levels[-1][tail])
    return Smoothed(tuple(levels), tuple(backoffs))


def _summed(contexts: I64, values: I64 | F64 | Bools, above: F64) -> F64:
    return np.bincount(contexts, values, len(above)).astype(np.float64, copy=False)  # of no values it is of integers


def _adjusted(grams: Grams, counts: Sequence[I64]) -> list[I64]:
    """How many different symbols stand before each n-gram; its count on the last level, and where no symbol can."""
    adjusted = []
    for level, own in enumerate(counts[:-1]):
        before = np.bincount(grams.shorter[level][counts[level + 1] > 0], minlength=len(own))
        adjusted.append(np.where(grams.initial[level], own, before))
    return [*adjusted, counts[-1]]


def _discounts(adjusted: I64 | F64) -> F64:
    """What is taken from an n-gram counted 0, 1, 2, and 3 or more times (Chen & Goodman 1998, equation 26).

    FALLBACK where lmplz takes it, and for a discount of just 0, which would leave nothing for what was not seen.
    """
    once, twice, thrice, four = (int(np.count_nonzero(adjusted == count)) for count in (1, 2, 3, 4))
    if once and twice and thrice:
        share = once / (once + 2 * twice)
        amounts = (1 - 2 * share * twice / once, 2 - 3 * share * thrice / twice, 3 - 4 * share * four / thrice)
        if all(0 < amount <= count for count, amount in enumerate(amounts, 1)):
            return np.array([0.0, *amounts])
    return np.array([0.0, *FALLBACK])


SMOOTHINGS: Final[Mapping[str, Smoothing]] = {"wb": witten_bell, "mkn": kneser_ney}


def model_of(counts: Counts, smoothing: str) -> Model:
    """The model of these counts; ``smoothing`` is a name of SMOOTHINGS."""
    if smoothing not in SMOOTHINGS:
        raise UsageError(f"there is no smoothing {smoothing!r}, but {', '.join(SMOOTHINGS)}")
    grams = Grams.of(counts.alphabet, counts.keys)
    smoothed = SMOOTHINGS[smoothing](grams, counts.counts)
    first = smoothed.probabilities[0].copy()
    first[START] = 1
    bits = tuple(-np.log2(level) for level in (first, *smoothed.probabilities[1:]))
    # A context that nothing followed has weight 1; one whose followers have all the mass has none for others.
    with np.errstate(divide="ignore"):
        backoffs = tuple(-np.log2(level) for level in smoothed.backoffs)
    return Model(counts.alphabet, counts.keys, grams.indexes, bits, backoffs)


# Models as ARPA files, the format of SRILM, lmplz and kenlm: one n-gram a line, in logarithms to base 10. A token is a
# character; one that would part tokens is written <U+0020>. The unigrams list the whole alphabet.

_MARKS: Final = {START: "<s>", END: "</s>", UNKNOWN: "<unk>"}
_NUMBERS: Final = {token: number for number, token in _MARKS.items()}
_NO_EVENT: Final = -99.0
"""What SRILM and kenlm write as the logarithm of the start mark."""
_BITS: Final = math.log2(10)
_ESCAPED: Final = re.compile(r"<U\+([0-9A-F]{4,6})>")
_SIZE: Final = re.compile(r"ngram (\d+)\s*=\s*(\d+)")


def arpa_lines(model: Model) -> Iterator[str]:
    yield "\\data\\"
    for level, keys in enumerate(model.keys, 1):
        yield f"ngram {level}={len(keys)}"
    tokens = [*_MARKS.values(), *map(arpa_token, model.alphabet.characters)]
    grams = tokens
    for level, keys in enumerate(model.keys):
        yield ""
        yield f"\\{level + 1}-grams:"
        if level:
            contexts, last = np.divmod(keys, model.alphabet.size)
            grams = [
                f"{grams[context]} {tokens[symbol]}"
                for context, symbol in zip(contexts.tolist(), last.tolist(), strict=True)
            ]
        yield from _level(model, level, grams)
    yield ""
    yield "\\end\\"


def _level(model: Model, level: int, grams: Sequence[str]) -> Iterator[str]:
    logarithms = -model.bits[level] / _BITS
    if level == 0:
        logarithms[START] = _NO_EVENT
    if level + 1 == model.order:
        yield from (f"{value:.15g}\t{gram}" for value, gram in zip(logarithms.tolist(), grams, strict=True))
        return
    weights = (-model.backoff_bits[level] / _BITS + 0.0).tolist()  # no -0
    for value, gram, weight in zip(logarithms.tolist(), grams, weights, strict=True):
        yield f"{value:.15g}\t{gram}\t{weight:.15g}"


def arpa_token(char: str) -> str:
    """What stands for a character: itself, or its code point where it would part tokens or cannot be seen."""
    return f"<U+{ord(char):04X}>" if char.isspace() or not char.isprintable() else char


def read_arpa(lines: Iterable[str], path: Path | str | None = None) -> Model:
    """The model of an ARPA file over characters; InputError with its line where it is none."""
    sections = _sections(lines, path)
    symbols = [tokens[0] for _, _, tokens, _ in sections[0]]
    if len(set(symbols)) < len(symbols):
        raise InputError("a token appears twice among the unigrams", path=path)
    characters = "".join(sorted(char for char in symbols if len(char) == 1))
    alphabet = Alphabet(characters)
    numbers = {**_NUMBERS, **{char: number for number, char in enumerate(characters, FIRST_CHARACTER)}}
    bits, weights = np.full(alphabet.size, 100 * _BITS), np.zeros(alphabet.size)
    for _, value, (symbol, *_), weight in sections[0]:
        bits[numbers[symbol]], weights[numbers[symbol]] = -value * _BITS, -weight * _BITS
    bits[START] = 0
    keys, all_bits, all_weights = [np.arange(alphabet.size)], [bits], [weights]
    indexes: list[KeyIndex] = []
    for level, section in enumerate(sections[1:], 1):
        own, bits, weights = _longer(section, numbers, keys, indexes, path)
        if len(own) > 1 and (own[1:] == own[:-1]).any():
            raise InputError(f"an n-gram of {level + 1} tokens appears twice", path=path)
        indexes.append(KeyIndex(own, len(keys[-1]) * alphabet.size))
        keys.append(own)
        all_bits.append(bits)
        all_weights.append(weights)
    return Model(alphabet, tuple(keys), tuple(indexes), tuple(all_bits), tuple(all_weights[:-1]))


_Row = tuple[int, float, list[str], float]
"""Line, logarithm, tokens, logarithm of the weight."""


def _sections(lines: Iterable[str], path: Path | str | None) -> list[list[_Row]]:
    sizes: list[int] = []
    sections: list[list[_Row]] = []
    begun, ended = False, False
    for number, line in enumerate(lines, 1):
        text = line.strip("\r\n")
        if not begun:
            begun = text == "\\data\\"
        elif text == "\\end\\":
            ended = True
            break
        elif size := _SIZE.fullmatch(text):
            if sections or int(size[1]) != len(sizes) + 1:
                raise InputError(f"{text!r} is out of place", path=path, line=number)
            sizes.append(int(size[2]))
        elif text.startswith("\\") and "\t" not in text:
            if text != f"\\{len(sections) + 1}-grams:" or len(sections) == len(sizes):
                raise InputError(f"{text!r} is out of place", path=path, line=number)
            sections.append([])
        elif text:
            if not sections:
                raise InputError("a line before the first section", path=path, line=number)
            sections[-1].append(_row(text, len(sections), number, path))
    if not ended or not sections or [len(section) for section in sections] != sizes:
        raise InputError("not an ARPA file that is whole", path=path)
    return sections


def _row(text: str, order: int, number: int, path: Path | str | None) -> _Row:
    parts = text.split("\t")
    tokens = parts[1].split(" ") if len(parts) > 1 else []
    try:
        value, weight = float(parts[0]), float(parts[2]) if len(parts) > 2 else 0.0
    except ValueError:
        raise InputError("a logarithm that is not a number", path=path, line=number) from None
    is_one = -100 <= value <= 0 and abs(weight) <= 100  # SRILM writes -99 for 0; far less has no perplexity
    if len(tokens) != order or len(parts) > 3 or not is_one:
        raise InputError(f"not a logarithm, {order} tokens, and a weight", path=path, line=number)
    return number, value, [_character(token, number, path) for token in tokens], weight


def _character(token: str, line: int, path: Path | str | None) -> str:
    if len(token) == 1 or token in _NUMBERS:
        return token
    escaped = _ESCAPED.fullmatch(token)
    if escaped is None or int(escaped[1], 16) > 0x10FFFF:
        raise InputError(f"the token {token!r} is not one character", path=path, line=line)
    return chr(int(escaped[1], 16))


def _longer(
    rows: list[_Row], numbers: dict[str, int], keys: list[I64], indexes: list[KeyIndex], path: Path | str | None
) -> tuple[I64, F64, F64]:
    """Keys, bits and bits of the weights of one level, by ascending key."""
    size = len(keys[0])
    missing = next(((line, token) for line, _, tokens, _ in rows for token in tokens if token not in numbers), None)
    if missing is not None:
        raise InputError(f"{missing[1]!r} is not among the unigrams", path=path, line=missing[0])
    symbols = np.array([[numbers[token] for token in tokens] for _, _, tokens, _ in rows], dtype=np.int64)
    symbols = symbols.reshape(len(rows), len(keys) + 1)
    context = symbols[:, 0]
    for place, index in enumerate(indexes, 1):
        context = index.find(context * size + symbols[:, place]).astype(np.int64)
        if (context < 0).any():
            line = rows[int(np.argmax(context < 0))][0]
            raise InputError("an n-gram without the one that lacks its last token", path=path, line=line)
    own = context * size + symbols[:, -1]
    order = np.argsort(own)
    bits = -np.array([value for _, value, _, _ in rows]) * _BITS
    weights = -np.array([weight for _, _, _, weight in rows]) * _BITS
    return own[order], bits[order], weights[order]


# What texts cost under models: bits for each character, and sums for each text (Denoual 2005, equation 1).

LINES_AT_A_TIME: Final = 5_000


@dataclass(frozen=True)
class TextBits:
    """Sums for each text: sufficient for every coefficient and perplexity of any set of them."""

    characters: I64
    """Without the marks."""
    bits: F64
    """Of the characters, one row for each model: shape (models, texts)."""
    end_bits: F64
    """Of the end marks, in the same shape: bits + end_bits is that of the text as a whole."""
    unknown: I64
    """Characters that are not in the alphabet."""

    def entropies(self) -> F64:
        """Bits per character of all texts together, for each model; not a number where there are no characters."""
        total = self.characters.sum()
        return np.asarray(self.bits.sum(axis=1) / total if total else np.full(len(self.bits), np.nan))


def text_bits(models: Sequence[Model], texts: Sequence[str]) -> TextBits:
    """What each text costs under each of some models with the same alphabet."""
    parts = [part for _, part in measured(models, texts)]
    return TextBits(
        np.concatenate([part.characters for part in parts]),
        np.concatenate([part.bits for part in parts], axis=1),
        np.concatenate([part.end_bits for part in parts], axis=1),
        np.concatenate([part.unknown for part in parts]),
    )


def measured(
    models: Sequence[Model], texts: Sequence[str], lines: int = LINES_AT_A_TIME
) -> Iterator[tuple[int, TextBits]]:
    """The same in parts of ``lines`` texts, each with the place of its first; at least one part, which may be empty."""
    if any(first.alphabet != second.alphabet for first, second in pairwise(models)):
        raise InputError("the models do not share an alphabet")
    for start in range(0, max(len(texts), 1), lines):
        stream = models[0].alphabet.encode(texts[start : start + lines])
        bits, end_bits = np.zeros((2, len(models), len(stream.lengths)))
        for row, model in enumerate(models):
            costs = _stream_bits(model, stream)
            end_bits[row] = costs[stream.ends]
            costs[stream.ends] = 0
            bits[row] = _sums(costs, stream)
        unknown = _sums((stream.symbols == UNKNOWN).astype(np.float64), stream).astype(np.int64)
        yield start, TextBits(stream.lengths, bits, end_bits, unknown)


def character_bits(model: Model, texts: Sequence[str]) -> list[F64]:
    """The bits of every character of each text, and last those of its end mark: one more than it has characters."""
    stream = model.alphabet.encode(texts)
    costs = _stream_bits(model, stream)
    return [costs[start + 1 : end + 1] for start, end in zip(stream.starts, stream.ends, strict=True)]


def _sums(values: F64, stream: Stream) -> F64:
    return np.add.reduceat(values, stream.starts) if len(stream.starts) else np.zeros(0)


def _stream_bits(model: Model, stream: Stream) -> F64:
    # The longest n-gram that ends at each symbol, by its number among those of all levels.
    longest = stream.symbols.copy()
    weights = np.zeros(len(longest))
    numbers, before = stream.symbols, 0
    for level, index in enumerate(model.indexes):
        if not len(model.keys[level + 1]):
            break  # nothing longer was seen
        places, keys, _ = keys_at(stream, numbers, len(model.keys[level]), model.alphabet.size)
        found = index.find(keys)
        unseen = places[found < 0]
        weights[unseen] += model.backoff_bits[level][numbers[unseen - 1]]
        numbers = level_numbers(len(numbers), places, found)
        before += len(model.keys[level])
        np.copyto(longest, numbers + np.int32(before), where=numbers >= 0)
    return model.all_bits[longest] + weights


FOLDS: Final = 5


def folds_of(texts: Sequence[str], folds: int = FOLDS) -> I64:
    """The fold of each text, by a hash of it: equal texts share a fold, and no other text can move one."""
    digests = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.fromiter((int.from_bytes(each, "big") % folds for each in digests), dtype=np.int64, count=len(texts))


def fold_models(parts: Sequence[Counts], smoothing: str) -> list[Model]:
    """For each fold's counts the model of all others: what all have together, without its own."""
    if len(parts) < 2:
        raise InputError("cross-validation needs two folds or more")
    together = parts[0]
    for part in parts[1:]:
        together = together + part
    return [model_of(together - part, smoothing) for part in parts]


def fold_bits(models: Sequence[Model], texts: Sequence[str], folds: I64) -> TextBits:
    """What each text costs under the model of the other folds: one row of bits.

    ``models`` are those of ``fold_models``, by the number of the fold; ``folds`` has that of each text.
    """
    characters, unknown = np.zeros((2, len(texts)), dtype=np.int64)
    bits, end_bits = np.zeros((2, 1, len(texts)))
    for fold, model in enumerate(models):
        own = np.flatnonzero(folds == fold)
        part = text_bits([model], [texts[place] for place in own.tolist()])
        characters[own], unknown[own] = part.characters, part.unknown
        bits[0, own], end_bits[0, own] = part.bits[0], part.end_bits[0]
    return TextBits(characters, bits, end_bits, unknown)


def equal_references(sides: Sequence[Sequence[str]], seed: int, most: int | None = None) -> list[list[str]]:
    """Each side cut to the characters of the smallest, and to ``most``: a model of more text is nearer to everything.

    From a larger side texts are drawn at random; the last one drawn is cut. InputError where a side has no character.
    """
    sizes = [sum(map(len, side)) for side in sides]
    if not all(sizes):
        raise InputError(f"reference {sizes.index(0) + 1} has no characters")
    size = min(sizes) if most is None else min(*sizes, most)
    return [drawn_characters(side, size, seed) for side in sides]


def drawn_characters(texts: Sequence[str], size: int, seed: int) -> list[str]:
    """Texts of ``size`` characters together, drawn without replacement, in the order in which they stand.

    All of them where they have no more. The last one drawn is cut, so that the size is exact.
    """
    if sum(map(len, texts)) <= size:
        return list(texts)
    order = list(range(len(texts)))
    random.Random(seed).shuffle(order)
    drawn: dict[int, str] = {}
    for place in order:
        if size <= 0:
            break
        drawn[place] = texts[place][:size]
        size -= len(drawn[place])
    return [drawn[place] for place in sorted(drawn)]


# The two models whose difference says which text is like that of a task (Moore & Lewis 2010). Here that of the task is
# made of the text of the pool, too: where the task says nothing, both say the same, which found better selections.

POOL_TIMES: Final = 5
"""Characters of the pool that the general model is made of, for one of the task."""


def task_counterparts(
    task: Sequence[str], pool: Sequence[str], order: int, smoothing: str, seed: int
) -> tuple[Model, Model]:
    """A model of the task and one of the pool, over the characters of both, with a random part of the pool in each.

    InputError where the task or the pool has no characters.
    """
    size = sum(map(len, task))
    if not size or not any(pool):
        raise InputError(f"the {'pool' if size else 'task'} has no characters")
    alphabet = Alphabet.of(task) | Alphabet.of(pool)
    general = train(drawn_characters(pool, POOL_TIMES * size, seed), alphabet, order)
    return model_of(general + train(task, alphabet, order), smoothing), model_of(general, smoothing)


class SubsetModels:
    """A pool of texts, whose n-grams are numbered once, and a test set, measured by models of parts of the pool."""

    def __init__(self, pool: Sequence[str], test: Sequence[str], alphabet: Alphabet, order: int) -> None:
        if not any(test):
            raise InputError("the test set has no characters")
        stream = alphabet.encode([*pool, *test])
        stops = stream.ends + 1
        self._starts, self._sizes = stream.starts[: len(pool)], (stops - stream.starts)[: len(pool)]
        self._sizes[stream.lengths[: len(pool)] == 0] = 0  # no character, no text
        self.characters: I64 = stream.lengths[: len(pool)]
        keys = [np.arange(alphabet.size)]
        self._numbers = [stream.symbols]
        for _ in range(order - 1):
            places, wanted, cells = keys_at(stream, self._numbers[-1], len(keys[-1]), alphabet.size)
            distinct, found, _ = numbered(wanted, cells)
            keys.append(distinct)
            self._numbers.append(level_numbers(len(stream.symbols), places, found))
        self._level_sizes = [len(level) for level in keys]
        self._grams = Grams.of(alphabet, keys)
        measured = np.ones(len(stream.symbols), dtype=np.bool_)
        measured[stream.starts] = False
        measured[stream.ends] = False
        measured[: stream.starts[len(pool)]] = False
        self._tested: list[I64] = []
        """At each character of the test set the longest n-gram that ends there, by level."""
        for numbers, longer in zip(self._numbers, [*self._numbers[1:], None], strict=True):
            ending = measured if longer is None else measured & (longer < 0)
            self._tested.append(numbers[ending & (numbers >= 0)].astype(np.int64))

    def entropy(self, chosen: I64, smoothing: str = "wb") -> float:
        """Bits per character of the test set under a model of the texts at these places of the pool.

        A place that comes twice counts twice.
        """
        if smoothing not in SMOOTHINGS:
            raise UsageError(f"there is no smoothing {smoothing!r}, but {', '.join(SMOOTHINGS)}")
        places = joined_ranges(self._starts[chosen], self._sizes[chosen])
        counts = []
        for size, numbers in zip(self._level_sizes, self._numbers, strict=True):
            own = numbers[places]
            counts.append(np.bincount(own[own >= 0], minlength=size))
        probabilities = SMOOTHINGS[smoothing](self._grams, counts).probabilities
        tested: F64 = np.concatenate([level[own] for level, own in zip(probabilities, self._tested, strict=True)])
        return float(-np.log2(tested).mean())

    def perplexity(self, chosen: I64, smoothing: str = "wb") -> float:
        """2 to the bits per character."""
        return float(2 ** self.entropy(chosen, smoothing))


# In which of several languages a text probably is: that whose model foresees it best (Dunning 1994;
# Cavnar & Trenkle 1994).

MOST_CHARACTERS: Final = 20_000
"""Of each language as many are learned from at most."""
_ORDER: Final = 4
_SMOOTHING: Final = "mkn"
_SEED: Final = 1


def bits_per_language(texts: Sequence[str], known: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Bits per character of all texts together, under a model of what is known of each language; lower is likelier.

    Both are in the normalisation "case". Languages of which nothing is known are left out; no language, where the texts
    have no characters. Characters that no language has count as unknown, in each the same.
    """
    given = [text for text in normalised(texts, "case") if text]
    learned = {language: [text for text in normalised(found, "case") if text] for language, found in known.items()}
    learned = {language: found for language, found in learned.items() if found}
    if not given or not learned:
        return {}
    size = min(MOST_CHARACTERS, *(sum(map(len, found)) for found in learned.values()))
    alphabet = Alphabet.of(text for found in learned.values() for text in found)
    counts = [train(drawn_characters(found, size, _SEED), alphabet, _ORDER) for found in learned.values()]
    measured = text_bits([model_of(each, _SMOOTHING) for each in counts], given)
    return dict(zip(learned, measured.entropies().tolist(), strict=True))
