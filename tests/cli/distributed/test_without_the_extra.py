"""What the commands for Spark say where its packages are not installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

_WITHOUT = """
import sys
for package in ("pandas", "pyarrow", "pyspark"):
    sys.modules[package] = None
sys.argv = ["corpusdb", *sys.argv[1:]]
from corpusdb.program.app import main
main()
"""


@pytest.mark.parametrize(
    "words",
    [
        ("distributed", "run", "pairs.tsv", "--lang", "eng,fra", "--out", "run"),
        ("distributed", "load", "run", "--db", "loaded.db"),
    ],
)
def test_a_package_that_is_missing_is_told_in_one_line(words: Sequence[str], tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("One.\tUn.\n", encoding="utf-8")
    command = [sys.executable, "-c", _WITHOUT, *words]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert result.returncode == 2
    assert result.stderr == "corpusdb: error: this needs pyarrow: pip install 'corpusdb[spark]'\n"
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]
