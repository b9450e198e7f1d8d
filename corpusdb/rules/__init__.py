"""Japanese sentences rewritten in another style, by rules that change function words only.

Strings and morphemes in, strings out. ``load_rules`` reads rules, ``Expander`` applies them.
"""

from corpusdb.rules.matching import Style, style
from corpusdb.rules.morphology import Analysis
from corpusdb.rules.rewriting import (
    DEFAULT_CAP,
    DROPPED,
    Change,
    Expander,
    Expansion,
    Fault,
    Rewriting,
    RewritingStep,
    StretchOrigin,
    apply_rule,
    check_rules,
    expand,
    load_rules,
    trace,
)
from corpusdb.rules.rule import KINDS, Rule, RuleDirection, RuleExample, RulePosition, RuleSet

__all__ = [
    "DEFAULT_CAP",
    "DROPPED",
    "KINDS",
    "Analysis",
    "Change",
    "Expander",
    "Expansion",
    "Fault",
    "Rewriting",
    "RewritingStep",
    "Rule",
    "RuleDirection",
    "RuleExample",
    "RulePosition",
    "RuleSet",
    "StretchOrigin",
    "Style",
    "apply_rule",
    "check_rules",
    "expand",
    "load_rules",
    "style",
    "trace",
]
