"""The study of BLEU in characters on any outputs, and what Denoual and Lepage (2005) print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from statistics import fmean
from typing import Final

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job, with_progress_if
from corpusdb.base.tokenisation import needs_spaces
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.measures import signature_of
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.scoring import notes_on
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.studies.bleu_in_characters.tables import (
    Best,
    BestOrders,
    CandidateScores,
    Equivalence,
    LengthClass,
    LengthTable,
    Measurement,
    equivalence,
    scoring_candidates,
)

# What Denoual and Lepage (2005) print, and how far another test set agrees with it.
#
# Their test set is 510 Japanese sentences translated into English by 4 systems, with 13 references each (section 3.2).


PAPER_EQUIVALENT: Final = 18
"""The M that stands for N = 4 (section 5.1)."""

PAPER_TABLE_1: Final[Mapping[int, BestOrders]] = {
    1: BestOrders(1, Best(5, 0.89), Best(5, 0.17), None),
    2: BestOrders(2, Best(8, 0.90), Best(9, 0.29), Best(9, 0.9)),
    3: BestOrders(3, Best(10, 0.85), Best(14, 0.34), Best(14, 0.9)),
    4: BestOrders(4, Best(17, 0.83), Best(18, 0.35), Best(18, 0.9)),
}
"""The shares of the third row are not printed, only that they reach 0.9."""


@dataclass(frozen=True, slots=True)
class PublishedLength:
    """A column of table 2."""

    share: float
    mean: float
    deviation: float
    local: Best
    pearson: float
    """With M = 18."""


PAPER_TABLE_2: Final[Mapping[str, PublishedLength]] = {
    "4": PublishedLength(0.129, 0.188, 0.389, Best(16, 0.827), 0.788),
    "5": PublishedLength(0.182, 0.300, 0.416, Best(17, 0.795), 0.794),
    "6": PublishedLength(0.136, 0.252, 0.376, Best(16, 0.797), 0.779),
    "7": PublishedLength(0.134, 0.364, 0.382, Best(19, 0.824), 0.805),
    "8": PublishedLength(0.075, 0.345, 0.363, Best(17, 0.899), 0.883),
    "9": PublishedLength(0.065, 0.318, 0.315, Best(17, 0.894), 0.871),
    "10": PublishedLength(0.050, 0.321, 0.346, Best(16, 0.952), 0.929),
    "> 10": PublishedLength(0.081, 0.015, 0.291, Best(12, 0.919), 0.861),
}
PAPER_TABLE_3: Final = ((0.349, 0.292, -0.057), (0.305, 0.279, -0.036), (0.312, 0.267, -0.045), (0.232, 0.183, -0.049))
"""BLEUw4, BLEUc18 and their difference, for systems 1 to 4."""
PAPER_TABLE_4: Final = LengthTable(short=266, short_in_characters=84, short_in_words=37, long=123)

REMARKS: Final = (
    "Table 3: 0.279 - 0.305 is -0.026, not -0.036; and 0.305 would rank system 2 behind system 3. With 0.315 all that"
    " is said of the table is right: the difference, the average of -0.047, and the ranking that does not change.",
    "Table 2: a mean of 0.015 and a deviation of 0.291 cannot both be those of scores from 0 to 1.",
    "Table 2 leaves 14.8 % of the points to sentences under 4 words; by table 4 they are 302 of 510, 59 %.",
    "Table 4: the columns add up to 303 and 207, not 302 and 208.",
)
"""Where the paper's numbers do not agree with each other."""

_NEAR: Final = 1
"""Orders that differ by this are as good as equal for the paper (note 11)."""
_HIGH: Final = 0.8
"""The paper's lowest correlation in table 1 is 0.83, which it calls high (section 6)."""
_LOSS: Final = 0.06
"""In table 2 the correlation with the M of all lengths is lower than with that of the class by at most 0.058."""
_NEAR_LENGTH: Final = 0.5
"""The paper calls 4.14 "not that distant" from 3.84 (note 10)."""


@dataclass(frozen=True, slots=True)
class PaperFinding:
    """One thing that the paper says, and what was found here."""

    section: str
    claim: str
    paper: str
    ours: str
    agrees: bool | None
    """None where it cannot be said."""


def findings(study: Equivalence) -> list[PaperFinding]:
    """Every statement of the paper that can be checked with the numbers of ``study``."""
    found = [finding for best in study.best if best.order in PAPER_TABLE_1 for finding in _of_best_orders(best)]
    found += [_property(study), _correlation(study), _ratio(study)]
    if study.word_order == max(PAPER_TABLE_1):
        found += [_methods(study.best[-1]), _stands_for(study)]
    return [*found, _by_length(study), _decrease(study), _short(study), _ranking(study)]


def _of_best_orders(best: BestOrders) -> Iterator[PaperFinding]:
    paper = PAPER_TABLE_1[best.order]
    for section, name, ours, theirs in (
        ("4.1", "Pearson", best.pearson, paper.pearson),
        ("4.2", "kappa", best.kappa, paper.kappa),
        ("4.3", "behaviour", best.behaviour, paper.behaviour),
    ):
        if theirs:
            agrees = ours is not None and abs(ours.order - theirs.order) <= _NEAR
            claim = f"best M for N = {best.order} by {name}"
            yield PaperFinding(section, claim, str(theirs.order), str(ours.order) if ours else "none", agrees)


def _property(study: Equivalence) -> PaperFinding:
    least = min(study.words_below)
    ours = "always" if least == 1 else f">= {floor(least * 1e4) / 1e4:.2%}"
    return PaperFinding("4.3", "BLEUwN <= BLEUw(N-1)", "always", ours, least == 1)


def _correlation(study: Equivalence) -> PaperFinding:
    values = [best.pearson.value for best in study.best if best.pearson]
    if not values:
        return PaperFinding("6", "the correlation is high", "0.83-0.90", "none", None)
    ours = f"{min(values):.2f}-{max(values):.2f}"
    return PaperFinding("6", "the correlation is high", "0.83-0.90", ours, min(values) >= _HIGH)


def _ratio(study: Equivalence) -> PaperFinding:
    claim, paper = "M/N is about the length of a word", "4.14, 3.84"
    if study.ratio is None or study.word_length is None:
        return PaperFinding("note 10", claim, paper, "none", None)
    agrees = abs(study.ratio - study.word_length) <= _NEAR_LENGTH
    return PaperFinding("note 10", claim, paper, f"{study.ratio:.2f}, {study.word_length:.2f}", agrees)


def _methods(best: BestOrders) -> PaperFinding:
    orders = [each.order if each else None for each in (best.pearson, best.kappa, best.behaviour)]
    known = [order for order in orders if order is not None]
    agrees = max(known) - min(known) <= _NEAR if len(known) == len(orders) else None
    ours = ", ".join("none" if order is None else str(order) for order in orders)
    return PaperFinding("5.1", "one M for N = 4 by all three", "17, 18, 18", ours, agrees)


def _stands_for(study: Equivalence) -> PaperFinding:
    agrees = None if study.is_given else abs(study.equivalent - PAPER_EQUIVALENT) <= _NEAR
    ours = f"{study.equivalent}{' (given)' if study.is_given else ''}"
    return PaperFinding("5.1", "characters that stand for 4 words", str(PAPER_EQUIVALENT), ours, agrees)


def _by_length(study: Equivalence) -> PaperFinding:
    claim = "one M for all lengths: loss of r"
    losses = [row.local.value - row.pearson for row in study.by_length if row.local and row.pearson is not None]
    if not losses:
        return PaperFinding("table 2", claim, "<= 0.058", "none", None)
    return PaperFinding("table 2", claim, "<= 0.058", f"<= {max(losses):.3f}", max(losses) <= _LOSS)


def _decrease(study: Equivalence) -> PaperFinding:
    differences = [row.difference for row in study.by_system]
    ours, agrees = f"{fmean(differences):+.3f}", max(differences) < 0
    return PaperFinding("5.2", "systems score less in characters", "-0.047", ours, agrees)


def _short(study: Equivalence) -> PaperFinding:
    table = study.lengths
    characters, words = table.short + table.short_in_characters, table.short + table.short_in_words
    claim = "more texts too short in characters"
    return PaperFinding("5.2", claim, "350, 302", f"{characters:,}, {words:,}", characters > words)


def _ranking(study: Equivalence) -> PaperFinding:
    found = study.ranking
    ours = f"{found.reversed} of {found.pairs}"
    return PaperFinding(
        "5.2", "pairs of systems in another order", "0 of 6", ours, found.reversed == 0 if found.pairs else None
    )


# The study of BLEU in characters (Denoual and Lepage 2005) on the outputs of any systems.


_MANY = 2_000
"""Candidate translations from which on it takes so long that it is told of."""


@dataclass(frozen=True, eq=False)
class CharactersStudy:
    scores: CandidateScores
    equivalence: Equivalence
    findings: tuple[PaperFinding, ...]
    """What agrees with the paper, and what does not."""
    signatures: tuple[str, ...]
    """Of the scores in words and of those in characters, with the orders that are compared in tables 2 to 4."""


def bleu_in_characters(
    outputs: Sequence[Output],
    references: ScoringReferences,
    measurement: Measurement,
    classes: Sequence[LengthClass],
    *,
    equivalent: int | None = None,
) -> Job[CharactersStudy]:
    """Find the order in characters that is equivalent to one in words, and compare the two.

    ``classes`` are those of table 2; ``equivalent`` is the order in characters for tables 2 to 4, which is found if not
    given. Raises UsageError where an output is given twice, and InputError where a segment has no reference.
    """
    is_long = len(outputs) * len(references.sets) >= _MANY
    scores = yield from with_progress_if(
        is_long, scoring_candidates(_texts_by_system(outputs), references.texts, measurement)
    )
    found = equivalence(scores, classes, equivalent=equivalent)
    return CharactersStudy(scores, found, tuple(findings(found)), tuple(_signatures(measurement, found, references)))


def study_notes(outputs: Sequence[Output], references: ScoringReferences, measurement: Measurement) -> Iterator[str]:
    """What someone should know of the texts, though nothing is refused for it."""
    yield from notes_on(outputs, references, ())
    if needs_spaces(measurement.tokenisation) and (told := references.format_undelimited):
        yield f"{told}; --tokenise ja-sudachi, ja-mecab and zh know its words"


def _texts_by_system(outputs: Sequence[Output]) -> Mapping[str, Sequence[str]]:
    systems = {output.system: output.texts for output in outputs}
    if len(systems) < len(outputs):
        raise UsageError("the same output is given twice")
    return systems


def _signatures(measurement: Measurement, found: Equivalence, references: ScoringReferences) -> Iterator[str]:
    counts = [len(texts) for texts in references.texts]
    units = (("word", found.word_order, measurement.tokenisation), ("char", found.equivalent, "char"))
    for unit, order, tokenisation in units:
        settings = settings_for(
            "bleu", unit=unit, order=order, tokenisation=tokenisation, lowercase=measurement.lowercase
        )
        yield references.signed(signature_of(settings, counts, references.digest))
