"""Explanations: every analogy is a rectangle of the corpus; what was accepted is no evidence of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from brute_force import slots
from corpora import Row, all_rows, generated_store, import_file, import_rows, random_rows, tatoeba, write_rows

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.model import Analogy, SharedTranslation
from corpusdb.corpus.queries.sentences import shared_translations
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.equations import is_analogy
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.paraphrases import explain, paraphrases
from corpusdb.people.queries.decisions import accept, apply_session, decide
from corpusdb.people.queries.sessions import create_session, delete_session

# Explanations: every analogy is a rectangle of the corpus, and they are as many as the frequency says.


BEER: list[Row] = [
    ("I'd like a beer, please.", "ビールが欲しい。"),
    ("A beer, please.", "ビールをください。"),
    ("Can I have a beer?", "ビールをください。"),
    ("I'd like a slice of pizza, please.", "ピザが欲しい。"),
    ("A slice of pizza, please.", "ピザをください。"),
]
SEED, CANDIDATE = "A slice of pizza, please.", "Can I have a slice of pizza?"


def candidates(store: Store) -> list[tuple[str, str, int, int]]:
    """Seed, candidate, frequency and pivots."""
    return store.connection.execute(
        "select seed.text, candidate.text, frequency, pivots from candidate"
        " join seed on seed.id = candidate.seed order by 1, 2"
    ).fetchall()


def is_rectangle(analogy: Analogy) -> bool:
    """Whether B and D are the context with either filler, and A and C another context with the same fillers."""
    first, last = analogy.context.split("␣")
    own = (analogy.b, analogy.d) == (first + analogy.filler_b + last, first + analogy.filler_d + last)
    of_a = {context for context, filler in slots(analogy.a) if filler == analogy.filler_b}
    of_c = {context for context, filler in slots(analogy.c) if filler == analogy.filler_d}
    return own and bool((of_a & of_c) - {(first, last)})


def assert_explained(store: Store, sample: list[tuple[str, str, int, int]]) -> list[Analogy]:
    """Check all analogies behind these candidates; returns them."""
    known = {row[0] for row in store.connection.execute("select text from sentence where language = 'eng'")}
    everything: list[Analogy] = []
    for seed, candidate, frequency, pivots in sample:
        found = explain(store, seed, candidate, "eng", limit=0)
        assert (found.seed, found.candidate) == (seed, candidate)
        assert found.total == len(found.analogies) == frequency
        assert len({analogy.rewording for analogy in found.analogies}) == pivots
        assert {analogy.d for analogy in found.analogies} == {seed}
        assert set(found.shared) == {(analogy.b, analogy.rewording) for analogy in found.analogies}
        assert all(found.shared.values())
        for analogy in found.analogies:
            assert is_rectangle(analogy)
            assert {analogy.a, analogy.b, analogy.c, analogy.rewording} <= known
        assert explain(store, seed, candidate, "eng", limit=1).analogies == found.analogies[:1]
        assert explain(store, seed, candidate, "eng", limit=1).total == found.total
        everything += found.analogies
    return everything


@pytest.mark.parametrize("number", range(10))
def test_random_corpora(empty: Store, number: int) -> None:
    chance = random.Random(number)
    import_rows(empty, random_rows(chance, 18, pivots=5))
    finished(generate(empty, "eng"))
    found = candidates(empty)
    assert found
    assert_explained(empty, chance.sample(found, min(len(found), 15)))


@pytest.mark.slow
@pytest.mark.data
def test_real_sentences(empty: Store) -> None:
    import_rows(empty, tatoeba("jpn", 300, 1500), ("eng", "jpn"))
    finished(generate(empty, "eng"))
    analogies = assert_explained(empty, candidates(empty)[::5])
    assert len(analogies) > 50
    attested = sum(is_analogy(one.a, one.b, one.c, one.d) for one in analogies)
    assert attested >= 0.98 * len(analogies)
    rewritten = [one for one in analogies if one.filler_b and one.rewording.count(one.filler_b) == 1]
    for one in rewritten:
        solution = one.rewording.replace(one.filler_b, one.filler_d)
        assert sorted(one.a + solution) == sorted(one.c + one.rewording)


@pytest.mark.slow
def test_table_4(empty: Store) -> None:
    import_rows(empty, BEER, ("eng", "jpn"))
    finished(generate(empty, "eng"))
    found = explain(empty, SEED, CANDIDATE, "eng")
    (analogy,) = found.analogies
    assert analogy == Analogy(
        a="I'd like a beer, please.",
        b="A beer, please.",
        c="I'd like a slice of pizza, please.",
        d=SEED,
        rewording="Can I have a beer?",
        context="A␣, please.",
        filler_b=" beer",
        filler_d=" slice of pizza",
    )
    assert is_analogy(analogy.a, analogy.b, analogy.c, analogy.d)
    pivot = SharedTranslation("jpn", "ビールをください。", ("rows/corpus-0.tsv:2", "rows/corpus-0.tsv:3"))
    assert found.shared == {("A beer, please.", "Can I have a beer?"): (pivot,)}
    assert (found.total, found.direct) == (1, ())


@pytest.mark.slow
def test_what_was_not_generated_has_no_analogy(empty: Store) -> None:
    import_rows(empty, [*BEER, ("Pizza, please.", "ピザをください。")], ("eng", "jpn"))
    finished(generate(empty, "eng"))
    found = explain(empty, SEED, "Nothing like it.", "eng")
    assert (found.analogies, found.total, found.shared, found.direct) == ((), 0, {}, ())
    direct = explain(empty, SEED, "Pizza, please.", "eng")
    assert direct.analogies == ()
    assert [one.text for one in direct.direct] == ["ピザをください。"]


@pytest.mark.slow
def test_a_seed_that_is_not_in_the_corpus(empty: Store) -> None:
    import_rows(empty, BEER[:-1], ("eng", "jpn"))
    finished(generate(empty, "eng"))
    before = all_rows(empty)
    found = explain(empty, SEED, CANDIDATE, "eng")
    assert [(one.b, one.rewording, one.d) for one in found.analogies] == [
        ("A beer, please.", "Can I have a beer?", SEED)
    ]
    assert found.total == paraphrases(empty, SEED, "eng", kept=NO_FILTER)[0].frequency == 1
    assert all_rows(empty) == before


def test_shared_translations_and_their_places(empty: Store) -> None:
    """By language and then as they came; the first three places, by document and line."""
    folder = empty.path.parent
    rows = [("a", "t1"), ("b", "t1"), ("a", "t2"), ("c", "t2"), ("b", "t2"), ("b", "t2")]
    import_file(empty, write_rows(folder / "one.tsv", rows), ("eng", "fra"), "first")
    import_file(empty, write_rows(folder / "two.tsv", [("b", "x"), ("a", "x"), ("c", "y")]), ("eng", "deu"), "second")
    ids = dict(empty.connection.execute("select text, id from sentence where language = 'eng'").fetchall())
    assert shared_translations(empty, ids["a"], ids["b"]) == (
        SharedTranslation("deu", "x", ("second/two.tsv:1", "second/two.tsv:2")),
        SharedTranslation("fra", "t1", ("first/one.tsv:1", "first/one.tsv:2")),
        SharedTranslation("fra", "t2", ("first/one.tsv:3", "first/one.tsv:5", "first/one.tsv:6")),
    )
    assert [one.text for one in shared_translations(empty, ids["c"], ids["a"])] == ["t2"]


@pytest.mark.slow
def test_no_more_is_read_than_is_shown(empty: Store) -> None:
    """Found by reading: the limit ended the analogies of one exchange only, and all others were read and left out."""
    import_rows(empty, [*BEER, *((f"Show {word}.", f"{word}を") for word in ("me", "him"))], ("eng", "jpn"))
    import_rows(empty, random_rows(random.Random(1), 60), ("eng", "jpn"))
    finished(generate(empty, "eng"))
    seed, candidate, frequency, _ = max(candidates(empty), key=lambda one: (one[2], one))
    assert frequency > 10
    statements: list[str] = []
    counts = []
    for limit in (1, 2, 0):
        empty.connection.set_trace_callback(statements.append)
        found = explain(empty, seed, candidate, "eng", limit=limit)
        empty.connection.set_trace_callback(None)
        assert (len(found.analogies), found.total) == (limit or frequency, frequency)
        counts.append(sum("from slot y" in statement for statement in statements))
        statements.clear()
    assert counts[0] == 1
    assert counts[0] <= counts[1] <= 2 < counts[2]


# What was accepted reads as such in an explanation, not as evidence of the files that the seed stands in.


ACCEPTANCES_SEED, OTHER, OWN = "Two beers.", "Beers, two.", "A pair of beers."
GIVEN = "; its translations are those of the seed"


@pytest.fixture
def beers(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, [(ACCEPTANCES_SEED, "Deux bières."), (OTHER, "Deux bières.")]) as store:
        create_session(store, "s", "eng", [ACCEPTANCES_SEED])
        yield store


@pytest.mark.slow
def test_a_wording_of_ones_own_that_was_written(beers: Store) -> None:
    decide(beers, "s", ACCEPTANCES_SEED, OWN, "accept")
    assert explain(beers, ACCEPTANCES_SEED, OWN, "eng").accepted == ()
    finished(apply_session(beers, "s"))
    found = explain(beers, ACCEPTANCES_SEED, OWN, "eng")
    assert found.accepted == (f"accepted in session s{GIVEN}",)
    assert [each.places[0] for each in found.direct] == ["accepted/accepted:1"]
    assert explain(beers, OWN, ACCEPTANCES_SEED, "eng").accepted == (
        "the seed was accepted in session s as a paraphrase of it; the translations of the seed are those of it",
    )
    assert explain(beers, OTHER, OWN, "eng").accepted == (
        f"{OWN!r} was accepted in session s; its translations are those of {ACCEPTANCES_SEED!r}",
    )
    assert explain(beers, ACCEPTANCES_SEED, OTHER, "eng").accepted == ()
    delete_session(beers, "s")
    assert explain(beers, ACCEPTANCES_SEED, OWN, "eng").accepted == (
        f"accepted in session s, which was deleted{GIVEN}",
    )


def test_what_the_corpus_had_keeps_its_evidence(beers: Store) -> None:
    decide(beers, "s", ACCEPTANCES_SEED, OTHER, "accept")
    finished(apply_session(beers, "s"))
    found = explain(beers, ACCEPTANCES_SEED, OTHER, "eng")
    assert found.accepted == ("accepted in session s",)
    assert not any(place.startswith("accepted/") for each in found.direct for place in each.places)


def test_without_a_session(beers: Store) -> None:
    finished(accept(beers, ACCEPTANCES_SEED, OWN, "eng"))
    assert explain(beers, ACCEPTANCES_SEED, OWN, "eng").accepted == (f"accepted with `corpusdb accept`{GIVEN}",)
