"""What is kept of a translator between calls: the same answers, never those of another state of the database."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import corpusdb
from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.translation.queries import kept_parts, ladder
from corpusdb.translation.queries.ladder import Translated, Translator

SUBJECTS = {"Il": "He", "Elle": "She", "Marie": "Mary", "Tom": "Tom"}
VERBS = {"chante": "sings", "danse": "dances", "mange": "eats", "dort": "sleeps"}
TEXTS = ["Elle chante.", "Elle danse bien.", "Marie dort.", "Tom danse mal.", "Rien.", "Elle mange"]
PARTS = {"examples", "texts", "analogies", "memory", "phrases"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_parts, "_LEAST_SENTENCES", 1)
    monkeypatch.setattr(kept_parts, "_LEAST_BUFFER", 16)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CORPUSDB_CACHE", raising=False)
    return tmp_path / "cache" / "corpusdb"


def add(path: Path, rows: list[tuple[str, str]], name: str) -> None:
    file = path.with_name(f"{name}.tsv")
    file.write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")
    with corpusdb.open(path, create=True) as corpus:
        sources = open_sources("tsv", [file], Options(languages=("fra", "eng"), header="no"))
        finished(import_files(corpus.store, sources, name))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.db"
    left_out = {("Elle", "chante"), ("Marie", "dort")}
    rows = [
        (f"{one} {verb}.", f"{other} {said}.")
        for one, other in SUBJECTS.items()
        for verb, said in VERBS.items()
        if (one, verb) not in left_out
    ]
    add(path, [*rows, ("Elle chante bien.", "She sings well.")], "main")
    with corpusdb.open(path) as corpus:
        finished(align_languages(corpus.store, "fra", "eng"))
    return path


def opened(path: Path, **given: Any) -> list[Translated]:
    with corpusdb.open(path, read_only=True) as corpus:
        translator = finished(Translator.open(corpus.store, "fra", "eng", **given))
        found = finished(translator.translate_all(TEXTS, 5))
        translator.keep()
    return found


def forbid_making(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: object, **__: object) -> None:
        raise AssertionError("made anew")

    for name in ("read_examples", "encode_texts", "open_analogies", "open_memory"):
        monkeypatch.setattr(ladder, name, made)
    monkeypatch.setattr("corpusdb.translation.queries.phrase_rung.linked_corpus", made)


def test_what_is_kept_answers_the_same_and_is_not_made_again(
    database: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORPUSDB_CACHE", "off")
    without = opened(database)
    assert not cache.exists()
    assert {answer.rung for each in without for answer in each.translations} >= {"analogy", "phrases", "memory"}
    monkeypatch.delenv("CORPUSDB_CACHE")
    assert opened(database) == without
    assert {each.stem.rpartition("-")[2] for each in cache.iterdir()} == PARTS
    assert {each.stat().st_mode & 0o777 for each in cache.iterdir()} == {0o600}
    forbid_making(monkeypatch)
    assert opened(database) == without
    assert opened(database, methods=("memory",)) != without


@pytest.mark.parametrize("change", ["import", "translation", "run"])
def test_another_state_is_made_anew(database: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    before = opened(database)
    if change == "import":
        add(database, [("Rien.", "Nothing."), ("Elle mange tout.", "She eats everything.")], "more")
    with corpusdb.open(database) as corpus:
        if change == "translation":
            corpus.store.connection.execute(
                "delete from translation where translation in (select max(id) from sentence)"
            )
        elif change == "run":  # a job that began and was interrupted: what it derives may change under its number
            started = ("align", "{}", "0", "0", "2000-01-01T00:00:00+00:00")
            corpus.store.connection.execute(
                "insert into run (operation, parameters, version, fingerprint, started) values (?, ?, ?, ?, ?)", started
            )
    with monkeypatch.context() as forbidden:
        forbid_making(forbidden)
        with pytest.raises(AssertionError, match="made anew"):
            opened(database)
    after = opened(database)
    monkeypatch.setenv("CORPUSDB_CACHE", "off")
    assert after == opened(database)
    assert change != "import" or after != before


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-200])


def other_state(file: Path) -> None:
    file.write_bytes(bytes(32) + file.read_bytes()[32:])


def shared(file: Path) -> None:
    file.chmod(0o666)


def another_part(file: Path) -> None:
    (file.parent / file.name.replace("memory", "texts")).replace(file)


def code(file: Path) -> None:
    class Call:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
            return os.mkdir, (f"{file}.run",)

    content = pickle.dumps(Call())
    head = b"".join(number.to_bytes(8, "little") for number in (0, len(content)))
    file.write_bytes(file.read_bytes()[:32] + head + bytes(-(32 + len(head)) % 64) + content)


@pytest.mark.parametrize("damage", [cut, other_state, shared, another_part, code, Path.unlink])
def test_what_cannot_be_read_is_made_anew(
    database: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], object]
) -> None:
    before = opened(database)
    (file,) = cache.glob("*-memory.part")
    damage(file)
    assert opened(database) == before
    assert file.stat().st_mode & 0o777 == 0o600
    assert not Path(f"{file}.run").exists()
    if damage is not another_part:
        forbid_making(monkeypatch)
        assert opened(database) == before


def test_a_part_of_the_corpus_is_not_kept(database: Path, cache: Path) -> None:
    add(database, [("Rien.", "Nothing.")], "more")
    opened(database, within=("more",), methods=("memory",))
    assert not cache.exists()


def test_little_is_not_kept_and_much_not_for_ever(database: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_parts, "_LEAST_SENTENCES", 1000)
    opened(database)
    assert not cache.exists()
    monkeypatch.setattr(kept_parts, "_LEAST_SENTENCES", 1)
    monkeypatch.setattr(kept_parts, "_MOST_FILES", 2)
    opened(database)
    assert len(list(cache.iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_no_error(database: Path, cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("no folder", encoding="utf-8")
    assert opened(database)
    with pytest.raises(InputError):
        opened(database, within=("none",))
