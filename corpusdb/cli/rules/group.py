"""The commands for rules under one name."""

from __future__ import annotations

from corpusdb.cli.program.command import CommandGroup
from corpusdb.cli.rules.application import apply_rules
from corpusdb.cli.rules.checking import check_rules
from corpusdb.cli.rules.learning import suggest, twins
from corpusdb.cli.rules.listing import list_rules
from corpusdb.cli.rules.sets import change_set, list_sets
from corpusdb.cli.rules.study import study

__all__ = ["rules"]

rules = CommandGroup(
    "rules",
    """Rewrite Japanese by rules: more references.

    The rules change politeness, the copula, spelling and other function words, and no content: `corpusdb guide rules`.
    They need the extra japanese. Every command takes --json.
    """,
    (list_rules, check_rules, apply_rules, list_sets, change_set, study, twins, suggest),
)
