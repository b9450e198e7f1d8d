"""Models as ARPA files, the format of SRILM, lmplz and kenlm: one n-gram a line, in logarithms to base 10.

A character is its own token; one that would part tokens (white space, control characters) is written <U+0020>. What
order 0 gives is in the unigrams, which list the whole alphabet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.charlm.alphabet import END, FIRST_CHARACTER, START, UNKNOWN, Alphabet
from corpusdb.charlm.key_index import KeyIndex
from corpusdb.charlm.smoothing import Model
from corpusdb.errors import InputError

__all__ = ["arpa_lines", "arpa_token", "read_arpa"]

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
