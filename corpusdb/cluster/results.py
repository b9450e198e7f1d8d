"""What a run gave, read without Spark: all of it, or what some seeds need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from corpusdb.base.arrays import I64, Bools
from corpusdb.cluster.chain import complete_steps
from corpusdb.cluster.folder import RunFolder
from corpusdb.cluster.workspace import Renumbering, Row, as_rows, numbers_of, read_items
from corpusdb.corpus.formats.records import Item


class RunResults:
    """The steps of a run, from which some columns of some rows are read.

    Rows are chosen by the names of columns: ``sentence=numbers`` are those with one of these numbers in that column,
    and None is all. ``step`` may name a file in one that has several.
    """

    def __init__(self, folder: RunFolder) -> None:
        """Raises InputError for a folder that is not one of ours, or not complete."""
        self.folder = folder
        self.plan, self.steps = complete_steps(folder)

    def table(
        self, step: str, columns: Sequence[str], chosen: ds.Expression | None = None, **wanted: I64 | None
    ) -> pa.Table:
        """Some columns of a step, in any order; ``chosen`` are the rows for which an expression of pyarrow is true."""
        return self._dataset(step).to_table(columns=list(columns), filter=_expression(wanted) if wanted else chosen)

    def rows(
        self, step: str, columns: Sequence[str], renumbered: Renumbering | None = None, **wanted: I64 | None
    ) -> Iterator[Row]:
        """The same as rows, without holding all of them, and maybe with other numbers in some columns."""
        return as_rows(self._dataset(step).to_batches(columns=list(columns), filter=_expression(wanted)), renumbered)

    def sorted_rows(
        self,
        step: str,
        columns: Sequence[str],
        by: Sequence[str],
        renumbered: Renumbering | None = None,
        **wanted: I64 | None,
    ) -> Iterator[Row]:
        """The same in the ascending order of what the run has."""
        found = self.table(step, columns, **wanted).sort_by([(name, "ascending") for name in by])
        return as_rows(found.to_batches(), renumbered)

    def numbers(self, step: str, column: str, **wanted: I64 | None) -> I64:
        """A column of whole numbers."""
        return numbers_of(self.table(step, [column], **wanted)[column])

    def _dataset(self, step: str) -> ds.Dataset:
        return ds.dataset(self.folder.files(step), format="parquet")

    def items(self, file: int, units: I64 | None) -> Iterator[Item]:
        """The units of a file as the importer reads them, in its order; those of these numbers, or all."""
        columns = ("unit", "file", "line", "texts", "languages", "name", "document", "versions", "rejected")
        for path in sorted(self.folder.files("unit").glob("*.parquet")):
            chosen = ds.field("file") == file
            if units is not None:
                chosen = chosen & ds.field("unit").isin(units)
            table = ds.dataset(path, format="parquet").to_table(columns=list(columns), filter=chosen)
            yield from read_items(table.sort_by("unit").to_batches())


def _expression(wanted: Mapping[str, I64 | None]) -> ds.Expression | None:
    """As pyarrow has it; None for all rows."""
    chosen = [ds.field(column).isin(numbers) for column, numbers in wanted.items() if numbers is not None]
    return chosen[0] if chosen else None


@dataclass(frozen=True)
class LoadedPart:
    """What of a run is to be loaded; None in place of numbers is all."""

    results: RunResults
    seeds: I64
    """The sentences that were generated from, or those of them that were asked for."""
    sentences: I64 | None = None
    units: I64 | None = None
    contexts: I64 | None = None
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    """What is to be loaded of steps of which it is not all; none for all."""
    rewordings: frozenset[tuple[int, int]] = frozenset()
    """The pairs of B and B' of the derivations."""

    @property
    def is_all(self) -> bool:
        return self.sentences is None

    @property
    def fillers(self) -> I64 | None:
        return None if self.is_all else np.unique(numbers_of(self.tables["slot"]["filler"]))

    def rows(self, step: str, columns: Sequence[str], renumbered: Renumbering) -> Iterator[Row]:
        """Some columns of a step, as far as it is to be loaded, with other numbers."""
        if step in self.tables:
            return as_rows(self.tables[step].select(list(columns)).to_batches(), renumbered)
        return self.results.rows(step, columns, renumbered)


def part_of(results: RunResults, texts: Sequence[str] | None) -> LoadedPart:
    """What the seeds with these texts need to be looked at as in the whole, or all where none are given.

    Those are the seeds with what was generated from them and detected, all sentences of the analogies behind that, and
    the units in which any of these stand.
    """
    if texts is None:
        return LoadedPart(
            results,
            results.numbers("sentence", "sentence")
            if results.plan.all_seeds
            else np.unique(results.numbers("result", "seed")),
        )
    chosen = ds.field("text").isin(pa.array(sorted(set(texts)), pa.string()))
    seeds = numbers_of(results.table("sentence", ["sentence"], chosen)["sentence"])
    derived = _derived(results, seeds)
    pairs = derived.select(["low", "high", "contexts"]).group_by(["low", "high", "contexts"]).aggregate([])
    lone = _lone(results, seeds)
    replaced = lone.select(["context", "y", "sentence"]).rename_columns(["context", "filler", "sentence"])
    slots = _distinct(pa.concat_tables([_slots(results, seeds, pairs), replaced]))
    names = ["context", "y", "rewording", "sentence", "start", "stop"]
    substitutions = _distinct(pa.concat_tables([derived.select(names), lone.select(names)]))
    substitutions = substitutions.rename_columns(["context", "filler", *names[2:]])
    contexts = np.unique(numbers_of(slots["context"]))
    first = results.numbers("context", "sentence", context=contexts)
    detected = results.numbers("paraphrase", "paraphrase", sentence=seeds)
    behind = (numbers_of(substitutions["rewording"]), numbers_of(substitutions["sentence"]))
    sentences = np.unique(np.concatenate([seeds, numbers_of(slots["sentence"]), first, detected, *behind]))
    return LoadedPart(
        results,
        seeds,
        sentences,
        np.unique(results.numbers("occurrence", "unit", sentence=sentences)),
        contexts,
        {"slot": slots, "substitution": substitutions, "commutation": pairs},
        frozenset(zip(behind[1].tolist(), behind[0].tolist(), strict=True)),
    )


def _derived(results: RunResults, seeds: I64) -> pa.Table:
    columns = ("context", "x", "y", "rewording", "sentence", "start", "stop", "contexts")
    found = results.table("derivation", columns, ds.field("seed").isin(seeds) & (ds.field("contexts") >= 2))
    low, high = (side(found["x"], found["y"]) for side in (pc.min_element_wise, pc.max_element_wise))
    return found.append_column("low", low).append_column("high", high)


def _lone(results: RunResults, seeds: I64) -> pa.Table:
    """The derivations that a rewording of a seed may rest on: those with a clear place."""
    columns = ("context", "y", "rewording", "sentence", "start", "stop")
    if not results.plan.all_seeds:
        return results.table("derivation", columns, ds.scalar(False))
    reworded = np.unique(results.numbers("rewording/rewording.parquet", "sentence", sentence=seeds))
    chosen = ds.field("seed").isin(reworded) & ds.field("start").is_valid()
    return results.table("derivation", columns, chosen)


def _distinct(table: pa.Table) -> pa.Table:
    return table.group_by(table.column_names).aggregate([]).select(table.column_names)


def _slots(results: RunResults, seeds: I64, pairs: pa.Table) -> pa.Table:
    """The slots of the seeds, and those of every context that holds both fillers of one of these pairs."""
    columns = ("context", "filler", "sentence")
    low, high = numbers_of(pairs["low"]), numbers_of(pairs["high"])
    fillers = np.unique(np.concatenate([low, high]))
    chosen = ds.field("sentence").isin(seeds) | ds.field("filler").isin(fillers)
    table = results.table("slot", columns, chosen).sort_by([("filler", "ascending"), ("context", "ascending")])
    filler, context = numbers_of(table["filler"]), numbers_of(table["context"])
    wanted: Bools = np.isin(numbers_of(table["sentence"]), seeds)
    begins, ends = (np.searchsorted(filler, fillers, side=side) for side in ("left", "right"))
    for one, other in zip(np.searchsorted(fillers, low), np.searchsorted(fillers, high), strict=True):
        if ends[one] - begins[one] > ends[other] - begins[other]:
            one, other = other, one
        here = context[begins[one] : ends[one]]
        there = context[begins[other] : ends[other]]
        place = np.minimum(np.searchsorted(there, here), len(there) - 1)
        both = there[place] == here
        wanted[begins[one] : ends[one]] |= both
        wanted[begins[other] + place[both]] = True
    return table.filter(pa.array(wanted))
