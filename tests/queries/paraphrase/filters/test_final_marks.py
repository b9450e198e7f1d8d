"""Punctuation is no paraphrase: what differs in the marks at the end alone is left out, by whatever origin."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

import pytest
from corpora import import_rows, random_rows

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.model import Finding
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import (
    NO_FILTER,
    NSequenceFilter,
    differs_in_final_marks,
    differs_in_final_marks_sql,
    filter_at,
    filter_from,
)
from corpusdb.paraphrase.queries.origins.origin import Seed, SeedGeneration
from corpusdb.paraphrase.queries.origins.registry import ORIGINS
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.paraphrase.queries.statistics import corpus_statistics, generation_counts
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets


@pytest.mark.parametrize(
    ("seed", "text", "alike"),
    [
        ("Go.", "Go!", True),
        ("Go", "Go.", True),
        ("Go…", "Go?!", True),
        ("Tu viens ?", "Tu viens.", True),
        ("Tu viens\u202f!", "Tu viens\u00a0?", True),
        ("¿Vienes?", "Vienes.", True),
        ("行け。", "行け！", True),
        ('He said "go."', 'He said "go!"', True),
        ("Go.", "Go on.", False),
        ("Yes, sir.", "Yes sir.", False),
        ("Don't.", "Do not!", False),
        ("Go. Now.", "Go! Now.", False),
    ],
)
def test_in_sql_as_in_python(seed: str, text: str, alike: bool) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        (found,) = connection.execute(f"select {differs_in_final_marks_sql('?', '?')}", (seed, text))
    assert (differs_in_final_marks(seed, text), found) == (alike, (alike,))


@pytest.fixture
def marked(empty: Store) -> Store:
    """A corpus of which every sentence stands there with other marks, too."""
    rows = random_rows(random.Random(5), 40)
    others = [(f"{text.rstrip('.')}!", translation) for text, translation in rows]
    import_rows(empty, [*rows, *others])
    finished(generate(empty, "eng"))
    return empty


_SEEDS = "select text from sentence where language = 'eng' order by id"


def test_they_are_left_out_unless_asked_for(marked: Store) -> None:
    seeds = [text for (text,) in marked.connection.execute(_SEEDS)]
    usual, asked = filter_at(1, min_validity=0), filter_at(1, min_validity=0, final_marks=True)
    by_origin = dict.fromkeys(ORIGINS, 0)
    for seed in seeds:
        kept, more = (paraphrases(marked, seed, "eng", limit=0, kept=each) for each in (usual, asked))
        assert [each for each in more if not differs_in_final_marks(seed, each.text)] == kept
        for each in more[: None if len(more) > len(kept) else 0]:
            if differs_in_final_marks(seed, each.text):
                assert usual.reason(each) == "fails: nothing but the marks at the end differs"
                assert usual.failing(each) == "marks"
                by_origin |= {name: by_origin[name] + 1 for name in each.origins}
    assert by_origin["detected"] > 10
    assert by_origin["analogy"] > 10
    counted = [generation_counts(marked, "eng", each).kept for each in (usual, asked)]
    assert counted[0] < counted[1]
    assert corpus_statistics(marked, "eng", usual).generated.counts.kept == counted[0]


def test_references_have_none(marked: Store) -> None:
    seeds = [text for (text,) in marked.connection.execute(_SEEDS)]
    counts = []
    for kept in (filter_at(1, min_validity=0), filter_at(1, min_validity=0, final_marks=True)):
        recipe = Recipe(language="eng", origins=("detected", "generated", "exchanged"), kept=kept, limit=0)
        assert Recipe.of(recipe.document()).kept == kept
        found = finished(attributed_sets(marked, seeds, recipe))
        counts.append(
            sum(
                differs_in_final_marks(one.seed, one.text)
                for each in found
                for one in each.references
                if one.seed != one.text
            )
        )
    assert (counts[0], counts[1] > 10) == (0, True)


def test_what_is_generated_now_is_looked_at_alike() -> None:
    class Marking(SeedGeneration):
        def generated(self, seed: Seed) -> list[Finding]:
            return [Finding("any", f"{seed.text.rstrip('.')}!"), Finding("any", "Leave.")]

    found = Marking().generate(Seed("eng", "Go.", None))
    assert [each.only_marks for each in found] == [1, 0]
    assert [filter_at(0, min_validity=0.5).accepts(each) for each in found] == [False, True]


@pytest.mark.parametrize(
    ("document", "kept"),
    [
        ({"order": 20, "min_validity": 0.95}, NSequenceFilter(20, min_validity=0.95)),
        ({"order": 20, "final_marks": False}, NSequenceFilter(20, final_marks=False)),
        ({"order": 0}, NO_FILTER),
    ],
)
def test_documents_of_older_versions_mean_what_they_meant(document: dict[str, object], kept: NSequenceFilter) -> None:
    assert filter_from(document) == kept
    assert kept.document() == document
