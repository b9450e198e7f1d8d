"""What reads for the browser notices that its file was replaced, and reads the new one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from corpusdb.base.errors import StoreError
from corpusdb.corpus.store import open_store
from tui.kit.background import Runner
from tui.kit.reader import DatabaseReader


def _database(path: Path, name: str) -> Path:
    with open_store(path, create=True) as store, store.write() as writer:
        writer.execute("insert into collection (name) values (?)", (name,))
    return path


def _names(reader: DatabaseReader) -> list[str]:
    return [name for (name,) in reader.store.connection.execute("select name from collection")]


def test_a_database_that_was_replaced_is_opened_again(tmp_path: Path) -> None:
    path = _database(tmp_path / "corpus.db", "old")
    later = _database(tmp_path / "later.db", "new")

    async def ask() -> list[list[str]]:
        runner = Runner(path, lambda state: None)
        try:
            before = await runner.ask(_names)
            later.replace(path)
            return [before, await runner.ask(_names)]
        finally:
            runner.close()

    assert asyncio.run(ask()) == [["old"], ["new"]]


def test_an_answer_from_a_file_that_is_gone_is_none(tmp_path: Path) -> None:
    path = _database(tmp_path / "corpus.db", "old")
    later = _database(tmp_path / "later.db", "new")

    def slow(reader: DatabaseReader) -> list[str]:
        found = _names(reader)
        later.replace(path)
        return found

    async def ask() -> list[str]:
        runner = Runner(path, lambda state: None)
        try:
            with pytest.raises(StoreError, match="was replaced by another file"):
                await runner.ask(slow)
            return await runner.ask(_names)
        finally:
            runner.close()

    assert asyncio.run(ask()) == ["new"]
