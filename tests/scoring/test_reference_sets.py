"""Reference sets by their origins, on the example of the paper; and what people decided of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from corpora import Row, import_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.paraphrases import NOTHING_DECIDED, decided_until, last_decision, paraphrases
from corpusdb.paraphrase.ranking import APART, EligibleParaphrase, diverse_choice
from corpusdb.people.queries.decisions import accept, apply_session, decide, undo_decision
from corpusdb.people.queries.sessions import create_session, delete_session
from corpusdb.scoring.queries.attributed import AttributedReference, AttributedSet, expected_precision
from corpusdb.scoring.queries.combined_sets import format_rejected
from corpusdb.scoring.queries.reference_sets import (
    ChosenBy,
    Recipe,
    attributed_sets,
    reference_origins,
    waiting_acceptances,
)

# Reference sets: what people wrote comes first, then its paraphrases, best first.


PIZZA = "A slice of pizza, please."


def reference_sets(store: Store, sources: Sequence[str], limit: int = 20, order: int = 0) -> list[ReferenceSet]:
    found = finished(attributed_sets(store, sources, Recipe(language="eng", limit=limit, kept=NSequenceFilter(order))))
    return [each.plain(number) for number, each in enumerate(found, 1)]


def references(store: Store, *sources: str, limit: int = 20, order: int = 0) -> list[tuple[str, ...]]:
    return [one.references for one in reference_sets(store, sources, limit, order)]


@pytest.mark.slow
def test_a_seed_is_its_own_first_reference(pizza: Store) -> None:
    (found,) = reference_sets(pizza, [PIZZA])
    ranked = [one.text for one in paraphrases(pizza, PIZZA, "eng", limit=0, kept=NO_FILTER)]
    assert found == ReferenceSet("1", PIZZA, (PIZZA, *ranked))
    assert ranked[0] == "One slice of pizza, please."
    assert "Can I have a slice of pizza?" in ranked


def test_a_source_in_another_language_is_translated(pizza: Store) -> None:
    """The translations that people made come first, in the order of the corpus, and none comes twice."""
    (found,) = references(pizza, "ピザを一切れ。")
    # The corpus has met the seed before the other.
    assert found[:2] == (PIZZA, "One slice of pizza, please.")
    assert "Can I have a slice of pizza?" in found
    assert len(set(found)) == len(found)
    (other,) = references(pizza, "ピザをください。")
    assert other[0] == PIZZA
    assert set(other) == set(found)


def test_the_filter(pizza: Store) -> None:
    """Generated references must pass it; what people wrote does not have to."""
    generated = "Can I have a slice of pizza?"
    (order,) = (one.order for one in paraphrases(pizza, PIZZA, "eng", kept=NO_FILTER) if one.text == generated)
    assert order is not None
    assert generated in references(pizza, PIZZA, order=order)[0]
    assert generated not in references(pizza, PIZZA, order=order + 1)[0]
    assert references(pizza, PIZZA, order=1000) == [(PIZZA, "One slice of pizza, please.")]


@pytest.mark.parametrize("limit", [1, 2])
def test_limit(pizza: Store, limit: int) -> None:
    (everything,) = references(pizza, PIZZA, limit=0)
    assert len(everything) > limit
    assert references(pizza, PIZZA, limit=limit) == [everything[:limit]]


def test_one_set_for_each_source_in_their_order(pizza: Store) -> None:
    sources = ["ビールを一つ。", PIZZA, "Never seen", "ビールを一つ。"]
    found = reference_sets(pizza, sources, order=20)
    assert [(one.id, one.source) for one in found] == [
        ("1", sources[0]),
        ("2", PIZZA),
        ("3", sources[2]),
        ("4", sources[0]),
    ]
    assert found[2].references == ()
    assert found[0].references == found[3].references == ("A beer, please.", "Can I have a beer?")


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_seed_that_is_not_in_the_corpus(pizza: Store, limit: int) -> None:
    """Where an analogy knows it, it is its own first reference; found by test: not so with a limit of 1."""
    import_rows(pizza, [("Give me a beer.", "ビールを一つ。")], ("eng", "jpn"))
    finished(generate(pizza, "eng"))
    seed = "Give me a slice of pizza."
    (everything,) = references(pizza, seed, limit=0)
    assert everything[0] == seed
    assert len(everything) > 1
    assert references(pizza, seed, limit=limit) == [everything[: limit or None]]


def test_no_reference_is_blank(pizza: Store) -> None:
    for (source,) in pizza.connection.execute("select text from sentence").fetchall():
        (found,) = references(pizza, f"  {source} ")
        assert found
        assert all(text.strip() == text != "" for text in found)


@pytest.mark.parametrize("sources", [[""], ["  "], [PIZZA, "\t"]])
def test_an_empty_source_is_refused(pizza: Store, sources: list[str]) -> None:
    with pytest.raises(InputError, match=f"sources:{len(sources)}: the source is empty"):
        reference_sets(pizza, sources)


@pytest.mark.slow
def test_what_was_accepted_has_paraphrases_like_any_other_sentence(pizza: Store) -> None:
    """Found by reading: of two makers of reference sets one gave such a seed nothing but itself."""
    accepted = "Can I have a slice of pizza?"
    finished(accept(pizza, PIZZA, accepted, "eng"))
    (found,) = references(pizza, accepted)
    assert found[0] == accepted
    assert {PIZZA, "One slice of pizza, please."} < set(found)
    (translated,) = references(pizza, "ピザをください。")
    assert translated[:2] == (PIZZA, accepted)


ONE = "One slice of pizza, please."
GENERATED = "Can I have a slice of pizza?"


def reference_sets_references(
    store: Store, source: str, *origins: str, order: int = 0, limit: int = 0
) -> list[AttributedReference]:
    recipe = Recipe(language="eng", origins=origins or reference_origins(), kept=NSequenceFilter(order), limit=limit)
    (found,) = finished(attributed_sets(store, [source], recipe))
    return list(found.references)


def texts(store: Store, source: str, *origins: str, order: int = 0, limit: int = 0) -> list[str]:
    return [each.text for each in reference_sets_references(store, source, *origins, order=order, limit=limit)]


def test_each_origin_by_itself(pizza: Store) -> None:
    assert texts(pizza, "ピザをください。", "original") == [PIZZA]
    assert texts(pizza, "ピザをください。", "detected") == [ONE]
    assert GENERATED in texts(pizza, "ピザをください。", "generated")
    assert PIZZA not in texts(pizza, "ピザをください。", "generated")
    assert texts(pizza, "ピザをください。", "accepted") == []


def test_the_originals_stand_first(pizza: Store) -> None:
    found = reference_sets_references(pizza, "ピザを一切れ。")
    assert [each.text for each in found[:2]] == [PIZZA, ONE]
    assert [each.origins[0] for each in found[:2]] == ["original"] * 2
    assert {each.text: each.seed for each in found}[GENERATED] == PIZZA
    assert "generated" in {each.text: each.origins for each in found}[GENERATED]


@pytest.mark.slow
def test_what_was_accepted_is_no_original_and_not_detected(pizza: Store) -> None:
    finished(accept(pizza, PIZZA, GENERATED, "eng"))
    source = "ピザをください。"
    assert texts(pizza, source, "original") == [PIZZA]
    assert texts(pizza, source, "accepted") == [GENERATED]
    assert GENERATED not in texts(pizza, source, "detected")
    assert texts(pizza, source)[:2] == [PIZZA, GENERATED]
    found = {each.text: each.origins for each in reference_sets_references(pizza, source)}
    assert found[GENERATED][0] == "accepted"


def test_detected_ones_need_no_generation(empty: Store, pizza_rows: list[Row]) -> None:
    import_rows(empty, pizza_rows, ("eng", "jpn"))
    finished(detect(empty, "eng"))
    assert texts(empty, "ピザをください。", "original", "detected") == [PIZZA, ONE]
    with pytest.raises(InputError, match="nothing was generated for eng yet"):
        texts(empty, "ピザをください。")


def test_recipes() -> None:
    recipe = Recipe(language="en", origins=("generated", "original"))
    assert (recipe.language, recipe.origins) == ("eng", ("original", "generated"))
    assert Recipe.of(recipe.document() | {"sources": []}) == recipe
    with pytest.raises(UsageError, match="unknown origin 'made up'; there are original"):
        Recipe(language="eng", origins=("original", "made up"))
    with pytest.raises(UsageError, match="chosen by diversity or validity or variation, not by 'chance'"):
        Recipe(language="eng", chosen_by="chance")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no origin is given"):
        Recipe(language="eng", origins=())


_MOST = """
select seed.text from seed join candidate on candidate.seed = seed.id
group by seed.id having count(*) between 8 and 30 order by count(*) desc, seed.text limit 3
"""


def cut(store: Store, source: str, limit: int, chosen_by: ChosenBy) -> tuple[AttributedReference, ...]:
    recipe = Recipe(language="eng", kept=NO_FILTER, limit=limit, chosen_by=chosen_by)
    return finished(attributed_sets(store, [source], recipe))[0].references


@pytest.mark.slow
def test_a_set_that_a_limit_cuts_is_diverse(finished_phrasebook: Path) -> None:
    """The originals stay first; the others are those of a diverse choice, not the first by their validity."""
    with open_store(finished_phrasebook, read_only=True) as store:
        for (source,) in store.connection.execute(_MOST).fetchall():
            everything = cut(store, source, 0, "validity")
            assert sorted(cut(store, source, 0, "diversity"), key=str) == sorted(everything, key=str)
            assert everything[0].text == source
            others = everything[1:]
            choices = [EligibleParaphrase(each.text, each.seed, each.validity or 0) for each in others]
            for limit in (1, 2, 5, len(others) - 1, len(others)):
                assert cut(store, source, limit + 1, "validity") == everything[: limit + 1]
                wanted = [others[place] for place in diverse_choice(choices, limit, [source], "eng")]
                assert cut(store, source, limit + 1, "diversity") == (everything[0], *wanted)
            apart = diverse_choice(choices, len(choices), [source], "eng", apart=APART)
            for limit in (0, 2):
                wanted = [others[place] for place in apart[: limit or None]]
                assert cut(store, source, limit and limit + 1, "variation") == (everything[0], *wanted)
        ways: tuple[ChosenBy, ...] = ("diversity", "validity")
        five = {way: {each.text for each in cut(store, source, 6, way)} for way in ways}
        assert five["diversity"] != five["validity"]


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_was_accepted_has_no_validity(pizza: Store) -> None:
    before = {each.text: each.validity for each in reference_sets_references(pizza, "ピザをください。")}
    assert before[GENERATED] is not None
    finished(accept(pizza, PIZZA, GENERATED, "eng"))
    assert {each.text: each.validity for each in reference_sets_references(pizza, "ピザをください。")}[
        GENERATED
    ] is None


# What was accepted and rejected in sessions, in reference sets and in the recipes that they are made again by.

SOURCE = "ピザをください。"


@pytest.fixture
def decided(pizza: Store) -> Store:
    create_session(pizza, "s", "eng", [PIZZA])
    create_session(pizza, "t", "eng", [PIZZA])
    return pizza


def made(store: Store, *origins: str, decisions: int | None = None) -> AttributedSet:
    last = last_decision(store, "eng") if decisions is None else decisions
    recipe = Recipe(language="eng", origins=origins or reference_origins(), kept=NO_FILTER, limit=0, decisions=last)
    assert Recipe.of(recipe.document()) == recipe
    return finished(attributed_sets(store, [SOURCE], recipe))[0]


def decided_texts(found: AttributedSet) -> list[str]:
    return [each.text for each in found.references]


def test_what_was_rejected_is_left_out_and_told(decided: Store) -> None:
    before = decided_texts(made(decided))
    assert GENERATED in before
    decide(decided, "s", PIZZA, GENERATED, "reject")
    found = made(decided)
    assert decided_texts(found) == [each for each in before if each != GENERATED]
    assert found.rejected == ((GENERATED, "s"),)
    assert format_rejected([found]) == "1 paraphrase is left out, rejected in session s"
    assert decided_texts(made(decided, decisions=0)) == before, "a recipe of an older version gives what it gave"
    undo_decision(decided, "s")
    assert decided_texts(made(decided)) == before
    assert format_rejected([made(decided)]) == ""


def test_who_rejects_a_contraction_rejects_what_it_stands_for(empty: Store) -> None:
    texts = ["The hour is late.", "It's late.", "It is late.", "It is late!", "It was late."]
    import_rows(empty, [(text, "Il est tard.") for text in texts])
    finished(detect(empty, "eng"))
    create_session(empty, "s", "eng", [texts[0]])
    decide(empty, "s", texts[0], "It's late.", "reject")
    recipe = Recipe(language="eng", origins=("detected",), kept=NO_FILTER, decisions=last_decision(empty, "eng"))
    (found,) = finished(attributed_sets(empty, [texts[0]], recipe))
    assert decided_texts(found) == ["It was late."]
    assert {text for text, _ in found.rejected} == set(texts[1:4])
    decide(empty, "s", texts[0], "It is late.", "accept")
    recipe = replace(recipe, origins=("accepted", "detected"), decisions=last_decision(empty, "eng"))
    (found,) = finished(attributed_sets(empty, [texts[0]], recipe))
    assert "It is late." in decided_texts(found) and "It's late." not in decided_texts(found)


def test_a_recipe_knows_nothing_of_later_decisions(decided: Store) -> None:
    decide(decided, "s", PIZZA, ONE, "reject")
    last = last_decision(decided, "eng")
    then = made(decided, decisions=last)
    decide(decided, "s", PIZZA, GENERATED, "reject")
    assert made(decided, decisions=last) == then
    assert made(decided) != then


def test_a_rejection_that_another_session_or_nobody_shares_does_not_count(decided: Store) -> None:
    decide(decided, "s", PIZZA, GENERATED, "reject")
    decide(decided, "t", PIZZA, GENERATED, "accept")
    assert GENERATED in decided_texts(made(decided))
    decide(decided, "t", PIZZA, GENERATED, "reject")
    assert GENERATED not in decided_texts(made(decided))
    delete_session(decided, "s")
    assert made(decided).rejected == ((GENERATED, "t"),)
    delete_session(decided, "t")
    assert GENERATED in decided_texts(made(decided))


def test_accepted_ones_that_the_corpus_has_count_once_they_are_written(decided: Store) -> None:
    decide(decided, "s", PIZZA, ONE, "accept")
    assert decided_texts(made(decided, "accepted")) == []
    assert waiting_acceptances(decided, "eng") == [("s", 1)]
    finished(apply_session(decided, "s"))
    assert decided_texts(made(decided, "accepted")) == [ONE]
    assert waiting_acceptances(decided, "eng") == []
    (one,) = made(decided, "accepted").references
    assert {"accepted", "detected"} <= set(one.origins), "people had written it, too"
    assert decided_texts(made(decided, "accepted", decisions=0)) == []


def test_without_sessions_the_recipe_is_that_of_older_versions(pizza: Store) -> None:
    assert last_decision(pizza, "eng") == 0
    assert decided_until(pizza, "eng", 0) is NOTHING_DECIDED
    recipe = Recipe(language="eng")
    assert "decisions" not in recipe.document()
    assert replace(recipe, decisions=3).document()["decisions"] == 3
