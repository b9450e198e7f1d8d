"""Candidates: which exchanges of fillers are asked for, in how many contexts each stands, and what they give."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute

from corpusdb.analogy.derivation import MOST_FILLER
from corpusdb.analogy.derivation_arrays import Derivations, Pairs, Replaced, candidates_of_many
from corpusdb.arrays import I64
from corpusdb.distributed.rows import Batches, Row, as_batches, numbers_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from corpusdb.distributed.workspace import Workspace

__all__ = ["candidates", "commutations", "derivations", "with_evidence"]


def derivations(work: Workspace) -> DataFrame:
    """What a seed D = c[x] could be given by B = c[y] and its paraphrase B', if x and y commute elsewhere too."""
    from pyspark.sql import functions as F

    length = work.read("sentence").select("sentence", F.length("text").alias("length"))
    seeds = work.seeds()
    if seeds is not None:
        length = length.join(F.broadcast(seeds), "sentence", "left_semi")
    slot = work.read("slot").select("context", "sentence", F.col("filler").alias("x"), "start", "stop")
    usable = F.col("stop") - F.col("start") <= F.lit(MOST_FILLER) * F.col("length")
    slot = slot.join(length, "sentence").where(usable)
    slot = slot.select(
        "context",
        "x",
        F.col("sentence").alias("seed"),
        F.col("start").alias("seed_start"),
        F.col("stop").alias("seed_stop"),
    )
    found = slot.join(work.read("substitution").withColumnRenamed("filler", "y"), "context").where("x <> y")
    return found.withColumn("low", F.least("x", "y")).withColumn("high", F.greatest("x", "y"))


def commutations(work: Workspace) -> DataFrame:
    """In how many contexts two fillers both stand, where they are two or more: of the pairs that are asked for only."""
    from pyspark.sql import functions as F

    asked = work.read("derivation").select("low", "high").distinct()
    either = asked.select(F.col("low").alias("filler")).union(asked.select(F.col("high").alias("filler"))).distinct()
    slot = work.read("slot").select("context", "filler").join(either, "filler", "left_semi")
    one, other = slot.withColumnRenamed("filler", "low"), slot.withColumnRenamed("filler", "high")
    pairs = (
        one.join(other, "context").where("low < high").select("low", "high").join(asked, ["low", "high"], "left_semi")
    )
    return pairs.groupBy("low", "high").agg(F.count("*").alias("contexts")).where("contexts >= 2")


_CANDIDATE: Final = pa.schema(
    [
        ("seed", pa.int64()),
        ("text", pa.string()),
        ("frequency", pa.int64()),
        ("pivots", pa.int32()),
        ("languages", pa.int32()),
        ("probability", pa.float64()),
    ]
)
_COLUMNS: Final = (
    *("seed", "seed_text", "seed_start", "seed_stop", "sentence", "text", "rewording", "reworded", "start", "stop"),
    *("contexts", "x", "languages", "probability"),
)


def candidates(work: Workspace) -> DataFrame:
    """What is derived from each seed where fillers commute, with all that stands behind it."""
    return with_evidence(work, work.read("derivation").join(work.read("commutation"), ["low", "high"]))


def with_evidence(work: Workspace, derived: DataFrame) -> DataFrame:
    """The candidates of some derivations, of which each has the number of contexts of its fillers."""
    from pyspark.sql import functions as F

    sentence = work.read("sentence")
    seed = sentence.select(F.col("sentence").alias("seed"), F.col("text").alias("seed_text"))
    other = sentence.select(F.col("sentence").alias("rewording"), F.col("text").alias("reworded"))
    pairs = work.read("paraphrase").withColumnRenamed("paraphrase", "rewording")
    shared = pairs.select("sentence", "rewording", "languages", "probability")
    found = derived.join(shared, ["sentence", "rewording"])
    found = found.join(sentence, "sentence").join(other, "rewording").join(seed, "seed")
    return work.apply_by(found.select(*_COLUMNS), ["seed"], _candidates, _CANDIDATE)


def _candidates(batches: Batches) -> Batches:
    return as_batches(chain.from_iterable(map(_evidence, _by_whole_seeds(batches))), _CANDIDATE)


_DERIVED_AT_ONCE: Final = 20_000
"""Derivations of which the candidates are made together, and the rest of those of the last seed."""


def _by_whole_seeds(batches: Batches) -> Iterator[pa.Table]:
    """The rows, which come by seed, in parts of some thousands, with all rows of a seed in one of them."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        seeds = np.asarray(batch.column(0))
        last = int(np.searchsorted(seeds, seeds[-1])) if len(seeds) else 0
        waiting.append(batch.slice(0, last))
        if last and sum(each.num_rows for each in waiting) >= _DERIVED_AT_ONCE:
            yield pa.Table.from_batches(waiting)
            waiting = []
        waiting.append(batch.slice(last))
    if any(each.num_rows for each in waiting):
        yield pa.Table.from_batches(waiting)


def _evidence(rows: pa.Table) -> Iterator[Row]:
    """The candidates of the seeds of some rows."""
    numbers, texts = _sentences(rows)
    seed, sentence, rewording = (
        np.searchsorted(numbers, numbers_of(rows[name])) for name in ("seed", "sentence", "rewording")
    )
    _, first, x = np.unique(numbers_of(rows["x"]), return_index=True, return_inverse=True)
    bounds = (numbers_of(rows[name])[first].tolist() for name in ("seed_start", "seed_stop"))
    fillers = [texts[place][start:stop] for place, start, stop in zip(seed[first].tolist(), *bounds, strict=True)]
    _, first, pair = np.unique(sentence << 32 | rewording, return_index=True, return_inverse=True)
    shared = [frozenset(each.split(",")) for each in rows["languages"].take(pa.array(first)).to_pylist()]
    pairs = Pairs(
        sentence[first],
        rewording[first],
        np.asarray(rows["probability"].to_numpy(), dtype=np.float64)[first],
        [np.array([language in having for having in shared]) for language in sorted(frozenset().union(*shared))],
    )
    place = (numbers_of(pa.compute.fill_null(rows[name], -1)) for name in ("start", "stop"))
    each = np.arange(rows.num_rows)
    replaced = Replaced(each, each, pair, *place)  # of one derivation each, so that their own numbers do not matter
    derived = Derivations(seed, x, each, numbers_of(rows["contexts"]) - 1)
    for known, found in candidates_of_many(derived, replaced, pairs, texts, fillers).items():
        for of in found:
            yield int(numbers[known]), of.text, of.frequency, of.pivots, of.languages, of.probability


def _sentences(rows: pa.Table) -> tuple[I64, list[str]]:
    """The numbers of all sentences of some rows, ascending, and their texts."""
    named = (("seed", "seed_text"), ("sentence", "text"), ("rewording", "reworded"))
    numbers, first = np.unique(np.concatenate([numbers_of(rows[number]) for number, _ in named]), return_index=True)
    texts = pa.chunked_array([chunk for _, text in named for chunk in rows[text].chunks])
    return numbers, texts.take(pa.array(first)).to_pylist()
