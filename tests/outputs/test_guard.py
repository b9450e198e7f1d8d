"""What may be replaced, by whatever name it is called: a table of names against what they stand for."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.outputs import NEW_ONLY, Guard, check_output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A database that is open elsewhere, another one, a file, and other names for all of these."""
    for name in ("open.db", "other.db"):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            connection.executescript("pragma journal_mode = wal; create table t (x)")
    (tmp_path / "text").write_text("precious")
    (tmp_path / "empty").touch()
    (tmp_path / "made").touch()
    (tmp_path / "made-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
    (tmp_path / "gone.db-wal").write_bytes(b"\x37\x7f\x06\x82")
    os.link(tmp_path / "gone.db-wal", tmp_path / "log")
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for link, to in {
        "link": "text",
        "chain": "link",
        "link.db": "open.db",
        "dangling": "none",
        "loop": "loop",
        "outside": "../outside",
    }.items():
        (tmp_path / link).symlink_to(to)
    os.link(tmp_path / "open.db", tmp_path / "hard.db")
    os.link(tmp_path / "other.db", tmp_path / "hard-other")
    (tmp_path / "others").symlink_to("directory/..")
    return tmp_path


IN_THE_WAY = [
    ("text", "exists already; --overwrite replaces it"),
    ("empty", "exists already"),
    ("link", "text, which exists already; --overwrite replaces it"),
    ("chain", "text, which exists already; --overwrite replaces it"),
]
NEVER = [
    ("open.db", UsageError, "is the database itself"),
    ("hard.db", UsageError, "is the database itself"),
    ("link.db", UsageError, "which is the database itself"),
    ("others/open.db", UsageError, "is the database itself"),
    ("open.db-wal", UsageError, "is a part of the database itself"),
    ("open.db-shm", UsageError, "is a part of the database itself"),
    ("open.db-journal", UsageError, "is a part of the database itself"),
    ("hard.db-wal", UsageError, "belongs to the database"),
    ("other.db", UsageError, "is a SQLite database"),
    ("hard-other", UsageError, "is a SQLite database"),
    ("other.db-wal", UsageError, "belongs to the database"),
    ("made", UsageError, "made-journal is there: a database of that name is in use"),
    ("gone.db", UsageError, "gone.db-wal is there"),
    ("gone.db-wal", UsageError, "belongs to a SQLite database"),
    ("log", UsageError, "belongs to a SQLite database"),
    ("directory", UsageError, "is a folder; name a file"),
    ("", UsageError, "is a folder; name a file"),
    ("dangling", UsageError, "is a link to .*none, which is not there"),
    ("outside", UsageError, "which is not there"),
    ("loop", InputError, "cannot be written: Too many levels"),
    ("none/text", InputError, "none: there is no such folder"),
    ("text/text", InputError, "cannot be written: Not a directory"),
    ("x" * 300, InputError, "cannot be written: File name too long"),
    ("a\0b", UsageError, "is no name of a file"),
]
FREE = ["new", "pipe", "others/new", "directory/new", "new-wal"]


def guard(folder: Path, *, overwrite: bool) -> Guard:
    return Guard(folder / "open.db", overwrite)


@pytest.mark.parametrize(("name", "reason"), IN_THE_WAY)
def test_a_file_is_replaced_only_when_asked_for(folder: Path, name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        check_output(folder / name, guard(folder, overwrite=False))
    assert str(folder / name) in str(caught.value)
    assert "\n" not in str(caught.value)
    check_output(folder / name, guard(folder, overwrite=True))


@pytest.mark.parametrize(("name", "error", "reason"), NEVER)
@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_never_written_over(
    folder: Path, name: str, error: type[CorpusError], reason: str, overwrite: bool
) -> None:
    with pytest.raises(error, match=reason):
        check_output(folder / name, guard(folder, overwrite=overwrite))


@pytest.mark.parametrize("name", FREE)
def test_what_is_in_nobodys_way(folder: Path, name: str) -> None:
    check_output(folder / name, guard(folder, overwrite=False))


@pytest.mark.parametrize("name", ["corpus.db", "corpus.db-wal"])
def test_the_place_of_a_database_that_is_not_there_yet_is_kept_free(tmp_path: Path, name: str) -> None:
    (tmp_path / "here").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="the database itself"):
        check_output(tmp_path / "here" / name, Guard(tmp_path / "corpus.db"))


def test_an_older_copy_may_be_replaced_by_a_newer_one(folder: Path) -> None:
    copies = Guard(folder / "open.db", overwrite=True, databases=True)
    check_output(folder / "other.db", copies)
    for name in ("open.db", "hard.db", "link.db"):
        with pytest.raises(UsageError, match="the database itself"):
            check_output(folder / name, copies)


def test_a_look_leaves_the_locks_of_the_open_database(folder: Path) -> None:
    """On POSIX a process loses all its locks on a file when it closes the file once, however often it has it open."""
    with closing(sqlite3.connect(folder / "open.db", isolation_level=None)) as connection:
        connection.execute("pragma journal_mode = delete")
        connection.execute("begin exclusive")
        for name in ("open.db", "hard.db", "link.db", "hard.db-wal", "open.db-wal"):
            with pytest.raises(UsageError):
                check_output(folder / name, guard(folder, overwrite=True))
        assert is_locked(folder / "open.db")
        connection.execute("rollback")


def is_locked(database: Path) -> bool:
    """Whether another process, which has no locks of ours, finds the database locked."""
    child = os.fork()
    if not child:
        code = 2
        try:
            sqlite3.connect(f"file:{database}?mode=rw", uri=True, timeout=0).execute("select * from t")
            code = 0
        except sqlite3.OperationalError:
            code = 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_a_link_that_somebody_else_made_is_not_followed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    if os.lstat(folder / "link").st_uid == 0:
        os.lchown(folder / "link", 4712, 4712)
    with pytest.raises(UsageError, match="is a link that another user made"):
        check_output(folder / "link", guard(folder, overwrite=True))


def test_what_may_not_be_read_may_be_a_database(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path, flags: int) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(InputError, match="may not be read"):
        check_output(folder / "text", guard(folder, overwrite=True))


def test_a_folder_that_may_not_be_written_to_is_told_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # whoever may do everything is never denied
    with pytest.raises(InputError, match="new: cannot be written: Permission denied"):
        check_output(folder / "new", NEW_ONLY)
