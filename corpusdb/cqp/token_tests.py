"""Which tokens meet a condition: decided on vocabularies, and put together for each token only where it must be.

A condition on one attribute is a table over its vocabulary. One on several is made of such tables, of which the one
that leaves the fewest tokens is looked at first: so ``[lemma="go" & pos="V.*"]`` costs no more than ``[lemma="go"]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from corpusdb.arrays import I64, Bools
from corpusdb.cqp.syntax import And, Condition, Not, Or, WordPair, WordTest
from corpusdb.cqp.tokens import Attribute, Tokens
from corpusdb.cqp.vocabulary import matching_types
from corpusdb.stoppable.limit import Limit

__all__ = ["JoinedTest", "TokenTest", "ValueTest", "places_of_any", "token_test"]


@dataclass(frozen=True, slots=True, eq=False)
class ValueTest:
    """The tokens that have one of some values of one attribute."""

    attribute: Attribute
    table: Bools
    """For each type of the attribute whether it is one of them."""

    @property
    def most(self) -> int:
        """How many tokens there are of them."""
        return int(self.attribute.counts[self.table].sum())

    def at(self, positions: I64) -> Bools:
        """Whether the tokens at some positions are of them."""
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
    """How many tokens the corpus has."""

    @property
    def most(self) -> int:
        """How many tokens there are of them at most."""
        counts = [operand.most for operand in self.operands]
        return min(counts) if self.every else min(sum(counts), self.size)

    def at(self, positions: I64) -> Bools:
        """Whether the tokens at some positions are of them."""
        held = self.operands[0].at(positions)
        for operand in self.operands[1:]:
            left = np.flatnonzero(held if self.every else ~held)
            held[left] = operand.at(positions[left])
        return held

    def places(self) -> I64:
        """Where they stand, ascending."""
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
