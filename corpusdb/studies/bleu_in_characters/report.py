"""The study of BLEU in characters as text, with the paper's numbers beside, and its figures as images."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from corpusdb.base.arrays import F64
from corpusdb.base.cells import cell_width, padded
from corpusdb.base.outputs import NEW_ONLY, Guard
from corpusdb.base.plots import Axis, bar_plot, point_plot
from corpusdb.studies.bleu_in_characters.queries import (
    PAPER_EQUIVALENT,
    PAPER_TABLE_1,
    PAPER_TABLE_2,
    PAPER_TABLE_3,
    PAPER_TABLE_4,
    REMARKS,
    CharactersStudy,
    PaperFinding,
    findings,
)
from corpusdb.studies.bleu_in_characters.tables import TIE, Best, CandidateScores, Equivalence, LengthTable
from corpusdb.studies.images import Folders, check_figures, new_figure, write_figures

_WIDTH = 80
_PLOT = (64, 24)
_SQUARES = 57
"""The squares along each axis in which figures count the candidates; a plot of that size has 58 columns."""
_MANY = 10
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
    table = [header, *rows]
    widths = [max(map(cell_width, column)) for column in zip(*table, strict=True)]
    lines = []
    for first, *others in table:
        cells = [padded(cell, width, right=True) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  " + gap.join([padded(first, widths[0]), *cells]).rstrip())
    return lines


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _order(best: Best | None) -> str:
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
            value, order = _number(ours.value if ours else None), _order(ours)
            cells += (
                [f"{value} ({_number(theirs.value, 2)})", f"{order} ({theirs.order})"] if theirs else [value, order]
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
        ours = [f"{row.share:.1%}", _number(row.mean), _number(row.deviation), _order(row.local)]
        ours += [_number(row.local.value if row.local else None), _number(row.pearson)]
        paper = PAPER_TABLE_2.get(str(row.lengths))
        theirs = [""] * len(ours)
        if paper:
            theirs = [f"{paper.share:.1%}", _number(paper.mean), _number(paper.deviation), _order(paper.local)]
            theirs += [_number(paper.local.value), _number(paper.pearson)]
        yield (str(row.lengths), *ours, "|", *theirs)


def _table_3(study: Equivalence) -> Iterator[Sequence[str]]:
    """The signs say how a system stands to the one below."""
    rows = study.by_system
    words = [*(_sign(one.words - two.words) for one, two in pairwise(rows)), ""]
    characters = [*(_sign(one.characters - two.characters) for one, two in pairwise(rows)), ""]
    for row, sign, other in zip(rows, words, characters, strict=True):
        scores = (_number(row.words), sign, _number(row.characters), other, f"{row.difference:+.3f}")
        yield (row.system[:_NAME_CELLS], *scores, _number(row.corpus_words), _number(row.corpus_characters))
    signs = ((">", ">"), ("~", ">"), (">", ">"), ("", ""))
    for number, ((one, two, difference), (sign, other)) in enumerate(zip(PAPER_TABLE_3, signs, strict=True), 1):
        yield (f"the paper's {number}", _number(one), sign, _number(two), other, f"{difference:+.3f}", "", "")


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
    table = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        yield ("  " + "  ".join(cells)).rstrip()
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
        f"{_MANY} candidates or more": [places[square] for square, count in squares.items() if count >= _MANY],
        "fewer": [places[square] for square, count in squares.items() if count < _MANY],
        "diagonal": [(each / _SQUARES, each / _SQUARES) for each in range(_SQUARES + 1)],
    }
    return point_plot(series, _PLOT, Axis(x), Axis(y), ascii=True)


# Figures 1 and 2 of the study of BLEU in characters as image files.


_THRESHOLD = 0.9


def check_images(folders: Folders, guard: Guard) -> None:
    """Raise what write_images would raise, before there is anything to draw."""
    check_figures(_FIGURES, folders, guard)


def write_images(scores: CandidateScores, study: Equivalence, folders: Folders, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write figure-1 and figure-2 into the folder of each format, which is made if need be; returns their paths.

    The same scores give the same bytes. Raises UsageError, with the command that installs it, without matplotlib, and
    as check_output does.
    """
    return write_figures({name: partial(draw, scores, study) for name, draw in _FIGURES.items()}, folders, guard)


def _figure_1(scores: CandidateScores, study: Equivalence) -> Any:
    figure = new_figure(5, 5)
    characters, words = scores.characters[study.equivalent - 1], scores.words[-1]
    _scatter_image(figure.subplots(), characters, words, f"BLEUc{study.equivalent}", f"BLEUw{study.word_order}")
    return figure


def _figure_2(scores: CandidateScores, study: Equivalence) -> Any:
    figure = new_figure(13, 4.5)
    left, middle, right = figure.subplots(1, 3)
    lower = f"BLEUw{study.word_order - 1}"
    _scatter_image(left, scores.words[-2], scores.words[-1], lower, f"BLEUw{study.word_order}")
    middle.bar(range(1, study.character_order + 1), study.below[-2])
    middle.axhline(_THRESHOLD, color="black", linewidth=0.8, linestyle="--")
    middle.set(xlabel="M", ylabel=f"share of BLEUcM <= {lower}", ylim=(0, 1))
    _scatter_image(right, scores.words[-2], scores.characters[study.equivalent - 1], lower, f"BLEUc{study.equivalent}")
    return figure


_FIGURES: Mapping[str, Callable[[CandidateScores, Equivalence], Any]] = {"figure-1": _figure_1, "figure-2": _figure_2}


def _scatter_image(axes: Any, across: F64, up: F64, x: str, y: str) -> None:
    axes.plot((0, 1), (0, 1), color="black", linewidth=0.8)
    axes.scatter(across, up, s=4, alpha=0.3, linewidths=0, rasterized=True)  # thousands of shapes make a huge SVG
    axes.set(xlabel=x, ylabel=y, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
