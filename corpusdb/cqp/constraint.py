"""Global constraints, decided for many matches at once from the tokens that their labels stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I64, Bools
from corpusdb.cqp.syntax import And, Condition, Not, Or, WordPair, WordTest
from corpusdb.cqp.tokens import Tokens
from corpusdb.cqp.vocabulary import evaluate, matching_types, word_classes
from corpusdb.stoppable.limit import Limit

__all__ = ["Constraint"]


class Constraint:
    """A condition on labelled tokens, its words looked up in the vocabulary once."""

    def __init__(self, condition: Condition, labels: Sequence[str], corpus: Tokens, limit: Limit) -> None:
        self._condition = condition
        self._tokens = corpus.tokens
        self._lines = {label: line for line, label in enumerate(labels)}
        self._types = {leaf: _types(leaf, corpus.types, limit) for leaf in _leaves(condition)}
        names = {label for leaf in self._types for label in _names(leaf)}
        self.lines: tuple[int, ...] = tuple(sorted(self._lines[label] for label in names))
        """Which labels it looks at, as indices in ``labels``."""

    def holds(self, labels: I64) -> Bools:
        """Whether each match keeps the constraint; ``labels`` has a line of tokens for each label, -1 where unset.

        A test of an unset label is false, with ``!=`` as with ``=``.
        """

        def test(leaf: WordTest | WordPair) -> Bools:
            places = [labels[self._lines[label]] for label in _names(leaf)]
            held: Bools = np.logical_and.reduce([place >= 0 for place in places])
            values = [self._types[leaf][self._tokens[place[held]]] for place in places]
            same = values[0] == (values[1] if isinstance(leaf, WordPair) else 1)
            held[held] = same if leaf.equal else ~same
            return held

        return evaluate(self._condition, test)


def _leaves(condition: Condition) -> Iterator[WordTest | WordPair]:
    match condition:
        case Not(operand=operand):
            yield from _leaves(operand)
        case And(operands=operands) | Or(operands=operands):
            for operand in operands:
                yield from _leaves(operand)
        case WordTest() | WordPair():
            yield condition


def _names(leaf: WordTest | WordPair) -> tuple[str, ...]:
    if isinstance(leaf, WordPair):
        return leaf.left, leaf.right
    return () if leaf.label is None else (leaf.label,)


def _types(leaf: WordTest | WordPair, types: Sequence[str], limit: Limit) -> npt.NDArray[np.int32]:
    """A number for each type: what the two words of a pair must share, or whether a word matches (1) or not (0)."""
    if isinstance(leaf, WordPair):
        return word_classes(types, ignore_case=leaf.ignore_case, ignore_diacritics=leaf.ignore_diacritics)
    return matching_types(leaf.pattern, types, limit).astype(np.int32)
