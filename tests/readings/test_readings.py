"""The figures that README.md gives of the readings are those of the sheets."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from corpusdb.stats.intervals import wilson

FOLDER = Path(__file__).parent
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]]
    for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [a-z]+(-[a-z0-9]+)? \| [^|]+ \| \d", line)
]
EQUIVALENTS = ("best", "all", "rejected", "decoy")


def readings(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def is_meant(row: dict[str, str], kept_by: str) -> bool:
    if kept_by in EQUIVALENTS:
        return kept_by in row["drawn"].split("+")
    if kept_by.startswith("rules"):
        return row["drawn"] == ("decoy" if kept_by.endswith("decoys") else "kept")
    if kept_by == "N >= 20 alone":
        return row["drawn"] == "old"
    if kept_by == "exchanges, N >= 11" and int(row["order"]) < 11:
        return False
    return row["drawn"] == "kept" and (kept_by == "exchanges alone" or float(row["validity"]) >= 0.95)


def shown(count: int, of: int) -> str:
    found = wilson(count, of)
    return f"{100 * count / of:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]}")
def test_figures(row: list[str]) -> None:
    name, kept_by, pairs, *figures = row
    read = [each for each in readings(name) if is_meant(each, kept_by)]
    counts = [
        sum(each["holds"] == "yes" for each in read),
        sum(each["holds"] != "no" for each in read),
        sum(each["grammatical"] == "yes" for each in read),
    ]
    assert len(read) == int(pairs)
    assert [shown(count, len(read)) for count in counts] == figures


def test_every_pair_was_read() -> None:
    sheets = sorted(FOLDER.glob("*.tsv"))
    assert len(sheets) == len({row[0] for row in ROWS}) + 1  # the first English one is in no row
    for sheet in sheets:
        for row in readings(sheet.stem):
            assert row["holds"] in ("yes", "doubtful", "no")
            assert row["grammatical"] in ("yes", "no")
            assert row["reason"] or (row["holds"], row["grammatical"]) == ("yes", "yes")
