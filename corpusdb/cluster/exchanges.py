"""Exchange rates, validity and the word model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute

from corpusdb.base.arrays import F64, I64, distinct, grouped
from corpusdb.base.ngrams import combined, text_hashes
from corpusdb.base.startup import give_memory_back
from corpusdb.base.text import units_of
from corpusdb.cluster.derivation import pairs_in_contexts
from corpusdb.cluster.mapped import Row, Texts, columns, numbers_of, texts_of
from corpusdb.cluster.workspace import Batches, Division, Kind, Sorted, as_batches, as_rows, of_kind, spark_schema
from corpusdb.paraphrase.differences import difference, differences_apart, units_beside
from corpusdb.paraphrase.exchange_index import ExchangeIndex, Sharing, TextSums, each_once, summed_up, sums_by_text
from corpusdb.paraphrase.frames import as_inside, frame_sums
from corpusdb.paraphrase.marking import Marking, marking_of
from corpusdb.paraphrase.pair_differences import UNKNOWN, PairDifferences
from corpusdb.paraphrase.sharing import MAX_SHARING, Instances, SharedTranslations, TranslationLinks, measured_recalls
from corpusdb.paraphrase.slots import Sieve
from corpusdb.paraphrase.validity import JudgedPairs, PairsToJudge, judge, recalls_by_language
from corpusdb.paraphrase.witnesses import (
    ChangedSides,
    ChangedWords,
    OverLanguages,
    TranslatedSentences,
    TranslationPairs,
)
from corpusdb.paraphrase.word_model import SaidByWords, said_by_words, train_word_model

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from corpusdb.cluster.workspace import Workspace

# Exchange rates and validity: comparing, and finding the pairs of sentences that show an exchange, is work of the
# cluster; the driver makes sums and models, in arrays of numbers, with the functions that the database is judged by.

_COMPARED: Final = pa.schema(
    [
        ("detected", pa.bool_()),
        ("seed", pa.int64()),
        ("text", pa.string()),
        ("other", pa.int64()),  # the sentence with that text; null where there is none
        ("before", pa.int64()),  # fingerprints of the two sides of the exchange
        ("after", pa.int64()),
        ("left", pa.string()),
        ("right", pa.string()),
        ("units_before", pa.int32()),
        ("units_after", pa.int32()),
        ("units_of_seed", pa.int32()),
        ("replacement", pa.bool_()),
        ("unseen", pa.bool_()),
        ("regions", pa.list_(pa.int64())),  # of a pair with several: the fingerprints of both sides of each
        ("beside_regions", pa.list_(pa.string())),  # the units to the left and to the right of each
        ("units_of_regions", pa.list_(pa.int32())),  # those of both sides of each
        ("changed", pa.list_(pa.string())),  # both sides of each region
        ("frequency", pa.int64()),
        ("languages", pa.int32()),
        ("probability", pa.float64()),
    ]
)


def compared(work: Workspace) -> DataFrame:
    """Candidates and detected paraphrases beside their seeds."""
    from pyspark.sql import functions as F

    sentence = work.read("sentence")
    by_text = sentence.select(F.col("sentence").alias("other"), "text")
    figures = ("frequency", "languages", "probability")
    generated = work.read("candidate").select("seed", "text", *figures).withColumn("detected", F.lit(False))
    generated = generated.join(by_text, "text", "left")
    found = work.read("paraphrase").select(F.col("sentence").alias("seed"), F.col("paraphrase").alias("other"))
    found = found.join(by_text, "other").withColumn("detected", F.lit(True))
    for name in figures:
        found = found.withColumn(name, F.lit(0).cast(generated.schema[name].dataType))
    pairs = generated.unionByName(found).select("seed", "detected", "text", "other", *figures)
    return work.apply_by(pairs, ["seed"], partial(_differences, work.language, work.texts()), _COMPARED)


def _differences(language: str, texts: Texts, batches: Batches) -> Batches:
    return as_batches(_compare(texts.beside(batches, 0), marking_of(language)), _COMPARED)


_HASHED_AT_ONCE: Final = 2_000
"""Pairs of which the fingerprints are made in one call, which costs some fifty times what a pair in it does."""


def _compare(rows: Iterable[Row], marking: Marking | None) -> Iterator[Row]:
    found = _sides_and_rest(rows, marking)
    while part := list(islice(found, _HASHED_AT_ONCE)):
        hashes = iter(text_hashes([side for _, sides, _ in part for side in sides]).tolist())
        for (detected, seed, text, other), sides, (exchange, *of_regions, figures) in part:
            before, after, *regions = islice(hashes, len(sides))
            yield detected, seed, text, other, before, after, *exchange, regions, *of_regions, *figures


def _sides_and_rest(rows: Iterable[Row], marking: Marking | None) -> Iterator[tuple[Row, list[str], Row]]:
    """What comes before the fingerprints in a row, the texts that they are of, and what comes behind them."""
    for (seed, seed_text), group in groupby(rows, key=itemgetter(0, -1)):
        units = units_of(seed_text)
        for _, detected, text, other, *figures, _ in group:
            other_units = units_of(text)
            found = difference(units, other_units)
            several = differences_apart(units, other_units, found) if len(found.regions) > 1 else ()
            sides = [*found.exchange, *(side for region in several for side in region.exchange)]
            unseen = marking is None or marking.change(units, other_units, found) is not None
            exchange = found.left, found.right, *found.units, len(units), found.is_replacement, unseen
            beside = [unit for region in several for unit in (region.left, region.right)]
            sizes = [size for region in several for size in region.units]
            changed = [side for region in found.regions for side in region]
            yield (detected, seed, text, other), sides, (exchange, beside, sizes, changed, figures)


_INSTANCE: Final = columns(
    "low int64, high int64, one int64, other int64, context int64, start int32, left string, right string"
)


_FILLED: Final = Kind(columns("context int64, filler int64, sentence int64"), ("context",))
_GAP: Final = Kind(columns("context int64, sentence int64, start int32, stop int32"), ("context",))


def instances(work: Workspace) -> DataFrame:
    """The pairs of sentences in one context that show an exchange by which a paraphrase differs from its seed."""
    by_context = Division((_FILLED, _GAP), work.partitions)
    wanted = _wanted(work)
    fillers = Sieve(distinct(wanted.ravel()))
    together = by_context.of(
        (work.read("slot").select(*_FILLED.schema.names), partial(_of_fillers, fillers)),
        (work.read("context").select(*_GAP.schema.names), partial(of_kind, 1)),
    )
    show = partial(_showing, work.texts(), Sieve(distinct(_pairs_of(*wanted))))
    return together.mapInArrow(by_context.each(show), spark_schema(_INSTANCE))


def _wanted(work: Workspace) -> I64:
    """The fingerprints of the two sides of all exchanges and of their regions, in two rows."""
    compared = work.table("compared", ["before", "after", "regions"])
    regions = numbers_of(pa.compute.list_flatten(compared["regions"])).reshape(-1, 2)
    own = np.stack([numbers_of(compared[name]) for name in ("before", "after")], axis=1)
    return np.ascontiguousarray(np.concatenate([own, regions]).T)


def _pairs_of(one: I64, other: I64) -> I64:
    """Fingerprints of pairs of fillers in any order."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    return combined(low.view(np.uint64), high.view(np.uint64)).view(np.int64)


def _of_fillers(fillers: Sieve, batches: Batches) -> Sorted:
    for batch in batches:
        yield 0, batch.filter(pa.array(fillers.maybe(np.asarray(batch["filler"]))))


def _showing(texts: Texts, wanted: Sieve, slots: pa.Table, gaps: pa.Table) -> Batches:
    context, filler, sentence = (numbers_of(column) for column in slots.columns)
    for one, other in pairs_in_contexts(context, np.ones(len(context), dtype=np.bool_)):
        swapped = filler[one] > filler[other]
        one, other = np.where(swapped, other, one), np.where(swapped, one, other)
        pairs = _pairs_of(filler[one], filler[other])
        maybe = np.flatnonzero(wanted.maybe(pairs))
        shown = maybe[wanted.among(pairs[maybe])]
        one, other = one[shown], other[shown]
        contexts, _, place, _ = grouped(context[one])
        beside = _beside(texts, gaps.filter(pa.compute.is_in(gaps["context"], pa.array(contexts))))
        columns = filler[one], filler[other], sentence[one], sentence[other], context[one]
        at = pa.array(place)
        arrays = [*map(pa.array, columns), *(column.take(at) for column in beside)]
        yield pa.RecordBatch.from_arrays(arrays, schema=_INSTANCE)


def _beside(texts: Texts, gaps: pa.Table) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Where the gap of each context begins and the units to its left and right; by the number of the context."""
    gaps = gaps.sort_by("context").combine_chunks()
    bounds = (gaps[name].to_pylist() for name in ("start", "stop"))
    rows = zip(texts.of(numbers_of(gaps["sentence"])), *bounds, strict=True)
    units = [units_beside(*row) for row in rows]
    sides = [pa.array([each[side] for each in units], pa.string()) for side in (0, 1)]
    return gaps["start"].combine_chunks(), sides[0], sides[1]


@dataclass(frozen=True, slots=True)
class _Gaps:
    """The gaps of the contexts that instances stand in, by context number."""

    numbers: dict[str, int]
    left: I64
    right: I64
    start: I64

    def beside(self, context: I64) -> tuple[I64, I64]:
        """The unit to the left and to the right of the gap of each context."""
        return self.left[context], self.right[context]

    def starts(self, context: I64) -> I64:
        """Where the gap of each context begins."""
        return self.start[context]


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """What the driver makes of the compared pairs; tables of the columns that the database has."""

    candidate: pa.Table
    detected: pa.Table
    exchange: pa.Table
    part: pa.Table
    word_model: pa.Table
    """The packed model in one row; in none where there is no model."""
    lexical_model: pa.Table
    """The language of the translations and the blobs of each model."""
    document: dict[str, Any]
    """The model and the recalls, and how many pairs there were."""


def judged(work: Workspace) -> JudgedRows:
    """The validity of all pairs, by the models fitted to them.

    The driver has a core and its memory for this: each model is learned, asked and let go before the next is, and
    columns are read from the disk when they are wanted.
    """
    table = work.table("sentence", ["sentence", "text"]).sort_by("sentence")
    sentences, texts = numbers_of(table["sentence"]), table["text"]
    del table
    both = [_Compared.of(work, detected=detected) for detected in (False, True)]
    words = _by_words(sentences, texts, both)
    give_memory_back()
    lexical_models, testimonies = _by_translations(work, sentences, texts, both)
    give_memory_back()
    fillers = work.table("filler", ["filler", "text"]).sort_by("filler")
    hashes, beside = numbers_of(fillers["filler"]), dict[str, int]()
    generated, detected = (_pairs(each, sentences, hashes, beside) for each in both)
    codes = distinct(
        np.concatenate([codes for each in (generated, detected) for codes in (each.code, each.region_code)])
    )
    codes = codes[codes != UNKNOWN]
    sharing = _sharing(work, sentences)
    index = _summed_up(work, codes, sharing, sentences, hashes, beside)
    ends = detected.seed, detected.other
    found = judge(work.language, index, PairsToJudge(generated, detected, *words.said, *testimonies), {})
    del generated, detected, testimonies
    frames = frame_sums(work.language, words.inside.to_pylist(), ends, sharing, beside)
    sides = np.divmod(codes, max(len(fillers), 1))
    of_fillers = list(zip(*(fillers["text"].take(pa.array(side)).to_pylist() for side in sides), strict=True))
    sums = sums_by_text([(index, of_fillers), (frames.sums, frames.exchanges)], list(beside))
    return _tables(both, found, recalls_by_language(sharing), sums, words, lexical_models)


@dataclass(frozen=True, slots=True)
class _Compared:
    """The generated or the detected pairs, in the order in which the database has them, on the disk."""

    work: Workspace
    detected: bool
    order: pa.Array

    @classmethod
    def of(cls, work: Workspace, *, detected: bool) -> _Compared:
        by = ["seed", "other" if detected else "text"]
        rows = work.table("compared", by, pa.compute.field("detected") == detected)
        return cls(work, detected, pa.compute.sort_indices(rows, [(name, "ascending") for name in by]))

    def __len__(self) -> int:
        return len(self.order)

    def columns(self, *names: str) -> pa.Table:
        rows = self.work.table("compared", names, pa.compute.field("detected") == self.detected)
        # Without what Spark noted in the file of the columns that it had.
        return rows.take(self.order).replace_schema_metadata(None)

    def places(self, sentences: I64) -> tuple[I64, I64]:
        """Those of both sentences of each pair, given the numbers of all; UNKNOWN of a text that is none."""
        rows = self.columns("seed", "other")
        other = numbers_of(pa.compute.fill_null(rows["other"], UNKNOWN))
        places = np.searchsorted(sentences, numbers_of(rows["seed"])), np.searchsorted(sentences, other)
        return places[0], np.where(other == UNKNOWN, UNKNOWN, places[1])


@dataclass(frozen=True, slots=True)
class _ByWords:
    """What the model of words says."""

    said: tuple[SaidByWords, SaidByWords]
    """Of the candidates and of the detected pairs, in their order."""
    inside: pa.Array
    """The sentences as they are inside others, by place; none where there is no model."""
    packed: bytes | None
    """The model."""


_SAID_AT_ONCE: Final = 20_000


def _by_words(sentences: I64, texts: pa.ChunkedArray, both: Sequence[_Compared]) -> _ByWords:
    model = train_word_model(texts.to_pylist())

    def said(pairs: _Compared) -> SaidByWords:
        rows, parts = pairs.columns("seed", "text"), [said_by_words(None, [], [])]
        for begin in range(0, len(pairs), _SAID_AT_ONCE):
            some = rows.slice(begin, _SAID_AT_ONCE)
            seeds = texts.take(pa.array(np.searchsorted(sentences, numbers_of(some["seed"])))).to_pylist()
            parts.append(said_by_words(model, seeds, some["text"].to_pylist()))
        return SaidByWords(*map(np.concatenate, zip(*parts, strict=True)))

    generated, detected = map(said, both)
    inside = as_inside(texts.to_pylist(), model) if model else []
    return _ByWords((generated, detected), pa.array(inside, pa.large_string()), model.packed() if model else None)


def _by_translations(
    work: Workspace, sentences: I64, texts: pa.ChunkedArray, both: Sequence[_Compared]
) -> tuple[list[Row], list[F64]]:
    """The languages of translations with the blobs of their models, and the testimonies of the pairs."""
    link = work.table("link", ["sentence", "language"])
    languages = sorted(link["language"].unique().to_pylist())
    learner = TranslatedSentences.of(texts.to_pylist(), np.searchsorted(sentences, numbers_of(link["sentence"])))
    del link
    changed = [ChangedWords.of(_changed(each), learner.vocabulary).in_file() for each in both]
    places, said, models = [each.places(sentences) for each in both], [OverLanguages(len(each)) for each in both], []
    for language in languages:
        into = learner.learn(language, _links(work, language, sentences))
        models.append((language, into.model.blobs()))
        for heard, ends, words in zip(said, places, changed, strict=True):
            heard.hear(into.said_of(*ends, words))
        del into  # before the next is learned
    return models, [each.testimony() for each in said]


def _links(work: Workspace, language: str, sentences: I64) -> TranslationPairs:
    """The translations into one language."""
    of_language = pa.compute.field("language") == language
    link = work.table("link", ["sentence", "translation"], of_language)
    numbers, place = np.unique(numbers_of(link["translation"]), return_inverse=True)
    texts = texts_of(translation_texts(work, of_language), numbers).to_pylist()  # no two are alike
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    places = np.argsort(order)[place]
    return TranslationPairs(
        np.searchsorted(sentences, numbers_of(link["sentence"])), places, [texts[each] for each in order]
    )


def _summed_up(
    work: Workspace, codes: I64, sharing: Sharing, sentences: I64, hashes: I64, beside: dict[str, int]
) -> ExchangeIndex:
    """The sums of exchanges over their instances."""
    pairs = work.table("instance")
    _, first, context = np.unique(numbers_of(pairs["context"]), return_index=True, return_inverse=True)
    sides = [_numbered(pairs[name], beside)[first] for name in ("left", "right")]
    gaps = _Gaps(beside, sides[0], sides[1], numbers_of(pairs["start"])[first])
    found = Instances(
        np.searchsorted(codes, _codes(numbers_of(pairs["low"]), numbers_of(pairs["high"]), hashes)),
        context.astype(np.int64),
        np.searchsorted(sentences, numbers_of(pairs["one"])),
        np.searchsorted(sentences, numbers_of(pairs["other"])),
    )
    return summed_up(codes, each_once(found, gaps), sharing, gaps)


def translation_texts(work: Workspace, chosen: pa.compute.Expression | None = None) -> pa.Table:
    """The numbers and texts of all sentences of other languages, or of those for which an expression is true."""
    key, sentence, language = map(pa.compute.field, ("key", "sentence", "language"))
    chosen = (language != work.language) if chosen is None else chosen
    return work.table("occurrence", ["sentence", "text"], (key == sentence) & chosen)


def _numbered(column: pa.ChunkedArray, numbers: dict[str, int]) -> I64:
    """The units of a column as numbers, which new ones are given."""
    coded = pa.compute.dictionary_encode(column).combine_chunks()
    names = [numbers.setdefault(name, len(numbers)) for name in coded.dictionary.to_pylist()]
    return np.array(names, dtype=np.int64)[coded.indices.to_numpy()] if names else np.empty(0, dtype=np.int64)


def _codes(one: I64, other: I64, hashes: I64) -> I64:
    """The codes of exchanges by the fingerprints of their sides; UNKNOWN where one of them is no filler."""
    if not len(hashes):
        return np.full(len(one), UNKNOWN)
    places = [np.minimum(np.searchsorted(hashes, side), len(hashes) - 1) for side in (one, other)]
    known = (hashes[places[0]] == one) & (hashes[places[1]] == other)
    return np.where(known, np.minimum(*places) * len(hashes) + np.maximum(*places), UNKNOWN)


_DIFFERENCES: Final = (
    *("before", "after", "left", "right", "units_before", "units_after", "units_of_seed", "replacement", "unseen"),
    *("regions", "beside_regions", "units_of_regions", "frequency", "languages", "probability"),
)


def _pairs(pairs: _Compared, sentences: I64, hashes: I64, beside: dict[str, int]) -> PairDifferences:
    table = pairs.columns(*_DIFFERENCES)
    seed, other = pairs.places(sentences)

    def real(name: str) -> F64:
        return np.asarray(table[name].to_numpy(), dtype=np.float64)

    regions = table["regions"].combine_chunks()
    sides = np.asarray(regions.flatten().to_numpy(), dtype=np.int64).reshape(-1, 2)
    units = np.asarray(table["units_of_regions"].combine_chunks().flatten().to_numpy(), dtype=np.float64)
    beside_regions = _numbered(pa.chunked_array([table["beside_regions"].combine_chunks().flatten()]), beside)
    sizes = np.asarray(pa.compute.list_value_length(regions).to_numpy(), dtype=np.int64) // 2
    return PairDifferences(
        row=np.arange(table.num_rows),
        seed=seed,
        other=other,
        code=_codes(numbers_of(table["before"]), numbers_of(table["after"]), hashes),
        left=_numbered(table["left"], beside),
        right=_numbered(table["right"], beside),
        units_before=real("units_before"),
        units_after=real("units_after"),
        units_of_seed=real("units_of_seed"),
        replacement=np.asarray(table["replacement"].to_numpy(), dtype=np.bool_),
        framed=np.zeros(table.num_rows, dtype=np.int64),
        unseen=np.asarray(table["unseen"].to_numpy(), dtype=np.bool_),
        frequency=real("frequency"),
        languages=real("languages"),
        probability=real("probability"),
        region_pair=np.repeat(np.arange(table.num_rows), sizes),
        region_code=_codes(sides[:, 0].copy(), sides[:, 1].copy(), hashes),
        region_left=beside_regions[::2],
        region_right=beside_regions[1::2],
        region_before=units[::2],
        region_after=units[1::2],
        changed=_changed(pairs),
    )


def _changed(pairs: _Compared) -> ChangedSides:
    sides = pairs.columns("changed")["changed"].combine_chunks()
    texts: dict[str, int] = {}
    numbers = _numbered(pa.chunked_array([sides.flatten()]), texts)
    sizes = np.asarray(pa.compute.list_value_length(sides).to_numpy(), dtype=np.int64) // 2
    pair = np.repeat(np.arange(len(pairs)), sizes)
    return ChangedSides(pair, numbers[::2], numbers[1::2], list(texts), len(pairs))


def _sharing(work: Workspace, sentences: I64) -> Sharing:
    link = work.table("link")
    languages = sorted(set(work.table("occurrence", ["language"])["language"].unique().to_pylist()) - {work.language})
    numbers = {language: number for number, language in enumerate(languages)}
    own = np.searchsorted(sentences, numbers_of(link["sentence"]))
    of = _numbered(link["language"], numbers)
    shared = SharedTranslations.of(
        TranslationLinks(own, of, numbers_of(link["translation"])), len(sentences), len(languages), MAX_SHARING
    )
    return Sharing(tuple(languages), shared, measured_recalls(shared))


def _tables(
    both: Sequence[_Compared],
    found: JudgedPairs,
    recalls: Mapping[str, Sequence[float]],
    sums: TextSums,
    words: _ByWords,
    lexical_models: Sequence[Row],
) -> JudgedRows:
    generated = both[0].columns("seed", "text")
    generated = generated.append_column("word_gain", pa.array(words.said[0].gains, pa.float64()))
    generated = generated.append_column("validity", pa.array(found.generated.validity))
    generated = generated.append_column("replacement", pa.array(found.replacement.astype(np.int32)))
    detected = both[1].columns("seed", "other").append_column("validity", pa.array(found.detected))
    exchanges = pa.Table.from_batches(as_batches(sums.exchanges, _EXCHANGE), _EXCHANGE)
    parts = pa.Table.from_batches(as_batches(sums.parts, _PART), _PART)
    document = {
        "model": found.models.document(),
        "recalls": recalls,
        "candidates": generated.num_rows,
        "detected": detected.num_rows,
        "labelled": found.models.labelled,
        "exchanges": exchanges.num_rows,
    }
    packed = pa.table({"model": pa.array([] if words.packed is None else [words.packed], pa.large_binary())})
    lexical = pa.Table.from_batches(as_batches(lexical_models, _LEXICAL), _LEXICAL)
    return JudgedRows(generated, detected, exchanges, parts, packed, lexical, document)


_LEXICAL: Final = pa.schema([("language", pa.string()), ("blobs", pa.list_(pa.large_binary()))])


def stored_lexical_models(results: Callable[[str, Sequence[str]], pa.Table]) -> list[tuple[str, list[bytes]]]:
    """The language of the translations and the blobs of each model; ``results`` reads a table."""
    return [tuple(row) for row in as_rows(results("validity/lexical_model.parquet", _LEXICAL.names).to_batches())]


_EXCHANGE: Final = columns("x string, y string, pairs int64, shared int64, expected int64")
_PART: Final = columns("exchange int64, kind string, name string, pairs int64, shared int64, expected int64")
"""An exchange is its row in the table of exchanges."""
