"""The command that lists rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json
from corpusdb.cli.rules.rule_choice import Rules, chosen_rules

__all__ = ["list_rules"]


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What `rules list` takes."""

    rules: Rules = "all"
    kind: Annotated[Literal["polite", "other"] | None, typer.Option(help="Only these.", show_default=False)] = None
    off: Annotated[bool, typer.Option("--off", help="Only those that are switched off.")] = False


@command("list", answers=True, kept=False)
def list_rules(invocation: Invocation, options: ListOptions) -> int:
    """List rules in the order in which they are applied.

    With the number of their place. on: whether the rule set applies it; a rule may be off because it harmed, or because
    it was switched off. --json has the examples of each rule too. The digest of a rule names what it does; that of a
    set, which stands in signatures, the rules that it applies and their order.
    """
    from corpusdb.reports.rules import RULE_COLUMNS, rule_document, rule_rows

    chosen = chosen_rules(invocation, options.rules)
    named = [
        (number, rule)
        for number, rule in enumerate(chosen.rules.rules, 1)
        if options.kind in (None, rule.kind) and (rule.name in chosen.rules.disabled or not options.off)
    ]
    if invocation.json:
        write_json([rule_document(number, rule, chosen.rules) for number, rule in named])
    else:
        invocation.show(RULE_COLUMNS, rule_rows(named, chosen.rules))
    enabled = chosen.rules.enabled
    polite = sum(rule.kind == "polite" for rule in enabled)
    invocation.say(f"{chosen.label}: {len(enabled):,} rules are applied, {polite:,} of them polite")
    return len(named)
