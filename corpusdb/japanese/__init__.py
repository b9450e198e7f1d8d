"""Japanese sentences rewritten in another style, by rules that change function words only.

Strings and morphemes in, strings out. ``load_rules`` reads rules, ``Expander`` applies them.
"""

from corpusdb.japanese.analysis import Analysis
from corpusdb.japanese.expansion import (
    DEFAULT_CAP,
    DROPPED,
    Expander,
    Expansion,
    Origin,
    Rewriting,
    expand,
    trace,
)
from corpusdb.japanese.rewriting import Change, Step
from corpusdb.japanese.rule import KINDS, Direction, Example, Place, Rule, RuleSet
from corpusdb.japanese.rule_check import Fault, apply_rule, check_rules
from corpusdb.japanese.rule_files import load_rules
from corpusdb.japanese.style import Style, style

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
