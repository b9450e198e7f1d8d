"""The commands that ask the corpus about rules: how many twins they make, and which rules it suggests."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json
from corpusdb.cli.rules.rule_choice import DEFAULT_MOST, MostRewritings, Rules, method_for
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.queries.rules.learning import Suggestion
    from corpusdb.queries.rules.method import RewritingMethod

__all__ = ["suggest", "twins"]

_MOSTLY = 0.5
"""Of the pairs that suggest a rule: if the rules at hand make as many, they know it."""


@dataclass(frozen=True, slots=True)
class TwinOptions:
    """What `rules twins` takes."""

    rules: Rules = "all"
    most: MostRewritings = DEFAULT_MOST
    missed: Annotated[bool, typer.Option("--missed", help="Only twins that the rules do not make.")] = False


@command("twins", answers=True, kept=False)
def twins(invocation: Invocation, options: TwinOptions) -> int:
    """Measure rules on plain and polite twins of the corpus.

    Twins share a translation and all their words but the style of their predicates: 分かった。 and 分かりました。 Rules
    for politeness ought to make the one of the other. either: one of the two ways, but for punctuation.
    """
    from corpusdb.queries.rules.learning import twins_in
    from corpusdb.reports.rule_learning import TWIN_COLUMNS, twin_rows

    method = method_for(invocation, options.rules, options.most)
    with invocation.reading() as store:
        found = invocation.run(twins_in(store, method), resumes=False)
    count = len(found.results)
    shown = [each for each in found.results if not (options.missed and each.to_polite and each.to_plain)]
    if invocation.json:
        counts = {"to_polite": found.to_polite, "to_plain": found.to_plain, "either": found.either}
        write_json({"rules": method.label, "twins": count, **counts, "results": [asdict(each) for each in shown]})
    else:
        invocation.show(TWIN_COLUMNS, twin_rows(shown))
    for name, value in (
        ("plain to polite", found.to_polite),
        ("polite to plain", found.to_plain),
        ("either", found.either),
    ):
        invocation.say(f"{name}: {value:,} of {count:,} twins{f' ({value / count:.1%})' if count else ''}")
    return len(shown)


@dataclass(frozen=True, slots=True)
class SuggestOptions:
    """What `rules suggest` takes."""

    min_support: Annotated[int, typer.Option(metavar="N", min=1, help="Translations that suggest a rule.")] = 3
    known: Annotated[bool, typer.Option("--known", help="Also those that the rules at hand make.")] = False
    rules: Rules = "all"
    accept: Annotated[int | None, typer.Option(metavar="NUMBER", min=1, help="Take this rule.", show_default=False)] = (
        None
    )
    into: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Add it to this file of rules, with --accept.", show_default=False),
    ] = None
    name: Annotated[str, typer.Option(metavar="NAME", help="Its name, with --accept.", show_default=False)] = ""


@command("suggest", answers=True, kept=False)
def suggest(invocation: Invocation, options: SuggestOptions) -> int:
    """List rules that sentences of the corpus suggest.

    From sentences that share a translation and differ in one place, widened to the whole predicate. support: how many
    translations suggest the rule; forth, back: of the pairs that do, how many it makes in either direction; known: how
    many the rules at hand make. Most are no paraphrases in general, は and が for one: read the examples, then take one
    with --accept NUMBER --name NAME --into FILE.rules, try it with `rules check FILE.rules`, and use it with --rules.
    """
    from corpusdb.queries.rules.learning import suggested_rules
    from corpusdb.reports.rule_learning import SUGGESTION_COLUMNS, suggestion_document, suggestion_rows

    if (options.accept is None) != (options.into is None) or bool(options.name) != (options.accept is not None):
        raise UsageError("--accept, --name and --into belong together")
    method = method_for(invocation, options.rules, DEFAULT_MOST)
    with invocation.reading() as store:
        found = invocation.run(suggested_rules(store, method, options.min_support), resumes=False)
    shown = found if options.known else [each for each in found if each.known < _MOSTLY]
    if options.accept is not None and options.into is not None:
        _accept(invocation, options, shown, method)
        return 1
    if invocation.json:
        write_json([suggestion_document(number, each) for number, each in enumerate(shown, 1)])
    else:
        invocation.show(SUGGESTION_COLUMNS, suggestion_rows(shown))
    if len(shown) < len(found):
        invocation.say(f"{len(found) - len(shown):,} more are made by the rules at hand; --known shows them")
    return len(shown)


def _accept(invocation: Invocation, options: SuggestOptions, shown: list[Suggestion], method: RewritingMethod) -> None:
    """Add the rule to the end of the file, which is made where there is none."""
    from corpusdb.queries.rules.learning import add_to_file, rule_lines

    assert options.accept is not None and options.into is not None
    if options.accept > len(shown):
        raise UsageError(f"there is no suggestion {options.accept}; the last is {len(shown)}")
    with invocation.reading() as store:
        lines = rule_lines(store, shown[options.accept - 1], options.name, method)
    add_to_file(options.into, options.name, lines, invocation.guard(overwrite=True))
    invocation.say(f"added {options.name} to {options.into}; try it: corpusdb rules check {options.into}")
