"""From links to candidates: paraphrases that share a translation, slots, what exchanges of fillers give, fluency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_type_hints

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from corpusdb.base.arrays import I32, I64, Bools, distinct, grouped, is_new, places_in
from corpusdb.base.ngrams import MAX_CHARACTERS, SortedCorpus, combined, segment_starts, sort_suffixes, text_hashes
from corpusdb.base.text import normalise, unit_ends
from corpusdb.cluster.mapped import Mapped, Row, Texts, columns, kept, numbers_of
from corpusdb.cluster.workspace import Batches, Division, Kind, Sorted, as_batches, as_rows, of_kind, spark_schema
from corpusdb.paraphrase.derivation import (
    MOST_FILLER,
    AnalogousText,
    Derivations,
    Evidence,
    FilledSlot,
    Fluency,
    ParaphrasePairs,
    Replaced,
    candidates_of_many,
    fluency_of,
)
from corpusdb.paraphrase.derivation import substitutions as substitutions_in
from corpusdb.paraphrase.sharing import MAX_SHARING, paraphrases_of
from corpusdb.paraphrase.slots import MAX_FILLERS, Sieve, cut_slots

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from corpusdb.cluster.workspace import Workspace

# The corpus as sentences and links, and the paraphrases that share a translation (Lepage & Denoual 2005, 4.2).

_POSITIONS: Final = 1 << 20
"""A unit has fewer texts than this: the number of an occurrence is that of the unit times this, plus its place."""
_TEXT: Final = columns("unit int64, key int64, language string, text string")
_OCCURRENCE: Final = _TEXT.append(pa.field("sentence", pa.int64()))
_BY_TEXT: Final = Kind(_TEXT.append(pa.field("print", pa.int64())), ("print",))


def occurrences(work: Workspace) -> DataFrame:
    """Every text of every unit, normalised, with the number of its sentence: that of its first occurrence."""
    texts = work.read("unit").where("rejected is null").select("unit", "languages", "texts")
    alike = Division((_BY_TEXT,), work.partitions)
    return alike.of((texts, _printed)).mapInArrow(alike.each(_first_of_text), spark_schema(_OCCURRENCE))


def _printed(batches: Batches) -> Sorted:
    for batch in as_batches(_texts(as_rows(batches)), _TEXT):
        prints = pa.array(text_hashes(batch["text"].to_pylist()))
        yield 0, pa.RecordBatch.from_arrays([*batch.columns, prints], schema=_BY_TEXT.schema)


def _first_of_text(rows: pa.Table) -> Batches:
    rows = rows.sort_by("key").combine_chunks()
    text = pa.compute.binary_join_element_wise(rows["language"], rows["text"], "\t").combine_chunks()
    key, number = numbers_of(rows["key"]), np.asarray(text.dictionary_encode().indices)
    _, first = np.unique(number, return_index=True)
    sentence = pa.array(key[first][number])
    yield from rows.drop_columns("print").append_column(_OCCURRENCE.field("sentence"), sentence).to_batches()


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
_PARAPHRASE: Final = columns(
    "sentence int64, paraphrase int64, translations int32, languages string, probability double"
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


# Slots that can take part in an analogy, and where their fillers stand in paraphrases.

_SLOT: Final = columns("sentence int64, start int32, stop int32, context int64, filler int64")
"""Contexts and fillers are fingerprints, as in the database."""


_SHARED_SLOT: Final = _SLOT.append(pa.field("fillers", pa.int64()))


def _in_shared_contexts(work: Workspace) -> Division:
    """As what stands in shared contexts is kept: no one but the next steps reads it, and divided it costs least."""
    return Division((Kind(_SHARED_SLOT, ("context",)),), work.partitions)


def shared_slots(work: Workspace) -> DataFrame:
    """The slots whose context two sentences have, by contexts; no sentence has a context twice."""
    by_context = Division((Kind(_SLOT, ("context",)),), work.partitions)
    cut = by_context.of((work.read("sentence"), _slots))
    return _in_shared_contexts(work).divided(cut, by_context.each(_shared))


def _slots(batches: Batches) -> Sorted:
    for batch in batches:
        numbers = np.asarray(batch["sentence"])
        found = cut_slots(batch["text"].to_pylist())
        columns = numbers[found.sentence], found.start, found.stop, found.context, found.filler
        yield 0, pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=_SLOT)


def _shared(slots: pa.Table) -> Sorted:
    yield from of_kind(0, _often(slots, "context", "fillers").to_batches())


def _often(slots: pa.Table, column: str, name: str) -> pa.Table:
    """The slots that have what stands in a column in common with others; how many have it, under a name."""
    found = grouped(numbers_of(slots[column]))
    counts = found.counts[found.group]
    return slots.append_column(name, pa.array(counts)).filter(pa.array(counts >= 2))


_CONTEXT: Final = columns("context int64, fillers int64, sentence int64, start int32, stop int32")


def contexts(work: Workspace) -> DataFrame:
    """Each context that two sentences have: how many, and where it stands first."""
    shared = _in_shared_contexts(work)
    return shared.parts_of(work.read("shared_slot")).mapInArrow(shared.each(_first), spark_schema(_CONTEXT))


def _first(slots: pa.Table) -> Batches:
    context, sentence = (numbers_of(slots[name]) for name in ("context", "sentence"))
    order = np.lexsort((sentence, context))
    first = order[is_new(context[order])]
    yield from slots.select(_CONTEXT.names).take(pa.array(first)).to_batches()


def slots(work: Workspace) -> DataFrame:
    """Of these the slots whose context is not too common, and whose filler stands in two such contexts."""
    shared = _in_shared_contexts(work)
    by_filler = Division((Kind(_SLOT, ("filler",)),), work.partitions)
    usable = by_filler.of((shared.parts_of(work.read("shared_slot")), shared.each(_usable)))
    found = by_filler.each(_commutable)
    return usable.mapInArrow(found, spark_schema(_SLOT.append(pa.field("contexts", pa.int64()))))


def _usable(slots: pa.Table) -> Sorted:
    usable = slots.filter(pa.compute.less_equal(slots["fillers"], MAX_FILLERS))
    yield from of_kind(0, usable.select(_SLOT.names).to_batches())


def _commutable(slots: pa.Table) -> Batches:
    yield from _often(slots, "filler", "contexts").to_batches()


def fillers(work: Workspace) -> DataFrame:
    """Each filler of those slots with its text, and in how many it stands."""
    from pyspark.sql import functions as F

    at = F.min_by(F.struct("sentence", "start", "stop"), "sentence").alias("at")
    found = (
        work.read("slot").groupBy("filler").agg(F.count("*").alias("contexts"), at).select("filler", "contexts", "at.*")
    )
    text = F.substring("text", F.col("start") + 1, F.col("stop") - F.col("start"))
    return found.join(work.read("sentence"), "sentence").select("filler", text.alias("text"), "contexts")


_SUBSTITUTION: Final = columns("context int64, filler int64, rewording int64, sentence int64, start int32, stop int32")


def substitutions(work: Workspace) -> DataFrame:
    """The fillers of each sentence with paraphrases that stand in one of these too, and where."""
    pairs = work.read("paraphrase").select("sentence", "paraphrase")
    columns = ("sentence", "paraphrase", "context", "filler", "start", "stop")
    found = work.read("slot").join(pairs, "sentence").select(*columns)
    return work.apply_by(found, ["sentence", "paraphrase"], partial(_substitutions, work.texts()), _SUBSTITUTION)


def _substitutions(texts: Texts, batches: Batches) -> Batches:
    return as_batches(_replaceable(texts.beside(batches, 0, 1)), _SUBSTITUTION)


def _replaceable(rows: Iterable[Row]) -> Iterator[Row]:
    for (sentence, number, text, reworded), group in groupby(rows, key=itemgetter(0, 1, 6, 7)):
        rewording = AnalogousText(number, reworded, frozenset(unit_ends(reworded)))
        filled = [FilledSlot(sentence, row[2], row[3], text[row[4] : row[5]]) for row in group]
        yield from substitutions_in(filled, rewording)


# Candidates: which exchanges of fillers are asked for, in how many contexts each stands, and what they give.


_IN_CONTEXT: Final = Kind(_SLOT, ("context",))
_REPLACED: Final = Kind(_SUBSTITUTION, ("context",))
_PAIR: Final = Kind(columns("low int64, high int64"), ("low", "high"))
_ASKED: Final = Kind(
    columns(
        "context int64, x int64, y int64, seed int64, seed_start int32, seed_stop int32, "
        "rewording int64, sentence int64, start int32, stop int32"
    ),
    ("x", "y"),
)
_DERIVATION: Final = pa.schema([*_ASKED.schema, ("contexts", pa.int64()), ("first", pa.bool_())])


def derivations(work: Workspace) -> DataFrame:
    """What a sentence D = c[x] could be given by B = c[y] and its paraphrase B', and how many contexts x and y share.

    Of all sentences, also where only some are generated from: the index that others are generated by is of all.
    Those whose fillers stand together in no other context are left out, but for those with a clear place. Of all with
    the same fillers one is the first.
    """
    by_context, by_fillers = (Division(kinds, work.partitions) for kinds in ((_IN_CONTEXT, _REPLACED), (_PAIR, _ASKED)))
    replaced = numbers_of(work.table("substitution", ["filler"])["filler"])
    together = by_context.of(
        (work.read("slot").select(*_SLOT.names), partial(of_kind, 0)), (work.read("substitution"), partial(of_kind, 1))
    )
    derive = by_context.each(_Derive(work.texts(), Sieve(distinct(replaced))))
    found = by_fillers.of((together, derive))
    return found.mapInArrow(by_fillers.each(_commuting), spark_schema(_DERIVATION))


@dataclass(frozen=True)
class _Derive:
    """What can be derived in contexts, and the pairs of fillers by which something could be."""

    texts: Texts
    replaced: Sieve
    """The fillers that can be replaced in some paraphrase."""

    def __call__(self, slots: pa.Table, substitutions: pa.Table) -> Sorted:
        slots, substitutions = slots.sort_by("context"), substitutions.sort_by("context")
        context, filler = numbers_of(slots["context"]), numbers_of(slots["filler"])
        begin, end = (
            np.searchsorted(numbers_of(substitutions["context"]), context, side=side) for side in ("left", "right")
        )
        sizes = np.where(self._usable(slots), end - begin, 0)
        for slot, replaced in expanded(begin, sizes):
            found = self._asked(slots.take(pa.array(slot)), substitutions.take(pa.array(replaced)))
            yield from of_kind(1, found)
        for one, other in pairs_in_contexts(context, self.replaced.maybe(filler)):
            low, high = np.minimum(filler[one], filler[other]), np.maximum(filler[one], filler[other])
            yield 0, pa.RecordBatch.from_arrays([pa.array(low), pa.array(high)], schema=_PAIR.schema)

    def _usable(self, slots: pa.Table) -> Bools:
        """Which leave enough of their sentences."""
        seeds, _, group, _ = grouped(numbers_of(slots["sentence"]))
        sizes = np.fromiter(map(len, self.texts.of(seeds)), dtype=np.int64, count=len(seeds))
        usable: Bools = numbers_of(slots["stop"]) - numbers_of(slots["start"]) <= MOST_FILLER * sizes[group]
        return usable

    def _asked(self, slots: pa.Table, substitutions: pa.Table) -> Batches:
        x, y = slots["filler"], substitutions["filler"]
        made = [
            *(slots["context"], x, y, slots["sentence"], slots["start"], slots["stop"]),
            *(substitutions[name] for name in ("rewording", "sentence", "start", "stop")),
        ]
        found = pa.Table.from_arrays(made, schema=_ASKED.schema)
        return iter(found.filter(pa.compute.not_equal(x, y)).to_batches())


_EXPANDED_AT_ONCE: Final = 1 << 18


def expanded(begin: I64, sizes: I64) -> Iterator[tuple[I64, I64]]:
    """The place of each with all places of the range that begins at ``begin`` for it, some of them at a time."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        last = int(np.searchsorted(ends, ends[first] + _EXPANDED_AT_ONCE, side="right"))
        of = np.repeat(np.arange(first, last), sizes[first:last])
        before = ends[first] - sizes[first]
        yield of, begin[of] + np.arange(len(of)) + before - (ends[of] - sizes[of])
        first = last


def pairs_in_contexts(context: I64, chosen: Bools) -> Iterator[tuple[I64, I64]]:
    """The places of each two slots in one context of which one at least is chosen, some pairs at a time."""
    order = np.lexsort((~chosen, context))
    begins = np.flatnonzero(is_new(context[order]))
    sizes = np.diff(begins, append=len(order))
    ends = np.repeat(begins + sizes, sizes)
    place = np.arange(len(order))
    for one, other in expanded(place + 1, np.where(chosen[order], ends - place - 1, 0)):
        yield order[one], order[other]


def _commuting(pairs: pa.Table, asked: pa.Table) -> Batches:
    x, y = (numbers_of(asked[name]) for name in ("x", "y"))
    low, high = np.minimum(x, y), np.maximum(x, y)
    known = grouped(combined(low.view(np.uint64), high.view(np.uint64)))
    counts = np.zeros(len(known.values), dtype=np.int64)
    for batch in pairs.to_batches():
        one, other = (np.asarray(column) for column in batch.columns)
        place, among = places_in(known.values, combined(one.view(np.uint64), other.view(np.uint64)))
        among &= (low[known.first][place] == one) & (high[known.first][place] == other)
        counts += np.bincount(place[among], minlength=len(counts))
    contexts = counts[known.group]
    first = np.zeros(len(low), dtype=bool)
    first[known.first] = True
    clear = asked["start"].is_valid().to_numpy()
    found = asked.append_column("contexts", pa.array(contexts)).append_column("first", pa.array(first))
    yield from found.filter(pa.array((contexts >= 2) | clear)).to_batches()


def commutations(work: Workspace) -> DataFrame:
    """In how many contexts two fillers both stand, where they are two or more: of the pairs that are asked for only."""
    from pyspark.sql import functions as F

    low, high = F.least("x", "y").alias("low"), F.greatest("x", "y").alias("high")
    return work.read("derivation").where("first and contexts >= 2").select(low, high, "contexts")


_TYPES: Final = {str: pa.string(), int: pa.int64(), float: pa.float64()}
CANDIDATE: Final = pa.schema(
    [("seed", pa.int64()), *((name, _TYPES[kind]) for name, kind in get_type_hints(Evidence).items())]
)
_DERIVED: Final = Kind(
    columns(
        "seed int64, seed_start int32, seed_stop int32, sentence int64, rewording int64, start int32, stop int32, "
        "contexts int64, x int64, languages string, probability double"
    ),
    ("seed",),
)


def candidates(work: Workspace) -> DataFrame:
    """What is derived from each seed where fillers commute, with all that stands behind it."""
    derived, seeds = work.read("derivation").where("contexts >= 2"), work.seeds()
    return with_evidence(work, derived if seeds is None else derived.join(seeds, "seed", "left_semi"))


def with_evidence(work: Workspace, derived: DataFrame) -> DataFrame:
    """The candidates of some derivations, of which each has the number of contexts of its fillers."""
    pairs = work.read("paraphrase").withColumnRenamed("paraphrase", "rewording")
    shared = pairs.select("sentence", "rewording", "languages", "probability")
    found = derived.join(shared, ["sentence", "rewording"]).select(*_DERIVED.schema.names)
    by_seed = Division((_DERIVED,), work.partitions)
    derive = by_seed.each(partial(_candidates, work.texts()))
    return by_seed.of((found, partial(of_kind, 0))).mapInArrow(derive, spark_schema(CANDIDATE))


def _candidates(texts: Texts, derived: pa.Table) -> Batches:
    found = (_evidence(rows, texts) for rows in _by_whole_seeds(derived.sort_by("seed").to_batches()))
    return as_batches(chain.from_iterable(found), CANDIDATE)


_DERIVED_AT_ONCE: Final = 20_000
"""Derivations of which the candidates are made together, and the rest of those of the last seed."""


def _by_whole_seeds(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The rows, which come by seed, in parts of some thousands, with all rows of a seed in one of them."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        seeds = np.asarray(batch.column(0))
        last = int(np.searchsorted(seeds, seeds[-1])) if len(seeds) else 0
        waiting.append(batch.slice(0, last))
        if last and sum(each.num_rows for each in waiting) >= _DERIVED_AT_ONCE:
            yield pa.Table.from_batches(waiting)
            waiting = []
        waiting.append(batch.slice(last))
    if any(each.num_rows for each in waiting):
        yield pa.Table.from_batches(waiting)


def _evidence(rows: pa.Table, known: Texts) -> Iterator[Row]:
    columns = [numbers_of(rows[name]) for name in ("seed", "sentence", "rewording")]
    numbers = np.unique(np.concatenate(columns))
    texts = known.of(numbers)
    seed, sentence, rewording = (np.searchsorted(numbers, column) for column in columns)
    _, first, x = np.unique(numbers_of(rows["x"]), return_index=True, return_inverse=True)
    bounds = (numbers_of(rows[name])[first].tolist() for name in ("seed_start", "seed_stop"))
    fillers = [texts[place][start:stop] for place, start, stop in zip(seed[first].tolist(), *bounds, strict=True)]
    _, first, pair = np.unique(sentence << 32 | rewording, return_index=True, return_inverse=True)
    shared = [frozenset(each.split(",")) for each in rows["languages"].take(pa.array(first)).to_pylist()]
    pairs = ParaphrasePairs(
        sentence[first],
        rewording[first],
        np.asarray(rows["probability"].to_numpy(), dtype=np.float64)[first],
        [np.array([language in having for having in shared]) for language in sorted(frozenset().union(*shared))],
    )
    place = (numbers_of(pa.compute.fill_null(rows[name], -1)) for name in ("start", "stop"))
    each = np.arange(rows.num_rows)
    replaced = Replaced(each, each, pair, *place)  # of one derivation each, so that their own numbers do not matter
    derived = Derivations(seed, x, each, numbers_of(rows["contexts"]) - 1)
    for at, found in candidates_of_many(derived, replaced, pairs, texts, fillers).items():
        for of in found:
            yield int(numbers[at]), *of


# The fluency of candidates: up to which N all their N-sequences occur in the corpus (section 4.4), exactly. Sentences
# stand in segments as in the database; a worker looks its candidates up in one after the other, and keeps the longest
# sequence.

_SEGMENT: Final = columns("segment int32, text binary, sentences binary, suffixes binary")
"""``text`` is UTF-8, each sentence between two line breaks; ``sentences`` are int64, ascending, and ``suffixes`` int32,
both little-endian. The bytes of a segment are those of its rows, one after the other."""
_PIECE: Final = 4 << 20
"""So many bytes of each a row has at most: Spark holds a row several times; a heap of 640 MB had no room for 67 MB."""


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
    numbered = sentence.select(segment, "sentence", "text").repartitionById(max(1, len(first)), "segment")
    return numbered.sortWithinPartitions("sentence").mapInArrow(_segments, spark_schema(_SEGMENT))


def _segments(batches: Batches) -> Batches:
    """The one segment that a task has, each row of it by itself."""
    if tables := [batch for batch in batches if batch.num_rows]:
        rows = pa.Table.from_batches(tables)
        sentences = numbers_of(rows["sentence"]).astype("<i8").tobytes()
        text = "\n" + "\n".join(rows["text"].to_pylist()) + "\n"
        suffixes = sort_suffixes(text).astype("<i4").tobytes()
        number, whole = rows["segment"][0].as_py(), (text.encode(), sentences, suffixes)
        for begin in range(0, max(map(len, whole)), _PIECE):
            yield from as_batches([(number, *(each[begin : begin + _PIECE] for each in whole))], _SEGMENT)


FLUENCY: Final = pa.schema([("text", pa.string()), *((name, pa.int64()) for name in Fluency._fields)])
_TEXTS_AT_ONCE: Final = 200_000


def fluencies(step: str, work: Workspace) -> DataFrame:
    """The fluency of every text that a step made."""
    texts = work.read(step).select("text").distinct()
    # Each partition reads all segments, so that there are no more of them than can run at a time.
    return work.apply(texts, Measured(work.mapped("segment")), FLUENCY, partitions=work.cores)


@dataclass(frozen=True)
class Measured:
    """The function of a worker."""

    segments: Mapped

    def __call__(self, batches: Batches) -> Batches:
        rows = as_rows(batches)
        while part := [text for (text,) in islice(rows, _TEXTS_AT_ONCE)]:
            yield from as_batches(self._measured(part), FLUENCY)

    def _measured(self, texts: list[str]) -> Iterator[Row]:
        for text, found in fluency_of(texts, self._longest).items():
            yield text, *found

    def _longest(self, text: str) -> I32:
        lengths = np.zeros(len(text), dtype=np.int32)
        for path in kept(_files, self.segments):
            # Of a file, which has one segment or none, a reader that waits would hold the pages.
            for rows in pq.read_table(path, columns=["text", "suffixes"]).combine_chunks().to_batches():
                corpus, suffixes = map(_joined, rows.columns)
                found = SortedCorpus(str(corpus, "utf-8"), np.frombuffer(suffixes, dtype="<i4")).longest(text)
                np.maximum(lengths, found, out=lengths)
        return lengths


def _joined(column: pa.Array) -> pa.Buffer:
    """The bytes of all rows of a column, where they stand one after the other."""
    _, ends, values = column.buffers()
    begin, end = np.frombuffer(ends, dtype=np.int32)[[column.offset, column.offset + len(column)]].tolist()
    return values.slice(begin, end - begin)


def _files(step: Mapped) -> list[Path]:
    return sorted(step.place.glob("*.parquet"))
