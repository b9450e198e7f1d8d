"""Where the score of a segment comes from, as text: its n-grams, its references, and the sources of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from corpusdb.scoring.queries.matched_ngrams import Background, ScoreTrace
    from corpusdb.scoring.queries.segment_view import RuleMatch
    from corpusdb.scoring.unit_metrics import SegmentTrace

NGRAM_COLUMNS: Final = ("order", "count", "matched", "missed", "references", "ngram")


def ngram_rows(found: SegmentTrace, *, only_missed: bool = False) -> list[tuple[int, int, int, int, str, str]]:
    """The n-grams of the hypothesis, or those that no reference accounts for."""
    return [
        (
            each.order,
            each.count,
            each.matched,
            each.missed,
            ",".join(str(number + 1) for number in each.references),
            joined_units(found, each.units),
        )
        for each in found.ngrams
        if each.missed or not only_missed
    ]


def joined_units(found: SegmentTrace, units: Sequence[str]) -> str:
    """Units as they are read: characters one behind the other, words with spaces between them."""
    return ("" if all(len(unit) == 1 for unit in found.hypothesis) else " ").join(units)


def trace_lines(found: ScoreTrace, source: str, backgrounds: Sequence[Background] = ()) -> Iterator[str]:
    """The segment, its source if it is known, its score and its references, then what is behind each of the corpus."""
    yield f"{found.system}, segment {found.segment}: {found.label} {found.score:.4f}"
    yield found.signature
    if source:
        yield f"source      {source}"
    yield f"hypothesis  {found.hypothesis}"
    yield from figure_lines(found.trace)
    for number, each in enumerate(found.references, 1):
        closest = ", its length counts" if each.is_closest else ""
        yield f"{number:3}  {each.text}"
        yield f"     {each.label}: {each.matched:,} matches, {each.alone:,} that no other has{closest}"
    for background in backgrounds:
        yield from _background(background_number(found, background), background)


def background_number(found: ScoreTrace, background: Background) -> int:
    """The number of the reference that something is behind, from 1, which the n-grams have, too.

    Only references that the corpus knows have a background, so that its place among others says nothing.
    """
    return 1 + [each.text for each in found.references].index(background.reference.text)


def rule_match_lines(found: SegmentTrace, matches: Sequence[RuleMatch]) -> Iterator[str]:
    """The n-grams that only rewritten references have, with the rules; then a blank line where there are any."""
    for each in matches:
        before = each.origin[each.begin : each.end]
        ngram = joined_units(found, each.units)
        rules = ", ".join(f"{step.rule} {step.direction.value}" for step in each.steps) or "no rule"
        yield f"{ngram}  reference {each.reference}: for {before}, {rules}"
    if matches:
        yield ""


def rule_match_document(match: RuleMatch) -> dict[str, object]:
    return {
        "ngram": list(match.units),
        "reference": match.reference,
        "origin": match.origin,
        "begin": match.begin,
        "end": match.end,
        "rules": [[step.rule, step.direction.value] for step in match.steps],
    }


def figure_lines(found: SegmentTrace) -> Iterator[str]:
    """What each order contributes, and the lengths that decide on brevity."""
    order, row = found.order, found.statistics
    parts = [f"{row[n]}/{row[order + n]}" for n in range(order) if row[order + n]]
    yield f"matched     {'  '.join(parts) or 'nothing'}: n-grams of 1, 2 ... units"
    yield f"length      {row[-2]}, and of the closest reference {row[-1]}"


def _background(number: int, found: Background) -> Iterator[str]:
    yield ""
    yield f"Reference {number} is {', '.join(found.reference.origins)}: {found.reference.text}"
    for place in found.places:
        yield f"     is at {place}"
    if found.shared:
        yield f"     shares with {found.reference.seed!r}"
    for each in found.shared:
        yield f"       {each.language}  {each.text}  ({', '.join(each.places)})"
    if found.explanation is None:
        return
    for reason in (*found.explanation.accepted, *found.explanation.reasons):
        yield f"     {reason}"
    for analogy in found.explanation.analogies:
        yield f"     {analogy.a} : {analogy.b} :: {analogy.c} : {analogy.d}"
        yield f"       B' = {analogy.rewording}"
        for each in found.explanation.shared.get((analogy.b, analogy.rewording), ()):
            yield f"         {each.language}  {each.text}  ({', '.join(each.places)})"
    if (more := found.explanation.total - len(found.explanation.analogies)) > 0:
        yield f"     and {more:,} more analogies: corpusdb explain {found.explanation.seed!r} ..."
