"""The index of a language, its n-grams and commutations, with the candidates that rest on it: updated or rebuilt."""

from __future__ import annotations

from corpusdb.jobs import Job
from corpusdb.queries.analogy.candidate_update import forget_outside_seeds, pending_update, update_in_place
from corpusdb.queries.analogy.slot_index import PARAMETERS, build_slot_index
from corpusdb.queries.analogy.slot_index_update import ContextTooCommon
from corpusdb.store import Store, layer_state, start_run
from corpusdb.store.layers import reopen_layers

__all__ = ["rebuild_index", "update_index"]


def update_index(store: Store, language: str) -> Job[None]:
    """Bring n-grams and commutations up to date with the sentences and their paraphrases, which are; part of a job.

    Where little is new, what it touches is updated, also of the candidates. Otherwise the index is rebuilt, and the
    candidates are left to be generated again.
    """
    state = layer_state(store, language, "commutation")
    if state and state.complete and state.parameters == PARAMETERS:
        pending = pending_update(store, language, state)
        if pending == "nothing":
            return
        if pending == "little":
            try:
                yield from update_in_place(store, language, state)
                return
            except ContextTooCommon:
                pass  # nothing was changed
    yield from rebuild_index(store, language)


def rebuild_index(store: Store, language: str) -> Job[None]:
    """Make n-grams and commutations from all sentences; part of a job."""
    with store.write() as connection:
        run = start_run(store, "index", {"language": language})
        forget_outside_seeds(connection, language)
        # Until the new index is whole, the old one is not to be updated, and what came from it has to come again.
        reopen_layers(store, language, ("commutation", "candidate"), run)
    yield from build_slot_index(store, language, run)
