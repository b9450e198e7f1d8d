"""The text of the demonstration, as a file beside this one has it, and the commands in it.

Renew the files with CORPUSDB_RENEW_SNAPSHOTS=1, and look at what has changed.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from unittest.mock import patch

import pytest

from corpusdb.base import morphemes as sudachi
from corpusdb.base.cells import cell_width
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import open_store
from corpusdb.program.demonstration_report import OWN, TO_TRY, demonstration_text
from corpusdb.program.queries.demonstration import DemoReport, GenerationShown, show_other_systems

HERE = Path(__file__).parent
SYSTEMS = ("1 GENERATION", "2 SCORES IN CHARACTERS", "3 JAPANESE RULES", "4 EQUIVALENTS", "5 PROFILE")


def report(demonstration: tuple[Path, GenerationShown], folder: Path) -> DemoReport:
    path, generation = demonstration
    with open_store(Path(shutil.copy(path, folder))) as store:
        return finished(show_other_systems(store, generation, time.monotonic()))


def told(found: DemoReport) -> str:
    return demonstration_text(found, Path("demo.db")).replace(f"took {found.seconds:.1f} s", "took 0.0 s") + "\n"


def is_as_kept(text: str, name: str) -> None:
    path = HERE / name
    if os.environ.get("CORPUSDB_RENEW_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8")
    assert text.splitlines() == path.read_text("utf-8").splitlines()


def test_what_it_says(demonstration: tuple[Path, GenerationShown], tmp_path: Path) -> None:
    pytest.importorskip("sudachipy")
    is_as_kept(told(report(demonstration, tmp_path)), "with_japanese.txt")


def test_what_it_says_without_the_extra_for_japanese(
    demonstration: tuple[Path, GenerationShown], tmp_path: Path
) -> None:
    missing = UsageError("Japanese morphemes need more: pip install 'corpusdb[japanese]'")
    with patch.object(sudachi, "_opened", side_effect=missing):
        text = told(report(demonstration, tmp_path))
    is_as_kept(text, "without_japanese.txt")


@pytest.mark.parametrize("name", ["with_japanese.txt", "without_japanese.txt"])
def test_it_is_short_and_fits_and_has_all_five(name: str) -> None:
    lines = (HERE / name).read_text("utf-8").splitlines()
    assert len(lines) <= 80
    assert [line for line in lines if cell_width(line) > 80] == []
    assert [title for title in SYSTEMS if not any(line.startswith(title) for line in lines)] == []
    assert sum(line.startswith("  yours: ") for line in lines) == len(OWN) == len(SYSTEMS)
    assert [line.strip().split("  #")[0].rstrip() for line in lines[-3:]] == [f"corpusdb {each}" for each, _ in TO_TRY]


def test_the_database_is_named_as_a_shell_takes_it(demonstration: tuple[Path, GenerationShown], tmp_path: Path) -> None:
    text = demonstration_text(report(demonstration, tmp_path), Path("my demo.db"), ".venv/bin/corpusdb")
    assert "export CORPUSDB_DB='my demo.db'" in text
    assert "yours: .venv/bin/corpusdb import" in text
