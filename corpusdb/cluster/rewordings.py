"""Rewordings: what an exchange alone vouches for, and what several paraphrases of a sentence give together."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from corpusdb.base.arrays import F64
from corpusdb.base.ngrams import text_hashes
from corpusdb.cluster.derivation import CANDIDATE, FLUENCY, with_evidence
from corpusdb.cluster.exchanges import stored_lexical_models
from corpusdb.cluster.folder import read_manifest
from corpusdb.cluster.mapped import (
    Mapped,
    Texts,
    columns,
    kept,
    numbers_of,
    part_rows,
    parts_of,
    translated,
    write_parts,
)
from corpusdb.cluster.workspace import Batches, Division, Kind, as_batches, as_rows, of_kind, spark_schema
from corpusdb.corpus.model import JUDGED, REWORDING_COLUMNS
from corpusdb.corpus.orders import DEFAULT_MIN_VALIDITY, NO_LIMIT
from corpusdb.paraphrase.applying import (
    SENTENCES_AT_ONCE,
    Applying,
    CorpusJudge,
    Exchanges,
    OfOtherOrigins,
    Sentences,
)
from corpusdb.paraphrase.derivation import Evidence, Fluency
from corpusdb.paraphrase.differences import GAP
from corpusdb.paraphrase.exchange_index import LEAST_ORDER, StoredExchange, StoredPart, Sums, replacements
from corpusdb.paraphrase.familiar import FamiliarExchanges, familiar_exchanges
from corpusdb.paraphrase.frames import Frames
from corpusdb.paraphrase.lexical_model import LexicalModel, Vocabulary
from corpusdb.paraphrase.pair_differences import UNKNOWN, Pair
from corpusdb.paraphrase.rewording import (
    COMPOSED_AT_ONCE,
    LEAST_CLAUSE,
    LEAST_ORDER_APPLIED,
    AppliedExchange,
    Clauses,
    Part,
    PartRow,
    Rewording,
    clauses_in,
    is_clause,
    is_part,
    lone_row,
    put_together,
    with_word_gains,
)
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.validity import ValidityModels
from corpusdb.paraphrase.witnesses import ChangedSides, known_testimony
from corpusdb.paraphrase.word_model import WordModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from corpusdb.cluster.workspace import Workspace

# Rewordings: what B : B' :: D : t gives where no second context shows it, and an exchange of words vouches for it.


def lone_candidates(work: Workspace) -> DataFrame:
    """What no other origin has of each sentence, through pairs B and B' that an exchange vouches for.

    Where only some sentences are generated from, there are none, as in the database.
    """
    from pyspark.sql import functions as F

    pairs = _vouched(work)
    lone = work.read("derivation").where("contexts = 1 and start is not null")
    found = with_evidence(work, lone.join(pairs, ["sentence", "rewording"], "left_semi"))
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
    hashes = text_hashes([side for pair in chosen for side in pair]).reshape(-1, 2).tolist()
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


# What judges is made on a worker, of the files of some steps, once for all its tasks.


@dataclass(frozen=True, slots=True)
class _Judging:
    """What functions take along to the workers."""

    language: str
    texts: Texts
    translations: Mapped
    validity: Mapped
    model: str
    """The models of validity, as JSON."""
    digest: str
    """What the step of validity was made of."""

    @classmethod
    def of(cls, work: Workspace) -> _Judging:
        judged = read_manifest(work.folder, "validity")
        model, digest = ({}, "") if judged is None else (judged.document["model"], judged.digest)
        files = work.texts(), work.mapped("translation"), work.mapped("validity")
        return cls(work.language, *files, json.dumps(model), digest)

    def table(self, step: str, columns: Sequence[str]) -> pa.Table:
        """Some columns of a file of the step of validity, which is named before it."""
        return pq.read_table(self.validity.place / step.partition("/")[2], columns=list(columns))

    def exchanges(self) -> Exchanges:
        exchange, part = (
            as_rows(self.table(f"validity/{name}.parquet", [*names, "pairs", "shared", "expected"]).to_batches())
            for name, names in (("exchange", ["x", "y"]), ("part", ["exchange", "kind", "name"]))
        )
        return Exchanges(
            [StoredExchange(place, *row) for place, row in enumerate(exchange)], list(map(StoredPart._make, part))
        )

    def word_model(self) -> WordModel | None:
        packed = self.table("validity/word_model.parquet", ["model"])["model"].to_pylist()
        return WordModel.unpacked(packed[0]) if packed else None


class _Worker:
    """What a worker knows of a language, but for its sentences."""

    def __init__(self, judging: _Judging) -> None:
        words: dict[bytes, Vocabulary] = {}
        models = {language: LexicalModel.read(blobs, words) for language, blobs in stored_lexical_models(judging.table)}

        def heard(seeds: Sequence[str], texts: Sequence[str], changed: ChangedSides) -> F64:
            pairs = list(zip(seeds, texts, strict=True))
            said = translated(judging.texts, judging.translations, chain(seeds, texts))
            return known_testimony(pairs, changed, said, models)

        for each in models.values():
            each.prepare_for_many()
        self._language = judging.language
        self._exchanges = judging.exchanges()
        self.word_model = judging.word_model()
        read = ValidityModels.read(json.loads(judging.model))
        self.judge = CorpusJudge(judging.language, read, self._exchanges, heard, self.word_model)

    @cached_property
    def familiar(self) -> FamiliarExchanges:
        words = [each for each in self._exchanges.sums if GAP not in each.x]
        return familiar_exchanges(words, self._exchanges.parts, self._language, self.word_model)

    @cached_property
    def frames(self) -> Frames:
        return self.judge.frames(self._exchanges)


# What one context gives, judged.

_KNOWN: Final = {
    each.name: each for each in (*CANDIDATE, *FLUENCY, *(pa.field(name, pa.float64()) for name in sorted(JUDGED)))
}
_NUMBERS: Final = {"replacement": pa.int64(), "parts": pa.int64()}
_REWORDING: Final = pa.schema(
    [
        ("sentence", pa.int64()),
        _KNOWN["text"],
        *(pa.field(name, _NUMBERS[name]) if name in _NUMBERS else _KNOWN[name] for name in REWORDING_COLUMNS),
    ]
)
_JUDGED_AT_ONCE: Final = 20_000


def _as_batches(rows: Iterable[Rewording]) -> Batches:
    return as_batches((tuple(getattr(each, name) for name in _REWORDING.names) for each in rows), _REWORDING)


def judged_lone(work: Workspace) -> DataFrame:
    """Those that are fluent, and of which the exchange is known beside one of its neighbours."""
    measured_ones = work.read("lone").join(work.read("lone_fluency"), "text").where(f"fluency >= {LEAST_ORDER}")
    rows = measured_ones.select(*CANDIDATE.names, *Fluency._fields)
    return work.apply(rows, partial(_judged_lone, _Judging.of(work)), _REWORDING)


def _judged_lone(judging: _Judging, batches: Batches) -> Batches:
    rows, first = as_rows(batches), len(CANDIDATE)
    while some := list(islice(rows, _JUDGED_AT_ONCE)):
        texts = judging.texts.of(np.array([row[0] for row in some], dtype=np.int64))
        found = [(row[0], Evidence(*row[1:first]), Fluency(*row[first:])) for row in some]
        pairs = [Pair(0, seed, each.text) for seed, (_, each, _) in zip(texts, found, strict=True)]
        judged = zip(found, kept(_Worker, judging).judge(pairs), strict=True)
        yield from _as_batches(
            lone_row(seed, each, said, fluency) for (seed, each, fluency), said in judged if said.replacement
        )


# What exchanges, and paraphrases of clauses, make of all sentences that no other origin has.

_MADE: Final = columns("sentence int64, text string, validity double, replacement int64")
_APPLIED: Final = pa.schema([*_MADE, ("word_gain", pa.float64())])
_SENTENCE: Final = Kind(columns("sentence int64"), ("sentence",))
_OTHER: Final = Kind(columns("sentence int64, text string"), ("sentence",))
_DETECTED: Final = Kind(columns("sentence int64, paraphrase int64"), ("sentence",))


def _sentences(work: Workspace) -> DataFrame:
    """Those that are reworded: all, or where only some are generated from none, as in the database."""
    found = work.read("sentence").select("sentence")
    return found if work.seed_texts is None else found.limit(0)


def applied(work: Workspace) -> DataFrame:
    by_sentence = Division((_SENTENCE, _OTHER, _DETECTED), work.partitions)
    generated = work.read("candidate").selectExpr("seed as sentence", "text")
    together = by_sentence.of(
        (_sentences(work), partial(of_kind, 0)),
        (generated.union(work.read("lone_judged").select("sentence", "text")), partial(of_kind, 1)),
        (work.read("paraphrase").select("sentence", "paraphrase"), partial(of_kind, 2)),
    )
    make = partial(_applied, _Judging.of(work), work.mapped("clause"))
    return together.mapInArrow(by_sentence.each(make), spark_schema(_APPLIED))


def _applied(
    judging: _Judging, clauses: Mapped, sentences: pa.Table, others: pa.Table, detected: pa.Table
) -> Iterator[pa.RecordBatch]:
    numbers = np.sort(numbers_of(sentences["sentence"]))
    if not len(numbers):
        return
    paraphrases = judging.texts.of(numbers_of(detected["paraphrase"]))
    known = zip(detected["sentence"].to_pylist(), paraphrases, strict=True)
    worker = kept(_Worker, judging)
    applying = Applying(worker.judge, OfOtherOrigins(chain(as_rows(others.to_batches()), known)), worker.word_model)
    for begin in range(0, len(numbers), SENTENCES_AT_ONCE):
        here = numbers[begin : begin + SENTENCES_AT_ONCE]
        some = list(zip(here.tolist(), judging.texts.of(here), strict=True))
        made: dict[tuple[int, str], AppliedExchange] = {}
        for each in chain(
            applying.exchanged(some, worker.familiar),
            applying.framed(some, worker.frames),
            applying.clauses(some, _clauses_of(some, judging, clauses)),
        ):
            made.setdefault((each.sentence, each.text), each)
        yield from as_batches(made.values(), _APPLIED)


def _clauses_of(sentences: Sentences, judging: _Judging, files: Mapped) -> Clauses:
    """The sentences that these begin or end with."""
    asked = {clause for _, text in sentences for _, *both in clauses_in(text) for clause in both if " " in clause}
    rows = part_rows(files, text_hashes(sorted(asked)))
    numbers = np.unique(np.array([row[0] for row in rows], dtype=np.int64))
    found = list(zip(numbers.tolist(), judging.texts.of(numbers), strict=True))
    return Clauses(found, rows, judging.language, judging.texts.inside)


def write_clauses(work: Workspace, place: Path) -> int:
    """Write the paraphrases of sentences that may be clauses of others, by the fingerprints of these."""
    sentences: dict[int, str] = dict(as_rows(work.table("sentence", ["sentence", "text"]).to_batches()))
    rows = [row for row in _paraphrases(work, LEAST_CLAUSE) if is_clause(sentences[row[0]])]
    return write_parts(place, zip(text_hashes([sentences[row[0]][:-1] for row in rows]).tolist(), rows, strict=True))


def made(work: Workspace) -> DataFrame:
    """What one context gives, and of what exchanges and clauses make what is fluent enough."""
    from pyspark.sql import functions as F

    found = work.read("applied").join(work.read("applied_fluency"), "text")
    found = found.where(f"fluency >= {LEAST_ORDER_APPLIED}").withColumn("parts", F.lit(1))
    lone = work.read("lone_judged")
    return lone.unionByName(_as_lone(found, lone))


def _as_lone(found: DataFrame, lone: DataFrame) -> DataFrame:
    """Rewordings behind which no context stands, in the same columns as others."""
    from pyspark.sql import functions as F

    for name in ("pivots", "languages", "probability"):
        found = found.withColumn(name, F.lit(0))
    return found.select(*(F.col(each.name).cast(each.dataType) for each in lone.schema))


# What several paraphrases of a sentence give together.

_COMPOSED: Final = pa.schema([*_MADE, ("parts", pa.int64())])
_PARTS: Final = ("validity", "replacement", "fluency", "word_gain")


def write_all_parts(work: Workspace, place: Path) -> int:
    """Write the paraphrases that may be put together, by their sentences."""
    rows = as_rows(work.table("made", ["sentence", "text", *_PARTS]).to_batches())
    found = chain(_paraphrases(work, DEFAULT_MIN_VALIDITY), rows)
    return write_parts(place, ((row[0], row) for row in found if is_part(*row[2:])))


def _paraphrases(work: Workspace, least: float) -> Iterator[PartRow]:
    """What candidates and detected pairs that have some validity say of the paraphrases of sentences."""
    if work.seed_texts is not None:
        return
    chosen = pa.compute.field("validity") >= least
    generated = work.table("result", ["seed", "text", *_PARTS]).filter(chosen)
    yield from (row for row in as_rows(generated.to_batches()) if is_part(*row[2:]))
    texts: dict[int, str] = dict(as_rows(work.table("sentence", ["sentence", "text"]).to_batches()))
    detected = work.table("validity/detected.parquet", ["seed", "other", "validity"]).filter(chosen)
    yield from (
        (seed, texts[other], validity, 0, NO_LIMIT, None) for seed, other, validity in as_rows(detected.to_batches())
    )


def composed(work: Workspace) -> DataFrame:
    by_sentence = Division((_SENTENCE, _OTHER), work.partitions)
    together = by_sentence.of(
        (_sentences(work), partial(of_kind, 0)),
        (work.read("made").select("sentence", "text"), partial(of_kind, 1)),
    )
    make = partial(_composed, work.language, work.texts(), work.mapped("part"))
    return together.mapInArrow(by_sentence.each(make), spark_schema(_COMPOSED))


def _composed(language: str, texts: Texts, files: Mapped, sentences: pa.Table, made: pa.Table) -> Batches:
    known: defaultdict[int, set[str]] = defaultdict(set)
    for sentence, text in as_rows(made.to_batches()):
        known[sentence].add(text)
    numbers = np.sort(numbers_of(sentences["sentence"]))
    for begin in range(0, len(numbers), COMPOSED_AT_ONCE):
        own = parts_of(files, numbers[begin : begin + COMPOSED_AT_ONCE])
        seeds = np.array(list(own), dtype=np.int64)
        of_seeds = dict(zip(texts.of(seeds), own.values(), strict=True))
        steps = sorted({part.text for parts in own.values() for part in parts} - of_seeds.keys())
        places = texts.numbers(steps)
        further = parts_of(files, places[places != UNKNOWN])
        of_steps = {text: further.get(place, []) for text, place in zip(steps, places.tolist(), strict=True)}
        of_text: defaultdict[str, list[Part]] = defaultdict(list, of_steps | of_seeds)
        rows = (
            (number, each.text, each.validity, each.replacement, len(each.parts))
            for number, text in zip(own, of_seeds, strict=True)
            for each in put_together(text, of_text.__getitem__, language, known[number])
        )
        yield from as_batches(rows, _COMPOSED)


def rewordings(work: Workspace) -> DataFrame:
    """What an exchange alone vouches for, and what several paraphrases of a sentence give together."""
    made = work.read("made")
    found = work.read("composed").join(work.read("composed_fluency"), "text")
    found = found.where(f"fluency >= {LEAST_ORDER_APPLIED}").selectExpr("*", "cast(null as double) as word_gain")
    weighed = work.apply(_as_lone(found, made), partial(_with_gains, _Judging.of(work)), _REWORDING)
    return made.union(weighed)


def _with_gains(judging: _Judging, batches: Batches) -> Batches:
    rows = as_rows(batches)
    while some := list(islice(rows, _JUDGED_AT_ONCE)):
        found = [Rewording(**dict(zip(_REWORDING.names, row, strict=True))) for row in some]
        numbers = np.unique([each.sentence for each in found])
        sentences = dict(zip(numbers.tolist(), judging.texts.of(numbers), strict=True))
        yield from _as_batches(with_word_gains(found, sentences, kept(_Judging.word_model, judging)))
