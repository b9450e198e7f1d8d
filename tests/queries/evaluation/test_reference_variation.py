"""Generated sets as they stand in the database, sets made by hand, and the report on both."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import generated_store, random_rows

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.records import ReferenceSet, exact_digest
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.scoring.metrics.signature import Signature
from corpusdb.studies.references.queries import (
    Measuring,
    SetSelection,
    generated_sets,
    hand_made_sets,
    variation_report,
)
from corpusdb.studies.references.variation import ParaphraseSet

ALL = SetSelection(kept=NO_FILTER, sample=0)


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Store]:
    """Small, but with sets of one to many paraphrases and with candidates that N = 3 refuses."""
    with generated_store(tmp_path, random_rows(random.Random(2), 60)) as store:
        yield store


def by_seed(store: Store, order: int, *, marks: bool = True) -> dict[str, set[str]]:
    """The same from all candidates, one by one."""
    found: dict[str, set[str]] = {}
    query = """
        select seed.text, candidate.text, fluency, inner_fluency
        from candidate join seed on seed.id = candidate.seed"""
    for seed, text, fluency, inner in store.connection.execute(query):
        if text != seed and (fluency if marks else inner) >= order:
            found.setdefault(seed, set()).add(text)
    return found


@pytest.mark.parametrize("order", [0, 3])
@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("marks", [True, False])
def test_the_sets_are_those_of_the_candidates_kept(corpus: Store, order: int, least: int, marks: bool) -> None:
    wanted = {seed: texts for seed, texts in by_seed(corpus, order, marks=marks).items() if len(texts) >= least}
    sets, count = generated_sets(corpus, "eng", SetSelection(NSequenceFilter(order, marks), least, 0))
    assert {each.seed: set(each.paraphrases) for each in sets} == wanted
    assert count == len(sets) == len(wanted) > 0
    assert [each.seed for each in sets] == sorted(wanted)
    assert all(len(each.paraphrases) == len(set(each.paraphrases)) for each in sets)


def test_a_sample_is_part_of_all_and_the_same_each_time(corpus: Store) -> None:
    every, count = generated_sets(corpus, "eng", ALL)
    some, of = generated_sets(corpus, "eng", SetSelection(kept=NO_FILTER, sample=5, seed=3))
    assert (len(some), of) == (5, count)
    assert set(some) < set(every)
    assert generated_sets(corpus, "eng", SetSelection(kept=NO_FILTER, sample=5, seed=3))[0] == some
    assert generated_sets(corpus, "eng", SetSelection(kept=NO_FILTER, sample=5, seed=4))[0] != some


def test_without_generated_sets_the_command_that_makes_them_is_told(empty: Store) -> None:
    with pytest.raises(InputError, match="corpusdb generate --lang eng"):
        generated_sets(empty, "eng", ALL)


def test_sets_made_by_hand_are_shuffled_and_need_two_references() -> None:
    segments = [["a", "b", "c"], ["only"], ["d", "d"]] * 20
    sets, count = hand_made_sets(segments)
    assert count == len(sets) == 40
    assert {each.seed for each in sets} == {"a", "b", "c", "d"}
    assert all(sorted((each.seed, *each.paraphrases)) in (["a", "b", "c"], ["d", "d"]) for each in sets)
    some, of = hand_made_sets(segments, sample=7)
    assert (len(some), of) == (7, 40)


def test_the_report_names_the_sets_and_how_they_were_scored() -> None:
    sets = [ParaphraseSet("a b c", ("a b c", "A b c"))]
    report = variation_report("made", sets, 9, Measuring(tokenisation="none", lowercase=True, effective=True, seed=7))
    assert (report.name, report.sets, report.of, report.paraphrases) == ("made", 1, 9, 2)
    assert report.table_7.bleu == pytest.approx(1)
    told = Signature.parse(report.bleu_signature)
    assert (told.metric, told.order, told.case, told.tokenisation, told.seed) == ("bleu", 4, "lc", "none", 7)
    assert told.smoothing == "none+effective"
    assert told.digest == exact_digest([ReferenceSet("", "a b c", ("a b c", "A b c"))])[:16]
    assert Signature.parse(report.nist_signature).order == 5
    cased = variation_report("made", sets, 9, Measuring(tokenisation="none", effective=True))
    assert cased.table_7.bleu < 1


def test_in_characters_white_space_is_no_unit() -> None:
    sets = [ParaphraseSet("abcdefghi jklmnopqrs", ("abc defghijklmnop qrs",))]
    report = variation_report("made", sets, 1, Measuring(unit="char"))
    assert (report.table_7.bleu, report.table_7.nist) == pytest.approx((1, 1))
    assert Signature.parse(report.bleu_signature).order == 18
