"""Who may read a database that names judges."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpusdb.corpus.store import open_store
from corpusdb.corpus.store.permissions import keep_private, mode_of


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
