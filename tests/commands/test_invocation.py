"""What a command is called with: its database, and texts as files or as --text."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import Mock

import pytest
from calls import Run

from corpusdb.base.display import Format
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import options_from_json, options_to_json
from corpusdb.commands import invocation as module
from corpusdb.commands.invocation import Invocation, sentence_of, texts_of
from corpusdb.paraphrase.commands import ParaphrasesOptions


@pytest.mark.parametrize(
    ("json", "format", "terminal", "expected"),
    [
        (False, None, True, "table"),
        (False, None, False, "tsv"),
        (False, "csv", True, "csv"),
        (True, None, True, "json"),
        (False, "json", True, "json"),
        (True, "json", False, "json"),
    ],
)
def test_the_format_of_rows(
    json: bool, format: Format | None, terminal: bool, expected: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: terminal)
    invocation = Invocation().with_options(db=None, quiet=False, json=json, format=format)
    assert (invocation.format, invocation.json) == (expected, expected == "json")


def test_two_formats_contradict_each_other() -> None:
    with pytest.raises(UsageError, match="--json and --format csv"):
        Invocation().with_options(db=None, quiet=False, json=True, format="csv")


def test_what_is_said_behind_the_command_comes_before_what_was_said_in_front() -> None:
    invocation = Invocation(chosen=Path("a.db"), quiet=True)
    assert invocation.with_options(db=None, quiet=False).path == Path("a.db")
    assert invocation.with_options(db=Path("b.db"), quiet=False).path == Path("b.db")
    assert invocation.with_options(db=None, quiet=False).quiet


@pytest.mark.parametrize("stdin", [True, False])
@pytest.mark.parametrize("stdout", [True, False])
@pytest.mark.parametrize(("quiet", "json"), [(False, False), (True, False), (False, True)])
def test_a_person_sits_where_both_ends_are_a_terminal(
    stdin: bool, stdout: bool, quiet: bool, json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: stdout)
    monkeypatch.setattr("sys.stdin", Mock(isatty=lambda: stdin))
    invocation = Invocation().with_options(db=None, quiet=quiet, json=json)
    assert invocation.attended == (stdin and stdout and not quiet and not json)


SEED = "A slice of pizza, please."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.fr").write_text("un\ndeux\n", encoding="utf-8")
    (tmp_path / "one").write_text("seul\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("given", "as_text", "texts"),
    [
        (["two.fr"], False, ["un", "deux"]),
        (["@two.fr", "x y", "one"], False, ["un", "deux", "x y", "seul"]),
        (["./one", "folder", "@", "", "a" * 5000, "a\0b"], False, ["seul", "folder", "@", "", "a" * 5000, "a\0b"]),
        (["two.fr", "@two.fr", "-"], True, ["two.fr", "@two.fr", "-"]),
    ],
)
def test_texts(given: list[str], as_text: bool, texts: list[str], folder: Path) -> None:
    assert texts_of(Invocation(), given, as_text=as_text) == texts


def test_what_is_called_like_a_file_is_remarked_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert texts_of(Invocation(), ["none.fr", "U.S.", "No."]) == ["none.fr", "U.S.", "No."]
    assert capsys.readouterr().err == "corpusdb: there is no file none.fr: it is taken for a sentence\n"
    with pytest.raises(InputError, match="no such file"):
        texts_of(Invocation(), ["@none.fr"])


def test_where_one_sentence_is_wanted(folder: Path) -> None:
    assert sentence_of(Invocation(), "one") == "seul"
    assert sentence_of(Invocation(), "two.fr", as_text=True) == "two.fr"
    with pytest.raises(UsageError, match=r"the file two\.fr has 2 lines; --text if it is none"):
        sentence_of(Invocation(), "two.fr")


@pytest.mark.parametrize(
    "command",
    [
        ("paraphrases", "{}", "-N", "0"),
        ("explain", "{}", "Can I have a slice of pizza?"),
        ("explain", SEED, "{}"),
        ("generate", "--lang", "eng", "--seed", "{}"),
        ("references", "{}", "-o", "out", "-N", "0", "--overwrite"),
        ("accept", "{}", "Can I have a slice of pizza?"),
    ],
)
def test_every_command_takes_a_file_for_its_text(command: tuple[str, ...], run: Run, generated: Path) -> None:
    text = "Can I have a slice of pizza?" if command[:2] == ("explain", SEED) else SEED
    Path("s").write_text(f"{text}\n", encoding="utf-8")
    spoken = run(*(part.format(text) for part in command))
    as_file = run(*(part.format("s") for part in command))
    assert (spoken.exit_code, as_file.exit_code) == (0, 0)
    # Two commands also tell the seconds that they took, and the second call finds done what the first did.
    shown = slice(0, 1) if command[0] in ("accept", "generate") else slice(None)
    assert as_file.stdout.splitlines()[shown] == spoken.stdout.splitlines()[shown] != []


def test_text_is_no_file(run: Run, generated: Path) -> None:
    Path("s").write_text(f"{SEED}\n", encoding="utf-8")
    assert run("references", "s", "-o", "out", "--lang", "eng", "-N", "0", "--json").exit_code == 0
    nothing = run("references", "--text", "s", "-o", "new", "--lang", "eng", "-N", "0")
    assert (nothing.exit_code, nothing.stdout) == (1, "")
    assert "0 of 1 source have a reference" in nothing.stderr
    assert not Path("new").exists()


def test_seeds_of_sessions(run: Run, generated: Path) -> None:
    Path("s").write_text(f"{SEED}\n", encoding="utf-8")
    assert run("session", "new", "work", "--lang", "eng", "--text", "A beer, please.").exit_code == 0
    assert run("session", "add", "work", "s").stdout.startswith(f"{SEED}\n")
    assert run("session", "add", "work", "--text", "s").stdout.startswith("s\n")


def test_perplexity(run: Run, generated: Path) -> None:
    Path("s").write_text(f"{SEED}\n{SEED}\n", encoding="utf-8")
    Path("words").write_text(f"{SEED}\n" * 20, encoding="utf-8")
    assert run("model", "train", "m", "words", "--lang", "eng", "--order", "2").exit_code == 0

    def lines(*text: str) -> list[str]:
        result = run("perplexity", *text, "--model", "m", "--json", "--each")
        return [each["text"] for each in json.loads(result.stdout)["lines"]]

    assert lines("s") == lines("@s") == [SEED, SEED]
    assert lines("--text", "s") == ["s"]


def test_a_query_that_was_kept_before_there_was_the_option() -> None:
    document = options_to_json(ParaphrasesOptions(text="x"))
    assert document.pop("as_text") is False
    assert options_from_json(ParaphrasesOptions, document) == ParaphrasesOptions(text="x")
