"""A paraphrasing rule: two sequences of morphemes, one rewritten as the other, and where that may be done.

After Kanayama (2003), Paraphrasing Rules for Automatic Evaluation of Translation into Japanese, section 3.3, Table 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import cached_property

__all__ = [
    "BOUNDARIES",
    "KINDS",
    "Boundary",
    "Context",
    "Direction",
    "Element",
    "Example",
    "Place",
    "Rule",
    "RuleSet",
]

KINDS = ("polite", "other")
"""What a rule changes: the politeness of a predicate, or something else."""

BOUNDARIES = ("END", "STOP", "START")
"""The names of boundaries in contexts; ``matching`` says what each is."""


class Direction(Enum):
    """From which side of a rule to which."""

    FORWARD = "->"
    BACKWARD = "<-"

    @property
    def other(self) -> Direction:
        return Direction.BACKWARD if self is Direction.FORWARD else Direction.FORWARD


@dataclass(frozen=True)
class Place:
    """Where something stands in a file of rules."""

    file: str
    line: int
    """From 1."""
    column: int = 1
    """From 1."""

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}, column {self.column}"


@dataclass(frozen=True)
class Element:
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
    """A condition on a place between two morphemes."""

    END = "END"
    STOP = "STOP"
    START = "START"


@dataclass(frozen=True)
class Context:
    """What must stand directly before or after a match."""

    condition: Element | Boundary
    negated: bool = False
    """Whether it must not stand there; such a condition takes up no morpheme."""


@dataclass(frozen=True)
class Example:
    """A text and what a rule makes of it."""

    before: str
    after: str | None
    """None where the rule must change nothing."""
    directions: tuple[Direction, ...]
    place: Place


@dataclass(frozen=True)
class Rule:
    """One rule of a file, with its examples."""

    name: str
    kind: str
    left: tuple[Element, ...]
    right: tuple[Element, ...]
    two_way: bool
    before: tuple[Context, ...]
    """From the farthest to the nearest."""
    after: tuple[Context, ...]
    """From the nearest to the farthest."""
    source: str
    """The line as it stands in the file, without white space that means nothing."""
    place: Place
    off: str | None = None
    """Why it is not used unless asked for; None where it is used."""
    examples: tuple[Example, ...] = ()

    @property
    def directions(self) -> tuple[Direction, ...]:
        return (Direction.FORWARD, Direction.BACKWARD) if self.two_way else (Direction.FORWARD,)

    def sides(self, direction: Direction) -> tuple[tuple[Element, ...], tuple[Element, ...]]:
        """What is looked for, and what is written in its place."""
        return (self.left, self.right) if direction is Direction.FORWARD else (self.right, self.left)

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
        """The rules that are applied, in their order."""
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
