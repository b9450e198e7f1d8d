"""How commands fail, and commands that write where there is no database yet."""

from __future__ import annotations

import errno
import os
import pty
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from calls import Program, Run

from corpusdb.base.errors import Cancelled, CorpusError, DatabaseLocked, InputError, UsageError
from corpusdb.commands.group import exit_code_of
from corpusdb.program.catalogue import OTHER_NAMES


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (CorpusError("no"), 1, "corpusdb: error: no"),
        (UsageError("the call"), 2, "corpusdb: error: the call"),
        (InputError("is empty", path="a.tsv", line=3), 3, "corpusdb: error: a.tsv:3: is empty"),
        (DatabaseLocked("busy"), 4, "corpusdb: error: busy"),
        (Cancelled("interrupted; more"), 130, "corpusdb: interrupted; more"),
        (KeyboardInterrupt(), 130, "corpusdb: interrupted"),
        (
            UnicodeEncodeError("utf-8", '{"a": "b\udcff"}', 8, 9, "no"),
            3,
            r"corpusdb: error: 'b\udcff' is not UTF-8, so it cannot be stored; rename the file",
        ),
        (MemoryError(), 4, "corpusdb: error: out of memory; what was committed before is safe"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), 3, "corpusdb: error: /x: Permission denied"),
        (CorpusError("two\nlines"), 1, "corpusdb: error: two lines"),
    ],
)
def test_one_line_and_the_code(error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(error) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", line + "\n")


def test_the_unexpected_is_one_line_too(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CORPUSDB_TRACEBACK", raising=False)
    assert exit_code_of(ZeroDivisionError("by zero")) == 1
    error = capsys.readouterr().err
    assert error.startswith(
        "corpusdb: error: unexpected ZeroDivisionError: by zero; run it again with CORPUSDB_TRACEBACK=1"
    )
    assert error.count("\n") == 1


def test_a_traceback_is_there_when_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORPUSDB_TRACEBACK", "1")
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError as error:
        assert exit_code_of(error) == 1
    assert "Traceback" in capsys.readouterr().err


NOT_UTF8 = os.fsdecode(b"caf\xe9")


FAILING: Sequence[tuple[tuple[str, ...], int, str]] = (
    (("info",), 4, "there is no such database"),
    (("nothing",), 2, "No such command 'nothing'"),
    (("inof",), 2, "Did you mean 'info'?"),
    (("concordance", "coffee"), 2, "corpusdb search --kwic` does that"),
    (("frequencies", "coffee"), 2, "(coffee); it takes options only; --pattern REGEX lists what that is found in"),
    (("collocates", "cup", "of"), 2, '(of); put words that belong together in quotes: "cup of"'),
    (("guide", "linguist"), 2, "there is no guide to 'linguist'; did you mean 'linguists'?"),
    (("search", "a", "b"), 2, "together in quotes"),
    (("generate",), 2, "Missing option '--lang'"),
    (("generate", "--lang", "xx"), 3, "unknown language code 'xx'"),
    (("solve", "a", "b"), 2, "three terms"),
    (("solve", NOT_UTF8, "b", "c"), 2, "is not UTF-8"),
    (("--bad", "info"), 2, "No such option"),
    (("import", "missing.tsv", "--lang", "eng,fra"), 3, "missing.tsv: no such file"),
    (("--quiet", "import", f"{NOT_UTF8}.tsv", "--lang", "eng,fra"), 3, "tsv: the name is not UTF-8"),
    (
        ("--quiet", "--db", "no/such/folder.db", "import", "corpus.tsv", "--lang", "eng,fra"),
        4,
        "no/such: the folder",
    ),
    (("--db", ".", "info"), 4, "is a directory"),
    (("--db", "corpus.tsv", "info"), 4, "is not a SQLite database"),
    (("--db", "other.db", "info"), 4, "of some other program"),
    (("sql", "-n", "-1", "select 1"), 2, "-n"),
    (("browse", "other.db"), 2, "(other.db); --db other.db names the database"),
    (("search", "coffee", "other.db"), 2, "--db other.db names the database"),
)


def _write_bad_databases(folder: Path) -> None:
    for name in ("corpus", NOT_UTF8):
        (folder / f"{name}.tsv").write_text("one\tun\n" * 200, encoding="utf-8")
    with closing(sqlite3.connect(folder / "other.db")) as other:
        other.execute("create table t (x)")


@pytest.mark.parametrize(("arguments", "code", "told"), FAILING)
def test_a_failing_call_is_one_line_in_this_process(
    arguments: tuple[str, ...], code: int, told: str, run: Run, tmp_path: Path
) -> None:
    _write_bad_databases(tmp_path)
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("corpusdb: error: ")
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "corpus.db").exists()


# One of what a command finds, one of what the system passes.
_AS_PROCESSES = [each for each in FAILING if each[0][0] == "info" or NOT_UTF8 in each[0]]


@pytest.mark.parametrize(("arguments", "code", "told"), _AS_PROCESSES)
def test_a_failing_call_is_one_clean_line(
    arguments: tuple[str, ...], code: int, told: str, program: Program, tmp_path: Path
) -> None:
    _write_bad_databases(tmp_path)
    result = program(*arguments)
    assert result.returncode == code
    assert result.stdout == ""
    assert result.stderr.startswith("corpusdb: error: ")
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "corpus.db").exists()


def test_a_locked_database_is_told_with_code_4(run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpusdb.corpus.store.connection.BUSY_SECONDS", 0.0)
    writer = sqlite3.connect(corpus, isolation_level=None)
    writer.execute("begin immediate")
    try:
        result = run("--quiet", "detect", "--lang", "eng")
    finally:
        writer.close()
    assert result.exit_code == 4
    assert result.stderr.endswith("another process is writing; try again when it is done\n")


@pytest.mark.slow
def test_a_reader_that_went_away_is_no_error(corpus: Path, environment: dict[str, str]) -> None:
    rows = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select i from n"
    command = [sys.executable, "-m", "corpusdb", "sql", rows, "-n", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=corpus.parent, env=environment, stdout=pipe, stderr=pipe) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline() == b"i\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_stdout_is_told(tmp_path: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "corpusdb", "solve", "a", "ab", "c"]
    with open("/dev/full", "w") as full:
        result = subprocess.run(command, cwd=tmp_path, env=environment, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 3
    assert result.stderr == b"corpusdb: error: No space left on device\n"


@pytest.mark.slow
def test_what_is_closed_is_written_nowhere(corpus: Path, environment: dict[str, str]) -> None:
    def call(*arguments: str) -> int:
        command = ["sh", "-c", '"$@" >&- 2>&-', "sh", sys.executable, "-m", "corpusdb", *arguments]
        return subprocess.run(command, cwd=corpus.parent, env=environment).returncode

    assert [call("info"), call("nothing")] == [0, 2]


def test_a_database_may_have_a_name_that_is_not_utf8(run: Run, corpus: Path) -> None:
    other = corpus.with_name(f"{NOT_UTF8}.db")
    corpus.rename(other)
    assert run("--quiet", "--db", str(other), "search", "beer").exit_code == 0
    assert run("history", "--db", str(other)).stdout.count("search") == 1


def test_ctrl_c_is_told_with_code_130(tmp_path: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "corpusdb", "solve", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may have had it ignored
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"a\tab\tc\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"cb\n"  # now it waits for the next line
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr == b"corpusdb: interrupted\n"


@pytest.mark.slow
def test_control_characters_are_harmless_on_a_terminal_only(
    corpus: Path, program: Program, environment: dict[str, str]
) -> None:
    select = "select char(27) || '[31mred' as text"
    assert program("sql", select).stdout == "text\n\x1b[31mred\n"
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "corpusdb", "sql", select]
    subprocess.run(command, cwd=corpus.parent, env=environment, stdout=follower, check=True)
    os.close(follower)
    shown = os.read(leader, 1000).decode()
    os.close(leader)
    assert shown == "text\r\n\N{REPLACEMENT CHARACTER}[31mred\r\n"


def test_what_is_called_otherwise_elsewhere_leads_to_a_command(run: Run) -> None:
    for name, call in OTHER_NAMES.items():
        told = run(name).stderr
        assert f"`corpusdb {call}`" in told
        assert all(word in run(call.split()[0], "--help").stdout for word in call.split() if word.startswith("--"))


# Commands that write where there is no database yet: those that need no corpus make one and say so, once.


MADE = "corpusdb: corpus.db is a new database\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (
        ("hyp.txt", "A beer , please .\n"),
        ("ref.txt", "A beer , thanks .\n"),
        ("pairs.tsv", "english\tfrench\nA beer.\tUne bière.\n"),
        ("ja.txt", "雨が降る。\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        ("import", "pairs.tsv"),
        ("score", "hyp.txt", "--ref", "ref.txt", "--store"),
        ("model", "train", "m", "ref.txt", "--lang", "eng"),
        ("rules", "set", "mine", "--from", "polite"),
    ],
    ids=lambda call: " ".join(call[:2]),
)
def test_what_needs_no_corpus_makes_a_database(call: tuple[str, ...], run: Run, files: Path) -> None:
    first = run(*call)
    assert first.exit_code == 0, first.stderr
    assert first.stderr.count(MADE) == 1
    assert (files / "corpus.db").exists()
    again = run(*call, *(["--replace"] if "model" in call else []))
    assert MADE not in again.stderr
    quiet = run("--quiet", "--db", "other.db", *call)
    assert (quiet.exit_code, quiet.stderr) == (0, "")


@pytest.mark.parametrize(
    ("call", "code", "told"),
    [
        (("score", "hyp.txt", "--ref", "none.txt", "--store"), 3, "none.txt: no such file"),
        (("--db", "no/a.db", "score", "hyp.txt", "--ref", "ref.txt", "--store"), 4, "folder for the database does not"),
        (("scores", "import", "hyp.txt"), 4, "`corpusdb score --store` makes one"),
        (("scores", "list"), 4, "`corpusdb score --store` makes one"),
        (("verify",), 4, "`corpusdb score --store` makes one"),
        (("model", "train", "m", "ref.txt"), 4, "`corpusdb import` makes one"),
        (("model", "train", "m", "phrasebook", "--lang", "eng"), 4, "`corpusdb import` makes one"),
        (("session", "new", "s", "--lang", "eng", "--text", "a"), 4, "`corpusdb import` makes one"),
        (("generate", "--lang", "eng"), 4, "`corpusdb import` makes one"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_fails_or_needs_a_corpus_makes_none(
    call: tuple[str, ...], code: int, told: str, run: Run, files: Path
) -> None:
    result = run(*call)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr.splitlines()[-1]
    assert [*files.glob("**/*.db")] == []
