"""Files of the scores of others, of people and of metrics, good and bad."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.score_file import Collected, ExternalScores, joined
from corpusdb.corpus.formats.score_kinds import ErrorWeights
from corpusdb.corpus.formats.scoring_input import HumanJudgements, ScoreReading, read_human_scores, read_score_file

# Files of the scores of others, good and bad.


DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


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
        ("COMET.seg.score", "A\t1\nA\tgood\n", ":2: 'good' is not a score"),
        ("COMET.seg.score", "A\tnan\n", ":1: 'nan' is not a score"),
        ("COMET.seg.score", "A\t-inf\n", ":1: '-inf' is not a score"),
        ("COMET.seg.score", "A\t1_0\n", ":1: '1_0' is not a score"),
        ("COMET.seg.score", "A\t１\n", "is not a score"),
        ("COMET.seg.score", "A 1\n", ":1: 1 fields where"),
        ("COMET.seg.score", "A\t1\n\nA\t1\n", ":2: a blank line in a table of scores"),
        ("COMET.seg.score", "A\t1\tB\n", ":1: 3 fields where"),
        ("COMET.seg.score", " \t1\n", ":1: the system has no name"),
        ("COMET.seg.score", "A\tNone\nB\tNone\n", "holds no scores of COMET"),
        ("COMET.seg.score", "", "empty"),
        ("COMET.sys.score", "A\t1\nB\t1\nA\t2\n", ":3: A has two scores of COMET"),
        ("table.tsv", "system\tCOMET\n", "no column holds scores"),
        ("table.tsv", "system\tCOMET\nA\tgood\n", "no column holds scores"),
        ("table.tsv", "system\tCOMET\nA\t1\nB\tgood\n", ":3: 'good' is not a score"),
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


# Files of human scores, good and bad.


HUMAN_DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "wmt21-ruen"


def human_written(folder: Path, text: str) -> Path:
    path = folder / "human.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_of_systems(tmp_path: Path) -> None:
    found = read_human_scores(human_written(tmp_path, "system\traw\tz\nA\t70\t0.5\nB\t60\t-0.25\n"))
    assert (found.systems, found.segments) == ({"A": 0.5, "B": -0.25}, {})


def test_scores_of_segments_give_those_of_their_systems(tmp_path: Path) -> None:
    path = human_written(tmp_path, "segment\tsystem\traw\n0\tA\t70\n3\tA\t60\n0\tB\t10\n")
    found = read_human_scores(path, "raw")
    assert found.segments == {"A": {0: 70, 3: 60}, "B": {0: 10}}
    assert found.systems == {"A": 65, "B": 10}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "name\tz\nA\t1\n",
            ":1: 'z' is not a score: .*; nor is it a header with a column system",
        ),
        ("system\traw\tfluency\nA\t1\t2\n", ":1: no column 'z' holds scores; there are raw, fluency"),
        ("system\tz\nA\n", ":2: 1 fields under 2 names"),
        ("system\tz\nA\tgood\n", ":2: 'good' is not a score"),
        ("system\tz\nA\tnan\n", ":2: 'nan' is not a score"),
        ("system\tsegment\tz\nA\t-1\t1\n", ":2: '-1' is not a segment number"),
        ("system\tz\nA\t1\nA\t1\n", ":3: A has two scores"),
        ("system\tsegment\tz\nA\t0\t1\nA\t0\t1\n", ":3: A has two scores"),
        ("system\tz\n", "no column holds scores"),
    ],
)
def test_what_is_refused_of_human_scores(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read_human_scores(human_written(tmp_path, text))


def test_a_segment_that_is_not_there(tmp_path: Path) -> None:
    path = human_written(tmp_path, "system\tsegment\tz\nA\t0\t1\nA\t7\t1\n")
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


@pytest.mark.slow
@pytest.mark.data
def test_means_of_segments_are_the_published_scores_of_systems() -> None:
    published = read_human_scores(HUMAN_DATA / "sys-DA.tsv").systems
    found = read_human_scores(HUMAN_DATA / "seg-DA.tsv").systems
    assert found == pytest.approx(published, abs=1e-5)


# What errors that people marked weigh.


@pytest.mark.parametrize(
    ("severity", "category", "weight"),
    [
        ("Major", "Accuracy/Mistranslation", 5),
        ("minor", "Style/Awkward", 1),
        ("Minor", "Fluency/Punctuation", 0.1),
        ("Major", "Fluency/Punctuation", 5),
        ("Neutral", "Fluency/Punctuation", 0),
        ("Major", "Non-translation!", 25),
        ("Minor", "Non-translation", 25),
        ("No-error", "No-error", 0),
        ("Critical", "Accuracy/Omission", None),
    ],
)
def test_those_of_wmt(severity: str, category: str, weight: float | None) -> None:
    """Freitag et al. (2021), section 3: major 5, minor 1, minor punctuation 0.1, non-translation 25, neutral 0."""
    assert ErrorWeights().weight(severity, category) == weight


@pytest.mark.parametrize(
    ("given", "severity", "category", "weight"),
    [
        ("major:10", "Major", "Accuracy/Omission", 10),
        ("major:10", "Major", "Non-translation!", 25),
        ("major:10,critical:25", "Critical", "Accuracy/Omission", 25),
        ("minor/fluency/punctuation:1", "Minor", "Fluency/Punctuation", 1),
        ("minor/punctuation:1", "Minor", "Fluency/Punctuation", 1),
        ("minor/fluency:0.5", "Minor", "Fluency/Grammar", 0.5),
        ("minor/fluency:0.5", "Minor", "Fluency/Punctuation", 0.1),
        ("minor/style:0.5", "Minor", "Style/Awkward", 0.5),
        ("minor/style:0.5", "Minor", "Accuracy/Addition", 1),
        ("style:0", "Major", "Style/Awkward", 0),
        ("", "Minor", "Style/Awkward", 1),
    ],
)
def test_others(given: str, severity: str, category: str, weight: float) -> None:
    assert ErrorWeights.parse(given).weight(severity, category) == weight


@pytest.mark.parametrize("given", ["major", "major:", ":5", "major:-1", "major:nan", "major:5;minor:1"])
def test_what_is_no_weight(given: str) -> None:
    with pytest.raises(UsageError, match="weights of errors are given as severity/category:number"):
        ErrorWeights.parse(given)


def test_ratings_of_one_pair_of_languages(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    rows = [("A", "eng", "jpn", 90), ("A", "eng", "zho", 50), ("B", "eng", "jpn", 80)]
    text = "".join(f"a1,{name},1,TGT,{one},{two},{score},news,False,[],1.5,2.5\n" for name, one, two, score in rows)
    path.write_text(text, encoding="utf-8")
    (found,) = read_score_file(path, ScoreReading(languages="eng-jpn")).scores()
    assert {system: float(row[0]) for system, row in found.scores.items()} == {"A": 90, "B": 80}
    with pytest.raises(InputError, match=r"esa\.csv: holds no ratings of eng-ces"):
        read_score_file(path, ScoreReading(languages="eng-ces"))


def test_the_score_is_the_mean_of_the_raters(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    rows = [("r1", "Major"), ("r1", "Minor"), ("r2", "Minor"), ("r3", "No-error")]
    text = "".join(f"A\t1\t{rater}\tStyle/Awkward\t{severity}\n" for rater, severity in rows)
    path.write_text(f"system\tglobalSegId\trater\tcategory\tseverity\n{text}", encoding="utf-8")
    (found,) = read_score_file(path).scores()
    assert found.scores["A"].tolist() == [pytest.approx(-(6 + 1 + 0) / 3)]
    (found,) = read_score_file(path, ScoreReading(ErrorWeights.parse("major:10"))).scores()
    assert found.scores["A"].tolist() == [pytest.approx(-(11 + 1 + 0) / 3)]


# How segments are numbered, and how files are put together.


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
    told = f"segments numbered from {first} in COMET.tsv{', shown from 1' * (first == 0)}"
    why = f"a guess: it has neither 0 nor {segments}" if 1 in numbers else "as is usual: it has neither 0 nor 1"
    more = f", {why}; --first-segment {1 - first} says otherwise"
    assert file.how_read(segments) == (told + (more if unsure else ""),)


def test_marked_errors_count_from_1_as_is_usual(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    path.write_text(f"{MQM}A\t3\tr1\tNo-error\tNo-error\n", encoding="utf-8")
    file = read_score_file(path)
    assert (file.first(9), file.first(3)) == (1, 1)
    assert "from 1 in mqm.tsv, as is usual" in str(file.numbering(9))


def test_lines_of_json_count_from_0_as_is_usual_unless_they_say_1(tmp_path: Path) -> None:
    for numbers, first in (((3, 4), 0), ((0, 4), 0), ((1, 2, 3), 1)):
        rows = [{"system": "A", "name": "COMET", "segment": each, "score": each} for each in numbers]
        file = read_score_file(written(tmp_path, "\n".join(map(json.dumps, rows)), "rows.jsonl"))
        assert file.first() == first
        assert f"from {first} in rows.jsonl" in str(file.numbering())
        assert ("as is usual" in str(file.numbering())) == (numbers == (3, 4))


@pytest.mark.parametrize(
    ("numbers", "segments", "said", "told"),
    [
        ([0, 4], 4, None, "COMET.tsv:3: A has a score of segment 4, and there are 4, counted from 0"),
        ([1, 5], 4, None, "COMET.tsv:3: A has a score of segment 5, and there are 4, counted from 1"),
        ([0, 1], 4, 1, "COMET.tsv: it has a segment 0, and is said to count from 1"),
        ([0, 1_000_001], None, None, "COMET.tsv:3: 1000001 is not a segment number"),
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
    with pytest.raises(InputError, match=r"A\.txt:7: scores of BLEU by system are in A\.txt, too"):
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
