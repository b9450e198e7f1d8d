"""Rewordings: what B : B' :: D : t gives where no second context shows it, and an exchange of words vouches for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from corpusdb.analogy.slots import filler_hashes
from corpusdb.distributed.derivation import with_evidence
from corpusdb.distributed.fluency import measured
from corpusdb.distributed.rows import as_batches, as_rows
from corpusdb.exchange.evidence import Sums
from corpusdb.exchange.judging import judge_applied
from corpusdb.exchange.lone import LEAST_ORDER, replacements
from corpusdb.exchange.pair_differences import Pair, PairComparer
from corpusdb.exchange.rates import WHOLE
from corpusdb.exchange.stored_sums import StoredExchange, StoredPart, index_of_sums
from corpusdb.exchange.validity_models import ValidityModels

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from corpusdb.distributed.workspace import Workspace

__all__ = ["lone_candidates", "lone_fluencies", "rewordings"]


def lone_candidates(work: Workspace) -> DataFrame:
    """What no other origin has of each sentence, through pairs B and B' that an exchange vouches for.

    Where only some sentences are generated from, there are none, as in the database.
    """
    from pyspark.sql import functions as F

    pairs = _vouched(work)
    derived = work.read("derivation").where("start is not null").join(pairs, ["sentence", "rewording"], "left_semi")
    derived = derived.join(work.read("commutation"), ["low", "high"], "left_anti").withColumn("contexts", F.lit(1))
    found = with_evidence(work, derived)
    found = found.join(work.read("candidate"), ["seed", "text"], "left_anti")
    by_text = work.read("sentence").select(F.col("sentence").alias("paraphrase"), "text")
    detected = work.read("paraphrase").select(F.col("sentence").alias("seed"), "paraphrase").join(by_text, "paraphrase")
    found = found.join(detected, ["seed", "text"], "left_anti")
    return found if work.seed_texts is None else found.limit(0)


def _vouched(work: Workspace) -> DataFrame:
    """The paraphrases of which every region that differs is a replacement of some rate."""
    from pyspark.sql import functions as F

    known = work.table("validity/exchange.parquet")
    texts = list(zip(known["x"].to_pylist(), known["y"].to_pylist(), strict=True))
    figures = [np.asarray(known[name].to_numpy(), dtype=np.float64) for name in ("shared", "expected")]
    chosen = sorted(replacements(texts, Sums(figures[0], figures[1] / WHOLE)))
    hashes = filler_hashes([side for pair in chosen for side in pair]).reshape(-1, 2).tolist()
    wanted = work.spark.createDataFrame([(*pair, True) for pair in hashes], "before long, after long, known boolean")
    found = work.read("compared").where("detected").select("seed", "other", "before", "after", "regions")
    single = found.where(F.size("regions") == 0).select("seed", "other", "before", "after")
    at = F.explode(F.sequence(F.lit(0), F.size("regions") - 2, F.lit(2))).alias("at")
    several = found.where(F.size("regions") > 0).select("seed", "other", "regions", at)
    sides = F.col("regions")[F.col("at")].alias("before"), F.col("regions")[F.col("at") + 1].alias("after")
    regions = single.union(several.select("seed", "other", *sides))
    judged = regions.join(F.broadcast(wanted), ["before", "after"], "left")
    vouched = judged.groupBy("seed", "other").agg(F.count("*").alias("regions"), F.count("known").alias("known"))
    return vouched.where("regions = known").select(F.col("seed").alias("sentence"), F.col("other").alias("rewording"))


def lone_fluencies(work: Workspace) -> DataFrame:
    """The fluency of these."""
    return measured(work, work.read("lone").select("text").distinct())


_REWORDING: Final = pa.schema(
    [
        ("sentence", pa.int64()),
        ("text", pa.string()),
        ("pivots", pa.int32()),
        ("languages", pa.int32()),
        ("probability", pa.float64()),
        ("fluency", pa.int64()),
        ("inner_fluency", pa.int64()),
        ("validity", pa.float64()),
    ]
)


def rewordings(work: Workspace, judging: dict[str, Any]) -> pa.Table:
    """Those that are fluent, and of which the exchange is known beside one of its neighbours.

    ``judging`` is what is known of the step that judged the candidates.
    """
    fluency = {text: rest for text, *rest in as_rows(work.table("lone_fluency").to_batches())}
    sentences: dict[int, str] = dict(as_rows(work.table("sentence", ["sentence", "text"]).to_batches()))
    lone = work.table("lone").sort_by([("seed", "ascending"), ("text", "ascending")])
    fluent = [row for row in as_rows(lone.to_batches()) if fluency[row[1]][0] >= LEAST_ORDER]
    if not fluent:
        return pa.Table.from_batches([], _REWORDING)
    exchanges = [StoredExchange(place, *row) for place, row in enumerate(as_rows(_sums(work, "exchange").to_batches()))]
    fillers = sorted({text for each in exchanges for text in (each.x, each.y)})
    neighbours: dict[str, int] = {}
    comparer = PairComparer({}, {text: number for number, text in enumerate(fillers)}, neighbours)
    comparer.add(Pair(0, sentences[seed], text, 0, 0, 0.0) for seed, text, *_ in fluent)
    pairs = comparer.differences()
    parts = map(StoredPart._make, as_rows(_sums(work, "part").to_batches()))
    evidence = index_of_sums(exchanges, parts, fillers, neighbours).evidence(pairs)
    models = ValidityModels.read(judging["model"])
    shown, vouched = judge_applied(models, evidence, pairs)
    rows = (
        (seed, text, pivots, languages, probability, *fluency[text][:2], models.lone(validity))
        for (seed, text, _, pivots, languages, probability), validity, held in zip(
            fluent, shown.tolist(), vouched.tolist(), strict=True
        )
        if held
    )
    return pa.Table.from_batches(as_batches(rows, _REWORDING), _REWORDING)


def _sums(work: Workspace, name: str) -> pa.Table:
    columns = ["x", "y"] if name == "exchange" else ["exchange", "kind", "name"]
    return work.table(f"validity/{name}.parquet", [*columns, "pairs", "shared", "expected"])
