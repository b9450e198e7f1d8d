"""A test set that stands far from the corpus: every command says so, and expects nothing of the references."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries import likeness as corpus_nearness
from corpusdb.homogeneity.similarity import Nearness

Run: TypeAlias = Callable[..., Result]

FILES = {
    "ref.en": ("A slice of pizza, please.", "Nobody has ever written that."),
    "a.txt": ("Can I have a slice of pizza?", "x"),
    "b.txt": ("A pizza.", "Nobody has written that."),
}
REFERENCES = ("--ref", "ref.en", "--ref-from", "corpus", "-N", "0")
FAR = "the test set stands far from the corpus that made its references: 9.00 bits per character"
UNKNOWN = "hold is not known: what is expected is of sentences like those of the corpus"


def standing(monkeypatch: pytest.MonkeyPatch, bits: float) -> None:
    """Every test set costs so many bits, and 95 % of the documents of the corpus 1 to 2."""

    def found(store: Store, language: str, texts: Sequence[str]) -> Job[Nearness | None]:
        yield Progress("measuring", 0, 0)
        return Nearness(bits, 1.0, 2.0, 1.5, 0.0, 40, 1000, 1000)

    monkeypatch.setattr(corpus_nearness, "corpus_nearness", found)


@pytest.fixture
def far(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, lines in FILES.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    standing(monkeypatch, 9.0)
    return tmp_path


CALLS = (
    ("score", "a.txt", *REFERENCES),
    ("score", "a.txt", *REFERENCES, "--json"),
    ("references", *REFERENCES, "-o", "out"),
    ("references", *REFERENCES, "-o", "out", "--json"),
    ("compare", "a.txt", "b.txt", *REFERENCES),
    ("compare", "a.txt", "b.txt", *REFERENCES, "--section", "ngrams"),
    ("compare", "a.txt", "b.txt", *REFERENCES, "--json"),
    ("compare", "a.txt", "b.txt", *REFERENCES, "--format", "csv"),
)


@pytest.mark.parametrize("words", CALLS)
def test_all_say_the_same_of_a_set_that_is_far(run: Run, far: Path, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    told = result.stdout + result.stderr
    assert (told.count(FAR), told.count(UNKNOWN), "are expected to hold" in told) == (1, 1, False)
    if "--json" in words:
        found = json.loads(result.stdout)
        document = found[0] if isinstance(found, list) else found
        assert document["corpus"]["far"]
        assert document.get("validity") is None, "it is not known, as the line says"
        assert not any(document.get("validities", ()))


@pytest.mark.parametrize("words", CALLS)
def test_all_say_the_same_of_a_set_that_is_near(
    run: Run, far: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    standing(monkeypatch, 1.5)
    result = run(*words)
    told = result.stdout + result.stderr
    assert (told.count("are expected to hold"), "stands far" in told, UNKNOWN in told) == (1, False, False)


def test_stored_scores_are_compared_alike(run: Run, far: Path) -> None:
    assert run("score", "a.txt", "b.txt", *REFERENCES, "--store").exit_code == 0
    result = run("compare", "a", "b")
    assert (FAR in result.stderr, UNKNOWN in result.stdout) == (True, True), result.stderr


def test_nothing_is_expected_of_references_that_are_generated_for_outputs(run: Run, far: Path) -> None:
    guide = ("generate", "--lang", "eng", "-N", "0", "--for", "a.txt", "b.txt", "--ref", "ref.en", "--dry-run")
    result = run(*guide)
    assert result.exit_code == 0, result.stderr
    assert FAR in result.stderr
    assert "not known: the test set stands far from the corpus" in result.stdout
    document = json.loads(run(*guide, "--json").stdout)
    assert (document["corpus"]["far"], document["validity"]) == (True, None)


@pytest.mark.parametrize(("bits", "stands"), [(9.0, "far"), (1.5, "near")])
def test_the_files_of_a_set_say_it_themselves(
    run: Run, far: Path, monkeypatch: pytest.MonkeyPatch, bits: float, stands: str
) -> None:
    """A colleague who gets the files has not seen the line, and filters by the validity."""
    standing(monkeypatch, bits)
    for chosen in ("sacrebleu", "tsv", "jsonl"):
        result = run("references", *REFERENCES, "--format", chosen, "-o", chosen)
        assert result.exit_code == 0, result.stderr
    header, *rows = (far / "sacrebleu" / "provenance.tsv").read_text(encoding="utf-8").splitlines()
    assert header == "segment\trank\torigin\tvalidity\tcorpus"
    assert {row.split("\t")[-1] for row in rows} == {stands}
    header, *rows = (far / "tsv" / "references.tsv").read_text(encoding="utf-8").splitlines()
    assert header.split("\t")[-3:] == ["origin", "validity", "corpus"]
    assert {row.split("\t")[-1] for row in rows} == {stands}
    units = [json.loads(line) for line in (far / "jsonl" / "references.jsonl").read_text("utf-8").splitlines()]
    assert [unit["corpus"] for unit in units] == [stands, stands]
    column = [row.split("\t")[-2] for row in rows]
    assert any(column) == (stands == "near"), "no validity stands beside a set of which it is not known"
    provenance = (far / "sacrebleu" / "provenance.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert any(row.split("\t")[-2] for row in provenance) == (stands == "near")
    assert ('"validity":[null,0.' in (far / "jsonl" / "references.jsonl").read_text("utf-8")) == (stands == "near")
    # They are read as before.
    digests = {run("verify", "--ref", chosen).stdout.split("\n")[0] for chosen in ("sacrebleu", "tsv", "jsonl")}
    assert len(digests) == 1


@pytest.mark.parametrize("words", [("score", "a.txt"), ("references", "-o", "out")])
def test_it_explains_why_nothing_is_added(run: Run, far: Path, words: tuple[str, ...]) -> None:
    (far / "none.en").write_text("Nobody has ever written that.\n" * 2, encoding="utf-8")
    result = run(*words, "--ref", "none.en", "--ref-from", "corpus")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("the test set stands far from the corpus, which adds nothing to it: 9.00 bits") == 1
    assert result.stderr.count("stands far") == 1
