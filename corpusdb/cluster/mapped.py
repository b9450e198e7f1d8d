"""What every worker looks things up in: sentences, their translations and paraphrases, in files mapped into memory.

A row of a step names its sentences by numbers; their texts would be most of what goes from task to task, where each has
every text of all that it is made of. The files are made by the driver, in the order in which rows are looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np
import pyarrow as pa

from corpusdb.base.arrays import I64, distinct
from corpusdb.base.ngrams import text_hashes
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.paraphrase.pair_differences import UNKNOWN
from corpusdb.paraphrase.rewording import Part, PartRow, words_inside
from corpusdb.paraphrase.witnesses import TranslatedText

Row: TypeAlias = tuple[Any, ...]


def columns(told: str) -> pa.Schema:
    """Columns by their names and types: "sentence int64, text string"."""
    pairs = (each.split() for each in told.split(", "))
    return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in pairs])


def numbers_of(column: pa.ChunkedArray) -> I64:
    """A column of whole numbers, none of them missing."""
    return np.asarray(column.to_numpy(), dtype=np.int64)


# What a worker makes once for many tasks.

_Of = TypeVar("_Of")
_Made = TypeVar("_Made")


def kept(make: Callable[[_Of], _Made], of: _Of) -> _Made:
    """What a function makes of something, kept until another is asked for: models make room for a sorted corpus."""
    return cast("_Made", _kept(make, of))


@lru_cache(maxsize=1)
def _kept(make: Callable[[Any], Any], of: Any) -> Any:
    return make(of)


# A step of such files.


@dataclass(frozen=True, slots=True)
class Mapped:
    """Where workers find the files of a step, as ``RunFolder.on_workers`` tells; functions take it along."""

    folder: str
    is_sent: bool
    """Whether Spark has sent the folder to the workers, and they find it by its name."""

    @property
    def place(self) -> Path:
        if not self.is_sent:
            return Path(self.folder)
        from pyspark import SparkFiles

        return Path(SparkFiles.get(self.folder))

    def at(self, name: str, keys: I64) -> tuple[I64, pa.Table]:
        """The rows of a file that begin with each of some keys, in their order: by row the place of its key."""
        path = self.place / f"{name}.arrow"
        table, known = _mapped(path, path.stat().st_mtime_ns)
        begin, end = (np.searchsorted(known, keys, side=side) for side in ("left", "right"))
        sizes = end - begin
        which = np.repeat(np.arange(len(keys)), sizes)
        rows = np.repeat(begin - np.cumsum(sizes) + sizes, sizes) + np.arange(len(which))
        return which, table.take(pa.array(rows))


@cache
def _mapped(path: Path, made: int) -> tuple[pa.Table, I64]:
    """The rows of a file and its first column, by which they ascend; ``made``: which file it is.

    Both stay on the disk until somebody looks.
    """
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all().combine_chunks()
    return table, np.asarray(table.column(0).combine_chunks())


def write_mapped(place: Path, name: str, table: pa.Table) -> None:
    """Write rows in the order of their first column; those of equal ones stay in theirs."""
    order = np.argsort(numbers_of(table.column(0)), kind="stable")
    table = table.take(pa.array(order))
    with pa.OSFile(str(place / f"{name}.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks())


# The sentences of the language.

_TEXTS: Final = columns("sentence int64, text large_string")


def write_texts(place: Path, sentences: pa.Table) -> int:
    """Write sentences with their numbers, the numbers by texts, and how often words stand inside; how many they are."""
    texts = sentences["text"].to_pylist()
    write_mapped(place, "texts", sentences.select(_TEXTS.names).cast(_TEXTS))
    prints = pa.array(text_hashes(texts))
    write_mapped(place, "numbers", pa.table({"print": prints, "sentence": sentences["sentence"]}))
    inside = words_inside(enumerate(texts))
    counts = {"print": pa.array(text_hashes(list(inside))), "count": pa.array(inside.values(), pa.int64())}
    write_mapped(place, "words", pa.table(counts))
    return len(texts)


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of the language for functions that run on the workers."""

    files: Mapped

    def of(self, numbers: I64) -> list[str]:
        """The texts of sentences by their numbers."""
        found: list[str] = self.files.at("texts", numbers)[1]["text"].to_pylist()
        return found

    def beside(self, batches: Iterable[pa.RecordBatch], *places: int) -> Iterator[Row]:
        """The rows of batches, each with the texts of the sentences in these columns behind it."""
        for batch in batches:
            told = []
            for place in places:
                distinct, which = np.unique(np.asarray(batch.column(place)), return_inverse=True)
                texts = self.of(distinct)
                told.append([texts[each] for each in which.tolist()])
            yield from zip(*(column.to_pylist() for column in batch.columns), *told, strict=True)

    def numbers(self, texts: Sequence[str]) -> I64:
        """The numbers of sentences by their texts; UNKNOWN for what is none."""
        which, rows = self.files.at("numbers", text_hashes(texts))
        numbers = numbers_of(rows["sentence"])
        same = [texts[each] == text for each, text in zip(which.tolist(), self.of(numbers), strict=True)]
        found = np.full(len(texts), UNKNOWN)
        found[which[same]] = numbers[same]
        return found

    def inside(self, word: str) -> int:
        """How often a word stands inside of sentences: not as the first."""
        counts: list[int] = self.files.at("words", text_hashes([word]))[1]["count"].to_pylist()
        return sum(counts)


# Their translations.


def write_translations(place: Path, links: pa.Table, texts: pa.Table) -> int:
    """Write the translations of sentences, given links of these, and the numbers and texts of the translations."""
    column = texts_of(texts, numbers_of(links["translation"]))
    write_mapped(place, "translations", links.select(["sentence", "language"]).append_column("text", column))
    return int(links.num_rows)


def texts_of(table: pa.Table, numbers: I64) -> pa.ChunkedArray:
    """The texts of sentences that a table has, by their numbers."""
    known = numbers_of(table["sentence"])
    order = np.argsort(known, kind="stable")
    places = order[np.searchsorted(known, numbers, sorter=order)]
    return table["text"].cast(pa.large_string()).take(pa.array(places))


def translated(texts: Texts, files: Mapped, sentences: Iterable[str]) -> list[TranslatedText]:
    """The translations of those texts that are sentences of the corpus."""
    asked = sorted(set(sentences))
    numbers = texts.numbers(asked)
    known = np.flatnonzero(numbers != UNKNOWN)
    which, rows = files.at("translations", numbers[known])
    of = (asked[place] for place in known[which].tolist())
    return list(zip(of, rows["language"].to_pylist(), rows["text"].to_pylist(), strict=True))


# Their paraphrases that may stand in longer sentences, or be put together.

_PART: Final = columns("key int64, sentence int64, text large_string, validity double, replacement int64")


def write_parts(place: Path, rows: Iterable[tuple[int, PartRow]]) -> int:
    """Write paraphrases of sentences by a key; how many they are."""
    columns = list(zip(*((key, *row[:4]) for key, row in rows), strict=True)) or [()] * len(_PART)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _PART, strict=True)]
    write_mapped(place, "parts", pa.Table.from_arrays(arrays, schema=_PART))
    return len(columns[0])


def part_rows(files: Mapped, keys: I64) -> list[PartRow]:
    """Those with one of these keys."""
    rows = files.at("parts", distinct(keys))[1].to_pylist()
    return [(row["sentence"], row["text"], row["validity"], row["replacement"], NO_LIMIT, None) for row in rows]


def parts_of(files: Mapped, sentences: I64) -> dict[int, list[Part]]:
    """Those of sentences, which are their keys."""
    rows = part_rows(files, sentences)
    return {number: [Part(*row[1:4]) for row in some] for number, some in groupby(rows, key=itemgetter(0))}
