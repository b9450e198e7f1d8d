"""Files that are there whole or not at all, and what they may replace."""

from __future__ import annotations

import errno
import multiprocessing
import os
import resource
import signal
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, TextIO

import pytest

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.outputs import NEW_ONLY, Content, Guard, Outputs, append, check_output, is_unfinished, write_files
from corpusdb.corpus.formats import Options, open_sources

ANEW = Guard(overwrite=True)


def contents(folder: Path) -> dict[str, str]:
    """The files of a folder, hidden ones too."""
    return {path.name: path.read_text() for path in folder.iterdir()}


def write(path: Path, text: str, guard: Guard = NEW_ONLY, *, mode: int | None = None) -> None:
    with Outputs(guard) as outputs, outputs.text(path, mode=mode) as file:
        file.write(text)


def test_a_file_is_there_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with Outputs(NEW_ONLY) as outputs, outputs.text(path) as file:
        file.write("水\r\n")
        (unfinished,) = tmp_path.iterdir()
        assert unfinished.name.startswith(".corpusdb-")
        assert unfinished.suffix == ".unfinished"
        assert not path.exists()
    assert path.read_bytes() == "水\r\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def no_space(file: TextIO) -> None:
    file.write("half")
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(file: TextIO) -> None:
    file.write("half")
    file.flush()
    raise KeyboardInterrupt


@pytest.mark.parametrize(("write_half", "error"), [(no_space, OSError), (interrupted, KeyboardInterrupt)])
@pytest.mark.parametrize("there", [{}, {"a": "old"}, {"b": "old"}, {"a": "old", "b": "old"}])
def test_what_fails_leaves_everything_as_it_was(
    tmp_path: Path, there: Mapping[str, str], write_half: Content, error: type[BaseException]
) -> None:
    for name, text in there.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(error):
        write_files(tmp_path, {"a": lambda file: file.write("new"), "b": write_half}, ANEW)
    assert contents(tmp_path) == there


def test_folders_that_were_made_for_it_go_with_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_files(tmp_path / "new" / "folder", {"a": interrupted}, NEW_ONLY)
    assert contents(tmp_path) == {}
    assert write_files(tmp_path / "new" / "folder", {"a": lambda file: None}, NEW_ONLY) == [
        tmp_path / "new" / "folder" / "a"
    ]


def failing(call: str, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system fail in one of its calls, the one of that number from 0."""
    real, calls = getattr(os, call), iter(range(1000))

    def once(*arguments: Any, **options: Any) -> Any:
        if next(calls) == at:
            raise OSError(errno.EIO, "Input/output error")
        return real(*arguments, **options)

    monkeypatch.setattr(os, call, once)


@pytest.mark.parametrize("guard", [NEW_ONLY, ANEW], ids=["new", "anew"])
@pytest.mark.parametrize(
    ("call", "at"),
    [("open", 0), ("open", 1), ("open", 2), ("fsync", 0), ("fsync", 1), ("fsync", 2), ("link", 0), ("link", 1),
     ("link", 2), ("replace", 0), ("replace", 1), ("replace", 2), ("lstat", 0), ("fstat", 0)],
)  # fmt: skip
def test_a_fault_anywhere_leaves_all_files_or_none(
    tmp_path: Path, call: str, at: int, guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a", "b", "c")
    before = dict.fromkeys(names, "old") if guard.overwrite else {}
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    failing(call, at, monkeypatch)
    try:
        write_files(tmp_path, {name: lambda file: file.write("new") for name in names}, guard)
    except InputError as error:
        assert "Input/output error" in str(error)
    monkeypatch.undo()
    assert contents(tmp_path) in (before, dict.fromkeys(names, "new"))


def test_what_cannot_be_taken_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    real, calls = os.replace, iter(range(9))

    def only_once(*paths: Path) -> None:
        if next(calls):
            raise OSError(errno.EIO, "Input/output error")
        real(*paths)

    monkeypatch.setattr(os, "replace", only_once)
    with pytest.raises(InputError, match=r"not all files could be replaced: .*b: cannot be written.*; new are .*/a \("):
        write_files(tmp_path, {name: lambda file: file.write("new") for name in ("a", "b")}, ANEW)
    found = contents(tmp_path)
    (before,) = (name for name in found if name.endswith(".before"))
    assert (found["a"], found["b"], found[before]) == ("new", "old", "old")


def test_a_file_system_without_links_has_no_second_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*paths: Path, **options: bool) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    for guard in (NEW_ONLY, ANEW):
        write_files(tmp_path, {name: lambda file: file.write("new") for name in ("a", "b")}, guard)
    assert contents(tmp_path) == {"a": "new", "b": "new"}


def test_a_disk_that_is_full_is_told_with_the_file(tmp_path: Path) -> None:
    """The system lets files of this process grow no more, as a quota does."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    (tmp_path / "file").write_text("old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(InputError, match=r"file: cannot be written: File too large"):
            write(tmp_path / "file", "x" * 1_000_000, ANEW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert contents(tmp_path) == {"file": "old"}


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    ("mask", "mode", "old", "expected"),
    [
        (0o022, None, None, 0o644),
        (0o077, None, None, 0o600),
        (0o002, None, None, 0o664),
        (0o022, 0o600, None, 0o600),
        (0o077, 0o640, None, 0o640),
        (0o022, None, 0o600, 0o600),
        (0o022, None, 0o6755, 0o755),
        (0o022, 0o400, 0o644, 0o400),
    ],
)
def test_permissions(tmp_path: Path, mask: int, mode: int | None, old: int | None, expected: int) -> None:
    path = tmp_path / "file"
    if old is not None:
        path.touch()
        path.chmod(old)
    with umask(mask):
        write(path, "text", ANEW, mode=mode)
    assert stat.S_IMODE(path.stat().st_mode) == expected


def test_names_that_were_used_before_lead_nowhere(tmp_path: Path) -> None:
    """Links at every name that could be guessed from the file and the process, those of earlier versions first."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "folder"
    folder.mkdir()
    names = [f".file.{os.getpid()}.part", f".file.{os.getpid()}", ".file.part", ".corpusdb-.unfinished", "file.tmp"]
    for name in names:
        (folder / name).symlink_to(victim)
    write(folder / "file", "text")
    assert victim.read_text() == "precious"
    assert {path.name for path in folder.iterdir()} == {*names, "file"}


def test_a_name_that_was_guessed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(os, "urandom", bytes)
    for plant in (lambda path: path.symlink_to(victim), lambda path: os.link(victim, path)):
        plant(tmp_path / f".corpusdb-{'0' * 32}.unfinished")
        with pytest.raises(InputError, match="File exists"):
            write(tmp_path / "file", "text")
        assert victim.read_text() == "precious"


def _killed_while_it_writes(path: Path) -> None:
    with Outputs(ANEW) as outputs, outputs.text(path) as file:
        file.write("half\tmoitié\n")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_killed_program_leaves_is_known_and_no_data(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    process = multiprocessing.get_context("fork").Process(target=_killed_while_it_writes, args=(path,))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    (left,) = (each for each in tmp_path.iterdir() if each != path)
    assert (is_unfinished(left), is_unfinished(path), path.read_text()) == (True, False, "old")
    with pytest.raises(InputError, match="is the unfinished file"):
        open_sources("tsv", [left], Options(("eng", "fra")))
    write(path, "new", ANEW)
    assert set(contents(tmp_path)) == {left.name, "file"}


def test_no_two_names_are_alike(tmp_path: Path) -> None:
    names: list[str] = []
    for _ in range(50):
        with Outputs(ANEW) as outputs, outputs.text(tmp_path / "file"):
            names += [path.name for path in tmp_path.iterdir() if path.name != "file"]
    assert len(set(names)) == len(names) == 50


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    (tmp_path / "link").symlink_to("there/file")
    write(tmp_path / "link", "new", ANEW)
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "there") == {"file": "new"}


def test_what_comes_meanwhile_is_kept(tmp_path: Path) -> None:
    def database(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("create table t (x)")

    come: list[tuple[Guard, Callable[[Path], object], str]] = [
        (NEW_ONLY, lambda path: path.write_text("other"), "exists already"),
        (NEW_ONLY, lambda path: path.symlink_to("elsewhere"), "is not a file that can be written"),
        (ANEW, lambda path: path.symlink_to("elsewhere"), "is not a file that can be written"),
        (ANEW, database, "is a SQLite database"),
        (ANEW, lambda path: path.mkdir(), "is a folder"),
    ]
    for number, (guard, put, reason) in enumerate(come):
        path = tmp_path / str(number) / "file"
        path.parent.mkdir()
        with pytest.raises(UsageError, match=reason), Outputs(guard) as outputs, outputs.text(path) as file:
            file.write("mine")
            put(path)
        assert [each.name for each in path.parent.iterdir()] == ["file"]
        assert not path.is_file() or b"mine" not in path.read_bytes()


def _write_with(barrier: Barrier, path: Path, text: str, guard: Guard) -> None:
    with Outputs(guard) as outputs, outputs.text(path) as file:
        file.write(text)
        barrier.wait(60)


@pytest.mark.parametrize("guard", [NEW_ONLY, ANEW], ids=["new", "anew"])
def test_of_processes_that_write_one_file_one_writes_it_whole(tmp_path: Path, guard: Guard) -> None:
    context = multiprocessing.get_context("fork")
    texts = [str(number) * 100_000 for number in range(4)]
    barrier = context.Barrier(len(texts))
    path = tmp_path / "file"
    processes = [context.Process(target=_write_with, args=(barrier, path, text, guard)) for text in texts]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert all(process.exitcode is not None for process in processes)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() in texts
    won = [process.exitcode == 0 for process in processes]
    assert won.count(True) == (len(texts) if guard.overwrite else 1)


def test_a_pipe_is_written_to_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write(pipe, "text")
    reader.join(60)
    assert read == ["text"]
    assert pipe.is_fifo()


def test_a_reader_that_went_away_is_no_fault_of_the_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(BrokenPipeError), Outputs(NEW_ONLY) as outputs, outputs.text(pipe) as file:
        os.close(reader)
        file.write("text")


def test_devices() -> None:
    write(Path("/dev/null"), "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(InputError, match="/dev/full: cannot be written: No space left"):
        write(Path("/dev/full"), "text")


def test_stdout_by_its_name_goes_on_where_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    os.write(1, b"before ")
    write(Path("/dev/stdout"), "text")
    os.write(1, b" after")
    assert capfd.readouterr().out == "before text after"


def test_sqlite_writes_by_the_name(tmp_path: Path) -> None:
    guard = Guard(overwrite=True, databases=True)
    for _ in range(2):
        with (
            Outputs(guard) as outputs,
            outputs.name(tmp_path / "copy.db", mode=0o400) as name,
            closing(sqlite3.connect(name)) as connection,
        ):
            connection.executescript("pragma journal_mode = wal; create table t (x)")
        assert [path.name for path in tmp_path.iterdir()] == ["copy.db"]
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o400
    with pytest.raises(UsageError, match="is not a regular file"), Outputs(guard) as outputs:
        outputs.name(Path("/dev/null")).__enter__()


def test_lines_are_added(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    assert append(path, b"one\n", mode=0o600) == 4
    assert append(path, b"two\n", mode=0o600) == 8
    assert path.read_text() == "one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_nothing_is_added_to_a_database_or_a_pipe(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "the.db")) as connection:
        connection.execute("create table t (x)")
    os.mkfifo(tmp_path / "pipe")
    before = (tmp_path / "the.db").read_bytes()
    for name in ("the.db", "pipe"):
        with pytest.raises((UsageError, OSError)):
            append(tmp_path / name, b"line\n", mode=0o600)
    assert (tmp_path / "the.db").read_bytes() == before


# What may be replaced, by whatever name it is called: a table of names against what they stand for.


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
    ("a\0b", UsageError, "is not a file name"),
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


def test_no_file_gets_the_name_of_standard_output() -> None:
    with pytest.raises(UsageError, match="written to standard output"):
        check_output(Path("-"), Guard(overwrite=True))


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
    with pytest.raises(InputError, match="cannot be read, so it may be a database"):
        check_output(folder / "text", guard(folder, overwrite=True))


def test_a_folder_that_may_not_be_written_to_is_told_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # whoever may do everything is never denied
    with pytest.raises(InputError, match="new: cannot be written: Permission denied"):
        check_output(folder / "new", NEW_ONLY)
