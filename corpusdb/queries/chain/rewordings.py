"""Rewordings: what analogies give that no other context shows, where the exchange of words vouches for it.

D = c[x] and B = c[y] stand in one context, and B' is a paraphrase of B: B : B' :: D : t is an analogy, with t what B'
becomes when y is replaced by x. The index asks for a second context of x and y, which shows that they are exchanged for
one another (A : B :: C : D; Lepage & Denoual 2005, section 4.3). It misses changes at the edge of a word and in two
places at once, which are other fillers in other contexts. Where sentences that differ as B and B' do nearly always
share a translation, the second context is not needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from corpusdb.analogy.derivation import Evidence
from corpusdb.charlm import Fluency, fluency_of
from corpusdb.exchange.differences import difference, differences_apart
from corpusdb.exchange.lone import LEAST_ORDER, is_vouched_by
from corpusdb.exchange.pair_differences import Pair
from corpusdb.jobs import Job, Progress
from corpusdb.queries.analogy.index_arrays import IndexArrays
from corpusdb.queries.analogy.ngram_index import NgramIndex, load_ngrams
from corpusdb.queries.exchange.seed_validity import SeedValidity
from corpusdb.queries.exchange.usable_exchanges import load_replacements
from corpusdb.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.text import units_of

__all__ = ["PARAMETERS", "update_rewordings"]

PARAMETERS: Final[dict[str, object]] = {"rules": 1}
"""What the layer is made by; ``rules`` is raised when that changes."""
_ALL: Final[dict[str, object]] = {"seeds": "all"}
_AT_ONCE: Final = 20_000

_RUNS = """
select (select run from layer where language = :language and name = 'validity' and complete),
       (select run from layer where language = :language and name = 'rewording' and complete)
"""
_DELETE = "delete from rewording where sentence in (select id from sentence where language = ?)"


def update_rewordings(store: Store, language: str) -> Job[None]:
    """Make the rewordings of all sentences of a language again, if exchanges were summed up since; part of a job.

    A language whose candidates are not those of all sentences, or are not judged, has none. One transaction stores all.
    """
    validity, candidate = (layer_state(store, language, name) for name in ("validity", "candidate"))
    if not (validity and validity.complete and candidate and candidate.complete and candidate.parameters == _ALL):
        return
    state = layer_state(store, language, "rewording")
    judged, made = store.connection.execute(_RUNS, {"language": language}).fetchone()
    if state is not None and state.parameters == PARAMETERS and made is not None and made > judged:
        return
    ngrams = load_ngrams(store, language)
    judge = SeedValidity(store, language)
    found: list[_Rewording] = []
    yield Progress("rewording by exchanges", 0, 0)
    for batch in _batches(_derived(store, language)):
        found += _accepted(batch, ngrams, judge)
        yield Progress("rewording by exchanges", len(found), 0)
    with store.write() as connection:
        run = start_run(store, "reword", {"language": language})
        connection.execute(_DELETE, (language,))
        _store(store, found, run)
        layer = Layer(PARAMETERS, validity.last_sentence, validity.last_run, True)
        save_layer(store, language, "rewording", layer, run)
        finish_run(store, run, {"rewordings": len(found)})


class _Derived(NamedTuple):
    """A seed and what was derived from it."""

    sentence: int
    seed: str
    evidence: Evidence


class _Rewording(NamedTuple):
    """The same with what speaks for it."""

    derived: _Derived
    fluency: Fluency
    validity: float


def _vouched_pairs(store: Store, language: str, index: IndexArrays) -> Iterator[int]:
    """The paraphrases B and B' of which every region that differs is a replacement of some rate."""
    replacements = load_replacements(store, language)
    units: tuple[str, list[str]] = "", []
    for place, text, other in index.clear_pairs():
        if text != units[0]:
            units = text, units_of(text)
        pair = units[1], units_of(other)
        regions = differences_apart(*pair, difference(*pair))
        if is_vouched_by((each.exchange for each in regions), replacements):
            yield place


_KNOWN = """
select seed.sentence, candidate.text
from json_each(:seeds) wanted cross join seed on seed.sentence = wanted.value
cross join candidate on candidate.seed = seed.id
union all
select paraphrase.sentence, other.text
from json_each(:seeds) wanted cross join paraphrase on paraphrase.sentence = wanted.value
cross join sentence other on other.id = paraphrase.paraphrase
"""


def _derived(store: Store, language: str) -> Iterator[_Derived]:
    """What no other origin has of each sentence."""
    index = IndexArrays(store, language)
    for found in index.lone_candidates(list(_vouched_pairs(store, language, index))):
        known = set(store.connection.execute(_KNOWN, {"seeds": json.dumps(list(found))}))
        places = np.searchsorted(index.sentences, list(found)).tolist()
        for place, (sentence, evidence) in zip(places, found.items(), strict=True):
            for each in evidence:
                if (sentence, each.text) not in known:
                    yield _Derived(sentence, index.texts[place], each)


def _batches(derived: Iterator[_Derived]) -> Iterator[list[_Derived]]:
    while batch := list(islice(derived, _AT_ONCE)):
        yield batch


def _accepted(batch: list[_Derived], ngrams: NgramIndex, judge: SeedValidity) -> list[_Rewording]:
    """Those that are fluent, and of which the exchange is known beside one of its neighbours."""
    fluency = fluency_of([each.evidence.text for each in batch], ngrams.longest_of_many)
    fluent = [each for each in batch if fluency[each.evidence.text].order >= LEAST_ORDER]
    if not fluent:
        return []
    pairs = [Pair(0, each.seed, each.evidence.text, 0, 0, 0.0) for each in fluent]
    judged = judge.judge_applied(pairs)
    return [
        _Rewording(each, fluency[each.evidence.text], judge.models.lone(validity))
        for each, (validity, vouched) in zip(fluent, judged, strict=True)
        if vouched
    ]


_INSERT = """
insert into rewording (sentence, text, pivots, languages, probability, fluency, inner_fluency, validity, run)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def _store(store: Store, found: list[_Rewording], run: Run) -> None:
    rows = (
        (
            derived.sentence,
            derived.evidence.text,
            derived.evidence.pivots,
            derived.evidence.languages,
            derived.evidence.probability,
            fluency.order,
            fluency.inner_order,
            validity,
            run.id,
        )
        for derived, fluency, validity in found
    )
    store.connection.executemany(_INSERT, rows)
