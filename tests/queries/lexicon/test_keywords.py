"""Keywords of small collections, counted by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from corpora import Row, import_file, near, write_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.store import Store
from corpusdb.search.lexical import keyness_likelihood, log_ratio, significance, simple_maths
from corpusdb.search.queries.frequencies import Comparison, Keyness, Keyword, keywords
from corpusdb.search.queries.token_index import TokenSelection

COLLECTIONS: dict[str, list[str]] = {
    "drinks": ["tea please", "more tea", "Tea , tea", "hello", "hello", "no beer please"],
    "food": ["soup please", "more soup", "hello", "bread please", "no bread"],
    "travel": ["a ticket please", "hello", "no ticket"],
}
DRINKS = TokenSelection("eng", "drinks")


@pytest.fixture
def store(empty: Store) -> Store:
    for name, texts in COLLECTIONS.items():
        rows: list[Row] = [(text, f"{name} {number}") for number, text in enumerate(texts)]
        import_file(empty, write_rows(empty.path.parent / f"{name}.tsv", rows), ("eng", "fra"), name)
    return empty


def tokens(texts: set[str]) -> Counter[str]:
    return Counter(token for text in texts for token in text.split())


TARGET = tokens(set(COLLECTIONS["drinks"]))
FOOD = tokens(set(COLLECTIONS["food"]))
REST = tokens({text for texts in COLLECTIONS.values() for text in texts} - set(COLLECTIONS["drinks"]))


@pytest.mark.parametrize(("reference", "counts"), [(None, REST), ("food", FOOD)])
@pytest.mark.parametrize("measure", ["loglikelihood", "logratio", "diff", "simple"])
@pytest.mark.parametrize("negative", [False, True])
def test_every_figure_of_every_keyword(
    reference: str | None, counts: Counter[str], measure: Keyness, negative: bool, store: Store
) -> None:
    """A sentence of the target is in the rest no more, but may be in a reference that is named."""
    sizes = TARGET.total(), counts.total()
    expected = []
    for word in {*TARGET, *counts}:
        a, b = TARGET[word], counts[word]
        if (a / sizes[0] < b / sizes[1]) if negative else (a / sizes[0] > b / sizes[1]):
            table = (a, b, *sizes)
            likelihood = float(keyness_likelihood(*table))
            row = Keyword(
                text=word,
                count=a,
                reference_count=b,
                per_million=near(1e6 * a / sizes[0]),
                reference_per_million=near(1e6 * b / sizes[1]),
                loglikelihood=near(-likelihood if negative else likelihood),
                significance=near(float(significance(likelihood))),
                logratio=near(float(log_ratio(*table))),
                diff=near(100 * (a * sizes[1] / (b * sizes[0]) - 1)) if b else None,
                simple=near(float(simple_maths(*table))),
            )
            expected.append(row)
    found = keywords(store, Comparison(DRINKS, reference, negative=negative, least=1), measure, limit=0)
    assert (found.target_tokens, found.reference_tokens, found.found) == (*sizes, len(expected))
    assert sorted(found.rows, key=lambda row: row.text) == sorted(expected, key=lambda row: row.text)
    values = [float("inf") if getattr(row, measure) is None else getattr(row, measure) for row in found.rows]
    assert values == sorted(values, reverse=not negative)
    assert (
        keywords(store, Comparison(DRINKS, reference, negative=negative, least=1), measure, limit=1).rows
        == found.rows[:1]
    )


def test_the_most_typical_words(store: Store) -> None:
    assert keywords(store, Comparison(DRINKS, least=1)).rows[0].text == "tea"
    folded = keywords(store, Comparison(replace(DRINKS, fold_case=True, words_only=True), least=1)).rows
    assert (folded[0].text, folded[0].count) == ("tea", 4)
    assert "," not in {row.text for row in folded}


def test_what_is_too_rare_or_not_significant_is_left_out(store: Store) -> None:
    every = keywords(store, Comparison(DRINKS, least=1)).rows
    assert {row.text for row in keywords(store, Comparison(DRINKS, least=2)).rows} == {
        row.text for row in every if row.count >= 2
    }
    few = keywords(store, Comparison(DRINKS, least=1, significance=0.05)).rows
    assert few == tuple(row for row in every if row.significance <= 0.05)
    assert 0 < len(few) < len(every)


def test_smoothing_prefers_frequent_words(store: Store) -> None:
    little, much = (
        {row.text: row.simple for row in keywords(store, Comparison(DRINKS, least=1, smoothing=n)).rows}
        for n in (1.0, 1e6)
    )
    assert little["beer"] > 10_000 and much["beer"] < 1.1 < much["tea"]


def test_a_document_against_the_rest_and_against_a_collection(store: Store) -> None:
    document = TokenSelection("eng", None, "travel.tsv")
    assert keywords(store, Comparison(document, least=1)).rows[0].text == "ticket"
    assert keywords(store, Comparison(document, "food", least=1)).reference_tokens == FOOD.total()


@pytest.mark.parametrize(
    ("comparison", "error", "message"),
    [
        (Comparison(TokenSelection("eng")), UsageError, "name a collection"),
        (Comparison(DRINKS, smoothing=0), UsageError, "above 0"),
        (Comparison(DRINKS, "nowhere"), InputError, "nowhere"),
        (Comparison(replace(DRINKS, collection="nowhere")), InputError, "nowhere"),
        (Comparison(replace(DRINKS, language="jpn")), InputError, "target has no tokens in jpn"),
    ],
)
def test_what_cannot_be_compared(comparison: Comparison, error: type[Exception], message: str, store: Store) -> None:
    with pytest.raises(error, match=message):
        keywords(store, comparison)


def test_a_corpus_of_one_collection_has_nothing_to_compare_with(empty: Store) -> None:
    import_file(empty, write_rows(empty.path.parent / "a.tsv", [("tea", "1")]), ("eng", "fra"), "drinks")
    with pytest.raises(InputError, match="reference has no tokens"):
        keywords(empty, Comparison(DRINKS))
