"""What a person rejects is no equivalent any more, whatever is trained, in every place where equivalents are used."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from aligned import drawn_pairs
from corpora import import_rows, new_store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.equivalents import (
    EquivalentFilter,
    FoundEquivalent,
    equivalents_of,
    pivots_of,
    seed_substitutions,
)
from corpusdb.alignment.queries.phrases import phrase_key, rejected_among, rejected_pairs, rejections, set_rejected
from corpusdb.base.errors import StoreError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.store import Store
from corpusdb.program.queries.replay import database_inputs

ALL = EquivalentFilter(min_count=1, min_pivot=0.0, left_out="nothing")
SHOWN = replace(ALL, with_rejected=True)
SEED = "Tom begins soon, the house."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """English with French and with German, which has the words of the French turned round."""
    with new_store(tmp_path) as opened:
        rows = drawn_pairs(random.Random(8), 150)
        import_rows(opened, rows)
        import_rows(opened, [(english, french[::-1]) for english, french in rows], ("eng", "deu"))
        for other in ("fra", "deu"):
            finished(align_languages(opened, "eng", other))
        yield opened


def members(store: Store, word: str, kept: EquivalentFilter = ALL) -> dict[str, FoundEquivalent]:
    return {each.text: each for each in equivalents_of(store, "eng", word, kept=kept).members}


def reject(store: Store, one: str, other: str) -> bool:
    return set_rejected(store, "eng", one, other, is_rejected=True)


def test_a_rejection_has_no_direction_and_no_case(store: Store) -> None:
    before, turned = members(store, "begins"), members(store, "starts")
    assert "starts" in before and "begins" in turned
    assert reject(store, " STARTS", "Begins") and not reject(store, "begins", "starts")
    assert members(store, "begins").keys() == before.keys() - {"starts"}
    assert members(store, "starts").keys() == turned.keys() - {"begins"}
    (pair,) = rejected_pairs(store)
    assert (pair.language, pair.phrase, pair.equivalent) == ("eng", "begins", "starts")
    assert rejected_pairs(store, "fra") == [] == list(rejections(store, "fra"))
    assert rejections(store, "eng") == (("begins", "starts"),)


def test_it_can_be_seen_and_taken_back(store: Store) -> None:
    before = equivalents_of(store, "eng", "begins", kept=ALL)
    reject(store, "begins", "starts")
    hidden, seen = (equivalents_of(store, "eng", "begins", kept=kept) for kept in (ALL, SHOWN))
    assert (hidden.rejected, seen.rejected, before.rejected) == (1, 1, 0)
    assert (hidden.total, seen.total) == (before.total - 1, before.total)
    assert [each.is_rejected for each in seen.members] == [each.text == "starts" for each in before.members]
    assert [replace(each, is_rejected=False) for each in seen.members] == list(before.members)
    assert set_rejected(store, "eng", "starts", "begins", is_rejected=False)
    assert not set_rejected(store, "eng", "starts", "begins", is_rejected=False)
    assert equivalents_of(store, "eng", "begins", kept=ALL) == before
    assert reject(store, "begins", "starts")  # once more, after it was taken back
    assert store.connection.execute("select count(*), count(undone) from rejected_equivalent").fetchone() == (2, 1)


def test_the_limit_counts_what_is_left(store: Store) -> None:
    ranked = equivalents_of(store, "eng", "begins", kept=ALL).members
    reject(store, "begins", ranked[0].text)
    assert equivalents_of(store, "eng", "begins", kept=ALL, limit=2).members == ranked[1:3]


def test_phrases_that_differ_by_it_alone_are_rejected_with_it(store: Store) -> None:
    before = members(store, "the house")
    assert "the home" in before
    reject(store, "house", "home")
    after = members(store, "the house", SHOWN)
    assert {text for text, each in after.items() if each.is_rejected} == {"the home"}
    assert members(store, "the house").keys() == before.keys() - {"the home"}
    set_rejected(store, "eng", "house", "home", is_rejected=False)
    reject(store, "the house", "the home")  # which says nothing of the words alone
    assert members(store, "the house").keys() == before.keys() - {"the home"}
    assert "home" in members(store, "house")


def test_it_survives_another_training_and_other_sentences(store: Store) -> None:
    reject(store, "begins", "starts")
    finished(align_languages(store, "eng", "fra", retrain=True))
    import_rows(store, drawn_pairs(random.Random(9), 40))
    finished(align_languages(store, "eng", "fra"))
    assert "starts" not in members(store, "begins")
    assert members(store, "begins", SHOWN)["starts"].is_rejected
    assert check(store, full=True).problems == ()


def test_paraphrases_are_made_without_it(store: Store) -> None:
    before = {each.text for each in seed_substitutions(store, "eng", SEED)}
    assert "Tom starts soon, the house." in before
    reject(store, "begins", "starts")
    after = {each.text for each in seed_substitutions(store, "eng", SEED)}
    assert {text for text in before if "starts" in text} and not {text for text in after if "starts" in text}
    assert {text for text in before if "begins" in text} == {text for text in after if "begins" in text}


def test_what_shares_nothing_can_be_rejected_and_a_phrase_with_itself_cannot(store: Store) -> None:
    assert reject(store, "never seen", "l'eau")
    texts = ["never seen", "l' eau", "seen"]
    assert rejected_among(store, "eng", phrase_key("L'EAU"), texts) == {"never seen"}
    for one, other in (("begins", " BEGINS "), ("don't", "do n't"), ("é", "e\N{COMBINING ACUTE ACCENT}")):
        with pytest.raises(UsageError, match="is one phrase"):
            reject(store, one, other)
    with pytest.raises(UsageError, match="at least one word"):
        reject(store, "begins", " \t")


@pytest.mark.parametrize(
    "statement",
    [
        "delete from rejected_equivalent",
        "update rejected_equivalent set equivalent = 'zzz'",
        "update rejected_equivalent set language = 'fra'",
        "insert into rejected_equivalent values (9, 'eng', 'b', 'a', '2020', null)",
        "insert into rejected_equivalent values (9, 'eng', 'begins', 'starts', '2020', null)",
    ],
)
def test_the_file_refuses_other_changes(store: Store, statement: str) -> None:
    reject(store, "begins", "starts")
    before = rejected_pairs(store)
    with pytest.raises(StoreError), store.write() as connection:
        connection.execute(statement)
    assert rejected_pairs(store) == before != []


def test_a_change_by_another_program_is_found(store: Store) -> None:
    reject(store, "begins", "starts")
    path = store.path
    with closing(sqlite3.connect(path)) as stranger, stranger:
        stranger.execute("update rejected_equivalent set undone = '2020-01-01'")
    assert any("rejected_equivalent" in problem for problem in check(store).problems)


def test_results_say_that_they_depend_on_it(store: Store) -> None:
    def inputs() -> list[str]:
        return [each.digest for each in database_inputs(store) if each.kind == "rejections"]

    assert inputs() == []
    reject(store, "begins", "starts")
    (first,) = inputs()
    reject(store, "begins", "soon")
    assert inputs() not in ([], [first])
    set_rejected(store, "eng", "soon", "begins", is_rejected=False)
    assert inputs() == [first]


_PHRASES = st.sampled_from(["begins", "starts", "soon", "fast", "the house", "the home"])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_PHRASES, _PHRASES, st.booleans()), max_size=12))
def test_what_stands_is_what_was_said_last(store: Store, said: list[tuple[str, str, bool]]) -> None:
    for pair in rejected_pairs(store):
        set_rejected(store, "eng", pair.phrase, pair.equivalent, is_rejected=False)
    standing: set[frozenset[str]] = set()
    for one, other, is_rejected in said:
        if one != other:
            pair_of = frozenset((one, other))
            assert set_rejected(store, "eng", one, other, is_rejected=is_rejected) == (
                (pair_of in standing) != is_rejected
            )
            (standing.add if is_rejected else standing.discard)(pair_of)
    assert {frozenset((each.phrase, each.equivalent)) for each in rejected_pairs(store)} == standing
    for word in ("begins", "starts"):
        gone = {next(iter(pair - {word})) for pair in standing if word in pair}
        assert members(store, word).keys() == members(store, word, SHOWN).keys() - gone


def test_all_pivots_are_those_of_the_equivalent_and_more(store: Store) -> None:
    for each in equivalents_of(store, "eng", "begins", kept=ALL).members:
        found = pivots_of(store, "eng", "begins", each.text)
        assert tuple(found[:3]) == each.pivots
        assert sum(pivot.probability for pivot in found) / 2 == pytest.approx(each.pivot)
    assert pivots_of(store, "eng", "begins", "nowhere") == []
