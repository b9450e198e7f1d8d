"""Japanese sentences rewritten in another style, by rules that change function words only.

Strings and morphemes in, strings out. ``load_rules`` reads rules, ``Expander`` applies them.
"""

from corpusdb.rules.morphology import Analysis
from corpusdb.rules.rewriting import (
    DEFAULT_CAP,
    DROPPED,
    Change,
    Expander,
    Expansion,
    Origin,
    Rewriting,
    Step,
    expand,
    trace,
)
from corpusdb.rules.rule import KINDS, Direction, Example, Place, Rule, RuleSet
from corpusdb.rules.rule_files import Fault, apply_rule, check_rules, load_rules
from corpusdb.rules.style import Style, style

__all__ = [
    "DEFAULT_CAP",
    "DROPPED",
    "KINDS",
    "Analysis",
    "Change",
    "Direction",
    "Example",
    "Expander",
    "Expansion",
    "Fault",
    "Origin",
    "Place",
    "Rewriting",
    "Rule",
    "RuleSet",
    "Step",
    "Style",
    "apply_rule",
    "check_rules",
    "expand",
    "load_rules",
    "style",
    "trace",
]
