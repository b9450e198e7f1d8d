"""Japanese sentences rewritten in another style, by rules that change function words only.

Strings and morphemes in, strings out. ``load_rules`` reads rules, ``Expander`` applies them.
"""

from typing import TYPE_CHECKING

from corpusdb.base.startup import loaded_later

if TYPE_CHECKING:
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

if not TYPE_CHECKING:
    _NAMES = {
        "matching": ["Style", "style"],
        "morphology": ["Analysis"],
        "rule": ["KINDS", "Rule", "RuleDirection", "RuleExample", "RulePosition", "RuleSet"],
    }
    _MODULES = {name: module for module, names in _NAMES.items() for name in names}
    __getattr__ = loaded_later(__name__, {name: _MODULES.get(name, "rewriting") for name in __all__})
