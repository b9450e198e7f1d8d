"""Candidates: which exchanges of fillers are asked for, in how many contexts each stands, and what they give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from corpusdb.analogy.derivation import MOST_FILLER, Derivation
from corpusdb.analogy.derivation import candidates as derived_candidates
from corpusdb.distributed.rows import Batches, Row, as_batches, as_rows

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
    *("contexts", "context", "x", "y", "languages", "probability"),
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
    return as_batches(_evidence(as_rows(batches)), _CANDIDATE)


def _evidence(rows: Iterable[Row]) -> Iterator[Row]:
    for (seed, text), group in groupby(rows, key=itemgetter(0, 1)):
        known = _Known()
        derived = [known.derivation(row) for row in group]
        for found in derived_candidates(text, derived, known):
            yield seed, found.text, found.frequency, found.pivots, found.languages, found.probability


class _Known:
    """The sentences and paraphrases that the rows of one seed bring along."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._shared: dict[tuple[int, int], tuple[frozenset[str], float]] = {}

    def derivation(self, row: Row) -> Derivation:
        """One row, of which the texts are kept."""
        seed, seed_text, begin, end, sentence, text, rewording, reworded, start, stop, contexts, context, x, y = row[
            :14
        ]
        self._texts[sentence], self._texts[rewording] = text, reworded
        self._shared[sentence, rewording] = frozenset(row[14].split(",")), row[15]
        return Derivation(seed, seed_text[begin:end], sentence, rewording, start, stop, contexts - 1, context, x, y)

    def text(self, sentence: int) -> str:
        """The text of a sentence."""
        return self._texts[sentence]

    def shared(self, sentence: int, rewording: int) -> tuple[frozenset[str], float]:
        """In which languages a sentence and its paraphrase share translations, and the pivot probability."""
        return self._shared[sentence, rewording]
