"""The state of derived layers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpusdb.base.errors import StoreError
from corpusdb.corpus.store import Layer, Run, Store, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import languages_with_layers

LAYER = Layer({"max_units": 8, "name": "水"}, last_sentence=12, last_run=3, complete=False)


@pytest.fixture
def run(store: Store) -> Run:
    assert store.start_job("index") is None
    with store.write():
        return start_run(store, "index", {})


def test_a_layer_that_was_never_begun(store: Store) -> None:
    assert layer_state(store, "eng", "ngram") is None


def test_a_layer_is_found_as_it_was_written(store: Store, run: Run) -> None:
    with store.write():
        save_layer(store, "eng", "commutation", LAYER, run)
    assert layer_state(store, "eng", "commutation") == LAYER
    assert layer_state(store, "fra", "commutation") is None
    assert layer_state(store, "eng", "candidate") is None


def test_the_later_state_takes_the_place_of_the_earlier(store: Store, run: Run) -> None:
    later = replace(LAYER, parameters={"max_units": 9}, last_sentence=20, last_run=4, complete=True)
    with store.write():
        other = start_run(store, "index", {"again": True})
        save_layer(store, "eng", "ngram", LAYER, run)
        save_layer(store, "jpn", "ngram", LAYER, run)
        save_layer(store, "eng", "ngram", later, other)
    assert layer_state(store, "eng", "ngram") == later
    assert layer_state(store, "jpn", "ngram") == LAYER
    found = store.connection.execute("select language, run from layer order by language").fetchall()
    assert found == [("eng", other.id), ("jpn", run.id)]


def test_a_layer_is_written_by_a_job_only(store: Store, run: Run) -> None:
    store.end_job()
    with pytest.raises(RuntimeError, match="without the job lock"), store.write():
        save_layer(store, "eng", "ngram", LAYER, run)


def test_a_state_goes_with_its_transaction(store: Store, run: Run) -> None:
    with pytest.raises(KeyError), store.write():
        save_layer(store, "eng", "ngram", LAYER, run)
        raise KeyError
    assert layer_state(store, "eng", "ngram") is None


def test_a_layer_needs_a_run_that_is_there(store: Store) -> None:
    assert store.start_job("index") is None
    with pytest.raises(StoreError, match="FOREIGN KEY"), store.write():
        save_layer(store, "eng", "ngram", LAYER, Run(99, "index", resumed=False))


def test_a_layer_of_any_name(store: Store, run: Run) -> None:
    with store.write():
        save_layer(store, "eng", "other", LAYER, run)
    assert layer_state(store, "eng", "other") == LAYER


def test_languages_with_one_of_some_layers(store: Store, run: Run) -> None:
    with store.write():
        for language, name in (("jpn", "ngram"), ("eng", "token"), ("eng", "ngram"), ("fra", "token")):
            save_layer(store, language, name, LAYER, run)
    assert languages_with_layers(store, ["ngram"]) == ["eng", "jpn"]
    assert languages_with_layers(store, ["ngram", "token"]) == ["eng", "fra", "jpn"]
    assert languages_with_layers(store, ["candidate"]) == []
