"""How a query will be answered: its automaton (Glushkov 1961), which tokens meet its conditions, and where."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from corpusdb.base.arrays import I32, I64, Bools
from corpusdb.base.errors import QueryError
from corpusdb.base.jobs import Limit
from corpusdb.base.regular_expressions import Regex
from corpusdb.base.text import alike_in, as_typed, fold_case, look_alike_pattern
from corpusdb.search.cqp_syntax import (
    Alternation,
    Anchor,
    And,
    Condition,
    Node,
    Not,
    Or,
    Query,
    Repetition,
    SequenceNode,
    Token,
    WordPair,
    WordPattern,
    WordTest,
    attributes_of,
    leaves_of,
    tokens_of,
)
from corpusdb.search.token_corpus import WORD, Attribute, Tokens

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


def word_classes(types: Sequence[str], *, ignore_case: bool = False, ignore_diacritics: bool = False) -> I32:
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
    return (leaf.left_attribute, leaf.right_attribute) if isinstance(leaf, WordPair) else (leaf.attribute,)


def _types(leaf: WordTest | WordPair, corpus: Tokens, limit: Limit) -> list[I32]:
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


# The automaton of a sequence: one state for each token expression, as Glushkov (1961) builds it.
# Being in a state means that its token expression has just matched. Anchors need no states: ``<s>`` holds before the
# first token of a match, and ``</s>`` behind the last. Between two tokens of a match both say that a sentence ends
# there, which only happens where a match may cross sentences.


@dataclass(frozen=True, slots=True)
class Automaton:
    """States are indices in ``tokens``; a bounded quantifier repeats its tokens."""

    tokens: tuple[Token, ...]
    first: Mapping[int, bool]
    """The states in which a match can begin; true: only at the start of a sentence."""
    last: Mapping[int, bool]
    """The states in which a match can end; true: only at the end of a sentence."""
    sources: Mapping[int, tuple[int, ...]]
    """For each state that can follow others, those that it can follow."""
    crossing: Mapping[int, tuple[int, ...]]
    """The same of those that it can follow only as the first token of another sentence."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Part of an automaton; the booleans say whether the way to it, or from it, passes an anchor."""

    first: dict[int, bool]
    last: dict[int, bool]
    empty: frozenset[frozenset[str]]
    """The ways to pass it without a token, each as the anchors on it."""
    inner_first: dict[int, bool]
    """As ``first`` and ``last`` where tokens stand before and behind it, so that either anchor may be on the way."""
    inner_last: dict[int, bool]


_NOTHING = _Part({}, {}, frozenset([frozenset()]), {}, {})


def build(sequence: Node) -> Automaton:
    builder = _Builder()
    whole = builder.part(sequence)
    plain: dict[int, list[int]] = {}
    crossing: dict[int, list[int]] = {}
    for (before, state), is_crossing in sorted(builder.links.items()):
        (crossing if is_crossing else plain).setdefault(state, []).append(before)
    sources, others = ({state: tuple(befores) for state, befores in each.items()} for each in (plain, crossing))
    return Automaton(tuple(builder.tokens), whole.first, whole.last, sources, others)


class _Builder:
    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.links: dict[tuple[int, int], bool] = {}
        """Which state can follow which; true: only in another sentence."""

    def part(self, node: Node) -> _Part:
        match node:
            case Token():
                state = len(self.tokens)
                self.tokens.append(node)
                return _Part({state: False}, {state: False}, frozenset(), {state: False}, {state: False})
            case Anchor(side=side):
                return _Part({}, {}, frozenset([frozenset([side])]), {}, {})
            case SequenceNode(items=items):
                whole = _NOTHING
                for item in items:
                    whole = self._joined(whole, self.part(item))
                return whole
            case Alternation(branches=branches):
                return _either(*map(self.part, branches))
            case Repetition():
                return self._repeated(node)

    def _repeated(self, node: Repetition) -> _Part:
        if node.most is None:
            copies = [self.part(node.item) for _ in range(max(node.least, 1))]
            self._link(copies[-1].inner_last, copies[-1].inner_first)
            whole = copies[-1] if node.least else _either(copies[-1], _NOTHING)
            copies.pop()
        else:
            copies = [self.part(node.item) for _ in range(node.most)]
            whole = _NOTHING
            # x{0,3} as (x (x x?)?)?, which has a third of the transitions of x? x? x?
            for optional in reversed(copies[node.least :]):
                whole = _either(self._joined(optional, whole), _NOTHING)
            del copies[node.least :]
        for copy in reversed(copies):
            whole = self._joined(copy, whole)
        return whole

    def _joined(self, left: _Part, right: _Part) -> _Part:
        self._link(left.inner_last, right.inner_first)
        before = [("start" in anchors) for anchors in left.empty if "end" not in anchors]
        behind = [("end" in anchors) for anchors in right.empty if "start" not in anchors]
        first, last = dict(left.first), dict(right.last)
        for anchored in before:
            _add(first, {state: anchored or also for state, also in right.first.items()})
        for anchored in behind:
            _add(last, {state: anchored or also for state, also in left.last.items()})
        inner_first, inner_last = dict(left.inner_first), dict(right.inner_last)
        for anchors in left.empty:
            _add(inner_first, {state: bool(anchors) or also for state, also in right.inner_first.items()})
        for anchors in right.empty:
            _add(inner_last, {state: bool(anchors) or also for state, also in left.inner_last.items()})
        empty = frozenset(one | other for one in left.empty for other in right.empty)
        return _Part(first, last, empty, inner_first, inner_last)

    def _link(self, last: dict[int, bool], first: dict[int, bool]) -> None:
        """Let the states in ``first`` follow those in ``last``; where an anchor is in between, in another sentence."""
        for before, ends in last.items():
            for state, begins in first.items():
                link = before, state
                self.links[link] = (ends or begins) and self.links.get(link, True)


def _either(*parts: _Part) -> _Part:
    first, last, inner_first, inner_last = dict[int, bool](), dict[int, bool](), dict[int, bool](), dict[int, bool]()
    for part in parts:
        _add(first, part.first)
        _add(last, part.last)
        _add(inner_first, part.inner_first)
        _add(inner_last, part.inner_last)
    empty = frozenset(anchors for part in parts for anchors in part.empty)
    return _Part(first, last, empty, inner_first, inner_last)


def _add(states: dict[int, bool], more: dict[int, bool]) -> None:
    """Note ``more`` ways; one without an anchor makes the others superfluous."""
    for state, anchored in more.items():
        states[state] = anchored and states.get(state, True)


@dataclass(frozen=True, slots=True)
class Landmark:
    """Token expressions of which every match has one, and how many tokens of the match stand before it."""

    tokens: tuple[Token, ...]
    least: int
    most: int | None
    """None: any number."""


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What is known of a query and a corpus before the automaton runs."""

    automaton: Automaton
    tests: Mapping[Token, TokenTest | None]
    """For each token expression which tokens it matches; None: all."""
    landmark: Landmark
    """From where possible beginnings are looked for: what leaves the fewest."""
    sentences: int = 1
    """In how many sentences a match may stand."""

    def places(self, tokens: Sequence[Token], size: int) -> I64:
        """Where the tokens stand, of a corpus of ``size``, that one of ``tokens``, at least one, matches; ascending."""
        tests = [test for token in tokens if (test := self.tests[token]) is not None]
        return np.arange(size) if len(tests) < len(tokens) else places_of_any(tests)


def plan_query(query: Query, corpus: Tokens, limit: Limit | None = None) -> QueryPlan:
    """Evaluate every token expression on the vocabularies, each once, and choose the landmark.

    Raises QueryError for an attribute that the corpus does not have.
    """
    for name, position in attributes_of(query).items():
        if name != WORD and name not in corpus.attributes:
            raise QueryError(no_attribute(name, [*corpus.attributes]), query=query.text, position=position)
    automaton = build(query.sequence)
    tests: dict[Token, TokenTest | None] = {}
    counts: dict[Token, int] = {}
    known: dict[str, Token] = {}
    for token in tokens_of(query.sequence):
        same = known.setdefault(token.source, token)
        if same not in tests:
            test = tests[same] = None if token.condition is None else token_test(token.condition, corpus, limit)
            counts[same] = len(corpus.tokens) if test is None else test.most
        tests[token], counts[token] = tests[same], counts[same]
    size = len(corpus.tokens) / max(1, len(corpus.ends)) * query.sentences

    def cost(landmark: Landmark) -> float:
        widest = size if landmark.most is None else landmark.most - landmark.least + 1.0
        return sum(counts[token] for token in landmark.tokens) * min(widest, query.within or widest)

    beginning = Landmark(tuple(dict.fromkeys(automaton.tokens[state] for state in automaton.first)), 0, 0)
    best = min([beginning, *_landmarks(query.sequence, cost)], key=cost)
    return QueryPlan(automaton, tests, best, query.sentences)


def no_attribute(name: str, attributes: Sequence[str]) -> str:
    """What is said of an attribute that a corpus does not have; ``attributes`` are those besides the word."""
    others = (
        'attributes of documents and lines are for --where, --show, --sort, --group and in CQP :: match.speaker = "Ann"'
    )
    if attributes:
        return f"no attribute {name}; there are {', '.join([WORD, *attributes])}; {others}"
    return (
        f"no attribute {name}; sentences have only words until they are annotated: by `corpusdb annotate` in Japanese,"
        f" in any language by `corpusdb import` of CoNLL-U or vertical files (`corpusdb guide annotations`); {others}"
    )


def _landmarks(node: Node, cost: Callable[[Landmark], float]) -> Iterator[Landmark]:
    """The landmarks of ``node``; of each alternative only the cheapest goes into those of an alternation."""
    match node:
        case Token():
            yield Landmark((node,), 0, 0)
        case SequenceNode(items=items):
            least: int = 0
            most: int | None = 0
            for item in items:
                for mark in _landmarks(item, cost):
                    yield Landmark(mark.tokens, mark.least + least, _sum(mark.most, most))
                shortest, longest = _lengths(item)
                least, most = least + shortest, _sum(most, longest)
        case Alternation(branches=branches):
            marks = [min(_landmarks(branch, cost), key=cost, default=None) for branch in branches]
            found = [mark for mark in marks if mark is not None]
            if len(found) == len(branches):
                furthest = [mark.most for mark in found if mark.most is not None]
                yield Landmark(
                    tuple(dict.fromkeys(token for mark in found for token in mark.tokens)),
                    min(mark.least for mark in found),
                    max(furthest) if len(furthest) == len(found) else None,
                )
        case Repetition(item=item, least=least) if least:
            yield from _landmarks(item, cost)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _lengths(node: Node) -> tuple[int, int | None]:
    match node:
        case Token():
            return 1, 1
        case Anchor():
            return 0, 0
        case SequenceNode(items=items):
            lengths = [_lengths(item) for item in items]
            return sum(least for least, _ in lengths), reduce(_sum, (most for _, most in lengths))
        case Alternation(branches=branches):
            lengths = [_lengths(branch) for branch in branches]
            bounded = [most for _, most in lengths if most is not None]
            return min(least for least, _ in lengths), max(bounded) if len(bounded) == len(lengths) else None
        case Repetition(item=item, least=least, most=most):
            shortest, longest = _lengths(item)
            if longest == 0:
                return 0, 0
            return shortest * least, None if longest is None or most is None else longest * most


def candidate_starts(plan: QueryPlan, corpus: Tokens, sentences: Bools | None) -> I64:
    """The tokens at which a match may begin, ascending: in reach of a landmark, in the chosen sentences."""
    mark = plan.landmark
    if not mark.tokens:  # nothing can match: "a"{0}
        return np.zeros(0, dtype=np.int64)
    places = plan.places(mark.tokens, len(corpus.tokens))
    if sentences is not None:
        places = places[sentences[corpus.sentences[places]]]
    if mark.most == 0:
        return places
    begins = corpus.begins[corpus.reach(corpus.sentences[places].astype(np.int64), plan.sentences)[0]]
    first = begins if mark.most is None else np.maximum(begins, places - mark.most)
    sizes = np.maximum(0, places - mark.least + 1 - first)
    if mark.most == mark.least:
        return first[sizes > 0]
    before = np.cumsum(sizes) - sizes
    starts = np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))
    return np.unique(starts)
