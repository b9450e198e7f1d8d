"""`corpusdb scores`, `verify` and `trace`: stored scores shown, computed again, and taken apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calls import Run

import corpusdb
from corpusdb.base.errors import UsageError

FILES = {
    "src.txt": "le chat\nle chien\nla pluie\n",
    "a.txt": "the cat sat on a mat\na dog barks now\nit rains\n",
    "b.txt": "cat\ndog barks\nrain rain\n",
    "r1.txt": "the cat sat on the mat\na dog barks now\nit rains today\n",
    "r2.txt": "a cat sat on a mat\nthe dog is barking\ntoday it rains\n",
}


@pytest.fixture
def scored(run: Run, generated: Path, tmp_path: Path) -> Path:
    """Two systems, with one reference of each segment by two metrics, and with two by BLEU."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    common = ("--source", "src.txt", "--order", "2", "--store")
    assert run("score", "a.txt", "b.txt", "--ref", "r1.txt", *common, "--metric", "bleu,mwer").exit_code == 0
    assert run("score", "a.txt", "b.txt", "--ref", "r1.txt", "r2.txt", *common).exit_code == 0
    return generated


def test_nothing_is_stored(run: Run, generated: Path) -> None:
    result = run("scores", "list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no score is stored; `corpusdb score ... --store` keeps them" in result.stderr
    assert run("scores", "list", "--json").stdout == "[]\n"
    for words in (("segments", "a"), ("curve",)):
        result = run("scores", *words)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "no score is stored" in result.stderr


def test_the_table_has_a_column_for_each_metric_and_reference_set(run: Run, scored: Path) -> None:
    result = run("scores", "list", "--format", "tsv")
    header, *rows = (line.split("\t") for line in result.stdout.splitlines())
    assert header == ["system", "BLEUw2 r1.txt", "BLEUw2 r1.txt+1", "mWER r1.txt"]
    assert [row[0] for row in rows] == ["a", "b"]
    again = run("score", "a.txt", "b.txt", "--ref", "r1.txt", "--source", "src.txt", "--order", "2", "--json")
    assert [row[1] for row in rows] == [f"{each['score']:.2f}" for each in json.loads(again.stdout)]
    by_errors = run("scores", "list", "--format", "tsv", "--sort", "mwer").stdout.splitlines()
    assert [line.split("\t")[0] for line in by_errors[1:]] == ["a", "b"]


def test_words_that_no_spaces_tell_apart_are_no_first_column(run: Run, scored: Path) -> None:
    for name, text in (
        ("one", "水が飲みたい。\n茶だ。\n"),
        ("two", "水が飲みたいな。\n茶。\n"),
        ("ref", "水が飲みたい。\n茶だよ。\n"),
    ):
        Path(f"{name}.ja").write_text(text, encoding="utf-8")
    Path("z.tsv").write_text("system\tz\none\t0.5\ntwo\t0\n", encoding="utf-8")
    assert run("score", "one.ja", "two.ja", "--ref", "ref.ja", "--metric", "bleu,chrf", "--store").exit_code == 0
    assert run("scores", "import", "z.tsv", "--human").exit_code == 0
    result = run("scores", "list", "--format", "tsv")
    assert result.stdout.splitlines()[0] == "system\tchrF2 ref.ja\tz human\tBLEUw4 ref.ja"
    assert "BLEUw4 is meaningless: the references are in a script without spaces; score again with" in result.stderr
    assert "BLEUw4 is meaningless: 100.0% of the references" in run("agreement", "--human", "z").stderr
    assert "meaningless" not in run("score", "one.ja", "--ref", "ref.ja", "--metric", "ter", "--ter-normalized",
                                    "--ter-asian-support").stderr  # fmt: skip


def test_programs_have_rows(run: Run, scored: Path) -> None:
    Path("z.tsv").write_text("system\tsegment\tz\na\t1\t0.5\na\t3\t-1\nb\t1\t0\n", encoding="utf-8")
    assert run("scores", "import", "z.tsv", "--human", "--first-segment", "1").exit_code == 0
    with corpusdb.open(scored, read_only=True) as corpus:
        rows, segments = corpus.scores(), corpus.scores(1, segments=True)
        with pytest.raises(UsageError, match="there is no test set 2"):
            corpus.scores(2)
    told = {each["metric"]: each for each in rows if each["system"] == "a"}
    assert list(told) == ["BLEUw2", "mWER", "z"] and told["z"]["kind"] == "human" and told["z"]["score"] == -0.25
    assert [(each["system"], each["segment"], each["score"]) for each in segments if each["metric"] == "z"] == [
        ("a", 1, 0.5), ("a", 3, -1.0), ("b", 1, 0.0)
    ]  # fmt: skip
    assert len(segments) == 3 * 6 + 3


def test_json_has_a_document_for_each_number(run: Run, scored: Path) -> None:
    found = json.loads(run("scores", "list", "--json", "--baseline", "a").stdout)
    assert len(found) == 6
    assert {each["stored"] for each in found} == set(range(1, 7))
    for each in found:
        assert each["kind"] == "computed" and each["signature"].startswith("metric:")
        assert each["reference_set"][:16] in each["signature"]
        assert (each["p"] is None) == (each["system"] == "a")
    assert run("scores", "list", "--long", "--format", "tsv").stdout.count("\n") == 7


@pytest.mark.parametrize(
    ("format", "note"), [("markdown", "\n    BLEUw2 r1.txt: metric"), ("latex", "% BLEUw2 r1.txt:")]
)
def test_signatures_stand_below_the_table(format: str, note: str, run: Run, scored: Path) -> None:
    result = run("scores", "list", "--format", format, "--baseline", "a")
    assert note in result.stdout
    said = result.stdout.replace("-{}-", "--")  # TeX makes one dash of two
    assert "against a: approximate randomisation (--paired-ar of sacrebleu: 10,000 trials, seed 12345)" in said


def test_a_column_that_cannot_be_tested_does_not_look_as_if_nothing_differed(run: Run, scored: Path) -> None:
    Path("comet.tsv").write_text("system\tCOMET\na\t0.8\nb\t0.7\n", encoding="utf-8")
    assert run("scores", "import", "comet.tsv").exit_code == 0
    assert "?" not in run("scores", "list", "--format", "latex").stdout
    written = run("scores", "list", "--format", "latex", "--baseline", "a").stdout
    assert r"0.7000\rlap{$^{?}$}" in written and "; ? not compared\\par}\n" in written


def test_an_import_is_undone(run: Run, scored: Path) -> None:
    Path("z.tsv").write_text("system\tz\na\t0.5\nb\t0\n", encoding="utf-8")
    before = run("scores", "list", "--format", "tsv").stdout
    for kind in ((), ("--human",)):
        assert run("scores", "import", "z.tsv", *kind).exit_code == 0
    result = run("scores", "remove", "z", "--human", "--test-set", "1")
    assert result.exit_code == 0 and "2 scores called z are removed" in result.stderr
    assert "z imported" in run("scores", "list", "--format", "tsv").stdout
    assert run("scores", "remove", "z").exit_code == 0
    assert run("scores", "list", "--format", "tsv").stdout == before
    assert "no imported scores called 'z' are stored" in run("scores", "remove", "z").stderr


def test_segments_stand_worst_first(run: Run, scored: Path) -> None:
    found = json.loads(run("scores", "segments", "b", "--json").stdout)
    scores = [each["score"] for each in found]
    assert scores == sorted(scores)
    assert {each["segment"]: (each["source"], each["output"]) for each in found} == {
        1: ("le chat", "cat"),
        2: ("le chien", "dog barks"),
        3: ("la pluie", "rain rain"),
    }
    best = run("scores", "segments", "b", "--json", "--best-first", "-n", "1", "--column", "mwer")
    assert len(json.loads(best.stdout)) == 1
    assert "2 more segments; `-n 0` shows all 3" in best.stderr


def test_segments_of_the_same_stored_score_stand_by_their_smoothed_score(run: Run, scored: Path) -> None:
    """Of order 4 all have 0; `compare` smooths, and what it has is what tells them apart."""
    Path("c.txt").write_text("the cat was on a chair\nloud is no dog\nit rains all day\n", encoding="utf-8")
    common = ("c.txt", "--ref", "r1.txt", "--source", "src.txt", "--order", "4")
    assert run("score", *common, "--store").exit_code == 0
    listed = run("scores", "segments", "c", "--json", "--column", "BLEUw4 r1.txt")
    found = json.loads(listed.stdout)
    smoothed = run("score", *common, "--segments", "--worst-first", "--smoothing", "exp").stdout.splitlines()[1:]
    order = [int(line.split("\t")[0]) for line in smoothed]
    assert {each["score"] for each in found} == {0}
    assert [each["segment"] for each in found] == order != sorted(order)
    told = (
        "BLEUw4 r1.txt: 3 of 3 segments have 0, as one order without a match is enough for that; `score --smoothing exp"
    )
    assert told in listed.stderr
    assert "equal ones go by BLEU smoothed by exp+effective, as `compare` has it" in listed.stderr
    assert "smoothed" not in run("scores", "segments", "b", "--column", "mwer").stderr
    best = json.loads(run("scores", "segments", "c", "--json", "--best-first", "--column", "BLEUw4 r1.txt").stdout)
    assert best[0]["segment"] == order[-1]


def test_two_systems_are_subtracted(run: Run, scored: Path) -> None:
    found = json.loads(run("scores", "segments", "b", "a", "--json").stdout)
    assert [each["difference"] for each in found] == sorted(each["b"] - each["a"] for each in found)


def test_a_curve_has_the_stored_score_at_its_end(run: Run, scored: Path) -> None:
    words = ("scores", "curve", "b", "--column", "BLEUw2 r1.txt+1", "--draws", "4", "--samples", "4")
    rows = json.loads(run(*words, "--json").stdout)
    (last,) = [row for row in rows if row["references"] == 2 and row["measure"] == "BLEU b"]
    numbers = json.loads(run("scores", "list", "--json").stdout)
    (stored,) = [row["score"] for row in numbers if (row["system"], row["references"]) == ("b", "r1.txt+1")]
    assert last["value"] == pytest.approx(stored, abs=1e-3)
    table = run(*words, "--format", "table").stdout
    assert "BLEU over references of a segment at most" in table
    assert table.count("over references") == 1  # of the system that was named


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("segments", "c"), 2, "there is no system 'c'"),
        (("segments", "a", "--column", "chrf"), 2, "there is no column 'chrf'"),
        (("list", "--test-set", "2"), 2, "there is no test set 2; there are 1 to 1"),
        (("list", "--baseline", "c"), 2, "there is no system 'c'"),
        (("curve",), 3, "BLEUw2 r1.txt has one reference of each segment: a curve needs more"),
        (("curve", "--column", "mwer"), 2, "there are curves of BLEU only, not of mWER"),
    ],
)
def test_what_there_is_not(words: tuple[str, ...], code: int, message: str, run: Run, scored: Path) -> None:
    result = run("scores", *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr and result.stderr.count("\n") == 1


def test_a_stored_score_is_traced_like_its_files(run: Run, scored: Path) -> None:
    files = json.loads(
        run(
            *("trace", "b.txt", "--ref", "r1.txt", "r2.txt", "--source", "src.txt", "--order", "2"),
            *("--segment", "2", "--json"),
        ).stdout
    )
    stored = json.loads(run("trace", "--score", "6", "--segment", "2", "--json").stdout)
    for each in (files, stored):
        for reference in each["references"]:
            del reference["label"]
    assert stored == files


def test_a_stored_score_on_the_corpus_has_the_sentences_behind_it(run: Run, generated: Path, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("Une bière, s'il vous plaît.\n", encoding="utf-8")
    (tmp_path / "h.txt").write_text("A beer, please.\n", encoding="utf-8")
    corpus = ("--ref-from", "corpus", "--source", "s.txt", "--lang", "eng", "-N", "0")
    run("score", "h.txt", *corpus, "--store")
    from_files = json.loads(run("trace", "h.txt", *corpus, "--segment", "1", "--json").stdout)
    assert json.loads(run("trace", "--score", "1", "--segment", "1", "--json").stdout) == from_files
    assert from_files["backgrounds"][0]["places"] != []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--segment", "1"), 2, "give the output of a system, or --score NUMBER"),
        (("a.txt", "--score", "1", "--segment", "1"), 2, "give the output of a system, or --score NUMBER"),
        (("--score", "1", "--segment", "1", "--ref", "r1.txt"), 2, "a stored score has its own references"),
        (("--score", "1", "--segment", "1", "--order", "2", "--lowercase"), 2, "goes without --order, --lowercase"),
        (("--score", "9", "--segment", "1"), 3, "there is no score 9"),
        (("--score", "1", "--segment", "9"), 2, "there are segments 1 to 3, but no 9"),
        (("--score", "3", "--segment", "1"), 2, "only BLEU can be traced, not mwer"),
    ],
)
def test_what_cannot_be_traced(words: tuple[str, ...], code: int, message: str, run: Run, scored: Path) -> None:
    result = run("trace", *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_a_segment_that_equals_a_reference_is_perfect_wherever_it_is_shown(
    run: Run, generated: Path, tmp_path: Path
) -> None:
    """Two words have no 4-gram: BLEU of a segment is that of the orders which it has."""
    (tmp_path / "h.txt").write_text("Pleasant atmosphere\nthe dog is in a house\nYes.\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("Pleasant atmosphere\nthe dog is in the house\nYes.\n", encoding="utf-8")
    call = ("h.txt", "--ref", "r.txt")
    (scored,) = json.loads(run("score", *call, "--segments", "--store", "--json").stdout)
    perfect, other, _ = scored["segments"]
    assert scored["segments"] == pytest.approx([100, other, 100])
    assert 0 < other < perfect
    (listed, *_) = json.loads(run("scores", "segments", "h", "--json").stdout)
    assert listed["segment"] == 2, "the worst first"
    for arguments in ((*call, "--segment", 1), ("--score", 1, "--segment", 1)):
        assert json.loads(run("trace", *arguments, "--json").stdout)["score"] == pytest.approx(100)
    theirs = json.loads(run("score", "r.txt", "-i", "h.txt", "-sl", "--json").stdout)[0]
    assert theirs["segments"] == pytest.approx(scored["segments"])


@pytest.mark.parametrize("smoothing", ["none", "floor", "add-k=1", "exp"])
def test_segments_have_sacrebleus_effective_order_by_any_smoothing(
    smoothing: str, run: Run, generated: Path, tmp_path: Path
) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    pairs = (("Yes.", "Yes."), ("a cat", "a dog"), ("the dog is in a house", "the dog is in"), ("no", "x"))
    for name, lines in zip(("h.txt", "r.txt"), zip(*pairs, strict=True), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    call = ("score", "h.txt", "--ref", "r.txt", "--smoothing", smoothing, "--segments", "--json")
    theirs = metrics.BLEU(smooth_method=smoothing.split("=")[0], effective_order=True)
    expected = [theirs.sentence_score(hypothesis, [reference]).score for hypothesis, reference in pairs]
    assert json.loads(run(*call).stdout)[0]["segments"] == pytest.approx(expected)


SOURCE = "Une bière, s'il vous plaît.\nUne part de pizza, s'il vous plaît.\n"
CORPUS = ("--ref-from", "corpus", "--source", "s.txt", "--lang", "eng", "-N", "0")


@pytest.fixture
def verification_scored(run: Run, generated: Path, tmp_path: Path) -> Path:
    (tmp_path / "s.txt").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "h.txt").write_text("A beer, please.\nCan I have some pizza?\n", encoding="utf-8")
    return generated


def test_stored_scores_are_verified(run: Run, verification_scored: Path) -> None:
    result = run("verify")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no scores are stored" in result.stderr
    found = json.loads(run("score", "h.txt", *CORPUS, "--metric", "bleu,nist", "--store", "--json").stdout)
    assert [each["stored"] for each in found] == [1, 2]

    result = run("verify")
    assert result.exit_code == 0
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [["1", "h"], ["2", "h"]]
    (one,) = json.loads(run("verify", "2", "--json").stdout)
    assert (one["ok"], one["stored"]) == (True, found[1]["score"])


def test_what_differs_is_told_and_the_exit_code_is_1(run: Run, verification_scored: Path, tmp_path: Path) -> None:
    run("score", "h.txt", *CORPUS, "--store")
    run("accept", "A beer, please.", "A beer!", "--lang", "eng")
    result = run("verify", "1")
    assert result.exit_code == 1
    assert "the reference set is another: 2 of 2 segments differ (2 gained, 0 lost), the first is 1" in result.stdout
    assert "1 + A beer!" in result.stdout
    assert "2 + A slice of pizza!" in result.stdout  # by analogy

    (tmp_path / "g.txt").write_text("A beer, please.\nPizza\n", encoding="utf-8")
    result = run("verify", "1", "--hyp", "g.txt", "--ref", "h.txt")
    assert result.exit_code == 1
    assert "the output is another: 1 hypotheses differ, the first is 2" in result.stdout
    assert "the reference set is another: 2 of 2 segments differ" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("9",), 3, "there is no score 9"),
        (("--hyp", "h.txt"), 2, "give the number of the score"),
        (("1", "--hyp", "short.txt"), 3, "score 1 is of 2 segments, what is given has 1"),
    ],
)
def test_what_cannot_be_verified(
    arguments: tuple[str, ...], code: int, message: str, run: Run, verification_scored: Path, tmp_path: Path
) -> None:
    (tmp_path / "short.txt").write_text("A beer, please.\n", encoding="utf-8")
    run("score", "h.txt", *CORPUS, "--store")
    result = run("verify", *arguments)
    assert (result.exit_code, message in result.stderr) == (code, True)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["word", "char"])
def test_the_trace_of_all_segments_adds_up_to_the_score(unit: str, run: Run, verification_scored: Path) -> None:
    """Its statistics, summed over the segments, give BLEU of the whole by its definition."""
    order = {"word": 2, "char": 6}[unit]
    options = (*CORPUS, "--unit", unit, "--order", order, "--json")
    (whole,) = json.loads(run("score", "h.txt", *options, "--segments").stdout)
    found = [json.loads(run("trace", "h.txt", *options, "--segment", number).stdout) for number in (1, 2)]

    assert [each["score"] for each in found] == pytest.approx(whole["segments"])
    assert {each["signature"] for each in found} == {whole["signature"]}
    matched, total = (
        [sum(each["statistics"][name][n] for each in found) for n in range(order)] for name in ("matched", "total")
    )
    assert all(matched)
    product = 1.0
    for one, all_ in zip(matched, total, strict=True):
        product *= one / all_
    lengths = [sum(each["statistics"][name] for each in found) for name in ("length", "closest")]
    penalty = min(1.0, 2.718281828459045 ** (1 - lengths[1] / lengths[0]))
    assert 100 * penalty * product ** (1 / order) == pytest.approx(whole["score"])
    for each in found:
        for ngram in each["ngrams"]:
            assert ngram["count"] == ngram["matched"] + ngram["missed"]
            assert bool(ngram["references"]) == bool(ngram["matched"])


def test_a_generated_reference_leads_to_sentences_of_people(run: Run, verification_scored: Path) -> None:
    found = json.loads(run("trace", "h.txt", *CORPUS, "--segment", "2", "--json").stdout)
    assert [each["label"] for each in found["references"]] == ["original", "generated"]
    original, generated = found["backgrounds"]
    assert original["places"] == ["paper/paper.tsv:6"]
    assert generated["places"] == []
    analogy = generated["explanation"]["analogies"][0]
    assert analogy["b"] == "A beer, please."
    assert analogy["rewording"] == "Can I have a beer?"
    assert analogy["shared"][0]["text"] == "Une bière, s'il vous plaît."
    assert analogy["shared"][0]["places"] == ["paper/paper.tsv:3", "paper/paper.tsv:4"]


def test_the_trace_for_people(run: Run, verification_scored: Path) -> None:
    out = run("trace", "h.txt", *CORPUS, "--segment", "2", "--format", "table", "--order", "2").stdout
    assert "hypothesis  Can I have some pizza?" in out
    assert "matched     5/6  3/5: n-grams of 1, 2 ... units" in out
    assert "Reference 2 is generated: Can I have a slice of pizza?" in out
    assert "paper/paper.tsv:3" in out
    rows = run("trace", "h.txt", *CORPUS, "--segment", "2", "--order", "1", "--missed").stdout.splitlines()
    assert rows == ["order\tcount\tmatched\tmissed\treferences\tngram", "1\t1\t0\t1\t\tsome"]


def test_references_from_files_are_named_by_file_and_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("a b\nc d\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("a b\nc e\n", encoding="utf-8")
    found = json.loads(run("trace", "h.txt", "--ref", "r.txt", "--segment", "2", "--json").stdout)
    assert found["references"][0]["label"] == "r.txt:2"
    result = run("trace", "h.txt", "--ref", "r.txt", "--segment", "3")
    assert (result.exit_code, "there are segments 1 to 2, but no 3" in result.stderr) == (2, True)


@pytest.mark.slow
def test_references_have_one_number_wherever_they_are_named(
    run: Run, verification_scored: Path, tmp_path: Path
) -> None:
    """The corpus knows nothing of the first reference, which is one of a file: the second has a background."""
    (tmp_path / "r.txt").write_text("Beer!\nSome of that pizza, will you?\n", encoding="utf-8")
    both = ("h.txt", "--ref", "r.txt", *CORPUS)
    assert run("score", *both, "--store").exit_code == 0
    for arguments in ((*both, "--segment", 2), ("--score", 1, "--segment", 2)):
        lines = run("trace", *arguments, "--format", "table").stdout.splitlines()
        numbered = {line[5:]: int(line[:3]) for line in lines if line[:3].strip().isdigit() and line[3:5] == "  "}
        behind = [line.removeprefix("Reference ").partition(" is ") for line in lines if line.startswith("Reference ")]
        named = {told.partition(": ")[2]: int(number) for number, _, told in behind}
        assert any("generated" in told for _, _, told in behind)
        assert named.items() <= numbered.items()

        found = json.loads(run("trace", *arguments, "--json").stdout)
        texts = [each["text"] for each in found["references"]]
        assert texts[0] == "Some of that pizza, will you?"
        assert all(texts[each["number"] - 1] == each["reference"]["text"] for each in found["backgrounds"])
        for ngram in found["ngrams"]:
            for number in filter(None, ngram["references"].split(",")):
                assert " ".join(ngram["ngram"].split()).rstrip("?. ") in texts[int(number) - 1]


@pytest.mark.parametrize("format", ["sacrebleu", "jsonl"])
def test_the_digest_of_references_in_files(format: str, run: Run, verification_scored: Path, tmp_path: Path) -> None:
    """It is that of signatures, whatever the format; where sets are filled up, the copies are told."""
    made = run("references", "s.txt", "A twin, please.", "-o", "out", "--lang", "eng", "--format", format, "--json")
    result = run("verify", "--ref", "out", "--json", "--db", "none.db")
    assert not (tmp_path / "none.db").exists()
    found, written = json.loads(result.stdout), json.loads(made.stdout)
    assert (found["digest"], found["segments"]) == (written["digest"], 3)
    assert found["references"] - found["copies"] == written["references"]
    assert bool(found["copies"]) == (format == "sacrebleu")
    assert run("verify", "--ref", "out").stdout.splitlines()[0].split() == [
        "digest",
        written["digest"],
    ]


def test_a_trace_that_is_piped_keeps_what_is_told_of_references(run: Run, verification_scored: Path) -> None:
    result = run("trace", "h.txt", *CORPUS, "--segment", "1", "--format", "tsv")
    assert result.stdout.startswith("order\t")
    assert "Reference 1 is original" in result.stderr


def test_references_of_several_files_behind_one_name(run: Run, verification_scored: Path, tmp_path: Path) -> None:
    """As `score --ref` takes them; a number is the score."""
    for name in ("one.en", "two.en"):
        (tmp_path / name).write_text(f"A {name}.\nPizza\n", encoding="utf-8")
    together = run("verify", "--ref", "one.en", "two.en")
    assert together.exit_code == 0, together.stderr
    assert together.stdout == run("verify", "--ref", "one.en", "--ref", "two.en").stdout
    (scores,) = json.loads(run("score", "h.txt", "--ref", "one.en", "two.en", "--store", "--json").stdout)
    assert f"|set:{together.stdout.split()[1][:16]}|" in scores["signature"]
    for words in (("1", "--ref", "one.en", "two.en"), ("--ref", "one.en", "two.en", "1")):
        result = run("verify", *words)
        assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1), result.output
    assert run("verify", "--ref", "one.en", "1").exit_code == 1, "other references than those it was scored with"


def test_the_texts_of_a_test_set_stand_side_by_side(run: Run, scored: Path) -> None:
    header, *rows = (line.split("\t") for line in run("scores", "texts", "--format", "tsv").stdout.splitlines())
    assert header == ["segment", "source", "reference 1", "reference 2", "a", "b"]
    columns = [FILES[name].splitlines() for name in ("src.txt", "r1.txt", "r2.txt", "a.txt", "b.txt")]
    assert rows == [[str(number), *texts] for number, texts in enumerate(zip(*columns, strict=True), 1)]
    # Of several reference sets that which was scored last, not that which was stored last.
    for references, metric in (("r1.txt", "bleu"), ("r2.txt", "bleu"), ("r1.txt", "chrf")):
        assert run("score", "a.txt", "--ref", references, "-m", metric, "--store").exit_code == 0
    header, *rows = (line.split("\t") for line in run("scores", "texts", "--format", "tsv").stdout.splitlines())
    assert [row[header.index("reference")] for row in rows] == columns[1]


def test_files_of_scores_are_read_without_a_database(run: Run, tmp_path: Path) -> None:
    files = {
        "M.seg.score": "one\t1\none\t2\ntwo\tNone\ntwo\t4\n",
        "N.sys.score": "one\t.5\n",
        "mqm.tsv": "system\tseg_id\trater\tcategory\tseverity\none\t1\tr\tAccuracy/Omission\tmajor\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = run("scores", "read", "M.seg.score", "N.sys.score", "--format", "tsv")
    assert result.stdout.splitlines() == [
        "system\tsegment\tM\tN", "one\t\t\t0.5", "one\t1\t1.0\t", "one\t2\t2.0\t", "two\t2\t4.0\t"
    ]  # fmt: skip
    assert run("scores", "read", "mqm.tsv", "--mqm-weights", "major:10", "-o", "out.tsv").exit_code == 0
    again = run("scores", "read", "out.tsv", "--format", "tsv")
    assert again.stdout == (tmp_path / "out.tsv").read_text(encoding="utf-8") == "system\tsegment\tMQM\none\t1\t-10.0\n"
    rows = "one\t1\ta\tStyle/Awkward\tminor\none\t1\tb\tNo-error\tno-error\n"
    (tmp_path / "mqm.tsv").write_text(f"system\tseg_id\trater\tcategory\tseverity\n{rows}", encoding="utf-8")
    for words, score in (((), "-0.5"), (("--rater", "a"), "-1.0"), (("--rater", "b"), "0.0")):
        assert run("scores", "read", "mqm.tsv", *words, "--format", "tsv").stdout.splitlines()[1] == f"one\t1\t{score}"
    assert "there is no rater 'c'; there are a, b" in run("scores", "read", "mqm.tsv", "--rater", "c").stderr
    assert not (tmp_path / "corpus.db").exists()


def test_a_table_that_no_terminal_has_room_for_has_marks_and_p_below(
    run: Run, scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested = ("score", "a.txt", "b.txt", "--ref", "r1.txt", "--metric", "bleu,chrf,nist", "--significance", "bootstrap")
    assert "(p " in run(*tested, "--format", "table").stdout or "(worse, p " in run(*tested, "--format", "table").stdout
    monkeypatch.setattr("corpusdb.scoring.commands.room_of_table", lambda: 40)
    narrow = run(*tested, "--format", "table").stdout
    assert "p by chrF2: b " in narrow and not any("p " in line for line in narrow.splitlines()[:3])
