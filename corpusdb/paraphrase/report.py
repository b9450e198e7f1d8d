"""Figure 1 of the paper as plots of characters, and what the choice of N costs (Lepage & Denoual 2005)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpusdb.base.plots import Axis, point_plot

if TYPE_CHECKING:
    from corpusdb.paraphrase.queries.statistics import CorpusStatistics


def figures(statistics: CorpusStatistics, size: tuple[int, int], *, ascii: bool = False) -> list[str]:
    """Three plots, each of ``size`` (width in cells, height in lines) under a title and above an empty line.

    On the left of the figure both axes are logarithmic, since nearly all seeds have few paraphrases.
    """
    lines = []
    for title, plot in (
        ("Figure 1, left: paraphrases of a seed, and seeds with so many", _seeds_by_paraphrases),
        ("Figure 1, right: words of a seed, and its paraphrases", _paraphrases_by_length),
        ("The filter: N, and candidates that pass it", _kept_by_order),
    ):
        lines += [title, *plot(statistics, size, ascii), ""]
    return lines


def _seeds_by_paraphrases(statistics: CorpusStatistics, size: tuple[int, int], ascii: bool) -> list[str]:
    x, y = Axis("paraphrases", log=True), Axis("seeds", log=True)
    return point_plot({"seeds": statistics.seeds_by_paraphrases}, size, x, y, ascii=ascii)


def _paraphrases_by_length(statistics: CorpusStatistics, size: tuple[int, int], ascii: bool) -> list[str]:
    rows = statistics.paraphrases_by_length
    series: dict[str, list[tuple[float, float]]] = {
        "mean": [(row.words, row.average) for row in rows],
        "most": [(row.words, row.most) for row in rows],
    }
    return point_plot(series, size, Axis("words"), Axis("paraphrases"), ascii=ascii)


def _kept_by_order(statistics: CorpusStatistics, size: tuple[int, int], ascii: bool) -> list[str]:
    """A candidate passes at every N up to its fluency order, and one without a limit at any."""
    passing, points = statistics.unlimited, []
    for order, candidates in reversed(statistics.orders):
        passing += candidates
        points.append((order, passing))
    return point_plot({"candidates": points}, size, Axis("N"), Axis("candidates"), ascii=ascii)
