"""How texts are rewritten: by which rules, with whose morphemes, and how many rewritings of each at most."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from corpusdb.errors import InputError, UsageError
from corpusdb.japanese import DEFAULT_CAP, Expander, RuleSet
from corpusdb.morphemes import Analyser, required_analyser, sudachi_analyser
from corpusdb.queries.rules.choice import ChosenRules
from corpusdb.queries.rules.stored_rules import stored_rule_set
from corpusdb.store import Store

__all__ = ["RewritingMethod", "check_japanese", "label_of", "method_of", "rewriting_method"]


@dataclass(frozen=True)
class RewritingMethod:
    """All that rewritings depend on beside the text."""

    name: str
    """Of the rule set."""
    rules: RuleSet
    analyser: Analyser
    most: int = DEFAULT_CAP
    """Rewritings of a text."""

    @property
    def label(self) -> str:
        """As signatures have it: all:0123456789abcdef+max16+sudachi-0.7.0-small-20260428-C."""
        return label_of(self.document())

    @cached_property
    def expander(self) -> Expander:
        """What applies it; it keeps analyses."""
        return Expander(self.rules, self.analyser, self.most)

    def document(self) -> dict[str, object]:
        """The same as JSON has it: what ``method_of`` makes it from again."""
        return {
            "name": self.name,
            "digest": self.rules.digest,
            "analyser": self.analyser.identity,
            "most": self.most,
        }


def label_of(document: Mapping[str, Any]) -> str:
    """What signatures say of the method of which ``document`` is the document."""
    return f"{document['name']}:{document['digest']}+max{document['most']}+{document['analyser']}"


def rewriting_method(chosen: ChosenRules, most: int = DEFAULT_CAP) -> RewritingMethod:
    """The method with the analyser that is installed. Raises UsageError where none is, and for ``most`` below 1."""
    if most < 1:
        raise UsageError(f"at least one rewriting of a text is wanted, not {most}")
    return RewritingMethod(chosen.name, chosen.rules, sudachi_analyser(), most)


def method_of(store: Store, document: Mapping[str, Any]) -> RewritingMethod:
    """The method of which ``document`` is the document, by the rules that the database keeps.

    Raises InputError where these rules are not kept or the analyser is another one now, and UsageError where there is
    none.
    """
    analyser = required_analyser(document["analyser"])
    return RewritingMethod(document["name"], stored_rule_set(store, document["digest"]), analyser, document["most"])


_KANA: Final = re.compile("[\u3041-\u309f\u30a1-\u30ff\uff66-\uff9f]")
_HAN: Final = re.compile("[\u3400-\u9fff]")
_FEW: Final = 3
"""Texts that may all be headlines, without a kana."""


def check_japanese(texts: Sequence[str], path: str | Path) -> None:
    """Raise InputError where most texts are not in Japanese, in which rules would find nothing, with the first of them.

    A text is not that has letters, but neither kana nor Chinese characters; nor are more than three that have no kana.
    """
    foreign = [
        number
        for number, text in enumerate(texts, 1)
        if any(map(str.isalpha, text)) and not _KANA.search(text) and not _HAN.search(text)
    ]
    if 2 * len(foreign) > len(texts):
        text = texts[foreign[0] - 1]
        raise InputError(f"the rules are of Japanese, and this is not: {text[:40]!r}", path=path, line=foreign[0])
    if len(texts) > _FEW and not any(map(_KANA.search, texts)):
        raise InputError("the rules are of Japanese, and there is not one kana in these texts", path=path)
