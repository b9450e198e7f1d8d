"""Which tokens meet a condition, and which matches a global constraint: decided on vocabularies where possible."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.jobs import Limit
from corpusdb.base.regular_expressions import Regex
from corpusdb.base.text import alike_in, as_typed, fold_case, look_alike_pattern
from corpusdb.search.cqp_syntax import (
    And,
    Attribute,
    Condition,
    Not,
    Or,
    Tokens,
    WordPair,
    WordPattern,
    WordTest,
    leaves_of,
)


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


# Which tokens meet a condition: decided on vocabularies, and put together for each token only where it must be.
#
# A condition on one attribute is a table over its vocabulary. One on several is made of such tables, of which the one
# that leaves the fewest tokens is looked at first: so ``[lemma="go" & pos="V.*"]`` costs no more than
# ``[lemma="go"]``.


@dataclass(frozen=True, slots=True, eq=False)
class ValueTest:
    """The tokens that have one of some values of one attribute."""

    attribute: Attribute
    table: Bools
    """For each type of the attribute whether it is one of them."""

    @property
    def most(self) -> int:
        return int(self.attribute.counts[self.table].sum())

    def at(self, positions: I64) -> Bools:
        return self.table[self.attribute.tokens[positions]]

    def places(self) -> I64:
        """Where they stand, ascending."""
        return np.flatnonzero(self.table[self.attribute.tokens])


@dataclass(frozen=True, slots=True, eq=False)
class JoinedTest:
    """The tokens that meet all, or any, of some tests on different attributes."""

    every: bool
    operands: tuple[TokenTest, ...]
    """By the number of tokens that meet them, those with the fewest first."""
    size: int

    @property
    def most(self) -> int:
        counts = [operand.most for operand in self.operands]
        return min(counts) if self.every else min(sum(counts), self.size)

    def at(self, positions: I64) -> Bools:
        held = self.operands[0].at(positions)
        for operand in self.operands[1:]:
            left = np.flatnonzero(held if self.every else ~held)
            held[left] = operand.at(positions[left])
        return held

    def places(self) -> I64:
        if not self.every:
            return _united(operand.places() for operand in self.operands)
        places = self.operands[0].places()
        for operand in self.operands[1:]:
            places = places[operand.at(places)]
        return places


TokenTest: TypeAlias = ValueTest | JoinedTest


def token_test(condition: Condition, corpus: Tokens, limit: Limit | None = None) -> TokenTest:
    """``condition``, which has no labels, looked up in the vocabularies of a corpus.

    Raises KeyError for an attribute that the corpus does not have, TookTooLong and Cancelled as ``limit`` has it.
    """
    return _test(condition, corpus, limit or Limit(), negated=False)


def _test(condition: Condition, corpus: Tokens, limit: Limit, *, negated: bool) -> TokenTest:
    match condition:
        case WordTest():
            attribute = corpus.attribute(condition.attribute)
            matches = matching_types(condition.pattern, attribute.types, limit)
            return ValueTest(attribute, matches if condition.equal != negated else ~matches)
        case Not(operand=operand):
            return _test(operand, corpus, limit, negated=not negated)
        case And(operands=operands) | Or(operands=operands):
            parts = [_test(operand, corpus, limit, negated=negated) for operand in operands]
            return _joined(parts, isinstance(condition, And) != negated, len(corpus.tokens))
        case WordPair():
            raise TypeError("one token is not two labels")


def _joined(parts: Sequence[TokenTest], every: bool, size: int) -> TokenTest:
    """All of ``parts``, or any of them; those on one attribute become one table."""
    tables: dict[int, ValueTest] = {}
    others: list[TokenTest] = []
    join = np.logical_and if every else np.logical_or
    for part in parts:
        if isinstance(part, JoinedTest):
            others.append(part)
            continue
        known = tables.get(id(part.attribute))
        table = part.table if known is None else join(known.table, part.table)
        tables[id(part.attribute)] = ValueTest(part.attribute, table)
    operands = sorted([*tables.values(), *others], key=lambda each: each.most)
    return operands[0] if len(operands) == 1 else JoinedTest(every, tuple(operands), size)


def places_of_any(tests: Sequence[TokenTest]) -> I64:
    """Where the tokens stand that meet one of some tests, at least one, ascending."""
    values = [test for test in tests if isinstance(test, ValueTest)]
    if len(values) == len(tests) and len({id(test.attribute) for test in values}) == 1:
        table = reduce(np.logical_or, (test.table for test in values))
        return ValueTest(values[0].attribute, table).places()
    return _united(test.places() for test in tests)


def _united(places: Iterable[I64]) -> I64:
    return np.unique(np.concatenate(list(places)))


# Global constraints, decided for many matches at once from the tokens that their labels stand for.


class Constraint:
    """A condition on labelled tokens, its words looked up in the vocabulary once."""

    def __init__(self, condition: Condition, labels: Sequence[str], corpus: Tokens, limit: Limit) -> None:
        self._condition = condition
        self._lines = {label: line for line, label in enumerate(labels)}
        self._types = {leaf: _types(leaf, corpus, limit) for leaf in leaves_of(condition)}
        self._tokens = {
            leaf: [corpus.attribute(attribute).tokens for attribute in _attributes(leaf)] for leaf in self._types
        }
        names = {label for leaf in self._types for label in _names(leaf)}
        self.lines: tuple[int, ...] = tuple(sorted(self._lines[label] for label in names))
        """Which labels it looks at, as indices in ``labels``."""

    def holds(self, labels: I64) -> Bools:
        """Whether each match keeps the constraint; ``labels`` has a line of tokens for each label, -1 where unset.

        A test of an unset label is false, with ``!=`` as with ``=``. Two values that are not known are not the same.
        """

        def test(leaf: WordTest | WordPair) -> Bools:
            places = [labels[self._lines[label]] for label in _names(leaf)]
            held: Bools = np.logical_and.reduce([place >= 0 for place in places])
            values = [
                types[tokens[place[held]]]
                for types, tokens, place in zip(self._types[leaf], self._tokens[leaf], places, strict=True)
            ]
            same = values[0] == (values[1] if isinstance(leaf, WordPair) else 1)
            held[held] = same if leaf.equal else ~same
            return held

        return evaluate(self._condition, test)


def _names(leaf: WordTest | WordPair) -> tuple[str, ...]:
    if isinstance(leaf, WordPair):
        return leaf.left, leaf.right
    return () if leaf.label is None else (leaf.label,)


def _attributes(leaf: WordTest | WordPair) -> tuple[str, ...]:
    """The attribute of each label that is tested."""
    return (leaf.left_attribute, leaf.right_attribute) if isinstance(leaf, WordPair) else (leaf.attribute,)


def _types(leaf: WordTest | WordPair, corpus: Tokens, limit: Limit) -> list[npt.NDArray[np.int32]]:
    """For each label that is tested a number for each type of its attribute: what the values of a pair must share, or
    whether a value matches (1) or not (0)."""
    if isinstance(leaf, WordTest):
        return [matching_types(leaf.pattern, corpus.attribute(leaf.attribute).types, limit).astype(np.int32)]
    left, right = (corpus.attribute(name).types for name in _attributes(leaf))
    together = left if leaf.left_attribute == leaf.right_attribute else [*left, *right]
    classes = word_classes(together, ignore_case=leaf.ignore_case, ignore_diacritics=leaf.ignore_diacritics)
    sides = classes[: len(left)].copy(), classes[len(together) - len(right) :].copy()
    for side, types, unknown in zip(sides, (left, right), (-1, -2), strict=True):
        if "" in types:
            side[types.index("")] = unknown
    return [*sides]
