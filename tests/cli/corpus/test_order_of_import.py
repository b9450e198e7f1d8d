"""No figure depends on the order in which files come into the corpus: bit for bit, by text instead of number."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]
Figures: TypeAlias = dict[str, Any]

WORDS = "a big old cat dog sees likes the red hat very much".split()


def rows(chance: random.Random, language: str) -> Iterator[str]:
    """Sentences of few words with few translations, so that they share many."""
    for _ in range(120):
        sentence = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 5)))
        yield f"{sentence}.\t{language} {chance.randrange(20)}\n"


def figures_of(run: Run, database: Path, files: Sequence[Path]) -> Figures:
    """Everything that commands say of a corpus that is made of these files, in this order."""

    def document(*arguments: object) -> Any:
        result = run("--db", database, *arguments, "--json")
        assert result.exit_code in (0, 1), result.stderr
        return without_names_of_runs(json.loads(result.stdout))

    for path in files:
        language = path.stem
        assert run("--db", database, "import", path, "--lang", f"eng,{language}", "--no-follow").exit_code == 0
    texts = json.loads(run("--db", database, "search", "", "--lang", "eng", "-n", "0", "--json").stdout)["hits"]
    seeds = sorted(hit["text"] for hit in texts)
    found: Figures = {"detect": document("detect", "--lang", "eng")}
    found["generate"] = document("generate", "--lang", "eng", "-N", "3")
    for seed in seeds[::25]:
        found[f"paraphrases of {seed}"] = document("paraphrases", seed, "--lang", "eng", "-N", "0", "-n", "0")
    outside = "the big old dog sees the hat."
    found["outside"] = document("paraphrases", outside, "--lang", "eng", "-N", "0", "-n", "0")
    found["statistics"] = document("statistics", "--lang", "eng", "-N", "3")
    for name, arguments in {
        "frequencies": ("frequencies", "--dispersion"),
        "collocates": ("collocates", "the"),
        "keywords": ("keywords", "fra"),
    }.items():
        found[name] = by_text(document(*arguments, "--lang", "eng", "-n", "0"))
    found["paraphrase"] = sorted(run("--db", database, "sql", PAIRS, "-n", "0", "--format", "tsv").stdout.splitlines())
    return found


PAIRS = """
select a.text, b.text, translations, languages, printf('%!.20g', probability) from paraphrase
join sentence a on a.id = paraphrase.sentence join sentence b on b.id = paraphrase.paraphrase
"""


def without_names_of_runs(value: Any) -> Any:
    """The same without how long it took and the numbers of runs."""
    if isinstance(value, dict):
        return {key: without_names_of_runs(each) for key, each in value.items() if key not in ("seconds", "run")}
    return [without_names_of_runs(each) for each in value] if isinstance(value, list) else value


def by_text(value: Any) -> Any:
    """Rows that are equal in what they are sorted by come in any order."""
    if isinstance(value, dict):
        return {key: by_text(each) for key, each in value.items()}
    return sorted(map(by_text, value), key=repr) if isinstance(value, list) else value


@pytest.mark.parametrize("languages", ["fra deu jpn", pytest.param("fra deu jpn ita spa", marks=pytest.mark.slow)])
def test_figures_are_those_of_any_order(run: Run, tmp_path: Path, languages: str) -> None:
    chance = random.Random(1)
    files = []
    for language in languages.split():
        files.append(tmp_path / f"{language}.tsv")
        files[-1].write_text("eng\tother\n" + "".join(rows(chance, language)), encoding="utf-8")
    there = figures_of(run, tmp_path / "there.db", files)
    back = figures_of(run, tmp_path / "back.db", files[::-1])
    assert there.keys() == back.keys()
    assert len(there["paraphrase"]) > 500
    for name, figures in there.items():
        assert json.dumps(figures) == json.dumps(back[name]), name
