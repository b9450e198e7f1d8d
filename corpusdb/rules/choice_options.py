"""The option that says which rules are applied, and the rules that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from corpusdb.base.options import Option
from corpusdb.commands.invocation import Invocation

if TYPE_CHECKING:
    from corpusdb.rules import RuleSet
    from corpusdb.rules.queries.rule_sets import ChosenRules, RewritingMethod

DEFAULT_MOST: Final = 16
"""That of corpusdb.rules, which is not imported for it."""
Rules: TypeAlias = Annotated[
    str, Option("polite, all, a set of yours, FILE.rules or names; -NAME leaves one out.", "--rules", metavar="SET")
]
MostRewritings: TypeAlias = Annotated[
    int, Option("Rewritings of a text at most.", "--max", metavar="N", least=1, most=1000)
]


def chosen_rules(invocation: Invocation, said: str) -> ChosenRules:
    """The rules that are named; the database is opened only for a set of one's own. Raises as choose_rules does."""
    from corpusdb.rules.queries.rule_sets import choose_rules, named_set

    def own(name: str) -> RuleSet:
        if not invocation.path.exists():
            from corpusdb.base.errors import UsageError

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
