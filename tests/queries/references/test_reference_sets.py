"""References by their origins, on the example of the paper."""

from __future__ import annotations

import pytest
from corpora import Row, import_rows

from corpusdb.errors import InputError, UsageError
from corpusdb.jobs import finished
from corpusdb.queries.paraphrase.detection import detect
from corpusdb.queries.paraphrase.filters import NSequenceFilter
from corpusdb.queries.references.reference_sets import (
    AttributedReference,
    Recipe,
    attributed_sets,
    reference_origins,
)
from corpusdb.queries.sessions.acceptance import accept
from corpusdb.store import Store

PIZZA = "A slice of pizza, please."
ONE = "One slice of pizza, please."
GENERATED = "Can I have a slice of pizza?"


def references(store: Store, source: str, *origins: str, order: int = 0, limit: int = 0) -> list[AttributedReference]:
    recipe = Recipe(language="eng", origins=origins or reference_origins(), kept=NSequenceFilter(order), limit=limit)
    (found,) = finished(attributed_sets(store, [source], recipe))
    return list(found.references)


def texts(store: Store, source: str, *origins: str, order: int = 0, limit: int = 0) -> list[str]:
    return [each.text for each in references(store, source, *origins, order=order, limit=limit)]


def test_each_origin_by_itself(pizza: Store) -> None:
    assert texts(pizza, "ピザをください。", "original") == [PIZZA]
    assert texts(pizza, "ピザをください。", "detected") == [ONE]
    assert GENERATED in texts(pizza, "ピザをください。", "generated")
    assert PIZZA not in texts(pizza, "ピザをください。", "generated")
    assert texts(pizza, "ピザをください。", "accepted") == []


def test_the_originals_stand_first(pizza: Store) -> None:
    found = references(pizza, "ピザを一切れ。")
    assert [each.text for each in found[:2]] == [PIZZA, ONE]
    assert [each.origins[0] for each in found[:2]] == ["original"] * 2
    assert {each.text: each.seed for each in found}[GENERATED] == PIZZA
    assert "generated" in {each.text: each.origins for each in found}[GENERATED]


def test_the_filter_is_for_generated_ones(pizza: Store) -> None:
    assert texts(pizza, PIZZA, order=1000) == [PIZZA, ONE]
    assert texts(pizza, PIZZA, "generated", order=1000) == []
    assert texts(pizza, PIZZA, limit=1) == [PIZZA]


def test_what_was_accepted_is_no_original_and_not_detected(pizza: Store) -> None:
    finished(accept(pizza, PIZZA, GENERATED, "eng"))
    source = "ピザをください。"
    assert texts(pizza, source, "original") == [PIZZA]
    assert texts(pizza, source, "accepted") == [GENERATED]
    assert GENERATED not in texts(pizza, source, "detected")
    assert texts(pizza, source)[:2] == [PIZZA, GENERATED]
    found = {each.text: each.origins for each in references(pizza, source)}
    assert found[GENERATED][0] == "accepted"


def test_detected_ones_need_no_generation(empty: Store, pizza_rows: list[Row]) -> None:
    import_rows(empty, pizza_rows, ("eng", "jpn"))
    finished(detect(empty, "eng"))
    assert texts(empty, "ピザをください。", "original", "detected") == [PIZZA, ONE]
    with pytest.raises(InputError, match="nothing was generated for eng yet"):
        texts(empty, "ピザをください。")


def test_a_source_that_nobody_knows(pizza: Store) -> None:
    assert texts(pizza, "Never seen") == []


def test_recipes() -> None:
    recipe = Recipe(language="en", origins=("generated", "original"))
    assert (recipe.language, recipe.origins) == ("eng", ("original", "generated"))
    assert Recipe.of(recipe.document() | {"sources": []}) == recipe
    with pytest.raises(UsageError, match="unknown origin 'made up'; there are original"):
        Recipe(language="eng", origins=("original", "made up"))
    with pytest.raises(UsageError, match="no origin is given"):
        Recipe(language="eng", origins=())


def test_an_empty_source(pizza: Store) -> None:
    with pytest.raises(InputError, match="sources:1: the source is empty"):
        references(pizza, " ")
