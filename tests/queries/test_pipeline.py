"""The whole chain: the same rows whatever interrupts it, given seeds, and layers that follow the corpus."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from corpora import Row, all_rows, data_folder, derived_rows, import_rows, new_store, tatoeba
from interrupted import run, run_with_kills

from corpusdb.formats import Options, open_source
from corpusdb.model import Progress
from corpusdb.phrasebook import phrasebook_files
from corpusdb.queries import finished, pipeline
from corpusdb.queries.ingest import check_source, import_source
from corpusdb.queries.pipeline import generate
from corpusdb.store import Store, open_store


def some_thousand_pairs(store: Store) -> None:
    """English with four languages, or where the data is absent with one."""
    try:
        for language in ("fra", "deu", "jpn", "cmn"):
            import_rows(store, tatoeba(language, 1000, 750), ("eng", language))
    except pytest.skip.Exception:
        for path in phrasebook_files():
            source = open_source("tsv", [path], Options(languages=("eng", "fra")))
            finished(import_source(store, finished(check_source(source)), "phrasebook"))


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    with new_store(folder) as store:
        some_thousand_pairs(store)
        return store.path


@pytest.fixture(scope="module")
def undisturbed(imported: Path) -> tuple[Path, int]:
    """The database after an undisturbed run, and how many thousand steps that took."""
    path = Path(shutil.copy(imported, imported.with_name("undisturbed.db")))
    steps = run("generate", path)
    assert steps is not None
    return path, steps


@pytest.mark.parametrize("number", range(3))
def test_killed_runs_end_with_the_same_rows(
    imported: Path, undisturbed: tuple[Path, int], tmp_path: Path, number: int
) -> None:
    expected, steps = undisturbed
    path = Path(shutil.copy(imported, tmp_path / "killed.db"))
    run_with_kills("generate", path, 10, steps, random.Random(number))
    with open_store(path) as killed, open_store(expected) as whole:
        found, wanted = all_rows(killed), all_rows(whole)
        assert len(wanted["candidate"]) > 100
        for table, rows in wanted.items():
            assert found[table] == rows, table
        assert killed.connection.execute("pragma integrity_check").fetchone() == ("ok",)
