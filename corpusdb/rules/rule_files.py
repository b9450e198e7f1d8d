"""The rules that come with the program and those of users, and whether they do what their examples say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final, TypeAlias

from corpusdb.base.errors import InputError
from corpusdb.base.morphemes import Analyser
from corpusdb.base.text import without_mark
from corpusdb.rules.matching import DirectedRule
from corpusdb.rules.morphology import Analysis
from corpusdb.rules.rewriting import draft, reads_as_meant
from corpusdb.rules.rule import Direction, Example, Place, Rule, RuleSet, parse_rules

__all__ = ["LEAST_CHANGED", "LEAST_UNCHANGED", "Fault", "apply_rule", "check_rules", "load_rules"]


# The rules that come with the program, and those of files that users add.


def _shipped() -> Iterable[Rule]:
    folder = resources.files(__package__).joinpath("files")
    for file in sorted((file for file in folder.iterdir() if file.name.endswith(".rules")), key=lambda file: file.name):
        yield from parse_rules(file.read_text(encoding="utf-8").splitlines(), file.name)


def _read(path: Path) -> Iterable[Rule]:
    try:
        text = without_mark(path.read_bytes(), str(path)).decode()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    return parse_rules(text.splitlines(), str(path))


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


# Whether rules do what their own examples say.


LEAST_CHANGED: Final = 3
"""The fewest examples of each direction of a rule that must come out."""
LEAST_UNCHANGED: Final = 2
"""The fewest examples of a rule that must not change."""

_Analyse: TypeAlias = Callable[[str], Analysis]


@dataclass(frozen=True)
class Fault:
    """What is wrong with a rule."""

    rule: str
    place: Place
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {self.reason}"


def apply_rule(rule: Rule, direction: Direction, text: str, analyser: Analyser) -> str | None:
    """What a rule alone makes of a text in one direction; None where it changes nothing or is read otherwise."""
    return _apply(DirectedRule(rule, direction), text, lambda asked: Analysis(asked, analyser.analyse(asked)))


def _apply(directed: DirectedRule, text: str, analyse: _Analyse) -> str | None:
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


def _failure(directed: DirectedRule, example: Example, analyse: _Analyse) -> str | None:
    """Why an example does not hold; None where it does."""
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
