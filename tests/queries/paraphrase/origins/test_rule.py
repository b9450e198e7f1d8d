"""Rules as an origin of paraphrases: where the extra is installed, and with the rules that made each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import import_rows, new_store

from corpusdb.base import morphemes as sudachi
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.explanation import explain
from corpusdb.paraphrase.queries.filters import NO_FILTER, filter_at
from corpusdb.paraphrase.queries.origins.origin import find_seed
from corpusdb.paraphrase.queries.origins.registry import origin_marks
from corpusdb.paraphrase.queries.origins.rule import RULE
from corpusdb.paraphrase.queries.paraphrases import missing_origins, paraphrases
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets, reference_origins, usual_origins

PLAIN, POLITE = "彼が本を読んだ。", "彼が本を読みました。"
ROWS = [
    (PLAIN, "He read a book."),
    ("静かだ。", "It is quiet."),
    ("静かです。", "It is quiet."),
    ("彼は寝た。", "He slept."),
    ("彼は寝ました。", "He slept."),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        import_rows(opened, ROWS, ("jpn", "eng"))
        finished(generate(opened, "jpn"))
        yield opened


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    sudachi._opened.cache_clear()
    yield
    sudachi._opened.cache_clear()


def test_rewritings_are_paraphrases(store: Store) -> None:
    pytest.importorskip("sudachipy")
    found = {each.text: each for each in paraphrases(store, PLAIN, "jpn")}
    one = found[POLITE]
    assert (one.origins, origin_marks(one)[-2:], one.in_corpus) == (("rule",), "R ", False)
    assert 0.5 < one.score < 1
    assert one.order is not None  # told, and not filtered by
    for text, each in found.items():
        reasons = [told for told in explain(store, PLAIN, text, "jpn").reasons if told.startswith("rewritten by rules")]
        assert (reasons != []) == ("rule" in each.origins)
    assert explain(store, PLAIN, POLITE, "jpn").reasons == (
        "rewritten by rules: 読んだ becomes 読みました: verb-past ->",
    )
    assert missing_origins("jpn") == []


def test_no_order_is_asked_of_them_wherever_they_are_filtered(store: Store) -> None:
    """Found in a session: all that rules made was struck out there, since only lists left the filter out."""
    pytest.importorskip("sudachipy")
    strict = filter_at(20)
    made = RULE.findings(store, find_seed(store, "jpn", PLAIN), NO_FILTER)
    assert made and all(min(each.fluency, each.inner_fluency) < 20 for each in made)
    assert all(map(strict.accepts, made))
    assert not any(strict.accepts(each._replace(is_vouched=False)) for each in made)
    assert not strict.accepts(made[0]._replace(validity=strict.min_validity / 2))
    assert all(map(strict.passes, paraphrases(store, PLAIN, "jpn", origins=["rule"])))


def test_what_another_origin_has_too_is_one_paraphrase(store: Store) -> None:
    pytest.importorskip("sudachipy")
    found = {each.text: each for each in paraphrases(store, "静かだ。", "jpn", kept=NO_FILTER)}
    assert found["静かです。"].origins == ("detected", "rule")


def test_references_have_them_only_where_they_are_asked_for(store: Store) -> None:
    """And equivalents, which a corpus has once it is aligned: a test set would change by that."""
    pytest.importorskip("sudachipy")
    assert {*reference_origins()} - {*usual_origins()} == {"equivalent", "rule"}
    (usual,) = finished(attributed_sets(store, [PLAIN], Recipe(language="jpn")))
    assert [each.text for each in usual.references] == [PLAIN]
    (asked,) = finished(attributed_sets(store, [PLAIN], Recipe(language="jpn", origins=("original", "rule"))))
    assert POLITE in {each.text for each in asked.references if each.origins == ("rule",)}


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_there_are_none_and_one_line_says_so(store: Store) -> None:
    assert RULE.findings(store, find_seed(store, "jpn", PLAIN)) == []
    assert paraphrases(store, PLAIN, "jpn", kept=NO_FILTER) == []
    assert explain(store, PLAIN, POLITE, "jpn").reasons == ()
    (told,) = missing_origins("jpn")
    assert told.endswith("pip install 'corpusdb[japanese]'")
    assert missing_origins("eng") == []
