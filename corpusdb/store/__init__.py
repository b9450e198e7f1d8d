"""The database file: opening, migrating, transactions, and the record of every run."""

from corpusdb.store.connection import Store
from corpusdb.store.job_lock import Holder
from corpusdb.store.layers import Layer, layer_state, save_layer
from corpusdb.store.opening import open_for_reading, open_store
from corpusdb.store.runs import Run, corpus_fingerprint, finish_run, start_run

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
