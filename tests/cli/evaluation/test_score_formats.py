"""Scores in each form that others give them, good and bad, into agreement, compare and scores import.

tests/formats/scores/files holds a small file of each form, made for the purpose: good.tsv says what each holds, bad.tsv
what is said of each that is wrong, and where. Three systems have four segments; the values are written out below.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import Result

from corpusdb.corpus.store import open_store

Run: TypeAlias = Callable[..., Result]
Values: TypeAlias = NDArray[np.float64]

FILES = Path(__file__).resolve().parents[2] / "formats" / "scores" / "files"
SYSTEMS = ("one", "two", "three")
HOLE = float("nan")
COMET = np.array([[0.9, 0.8, 0.7, 0.6], [0.5, 0.4, 0.65, 0.3], [0.2, 0.35, 0.1, 0.45]])
VALUES: Mapping[str, Values] = {
    "COMET": COMET,
    "HOLES": np.array([[0.9, 0.8, 0.7, 0.6], [0.5, HOLE, 0.65, 0.3], [0.2, 0.35, 0.1, 0.45]]),
    "PERCENT": 100 * COMET,
    "ROUNDED": np.array([[75.0], [46.2], [27.5]]),
    "Z": np.array([[1, 0.5, 0.25, 0.75], [0, -0.5, 0.5, -0.25], [-1, -0.25, -0.75, 0]]),
    "RATING": np.array([[90.0, 80, 75, 85], [70, 60, 80, 65], [50, 65, 55, 70]]),
    "MQM": -np.array([[0, 0.1, 1, 0.5], [5, 6, 0, 2.5], [25, 10, 11.1, 3]]),
}
TEXTS = {
    "one": "Good day.\nIt rains a lot.\nHow are you?\nSee you tomorrow!\n",
    "two": "Good day\nIt rains.\nHow are you?\nUntil tomorrow!\n",
    "three": "Day good.\nThere is rain.\nHow goes it?\nTomorrow!\n",
    "ref": "Good day.\nIt is raining a lot.\nHow are you?\nSee you tomorrow!\n",
}


def rows_of(name: str) -> list[dict[str, str]]:
    with (FILES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


GOOD, BAD = rows_of("good.tsv"), rows_of("bad.tsv")
FORMATS = {"DA", "MQM", "ESA", "seg.score", "sys.score", "corpusdb", "COMET", "sacrebleu"}
good_files = pytest.mark.parametrize("row", GOOD, ids=[row["files"].split()[0] for row in GOOD])


def test_every_form_has_good_and_bad_files() -> None:
    assert {row["format"] for row in GOOD} == {row["format"] for row in BAD} == FORMATS
    named = {name for row in GOOD for name in row["files"].split()} | {row["file"] for row in BAD}
    there = {path.relative_to(FILES / path.relative_to(FILES).parts[0]).as_posix() for path in FILES.glob("*/**/*.*")}
    assert named == {name for name in there if (FILES / "good" / name).is_file() or (FILES / "bad" / name).is_file()}


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def database(run: Run, texts: Path) -> Path:
    """The outputs are kept."""
    open_store(texts / "corpus.db", create=True).close()
    result = run("score", "one.txt", "two.txt", "three.txt", "--ref", "ref.txt", "--store")
    assert result.exit_code == 0, result.stderr
    return texts


def answer(run: Run, *arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def paths_of(row: Mapping[str, str]) -> list[str]:
    return [str(FILES / "good" / name) for name in row["files"].split()]


def with_option(option: str, values: list[str]) -> list[str]:
    return [each for value in values for each in (option, value)]


def means(values: Values) -> Values:
    found: Values = np.nanmean(values, axis=1)
    return found


@pytest.fixture(scope="module")
def scipy_stats() -> Any:
    """Independent of what is tested; it has no annotations."""
    return pytest.importorskip("scipy.stats")


@good_files
def test_agreement_is_that_of_scipy(row: Mapping[str, str], run: Run, texts: Path, scipy_stats: Any) -> None:
    paths, values = paths_of(row), VALUES[row["values"]]
    if row["kind"] == "human":
        others, name = COMET, "COMET"
        given = ("--scores", str(FILES / "good" / "COMET.seg.score"), "--human", *paths, "--human-column", row["name"])
    else:
        others, name = VALUES["Z"], row["name"]
        given = (*with_option("--scores", paths), "--human", str(FILES / "good" / "seg-DA.tsv"))
    found = {
        (each["level"], each["statistic"]): each["value"]
        for each in answer(run, "agreement", *given, "--samples", "5")
        if each["metric"] == name
    }
    assert found["system", "pearson"] == pytest.approx(
        scipy_stats.pearsonr(means(values), means(others)).statistic, abs=1e-9
    )
    if row["level"] == "segment":
        both = np.isfinite(values)
        expected = scipy_stats.pearsonr(values[both], others[both]).statistic
        assert found["segment", "pearson"] == pytest.approx(expected, abs=1e-9)
    first = [f"segments numbered from {row['first_segment']} in {Path(path).name}\n" for path in paths]
    stderr = run("agreement", *given, "--samples", "5").stderr
    assert all((told in stderr) == (row["first_segment"] != "-") for told in first)


def called(row: Mapping[str, str]) -> tuple[str, str]:
    """A mean of scores of segments is called one where it is no score of the system."""
    return row["name"], f"{row['name']} (segments' mean)"


@good_files
def test_compare_shows_them(row: Mapping[str, str], run: Run, texts: Path) -> None:
    scores = with_option("--scores", paths_of(row))
    arguments = ("compare", "one.txt", "two.txt", "--ref", "ref.txt", *scores, "--section", "scores", "--samples", "5")
    (found,) = answer(run, *arguments)
    (difference,) = [each for each in found["scores"] if each["metric"] in called(row) and each["imported"]]
    values = VALUES[row["values"]][:2]
    both = np.isfinite(values).all(axis=0)  # the segments that both systems are scored in
    assert [difference["a"], difference["b"]] == pytest.approx(means(values[:, both]).tolist(), abs=1e-9)


@good_files
def test_what_is_imported_comes_back(row: Mapping[str, str], run: Run, database: Path) -> None:
    human = ["--human"] if row["kind"] == "human" else []
    done = run("scores", "import", *paths_of(row), *human, "--metric", row["name"])
    assert done.exit_code == 0, done.stderr
    values = VALUES[row["values"]]
    listed = answer(run, "scores", "list")
    label = "human" if human else "imported"
    found = {each["system"]: each for each in listed if each["metric"] in called(row) and each["references"] == label}
    assert [found[system]["score"] for system in SYSTEMS] == pytest.approx(means(values).tolist(), abs=1e-9)
    if row["level"] == "system":
        return
    for system, expected in zip(SYSTEMS, values.tolist(), strict=True):
        column = f"{found[system]['metric']} {label}"
        segments = answer(run, "scores", "segments", system, "--column", column, "-n", "0")
        by_number = {each["segment"]: each["score"] for each in segments}
        for number, value in enumerate(expected, 1):
            assert by_number.get(number) == (None if np.isnan(value) else pytest.approx(value, abs=1e-12))


@pytest.mark.parametrize("row", BAD, ids=[row["file"] for row in BAD])
def test_what_is_wrong_is_told_with_its_line(row: Mapping[str, str], run: Run, database: Path) -> None:
    shutil.copy(FILES / "bad" / row["file"], database)
    for arguments in (
        ("agreement", "--scores", row["file"], "--human", str(FILES / "good" / "seg-DA.tsv")),
        ("agreement", "--scores", str(FILES / "good" / "COMET.seg.score"), "--human", row["file"]),
        ("compare", "one.txt", "two.txt", "--ref", "ref.txt", "--scores", row["file"]),
        ("scores", "import", row["file"]),
    ):
        result = run(*arguments)
        assert result.exit_code == 3, result.stderr
        assert f"{row['file']}:{row['line']}: {row['told']}" in result.stderr
        assert result.stdout == ""
