"""The update: everything that was derived is brought up to date with the corpus."""

from __future__ import annotations

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.registry import begun_languages, derived_layers, layers_on_request
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.store import Store, layer_state
from corpusdb.store.exclusive_jobs import exclusive

__all__ = ["update_layers"]


@exclusive("update")
def update_layers(store: Store) -> Job[None]:
    """Bring every derived layer up to date with the corpus: those that every language has, such as what is searched,
    and the others in the languages in which they were begun.
    """
    for layer in derived_layers():
        if layer.in_every_language:
            for language in languages_of(store):
                yield from layer.update(store, language)
    for language in begun_languages(store):
        for layer in layers_on_request():
            if layer_state(store, language, layer.name) is not None:
                yield from layer.update(store, language)
