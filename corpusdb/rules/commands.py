"""The commands for rules: listed, checked, applied, learnt, and sets of one's own; the option that names rules."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import typer

from corpusdb.base.display import Cell
from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option, names_in
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation, write_json, write_line

if TYPE_CHECKING:
    from corpusdb.rules.queries.learning import Suggestion
    from corpusdb.rules.queries.rule_sets import ChosenRules, RewritingMethod
    from corpusdb.rules.rule import RuleSet


DEFAULT_MOST: Final = 16
"""That of corpusdb.rules, which is not imported for it."""
Rules: TypeAlias = Annotated[
    str,
    Option(
        "polite, all, a rule set of your own, FILE.rules or rule names; -NAME excludes one.", "--rules", metavar="SET"
    ),
]
MostRewritings: TypeAlias = Annotated[
    int, Option("Make at most this many rewritings of a text.", "--max", metavar="N", least=1, most=1000)
]


def chosen_rules(invocation: Invocation, said: str) -> ChosenRules:
    """The rules that are named; the database is opened only for a set of one's own. Raises as choose_rules does."""
    from corpusdb.rules.queries.rule_sets import choose_rules, named_set

    def own(name: str) -> RuleSet:
        if not invocation.path.exists():
            raise UsageError(
                f"there is no rule and no rule set {name!r}; `corpusdb rules list` and `rules sets` show all"
            )
        with invocation.reading() as store:
            return named_set(store, name).rules

    return choose_rules(said, own)


def method_for(invocation: Invocation, said: str, most: int) -> RewritingMethod:
    """The rules that are named, with the analyser that is installed, for at most so many rewritings of a text."""
    from corpusdb.rules.queries.rule_sets import rewriting_method

    method = rewriting_method(chosen_rules(invocation, said), most)
    if invocation.making is not None:
        invocation.making.note_rules(method.name, method.rules.digest)
    return method


@dataclass(frozen=True, slots=True)
class RuleCheckOptions:
    files: Annotated[list[Path], Argument("Files of rules (default: the built-in ones).", metavar="[FILE...]")] = field(
        default_factory=list
    )
    texts: Annotated[Path | None, Option("Try the rules on these texts, one per line.", metavar="FILE")] = None
    limit: Annotated[
        int, Option("Show at most this many failures of each kind; 0 shows all.", "--limit -n", metavar="N", least=0)
    ] = 20


@command("check")
def check_rules(invocation: Invocation, options: RuleCheckOptions) -> None:
    """Check that rules do what their examples say.

    Every example must come out right, and every rule needs three examples in each direction and two texts that it
    leaves alone. Then each rule is tried by itself on --texts, or on all examples. Its output should be analysed into
    the morphemes that it wrote (otherwise `rules apply` drops it), and the reverse of a two-way rule should restore the
    text. The exit code is 1 if an example fails or if, on --texts, more than 0.2 % of outputs are analysed differently
    or 1 % are not restored; it is 3, with file, line and column, for a rule that cannot be parsed.
    """
    from corpusdb.corpus.formats.scoring_input import read_plain
    from corpusdb.rules.queries.rewritings import check_rule_files
    from corpusdb.rules.queries.rule_sets import rules_of_files
    from corpusdb.rules.report import check_document, check_lines

    rules = rules_of_files(options.files)
    texts = read_plain(options.texts) if options.texts else []
    found = invocation.run(check_rule_files(rules, texts))
    if invocation.json:
        write_json(check_document(found))
    else:
        for line in check_lines(found, options.limit):
            write_line(line)
        for what in ("reading", "round trip"):
            total = sum(each.what == what for each in found.failures)
            invocation.say_cut(options.limit or total, total, f"failures in {what}")
    if not found.ok:
        raise typer.Exit(1)


_MOSTLY = 0.5
"""Of the pairs that suggest a rule: if the rules at hand make as many, they know it."""


@dataclass(frozen=True, slots=True)
class TwinOptions:
    rules: Rules = "all"
    most: MostRewritings = DEFAULT_MOST
    missed: Annotated[bool, Option("Only twins that the rules fail to produce.")] = False


@command("twins", answers=True, kept=False)
def twins(invocation: Invocation, options: TwinOptions) -> int:
    """Measure rules on plain and polite twins of the corpus.

    Twins are sentences that share a translation and differ only in the style of their predicates, such as
    分かった。 and 分かりました。 Rules for politeness should turn one into the other. either: in at least one
    direction, ignoring punctuation.
    """
    from corpusdb.rules.queries.learning import twins_in
    from corpusdb.rules.report import TWIN_COLUMNS, twin_rows

    method = method_for(invocation, options.rules, options.most)
    with invocation.reading() as store:
        found = invocation.run(twins_in(store, method))
    count = len(found)
    shown = [each for each in found if not (options.missed and each.to_polite and each.to_plain)]
    counts = {name: sum(getattr(each, name) for each in found) for name in ("to_polite", "to_plain", "either")}
    invocation.show(
        TWIN_COLUMNS,
        twin_rows(shown),
        document={"rules": method.label, "twins": count, **counts, "results": [asdict(each) for each in shown]},
    )
    for name, value in zip(("plain to polite", "polite to plain", "either"), counts.values(), strict=True):
        invocation.say(f"{name}: {value:,} of {count:,} twins{f' ({value / count:.1%})' if count else ''}")
    return len(shown)


@dataclass(frozen=True, slots=True)
class SuggestOptions:
    min_support: Annotated[int, Option("How many translations must suggest a rule.", metavar="N", least=1)] = 3
    known: Annotated[bool, Option("Also those that existing rules cover.")] = False
    rules: Rules = "all"
    accept: Annotated[int | None, Option("Adopt this suggestion as a rule.", metavar="NUMBER", least=1)] = None
    into: Annotated[Path | None, Option("With --accept: add the rule to this file.", metavar="FILE")] = None
    name: Annotated[str, Option("With --accept: the name of the rule.", metavar="NAME")] = ""


@command("suggest", answers=True, kept=False)
def suggest(invocation: Invocation, options: SuggestOptions) -> int:
    """List rules that sentences of the corpus suggest.

    They come from pairs of sentences that share a translation and differ in one place, widened to the whole predicate.
    support: how many translations suggest the rule. forth, back: how many of those pairs it produces in each direction.
    known: how many existing rules produce. Most suggestions are not paraphrases in general, は and が for example: read
    the examples, adopt one with --accept NUMBER --name NAME --into FILE.rules, test it with `rules check FILE.rules`,
    and use it with --rules.
    """
    from corpusdb.rules.queries.learning import suggested_rules
    from corpusdb.rules.report import SUGGESTION_COLUMNS, suggestion_document, suggestion_rows

    if (options.accept is None) != (options.into is None) or bool(options.name) != (options.accept is not None):
        raise UsageError("give --accept, --name and --into together")
    method = method_for(invocation, options.rules, DEFAULT_MOST)
    with invocation.reading() as store:
        found = invocation.run(suggested_rules(store, method, options.min_support))
    numbered = [*enumerate((each for each in found if options.known or each.known < _MOSTLY), 1)]
    shown = numbered if options.accept is None else _accepted(invocation, options, numbered, method)
    invocation.show(
        SUGGESTION_COLUMNS,
        suggestion_rows(shown),
        document=[suggestion_document(number, each) for number, each in shown],
    )
    if len(numbered) < len(found) and options.accept is None:
        invocation.say(f"{len(found) - len(numbered):,} more are covered by existing rules; --known shows them")
    return len(shown)


def _accepted(
    invocation: Invocation, options: SuggestOptions, numbered: list[tuple[int, Suggestion]], method: RewritingMethod
) -> list[tuple[int, Suggestion]]:
    """The one suggestion that is adopted, which then stands in the file of rules."""
    from corpusdb.rules.queries.learning import add_to_file, rule_lines

    assert options.accept is not None and options.into is not None
    if options.accept > len(numbered):
        raise UsageError(f"there is no suggestion {options.accept}; the last is {len(numbered)}")
    adopted = numbered[options.accept - 1]
    with invocation.reading() as store:
        lines = rule_lines(store, adopted[1], options.name, method)
    add_to_file(options.into, options.name, lines, invocation.guard(overwrite=True))
    invocation.say(f"added {options.name} to {options.into}; try it: corpusdb rules check {options.into}")
    return [adopted]


@dataclass(frozen=True, slots=True)
class RuleListOptions:
    rules: Rules = "all"
    kind: Annotated[Literal["polite", "other"] | None, Option("Only rules of this kind.")] = None
    off: Annotated[bool, Option("Only rules that are switched off.")] = False


@command("list", answers=True, kept=False)
def list_rules(invocation: Invocation, options: RuleListOptions) -> int:
    """List rules in the order in which they are applied.

    on: whether the rule set applies the rule; rules are off because they did harm, or because you switched them off.
    --json includes the examples of each rule. The digest of a rule identifies what it does; that of a set, which is
    part of signatures, identifies its active rules and their order.
    """
    from corpusdb.rules.report import RULE_COLUMNS, rule_document, rule_rows

    chosen = chosen_rules(invocation, options.rules)
    named = [
        (number, rule)
        for number, rule in enumerate(chosen.rules.rules, 1)
        if options.kind in (None, rule.kind) and (rule.name in chosen.rules.disabled or not options.off)
    ]
    invocation.show(
        RULE_COLUMNS,
        rule_rows(named, chosen.rules),
        document=[rule_document(number, rule, chosen.rules) for number, rule in named],
    )
    enabled = chosen.rules.enabled
    polite = sum(rule.kind == "polite" for rule in enabled)
    invocation.say(f"{chosen.label}: {len(enabled):,} rules are applied, {polite:,} of them polite")
    return len(named)


@dataclass(frozen=True, slots=True)
class RuleSetsOptions:
    """None."""


@command("sets", answers=True, kept=False)
def list_sets(invocation: Invocation, options: RuleSetsOptions) -> int:
    """List the rule sets: the built-in ones and your own.

    on: how many rules are applied. changed: how many have changed in the program since the set was made; your own sets
    keep rules as they were. --json also lists the rules that are off.
    """
    from corpusdb.rules.queries.rule_sets import SHIPPED_SETS, named_sets, shipped_set
    from corpusdb.rules.report import SET_COLUMNS, set_documents, set_rows

    own = []
    if invocation.path.exists():
        with invocation.reading() as store:
            own = named_sets(store)
    shipped = {name: shipped_set(name) for name in SHIPPED_SETS}
    invocation.show(SET_COLUMNS, set_rows(shipped, own), document=list(set_documents(shipped, own)))
    return len(shipped) + len(own)


@dataclass(frozen=True, slots=True)
class RuleSetOptions:
    name: Annotated[str, Argument("The name of your rule set.", metavar="NAME")]
    made_from: Annotated[
        str | None, Option("Create it from these: polite, all, FILE.rules, rule names.", "--from", metavar="SET")
    ] = None
    off: Annotated[str | None, Option("Switch these rules off, separated by commas.", metavar="RULES")] = None
    on: Annotated[str | None, Option("Switch these rules on, separated by commas.", metavar="RULES")] = None
    delete: Annotated[bool, Option("Delete the set.")] = False


@command("set")
def change_set(invocation: Invocation, options: RuleSetOptions) -> None:
    """Make, change or delete a rule set of your own.

    A set stores its rules as they are when it is made, even those that are off, so that you can switch them on later.
    Texts rewritten by a set that has since changed still say which rules were used.
    """
    from corpusdb.rules.queries.rule_sets import delete_set, make_set, named_set, switch_rules

    off, on = names_in(options.off), names_in(options.on)
    if options.delete and (options.made_from or off or on):
        raise UsageError("--delete takes no other option")
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
