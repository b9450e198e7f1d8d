"""Which n-grams of a segment count only because rules rewrote a reference: the rules, and what stood there before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from corpusdb.japanese import Rewriting, Step, trace
from corpusdb.metrics.trace import TracedNgram, Units
from corpusdb.queries.evaluation.trace import ScoreTrace

__all__ = ["RuleMatch", "rule_matches"]


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """An n-gram that is matched as often as it is by rewritten references alone."""

    units: Units
    reference: int
    """The first reference that has it so often, from 1."""
    origin: str
    """The reference that this one was made of."""
    begin: int
    end: int
    """What the n-gram stands for there: characters from 0, end excluded."""
    steps: tuple[Step, ...]
    """The steps that wrote something of it; none where it stands in the origin, too, but less often."""


def rule_matches(found: ScoreTrace, lineages: Mapping[str, tuple[str, Rewriting]]) -> list[RuleMatch]:
    """The n-grams that no reference but rewritten ones accounts for, in the order of the trace.

    ``lineages``: the rewritten references by their texts, each with the reference that it was made of.
    """
    matches = []
    for ngram in found.trace.ngrams:
        having = ngram.references
        if having and all(found.references[number].text in lineages for number in having):
            text = found.references[having[0]].text
            origin, rewriting = lineages[text]
            sources = [trace(rewriting, *each) for each in _stretches(ngram, text, found.trace.references[having[0]])]
            if sources:
                source = max(sources, key=lambda one: bool(one.steps))  # the first that a rule wrote, if one is
                matches.append(RuleMatch(ngram.units, having[0] + 1, origin, source.begin, source.end, source.steps))
    return matches


def _stretches(ngram: TracedNgram, text: str, units: Units) -> Iterator[tuple[int, int]]:
    """The characters of each place of an n-gram, from left to right."""
    places = _places(text, units)
    size = len(ngram.units)
    for at in range(len(units) - size + 1):
        first, last = places[at], places[at + size - 1]
        if units[at : at + size] == ngram.units and first is not None and last is not None:
            yield first[0], last[1]


def _places(text: str, units: Units) -> list[tuple[int, int] | None]:
    """Where each unit stands in a text, in whatever case, without a part of speech that it has after a slash."""
    found: list[tuple[int, int] | None] = []
    folded = text.lower() if len(text.lower()) == len(text) else text
    at = 0
    for unit in units:
        for written in (unit, unit.rpartition("/")[0]):
            begin = max(text.find(written, at), folded.find(written, at)) if written else -1
            if begin >= 0:
                at = begin + len(written)
                found.append((begin, at))
                break
        else:
            found.append(None)
    return found
