"""Global constraints, decided for many matches at once from the tokens that their labels stand for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I64, Bools
from corpusdb.cqp.syntax import Condition, WordPair, WordTest, leaves_of
from corpusdb.cqp.tokens import Tokens
from corpusdb.cqp.vocabulary import evaluate, matching_types, word_classes
from corpusdb.stoppable.limit import Limit

__all__ = ["Constraint"]


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
