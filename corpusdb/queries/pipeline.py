"""From raw bitext to filtered paraphrases: every layer brought up to date, in its order, and the candidates of seeds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice

from corpusdb.errors import InputError
from corpusdb.model import GenerationReport, Progress
from corpusdb.queries import Job
from corpusdb.queries.commutation import PARAMETERS, build_commutations
from corpusdb.queries.detection import detect
from corpusdb.queries.fluency import compute_fluency
from corpusdb.queries.generation import Generator, store_candidates
from corpusdb.queries.growth import grow, is_small_growth
from corpusdb.queries.ngrams import follow_ngrams, load_ngrams, new_sentences
from corpusdb.queries.outside import OutsideSeeds
from corpusdb.queries.statistics import generation_counts
from corpusdb.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.text import normalise

__all__ = ["DEFAULT_ORDER", "derived_languages", "follow", "generate", "prepare"]

DEFAULT_ORDER = 20
"""The N of the N-sequence filter that gave the paper the quality of the corpus itself (section 5)."""
_SEEDS_PER_TRANSACTION = 5_000

_HAS_SENTENCES = "select exists (select 1 from sentence where language = ?)"


def prepare(store: Store, language: str) -> Job[None]:
    """Bring paraphrases, n-grams and commutations of a language up to date with the corpus, and stored candidates too.

    A few new sentences are followed where they touch something; after many, everything is made anew, which is faster.
    Both give the same rows. Raises InputError for a language without sentences.
    """
    if not store.connection.execute(_HAS_SENTENCES, (language,)).fetchone()[0]:
        raise InputError(f"the corpus has no sentence in language {language!r}")
    yield from detect(store, language)
    state = layer_state(store, language, "commutation")
    if state and state.complete and state.parameters == PARAMETERS and is_small_growth(store, language):
        yield from grow(store, language)
        return
    with store.write():
        run = start_run(store, "index", {"language": language})
    yield from follow_ngrams(store, language, run)
    yield from build_commutations(store, language, run)
    with store.write() as connection:
        _restart_candidates(store, language, run)
        finish_run(store, run, {"slots": connection.execute("select count(*) from slot").fetchone()[0]})


def _restart_candidates(store: Store, language: str, run: Run) -> None:
    """Where all seeds had been generated, they have to be again."""
    if layer_state(store, language, "candidate"):
        save_layer(store, language, "candidate", Layer({}, 0, run.id, complete=False), run)
