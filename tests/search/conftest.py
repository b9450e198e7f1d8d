"""A corpus of six sentences, of which it is seen at once what a search finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]


@pytest.fixture
def animals(run: Run, tmp_path: Path) -> Path:
    lines = "".join(f"{a} {b}.\tle {a} {b}.\n" for a in ("cat", "dog", "cat dog") for b in ("runs", "sleeps"))
    (tmp_path / "animals.tsv").write_text(lines, encoding="utf-8")
    assert run("import", "animals.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    return tmp_path
