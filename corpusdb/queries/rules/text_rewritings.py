"""The rewritings of one text: those that are kept, or those that a rule set makes now."""

from __future__ import annotations

from dataclasses import dataclass

from corpusdb.japanese import Rewriting
from corpusdb.queries.rules.choice import ChosenRules
from corpusdb.queries.rules.method import rewriting_method
from corpusdb.queries.rules.rewritings import stored_rewritings
from corpusdb.queries.rules.rule_table import any_set
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["TextRewritings", "kept_rewritings_of", "rewritings_of"]


@dataclass(frozen=True, slots=True)
class TextRewritings:
    """The rewritings of a text by one method."""

    text: str
    """Normalised."""
    rewritings: tuple[Rewriting, ...]
    by: str
    """What made them: the label of a method, or the run that kept them."""
    dropped: dict[str, int]
    """How many were dropped, by the reason; not told of those that are kept."""
    most: int


def rewritings_of(store: Store, text: str, rule_set: str) -> TextRewritings:
    """What a rule set makes of a text now; nothing is kept.

    Raises UsageError where there is no such set, and where Japanese cannot be analysed.
    """
    method = rewriting_method(ChosenRules(rule_set, any_set(store, rule_set)))
    found = method.expander.expand(normalise(text))
    return TextRewritings(found.text, found.rewritings, method.label, dict(found.dropped), method.most)


def kept_rewritings_of(store: Store, text: str) -> TextRewritings | None:
    """The rewritings of a text that are kept, of the newest method that has any; None where none are."""
    found = stored_rewritings(store, text)
    if not found:
        return None
    last = found[-1]
    same = [
        each for each in found if (each.rule_set, each.analyser, each.most) == (last.rule_set, last.analyser, last.most)
    ]
    by = f"{last.rule_set}+max{last.most}+{last.analyser}, run {last.run}"
    return TextRewritings(last.origin, tuple(each.rewriting for each in same), by, {}, last.most)
