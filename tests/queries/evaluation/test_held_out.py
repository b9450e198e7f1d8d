"""A language held out: against a database in which its translations were deleted by hand."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import all_rows, copy_of_corpus, import_rows, new_store, random_rows

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.people.queries.samples import SampleOptions, draw_sample
from corpusdb.people.queries.verdicts import record
from corpusdb.studies.precision.precision import EDGES
from corpusdb.studies.precision.queries import HeldOut, PrecisionStudy, precision_study
from corpusdb.studies.precision.report import PRECISION_COLUMNS, precision_lines, precision_notes, precision_rows

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


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """The same sentences with translations into two languages, independently of each other."""
    with new_store(tmp_path) as store:
        chance = random.Random(11)
        import_rows(store, random_rows(chance, 90, pivots=14), ("eng", "fra"))
        import_rows(store, [(text, f"u{pivot}") for text, pivot in random_rows(chance, 90, pivots=14)], ("eng", "deu"))
        finished(generate(store, "eng"))
        yield store


def held_out(store: Store, *languages: str) -> tuple[HeldOut, ...]:
    return finished(precision_study(store, "eng", languages)).held_out


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


def test_sharing_only_raises_the_validity(store: Store) -> None:
    (found,) = held_out(store, "fra")
    alone, shared = found.measured
    assert (alone.with_sharing, shared.with_sharing) == (False, True)
    assert [each.pairs for each in alone.areas] == [each.pairs for each in shared.areas]
    assert alone.areas[0].pairs == found.pairs > alone.areas[1].pairs > 0
    for before, after in zip(alone.curve, shared.curve, strict=True):
        assert before.pairs <= after.pairs
    assert any(before.pairs < after.pairs for before, after in zip(alone.curve, shared.curve, strict=True))


def test_all_languages_and_nothing_is_changed(store: Store) -> None:
    before = all_rows(store)
    found = held_out(store)
    assert [each.language for each in found] == ["deu", "fra"]
    assert found[1:] == held_out(store, "fr", "fra")
    assert all_rows(store) == before


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
