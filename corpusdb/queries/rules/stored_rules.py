"""Rules and sets of applied rules as rows: each stored once, and never changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from corpusdb.errors import InputError
from corpusdb.japanese import Rule, RuleSet
from corpusdb.japanese.rule_syntax import parse_rules
from corpusdb.japanese.rule_text import rule_text
from corpusdb.store import Run, Store

__all__ = ["read_rule", "store_rule_set", "store_rules", "stored_rule", "stored_rule_set"]

_ADD = """
insert into rule (name, kind, text, digest, file, run) values (?, ?, ?, ?, ?, ?) on conflict (digest) do nothing
"""
_ID = "select id from rule where digest = ?"


def store_rules(store: Store, rules: Iterable[Rule], run: Run) -> list[int]:
    """Keep rules, unless they are kept; returns their numbers, in their order. Inside a transaction of the caller."""
    numbers = []
    for rule in rules:
        file = PurePath(rule.place.file).name
        store.connection.execute(_ADD, (rule.name, rule.kind, rule_text(rule), rule.digest, file, run.id))
        numbers.append(int(store.connection.execute(_ID, (rule.digest,)).fetchone()[0]))
    return numbers


_ADD_SET = "insert into rule_set (digest, run) values (?, ?) on conflict (digest) do nothing"
_SET_ID = "select id from rule_set where digest = ?"
_ADD_MEMBER = "insert into rule_set_member (rule_set, position, rule) values (?, ?, ?)"


def store_rule_set(store: Store, rules: RuleSet, run: Run) -> int:
    """Keep the enabled rules of a set in their order, unless they are kept; returns the number of the set.

    Inside a transaction of the caller.
    """
    is_new = store.connection.execute(_ADD_SET, (rules.digest, run.id)).rowcount > 0
    number = int(store.connection.execute(_SET_ID, (rules.digest,)).fetchone()[0])
    if is_new:
        members = enumerate(store_rules(store, rules.enabled, run), 1)
        store.connection.executemany(_ADD_MEMBER, ((number, position, rule) for position, rule in members))
    return number


_MEMBERS = """
select rule.text, rule.file, rule.digest from rule_set
join rule_set_member on rule_set_member.rule_set = rule_set.id join rule on rule.id = rule_set_member.rule
where rule_set.digest = ? order by rule_set_member.position
"""


def stored_rule_set(store: Store, digest: str) -> RuleSet:
    """The set of this digest, all of whose rules are applied. Raises InputError where there is none."""
    rows = store.connection.execute(_MEMBERS, (digest,)).fetchall()
    if not rows:
        raise InputError(f"no rules of the digest {digest} are kept")
    return RuleSet(tuple(read_rule(*row) for row in rows))


_RULE = "select text, file, digest from rule where id = ?"


def stored_rule(store: Store, number: int) -> Rule:
    """The rule of this number, with its examples. Raises InputError where there is none."""
    row = store.connection.execute(_RULE, (number,)).fetchone()
    if row is None:
        raise InputError(f"there is no rule {number}")
    return read_rule(*row)


def read_rule(text: str, file: str, digest: str) -> Rule:
    """A rule from its lines. Raises InputError where this version of corpusdb reads another one out of them."""
    rules = parse_rules(text.splitlines(), file)
    if len(rules) != 1 or rules[0].digest != digest:
        raise InputError(f"the rule {digest} that is kept means something else in this version of corpusdb")
    return rules[0]
