"""Samples of equivalents for people to judge, blind: same category, same meaning (Owczarzak et al. 2006, section 5).

The best equivalents of phrases, all of them, and controls, which are phrases that were never equivalent, are mixed on
one sheet. The same equivalents and seed give the same sheet, so that it need not be kept which line is which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from corpusdb.alignment.substitution import Substitution
from corpusdb.errors import InputError
from corpusdb.formats.judging_sheets import SheetLine, read_sheet
from corpusdb.queries.judging.verdicts import ACCEPTING, SKIP, parse_verdict
from corpusdb.queries.substitution.recipe import SubstitutionRecipe
from corpusdb.queries.substitution.reference_equivalents import ReferenceEquivalents
from corpusdb.queries.substitution.written_forms import UnitText
from corpusdb.stats.drawing import ticket
from corpusdb.stats.intervals import Interval, wilson

__all__ = ["GROUPS", "Accuracy", "DrawnPair", "accuracies", "drawn_pairs", "sheet_of"]

Group: TypeAlias = Literal["best", "all", "control"]
GROUPS: Final[tuple[Group, ...]] = ("best", "all", "control")


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """A phrase in a reference and what is put in its place."""

    group: Group
    reference: str
    """With the phrase in brackets."""
    rewritten: str
    """With the equivalent in brackets."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many of a group were accepted, with Wilson's interval of 95 % (Tables 5 and 6)."""

    group: Group
    judged: int
    accepted: int
    interval: Interval


def drawn_pairs(found: ReferenceEquivalents, recipe: SubstitutionRecipe, size: int, seed: int) -> list[DrawnPair]:
    """``size`` of the best equivalents, as many of all, and half as many controls; in an order that tells nothing.

    Each phrase with an equivalent is drawn once in a group, at one of its places in the references.
    """
    places: dict[tuple[str, str], tuple[UnitText, Substitution]] = {}
    best: dict[str, tuple[float, tuple[str, str]]] = {}
    for _, _, text, chosen in found.substitutions(recipe):
        for each in chosen:
            phrase, other = " ".join(text.tokens[each.start : each.end]), " ".join(each.phrase)
            places.setdefault((phrase, other), (text, each))
            candidate = (-each.equivalent.pivot, (phrase, other))
            best[phrase] = min(best.get(phrase, candidate), candidate)
    drawn = [
        *_drawn("best", (pair for _, pair in best.values()), size, seed),
        *_drawn("all", places, size, seed),
    ]
    shown = [_shown(group, found, *places[pair]) for group, pair in drawn]
    shown += _controls(found, [places[pair] for _, pair in _drawn("control", places, size, seed)], size // 2)
    return sorted(shown, key=lambda each: ticket(seed, f"order {each.group}", (each.reference, each.rewritten)))


def _drawn(
    group: Group, pairs: Iterable[tuple[str, str]], size: int, seed: int
) -> Iterator[tuple[Group, tuple[str, str]]]:
    for pair in sorted(pairs, key=lambda each: ticket(seed, group, each))[:size]:
        yield group, pair


def _controls(
    found: ReferenceEquivalents, places: Sequence[tuple[UnitText, Substitution]], size: int
) -> Iterator[DrawnPair]:
    """Places with the equivalents of other places, which are not their own."""
    for at in range(min(size, len(places))):
        text, own = places[at]
        for _, other in (*places[at + 1 :], *places[:at]):
            if other.phrase not in (own.phrase, text.tokens[own.start : own.end]) and not found.share_a_source(
                text.tokens[own.start : own.end], other.phrase
            ):
                yield _shown("control", found, text, Substitution(own.start, own.end, other.equivalent))
                break


def _shown(group: Group, found: ReferenceEquivalents, text: UnitText, chosen: Substitution) -> DrawnPair:
    start, end = text.starts[chosen.start], text.ends[chosen.end - 1]
    before, after = text.text[:start], text.text[end:]
    instead = found.written.instead_of(text, chosen.start, chosen.end, chosen.phrase)
    return DrawnPair(group, f"{before}[{text.text[start:end]}]{after}", f"{before}[{instead}]{after}")


def sheet_of(pairs: Sequence[DrawnPair]) -> list[SheetLine]:
    """The lines of a sheet, which say nothing of the groups."""
    return [SheetLine(number, _cell(each.reference), _cell(each.rewritten)) for number, each in enumerate(pairs, 1)]


def _cell(text: str) -> str:
    return " ".join(text.split())


def accuracies(pairs: Sequence[DrawnPair], path: Path, kind: Literal["grammaticality", "meaning"]) -> list[Accuracy]:
    """What people accepted of each group, from a sheet that they filled in; lines without a verdict are left out.

    Raises InputError, with the line, for an item that is not the one drawn, for one that comes twice and for a verdict
    that is none.
    """
    own = {line.item: (line, pair) for line, pair in zip(sheet_of(pairs), pairs, strict=True)}
    judged, accepted = dict.fromkeys(GROUPS, 0), dict.fromkeys(GROUPS, 0)
    for number, line in read_sheet(path):
        known = own.pop(line.item, None)
        if known is None or not line.is_about(known[0]):
            reason = f"item {line.item} was not drawn from these texts with this seed and these filters, or comes twice"
            raise InputError(reason, path=path, line=number)
        if not line.verdict:
            continue
        try:
            verdict = parse_verdict(kind, line.verdict)
        except InputError as error:
            raise InputError(str(error), path=path, line=number) from error
        if verdict == SKIP:
            continue
        judged[known[1].group] += 1
        accepted[known[1].group] += verdict in ACCEPTING
    return [Accuracy(each, judged[each], accepted[each], wilson(accepted[each], judged[each])) for each in GROUPS]
