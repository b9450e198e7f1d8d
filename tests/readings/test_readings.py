"""The figures that README.md gives of the readings are those of the sheets."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from corpusdb.base.estimates import wilson
from corpusdb.rules.rewriting import load_rules

FOLDER = Path(__file__).parent
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]]
    for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [a-z]+(-[a-z0-9]+)? \| [^|]+ \| \d", line)
]
OF_EACH_RULE = ("rules-6", "rules-7", "rules-8", "rules-9")
LEAST_HELD = 0.95
DRAWN_AS = "best all rejected decoy applied clause composed bands detected far framed frames order own turned".split()


@cache
def readings(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def is_meant(row: dict[str, str], kept_by: str) -> bool:
    if kept_by in DRAWN_AS:
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


@pytest.mark.slow
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


def held_by_rule() -> dict[str, list[bool]]:
    """Of each rule whether each place held, where it was read last: in texts that are not its own, and in Tatoeba."""
    draws: dict[tuple[str, bool], dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in (row for name in OF_EACH_RULE for row in readings(name) if row["drawn"] == "kept"):
        rule = row["rules"].split()[0][:-2]
        holds = row["holds"] == row["grammatical"] == "yes"
        draws[rule, row["corpus"] == "tatoeba"][int(row["draw"])].append(holds)
    found: dict[str, list[bool]] = defaultdict(list)
    for (rule, _), of_draw in draws.items():
        found[rule] += of_draw[max(of_draw)]
    return found


def test_a_rule_that_is_on_was_read_and_holds() -> None:
    """Asked: of 30 places of each rule, or of all that there are, 95 % hold strictly; what falls under it is off."""
    held = held_by_rule()
    short = {
        rule.name: (sum(held[rule.name]), len(held[rule.name]))
        for rule in load_rules().enabled
        if not held[rule.name] or sum(held[rule.name]) < LEAST_HELD * len(held[rule.name])
    }
    assert short == {}


def test_what_is_told_of_the_reading_of_each_rule() -> None:
    held = held_by_rule()
    on = [held[rule.name] for rule in load_rules().enabled]
    read, holding = sum(map(len, on)), sum(map(sum, on))
    told = f"{len(on)} rules that are on were read last at {read:,} places, of which {shown(holding, read)} hold"
    assert told in " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())


def test_figures_of_each_rule() -> None:
    """Of the last reading of each rule; the names and whether it is on are those of the rules."""
    held, rules = held_by_rule(), {rule.name: rule for rule in load_rules().rules}
    lines = (FOLDER / "each-rule.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if re.match(r"\| [a-z-]+ \| \d", line)]
    assert [row[0] for row in rows] == [name for name in rules if held[name] or rules[name].off is None]
    for name, *_, last, interval, now in rows:
        found = wilson(sum(held[name]), len(held[name]))
        assert last == f"{sum(held[name])} of {len(held[name])}"
        assert interval == f"[{100 * found.low:.1f}, {100 * found.high:.1f}]"
        assert now == ("on" if rules[name].off is None else "off")
