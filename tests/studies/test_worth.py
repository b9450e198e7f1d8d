"""What made references are worth: the numbers of `agreement`, found by another way, and how references are chosen."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from calls import Run

SAID_ALIKE = {"cat": "animal", "dog": "animal", "sat": "être", "slept": "être", "red": "teint", "tree": "plante"}
WORDS = "the cat dog sat ran on under mat tree and then slept again near a red house".split()
SEGMENTS = 40


@pytest.fixture
def evaluation(tmp_path: Path) -> Path:
    """Outputs of three systems with ratings, two human references, and a set that was made for some segments."""
    rng = random.Random(7)
    human = [" ".join(rng.choices(WORDS, k=9)) for _ in range(SEGMENTS)]

    def changed(text: str, words: int) -> str:
        parts = text.split()
        for place in rng.sample(range(len(parts)), words):
            parts[place] = rng.choice(WORDS)
        return " ".join(parts)

    def write(name: str, texts: list[str]) -> None:
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    write("ref.en", human)
    write("source.fr", [" ".join(SAID_ALIKE.get(word, f"{word}_") for word in text.split()) for text in human])
    write("second.en", [changed(text, 3) for text in human])
    ratings = ["system\tsegment\tz"]
    for system, words in (("a", 1), ("b", 3), ("c", 5)):
        write(f"{system}.en", [changed(text, words) for text in human])
        ratings += [f"{system}\t{number}\t{rng.gauss(-words, 2):.3f}" for number in range(SEGMENTS)]
    write("human.tsv", ratings)
    lines = []
    for number, text in enumerate(human):
        texts = [text, changed(text, 2), changed(text, 4)] if number % 3 else [text]
        row = {"id": str(number + 1), "source": "", "references": texts}
        row |= {"origin": ["original", "generated", "generated"][: len(texts)]}
        lines.append(json.dumps(row | {"validity": [None, 0.97, 0.6][: len(texts)]}))
    write("made.jsonl", lines)
    return tmp_path


CALL = ("study", "worth", "a.en", "b.en", "c.en", "--ref", "ref.en", "--human", "human.tsv", "--samples", "50")


Key: TypeAlias = tuple[str, str, str, str]
"""Metric, level, statistic, and the choice of references."""


def gains(run: Run, *arguments: str) -> dict[Key, dict[str, Any]]:
    result = run(*CALL, *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["gains"]
    return {(each["metric"], each["level"], each["statistic"], each["references"]): each for each in found}


def agreement(run: Run, metric: str, *references: str) -> dict[tuple[str, str], float]:
    arguments = ("agreement", "a.en", "b.en", "c.en", "--human", "human.tsv", "--samples", "50", "--metric", metric)
    result = run(*arguments, *references, "--json")
    assert result.exit_code == 0, result.stderr
    return {
        (each["level"], each["statistic"]): each["value"] for each in json.loads(result.stdout) if "statistic" in each
    }


@pytest.mark.parametrize("metric", ["bleu", *(pytest.param(each, marks=pytest.mark.slow) for each in ("nist", "chrf"))])
def test_the_numbers_are_those_of_agreement(evaluation: Path, run: Run, metric: str) -> None:
    found = gains(run, "--metric", metric, "--made", "made.jsonl", "--second", "second.en")
    for choice, references in (
        ("one human", ("--ref", "ref.en")),
        ("made", ("--ref", "made.jsonl")),
        ("second human", ("--ref", "ref.en", "--ref", "second.en")),
        ("second human and all made", ("--ref", "made.jsonl", "--ref", "second.en")),
    ):
        expected = agreement(run, metric, *references)
        own = {key[1:3]: each for key, each in found.items() if key[3] == choice}
        assert set(own) <= set(expected) and ("segment", "pearson") in own
        for figure, each in own.items():
            assert each["value"] == pytest.approx(expected[figure], abs=1e-9)
    for key, each in found.items():
        if key[3] != "one human":
            alone = found[key[0], key[1], key[2], "one human"]
            assert each["gain"] == pytest.approx(each["value"] - alone["value"], abs=1e-9)
            assert each["interval"]["low"] <= each["interval"]["high"] and 0 < each["p"] <= 1
        if key[3] == "second human" and each["gain"] > 0:
            assert each["of_second"] == 1


def test_references_are_chosen_by_validity_and_number(evaluation: Path, run: Run) -> None:
    found = gains(run, "--metric", "bleu", "--made", "mine:made.jsonl", "--validities", "0.5,0.9", "--numbers", "1")
    served = SEGMENTS - len(range(0, SEGMENTS, 3))
    counted = {key[3]: (each["segments"], round(each["per_segment"] * SEGMENTS)) for key, each in found.items()}
    # What has .5 is all, and the first of each is what has .9: such a choice is not shown twice.
    assert counted == {
        "one human": (0, SEGMENTS),
        "mine": (served, SEGMENTS + 2 * served),
        "mine, V >= 0.9": (served, SEGMENTS + served),
    }


def test_a_validity_of_nought_is_one(evaluation: Path, run: Run) -> None:
    rows = [json.loads(line) for line in (evaluation / "made.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["validity"] = [None, 0.97, 0.0][: len(row["references"])]
    (evaluation / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = gains(run, "--metric", "bleu", "--made", "made.jsonl", "--validities", "0.5", "--numbers", "9")
    served = SEGMENTS - len(range(0, SEGMENTS, 3))
    chosen = {key[3]: round(each["per_segment"] * SEGMENTS) for key, each in found.items()}
    assert chosen["made, V >= 0.5"] == SEGMENTS + served < chosen["made"]


@pytest.mark.slow
def test_sets_are_taken_together(evaluation: Path, run: Run) -> None:
    (evaluation / "other.en").write_text((evaluation / "second.en").read_text(encoding="utf-8"), encoding="utf-8")
    found = gains(run, "--metric", "bleu", "--made", "made.jsonl", "--made", "generated:other.en", "--numbers", "9")
    together = next(each for key, each in found.items() if key[3] == "all made")
    assert together["segments"] == SEGMENTS and together["per_segment"] > 2.9
    table = run(*CALL, "--made", "made.jsonl", "--format", "table").stdout.splitlines()
    assert table[0].split()[:4] == ["metric", "level", "statistic", "references"] and "signature" not in table[0]


EQUIVALENTS = ("--equivalents", "--source", "source.fr", "--anywhere")


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["bleu", "nist", "chrf"])
def test_equivalents_count_as_in_scores(evaluation: Path, run: Run, metric: str) -> None:
    """Pearson of the scores of segments that `score` has, with the same options."""
    systems, chosen = ["a.en", "b.en", "c.en"], ("--metric", metric, *EQUIVALENTS, "--credit", "0.5")
    found = gains(run, *chosen)
    smoothed = ("--smoothing", "exp") if metric == "bleu" else ()
    result = run("score", *systems, "--ref", "ref.en", *chosen, *smoothed, "--segments", "--json")
    scored = np.array([each["segments"] for each in json.loads(result.stdout)])
    rated = [line.split("\t") for line in (evaluation / "human.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    people = np.array([[float(z) for name, _, z in rated if f"{name}.en" == system] for system in systems])
    expected = np.corrcoef(scored.ravel(), people.ravel())[0, 1]
    alone, own = (found[metric_name(found), "segment", "pearson", name] for name in ("one human", "equivalents"))
    assert own["value"] == pytest.approx(expected, abs=1e-6) and own["value"] != alone["value"]
    assert "credit0.5" in own["signature"] and "credit" not in alone["signature"]


def metric_name(found: dict[Key, dict[str, Any]]) -> str:
    (name,) = {key[0] for key in found}
    return name


@pytest.mark.slow
def test_equivalents_stand_beside_what_was_made(evaluation: Path, run: Run) -> None:
    """As if all that one substitution makes were written, and the made references with it."""
    found = gains(run, "--metric", "bleu", "--made", "made.jsonl", *EQUIVALENTS, "--substitutions", "1")
    chosen = (*EQUIVALENTS[3:], "--substitutions", "1", "--equivalents-from", "bitext")
    result = run("references", "@source.fr", "--ref", "ref.en", "--add", "equivalents", *chosen, "-n", "0", "-o", "x")
    assert result.exit_code == 0, result.stderr
    written = [str(path.relative_to(evaluation)) for path in sorted((evaluation / "x").glob("ref*.txt"))]
    assert len(written) > 1
    for name, references in (("equivalents", written), ("all made and equivalents", [*written, "made.jsonl"])):
        expected = agreement(run, "bleu", *(part for each in references for part in ("--ref", each)))
        for key, each in found.items():
            if key[3] == name:
                assert each["value"] == pytest.approx(expected[key[1:3]], abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((), 2, "what was made? Give --made FILE"),
        (("--made", "generated:ref.en"), 2, "there is nothing beside the human references"),
        (("--made", "made.jsonl", "--made", "made.jsonl"), 2, "two sets are called 'made'"),
        (("--made", "made.jsonl", "--validities", "2"), 2, "--validities takes numbers from 0 to 1"),
        (("--second", "second.en", "--credit", "0.5"), 2, "--credit chooses equivalents, and needs --equivalents"),
        (("--equivalents", "--metric", "ter"), 2, "ter has no score with --equivalents"),
        (("--equivalents",), 2, "--source and --ref"),
        (("--second", "short.en"), 3, "second human has references of 3 segments, not of 40"),
    ],
)
def test_what_cannot_be_measured(evaluation: Path, run: Run, arguments: tuple[str, ...], code: int, told: str) -> None:
    (evaluation / "short.en").write_text("a\nb\nc\n", encoding="utf-8")
    result = run(*CALL, *arguments)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr
