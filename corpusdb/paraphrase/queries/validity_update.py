"""The layer of validity: the exchanges of a language, and how probable it is that each stored paraphrase holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I64, distinct
from corpusdb.base.jobs import Job, Progress, beside, cores_for
from corpusdb.corpus.queries.sentences import retranslated_sentences, sentences_after, translated_into
from corpusdb.corpus.store import Layer, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.paraphrase.exchange_index import TextSums, make_index, sums_by_text
from corpusdb.paraphrase.frames import as_inside, frame_sums
from corpusdb.paraphrase.marking import marking_of
from corpusdb.paraphrase.pair_differences import UNKNOWN, Pair, PairComparer, PairDifferences
from corpusdb.paraphrase.queries.candidates import setting
from corpusdb.paraphrase.queries.exchanges import UnitNumbers, load_links, load_slots, sharing_by, store_exchanges
from corpusdb.paraphrase.queries.learning import hear_witnesses, learn_models
from corpusdb.paraphrase.queries.models import store_lexical_models, store_word_model
from corpusdb.paraphrase.queries.paraphrases import (
    CANDIDATES_IN_PLACE,
    DETECTED_IN_PLACE,
    JUDGED_BY,
    is_judged,
    judged_candidates,
    last_detected_run,
    validity_pivots,
)
from corpusdb.paraphrase.queries.seeds import SeedValidity
from corpusdb.paraphrase.validity import GeneratedValidity, PairsToJudge, judge, recalls_by_language, unseen_through
from corpusdb.paraphrase.witnesses import TranslationsInto
from corpusdb.paraphrase.word_model import SaidByWords, WordModel, said_by_words

_ACCEPTED = """
with accepted as materialized (
    select json_extract(parameters, '$.seed') as seed, json_extract(parameters, '$.candidate') as text
    from run where operation = 'accept' and json_extract(parameters, '$.language') = :language
        and json_type(parameters, '$.candidate') = 'text' and not exists (
            select 1 from run taken where taken.operation = 'remove' and taken.id > run.id
            and json_extract(taken.parameters, '$.sentence') = json_extract(run.parameters, '$.candidate'))
    union
    select session_seed.text, said.text
    from session
    cross join session_seed on session_seed.session = session.id
    cross join current_decision said on said.seed = session_seed.id and said.verdict = 'accept'
    where session.language = :language and said.applied is not null)
"""
_CANDIDATES = f"""
{_ACCEPTED}
update candidate set validity_parts = 10000, replacement = coalesce(replacement, 0) where id in (
    select candidate.id from accepted
    cross join seed on seed.language = :language and seed.text = accepted.seed
    cross join candidate on candidate.seed = seed.id and candidate.text = accepted.text)
"""
_DETECTED = f"""
{_ACCEPTED},
pair as materialized (
    select one.id as sentence, other.id as paraphrase from accepted
    cross join sentence one on one.language = :language and one.text = accepted.seed
    cross join sentence other on other.language = :language and other.text = accepted.text)
update paraphrase set validity_parts = 10000
where (sentence, paraphrase) in (select sentence, paraphrase from pair union all select paraphrase, sentence from pair)
"""
_JUDGE_CANDIDATE = f"update candidate set {setting('validity', 'replacement', 'word_gain')} where id = ?"
_JUDGE_DETECTED = f"update paraphrase set {setting('validity')} where sentence = ? and paraphrase = ?"


def store_validity(
    connection: sqlite3.Connection,
    language: str,
    candidates: Iterable[tuple[float, int, float | None, int]] = (),
    detected: Iterable[tuple[float, int, int]] = (),
) -> None:
    """Store the validity of paraphrases; what people accepted has 1, in both directions.

    In a transaction of the caller.
    ``candidates``: validity, why fewer than N will do, word gain, number; ``detected``: validity, the two sentences.
    """
    connection.executemany(_JUDGE_CANDIDATE, candidates)
    connection.executemany(_JUDGE_DETECTED, detected)
    for statement in (_CANDIDATES, _DETECTED):
        connection.execute(statement, {"language": language})


_AT_ONCE = 5_000


def judge_in_place(store: Store, language: str) -> Job[None]:
    """Judge the stored paraphrases of a language that have no validity, by what was learned before; part of a job."""
    judge, done, stage = SeedValidity(store, language), 0, "judging what is new as `generate` last learned"
    values = {"language": language, "limit": _AT_ONCE}
    while rows := store.connection.execute(CANDIDATES_IN_PLACE, values).fetchall():
        yield Progress(stage, done, 0)
        done += len(rows)
        judged = judge.judge([Pair(*row[:6]) for row in rows], [row[6] or 0 for row in rows])
        found = [(*each, row[0]) for each, row in zip(judged, rows, strict=True)]
        with store.write() as connection:
            store_validity(connection, language, found)
    while rows := store.connection.execute(DETECTED_IN_PLACE, values).fetchall():
        yield Progress(stage, done, 0)
        done += len(rows)
        pairs = [Pair(0, seed, text) for _, _, seed, text, *_ in rows]
        judged = judge.judge(pairs, [row[4] for row in rows], derived=False, detected=True)
        shown = [
            (each.validity if row[5] is None else row[5], row[0], row[1])
            for each, row in zip(judged, rows, strict=True)
        ]
        with store.write() as connection:
            store_validity(connection, language, detected=shown)
    with store.write() as connection:  # somebody may have accepted what was judged before
        store_validity(connection, language)


# Everything is summed up and fitted again from the corpus as it is, so that the rows do not depend on how it grew.
# That takes minutes in a large one, and few sentences hardly change the sums: after them only what is not judged yet is
# judged, by the sums and the models there are, until somebody asks for all of it. So it is where those are of another
# version, too: whoever accepts a paraphrase did not ask for all others to be judged anew.


_PAIRS_AT_ONCE: Final = 20_000
_FEW: Final = 20_000
"""So many sentences and candidates together are judged in some seconds, with everything that belongs to it."""
_LITTLE: Final = 0.02
"""The part of the sentences that may be new, or newly translated, before all is judged again; the index is rebuilt at
the same."""


class JudgedLayer(NamedTuple):
    generated: GeneratedValidity
    translated: Sequence[TranslationsInto]
    """The translations of all sentences, as the layer that was made knows them."""


def update_validity(store: Store, language: str, *, thorough: bool = False) -> Job[Sequence[TranslationsInto] | None]:
    """Judge the stored paraphrases of a language, if anything has changed since that was done.

    Little that is new in a large corpus is judged by the sums and the models there are, unless ``thorough``; the layer
    is then behind by these sentences. Part of a job; one transaction stores everything. A language without a
    commutation index has nothing to judge by. Where all were judged, the translations as ``JudgedLayer`` has them.
    """
    if is_judged(store, language, thorough=thorough):
        return None
    if not thorough and is_little(store, language):
        yield from judge_in_place(store, language)
        return None
    return (yield from judge_paraphrases(store, language)).translated


def judge_paraphrases(store: Store, language: str, *, apart: bool = False) -> Job[JudgedLayer]:
    """Judge the paraphrases of a language that has a complete commutation index, and store that; part of a job.

    ``apart`` as for ``judge``.
    """
    judged = yield from _judge_all(store, language, apart=apart)
    yield Progress("storing validity", 0, 0)
    state = layer_state(store, language, "commutation")
    with store.write() as connection:
        run = start_run(store, "validity", {"language": language, **judged.document})
        store_exchanges(connection, language, judged.exchanges)
        store_validity(connection, language, judged.candidates, judged.detected)
        store_lexical_models(connection, language, judged.lexical_models, run)
        store_word_model(connection, language, judged.word_model, run)
        last_run = last_detected_run(store, language)
        last_sentence = state.last_sentence if state else 0
        save_layer(store, language, "validity", Layer(JUDGED_BY, last_sentence, last_run, True), run)
        finish_run(store, run, {"exchanges": len(judged.exchanges.exchanges), **judged.counts})
    return judged.layer


_SIZE = """
select (select count(*) from sentence where language = :language),
       (select count(*) from seed cross join candidate on candidate.seed = seed.id where seed.language = :language)
"""


def is_little(store: Store, language: str) -> bool:
    """Whether few of many sentences are new, or have new translations, since all paraphrases of a language were judged,
    so that judging all again is not worth a person's waiting."""
    known, state = validity_pivots(store, language), layer_state(store, language, "validity")
    if state is None or known is None:
        return False
    sentences, candidates = store.connection.execute(_SIZE, {"language": language}).fetchone()
    if sentences + candidates <= _FEW or retranslated_sentences(store, language, state) > _LITTLE * sentences:
        return False
    # What one pivot language did not see another one may.
    return not known.unseen or known.languages == translated_into(store, language)


@dataclass(frozen=True, slots=True)
class _Judged:
    exchanges: TextSums
    lexical_models: Sequence[tuple[str, Sequence[bytes]]]
    candidates: list[tuple[float, int, float | None, int]]
    """Validity, why fewer than N will do, word gain, and number."""
    detected: list[tuple[float, int, int]]
    """Validity, sentence and paraphrase."""
    document: dict[str, Any]
    """The model and the recalls, as JSON can hold them."""
    counts: dict[str, int]
    layer: JudgedLayer
    word_model: bytes | None
    """Packed."""


_FILLERS = "select id, text from filler where language = ?"
_JUDGED_CANDIDATES = """
select candidate.id, seed.text, candidate.text, candidate.frequency, candidate.languages, candidate.probability
from seed cross join candidate on candidate.seed = seed.id where seed.language = ? order by seed.id, candidate.id
"""
_JUDGED_DETECTED = """
select 0, sentence.text, other.text, 0, 0, 0.0
from sentence cross join paraphrase on paraphrase.sentence = sentence.id
cross join sentence other on other.id = paraphrase.paraphrase
where sentence.language = ? order by paraphrase.sentence, paraphrase.paraphrase
"""


def _judge_all(store: Store, language: str, *, apart: bool = False) -> Job[_Judged]:
    sentences = sentences_after(store, language, 0)
    numbers = np.array([number for number, _ in sentences], dtype=np.int64)
    languages, links = load_links(store, language, numbers)
    learned = yield from learn_models(store, sentences, languages, links)
    fillers: dict[int, str] = dict(store.connection.execute(_FILLERS, (language,)))
    neighbours = UnitNumbers(store, dict(sentences))
    compared, said = yield from _compare_all(store, language, sentences, fillers, neighbours, learned.word_model)
    testimonies = yield from hear_witnesses(learned, compared, cores_for(len(sentences)))
    yield Progress("summing up exchanges", 0, 0)
    codes = distinct(np.concatenate([codes for each in compared for codes in (each.code, each.region_code)]))
    slots, sharing = load_slots(store, language, numbers), sharing_by(languages, links, len(numbers))
    index = make_index(codes[codes != UNKNOWN], max(fillers, default=0) + 1, slots, sharing, neighbours)
    del slots, sharing, links
    candidates, detected = compared
    yield Progress("looking for frames", 0, 0)
    model = None if learned.word_model is None else WordModel.unpacked(learned.word_model)
    texts = [] if model is None else as_inside([text for _, text in sentences], model)
    frames = frame_sums(language, texts, (detected.seed, detected.other), index.sharing, neighbours.numbers)
    del model, texts
    yield Progress("judging paraphrases", 0, 0)
    judgements = judged_candidates(store, language)
    pairs = PairsToJudge(candidates, detected, *said, *testimonies)
    judged = judge(language, index, pairs, judgements, apart=apart)
    shown, gains = judged.generated.validity.tolist(), said[0].gains
    ends = (numbers[detected.seed].tolist(), numbers[detected.other].tolist())
    size = max(fillers, default=0) + 1
    of_fillers = [(fillers[code // size], fillers[code % size]) for code in index.codes.tolist()]
    return _Judged(
        sums_by_text([(index, of_fillers), (frames.sums, frames.exchanges)], list(neighbours.numbers)),
        learned.models,
        list(zip(shown, judged.replacement.tolist(), gains, candidates.row.tolist(), strict=True)),
        list(zip(judged.detected.tolist(), *ends, strict=True)),
        {"model": judged.models.document(), "recalls": recalls_by_language(index.sharing)},
        {
            "candidates": len(candidates.row),
            "detected": len(detected.row),
            "labelled": judged.models.labelled,
            "judgements": len(judgements),
        },
        JudgedLayer(judged.generated, learned.into),
        learned.word_model,
    )


def _compare_all(
    store: Store,
    language: str,
    sentences: Sequence[tuple[int, str]],
    fillers: Mapping[int, str],
    neighbours: UnitNumbers,
    word_model: bytes | None,
) -> Job[tuple[list[PairDifferences], tuple[SaidByWords, SaidByWords]]]:
    """How the candidates, and the detected pairs, differ from their seeds, and what a word model says of both.

    It is asked beside, on another core. ``neighbours`` numbers the units that stand beside exchanges.
    """
    place_of = {text: place for place, (_, text) in enumerate(sentences)}
    filler_of = {text: number for number, text in fillers.items()}
    marking = marking_of(language) if unseen_through(language, translated_into(store, language)) else None
    both = [_batches_of(store, language, query) for query in (_JUDGED_CANDIDATES, _JUDGED_DETECTED)]
    compared = []
    store.give_memory_back()
    with beside(partial(_by_words, word_model, both), cores_for(len(sentences))) as by_words:
        for batches in both:
            comparer = PairComparer(place_of, neighbours.numbers, marking)
            for done, batch in enumerate(batches):
                yield Progress("comparing paraphrases with their seeds", done * _PAIRS_AT_ONCE, 0)
                comparer.add(batch.pairs())
            compared.append(comparer.differences(filler_of))
        yield Progress("counting words", 0, 0)
        return compared, by_words()


class _Batch(NamedTuple):
    """Some thousands of pairs, in a third of the memory of objects; a copy of this process that reads them shares it,
    while it would copy the page of each object that it only looks at."""

    seeds: str
    """A line each."""
    texts: str
    figures: tuple[I64, I64, I64, F64]
    """Row, frequency, languages and probability."""

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]]) -> _Batch:
        numbers, seeds, texts, *figures = zip(*rows, strict=True)
        row, frequency, languages = (np.array(column, dtype=np.int64) for column in (numbers, *figures[:2]))
        told = row, frequency, languages, np.array(figures[2], dtype=np.float64)
        return cls("\n".join(seeds), "\n".join(texts), told)

    def both(self) -> tuple[list[str], list[str]]:
        return self.seeds.split("\n"), self.texts.split("\n")

    def pairs(self) -> list[Pair]:
        row, *figures = (column.tolist() for column in self.figures)
        return list(map(Pair, row, *self.both(), *figures))


def _batches_of(store: Store, language: str, query: str) -> list[_Batch]:
    rows = store.connection.execute(query, (language,))
    return [_Batch.of(some) for some in iter(lambda: list(islice(rows, _PAIRS_AT_ONCE)), [])]


def _by_words(packed: bytes | None, pairs: Sequence[Sequence[_Batch]]) -> tuple[SaidByWords, SaidByWords]:
    """What a model says of the generated and of the detected pairs, in their order, which come in batches."""
    model = None if packed is None else WordModel.unpacked(packed)

    def said_of(batches: Sequence[_Batch]) -> SaidByWords:
        found = (said_by_words(model, *each.both()) for each in batches)
        return SaidByWords(*map(np.concatenate, zip(said_by_words(None, [], []), *found, strict=True)))

    generated, detected = map(said_of, pairs)
    return generated, detected


_WRONG = {
    "sums of exchanges that their parts do not add up to": """
        select count(*) from (
            select exchange.id from exchange left join exchange_part part on part.exchange = exchange.id
            group by exchange.id
            having exchange.pairs <> coalesce(sum(part.pairs) filter (where kind = 'left'), 0)
                or exchange.pairs <> coalesce(sum(part.pairs) filter (where kind = 'right'), 0)
                or exchange.shared <> coalesce(sum(part.shared) filter (where kind = 'left'), 0)
                or exchange.shared <> coalesce(sum(part.shared) filter (where kind = 'right'), 0)
                or exchange.expected <> coalesce(sum(part.expected) filter (where kind = 'left'), 0)
                or exchange.expected <> coalesce(sum(part.expected) filter (where kind = 'right'), 0)
                or exchange.shared > exchange.pairs)
    """,
    "parts of no exchange": "select count(*) from exchange_part where exchange not in (select id from exchange)",
    "candidates whose validity is not a probability": """
        select count(*) from candidate where validity not between 0 and 1 or (validity is null) <> (replacement is null)
    """,
    "detected paraphrases whose validity is not a probability": """
        select count(*) from paraphrase where validity not between 0 and 1
    """,
    "rewordings that are their own seed, have no evidence or an impossible figure": """
        select count(*) from rewording left join sentence on sentence.id = rewording.sentence
        where rewording.text is sentence.text or sentence.text is null or parts not between 1 and 3
           or min(pivots, languages, probability) < 0
           or (pivots > 0) <> (languages > 0) or (pivots > 0) <> (probability > 0)
           or (pivots > 0 and parts > 1) or replacement not between 0 and 5 or (parts = 1 and replacement = 0)
           or inner_fluency < fluency or validity not between 0 and 1
    """,
}


def wrong_exchanges(connection: sqlite3.Connection) -> list[str]:
    """What is wrong, in words, with the number of the rows."""
    counted = ((what, connection.execute(query).fetchone()[0]) for what, query in _WRONG.items())
    return [f"there are {count:,} {what}" for what, count in counted if count]
