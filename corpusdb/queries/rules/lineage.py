"""What rules changed in a text, stretch by stretch, told from the lineage of what came out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from corpusdb.japanese import Origin, Rewriting, Step, trace

__all__ = ["RuleChange", "changed_places", "changes_told", "rule_changes", "steps_told"]


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
