"""The layer of validity: against nested loops, however the corpus grew, and judged in place."""

from __future__ import annotations

import json
import random
import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brute_force import Boosted, Corpus, Logistic, Total
from corpora import UNJUDGED, Dump, Row, generated_store, import_rows, judged_rows, new_store, random_rows
from interrupted import run

from corpusdb.base import jobs
from corpusdb.base.arrays import F64, Bools
from corpusdb.base.jobs import finished
from corpusdb.base.text import units_of
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.layers import layer_tables
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.orders import STANDS, SURELY_STANDS
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase import exchange_index, word_model
from corpusdb.paraphrase import validity as judging
from corpusdb.paraphrase import validity as validity_models
from corpusdb.paraphrase.differences import Exchange, difference, differences_apart
from corpusdb.paraphrase.exchange_index import (
    DERIVATION_FEATURES,
    EXCHANGE_FEATURES,
    ExchangeEvidence,
    ExchangeIndex,
    features,
)
from corpusdb.paraphrase.pair_differences import Pair, PairDifferences
from corpusdb.paraphrase.queries import learning, validity_update
from corpusdb.paraphrase.queries.models import load_word_model
from corpusdb.paraphrase.queries.seeds import SeedValidity
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.validity import READ, READ_FEATURES, SHIPPED, ValidityModels, fold_of
from corpusdb.paraphrase.word_model import SAID_BY_WORDS, said_by_words

# The layer of validity, held against nested loops over the whole corpus.


LANGUAGES = ("eng", "fra", "deu")


def drawn_rows(number: int) -> list[tuple[str, ...]]:
    """English with French and German, of which some sentences have several translations, and some share some."""
    chance = random.Random(number)
    english = [text for text, _ in random_rows(chance, 45, words="abcd" if number % 2 else "aab")]
    return [(text, f"f{chance.randrange(18)}", f"g{chance.randrange(25)}") for text in english]


def often_shared(number: int) -> list[tuple[str, ...]]:
    """English with French alone, of two sentences, so that more is shared than is expected."""
    chance = random.Random(number)
    return [(text, f"f{chance.randrange(2)}") for text, *_ in drawn_rows(number)]


_CORPORA = [drawn_rows(1), often_shared(1), *map(drawn_rows, (0, 2, 3)), often_shared(0)]


@pytest.fixture(
    params=[pytest.param(rows, marks=[pytest.mark.slow] * (place > 1)) for place, rows in enumerate(_CORPORA)],
    ids=range(6),
)
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    with generated_store(tmp_path, request.param, LANGUAGES[: len(request.param[0])]) as opened:
        yield opened


_SENTENCES = "select text from sentence where language = 'eng' order by id"
_PAIRS = """
select distinct own.text, other.language, other.text from sentence own
join translation on translation.sentence = own.id join sentence other on other.id = translation.translation
where own.language = 'eng' and other.language <> 'eng'
"""
_CANDIDATES = """
select seed.text, candidate.text, frequency, languages, probability, validity, replacement
from candidate join seed on seed.id = candidate.seed where seed.language = 'eng'
"""
_DETECTED = """
select one.text, other.text, validity from paraphrase
join sentence one on one.id = paraphrase.sentence join sentence other on other.id = paraphrase.paraphrase
where one.language = 'eng'
"""


def oracle(store: Store) -> Corpus:
    sentences = [text for (text,) in store.connection.execute(_SENTENCES)]
    return Corpus(sentences, store.connection.execute(_PAIRS).fetchall())


def test_pairs_are_judged_alike_however_many_are_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validity_models, "LEAST_LABELLED", 4)
    judged = [finished(validity_update._judge_all(store, "eng", apart=True))]
    monkeypatch.setattr(exchange_index, "_PAIRS_AT_ONCE", 7)
    monkeypatch.setattr(learning, "_ASKED_AT_ONCE", 7)
    judged.append(finished(validity_update._judge_all(store, "eng", apart=True)))
    assert len(judged[0].candidates) > 7 and judged[0].counts["labelled"]
    one, other = ((each.candidates, each.detected, each.document) for each in judged)
    assert one == other
    assert judged[0].layer.generated.alone.tolist() == judged[1].layer.generated.alone.tolist()


@pytest.mark.slow
def test_copies_of_the_process_say_what_it_says_itself(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_model, "LEAST_SENTENCES", 1)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    found = []
    monkeypatch.setattr(jobs, "usable_cores", lambda: 2)
    for least in (10**6, 0):
        monkeypatch.setattr(jobs, "LEAST_COPIED", least)
        judged = finished(validity_update._judge_all(store, "eng"))
        found.append((judged.candidates, judged.detected, judged.lexical_models, judged.word_model, judged.document))
    assert found[0] == found[1] and all(found[0])


def test_every_exchange_that_the_corpus_shows_is_stored_with_its_sums(store: Store) -> None:
    corpus = oracle(store)
    rows = store.connection.execute("select id, x, y, pairs, shared, expected from exchange").fetchall()
    assert rows
    for number, x, y, pairs, shared, expected in rows:
        instances = corpus.of((x, y))
        whole = corpus.total(instances)
        assert Total(pairs, shared, expected / WHOLE) == pytest.approx(whole, abs=1e-4)
        parts = {
            (kind, name): pytest.approx(Total(number_of, having, below / WHOLE), abs=1e-4)
            for kind, name, number_of, having, below in store.connection.execute(
                "select kind, name, pairs, shared, expected from exchange_part where exchange = ?", (number,)
            )
        }
        wanted = {("language", each): corpus.total(instances, each) for each in corpus.languages}
        for kind, beside in (("left", 2), ("right", 3)):
            for name in {each[beside] for each in instances}:
                wanted[kind, name] = corpus.total(each for each in instances if each[beside] == name)
        assert parts == {key: each for key, each in wanted.items() if each.pairs}


def test_the_exchanges_are_those_of_the_paraphrases(store: Store) -> None:
    corpus = oracle(store)
    wanted: set[Exchange] = set()
    for query in (_CANDIDATES, _DETECTED):
        for seed, text, *_ in store.connection.execute(query):
            units = units_of(seed), units_of(text)
            found = difference(*units)
            both = [each.exchange for each in (found, *differences_apart(*units, found))]
            wanted |= {(min(each), max(each)) for each in both}
    stored = store.connection.execute("select x, y from exchange order by id").fetchall()
    assert stored == sorted(each for each in wanted if corpus.of(each))


@pytest.mark.slow
def test_the_evidence_leaves_the_pair_itself_out(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[ExchangeEvidence, PairDifferences, Bools, F64]] = []

    asked: list[ExchangeEvidence] = []
    evidence_of = ExchangeIndex.evidence_in_parts

    def in_parts(index: ExchangeIndex, pairs: PairDifferences) -> Iterator[tuple[slice, PairDifferences, Any]]:
        for some, part, evidence in evidence_of(index, pairs):
            asked.append(evidence)
            yield some, part, evidence

    def watched(figures: F64, pairs: PairDifferences, shares: Bools, expected: F64) -> ValidityModels:
        del figures
        seen.append((asked[0], pairs, shares, expected))
        return SHIPPED

    monkeypatch.setattr(ExchangeIndex, "evidence_in_parts", in_parts)
    monkeypatch.setattr(judging, "_fitted", watched)
    store.connection.execute("delete from layer where name = 'validity'")
    finished(generate(store, "eng"))
    ((evidence, pairs, shares, expected),) = seen
    corpus = oracle(store)
    texts = {
        number: pair
        for number, *pair in store.connection.execute(
            "select candidate.id, seed.text, candidate.text from candidate join seed on seed.id = candidate.seed"
        )
    }
    inside = set(corpus.sentences)
    labelled = 0
    for place, row in enumerate(features(evidence)):
        seed, text = texts[int(pairs.row[place])]
        assert dict(zip(EXCHANGE_FEATURES, row.tolist(), strict=True)) == pytest.approx(
            {name: value for name, value in corpus.features(seed, text).items() if name != "units of seed"}, abs=1e-4
        ), (seed, text)
        known = {seed, text} <= inside
        assert shares[place] == (known and corpus.shares(seed, text) > 0)
        assert expected[place] == pytest.approx(corpus.expected(seed, text) if known else 0)
        labelled += known
    assert labelled > 10


PLAIN = (*EXCHANGE_FEATURES, *READ_FEATURES)
DERIVED = (*EXCHANGE_FEATURES, *DERIVATION_FEATURES, *READ_FEATURES)


@pytest.mark.slow
def test_what_is_stored_is_the_probability_of_the_shipped_models(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few pairs are labelled for a first model of their own."""
    monkeypatch.setattr(word_model, "LEAST_SENTENCES", 1)
    store.connection.execute("delete from layer where name = 'validity'")
    finished(generate(store, "eng"))
    pairs = [(seed, text) for asked in (_CANDIDATES, _DETECTED) for seed, text, *_ in store.connection.execute(asked)]
    said = said_by_words(load_word_model(store, "eng"), *map(list, zip(*pairs, strict=True))).features.tolist()
    figures = (dict(zip(SAID_BY_WORDS, each, strict=True)) for each in said)
    corpus = replace(oracle(store), said=dict(zip(pairs, figures, strict=True)))
    models = [
        (Logistic.of(names[: -len(READ_FEATURES)], learned.document()), Boosted(names, read.document()))
        for names, learned, read in (
            (DERIVED, SHIPPED.derived, READ.derived),
            *((PLAIN, SHIPPED.plain, read) for read in (READ.detected, READ.sentence)),
        )
    ]
    derived, plain, sentence = models
    generated = {}
    for seed, text, frequency, languages, probability, validity, replacement in store.connection.execute(_CANDIDATES):
        more = {"frequency": log2(1 + frequency), "languages": languages, "probability": log2(probability)}
        assert validity == pytest.approx(corpus.validity(*derived, seed, text, **more), abs=2e-4), (seed, text)
        stands = corpus.stands(*sentence, seed, text)
        support = SURELY_STANDS if stands >= 0.92 else STANDS if stands >= 0.88 else 0
        assert replacement == support + corpus.is_vouched(seed, text), (seed, text, stands)
        generated[seed, text] = validity
    for seed, text, validity in store.connection.execute(_DETECTED):
        if (seed, text) in generated:
            assert validity == generated[seed, text]
        else:
            assert validity == pytest.approx(corpus.validity(*plain, seed, text), abs=2e-4), (seed, text)
    assert generated


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.slow
def test_a_labelled_pair_has_the_probability_of_the_model_of_its_fold(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The models are those that the run tells; of other pairs it is the one that was fitted to all."""
    monkeypatch.setattr(validity_models, "LEAST_LABELLED", 30)
    with new_store(tmp_path) as store:
        import_rows(store, drawn_rows(2 * number), LANGUAGES)  # those with many labelled pairs
        finished(generate(store, "eng"))
        corpus = oracle(store)
        ((parameters,),) = store.connection.execute("select parameters from run where operation = 'validity'")
        model = json.loads(parameters)["model"]
        assert model["features"] == [*EXCHANGE_FEATURES, *DERIVATION_FEATURES]
        place_of = {text: place for place, text in enumerate(corpus.sentences)}
        read = Boosted(DERIVED, READ.derived.document())
        by_fold = Counter[int | None]()
        differ = 0
        for seed, text, frequency, languages, probability, validity, _ in store.connection.execute(_CANDIDATES):
            more = {"frequency": log2(1 + frequency), "languages": languages, "probability": log2(probability)}
            fold = None
            if text in place_of and corpus.expected(seed, text) > 0:
                fold = int(fold_of(np.array([place_of[text]]), np.array([place_of[seed]]))[0])
            by_fold[fold] += 1
            chosen = model["derived"] if fold is None else model["folds"][fold]
            found = [
                corpus.validity(Logistic.of(model["features"], each), read, seed, text, **more)
                for each in (chosen, model["derived"])
            ]
            assert validity == pytest.approx(found[0], abs=2e-4), (seed, text)
            differ += abs(found[0] - found[1]) > 0.01
        assert set(by_fold) == {None, *range(4)}
        assert model["labelled"] == by_fold.total() - by_fold[None]
        assert differ > 10


# The layer of validity does not depend on how the corpus grew, nor on what ended it in the midst.


def growing_drawn_rows(number: int, count: int = 60) -> list[Row]:
    chance = random.Random(number)
    english = [text for text, _ in random_rows(chance, count, words="abcd")]
    return [(text, f"f{chance.randrange(20)}", f"g{chance.randrange(20)}") for text in english]


def model(store: Store) -> object:
    """What the run of the layer tells of the model."""
    made = "select run from layer where name = 'validity'"
    query = f"select json_extract(parameters, '$.model') from run where id = ({made})"
    ((text,),) = store.connection.execute(query).fetchall()
    return json.loads(text)


def rows_after(folder: Path, name: str, parts: Sequence[Sequence[Row]], *, each: bool) -> tuple[Dump, object]:
    """What is judged after these imports, and the model, with a generation after each of them or after the last."""
    with new_store(folder, name) as store:
        for number, part in enumerate(parts, 1):
            import_rows(store, part, LANGUAGES)
            if each or number == len(parts):
                finished(generate(store, "eng"))
        assert check(store, full=True).problems == ()
        return judged_rows(store), model(store)


@pytest.mark.parametrize("fitted", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("number", range(3))
def test_growing_gives_what_a_rebuild_gives(
    tmp_path: Path, number: int, fitted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fitted:
        monkeypatch.setattr(validity_models, "LEAST_LABELLED", 30)
    monkeypatch.setattr(word_model, "LEAST_SENTENCES", 30)
    rows = growing_drawn_rows(number)
    parts = [rows[:40], rows[40:43], rows[43:]]
    grown, whole = (rows_after(tmp_path, str(each), parts, each=each) for each in (True, False))
    assert grown == whole
    found, document = whole
    assert all(rows for table, rows in found.items() if table != "rewording")
    assert isinstance(document, dict) and (document["labelled"] >= 30) == fitted
    assert len({row[4] for row in found["candidate"]} - {None}) > 10, "the word gains differ"


@pytest.mark.slow
def test_nothing_is_done_again_where_nothing_has_changed(tmp_path: Path) -> None:
    with generated_store(tmp_path, growing_drawn_rows(1), LANGUAGES) as store:
        count = "select count(*) from run where operation = 'validity'"
        finished(generate(store, "eng"))
        finished(update_layers(store))
        assert store.connection.execute(count).fetchone() == (1,)
        import_rows(store, [("a b c d.", "f1", "g30")], LANGUAGES)
        finished(update_layers(store))
        assert store.connection.execute(count).fetchone() == (2,)
        finished(generate(store, "eng", ["d c b a a"]))
        assert store.connection.execute(UNJUDGED).fetchone() == (0, 0)
        statements: list[str] = []
        store.connection.set_trace_callback(statements.append)
        finished(generate(store, "eng", ["d c b a a"]))
        store.connection.set_trace_callback(None)
        asked = [each for each in statements if each.lstrip().startswith("select")]
        plans = [row[3] for each in asked for row in store.connection.execute(f"explain query plan {each}")]
        assert not [plan for plan in plans if plan.startswith(("SCAN candidate", "SCAN context", "SCAN sentence"))]


@pytest.mark.slow
def test_what_an_interrupted_generation_stores_later_is_judged(tmp_path: Path) -> None:
    """Its run is older than that which judged last, and goes on."""
    seeds = ["d c b a a", "a d c b b"]
    with generated_store(tmp_path, growing_drawn_rows(1), LANGUAGES) as store:
        job = generate(store, "eng", seeds)
        next(step for step in job if (step.stage, step.done) == ("generating from seeds", 1))
        job.close()
        import_rows(store, [("a b c d.", "f1", "g30")], LANGUAGES)
        finished(update_layers(store))
        judged_by = "select run, (select min(id) from run where finished is null) from layer where name = 'validity'"
        run, interrupted = store.connection.execute(judged_by).fetchone()
        assert interrupted < run
        finished(generate(store, "eng", seeds))
        assert store.connection.execute("select count(*) from seed where sentence is null").fetchone() == (2,)
        assert store.connection.execute(UNJUDGED).fetchone() == (0, 0)


@pytest.mark.slow
def test_a_generation_that_was_killed_while_judging_is_finished_by_the_next(tmp_path: Path) -> None:
    with new_store(tmp_path, "begun") as store:
        import_rows(store, growing_drawn_rows(2, 80), LANGUAGES)
    undisturbed = Path(shutil.copy(tmp_path / "begun.db", tmp_path / "undisturbed.db"))
    steps = run("generate", undisturbed)
    assert steps is not None
    with open_store(undisturbed) as store:
        expected = judged_rows(store)
    while_judging = 0
    for part in range(60, 99, 2):
        killed = Path(shutil.copy(tmp_path / "begun.db", tmp_path / f"killed-{part}.db"))
        assert run("generate", killed, steps * part // 100) is None
        with open_store(killed) as store:
            layers = dict(store.connection.execute("select name, complete from layer"))
            if layers.get("candidate") and "validity" not in layers:
                while_judging += 1
                assert not judged_rows(store)["exchange"]
                finished(generate(store, "eng"))
                assert judged_rows(store) == expected
                assert check(store, full=True).problems == ()
        if while_judging == 2:
            return
    pytest.fail("it was not killed twice while it judged")


@pytest.mark.slow
def test_a_generation_that_is_stopped_at_any_step_of_judging_is_finished_by_the_next(tmp_path: Path) -> None:
    with generated_store(tmp_path, growing_drawn_rows(3), LANGUAGES) as store:
        expected = judged_rows(store)
        stages = []
        for stop in range(1, 20):
            store.connection.execute("delete from layer where name = 'validity'")
            store.connection.execute("update candidate set validity_parts = null, replacement = null")
            store.connection.execute("delete from exchange_part where exchange % 2 = 0")
            job = generate(store, "eng")
            steps = [step.stage for _, step in zip(range(stop), job, strict=False)]
            job.close()
            stages += steps[-1:]
            if len(steps) == stop and steps[-1] != "rewording by exchanges":
                assert judged_rows(store)["exchange_part"] != expected["exchange_part"]
            finished(generate(store, "eng"))
            assert judged_rows(store) == expected
    assert {"comparing paraphrases with their seeds", "summing up exchanges", "storing validity"} <= set(stages)


@pytest.mark.slow
@pytest.mark.parametrize("fitted", [False, True])
def test_a_single_seed_is_judged_as_it_is_when_stored(
    tmp_path: Path, fitted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of pairs of which no translation is known: the seed, or its paraphrase, is no sentence of the corpus."""
    if fitted:
        monkeypatch.setattr(validity_models, "LEAST_LABELLED", 30)
    outside = ["d c b a", "a d d b.", "c a b d", "b b a c."]
    with new_store(tmp_path) as store:
        import_rows(store, growing_drawn_rows(4), LANGUAGES)
        finished(generate(store, "eng"))
        finished(generate(store, "eng", outside))
        stored = store.connection.execute(
            """select seed.text, candidate.text, frequency, candidate.languages, probability, validity, replacement
            from candidate join seed on seed.id = candidate.seed
            where not exists (select 1 from sentence where language = 'eng' and text = candidate.text)
                or seed.sentence is null order by candidate.id"""
        ).fetchall()
        assert {row[0] for row in stored} & set(outside)
        assert len({row[5] for row in stored}) > 10
        judging = SeedValidity(store, "eng")
        for seed in sorted({row[0] for row in stored}):
            rows = [row for row in stored if row[0] == seed]
            judged = judging.judge([Pair(0, *row[:5]) for row in rows])
            assert judged is not None
            for one, (*_, validity, replacement) in zip(judged, rows, strict=True):
                assert one.validity == pytest.approx(validity, abs=1.01e-4)
                assert one.replacement == replacement


def test_before_anything_was_learned_nothing_is_judged(empty: Store) -> None:
    judge = SeedValidity(empty, "eng")
    assert not judge.is_known
    with pytest.raises(LookupError):
        judge.judge([Pair(0, "a b", "a c", 1, 1, 0.5)])


DAMAGES = [
    "update exchange set shared = shared + 1 where id = (select min(id) from exchange)",
    pytest.param("delete from exchange_part; delete from exchange", marks=pytest.mark.slow),
    pytest.param("delete from exchange_part where kind = 'left'", marks=pytest.mark.slow),
    pytest.param("update exchange set x = x || '!' where id = (select max(id) from exchange)", marks=pytest.mark.slow),
    pytest.param("update exchange_part set expected = expected + 1 where kind = 'language'", marks=pytest.mark.slow),
    pytest.param("drop table exchange_part", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.slow
def test_damaged_exchanges_are_found_and_made_again(tmp_path: Path, damage: str) -> None:
    with generated_store(tmp_path, growing_drawn_rows(5), LANGUAGES) as store:
        expected = judged_rows(store)
        assert check(store, full=True).problems == ()
        with store.unchecked_references():
            store.connection.executescript(damage)
        assert not check(store, full=True).ok
        report = finished(repair(store))
        assert (report.ok, report.left) == (True, ())
        assert report.done
        assert judged_rows(store) == expected
        assert finished(repair(store)).done == ()


def test_the_tables_are_those_of_a_layer() -> None:
    assert {"exchange", "exchange_part"} <= set(layer_tables())
