from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from corpusdb.corpus.store import open_store, user_history
from corpusdb.corpus.store.runs import start_run
from corpusdb.corpus.store.user_history import (
    HistoryEntry,
    forget,
    history_file,
    last_asked,
    latest_of_each,
    recall,
    remember,
    this_terminal,
)


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the history of these tests is; there is none yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CORPUSDB_HISTORY", raising=False)
    return tmp_path / "state" / "corpusdb" / "history.jsonl"


A, B = Path("/a.db"), Path("/b.db")


@pytest.mark.parametrize(
    ("state", "home", "expected"),
    [
        ("/s", "/h", "/s/corpusdb/history.jsonl"),
        ("", "/h", "/h/.local/state/corpusdb/history.jsonl"),
        ("relative", "/h", "/h/.local/state/corpusdb/history.jsonl"),  # XDG base directory specification 0.8
        ("", "relative", None),
    ],
)
def test_where_the_history_is(state: str, home: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", state)
    monkeypatch.setenv("HOME", home)
    assert history_file() == (None if expected is None else Path(expected))


def test_queries_are_recalled_as_they_were_asked(file: Path) -> None:
    remember(A, "sql", {"statement": "select '水'"}, 3)
    remember(B, "paraphrases", {"text": "a", "lang": None})
    first, second = recall()
    assert first == HistoryEntry(
        1, first.time, "/a.db", "sql", {"statement": "select '水'"}, 3, terminal=this_terminal()
    )
    assert (second.number, second.database, second.total) == (2, "/b.db", None)
    assert datetime.fromisoformat(first.time).tzinfo == UTC
    assert recall(B) == [second]
    assert file.stat().st_mode & 0o777 == 0o600  # what one asks is one's own


def test_a_database_is_known_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    remember(Path("corpus.db"), "sql", {})
    assert len(recall(tmp_path / "corpus.db")) == 1


def test_a_database_that_takes_the_place_of_another_has_not_its_history(tmp_path: Path) -> None:
    path, moved = tmp_path / "corpus.db", tmp_path / "moved.db"
    for number, began in enumerate(("2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00")):
        with open_store(path, create=True) as store, store.write() as connection:
            start_run(store, "import", {})
            connection.execute("update run set started = ?", (began,))
        remember(path, "sql", {"number": number})
        if not number:
            path.rename(moved)
    assert [[entry.options["number"] for entry in recall(each)] for each in (moved, path)] == [[], [1]]
    assert (forget(path), len(recall(path)), len(recall())) == (1, 0, 1)


def test_a_query_asked_again_is_listed_once_and_keeps_its_number() -> None:
    for command, limit in (("a", 1), ("b", 1), ("a", 2), ("a", 1)):
        remember(A, command, {"limit": limit})
    remember(B, "a", {"limit": 1})
    found = [(entry.number, entry.command, entry.options["limit"]) for entry in latest_of_each(recall(A))]
    assert found == [(2, "b", 1), (3, "a", 2), (4, "a", 1)]
    assert len(latest_of_each(recall())) == 4


def test_the_last_query_is_that_of_the_same_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal, number in (("one", 1), ("other", 2), ("one", 3), ("other", 4), ("", 5)):
        monkeypatch.setattr(user_history, "this_terminal", lambda name=terminal: name)
        remember(A, "sql", {"number": number})
    last = {name: last_asked(recall(A), name) for name in ("one", "other", "new", "")}
    assert {name: entry and entry.options["number"] for name, entry in last.items()} == {
        "one": 3,
        "other": 4,
        "new": 5,  # as before there were terminals
        "": 5,
    }
    assert last_asked([], "one") is None


@pytest.mark.slow
def test_a_terminal_is_the_session_of_its_shell() -> None:
    asked = [
        sys.executable,
        "-c",
        "from corpusdb.corpus.store.user_history import this_terminal; print(this_terminal())",
    ]
    same, other = (
        subprocess.run(asked, capture_output=True, text=True, start_new_session=new, check=True).stdout.strip()
        for new in (False, True)
    )
    assert same == this_terminal() != other


def test_nothing_is_remembered_where_it_is_off(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUSDB_HISTORY", "off")
    remember(A, "sql", {})
    assert not file.exists()


@pytest.mark.parametrize("obstacle", ["file for folder", "folder for file"])
def test_a_history_that_cannot_be_written_is_no_error(obstacle: str, file: Path) -> None:
    if obstacle == "file for folder":
        file.parent.parent.write_text("")
    else:
        file.mkdir(parents=True)
    remember(A, "sql", {})
    assert recall() == []
    assert forget() == 0


SOUND: dict[str, object] = {
    "time": "2026-01-01T00:00:00+00:00",
    "database": "/a.db",
    "command": "sql",
    "options": {},
    "total": None,
}


def test_a_line_of_another_version_is_one_all_the_same(file: Path) -> None:
    remember(A, "first", {})
    with file.open("ab") as stream:
        stream.write(json.dumps(SOUND | {"more": 1}).encode() + b"\n")
    assert [(entry.number, entry.command, entry.attended) for entry in recall()][1:] == [(2, "sql", True)]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "null",
        "\udcff",
        json.dumps(SOUND | {"options": []}),
        json.dumps(SOUND | {"total": "3"}),
        json.dumps(SOUND | {"command": 1}),
        json.dumps({"time": ""}),
    ],
)
def test_a_line_that_is_no_entry_is_passed_over(line: str, file: Path) -> None:
    remember(A, "first", {})
    with file.open("ab") as stream:
        stream.write(line.encode("utf-8", "surrogateescape") + b"\n" + json.dumps(SOUND).encode() + b"\n")
    assert [(entry.number, entry.command) for entry in recall()] == [(1, "first"), (3, "sql")]


def test_a_line_that_is_being_written_is_not_read(file: Path) -> None:
    remember(A, "first", {})
    with file.open("a") as stream:
        stream.write(json.dumps(SOUND))
    assert [entry.command for entry in recall()] == ["first"]


def test_the_last_thousand_are_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_history, "_TRIM_ABOVE", 200_000)
    most = 0
    for number in range(1_500):
        remember(A, "sql", {"number": number})
        most = max(most, file.stat().st_size)
    assert [entry.options["number"] for entry in recall()] == list(range(500, 1_500))
    assert most < 210_000
    assert list(file.parent.iterdir()) == [file]


def test_forgetting_one_database_leaves_the_others(file: Path) -> None:
    for database in (A, B, A):
        remember(database, "sql", {})
    assert forget(A) == 2
    assert [entry.database for entry in recall()] == ["/b.db"]
    assert (forget(A), forget(), recall(), file.stat().st_size) == (0, 1, [], 0)


def ask(writer: int) -> None:
    for number in range(50):
        remember(A, f"writer {writer}", {"number": number, "text": "x" * 1_500})


@pytest.mark.slow
def test_programs_that_write_at_the_same_time_do_not_tear_each_others_lines() -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=ask, args=(writer,)) for writer in range(4)]
    for process in writers:
        process.start()
    for process in writers:
        process.join(60)
        assert process.exitcode == 0
    entries = recall()
    assert len(entries) == 200
    for writer in range(4):
        own = [entry.options["number"] for entry in entries if entry.command == f"writer {writer}"]
        assert own == list(range(50))
