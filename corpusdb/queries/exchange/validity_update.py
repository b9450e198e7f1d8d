"""The layer of validity: the exchanges of a language, and how probable it is that each stored paraphrase holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.exchange.validity import with_sharing
from corpusdb.jobs import Job, Progress
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.queries.exchange.exchange_index import ExchangeIndex, load_sharing, load_slots, make_index
from corpusdb.queries.exchange.exchange_rows import store_exchanges
from corpusdb.queries.exchange.neighbours import Neighbours
from corpusdb.queries.exchange.pair_differences import UNKNOWN, Pair, PairComparer, PairDifferences
from corpusdb.queries.exchange.validity_models import fit_models, is_vouched, rounded
from corpusdb.store import Layer, Store, finish_run, layer_state, save_layer, start_run

__all__ = ["PARAMETERS", "GeneratedValidity", "judge_paraphrases", "update_validity"]

PARAMETERS: Final[dict[str, object]] = {"rules": 1}
"""What the layer is made by; ``rules`` is raised when features or differences change."""
_PAIRS_AT_ONCE: Final = 20_000


def update_validity(store: Store, language: str) -> Job[None]:
    """Sum up the exchanges of a language and judge its stored paraphrases by them, if anything has changed.

    All sums and the model are made from the corpus as it is, so that they do not depend on how it grew. Part of a job;
    one transaction stores everything. A language without a commutation index has nothing to judge by.
    """
    index_state = layer_state(store, language, "commutation")
    if index_state is None or not index_state.complete or _is_current(store, language, index_state):
        return
    yield from judge_paraphrases(store, language)


@dataclass(frozen=True, slots=True)
class GeneratedValidity:
    """The validity of all candidates of a language, and what it was made of; parallel arrays."""

    candidate: I64
    """Number."""
    alone: F64
    """Without that seed and candidate may share a translation."""
    validity: F64
    """With it; as it is stored."""
    labelled: int
    """How many pairs the model was fitted to; 0 for the one that is shipped."""


def judge_paraphrases(store: Store, language: str) -> Job[GeneratedValidity]:
    """Judge the paraphrases of a language that has a complete commutation index, and store that; part of a job."""
    judged = yield from _judge_all(store, language)
    yield Progress("storing validity", 0, 0)
    state = layer_state(store, language, "commutation")
    with store.write() as connection:
        run = start_run(store, "validity", {"language": language, "model": judged.document})
        store_exchanges(connection, language, judged.index, judged.fillers, judged.neighbours)
        connection.executemany(_JUDGE_CANDIDATE, judged.candidates)
        connection.executemany(_JUDGE_DETECTED, judged.detected)
        last_run = _last_run(store, language)
        last_sentence = state.last_sentence if state else 0
        save_layer(store, language, "validity", Layer(PARAMETERS, last_sentence, last_run, True), run)
        finish_run(store, run, {"exchanges": len(judged.index.codes), **judged.counts})
    return judged.generated


_UNJUDGED = """
select exists (select 1 from seed cross join candidate on candidate.seed = seed.id
               where seed.language = :language and candidate.validity is null)
    or exists (select 1 from sentence cross join paraphrase on paraphrase.sentence = sentence.id
               where sentence.language = :language and paraphrase.validity is null)
"""


def _is_current(store: Store, language: str, index: Layer) -> bool:
    state = layer_state(store, language, "validity")
    if state is None or not state.complete or state.parameters != PARAMETERS:
        return False
    if (state.last_sentence, state.last_run) != (index.last_sentence, _last_run(store, language)):
        return False
    return not store.connection.execute(_UNJUDGED, {"language": language}).fetchone()[0]


def _last_run(store: Store, language: str) -> int:
    """The last run whose translations are in the detected paraphrases."""
    state = layer_state(store, language, "paraphrase")
    return state.last_run if state else 0


_JUDGE_CANDIDATE = "update candidate set validity = ?, replacement = ? where id = ?"
_JUDGE_DETECTED = "update paraphrase set validity = ? where sentence = ? and paraphrase = ?"


@dataclass(frozen=True, slots=True)
class _Judged:
    """What is to be stored."""

    index: ExchangeIndex
    fillers: Mapping[int, str]
    neighbours: Sequence[str]
    candidates: list[tuple[float, int, int]]
    """Validity, whether it is a replacement, and number."""
    detected: list[tuple[float, int, int]]
    """Validity, sentence and paraphrase."""
    document: dict[str, Any]
    counts: dict[str, int]
    generated: GeneratedValidity


_FILLERS = "select id, text from filler where language = ?"
_CANDIDATES = """
select candidate.id, seed.text, candidate.text, candidate.frequency, candidate.languages, candidate.probability
from seed cross join candidate on candidate.seed = seed.id where seed.language = ? order by seed.id, candidate.id
"""
_DETECTED = """
select 0, sentence.text, other.text, 0, 0, 0.0
from sentence cross join paraphrase on paraphrase.sentence = sentence.id
cross join sentence other on other.id = paraphrase.paraphrase
where sentence.language = ? order by paraphrase.sentence, paraphrase.paraphrase
"""


def _judge_all(store: Store, language: str) -> Job[_Judged]:
    sentences = sentences_after(store, language, 0)
    place_of = {text: place for place, (_, text) in enumerate(sentences)}
    fillers: dict[int, str] = dict(store.connection.execute(_FILLERS, (language,)))
    filler_of = {text: number for number, text in fillers.items()}
    neighbours = Neighbours(store, dict(sentences))
    compared = []
    for pairs in (_CANDIDATES, _DETECTED):
        comparer = PairComparer(place_of, filler_of, neighbours.numbers)
        rows = store.connection.execute(pairs, (language,))
        for done in count(0, _PAIRS_AT_ONCE):
            batch = [Pair(*row[:6]) for row in islice(rows, _PAIRS_AT_ONCE)]
            if not batch:
                break
            yield Progress("comparing paraphrases with their seeds", done, 0)
            comparer.add(batch)
        compared.append(comparer.differences())
    size = comparer.fillers
    del place_of, filler_of, comparer
    yield Progress("summing up exchanges", 0, 0)
    numbers = np.array([number for number, _ in sentences], dtype=np.int64)
    codes = np.unique(np.concatenate([codes for each in compared for codes in (each.code, each.region_code)]))
    index = make_index(
        codes[codes != UNKNOWN],
        size,
        load_slots(store, language, numbers),
        load_sharing(store, language, numbers),
        neighbours,
    )
    yield Progress("judging paraphrases", 0, 0)
    return _judged(index, fillers, list(neighbours.numbers), numbers, *compared)


def _judged(
    index: ExchangeIndex,
    fillers: Mapping[int, str],
    neighbours: Sequence[str],
    sentences: I64,
    candidates: PairDifferences,
    detected: PairDifferences,
) -> _Judged:
    labels, evidence = index.labels(candidates), index.evidence(candidates)
    models = fit_models(evidence, candidates, labels.languages > 0, labels.expected)
    alone = models.of_candidates(evidence, candidates, labels.expected > 0)
    validity = rounded(with_sharing(alone, labels.languages))
    rows = validity.tolist(), is_vouched(evidence, candidates).astype(int).tolist(), candidates.row.tolist()
    plain = rounded(with_sharing(models.of_pairs(index.evidence(detected)), index.labels(detected).languages))
    return _Judged(
        index,
        fillers,
        neighbours,
        list(zip(*rows, strict=True)),
        list(_of_detected(plain, detected, validity, candidates, sentences)),
        models.document(),
        {"candidates": len(candidates.row), "detected": len(detected.row), "labelled": models.labelled},
        GeneratedValidity(candidates.row, alone, validity, models.labelled),
    )


def _of_detected(
    plain: F64, detected: PairDifferences, validity: F64, candidates: PairDifferences, sentences: I64
) -> Iterator[tuple[float, int, int]]:
    """Validity and numbers of detected pairs: of one that was generated too, what is known from its analogies."""
    generated = dict(
        zip(zip(candidates.seed.tolist(), candidates.other.tolist(), strict=True), validity.tolist(), strict=True)
    )
    for seed, other, value in zip(detected.seed.tolist(), detected.other.tolist(), plain.tolist(), strict=True):
        yield generated.get((seed, other), value), int(sentences[seed]), int(sentences[other])
