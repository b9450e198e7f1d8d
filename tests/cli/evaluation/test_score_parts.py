"""`corpusdb score --by`, and the line that says that a test set stands far from the corpus that made its references."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from typer.testing import Result

from corpusdb.corpus.store import open_for_reading
from corpusdb.homogeneity.queries.profile_levels import entries_of
from corpusdb.homogeneity.queries.profiles import profiles_of

Run: TypeAlias = Callable[..., Result]

TALK = [f"{who} {what}, okay?" for who in ("yeah you", "so we", "hey they") for what in ("know", "go", "eat", "sleep")]
NEWS = [
    f"The {who} {what} on Tuesday." for who in ("minister", "committee") for what in ("announced it", "met", "fell")
]
TEST = [*(f"{line} right" for line in TALK), *(f"{line} Officials said so." for line in NEWS), "Okay.", "minister"]


def written(name: str, lines: list[str]) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return name


@pytest.fixture
def corpus(run: Run, tmp_path: Path) -> Path:
    """A corpus that holds the references, a profile of it, and the outputs of two systems."""
    rows = [f"{text}\tphrase {number}" for number, text in enumerate(TEST)]
    assert run("import", written("both.tsv", rows), "--lang", "eng,fra", "--header", "no").exit_code == 0
    written("talk.txt", TALK)
    written("news.txt", NEWS)
    written("r.txt", TEST)
    written("h.txt", [line.replace("so", "thus").replace("The", "A") for line in TEST])
    written("g.txt", [line.upper() for line in TEST])
    return tmp_path


@pytest.fixture
def profiled(run: Run, corpus: Path) -> Path:
    assert run("profile", "--lang", "eng", "--spoken", "talk.txt", "--written", "news.txt").exit_code == 0
    return corpus


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
    wide = run(*BY, "--format", "markdown").stdout
    assert wide.count("| all |") == 2 and "[" in wide and "metric:bleu" in wide


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            (*SCORE, "--by", "coefficient", "--lang", "fra"),
            3,
            "there is no profile of fra; `corpusdb profile --lang fra",
        ),
        ((*SCORE, "--by", "coefficient"), 2, "in which language are the references?"),
        ((*BY, "--segments"), 2, "--by tells scores of parts with their intervals, without --segments"),
        ((*BY, "--significance", "bootstrap"), 2, "without --significance"),
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


def test_a_test_set_that_is_far_is_told(run: Run, large: list[str]) -> None:
    for name, is_far in (("near", False), ("far", True)):
        result = run("references", f"@{name}.txt", "-o", name, "--lang", "eng", "--json")
        assert result.exit_code == 0, result.stderr
        told = json.loads(result.stdout)["corpus"]
        assert (told["language"], told["far"], told["bits"] > told["high"]) == ("eng", is_far, is_far)
        assert ("the test set stands far from the corpus that made its references" in result.stderr) == is_far
        output = written(f"{name}.h", ["cat dog"] * 22)
        score = run("score", output, "--ref-from", "corpus", "--source", f"{name}.txt", "--lang", "eng", "--json")
        assert [document["corpus"] for document in documents(score)] == [told]
        assert ("the test set stands far" in score.stderr) == is_far


def test_nothing_is_said_of_references_that_no_corpus_made(run: Run, large: list[str]) -> None:
    written("r.txt", large)
    result = run("score", "r.txt", "--ref", "r.txt", "--json")
    assert "corpus" not in documents(result)[0] and "far" not in result.stderr
