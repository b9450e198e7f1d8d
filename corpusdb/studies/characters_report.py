"""The study of BLEU in characters: what the paper found and what is found now, as tables, as figures and as images."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor
from statistics import fmean
from typing import Any, Final

from corpusdb.base.arrays import F64
from corpusdb.base.cells import Axis, aligned_lines, bar_plot, point_plot
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job, with_progress_if
from corpusdb.base.tokenisation import needs_spaces
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.measures import signature_of
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.scoring import notes_on
from corpusdb.scoring.queries.scoring_references import ScoringReferences, format_undelimited
from corpusdb.studies.bleu_in_characters import (
    TIE,
    BestOrder,
    BestOrders,
    CandidateScores,
    Equivalence,
    LengthClass,
    LengthTable,
    Measurement,
    equivalence,
    scoring_candidates,
)
from corpusdb.studies.figures import decimal, new_figure

# What Denoual and Lepage (2005) print, and how far another test set agrees with it.
# Their test set is 510 Japanese sentences translated into English by 4 systems, with 13 references each (section 3.2).


PAPER_EQUIVALENT: Final = 18
"""The M that stands for N = 4 (section 5.1)."""

PAPER_TABLE_1: Final[Mapping[int, BestOrders]] = {
    1: BestOrders(1, BestOrder(5, 0.89), BestOrder(5, 0.17), None),
    2: BestOrders(2, BestOrder(8, 0.90), BestOrder(9, 0.29), BestOrder(9, 0.9)),
    3: BestOrders(3, BestOrder(10, 0.85), BestOrder(14, 0.34), BestOrder(14, 0.9)),
    4: BestOrders(4, BestOrder(17, 0.83), BestOrder(18, 0.35), BestOrder(18, 0.9)),
}
"""The shares of the third row are not printed, only that they reach 0.9."""


@dataclass(frozen=True, slots=True)
class PublishedLength:
    """A column of table 2."""

    share: float
    mean: float
    deviation: float
    local: BestOrder
    pearson: float
    """With M = 18."""


PAPER_TABLE_2: Final[Mapping[str, PublishedLength]] = {
    "4": PublishedLength(0.129, 0.188, 0.389, BestOrder(16, 0.827), 0.788),
    "5": PublishedLength(0.182, 0.300, 0.416, BestOrder(17, 0.795), 0.794),
    "6": PublishedLength(0.136, 0.252, 0.376, BestOrder(16, 0.797), 0.779),
    "7": PublishedLength(0.134, 0.364, 0.382, BestOrder(19, 0.824), 0.805),
    "8": PublishedLength(0.075, 0.345, 0.363, BestOrder(17, 0.899), 0.883),
    "9": PublishedLength(0.065, 0.318, 0.315, BestOrder(17, 0.894), 0.871),
    "10": PublishedLength(0.050, 0.321, 0.346, BestOrder(16, 0.952), 0.929),
    "> 10": PublishedLength(0.081, 0.015, 0.291, BestOrder(12, 0.919), 0.861),
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
    if needs_spaces(measurement.tokenisation) and (told := format_undelimited(references.sets)):
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


# Tables and figures as text.


_WIDTH = 80
_PLOT = (64, 24)
_SQUARES = 57
"""The squares along each axis in which figures count the candidates; a plot of that size has 58 columns."""
_DENSE = 10
_NAME_CELLS = 24


def study_lines(found: CharactersStudy, *, plots: bool = True) -> list[str]:
    """The tables, below them the figures if these are wanted, and the signatures."""
    figures = ["", *equivalence_figures(found.scores, found.equivalence)] if plots else []
    return [*equivalence_report(found.equivalence), *figures, "", *found.signatures]


def equivalence_report(study: Equivalence) -> list[str]:
    """The four tables, ours on the left, and what agrees with the paper."""
    high, equivalent = study.word_order, study.equivalent
    lines = [
        f"{study.systems} systems, {study.segments:,} segments, {study.candidates:,} candidates",
        f"BLEUc{equivalent} stands for BLEUw{high}{', as was asked for' if study.is_given else ''}",
        "",
        "Table 1: the best M for each N, ours and the paper's (in brackets)",
        *_columns(("N", "Pearson", "M", "kappa", "M", "<= w(N-1)", "M"), _table_1(study)),
        *_limit(study),
        "",
        f"Table 2: BLEUw{high} and BLEUcM by length in words; the paper's on the right",
        *_columns(("", *_length_header(equivalent), "|", *_length_header(PAPER_EQUIVALENT)), _table_2(study), " "),
        "M: the best in the class; r: its correlation, and that of the M of all lengths",
        "",
        "Table 3: the systems: means of their sentences, and BLEU of their whole output",
        *_columns(("system", f"w{high}", "", f"c{equivalent}", "", "c - w", "whole w", "whole c"), _table_3(study)),
        "",
        "Table 4: candidates by length, shorter or not than the orders",
        *_columns(("", f"< {high} words", f">= {high} words", "all"), _table_4(study.lengths, equivalent)),
        f"the paper, with {PAPER_EQUIVALENT} characters and 4 words:",
        *_columns(("", "< 4 words", ">= 4 words", "all"), _table_4(PAPER_TABLE_4, PAPER_EQUIVALENT)),
        "",
        "What agrees with the paper",
        *_findings(findings(study)),
        "",
        "Where the paper's numbers do not agree with each other",
    ]
    for remark in REMARKS:
        lines += textwrap.wrap(remark, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


def _columns(header: Sequence[str], rows: Iterable[Sequence[str]], gap: str = "  ") -> list[str]:
    """Cells below each other, the first column left and the others right."""
    return [f"  {line}" for line in aligned_lines([header, *rows], [False, *(True for _ in header[1:])], gap)]


def _order(best: BestOrder | None) -> str:
    return "-" if best is None else str(best.order)


def _table_1(study: Equivalence) -> Iterator[Sequence[str]]:
    for best in study.best:
        paper = PAPER_TABLE_1.get(best.order)
        cells = [str(best.order)]
        for ours, theirs in (
            (best.pearson, paper and paper.pearson),
            (best.kappa, paper and paper.kappa),
            (best.behaviour, paper and paper.behaviour),
        ):
            value, order = decimal(ours.value if ours else None, 3), _order(ours)
            cells += (
                [f"{value} ({decimal(theirs.value, 2)})", f"{order} ({theirs.order})"] if theirs else [value, order]
            )
        yield cells


def _limit(study: Equivalence) -> Iterator[str]:
    """A warning where the best of the orders that were looked at is the last of them."""
    found = [best for each in study.best for best in (each.pearson, each.kappa) if best]
    if any(best.order == study.character_order for best in found):
        yield f"  no M over {study.character_order} was looked at: the best may be higher"


def _length_header(equivalent: int) -> tuple[str, ...]:
    return ("share", "mean", "s.d.", "M", "r", f"r{equivalent}")


def _table_2(study: Equivalence) -> Iterator[Sequence[str]]:
    for row in study.by_length:
        ours = [f"{row.share:.1%}", decimal(row.mean, 3), decimal(row.deviation, 3), _order(row.local)]
        ours += [decimal(row.local.value if row.local else None, 3), decimal(row.pearson, 3)]
        paper = PAPER_TABLE_2.get(str(row.lengths))
        theirs = [""] * len(ours)
        if paper:
            theirs = [f"{paper.share:.1%}", decimal(paper.mean, 3), decimal(paper.deviation, 3), _order(paper.local)]
            theirs += [decimal(paper.local.value, 3), decimal(paper.pearson, 3)]
        yield (str(row.lengths), *ours, "|", *theirs)


def _table_3(study: Equivalence) -> Iterator[Sequence[str]]:
    """The signs say how a system stands to the one below."""
    rows = study.by_system
    words = [*(_sign(one.words - two.words) for one, two in pairwise(rows)), ""]
    characters = [*(_sign(one.characters - two.characters) for one, two in pairwise(rows)), ""]
    for row, sign, other in zip(rows, words, characters, strict=True):
        scores = (decimal(row.words, 3), sign, decimal(row.characters, 3), other, f"{row.difference:+.3f}")
        yield (row.system[:_NAME_CELLS], *scores, decimal(row.corpus_words, 3), decimal(row.corpus_characters, 3))
    signs = ((">", ">"), ("~", ">"), (">", ">"), ("", ""))
    for number, ((one, two, difference), (sign, other)) in enumerate(zip(PAPER_TABLE_3, signs, strict=True), 1):
        yield (f"the paper's {number}", decimal(one, 3), sign, decimal(two, 3), other, f"{difference:+.3f}", "", "")


def _sign(difference: float) -> str:
    return "~" if abs(difference) < TIE else ">" if difference > 0 else "<"


def _table_4(table: LengthTable, equivalent: int) -> Iterator[Sequence[str]]:
    short = (table.short, table.short_in_characters)
    long = (table.short_in_words, table.long)
    total = sum(short) + sum(long)
    rows = ((f"< {equivalent} characters", short), (f">= {equivalent} characters", long), ("all", None))
    for name, row in rows:
        counts = row or (short[0] + long[0], short[1] + long[1])
        yield (name, *(f"{count:,} ({count / total:.1%})" for count in (*counts, sum(counts))))


def _findings(found: Sequence[PaperFinding]) -> Iterator[str]:
    verdicts = {True: "yes", False: "no", None: "-"}
    rows = ((verdicts[each.agrees], each.section, each.claim, each.paper, each.ours) for each in found)
    header = ("", "section", "the paper says", "paper", "ours")
    yield from (f"  {line}" for line in aligned_lines([header, *rows], [False] * len(header)))
    counts = Counter(each.agrees for each in found)
    yield f"  {counts[True]} of {counts[True] + counts[False]} agree; an M that differs by 1 agrees (note 11)"


def equivalence_figures(scores: CandidateScores, study: Equivalence) -> list[str]:
    """Figures 1 and 2, in ASCII."""
    high, equivalent = study.word_order, study.equivalent
    words, lower, characters = scores.words[-1], scores.words[-2], scores.characters[equivalent - 1]
    names = (f"BLEUw{high}", f"BLEUw{high - 1}", f"BLEUc{equivalent}")
    shares = [(str(order), f"{share:.1%}", share) for order, share in enumerate(study.below[-2], 1)]
    return [
        "Figure 1",
        *_scatter(characters, words, names[2], names[0]),
        "",
        "Figure 2, left",
        *_scatter(lower, words, names[1], names[0]),
        "",
        f"Figure 2, middle: M, and candidates with BLEUcM <= {names[1]}",
        *bar_plot(shares, _WIDTH, ascii=True),
        "",
        "Figure 2, right",
        *_scatter(lower, characters, names[1], names[2]),
    ]


def _scatter(across: F64, up: F64, x: str, y: str) -> list[str]:
    """The candidates with the diagonal; squares with many of them are drawn above those with few."""
    squares = Counter(zip((across * _SQUARES).round().tolist(), (up * _SQUARES).round().tolist(), strict=True))
    places = {square: (square[0] / _SQUARES, square[1] / _SQUARES) for square in squares}
    series = {
        f"{_DENSE} candidates or more": [places[square] for square, count in squares.items() if count >= _DENSE],
        "fewer": [places[square] for square, count in squares.items() if count < _DENSE],
        "diagonal": [(each / _SQUARES, each / _SQUARES) for each in range(_SQUARES + 1)],
    }
    return point_plot(series, _PLOT, Axis(x), Axis(y), ascii=True)


_THRESHOLD = 0.9


def _figure_1(found: CharactersStudy) -> Any:
    scores, study = found.scores, found.equivalence
    figure = new_figure(5, 5)
    characters, words = scores.characters[study.equivalent - 1], scores.words[-1]
    _scatter_image(figure.subplots(), characters, words, f"BLEUc{study.equivalent}", f"BLEUw{study.word_order}")
    return figure


def _figure_2(found: CharactersStudy) -> Any:
    scores, study = found.scores, found.equivalence
    figure = new_figure(13, 4.5)
    left, middle, right = figure.subplots(1, 3)
    lower = f"BLEUw{study.word_order - 1}"
    _scatter_image(left, scores.words[-2], scores.words[-1], lower, f"BLEUw{study.word_order}")
    middle.bar(range(1, study.character_order + 1), study.below[-2])
    middle.axhline(_THRESHOLD, color="black", linewidth=0.8, linestyle="--")
    middle.set(xlabel="M", ylabel=f"share of BLEUcM <= {lower}", ylim=(0, 1))
    _scatter_image(right, scores.words[-2], scores.characters[study.equivalent - 1], lower, f"BLEUc{study.equivalent}")
    return figure


CHARACTERS_FIGURES: Final = {"figure-1": _figure_1, "figure-2": _figure_2}


def _scatter_image(axes: Any, across: F64, up: F64, x: str, y: str) -> None:
    axes.plot((0, 1), (0, 1), color="black", linewidth=0.8)
    axes.scatter(across, up, s=4, alpha=0.3, linewidths=0, rasterized=True)  # thousands of shapes make a huge SVG
    axes.set(xlabel=x, ylabel=y, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
