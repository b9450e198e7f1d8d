"""A new origin, registered here: everything takes its paraphrases, and can be limited to some origins."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from backwards import ORDER, Backwards, backwards
from corpora import import_rows, near, random_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.explanation import explain
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.origins.registry import ORIGINS, origin_marks, select_origins
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.decisions import apply_session, decide, decisions
from corpusdb.people.queries.samples import SampleOptions, draw_sample
from corpusdb.people.queries.sessions import create_session, sample_seeds
from corpusdb.people.queries.verdicts import judging_report, record
from corpusdb.people.queries.views import SeedReader
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets, reference_origins

ROWS = [*random_rows(random.Random(7), 40), ("a b", "t0"), ("b a", "t1")]
SENTENCES = sorted({row[0] for row in ROWS})
SEED = next(text for text in SENTENCES if backwards(text) not in (text, *SENTENCES))
"""What its words give backwards is new to the corpus."""


@pytest.fixture
def store(empty: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Paraphrases of three origins."""
    monkeypatch.setitem(ORIGINS, "backwards", Backwards())
    import_rows(empty, ROWS)
    finished(generate(empty, "eng"))
    yield empty


def test_it_ranks_with_the_others(store: Store) -> None:
    found = {each.text: each for each in paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)}
    one = found[backwards(SEED)]
    assert "backwards" in one.origins
    others = [each for each in one.findings if each.origin != "backwards"]
    doubt = 0.5
    for each in others:
        doubt *= (1 - each.strength) / (1 + each.odds)
    assert one.score == near(1 - doubt)
    assert (one.order, one.in_corpus, origin_marks(one)[5:]) == (ORDER, False, "B ")
    assert list(found.values()) == sorted(found.values(), key=lambda each: (-each.score, each.text))
    assert any("backwards" not in each.origins for each in found.values())


def test_it_is_filtered_like_the_others(store: Store) -> None:
    kept = [paraphrases(store, SEED, "eng", limit=0, kept=NSequenceFilter(order)) for order in (ORDER, ORDER + 1)]
    assert [backwards(SEED) in {each.text for each in found} for found in kept] == [True, False]


def test_paraphrases_are_limited_to_some_origins(store: Store) -> None:
    everything = {each.text: each for each in paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)}
    for names in (["backwards"], ["detected"], ["analogy", "backwards"], []):
        found = paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER, origins=names)
        wanted = {text for text, each in everything.items() if not set(each.origins).isdisjoint(names)}
        assert {each.text for each in found} == wanted
        assert all(set(each.origins) <= set(names) for each in found)
    with pytest.raises(
        UsageError, match="unknown origin 'b'; there are detected, analogy, exchange, equivalent, rule, backwards"
    ):
        paraphrases(store, SEED, "eng", origins=["detected", "b"])


def test_the_index_is_needed_only_by_the_origin_that_needs_it(empty: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ORIGINS, "backwards", Backwards())
    import_rows(empty, ROWS)
    finished(detect(empty, "eng"))
    with pytest.raises(InputError, match="nothing was generated for eng yet"):
        paraphrases(empty, SEED, "eng")
    assert [each.text for each in paraphrases(empty, SEED, "eng", kept=NO_FILTER, origins=["backwards"])] == [
        backwards(SEED)
    ]


def test_a_session_shows_it_and_takes_decisions_on_it(store: Store) -> None:
    create_session(store, "s", "eng", [SEED, "never seen before"])
    with open_store(store.path, read_only=True) as reading:
        reader = SeedReader(reading, lambda: open_store(store.path))
        view = reader.read("s")
        assert list(view.paraphrases) == paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)
        shown = {each.text: origin_marks(each) for each in view.paraphrases}
        assert shown[backwards(SEED)].endswith("B ")
        assert [each.text for each in reader.read("s", 2).paraphrases] == ["before seen never"]
        limited = SeedReader(reading, lambda: open_store(store.path), origins=["backwards"]).read("s")
        assert [each.text for each in limited.paraphrases] == [backwards(SEED)]
    decide(store, "s", SEED, backwards(SEED), "accept")
    assert finished(apply_session(store, "s")).accepted == 1
    assert [(each.text, each.applied) for each in decisions(store, "s")] == [(backwards(SEED), True)]


def test_a_decision_stays_when_the_origin_is_gone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    create_session(store, "s", "eng", ["never seen before"])
    decide(store, "s", "never seen before", "before seen never", "accept")
    monkeypatch.delitem(ORIGINS, "backwards")
    view = SeedReader(store, lambda: open_store(store.path)).read("s")
    (one,) = view.paraphrases
    assert (one.text, one.order, one.score, one.origins, origin_marks(one)) == (
        "before seen never",
        0,
        0.0,
        (),
        "      ",
    )
    assert (view.proposed, view.passing(NSequenceFilter(0))) == (0, 0)


def test_seeds_are_sampled_from_those_it_has_a_paraphrase_of(store: Store) -> None:
    seeds = [text for text in SENTENCES if backwards(text) != text]
    assert sorted(sample_seeds(store, "eng", 1000, 1, NSequenceFilter(ORDER), ["backwards"])) == seeds
    held = [text for text in seeds if backwards(text) in SENTENCES]
    assert sorted(sample_seeds(store, "eng", 1000, 1, NSequenceFilter(ORDER + 1), ["backwards"])) == held


def test_references_from_it_are_asked_for_and_labelled(store: Store) -> None:
    assert reference_origins() == (
        "original",
        "accepted",
        "detected",
        "generated",
        "exchanged",
        "equivalent",
        "rule",
        "reversed",
    )
    found = {}
    for origins in (reference_origins(), ("original", "detected"), ("reversed",)):
        recipe = Recipe(language="eng", origins=origins, kept=NO_FILTER, limit=0)
        assert Recipe.of(recipe.document()) == recipe
        (made,) = finished(attributed_sets(store, [SEED], recipe))
        found[origins] = {each.text: each.origins for each in made.references}
    everything, without, only = found.values()
    assert "reversed" in everything[backwards(SEED)]
    assert not any("reversed" in labels for labels in without.values())
    assert list(only) == [backwards(SEED)]


def test_a_sample_is_drawn_from_it_and_judged(store: Store) -> None:
    options = SampleOptions("meaning", "eng", 1000, seed=1, kept=NO_FILTER, controls=5, origins=("backwards",))
    drawn = draw_sample(store, "backwards", options)
    rows = store.connection.execute("select seed_text, text, source, score, fluency from sample_item").fetchall()
    pairs = [(seed, text) for seed, text, source, *_ in rows if source == "candidate"]
    assert sorted(pairs) == [(text, backwards(text)) for text in SENTENCES if backwards(text) != text]
    assert (drawn.population, drawn.controls) == (len(pairs), 5)
    assert Counter(row[2] for row in rows) == {"candidate": len(pairs), "detected": 5}
    for seed, text, source, score, fluency in rows:
        if source == "candidate":
            (one,) = (each for each in paraphrases(store, seed, "eng", limit=0, kept=NO_FILTER) if each.text == text)
            assert (score, one.in_corpus) == (one.score, fluency > ORDER)
    record(store, drawn, "ann", 1, "=")
    assert judging_report(store, drawn).judges[0].judge == "ann"
    (parameters,) = store.connection.execute("select parameters from sample").fetchone()
    assert '"origins": ["backwards"]' in parameters
    with pytest.raises(UsageError, match="unknown origin 'x'"):
        SampleOptions("meaning", "eng", 1, seed=1, origins=("x",))


def test_sentences_of_several_origins_are_drawn_once(store: Store) -> None:
    names = tuple(ORIGINS)
    options = SampleOptions("grammaticality", "eng", 10_000, seed=1, kept=NO_FILTER, origins=names)
    draw_sample(store, "all", options)
    drawn = [text for (text,) in store.connection.execute("select text from sample_item")]
    wanted = {each.text for seed in SENTENCES for each in paraphrases(store, seed, "eng", limit=0, kept=NO_FILTER)}
    assert sorted(drawn) == sorted(wanted)


def test_it_explains_itself(store: Store) -> None:
    assert explain(store, SEED, backwards(SEED), "eng").reasons == ("it is the seed from its last word to its first",)
    assert explain(store, SEED, SEED, "eng").reasons == ()


def test_the_marks_are_one_character_each() -> None:
    marks = [origin.mark for origin in select_origins()]
    assert marks == ["D", "G", "E", "Q", "R"]
    assert len({origin.label for origin in select_origins()}) == len(ORIGINS)
