"""One application of a rule to a text, and the rewritten copies that rules make, with their lineage."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

from corpusdb.base.morphemes import Analyser, Morpheme
from corpusdb.rules.matching import DirectedRule, RuleIndex, voiced
from corpusdb.rules.morphology import INFLECTIONS, Analysis, conjugated, in_form, paradigm, voices
from corpusdb.rules.rule import Direction, Element, RuleSet
from corpusdb.rules.style import Style, clashes_in, style

__all__ = [
    "DEFAULT_CAP",
    "DROPPED",
    "Change",
    "Draft",
    "Expander",
    "Expansion",
    "Origin",
    "Rewriting",
    "Step",
    "draft",
    "expand",
    "reads_as_meant",
    "trace",
]


# One application of a rule to a text, and whether what came out analyses as it was meant.


Analyse: TypeAlias = Callable[[str], Analysis]


@dataclass(frozen=True)
class Change:
    """Where a step changed a text: characters of the text before it and of the text after it, from 0, ends excluded."""

    begin: int
    end: int
    new_begin: int
    new_end: int


@dataclass(frozen=True)
class Step:
    """One application of a rule, at every place where it applies."""

    rule: str
    """The name of the rule."""
    direction: Direction
    changes: tuple[Change, ...]
    """From left to right."""


@dataclass(frozen=True)
class Draft:
    """What a rule made of a text, not analysed yet."""

    text: str
    step: Step
    surfaces: tuple[str, ...]
    """The morphemes that the text is meant to have."""
    places: tuple[int, ...]
    """The numbers of the morphemes with which what was written begins."""


_GODAN = {"く": "カ", "ぐ": "ガ", "す": "サ", "つ": "タ", "ぬ": "ナ", "ぶ": "バ", "む": "マ", "る": "ラ", "う": "ワア"}


def _row_of(word: str, inflection: str) -> str:
    """The row of the table by which a word in its form of citation is inflected."""
    if inflection == "godan":
        return paradigm(f"五段-{_GODAN[word[-1]]}行", word, word)
    return paradigm(INFLECTIONS[inflection][0], word, word)


def _cited(word: str, element: Element, form: str) -> str | None:
    """A word given in its form of citation, in a form of UniDic."""
    return conjugated(word, _row_of(word, _inflection(element)), "終止形-一般", form)


def _as_form(word: str, element: Element) -> str | None:
    """A word given in its form of citation, in the form that an element names."""
    cited = Morpheme(word, 0, (), _row_of(word, _inflection(element)), "終止形-一般", word, word, "")
    return in_form(cited, element.form or "final")


def _inflection(element: Element) -> str:
    return min(name for names in element.any_of if names <= INFLECTIONS.keys() for name in names)


def _written(element: Element, bound: dict[int, Morpheme], form: str, is_voiced: bool) -> str | None:
    """The surface of an element of the target; None where a form is not known."""
    if element.variable is not None:
        morpheme = bound[element.variable]
        return morpheme.surface if element.form is None else in_form(morpheme, element.form)
    word = voiced(element.surfaces[0]) if is_voiced else element.surfaces[0]
    if element.copied:
        return _cited(word, element, form)
    return _as_form(word, element) if element.form is not None else word


def _target(directed: DirectedRule, analysis: Analysis, begin: int) -> tuple[str, ...] | None:
    """The morphemes that are written in place of a match."""
    bound, form = {}, ""
    for element, morpheme in zip(directed.elements, analysis.morphemes[begin:], strict=False):
        if element.variable is not None:
            bound[element.variable] = morpheme
        if element.copied:
            form = morpheme.form
    found, is_voiced = [], False
    for element in directed.target:
        surface = _written(element, bound, form, is_voiced)
        if surface is None:
            return None
        if surface:
            found.append(surface)
        is_voiced = element.form == "euphonic" and element.variable is not None and voices(bound[element.variable])
    return tuple(found)


def draft(directed: DirectedRule, analysis: Analysis) -> Draft | None:
    """A text with a rule applied wherever it applies; None where it changes nothing."""
    pieces: list[str] = []
    surfaces: list[str] = []
    changes: list[Change] = []
    places: list[int] = []
    read = done = length = 0
    for begin in directed.matches(analysis):
        target = _target(directed, analysis, begin)
        if target is None:
            continue
        end = begin + len(directed.elements)
        first, last = analysis.morphemes[begin].begin, analysis.morphemes[end - 1].end
        written = "".join(target)
        pieces += (analysis.text[done:first], written)
        length += first - done
        changes.append(Change(first, last, length, length + len(written)))
        length += len(written)
        surfaces += analysis.surfaces[read:begin]
        places.append(len(surfaces))
        surfaces += target
        read, done = end, last
    text = "".join((*pieces, analysis.text[done:]))
    if not changes or text == analysis.text:
        return None
    surfaces += analysis.surfaces[read:]
    step = Step(directed.rule.name, directed.direction, tuple(changes))
    return Draft(text, step, tuple(surfaces), tuple(places))


def reads_as_meant(made: Draft, analysis: Analysis, directed: DirectedRule) -> bool:
    """Whether a rewritten text has the very morphemes that were written, and they are what the rule says."""
    if analysis.surfaces != made.surfaces:
        return False
    return all(directed.opposite.fits(analysis, place) for place in made.places)


# The rewritten copies of a text that rules make, with the lineage of each.
#
# After Kanayama (2003), section 3.3: the rules are applied in a fixed order; every copy so far that a rule matches is
# copied, and the copy rewritten. A lineage never uses a rule twice, nor in both directions, so that nothing is undone.


DEFAULT_CAP: Final = 16
"""The most rewritings of a text."""
DROPPED: Final = ("reading", "mixed", "cap")
"""Why a rewriting is dropped: it analyses otherwise than meant; it is polite in one sentence and plain in another, or
has digits of two widths, and its origin has not; there are more than the cap."""
_HALF: Final = re.compile("[0-9]")
_FULL: Final = re.compile("[０-９]")
_WORKING: Final = 4  # times the cap: copies of mixed style are dropped only at the end, as other rules mend them
_REMEMBERED: Final = 4_000


@dataclass(frozen=True)
class Rewriting:
    """A text that rules made of another one."""

    text: str
    lineage: tuple[Step, ...]
    """The rules that made it, in the order in which they did, each with its direction and places."""


@dataclass(frozen=True)
class Expansion:
    """The rewritings of a text."""

    text: str
    rewritings: tuple[Rewriting, ...]
    """In a fixed order: few rules that are not polite first, then as the rules stand."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """How many rewritings were dropped, by the reasons of ``DROPPED`` that occurred."""


@dataclass(frozen=True)
class Origin:
    """Where a stretch of a rewriting comes from."""

    begin: int
    end: int
    """The characters of the original that it stands for, from 0, end excluded."""
    steps: tuple[Step, ...]
    """The steps that wrote something of it, in their order."""


@dataclass(frozen=True)
class _Copy:
    text: str
    lineage: tuple[Step, ...]
    used: frozenset[str]


class Expander:
    """Applies the enabled rules of a set to texts. Analyses are kept, as many texts come to the same copies."""

    def __init__(self, rules: RuleSet, analyser: Analyser, cap: int = DEFAULT_CAP) -> None:
        self.rules = rules
        self.cap = cap
        self._index = RuleIndex(rules.enabled)
        self._polite = frozenset(rule.name for rule in rules.enabled if rule.kind == "polite")

        @lru_cache(maxsize=_REMEMBERED)
        def analyse(text: str) -> Analysis:
            return Analysis(text, analyser.analyse(text))

        self.analyse = analyse
        """The analysis of a text, kept."""

    def expand(self, text: str) -> Expansion:
        """The rewritings of a text; none of them is the text itself, and no two are the same."""
        copies, dropped = self._copies(text)
        mixed = self._mixed(text)
        whole = [copy for copy in copies[1:] if self._mixed(copy.text) <= mixed]  # the first is the text
        dropped["mixed"] += len(copies) - 1 - len(whole)
        whole.sort(key=lambda copy: len(copy.used - self._polite))
        dropped["cap"] += max(0, len(whole) - self.cap)
        kept = tuple(Rewriting(copy.text, copy.lineage) for copy in whole[: self.cap])
        return Expansion(text, kept, {reason: dropped[reason] for reason in DROPPED if dropped[reason]})

    def _mixed(self, text: str) -> set[str]:
        """What a text has of two kinds: styles, registers, and widths of digits."""
        found = {"styles"} if style(self.analyse(text)) is Style.MIXED else set()
        found |= clashes_in(self.analyse(text))
        return found | {"digits"} if _HALF.search(text) and _FULL.search(text) else found

    def _copies(self, text: str) -> tuple[list[_Copy], Counter[str]]:
        """The text and all copies of it, as many as can be worked with, and what was dropped on the way."""
        copies, known = [_Copy(text, (), frozenset())], {text}
        dropped: Counter[str] = Counter()
        most = self.cap * _WORKING + 1
        needed = [self._index.candidates(self.analyse(text))]
        for directed in self._index.directed:
            for number in range(len(copies)):
                if directed not in needed[number]:
                    continue
                made = self._applied(directed, copies[number], dropped)
                if made is None or made.text in known:
                    continue
                if len(copies) == most:
                    dropped["cap"] += 1
                    continue
                known.add(made.text)
                copies.append(made)
                needed.append(self._index.candidates(self.analyse(made.text)))
        return copies, dropped

    def _applied(self, directed: DirectedRule, copy: _Copy, dropped: Counter[str]) -> _Copy | None:
        """A copy rewritten by a rule; None where the rule does not apply, or what comes out reads otherwise."""
        if directed.rule.name in copy.used:
            return None
        made = draft(directed, self.analyse(copy.text))
        if made is None:
            return None
        if not reads_as_meant(made, self.analyse(made.text), directed):
            dropped["reading"] += 1
            return None
        return _Copy(made.text, (*copy.lineage, made.step), copy.used | {directed.rule.name})


def expand(text: str, rules: RuleSet, analyser: Analyser, cap: int = DEFAULT_CAP) -> Expansion:
    """The rewritings of one text; for many texts make an ``Expander`` once."""
    return Expander(rules, analyser, cap).expand(text)


def trace(rewriting: Rewriting, begin: int, end: int) -> Origin:
    """Where the characters from ``begin`` to ``end`` of a rewriting come from: a place in the original, and rules."""
    steps = []
    for step in reversed(rewriting.lineage):
        if any(change.new_begin < end and begin < change.new_end for change in step.changes):
            steps.append(step)
        begin, end = _earlier(step.changes, begin, False), _earlier(step.changes, end, True)
    return Origin(begin, end, tuple(reversed(steps)))


def _earlier(changes: tuple[Change, ...], at: int, is_end: bool) -> int:
    """A place of the text before the changes, of one after them: what lies inside of a change becomes its border."""
    shift = 0
    for change in changes:
        if change.new_begin < at < change.new_end:
            return change.end if is_end else change.begin
        if at >= change.new_end and not (is_end and at == change.new_begin):
            shift = change.end - change.new_end
    return at + shift
