"""The options of the filter: one name each, in every command, and what is said beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

COMMANDS = (
    ("paraphrases",),
    ("generate",),
    ("references",),
    ("statistics",),
    ("session", "new"),
    ("session", "order"),
    ("judge", "sample"),
    ("score",),
    ("study", "precision"),
    ("study", "reference-sets"),
)
TOLD = "eng is the one pivot language of fra and does not mark address, gender or number of those addressed"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_threshold_has_one_name(run: Run, command: tuple[str, ...]) -> None:
    told = run(*command, "--help").stdout
    options = {name: line for line in told.splitlines() for name in re.findall(r"(?<![\w-])--?[\w-]+", line[:32])}
    assert "-T" not in options
    for short, long in (("-N", "--fluency"), ("-V", "--min-validity")):
        assert options.get(short) == options.get(long)
    assert "-V" in options or command == ("study", "precision")
    assert "--order" not in options or command == ("score",), "there it is the longest n-gram"


@pytest.mark.parametrize(
    "words",
    [("--order", "1", "-T", "0.3"), ("--order=1", "-T0.3"), ("-N", "1", "-V", "0.3"), ("--fluency=1", "-V0.3")],
)
def test_former_names_are_understood(run: Run, generated: Path, words: tuple[str, ...]) -> None:
    seed = "A slice of pizza, please."
    (found,) = json.loads(run("paraphrases", seed, *words, "--json").stdout)
    assert found["text"] == "Can I have a slice of pizza?"
    assert "-T 0.3" in run("paraphrases", "-N0", "--json", "--", "-T 0.3").stderr, "behind -- nothing is an option"


@pytest.fixture
def french(run: Run, tmp_path: Path) -> list[tuple[str, str]]:
    """The paper's example as if it were French: all translations are into English."""
    rows = [
        ("Une part de pizza, svp.", "slice"),
        ("Une bière, svp.", "beer"),
        ("Puis-je avoir une bière ?", "beer"),
        ("Je veux une bière, svp.", "want beer"),
        ("Je veux une part de pizza, svp.", "want slice"),
    ]
    (tmp_path / "french.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")
    assert run("import", "french.tsv", "--lang", "fra,eng", "--header", "no").exit_code == 0
    return rows


def test_one_pivot_language_is_told_and_never_an_empty_silence(
    run: Run, french: list[tuple[str, str]], tmp_path: Path
) -> None:
    generated = run("generate", "--lang", "fra", "--json")
    assert TOLD in generated.stderr
    pivot = json.loads(generated.stdout)["pivot"]
    assert (pivot["language"], pivot["unseen"][:2]) == ("eng", ["address", "gender"])
    for words in (("paraphrases", "Une bière, svp."), ("references", "Une bière, svp.", "--lang", "fra", "-o", "out")):
        told = run(*words).stderr
        assert told.count(TOLD) == 1, told
        assert ("-V 0.475" in told, "of such pairs that were read 17 to 18% held" in told) == (False, True)
    shown = json.loads(run("paraphrases", "Une bière, svp.", "-N", "0", "-V", "0", "--json").stdout)
    assert shown
    assert max(each["validity"] for each in shown) <= 0.5
    asked = ("references", "Une bière, svp.", "--lang", "fra", "-N", "0", "-o", "some", "--json")
    written = run(*asked)
    assert json.loads(written.stdout)["validity"] <= 0.5
    assert "are expected to hold" not in written.stderr
    assert "hold is not known: eng is the one pivot language, which does not mark address" in written.stderr
    explained = run("explain", "Une bière, svp.", shown[0]["text"]).stdout
    assert "multiplied by 0.5: eng is the one pivot language, which does not mark address, gender, number" in explained


def test_another_pivot_language_ends_it(run: Run, french: list[tuple[str, str]], tmp_path: Path) -> None:
    assert TOLD in run("generate", "--lang", "fra").stderr
    (tmp_path / "german.tsv").write_text("".join(f"{one}\tD{other}\n" for one, other in french), encoding="utf-8")
    assert run("import", "german.tsv", "--lang", "fra,deu", "--header", "no").exit_code == 0
    assert "pivot language" not in run("paraphrases", "Une bière, svp.").stderr
    report = run("generate", "--lang", "fra", "--json")
    assert ("pivot" in json.loads(report.stdout), "pivot language" in report.stderr) == (False, False)


def test_english_through_french_alone_is_shown(run: Run, generated: Path) -> None:
    """Of 60 such pairs of Tatoeba that were read 59 held: French marks what English has to say."""
    told = run("paraphrases", "A beer, please.", "-V", "0.5", "--json")
    assert ("pivot language" in told.stderr, len(json.loads(told.stdout))) == (False, 1)
    assert "fra is the one pivot language of eng: no other can confirm" in run("generate", "--lang", "eng").stderr
