"""`corpusdb score`: published scores, every format, signatures; and scores of parts of a test set."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import Prepare, Run
from typer.testing import Result

from corpusdb.corpus.store import open_for_reading
from corpusdb.homogeneity.queries.profile_levels import entries_of
from corpusdb.homogeneity.queries.profiles import profiles_of
from corpusdb.scoring.metric_settings import Signature

# `corpusdb score`: scores that others published or compute, every format, significance, and all that is refused.

NEWS = Path(__file__).resolve().parents[3] / "shared" / "data" / "wmt21-ruen"
SYSTEMS = ("AFRL", "Facebook-AI", "Online-Y")

# The example of NLTK's corpus_bleu and corpus_nist, tokenised as it stands there.
REFERENCES = (
    ("It is a guide to action that ensures that the military will forever heed Party commands", "he was interested"),
    ("It is the guiding principle which guarantees the military forces always being under the command of the Party",
     "he was interested in world history because he read the book"),
)  # fmt: skip
HYPOTHESES = {
    "good": ("It is a guide to action which ensures that the military always obeys the commands of the Party",
             "he read the book because he was interested in world history"),
    "bad": ("It is to insure the troops forever hearing the activity guidebook that party direct", ""),
}  # fmt: skip
REF = ("--ref", "ref1.txt", "ref2.txt")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for number, lines in enumerate(REFERENCES, 1):
        (tmp_path / f"ref{number}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, lines in HYPOTHESES.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def news() -> list[Path]:
    return [NEWS / "systems" / f"{system}.en" for system in SYSTEMS]


@pytest.fixture(params=[150, pytest.param(1_000, marks=pytest.mark.slow)])
def part(news: list[Path], request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """The first segments of the systems, and then of the two references."""
    paths = []
    for path in (*news, NEWS / "ref.A.en", NEWS / "ref.B.en"):
        lines = path.read_text(encoding="utf-8").split("\n")[: request.param]
        paths.append(tmp_path / path.name)
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def scores(result: Result) -> dict[tuple[str, str], dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return {(each["system"], each["metric"]): each for each in json.loads(result.stdout)}


@pytest.mark.data
@pytest.mark.parametrize(
    ("options", "theirs"),
    [
        ((), {}),
        (("--lowercase", "--order", "2"), {"lowercase": True, "max_ngram_order": 2}),
        (("--tokenise", "intl", "--smoothing", "exp"), {"tokenize": "intl", "smooth_method": "exp"}),
        (("--tokenise", "none"), {"tokenize": "none"}),
        (("--unit", "char", "--order", "6"), {"tokenize": "char", "max_ngram_order": 6}),
    ],
)
def test_bleu_is_that_of_sacrebleu(
    options: tuple[str, ...], theirs: dict[str, Any], part: list[Path], run: Run
) -> None:
    metrics: Any = pytest.importorskip("sacrebleu.metrics")
    metric = metrics.BLEU(**{"smooth_method": "none", "force": True} | theirs)
    systems, references = part[:-2], part[-2:]
    found = scores(run("score", *systems, "--ref", *references, *options, "--json"))
    ranks = [path.read_text(encoding="utf-8").removesuffix("\n").split("\n") for path in references]
    for path in systems:
        hypotheses = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        expected = metric.corpus_score(hypotheses, ranks).score
        assert found[path.stem, "bleu"]["score"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.usefixtures("files")
def test_a_folder_stands_for_the_outputs_in_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in ("good.txt", "bad.txt"):
        shutil.copy(tmp_path / name, tmp_path / "out")
    (tmp_path / "out" / ".hidden").write_text("no output", encoding="utf-8")
    found, expected = (scores(run("score", *of, *REF, "--json")) for of in (["out"], ["bad.txt", "good.txt"]))
    assert [(key, each["score"]) for key, each in found.items()] == [(k, each["score"]) for k, each in expected.items()]
    (tmp_path / "none").mkdir()
    result = run("score", "none", *REF)
    assert (result.exit_code, "is a folder without files" in result.stderr) == (3, True)


@pytest.mark.parametrize("metrics", ["bleu,nist", "bleu nist", " bleu , nist"])
def test_json_is_a_list_in_the_order_given(metrics: str, files: Path, run: Run) -> None:
    result = run("score", "bad.txt", "good.txt", *REF, "--json", "--metric", metrics)
    found = json.loads(result.stdout)
    assert [(each["system"], each["metric"]) for each in found] == [
        ("bad", "bleu"), ("bad", "nist"), ("good", "bleu"), ("good", "nist")
    ]  # fmt: skip
    assert {"system", "metric", "score", "signature"} <= set(found[0])
    assert Signature.parse(found[0]["signature"]).order == 4
    assert found[0]["score"] == 0
    assert result.stderr.splitlines() == [
        "corpusdb: 2 references for each of 2 segments; 2 systems",
        "corpusdb: bad.txt: 1 of 2 hypotheses are empty, and score as such",
        "corpusdb: BLEUw4 of bad is 0: no 3-gram is matched",
    ]


def test_a_number_that_rests_on_smoothing_is_not_said_to_be_0(files: Path, run: Run) -> None:
    result = run("score", "bad.txt", *REF, "--smoothing", "exp", "--json")
    assert json.loads(result.stdout)[0]["score"] > 0
    assert "BLEUw4 of bad rests on smoothing: no 3-gram is matched" in result.stderr


@pytest.mark.parametrize(
    "references",
    [
        ("--ref", "ref1.txt", "ref2.txt"),
        ("--ref", "ref1.txt", "--ref", "ref2.txt"),
        ("--ref=ref1.txt", "--ref", "ref2.txt"),
    ],
)
def test_the_ways_to_give_references(references: tuple[str, ...], files: Path, run: Run) -> None:
    expected = run("score", "good.txt", *REF, "--json").stdout
    assert run("score", "good.txt", *references, "--json").stdout == expected
    assert run("score", "--json", "good.txt", *references).stdout == expected


def test_references_before_the_hypotheses(files: Path, run: Run) -> None:
    """Where no hypothesis stands before it, --ref takes one file."""
    result = run("score", "--ref", "ref1.txt", "good.txt", "bad.txt", "--json")
    assert [each["system"] for each in json.loads(result.stdout)] == ["good", "bad"]


def test_a_file_that_is_scored_against_itself(files: Path, run: Run) -> None:
    result = run("score", "ref1.txt", "--ref", "ref1.txt", "--json", "--metric", "bleu,mwer", "--order", "3")
    assert [each["score"] for each in json.loads(result.stdout)] == [pytest.approx(100), 0]
    assert "every hypothesis is one of its references" in result.stderr


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "json"])
def test_every_row_has_its_signature(format: str, files: Path, run: Run) -> None:
    out = run("score", "good.txt", "bad.txt", *REF, "--metric", "bleu,mwer", "--format", format).stdout
    rows: list[Any]
    if format in ("tsv", "csv"):
        rows = list(csv.DictReader(StringIO(out), delimiter="\t" if format == "tsv" else ","))
    else:
        rows = json.loads(out) if format == "json" else [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 4
    assert all(Signature.parse(row["signature"]).references.most == 2 for row in rows)


@pytest.mark.parametrize(
    ("format", "first", "signature"),
    [
        ("table", "system  BLEUw2             mWER", "BLEUw2: metric:bleu|order:2|smooth:none; mWER"),
        ("markdown", "| system | BLEUw2 | mWER |", "    BLEUw2: metric:bleu|order:2|smooth:none; mWER"),
        ("latex", r"\begin{tabular}{lrr}", "% BLEUw2: metric:bleu|order:2|smooth:none; mWER"),
    ],
)
def test_tables_for_papers(format: str, first: str, signature: str, files: Path, run: Run) -> None:
    options = ("--metric", "bleu,mwer", "--order", "2", "--significance", "randomisation", "--samples", "100")
    lines = run("score", "good.txt", "bad.txt", *REF, *options, "--format", format).stdout.splitlines()
    assert lines[0] == first
    (own,) = [line for line in lines if line.startswith(signature)]
    (common,) = [line.split("all: ")[1].strip() for line in lines if "all: " in line]
    whole = [each.split(": ")[1].strip() for each in own.split("; ")]
    written = json.loads(run("score", "good.txt", *REF, *options[:4], "--json").stdout)
    signatures = [Signature.parse(each["signature"]) for each in written]
    assert [Signature.parse(f"{each}|{common}") for each in whole] == signatures, "together they are the whole"
    said = "\n".join(lines).replace("-{}-", "--")  # TeX makes one dash of two
    assert "approximate randomisation (--paired-ar of sacrebleu: 100 trials, seed 12345); the null" in said


@pytest.mark.data
@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_significance_is_that_of_sacrebleu(test: str, part: list[Path], run: Run) -> None:
    """The p-values of sacrebleu's PairedTest for the same trials and seed, and the marks that belong to them."""
    significance: Any = pytest.importorskip("sacrebleu.significance")
    *systems, reference, _ = part
    options = ("--significance", test, "--samples", "200", "--seed", "12345", "--baseline", str(systems[0]))
    result = run("score", *systems, "--ref", reference, *options, "--json")
    ours = [each.get("test", {}).get("p_value") for each in json.loads(result.stdout)]

    lines = {path: path.read_text(encoding="utf-8").removesuffix("\n").split("\n") for path in (*systems, reference)}
    metrics: Any = pytest.importorskip("sacrebleu.metrics")
    metric = metrics.BLEU(references=[lines[reference]], smooth_method="none")
    kind = "bs" if test == "bootstrap" else "ar"
    named = [(path.stem, lines[path]) for path in systems]
    _, tested = significance.PairedTest(named, {"BLEU": metric}, None, kind, 200)()
    assert ours[0] is None
    assert ours[1:] == [pytest.approx(each.p_value, abs=1e-12) for each in tested["BLEU"][1:]]
    assert "the null hypothesis is that the two systems are equally good" in result.stderr
    assert "seed 12345" in result.stderr
    table = run("score", *systems, "--ref", reference, *options, "--format", "markdown").stdout
    assert r"\*\*" in table


def test_uncertainty_of_segments_and_references(files: Path, run: Run) -> None:
    options = ("--unit", "char", "--order", "2", "--confidence", "--resample-references", "20", "--samples", "50")
    (found,) = json.loads(run("score", "good.txt", *REF, *options, "--json").stdout)
    assert found["interval"]["low"] <= found["score"] <= found["interval"]["high"]
    assert found["variance"]["draws"] == 20
    assert found["variance"]["references"] > 0
    row = run("score", "good.txt", *REF, *options).stdout.splitlines()
    assert row[0].split("\t") == [
        "system",
        "metric",
        "score",
        "low",
        "high",
        "sd_segments",
        "sd_references",
        "samples",
        "seed",
        "precisions",
        "brevity_penalty",
        "length",
        "reference_length",
        "signature",
    ]
    words = ("good.txt", "bad.txt", *REF, *options, "-w", "2", "--significance", "bootstrap", "--order", "1")
    told = list(csv.DictReader(StringIO(run("score", *words).stdout), delimiter="\t"))
    assert [(each["test"], each["samples"], each["seed"]) for each in told] == [
        ("", "50", "12345"),
        ("bootstrap", "50", "12345"),
    ]
    for name in ("score", "low", "high", "difference", "sd_segments", "sd_references"):
        assert len(told[1][name].partition(".")[2]) <= 2, name


def test_why_the_worst_segments_have_nothing_is_told(files: Path, run: Run) -> None:
    (files / "none.txt").write_text("guide a is It\nbook read he the\n", encoding="utf-8")
    options = ("none.txt", *REF, "--segments", "--worst-first")
    assert "BLEUw4: 2 of 2 segments have 0" in (told := run("score", *options, "--order", "4").stderr)
    assert "--smoothing exp tells them apart" in told
    assert "segments have 0" not in run("score", *options, "--smoothing", "exp").stderr
    assert "`compare`" not in run("score", *options, "--smoothing", "exp").stderr
    assert "`compare` goes by BLEU smoothed by exp+effective" in run("score", *options[:-1]).stderr
    assert "not smoothed; `compare`" in run("score", "none.txt", *REF, "--segments", "--order", "1").stderr


def test_segments_of_the_same_score_stand_by_their_smoothed_score(files: Path, run: Run) -> None:
    """Most have 0; those of the file stood in its order, which says nothing of how bad they are."""
    (files / "zero.txt").write_text(
        "It is a war of all the Party commands that will go on\nnobody saw the red sun\n", encoding="utf-8"
    )
    options = ("zero.txt", *REF, "--segments", "--worst-first", "--order", "4")
    rows = [line.split("\t") for line in run("score", *options).stdout.splitlines()[1:]]
    smoothed = [line.split("\t") for line in run("score", *options, "--smoothing", "exp").stdout.splitlines()[1:]]
    assert {float(row[3]) for row in rows} == {0} != {float(row[3]) for row in smoothed}
    assert [row[0] for row in rows] == [row[0] for row in smoothed] == ["2", "1"]
    assert "equal ones go by BLEU smoothed by exp+effective, as `compare` has it" in run("score", *options).stderr


def test_segments(files: Path, run: Run) -> None:
    options = ("--segments", "--metric", "bleu", "--order", "1")
    out = run("score", "good.txt", "bad.txt", *REF, *options).stdout.splitlines()
    assert [line.split("\t")[:3] for line in out] == [
        ["segment", "system", "metric"],
        ["1", "good", "BLEUw1"], ["2", "good", "BLEUw1"], ["1", "bad", "BLEUw1"], ["2", "bad", "BLEUw1"],
    ]  # fmt: skip
    assert float(out[4].split("\t")[3]) == 0
    found = json.loads(run("score", "bad.txt", *REF, *options, "--json").stdout)
    assert len(found[0]["segments"]) == 2


def test_japanese_in_words_is_remarked_on(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ja.txt").write_text("これはペンです。\n", encoding="utf-8")
    assert "--unit char" in run("score", "ja.txt", "--ref", "ja.txt", "--order", "1").stderr
    result = run("score", "ja.txt", "--ref", "ja.txt", "--unit", "char", "--order", "8", "--json")
    assert json.loads(result.stdout)[0]["score"] == pytest.approx(100)
    assert "script" not in result.stderr


def test_two_systems_of_one_name_are_told_apart(files: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "good.txt").write_bytes((tmp_path / "good.txt").read_bytes())
    found = json.loads(run("score", "good.txt", "new/good.txt", *REF, "--json").stdout)
    assert [each["system"] for each in found] == ["good.txt", "new/good.txt"]


def test_sources_make_the_digest_that_references_prints(run: Run, generated: Path, tmp_path: Path) -> None:
    made = run("references", "Une bière, s'il vous plaît.", "-o", "out", "--lang", "eng", "--format", "jsonl", "--json")
    (tmp_path / "h.txt").write_text("A beer!\n", encoding="utf-8")
    (found,) = json.loads(run("score", "h.txt", "--ref", "out/references.jsonl", "--json").stdout)
    digest = json.loads(made.stdout)["digest"][:16]
    assert Signature.parse(found["signature"]).digest == digest

    (tmp_path / "s.txt").write_text("Une bière, s'il vous plaît.\n", encoding="utf-8")
    options = ("--ref-from", "corpus", "--source", "s.txt", "--lang", "en")
    (again,) = json.loads(run("score", "h.txt", *options, "--json").stdout)
    assert again["signature"].replace("|from:corpus", "") == found["signature"], "of the same set"
    assert Signature.parse(again["signature"]).origins == "corpus", "and it says that nobody gave a reference"


def test_a_source_that_the_corpus_cannot_translate(run: Run, generated: Path, tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("What?\nA beer!\n", encoding="utf-8")
    (tmp_path / "s.txt").write_text("Quoi ?\nUne bière, s'il vous plaît.\n", encoding="utf-8")
    options = ("h.txt", "--ref-from", "corpus", "--source", "s.txt", "--lang", "eng", "--json")
    result = run("score", *options)
    assert (result.exit_code, "s.txt:1: the corpus has no reference" in result.stderr) == (3, True)
    result = run("score", *options, "--skip-missing")
    assert result.exit_code == 0
    assert "1 of 2 sources has a reference, 2.0 on average; none for 1" in result.stderr
    (found,) = json.loads(result.stdout)
    assert found["score"] == json.loads(run("score", *options, "--skip-missing", "-n", "0").stdout)[0]["score"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("good.txt",), 2, "where are the references?"),
        (("good.txt", *REF, "--ref-from", "corpus"), 2, "in which language are the references?"),
        (("good.txt", "--ref-from", "corpus", "--lang", "eng"), 2, "needs --source FILE and --lang"),
        (("good.txt", *REF, "--metric", "meteor"), 2, "unknown metric 'meteor'"),
        (("good.txt", *REF, "--metric", ","), 2, "no metric is given"),
        (("good.txt", *REF, "--unit", "char", "--tokenise", "13a"), 2, "makes words"),
        (("good.txt", *REF, "--smoothing", "floor=x"), 2, "a number, not 'x'"),
        (("good.txt", *REF, "--smoothing", "none=1"), 2, "takes no value"),
        (("good.txt", *REF, "--significance", "bootstrap", "--baseline", "x"), 2, "not one of the outputs"),
        (("good.txt", *REF, "--baseline", "good.txt"), 2, "--baseline needs --significance"),
        (("good.txt", *REF, "--metric", "chrf,ter", "--order", "3"), 2, "--order is of bleu, nist, not of chrf"),
        (("good.txt", *REF, "--resample-references", "1"), 2, "at least two draws"),
        (("god.txt", *REF), 3, "god.txt: no such file; did you mean 'good.txt'"),
        (("blank.txt", *REF), 3, "ref1.txt:2: has no counterpart: blank.txt ends after 1 segments, this file has 2"),
        (("good.txt", "--ref", "blank.txt"), 3, "blank.txt:1: a reference is blank"),
        (("good.txt", "--ref", "wide.txt"), 3, "wide.txt:1: looks like UTF-16"),
        (("wide.txt", "--ref", "ref1.txt"), 3, "wide.txt:1: looks like UTF-16"),
        (("mark.txt", "--ref", "ref1.txt"), 3, "mark.txt:2: markup where plain text is expected"),
        (("good.txt", "--ref", "ref1.txt", "--source", "ref1.txt"), 3, "ref1.txt:1: the source is given as a ref"),
    ],
)  # fmt: skip
def test_what_is_refused(arguments: tuple[str, ...], code: int, message: str, files: Path, run: Run) -> None:
    (files / "blank.txt").write_text(" \n", encoding="utf-8")
    (files / "wide.txt").write_text("a\nb\n", encoding="utf-16")
    (files / "mark.txt").write_text('a\n<seg id="2">b</seg>\n', encoding="utf-8")
    result = run("score", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()[-1:]) == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            ("-m", "bleu,ter", "--resample-references", "5"),
            "the references of ter cannot be resampled; those of bleu, nist, mwer, ",
        ),
        (("--resample-references", "1"), "at least two draws"),
        (("--resample-references", "5", "--samples", "1"), "two samples"),
        (("--sort", "nist"), "--sort takes a metric that is computed, bleu, and not 'nist'"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_computed_or_stored(
    run: Run, corpus: Path, files: Path, options: tuple[str, ...], reason: str
) -> None:
    refused = run("score", "good.txt", *REF, "--store", *options)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert reason in refused.stderr and "2 segments" not in refused.stderr
    listed = run("scores", "list", "--json")
    assert json.loads(listed.stdout) == []


def test_scores_that_could_not_be_stored_are_not_computed(run: Run, files: Path) -> None:
    refused = run("score", "good.txt", *REF, "--store", "--db", "no/none.db")
    assert refused.exit_code != 0 and refused.stdout == ""
    assert "folder for the database" in refused.stderr and "2 segments" not in refused.stderr


# `corpusdb score --by`, and the line that says that a test set stands far from the corpus that made its references.


TALK = [f"{who} {what}, okay?" for who in ("yeah you", "so we", "hey they") for what in ("know", "go", "eat", "sleep")]
SCORE_PARTS_NEWS = [
    f"The {who} {what} on Tuesday." for who in ("minister", "committee") for what in ("announced it", "met", "fell")
]
TEST = [
    *(f"{line} right" for line in TALK),
    *(f"{line} Officials said so." for line in SCORE_PARTS_NEWS),
    "Okay.",
    "minister",
]


def written(name: str, lines: list[str]) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return name


@pytest.fixture
def score_parts_corpus(run: Run, prepare: Prepare) -> Path:
    """A corpus that holds the references, and the outputs of two systems."""

    def fill() -> None:
        rows = [f"{text}\tphrase {number}" for number, text in enumerate(TEST)]
        assert run("import", written("both.tsv", rows), "--lang", "eng,fra", "--header", "no").exit_code == 0
        written("talk.txt", TALK)
        written("news.txt", SCORE_PARTS_NEWS)
        written("r.txt", TEST)
        written("h.txt", [line.replace("so", "thus").replace("The", "A") for line in TEST])
        written("g.txt", [line.upper() for line in TEST])

    return prepare("score-parts", fill)


@pytest.fixture
def profiled(run: Run, score_parts_corpus: Path, prepare: Prepare) -> Path:
    """The same with a profile of it."""

    def fill() -> None:
        shutil.copytree(score_parts_corpus, ".", dirs_exist_ok=True)
        assert run("profile", "--lang", "eng", "--spoken", "talk.txt", "--written", "news.txt").exit_code == 0

    return prepare("score-parts-profiled", fill)


SCORE = ("score", "h.txt", "g.txt", "--ref", "r.txt", "--metric", "bleu,mwer", "--order", "2")
BY = (*SCORE, "--by", "coefficient", "--lang", "eng", "--samples", "50")


def documents(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return list(json.loads(result.stdout))


def test_parts_are_those_of_the_coefficients_that_the_profile_has(run: Run, profiled: Path) -> None:
    """The references stand in the corpus, so that it is known what they must have."""
    with open_for_reading(profiled / "corpus.db") as store:
        (profile,) = profiles_of(store.connection, "eng")
        known = {each.name: each.coefficient for each in entries_of(store, profile, "line")}
    values = np.array([np.nan if known[text] is None else known[text] for text in TEST], dtype=np.float64)
    undefined = int(np.isnan(values).sum())
    result = run(*BY, "--json")
    parts = documents(result)[0]["parts"]
    assert sum(each["segments"] for each in parts[1:]) == parts[0]["segments"] == len(TEST)
    ranges = [each for each in parts[1:] if each["part"] != "I undefined"]
    assert sum(each["segments"] for each in parts[1:]) - sum(each["segments"] for each in ranges) == undefined
    for each in ranges:
        low, high = (float(number) for number in each["part"].removeprefix("I ").partition(" (")[0].split("-"))
        inside = (np.round(values, 2) >= low) & (np.round(values, 2) <= high)
        assert inside.sum() >= each["segments"]
    assert f"undefined for {undefined} of {len(TEST)} segments" in result.stderr
    assert "0 is talk.txt, 1 is news.txt (order 5, wb, case)" in result.stderr


def test_the_score_of_a_part_is_that_of_its_segments_alone(run: Run, profiled: Path) -> None:
    """By length, where a user can cut the files alike: the shortest quarter first."""
    lengths = np.array([len(line.replace(",", " ,").replace("?", " ?").replace(".", " .").split()) for line in TEST])
    for document in documents(run(*SCORE, "--by", "length", "--json")):
        whole, *parts = document["parts"]
        assert whole["score"] == document["score"]
        at = 0
        for part in parts:
            low, high = (int(number) for number in part["part"].split()[1].split("-"))
            chosen = [place for place in range(len(TEST)) if low <= lengths[place] <= high]
            assert len(chosen) == part["segments"]
            output = Path(f"{document['system']}.txt").read_text(encoding="utf-8").splitlines()
            files = (
                written("part.h", [output[each] for each in chosen]),
                written("part.r", [TEST[each] for each in chosen]),
            )
            (alone,) = documents(
                run("score", files[0], "--ref", files[1], "--metric", document["metric"], *_order(document), "--json")
            )
            assert part["score"] == pytest.approx(alone["score"], abs=1e-9)
            assert part["interval"]["low"] <= part["interval"]["high"]
            at += len(chosen)
        assert at == len(TEST)


def test_documents_are_parts_with_the_scores_of_their_segments(run: Run, files: Path) -> None:
    (files / "docs.tsv").write_text("doc\tfirst_segment\tn_segments\tdomain\na\t0\t1\tnews\nb\t1\t1\tchat\n", "utf-8")
    call = ("score", "good.txt", *REF, "--order", "1", "--samples", "5", "--documents", "docs.tsv")
    (found,) = documents(run(*call, "--by", "document", "--json"))
    alone = documents(run("score", "good.txt", *REF, "--order", "1", "--segments", "--json"))[0]["segments"]
    assert [(each["part"], each["score"]) for each in found["parts"]] == [
        *(("all", found["score"]), ("document a", alone[0]), ("document b", alone[1]))
    ]
    assert "domain news\t1\tgood" in run(*call, "--by", "domain").stdout
    test = ("--significance", "randomisation", "--order", "1")
    for system in ("good", "bad"):
        (files / f"{system}1.txt").write_text(
            (files / f"{system}.txt").read_text("utf-8").split("\n")[0] + "\n", "utf-8"
        )
    (files / "first.txt").write_text((files / REF[1]).read_text("utf-8").split("\n")[0] + "\n", "utf-8")
    one = documents(run("score", "good1.txt", "bad1.txt", "--ref", "first.txt", *test, "--json"))[1]["test"]
    both = ("good.txt", "bad.txt", "--ref", REF[1], *test, "--documents", "docs.tsv", "--by", "domain")
    news = documents(run("score", *both, "--json"))[1]["parts"][1]["comparison"]
    assert (news["difference"], news["p_value"]) == (one["difference"], one["p_value"])
    assert "system  all (2)  news (1)  chat (1)" in run("score", *both, "--format", "table").stdout
    for words, told in ((call, "needs --by document"), ((*call[:4], "--by", "document"), "needs --documents FILE")):
        refused = run(*words)
        assert (refused.exit_code, told in refused.stderr) == (2, True), refused.stderr


def _order(document: dict[str, Any]) -> tuple[str, ...]:
    return ("--order", "2") if document["metric"] == "bleu" else ()


def test_tables_have_a_row_for_each_part_and_system(run: Run, profiled: Path) -> None:
    rows = list(csv.DictReader(StringIO(run(*BY).stdout), delimiter="\t", quoting=csv.QUOTE_NONE))
    told = documents(run(*BY, "--json"))
    assert [float(row["score"]) for row in rows] == [
        part["score"]
        for metric in ("bleu", "mwer")
        for document in told
        if document["metric"] == metric
        for part in document["parts"]
    ]
    wide = run(*BY, "--confidence", "--format", "markdown").stdout
    assert wide.count("| all (") == 1 and "\\[" in wide and "metric:bleu" in wide


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            (*SCORE, "--by", "coefficient", "--lang", "fra"),
            3,
            "there is no profile of fra; `corpusdb profile --lang fra",
        ),
        ((*SCORE, "--by", "coefficient"), 2, "in which language are the references?"),
        ((*BY, "--segments"), 2, "--by cannot be combined with --segments"),
    ],
)
def test_what_cannot_be_told_of_parts(
    run: Run, profiled: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    result = run(*words, "--quiet")
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


def test_a_corrupt_profile_is_one_line(run: Run, profiled: Path) -> None:
    with closing(sqlite3.connect(profiled / "corpus.db")) as connection, connection:
        connection.execute("update char_model set counts = substr(counts, 1, length(counts) - 4)")
    result = run(*BY, "--quiet")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "the model is corrupt" in result.stderr and len(result.stderr.splitlines()) == 1


WORDS = ("cat", "dog", "bird", "tree", "house", "sees", "eats", "likes", "the", "a", "red", "old")


@pytest.fixture
def large(run: Run, tmp_path: Path) -> list[str]:
    """A corpus of 40 documents' worth, and at its end sentences of another kind, which a test set is made of."""
    rng = np.random.default_rng(1)
    common = [" ".join(rng.choice(WORDS, 12)) for _ in range(1100)]
    strange = [" ".join(rng.choice(WORDS, 12))[::-1] for _ in range(22)]
    rows = [f"{text}\tphrase {number}" for number, text in enumerate([*common, *strange])]
    assert run("import", written("large.tsv", rows), "--lang", "eng,fra", "--header", "no").exit_code == 0
    assert run("generate", "--lang", "eng", "--seed", common[0]).exit_code == 0
    written("far.txt", [f"phrase {len(common) + number}" for number in range(len(strange))])
    written("near.txt", [f"phrase {number}" for number in range(500, 522)])
    return strange


@pytest.mark.slow
def test_a_test_set_that_is_far_is_told(run: Run, large: list[str]) -> None:
    for name, is_far in (("near", False), ("far", True)):
        result = run("references", f"@{name}.txt", "-o", name, "--lang", "eng", "--json")
        assert result.exit_code == 0, result.stderr
        told = json.loads(result.stdout)["corpus"]
        assert (told["language"], told["far"], told["bits"] > told["high"]) == ("eng", is_far, is_far)
        assert ("the test set is far from the corpus that made its references" in result.stderr) == is_far
        output = written(f"{name}.h", ["cat dog"] * 22)
        score = run("score", output, "--ref-from", "corpus", "--source", f"{name}.txt", "--lang", "eng", "--json")
        assert [document["corpus"] for document in documents(score)] == [told]
        assert ("the test set is far" in score.stderr) == is_far


@pytest.mark.slow
def test_nothing_is_said_of_references_that_no_corpus_made(run: Run, large: list[str]) -> None:
    written("r.txt", large)
    result = run("score", "r.txt", "--ref", "r.txt", "--json")
    assert "corpus" not in documents(result)[0] and "far" not in result.stderr
