"""`corpusdb score` called as sacrebleu is: the same letters, the same numbers."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from calls import Run, write_files

from corpusdb.corpus.formats.scoring_input import with_distinct_names
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.commands import OPTIONS_OF_SACREBLEU, SPELLED_BY_SACREBLEU, ScoreOptions
from corpusdb.scoring.input_options import settings_of
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.metrics import METRICS, OF_METRICS, is_metrics, settings_for, with_chrf_options, with_ter_options
from corpusdb.scoring.queries.segment_view import unit_places

FILES = {
    "ref1.txt": (
        "The dog bit the man.", "It was not unexpected.", "The man bit him first.", "Nobody was hurt.", "He went home."
    ),
    "ref2.txt": (
        "The dog had bit the man.", "No one was surprised.", "The man had bitten the dog.", "No one was.", "Home!"
    ),
    "one.txt": (
        "The dog bit the man.", "It wasn't surprising.", "The man had just bitten him.", "Nobody is hurt .", "go"
    ),
    "two.txt": (
        "the dog has bit a man.", "It was not unexpected that.", "A man bit him first, then.", "", "He went home, too."
    ),
}  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_files(tmp_path, FILES)
    return tmp_path


def sacrebleu(words: Sequence[str], folder: Path) -> str:
    """What sacrebleu prints for these words."""
    pytest.importorskip("sacrebleu")
    command = [sys.executable, "-m", "sacrebleu", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True)
    return done.stdout


_CALLS = (
    "ref1.txt -i one.txt -b -w 4",
    "ref1.txt ref2.txt -i one.txt -m ter -b -w 3",
    "ref1.txt ref2.txt -i one.txt -m chrf -b -w 5 -cw 1 -cc 4 --chrf-beta 3",
    "ref1.txt ref2.txt -i two.txt -m chrf -b -w 5 --chrf-word-order 2 -sl",
    "ref1.txt ref2.txt -i two.txt -b -w 3 -lc -tok intl",
    "ref1.txt ref2.txt -i two.txt -b -w 3 --tokenize none --smooth-method add-k",
    "ref1.txt ref2.txt -i two.txt --sentence-level --metrics ter --score-only --width 2",
    "-m bleu -b ref1.txt ref2.txt --input one.txt",
)
_OTHER_CALLS = (
    "ref1.txt -i one.txt -b",
    "ref1.txt ref2.txt -i two.txt -m bleu -b -w 3",
    "ref1.txt ref2.txt -i one.txt -m chrf -b -w 3 -lc",
    "ref1.txt ref2.txt -i two.txt -b -w 3 -tok char",
    "ref1.txt -i two.txt -b -w 3 -s none",
    "ref1.txt ref2.txt -i two.txt -m bleu -sl -b -w 2",
)
"""With options of those, or ones that change how all metrics score."""


@pytest.mark.slow
@pytest.mark.parametrize("words", [*_CALLS, *_OTHER_CALLS])
def test_the_same_words_print_the_same_numbers(words: str, files: Path, run: Run) -> None:
    expected = sacrebleu(words.split(), files)
    result = run("score", *words.split())
    assert (result.exit_code, result.stdout) == (0, expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["ref1.txt ref2.txt -i one.txt -m bleu chrf ter -b -w 3", "ref1.txt -m bleu ter -i two.txt -b"]
)
def test_several_metrics_are_a_document_of_numbers(words: str, files: Path, run: Run) -> None:
    expected = json.loads(sacrebleu(words.split(), files))
    numbers = json.loads(run("score", *words.split(), "--json").stdout)
    width = "3" if "-w" in words else "1"
    assert json.loads(run("score", *words.split(), "--json", "-w", width).stdout) == expected
    assert [round(each, int(width)) for each in numbers] == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "bleu chrf",
        "bleu -s floor -lc",
        "bleu -tok char -s none",
        "ter",
        "bleu",
        "chrf -cw 1 --chrf-beta 3",
    ],
)
def test_the_json_of_one_system_has_what_theirs_has(words: str, files: Path, run: Run) -> None:
    given = ["ref1.txt", "ref2.txt", "-i", "two.txt", "-f", "json", "-w", "4", "-m", *words.split()]
    ours, theirs = (json.loads(text) for text in (run("score", *given).stdout, sacrebleu(given, files)))
    ours, theirs = ([each] if isinstance(each, dict) else each for each in (ours, theirs))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        expected = {name: value for name, value in other.items() if name not in ("signature", "version")}
        if "floor" in words:
            assert (one.pop("smooth"), expected.pop("smooth")) == ("floor[0.1]", "floor[0.10]")
        assert {name: one.get(name) for name in expected} == expected
        assert f"|version:{one['version']}" in one["signature"]
        # sacrebleu does not tell the beta of chrF, by which its scores differ.
        assert one["sacrebleu_signature"] == (None if "beta" in words else other["signature"])
    (files / "kept.json").write_text(run("score", *given).stdout, encoding="utf-8")
    assert run("replay", "kept.json").stdout == "equal    kept.json: score\n"


def test_the_signature_of_sacrebleu_is_there_where_it_has_the_number(files: Path, run: Run) -> None:
    expected = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    shown = run("score", "ref1.txt", "-i", "one.txt", "-m", "bleu", "nist", "-v", "--format", "table").stdout
    assert f"BLEUw4 in sacrebleu: {expected}\n" in shown and "NISTw5 in" not in shown
    assert f"% BLEU in sacrebleu: {expected}\n" in run("score", "ref1.txt", "-i", "one.txt", "-f", "latex").stdout
    ours = json.loads(run("score", "one.txt", "--ref", "ref1.txt", "--order", "2", "--json").stdout)
    assert [each.pop("sacrebleu_signature") for each in ours] == [None]
    (files / "earlier.json").write_text(json.dumps(ours), encoding="utf-8")
    assert run("replay", "earlier.json").stdout == "equal    earlier.json: score\n"


def test_text_is_a_table_and_formats_are_known_however_they_are_written(files: Path, run: Run) -> None:
    given = ("score", "ref1.txt", "-i", "one.txt")
    for theirs, ours in (("text", "table"), ("LaTeX", "latex")):
        assert run(*given, "-f", theirs).stdout.splitlines()[0] == run(*given, "-f", ours).stdout.splitlines()[0]


def test_metrics_that_are_named_again_are_added(files: Path, run: Run) -> None:
    words = "ref1.txt -i one.txt -m bleu nist -m chrf --metric chrf++ -cw 2 --json".split()
    assert [each["metric"] for each in json.loads(run("score", *words).stdout)] == ["bleu", "nist", "chrf++"]
    assert "chrf++ is chrf with --chrf-word-order 2" in run("score", *words[:-2], "1").stderr


TER = "--ter-normalized --ter-no-punct --ter-asian-support"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["chrf -cw 1 -cc 4 --chrf-beta 3", "ter", f"ter --ter-case-sensitive {TER}"])
def test_a_metric_is_the_same_wherever_it_is_asked_for(how: str, files: Path, run: Run) -> None:
    asked = ("-m", *how.split())
    given = ("one.txt", "two.txt", "--ref", "ref1.txt", *asked)
    expected = [float(sacrebleu(("ref1.txt", "-i", each, *asked, "-b", "-w", "9"), files)) for each in given[:2]]
    for call in (given, ("ref1.txt", "-i", *given[:2], *asked)):
        assert [each["score"] for each in json.loads(run("score", *call, "--json").stdout)] == pytest.approx(expected)
    (scores,) = json.loads(run("compare", *given, "--section", "scores", "--json").stdout)[0]["scores"]
    assert [scores["a"], scores["b"]] == pytest.approx(expected, abs=1e-9)
    (files / "human.tsv").write_text("system\tz\none\t1\ntwo\t2\n", encoding="utf-8")
    rows = json.loads(run("agreement", *given, "--human", "human.tsv", "--json").stdout)
    signatures = {row["signature"].partition("|refs:")[0] for row in rows}
    assert signatures == {scores["signature"].partition("|refs:")[0]}


def test_what_looks_tokenised_is_said(files: Path, run: Run) -> None:
    write_files(files, {"apart.txt": ("The dog .", "It .", "He bit him .", "Nobody is hurt.", "go")})
    said = "apart.txt: 3 hypotheses end in ' .', as tokenised ones do"
    assert said in run("score", "ref1.txt", "-i", "apart.txt").stderr
    for words in ("-i apart.txt -tok none", "-i apart.txt -m chrf", "-i one.txt"):
        assert "as tokenised ones do" not in run("score", "ref1.txt", *words.split()).stderr


def test_without_what_a_metric_needs_the_others_are_given(
    files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU", str(files))
    given = ("score", "ref1.txt", "-i", "one.txt", "-tok", "flores200", "-m")
    found = run(*given, "bleu", "ter", "chrf", "--json")
    assert [each["metric"] for each in json.loads(found.stdout)] == ["ter", "chrf"]
    assert "tokenisation flores200 needs its model: " in found.stderr
    assert "; the other metrics follow" in found.stderr
    # A number that stands alone would be taken for another one; and where none is left there is nothing to give.
    for words in ("bleu ter -b", "bleu"):
        refused = run(*given, *words.split())
        assert (refused.exit_code, refused.stdout) == (2, "")


@pytest.mark.slow
def test_what_bleu_is_made_of_is_what_sacrebleu_says(files: Path, run: Run) -> None:
    words = "ref1.txt ref2.txt -i two.txt".split()
    expected = json.loads(sacrebleu(words, files))["verbose_score"]
    assert f"BLEUw4 of two: {expected}" in run("score", *words, "-v", "--format", "table").stdout
    assert expected in run("score", *words, "-v").stderr
    (found,) = json.loads(run("score", *words, "--json").stdout)
    assert expected.startswith("/".join(f"{each:.1f}" for each in found["precisions"]))
    assert f"BP = {found['brevity_penalty']:.3f}" in expected
    assert f"hyp_len = {found['length']} ref_len = {found['reference_length']}" in expected
    names, row = (line.split("\t") for line in run("score", *words).stdout.splitlines())
    told = dict(zip(names, row, strict=True))
    assert [float(each) for each in told["precisions"].split("/")] == pytest.approx(found["precisions"], abs=1e-4)
    assert told["length"] == str(found["length"])


def test_edits_and_lengths_of_error_rates(files: Path, run: Run) -> None:
    pytest.importorskip("sacrebleu")
    for found in json.loads(run("score", "two.txt", "--ref", "ref1.txt", "-m", "ter", "mwer", "--json").stdout):
        scale = 100 if found["metric"] == "ter" else 1
        assert found["score"] == pytest.approx(scale * found["edits"] / found["reference_length"])


def test_the_same_said_in_our_way(files: Path, run: Run) -> None:
    """With --ref the defaults are ours; what is said holds in both ways."""
    ours = run("score", "one.txt", "two.txt", "--ref", "ref1.txt", "ref2.txt", "--smoothing", "exp", "--json")
    theirs = run("score", "ref1.txt", "ref2.txt", "-i", "one.txt", "two.txt", "--json")
    for one, two in zip(json.loads(ours.stdout), json.loads(theirs.stdout), strict=True):
        assert {**one, "made_from": None} == {**two, "made_from": None}
    again = run("score", "-i", "one.txt", "two.txt", "--ref", "ref1.txt", "ref2.txt", "--json")
    assert [each["score"] for each in json.loads(again.stdout)] == [each["score"] for each in json.loads(ours.stdout)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "no output is given"),
        ("-m bleu", "no output is given"),
        ("--ref ref1.txt", "no output is given"),
        ("one.txt -i two.txt --ref ref1.txt", "is one.txt a reference or an output?"),
        ("one.txt -i two.txt --ref-set made", "is one.txt a reference or an output?"),
        ("-i one.txt ref1.txt", "where are the references?"),
        ("one.txt", "or REF... -i HYP..., as sacrebleu"),
        ("one.txt --ref ref1.txt --worst-first", "needs --segments"),
        ("one.txt --ref ref1.txt --sort nist", "takes a metric that is computed, bleu, and not 'nist'"),
        ("one.txt --ref ref1.txt --wide --segments", "--wide cannot be combined with --segments"),
        ("one.txt --ref ref1.txt --fail-below ter=9", "--fail-below takes a metric that is computed, bleu, and not"),
        ("one.txt --ref ref1.txt --fail-below bleu=nan", "takes METRIC=VALUE, such as bleu=30, and not 'bleu=nan'"),
        ("one.txt --ref ref1.txt -m chrf+", "unknown metric 'chrf+'; did you mean 'chrf++' or 'chrf'? There are bleu,"),
        ("one.txt --ref ref1.txt -tok intll", "unknown tokenisation 'intll'; did you mean 'intl'? There are none,"),
        ("one.txt --ref ref1.txt -s expo", "unknown smoothing 'expo'; did you mean 'exp'?"),
        ("one.txt --ref ref1.txt --chrf-beta 3", "--chrf-beta is of chrf, chrf++, not of bleu"),
        ("one.txt --ref ref1.txt -m chrf ter -tok zh", "--tokenise is of bleu, nist, mwer, not of chrf, ter"),
        ("one.txt --ref ref1.txt --samples 9", "--samples is of what is drawn by chance: --confidence"),
        ("one.txt --ref ref1.txt --seed 9 --segments", "--seed is of what is drawn by chance"),
        ("one.txt --ref ref1.txt -b --confidence", "--score-only cannot be combined with --confidence"),
        ("one.txt --ref ref1.txt -sl --significance bootstrap", "--segments cannot be combined with --significance"),
        ("one.txt --ref ref1.txt --min-validity 0.5", "--min-validity chooses references of the corpus, and needs"),
        ("one.txt --ref ref1.txt -m bleu meteor", "where are the references?"),
    ],
)
def test_what_is_refused(words: str, message: str, files: Path, run: Run) -> None:
    if "meteor" in words:  # no name of a metric: it is a file, and a reference by where it stands
        words, message = "one.txt --ref ref1.txt -m meteor", "unknown metric 'meteor'"
    result = run("score", *words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize(
    "words",
    ["one.txt two.txt --ref ref1.txt -m bleu mwer", "one.txt -m bleu mwer two.txt --ref ref1.txt",
     "-m bleu,mwer one.txt two.txt --ref ref1.txt", "-m bleu MWER -- one.txt two.txt --ref ref1.txt"],
)  # fmt: skip
def test_names_of_metrics_end_where_files_begin(words: str, files: Path, run: Run) -> None:
    given = words.split()
    if "--" in given:
        given = ["--ref=ref1.txt", *given[:-2]]
    found = json.loads(run("score", "--json", *given).stdout)
    assert [(each["system"], each["metric"]) for each in found] == [
        ("one", "bleu"), ("one", "mwer"), ("two", "bleu"), ("two", "mwer")
    ]  # fmt: skip


def test_every_metric_is_known_by_its_name() -> None:
    assert all(is_metrics(name) and is_metrics(name.upper()) for name in METRICS)
    assert is_metrics(",".join(METRICS))
    assert not any(map(is_metrics, ("", ",", "one.txt", "bleu,one.txt", "-m")))


@pytest.mark.parametrize(("names", "metrics"), OF_METRICS.items(), ids=lambda each: each[0])
def test_an_option_has_an_effect_on_the_metrics_that_it_is_of(names: tuple[str, ...], metrics: tuple[str, ...]) -> None:
    """On each of these, and on no other one: elsewhere it is refused."""

    def settings(metric: str, **options: Any) -> MetricSettings:
        asked = ScoreOptions(metric=metric, **options)
        return with_ter_options(with_chrf_options(settings_of(asked, metric), *asked.chrf), *asked.ter)

    values: dict[str, Any] = {"smoothing": "exp", "order": 7, "unit": "char", "tokenise": "intl"}
    for name in names:
        value = values.get(name, True if name.startswith("ter") else 2 if name == "chrf_word_order" else 3)
        changed = {each for each in METRICS if settings(each, **{name: value}) != settings(each)}
        assert changed == {*metrics} - ({"chrf++"} if name == "chrf_word_order" else set())


def test_to_cut_into_characters_changes_no_order() -> None:
    assert settings_for("bleu", tokenisation="char").order == 4
    assert settings_for("nist", tokenisation="char").order == 5
    assert settings_for("bleu", unit="char").order == settings_for("bleu", unit="char", tokenisation="char").order == 18


def test_sorted_by_a_metric(files: Path, run: Run) -> None:
    given = ("score", "two.txt", "one.txt", "ref1.txt", "--ref", "ref2.txt", "-m", "bleu", "mwer", "--json")

    def systems(*options: str) -> list[tuple[str, float]]:
        found = json.loads(run(*given, *options).stdout)
        return [(each["system"], each["score"]) for each in found if each["metric"] == "mwer"]

    assert [name for name, _ in systems()] == ["two", "one", "ref1"]
    by_errors = sorted(systems(), key=lambda each: each[1])
    assert systems("--sort", "mwer") == systems("--sort", "mWER") == by_errors != systems()


CALL = ("score", "one.txt", "two.txt", "ref1.txt", "--ref", "ref2.txt", "-m", "bleu", "ter", "--order", "2")


def test_a_row_for_each_system_with_a_column_for_each_metric(files: Path, run: Run) -> None:
    """The same numbers as in a row for each, wherever a program or a paper wants them."""
    long = json.loads(run(*CALL, "--json").stdout)
    scores = {name: [row["score"] for row in long if row["system"] == name] for name in ("one", "two", "ref1")}
    header, *rows = (line.split("\t") for line in run(*CALL, "--wide").stdout.splitlines())
    assert header == ["system", "BLEUw2", "TER"]
    assert {name: list(map(float, values)) for name, *values in rows} == scores
    wide = run(*CALL, "--wide", "--json")
    assert {row["system"]: [row["BLEUw2"], row["TER"]] for row in json.loads(wide.stdout)} == scores
    assert json.loads(wide.stdout)[0]["signatures"]["TER"] == long[1]["signature"]
    assert "metric:ter" in run(*CALL, "--wide").stderr
    for form in ("table", "latex"):
        assert (
            run(*CALL, "--wide", "--format", form).stdout.splitlines()[:4]
            == (run(*CALL, "--format", form).stdout.splitlines()[:4])
        )
    tested = json.loads(run(*CALL, "--wide", "--significance", "bootstrap", "--samples", "20", "--json").stdout)
    assert {"BLEUw2_difference", "BLEUw2_p", "TER_difference", "TER_p"} < set(tested[1])
    assert (tested[0]["TER_p"], tested[1]["TER_p"] > 0) == (None, True)


@pytest.mark.parametrize("more", [(), ("--wide",), ("-b",), ("--json",), ("--segments",), ("--by", "length")])
def test_a_score_that_is_too_bad_ends_with_its_own_exit_code(more: tuple[str, ...], files: Path, run: Run) -> None:
    """All of the answer is there, also in its file; better is more for BLEU, and less for TER."""
    by = {(row["system"], row["metric"]): row["score"] for row in json.loads(run(*CALL, "--json").stdout)}
    bleu, ter = sorted(by[name, "bleu"] for name in ("one", "two")), by["one", "ter"]
    good = run(*CALL, *more, "--fail-below", f"bleu={bleu[0] - 1},TER={max(by['two', 'ter'], ter, 100) + 90}")
    failing = ("--fail-below", f"BLEUw2={bleu[0] + 0.001}", "--fail-below", f"ter={ter - 0.25}")
    bad = run("--quiet", *CALL, *more, *failing, "-o", "kept.txt")
    assert (good.exit_code, bad.exit_code, bad.stdout) == (0, 1, "")
    assert (files / "kept.txt").read_text().splitlines()[-1:] == good.stdout.splitlines()[-1:]
    assert re.fullmatch(r"corpusdb: error: \d of 6 scores fail: .*\n", bad.stderr)
    assert f"one: TER {ter:.2f} is 0.25 above" in bad.stderr and " is 0.0010 below " in bad.stderr


def test_the_worst_segments_first_and_no_signature_in_each_line(files: Path, run: Run) -> None:
    given = ("score", "one.txt", "two.txt", "--ref", "ref1.txt", "--segments", "-m", "mwer")
    result = run(*given)
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert lines[0] == ["segment", "system", "metric", "score"]
    assert "corpusdb: mWER: metric:mwer|" in result.stderr
    sorted_lines = [line.split("\t") for line in run(*given, "--worst-first").stdout.splitlines()]
    assert sorted_lines[1:] == sorted(lines[1:], key=lambda line: -float(line[3]))
    assert sorted_lines != lines
    by_bleu = run(*given[:-1], "bleu", "--smoothing", "exp", "--worst-first").stdout.splitlines()[1:]
    values = [float(line.split("\t")[3]) for line in by_bleu]
    assert values == sorted(values)


def test_error_rates_side_by_side_are_on_one_scale(files: Path, run: Run) -> None:
    pytest.importorskip("sacrebleu")
    given = ("score", "one.txt", "--ref", "ref1.txt", "--format", "table", "-m", "mwer")
    alone, rate = run(*given).stdout.splitlines()[:2]
    both = run(*given, "ter").stdout
    assert alone.split() == ["system", "mWER"]
    assert both.splitlines()[0].split() == ["system", "mWER", "%", "TER"]
    assert float(both.splitlines()[1].split()[1]) == pytest.approx(100 * float(rate.split()[1]), abs=0.01)
    assert "mWER %: edits per 100 words, as TER" in both
    in_characters = run(*given, "ter", "--unit", "char").stdout
    assert "mCER %: edits per 100 characters; per character in" in in_characters


def test_the_table_says_which_is_better_and_how_surely(files: Path, run: Run) -> None:
    given = ("score", "one.txt", "two.txt", "--ref", "ref1.txt", "--significance", "randomisation", "--samples", "99")
    table = run(*given, "-m", "mwer", "nist", "--format", "table").stdout.splitlines()[2]
    found = json.loads(run(*given, "-m", "mwer", "nist", "--json").stdout)[2:]
    for each in found:
        gain = each["test"]["difference"] * (-1 if each["metric"] == "mwer" else 1)
        p = each["test"]["p_value"]
        told = f"({'better' if gain > 0 else 'worse'}, p = {p:.3f}*" if p < 0.05 else f"(p = {p:.3f})"
        assert told in table
    pasted = run(*given, "-m", "mwer", "nist", "--format", "latex").stdout.splitlines()
    assert pasted[0] == r"\begin{tabular}{lrr}"
    for cell, each in zip(pasted[5].rstrip("\\ ").split(" & ")[1:], found, strict=True):
        p, gain = each["test"]["p_value"], each["test"]["difference"] * (-1 if each["metric"] == "mwer" else 1)
        number, *marks = cell.split(r"\rlap")
        assert number.startswith(r"\textbf{") == (gain > 0)
        assert marks == (["{$^{**}$}"] if p < 0.01 else ["{$^{*}$}"] if p < 0.05 else [])
    same = run("score", "one.txt", "ref1.txt", "--ref", "ref1.txt", "--significance", "bootstrap", "--format", "table")
    assert "(better, p < 0.001**)" in same.stdout or "(better, p = 0.0" in same.stdout


def test_every_option_of_sacrebleu_is_taken_or_refused_with_what_it_is_called_here(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It has a broken pipe end the process that imports it, which would be that of all later tests.
    before = signal.getsignal(signal.SIGPIPE)
    program = pytest.importorskip("sacrebleu.sacrebleu")
    signal.signal(signal.SIGPIPE, before)
    parsers: list[argparse.ArgumentParser] = []
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", lambda parser, *_: parsers.append(parser))
    program.parse_args()
    theirs = {name for action in parsers[0]._actions for name in action.option_strings}
    assert {"--paired-bs", "-t", "--chrf-word-order"} <= theirs
    ours = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", run("score", "--help").stdout))
    assert theirs - ours - {"--version", "-V"} <= {*OPTIONS_OF_SACREBLEU, *SPELLED_BY_SACREBLEU}
    assert not ours & {*OPTIONS_OF_SACREBLEU, *SPELLED_BY_SACREBLEU}, "what is here is not refused"
    assert {words.split()[0] for words in SPELLED_BY_SACREBLEU.values()} <= ours
    for name, told in OPTIONS_OF_SACREBLEU.items():
        for word in (name, f"{name}=2"):
            result = run("score", "ref.txt", "-i", "hyp.txt", word)
            assert (result.exit_code, result.stdout) == (2, "")
            assert f"there is no {name}: {told}" in result.stderr
        for option in re.findall(r"(?<=here it is )--?[a-z-]+", told):
            assert option in ours, option


# Pieces of a model, which the user names or sacrebleu has, and Korean morphemes: where the packages are installed.


@pytest.fixture
def model(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small model in the place where sacrebleu keeps its own, which it takes without fetching any."""
    trainer = pytest.importorskip("sentencepiece").SentencePieceTrainer
    path = files / "sacrebleu" / "models" / "flores200sacrebleuspm"
    path.parent.mkdir(parents=True)
    lines = [line for texts in FILES.values() for line in texts if line] * 20
    with path.open("wb") as file:
        trainer.train(sentence_iterator=iter(lines), model_writer=file, vocab_size=50, minloglevel=2)
    monkeypatch.setenv("SACREBLEU", str(files / "sacrebleu"))
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR", str(files / "sacrebleu"))
    return path


@pytest.mark.parametrize("lowercase", [False, True])
def test_pieces_are_those_of_sacrebleu(run: Run, files: Path, model: Path, lowercase: bool) -> None:
    bleu = pytest.importorskip("sacrebleu.metrics").BLEU(tokenize="flores200", lowercase=lowercase)
    expected = bleu.corpus_score(list(FILES["two.txt"]), [list(FILES["ref1.txt"]), list(FILES["ref2.txt"])]).score
    words = ["ref1.txt", "ref2.txt", "-i", "two.txt", *(["-lc"] if lowercase else []), "--json"]
    named, of_sacrebleu = (
        json.loads(run("score", *words, "-tok", name).stdout)[0] for name in (f"flores200={model}", "flores200")
    )
    assert named["score"] == of_sacrebleu["score"] == pytest.approx(expected, abs=1e-9)
    assert named["signature"] == of_sacrebleu["signature"]
    digest = hashlib.sha256(model.read_bytes()).hexdigest()[:16]
    assert f"|tok:flores200-{digest}|" in named["signature"]


def test_a_model_is_asked_for_and_other_files_are_none(run: Run, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU", str(files / "none"))
    call = ("score", "ref1.txt", "-i", "one.txt", "-tok")
    for name, code, told in (
        ("flores200", 2, "flores200 needs its model: flores200=FILE, which is at https://tinyurl.com/flores200sacrebl"),
        ("spm=none.model", 3, "none.model: no such file"),
        ("13b", 2, "unknown tokenisation '13b'; there are none, 13a"),
        ("13a=ref1.txt", 2, "unknown tokenisation '13a=ref1.txt'"),
    ):
        result = run(*call, name)
        assert (result.exit_code, result.stdout, told in result.stderr) == (code, "", True), result.stderr
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "sentencepiece", None)
        assert "pip install sentencepiece" in run(*call, "flores101=ref1.txt").stderr
    pytest.importorskip("sentencepiece")
    assert "is not a model of SentencePiece" in run(*call, "flores101=ref2.txt").stderr


def test_pieces_are_kept_verified_and_marked(run: Run, generated: Path, files: Path, model: Path) -> None:
    call = ("two.txt", "--ref", "ref1.txt", "--tokenise", f"flores200={model.relative_to(files)}", "--order", "2")
    assert run("score", *call, "--store").exit_code == 0
    assert run("verify").exit_code == 0
    traced = json.loads(run("trace", "--score", "1", "--segment", "1", "--json").stdout)
    assert "▁" in traced["ngrams"][0]["ngram"] or "▁" in "".join(each["ngram"] for each in traced["ngrams"])
    assert unit_places("The dog.", ["▁The", "▁d", "og", "."]) == [(0, 3), (4, 5), (5, 7), (7, 8)]
    model.unlink()
    assert run("verify").exit_code == 3


def test_korean_is_that_of_sacrebleu(run: Run, files: Path) -> None:
    texts = {
        "ko.ref": "나는 학교에 갑니다.\n오늘은 날씨가 좋다.\n",
        "ko.hyp": "나는 학교에 갔다.\n오늘 날씨가 좋습니다.\n",
    }
    for name, text in texts.items():
        (files / name).write_text(text, encoding="utf-8")
    result = run("score", "ko.ref", "-i", "ko.hyp", "-tok", "ko-mecab", "--json")
    try:
        bleu = pytest.importorskip("sacrebleu.metrics").BLEU(tokenize="ko-mecab")
    except RuntimeError:
        assert (result.exit_code, "pip install 'sacrebleu[ko]'" in result.stderr) == (2, True)
        return
    hypotheses, references = (texts[name].splitlines() for name in ("ko.hyp", "ko.ref"))
    expected = bleu.corpus_score(hypotheses, [references]).score
    assert json.loads(result.stdout)[0]["score"] == pytest.approx(expected, abs=1e-9)


def test_an_output_that_is_piped_in_is_scored_with_the_files(run: Run, files: Path) -> None:
    """As `cat HYP | sacrebleu REF...`; files behind names of their own, or nothing piped in, are what they were."""
    piped = "".join(f"{line}\n" for line in FILES["two.txt"])
    expected = run("score", "ref1.txt", "ref2.txt", "-i", "two.txt", "--json")
    for words in (("ref1.txt", "ref2.txt"), ("-m", "bleu", "ref1.txt", "ref2.txt")):
        found = run("score", *words, "--json", stdin=piped)
        assert "the output is what was piped in; references: ref1.txt, ref2.txt" in found.stderr
        for name in ("score", "signature"):
            assert [each[name] for each in json.loads(found.stdout)] == [
                each[name] for each in json.loads(expected.stdout)
            ]
    for call in ("two.txt --ref ref1.txt", "ref1.txt -i two.txt", "- --ref ref1.txt"):
        result = run("score", *call.split(), stdin=piped)
        assert (result.exit_code, "piped in" in result.stderr) == (0, False)
        name = json.loads(run("score", *call.split(), "--json", stdin=piped).stdout)[0]["system"]
        assert name == ("stdin" if "-" in call.split() else Path(call.split()[-1 if "-i" in call else 0]).stem)
    sent = [Output(Path(each).stem, Path(each), ()) for each in ("/dev/fd/63", "a.txt", "/dev/fd/62", "-")]
    assert [each.system for each in with_distinct_names(sent)] == ["pipe 1", "a", "pipe 2", "stdin"]
    refused = run("score", "ref1.txt", stdin="")
    assert (refused.exit_code, "where are the references?" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("--paired-bs -pbsn 50", "--significance bootstrap --samples 50"),
        ("-par --paired-ar-n=50", "--significance randomisation --samples 50"),
        ("-ci -cin 50 -f tsv", "--confidence --samples 50 --format tsv"),
    ],
)
def test_options_are_taken_as_sacrebleu_calls_them(run: Run, files: Path, theirs: str, ours: str) -> None:
    found = [run("score", "ref1.txt", "-i", "one.txt", "two.txt", *words.split()) for words in (theirs, ours)]
    assert found[0].stdout == found[1].stdout != ""
    assert found[0].exit_code == 0


def test_several_systems_have_a_line_each(run: Run, files: Path) -> None:
    words = ("score", "ref1.txt", "-i", "one.txt", "two.txt", "-m", "bleu", "chrf", "-b")
    found = json.loads(run(*words, "--json").stdout)
    by_line = [line.split("\t") for line in run(*words).stdout.splitlines()]
    assert [name for name, *_ in by_line] == ["one", "two"]
    assert [float(number) for _, *numbers in by_line for number in numbers] == found
    alone = [run(*words[:3], f"{name}.txt", "-b", "-sl").stdout.splitlines() for name in ("one", "two")]
    segments = [line.split("\t") for line in run(*words[:5], "-b", "-sl").stdout.splitlines()]
    assert segments == [[name, number] for name, own in zip(("one", "two"), alone, strict=True) for number in own]


@pytest.mark.parametrize("options", ["", "-f table", "--paired-ar -f table", "-sl"])
def test_an_output_that_is_given_twice_is_refused(options: str, run: Run, tmp_path: Path) -> None:
    """As there: "is already used to name a system"."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("one line\n", encoding="utf-8")
    result = run("score", "b.txt", "-i", "a.txt", "./a.txt", *options.split())
    assert result.exit_code == 2
    assert "a.txt is given twice" in result.stderr
