"""The statistics of the paper for the corpus at hand, as text (Lepage & Denoual 2005: tables 1 and 2, section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from corpusdb.cells import cut_right
from corpusdb.display import cell_safe
from corpusdb.queries.paraphrase.counts import CorpusStatistics, Detected, Generated, SeedsOfLength, TextSizes
from corpusdb.reports.plots import Bar, bar_plot

__all__ = ["corpus_tables"]

_WIDTH = 80
_STEPS = (1, 2, 3, 4, 5, 6, 11, 21, 51, 101)
"""Where the rows of the left of figure 1 begin."""
_LONG = 20
"""Longer seeds stand in one row, in words."""
_ORDERS_IN_ROW = 5


def corpus_tables(statistics: CorpusStatistics) -> str:
    """The statistics as plain text of at most 80 columns, with the numbers of the paper's tables."""
    marks = "with" if statistics.marks else "without"
    lines = [f"Language {statistics.language}, N = {statistics.order} {marks} the marks at both ends of a sentence"]
    lines += ["", "Table 1: the corpus", *_size_lines(statistics.corpus)]
    lines += ["", f"Table 2: the paraphrases kept at {statistics.filter}", *_size_lines(statistics.paraphrases)]
    lines += ["", "Section 5: detection", *_detection_lines(statistics.detected)]
    lines += ["", "Section 5: generation", *_generation_lines(statistics.generated)]
    lines += ["", "Figure 1, left: paraphrases of a seed, and seeds with so many"]
    lines += bar_plot(_grouped_paraphrases(statistics.seeds_by_paraphrases), _WIDTH, ascii=True)
    lines += ["", "Figure 1, right: words of a seed, and paraphrases on average (of how many seeds)"]
    lines += bar_plot(_grouped_lengths(statistics.paraphrases_by_length), _WIDTH, ascii=True)
    lines += ["", "Fluency: the largest N that a candidate passes, and candidates"]
    lines += bar_plot(_grouped_orders(statistics), _WIDTH, ascii=True)
    return "\n".join(lines)


def _size_lines(sizes: TextSizes) -> list[str]:
    characters = f"{sizes.characters:.2f} +- {sizes.characters_deviation:.2f}"
    words = f"{sizes.words:.2f} +- {sizes.words_deviation:.2f}"
    return [
        f"  {'different sentences':>19}  {'size in characters':>20}  {'size in words':>20}",
        f"  {sizes.texts:>19,}  {characters:>20}  {words:>20}",
    ]


def _detection_lines(detected: Detected) -> list[str]:
    lines = [
        f"  sentences with a paraphrase       {detected.sentences:>12,} of {detected.of:,}",
        f"  paraphrases by sentence           {detected.average:>12.2f}",
        f"  sentences with more than 100      {detected.over_100:>12,}",
        f"  most paraphrases                  {detected.most:>12,}",
    ]
    if detected.most_of is not None:
        lines.append("    of: " + cut_right(cell_safe(detected.most_of), _WIDTH - 8, "..."))
    return lines


def _generation_lines(generated: Generated) -> list[str]:
    counts = generated.counts
    return [
        f"  seeds with a candidate            {counts.seeds:>12,}",
        f"  analogies                         {counts.analogies:>12,}",
        f"  candidates                        {counts.candidates:>12,}",
        f"  seeds with a paraphrase kept      {counts.kept_seeds:>12,}",
        f"  paraphrases kept                  {counts.kept:>12,}",
        f"  paraphrases by seed               {generated.average:>12.2f} +- {generated.deviation:.2f}",
        f"  different paraphrases             {counts.distinct:>12,}",
        f"  of these new to the corpus        {counts.novel:>12,}",
    ]


def _grouped_paraphrases(seeds: Iterable[tuple[int, int]]) -> Iterator[Bar]:
    numbers = dict(seeds)
    for first, after in zip(_STEPS, (*_STEPS[1:], None), strict=True):
        count = sum(
            n for paraphrases, n in numbers.items() if paraphrases >= first and (after is None or paraphrases < after)
        )
        label = f"{first}+" if after is None else str(first) if after == first + 1 else f"{first}-{after - 1}"
        if count:
            yield label, f"{count:,}", count


def _grouped_lengths(lengths: Sequence[SeedsOfLength]) -> Iterator[Bar]:
    for row in lengths:
        if row.words <= _LONG:
            yield str(row.words), f"{row.average:.2f} ({row.seeds:,})", row.average
    seeds = sum(row.seeds for row in lengths if row.words > _LONG)
    if seeds:
        average = sum(row.seeds * row.average for row in lengths if row.words > _LONG) / seeds
        yield f"{_LONG + 1}+", f"{average:.2f} ({seeds:,})", average


def _grouped_orders(statistics: CorpusStatistics) -> Iterator[Bar]:
    rows: Counter[int] = Counter()
    for order, candidates in statistics.orders:
        rows[order // _ORDERS_IN_ROW] += candidates
    for row, candidates in sorted(rows.items()):
        first = row * _ORDERS_IN_ROW
        yield f"{first}-{first + _ORDERS_IN_ROW - 1}", f"{candidates:,}", candidates
    if statistics.unlimited:
        yield "no limit", f"{statistics.unlimited:,}", statistics.unlimited
