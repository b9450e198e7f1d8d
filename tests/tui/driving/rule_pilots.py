"""Small corpora of Japanese, and driving the screens that show rules and rewritings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from pilots import settled
from textual.pilot import Pilot

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import open_store
from corpusdb.rules.queries.method import rewriting_method
from corpusdb.rules.queries.rewritings import keep_rewritings
from corpusdb.rules.queries.rule_sets import choose_rules, named_set
from tui.app import make_browser

__all__ = ["TEXTS", "Script", "japanese_corpus", "keep", "press", "run_browser"]

TEXTS = ("彼が本を読んだ。", "静かだ。", "トムはもう怒ってないよ。", "彼が本を読みました。", "東京駅")
"""The Japanese sentences, in the order of the corpus; each is the translation of an English one."""
Script: TypeAlias = Callable[[Pilot[None]], Awaitable[None]]


def japanese_corpus(folder: Path, texts: Sequence[str] = TEXTS, language: str = "jpn") -> Path:
    """A database of these sentences with English ones."""
    file, path = folder / "rows.tsv", folder / "corpus.db"
    rows = (f"Sentence number {number}.\t{text}\n" for number, text in enumerate(texts))
    file.write_text("".join(rows), encoding="utf-8")
    with open_store(path, create=True) as store:
        source = open_source("tsv", [file], Options(languages=("eng", language), header="no"))
        finished(import_source(store, finished(check_source(source)), "rows"))
    return path


def keep(path: Path, rules: str = "polite", texts: Sequence[str] = TEXTS) -> None:
    """Keep what rules make of the sentences."""
    with open_store(path) as store:
        method = rewriting_method(choose_rules(rules, lambda name: named_set(store, name).rules))
        finished(keep_rewritings(store, method, texts))


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each when all that the one before it did is done."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def run_browser(path: Path, script: Script, *keys: str, size: tuple[int, int] = (80, 24)) -> None:
    """Press some keys in the browser on a database, and do something there."""

    async def main() -> None:
        async with make_browser(path).run_test(size=size) as pilot:
            await settled(pilot)
            await press(pilot, *keys)
            await script(pilot)

    asyncio.run(main())
