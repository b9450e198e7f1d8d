"""Probabilities from counts: Witten-Bell and modified Kneser-Ney; and models as ARPA files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_counts import END, FIRST_CHARACTER, START, UNKNOWN, Alphabet, Counts, KeyIndex
from corpusdb.base.errors import InputError, UsageError

# Probabilities from counts: Witten-Bell, and modified Kneser-Ney as lmplz has it, both interpolated.
#
# Every probability is a mixture with that of the next shorter context, down to a uniform one over all events of the
# alphabet, so that none is 0. Counts may be 0 here: then the probability is what the shorter context gives, which lets
# many subsets of one corpus be smoothed without numbering their n-grams anew.
#
# Witten & Bell 1991, method C; Chen & Goodman 1998, section 3; Heafield, Pouzyrevsky, Clark & Koehn 2013 for the
# discounts where counts of counts are missing, and for n-grams at the beginning of a text, which keep their own
# counts.


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
    """From level 2 on."""
    bits: tuple[F64, ...]
    """-log2 of the probabilities; of the start mark 0, since it is no event."""
    backoff_bits: tuple[F64, ...]
    """-log2 of the weights, of all levels but the last."""

    @property
    def order(self) -> int:
        """The longest n-grams, in symbols."""
        return len(self.keys)

    @cached_property
    def all_bits(self) -> F64:
        """The bits of all levels, one after the other."""
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
    """The sum of the values of each context, which are as many as ``above``."""
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


# Models as ARPA files, the format of SRILM, lmplz and kenlm: one n-gram a line, in logarithms to base 10.
#
# A character is its own token; one that would part tokens (white space, control characters) is written <U+0020>. What
# order 0 gives is in the unigrams, which list the whole alphabet.


_MARKS: Final = {START: "<s>", END: "</s>", UNKNOWN: "<unk>"}
_NUMBERS: Final = {token: number for number, token in _MARKS.items()}
_NO_EVENT: Final = -99.0
"""What SRILM and kenlm write as the logarithm of the start mark."""
_BITS: Final = math.log2(10)
_ESCAPED: Final = re.compile(r"<U\+([0-9A-F]{4,6})>")
_SIZE: Final = re.compile(r"ngram (\d+)\s*=\s*(\d+)")


def arpa_lines(model: Model) -> Iterator[str]:
    """The file line by line, without line breaks."""
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
    symbols, first = _unigrams(sections[0], path)
    characters = "".join(sorted(char for char in symbols if len(char) == 1))
    alphabet = Alphabet(characters)
    numbers = {**_NUMBERS, **{char: number for number, char in enumerate(characters, FIRST_CHARACTER)}}
    bits, weights = np.full(alphabet.size, 100 * _BITS), np.zeros(alphabet.size)
    for symbol, (value, weight) in zip(symbols, first, strict=True):
        bits[numbers[symbol]], weights[numbers[symbol]] = -value * _BITS, -weight * _BITS
    bits[START] = 0
    keys, all_bits, all_weights = [np.arange(alphabet.size)], [bits], [weights]
    indexes: list[KeyIndex] = []
    for level, section in enumerate(sections[1:], 1):
        own, bits, weights = _longer(section, numbers, keys, indexes, path)
        if len(own) > 1 and (own[1:] == own[:-1]).any():
            raise InputError(f"an n-gram of {level + 1} tokens stands there twice", path=path)
        indexes.append(KeyIndex(own, len(keys[-1]) * alphabet.size))
        keys.append(own)
        all_bits.append(bits)
        all_weights.append(weights)
    return Model(alphabet, tuple(keys), tuple(indexes), tuple(all_bits), tuple(all_weights[:-1]))


_Row = tuple[int, float, list[str], float]
"""Line, logarithm, tokens, logarithm of the weight."""


def _sections(lines: Iterable[str], path: Path | str | None) -> list[list[_Row]]:
    """The rows of each level, as many as the head says."""
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
        raise InputError("a logarithm that is no number", path=path, line=number) from None
    if len(tokens) != order or len(parts) > 3 or math.isnan(value) or math.isnan(weight) or value > 0:
        raise InputError(f"not a logarithm, {order} tokens, and a weight", path=path, line=number)
    return number, value, [_character(token, number, path) for token in tokens], weight


def _character(token: str, line: int, path: Path | str | None) -> str:
    """The character that a token stands for, or the token of a mark."""
    if len(token) == 1 or token in _NUMBERS:
        return token
    escaped = _ESCAPED.fullmatch(token)
    if escaped is None or int(escaped[1], 16) > 0x10FFFF:
        raise InputError(f"the token {token!r} is not one character", path=path, line=line)
    return chr(int(escaped[1], 16))


def _unigrams(rows: list[_Row], path: Path | str | None) -> tuple[list[str], list[list[float]]]:
    symbols = [tokens[0] for _, _, tokens, _ in rows]
    if len(set(symbols)) < len(symbols):
        raise InputError("a token stands twice among the unigrams", path=path)
    return symbols, [[value, weight] for _, value, _, weight in rows]


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
