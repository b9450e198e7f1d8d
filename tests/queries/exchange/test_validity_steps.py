"""What the validity is made of beside the rates of exchanges, as `explain` tells it."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpora import generated_store, new_store

from corpusdb.corpus.model import Finding
from corpusdb.paraphrase.queries.explanation import explain
from corpusdb.paraphrase.queries.seed_validity import validity_steps
from corpusdb.paraphrase.validity import before_lone, of_lone

FRENCH_HAS_ONE_WORD = [
    (f"{word} {whose} hat{number}", f"son{number}", f"{whose}{number}")
    for number, word in enumerate(["take", "see", "give", "lose"] * 6)
    for whose in ("his", "her")
]


def test_a_language_that_tells_two_words_apart_bounds_what_another_says(tmp_path: Path) -> None:
    with generated_store(tmp_path, FRENCH_HAS_ONE_WORD, ("eng", "fra", "deu")) as store:
        found = explain(store, "take his hat0", "take her hat0", "eng")
        bound, shared = found.steps
        assert bound.startswith("not above 0.1")
        assert "translations into deu 0 share one, where 15." in bound
        assert shared == "its odds are multiplied by 5: the two share a translation (fra)"
        assert found.validity is not None
        assert found.validity < 0.6, "all 24 pairs share a translation in French"


def test_what_only_an_exchange_speaks_for_says_what_it_was_divided_by(tmp_path: Path) -> None:
    with generated_store(tmp_path, FRENCH_HAS_ONE_WORD, ("eng", "fra", "deu")) as store:
        finding = Finding("exchange", "take a hat0", validity=0.95)

        def told(finding: Finding, *, in_corpus: bool) -> tuple[str, ...]:
            return validity_steps(store, "eng", "take his hat0", finding, [], in_corpus=in_corpus)

        (step,) = told(finding, in_corpus=True)
        assert step == "its odds are divided by 20, from 0.997: no analogy of the index makes it"
        assert told(finding, in_corpus=False) == ()
        assert told(finding._replace(validity=1.0), in_corpus=True) == (), "a person says so"


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.99, 1.0])
def test_dividing_the_odds_is_undone(probability: float) -> None:
    assert before_lone(of_lone(probability)) == pytest.approx(probability)


def test_nothing_is_told_where_nothing_was_learned(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        finding = Finding("exchange", "b", validity=0.5)
        assert validity_steps(store, "eng", "a", finding, ["fra"], in_corpus=True) == ()
