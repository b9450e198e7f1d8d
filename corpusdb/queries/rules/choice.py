"""Which rules are applied, as a person says it: a set of the program or of one's own, files, single rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.errors import UsageError
from corpusdb.japanese import Rule, RuleSet, load_rules
from corpusdb.queries.rules.named_sets import SHIPPED_SETS

__all__ = ["ChosenRules", "choose_rules", "rules_of_files"]

_CHOSEN: Final = "chosen"
"""What rules are called that no set has just so."""


@dataclass(frozen=True, slots=True)
class ChosenRules:
    """The rules to apply, and what they are called."""

    name: str
    """Of the set; "chosen" where they were put together."""
    rules: RuleSet

    @property
    def label(self) -> str:
        """As signatures have it: all:0123456789abcdef."""
        return f"{self.name}:{self.rules.digest}"


def choose_rules(said: str, own: Callable[[str], RuleSet]) -> ChosenRules:
    """The rules that ``said`` names, with commas between the names.

    A name is that of a set of the program (polite, all), of a set of one's own, which ``own`` gives, of a file of rules
    (with a slash or ending in .rules), or of a rule; with - before it a rule is left out. A set of one's own stands
    alone, but for rules that are left out. Raises UsageError for what there is not, and where nothing is left, and
    InputError for a file that cannot be read.
    """
    names = [name.strip() for name in said.split(",") if name.strip()]
    taken = [name for name in names if not name.startswith("-")]
    left_out = [name[1:] for name in names if name.startswith("-")]
    if not taken:
        raise UsageError(f"no rule set is named in {said!r}")
    rules = _taken(taken, own)
    for name in left_out:
        if name not in rules.by_name:
            raise UsageError(f"there is no rule {name!r} to leave out; `corpusdb rules list` shows all")
    rules = rules.without(left_out)
    if not rules.enabled:
        raise UsageError(f"no rule is left of {said!r}")
    return ChosenRules(taken[0] if len(names) == 1 and not _is_file(taken[0]) else _CHOSEN, rules)


def _is_file(name: str) -> bool:
    return name.endswith(".rules") or "/" in name or "\\" in name


def _taken(names: list[str], own: Callable[[str], RuleSet]) -> RuleSet:
    rules = load_rules([Path(name) for name in names if _is_file(name)])
    enabled: set[str] = set()
    for name in names:
        if name in SHIPPED_SETS:
            enabled |= {rule.name for rule in SHIPPED_SETS[name](load_rules()).enabled}
        elif _is_file(name):
            enabled |= {rule.name for rule in rules.enabled if rule.place.file == str(Path(name))}
        elif name in rules.by_name:
            enabled.add(name)
        elif len(names) == 1:
            return own(name)
        else:
            raise UsageError(f"{name!r} is no rule, and a rule set of one's own stands alone")
    return RuleSet(rules.rules, frozenset(rules.names) - enabled)


def rules_of_files(files: Sequence[Path]) -> tuple[Rule, ...]:
    """All rules of files, also those that are off; those of the program where none is given.

    Raises InputError, with file, line and column, for what cannot be read, and for a name that a rule of the program or
    of another file has.
    """
    return tuple(rule for rule in load_rules(files).rules if not files or rule.place.file in {*map(str, files)})
