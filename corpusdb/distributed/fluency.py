"""The fluency of candidates: up to which N all their N-sequences occur in the corpus (section 4.4), exactly.

Sentences stand in segments as in the database: sorted suffixes of at most so many characters. A worker looks its
candidates up in one segment after the other, and keeps at each character the longest sequence that any of them has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from corpusdb.arrays import I32, I64
from corpusdb.charlm import fluency_of
from corpusdb.distributed.rows import Batches, Row, as_batches, as_rows
from corpusdb.ngrams.longest_matches import SortedCorpus
from corpusdb.ngrams.suffixes import MAX_CHARACTERS, segment_starts, sort_suffixes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from corpusdb.distributed.workspace import Workspace

__all__ = ["fluencies", "measured", "segments"]

_SEGMENT: Final = pa.schema(
    [
        ("segment", pa.int32()),
        ("text", pa.binary()),  # UTF-8: each sentence between two line breaks
        ("sentences", pa.binary()),  # little-endian int64, ascending
        ("suffixes", pa.binary()),  # little-endian int32
    ]
)


def segments(work: Workspace) -> DataFrame:
    """The sentences in segments, with their suffixes in order."""
    from pyspark.sql import functions as F

    sentence = work.read("sentence")
    sizes = sentence.select("sentence", F.length("text").alias("size")).toArrow().sort_by("sentence")
    starts = segment_starts(sizes["size"].to_pylist(), MAX_CHARACTERS)
    first: I64 = sizes["sentence"].to_numpy()[starts]
    bounds = (
        F.array(*(F.lit(int(number)) for number in first[1:])) if len(first) > 1 else F.array().cast("array<bigint>")
    )
    segment = F.size(F.filter(bounds, lambda bound: bound <= F.col("sentence"))).alias("segment")
    numbered = sentence.select(segment, "sentence", "text")
    return work.apply_by(numbered, ["segment", "sentence"], _segments, _SEGMENT)


def _segments(batches: Batches) -> Batches:
    numbers: list[int] = []
    texts: list[str] = []
    current = None
    for segment, sentence, text in as_rows(batches):
        if segment != current and texts:
            yield from as_batches([_segment(current, numbers, texts)], _SEGMENT)
            numbers, texts = [], []
        current = segment
        numbers.append(sentence)
        texts.append(text)
    if texts:
        yield from as_batches([_segment(current, numbers, texts)], _SEGMENT)


def _segment(number: int | None, numbers: list[int], texts: list[str]) -> Row:
    text = "\n" + "\n".join(texts) + "\n"
    sentences = np.array(numbers, dtype="<i8").tobytes()
    return number, text.encode(), sentences, sort_suffixes(text).astype("<i4").tobytes()


_FLUENCY: Final = pa.schema(
    [
        ("text", pa.string()),
        ("fluency", pa.int64()),
        ("inner_fluency", pa.int64()),
        ("unseen", pa.int64()),
        ("inner_unseen", pa.int64()),
    ]
)
_TEXTS_AT_ONCE: Final = 200_000


def fluencies(work: Workspace) -> DataFrame:
    """The fluency of every text that was generated."""
    return measured(work, work.read("candidate").select("text").distinct())


def measured(work: Workspace, texts: DataFrame) -> DataFrame:
    """The fluency of different texts."""
    # Each partition reads all segments, so that there are no more of them than can run at a time.
    return work.apply(texts, Measured(work.folder / "segment"), _FLUENCY, partitions=work.cores)


@dataclass(frozen=True)
class Measured:
    """The function of a worker; the folder of the segments goes to it with this object."""

    folder: Path

    def __call__(self, batches: Batches) -> Batches:
        rows = as_rows(batches)
        while part := [text for (text,) in islice(rows, _TEXTS_AT_ONCE)]:
            yield from as_batches(self._measured(part), _FLUENCY)

    def _measured(self, texts: list[str]) -> Iterator[Row]:
        for text, found in fluency_of(texts, self._longest).items():
            yield text, *found

    def _longest(self, text: str) -> I32:
        lengths = np.zeros(len(text), dtype=np.int32)
        for path in sorted(self.folder.glob("*.parquet")):
            for batch in pq.ParquetFile(path).iter_batches(batch_size=1, columns=["text", "suffixes"]):
                ((corpus, suffixes),) = as_rows([batch])
                found = SortedCorpus(corpus.decode(), np.frombuffer(suffixes, dtype="<i4")).longest(text)
                np.maximum(lengths, found, out=lengths)
        return lengths
