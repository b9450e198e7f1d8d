"""The layer of validity: the exchanges of a language, and how probable it is that each stored paraphrase holds.

Everything is summed up and fitted again from the corpus as it is, so that the rows do not depend on how it grew. That
takes seconds in a large one, and one sentence hardly changes the sums: after few new sentences only what is not judged
yet is judged, by the sums and the model there are, until somebody asks for all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Final

import numpy as np

from corpusdb.exchange.exchange_index import ExchangeIndex, make_index
from corpusdb.exchange.judging import GeneratedValidity, judge, recalls_by_language
from corpusdb.exchange.pair_differences import UNKNOWN, Pair, PairComparer
from corpusdb.jobs import Job, Progress
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.queries.corpus.translations import translated_into
from corpusdb.queries.exchange.exchange_index import load_sharing, load_slots
from corpusdb.queries.exchange.exchange_rows import store_exchanges
from corpusdb.queries.exchange.judged_candidates import judged_candidates
from corpusdb.queries.exchange.neighbours import Neighbours
from corpusdb.queries.exchange.validity_in_place import has_unjudged, judge_in_place
from corpusdb.queries.exchange.validity_rows import store_validity, validity_pivots
from corpusdb.store import Layer, Store, finish_run, layer_state, save_layer, start_run

__all__ = ["PARAMETERS", "judge_paraphrases", "update_validity"]

PARAMETERS: Final[dict[str, object]] = {"rules": 3}
"""What the layer is made by; ``rules`` is raised when features or differences change."""
_PAIRS_AT_ONCE: Final = 20_000
_FEW: Final = 30_000
"""So many candidates are judged in one or two seconds, with everything that belongs to it."""
_LITTLE: Final = 0.02
"""The part of the sentences that may be new before all is judged again; the index is rebuilt at the same."""


def update_validity(store: Store, language: str, *, thorough: bool = False) -> Job[None]:
    """Judge the stored paraphrases of a language, if anything has changed since that was done.

    Little that is new in a large corpus is judged by the sums and the model there are, unless ``thorough``; the layer
    is then behind by these sentences. Part of a job; one transaction stores everything. A language without a
    commutation index has nothing to judge by.
    """
    index_state = layer_state(store, language, "commutation")
    if index_state is None or not index_state.complete:
        return
    if _is_current(store, language, index_state) and not (thorough and _is_judged_since(store, language)):
        return
    if not thorough and _is_little(store, language, index_state):
        judge_in_place(store, language)
        return
    yield from judge_paraphrases(store, language)


def judge_paraphrases(store: Store, language: str) -> Job[GeneratedValidity]:
    """Judge the paraphrases of a language that has a complete commutation index, and store that; part of a job."""
    judged = yield from _judge_all(store, language)
    yield Progress("storing validity", 0, 0)
    state = layer_state(store, language, "commutation")
    with store.write() as connection:
        run = start_run(store, "validity", {"language": language, **judged.document})
        store_exchanges(connection, language, judged.index, judged.fillers, judged.neighbours)
        store_validity(connection, language, judged.candidates, judged.detected)
        last_run = _last_run(store, language)
        last_sentence = state.last_sentence if state else 0
        save_layer(store, language, "validity", Layer(PARAMETERS, last_sentence, last_run, True), run)
        finish_run(store, run, {"exchanges": len(judged.index.codes), **judged.counts})
    return judged.generated


_SIZE = """
select (select count(*) from sentence where language = :language and id > :after),
       (select count(*) from sentence where language = :language),
       (select count(*) from seed cross join candidate on candidate.seed = seed.id where seed.language = :language)
"""


def _is_little(store: Store, language: str, index: Layer) -> bool:
    """Whether few sentences are new of many, so that judging all again is not worth a person's waiting."""
    state = layer_state(store, language, "validity")
    if state is None or not state.complete or state.parameters != PARAMETERS:
        return False
    known = validity_pivots(store, language)
    if known is None or known.languages != translated_into(store, language):
        return False  # what one pivot language did not see another one may
    values = {"language": language, "after": state.last_sentence}
    new, sentences, candidates = store.connection.execute(_SIZE, values).fetchone()
    return bool(candidates > _FEW and new <= _LITTLE * sentences)


def _is_current(store: Store, language: str, index: Layer) -> bool:
    state = layer_state(store, language, "validity")
    if state is None or not state.complete or state.parameters != PARAMETERS:
        return False
    if (state.last_sentence, state.last_run) != (index.last_sentence, _last_run(store, language)):
        return False
    return not has_unjudged(store, language)


_JUDGEMENTS = """
select coalesce(json_extract(run.counts, '$.judgements'), 0) from layer join run on run.id = layer.run
where layer.language = ? and layer.name = 'validity'
"""


def _is_judged_since(store: Store, language: str) -> bool:
    """Whether people judged other candidates than when the model was calibrated."""
    (known,) = store.connection.execute(_JUDGEMENTS, (language,)).fetchone()
    return bool(known != len(judged_candidates(store, language)))


def _last_run(store: Store, language: str) -> int:
    """The last run whose translations are in the detected paraphrases."""
    state = layer_state(store, language, "paraphrase")
    return state.last_run if state else 0


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
    """The model and the recalls, as JSON can hold them."""
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
    candidates, detected = compared
    judgements = judged_candidates(store, language)
    judged = judge(language, index, candidates, detected, judgements)
    shown = judged.generated.validity.tolist()
    ends = (numbers[detected.seed].tolist(), numbers[detected.other].tolist())
    return _Judged(
        index,
        fillers,
        list(neighbours.numbers),
        list(zip(shown, judged.replacement.astype(int).tolist(), candidates.row.tolist(), strict=True)),
        list(zip(judged.detected.tolist(), *ends, strict=True)),
        {"model": judged.models.document(), "recalls": recalls_by_language(index.sharing)},
        {
            "candidates": len(candidates.row),
            "detected": len(detected.row),
            "labelled": judged.models.labelled,
            "judgements": len(judgements),
        },
        judged.generated,
    )
