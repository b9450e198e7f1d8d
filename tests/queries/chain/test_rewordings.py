"""Analogies that no second context shows, where the exchange of words vouches for what they give."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import product

import pytest
from brute_force import Generation, Shared, detected, fluency, slots
from corpora import Row, import_rows, near, random_rows

from corpusdb.base.jobs import finished
from corpusdb.base.text import unit_ends, units_of
from corpusdb.chain.queries import generation as rewordings
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.differences import difference
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries.explanation import explain
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.origins.registry import origin_marks
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.paraphrase.queries.seed_validity import SeedValidity, load_replacements
from corpusdb.paraphrase.queries.statistics import exchanged_pairs, generation_counts

WHO = ("It", "That", "He", "She")
WHAT = ("very good", "quite late", "not here", "my friend", "too cold")
SEED, REWORDED = "He is quite sad here.", "He's quite sad here."
"""New and sad stand together in one context only."""
LONE: list[Row] = [
    ("He is quite new here.", "nouveau"),
    ("He's quite new here.", "nouveau"),
    (SEED, "triste"),
    ("She's quite sandy now.", "sableux"),
    *((f"The {what} {of}.", f"{what} {of}") for what, of in (("new", "hat"), ("old", "hat"), ("sad", "man"))),
    ("The old man.", "vieil homme"),
]


def rows() -> list[Row]:
    """Sentences with " is" and "'s" that share translations, and what only one context shows."""
    found: list[Row] = []
    for who, what in product(WHO, WHAT):
        found += [(f"{who}{verb} {what}.", f"{who} {what} {n}") for verb in (" is", "'s") for n in range(3)]
    return [*found, *LONE]


@pytest.fixture
def store(empty: Store) -> Iterator[Store]:
    import_rows(empty, rows())
    finished(generate(empty, "eng"))
    yield empty


def stored(store: Store) -> dict[tuple[str, str], tuple[object, ...]]:
    query = """
        select sentence.text, rewording.text, pivots, languages, probability, fluency, inner_fluency
        from rewording join sentence on sentence.id = rewording.sentence"""
    return {(seed, text): tuple(figures) for seed, text, *figures in store.connection.execute(query)}


def lone(sentences: list[str], shared: dict[str, dict[str, Shared]]) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """By brute force: what is derived in one context alone, with its B and B'."""
    brute = Generation(sentences, shared)
    found: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for seed in sentences:
        for context, x in slots(seed):
            for y, sentence in brute.contexts.get(context, {}).items():
                if len(x) > 0.7 * len(seed) or y == x or brute.places[x] & brute.places[y] != {context}:
                    continue
                if min(len(brute.places[x]), len(brute.places[y])) < 2:
                    continue
                for rewording in shared.get(sentence, {}):
                    bounds = {0, *unit_ends(rewording)}
                    at = rewording.find(y)
                    if y and rewording.count(y) == 1 and rewording.find(y, at + 1) < 0 and {at, at + len(y)} <= bounds:
                        text = rewording[:at] + x + rewording[at + len(y) :]
                        if text and text == text.strip() and text != seed:
                            found[seed, text].add((sentence, rewording))
    return found


def expected(store: Store) -> dict[tuple[str, str], tuple[object, ...]]:
    """What the table must hold, from the sentences, what is detected, and what was learned of exchanges."""
    sentences = [text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")]
    links = store.connection.execute(
        """select one.text, other.language, other.text from translation join sentence one on one.id = sentence
        join sentence other on other.id = translation where one.language = 'eng'"""
    ).fetchall()
    shared = detected(links)
    known = set(store.connection.execute("select seed.text, c.text from candidate c join seed on seed.id = c.seed"))
    replacements, judge = load_replacements(store, "eng"), SeedValidity(store, "eng")
    found: dict[tuple[str, str], tuple[object, ...]] = {}
    for (seed, text), pairs in lone(sentences, shared).items():
        usable = {pair for pair in pairs if set(difference(*map(units_of, pair)).regions) <= replacements}
        order, inner = fluency(text, sentences), fluency(text, sentences, marks=False)
        if (
            not usable
            or (seed, text) in known
            or text in shared.get(seed, {})
            or order < vars(rewordings)["LEAST_ORDER"]
        ):
            continue
        if judge.judge_applied([Pair(0, seed, text, 0, 0, 0.0)])[0].replacement:
            evidence = [shared[one][other] for one, other in usable]
            languages = len({language for each in evidence for language in each.languages})
            best = near(max(each.probability for each in evidence))
            found[seed, text] = len({other for _, other in usable}), languages, best, order, inner
    return found


def test_what_one_context_gives_is_stored_where_the_exchange_vouches_for_it(store: Store) -> None:
    assert (SEED, REWORDED) in stored(store)
    assert stored(store) == expected(store)


@pytest.mark.parametrize("number", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 12))])
def test_it_is_what_a_brute_force_finds(empty: Store, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewordings, "LEAST_ORDER", 0)
    drawn = random_rows(random.Random(number), 80, words="abcde", pivots=9)
    import_rows(empty, [*rows(), *drawn])
    finished(generate(empty, "eng"))
    assert stored(empty) == expected(empty)


def test_it_is_a_paraphrase_of_the_origin_exchange(store: Store) -> None:
    found = {each.text: each for each in paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER)}
    one = found[REWORDED]
    assert one.origins == ("exchange",)
    assert origin_marks(one) == "  E   "
    assert (one.frequency, one.findings[0].replacement) == (0, 1)
    plain = SeedValidity(store, "eng").judge_applied([Pair(0, SEED, REWORDED, 0, 0, 0.0)])[0].validity
    odds = plain / (1 - plain) / 20
    assert one.validity == pytest.approx(odds / (1 + odds), abs=1e-4)


def test_it_is_counted_beside_the_candidates(store: Store) -> None:
    counts = generation_counts(store, "eng", NO_FILTER)
    report = finished(generate(store, "eng", kept=NO_FILTER))
    assert report.exchanged == exchanged_pairs(store, "eng", NO_FILTER) == len(stored(store)) > 0
    assert report.kept == counts.kept
    assert exchanged_pairs(store, "eng", NO_FILTER, [SEED]) == sum(seed == SEED for seed, _ in stored(store))
    assert exchanged_pairs(store, "eng", NSequenceFilter(10_000_000)) == 0


def test_the_explanation_names_what_was_reworded(store: Store) -> None:
    found = explain(store, SEED, REWORDED, "eng")
    assert found.analogies == ()
    (reason,) = found.reasons
    assert "'He is quite new here.', in one context with the seed, becomes \"He's quite new here.\"" in reason
    assert "(fra)" in reason
    assert explain(store, SEED, "He was quite sad here.", "eng").reasons == ()


def test_an_update_has_the_rows_of_a_rebuild(empty: Store) -> None:
    everything = rows()
    import_rows(empty, everything[:-6])
    finished(generate(empty, "eng"))
    assert (SEED, REWORDED) not in stored(empty)
    import_rows(empty, everything[-6:])
    finished(update_layers(empty))
    assert (SEED, REWORDED) in stored(empty)
    assert stored(empty) == expected(empty)
    assert check(empty, full=True).problems == ()


def test_it_is_made_again_only_after_exchanges_were_summed_up(store: Store) -> None:
    before = store.connection.execute("select run from layer where name = 'rewording'").fetchone()
    finished(generate(store, "eng"))
    assert store.connection.execute("select run from layer where name = 'rewording'").fetchone() == before
    store.connection.execute("delete from rewording")
    store.connection.execute("delete from layer where name = 'rewording'")
    finished(generate(store, "eng"))
    assert stored(store) == expected(store)


def test_given_seeds_have_none(empty: Store) -> None:
    """The exchanges of all sentences are looked through for all sentences, or not at all."""
    import_rows(empty, rows())
    finished(generate(empty, "eng", [SEED]))
    assert layer_state(empty, "eng", "rewording") is None
    assert stored(empty) == {}


def test_a_job_that_is_stopped_before_the_end_stores_nothing(store: Store) -> None:
    held = stored(store)
    store.connection.execute("delete from layer where name = 'rewording'")
    store.connection.execute("delete from rewording")
    for step in (job := generate(store, "eng")):
        if step.stage == "rewording by exchanges":
            break
    job.close()
    assert stored(store) == {}
    finished(generate(store, "eng"))
    assert stored(store) == held
