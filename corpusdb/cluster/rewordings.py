"""Rewordings: what an exchange alone vouches for, and what several paraphrases of a sentence give together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute

from corpusdb.base.ngrams import text_hashes
from corpusdb.cluster.derivation import CANDIDATE, FLUENCY, measured, with_evidence
from corpusdb.cluster.exchanges import stored_lexical_models, translation_texts
from corpusdb.cluster.session import read_manifest
from corpusdb.cluster.workspace import Row, as_batches, as_rows, columns
from corpusdb.corpus.model import JUDGED, NO_LIMIT, REWORDING_COLUMNS
from corpusdb.paraphrase.applying import Applying, CorpusJudge, Exchanges, OfOtherOrigins, Translated, applied_to_all
from corpusdb.paraphrase.derivation import Evidence, Fluency
from corpusdb.paraphrase.differences import GAP
from corpusdb.paraphrase.exchange_index import (
    LEAST_ORDER,
    StoredExchange,
    StoredPart,
    Sums,
    replacements,
)
from corpusdb.paraphrase.familiar import familiar_exchanges
from corpusdb.paraphrase.lexical_model import LexicalModel, Vocabulary
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.rewording import (
    LEAST_ORDER_APPLIED,
    AppliedExchange,
    Clauses,
    Rewording,
    applied_row,
    composed_of,
    lone_row,
    part_row,
    with_word_gains,
    words_inside,
)
from corpusdb.paraphrase.sharing import (
    WHOLE,
)
from corpusdb.paraphrase.validity import (
    ValidityModels,
)
from corpusdb.paraphrase.witnesses import Links, translations_into
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


def lone_fluencies(work: Workspace) -> DataFrame:
    """The fluency of these."""
    return measured(work, work.read("lone").select("text").distinct())


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


def _table(rows: Iterable[Rewording]) -> pa.Table:
    made = (tuple(getattr(each, name) for name in _REWORDING.names) for each in rows)
    return pa.Table.from_batches(as_batches(made, _REWORDING), _REWORDING)


def lone_rewordings(work: Workspace) -> list[Rewording]:
    """Those that are fluent, and of which the exchange is known beside one of its neighbours."""
    rows = as_rows(work.table("lone_judged/lone_judged.parquet", _REWORDING.names).to_batches())
    return [Rewording(**dict(zip(_REWORDING.names, row, strict=True))) for row in rows]


def judged_lone(work: Workspace) -> pa.Table:
    """The same as they are found out."""
    fluency = _fluency(work, "lone_fluency")
    lone = work.table("lone", CANDIDATE.names).sort_by([("seed", "ascending"), ("text", "ascending")])
    rows = ((row[0], Evidence(*row[1:])) for row in as_rows(lone.to_batches()))
    fluent = [(seed, each) for seed, each in rows if fluency[each.text].fluency >= LEAST_ORDER]
    sentences = _sentences(work)
    pairs = [Pair(0, sentences[seed], each.text, 0, 0, 0.0) for seed, each in fluent]
    judged = _judge(work, _exchanges(work))(pairs) if pairs else []
    return _table(
        lone_row(seed, each, said, fluency[each.text])
        for (seed, each), said in zip(fluent, judged, strict=True)
        if said.replacement
    )


def _judge(work: Workspace, exchanges: Exchanges) -> CorpusJudge:
    """What judges pairs that an exchange makes."""
    judging = read_manifest(work.folder, "validity")
    known: dict[bytes, Vocabulary] = {}
    models = {language: LexicalModel.read(blobs, known) for language, blobs in stored_lexical_models(work.table)}
    return CorpusJudge(
        work.language,
        ValidityModels.read({} if judging is None else judging.document["model"]),
        exchanges,
        _translated(work, models),
        stored_word_model(work),
    )


def _exchanges(work: Workspace) -> Exchanges:
    rows = as_rows(_sums(work, "exchange").to_batches())
    parts = as_rows(_sums(work, "part").to_batches())
    sums = [StoredExchange(place, *row) for place, row in enumerate(rows)]
    return Exchanges(sums, list(map(StoredPart._make, parts)))


def _translated(work: Workspace, models: Mapping[str, LexicalModel]) -> Translated:
    """The translations of all sentences, into the languages of some models."""
    sentences = _sentences(work)
    place, links = {number: place for place, number in enumerate(sentences)}, dict[str, list[tuple[int, str]]]()
    if models:
        translations = translation_texts(work)
        table = work.table("link", ["sentence", "language", "translation"])
        for sentence, language, translation in as_rows(table.to_batches()):
            links.setdefault(language, []).append((place[sentence], translations[translation]))
    texts = list(sentences.values())
    into = translations_into(texts, {language: Links.of(rows) for language, rows in links.items()}, models)
    return Translated({text: place for place, text in enumerate(texts)}, into)


def _sentences(work: Workspace) -> dict[int, str]:
    return dict(sorted(as_rows(work.table("sentence", ["sentence", "text"]).to_batches())))


def _fluency(work: Workspace, step: str) -> dict[str, Fluency]:
    return {row[0]: Fluency(*row[1:]) for row in as_rows(work.table(step, FLUENCY.names).to_batches())}


_MADE: Final = columns("sentence int64, text string, validity double, replacement int64")
_APPLIED: Final = pa.schema([*_MADE, ("word_gain", pa.float64())])


def applied(work: Workspace) -> pa.Table:
    """What exchanges, and paraphrases of clauses, make of all sentences that no other origin has."""
    made: dict[tuple[int, str], Row] = {}
    if work.seed_texts is None:
        exchanges = _exchanges(work)
        model = stored_word_model(work)
        words = [each for each in exchanges.sums if GAP not in each.x]
        detected = ((seed, text) for seed, text, _ in _detected(work))
        lone = ((each.sentence, each.text) for each in lone_rewordings(work))
        others = OfOtherOrigins(chain(_generated(work), lone, detected))
        sentences = list(_sentences(work).items())
        judge = _judge(work, exchanges)
        batches = applied_to_all(
            sentences,
            Applying(judge, others, model),
            familiar_exchanges(words, exchanges.parts, work.language, model),
            judge.frames(exchanges),
            Clauses(sentences, _paraphrases(work), work.language, words_inside(sentences).__getitem__),
            list,
        )
        for each in chain.from_iterable(batches):
            made.setdefault((each.sentence, each.text), each)
    rows = list(made.values())
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


_COMPOSED: Final = pa.schema([*_MADE, ("parts", pa.int64())])
_PARTS: Final = ("seed", "text", "validity", "replacement", "fluency", "word_gain")


def composed(work: Workspace) -> pa.Table:
    """What several paraphrases of a sentence give together."""
    rows: list[Row] = []
    if work.seed_texts is None:
        made = [*lone_rewordings(work), *applied_rewordings(work)]
        known = ((each.sentence, each.text) for each in made)
        paraphrases = chain(_paraphrases(work), map(part_row, made))
        for batch in composed_of(_sentences(work).items(), paraphrases, work.language, known, list):
            rows += [(seed, each.text, each.validity, each.replacement, len(each.parts)) for seed, each in batch]
    return pa.Table.from_batches(as_batches(rows, _COMPOSED), _COMPOSED)


def _paraphrases(work: Workspace) -> Iterator[Row]:
    """What candidates and detected pairs say of the paraphrases of sentences, as PartRow."""
    detected = ((seed, text, validity, 0, NO_LIMIT, None) for seed, text, validity in _detected(work))
    return chain(as_rows(work.table("result", list(_PARTS)).to_batches()), detected)


def composed_fluencies(work: Workspace) -> DataFrame:
    return measured(work, work.read("composed/composed.parquet").select("text").distinct())


def rewordings(work: Workspace) -> pa.Table:
    """What an exchange alone vouches for, and what several paraphrases of a sentence give together."""
    found: list[Rewording] = []
    fluency = _fluency(work, "composed_fluency")
    for sentence, text, validity, replacement, parts in as_rows(
        work.table("composed/composed.parquet", _COMPOSED.names).to_batches()
    ):
        orders = fluency[text][:2]
        row = Rewording(sentence, text, validity, *orders, replacement=replacement, parts=parts)
        found += [row] if row.fluency >= LEAST_ORDER_APPLIED else []
    found = with_word_gains(found, _sentences(work), stored_word_model(work))
    return _table(sorted([*lone_rewordings(work), *applied_rewordings(work), *found]))


def stored_word_model(work: Workspace) -> WordModel | None:
    """The one that the step which judged the candidates has made."""
    packed = work.table("validity/word_model.parquet", ["model"])["model"].to_pylist()
    return WordModel.unpacked(packed[0]) if packed else None


def _sums(work: Workspace, name: str) -> pa.Table:
    columns = ["x", "y"] if name == "exchange" else ["exchange", "kind", "name"]
    return work.table(f"validity/{name}.parquet", [*columns, "pairs", "shared", "expected"])
