"""All pairs of systems, and their clusters, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Final

from corpusdb.base.cells import cell_width
from corpusdb.scoring.paper_report import decimals_of, significance_mark
from corpusdb.scoring.queries.scoring import DEFAULT_TEST, Chance, Significance, SystemPairs
from corpusdb.scoring.report import Cell, figures_of, interval_of, p_told

if TYPE_CHECKING:
    from corpusdb.base.system_agreement import RankedSystem

PAIR_COLUMNS = tuple(figures_of(("a", "b", "metric", "score_a", "score_b", "difference", "p", "test", "signature")))


def pair_table(found: Sequence[SystemPairs], room: int | None = None) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each system by each metric, the best first: its cluster and ranks, and its differences from the others,
    which are columns by their numbers, with their marks.

    Where that takes more cells than there is room, one column has a mark for each of the others, or there is none.
    """
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        decimals = each.scores.measure.metric.decimals
        for number, (at, one) in enumerate(zip(each.order, each.ranked, strict=True), 1):
            compared = ((other, each.comparisons[at][other]) for other in each.order)
            cells = [
                "" if other == at
                else f"{one_to.difference:+.{decimals}f}{significance_mark(one_to.p_value, interval_of(one_to))}"
                for other, one_to in compared
            ]  # fmt: skip
            ranks = f"{one.first_rank}-{one.last_rank}"
            told = each.scores.label, number, one.cluster, ranks, one.system, f"{one.score:.{decimals}f}", one.wins
            rows.append((*told, *cells))
    numbers = [f"vs {number}" for number in range(1, len(found[0].ranked) + 1)]
    columns = ["metric", "no.", "cluster", "ranks", "system", "score", "wins"]
    if fits([[*columns, *numbers], *rows], room):
        return [*columns, *numbers], rows
    short = [(*row[: len(columns)], "".join(map(_order_mark, row[len(columns) :]))) for row in rows]
    if fits([[*columns, AGAINST_ALL], *short], room):
        return [*columns, AGAINST_ALL], short
    return columns, [row[: len(columns)] for row in rows]


AGAINST_ALL: Final = "vs 1, 2 ..."


def fits(rows: Sequence[Sequence[Cell]], room: int | None) -> bool:
    """Whether a table is no wider than so many columns of a terminal; None is no terminal, which has room."""
    widths = (max(cell_width(str(cell)) for cell in column) for column in zip(*rows, strict=True))
    return room is None or sum(width + 2 for width in widths) <= room + 2


def _order_mark(cell: Cell) -> str:
    """Of a difference with its marks: + where it is better, - worse, . neither; \\\\ for the system itself."""
    told = str(cell)
    return (told[0] if told.endswith("*") else ".") if told else "\\"


def pair_p_lines(found: Sequence[SystemPairs]) -> Iterator[str]:
    """The p of each pair, which the table has the marks of, for each system against those below it."""
    for each in found:
        names = each.scores.systems
        for place, at in enumerate(each.order[:-1], 1):
            known = (f"{names[other]} {p_told(each.comparisons[at][other])}" for other in each.order[place:])
            yield f"p by {each.scores.label} of {names[at]} against {', '.join(known)}"


def pair_rows(found: Sequence[SystemPairs], test: Significance) -> Iterator[tuple[Cell, ...]]:
    """A row for each pair, the one that stands first in the table first: PAIR_COLUMNS."""
    for each in found:
        names, values = each.scores.systems, each.scores.scores.tolist()
        for a, b in combinations(each.order, 2):
            one = each.comparisons[a][b]
            told = names[a], names[b], each.scores.label, values[a], values[b], one.difference, one.p_value, test
            cells = dict(zip(("a", "b", "metric", "score_a", "score_b", "difference", "p", "test"), told, strict=True))
            yield tuple((cells | {"signature": each.scores.signature})[name] for name in PAIR_COLUMNS)


def pair_documents(found: Sequence[SystemPairs], chance: Chance) -> list[dict[str, object]]:
    """The same as JSON has it: for each metric the systems with their clusters, and the pairs."""
    test = chance.test or DEFAULT_TEST
    drawn = {"test": test, "samples": chance.sampling.drawn(test), "seed": chance.sampling.seed}
    documents: list[dict[str, object]] = []
    for each in found:
        scores, names = each.scores, each.scores.systems
        pairs = [
            {"a": names[a], "b": names[b]} | asdict(each.comparisons[a][b]) for a, b in combinations(each.order, 2)
        ]
        told = {"metric": scores.settings.metric, "name": scores.label, "signature": scores.signature}
        documents.append({**told, **drawn, "systems": [asdict(one) for one in each.ranked], "pairs": pairs})
    return documents


def cluster_table(found: Sequence[RankedSystem], *, is_read: bool) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each system, the best first; where people read it, all scores have as many decimals."""
    decimals = decimals_of([each.score for each in found])
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        score = f"{each.score:.{decimals}f}" if is_read else round(each.score, 6)
        rows.append((each.cluster, f"{each.first_rank}-{each.last_rank}", each.system, score, each.wins))
    return ["cluster", "ranks", "system", "score", "wins"], rows


_DIFFERENCES = "the differences of each pair have no room here; -o FILE has them"
NO_ROOM: Final = {
    "wins": _DIFFERENCES,
    AGAINST_ALL: f"+ better than that system (p < 0.05), - worse, . neither; {_DIFFERENCES}",
}
"""What is said below a table of pairs, by its last column."""
CLUSTERS_TOLD = (
    "every system of a cluster is significantly better than all systems below the cluster (p < 0.05); ranks: from 1 +"
    " the systems that are better, to the number of systems - those that are worse"
)
