"""How far the validity can be trusted, from the command line."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.studies.precision.report import PRECISION_COLUMNS

Run: TypeAlias = Callable[..., Result]


@pytest.fixture
def phrasebook(finished_phrasebook: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(finished_phrasebook, tmp_path / "corpus.db"))


def test_every_format_says_the_same_and_the_database_stays_as_it_is(run: Run, phrasebook: Path) -> None:
    before = phrasebook.read_bytes()
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
    assert phrasebook.read_bytes() == before


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
