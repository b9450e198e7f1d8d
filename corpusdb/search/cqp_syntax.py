"""The syntax tree of a query, every node with its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from corpusdb.search.token_corpus import WORD


@dataclass(frozen=True, slots=True)
class WordPattern:
    """A string in quotes with its flags: what a whole word form must match."""

    text: str
    """A regular expression of Python's ``re``; or the word form itself, where ``literal``. In NFC."""
    literal: bool
    ignore_case: bool
    ignore_diacritics: bool
    position: int


@dataclass(frozen=True, slots=True)
class WordTest:
    """``word = "..."`` of a token expression or, with a label, ``a.word = "..."`` of a global constraint."""

    label: str | None
    equal: bool
    """False for ``!=``."""
    pattern: WordPattern
    position: int
    attribute: str = WORD


@dataclass(frozen=True, slots=True)
class WordPair:
    """``a.word = b.word``: two labelled tokens of one word form, or of one value of other attributes."""

    left: str
    right: str
    equal: bool
    """False for ``!=``."""
    ignore_case: bool
    ignore_diacritics: bool
    position: int
    left_attribute: str = WORD
    right_attribute: str = WORD


@dataclass(frozen=True, slots=True)
class Not:
    operand: Condition
    position: int


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Condition, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Condition, ...]
    position: int


Condition: TypeAlias = WordTest | WordPair | Not | And | Or
"""Of one token, where no test has a label; or of the labelled tokens of a match."""


@dataclass(frozen=True, slots=True)
class Token:
    condition: Condition | None
    """None for any token."""
    label: str | None
    source: str
    """As it is written in the query, without the label."""
    position: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """``<s>`` or ``</s>``: the place before the first or after the last token of a sentence."""

    side: Literal["start", "end"]
    position: int


@dataclass(frozen=True, slots=True)
class SequenceNode:
    items: tuple[Node, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Alternation:
    branches: tuple[Node, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Repetition:
    """``least`` to ``most`` matches of an expression, one after the other; None: any number."""

    item: Node
    least: int
    most: int | None
    position: int


Node: TypeAlias = Token | Anchor | SequenceNode | Alternation | Repetition


@dataclass(frozen=True, slots=True)
class Meet:
    """``meet A B -2 2``: each token of A that has another one, of B, in its window; negated, that has none."""

    left: MeetUnion
    right: MeetUnion
    negated: bool
    window: tuple[int, int] | None
    """From the left token, both inclusive; None: in its sentence, which no window leaves."""
    position: int


@dataclass(frozen=True, slots=True)
class Union:
    """``union A B``: the tokens of both."""

    left: MeetUnion
    right: MeetUnion
    position: int


MeetUnion: TypeAlias = Token | Meet | Union


@dataclass(frozen=True, slots=True)
class Aligned:
    """``:jpn "..."``: what a translation of the sentence must match; negated, what no translation of it may match."""

    language: str
    """ISO 639-3."""
    negated: bool
    query: Query
    """Its own ``aligned`` is empty."""
    position: int


@dataclass(frozen=True, slots=True)
class MatchExpansion:
    """``expand to s``: how many tokens more a match has on each side, within its sentences; None: all of these."""

    left: int | None
    right: int | None


OF_TEXT: Final = ""
"""What stands for the beginning of a document: the condition that ``<text>`` asks for."""


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query. A match leaves its sentence only where ``sentences`` says so."""

    sequence: Node
    constraint: Condition | None
    """Of the labelled tokens."""
    within: int | None
    """The most tokens that a match may have; None: any number."""
    aligned: tuple[Aligned, ...]
    text: str
    """The text that was parsed; of an aligned query too it is the whole text, in which its positions count."""
    position: int
    sentences: int = 1
    """In how many sentences that follow each other a match may stand."""
    places: tuple[str, ...] = ()
    """Conditions on where the match stands, as ``--where`` has them."""
    meet: Meet | Union | None = None
    """``MU(...)``, of which each match is one token; ``sequence`` is then one of its tokens, whichever."""
    begins: str | None = None
    """That of these conditions of which the lines begin where the match does; None: it may begin anywhere in them."""
    cut: int | None = None
    """How many matches are wanted, from the first on; None: all."""
    closes: bool = False
    """Whether a match ends where a document does: ``</text>``."""
    expansion: MatchExpansion | None = None


def tokens_of(node: Node) -> Iterator[Token]:
    """The token expressions in ``node``, in the order in which they are written."""
    match node:
        case Token():
            yield node
        case SequenceNode(items=parts) | Alternation(branches=parts):
            for part in parts:
                yield from tokens_of(part)
        case Repetition(item=item):
            yield from tokens_of(item)


def tokens_in(node: MeetUnion) -> Iterator[Token]:
    """The same of what MU() is asked for."""
    if isinstance(node, Token):
        yield node
    else:
        yield from tokens_in(node.left)
        yield from tokens_in(node.right)


def leaves_of(condition: Condition) -> Iterator[WordTest | WordPair]:
    """The tests in ``condition``, in the order in which they are written."""
    match condition:
        case Not(operand=operand):
            yield from leaves_of(operand)
        case And(operands=operands) | Or(operands=operands):
            for operand in operands:
                yield from leaves_of(operand)
        case WordTest() | WordPair():
            yield condition


def labels_of(node: Node) -> tuple[str, ...]:
    """The labels in ``node``, each once, in the order in which they are first written."""
    return tuple(dict.fromkeys(token.label for token in tokens_of(node) if token.label is not None))


def attributes_of(query: Query) -> dict[str, int]:
    """The attributes that a query asks for, without those of its aligned queries, and where each is first named."""
    conditions = [token.condition for token in tokens_of(query.sequence)]
    found: dict[str, int] = {}
    for condition in (*conditions, query.constraint):
        for leaf in () if condition is None else leaves_of(condition):
            names = (leaf.attribute,) if isinstance(leaf, WordTest) else (leaf.left_attribute, leaf.right_attribute)
            for name in names:
                found.setdefault(name, leaf.position)
    return found


def word_tests_of(query: Query) -> list[WordTest]:
    """The tests of word forms in its token expressions, without those of its aligned queries."""
    conditions = [token.condition for token in tokens_of(query.sequence)]
    leaves = [leaf for each in conditions if each is not None for leaf in leaves_of(each)]
    return [leaf for leaf in leaves if isinstance(leaf, WordTest) and leaf.attribute == WORD]


def size_of(node: Node) -> int:
    """How many token expressions ``node`` has when every bounded quantifier is written out."""
    match node:
        case Token():
            return 1
        case Anchor():
            return 0
        case SequenceNode(items=parts) | Alternation(branches=parts):
            return sum(map(size_of, parts))
        case Repetition(item=item, least=least, most=most):
            return size_of(item) * (max(least, 1) if most is None else most)
