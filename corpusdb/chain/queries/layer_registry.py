"""All derived layers, in the order in which they are updated: each after those that it needs."""

from __future__ import annotations

from collections.abc import Iterator

from corpusdb.chain.queries.derived_layer import DerivedLayer
from corpusdb.chain.queries.layers import (
    ALIGNMENT,
    ANNOTATIONS,
    CANDIDATES,
    COMMUTATIONS,
    NGRAMS,
    PARAPHRASES,
    PROFILES,
    REWORDINGS,
    TOKENS,
    VALIDITY,
)
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.runs import languages_with_layers

__all__ = [
    "LAYERS",
    "begun_languages",
    "derived_layers",
    "layer_tables",
    "layers_on_request",
    "with_needed",
]


LAYERS: tuple[DerivedLayer, ...] = (
    *(TOKENS, PARAPHRASES, NGRAMS, COMMUTATIONS, CANDIDATES, VALIDITY, REWORDINGS, ALIGNMENT, PROFILES),
    ANNOTATIONS,  # last, since a repair cannot make it where its analyser is not installed
)


def derived_layers() -> tuple[DerivedLayer, ...]:
    """Each after those that it needs."""
    return LAYERS


def layers_on_request() -> list[DerivedLayer]:
    """Those that a language has where somebody asked for them."""
    return [layer for layer in derived_layers() if not layer.in_every_language]


def begun_languages(store: Store) -> list[str]:
    """The languages in which one of these was begun, ascending."""
    return languages_with_layers(store, (layer.name for layer in layers_on_request()))


def with_needed(names: set[str]) -> list[DerivedLayer]:
    """The layers of these names and all that they are made from, in order."""
    wanted: list[DerivedLayer] = []
    names = set(names)
    for layer in reversed(derived_layers()):
        if layer.name in names:
            wanted.append(layer)
            names |= {*layer.needs}
    return wanted[::-1]


def layer_tables() -> Iterator[str]:
    """The tables of all layers, each before those that refer to it."""
    return (table.name for layer in derived_layers() for table in layer.tables)
