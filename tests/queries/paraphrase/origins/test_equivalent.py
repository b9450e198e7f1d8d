"""Equivalents in a sentence, as an origin of paraphrases."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from aligned import drawn_pairs
from corpora import import_rows, new_store

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.equivalents import EquivalentFilter, equivalents_of, seed_substitutions
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.explanation import explain
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.origins.equivalent import EQUIVALENT
from corpusdb.paraphrase.queries.origins.origin import find_seed
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets
from corpusdb.search.token_corpus import tokenise

_IS_PAIR = """
select count(*) from translation join sentence own on own.id = sentence join sentence other on other.id = translation
where own.text = ? and other.text = ?
"""
SEED = "Tom begins soon, the house."
"""Not in the corpus."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        rows = [*drawn_pairs(random.Random(8), 200), ("Tom starts soon, the cat.", "Tom commence vite le chat.")]
        import_rows(opened, rows)
        import_rows(opened, [(english, french[::-1]) for english, french in rows], ("eng", "deu"))
        finished(generate(opened, "eng"))
        yield opened


def align(store: Store) -> None:
    for other in ("fra", "deu"):
        finished(align_languages(store, "eng", other))


def test_references_have_them_only_where_they_are_asked_for(store: Store) -> None:
    """To align a corpus means to change no test set."""

    def references(*origins: str) -> set[str]:
        recipe = Recipe(language="eng", kept=NO_FILTER, limit=0)
        asked = replace(recipe, origins=(*recipe.origins, *origins))
        found = finished(attributed_sets(store, seeds, asked))
        return {each.text for sets in found for each in sets.references}

    english = "select text from sentence where language = 'eng' order by id limit 20"
    seeds = [text for (text,) in store.connection.execute(english)]

    before = references()
    align(store)
    assert references() == before < references("equivalent")


def test_each_phrase_is_replaced_by_its_equivalents_in_two_languages(store: Store) -> None:
    assert list(seed_substitutions(store, "eng", SEED)) == []
    align(store)
    made = {each.text: each for each in seed_substitutions(store, "eng", SEED)}
    assert {"Tom starts soon, the house.", "Tom begins fast, the house.", "Tom begins soon, the home."} <= made.keys()
    for text, each in made.items():
        assert text[each.begin : each.stop] + SEED[each.begin + len(each.before) :] == text[each.begin :]
        assert SEED[each.begin :].startswith(each.before) and text[: each.begin] == SEED[: each.begin]
        kept = EquivalentFilter(3, 0.08, 2)
        assert each.equivalent in equivalents_of(store, "eng", each.before, kept=kept).members
        assert each.equivalent.languages == ("deu", "fra")


def test_a_capital_at_the_beginning_stays_and_names_stay(store: Store) -> None:
    align(store)
    made = {each.text for each in seed_substitutions(store, "eng", "Begins the House, Tom")}
    assert "Starts the House, Tom" in made
    assert all("the House, Tom" in text for text in made)


def test_what_is_put_in_stands_between_such_words_in_the_corpus(store: Store) -> None:
    align(store)
    corpus = "\n".join(["", *(text for (text,) in store.connection.execute("select text from sentence")), ""])
    kept = 0
    for seed in (SEED, "the dog sees large.", "cat", "house begins starts soon fast", "old Tom, likes red"):
        found = {each.text for each in EQUIVALENT.findings(store, find_seed(store, "eng", seed))}
        for each in seed_substitutions(store, "eng", seed):
            text = f"\n{each.text}\n"
            words = tokenise(each.text)
            before, after = tokenise(each.text[: each.begin]), tokenise(each.text[each.stop :])
            assert each.text[each.left : each.begin].split() == before[-1:]
            assert each.text[each.stop : each.right].split() == after[:1]
            assert len(words) >= len(before) + len(after)
            seen = text[each.left : each.stop + 2] in corpus and text[each.begin : each.right + 2] in corpus
            assert (each.text in found) == seen
            kept += seen
    assert kept > 2


def test_it_is_found_ranked_and_explained_like_the_others(store: Store) -> None:
    assert EQUIVALENT.findings(store, find_seed(store, "eng", SEED)) == []
    align(store)
    found = {each.text: each for each in EQUIVALENT.findings(store, find_seed(store, "eng", SEED))}
    one = found["Tom starts soon, the house."]
    assert "Tom begins fast, the house." not in found  # nothing begins "fast,"
    assert SEED not in found and one.languages == 2 and one.validity is not None and one.strength == one.validity
    shown = paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER, origins=["equivalent"])
    assert {each.text for each in shown} == found.keys()
    reasons = explain(store, SEED, one.text, "eng").reasons
    (first,) = (place for place, each in enumerate(reasons) if "aligned" in each)
    assert "'begins' becomes 'starts'" in reasons[first] and "through deu, fra" in reasons[first + 1]
    (pivot,) = equivalents_of(store, "eng", "begins", ("fra",)).members[0].pivots[:1]
    below = [f"  fra 'commence': {pivot.count:,} and {pivot.other_count:,} times, as in"]
    below += [f"       {pivot.example}  {pivot.example_translation}"]
    below += [f"       {pivot.other_example}  {pivot.other_example_translation}"]
    assert any(list(reasons[place : place + 3]) == below for place in range(first, len(reasons)))
    assert all(
        store.connection.execute(_IS_PAIR, pair).fetchone() == (1,)
        for pair in (
            (pivot.example, pivot.example_translation),
            (pivot.other_example, pivot.other_example_translation),
        )
    )
    assert "begins" in pivot.example and "commence" in pivot.example_translation
    assert "starts" in pivot.other_example and "commence" in pivot.other_example_translation
    assert list(EQUIVALENT.seeds(store, "eng", NO_FILTER)) == []
