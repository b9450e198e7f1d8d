"""What made references are worth: the numbers of `agreement`, found by another way, and how references are chosen."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from calls import Run

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


@pytest.mark.parametrize("metric", ["bleu", "nist", "chrf"])
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


def test_sets_are_taken_together(evaluation: Path, run: Run) -> None:
    (evaluation / "other.en").write_text((evaluation / "second.en").read_text(encoding="utf-8"), encoding="utf-8")
    found = gains(run, "--metric", "bleu", "--made", "made.jsonl", "--made", "generated:other.en", "--numbers", "9")
    together = next(each for key, each in found.items() if key[3] == "all made")
    assert together["segments"] == SEGMENTS and together["per_segment"] > 2.9
    table = run(*CALL, "--made", "made.jsonl", "--format", "table").stdout.splitlines()
    assert table[0].split()[:4] == ["metric", "level", "statistic", "references"] and "signature" not in table[0]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((), 2, "what was made? Give --made FILE"),
        (("--made", "generated:ref.en"), 2, "there is nothing beside the human references"),
        (("--made", "made.jsonl", "--made", "made.jsonl"), 2, "two sets are called 'made'"),
        (("--made", "made.jsonl", "--validities", "2"), 2, "--validities takes numbers from 0 to 1"),
        (("--second", "short.en"), 3, "second human has references of 3 segments, not of 40"),
    ],
)
def test_what_cannot_be_measured(evaluation: Path, run: Run, arguments: tuple[str, ...], code: int, told: str) -> None:
    (evaluation / "short.en").write_text("a\nb\nc\n", encoding="utf-8")
    result = run(*CALL, *arguments)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr
