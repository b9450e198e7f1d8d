"""Databases that released versions made: each version that follows opens them and has all that people gave it.

They stand in the folder ``kept``, one for each schema. With CORPUSDB_RENEW_SNAPSHOTS=1 the program makes that of its
own schema, where it is missing, from the phrasebook by CALLS.
"""

from __future__ import annotations

import lzma
import os
import shlex
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from calls import Run

from corpusdb.base.errors import DatabaseDamaged
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import checking
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store.opening import OLDEST, latest_version, schema_version
from corpusdb.corpus.store.row_checksums import LEDGER, SEALED
from corpusdb.paraphrase.queries.models import load_ngrams
from corpusdb.phrasebook import phrasebook_files
from corpusdb.search.queries.token_index import load_text, load_tokens

FOLDER = Path(__file__).with_name("kept")
KEPT = sorted(FOLDER.glob("schema-*.db.xz"))
NEVER_LOST = {*SEALED, "sentence", "occurrence", "translation", "seed", "candidate"} - {LEDGER, "layer"}
HASHES = {"unseen", "inner_unseen"}
"""Of candidates: shorter than they were."""
SEED, REWORDING = "Where should I check in?", "Where do I check in?"
LINES = 20
"""Of each file of the phrasebook."""
CALLS = f"""
import phrases.tsv --name phrases; generate --lang eng; align --lang eng,fra; model train all phrases --lang eng
search check --lang eng --kwic --save asked; results keep answered asked; categories set kinds good asked --lines 1
session new work --lang eng --text '{SEED}'; session accept work 1; session reject work 2
judge sample meant --lang eng --kind meaning --size 12 --controls 3; judge record meant 1 = --judge anna
rejections add airport seat room --lang eng; rules set mine --from polite --off verb-past
score h.txt --ref r.txt --store --metric bleu,chrf; references '{SEED}' '{REWORDING}' -o refs -N 0
"""


def rows(path: Path) -> dict[str, tuple[list[str], Counter[tuple[Any, ...]]]]:
    """The columns of each table, and what stands there."""
    with closing(sqlite3.connect(path)) as database:
        found = {}
        for (name,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
            columns = [row[0] for row in database.execute("select name from pragma_table_xinfo(?)", (name,))]
            found[name] = columns, Counter(database.execute(f'select * from "{name}"').fetchall())
    return found


def of_columns(table: tuple[list[str], Counter[tuple[Any, ...]]], columns: list[str]) -> Counter[tuple[Any, ...]]:
    places = [table[0].index(column) for column in columns]
    return Counter(tuple(row[place] for place in places) for row in table[1].elements())


def make(run: Run, folder: Path) -> bytes:
    """A database of this version."""
    header, *_ = phrasebook_files()[0].read_text(encoding="utf-8").splitlines()
    lines = [line for file in phrasebook_files() for line in file.read_text(encoding="utf-8").splitlines()[1:LINES]]
    for name, texts in {"phrases.tsv": [header, *lines], "h.txt": [SEED], "r.txt": [REWORDING]}.items():
        (folder / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    for call in CALLS.replace("\n", ";").split(";"):
        if call.strip():
            result = run(*shlex.split(call))
            assert result.exit_code == 0, (call, result.stderr)
    with closing(sqlite3.connect(folder / "corpus.db")) as database:
        database.execute("pragma journal_mode = delete")
        database.execute("vacuum")
    return (folder / "corpus.db").read_bytes()


@pytest.mark.skipif(os.environ.get("CORPUSDB_RENEW_SNAPSHOTS") != "1", reason="nothing is to be made")
def test_the_program_keeps_a_database_of_its_own(run: Run, tmp_path: Path) -> None:
    path = FOLDER / f"schema-{latest_version()}.db.xz"
    if not path.exists():
        path.write_bytes(lzma.compress(make(run, tmp_path), preset=9 | lzma.PRESET_EXTREME))


def test_there_is_one_of_the_oldest_schema_and_none_from_before() -> None:
    versions = [int(path.name.split(".")[0].removeprefix("schema-")) for path in KEPT]
    assert min(versions) == OLDEST
    assert max(versions) <= latest_version()


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.name)
def test_a_database_of_an_earlier_version_is_opened_with_all_that_it_has(kept: Path, run: Run, tmp_path: Path) -> None:
    path, before = tmp_path / "corpus.db", tmp_path / "before.db"
    for each in (path, before):
        each.write_bytes(lzma.decompress(kept.read_bytes()))
    with open_store(path) as store:
        assert schema_version(store.connection) == latest_version()
        assert finished(checking(store)).ok
    now = rows(path)
    for name, (columns, given) in rows(before).items():
        if name in NEVER_LOST:
            shown = [column for column in columns if column not in HASHES]
            assert of_columns(now[name], shown) == of_columns((columns, given), shown), name
    assert run("paraphrases", SEED, "-N", "0").exit_code == 0
    assert SEED in run("session", "show", "work").stdout


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.name)
@pytest.mark.parametrize(
    ("change", "load"),
    [
        ("update ngram_segment set suffixes = zeroblob(length(suffixes) - 1)", load_ngrams),
        ("update token_segment set tokens = zeroblob(length(tokens) - 1)", load_tokens),
        ("update token_segment set text = cast(replace(text, 'a', 'b') as blob)", load_text),
    ],
)
def test_what_was_damaged_before_is_damaged_afterwards(
    change: str, load: Callable[[Store, str], object], kept: Path, tmp_path: Path
) -> None:
    path = tmp_path / "corpus.db"
    path.write_bytes(lzma.decompress(kept.read_bytes()))
    with closing(sqlite3.connect(path)) as database:
        database.execute(change)
        database.commit()
    with open_store(path) as store, pytest.raises(DatabaseDamaged):
        load(store, "eng")
