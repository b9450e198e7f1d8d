"""How segments are numbered, and how files are put together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.score_file import Collected, joined
from corpusdb.corpus.formats.score_reading import ScoreReading, read_score_file

MQM = "system\tglobalSegId\trater\tcategory\tseverity\n"


def table(folder: Path, numbers: list[int], name: str = "COMET.tsv") -> Path:
    path = folder / name
    rows = "".join(f"A\t{number}\t{number + 0.5}\n" for number in numbers)
    path.write_text(f"system\tsegment\tCOMET\n{rows}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("numbers", "segments", "said", "first", "unsure"),
    [
        ([0, 1, 2, 3], 4, None, 0, False),
        ([1, 2, 3, 4], 4, None, 1, False),
        ([0, 2], 4, None, 0, False),
        ([1, 2], 5, None, 1, True),  # it begins there, or its first and last segments have no scores
        ([1, 3], 4, None, 0, True),  # the last of four, counted from 0
        ([1, 3], 5, None, 0, True),  # some have no score, and so may the first
        ([3, 4], 4, None, 1, False),  # the last of four, counted from 1
        ([2, 3], 4, None, 0, True),
        ([2, 3], 4, 1, 1, False),
        ([2, 3], None, None, 0, True),
        ([1, 2], 4, 0, 0, False),
        ([0, 3], 4, 0, 0, False),
    ],
)
def test_the_file_says_how_it_counts(
    numbers: list[int], segments: int | None, said: int | None, first: int, unsure: bool, tmp_path: Path
) -> None:
    file = read_score_file(table(tmp_path, numbers), ScoreReading(first_segment=said))
    assert file.first(segments) == first
    (found,) = file.scores(segments)
    expected = np.full(segments or max(numbers) - first + 1, np.nan)
    for number in numbers:
        expected[number - first] = number + 0.5
    np.testing.assert_array_equal(found.scores["A"], expected)
    told = f"segments numbered from {first} in COMET.tsv"
    why = f"a guess: it has neither 0 nor {segments}" if 1 in numbers else "as is usual: it has neither 0 nor 1"
    more = f", {why}; --first-segment {1 - first} says otherwise"
    assert file.how_read(segments) == (told + (more if unsure else ""),)


def test_marked_errors_count_from_1_as_is_usual(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    path.write_text(f"{MQM}A\t3\tr1\tNo-error\tNo-error\n", encoding="utf-8")
    file = read_score_file(path)
    assert (file.first(9), file.first(3)) == (1, 1)
    assert "from 1 in mqm.tsv, as is usual" in str(file.numbering(9))


@pytest.mark.parametrize(
    ("numbers", "segments", "said", "told"),
    [
        ([0, 4], 4, None, "COMET.tsv:3: A has a score of segment 4, and there are 4, counted from 0"),
        ([1, 5], 4, None, "COMET.tsv:3: A has a score of segment 5, and there are 4, counted from 1"),
        ([0, 1], 4, 1, "COMET.tsv: it has a segment 0, and is said to count from 1"),
        ([0, 1_000_001], None, None, "COMET.tsv:3: 1000001 is no number of a segment"),
    ],
)
def test_numbers_that_do_not_fit(
    numbers: list[int], segments: int | None, said: int | None, told: str, tmp_path: Path
) -> None:
    path = table(tmp_path, numbers)
    with pytest.raises(InputError, match=told):
        read_score_file(path, ScoreReading(first_segment=said)).scores(segments)


def test_systems_may_have_a_file_each(tmp_path: Path) -> None:
    scores = []
    for system, value in (("A", 1.0), ("B", 2.0)):
        found = Collected(Path(f"{system}.txt"))
        found.add("BLEU", system, None, value, 7)
        scores += found.file().scores()
    (both,) = joined(scores)
    assert {system: float(row[0]) for system, row in both.scores.items()} == {"A": 1, "B": 2}
    assert [both.path_of(system).name for system in "AB"] == ["A.txt", "B.txt"]
    with pytest.raises(InputError, match=r"A\.txt:7: scores of BLEU by system stand in A\.txt, too"):
        joined([*scores, *scores[:1]])


def test_files_of_different_test_sets_are_not_put_together(tmp_path: Path) -> None:
    files = []
    for system, count in (("A", 2), ("B", 3)):
        path = tmp_path / f"{system}.txt"
        path.write_text("".join(f"chrF2|version:2.6.0 = {at}\n" for at in range(count)), encoding="utf-8")
        files += read_score_file(path).scores()
    with pytest.raises(InputError, match=r"B\.txt:1: scores of 3 segments, and of 2 in .*A\.txt"):
        joined(files)


def test_counts_are_no_scores_unless_somebody_says_so(tmp_path: Path) -> None:
    path = tmp_path / "sys-DA.tsv"
    path.write_text("system\tz\tn_ratings\twins\nA\t0.5\t9\t2\n", encoding="utf-8")
    file = read_score_file(path)
    assert (file.metrics, file.left_columns) == (("z",), ("n_ratings", "wins"))
    assert read_score_file(path, ScoreReading(also=["wins"])).metrics == ("z", "wins")
