"""Exchange rates, validity, and rewordings that only an exchange of words vouches for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute

from corpusdb.base.arrays import F64, I64
from corpusdb.base.text import units_of
from corpusdb.cluster.derivation import CANDIDATE, FLUENCY, measured, with_evidence
from corpusdb.cluster.workspace import Batches, Row, as_batches, as_rows, numbers_of
from corpusdb.corpus.model import NO_LIMIT, REWORDING_COLUMNS
from corpusdb.paraphrase.derivation import Evidence
from corpusdb.paraphrase.differences import difference, differences_apart, units_beside
from corpusdb.paraphrase.exchange_index import (
    LEAST_ORDER,
    ExchangeIndex,
    Sharing,
    StoredExchange,
    StoredPart,
    Sums,
    each_once,
    index_of_sums,
    replacements,
    summed_up,
)
from corpusdb.paraphrase.fluency import Fluency
from corpusdb.paraphrase.pair_differences import UNKNOWN, Pair, PairComparer, PairDifferences
from corpusdb.paraphrase.rewording import (
    LEAST_ORDER_APPLIED,
    AppliedExchange,
    Rewording,
    applied_exchanges,
    applied_row,
    composed_of,
    familiar_exchanges,
    lone_row,
)
from corpusdb.paraphrase.sharing import (
    MAX_SHARING,
    WHOLE,
    Instances,
    SharedTranslations,
    TranslationLinks,
    measured_recalls,
)
from corpusdb.paraphrase.slots import filler_hashes
from corpusdb.paraphrase.validity import (
    ODDS_OF_APPLIED,
    JudgedPairs,
    ValidityModels,
    judge,
    judge_applied,
    recalls_by_language,
)

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
        ("regions", pa.list_(pa.int64())),  # of a pair with several: the fingerprints of both sides of each
        ("beside_regions", pa.list_(pa.string())),  # the units to the left and to the right of each
        ("units_of_regions", pa.list_(pa.int32())),  # those of both sides of each
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
    seeds = sentence.select(F.col("sentence").alias("seed"), F.col("text").alias("seed_text"))
    columns = ("seed", "seed_text", "detected", "text", "other")
    pairs = generated.unionByName(found).join(seeds, "seed").select(*columns, *figures)
    return work.apply_by(pairs, ["seed"], _differences, _COMPARED)


def _differences(batches: Batches) -> Batches:
    return as_batches(_compare(as_rows(batches)), _COMPARED)


_HASHED_AT_ONCE: Final = 2_000
"""Pairs of which the fingerprints are made in one call, which costs some fifty times what a pair in it does."""


def _compare(rows: Iterable[Row]) -> Iterator[Row]:
    found = _sides_and_rest(rows)
    while part := list(islice(found, _HASHED_AT_ONCE)):
        hashes = iter(filler_hashes([side for _, sides, _ in part for side in sides]).tolist())
        for (detected, seed, text, other), sides, (exchange, beside, sizes, figures) in part:
            before, after, *regions = islice(hashes, len(sides))
            yield detected, seed, text, other, before, after, *exchange, regions, beside, sizes, *figures


def _sides_and_rest(rows: Iterable[Row]) -> Iterator[tuple[Row, list[str], Row]]:
    """What comes before the fingerprints in a row, the texts that they are of, and what comes behind them."""
    for (seed, seed_text), group in groupby(rows, key=itemgetter(0, 1)):
        units = units_of(seed_text)
        for _, _, detected, text, other, *figures in group:
            other_units = units_of(text)
            found = difference(units, other_units)
            several = differences_apart(units, other_units, found) if len(found.regions) > 1 else ()
            sides = [*found.exchange, *(side for region in several for side in region.exchange)]
            exchange = found.left, found.right, *found.units, len(units), found.is_replacement
            beside = [unit for region in several for unit in (region.left, region.right)]
            sizes = [size for region in several for size in region.units]
            yield (detected, seed, text, other), sides, (exchange, beside, sizes, figures)


_INSTANCE: Final = pa.schema(
    [
        ("low", pa.int64()),
        ("high", pa.int64()),
        ("one", pa.int64()),
        ("other", pa.int64()),
        ("context", pa.int64()),
        ("start", pa.int32()),
        ("left", pa.string()),
        ("right", pa.string()),
    ]
)


def instances(work: Workspace) -> DataFrame:
    """The pairs of sentences in one context that show an exchange by which a paraphrase differs from its seed."""
    from pyspark.sql import functions as F

    found = work.read("compared")
    own = found.select("before", "after")
    at = F.explode(F.sequence(F.lit(0), F.size("regions") - 2, F.lit(2))).alias("at")
    region = found.where(F.size("regions") > 0).select("regions", at)
    region = region.select(
        F.col("regions")[F.col("at")].alias("before"), F.col("regions")[F.col("at") + 1].alias("after")
    )
    either = own.union(region)
    wanted = either.select(
        F.least("before", "after").alias("low"), F.greatest("before", "after").alias("high")
    ).distinct()
    slot = work.read("slot")
    sides = wanted.select(F.col("low").alias("filler")).union(wanted.select(F.col("high").alias("filler"))).distinct()
    slot = slot.select("context", "filler", "sentence").join(sides, "filler", "left_semi")
    one = slot.select("context", F.col("filler").alias("low"), F.col("sentence").alias("one"))
    other = slot.select("context", F.col("filler").alias("high"), F.col("sentence").alias("other"))
    pairs = one.join(other, "context").where("low < high").join(wanted, ["low", "high"], "left_semi")
    gap = work.read("context").select("context", "sentence", "start", "stop").join(work.read("sentence"), "sentence")
    columns = ("low", "high", "one", "other", "context", "start", "stop", "text")
    return work.apply_by(pairs.join(gap, "context").select(*columns), ["context"], _gaps, _INSTANCE)


def _gaps(batches: Batches) -> Batches:
    return as_batches(_beside(as_rows(batches)), _INSTANCE)


def _beside(rows: Iterable[Row]) -> Iterator[Row]:
    for (context, start, stop, text), group in groupby(rows, key=itemgetter(4, 5, 6, 7)):
        left, right = units_beside(text, start, stop)
        for low, high, one, other, *_ in group:
            yield low, high, one, other, context, start, left, right


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
    document: dict[str, Any]
    """The model and the recalls, and how many pairs there were."""


def judged(work: Workspace) -> JudgedRows:
    """The validity of all pairs, by the models fitted to them."""
    sentences: I64 = np.sort(numbers_of(work.table("sentence", ["sentence"])["sentence"]))
    fillers = work.table("filler", ["filler", "text"]).sort_by("filler")
    hashes = numbers_of(fillers["filler"])
    table = work.table("compared")
    pairs = work.table("instance")
    beside: dict[str, int] = {}
    generated = _pairs(_chosen(table, detected=False), sentences, hashes, beside)
    detected = _pairs(_chosen(table, detected=True), sentences, hashes, beside)
    codes = np.unique(
        np.concatenate([codes for each in (generated, detected) for codes in (each.code, each.region_code)])
    )
    codes = codes[codes != UNKNOWN]
    contexts, first, context = np.unique(numbers_of(pairs["context"]), return_index=True, return_inverse=True)
    del contexts
    sides = [_numbered(pairs[name], beside)[first] for name in ("left", "right")]
    gaps = _Gaps(beside, sides[0], sides[1], numbers_of(pairs["start"])[first])
    found = Instances(
        np.searchsorted(codes, _codes(numbers_of(pairs["low"]), numbers_of(pairs["high"]), hashes)),
        context.astype(np.int64),
        np.searchsorted(sentences, numbers_of(pairs["one"])),
        np.searchsorted(sentences, numbers_of(pairs["other"])),
    )
    sharing = _sharing(work, sentences)
    index = summed_up(codes, each_once(found, gaps), sharing, gaps)
    return _tables(index, judge(work.language, index, generated, detected, {}), _Sources(table, fillers, beside))


def _chosen(table: pa.Table, *, detected: bool) -> pa.Table:
    """The generated or the detected pairs, in the order in which the database has them."""
    chosen = table.filter(pa.compute.equal(table["detected"], detected))
    # Without what Spark noted in the file of the columns that it had.
    chosen = chosen.replace_schema_metadata(None)
    return chosen.sort_by([("seed", "ascending"), ("other" if detected else "text", "ascending")])


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


def _pairs(table: pa.Table, sentences: I64, hashes: I64, beside: dict[str, int]) -> PairDifferences:
    def real(name: str) -> F64:
        return np.asarray(table[name].to_numpy(), dtype=np.float64)

    other = numbers_of(pa.compute.fill_null(table["other"], UNKNOWN))
    regions = table["regions"].combine_chunks()
    sides = np.asarray(regions.flatten().to_numpy(), dtype=np.int64).reshape(-1, 2)
    units = np.asarray(table["units_of_regions"].combine_chunks().flatten().to_numpy(), dtype=np.float64)
    beside_regions = _numbered(pa.chunked_array([table["beside_regions"].combine_chunks().flatten()]), beside)
    sizes = np.asarray(pa.compute.list_value_length(regions).to_numpy(), dtype=np.int64) // 2
    return PairDifferences(
        row=np.arange(table.num_rows),
        seed=np.searchsorted(sentences, numbers_of(table["seed"])),
        other=np.where(other == UNKNOWN, UNKNOWN, np.searchsorted(sentences, other)),
        code=_codes(numbers_of(table["before"]), numbers_of(table["after"]), hashes),
        left=_numbered(table["left"], beside),
        right=_numbered(table["right"], beside),
        units_before=real("units_before"),
        units_after=real("units_after"),
        units_of_seed=real("units_of_seed"),
        replacement=np.asarray(table["replacement"].to_numpy(), dtype=np.bool_),
        frequency=real("frequency"),
        languages=real("languages"),
        probability=real("probability"),
        region_pair=np.repeat(np.arange(table.num_rows), sizes),
        region_code=_codes(sides[:, 0].copy(), sides[:, 1].copy(), hashes),
        region_left=beside_regions[::2],
        region_right=beside_regions[1::2],
        region_before=units[::2],
        region_after=units[1::2],
    )


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


@dataclass(frozen=True, slots=True)
class _Sources:
    """What the numbers of an index stand for."""

    compared: pa.Table
    fillers: pa.Table
    beside: dict[str, int]


def _tables(index: ExchangeIndex, found: JudgedPairs, sources: _Sources) -> JudgedRows:
    generated = _chosen(sources.compared, detected=False).select(["seed", "text"])
    generated = generated.append_column("validity", pa.array(found.generated.validity))
    generated = generated.append_column("replacement", pa.array(found.replacement.astype(np.int32)))
    detected = _chosen(sources.compared, detected=True).select(["seed", "other"])
    detected = detected.append_column("validity", pa.array(found.detected))
    exchanges, parts = exchange_tables(index, sources.fillers["text"], list(sources.beside))
    document = {
        "model": found.models.document(),
        "recalls": recalls_by_language(index.sharing),
        "candidates": generated.num_rows,
        "detected": detected.num_rows,
        "labelled": found.models.labelled,
        "exchanges": len(index.codes),
    }
    return JudgedRows(generated, detected, exchanges, parts, document)


def exchange_tables(index: ExchangeIndex, fillers: pa.ChunkedArray, beside: list[str]) -> tuple[pa.Table, pa.Table]:
    """The sums of an index by the texts of its exchanges, and those of their parts."""
    places = index.all.keys
    size = len(fillers)
    sides = (
        [fillers.take(pa.array(each)).to_pylist() for each in np.divmod(index.codes[places], size)]
        if size
        else [[], []]
    )
    texts = [tuple(sorted(pair)) for pair in zip(*sides, strict=True)]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    number = dict(zip((int(places[each]) for each in order), range(len(order)), strict=True))
    sums = index.all
    exchanges = pa.table(
        {
            "x": pa.array([texts[each][0] for each in order], pa.string()),
            "y": pa.array([texts[each][1] for each in order], pa.string()),
            **{name: getattr(sums, name)[order] for name in ("pairs", "shared", "expected")},
        }
    )
    rows = []
    for kind, totals, names in (
        ("language", index.by_language, index.sharing.languages),
        ("left", index.by_left, beside),
        ("right", index.by_right, beside),
    ):
        for key, *figures in zip(
            *(each.tolist() for each in (totals.keys, totals.pairs, totals.shared, totals.expected)), strict=True
        ):
            place, name = divmod(key, max(len(names), 1))
            rows.append((number[place], kind, names[name], *figures))
    return exchanges, pa.Table.from_batches(as_batches(sorted(rows), _PART), _PART)


_PART: Final = pa.schema(
    [
        ("exchange", pa.int64()),  # its row in the table of exchanges
        ("kind", pa.string()),
        ("name", pa.string()),
        ("pairs", pa.int64()),
        ("shared", pa.int64()),
        ("expected", pa.int64()),
    ]
)


# Rewordings: what B : B' :: D : t gives where no second context shows it, and an exchange of words vouches for it.


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


_KNOWN: Final = {each.name: each for each in (*CANDIDATE, *FLUENCY, pa.field("validity", pa.float64()))}
_NUMBERS: Final = {"replacement": pa.int64(), "parts": pa.int64()}
_REWORDING: Final = pa.schema(
    [
        ("sentence", pa.int64()),
        _KNOWN["text"],
        *(pa.field(name, _NUMBERS[name]) if name in _NUMBERS else _KNOWN[name] for name in REWORDING_COLUMNS),
    ]
)


def lone_rewordings(work: Workspace, judging: Mapping[str, Any]) -> list[Rewording]:
    """Those that are fluent, and of which the exchange is known beside one of its neighbours.

    ``judging`` is what is known of the step that judged the candidates.
    """
    fluency = _fluency(work, "lone_fluency")
    lone = work.table("lone", CANDIDATE.names).sort_by([("seed", "ascending"), ("text", "ascending")])
    rows = ((row[0], Evidence(*row[1:])) for row in as_rows(lone.to_batches()))
    fluent = [(seed, each) for seed, each in rows if fluency[each.text].fluency >= LEAST_ORDER]
    if not fluent:
        return []
    sentences = _sentences(work)
    judge = _Judge(work, judging)
    judged = judge([Pair(0, sentences[seed], each.text, 0, 0, 0.0) for seed, each in fluent])
    return [
        lone_row(seed, each, judge.models.lone(validity), fluency[each.text])
        for (seed, each), (validity, held) in zip(fluent, judged, strict=True)
        if held
    ]


class _Judge:
    """What tells the validity of pairs that an exchange makes, and whether it vouches for them."""

    def __init__(self, work: Workspace, judging: Mapping[str, Any]) -> None:
        rows = as_rows(_sums(work, "exchange").to_batches())
        self.exchanges = [StoredExchange(place, *row) for place, row in enumerate(rows)]
        self.parts = list(map(StoredPart._make, as_rows(_sums(work, "part").to_batches())))
        self.models = ValidityModels.read(judging["model"])
        self._fillers = sorted({text for each in self.exchanges for text in (each.x, each.y)})

    def __call__(self, pairs: Sequence[Pair]) -> list[tuple[float, int]]:
        neighbours: dict[str, int] = {}
        comparer = PairComparer({}, {text: number for number, text in enumerate(self._fillers)}, neighbours)
        comparer.add(pairs)
        differences = comparer.differences()
        evidence = index_of_sums(self.exchanges, self.parts, self._fillers, neighbours).evidence(differences)
        shown, vouched = judge_applied(self.models, evidence, differences)
        return list(zip(shown.tolist(), vouched.tolist(), strict=True))

    def familiar(self, pairs: Sequence[Pair]) -> list[tuple[float, int]]:
        """The same where both neighbours of the exchange are known."""
        return [(self.models.lone(validity, ODDS_OF_APPLIED), held) for validity, held in self(pairs)]


def _sentences(work: Workspace) -> dict[int, str]:
    return dict(sorted(as_rows(work.table("sentence", ["sentence", "text"]).to_batches())))


def _fluency(work: Workspace, step: str) -> dict[str, Fluency]:
    return {row[0]: Fluency(*row[1:]) for row in as_rows(work.table(step, FLUENCY.names).to_batches())}


_APPLIED: Final = pa.schema([("sentence", pa.int64()), ("text", pa.string()), ("validity", pa.float64())])


def applied(work: Workspace, judging: Mapping[str, Any]) -> pa.Table:
    """What exchanges between known neighbours make of all sentences that no other origin has."""
    rows: list[Row] = []
    if work.seed_texts is None:
        judge = _Judge(work, judging)
        familiar = familiar_exchanges(judge.exchanges, judge.parts, work.language)
        known = {*_generated(work), *((each.sentence, each.text) for each in lone_rewordings(work, judging))}
        known |= {(seed, text) for seed, text, _ in _detected(work)}
        for batch in applied_exchanges(_sentences(work).items(), familiar, judge.familiar):
            rows += [each for each in batch if each[:2] not in known]
    return pa.Table.from_batches(as_batches(rows, _APPLIED), _APPLIED)


def _generated(work: Workspace) -> Iterator[Row]:
    return as_rows(work.table("candidate", ["seed", "text"]).to_batches())


def _detected(work: Workspace) -> Iterator[tuple[int, str, float]]:
    """The seed, the text and the validity of detected paraphrases."""
    sentences = _sentences(work)
    rows = as_rows(work.table("validity/detected.parquet", ["seed", "other", "validity"]).to_batches())
    return ((seed, sentences[other], validity) for seed, other, validity in rows)


def applied_fluencies(work: Workspace) -> DataFrame:
    return measured(work, work.read("applied/applied.parquet").select("text").distinct())


def applied_rewordings(work: Workspace) -> list[Rewording]:
    """Those that are fluent enough."""
    fluency = _fluency(work, "applied_fluency")
    rows = as_rows(work.table("applied/applied.parquet", _APPLIED.names).to_batches())
    found = (applied_row(AppliedExchange(*row), fluency[row[1]]) for row in rows)
    return [each for each in found if each.fluency >= LEAST_ORDER_APPLIED]


_COMPOSED: Final = pa.schema([*_APPLIED, ("replacement", pa.int64()), ("parts", pa.int64())])
_PARTS: Final = ("seed", "text", "validity", "replacement", "fluency")


def composed(work: Workspace, judging: Mapping[str, Any]) -> pa.Table:
    """What several paraphrases of a sentence give together."""
    rows: list[Row] = []
    if work.seed_texts is None:
        made = [*lone_rewordings(work, judging), *applied_rewordings(work)]
        generated = as_rows(work.table("result", list(_PARTS)).to_batches())
        detected = ((seed, text, validity, 0, NO_LIMIT) for seed, text, validity in _detected(work))
        own = ((each.sentence, each.text, each.validity, each.replacement, each.fluency) for each in made)
        known = ((each.sentence, each.text) for each in made)
        paraphrases = chain(generated, detected, own)
        for batch in composed_of(_sentences(work).items(), paraphrases, work.language, known):
            rows += [(seed, each.text, each.validity, each.replacement, len(each.parts)) for seed, each in batch]
    return pa.Table.from_batches(as_batches(rows, _COMPOSED), _COMPOSED)


def composed_fluencies(work: Workspace) -> DataFrame:
    return measured(work, work.read("composed/composed.parquet").select("text").distinct())


def rewordings(work: Workspace, judging: Mapping[str, Any]) -> pa.Table:
    """What an exchange alone vouches for, and what several paraphrases of a sentence give together."""
    found = [*lone_rewordings(work, judging), *applied_rewordings(work)]
    fluency = _fluency(work, "composed_fluency")
    for sentence, text, validity, replacement, parts in as_rows(
        work.table("composed/composed.parquet", _COMPOSED.names).to_batches()
    ):
        orders = fluency[text][:2]
        row = Rewording(sentence, text, validity, *orders, replacement=replacement, parts=parts)
        found += [row] if row.fluency >= LEAST_ORDER_APPLIED else []
    made = (tuple(getattr(each, name) for name in _REWORDING.names) for each in sorted(found))
    return pa.Table.from_batches(as_batches(made, _REWORDING), _REWORDING)


def _sums(work: Workspace, name: str) -> pa.Table:
    columns = ["x", "y"] if name == "exchange" else ["exchange", "kind", "name"]
    return work.table(f"validity/{name}.parquet", [*columns, "pairs", "shared", "expected"])
