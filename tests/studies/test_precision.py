"""How far the validity can be trusted: pairs counted one by one, and a language that is held out."""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from calls import Run
from corpora import all_rows, copy_of_corpus, import_rows, new_store, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.base.estimates import Interval, wilson
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.people.queries.samples import SampleOptions, draw_sample
from corpusdb.people.queries.verdicts import record
from corpusdb.studies.queries.precision import (
    EDGES,
    HeldOutLanguage,
    HeldOutPairs,
    PrecisionStudy,
    area_under_curve,
    bands,
    curve,
    precision_study,
)
from corpusdb.studies.reference_report import PRECISION_COLUMNS, precision_lines, precision_notes, precision_rows

# Confirmed pairs by their probability: against counting pair by pair, and by what must hold.


_SCORED = st.lists(st.tuples(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.95, 0.9999, 1.0]), st.booleans()), max_size=30)


def pairs_of(confirmed: list[bool], expected: float = 0.5) -> HeldOutPairs:
    size = len(confirmed)
    return HeldOutPairs(np.array(confirmed, dtype=np.bool_), np.full(size, expected), np.arange(size, dtype=np.int64))


@given(_SCORED)
def test_the_area_is_that_of_all_pairs_of_a_confirmed_and_another(scored: list[tuple[float, bool]]) -> None:
    good, bad = ([score for score, is_good in scored if is_good is wanted] for wanted in (True, False))
    wins = [1.0 if one > other else 0.5 if one == other else 0.0 for one in good for other in bad]
    found = area_under_curve(np.array([score for score, _ in scored]), np.array([good for _, good in scored], bool))
    assert found == (pytest.approx(sum(wins) / len(wins)) if wins else None)


@given(_SCORED)
def test_each_pair_is_in_one_band(scored: list[tuple[float, bool]]) -> None:
    probability, pairs = np.array([score for score, _ in scored]), pairs_of([good for _, good in scored])
    found = bands(pairs, probability)
    assert [(each.low, each.high) for each in found] == list(pairwise(EDGES))
    for band in found:
        inside = [
            good for score, good in scored if band.low <= score and (score < band.high or score == 1 == band.high)
        ]
        assert (band.pairs, band.confirmed) == (len(inside), sum(inside))
    assert sum(band.pairs for band in found) == len(scored)


@given(_SCORED)
def test_the_curve_holds_the_bands_from_each_threshold_on(scored: list[tuple[float, bool]]) -> None:
    probability, pairs = np.array([score for score, _ in scored]), pairs_of([good for _, good in scored])
    found = bands(pairs, probability)
    for number, point in enumerate(curve(pairs, probability)):
        assert point.least == found[number].low
        assert point.pairs == sum(band.pairs for band in found[number:])
        assert point.confirmed == sum(band.confirmed for band in found[number:])


def test_precision_is_what_is_confirmed_over_what_is_expected() -> None:
    pairs = HeldOutPairs(np.array([True, True, False]), np.array([0.8, 0.5, 0.2]), np.array([7, 7, 9]))
    (band,) = bands(pairs, np.array([0.2, 0.4, 0.9]), (0.0, 1.0))
    assert band.share == pytest.approx(2 / 3)
    assert band.mean == pytest.approx(0.5)
    assert band.precision == pytest.approx(2 / 1.5)
    # A pair and its reverse are one in the interval: two thirds of two, in whole numbers.
    assert band.interval == wilson(1, 2)


def test_no_pairs() -> None:
    for each in (*bands(pairs_of([]), np.empty(0)), *curve(pairs_of([]), np.empty(0))):
        assert (each.pairs, each.confirmed, each.share, each.precision) == (0, 0, None, None)
        assert each.interval == Interval(0.0, 1.0)


# A language held out: against a database in which its translations were deleted by hand.


_FRENCH = "select id from sentence where language = 'fra'"
_UNLINK = f"delete from translation where sentence in ({_FRENCH}) or translation in ({_FRENCH})"
_PAIRS = """
select seed.text, candidate.text, candidate.validity from candidate join seed on seed.id = candidate.seed
join sentence on sentence.language = 'eng' and sentence.text = candidate.text
"""
_TRANSLATED = f"""
select own.text, translation.translation from translation join sentence own on own.id = translation.sentence
where own.language = 'eng' and translation.translation in ({_FRENCH})
"""


MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture
def store(make_once: MakeOnce, tmp_path: Path) -> Iterator[Store]:
    """A copy of a corpus that is generated once."""
    with open_store(Path(shutil.copy(make_once("held-out", fill) / "corpus.db", tmp_path))) as store:
        yield store


def fill(folder: Path) -> None:
    """The same sentences with translations into two languages, independently of each other."""
    with new_store(folder) as store:
        chance = random.Random(11)
        import_rows(store, random_rows(chance, 90, pivots=14), ("eng", "fra"))
        import_rows(store, [(text, f"u{pivot}") for text, pivot in random_rows(chance, 90, pivots=14)], ("eng", "deu"))
        finished(generate(store, "eng"))


def held_out(store: Store, *languages: str) -> tuple[HeldOutLanguage, ...]:
    return finished(precision_study(store, "eng", languages)).held_out


@pytest.mark.slow
def test_it_is_what_a_database_without_these_translations_says(store: Store) -> None:
    french: dict[str, set[int]] = {}
    for text, number in store.connection.execute(_TRANSLATED):
        french.setdefault(text, set()).add(number)
    with copy_of_corpus(store) as copy:
        with copy.write() as connection:
            connection.execute(_UNLINK)
        finished(generate(copy, "eng"))
        rows = copy.connection.execute(_PAIRS).fetchall()
        wanted = [(value, bool(french[one] & french[other])) for one, other, value in rows if {one, other} <= {*french}]
        (kept,) = copy.connection.execute(
            "select count(*) from candidate where validity >= 0.5 and (fluency >= 3 or replacement and fluency >= 2)"
        ).fetchone()
    assert len({confirmed for _, confirmed in wanted}) == 2

    study = finished(precision_study(store, "eng", ["fra"], NSequenceFilter(3)))
    (found,) = study.held_out
    assert (found.language, found.pairs) == ("fra", len(wanted))
    with_sharing = found.measured[1]
    assert with_sharing.with_sharing
    for band in with_sharing.bands:
        inside = [good for value, good in wanted if band.low <= value and (value < band.high or band.high == EDGES[-1])]
        assert (band.pairs, band.confirmed) == (len(inside), sum(inside))
    wins = [
        (good > bad) + (good == bad) / 2 for good, is_good in wanted if is_good for bad, is_bad in wanted if not is_bad
    ]
    assert with_sharing.areas[0].validity == pytest.approx(sum(wins) / len(wins))
    assert {each.least: each.kept for each in found.yields}[0.5] == kept


@pytest.mark.slow
def test_sharing_only_raises_the_validity(store: Store) -> None:
    (found,) = held_out(store, "fra")
    alone, shared = found.measured
    assert (alone.with_sharing, shared.with_sharing) == (False, True)
    assert [each.pairs for each in alone.areas] == [each.pairs for each in shared.areas]
    assert alone.areas[0].pairs == found.pairs > alone.areas[1].pairs > 0
    for before, after in zip(alone.curve, shared.curve, strict=True):
        assert before.pairs <= after.pairs
    assert any(before.pairs < after.pairs for before, after in zip(alone.curve, shared.curve, strict=True))


@pytest.mark.slow
def test_all_languages_and_nothing_is_changed(store: Store) -> None:
    before = all_rows(store)
    found = held_out(store)
    assert [each.language for each in found] == ["deu", "fra"]
    assert found[1:] == held_out(store, "fr", "fra")
    assert all_rows(store) == before


@pytest.mark.slow
def test_it_can_be_stopped_anywhere_and_leaves_no_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    job = precision_study(store, "eng", ["fra"])
    stages = [next(job).stage for _ in range(4)]
    assert any(folder.iterdir())
    job.close()
    assert stages[0] == "reading translations into fra"
    assert not any(folder.iterdir())
    assert not store.connection.in_transaction


@pytest.mark.parametrize(
    ("language", "languages", "reason"),
    [
        ("jpn", (), "no sentences in jpn"),
        ("eng", ("jpn",), "no sentences in jpn"),
        ("eng", ("eng",), "eng is the language of the paraphrases"),
    ],
)
def test_languages_that_cannot_be(store: Store, language: str, languages: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        finished(precision_study(store, language, languages))


def test_one_language_of_translations_is_too_few(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(1), 5))
    with pytest.raises(InputError, match="eng has translations into 1 other language; holding one out takes two"):
        finished(precision_study(empty, "eng"))


def test_a_corpus_too_small_to_say_anything_says_so(empty: Store) -> None:
    import_rows(empty, [("I walk.", "Je marche."), ("We talk.", "Nous parlons.")])
    import_rows(empty, [("Tom sleeps.", "Tom schläft.")], ("eng", "deu"))
    found = finished(precision_study(empty, "eng"))
    assert [(each.pairs, each.measured) for each in found.held_out] == [(0, ()), (0, ())]
    notes = list(precision_notes(found))
    assert [note.partition(":")[0] for note in notes[:2]] == ["deu", "fra"]
    assert all("too small" in note for note in notes[:2])
    assert list(precision_rows(found)) == [] == list(precision_lines(found))


def judged(store: Store) -> PrecisionStudy:
    sample = draw_sample(store, "pairs", SampleOptions("meaning", "eng", 12, seed=1, kept=NO_FILTER))
    for item in range(1, 9):
        record(store, sample, "ann", item, "=" if item < 6 else "x")
    record(store, sample, "bob", 1, "x")  # as many for it as against it
    record(store, sample, "bob", 2, "s")
    grammar = draw_sample(store, "texts", SampleOptions("grammaticality", "eng", 3, seed=1, kept=NO_FILTER))
    record(store, grammar, "ann", 1, "y")
    return finished(precision_study(store, "eng", ["fra"]))


@pytest.mark.slow
def test_what_people_judged_stands_beside(store: Store) -> None:
    assert finished(precision_study(store, "eng", ["fra"])).judged == ()
    study = judged(store)
    assert sum(band.pairs for band in study.judged) == 7
    assert sum(band.confirmed for band in study.judged) == 4
    (value,) = store.connection.execute(
        "select candidate.validity from sample_item item join seed on seed.text = item.seed_text"
        " join candidate on candidate.seed = seed.id and candidate.text = item.text"
        " where item.position = 8 and item.source = 'candidate' and item.seed_text is not null"
    ).fetchone()
    (band,) = [each for each in study.judged if each.low <= value < each.high or value == each.high == 1]
    assert band.pairs > band.confirmed  # the eighth was judged to be none


@pytest.mark.slow
def test_rows_and_lines_hold_the_same(store: Store) -> None:
    study = judged(store)
    rows = [dict(zip(PRECISION_COLUMNS, row, strict=True)) for row in precision_rows(study)]
    assert {row["held_out"] for row in rows} == {"fra", "people"}
    areas = [row["value"] for row in rows if row["figure"] == "area"]
    assert areas == [round(each.areas[0].validity or 0, 6) for each in study.held_out[0].measured]
    lines = "\n".join(precision_lines(study))
    assert all(f"{area:.3f}" in lines for area in areas if isinstance(area, float))
    assert "What people said" in lines
    assert lines.count("precision: the share over what pairs of one meaning would have,\nwhich may exceed 100") == 1
    plain = "\n".join(precision_lines(study, plots=False))
    assert "precision over pairs" in lines and "precision over pairs" not in plain


@pytest.mark.slow
def test_every_format_says_the_same_and_the_database_stays_as_it_is(run: Run, store: Store) -> None:
    before = store.path.read_bytes()
    arguments = ("study", "precision", "--lang", "eng", "--held-out", "fra")
    document = json.loads(run(*arguments, "--json").stdout)
    assert document["language"] == "eng"
    (found,) = document["held_out"]
    assert found["language"] == "fra" and found["pairs"] > 0
    alone, shared = found["measured"]
    assert (alone["with_sharing"], shared["with_sharing"]) == (False, True)
    assert sum(band["pairs"] for band in alone["bands"]) == found["pairs"] == shared["curve"][0]["pairs"]

    result = run(*arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert tuple(rows[0]) == PRECISION_COLUMNS
    areas = {row["sharing"]: float(row["value"]) for row in rows if row["figure"] == "area"}
    assert areas == {
        "no": pytest.approx(alone["areas"][0]["validity"], abs=1e-6),
        "yes": pytest.approx(shared["areas"][0]["validity"], abs=1e-6),
    }
    assert "nobody has judged" in result.stderr

    lines = run(*arguments, "--format", "table", "--no-plots").stdout.splitlines()
    assert lines[0].startswith(f"fra held out: {found['pairs']:,} pairs")
    assert f"{areas['no']:.3f}" in lines[2]
    assert all(len(line) <= 80 for line in lines)
    assert store.path.read_bytes() == before


def test_a_corpus_of_two_languages_is_too_small(run: Run, generated: Path) -> None:
    result = run("study", "precision", "--lang", "eng")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "holding one out takes two" in result.stderr
    assert (
        "sample: `corpusdb judge sample NAME --lang eng --kind meaning`"
        in run("study", "precision", "--lang", "eng").stderr
    )
    drawn = run("judge", "sample", "m", "--lang", "eng", "--kind", "meaning", "--size", "1", "-N", "0")
    assert (drawn.exit_code, run("judge", "report", "m").exit_code) == (0, 0)


def test_languages_that_there_are_not(run: Run, generated: Path) -> None:
    result = run("study", "precision", "--lang", "eng", "--held-out", "jpn")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "no sentences in jpn" in result.stderr


@pytest.mark.slow
def test_each_language_has_a_row_without_anything_made_again(
    run: Run, finished_phrasebook: Path, tmp_path: Path
) -> None:
    shutil.copy(finished_phrasebook, tmp_path / "corpus.db")
    result = run("study", "precision", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    statistics = json.loads(run("statistics", "--lang", "eng", "--json").stdout)
    assert (row["language"], int(row["kept"])) == ("eng", statistics["generated"]["counts"]["kept"])
    assert 0.95 <= float(row["expected"]) <= 1 and (row["judged"], row["held"]) == ("0", "")
    assert len(row["pivots"].split(",")) > 1 and not row["unseen"]
    run("judge", "sample", "m", "--lang", "eng", "--kind", "meaning", "--size", "2", "--seed", "1")
    for item, verdict in (("1", "="), ("2", "x")):
        assert run("judge", "record", "m", item, verdict, "--judge", "ann").exit_code == 0
    (judged,) = json.loads(run("study", "precision", "--json").stdout)["languages"]
    assert (judged["judged"], judged["held"]) == (2, 0.5)
    refused = run("study", "precision", "--held-out", "fra")
    assert (refused.exit_code, "--held-out needs --lang" in refused.stderr) == (2, True)
