"""The demonstration: the whole chain on the phrasebook, what it shows beside that, and its text."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from calls import Run

from corpusdb.base import tokenisation as sudachi
from corpusdb.base.cells import cell_width
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store, open_store
from corpusdb.phrasebook import LANGUAGES, LICENCE, phrasebook_files, register_file
from corpusdb.program import demonstration_queries as generation
from corpusdb.program.demonstration_queries import (
    OUTPUT,
    REWRITTEN,
    SEED,
    SEGMENTED,
    SOURCE,
    WORD,
    DemoReport,
    GenerationShown,
    generate_phrasebook,
    rewrite_phrasebook,
    score_phrasebook,
    show_other_systems,
)
from corpusdb.program.demonstration_report import OWN, TO_TRY, demonstration_text
from corpusdb.rules.queries.rewritings import TextRewritings

# Generation in the demonstration: the whole chain on the built-in phrasebook.


@pytest.fixture
def shown(demonstration: tuple[Path, GenerationShown], tmp_path: Path) -> tuple[Path, GenerationShown]:
    """A copy of the database, and what was generated in it."""
    path, report = demonstration
    return Path(shutil.copy(path, tmp_path)), report


def test_the_figures(shown: tuple[Path, GenerationShown]) -> None:
    _, report = shown
    assert report.sentences > 1000
    assert 0 < report.detection.sentences <= report.sentences
    generation = report.generation
    assert (
        generation.analogies >= generation.candidates > generation.kept >= generation.distinct >= generation.novel > 0
    )


def test_the_table_has_what_is_kept_what_is_new_and_what_is_struck_out(shown: tuple[Path, GenerationShown]) -> None:
    _, report = shown
    candidates = report.table.candidates
    assert report.table.seed == SEED
    assert [each.frequency for each in candidates] == sorted((each.frequency for each in candidates), reverse=True)
    assert {(each.is_kept, each.is_new) for each in candidates} >= {(True, True), (True, False)}
    assert not all(each.is_kept for each in candidates)
    assert report.example is not None
    assert report.example.text in {each.text for each in candidates if each.is_kept and each.is_new}


def test_the_example_is_an_analogy_of_the_phrasebook(shown: tuple[Path, GenerationShown]) -> None:
    path, report = shown
    assert report.example is not None
    analogy = report.example.analogy
    with open_store(path, read_only=True) as store:
        known = {row[0] for row in store.connection.execute("select text from sentence")}
    assert {analogy.a, analogy.b, analogy.c, analogy.d, analogy.rewording, report.example.shared} <= known
    assert analogy.b.replace(analogy.filler_b, analogy.filler_d) == analogy.d
    assert analogy.rewording.replace(analogy.filler_b, analogy.filler_d) == report.example.text
    assert analogy.d == SEED


def test_the_seed_has_paraphrases_that_pass(shown: tuple[Path, GenerationShown]) -> None:
    path, _ = shown
    with open_store(path, read_only=True) as store:
        kept = store.connection.execute(
            "select count(*) from candidate join seed on seed.id = candidate.seed"
            " where seed.text = ? and fluency >= 20",
            (SEED,),
        ).fetchone()
    assert kept > (0,)


def test_what_is_in_the_database(shown: tuple[Path, GenerationShown]) -> None:
    path, report = shown
    with open_store(path, read_only=True) as store:
        assert store.connection.execute("select name, licence from collection").fetchall() == [("phrasebook", LICENCE)]
        assert {row[0] for row in store.connection.execute("select distinct language from sentence")} == set(LANGUAGES)
        count = "select count(*) from sentence where language = 'eng'"
        assert store.connection.execute(count).fetchone() == (report.sentences,)


@pytest.mark.slow
def test_running_it_again_gives_the_same(shown: tuple[Path, GenerationShown]) -> None:
    path, report = shown
    with open_store(path) as store:
        again = finished(generate_phrasebook(store))
    assert (again.sentences, again.generation.kept) == (report.sentences, report.generation.kept)
    assert (again.table, again.example) == (report.table, report.example)


# What the demonstration shows beside generation, held against the texts that it is made of.


INSTALL = "pip install 'corpusdb[japanese]'"


@pytest.fixture
def phrasebook(demonstration: tuple[Path, GenerationShown], tmp_path: Path) -> Iterator[tuple[Store, GenerationShown]]:
    """The generated phrasebook, to be written to."""
    path, generation = demonstration
    with open_store(Path(shutil.copy(path, tmp_path))) as store:
        yield store, generation


@pytest.fixture(scope="module")
def systems(whole_demonstration: tuple[Path, DemoReport]) -> DemoReport:
    """What is shown, with the extra for Japanese."""
    pytest.importorskip("sudachipy")
    return whole_demonstration[1]


def rows() -> set[tuple[str, str, str]]:
    """English, Japanese and French, as the files of the phrasebook have them."""
    lines = (line for path in phrasebook_files() for line in path.read_text("utf-8").splitlines()[1:])
    return {(english, japanese, french) for english, japanese, french in (line.split("\t") for line in lines)}


def test_the_scores_are_those_of_sacrebleu(phrasebook: tuple[Store, GenerationShown]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    found = score_phrasebook(phrasebook[0])
    assert found is not None
    assert [each.references for each in found.scores] == [1, len(found.references)]
    assert len(found.references) > 2
    for each in found.scores:
        references = found.references[: each.references]
        spaced = [[" ".join(text)] for text in references]
        characters = sacrebleu.BLEU(tokenize="none", smooth_method="none").corpus_score([" ".join(OUTPUT)], spaced)
        words = sacrebleu.BLEU(smooth_method="none").corpus_score([OUTPUT], [[text] for text in references])
        assert each.characters == pytest.approx(characters.score, abs=1e-9)
        assert each.words == pytest.approx(words.score, abs=1e-9)
        assert each.characters_segmented == each.characters > 0


def test_the_output_is_nobodys_sentence_and_its_references_are_translations() -> None:
    japanese = {row[1] for row in rows()}
    assert OUTPUT not in japanese
    assert SEGMENTED.replace(" ", "") == OUTPUT
    assert {row[1] for row in rows() if row[0] == SOURCE}


def test_the_rules_rewrite_a_sentence_of_the_phrasebook(phrasebook: tuple[Store, GenerationShown]) -> None:
    pytest.importorskip("sudachipy")
    assert REWRITTEN in {row[1] for row in rows()}
    found = rewrite_phrasebook(phrasebook[0])
    assert isinstance(found, TextRewritings)
    assert "道に迷ってしまった。" in {each.text for each in found.rewritings}


@pytest.mark.slow
def test_a_word_is_linked_no_more_often_than_it_stands_beside_its_translation(systems: DemoReport) -> None:
    found = systems.equivalents
    for translations in found.translations:
        column = {"jpn": 1, "fra": 2}[translations.other]
        pairs = {(row[0], row[column]) for row in rows()}
        assert translations.members
        for each in translations.members:
            together = sum(WORD in one.lower() and each.text in other.lower() for one, other in pairs)
            assert 0.8 * together <= each.count <= together
    assert "bags" in {each.text for each in found.equivalents.members}


def test_the_profile_has_every_topic_between_the_held_out_references(systems: DemoReport) -> None:
    profiles = systems.profiles
    assert [each.report.language for each in profiles] == ["eng", "jpn"]
    for each in profiles:
        spoken, written = each.report.unseen
        assert spoken is not None and written is not None
        assert {entry.name for entry in each.topics} == {path.name for path in phrasebook_files()}
        coefficients = [entry.coefficient for entry in each.topics]
        assert each.topics[0].name == "conversation.tsv"  # what people say to each other, where nothing is bought
        middle = (spoken + written) / 2
        assert all(one is not None and one < middle for one in coefficients)


@pytest.mark.slow
def test_without_the_extra_for_japanese_all_else_is_shown(
    demonstration: tuple[Path, GenerationShown], tmp_path: Path
) -> None:
    with patch.object(sudachi, "_opened", side_effect=UsageError(f"Japanese morphemes need more: {INSTALL}")):
        found = report(demonstration, tmp_path)
    assert isinstance(found.rules, str)
    assert INSTALL in found.rules
    assert [each.other for each in found.equivalents.translations] == ["fra"]
    assert "bags" in {each.text for each in found.equivalents.equivalents.members}
    assert len(found.profiles) == 2


# The text of the demonstration, as a file beside this one has it, and the commands in it.
#
# Renew the files with CORPUSDB_RENEW_SNAPSHOTS=1, and look at what has changed.


HERE = Path(__file__).parent
SYSTEMS = ("1 GENERATION", "2 SCORES IN CHARACTERS", "3 JAPANESE RULES", "4 EQUIVALENTS", "5 PROFILE")


def report(demonstration: tuple[Path, GenerationShown], folder: Path) -> DemoReport:
    path, generation = demonstration
    with open_store(Path(shutil.copy(path, folder))) as store:
        return finished(show_other_systems(store, generation, time.monotonic()))


def told(found: DemoReport) -> str:
    return demonstration_text(found, Path("demo.db")).replace(f"took {found.seconds:.1f} s", "took 0.0 s") + "\n"


def is_as_kept(text: str, name: str) -> None:
    path = HERE / name
    if os.environ.get("CORPUSDB_RENEW_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8")
    assert text.splitlines() == path.read_text("utf-8").splitlines()


def test_what_it_says(systems: DemoReport) -> None:
    is_as_kept(told(systems), "with_japanese.txt")


@pytest.mark.slow
def test_what_it_says_without_the_extra_for_japanese(
    demonstration: tuple[Path, GenerationShown], tmp_path: Path
) -> None:
    missing = UsageError("Japanese morphemes need more: pip install 'corpusdb[japanese]'")
    with patch.object(sudachi, "_opened", side_effect=missing):
        text = told(report(demonstration, tmp_path))
    is_as_kept(text, "without_japanese.txt")


@pytest.mark.parametrize("name", ["with_japanese.txt", "without_japanese.txt"])
def test_it_is_short_and_fits_and_has_all_five(name: str) -> None:
    lines = (HERE / name).read_text("utf-8").splitlines()
    assert len(lines) <= 80
    assert [line for line in lines if cell_width(line) > 80] == []
    assert [title for title in SYSTEMS if not any(line.startswith(title) for line in lines)] == []
    assert sum(line.startswith("  yours: ") for line in lines) == len(OWN) == len(SYSTEMS)
    assert [line.strip().split("  #")[0].rstrip() for line in lines[-3:]] == [f"corpusdb {each}" for each, _ in TO_TRY]


def test_the_database_is_named_as_a_shell_takes_it(systems: DemoReport) -> None:
    text = demonstration_text(systems, Path("my demo.db"), ".venv/bin/corpusdb")
    assert "export CORPUSDB_DB='my demo.db'" in text
    assert "yours: .venv/bin/corpusdb import" in text


TOPICS = ("airport", "conversation", "hotel")
PAIRS = """\
english	french
I'd like a beer, please.	Je voudrais une bière, s'il vous plaît.
A beer, please.	Une bière, s'il vous plaît.
A cold beer, please.	Une bière froide, s'il vous plaît.
I'd like a slice of pizza, please.	Je voudrais une part de pizza, s'il vous plaît.
A slice of pizza, please.	Une part de pizza, s'il vous plaît.
"""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demonstration on some topics, which takes less time."""
    files = [path for path in phrasebook_files() if path.stem in TOPICS]
    monkeypatch.setattr(generation, "phrasebook_files", lambda: files)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_demonstration_runs_in_a_new_temporary_database(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("CORPUSDB_DB", str(tmp_path / "mine.db"))
    result = run("demo")
    assert result.exit_code == 0
    assert "phrasebook" in result.stdout
    (database,) = tmp_path.glob("corpusdb-*/demo.db")
    assert f"the database is {database}" in result.stderr
    assert f"export CORPUSDB_DB={database}" in result.stdout
    assert not (tmp_path / "mine.db").exists()


@pytest.mark.usefixtures("small")
@pytest.mark.slow
def test_the_demonstration_in_a_named_database_and_what_it_says_to_try(run: Run) -> None:
    report = json.loads(run("demo", "--db", "demo.db", "--json").stdout)
    assert report["database"] == "demo.db"
    assert report["generation"]["kept"] > 0
    assert report["scores"]["scores"][0]["characters"] > 0
    assert [each["report"]["language"] for each in report["profiles"]] == ["eng", "jpn"]
    for command, _ in TO_TRY:
        words = shlex.split(command)
        result = run("--db", "demo.db", *words, *(["--help"] if words == ["browse"] else []))
        assert (result.exit_code, bool(result.stdout)) == (0, True), command


@pytest.mark.slow
def test_the_commands_for_ones_own_corpus_work(run: Run, tmp_path: Path) -> None:
    texts = {
        "pairs.tsv": PAIRS,
        "output.ja": "窓側の席をください。\n",
        "reference.ja": "窓側の席をお願いします。\n",
        "texts.ja": "道に迷ってしまいました。\n",
        "talk.txt": register_file("spoken", "eng").read_text("utf-8"),
        "news.txt": register_file("written", "eng").read_text("utf-8"),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for system, commands in OWN.items():
        if system == "rules":
            pytest.importorskip("sudachipy")
        for command in commands:
            result = run(*shlex.split(command.replace("WORD", "beer")))
            assert result.exit_code in ((0, 1) if "WORD" in command else (0,)), (command, result.stderr)
            assert result.stdout or "WORD" in command, command


def test_the_key_that_leaves_the_browser_is_the_one_that_is_told(run: Run) -> None:
    (told,) = (why.split()[0] for command, why in TO_TRY if command == "browse")
    assert ["keys.app.quit", told] in [line.split()[:2] for line in run("browse", "--keys").stdout.splitlines()]


@pytest.mark.usefixtures("corpus")
def test_the_demonstration_is_not_made_in_a_database_that_is_used(run: Run) -> None:
    result = run("--db", "corpus.db", "demo")
    assert result.exit_code == 2
    assert "holds paper" in result.stderr
