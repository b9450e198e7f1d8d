"""The study of Japanese rules: against sacrebleu, scipy and scoring again, and its command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from calls import Run, document, write_files

from corpusdb.base.jobs import finished
from corpusdb.base.tokenisation import sudachi_analyser, tokeniser
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.segments import Output, SegmentDocument
from corpusdb.rules.commands import DEFAULT_MOST
from corpusdb.rules.rewriting import DEFAULT_CAP, Expansion, load_rules
from corpusdb.rules.rule import RuleSet
from corpusdb.scoring.queries.scoring import Sampling
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.studies.queries.rules import (
    METHODS,
    MethodScores,
    Rewritten,
    RuleStudy,
    RuleStudyInput,
    method_scores,
    rewrite,
    rule_study,
)

# The study of Japanese rules: against sacrebleu, scipy and scoring again without a rule.


pytestmark = pytest.mark.usefixtures("recorded_morphemes")

REFERENCES = (
    ("彼は昨日本を読んだ。",),
    ("私は学生だ。", "私は学生なのだ。"),
    ("分らないことは先生に聞く。",),
    ("彼女は来なかった。",),
    ("今日の天気",),
)
SYSTEMS = {
    "polite": (
        *("彼は昨日本を読みました。", "私は学生です。", "分からないことは先生に聞きます。", "彼女は来ませんでした。"),
        "今日の天気",
    ),
    "plain": (
        *("彼は昨日その本を読んだ。", "私は生徒だ。", "知らないことは先生に聞く。", "彼女が来なかった。"),
        "今日の天候",
    ),
    "poor": ("昨日は読みます。", "私学生。", "先生に分からない。", "彼女来る。", "天気は今日"),
}
NAMES = ("verb-past", "verb", "da", "verb-negative-past", "no-n", "te-iru")
ALL_RULES = load_rules()
RULES = RuleSet(ALL_RULES.rules, frozenset(ALL_RULES.names) - {*NAMES})  # what others make is not recorded
HUMAN = {"raw": np.array([90.0, 70.0, 20.0]), "z": np.array([0.5, 0.4, -0.9])}


def study_input() -> RuleStudyInput:
    sets = tuple(ReferenceSet(str(number), "", texts) for number, texts in enumerate(REFERENCES, 1))
    labels = tuple(tuple("file" for _ in texts) for texts in REFERENCES)
    return RuleStudyInput(
        outputs=[Output(name, Path(name), texts) for name, texts in SYSTEMS.items()],
        references=ScoringReferences(sets, labels, "files", {}),
        human=HUMAN,
        rules=RULES,
        analyser=sudachi_analyser(),
        parts=[SegmentDocument("first", 0, 2), SegmentDocument("rest", 2, 3)],
        without=["poor"],
        sampling=Sampling(samples=50, seed=3),
    )


@cache
def rewritten() -> Rewritten:
    return finished(rewrite(REFERENCES, RULES, sudachi_analyser(), 16))


@cache
def studied() -> RuleStudy:
    return finished(rule_study(study_input()))


def scored(name: str) -> MethodScores:
    method = next(each for each in METHODS if each.name == name)
    return method_scores(method, list(SYSTEMS.values()), REFERENCES, rewritten())


def references_of(name: str) -> list[list[str]]:
    kind = {"B1": None, "B2": None, "B3": "polite", "B4": "all"}[name]
    if kind is None:
        return [list(texts) for texts in REFERENCES]
    return [_texts(texts, made) for texts, made in zip(REFERENCES, rewritten().expansions[kind], strict=True)]


def _texts(given: Sequence[str], made: Sequence[Expansion]) -> list[str]:
    return list(dict.fromkeys([*given, *(each.text for one in made for each in one.rewritings)]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["B1", "B2", "B3", "B4"])
def test_scores_are_those_of_sacrebleu_on_the_same_tokens(name: str) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    tokens = tokeniser("ja-sudachi" if name == "B1" else "ja-sudachi-pos")
    cut = [[" ".join(tokens(text)) for text in texts] for texts in references_of(name)]
    most = max(map(len, cut))
    streams = [[texts[number] if number < len(texts) else None for texts in cut] for number in range(most)]
    rows = {each.system: each.scores[name] for each in studied().systems}
    for system, texts in SYSTEMS.items():
        hypotheses = [" ".join(tokens(text)) for text in texts]
        theirs = sacrebleu.corpus_bleu(
            hypotheses, streams, tokenize="none", smooth_method="none", force=True, use_effective_order=False
        )
        assert rows[system] == pytest.approx(theirs.score / 100, abs=1e-9)


def test_polite_output_gains_and_nothing_loses_matches() -> None:
    rows = {each.system: each.scores for each in studied().systems}
    assert rows["polite"]["B3"] > rows["polite"]["B2"] + 0.1
    given, polite, every = (scored(name).statistics[..., :4] for name in ("B2", "B3", "B4"))
    assert (polite >= given).all() and (every >= polite).all()


@pytest.mark.parametrize("rule", ["verb-past", "verb", "da", "verb-negative-past"])
def test_without_a_rule_its_references_are_lost(rule: str) -> None:
    whole = scored("B4")
    touched, rows = whole.without(rule)
    less = {
        kind: [[_without(each, rule) for each in segment] for segment in segments]
        for kind, segments in rewritten().expansions.items()
    }
    again = method_scores(whole.method, list(SYSTEMS.values()), REFERENCES, replace(rewritten(), expansions=less))
    assert len(touched)
    assert rows.tolist() == again.statistics[:, touched].tolist()
    others = np.setdiff1d(np.arange(len(REFERENCES)), touched)
    assert whole.statistics[:, others].tolist() == again.statistics[:, others].tolist()


def _without(expansion: Expansion, rule: str) -> Expansion:
    kept = tuple(each for each in expansion.rewritings if rule not in {step.rule for step in each.lineage})
    return replace(expansion, rewritings=kept)


def test_the_effect_of_a_rule_is_the_difference_of_two_correlations() -> None:
    stats = pytest.importorskip("scipy.stats")
    whole = scored("B4")
    touched, rows = whole.without("verb-past")
    statistics = whole.statistics.copy()
    statistics[:, touched] = rows
    before, after = (whole.scores(each.sum(axis=1)) for each in (whole.statistics, statistics))
    for effect in studied().effects:
        if effect.rule != "verb-past":
            continue
        measure = stats.pearsonr if effect.correlation.statistic == "pearson" else stats.kendalltau
        human = HUMAN[effect.human]
        assert effect.correlation.value == pytest.approx(measure(after, human).statistic)
        expected = measure(after, human).statistic - measure(before, human).statistic
        assert effect.correlation.difference == pytest.approx(expected)
        assert effect.segments == len(touched)


def test_correlations_of_all_and_of_parts() -> None:
    stats = pytest.importorskip("scipy.stats")
    found = {
        (each.part, each.systems, each.human, each.method): each
        for each in studied().agreement
        if each.correlation.statistic == "pearson"
    }
    assert {part for part, *_ in found} >= {"all", "first", "rest", "reference plain", "reference without predicate"}
    assert {systems for _, systems, *_ in found} == {"all", "without poor"}
    rest = scored("B3").statistics[:, 2:]
    scores = scored("B3").scores(rest.sum(axis=1))
    ours = found["rest", "all", "z", "B3"]
    assert ours.segments == 3
    assert ours.correlation.value == pytest.approx(stats.pearsonr(scores, HUMAN["z"]).statistic)
    base = found["rest", "all", "z", "B1"].correlation
    assert base.difference is None and ours.correlation.difference is not None and base.value is not None
    assert ours.correlation.difference == pytest.approx((ours.correlation.value or 0) - base.value)
    assert found["all", "without poor", "raw", "B1"].correlation.systems == 2


def test_a_part_may_be_called_all() -> None:
    given = replace(study_input(), parts=[SegmentDocument("all", 0, 2)], each_rule=False)
    assert {each.segments for each in finished(rule_study(given)).agreement if each.part == "all"} == {2, 5}


def test_the_figure_goes_from_the_worst_to_the_best() -> None:
    first, *_, last = studied().systems
    assert (first.system, last.system) == ("polite", "poor")
    assert {*first.normalised.values()} == {1.0} and {*last.normalised.values()} == {0.0}


def test_coverage_and_styles() -> None:
    polite, every = studied().coverage
    assert studied().styles == {"plain": 4, "none": 1}
    assert (polite.references, polite.with_predicate, polite.rewritten_with_predicate) == (5, 4, 4)
    assert every.rewritten >= polite.rewritten and every.drawn == 4
    assert studied().respellings == 1


def test_a_second_run_is_the_same() -> None:
    assert finished(rule_study(study_input())) == studied()


def test_rules_need_not_be_left_out() -> None:
    assert finished(rule_study(replace(study_input(), each_rule=False))).effects == ()


FILES = {
    "ref.ja": ("彼は昨日本を読んだ。", "私は学生だ。", "彼女は来なかった。", "今日の天気"),
    "polite.ja": ("彼は昨日本を読みました。", "私は学生です。", "彼女は来ませんでした。", "今日の天気"),
    "plain.ja": ("彼は昨日その本を読んだ。", "私は生徒だ。", "彼女が来なかった。", "今日の天候"),
    "poor.ja": ("昨日は読みます。", "私学生。", "彼女来る。", "天気は今日"),
    "human.tsv": ("system\traw\tz", "polite\t90\t0.5", "plain\t70\t0.4", "poor\t20\t-0.9"),
    "parts.tsv": ("doc\tfirst_segment\tn_segments", "first\t0\t2", "second\t2\t2"),
    "english.ja": ("He read a book.", "I am a student.", "She did not come.", "The weather today"),
}
CALL = ("rules", "study", "polite.ja", "plain.ja", "poor.ja", "--ref", "ref.ja", "--human", "human.tsv")
QUICK = ("--samples", "20", "--rules", "verb-past,da,verb-negative-past")


@pytest.fixture
def files(run: Run, tmp_path: Path) -> Path:
    write_files(tmp_path, FILES)
    return tmp_path


def test_the_document_has_every_table(run: Run, files: Path) -> None:
    found = document(run(*CALL, *QUICK, "--human-column", "raw,z", "--by", "parts.tsv", "--json"))
    assert [each["system"] for each in found["systems"]] == ["polite", "plain", "poor"]
    assert {each["rule"] for each in found["effects"]} == {"verb-past", "da", "verb-negative-past"}
    assert {each["part"] for each in found["agreement"]} >= {"all", "first", "second"}
    assert found["rules"] == {"polite": 3}
    assert found["analyser"].startswith("sudachi")


def test_tables_stand_beside_those_of_the_paper(run: Run, files: Path) -> None:
    result = run(*CALL, *QUICK, "--format", "table")
    assert result.exit_code == 0, result.stderr
    for title in ("Table 2.", "Figure 1.", "Correlation with people", "Table 3.", "section 4.1"):
        assert title in result.stdout
    assert "paper, Pearson" in result.stdout and "0.931" in result.stdout
    assert "B3 against B1, Pearson with z" in result.stdout


def test_rows_have_one_number_each(run: Run, files: Path) -> None:
    result = run(*CALL, *QUICK, "--no-each-rule", "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {row["table"] for row in rows} == {"2", "figure 1", "4.1"}
    assert all(isinstance(row["value"], int | float) or row["reason"] for row in rows)
    theirs = {(row["system"], row["method"], row["statistic"]): row["value"] for row in rows if row["table"] == "2"}
    assert theirs["paper S5", "B1", "bleu"] == 0.183 and theirs["paper", "B4", "pearson"] == 0.931


@pytest.mark.slow
def test_images_replace_nothing_unasked(run: Run, files: Path) -> None:
    pytest.importorskip("matplotlib")
    image = files / "figures" / "figure-1.svg"
    assert run(*CALL, *QUICK, "--no-each-rule", "--svg", "figures").exit_code == 0
    first = image.read_bytes()
    again = run(*CALL, *QUICK, "--no-each-rule", "--svg", "figures")
    assert (again.exit_code, image.read_bytes()) == (2, first)
    assert run(*CALL, *QUICK, "--no-each-rule", "--svg", "figures", "--overwrite").exit_code == 0
    assert image.read_bytes() == first
    assert run(*CALL, *QUICK, "--no-each-rule", "--svg", "others").exit_code == 0
    assert (files / "others" / "figure-1.svg").read_bytes() == first


def test_effects_are_kept(run: Run, files: Path) -> None:
    (files / "pairs.tsv").write_text("eng\tjpn\nHe read.\t彼は読んだ。\n", encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,jpn").exit_code == 0
    result = run(*CALL, *QUICK, "--keep")
    assert result.exit_code == 0, result.stderr
    rows = json.loads(run("sql", "select count(*), count(distinct rule) from rule_effect", "--json").stdout)["rows"]
    assert rows == [[6, 3]]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--human-column", "stars"), 3, "no column 'stars'"),
        (("--without", "nobody"), 2, "no output is of a system 'nobody'"),
        (("--without", "polite,plain"), 2, "at least two systems"),
        (("--rules", "no-such-rule"), 2, "no-such-rule"),
        (("--ref", "english.ja"), 3, "english.ja"),
    ],
)
def test_what_cannot_be_studied_is_told_in_one_line(
    words: tuple[str, ...], code: int, said: str, run: Run, files: Path
) -> None:
    call = [word for word in CALL if word != "ref.ja"] if "--ref" in words else [*CALL]
    if "--ref" in words:
        call.remove("--ref")
    result = run(*call, "--samples", "20", *words)
    assert (result.exit_code, said in result.stderr) == (code, True), result.stderr


def test_systems_without_human_scores_are_left_out(run: Run, files: Path) -> None:
    (files / "new.ja").write_bytes((files / "poor.ja").read_bytes())
    result = run(*CALL, "new.ja", *QUICK, "--no-each-rule", "--json")
    assert "left out, without human scores: new" in result.stderr
    assert len(json.loads(result.stdout)["systems"]) == 3


def test_the_most_rewritings_are_those_of_the_engine() -> None:
    assert DEFAULT_MOST == DEFAULT_CAP
