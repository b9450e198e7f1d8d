"""A paraphrasing rule, and the language of rules, in the notation of Kanayama (2003), Table 1.

A rule is two sequences of morphemes, one rewritten as the other, and where that may be done: after Kanayama (2003),
Paraphrasing Rules for Automatic Evaluation of Translation into Japanese, section 3.3, Table 1.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import cached_property
from typing import Final, NoReturn

from corpusdb.base.errors import InputError
from corpusdb.rules.morphology import CLASSES, FORMS, GODAN, INFLECTIONS, WIDTHS

KINDS = ("polite", "other")
"""What a rule changes: the politeness of a predicate, or something else."""


class RuleDirection(Enum):
    FORWARD = "->"
    BACKWARD = "<-"

    @property
    def other(self) -> RuleDirection:
        return RuleDirection.BACKWARD if self is RuleDirection.FORWARD else RuleDirection.FORWARD


@dataclass(frozen=True)
class RulePosition:
    """Where something stands in a file of rules."""

    file: str
    line: int
    """From 1."""
    column: int = 1
    """From 1."""

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}, column {self.column}"


@dataclass(frozen=True)
class MorphemePattern:
    """What one morpheme of a side or of a context must be, and how it is written on the other side."""

    variable: int | None = None
    """The number of a wildcard, shared by both sides; None for a literal, and in contexts."""
    surfaces: tuple[str, ...] = ()
    """The surfaces that a literal may have; the citation forms, where a form is named or copied."""
    any_of: tuple[frozenset[str], ...] = ()
    """Of each of these sets of classes, the morpheme is in one."""
    none_of: frozenset[str] = frozenset()
    lexemes: frozenset[str] = frozenset()
    """Its dictionary form or normalized form is one of these; empty for any."""
    other_lexemes: frozenset[str] = frozenset()
    """Neither its dictionary form nor its normalized form is one of these."""
    form: str | None = None
    """The form in which it stands, or is written."""
    copied: bool = False
    """Whether it stands in whatever form the other side's copied element has."""

    @property
    def is_lexeme(self) -> bool:
        """Whether it is a literal that is inflected."""
        return bool(self.surfaces) and (self.copied or self.form is not None)


class Boundary(StrEnum):
    """A condition on a place between two morphemes; ``matching`` says what each is."""

    END = "END"
    STOP = "STOP"
    START = "START"


@dataclass(frozen=True)
class Context:
    """What must stand directly before or after a match."""

    condition: MorphemePattern | Boundary
    negated: bool = False
    """Whether it must not stand there; such a condition takes up no morpheme."""


@dataclass(frozen=True)
class RuleExample:
    """A text and what a rule makes of it."""

    before: str
    after: str | None
    """None where the rule must change nothing."""
    directions: tuple[RuleDirection, ...]
    place: RulePosition


@dataclass(frozen=True)
class Rule:
    name: str
    kind: str
    left: tuple[MorphemePattern, ...]
    right: tuple[MorphemePattern, ...]
    two_way: bool
    before: tuple[Context, ...]
    """From the farthest to the nearest."""
    after: tuple[Context, ...]
    """From the nearest to the farthest."""
    source: str
    """The line as it stands in the file, without white space that means nothing."""
    place: RulePosition
    off: str | None = None
    """Why it is not used unless asked for; None where it is used."""
    examples: tuple[RuleExample, ...] = ()

    @property
    def directions(self) -> tuple[RuleDirection, ...]:
        return (RuleDirection.FORWARD, RuleDirection.BACKWARD) if self.two_way else (RuleDirection.FORWARD,)

    def sides(self, direction: RuleDirection) -> tuple[tuple[MorphemePattern, ...], tuple[MorphemePattern, ...]]:
        """What is looked for, and what is written in its place."""
        return (self.left, self.right) if direction is RuleDirection.FORWARD else (self.right, self.left)

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of SHA-256 over name, kind and line: what it does, whatever its examples."""
        return hashlib.sha256(f"{self.name}\t{self.kind}\t{self.source}".encode()).hexdigest()[:16]


@dataclass(frozen=True)
class RuleSet:
    """Rules in the order in which they are applied, and which of them are."""

    rules: tuple[Rule, ...]
    disabled: frozenset[str] = frozenset()
    """The names of rules that are there, but are not applied."""

    @cached_property
    def by_name(self) -> Mapping[str, Rule]:
        return {rule.name: rule for rule in self.rules}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules)

    @cached_property
    def enabled(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.name not in self.disabled)

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that tell apart what is applied, in which order."""
        return hashlib.sha256("\n".join(rule.digest for rule in self.enabled).encode()).hexdigest()[:16]

    def only(self, kinds: Sequence[str] = KINDS) -> RuleSet:
        """The same rules, of which those of other kinds are not applied."""
        return self.without(rule.name for rule in self.rules if rule.kind not in kinds)

    def without(self, names: Iterable[str]) -> RuleSet:
        """The same rules, of which these are not applied either."""
        return replace(self, disabled=self.disabled | frozenset(names))

    def including(self, names: Iterable[str]) -> RuleSet:
        """The same rules, with these applied also where they are off by default."""
        return replace(self, disabled=self.disabled - frozenset(names))


def rule_text(rule: Rule) -> str:
    """The lines of a rule, each ended by LF: the rule, the reason for which it is off, and its examples."""
    lines = [f"{rule.name} {rule.kind} = {rule.source}", *([] if rule.off is None else [f"off {rule.off}"])]
    for example in rule.examples:
        if example.after is None:
            lines.append(f"- {example.before}")
        elif example.directions == (RuleDirection.FORWARD,):
            lines.append(f"> {example.before} = {example.after}")
        else:  # what is read of a line has one direction
            lines.append(f"< {example.after} = {example.before}")
    return "".join(f"{line}\n" for line in lines)


# The rule language: one rule a line, in the notation of Kanayama (2003), Table 1, with its examples below it.
#
#     past-verb polite = $1(verb euphonic) : た(ta) <-> $1(continuative) : まし : た(ta) / _ END
#     + 彼が本を読んだ。 = 彼が本を読みました。
#     - 静かではある。
#
# ``:`` stands between morphemes. ``$1`` is a wildcard, the same morpheme on both sides; without ``$`` stands what is
# written, ``が|けど`` for either. Conditions in parentheses: classes (``verb``, ``noun|pronoun``, ``!noun``), the form
# (``euphonic``), the word in its dictionary or normalized form (``=する|やる``, ``!=ある``). A literal with a form, or
# with ``*`` on both sides for the same form, is given in its form of citation: ``いる(ichidan *)``. After ``euphonic``
# a literal in た, て, ち or と is voiced as the verb asks. ``<->`` rewrites in both directions, ``->`` in one. Behind
# ``/`` stands what must be before (``_`` is the match) and after it; ``!`` forbids. ``off`` and a reason in a line
# below a rule leave it out unless it is asked for. ``+`` must come out, in both directions of a two-way rule, ``>``
# forwards only and ``<`` backwards only; ``-`` must not change.


_HEADER: Final = re.compile(r"([A-Za-z0-9][\w-]*)\s+(\S+)\s*=\s*")
_TOKEN: Final = re.compile(r"\s*(<->|->|!?\(|\)|[:/_!]|\$\d{0,9}|[^\s:/()$!_<>]+|.)")
_BOTH: Final = (RuleDirection.FORWARD, RuleDirection.BACKWARD)
_SAYS: Final = {"+": _BOTH, ">": _BOTH[:1], "<": _BOTH[1:]}


def _fail(place: RulePosition, column: int, reason: str) -> NoReturn:
    raise InputError(f"{replace(place, column=column)}: {reason}")


class _Line:
    """The tokens of a line, each with its column, read from left to right."""

    def __init__(self, line: str, begin: int, place: RulePosition) -> None:
        self.place = place
        found = [(match[1], match.start(1) + 1) for match in _TOKEN.finditer(line, begin) if match[1].strip()]
        self._tokens = [*found, ("", len(line.rstrip()) + 1)]
        self._next = 0

    @property
    def token(self) -> str:
        return self._tokens[self._next][0]

    @property
    def column(self) -> int:
        return self._tokens[self._next][1]

    def take(self) -> str:
        token = self.token
        self._next += token != ""
        return token

    def expect(self, wanted: str) -> None:
        if self.token != wanted:
            self.fail(f"{wanted} expected in place of {self.token or 'the end of the line'}")
        self.take()

    def fail(self, reason: str, column: int | None = None) -> NoReturn:
        _fail(self.place, self.column if column is None else column, reason)


def _condition(line: _Line, element: MorphemePattern) -> MorphemePattern:
    """One condition in parentheses, added to those of an element."""
    column, negated = line.column, False
    if line.token == "!":
        negated = bool(line.take())
    word = line.take()
    if word.startswith("="):
        words = frozenset(word[1:].split("|"))
        if "" in words:
            line.fail("a word is missing after = or |", column)
        if negated:
            return replace(element, other_lexemes=element.other_lexemes | words)
        return replace(element, lexemes=element.lexemes | words)
    if word == "*" and not negated:
        return replace(element, copied=True)
    if (word in FORMS or word in WIDTHS) and not negated:
        if element.form not in (None, word):
            line.fail(f"two forms: {element.form} and {word}", column)
        return replace(element, form=word)
    names = frozenset(word.split("|"))
    for name in sorted(names - CLASSES):
        line.fail(f"no class and no form is called {name or line.token or 'nothing'}", column)
    if negated:
        return replace(element, none_of=element.none_of | names)
    return replace(element, any_of=(*element.any_of, names))


def _conditions(line: _Line, element: MorphemePattern) -> MorphemePattern:
    if line.token != "(":
        return element
    line.take()
    while line.token != ")":
        if not line.token:
            line.fail(") expected in place of the end of the line")
        if line.token == ",":
            line.take()
        else:
            element = _condition(line, element)
    line.take()
    return element


def _literal(line: _Line) -> MorphemePattern:
    column = line.column
    if line.token.startswith("$"):
        line.fail(f"{line.token} is in the context: wildcards belong to the two sides")
    if not line.token or line.token in ("<->", "->", ":", "/", "_", ")", "!"):
        line.fail(f"a morpheme expected in place of {line.token or 'the end of the line'}")
    surfaces = tuple(line.take().split("|"))
    if "" in surfaces:
        line.fail("a word is missing beside |", column)
    element = _conditions(line, MorphemePattern(surfaces=surfaces))
    if element.is_lexeme and not any(names <= INFLECTIONS.keys() for names in element.any_of):
        line.fail(f"{element.surfaces[0]} is inflected: say its conjugation ({', '.join(INFLECTIONS)})", column)
    if element.is_lexeme and any("godan" in names for names in element.any_of):
        for word in element.surfaces:
            if word[-1] not in GODAN:
                line.fail(f"{word} is not how a godan verb is cited: such a form ends in {', '.join(GODAN)}", column)
    return element


def _side(line: _Line, ends: tuple[str, ...]) -> tuple[MorphemePattern, ...]:
    found = []
    while True:
        if line.token.startswith("$"):
            column, number = line.column, line.take()[1:]
            if not number:
                line.fail("a number expected after $", column)
            found.append(_conditions(line, MorphemePattern(variable=int(number))))
        else:
            found.append(_literal(line))
        if line.token in ends:
            return tuple(found)
        line.expect(":")


def _context(line: _Line, ends: tuple[str, ...]) -> tuple[Context, ...]:
    found: list[Context] = []
    while line.token not in ends:
        if found:
            line.expect(":")
        negated = line.token == "!" and bool(line.take())
        if line.token in Boundary.__members__:
            found.append(Context(Boundary(line.take()), negated))
        elif line.token in ("(", "!("):
            found.append(_anonymous(line, negated))
        else:
            found.append(Context(_literal(line), negated))
    return tuple(found)


def _anonymous(line: _Line, negated: bool) -> Context:
    """A morpheme of which only conditions are said."""
    if line.token == "!(":
        negated = True
        line._tokens[line._next] = ("(", line.column)
    column = line.column
    element = _conditions(line, MorphemePattern())
    if element == MorphemePattern():
        line.fail("no condition between the parentheses", column)
    return Context(element, negated)


def _agreed(line: _Line, left: tuple[MorphemePattern, ...], right: tuple[MorphemePattern, ...], two_way: bool) -> None:
    """Raise InputError where the sides cannot be rewritten as each other."""
    variables = [[e.variable for e in side if e.variable is not None] for side in (left, right)]
    for side in variables:
        for number in side:
            if side.count(number) > 1:
                line.fail(f"${number} appears twice on one side")
    missing = set(variables[1]) - set(variables[0]) | (set(variables[0]) - set(variables[1]) if two_way else set())
    for number in sorted(missing):
        line.fail(f"${number} is on one side only")
    copies = [sum(element.copied for element in side) for side in (left, right)]
    if copies[0] != copies[1] or copies[0] > 1:
        line.fail("* must be once on both sides, or on none")
    for element in (*(left if two_way else ()), *right):
        if len(element.surfaces) > 1:
            line.fail(f"{'|'.join(element.surfaces)}: which of them is written, cannot be known")
    if left == right:
        line.fail("both sides are the same: the rule would loop")


def _shared(left: tuple[MorphemePattern, ...], right: tuple[MorphemePattern, ...]) -> tuple[MorphemePattern, ...]:
    """The elements of ``left``, whose wildcards also meet the conditions that the other side puts on them."""
    other = {element.variable: element for element in right if element.variable is not None}
    found = []
    for element in left:
        twin = other.get(element.variable) if element.variable is not None else None
        if twin is not None:
            element = replace(
                element,
                any_of=tuple(dict.fromkeys((*element.any_of, *twin.any_of))),
                none_of=element.none_of | twin.none_of,
                lexemes=element.lexemes | twin.lexemes,
                other_lexemes=element.other_lexemes | twin.other_lexemes,
            )
        found.append(element)
    return tuple(found)


def _rule(text: str, place: RulePosition) -> Rule:
    header = _HEADER.match(text)
    if header is None:
        _fail(place, 1, "a rule begins NAME KIND = ...")
    name, kind = header.groups()
    if kind not in KINDS:
        _fail(place, header.start(2) + 1, f"{kind} is not a kind of rule: {', '.join(KINDS)}")
    line = _Line(text, header.end(), place)
    left = _side(line, ("<->", "->"))
    two_way = line.take() == "<->"
    right = _side(line, ("/", ""))
    _agreed(line, left, right, two_way)
    before: tuple[Context, ...] = ()
    after: tuple[Context, ...] = ()
    if line.take() == "/":
        before = _context(line, ("_", ""))
        line.expect("_")
        after = _context(line, ("",))
    source = " ".join(text[header.end() :].split())
    return Rule(name, kind, _shared(left, right), _shared(right, left), two_way, before, after, source, place)


def _example(line: str, place: RulePosition, rule: Rule) -> Iterable[RuleExample]:
    sign, text = line[0], line[1:].strip()
    if sign == "-":
        return (RuleExample(text, None, rule.directions, place),)
    before, equals, after = (part.strip() for part in text.partition(" = "))
    if not (before and equals and after):
        _fail(place, 2, "an example has two texts with ' = ' between them")
    found = []
    for direction in _SAYS[sign]:
        if direction in rule.directions:
            texts = (before, after) if direction is RuleDirection.FORWARD else (after, before)
            found.append(RuleExample(*texts, (direction,), place))
    if not found:
        _fail(place, 1, "the rule has no such direction")
    return found


def parse_rules(lines: Iterable[str], file: str) -> tuple[Rule, ...]:
    """The rules of a file, in their order.

    Raises InputError with file, line and column for what cannot be read.
    """
    rules: list[Rule] = []
    for number, raw in enumerate(lines, 1):
        line, place = raw.rstrip(), RulePosition(file, number)
        if not line.strip() or line.startswith("#"):
            continue
        is_off = re.match(r"off(\s+(.*))?$", line)
        if line[0] not in "+-<>" and is_off is None:
            rules.append(_rule(line, place))
            continue
        if not rules:
            _fail(place, 1, "this belongs to a rule, and there is none before it")
        if is_off is not None:
            if not is_off[2]:
                _fail(place, 4, "the reason is missing")
            rules[-1] = replace(rules[-1], off=is_off[2].strip())
        else:
            examples = (*rules[-1].examples, *_example(line, place, rules[-1]))
            rules[-1] = replace(rules[-1], examples=examples)
    return tuple(rules)
