"""The command translate: what it prints, where it abstains, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from calls import Prepare, Run
from typer.testing import Result

PAIRS = [
    ("Je chante.", "I sing."),
    ("Il chante.", "He sings."),
    ("Il danse.", "He dances."),
    ("Elle danse.", "She dances."),
    ("Elle chante bien.", "She sings well."),
]
FRENCH = ("--from", "fr", "--to", "en")


@pytest.fixture(autouse=True)
def corpus(run: Run, prepare: Prepare) -> None:
    """Two collections, one of which has one pair."""

    def fill() -> None:
        for name, pairs in (("main", PAIRS), ("more", [("Il mange.", "He eats.")])):
            rows = [f"{source}\t{target}\n" for source, target in pairs]
            Path(f"{name}.tsv").write_text("".join(rows), encoding="utf-8")
            assert run("import", f"{name}.tsv", "--lang", "fra,eng", "--name", name, "--header", "no").exit_code == 0

    prepare("translated", fill)


def table(result: Result) -> list[dict[str, str]]:
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_the_surest_rung_answers_first(run: Run) -> None:
    assert [
        (each["rung"], each["translation"]) for each in table(run("translate", "Je chante.", *FRENCH, "-n", "1"))
    ] == [("exact", "I sing.")]
    rows = table(run("translate", "Elle chante.", *FRENCH))
    assert (rows[0]["rung"], rows[0]["translation"], rows[0]["votes"]) == ("analogy", "She sings.", "1")
    assert rows[0]["from"].startswith("Il danse. : ") and {row["rung"] for row in rows[1:]} == {"memory"}
    result = run("translate", "Elle chante.", *FRENCH, "--explain", "-n", "1")
    assert "D  Elle chante. = She sings." in result.stdout and "Il danse. = He dances." in result.stdout


def test_a_nearest_example_shows_its_differences(run: Run) -> None:
    (row,) = table(run("translate", "Elle chante très bien.", *FRENCH, "-n", "1"))
    assert (row["rung"], row["from"]) == ("memory", "Elle chante{+ très+} bien.")
    (found,) = json.loads(run("translate", "Elle chante très bien.", *FRENCH, "-n", "1", "--json").stdout)
    assert found["translations"][0]["evidence"][0]["differences"] == [{"start": 11, "stop": 11, "text": " très"}]


def test_it_abstains_where_that_is_asked(run: Run) -> None:
    asked = ("translate", "Elle chante.", *FRENCH, "--method", "analogy", "--abstain")
    assert (
        run(*asked).exit_code == 1
        and "no translation: fewer than 2 analogies agree on one (analogy); without --abstain" in run(*asked).stderr
    )
    assert table(run(*asked, "--votes", "1"))[0]["translation"] == "She sings."
    near = ("translate", "Tu chantes bien.", *FRENCH, "--method", "memory")
    assert run(*near).exit_code == 0 and run(*near, "--abstain").exit_code == 1


def test_files_are_translated_line_by_line(run: Run, tmp_path: Path) -> None:
    Path("in.txt").write_text("Je chante.\n\nElle chante.\nxyz\n", encoding="utf-8")
    result = run("translate", "in.txt", *FRENCH)
    assert [(row["line"], row["rung"]) for row in table(result)] == [
        ("1", "exact"),
        ("2", ""),
        ("3", "analogy"),
        ("4", ""),
    ]
    assert "4 texts: 1 by exact, 1 by analogy, 2 without a translation" in result.stderr


def test_within_a_collection(run: Run) -> None:
    rows = table(run("translate", "Il chante.", *FRENCH, "--within", "more"))
    assert [(row["rung"], row["translation"]) for row in rows] == [("memory", "He eats.")]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("x", "--from", "fra", "--to", "fra"), 2, "these are one language"),
        (("x", "--from", "fra", "--to", "jpn"), 3, "the corpus has no sentences in 'jpn'; it has eng, fra"),
        (("x", "--from", "xx", "--to", "eng"), 3, "unknown language code 'xx'"),
        ((" ", *FRENCH), 2, "the text is empty"),
        (("x", *FRENCH, "--method", "guess"), 2, "there is no method 'guess'; there are exact, analogy"),
        (
            ("x", *FRENCH, "--method", "phrases"),
            3,
            "fra and eng are not aligned; run `corpusdb align --lang fra,eng` first",
        ),
        (("x", *FRENCH, "--votes", "3"), 2, "--votes and --fuzzy say when --abstain says nothing"),
        (("x", *FRENCH, "--fuzzy", "0.9"), 2, "--votes and --fuzzy say when --abstain says nothing"),
        (("x", *FRENCH, "--within", "none"), 3, "there is no collection 'none'"),
    ],
)
def test_what_it_refuses(words: tuple[str, ...], code: int, message: str, run: Run) -> None:
    result = run("translate", *words)
    assert result.exit_code == code and message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--method", "exact"), "no translation: the corpus has no translation of the text (exact)\n"),
        (("--method", "exact,analogy"), "(exact); no analogies agree on one (analogy)\n"),
        (("--method", "memory"), "no translation: no sentence shares a word with it (memory)\n"),
        (
            ("--method", "memory", "--abstain", "--fuzzy", "0.9"),
            "no sentence is like it by 0.9 (memory); without --abstain",
        ),
    ],
)
def test_why_there_is_no_translation_is_told_in_plain_words(run: Run, words: tuple[str, ...], told: str) -> None:
    result = run("translate", "Quoi", *FRENCH, *words)
    assert result.exit_code == 1
    assert told in result.stderr
