"""The demonstration: the whole chain on the built-in phrasebook."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path

import pytest

from corpusdb.jobs import finished
from corpusdb.phrasebook import LANGUAGES, LICENCE
from corpusdb.queries.chain.demonstration import SEEDS, DemoReport, run_demo
from corpusdb.reports.demonstration import demonstration_text
from corpusdb.store import open_store


@pytest.fixture
def shown(demonstration: tuple[Path, DemoReport], tmp_path: Path) -> tuple[Path, DemoReport]:
    """A copy of the database of the demonstration, and its report."""
    path, report = demonstration
    return Path(shutil.copy(path, tmp_path)), report


def width(line: str) -> int:
    """Terminal columns."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


def test_the_report(shown: tuple[Path, DemoReport]) -> None:
    _, report = shown
    assert report.sentences > 1000
    assert 0 < report.detection.sentences <= report.sentences
    generation = report.generation
    assert (
        generation.analogies >= generation.candidates > generation.kept >= generation.distinct >= generation.novel > 0
    )
    text = demonstration_text(report)
    lines = text.splitlines()
    assert max(map(width, lines)) <= 80
    for seed in SEEDS:
        assert any(line.startswith(seed) for line in lines)
    for figure in (report.sentences, report.detection.sentences, generation.candidates, generation.kept):
        assert f"{figure:,}" in text
    assert any(" ✗ " in line for line in lines)
    assert any(line.startswith("Why ") for line in lines)


def test_the_seeds_have_paraphrases_new_to_the_phrasebook(shown: tuple[Path, DemoReport]) -> None:
    path, _ = shown
    with open_store(path, read_only=True) as store:
        for seed in SEEDS:
            kept = store.connection.execute(
                "select count(*) from candidate join seed on seed.id = candidate.seed"
                " where seed.text = ? and fluency >= 20",
                (seed,),
            ).fetchone()
            assert kept > (0,)


def test_what_is_in_the_database(shown: tuple[Path, DemoReport]) -> None:
    path, report = shown
    with open_store(path, read_only=True) as store:
        assert store.connection.execute("select name, licence from collection").fetchall() == [("phrasebook", LICENCE)]
        assert {row[0] for row in store.connection.execute("select distinct language from sentence")} == set(LANGUAGES)
        count = "select count(*) from sentence where language = 'eng'"
        assert store.connection.execute(count).fetchone() == (report.sentences,)


def test_running_it_again_gives_the_same(shown: tuple[Path, DemoReport]) -> None:
    path, report = shown
    with open_store(path) as store:
        again = finished(run_demo(store))
    first, second = (demonstration_text(each).splitlines() for each in (report, again))
    assert first[:-1] == second[:-1]  # the last tells how long it took
    assert (again.sentences, again.generation.kept) == (report.sentences, report.generation.kept)
