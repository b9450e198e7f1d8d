"""`corpusdb translations --cooccurring`, against counting by sets."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from calls import Run

from corpusdb.search.lexical import log_dice, log_likelihood

CHOICE = random.Random(3)
PAIRS = [
    (f"{' '.join(CHOICE.choices('abcde', k=4))} {number}", f"{' '.join(CHOICE.choices('uvwxyz', k=5))} {number}")
    for number in range(80)
]
PAIRS += [(f"give it up {number}", f"laisse donc tomber {number}") for number in range(80, 95)]


@pytest.fixture
def corpus(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "p.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in PAIRS), encoding="utf-8")
    assert run("import", "p.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "holds"),
    [("a b", lambda text: "a b" in text), ('"give" []? "up"', lambda text: "give" in text), ("c", lambda t: "c" in t)],
)
def test_what_stands_in_translations_is_counted(run: Run, corpus: Path, asked: str, holds: object) -> None:
    def has(text: str, sequence: str) -> bool:
        return f" {sequence} " in f" {text} "

    assert callable(holds)
    chosen = {other for one, other in PAIRS if holds(one)}
    every = [other.split() for _, other in PAIRS]
    sequences = {" ".join(w[at : at + n]) for w in every for n in (1, 2, 3) for at in range(len(w) - n + 1)}
    expected = {}
    for each in sequences:
        count = sum(has(text, each) for text in chosen)
        frequency = sum(has(text, each) for _, text in PAIRS)
        likelihood = float(log_likelihood(count, len(chosen), frequency, len(PAIRS)))
        if count > 1 and likelihood >= 10.83 and count / len(chosen) > frequency / len(PAIRS):
            expected[each] = (count, frequency, float(log_dice(count, len(chosen), frequency)))
    expected = {
        each: figures
        for each, figures in expected.items()
        if not any(has(other, each) and other != each and expected[other][0] == figures[0] for other in expected)
    }
    result = run("translations", asked, "--with", "fra", "--lang", "eng", "--cooccurring", "-n", "0", "--json")
    found = {each["text"]: (each["count"], each["frequency"], each["logdice"]) for each in json.loads(result.stdout)}
    assert found == {each: pytest.approx(figures) for each, figures in expected.items()}
    assert result.exit_code == (0 if found else 1)
    if "give" in asked:
        assert next(iter(found)) == "laisse donc tomber"
