"""Opening every kind of file on every kind of mount, who may read it, and writing under every kind of trouble."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from corpusdb.base.errors import (
    DatabaseDamaged,
    DatabaseLocked,
    DatabaseMissing,
    DatabaseReadOnly,
    DatabaseTooNew,
    NotADatabase,
    StoreError,
)
from corpusdb.corpus.store import Store, connection, open_store, opening
from corpusdb.corpus.store import opening as migrations
from corpusdb.corpus.store.connection import keep_private, mode_of, now, translated_errors
from corpusdb.corpus.store.opening import is_network_file_system, latest_version

_INSERT = "insert into collection (name) values (?)"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds the database locked gives up at once."""
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.01)


def names(store: Store) -> list[str]:
    return [name for (name,) in store.connection.execute("select name from collection order by id")]


def pragma(store: Store, name: str) -> object:
    return store.connection.execute(f"pragma {name}").fetchone()[0]


# Opening


def test_a_new_database(path: Path) -> None:
    with open_store(path, create=True) as store:
        assert pragma(store, "user_version") == latest_version()
        assert pragma(store, "foreign_keys") == 1
        assert pragma(store, "journal_mode") == "wal"
        assert (store.path, store.read_only, store.notes) == (path, False, ())
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_was_written_is_there_when_it_is_opened_again(path: Path) -> None:
    with open_store(path, create=True) as store, store.write() as writer:
        writer.execute(_INSERT, ("一",))
    with open_store(path) as store:
        assert names(store) == ["一"]


def test_a_missing_file_is_only_made_when_asked_for(path: Path) -> None:
    with pytest.raises(DatabaseMissing, match="no such database"):
        open_store(path)
    with pytest.raises(DatabaseMissing, match="no such database"):
        open_store(path, read_only=True, create=True)
    assert not path.exists()


def test_a_missing_folder(path: Path) -> None:
    with pytest.raises(DatabaseMissing, match="folder for the database does not exist"):
        open_store(path / "corpus.db", create=True)


@pytest.mark.parametrize("create", [False, True])
def test_a_folder_is_no_database(tmp_path: Path, create: bool) -> None:
    with pytest.raises(NotADatabase, match="is a directory"):
        open_store(tmp_path, create=create)


@pytest.mark.parametrize(
    "content", [b"x", b"hello\n", b"english\tfrench\n" * 2000, b"\0" * 5000, b"SQLite format 2\0" * 99]
)
@pytest.mark.parametrize("read_only", [False, True])
def test_other_files_are_no_databases_and_stay_as_they_are(path: Path, content: bytes, read_only: bool) -> None:
    path.write_bytes(content)
    with pytest.raises(NotADatabase, match="is not a SQLite database") as caught:
        open_store(path, read_only=read_only, create=not read_only)
    assert caught.value.path == str(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("statement", ["create table note (text)", "pragma user_version = 3"])
def test_a_database_of_another_program_stays_as_it_is(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute(statement)
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(NotADatabase, match="some other program"):
            open_store(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_database_is_refused(store: Store, read_only: bool) -> None:
    store.connection.execute(f"pragma user_version = {latest_version() + 1}")
    store.close()
    with pytest.raises(DatabaseTooNew, match=f"schema {latest_version() + 1}, later than {latest_version()}"):
        open_store(store.path, read_only=read_only)


# Reading only


def test_a_read_only_opening_writes_nothing(store: Store) -> None:
    store.close()
    with open_store(store.path, read_only=True) as reader:
        assert reader.read_only
        with pytest.raises(DatabaseReadOnly), reader.write():
            pytest.fail("the block must not run")
        with pytest.raises(DatabaseReadOnly), translated_errors(reader.path):
            reader.connection.execute(_INSERT, ("a",))


def test_a_file_that_may_not_be_written_is_opened_for_reading(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.write() as writer:
        writer.execute(_INSERT, ("kept",))
    store.close()
    store.path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)  # what the system tells everybody but the superuser
    with open_store(store.path) as reader:
        assert reader.read_only
        assert names(reader) == ["kept"]


def test_an_older_database_that_may_not_be_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.close()
    later = latest_version() + 1
    monkeypatch.setattr(migrations, "latest_version", lambda: later)
    with pytest.raises(DatabaseReadOnly, match="older schema"):
        open_store(store.path, read_only=True)


# Others at the same database


@contextmanager
def another_process(path: Path, statement: str) -> Iterator[None]:
    """Another process that has run ``statement`` and waits."""
    program = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
    program += "c.execute(sys.argv[2]).fetchall(); print('ready', flush=True); sys.stdin.read(); c.close()"
    arguments = [sys.executable, "-c", program, str(path), statement]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        yield
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.usefixtures("impatient")
def test_while_another_process_writes(store: Store) -> None:
    store.close()
    with (
        another_process(store.path, "begin immediate"),
        open_store(store.path) as late,
        open_store(store.path, read_only=True) as reader,
    ):
        assert names(reader) == names(late) == []  # whoever reads never waits
        with pytest.raises(DatabaseLocked, match="another process is writing"), late.write():
            pytest.fail("the block must not run")
    with open_store(store.path) as late, late.write() as writer:
        writer.execute(_INSERT, ("in the end",))


@pytest.mark.usefixtures("impatient")
def test_a_job_that_has_begun_waits_for_what_a_person_saves(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    slept, pauses = time.sleep, list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        slept(0.02)  # longer than others are patient
        if len(pauses) == 5:
            person.connection.execute("rollback")

    with open_store(store.path) as person:
        assert store.start_job("import") is None
        monkeypatch.setattr(time, "sleep", pause)
        person.connection.execute("begin immediate")
        with store.write() as writer:
            writer.execute(_INSERT, ("in the end",))
        assert names(person) == ["in the end"]


@pytest.mark.usefixtures("impatient")
@pytest.mark.slow
def test_a_file_that_another_process_has_for_itself_cannot_be_opened(store: Store) -> None:
    store.connection.execute("pragma journal_mode = delete")
    store.close()
    with another_process(store.path, "begin exclusive"), pytest.raises(DatabaseLocked):
        open_store(store.path)


def test_a_reader_sees_the_state_before_a_transaction_that_is_under_way(store: Store) -> None:
    with open_store(store.path, read_only=True) as reader:
        with store.write() as writer:
            writer.execute(_INSERT, ("new",))
            assert names(reader) == []
        assert names(reader) == ["new"]


# Transactions


def test_a_snapshot_is_one_state_for_all_that_it_reads(store: Store) -> None:
    with open_store(store.path, read_only=True) as reader:
        with reader.snapshot(), reader.snapshot():
            assert names(reader) == []
            with store.write() as writer:
                writer.execute(_INSERT, ("late",))
            assert names(reader) == []
        assert not reader.connection.in_transaction
        assert names(reader) == ["late"]


def test_a_snapshot_inside_a_transaction_is_the_transaction(store: Store) -> None:
    with store.write() as writer:
        writer.execute(_INSERT, ("mine",))
        with store.snapshot():
            assert names(store) == ["mine"]
        assert store.connection.in_transaction
    assert names(store) == ["mine"]


def test_a_snapshot_ends_with_an_error_of_the_store(store: Store) -> None:
    with pytest.raises(StoreError, match="no such table"), store.snapshot() as reader:
        reader.execute("select 1 from nowhere")
    assert not store.connection.in_transaction


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    with pytest.raises(KeyError), store.write() as writer:
        writer.execute(_INSERT, ("a",))
        raise KeyError
    assert names(store) == []
    assert not store.connection.in_transaction


def test_a_nested_transaction_that_fails_leaves_the_outer_one(store: Store) -> None:
    with store.write() as writer:
        writer.execute(_INSERT, ("outer",))
        with pytest.raises(KeyError), store.write():
            writer.execute(_INSERT, ("inner",))
            with store.write():
                writer.execute(_INSERT, ("innermost",))
            raise KeyError
        with store.write():
            writer.execute(_INSERT, ("second",))
    assert names(store) == ["outer", "second"]


def test_an_outer_transaction_takes_the_nested_ones_with_it(store: Store) -> None:
    with pytest.raises(KeyError), store.write() as writer:
        with store.write():
            writer.execute(_INSERT, ("inner",))
        raise KeyError
    assert names(store) == []


def test_a_generator_that_is_closed_within_a_transaction_leaves_nothing(store: Store) -> None:
    def job() -> Iterator[None]:
        with store.write() as writer:
            writer.execute(_INSERT, ("a",))
            yield

    running = job()
    next(running)
    running.close()  # type: ignore[attr-defined]
    assert names(store) == []
    assert not store.connection.in_transaction


def test_what_sqlite_refuses_is_an_error_of_the_store(store: Store) -> None:
    with pytest.raises(StoreError, match="UNIQUE constraint failed"), store.write() as writer:
        writer.executemany(_INSERT, [("a",), ("a",)])
    assert names(store) == []


@pytest.mark.parametrize("nested", [False, True])
def test_sqlite_may_end_a_transaction_by_itself(store: Store, nested: bool) -> None:
    with pytest.raises(StoreError, match="UNIQUE constraint failed"), store.write() as writer:
        writer.execute(_INSERT, ("a",))
        with store.write() if nested else translated_errors(store.path):
            writer.execute(_INSERT.replace("insert", "insert or rollback"), ("a",))
    assert names(store) == []
    assert not store.connection.in_transaction


def test_references_are_checked_but_where_it_is_said(store: Store) -> None:
    insert = "insert into occurrence (document, line, sentence) values (1, 1, 1)"
    with pytest.raises(StoreError, match="FOREIGN KEY"), store.write() as writer:
        writer.execute(insert)
    with store.unchecked_references(), store.write() as writer:
        writer.execute(insert)
    assert pragma(store, "foreign_keys") == 1


# A full disk, a damaged file


@pytest.mark.parametrize("nested", [False, True])
def test_a_full_disk_loses_only_the_transaction(store: Store, nested: bool) -> None:
    with store.write() as writer:
        writer.execute(_INSERT, ("before",))
    pages = store.connection.execute("pragma page_count").fetchone()[0]
    store.connection.execute(f"pragma max_page_count = {pages + 4}")
    with pytest.raises(StoreError, match="full"), store.write() as writer:
        for number in range(2000):
            with store.write() if nested else translated_errors(store.path):
                writer.execute(_INSERT, (f"{number:0999}",))
    assert names(store) == ["before"]
    assert not store.connection.in_transaction
    store.connection.execute(f"pragma max_page_count = {pages + 4000}")
    with store.write() as writer:
        writer.execute(_INSERT, ("after",))
    assert names(store) == ["before", "after"]
    assert pragma(store, "integrity_check") == "ok"


def overwrite(path: Path, page: int, size: int) -> None:
    with path.open("r+b") as file:
        file.seek(page * size)
        file.write(b"\xa5" * size)


def test_a_damaged_page_in_the_middle(store: Store) -> None:
    with store.write() as writer:
        writer.executemany(_INSERT, [(f"{number:0500}",) for number in range(500)])
    (size,) = store.connection.execute("pragma page_size").fetchone()
    (root,) = store.connection.execute("select rootpage from sqlite_master where name = 'collection'").fetchone()
    store.close()
    overwrite(store.path, root - 1, size)
    with open_store(store.path) as opened:
        with pytest.raises(DatabaseDamaged, match=r"damaged .* restore it"), translated_errors(store.path):
            names(opened)
        with pytest.raises(DatabaseDamaged), opened.write() as writer:
            writer.execute(_INSERT, ("a",))
        assert opened.connection.execute("select count(*) from sentence").fetchone() == (0,)


def test_a_damaged_header(store: Store) -> None:
    store.close()
    overwrite(store.path, 0, 512)
    with pytest.raises(NotADatabase):
        open_store(store.path)


def test_a_file_that_was_cut_off(store: Store) -> None:
    with store.write() as writer:
        writer.executemany(_INSERT, [(f"{number:0500}",) for number in range(500)])
    store.close()
    os.truncate(store.path, store.path.stat().st_size // 2)
    with pytest.raises(DatabaseDamaged), open_store(store.path) as opened, translated_errors(store.path):
        opened.connection.execute("select count(*), sum(length(name)) from collection").fetchone()


# Large values, and network file systems


@pytest.mark.parametrize("is_network", [False, True])
def test_the_file_is_mapped_while_large_values_are_read(
    path: Path, monkeypatch: pytest.MonkeyPatch, is_network: bool
) -> None:
    open_store(path, create=True).close()
    monkeypatch.setattr(opening, "is_network_file_system", lambda _: is_network)
    with open_store(path) as store:
        rows = store.large_rows("select value from json_each(?)", ("[1, 2]",))
        assert next(rows) == (1,)
        assert (pragma(store, "mmap_size") != 0) == (not is_network)
        assert list(rows) == [(2,)]
        assert pragma(store, "mmap_size") == 0


def test_no_write_ahead_log_on_a_network_file_system(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(path, create=True).close()
    monkeypatch.setattr(opening, "is_network_file_system", lambda _: True)
    with open_store(path) as store:
        assert pragma(store, "journal_mode") == "delete"
        assert pragma(store, "synchronous") == 2  # full
        assert len(store.notes) == 1
        assert "network file system" in store.notes[0]
        with store.write() as writer:
            writer.execute(_INSERT, ("a",))
        assert names(store) == ["a"]


TABLE = """\
/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
server:/home /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/local ext4 rw 0 0
//server/share /mnt/share cifs rw 0 0
//server/two /mnt/two\\040words\\011and\\134more cifs rw 0 0
//server/hash /mnt/corpus\\0431 cifs rw 0 0
//server/ja /mnt/共有\u3000二 cifs rw 0 0
user@host: /mnt/ssh fuse.sshfs rw 0 0
portal /mnt/portal fuse.portal rw 0 0
server:/over /over nfs rw 0 0
/dev/sdc1 /over ext4 rw 0 0
/dev/sdd1 /under ext4 rw 0 0
server:/under /under nfs rw 0 0
short
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/corpus.db", False),
        ("/home", True),
        ("/home/ann/corpus.db", True),
        ("/home/local/corpus.db", False),  # a local disk inside a network one
        ("/home/locally/corpus.db", True),  # not inside /home/local
        ("/homely/corpus.db", False),
        ("/mnt/share/corpus.db", True),
        ("/mnt/two words\tand\\more/corpus.db", True),
        ("/mnt/two", False),
        ("/mnt/corpus#1/corpus.db", True),
        ("/mnt/共有\u3000二/corpus.db", True),
        ("/mnt/ssh/corpus.db", True),
        ("/mnt/portal/corpus.db", False),
        ("/over/corpus.db", False),  # what is mounted later hides what was there
        ("/under/corpus.db", True),
    ],
)
def test_the_innermost_mount_decides(path: str, expected: bool, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(TABLE, encoding="utf-8")
    assert is_network_file_system(Path(path), mounts) is expected


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "lustre", "gpfs", "ceph", "fuse.sshfs", "afs"])
def test_network_file_systems(kind: str, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"somewhere / {kind} rw 0 0\n", encoding="utf-8")
    assert is_network_file_system(Path("/corpus.db"), mounts)


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "apfs", "fuse.ntfs"])
def test_local_file_systems(kind: str, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"somewhere / {kind} rw 0 0\n", encoding="utf-8")
    assert not is_network_file_system(Path("/corpus.db"), mounts)


def test_links_are_followed(tmp_path: Path) -> None:
    real, link, mounts = tmp_path / "real", tmp_path / "link", tmp_path / "mounts"
    real.mkdir()
    link.symlink_to(real)
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nserver:/x {real.resolve()} nfs rw 0 0\n", encoding="utf-8")
    assert is_network_file_system(link / "corpus.db", mounts)


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_bytes(b"/dev/sda1 / ext4 rw 0 0\nserver:/x /mnt/caf\xe9 nfs rw 0 0\n")
    assert is_network_file_system(Path("/mnt/caf\udce9/corpus.db"), mounts)


def test_a_system_without_a_table_of_mounts(tmp_path: Path) -> None:
    assert not is_network_file_system(tmp_path, tmp_path / "none")


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (0o644, "0600 -rw-------", True),
        (0o640, "0600 -rw-------", True),
        (0o600, "0600 -rw-------", False),
        (0o400, "0400 -r--------", False),
        (0o664, "0660 -rw-rw----", True),
        (0o660, "0660 -rw-rw----", False),
        (0o666, "0660 -rw-rw----", True),
    ],
)
def test_others_cannot_read_it_any_more(tmp_path: Path, before: int, after: str, changed: bool) -> None:
    path = tmp_path / "corpus.db"
    for name in ("corpus.db", "corpus.db-wal", "corpus.db-shm"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(before)
    assert keep_private(path) is changed
    assert {mode_of(file) for file in tmp_path.iterdir()} == {after}


def test_a_file_of_somebody_else_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.db"
    path.touch(0o644)
    mode = mode_of(path)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert not keep_private(path)
    assert mode_of(path) == mode


@pytest.mark.parametrize(("umask", "mode"), [(0o022, "0644"), (0o077, "0600"), (0o007, "0660")])
def test_a_new_database_has_the_permissions_that_the_user_wants(tmp_path: Path, umask: int, mode: str) -> None:
    before = os.umask(umask)
    try:
        with open_store(tmp_path / "corpus.db", create=True) as store, store.write() as writer:
            writer.execute("insert into collection (name) values ('a')")
            assert {mode_of(file)[:4] for file in tmp_path.iterdir()} == {mode}
    finally:
        os.umask(before)


def test_the_time_is_utc_to_the_second() -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    told = now()
    moment = datetime.fromisoformat(told)
    assert before <= moment <= datetime.now(UTC)
    assert moment.utcoffset() == timedelta(0)
    assert len(told) == len("2026-01-01T00:00:00+00:00")
