"""The browser's desk: it notices that its file was replaced, and reads the new one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from corpusdb.errors import StoreError
from corpusdb.store import open_store
from tui.background.reader import Desk, Desktop


def _database(path: Path, name: str) -> Path:
    with open_store(path, create=True) as store, store.write() as writer:
        writer.execute("insert into collection (name) values (?)", (name,))
    return path


def _names(desk: Desk) -> list[str]:
    return [name for (name,) in desk.store.connection.execute("select name from collection")]


def test_a_database_that_was_replaced_is_opened_again(tmp_path: Path) -> None:
    path = _database(tmp_path / "corpus.db", "old")
    later = _database(tmp_path / "later.db", "new")

    async def ask() -> list[list[str]]:
        desktop = Desktop(path)
        try:
            before = await desktop.ask(_names)
            later.replace(path)
            return [before, await desktop.ask(_names)]
        finally:
            desktop.close()

    assert asyncio.run(ask()) == [["old"], ["new"]]


def test_an_answer_from_a_file_that_is_gone_is_none(tmp_path: Path) -> None:
    path = _database(tmp_path / "corpus.db", "old")
    later = _database(tmp_path / "later.db", "new")

    def slow(desk: Desk) -> list[str]:
        found = _names(desk)
        later.replace(path)
        return found

    async def ask() -> list[str]:
        desktop = Desktop(path)
        try:
            with pytest.raises(StoreError, match="was replaced by another file"):
                await desktop.ask(slow)
            return await desktop.ask(_names)
        finally:
            desktop.close()

    assert asyncio.run(ask()) == ["new"]
