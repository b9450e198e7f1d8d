"""Files of human scores, good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.score_reading import HumanJudgements, read_human_scores

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "wmt21-ruen"


def written(folder: Path, text: str) -> Path:
    path = folder / "human.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_of_systems(tmp_path: Path) -> None:
    found = read_human_scores(written(tmp_path, "system\traw\tz\nA\t70\t0.5\nB\t60\t-0.25\n"))
    assert (found.systems, found.segments) == ({"A": 0.5, "B": -0.25}, {})


def test_scores_of_segments_give_those_of_their_systems(tmp_path: Path) -> None:
    path = written(tmp_path, "segment\tsystem\traw\n0\tA\t70\n3\tA\t60\n0\tB\t10\n")
    found = read_human_scores(path, "raw")
    assert found.segments == {"A": {0: 70, 3: 60}, "B": {0: 10}}
    assert found.systems == {"A": 65, "B": 10}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "name\tz\nA\t1\n",
            ":1: 'z' is no score: .*; nor is it a header with a column system",
        ),
        ("system\traw\tfluency\nA\t1\t2\n", ":1: no column 'z' holds scores; there are raw, fluency"),
        ("system\tz\nA\n", ":2: 1 fields under 2 names"),
        ("system\tz\nA\tgood\n", ":2: 'good' is no score"),
        ("system\tz\nA\tnan\n", ":2: 'nan' is no score"),
        ("system\tsegment\tz\nA\t-1\t1\n", ":2: '-1' is no number of a segment"),
        ("system\tz\nA\t1\nA\t1\n", ":3: A has two scores"),
        ("system\tsegment\tz\nA\t0\t1\nA\t0\t1\n", ":3: A has two scores"),
        ("system\tz\n", "no column holds scores"),
    ],
)
def test_what_is_refused(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read_human_scores(written(tmp_path, text))


def test_a_segment_that_is_not_there(tmp_path: Path) -> None:
    path = written(tmp_path, "system\tsegment\tz\nA\t0\t1\nA\t7\t1\n")
    assert read_human_scores(path, segments=8).segments == {"A": {0: 1, 7: 1}}
    with pytest.raises(InputError, match=":3: A has a score of segment 7, and there are 7, counted from 0"):
        read_human_scores(path, segments=7)


def test_scores_as_mt_metrics_eval_has_them(tmp_path: Path) -> None:
    path = tmp_path / "mqm.seg.score"
    path.write_text("A\t-1\nA\tNone\nB\tNone\nB\tNone\nC\t-2\nC\t0\n", encoding="utf-8")
    found = read_human_scores(path, segments=2)
    assert found.segments == {"A": {0: -1}, "C": {0: -2, 1: 0}}
    assert found.systems == {"A": -1, "C": -1}
    with pytest.raises(InputError, match=":1: 2 segments of each system are scored, and there are 3"):
        read_human_scores(path, segments=3)
    of_systems = tmp_path / "mqm.sys.score"
    of_systems.write_text("A\t-1.5\nB\tNone\n", encoding="utf-8")
    assert read_human_scores(of_systems, segments=2) == HumanJudgements({"A": -1.5}, {})


@pytest.mark.data
def test_means_of_segments_are_the_published_scores_of_systems() -> None:
    published = read_human_scores(DATA / "sys-DA.tsv").systems
    found = read_human_scores(DATA / "seg-DA.tsv").systems
    assert found == pytest.approx(published, abs=1e-5)
