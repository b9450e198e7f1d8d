"""The commands for rule sets of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json
from corpusdb.cli.rules.rule_choice import chosen_rules
from corpusdb.errors import UsageError

__all__ = ["change_set", "list_sets"]


@dataclass(frozen=True, slots=True)
class SetsOptions:
    """What `rules sets` takes."""


@command("sets", answers=True, kept=False)
def list_sets(invocation: Invocation, options: SetsOptions) -> int:
    """List the rule sets: those of the program, and your own.

    on: how many of the rules are applied. changed: how many of them the program has in another form now; a set of your
    own keeps the rules that it was made of. --json also tells which rules are off.
    """
    from corpusdb.queries.rules.named_sets import SHIPPED_SETS, named_sets, shipped_set
    from corpusdb.reports.rules import SET_COLUMNS, set_document, set_rows

    own = []
    if invocation.path.exists():
        with invocation.reading() as store:
            own = named_sets(store)
    shipped = {name: shipped_set(name) for name in SHIPPED_SETS}
    if invocation.json:
        write_json(set_document(shipped, own))
    else:
        invocation.show(SET_COLUMNS, set_rows(shipped, own))
    return len(shipped) + len(own)


@dataclass(frozen=True, slots=True)
class SetOptions:
    """What `rules set` takes."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="Of a set of your own.", show_default=False)]
    made_from: Annotated[
        str | None,
        typer.Option("--from", metavar="SET", help="Make it: polite, all, FILE.rules, names.", show_default=False),
    ] = None
    off: Annotated[
        str | None, typer.Option(metavar="RULES", help="Switch these off; with commas.", show_default=False)
    ] = None
    on: Annotated[
        str | None, typer.Option(metavar="RULES", help="Switch these on; with commas.", show_default=False)
    ] = None
    delete: Annotated[bool, typer.Option("--delete", help="Delete the set.")] = False


@command("set")
def change_set(invocation: Invocation, options: SetOptions) -> None:
    """Make a rule set of your own, switch its rules, delete it.

    A set keeps the rules as they are when it is made, with those that it does not apply, so that they can be switched
    on. What was rewritten by a set that is changed later still says by which rules it was.
    """
    from corpusdb.queries.rules.named_sets import delete_set, make_set, named_set, switch_rules

    off, on = _names(options.off), _names(options.on)
    if options.delete and (options.made_from or off or on):
        raise UsageError("--delete goes alone")
    if both := sorted({*off} & {*on}):
        raise UsageError(f"{both[0]!r} cannot be switched off and on at once")
    chosen = None if options.made_from is None else chosen_rules(invocation, options.made_from)
    with invocation.writing(create=chosen is not None) as store:
        if options.delete:
            delete_set(store, options.name)
            invocation.say(f"deleted the rule set {options.name}")
            return
        with store.write():
            if chosen is not None:
                make_set(store, options.name, chosen.rules)
            found = switch_rules(store, options.name, off=off, on=on) if off or on else named_set(store, options.name)
    rules = found.rules
    left_out = [rule.name for rule in rules.rules if rule.name in rules.disabled]
    figures: dict[str, Cell] = {
        "name": found.name,
        "rules": len(rules.rules),
        "on": len(rules.enabled),
        "digest": rules.digest,
    }
    if invocation.json:
        write_json(figures | {"off": left_out})
    else:
        invocation.report(figures, [*figures.items()])


def _names(said: str | None) -> list[str]:
    return [] if said is None else [name.strip() for name in said.split(",") if name.strip()]
