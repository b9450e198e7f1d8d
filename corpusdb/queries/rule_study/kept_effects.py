"""What each rule does, kept in a database with the run that found it."""

from __future__ import annotations

from corpusdb.queries.rule_study.study import RuleStudy, RuleStudyInput
from corpusdb.queries.rules.effects import RuleEffect, keep_effects
from corpusdb.store import Store

__all__ = ["keep_study"]


def keep_study(store: Store, given: RuleStudyInput, found: RuleStudy) -> int:
    """Keep the effects of a study; returns the number of the run. Effects that are not defined are left out."""
    metric = f"BLEUw4 over ja-sudachi-pos {found.analyser}, references {found.references[:12]}"
    effects = []
    for each in found.effects:
        without, difference = each.correlation.value, each.correlation.difference
        if without is None or difference is None:
            continue
        interval = each.correlation.difference_interval
        bounds = (None, None) if interval is None else (interval.low, interval.high)
        numbers = (each.segments, without - difference, difference, *bounds)
        effects.append(RuleEffect(each.rule, metric, each.human, each.correlation.statistic, *numbers))
    parameters = {
        "systems": [each.system for each in given.outputs],
        "references": found.references,
        "analyser": found.analyser,
        "most": found.cap,
        "samples": found.sampling.samples,
        "seed": found.sampling.seed,
    }
    return keep_effects(store, given.rules, effects, parameters)
