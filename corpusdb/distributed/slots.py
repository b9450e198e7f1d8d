"""Slots that can take part in an analogy, and where their fillers stand in paraphrases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from corpusdb.analogy.commutation import MAX_FILLERS
from corpusdb.analogy.slots import cut_slots
from corpusdb.analogy.substitution import FilledSlot, Rewording
from corpusdb.analogy.substitution import substitutions as places_in
from corpusdb.distributed.rows import Batches, Row, as_batches, as_rows
from corpusdb.text import unit_ends

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from corpusdb.distributed.workspace import Workspace

__all__ = ["contexts", "fillers", "shared_slots", "slots", "substitutions"]

_SLOT: Final = pa.schema(
    [
        ("sentence", pa.int64()),
        ("start", pa.int32()),
        ("stop", pa.int32()),
        ("context", pa.int64()),  # fingerprints, as in the database
        ("filler", pa.int64()),
    ]
)


def shared_slots(work: Workspace) -> DataFrame:
    """The slots whose context two sentences have; no sentence has a context twice."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    found = work.apply(work.read("sentence"), _slots, _SLOT)
    found = found.withColumn("fillers", F.count("*").over(Window.partitionBy("context")))
    return found.where("fillers >= 2")


def _slots(batches: Batches) -> Batches:
    for batch in batches:
        numbers = np.array(batch.column(0).to_pylist(), dtype=np.int64)
        found = cut_slots(batch.column(1).to_pylist())
        columns = numbers[found.sentence], found.start, found.stop, found.context, found.filler
        yield pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=_SLOT)


def contexts(work: Workspace) -> DataFrame:
    """Each context that two sentences have: how many, and where it stands first."""
    from pyspark.sql import functions as F

    first = F.min_by(F.struct("sentence", "start", "stop"), "sentence")
    found = work.read("shared_slot").groupBy("context").agg(F.first("fillers").alias("fillers"), first.alias("first"))
    return found.select("context", "fillers", "first.*")


def slots(work: Workspace) -> DataFrame:
    """Of these the slots whose context is not too common, and whose filler stands in two such contexts."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    usable = work.read("shared_slot").where(F.col("fillers") <= MAX_FILLERS).drop("fillers")
    usable = usable.withColumn("contexts", F.count("*").over(Window.partitionBy("filler")))
    return usable.where("contexts >= 2")


def fillers(work: Workspace) -> DataFrame:
    """Each filler of those slots with its text, and in how many it stands."""
    from pyspark.sql import functions as F

    at = F.min_by(F.struct("sentence", "start", "stop"), "sentence").alias("at")
    found = (
        work.read("slot").groupBy("filler").agg(F.count("*").alias("contexts"), at).select("filler", "contexts", "at.*")
    )
    text = F.substring("text", F.col("start") + 1, F.col("stop") - F.col("start"))
    return found.join(work.read("sentence"), "sentence").select("filler", text.alias("text"), "contexts")


_SUBSTITUTION: Final = pa.schema(
    [
        ("context", pa.int64()),
        ("filler", pa.int64()),
        ("rewording", pa.int64()),
        ("sentence", pa.int64()),
        ("start", pa.int32()),
        ("stop", pa.int32()),
    ]
)


def substitutions(work: Workspace) -> DataFrame:
    """The fillers of each sentence with paraphrases that stand in one of these too, and where."""
    from pyspark.sql import functions as F

    sentence = work.read("sentence")
    other = sentence.select(F.col("sentence").alias("paraphrase"), F.col("text").alias("reworded"))
    pairs = work.read("paraphrase").select("sentence", "paraphrase")
    pairs = pairs.join(sentence, "sentence").join(other, "paraphrase")
    slot = work.read("slot").select("sentence", "context", "filler", "start", "stop")
    columns = ("sentence", "paraphrase", "text", "reworded", "context", "filler", "start", "stop")
    found = slot.join(pairs, "sentence").select(*columns)
    return work.apply_by(found, ["sentence", "paraphrase"], _substitutions, _SUBSTITUTION)


def _substitutions(batches: Batches) -> Batches:
    return as_batches(_replaceable(as_rows(batches)), _SUBSTITUTION)


def _replaceable(rows: Iterable[Row]) -> Iterator[Row]:
    for (sentence, number, text, reworded), group in groupby(rows, key=itemgetter(0, 1, 2, 3)):
        rewording = Rewording(number, reworded, frozenset(unit_ends(reworded)))
        filled = [FilledSlot(sentence, row[4], row[5], text[row[6] : row[7]]) for row in group]
        yield from places_in(filled, rewording)
