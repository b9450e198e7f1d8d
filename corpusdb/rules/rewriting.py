"""One application of a rule to a text, the rewritten copies that rules make of it, and the files of rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from corpusdb.base.errors import InputError
from corpusdb.base.text import nfc, without_mark
from corpusdb.base.tokenisation import Analyser, Morpheme
from corpusdb.rules.matching import DirectedRule, RuleIndex, Style, clashes_in, style, voiced
from corpusdb.rules.morphology import GODAN, INFLECTIONS, Analysis, conjugated, in_form, paradigm, voices
from corpusdb.rules.rule import MorphemePattern, Rule, RuleDirection, RuleExample, RulePosition, RuleSet, parse_rules

Analyse: TypeAlias = Callable[[str], Analysis]


class ChangedSpan(NamedTuple):
    """Where a step changed a text: characters of the text before it and of the text after it, from 0, ends excluded."""

    begin: int
    end: int
    new_begin: int
    new_end: int


@dataclass(frozen=True)
class RewritingStep:
    rule: str
    direction: RuleDirection
    changes: tuple[ChangedSpan, ...]
    """From left to right."""


@dataclass(frozen=True)
class Draft:
    """What a rule made of a text, not analysed yet."""

    text: str
    step: RewritingStep
    surfaces: tuple[str, ...]
    """The morphemes that the text is meant to have."""
    places: tuple[int, ...]
    """The numbers of the morphemes with which what was written begins."""


def _row_of(word: str, inflection: str) -> str:
    """The row of the table by which a word in its form of citation is inflected."""
    if inflection == "godan":
        return paradigm(f"五段-{GODAN[word[-1]]}行", word, word)
    return paradigm(INFLECTIONS[inflection][0], word, word)


def _as_form(word: str, element: MorphemePattern) -> str | None:
    cited = Morpheme(word, 0, (), _row_of(word, _inflection(element)), "終止形-一般", word, word, "")
    return in_form(cited, element.form or "final")


def _inflection(element: MorphemePattern) -> str:
    return min(name for names in element.any_of if names <= INFLECTIONS.keys() for name in names)


def _written(element: MorphemePattern, bound: dict[int, Morpheme], form: str, is_voiced: bool) -> str | None:
    """The surface of an element of the target; None where a form is not known."""
    if element.variable is not None:
        morpheme = bound[element.variable]
        return morpheme.surface if element.form is None else in_form(morpheme, element.form)
    word = voiced(element.surfaces[0]) if is_voiced else element.surfaces[0]
    if element.copied:
        return conjugated(word, _row_of(word, _inflection(element)), "終止形-一般", form)
    return _as_form(word, element) if element.form is not None else word


def _target(directed: DirectedRule, analysis: Analysis, begin: int) -> tuple[str, ...] | None:
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
    changes: list[ChangedSpan] = []
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
        changes.append(ChangedSpan(first, last, length, length + len(written)))
        length += len(written)
        surfaces += analysis.surfaces[read:begin]
        places.append(len(surfaces))
        surfaces += target
        read, done = end, last
    text = "".join((*pieces, analysis.text[done:]))
    if not changes or text == analysis.text:
        return None
    surfaces += analysis.surfaces[read:]
    step = RewritingStep(directed.rule.name, directed.direction, tuple(changes))
    return Draft(text, step, tuple(surfaces), tuple(places))


def reads_as_meant(made: Draft, analysis: Analysis, directed: DirectedRule) -> bool:
    """Whether a rewritten text has the very morphemes that were written, and they are what the rule says."""
    if analysis.surfaces != made.surfaces:
        return False
    return all(directed.opposite.fits(analysis, place) for place in made.places)


# The rewritten copies of a text that rules make, with the lineage of each.
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
    text: str
    lineage: tuple[RewritingStep, ...]
    """The rules that made it, in the order in which they did, each with its direction and places."""


@dataclass(frozen=True)
class Expansion:
    text: str
    rewritings: tuple[Rewriting, ...]
    """In a fixed order: few rules that are not polite first, then as the rules stand."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """How many rewritings were dropped, by the reasons of ``DROPPED`` that occurred."""


@dataclass(frozen=True)
class StretchOrigin:
    """Where a stretch of a rewriting comes from."""

    begin: int
    end: int
    """The characters of the original that it stands for, from 0, end excluded."""
    steps: tuple[RewritingStep, ...]
    """The steps that wrote something of it, in their order."""


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
        whole.sort(key=lambda copy: sum(step.rule not in self._polite for step in copy.lineage))
        dropped["cap"] += max(0, len(whole) - self.cap)
        counts = {reason: dropped[reason] for reason in DROPPED if dropped[reason]}
        return Expansion(text, tuple(whole[: self.cap]), counts)

    def _mixed(self, text: str) -> set[str]:
        """What a text has of two kinds: styles, registers, and widths of digits."""
        found = {"styles"} if style(self.analyse(text)) is Style.MIXED else set()
        found |= clashes_in(self.analyse(text))
        return found | {"digits"} if _HALF.search(text) and _FULL.search(text) else found

    def _copies(self, text: str) -> tuple[list[Rewriting], Counter[str]]:
        """The text and all copies of it, as many as can be worked with, and what was dropped on the way."""
        copies, known = [Rewriting(text, ())], {text}
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

    def _applied(self, directed: DirectedRule, copy: Rewriting, dropped: Counter[str]) -> Rewriting | None:
        """A copy rewritten by a rule; None where the rule does not apply, or what comes out reads otherwise."""
        if any(step.rule == directed.rule.name for step in copy.lineage):
            return None
        made = draft(directed, self.analyse(copy.text))
        if made is None:
            return None
        if not reads_as_meant(made, self.analyse(made.text), directed):
            dropped["reading"] += 1
            return None
        return Rewriting(made.text, (*copy.lineage, made.step))


def trace(rewriting: Rewriting, begin: int, end: int) -> StretchOrigin:
    """Where the characters from ``begin`` to ``end`` of a rewriting come from: a place in the original, and rules."""
    steps = []
    for step in reversed(rewriting.lineage):
        if any(change.new_begin < end and begin < change.new_end for change in step.changes):
            steps.append(step)
        begin, end = _earlier(step.changes, begin, False), _earlier(step.changes, end, True)
    return StretchOrigin(begin, end, tuple(reversed(steps)))


def _earlier(changes: tuple[ChangedSpan, ...], at: int, is_end: bool) -> int:
    """A place of the text before the changes, of one after them: what lies inside of a change becomes its border."""
    shift = 0
    for change in changes:
        if change.new_begin < at < change.new_end:
            return change.end if is_end else change.begin
        if at >= change.new_end and not (is_end and at == change.new_begin):
            shift = change.end - change.new_end
    return at + shift


# The rules that come with the program, and those of files that users add.


@cache
def _shipped() -> Sequence[Rule]:
    """Read once: those who choose rules ask several times."""
    folder = resources.files(__package__).joinpath("files")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".rules")), key=lambda file: file.name)
    return tuple(rule for file in files for rule in parse_rules(file.read_text("utf-8").splitlines(), file.name))


def _read(path: Path) -> Iterable[Rule]:
    try:
        text = without_mark(path.read_bytes(), str(path)).decode()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    return parse_rules(nfc(text).split("\n"), str(path))


def load_rules(files: Sequence[Path] = (), shipped: bool = True) -> RuleSet:
    """The rules of the program, unless ``shipped`` is false, and behind them those of files, in their order.

    A rule that is marked off is disabled: ``RuleSet.including`` applies it. Raises InputError, with file, line and
    column, for a file that cannot be read and for a name that two rules have.
    """
    rules = [*(_shipped() if shipped else ()), *(rule for path in files for rule in _read(path))]
    known: dict[str, Rule] = {}
    for rule in rules:
        if rule.name in known:
            raise InputError(f"{rule.place}: {known[rule.name].place} has a rule {rule.name} already")
        known[rule.name] = rule
    return RuleSet(tuple(rules), frozenset(rule.name for rule in rules if rule.off is not None))


LEAST_CHANGED: Final = 3
"""The fewest examples of each direction of a rule that must come out."""
LEAST_UNCHANGED: Final = 2
"""The fewest examples of a rule that must not change."""


@dataclass(frozen=True)
class Fault:
    rule: str
    place: RulePosition
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {self.reason}"


def apply_rule(rule: Rule, direction: RuleDirection, text: str, analyser: Analyser) -> str | None:
    """What a rule alone makes of a text in one direction; None where it changes nothing or is read otherwise."""
    return _apply(DirectedRule(rule, direction), text, lambda asked: Analysis(asked, analyser.analyse(asked)))


def _apply(directed: DirectedRule, text: str, analyse: Analyse) -> str | None:
    made = draft(directed, analyse(text))
    if made is None or not reads_as_meant(made, analyse(made.text), directed):
        return None
    return made.text


def check_rules(rules: Iterable[Rule], analyser: Analyser) -> Iterator[Fault]:
    """What is wrong with rules: too few examples, examples that do not come out, and rules that loop."""

    def analyse(text: str) -> Analysis:
        return Analysis(text, analyser.analyse(text))

    for rule in rules:
        yield from _too_few(rule)
        for example in rule.examples:
            for direction in example.directions:
                reason = _failure(DirectedRule(rule, direction), example, analyse)
                if reason is not None:
                    yield Fault(rule.name, example.place, reason)


def _too_few(rule: Rule) -> Iterator[Fault]:
    counted = Counter(example.directions[0] for example in rule.examples if example.after is not None)
    for direction in rule.directions:
        if counted[direction] < LEAST_CHANGED:
            reason = f"{counted[direction]} examples of {direction.value}, {LEAST_CHANGED} are the least"
            yield Fault(rule.name, rule.place, reason)
    unchanged = sum(example.after is None for example in rule.examples)
    if unchanged < LEAST_UNCHANGED:
        reason = f"{unchanged} examples that must not change, {LEAST_UNCHANGED} are the least"
        yield Fault(rule.name, rule.place, reason)


def _failure(directed: DirectedRule, example: RuleExample, analyse: Analyse) -> str | None:
    got = _apply(directed, example.before, analyse)
    if got != example.after:
        shown = "nothing comes out" if got is None else f"{got} comes out"
        wanted = "" if example.after is None else f", not {example.after}"
        return f"{example.before} {directed.direction.value}: {shown}{wanted}"
    if example.after is not None and directed.rule.two_way is False:
        again = _apply(directed, example.after, analyse)
        if again is not None:
            return f"the rule loops: it makes {again} of {example.after} again"
    return None
