"""What was accepted and rejected in sessions, in reference sets and in the recipes that they are made again by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.people.queries.decisions import apply_session, decide, undo_decision
from corpusdb.people.queries.sessions import create_session, delete_session
from corpusdb.scoring.queries.combined_sets import rejected_told
from corpusdb.scoring.queries.reference_sets import (
    NOTHING_DECIDED,
    AttributedSet,
    Recipe,
    attributed_sets,
    decided_until,
    last_decision,
    reference_origins,
    waiting_acceptances,
)

PIZZA = "A slice of pizza, please."
ONE = "One slice of pizza, please."
GENERATED = "Can I have a slice of pizza?"
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


def texts(found: AttributedSet) -> list[str]:
    return [each.text for each in found.references]


def test_what_was_rejected_is_left_out_and_told(decided: Store) -> None:
    before = texts(made(decided))
    assert GENERATED in before
    decide(decided, "s", PIZZA, GENERATED, "reject")
    found = made(decided)
    assert texts(found) == [each for each in before if each != GENERATED]
    assert found.rejected == ((GENERATED, "s"),)
    assert rejected_told([found]) == "1 paraphrase is left out, rejected in session s"
    assert texts(made(decided, decisions=0)) == before, "a recipe of an older version gives what it gave"
    undo_decision(decided, "s")
    assert texts(made(decided)) == before
    assert rejected_told([made(decided)]) == ""


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
    assert GENERATED in texts(made(decided))
    decide(decided, "t", PIZZA, GENERATED, "reject")
    assert GENERATED not in texts(made(decided))
    delete_session(decided, "s")
    assert made(decided).rejected == ((GENERATED, "t"),)
    delete_session(decided, "t")
    assert GENERATED in texts(made(decided))


def test_accepted_ones_that_the_corpus_has_count_once_they_are_written(decided: Store) -> None:
    decide(decided, "s", PIZZA, ONE, "accept")
    assert texts(made(decided, "accepted")) == []
    assert waiting_acceptances(decided, "eng") == [("s", 1)]
    finished(apply_session(decided, "s"))
    assert texts(made(decided, "accepted")) == [ONE]
    assert waiting_acceptances(decided, "eng") == []
    (one,) = made(decided, "accepted").references
    assert {"accepted", "detected"} <= set(one.origins), "people had written it, too"
    assert texts(made(decided, "accepted", decisions=0)) == []


def test_without_sessions_the_recipe_is_that_of_older_versions(pizza: Store) -> None:
    assert last_decision(pizza, "eng") == 0
    assert decided_until(pizza, "eng", 0) is NOTHING_DECIDED
    recipe = Recipe(language="eng")
    assert "decisions" not in recipe.document()
    assert replace(recipe, decisions=3).document()["decisions"] == 3
