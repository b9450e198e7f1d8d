"""Sentences that the corpus does not hold, paraphrased by the exchanges that it speaks for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from brute_force import fluency
from corpora import Row, import_rows, near

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.explanation import explain
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NO_FILTER
from corpusdb.paraphrase.queries.ngram_index import load_ngrams, shared_ngrams
from corpusdb.paraphrase.queries.origins.registry import origin_marks
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.paraphrase.queries.seed_validity import SeedRewordings, load_usable
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.people.queries.sessions import create_session
from corpusdb.people.queries.views import SeedReader
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets

WHO = ("It", "That", "He", "She")
WHAT = ("very good", "quite late", "not here", "my friend", "too cold")
SEED = "He is quite late with everything."
"""New to the corpus, as is what it becomes; all that stands around " is" has been seen."""
REWORDED = "He's quite late with everything."


def rows() -> list[Row]:
    """Sentences with " is" and "'s" that share translations, and some with " was" that share none."""
    found: list[Row] = []
    for who, what in product(WHO, WHAT):
        found += [(f"{who} {verb} {what}.", f"{who} {what} {n}") for verb in ("is", "'s") for n in range(3)]
        found += [(f"{who} was {what}.", f"{who} {what} then {n}") for n in range(3)]
    found = [(text.replace(" 's", "'s"), translation) for text, translation in found]
    return [*found, ("He is quite late with his work.", "l0"), ("Tom is with everything.", "l1")]


@pytest.fixture
def store(empty: Store) -> Iterator[Store]:
    import_rows(empty, rows())
    finished(generate(empty, "eng"))
    yield empty


def texts(store: Store) -> list[str]:
    return [text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")]


def test_replacements_of_a_high_rate_are_usable_and_no_others(store: Store) -> None:
    usable = load_usable(store, "eng")
    stored = store.connection.execute("select x, y, pairs, shared, expected from exchange").fetchall()
    expected = {}
    for x, y, pairs, shared, parts in stored:
        for before, after in ((x, y), (y, x)):
            of = sum(row[2] for row in stored if before in row[:2])
            rate = (shared + 0.3) / (parts / WHOLE + 1)
            if x and y and parts / WHOLE >= 3 and rate >= 0.625 and pairs / of >= 0.1:
                expected[before, after] = shared, parts / WHOLE
    assert {key: (each.shared, each.expected) for key, each in usable.counts.items()} == expected
    assert {(" is", "'s"), ("'s", " is")} <= set(expected)
    assert not any(" was" in exchange for exchange in expected)
    assert {(before, after) for before, afters in usable.partners.items() for after in afters} == set(expected)


def test_orders_count_the_sequences_of_the_seed(store: Store) -> None:
    rewordings = SeedRewordings(store, "eng", load_ngrams(store, "eng"))
    corpus = texts(store)
    assert SEED not in corpus
    found = {each.made.text: each for each in rewordings.of(SEED)}
    assert REWORDED in found
    for text, each in found.items():
        assert each.order == fluency(text, [*corpus, SEED])
        assert each.inner_order == fluency(text, [*corpus, SEED], marks=False)
    assert found[REWORDED].order > fluency(REWORDED, corpus)


def test_a_replacement_that_is_known_beside_no_neighbour_is_none(store: Store) -> None:
    rewordings = SeedRewordings(store, "eng", load_ngrams(store, "eng"))
    assert rewordings.of("Nobody is there.") == []
    assert [each.made.text for each in rewordings.of("Nobody is very sad.")] == ["Nobody's very sad."]


def test_it_passes_the_filter_and_is_ranked_and_marked(store: Store) -> None:
    found = {each.text: each for each in paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)}
    one = found[REWORDED]
    assert one.origins == ("exchange",)
    assert origin_marks(one) == "  E   "
    assert one.score == one.validity == near(one.findings[0].strength)
    assert (one.in_corpus, one.frequency, one.findings[0].replacement) == (False, 0, 1)
    kept = paraphrases(store, SEED, "eng", limit=0, kept=DEFAULT_FILTER)
    assert [each.text for each in kept] == [text for text, each in found.items() if DEFAULT_FILTER.passes(each)]
    assert REWORDED in {each.text for each in kept}
    assert paraphrases(store, SEED, "eng", origins=["detected", "analogy"]) == []


def test_sentences_of_the_corpus_are_left_to_the_analogies(store: Store) -> None:
    for text in texts(store):
        assert paraphrases(store, text, "eng", kept=NO_FILTER, origins=["exchange"]) == []


def test_a_file_that_may_only_be_read_is_enough(store: Store) -> None:
    with open_store(store.path, read_only=True) as reading:
        found = paraphrases(reading, SEED, "eng", kept=NO_FILTER, origins=["exchange"])
    assert found == paraphrases(store, SEED, "eng", kept=NO_FILTER, origins=["exchange"])
    assert found


def test_the_reason_is_told(store: Store) -> None:
    count = load_usable(store, "eng").counts[" is", "'s"]
    (reason,) = explain(store, SEED, REWORDED, "eng").reasons
    assert reason.startswith(f"'is' becomes \"'s\": {count.shared} pairs of sentences")
    assert f"where {count.expected:.1f} would" in reason
    assert explain(store, SEED, SEED, "eng").reasons == ()
    assert explain(store, "It is very good.", "It's very good.", "eng").reasons == ()


def test_references_and_sessions_have_it(store: Store) -> None:
    recipe = Recipe(language="eng", origins=("original", "exchanged"))
    (made,) = finished(attributed_sets(store, [SEED], recipe))
    assert {each.text: each.origins for each in made.references}[REWORDED] == ("exchanged",)
    (without,) = finished(attributed_sets(store, [SEED], Recipe(language="eng", origins=("generated",))))
    assert without.references == ()
    create_session(store, "s", "eng", [SEED])
    with open_store(store.path, read_only=True) as reading:
        reader = SeedReader(reading, lambda: open_store(store.path))
        assert list(reader.read("s").paraphrases) == paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)


def test_what_is_generated_later_is_followed(store: Store) -> None:
    with open_store(store.path, read_only=True) as reading:
        create_session(store, "s", "eng", ["Nobody is there."])
        reader = SeedReader(reading, lambda: open_store(store.path), origins=["exchange"])
        assert reader.read("s").paraphrases == ()
        more = [(f"Nobody{verb} {what}.", f"nobody {what}") for verb in (" is", "'s") for what in ("up", "away")]
        import_rows(store, more)
        finished(generate(store, "eng"))
        assert [each.text for each in reader.read("s").paraphrases] == ["Nobody's there."]


def test_the_ngrams_are_read_once_for_all_who_hold_them(store: Store) -> None:
    one = shared_ngrams(store, "eng")
    assert shared_ngrams(store, "eng") is one
    import_rows(store, [("Something new.", "n")])
    finished(generate(store, "eng"))
    assert shared_ngrams(store, "eng") is not one
