"""The layer of validity, held against nested loops over the whole corpus."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from math import log2
from pathlib import Path

import numpy as np
import pytest
from corpora import generated_store, import_rows, new_store, random_rows
from exchanges import Corpus, Total, model_of

from corpusdb.base.arrays import F64, Bools
from corpusdb.base.jobs import finished
from corpusdb.base.text import units_of
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store
from corpusdb.paraphrase import validity_models
from corpusdb.paraphrase import validity_models as judging
from corpusdb.paraphrase.differences import Exchange, difference, differences_apart
from corpusdb.paraphrase.evidence import DERIVATION_FEATURES, EXCHANGE_FEATURES, ExchangeEvidence, features
from corpusdb.paraphrase.pair_differences import PairDifferences
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.validity_models import SHIPPED, ValidityModels, fold_of

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


def test_the_evidence_leaves_the_pair_itself_out(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[ExchangeEvidence, PairDifferences, Bools, F64]] = []

    def watched(evidence: ExchangeEvidence, pairs: PairDifferences, shares: Bools, expected: F64) -> ValidityModels:
        seen.append((evidence, pairs, shares, expected))
        return SHIPPED

    monkeypatch.setattr(judging, "fit_models", watched)
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


def test_what_is_stored_is_the_probability_of_the_shipped_model(store: Store) -> None:
    """Too few pairs are labelled for a model of their own."""
    corpus = oracle(store)
    names = (*EXCHANGE_FEATURES, *DERIVATION_FEATURES)
    derived, plain = (model_of(names, model.document()) for model in (SHIPPED.derived, SHIPPED.plain))
    generated = {}
    for seed, text, frequency, languages, probability, validity, replacement in store.connection.execute(_CANDIDATES):
        more = {"frequency": log2(1 + frequency), "languages": languages, "probability": log2(probability)}
        found = corpus.validity(derived, SHIPPED.derived.bias, seed, text, **more)
        assert validity == pytest.approx(found, abs=2e-4), (seed, text)
        assert replacement == corpus.is_vouched(seed, text), (seed, text)
        generated[seed, text] = validity
    for seed, text, validity in store.connection.execute(_DETECTED):
        if (seed, text) in generated:
            assert validity == generated[seed, text]
        else:
            assert validity == pytest.approx(corpus.validity(plain, SHIPPED.plain.bias, seed, text), abs=2e-4)
    assert generated


@pytest.mark.parametrize("number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in (1, 2))])
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
                corpus.validity(model_of(model["features"], each), each["bias"], seed, text, **more)
                for each in (chosen, model["derived"])
            ]
            assert validity == pytest.approx(found[0], abs=2e-4), (seed, text)
            differ += abs(found[0] - found[1]) > 0.01
        assert set(by_fold) == {None, *range(4)}
        assert model["labelled"] == by_fold.total() - by_fold[None]
        assert differ > 10
