"""Whether rules do what they should, and the rules of a set as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from corpusdb.base.jobs import Job, Progress
from corpusdb.base.morphemes import sudachi_analyser
from corpusdb.corpus.store import Store
from corpusdb.rules import Analysis, Fault, Rule, RuleSet, check_rules
from corpusdb.rules.matching import DirectedRule, RuleIndex
from corpusdb.rules.queries.rule_sets import (
    SHIPPED_SETS,
    RuleEffect,
    latest_effects,
    make_set,
    named_set,
    named_sets,
    shipped_set,
    switch_rules,
)
from corpusdb.rules.rewriting import draft, reads_as_meant

__all__ = [
    "LEAST_READ_AS_MEANT",
    "LEAST_RESTORED",
    "Failure",
    "RuleCheck",
    "RuleRow",
    "RuleTable",
    "all_sets",
    "any_set",
    "check_rule_files",
    "rule_table",
    "switch_rule",
]


# Whether rules do what they should: their own examples, and what each of them makes of all examples.


LEAST_READ_AS_MEANT: Final = 0.998
"""Of the rewritings that rules draft, the least part that must analyse into the morphemes that were written."""
LEAST_RESTORED: Final = 0.99
"""Of the rewritings by two-way rules, the least part of which the other direction must make the text that they were."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A rewriting that is not as it should be."""

    rule: str
    direction: str
    """-> or <-."""
    what: Literal["reading", "round trip"]
    text: str
    made: str
    back: str | None = None
    """Of a round trip: what came back; None for nothing."""


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """What was found."""

    rules: int
    examples: int
    faults: tuple[Fault, ...]
    """Examples that do not come out, and rules that have too few."""
    texts: int
    """Those that every rule was tried on."""
    is_sample: bool
    """Whether these are texts that were given; else they are the examples, of which many differ in one word."""
    drafted: int
    """What rules alone made of them, before it was analysed."""
    failures: tuple[Failure, ...]
    round_trips: int
    """Rewritings by two-way rules."""

    @property
    def read_as_meant(self) -> float | None:
        """The part of the drafts that analyse as meant; None without any."""
        return self._share("reading", self.drafted)

    @property
    def restored(self) -> float | None:
        """The part of the round trips that end where they began; None without any."""
        return self._share("round trip", self.round_trips)

    @property
    def ok(self) -> bool:
        """Whether all examples come out and, of texts that were given, enough is read as it was meant and restored."""
        if not self.is_sample:
            return not self.faults
        shares = ((self.read_as_meant, LEAST_READ_AS_MEANT), (self.restored, LEAST_RESTORED))
        return not self.faults and all(share is None or share >= least for share, least in shares)

    def _share(self, what: str, total: int) -> float | None:
        return 1 - sum(each.what == what for each in self.failures) / total if total else None


def check_rule_files(rules: Sequence[Rule], texts: Sequence[str] = ()) -> Job[RuleCheck]:
    """Check the examples of rules, and try each rule on ``texts``; on the examples of all of them where none are given.

    Raises UsageError where Japanese cannot be analysed.
    """
    analyser = sudachi_analyser()
    yield Progress("checking examples", 0, len(rules))
    faults = tuple(check_rules(rules, analyser))
    wanted = list(dict.fromkeys(texts or (example.before for rule in rules for example in rule.examples)))
    index = RuleIndex(rules)
    failures: list[Failure] = []
    drafted = round_trips = 0
    for number, text in enumerate(wanted):
        yield Progress("trying rules", number, len(wanted))
        analysis = Analysis(text, analyser.analyse(text))
        found = index.candidates(analysis)
        for directed in (each for each in index.directed if each in found):
            made = draft(directed, analysis)
            if made is None:
                continue
            drafted += 1
            again = Analysis(made.text, analyser.analyse(made.text))
            if not reads_as_meant(made, again, directed):
                failures.append(_failure(directed, "reading", text, made.text))
            elif directed.rule.two_way:
                round_trips += 1
                back = draft(directed.opposite, again)
                if back is None or back.text != text:
                    failures.append(
                        _failure(directed, "round trip", text, made.text, None if back is None else back.text)
                    )
    examples = sum(len(rule.examples) for rule in rules)
    return RuleCheck(
        rules=len(rules),
        examples=examples,
        faults=faults,
        texts=len(wanted),
        is_sample=bool(texts),
        drafted=drafted,
        failures=tuple(failures),
        round_trips=round_trips,
    )


def _failure(
    directed: DirectedRule, what: Literal["reading", "round trip"], text: str, made: str, back: str | None = None
) -> Failure:
    return Failure(directed.rule.name, directed.direction.value, what, text, made, back)


# The rules of a set as a table: which are on, what each does to correlations with people, how often it was used.


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule of a set."""

    number: int
    """Its place in the set, from 1: when it is applied."""
    rule: Rule
    is_on: bool
    effects: tuple[RuleEffect, ...]
    """Of the last study that was kept; empty where it has none of this rule."""


@dataclass(frozen=True, slots=True)
class RuleTable:
    """A rule set and its rules."""

    name: str
    """Of the set."""
    is_own: bool
    """Whether a person made it, so that its rules can be switched."""
    rules: RuleSet
    rows: tuple[RuleRow, ...]
    sets: tuple[str, ...]
    """The names of all sets there are, those of the program first."""


def all_sets(store: Store) -> tuple[str, ...]:
    """The names of all rule sets, those of the program first."""
    return (*SHIPPED_SETS, *(each.name for each in named_sets(store)))


def any_set(store: Store, name: str) -> RuleSet:
    """The rule set of this name, of the program or of one's own. Raises UsageError where there is none."""
    return shipped_set(name) if name in SHIPPED_SETS else named_set(store, name).rules


def rule_table(store: Store, name: str) -> RuleTable:
    """The rules of a set in their order. Raises UsageError where there is no such set."""
    rules, effects = any_set(store, name), latest_effects(store)
    rows = tuple(
        RuleRow(number, rule, rule.name not in rules.disabled, tuple(effects.get(rule.digest, ())))
        for number, rule in enumerate(rules.rules, 1)
    )
    return RuleTable(name, name not in SHIPPED_SETS, rules, rows, all_sets(store))


def switch_rule(store: Store, name: str, rule: str, *, new: str | None = None) -> str:
    """Switch a rule of a set off where it is on, and on where it is off; returns the name of the set that has it so.

    That is a ``new`` set of one's own, made from the set, where a name is given. Raises what make_set and switch_rules
    raise: a set of the program cannot be changed.
    """
    with store.write():
        before = any_set(store, name)
        if new is not None:
            make_set(store, new, before)
        is_off = rule in before.disabled
        return switch_rules(store, new or name, off=() if is_off else [rule], on=[rule] if is_off else ()).name
