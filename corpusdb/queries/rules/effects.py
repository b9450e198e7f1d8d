"""What leaving out single rules did to correlations with people, kept with the run that computed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpusdb.japanese import RuleSet
from corpusdb.queries.rules.stored_rules import store_rule_set, store_rules
from corpusdb.store import Store, finish_run, start_run

__all__ = ["RuleEffect", "keep_effects", "latest_effects"]


@dataclass(frozen=True, slots=True)
class RuleEffect:
    """What leaving one rule out does to one correlation."""

    rule: str
    """Its name."""
    metric: str
    """The signature of the scores with all rules."""
    human: str
    """Which scores of people: raw, z ..."""
    correlation: str
    """pearson, kendall ..."""
    segments: int
    """Those that have a rewriting by the rule."""
    with_rule: float
    """The correlation with all rules of the set, -1 to 1."""
    delta: float
    """The correlation without the rule, less with_rule: below 0 the rule helps."""
    low: float | None = None
    """Of the interval of delta; None where none was drawn."""
    high: float | None = None


_ADD = "insert into rule_effect values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def keep_effects(store: Store, rules: RuleSet, effects: Sequence[RuleEffect], parameters: Mapping[str, object]) -> int:
    """Keep effects of the rules of a set; returns the number of the run. ``parameters``: of the study, as JSON has it.

    Raises KeyError for a rule that the set does not have.
    """
    with store.write() as connection:
        run = start_run(store, "rule effects", {**parameters, "digest": rules.digest})
        store_rule_set(store, rules, run)
        number = {
            name: store_rules(store, [rules.by_name[name]], run)[0] for name in dict.fromkeys(e.rule for e in effects)
        }
        connection.executemany(_ADD, (_row(run.id, number[each.rule], each) for each in effects))
        finish_run(store, run, {"effects": len(effects)})
    return run.id


def _row(run: int, rule: int, each: RuleEffect) -> tuple[object, ...]:
    return (
        *(run, rule, each.metric, each.human, each.correlation),
        *(each.segments, each.with_rule, each.delta, each.low, each.high),
    )


_LATEST = """
select rule.digest, rule.name, metric, human, correlation, segments, with_rule, delta, low, high
from rule_effect join rule on rule.id = rule_effect.rule
where rule_effect.run = (select max(run) from rule_effect) order by rule.name, human, correlation, metric
"""


def latest_effects(store: Store) -> dict[str, list[RuleEffect]]:
    """The effects of the last study that was kept, by the digest of the rule: a changed rule has none."""
    found: dict[str, list[RuleEffect]] = {}
    for digest, *row in store.connection.execute(_LATEST):
        found.setdefault(digest, []).append(RuleEffect(*row))
    return found
