"""The corpus as sentences and links, and the paraphrases that share a translation (Lepage & Denoual 2005, 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from corpusdb.distributed.rows import Batches, Row, as_batches, as_rows
from corpusdb.pivot.detection import MAX_SHARING, paraphrases_of
from corpusdb.text import normalise

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from corpusdb.distributed.workspace import Workspace

__all__ = ["links", "occurrences", "paraphrases", "sentences"]

_POSITIONS: Final = 1 << 20
"""A unit has fewer texts than this: the number of an occurrence is that of the unit times this, plus its place."""
_OCCURRENCE: Final = pa.schema(
    [("unit", pa.int64()), ("key", pa.int64()), ("language", pa.string()), ("text", pa.string())]
)


def occurrences(work: Workspace) -> DataFrame:
    """Every text of every unit, normalised, with the number of its sentence: that of its first occurrence."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    texts = work.read("unit").where("rejected is null").select("unit", "languages", "texts")
    found = work.apply(texts, _occurrences, _OCCURRENCE)
    same = Window.partitionBy("text", "language")
    return found.withColumn("sentence", F.min("key").over(same))


def _occurrences(batches: Batches) -> Batches:
    return as_batches(_texts(as_rows(batches)), _OCCURRENCE)


def _texts(rows: Iterable[Row]) -> Iterator[Row]:
    for unit, languages, texts in rows:
        for place, (language, text) in enumerate(zip(languages, texts, strict=True)):
            if text:
                yield unit, unit * _POSITIONS + place, language, normalise(text)


def sentences(work: Workspace) -> DataFrame:
    """Each distinct text of the language once."""
    from pyspark.sql import functions as F

    found = work.read("occurrence").where(F.col("language") == work.language)
    return found.where("key = sentence").select("sentence", "text")


def links(work: Workspace) -> DataFrame:
    """Which sentences of the language are translated by which of others."""
    from pyspark.sql import functions as F

    found = work.read("occurrence")
    own = found.where(F.col("language") == work.language).select("unit", "sentence")
    other = found.where(F.col("language") != work.language)
    other = other.select("unit", F.col("sentence").alias("translation"), "language")
    return own.join(other, "unit").select("sentence", "language", "translation").distinct()


_SHARES: Final = ("sentence", "paraphrase", "language", "translations", "sentences")
_PARAPHRASE: Final = pa.schema(
    [
        ("sentence", pa.int64()),
        ("paraphrase", pa.int64()),
        ("translations", pa.int32()),
        ("languages", pa.string()),
        ("probability", pa.float64()),
    ]
)


def paraphrases(work: Workspace) -> DataFrame:
    """The sentences that share translations; one that more than MAX_SHARING sentences have makes no pair."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    link = work.read("link")
    degree = link.groupBy("sentence").agg(F.count("*").alias("translations"))
    fan = link.withColumn("sentences", F.count("*").over(Window.partitionBy("translation")))
    fan = fan.where(F.col("sentences").between(2, MAX_SHARING))
    other = fan.select("translation", F.col("sentence").alias("paraphrase"))
    shares = fan.join(other, "translation").where("sentence <> paraphrase").join(degree, "sentence")
    return work.apply_by(shares.select(*_SHARES), ["sentence"], _paraphrases, _PARAPHRASE)


def _paraphrases(batches: Batches) -> Batches:
    return as_batches(_found(as_rows(batches)), _PARAPHRASE)


def _found(rows: Iterable[Row]) -> Iterator[Row]:
    for sentence, group in groupby(rows, key=itemgetter(0)):
        shares = ((one, other, language, 1.0 / (own * n)) for one, other, language, own, n in group)
        yield from paraphrases_of(sentence, shares)
