"""How texts are rewritten, and what rules changed in them, stretch by stretch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeAlias

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.morphemes import Analyser, required_analyser, sudachi_analyser
from corpusdb.corpus.store import Store
from corpusdb.rules import DEFAULT_CAP, Expander, Origin, Rewriting, RuleSet, Step, trace
from corpusdb.rules.queries.rule_sets import ChosenRules, stored_rule_set

__all__ = [
    "RewritingMethod",
    "RuleChange",
    "changed_places",
    "changes_told",
    "check_japanese",
    "label_of",
    "method_of",
    "rewriting_method",
    "rule_changes",
    "steps_told",
]


# How texts are rewritten: by which rules, with whose morphemes, and how many rewritings of each at most.


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


# What rules changed in a text, stretch by stretch, told from the lineage of what came out.


Stretch: TypeAlias = tuple[int, int]
"""The characters from the first number to before the second, from 0."""


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A stretch of a text that rules rewrote."""

    before: str
    """Empty where something was put in."""
    after: str
    """Empty where all of it was left out; before is then empty, too, since it is not known any more."""
    steps: tuple[Step, ...]
    """Those that wrote something of it, in their order."""


def rule_changes(text: str, rewriting: Rewriting) -> list[RuleChange]:
    """What of a text became what, from left to right; at the end the steps that only left something out."""
    origins = [trace(rewriting, at, at + 1) for at in range(len(rewriting.text))]
    found: list[RuleChange] = []
    for place, characters in groupby(range(len(origins)), lambda at: _changed(origins[at])):
        if place is not None:
            stretch = list(characters)
            wrote = {step for at in stretch for step in origins[at].steps}
            steps = tuple(step for step in rewriting.lineage if step in wrote)
            after = rewriting.text[stretch[0] : stretch[-1] + 1]
            found.append(RuleChange(text[slice(*place)], after, steps))
    told = {step for each in found for step in each.steps}
    if left := tuple(step for step in rewriting.lineage if step not in told):
        found.append(RuleChange("", "", left))
    return found


def changed_places(text: str, rewriting: Rewriting) -> tuple[list[Stretch], list[Stretch]]:
    """The stretches of a text that were rewritten, and those of the rewriting in their place, from left to right.

    They are as many; put in place of the ones, the others make the rewriting of the text. What both of a pair begin or
    end with is no part of them, so that one of the two may be empty.
    """
    pairs, at, new_at = [], 0, 0
    for new in range(len(rewriting.text)):
        origin = trace(rewriting, new, new + 1)
        if origin.steps or origin.end != origin.begin + 1 or origin.begin < at:
            continue
        pairs.append(((at, origin.begin), (new_at, new)))
        at, new_at = origin.end, new + 1
    pairs.append(((at, len(text)), (new_at, len(rewriting.text))))
    trimmed = [_trimmed(text, before, rewriting.text, after) for before, after in pairs]
    changed = [(before, after) for before, after in trimmed if before[0] < before[1] or after[0] < after[1]]
    return [before for before, _ in changed], [after for _, after in changed]


def _trimmed(text: str, before: Stretch, made: str, after: Stretch) -> tuple[Stretch, Stretch]:
    """Two stretches without what both begin and end with."""
    (begin, end), (new_begin, new_end) = before, after
    while begin < end and new_begin < new_end and text[begin] == made[new_begin]:
        begin, new_begin = begin + 1, new_begin + 1
    while begin < end and new_begin < new_end and text[end - 1] == made[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return (begin, end), (new_begin, new_end)


def _changed(origin: Origin) -> tuple[int, int] | None:
    """What of the text a character stands for that a rule wrote; None for one that stood there."""
    return (origin.begin, origin.end) if origin.steps else None


def changes_told(changes: Iterable[RuleChange]) -> Iterator[str]:
    """Each change in words: ``読んだ becomes 読みました: verb-past ->``."""
    for each in changes:
        if each.after:
            yield f"{each.before or 'nothing'} becomes {each.after}: {steps_told(each.steps)}"
        else:
            yield f"left out: {steps_told(each.steps)}"


def steps_told(steps: Iterable[Step]) -> str:
    """The rules of steps, each with its direction: ``verb-past ->, da <-``."""
    return ", ".join(f"{step.rule} {step.direction.value}" for step in steps)
