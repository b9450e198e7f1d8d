"""Files of the scores of others, good and bad."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.score_file import ExternalScores
from corpusdb.corpus.formats.score_reading import read_score_file

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


def written(folder: Path, text: str, name: str = "COMET.seg.score") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def one(folder: Path, text: str, name: str = "COMET.seg.score") -> ExternalScores:
    (found,) = read_score_file(written(folder, text, name)).scores()
    return found


def test_segments_of_systems_one_after_the_other_or_in_turns(tmp_path: Path) -> None:
    blocks = one(tmp_path, "A\t0.5\nA\tNone\nB\t-1\nB\t2e-1\n")
    turns = one(tmp_path, "A\t0.5\nB\t-1\nA\tNone\nB\t2e-1\n")
    for found in (blocks, turns):
        assert (found.name, found.level, found.segments) == ("COMET", "segment", 2)
        np.testing.assert_array_equal(found.scores["A"], [0.5, np.nan])
        np.testing.assert_array_equal(found.scores["B"], [-1, 0.2])
    assert (blocks.lines, turns.lines) == ({"A": 1, "B": 3}, {"A": 1, "B": 2})


def test_whole_systems_and_names_with_points(tmp_path: Path) -> None:
    found = one(tmp_path, "A\t0.5\nB\tNone\n", "en-de.mqm.sys.score")
    assert (found.name, found.level, found.segments) == ("en-de.mqm", "system", None)
    np.testing.assert_array_equal(found.scores["B"], [np.nan])


def test_a_file_of_another_name(tmp_path: Path) -> None:
    assert one(tmp_path, "A\t1\nB\t2\n", "mine.tsv").level == "system"
    assert one(tmp_path, "A\t1\nA\t2\n", "mine.tsv").level == "segment"
    assert one(tmp_path, "A\t1\nB\t2\n", "mine.tsv").name == "mine"


def test_a_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "COMET.sys.score.gz"
    path.write_bytes(gzip.compress(b"A\t1\n"))
    (found,) = read_score_file(path).scores()
    assert (found.name, found.level) == ("COMET", "system")


def test_a_table_has_a_metric_in_each_column_with_numbers(tmp_path: Path) -> None:
    table = "system\tconstrained\tCOMET\tchrF\nA\tTrue\t0.5\t\nB\tFalse\t\t60\n"
    found = read_score_file(written(tmp_path, table, "automatic.tsv")).scores()
    assert [(each.name, each.level) for each in found] == [("COMET", "system"), ("chrF", "system")]
    np.testing.assert_array_equal([found[0].scores["A"], found[0].scores["B"]], [[0.5], [np.nan]])


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("COMET.seg.score", "A\t1\nA\t2\nB\t1\n", ":3: B has 1 segments, A has 2"),
        ("COMET.seg.score", "A\t1\nA\t2\nB\t1\nB\t1\nB\t1\n", ":5: B has 3 segments, A has 2"),
        ("COMET.seg.score", "A\t1\nA\tgood\n", ":2: 'good' is no score"),
        ("COMET.seg.score", "A\tnan\n", ":1: 'nan' is no score"),
        ("COMET.seg.score", "A\t-inf\n", ":1: '-inf' is no score"),
        ("COMET.seg.score", "A\t1_0\n", ":1: '1_0' is no score"),
        ("COMET.seg.score", "A\t１\n", "is no score"),
        ("COMET.seg.score", "A 1\n", ":1: 1 fields where"),
        ("COMET.seg.score", "A\t1\n\nA\t1\n", ":2: a blank line in a table of scores"),
        ("COMET.seg.score", "A\t1\tB\n", ":1: 3 fields where"),
        ("COMET.seg.score", " \t1\n", ":1: the system has no name"),
        ("COMET.seg.score", "A\tNone\nB\tNone\n", "holds no scores of COMET"),
        ("COMET.seg.score", "", "empty"),
        ("COMET.sys.score", "A\t1\nB\t1\nA\t2\n", ":3: A has two scores of COMET"),
        ("table.tsv", "system\tCOMET\n", "no column holds scores"),
        ("table.tsv", "system\tCOMET\nA\tgood\n", "no column holds scores"),
        ("table.tsv", "system\tCOMET\nA\t1\nB\tgood\n", ":3: 'good' is no score"),
        (
            "table.tsv",
            "system\tCOMET\nA\t1\nA\t1\n",
            ":3: A has two scores of COMET; scores of segments need a",
        ),
        ("table.tsv", "system\tCOMET\nA\n", ":2: 1 fields under 2 names"),
        ("table.tsv", "system\tCOMET\tCOMET\nA\t1\t1\n", ":1: two columns are called 'COMET'"),
        ("table.tsv", "system\tCOMET\t\nA\t1\t1\n", ":1: a column has no name"),
    ],
)
def test_what_is_refused(name: str, text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read_score_file(written(tmp_path, text, name)).scores()


SCORES = st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=5)


@given(SCORES, st.permutations("ABC"))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, values: list[float | None], systems: list[str]
) -> None:
    path = tmp_path_factory.mktemp("scores") / "COMET.seg.score"
    path.write_text("".join(f"{system}\t{value}\n" for value in values for system in systems), encoding="utf-8")
    if set(values) == {None}:
        with pytest.raises(InputError, match="no scores"):
            read_score_file(path).scores()
        return
    (found,) = read_score_file(path).scores()
    assert list(found.scores) == systems
    expected = [np.nan if value is None else value for value in values]
    for array in found.scores.values():
        np.testing.assert_array_equal(array, expected)


@pytest.mark.data
@pytest.mark.parametrize("folder", ["wmt21-ruen", "wmt21-deen", "wmt21-csen", "wmt21-jaen", "wmt21-isen", "wmt23-enja"])
def test_published_scores(folder: str) -> None:
    path = DATA / folder / "automatic.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for each in read_score_file(path).scores():
        published = {row["system"]: float(row[each.name] or "nan") for row in rows}
        assert {system: float(array[0]) for system, array in each.scores.items()} == pytest.approx(
            published, nan_ok=True, abs=0
        )
