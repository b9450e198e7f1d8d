"""A corpus of six sentences, of which it is seen at once what a search finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from calls import Prepare, Run


@pytest.fixture
def animals(run: Run, prepare: Prepare) -> Path:
    def fill() -> None:
        lines = "".join(f"{a} {b}.\tle {a} {b}.\n" for a in ("cat", "dog", "cat dog") for b in ("runs", "sleeps"))
        Path("animals.tsv").write_text(lines, encoding="utf-8")
        assert run("import", "animals.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0

    return prepare("animals", fill)
