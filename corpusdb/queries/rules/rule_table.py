"""The rules of a set as a table: which are on, what each does to correlations with people, how often it was used."""

from __future__ import annotations

from dataclasses import dataclass

from corpusdb.japanese import Rule, RuleSet
from corpusdb.queries.rules.effects import RuleEffect, latest_effects
from corpusdb.queries.rules.named_sets import SHIPPED_SETS, make_set, named_set, named_sets, shipped_set, switch_rules
from corpusdb.store import Store

__all__ = ["RuleRow", "RuleTable", "all_sets", "any_set", "rule_table", "switch_rule"]


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
