"""References by their origins, on the example of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpora import Row, import_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.ranking import Choice, diverse_choice
from corpusdb.people.queries.decisions import accept
from corpusdb.scoring.queries.reference_sets import (
    AttributedReference,
    ChosenBy,
    Recipe,
    attributed_sets,
    expected_precision,
    reference_origins,
)

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
    diverse = recipe.document()
    assert diverse.pop("chosen_by") == "diversity"
    assert Recipe.of(diverse).chosen_by == "validity"  # documents of older versions do not say
    with pytest.raises(UsageError, match="chosen by diversity or validity, not by 'chance'"):
        Recipe(language="eng", chosen_by="chance")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no origin is given"):
        Recipe(language="eng", origins=())


def test_an_empty_source(pizza: Store) -> None:
    with pytest.raises(InputError, match="sources:1: the source is empty"):
        references(pizza, " ")


_MOST = """
select seed.text from seed join candidate on candidate.seed = seed.id
group by seed.id having count(*) between 8 and 30 order by count(*) desc, seed.text limit 3
"""


def cut(store: Store, source: str, limit: int, chosen_by: ChosenBy) -> tuple[AttributedReference, ...]:
    recipe = Recipe(language="eng", kept=NO_FILTER, limit=limit, chosen_by=chosen_by)
    return finished(attributed_sets(store, [source], recipe))[0].references


def test_a_set_that_a_limit_cuts_is_diverse(finished_phrasebook: Path) -> None:
    """The originals stay first; the others are those of a diverse choice, not the first by their validity."""
    with open_store(finished_phrasebook, read_only=True) as store:
        for (source,) in store.connection.execute(_MOST).fetchall():
            everything = cut(store, source, 0, "validity")
            assert cut(store, source, 0, "diversity") == everything  # nothing is left out
            assert everything[0].text == source
            others = everything[1:]
            choices = [Choice(each.text, each.seed, each.validity or 0) for each in others]
            for limit in (1, 2, 5, len(others) - 1):
                assert cut(store, source, limit + 1, "validity") == everything[: limit + 1]
                wanted = [others[place] for place in diverse_choice(choices, limit, [source])]
                assert cut(store, source, limit + 1, "diversity") == (everything[0], *wanted)
        ways: tuple[ChosenBy, ...] = ("diversity", "validity")
        five = {way: {each.text for each in cut(store, source, 6, way)} for way in ways}
        assert five["diversity"] != five["validity"]


def test_accepted_references_stay_before_diverse_ones(pizza: Store) -> None:
    finished(accept(pizza, PIZZA, GENERATED, "eng"))
    assert texts(pizza, "ピザをください。", limit=2) == [PIZZA, GENERATED]


def test_the_expected_precision(pizza: Store) -> None:
    recipe = Recipe(language="eng", kept=NO_FILTER, limit=0)
    found = finished(attributed_sets(pizza, [PIZZA, "ピザを一切れ。", "Never seen"], recipe))
    for each in found:
        known = [one.validity for one in each.references if "original" not in one.origins]
        assert all(one.validity is None for one in each.references if "original" in one.origins)
        assert None not in known
        assert each.validity == (pytest.approx(sum(filter(None, known)) / len(known)) if known else None)
    assert found[2].validity is None
    every = [one.validity for each in found for one in each.references if one.validity is not None]
    assert expected_precision(found) == pytest.approx(sum(every) / len(every))
    assert expected_precision([]) is None


def test_what_was_accepted_has_no_validity(pizza: Store) -> None:
    before = {each.text: each.validity for each in references(pizza, "ピザをください。")}
    assert before[GENERATED] is not None
    finished(accept(pizza, PIZZA, GENERATED, "eng"))
    assert {each.text: each.validity for each in references(pizza, "ピザをください。")}[GENERATED] is None
