"""The database file: opening, migrating, transactions, and the record of every run."""

from corpusdb.base.holders import Holder
from corpusdb.corpus.store.connection import Store
from corpusdb.corpus.store.opening import open_for_reading, open_store
from corpusdb.corpus.store.runs import Layer, Run, corpus_fingerprint, finish_run, layer_state, save_layer, start_run

__all__ = [
    "Holder",
    "Layer",
    "Run",
    "Store",
    "corpus_fingerprint",
    "finish_run",
    "layer_state",
    "open_for_reading",
    "open_store",
    "save_layer",
    "start_run",
]
