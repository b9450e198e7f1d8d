"""Sets of rules that a person made and named, and which of their rules are switched off.

Their rules stay those that they were when the set was made, whatever the files of rules say later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from corpusdb.errors import UsageError
from corpusdb.japanese import RuleSet, load_rules
from corpusdb.queries.rules.stored_rules import read_rule, store_rules
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.clock import now

__all__ = [
    "SHIPPED_SETS",
    "NamedRuleSet",
    "changed_rules",
    "check_set_name",
    "delete_set",
    "make_set",
    "named_set",
    "named_sets",
    "shipped_set",
    "switch_rules",
]

SHIPPED_SETS: Final[dict[str, Callable[[RuleSet], RuleSet]]] = {
    "polite": lambda rules: rules.only(["polite"]),
    "all": lambda rules: rules,
}
"""The sets that come with the program, made of all rules: B3 and B4 of Kanayama (2003)."""
_NAME: Final = re.compile(r"\w[\w.-]{0,63}")


@dataclass(frozen=True, slots=True)
class NamedRuleSet:
    """A set of one's own."""

    name: str
    rules: RuleSet
    created: str
    """When, UTC, ISO 8601."""


def shipped_set(name: str) -> RuleSet:
    """The set of the program of this name. Raises UsageError where there is none."""
    if name not in SHIPPED_SETS:
        raise UsageError(f"the program has no rule set {name!r}; it has {', '.join(SHIPPED_SETS)}")
    return SHIPPED_SETS[name](load_rules())


_SETS = "select id, name, created from named_rule_set order by name"
_MEMBERS = """
select rule.name, rule.text, rule.file, rule.digest, enabled from named_rule_set_member
join rule on rule.id = named_rule_set_member.rule where named_rule_set = ? order by position
"""


def named_sets(store: Store) -> list[NamedRuleSet]:
    """All sets of one's own, by name."""
    return [_read(store, *row) for row in store.connection.execute(_SETS).fetchall()]


_SET = "select id, name, created from named_rule_set where name = ?"


def named_set(store: Store, name: str) -> NamedRuleSet:
    """The set of one's own of this name. Raises UsageError, which says what there is, where there is none."""
    row = store.connection.execute(_SET, (name,)).fetchone()
    if row is None:
        known = [*SHIPPED_SETS, *(each[1] for each in store.connection.execute(_SETS))]
        raise UsageError(f"there is no rule set {name!r}; there are {', '.join(known)}")
    return _read(store, *row)


def _read(store: Store, number: int, name: str, created: str) -> NamedRuleSet:
    rows = store.connection.execute(_MEMBERS, (number,)).fetchall()
    disabled = frozenset(rule for rule, *_, enabled in rows if not enabled)
    return NamedRuleSet(name, RuleSet(tuple(read_rule(*row[1:4]) for row in rows), disabled), created)


_ADD_SET = "insert into named_rule_set (name, created, run) values (?, ?, ?)"
_ADD_MEMBER = "insert into named_rule_set_member (named_rule_set, position, rule, enabled) values (?, ?, ?, ?)"
_EXISTS = "select exists (select 1 from named_rule_set where name = ?)"


def make_set(store: Store, name: str, rules: RuleSet) -> NamedRuleSet:
    """Keep rules under a name, all of them with which are switched off.

    Raises UsageError for a name that cannot be one, that the program or a rule has, or that another set has.
    """
    check_set_name(name, rules)
    with store.write() as connection:
        if connection.execute(_EXISTS, (name,)).fetchone()[0]:
            raise UsageError(f"there is a rule set {name!r} already")
        run = start_run(store, "rules", {"made": name, "digest": rules.digest})
        created = now()
        number = int(connection.execute(_ADD_SET, (name, created, run.id)).lastrowid or 0)
        _add_members(store, number, rules, run)
        finish_run(store, run, _counts(rules))
    return NamedRuleSet(name, rules, created)


def check_set_name(name: str, rules: RuleSet) -> None:
    """Raise UsageError for a name that no set of these rules can have: one of the program, of a rule, or no name."""
    if name in SHIPPED_SETS or name in rules.names:
        raise UsageError(f"{name!r} is a {'rule set of the program' if name in SHIPPED_SETS else 'rule'}")
    if not _NAME.fullmatch(name) or name.endswith(".rules"):
        raise UsageError(f"a rule set cannot be called {name!r}: up to 64 letters, digits, _ - and dots, not .rules")


def _add_members(store: Store, number: int, rules: RuleSet, run: Run) -> None:
    numbers = store_rules(store, rules.rules, run)
    rows = [
        (number, position, stored, int(rule.name not in rules.disabled))
        for position, (rule, stored) in enumerate(zip(rules.rules, numbers, strict=True), 1)
    ]
    store.connection.executemany(_ADD_MEMBER, rows)


def _counts(rules: RuleSet) -> dict[str, int]:
    return {"rules": len(rules.rules), "enabled": len(rules.enabled)}


_SWITCH = """
update named_rule_set_member set enabled = ?
where named_rule_set = (select id from named_rule_set where name = ?)
  and rule in (select id from rule where rule.name = ?)
"""


def switch_rules(store: Store, name: str, *, off: Iterable[str] = (), on: Iterable[str] = ()) -> NamedRuleSet:
    """Switch rules of a set of one's own off and on; returns the set as it then is.

    Raises UsageError where there is no such set, where the set has no such rule, and for a set of the program.
    """
    wanted = {**dict.fromkeys(off, 0), **dict.fromkeys(on, 1)}
    if name in SHIPPED_SETS:
        raise UsageError(f"{name!r} comes with the program and stays as it is; make a set of your own from it")
    with store.write() as connection:
        before = named_set(store, name)
        for rule, enabled in wanted.items():
            if rule not in before.rules.by_name:
                raise UsageError(f"the rule set {name!r} has no rule {rule!r}")
            connection.execute(_SWITCH, (enabled, name, rule))
        after = named_set(store, name)
        if after.rules != before.rules:
            parameters = {"switched": name, "off": sorted(off for off in wanted if not wanted[off])}
            run = start_run(store, "rules", parameters | {"on": sorted(on for on in wanted if wanted[on])})
            finish_run(store, run, _counts(after.rules) | {"digest": after.rules.digest})
    return after


_DELETE_MEMBERS = (
    "delete from named_rule_set_member where named_rule_set = (select id from named_rule_set where name = ?)"
)
_DELETE = "delete from named_rule_set where name = ?"


def delete_set(store: Store, name: str) -> None:
    """Delete a set of one's own; what was rewritten by its rules stays. Raises UsageError where there is none."""
    with store.write() as connection:
        named_set(store, name)
        run = start_run(store, "rules", {"deleted": name})
        connection.execute(_DELETE_MEMBERS, (name,))
        connection.execute(_DELETE, (name,))
        finish_run(store, run, {})


def changed_rules(rules: RuleSet) -> list[str]:
    """The names of the rules of a set that the program has in another form now, in their order."""
    shipped = load_rules().by_name
    return [rule.name for rule in rules.rules if rule.name in shipped and shipped[rule.name].digest != rule.digest]
