"""Conditions on words, decided once for each type of a vocabulary instead of once for each token."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import Bools
from corpusdb.cqp.syntax import And, Condition, Not, Or, WordPair, WordPattern, WordTest
from corpusdb.stoppable.limit import Limit
from corpusdb.stoppable.look_alikes import look_alike_pattern
from corpusdb.stoppable.regex import Regex
from corpusdb.text import alike_in, as_typed, fold_case

__all__ = ["METACHARACTERS", "evaluate", "matching_types", "without_diacritics", "word_classes"]

METACHARACTERS = frozenset(r".^$*+?{}[]\|()")


def evaluate(condition: Condition, test: Callable[[WordTest | WordPair], Bools]) -> Bools:
    """``condition``, with ``test`` to decide the tests in it, for many tokens at once."""
    match condition:
        case Not(operand=operand):
            return ~evaluate(operand, test)
        case And(operands=operands):
            return reduce(np.logical_and, (evaluate(operand, test) for operand in operands))
        case Or(operands=operands):
            return reduce(np.logical_or, (evaluate(operand, test) for operand in operands))
        case WordTest() | WordPair():
            return test(condition)


def matching_types(pattern: WordPattern, types: Sequence[str], limit: Limit) -> Bools:
    """For each type whether the whole of it matches ``pattern``. Raises TookTooLong and Cancelled."""
    text = pattern.text
    if pattern.ignore_diacritics:
        text, types = without_diacritics(text), [without_diacritics(word) for word in types]
    if not pattern.literal and (alike := alike_in(text)):
        text, alike = look_alike_pattern(text, alike)
        types = [as_typed(word, alike) for word in types]
    plain = pattern.literal or METACHARACTERS.isdisjoint(text)
    if plain and not pattern.ignore_case:
        return np.fromiter((word == text for word in types), dtype=np.bool_, count=len(types))
    compiled = Regex(re.escape(text) if plain else text, re.IGNORECASE if pattern.ignore_case else 0)
    matching = np.zeros(len(types), dtype=np.bool_)
    matching[compiled.matching_whole(types, limit)] = True
    return matching


def word_classes(
    types: Sequence[str], *, ignore_case: bool = False, ignore_diacritics: bool = False
) -> npt.NDArray[np.int32]:
    """A number for each type; two types have the same where they count as one word form."""
    words = map(without_diacritics, types) if ignore_diacritics else iter(types)
    if ignore_case:
        words = map(fold_case, words)
    numbers: dict[str, int] = {}
    return np.fromiter((numbers.setdefault(word, len(numbers)) for word in words), dtype=np.int32, count=len(types))


def without_diacritics(text: str) -> str:
    """``text`` without accents, and without the optional points of Hebrew and Arabic.

    Marks that make another letter stay: voicing of kana, nuktas, vowels of Indic and Thai script. A letter that is no
    letter with a mark stays too: ø, ł, đ.
    """
    if text.isascii():
        return text
    bare = (char for char in unicodedata.normalize("NFD", text) if not _is_diacritic(char))
    return unicodedata.normalize("NFC", "".join(bare))


def _is_diacritic(char: str) -> bool:
    # Classes 10 to 36 are points of Hebrew, Arabic and Syriac, from 200 on marks above, below and through a letter;
    # 7 to 9 are nuktas, kana voicing and viramas, 84 to 132 vowels and tones of single scripts, 0 is no diacritic.
    place = unicodedata.combining(char)
    return 10 <= place <= 36 or place >= 200
