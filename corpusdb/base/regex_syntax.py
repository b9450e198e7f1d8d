"""The parts of a regular expression, read in the syntax of ``re``, which keeps to itself what it makes of a pattern.

What ``re`` simplifies is simplified: a beginning that all alternatives share stands before them once, alternatives of
one character each are a set, and a group that neither captures nor sets flags is what stands in it. The pattern must be
one that ``re.compile`` takes: nothing here says what is wrong with another.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

UNBOUNDED: Final = sys.maxsize
"""How often something is repeated that may be repeated as often as there is text."""
_WHITESPACE: Final = frozenset(" \t\n\r\v\f")
_DIGITS: Final = frozenset("0123456789")
_OCTAL: Final = frozenset("01234567")
_HEXADECIMAL: Final = frozenset("0123456789abcdefABCDEF")
_SIZES: Final[Mapping[str, int]] = {"x": 2, "u": 4, "U": 8}
"""Of the numbers of characters behind an escape, in hexadecimal digits."""
_CONTROLS: Final[Mapping[str, str]] = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_FLAGS: Final[Mapping[str, int]] = {letter: int(getattr(re, letter.upper())) for letter in "iLmsxau"} | {"t": 1}
"""The last is one that Python 3.11 takes, and that does nothing."""

Item: TypeAlias = str | tuple[int, int]
r"""Of a set: one character, a category as it is written (``\d``), or the first and the last code point of a range."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One character that is in a set, or not in it."""

    items: tuple[Item, ...]
    is_negated: bool = False


ANY: Final = OneOf((), is_negated=True)


@dataclass(frozen=True, slots=True)
class Anchor:
    r"""A place: ``^``, ``$``, or the letter of ``\A``, ``\Z``, ``\z``, ``\b`` and ``\B``."""

    name: str


@dataclass(frozen=True, slots=True)
class Again:
    """What a group has matched, once more."""

    group: int
    width: int
    """The fewest characters that the group can match."""


@dataclass(frozen=True, slots=True)
class Group:
    """A part in parentheses that are more than a bracket: it captures, or has flags of its own."""

    body: Nodes


@dataclass(frozen=True, slots=True)
class Atomic:
    """A part that is not tried in another way once it has matched."""

    body: Nodes


@dataclass(frozen=True, slots=True)
class Look:
    """What must, or must not, stand before or behind a place."""

    body: Nodes


@dataclass(frozen=True, slots=True)
class Branch:
    """One or another of several."""

    branches: tuple[Nodes, ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """The one where a group has matched, the other where it has not."""

    yes: Nodes
    no: Nodes | None


@dataclass(frozen=True, slots=True)
class Repeat:
    least: int
    most: int
    body: Nodes
    is_possessive: bool = False


Node: TypeAlias = OneOf | Anchor | Again | Group | Atomic | Look | Branch | Conditional | Repeat
Nodes: TypeAlias = tuple[Node, ...]


def bodies(node: Node) -> tuple[Nodes, ...]:
    """What stands inside of a part."""
    match node:
        case Group(body) | Atomic(body) | Look(body) | Repeat(_, _, body):
            return (body,)
        case Branch(branches):
            return branches
        case Conditional(yes, no):
            return (yes,) if no is None else (yes, no)
    return ()


def least_width(nodes: Sequence[Node]) -> int:
    """The fewest characters that parts, one after the other, can match."""
    return sum(map(_width, nodes))


def _width(node: Node) -> int:
    match node:
        case OneOf():
            return 1
        case Again(_, width):
            return width
        case Group(body) | Atomic(body):
            return least_width(body)
        case Repeat(least, _, body):
            return least * least_width(body)
        case Branch(branches):
            return min(map(least_width, branches))
        case Conditional(yes, no):
            return min(least_width(yes), least_width(no or ()))
    return 0


def parse_regex(pattern: str, flags: int = 0) -> tuple[Nodes, int]:
    """The parts of a pattern, and its flags with those that are set inside of it, for all of it or for a part."""
    reader = _Reader(pattern, flags)
    return reader.alternatives(bool(flags & re.VERBOSE)), reader.flags


@dataclass(frozen=True, slots=True)
class _Bracket:
    """A group that neither captures nor sets flags, until it is known whether it is repeated."""

    body: Nodes


class _Reader:
    def __init__(self, pattern: str, flags: int) -> None:
        self.flags = flags
        # A backslash and what is behind it are one token.
        self._tokens: list[str] = re.findall(r"\\?.", pattern, re.DOTALL)
        self._at = 0
        self._names: dict[str, int] = {}
        self._widths = [0]
        """Of the groups that were begun, by their numbers."""

    def _next(self) -> str:
        """The token that is next, or an empty string at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _takes(self, token: str) -> bool:
        """Whether this is next, and then goes behind it."""
        if self._next() != token:
            return False
        self._at += 1
        return True

    def _take_until(self, token: str) -> str:
        begin = self._at
        self._at = self._tokens.index(token, begin) + 1
        return "".join(self._tokens[begin : self._at - 1])

    def _take_some(self, most: int, among: frozenset[str]) -> str:
        begin = self._at
        while self._at < begin + most and self._next() in among:
            self._at += 1
        return "".join(self._tokens[begin : self._at])

    def alternatives(self, is_verbose: bool) -> Nodes:
        """To the end of the group, or of the pattern."""
        is_outermost = self._at == 0
        found = [self._sequence(is_verbose)]
        while self._takes("|"):
            # Flags of the whole pattern stand at its beginning.
            found.append(self._sequence(bool(self.flags & re.VERBOSE) if is_outermost else is_verbose))
        return found[0] if len(found) == 1 else _simplified(found)

    def _sequence(self, is_verbose: bool) -> Nodes:
        found: list[Node | _Bracket] = []
        while (token := self._next()) and token not in "|)":
            self._at += 1
            if is_verbose and token in _WHITESPACE:
                continue
            if is_verbose and token == "#":
                while self._next() and self._take() != "\n":
                    pass
            elif token == "(":
                if self._next() == "?" and (flags := self._flags_of_all()):
                    self.flags |= flags
                    is_verbose = bool(self.flags & re.VERBOSE)
                elif (group := self._group(is_verbose)) is not None:
                    found.append(group)
            elif token in "*+?{" and (bounds := self._bounds(token)) is not None:
                found[-1] = self._repeated(found[-1], *bounds)
            else:
                found.append(self._one(token))
        return tuple(node for each in found for node in (each.body if isinstance(each, _Bracket) else (each,)))

    def _one(self, token: str) -> Node:
        if token in ("^", "$"):
            return Anchor(token)
        if token == ".":
            return ANY
        if token == "[":
            return self._set()
        if token[0] != "\\":
            return OneOf((token,))
        letter = token[1]
        if letter in "AZzbB":
            return Anchor(letter)
        if letter in _DIGITS - {"0"}:
            return self._numbered(letter)
        return OneOf((self._escaped(letter),))

    def _numbered(self, digit: str) -> Node:
        """A character by three octal digits, or what a group has matched."""
        digits = digit + self._take_some(1, _DIGITS)
        if len(digits) == 2 and {*digits} <= _OCTAL and self._next() in _OCTAL:
            return OneOf((chr(int(digits + self._take(), 8)),))
        return Again(int(digits), self._widths[int(digits)])

    def _escaped(self, letter: str) -> Item:
        """A category, or the character that an escape stands for."""
        if letter in "dDsSwW":
            return f"\\{letter}"
        if letter in _SIZES:
            return chr(int(self._take_some(_SIZES[letter], _HEXADECIMAL), 16))
        if letter == "N":
            self._take()
            return unicodedata.lookup(self._take_until("}"))
        if letter in _OCTAL:
            return chr(int(letter + self._take_some(2, _OCTAL), 8))
        return _CONTROLS.get(letter, letter)

    def _set(self) -> OneOf:
        is_negated = self._takes("^")
        items: list[Item] = []
        while not items or not self._takes("]"):
            item = self._member()
            if self._takes("-"):
                if self._takes("]"):
                    items += (item, "-")
                    break
                item = _code(item), _code(self._member())
            items.append(item)
        return OneOf(tuple(dict.fromkeys(items)), is_negated)

    def _member(self) -> Item:
        token = self._take()
        return self._escaped(token[1]) if token[0] == "\\" else token

    def _bounds(self, token: str) -> tuple[int, int] | None:
        """How often something is repeated; None where a brace is but a character."""
        if token != "{":
            return int(token == "+"), 1 if token == "?" else UNBOUNDED
        begin = self._at
        least = most = self._take_some(UNBOUNDED, _DIGITS)
        has_two = self._takes(",")
        if has_two:
            most = self._take_some(UNBOUNDED, _DIGITS)
        if not self._takes("}") or not (least or has_two):
            self._at = begin
            return None
        return int(least or 0), int(most or UNBOUNDED)

    def _repeated(self, node: Node | _Bracket, least: int, most: int) -> Repeat:
        body = node.body if isinstance(node, _Bracket) else (node,)
        is_lazy = self._takes("?")
        return Repeat(least, most, body, is_possessive=not is_lazy and self._takes("+"))

    def _flags_of_all(self) -> int:
        """The flags in parentheses that hold for the whole pattern, behind which it then is; 0 where there are none."""
        place = self._at + 1
        while place < len(self._tokens) and self._tokens[place] in _FLAGS:
            place += 1
        if place == self._at + 1 or self._tokens[place] != ")":
            return 0
        letters = self._tokens[self._at + 1 : place]
        self._at = place + 1
        return _flags(letters)

    def _group(self, is_verbose: bool) -> Node | _Bracket | None:
        """What stands in parentheses, of which the first has been read; None for a comment."""
        kind = self._take() if self._takes("?") else ""
        if kind == "#":
            self._take_until(")")
            return None
        if kind == "(":
            self._take_until(")")
            return self._conditional(is_verbose)
        if kind == "P" and self._takes("="):
            number = self._names[self._take_until(")")]
            return Again(number, self._widths[number])
        number = self._begun(kind) if kind in ("", "P") else 0
        on = off = ""
        if kind == "<":
            self._take()
        elif not number and kind not in "=!>":
            on, off = self._own_flags(kind)
        # Called from here and not from a method for each kind, since groups may stand in groups many times.
        body = self.alternatives((is_verbose or "x" in on) and "x" not in off)
        self._take()
        if number:
            self._widths[number] = least_width(body)
            return Group(body)
        if kind in "=!<":
            return Look(body)
        if kind == ">":
            return Atomic(body)
        return Group(body) if on or off else _Bracket(body)

    def _begun(self, kind: str) -> int:
        """The number of a group that captures, which has a name or none."""
        number = len(self._widths)
        self._widths.append(0)
        if kind:
            self._take()
            self._names[self._take_until(">")] = number
        return number

    def _own_flags(self, kind: str) -> tuple[str, str]:
        """The letters of flags that are set, and that are taken back, in a group."""
        on, _, off = (kind if kind == ":" else kind + self._take_until(":")).rstrip(":").partition("-")
        self.flags |= _flags(on) & ~re.VERBOSE  # which is of the group alone
        return on, off

    def _conditional(self, is_verbose: bool) -> Conditional:
        yes = self._sequence(is_verbose)
        no = self._sequence(is_verbose) if self._takes("|") else None
        self._take()
        return Conditional(yes, no)


def _flags(letters: Sequence[str]) -> int:
    return sum(_FLAGS[letter] for letter in {*letters})


def _code(item: Item) -> int:
    return ord(item) if isinstance(item, str) else item[0]


def _simplified(branches: Sequence[Nodes]) -> Nodes:
    """Alternatives without what all begin with, which stands before them; as a set where all are one character."""
    shared = 0
    for nodes in zip(*branches, strict=False):
        if not isinstance(nodes[0], OneOf | Anchor | Again) or any(node != nodes[0] for node in nodes):
            break
        shared += 1
    before, behind = branches[0][:shared], [branch[shared:] for branch in branches]
    items: list[Item] = []
    for branch in behind:
        match branch:
            case (OneOf(of, is_negated=False),):
                items += of
            case _:
                return (*before, Branch(tuple(behind)))
    return (*before, OneOf(tuple(dict.fromkeys(items))))
