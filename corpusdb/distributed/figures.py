"""What a run has to tell beside its rows: what was left out, and how many different things there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpusdb.analogy.commutation import MAX_FILLERS
from corpusdb.distributed.workspace import Workspace
from corpusdb.pivot.detection import MAX_SHARING

__all__ = ["figures_of"]


def figures_of(work: Workspace) -> Mapping[str, Any]:
    """Counts over the complete steps, and how many candidates have each order."""
    from pyspark.sql import functions as F

    result = work.read("result")
    fan = work.read("link").groupBy("translation").count()
    slot, text = work.read("slot").select("filler", "sentence", "start", "stop"), work.read("sentence")
    filler = F.expr("substring(text, start + 1, stop - start)")
    texts = slot.join(text, "sentence").groupBy("filler").agg(F.count_distinct(filler).alias("texts"))
    seeds = work.seeds()
    orders = result.groupBy("fluency").count().collect()
    return {
        "too_common": work.read("context").where(F.col("fillers") > MAX_FILLERS).count(),
        "left_out": fan.where(F.col("count") > MAX_SHARING).count(),
        "orders": sorted([row["fluency"], row["count"]] for row in orders),
        "seeds": result.select("seed").distinct().count(),
        "missing_seeds": 0 if seeds is None else len(work.seed_texts or ()) - seeds.count(),
        "collisions": texts.where("texts > 1").count(),
    }
